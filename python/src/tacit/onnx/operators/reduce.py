"""Operators over axes: sums, extremes, softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import xp
from ...array import Array, Extent, divide, number
from ..numbers import assumed, constant, kept, length, real, times
from ..table import Call, Value, op
from .activations import exponential


def _axes(at: Call, x: Array) -> list[int] | None:
    given = at.ints("axes", 1)
    if not given:
        return None if at.attr("noop_with_empty_axes", 0) else list(range(x.ndim))
    return sorted({it % x.ndim for it in given})


def _over(at: Call, x: Array, name: str) -> Array:
    axes = _axes(at, x)
    if axes is None:
        return x
    keep = bool(at.attr("keepdims", 1))
    found: Array = getattr(xp, name)(x, axis=tuple(axes), keepdims=keep) if axes else x
    return found


def _empty(x: Array, axes: list[int] | None) -> bool:
    return any(x.shape[it] == 0 for it in axes or [])


@op("ReduceSum", public=(1,))
def reduce_sum(at: Call, x: Array, axes: Value = None) -> Array:
    return _over(at, x, "sum")


@op("ReduceMean", public=(1,))
def reduce_mean(at: Call, x: Array, axes: Value = None) -> Array:
    over = _axes(at, x)
    if over is None:
        return x
    return mean(at, real(at, x), over, bool(at.attr("keepdims", 1)))


def mean(at: Call, x: Array, axes: list[int], keepdims: bool) -> Array:
    """The mean over axes."""
    many = 1
    for axis in axes:
        whole = x.shape[axis]
        if isinstance(whole, Extent):
            return xp.mean(x, axis=tuple(axes), keepdims=keepdims, frac=x._node.fraction)
        many *= whole
    if not many:
        at.refuse("the mean of no elements")
    return times(at, xp.sum(x, axis=tuple(axes), keepdims=keepdims), np.float64(1 / many))


@op("ReduceMax", "ReduceMin", "ReduceProd", public=(1,))
def reduce_other(at: Call, x: Array, axes: Value = None) -> Array:
    if _empty(x, _axes(at, x)) and at.op_type != "ReduceProd":
        at.refuse("an extreme of no elements is infinite")
    bits = x._node.kind == "bit"
    found = _over(at, x, {"ReduceMax": "max", "ReduceMin": "min", "ReduceProd": "prod"}[at.op_type])
    return found != 0 if bits else found


@op("ReduceSumSquare", public=(1,))
def reduce_squares(at: Call, x: Array, axes: Value = None) -> Array:
    return _over(at, squares(x), "sum") if _axes(at, x) is not None else squares(x)


def squares(x: Array) -> Array:
    """Products with themselves, which are never negative."""
    return assumed(x * x, 0, max(it * it for it in map(float, x.range)) + 2.0**-x._node.fraction)


@op("ReduceL1", public=(1,))
def reduce_l1(at: Call, x: Array, axes: Value = None) -> Array:
    return _over(at, abs(x), "sum")


@op("ReduceL2", public=(1,))
def reduce_l2(at: Call, x: Array, axes: Value = None) -> Array:
    return xp.sqrt(real(at, _over(at, squares(real(at, x)), "sum")))


@op("ReduceLogSum", public=(1,))
def reduce_log(at: Call, x: Array, axes: Value = None) -> Array:
    if _empty(x, _axes(at, x)):
        at.refuse("the logarithm of zero")
    return xp.log(real(at, _over(at, x, "sum")), bits=at.precision)


@op("ReduceLogSumExp", public=(1,))
def reduce_log_exp(at: Call, x: Array, axes: Value = None) -> Array:
    over = _axes(at, x)
    if over is None or _empty(x, over):
        at.refuse("no axes, or no elements")
    x = real(at, x)
    top = xp.max(x, axis=tuple(over), keepdims=True)
    total = _shares(at, x, top, over)[1]
    found = xp.log(total, bits=at.precision) + top
    return found if at.attr("keepdims", 1) else xp.squeeze(found, tuple(over))


def _shares(at: Call, x: Array, top: Array, axes: list[int]) -> tuple[Array, Array]:
    """Exponentials of distances from the greatest element, and their sum. One of them is 1: bounds follow from that."""
    many = int(np.prod([length(x, axis) for axis in axes]))
    low, high = x.range
    parts = exponential(at, assumed(x - top, low - high - 1, 0))
    slack = many * (8 * 2.0**-x._node.fraction + at.wrong)
    return parts, assumed(xp.sum(parts, axis=tuple(axes), keepdims=True), 1 - slack, many + slack)


def softmax(at: Call, x: Array, axes: list[int]) -> Array:
    """Exponentials as parts of their sum over axes; one reciprocal for each sum."""
    parts, total = _shares(at, x, xp.max(x, axis=tuple(axes), keepdims=True), axes)
    found = parts * xp.reciprocal(total, bits=at.precision)
    # Exponentials of one sum are wrong by their parts at most, and so is the reciprocal.
    return assumed(found, 0, 1 + 8 * 2.0**-x._node.fraction + 4 * at.wrong)


def _softmax_axes(at: Call, x: Array) -> list[int]:
    if at.opset >= 13:
        return [int(at.attr("axis", -1)) % x.ndim]
    # Before version 13 all axes from this one on are one.
    return list(range(int(at.attr("axis", 1)) % x.ndim, x.ndim))


def _ordered_axes(at: Call, x: Array) -> list[int]:
    """The axes of softmax, whose results along a single one are in the order of their operands."""
    axes = _softmax_axes(at, x)
    if len(axes) == 1:
        at.walk.ordered[at.outputs[0]] = (at.sources[0], axes[0])
    return axes


@op("Softmax")
def softmax_op(at: Call, x: Array) -> Array:
    x = real(at, x)
    return softmax(at, x, _ordered_axes(at, x))


@op("LogSoftmax")
def log_softmax(at: Call, x: Array) -> Array:
    x = real(at, x)
    axes = _ordered_axes(at, x)
    top = xp.max(x, axis=tuple(axes), keepdims=True)
    total = _shares(at, x, top, axes)[1]
    return x - top - xp.log(total, bits=at.precision)


@op("Hardmax")
def hardmax(at: Call, x: Array) -> Array:
    axes = _softmax_axes(at, x)
    if len(axes) != 1:
        at.refuse("several axes")
    place = best(at, x, axes[0], least=False, last=False)
    at_each = np.arange(length(x, axes[0])).reshape([-1 if i == axes[0] else 1 for i in range(x.ndim)])
    return real(at, xp.expand_dims(place, axes[0]) == constant(at.arena, at_each, 0))


def best(at: Call, x: Array, axis: int, least: bool, last: bool) -> Array:
    """The place of an axis' extreme, the first or the last one of equal ones: a tournament of pairs, with their places."""
    x = number(x)
    many = length(x, axis)
    if not many:
        at.refuse("the extreme of no elements")
    shape: list[Any] = [many if i == axis else 1 for i in range(x.ndim)]
    places = xp.broadcast_to(constant(at.arena, np.arange(many).reshape(shape), 0), x.shape)
    while many > 1:
        half = many // 2
        (a, b), (p, q) = ([xp._part(it, axis, start, half, 2) for start in (0, 1)] for it in (x, places))
        if least:
            later = b <= a if last else b < a
        else:
            later = b >= a if last else b > a
        won, place = xp.where(later, b, a), xp.where(later, q, p)
        if many % 2:
            won, place = (xp.concat([it, xp._part(of, axis, many - 1, 1)], axis=axis) for it, of in ((won, x), (place, places)))
        x, places, many = won, place, half + many % 2
    return xp.reshape(places, [it for i, it in enumerate(places.shape) if i != axis])


def _origin(at: Call, x: Array, axis: int) -> Array:
    """What `x` was before softmax and its kin, which keep the order: there is no need to compute them."""
    name = at.sources[0]
    while name in at.walk.ordered:
        source, along = at.walk.ordered[name]
        before = at.walk.values.get(source)
        if along not in (None, axis) or not isinstance(before, Array) or before.shape != x.shape:
            break
        name, x = source, before
    at.walk.parents[at.outputs[0]] = [name]
    return x


@op("ArgMax", "ArgMin")
def argument(at: Call, x: Array) -> Array:
    axis = int(at.attr("axis", 0)) % x.ndim
    x = _origin(at, x, axis)
    found = best(at, x, axis, at.op_type == "ArgMin", bool(at.attr("select_last_index", 0)))
    return xp.reshape(found, kept(x, [axis])) if at.attr("keepdims", 1) else found


# The greatest elements that are found, one after the other.
_MOST_TOP = 32


@op("TopK", public=(1,))
def top(at: Call, x: Array, k: Value = None) -> list[Array]:
    """The greatest elements in order, and their places: as many tournaments, each without what was found before."""
    axis = int(at.attr("axis", -1)) % x.ndim
    wanted = at.ints("k", 1) or [0]
    many = length(x, axis)
    if not 0 < wanted[0] <= min(_MOST_TOP, many):
        at.refuse(f"from 1 to {_MOST_TOP} greatest elements of as many at least are found, and not {wanted[0]} of {many}")
    least = not at.attr("largest", 1)
    x = -number(x) if least else number(x)
    lowest = constant(at.arena, np.float64(x.range[0]) if x._node.kind == "fixed" else np.int64(x.range[0]), x._node.fraction)
    left, free = x, None
    at_each = constant(at.arena, np.arange(many).reshape([-1 if i == axis else 1 for i in range(x.ndim)]), 0)
    values, places = [], []
    for _ in range(wanted[0]):
        # Of elements that are equal to the lowest number that there can be, those that are left come first.
        order = left * 2 + number(free) if free is not None and x._node.kind != "fixed" else left
        place = xp.expand_dims(best(at, order, axis, least=False, last=False), axis)
        hit = at_each == place
        values.append(
            xp.sum(
                xp.where(hit, x, constant(at.arena, np.float64(0) if x._node.kind == "fixed" else np.int64(0), x._node.fraction)),
                axis=axis,
                keepdims=True,
            )
        )
        places.append(place)
        free = ~hit if free is None else free & ~hit
        left = xp.where(free, x, lowest - 1 if x._node.kind == "fixed" else lowest)
    value, place = xp.concat(values, axis=axis), xp.concat(places, axis=axis)
    value = assumed(value, *(float(it) for it in x.range)) if x._node.kind == "fixed" else value
    return [-value if least else value, place]


@op("LpNormalization", "ml:Normalizer")
def normalize(at: Call, x: Array) -> Array:
    """Each row divided by its norm; rows of zeros stay."""
    x = real(at, x)
    axis = int(at.attr("axis", -1)) % x.ndim
    norm = at.attr("norm", "MAX" if at.op_type == "Normalizer" else None)
    norm = norm or {1: "L1", 2: "L2"}[int(at.attr("p", 2))]
    if norm == "L2":
        return _by_length(at, x, axis)
    size = xp.max(abs(x), axis=axis, keepdims=True) if norm == "MAX" else xp.sum(abs(x), axis=axis, keepdims=True)
    return assumed(divide(x, size), -1 if x.range[0] < 0 else 0, 1)


def _by_length(at: Call, x: Array, axis: int) -> Array:
    size = xp.sqrt(xp.sum(squares(x), axis=axis, keepdims=True))
    # Roots are rounded down: the quotient may be a little above one, or more where all numbers are small.
    return divide(x, size)
