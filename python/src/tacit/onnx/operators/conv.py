"""Convolutions and pools: windows are slices that are put side by side, and cost nothing."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ... import xp
from ...array import Array
from ..numbers import length, plus, real, times
from ..table import Call, Value, op
from .layers import along, product
from .reduce import mean
from .shapes import padded


def _sides(at: Call, x: Array, kernel: list[int], strides: list[int], dilations: list[int]) -> list[int]:
    """Padding before the axes, then behind them."""
    auto = at.attr("auto_pad", "NOTSET")
    many = len(kernel)
    if auto in ("NOTSET", ""):
        return at.ints("pads") or [0] * (2 * many)
    if auto == "VALID":
        return [0] * (2 * many)
    before, behind = [], []
    for i in range(many):
        whole = length(x, i + 2)
        out = -(-whole // strides[i])
        need = max((out - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 - whole, 0)
        small = need // 2
        before.append(small if auto == "SAME_UPPER" else need - small)
        behind.append(need - small if auto == "SAME_UPPER" else small)
    return before + behind


def windows(x: Array, kernel: list[int], strides: list[int], dilations: list[int]) -> Array:
    """Elements of each window on new axes behind the others, one axis for each of the kernel's."""
    for i, (size, stride, dilation) in enumerate(zip(kernel, strides, dilations, strict=True)):
        axis = i + 2
        out = (length(x, axis) - (size - 1) * dilation - 1) // stride + 1
        x = xp.stack([xp._part(x, axis, k * dilation, out, stride) for k in range(size)], axis=x.ndim)
    return x


def _geometry(at: Call, x: Array, kernel: list[int]) -> tuple[list[int], list[int], list[int]]:
    strides = at.ints("strides") or [1] * len(kernel)
    dilations = at.ints("dilations") or [1] * len(kernel)
    return strides, dilations, _sides(at, x, kernel, strides, dilations)


def _by_groups(at: Call, seen: Array, weights: Array, groups: int, axes: int) -> Array:
    """Windows of all groups of channels times the weights of their group: one product of as many matrices."""
    rows, out = seen.shape[0], seen.shape[2 : 2 + axes]
    many, inner = int(weights.shape[0]) // groups, math.prod(int(it) for it in weights.shape[1:])
    own = xp.reshape(seen, (rows, groups, int(seen.shape[1]) // groups, *seen.shape[2:]))
    # Channels go beside the window, groups before rows, and places behind these.
    own = xp.permute_dims(own, [1, 0, *range(3, 3 + axes), 2, *range(3 + axes, own.ndim)])
    own = xp.reshape(own, (groups, rows * math.prod(out), inner))
    matrices = xp.matrix_transpose(xp.reshape(weights, (groups, many, inner)))
    found = xp.reshape(product(at, own, matrices), (groups, rows, *out, many))
    return xp.reshape(xp.permute_dims(found, [1, 0, 2 + axes, *range(2, 2 + axes)]), (rows, groups * many, *out))


@op("Conv")
def conv(at: Call, x: Value, weights: Value, bias: Value = None) -> Array:
    x = real(at, x)
    shape = [int(it) for it in weights.shape]
    kernel = shape[2:]
    strides, dilations, pads = _geometry(at, x, kernel)
    groups = int(at.attr("group", 1))
    x = padded(at, x, list(range(2, x.ndim)), pads, "constant", np.zeros(1))
    seen = windows(x, kernel, strides, dilations)
    many, out = shape[0] // groups, seen.shape[2 : 2 + len(kernel)]
    if groups > 1 and isinstance(weights, Array):
        found = _by_groups(at, seen, weights, groups, len(kernel))
        return found if bias is None else plus(at, found, along(bias, found.ndim, 1))
    parts = []
    for group in range(groups):
        own = seen if groups == 1 else xp._part(seen, 1, group * shape[1], shape[1])
        # Channels go beside the window, rows and places before.
        order = [0, *range(2, 2 + len(kernel)), 1, *range(2 + len(kernel), seen.ndim)]
        own = xp.reshape(xp.permute_dims(own, order), (x.shape[0], math.prod(out), shape[1] * math.prod(kernel)))
        rows = weights[group * many : (group + 1) * many]
        if isinstance(rows, Array):
            matrix: Value = xp.reshape(rows, (many, shape[1] * math.prod(kernel))).T
        else:
            matrix = np.ascontiguousarray(rows.reshape(many, -1).T)
        found = product(at, own, matrix)
        parts.append(xp.reshape(xp.permute_dims(found, (0, 2, 1)), (x.shape[0], many, *out)))
    found = parts[0] if groups == 1 else xp.concat(parts, axis=1)
    return found if bias is None else plus(at, found, along(bias, found.ndim, 1))


def _rounded(at: Call, x: Array, kernel: list[int], strides: list[int], dilations: list[int], pads: list[int]) -> list[int]:
    """Padding with as much more behind as `ceil_mode` asks for."""
    if not at.attr("ceil_mode", 0):
        return pads
    many = len(kernel)
    found = list(pads)
    for i in range(many):
        whole = length(x, i + 2) + pads[i] + pads[i + many]
        span = (kernel[i] - 1) * dilations[i] + 1
        out = -(-(whole - span) // strides[i]) + 1
        # A window that begins in the padding behind does not count.
        if (out - 1) * strides[i] >= length(x, i + 2) + pads[i]:
            out -= 1
        found[i + many] += max((out - 1) * strides[i] + span - whole, 0)
    return found


@op("MaxPool")
def max_pool(at: Call, x: Array) -> Array | list[Array]:
    if len([it for it in at.outputs if it]) > 1:
        at.refuse("the places of the greatest elements")
    kernel = at.ints("kernel_shape") or []
    strides, dilations, pads = _geometry(at, x, kernel)
    pads = _rounded(at, x, kernel, strides, dilations, pads)
    least = np.asarray(x.range[0], dtype=np.float64 if x._node.kind == "fixed" else np.int64)
    x = padded(at, x, list(range(2, x.ndim)), pads, "constant", least)
    seen = windows(x, kernel, strides, dilations)
    return xp.max(seen, axis=tuple(range(x.ndim, seen.ndim)))


def _counts(shape: list[int], kernel: list[int], strides: list[int], dilations: list[int], pads: list[int], inner: list[int]) -> Any:
    """How many elements of each window count."""
    ones = np.zeros([a + b + c for a, b, c in zip(pads, shape, pads[len(shape) :], strict=False)])
    begin = inner[: len(shape)]
    end = inner[len(shape) :]
    ones[tuple(slice(p - a, p + n + b) for p, n, a, b in zip(pads, shape, begin, end, strict=False))] = 1
    outs = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(ones.shape, kernel, strides, dilations, strict=True)]
    total = np.zeros(outs)
    for place in itertools.product(*(range(it) for it in kernel)):
        cut = tuple(slice(p * d, p * d + s * (o - 1) + 1, s) for p, d, s, o in zip(place, dilations, strides, outs, strict=True))
        total += ones[cut]
    return total


@op("AveragePool")
def average_pool(at: Call, x: Array) -> Array:
    kernel = at.ints("kernel_shape") or []
    x = real(at, x)
    strides, dilations, plain = _geometry(at, x, kernel)
    pads = _rounded(at, x, kernel, strides, dilations, plain)
    shape = [length(x, axis) for axis in range(2, x.ndim)]
    inner = plain if at.attr("count_include_pad", 0) else [0] * len(pads)
    counts = _counts(shape, kernel, strides, dilations, pads, inner)
    x = padded(at, x, list(range(2, x.ndim)), pads, "constant", np.zeros(1))
    seen = windows(x, kernel, strides, dilations)
    sums = xp.sum(seen, axis=tuple(range(x.ndim, seen.ndim)))
    return times(at, sums, 1 / counts if len(np.unique(counts)) > 1 else np.float64(1 / counts.flat[0]))


@op("GlobalAveragePool")
def global_average(at: Call, x: Array) -> Array:
    x = real(at, x)
    return mean(at, x, list(range(2, x.ndim)), True)


@op("GlobalMaxPool")
def global_max(at: Call, x: Array) -> Array:
    return xp.max(x, axis=tuple(range(2, x.ndim)), keepdims=True)
