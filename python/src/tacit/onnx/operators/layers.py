"""Layers of networks: products of matrices, normalisations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import xp
from ...array import Array, Extent, divide
from ..numbers import array, constant, dot, kept, length, plus, real, same, times
from ..table import Call, Value, op
from .activations import shifted
from .reduce import mean, squares


def product(at: Call, a: Value, b: Value) -> Array:
    """`a @ b` with NumPy's rules."""
    if not isinstance(b, Array) and b.ndim <= 2:
        return dot(at, a, b)
    if not isinstance(a, Array) and a.ndim <= 2:
        if a.ndim == 1:
            return dot(at, xp.matrix_transpose(b), a)
        if b.ndim == 1:
            return dot(at, b, a.T)
        return xp.matrix_transpose(dot(at, xp.matrix_transpose(b), np.ascontiguousarray(a.T)))
    a, b = same(at, a, b)
    found: Array = a @ b
    return found


@op("MatMul")
def matmul(at: Call, a: Value, b: Value) -> Array:
    return product(at, a, b)


@op("Gemm")
def gemm(at: Call, a: Value, b: Value, c: Value = None) -> Array:
    alpha, beta = float(at.attr("alpha", 1.0)), float(at.attr("beta", 1.0))
    a = _turned(a) if at.attr("transA", 0) else a
    b = _turned(b) if at.attr("transB", 0) else b
    if alpha != 1 and not isinstance(b, Array):
        b, alpha = b * np.float64(alpha), 1.0
    found = product(at, a, b)
    found = times(at, found, np.float64(alpha)) if alpha != 1 else found
    if c is None or beta == 0:
        return found
    if beta != 1:
        c = times(at, c, np.float64(beta)) if isinstance(c, Array) else c * np.float64(beta)
    return plus(at, found, c)


def _turned(x: Value) -> Value:
    return xp.matrix_transpose(x) if isinstance(x, Array) else np.ascontiguousarray(x.T)


def along(value: Value, ndim: int, axis: int) -> Value:
    """A vector as one that varies along an axis."""
    shape = [-1 if i == axis else 1 for i in range(ndim)]
    return xp.reshape(value, shape) if isinstance(value, Array) else np.asarray(value).reshape(shape)


@op("BatchNormalization")
def batch_norm(at: Call, x: Array, scale: Value, shift: Value, centre: Value, spread: Value) -> Array:
    if at.attr("training_mode", 0) or len([it for it in at.outputs if it]) > 1:
        at.refuse("batch normalisation while training")
    x = real(at, x)
    parts = [along(it, x.ndim, 1) for it in (scale, shift, centre, spread)]
    scale, shift, centre, spread = parts
    epsilon = float(at.attr("epsilon", 1e-5))
    if not any(isinstance(it, Array) for it in parts):
        known = np.asarray(scale, np.float64) / np.sqrt(np.asarray(spread, np.float64) + epsilon)
        return plus(at, times(at, x, known), np.asarray(shift, np.float64) - np.asarray(centre, np.float64) * known)
    spread = real(at, spread)
    factor = divide(real(at, scale), xp.sqrt(_above(at, spread, epsilon)))
    return plus(at, (plus(at, x, -centre)) * factor, shift)


def _above(at: Call, x: Array, epsilon: float) -> Array:
    """A variance with a small number that keeps it from zero: at least one unit of the last place."""
    return shifted(at, xp.maximum(x, constant(at.arena, np.float64(0), x._node.fraction)), max(epsilon, 2.0**-x._node.fraction))


def standardized(at: Call, x: Array, axes: list[int], epsilon: float, centred: bool = True) -> tuple[Array, Array, Array | None]:
    """Numbers less their mean, over their deviation; the reciprocal of that, and the mean."""
    middle = mean(at, x, axes, True) if centred else None
    away = x - middle if middle is not None else x
    variance = mean(at, squares(away), axes, True)
    inverse = xp.reciprocal(xp.sqrt(_above(at, variance, epsilon)), bits=at.precision)
    return away * inverse, inverse, middle


@op("LayerNormalization")
def layer_norm(at: Call, x: Array, scale: Value, shift: Value = None) -> list[Any]:
    x = real(at, x)
    axis = int(at.attr("axis", -1)) % x.ndim
    found, inverse, middle = standardized(at, x, list(range(axis, x.ndim)), float(at.attr("epsilon", 1e-5)))
    found = found * scale if isinstance(scale, Array) else times(at, found, scale)
    return [found if shift is None else plus(at, found, shift), middle, inverse]


@op("RMSNormalization")
def rms_norm(at: Call, x: Array, scale: Value) -> Array:
    x = real(at, x)
    axis = int(at.attr("axis", -1)) % x.ndim
    found, _, _ = standardized(at, x, list(range(axis, x.ndim)), float(at.attr("epsilon", 1e-5)), centred=False)
    return found * scale if isinstance(scale, Array) else times(at, found, scale)


@op("InstanceNormalization")
def instance_norm(at: Call, x: Array, scale: Value, shift: Value) -> Array:
    x = real(at, x)
    found, _, _ = standardized(at, x, list(range(2, x.ndim)), float(at.attr("epsilon", 1e-5)))
    scale, shift = along(scale, x.ndim, 1), along(shift, x.ndim, 1)
    return plus(at, found * scale if isinstance(scale, Array) else times(at, found, scale), shift)


@op("Einsum")
def einsum(at: Call, *operands: Value) -> Array:
    """Sums of products of two operands, or sums and orders of the axes of one."""
    text = str(at.attr("equation")).replace(" ", "")
    if "." in text or len(operands) > 2:
        at.refuse("more than two operands, or `...`")
    left, _, result = text.partition("->")
    names = left.split(",")
    if "->" not in text:
        joined = "".join(names)
        result = "".join(sorted(it for it in set(joined) if joined.count(it) == 1))
    if any(len(set(it)) != len(it) for it in names):
        at.refuse("an axis that is named twice in one operand")
    if len(operands) == 1:
        return _ordered(array(at, operands[0]), names[0], result)
    a, b = same(at, *operands)
    return _pair(at, (a, names[0]), (b, names[1]), result)


def _ordered(x: Array, names: str, result: str) -> Array:
    gone = tuple(i for i, it in enumerate(names) if it not in result)
    x = xp.sum(x, axis=gone) if gone else x
    left = [it for it in names if it in result]
    return xp.permute_dims(x, [left.index(it) for it in result]) if left != list(result) else x


def _pair(at: Call, a: tuple[Array, str], b: tuple[Array, str], result: str) -> Array:
    (x, p), (y, q) = a, b
    for mine, theirs in ((0, q), (1, p)):
        value, names = (x, p) if mine == 0 else (y, q)
        alone = tuple(i for i, it in enumerate(names) if it not in theirs and it not in result)
        if alone:
            value, names = xp.sum(value, axis=alone), "".join(it for i, it in enumerate(names) if i not in alone)
        (x, p), (y, q) = ((value, names), (y, q)) if mine == 0 else ((x, p), (value, names))
    batch = [it for it in p if it in q and it in result]
    inner = [it for it in p if it in q and it not in result]
    first, second = [it for it in p if it not in q], [it for it in q if it not in p]
    lengths: dict[str, Any] = {**dict(zip(p, x.shape, strict=True)), **dict(zip(q, y.shape, strict=True))}
    x = xp.permute_dims(x, [p.index(it) for it in [*batch, *first, *inner]])
    y = xp.permute_dims(y, [q.index(it) for it in [*batch, *inner, *second]])

    def size(names: list[str]) -> Any:
        return math.prod(lengths[it] for it in names) if not any(isinstance(lengths[it], Extent) for it in names) else -1

    head = [lengths[it] for it in batch]
    x = xp.reshape(x, (*head, size(first), size(inner)))
    y = xp.reshape(y, (*head, size(inner), size(second)))
    found = xp.reshape(product(at, x, y), tuple(lengths[it] for it in [*batch, *first, *second]))
    order = [*batch, *first, *second]
    return xp.permute_dims(found, [order.index(it) for it in result]) if order else found


@op("MeanVarianceNormalization")
def mean_variance(at: Call, x: Array) -> Array:
    x = real(at, x)
    axes = at.ints("axes") or [0, 2, 3]
    if any(isinstance(x.shape[it], Extent) for it in axes):
        at.refuse("over rows")
    return standardized(at, x, [it % x.ndim for it in axes], 1e-9)[0]


@op("GroupNormalization")
def group_norm(at: Call, x: Array, scale: Value, shift: Value) -> Array:
    x = real(at, x)
    groups = int(at.attr("num_groups"))
    shape = x.shape
    parts = xp.reshape(x, (shape[0], groups, length(x, 1) // groups, *shape[2:]))
    found, _, _ = standardized(at, parts, list(range(2, parts.ndim)), float(at.attr("epsilon", 1e-5)))
    found = xp.reshape(found, (*kept(x, []),))
    if np.prod(np.shape(scale) if not isinstance(scale, Array) else [int(it) for it in scale.shape]) != shape[1]:
        at.refuse("one scale for each group, as before version 21")
    scale, shift = along(scale, x.ndim, 1), along(shift, x.ndim, 1)
    return plus(at, found * scale if isinstance(scale, Array) else times(at, found, scale), shift)
