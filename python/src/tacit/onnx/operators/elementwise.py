"""Operators of single elements: arithmetic, comparisons, logic, selection."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import xp
from ...array import Array, call, number, to_fixed
from ...array import divide as quotient
from ..numbers import array, constant, fixed, real, same, times
from ..table import Call, Value, op

# Element types of ONNX.
_FLOATS = {1: 53, 10: 53, 11: 53, 16: 53}
_WHOLE = {2: (0, 8), 3: (1, 8), 4: (0, 16), 5: (1, 16), 6: (1, 32), 7: (1, 64), 12: (0, 32), 13: (0, 64)}
_BOOL, _STRING = 9, 8


@op("Identity")
def same_value(at: Call, x: Value) -> Value:
    at.walk.ordered[at.outputs[0]] = (at.sources[0], None)
    return x


@op("Dropout", public=(1, 2))
def dropout(at: Call, x: Array, *_: Value) -> Value:
    if at.operand(2) is not None and bool(np.asarray(at.operand(2))) and (at.operand(1) is None or float(np.asarray(at.operand(1))) > 0):
        at.refuse("dropout while training")
    if len(at.outputs) < 2:
        return x
    return [x, xp.broadcast_to(constant(at.arena, np.array(True), 0), x.shape)]


def masked(at: Call, x: Array, mask: Value, chosen: Any = True) -> Value:
    """A constant in which minus infinity, as masks of softmax have it, is a number far below all that `x` can be.

    Each row of the mask must leave something: only then softmax gives what it would of infinity, to the last place.
    """
    if isinstance(mask, Array):
        return mask
    given = np.asarray(mask)
    if given.dtype.kind != "f" or not np.isneginf(given).any():
        return mask
    left = np.broadcast_to(~np.isneginf(given) | ~np.asarray(chosen), np.broadcast_shapes(given.shape, np.shape(chosen)))
    if not left.ndim or not left.any(axis=-1).all():
        at.refuse("minus infinity, but in masks that leave something of each row")
    at.walk.far.update(at.outputs)
    low, high = x.range
    return np.where(np.isneginf(given), min(low, 0) - 64.0 - (high - low), given)


@op("Add")
def add(at: Call, a: Value, b: Value) -> Array:
    a, b = (a, masked(at, a, b)) if isinstance(a, Array) else (masked(at, b, a), b)
    x, y = same(at, a, b)
    return x + y


@op("Sub")
def subtract(at: Call, a: Value, b: Value) -> Array:
    x, y = same(at, a, b)
    return x - y


@op("Mul")
def multiply(at: Call, a: Value, b: Value) -> Array:
    if not isinstance(b, Array):
        return times(at, a, np.asarray(b))
    if not isinstance(a, Array):
        return times(at, b, np.asarray(a))
    return a * b


@op("Div")
def divide(at: Call, a: Value, b: Value) -> Array:
    if not fixed(a) and not fixed(b):
        return _whole_quotient(at, a, b)
    if not isinstance(b, Array):
        divisor = np.asarray(b, dtype=np.float64)
        if (divisor == 0).any():
            at.refuse("a division by the constant zero")
        return times(at, a, 1 / divisor)
    a, b = same(at, a, b)
    return quotient(a, b)


def _whole_quotient(at: Call, a: Value, b: Value) -> Array:
    """Whole numbers are rounded towards zero."""
    a, b = (number(it) for it in same(at, a, b))
    if a.range[0] >= 0 and b.range[0] >= 0:
        return xp.floor_divide(a, b)
    found = xp.floor_divide(abs(a), abs(b))
    return xp.where((a < 0) ^ (b < 0), -found, found)


@op("Mod")
def remainder(at: Call, a: Value, b: Value) -> Array:
    a, b = same(at, a, b)
    if fixed(a):
        at.refuse("remainders of numbers with fractions")
    if at.attr("fmod", 0):
        rest = number(abs(a)) % number(abs(b))
        return xp.where(a < 0, -rest, rest)
    return number(a) % number(b)


@op("Neg")
def negative(at: Call, x: Array) -> Array:
    return -x


@op("Abs")
def absolute(at: Call, x: Array) -> Array:
    return abs(x)


@op("Sign")
def sign(at: Call, x: Array) -> Array:
    found = xp.sign(x)
    return to_fixed(found, x._node.fraction) if fixed(x) else found


def _whole(x: Array, found: Callable[[Array], Array]) -> Array:
    return to_fixed(found(x), x._node.fraction) if fixed(x) else x


@op("Floor")
def floor(at: Call, x: Array) -> Array:
    return _whole(x, xp.floor)


@op("Ceil")
def ceil(at: Call, x: Array) -> Array:
    return _whole(x, xp.ceil)


@op("Round")
def nearest(at: Call, x: Array) -> Array:
    """The nearest whole number; of two, the even one."""
    if not fixed(x):
        return x
    up = xp.floor(x + constant(at.arena, np.float64(0.5), x._node.fraction))
    half = (to_fixed(up, x._node.fraction) - x) == 0.5
    return to_fixed(up - number(half & (up % 2 == 1)), x._node.fraction)


def _folded(at: Call, values: tuple[Value, ...], combine: Callable[[Any, Any], Any]) -> Array:
    found: Value = values[0]
    for value in values[1:]:
        found = combine(*same(at, found, value))
    return array(at, found)


@op("Max")
def maximum(at: Call, *values: Value) -> Array:
    return _folded(at, values, xp.maximum)


@op("Min")
def minimum(at: Call, *values: Value) -> Array:
    return _folded(at, values, xp.minimum)


@op("Sum")
def total(at: Call, *values: Value) -> Array:
    return _folded(at, values, operator.add)


@op("Mean")
def mean(at: Call, *values: Value) -> Array:
    return times(at, _folded(at, values, operator.add), np.float64(1 / len(values)))


@op("Clip", public=(1, 2))
def clip(at: Call, x: Array, *_: Value) -> Array:
    low, high = (at.operand(i) if at.operand(i) is not None else at.attr(name) for i, name in ((1, "min"), (2, "max")))
    least, most = x.range
    if low is not None and float(low) > least:
        x = xp.maximum(x, array(at, np.asarray(low), x))
    if high is not None and float(high) < most:
        x = xp.minimum(x, array(at, np.asarray(high), x))
    return x


_COMPARE = {
    "Equal": operator.eq,
    "Less": operator.lt,
    "LessOrEqual": operator.le,
    "Greater": operator.gt,
    "GreaterOrEqual": operator.ge,
}


@op(*_COMPARE)
def compare(at: Call, a: Value, b: Value) -> Array:
    a, b = (a, _beyond(at, a, b)) if isinstance(a, Array) else (_beyond(at, b, a), b)
    found: Array = _COMPARE[at.op_type](*same(at, a, b))
    return found


def _beyond(at: Call, x: Array, other: Value) -> Value:
    """A constant to compare with: what no value reaches, infinity too, is a number beyond all of them."""
    if isinstance(other, Array) or not fixed(other):
        return other
    if np.isnan(other).any():
        at.refuse("comparisons with nan")
    low, high = x.range
    return np.clip(np.asarray(other, dtype=np.float64), low - 1, high + 1)


@op("And")
def both(at: Call, a: Value, b: Value) -> Array:
    x, y = same(at, a, b)
    return x & y


@op("Or")
def either(at: Call, a: Value, b: Value) -> Array:
    x, y = same(at, a, b)
    return x | y


@op("Xor")
def one(at: Call, a: Value, b: Value) -> Array:
    x, y = same(at, a, b)
    return x ^ y


@op("Not")
def other(at: Call, x: Array) -> Array:
    return ~x


@op("Where")
def where(at: Call, condition: Value, a: Value, b: Value) -> Array:
    if not isinstance(condition, Array):
        if isinstance(a, Array) and not isinstance(b, Array):
            b = masked(at, a, b, ~condition)
        elif isinstance(b, Array) and not isinstance(a, Array):
            a = masked(at, b, a, condition)
    a, b = same(at, a, b)
    return xp.where(array(at, condition), a, b)


@op("IsNaN", "IsInf")
def never(at: Call, x: Array) -> Array:
    """There is neither in fixed point."""
    return xp.isnan(x)


@op("Cast", "CastLike")
def cast(at: Call, x: Value, like: Value = None) -> Value:
    if at.op_type == "CastLike":
        if not isinstance(x, Array):
            return np.asarray(x, dtype=np.float32) if fixed(like) else np.asarray(x)
        if fixed(like):
            return real(at, x)
        if isinstance(like, Array) and like._node.kind == "bit":
            return x if x._node.kind == "bit" else x != 0
        at.refuse("a cast to whole numbers of a width that is not said")
    to = int(at.attr("to"))
    if to in _FLOATS:
        return real(at, number(x))
    if to == _BOOL:
        return x if x._node.kind == "bit" else x != 0
    if to == _STRING and x._category is not None:
        return x
    if to not in _WHOLE:
        at.refuse("a cast to this element type")
    if x._category is not None:
        at.refuse("texts as numbers")
    signed, bits = _WHOLE[to]
    value = xp.trunc(x) if fixed(x) else number(x)
    low, high = value.range
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    if low < least or high > most:
        at.refuse(f"a cast to {bits} bits of whole numbers that may not fit, {low} to {high}: they would wrap")
    return value


@op("Pow", public=(1,))
def power(at: Call, x: Array, exponent: Value) -> Array:
    wanted = np.unique(np.asarray(exponent, dtype=np.float64))
    if len(wanted) > 8:
        at.refuse("more than eight different exponents in one operand")
    powers = [(it, power(at, x, np.float64(it))) for it in wanted] if len(wanted) > 1 else []
    if powers:
        found: Array = powers[0][1]
        for it, one_of in powers[1:]:
            found = xp.where(constant(at.arena, np.asarray(exponent) == it, 0), *same(at, one_of, found))
        return found
    (given,) = wanted
    if given == 0.5:
        return xp.sqrt(real(at, x))
    whole = int(given)
    if whole != given or not -8 <= whole <= 16:
        at.refuse(f"the exponent {given}: whole numbers from -8 to 16, and 0.5, are supported")
    shape = np.shape(exponent)
    if len(shape) > x.ndim:
        at.refuse("an exponent with more axes than its base")
    if whole < 0:
        return xp.reciprocal(real(at, x) ** -whole, bits=at.precision)
    result = number(x) ** whole
    if whole % 2 == 0 and result.range[0] < 0:
        result = call("max", result, constant(at.arena, np.float64(0) if fixed(result) else np.int64(0), result._node.fraction))
    return result
