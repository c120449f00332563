"""Operators that give elements another shape or order. They cost nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import xp
from ...array import Array, Extent
from ..numbers import array, constant, kept, length
from ..table import ROWS, Call, Value, op


def _wanted(at: Call, x: Array, target: list[int]) -> list[Any]:
    """A shape as ONNX says it, with 0 for lengths that stay, in terms of row counts."""
    if not at.attr("allowzero", 0):
        target = [x.shape[i] if it == 0 and i < x.ndim else it for i, it in enumerate(target)]  # type: ignore[misc]
    wanted: list[Any] = [it if isinstance(it, Extent) else at.walk.extent(it) for it in target]
    if wanted.count(-1) == 1 and not any(isinstance(it, Extent) for it in wanted):
        # Several times as many rows as there are may be divided among axes.
        known = at.walk.lengths(x.shape).prod()
        rest = -math.prod(wanted)
        if known >= ROWS // 2 and rest and known % rest == 0:
            wanted[wanted.index(-1)] = at.walk.extent(int(known // rest))
    have = [it for it in x.shape if isinstance(it, Extent)]
    if have and not any(isinstance(it, Extent) or it == -1 for it in wanted) and wanted:
        # A model that was written for one row: its first axis becomes that of all rows.
        known = math.prod(it for it in x.shape if not isinstance(it, Extent))
        if math.prod(wanted) == known * wanted[0]:
            wanted[0] = have[0]
    return wanted


@op("Reshape", public=(1,))
def reshape(at: Call, x: Array, target: Value = None) -> Array:
    wanted = at.ints("shape", 1)
    if wanted is None:
        at.refuse("no shape")
    return xp.reshape(x, tuple(_wanted(at, x, wanted)))


@op("Flatten")
def flatten(at: Call, x: Array) -> Array:
    axis = int(at.attr("axis", 1))
    axis = axis + x.ndim if axis < 0 else axis
    front, back = x.shape[:axis], x.shape[axis:]
    if any(isinstance(it, Extent) for it in back):
        return xp.reshape(x, (math.prod(length(x, i) for i in range(axis)), -1))
    columns = math.prod(int(it) for it in back)
    if any(isinstance(it, Extent) for it in front):
        return xp.reshape(x, (-1, columns))
    return xp.reshape(x, (math.prod(int(it) for it in front), columns))


@op("Transpose")
def transpose(at: Call, x: Array) -> Array:
    order = at.ints("perm")
    return xp.permute_dims(x, order if order is not None else list(range(x.ndim))[::-1])


@op("Squeeze", public=(1,))
def squeeze(at: Call, x: Array, axes: Value = None) -> Array:
    gone = at.ints("axes", 1)
    if gone is None:
        gone = [i for i, it in enumerate(x.shape) if it == 1]
    return xp.squeeze(x, tuple(gone)) if gone else x


@op("Unsqueeze", public=(1,))
def unsqueeze(at: Call, x: Array, axes: Value = None) -> Array:
    new = at.ints("axes", 1)
    return xp.expand_dims(x, tuple(new)) if new else x


@op("Expand", public=(1,))
def expand(at: Call, x: Value, target: Value) -> Array:
    made = array(at, x)
    wanted: list[Any] = [at.walk.extent(int(it)) for it in np.asarray(target).ravel()]
    have: list[Any] = [1] * (len(wanted) - made.ndim) + list(made.shape)
    wanted = [1] * (len(have) - len(wanted)) + wanted
    return xp.broadcast_to(made, [b if a == 1 else a for a, b in zip(have, wanted, strict=True)])


@op("ConstantOfShape", public=(0,))
def filled(at: Call, target: Value) -> Array:
    value = np.asarray(at.attr("value", np.float32(0))).reshape(-1)[0]
    shape = [at.walk.extent(int(it)) for it in np.asarray(target).ravel()]
    return xp.broadcast_to(constant(at.arena, value, at.walk.frac), shape)


@op("Tile", public=(1,))
def tile(at: Call, x: Value, repeats: Value) -> Array:
    counts = [int(it) for it in np.asarray(repeats).ravel()]
    if any(at.walk.extent(it) != it for it in counts):
        at.refuse("repetitions by a row count")
    return xp.tile(array(at, x), counts)


@op("Shape")
def shape(at: Call, x: Array) -> Value:
    found = at.walk.lengths(x.shape)
    return found[slice(at.attr("start", 0), at.attr("end"))]


@op("Size")
def size(at: Call, x: Array) -> Value:
    known = math.prod(int(it) for it in x.shape if not isinstance(it, Extent))
    rows = [it for it in x.shape if isinstance(it, Extent)]
    if len(rows) > 1:
        at.refuse("the size of an array with several row counts")
    return np.int64(known) if not rows else at.walk.lengths((rows[0],))[0] * known


@op("Concat")
def concat(at: Call, *parts: Value) -> Array:
    like = next(it for it in parts if isinstance(it, Array))
    axis = int(at.attr("axis", 1))
    return xp.concat([array(at, it, like) for it in parts], axis=axis)


@op("Split", public=(1,))
def split(at: Call, x: Array, sizes: Value = None) -> list[Array]:
    axis = int(at.attr("axis", 0)) % x.ndim
    given = at.ints("split", 1)
    if given is None:
        many = int(at.attr("num_outputs", len(at.outputs)))
        whole = length(x, axis)
        part = -(-whole // many)
        given = [min(part, whole - i * part) for i in range(many)]
    found, start = [], 0
    for it in given:
        found.append(xp._part(x, axis, start, it))
        start += it
    return found


@op("DepthToSpace")
def depth_to_space(at: Call, x: Array) -> Array:
    n, _, h, w = x.shape
    size = int(at.attr("blocksize"))
    inner = length(x, 1) // size**2
    if at.attr("mode", "DCR") == "DCR":
        x = xp.permute_dims(xp.reshape(x, (n, size, size, inner, h, w)), (0, 3, 4, 1, 5, 2))
    else:
        x = xp.permute_dims(xp.reshape(x, (n, inner, size, size, h, w)), (0, 1, 4, 2, 5, 3))
    return xp.reshape(x, (n, inner, h * size, w * size))


@op("SpaceToDepth")
def space_to_depth(at: Call, x: Array) -> Array:
    n, c = x.shape[:2]
    size = int(at.attr("blocksize"))
    h, w = length(x, 2) // size, length(x, 3) // size
    order = (0, 3, 5, 1, 2, 4) if at.attr("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    x = xp.permute_dims(xp.reshape(x, (n, c, h, size, w, size)), order)
    return xp.reshape(x, (n, length(x, 1) * length(x, 2) * length(x, 3), h, w))


@op("Pad", public=(1, 2, 3))
def pad(at: Call, x: Array, *_: Value) -> Array:
    amounts = at.ints("pads", 1) or []
    fill = at.operand(2) if at.operand(2) is not None else at.attr("value", 0.0)
    given = at.ints("axes", 3)
    axes = [it % x.ndim for it in given] if given is not None else list(range(x.ndim))
    return padded(at, x, axes, amounts, at.attr("mode", "constant"), np.asarray(fill))


def padded(at: Call, x: Array, axes: list[int], amounts: list[int], mode: str, fill: np.ndarray[Any, Any]) -> Array:
    """An array with elements added, or taken away, before and behind axes."""
    for place, axis in enumerate(axes):
        before, behind = amounts[place], amounts[place + len(axes)]
        if before == behind == 0:
            continue
        whole = length(x, axis)
        if mode != "constant":
            if before < 0 or behind < 0:
                at.refuse(f"negative padding with mode {mode}")
            x = xp.take(x, np.pad(np.arange(whole), (before, behind), mode=_MODES[mode]), axis=axis)  # type: ignore[call-overload]
            continue
        cut = max(-before, 0), whole - max(-behind, 0)
        x = xp._part(x, axis, cut[0], max(cut[1] - cut[0], 0))
        value = fill.reshape(-1)[0] if x._node.kind != "bit" else np.bool_(fill.reshape(-1)[0])
        one = constant(at.arena, value if x._node.kind != "fixed" else np.float64(value), x._node.fraction)
        shape = kept(x, [])
        ends = [xp.broadcast_to(one, [many if i == axis else it for i, it in enumerate(shape)]) for many in (before, behind) if many > 0]
        parts = ([ends.pop(0)] if before > 0 else []) + [x] + ends
        x = xp.concat(parts, axis=axis) if len(parts) > 1 else x
    return x


_MODES = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}
