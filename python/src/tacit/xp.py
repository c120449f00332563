"""Functions of arrays: a part of the array API standard, with its names and arguments.

Differences, all of them on purpose: types grow instead of wrapping, there is no `nan`, sums of no elements are zero, and a
quotient by zero is zero.
"""

from __future__ import annotations

import builtins
import math
import operator
import sys
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from . import _tacit
from ._place import here
from .array import (
    _DEFAULT_FRACTION,
    _MOST_CONSTANTS,
    Arena,
    Array,
    Extent,
    alike,
    arena_of,
    as_constant,
    as_type,
    binary,
    by_name,
    call,
    call_all,
    current,
    divide,
    domain_of,
    is_fractional,
    logic,
    number,
    place_of,
    same_point,
    text,
)
from .array import (
    floor_divide as floor_divide,
)
from .array import (
    to_fixed as fixed_point,
)
from .errors import ProgramError, RangeError, ShapeError, fail, mistake
from .types import Bool, Category, Int, Type

# Creation.


def full(shape: Any, fill_value: Any, *, dtype: Type | None = None) -> Array:
    """An array of one public number."""
    return _filled(arena_of((fill_value,)), shape, fill_value, dtype)


def _filled(arena: Arena, shape: Any, fill_value: Any, dtype: Type | None = None) -> Array:
    place, path = here()
    if isinstance(fill_value, (Array, Extent)) or np.ndim(fill_value):
        value = as_constant(arena, fill_value)
        return broadcast_to(value if dtype is None else as_type(value, dtype), shape)
    value = as_constant(arena, bool(fill_value) if isinstance(dtype, Bool) else fill_value)
    value = value if dtype is None else as_type(value, dtype)
    low, _ = value._node.interval
    node = value._node
    try:
        kind = (node.kind, node.bits, node.fraction)
        return Array(arena, arena.front.constant(place, kind, arena.shape(shape), [low]))
    except _tacit.Mistake as error:
        raise mistake(error, path) from None


def zeros(shape: Any, *, dtype: Type | None = None) -> Array:
    """An array of zeros."""
    return full(shape, 0, dtype=dtype)


def ones(shape: Any, *, dtype: Type | None = None) -> Array:
    """An array of ones."""
    return full(shape, 1, dtype=dtype)


def full_like(x: Array, fill_value: Any, *, dtype: Type | None = None) -> Array:
    """An array of one public number, of another one's shape."""
    return _filled(arena_of((x, fill_value)), x.shape, fill_value, dtype)


def zeros_like(x: Array, *, dtype: Type | None = None) -> Array:
    """Zeros in another array's shape, bits if that has bits."""
    return _filled(x._arena, x.shape, 0, _bits_of(x) if dtype is None else dtype)


def ones_like(x: Array, *, dtype: Type | None = None) -> Array:
    """Ones in another array's shape, bits if that has bits."""
    return _filled(x._arena, x.shape, 1, _bits_of(x) if dtype is None else dtype)


def _bits_of(x: Array) -> Type | None:
    return Bool() if x._node.kind == "bit" else None


def arange(start: Any, stop: Any = None, step: Any = 1, *, dtype: Type | None = None) -> Array:
    """Numbers from `start` to before `stop`; `arange(n)` of a row count is 0, 1, ... to n - 1."""
    if stop is None:
        start, stop = 0, start
    if isinstance(stop, Extent):
        if isinstance(start, Array) or isinstance(step, Array) or start != 0 or step != 1:
            place, path = here()
            fail(ProgramError, "of a row count, positions are 0, 1, ... to the last one: tc.arange(n) * step + start", place, path)
        value = _places(current(), stop)
        return value if dtype is None else as_type(value, dtype)
    return asarray(np.arange(start, stop, step), dtype=dtype)


def _places(arena: Arena, length: int | Extent) -> Array:
    """0, 1, ... to the last position of an axis."""
    if isinstance(length, int) and length <= _MOST_CONSTANTS:
        return as_constant(arena, np.arange(length))
    place, path = here()
    try:
        return Array(arena, arena.front.call(place, "positions", [], length=arena.length(length)))
    except _tacit.Mistake as error:
        raise mistake(error, path) from None


def eye(n_rows: int, n_cols: int | None = None, *, k: int = 0, dtype: Type | None = None) -> Array:
    """Ones on a diagonal, zeros elsewhere; `k` is the diagonal, from the main one upwards."""
    n_cols = n_rows if n_cols is None else n_cols
    # NumPy takes no diagonal that is far outside.
    k = builtins.max(-n_rows, builtins.min(k, n_cols))
    return asarray(np.eye(n_rows, n_cols, k, dtype=np.int64), dtype=dtype)


def linspace(start: float, stop: float, num: int, *, dtype: Type | None = None, endpoint: bool = True) -> Array:
    """Numbers at equal distances."""
    return asarray(np.linspace(start, stop, num, endpoint=endpoint), dtype=dtype)


def asarray(obj: Any, *, dtype: Type | None = None, copy: bool | None = None) -> Array:
    """Public constants as an array. Arrays are values, which never change: `copy` makes no difference."""
    value = obj if isinstance(obj, Array) else as_constant(current(), obj)
    return value if dtype is None else as_type(value, dtype)


def meshgrid(*arrays: Array, indexing: str = "xy") -> tuple[Array, ...]:
    """Coordinates of a grid, of arrays with one axis: array `i` varies along axis `i`, and the first two axes change places for `"xy"`."""
    place, path = here()
    if indexing not in ("xy", "ij"):
        fail(ProgramError, f'indexing is "xy" or "ij", not {indexing!r}', place, path)
    if any_of(array.ndim != 1 for array in arrays):
        fail(ShapeError, "a grid is of arrays with one axis each", place, path)
    order = list(range(len(arrays)))
    if indexing == "xy":
        order[:2] = order[:2][::-1]
    shape = [arrays[i].shape[0] for i in order]
    axes = [[length if at == i else 1 for at, length in zip(order, shape, strict=True)] for i in range(len(arrays))]
    return tuple(broadcast_to(reshape(array, it), shape) for array, it in zip(arrays, axes, strict=True))


def _diagonals(x: Array) -> Array:
    """How far each element of a matrix lies above the main diagonal."""
    if x.ndim < 2:
        place, path = here()
        fail(ShapeError, "a triangle is of matrices: the last two axes", place, path)
    rows, columns = x.shape[-2:]
    return _places(x._arena, columns) - expand_dims(_places(x._arena, rows), axis=1)


def tril(x: Array, *, k: int = 0) -> Array:
    """Matrices with zeros above diagonal `k`."""
    return where(_diagonals(x) <= k, x, zeros_like(x))


def triu(x: Array, *, k: int = 0) -> Array:
    """Matrices with zeros below diagonal `k`."""
    return where(_diagonals(x) >= k, x, zeros_like(x))


# Element by element.


def add(x1: Any, x2: Any) -> Array:
    """The sum."""
    return binary("+", x1, x2)


def subtract(x1: Any, x2: Any) -> Array:
    """The difference."""
    return binary("-", x1, x2)


def multiply(x1: Any, x2: Any) -> Array:
    """The product."""
    return binary("*", x1, x2)


def remainder(x1: Any, x2: Any) -> Array:
    """What is left of a division of whole numbers; zero where the divisor is zero."""
    return binary("%", x1, x2)


def negative(x: Array) -> Array:
    """The number with its sign changed."""
    return -x


def positive(x: Array) -> Array:
    """The number as it is."""
    return x


def pow(x1: Array, x2: int) -> Array:
    """A power: a public whole number from 0."""
    return x1**x2


def abs(x: Array) -> Array:
    """The distance from zero."""
    return x.__abs__()


def square(x: Array) -> Array:
    """The product with itself."""
    return x * x


def equal(x1: Any, x2: Any) -> Array:
    """Whether two numbers are equal."""
    return binary("==", x1, x2)


def not_equal(x1: Any, x2: Any) -> Array:
    """Whether two numbers differ."""
    return binary("!=", x1, x2)


def less(x1: Any, x2: Any) -> Array:
    """Whether the first is less."""
    return binary("<", x1, x2)


def less_equal(x1: Any, x2: Any) -> Array:
    """Whether the first is at most the second."""
    return binary("<=", x1, x2)


def greater(x1: Any, x2: Any) -> Array:
    """Whether the first is greater."""
    return binary(">", x1, x2)


def greater_equal(x1: Any, x2: Any) -> Array:
    """Whether the first is at least the second."""
    return binary(">=", x1, x2)


def logical_and(x1: Any, x2: Any) -> Array:
    """Both bits."""
    return logic("&", x1, x2)


def logical_or(x1: Any, x2: Any) -> Array:
    """Either bit, or both."""
    return logic("|", x1, x2)


def logical_xor(x1: Any, x2: Any) -> Array:
    """Either bit, not both."""
    return logic("^", x1, x2)


def logical_not(x: Array) -> Array:
    """The other bit."""
    return ~x


def _two(name: str, x1: Any, x2: Any) -> Array:
    if not alike(x1, x2):
        x1, x2 = by_name(*(number(x) if isinstance(x, Array) else x for x in (x1, x2)))
        x1, x2 = same_point(x1, x2)
    result = call(name, x1, x2)
    result._category = None
    return result


def minimum(x1: Any, x2: Any) -> Array:
    """The lesser of two numbers."""
    return _two("min", x1, x2)


def maximum(x1: Any, x2: Any) -> Array:
    """The greater of two numbers."""
    return _two("max", x1, x2)


def sign(x: Array) -> Array:
    """-1, 0 or 1."""
    return number(x > 0) - number(x < 0)


def floor(x: Array) -> Array:
    """The greatest whole number that is not above."""
    return call("cast", x, to=("int", 64, 0)) if x._node.kind == "fixed" else number(x)


def ceil(x: Array) -> Array:
    """The least whole number that is not below."""
    return -floor(-x) if x._node.kind == "fixed" else number(x)


def round(x: Array) -> Array:
    """The nearest whole number, halves upwards."""
    return floor(x + 0.5) if x._node.kind == "fixed" else number(x)


def trunc(x: Array) -> Array:
    """The whole number next to it towards zero."""
    return where(x < 0, ceil(x), floor(x)) if x._node.kind == "fixed" else number(x)


def isfinite(x: Array) -> Array:
    """True everywhere: there is no infinity and no `nan`."""
    return ones_like(x, dtype=Bool())


def isinf(x: Array) -> Array:
    """False everywhere: there is no infinity."""
    return zeros_like(x, dtype=Bool())


def isnan(x: Array) -> Array:
    """False everywhere: there is no `nan`."""
    return zeros_like(x, dtype=Bool())


def _real(name: str, x: Array, bits: int | None = None) -> Array:
    options = {} if bits is None else {"bits": bits}
    return call(name, x if x._node.kind == "fixed" else fixed_point(x, _DEFAULT_FRACTION), **options)


def sqrt(x: Array) -> Array:
    """The square root, rounded down; zero of negative numbers."""
    return _real("sqrt", x)


def exp(x: Array, *, bits: int | None = None) -> Array:
    """Euler's number to this power.

    Args:
        x: The power.
        bits: How many bits of the result are right, 4 to 24, and 24 unless this is said: at most `2**-bits` of it and three units in
            the last place are wrong. Fewer bits mostly take fewer messages.
    """
    return _real("exp", x, bits)


def log(x: Array, *, bits: int | None = None) -> Array:
    """The natural logarithm.

    Args:
        x: A positive number; of others the result is the least one of its range.
        bits: As for `exp`, but at most `2**-bits` and three units in the last place are wrong.
    """
    return _real("log", x, bits)


def sigmoid(x: Array, *, bits: int | None = None) -> Array:
    """1 / (1 + exp(-x)).

    Args:
        x: A number.
        bits: As for `log`.
    """
    return _real("sigmoid", x, bits)


def tanh(x: Array, *, bits: int | None = None) -> Array:
    """The hyperbolic tangent.

    Args:
        x: A number.
        bits: As for `sigmoid`; but six units in the last place may be wrong, and `2**-23` where 24 bits are asked for.
    """
    return _real("tanh", x, bits)


def reciprocal(x: Array, *, bits: int | None = None) -> Array:
    """One divided by the number; zero of zero.

    Args:
        x: A number.
        bits: How many bits of the result are right, 4 to 24: at most `2**-bits` of it and three units in the last place are wrong. Unless
            this is said it is rounded down exactly, which takes about half as many rounds more.
    """
    return _real("reciprocal", x, bits)


def where(condition: Array, x1: Any, x2: Any) -> Array:
    """The first where the bit is one, else the second. Both are computed."""
    if isinstance(condition, Array) and condition._node.kind == "bit" and alike(x1, x2):
        result = call("select", condition, x1, x2)
        result._category = x1._category if x1._category == x2._category else None
        return result
    place, path = here()
    if isinstance(condition, np.ndarray):
        condition = as_constant(arena_of((x1, x2)), condition)
    if not isinstance(condition, Array) or condition._node.kind != "bit":
        fail(ProgramError, "a condition is of truth values: compare first, as in tc.where(x > 3, a, b)", place, path)
    named = [x for x in (x1, x2) if not isinstance(x, str)]
    x1, x2 = by_name(x1, x2)
    x1, x2 = same_point(x1, x2)
    arena = arena_of((condition, x1, x2))
    pair = [x for x in (x1, x2) if isinstance(x, Array)]
    bits = [x for x in pair if x._node.kind == "bit"]
    if pair and len(bits) not in (0, len(pair)):
        x1, x2 = (number(x) if isinstance(x, Array) else x for x in (x1, x2))
    if not pair:
        x1 = as_constant(arena, x1)
        x2 = as_constant(arena, x2, None if is_fractional(x2) else x1)
        x1, x2 = same_point(x1, x2)
        kinds = {x1._node.kind, x2._node.kind}
        if "fixed" in kinds and len(kinds) > 1:
            x1, x2 = (fixed_point(x, _DEFAULT_FRACTION) for x in (x1, x2))
    result = call("select", condition, x1, x2)
    same = len(pair) == len(named) and pair and pair[0]._category == pair[-1]._category
    result._category = pair[0]._category if same else None
    return result


def clip(x: Array, min: Any = None, max: Any = None) -> Array:
    """The number, or the bound that it is beyond: two comparisons.

    Nobody learns whether any number was cut off. The job's `disclosure()` says where it may be.
    """
    if isinstance(x, Array):
        if min is not None or max is not None:
            x._arena.bounded("clip", here()[0], min, max)
        x = number(x)
    if min is not None:
        x = maximum(x, min)
    return x if max is None else minimum(x, max)


def promise(x: Array, lo: Any, hi: Any) -> Array:
    """The same values, promised to lie from `lo` to `hi`.

    **Nothing verifies it in a run**: results are wrong, without a word, where it does not hold. `job.check(data)` does, in
    the clear, on sample data.
    """
    place, _ = here()
    if isinstance(x, Array):
        x._arena.promised.add(place)
        x._arena.bounded("promise", place, lo, hi)
    return _within("assume", x, lo, hi)


def check(x: Array, lo: Any, hi: Any) -> Array:
    """The same values, verified to lie from `lo` to `hi`.

    If any value that a program checks lies outside, the run ends for all parties with `CheckFailed` before anything is
    revealed. Everybody learns that one bit, and nothing about which value it was.

    Go on with what this gives: a job holds what its results are computed from. It does not make a check that nothing is computed from,
    and `UnusedCheck` warns of that.
    """
    place, path = here()
    if isinstance(x, Array) and sys._getframe(1).f_code.co_filename == path:
        x._arena.unchecked[place] = path
    return _within("check", x, lo, hi)


def _within(name: str, x: Array, lo: Any, hi: Any) -> Array:
    place, path = here()
    if not isinstance(x, Array):
        fail(ProgramError, "a range is of an array of the parties", place, path)
    if not builtins.all(isinstance(it, (int, float, Decimal, np.integer, np.floating)) and math.isfinite(float(it)) for it in (lo, hi)):
        fail(ProgramError, "a range is from a public number to another one: infinity and nan are none", place, path)
    fractions = x._node.kind != "fixed" and (is_fractional(lo) or is_fractional(hi))
    x = fixed_point(x, _DEFAULT_FRACTION) if fractions else number(x)
    node = x._node
    if node.kind in ("int", "uint"):
        # What its type does not hold cannot be, and no range may name it.
        least, most = (0, 2**node.bits - 1) if node.kind == "uint" else (-(2 ** (node.bits - 1)), 2 ** (node.bits - 1) - 1)
        if lo <= most and hi >= least:
            lo, hi = builtins.max(lo, least), builtins.min(hi, most)
    result = call(name, x, **{"in": (text(lo), text(hi))})
    return result


def assume_type(x: Array, lo: int, hi: int, how: str) -> Array:
    """Raw values within a range, in one of the three ways."""
    unit = 2**x._node.fraction
    bounds = (lo, hi) if unit == 1 else (lo / unit, hi / unit)
    if how == "clip":
        return clip(x, *bounds)
    return promise(x, *bounds) if how == "promise" else check(x, *bounds)


def isin(x: Array, test_elements: Sequence[Any], *, invert: bool = False) -> Array:
    """Whether an element is one of some public ones, or none of them with `invert`."""
    tests = [x == element for element in test_elements]
    found = _tree(operator.or_, tests) if tests else zeros_like(x, dtype=Bool())
    return ~found if invert else found


def _tree(combine: Any, values: list[Array]) -> Array:
    while len(values) > 1:
        pairs = [combine(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        values = pairs + values[len(values) - len(values) % 2 :]
    return values[0]


def astype(x: Array, dtype: Type, *, copy: bool = True) -> Array:
    """The numbers as another type: rounded down to fewer bits behind the point, if need be. `copy` makes no difference."""
    return as_type(x, dtype)


def to_fixed(x: Array, frac: int = _DEFAULT_FRACTION) -> Array:
    """Numbers with so many bits behind the point, rounded down to fewer if need be."""
    return fixed_point(x, frac)


# Shapes.


def _axes(x: Array, axis: int | tuple[int, ...] | None) -> list[int]:
    """Axes by number, in the order given; all of them for `None`."""
    if axis is None:
        return list(range(x.ndim))
    axes = [_axis(x, it) for it in (axis if isinstance(axis, tuple) else (axis,))]
    if len(set(axes)) != len(axes):
        place, path = here()
        fail(ShapeError, f"an axis is given twice in {axis}", place, path)
    return axes


def _axis(x: Array, axis: int) -> int:
    ndim = x.ndim
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)) or not -ndim <= axis < ndim:
        place, path = here()
        fail(ShapeError, f"there is no axis {axis!r}: the array has {ndim}", place, path)
    return axis % ndim


def reshape(x: Array, shape: Any, *, copy: bool | None = None) -> Array:
    """The elements in another shape of as many; one length may be -1. Arrays never change: `copy` makes no difference."""
    axes = list(shape) if isinstance(shape, (tuple, list)) else [shape]
    if any_of(isinstance(axis, int) and axis == -1 for axis in axes):
        axes = _inferred(x, axes)
    return call("reshape", x, shape=x._arena.shape(axes))


def any_of(items: Any) -> bool:
    """Python's own `any`."""
    return builtins.any(items)


def _inferred(x: Array, axes: list[Any]) -> list[Any]:
    place, path = here()
    at = [i for i, axis in enumerate(axes) if isinstance(axis, int) and axis == -1]
    known = 1
    symbolic = [axis for axis in axes if isinstance(axis, Extent)]
    for axis in axes:
        if isinstance(axis, int) and axis != -1:
            known *= axis
    total = 1
    dims: list[Extent] = []
    for axis in x.shape:
        if isinstance(axis, Extent):
            dims.append(axis)
        else:
            total *= axis
    for axis in symbolic:
        if axis in dims:
            dims.remove(axis)
    fits = len(at) == 1 and known > 0 and len(dims) <= 1 and (total % known == 0)
    if not fits:
        fail(ShapeError, f"the length -1 does not follow from {x.shape} in {tuple(axes)}", place, path)
    rest = total // known
    axes = list(axes)
    axes[at[0]] = dims[0] * rest if dims else rest
    return axes


def broadcast_to(x: Array, shape: Any) -> Array:
    """The array, repeated along new axes and those of length 1."""
    return call("broadcast", x, shape=x._arena.shape(shape))


def permute_dims(x: Array, axes: Sequence[int]) -> Array:
    """Axis `i` of the result is axis `axes[i]`."""
    return call("transpose", x, order=[_axis(x, axis) for axis in axes])


def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Array:
    """Axes `source` at the places `destination`; the others keep their order."""
    moved, places = _axes(x, source), _axes(x, destination)
    if len(moved) != len(places):
        place, path = here()
        fail(ShapeError, "as many axes as places for them", place, path)
    order = [axis for axis in range(x.ndim) if axis not in moved]
    for at, axis in sorted(zip(places, moved, strict=True)):
        order.insert(at, axis)
    return permute_dims(x, order)


def matrix_transpose(x: Array) -> Array:
    """The last two axes exchanged."""
    if x.ndim < 2:
        return x
    order = list(range(x.ndim))
    order[-1], order[-2] = order[-2], order[-1]
    return call("transpose", x, order=order)


def expand_dims(x: Array, axis: int | tuple[int, ...] = 0) -> Array:
    """A new axis of length 1, or several: their places in the result."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    ndim = x.ndim + len(axes)
    new = {operator.index(it) % ndim for it in axes if -ndim <= operator.index(it) < ndim}
    if len(new) != len(axes):
        place, path = here()
        fail(ShapeError, f"a new axis is the 0th to the {ndim - 1}th of the result, each of them once, not {axis}", place, path)
    old = iter(x.shape)
    return reshape(x, [1 if it in new else next(old) for it in range(ndim)])


def squeeze(x: Array, axis: int | tuple[int, ...]) -> Array:
    """Without axes of length 1."""
    gone = _axes(x, axis)
    place, path = here()
    if any_of(x.shape[it] != 1 for it in gone):
        fail(ShapeError, f"only axes of length 1 can go: the shape is {x.shape}", place, path)
    return reshape(x, [length for i, length in enumerate(x.shape) if i not in gone])


def _common(arrays: Sequence[Any]) -> list[Array]:
    """Arrays with one kind of element."""
    arena = arena_of(arrays)
    known = [it for it in arrays if isinstance(it, Array)]
    all_of = [as_constant(arena, it, known[0] if known and not is_fractional(it) else None) for it in arrays]
    kinds = {it._node.kind for it in all_of}
    if "fixed" in kinds:
        fraction = builtins.max(it._node.fraction for it in all_of)
        return [fixed_point(it, fraction) for it in all_of]
    return [number(it) for it in all_of] if "bit" in kinds and len(kinds) > 1 else all_of


def concat(arrays: Sequence[Any], *, axis: int | None = 0) -> Array:
    """Arrays one after the other along an axis."""
    if isinstance(arrays, Array) or not arrays:
        place, path = here()
        fail(ProgramError, "several arrays in a list: tc.concat([a, b])", place, path)
    parts = _common(list(arrays))
    if axis is None:
        parts, axis = [reshape(part, -1) for part in parts], 0
    place, path = here()
    for part in parts:
        if not part.ndim:
            fail(ShapeError, "single numbers have no axis: tc.stack puts them into one", place, path)
    return call("concat", *parts, axis=_axis(parts[0], axis))


def stack(arrays: Sequence[Any], *, axis: int = 0) -> Array:
    """Arrays of one shape along a new axis."""
    return concat([expand_dims(part, axis=axis) for part in _common(list(arrays))], axis=axis)


def unstack(x: Array, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts of an array along an axis, without that axis; the length must be known."""
    axis = _axis(x, axis)
    return tuple(_dropped(_part(x, axis, i, 1), axis) for i in range(_known(x, axis)))


def flip(x: Array, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """The elements of axes, of all unless they are named, in reverse order, whether or not their lengths are known."""
    for it in _axes(x, axis):
        x = call("flip", x, axis=it)
    return x


def roll(x: Array, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> Array:
    """The elements moved along axes, those beyond the end to the beginning; the lengths must be known.

    Without an axis, along the elements of all axes in row-major order.
    """
    if axis is None:
        return reshape(roll(reshape(x, -1), shift, axis=0), x.shape)
    axes = _axes(x, axis)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if len(shifts) != len(axes):
        place, path = here()
        fail(ShapeError, "as many distances as axes", place, path)
    for it, by in zip(axes, shifts, strict=True):
        length = _known(x, it)
        x = take(x, [(i - by) % length for i in range(length)], axis=it)
    return x


def tile(x: Array, repetitions: Sequence[int]) -> Array:
    """The array repeated along its axes."""
    counts = [1] * (x.ndim - len(repetitions)) + list(repetitions)
    while x.ndim < len(counts):
        x = expand_dims(x)
    for axis, count in enumerate(counts):
        x = concat([x] * count, axis=axis) if count > 1 else x
    return x


def repeat(x: Array, repeats: int | Sequence[int], *, axis: int | None = None) -> Array:
    """Each element of an axis several times, one after the other; the length must be known.

    Args:
        x: The array.
        repeats: How many times: a public number, or one for each element.
        axis: The axis; all elements in row-major order without it.
    """
    place, path = here()
    x, axis = _flat(x, axis)
    length = _known(x, axis)
    if isinstance(repeats, Array):
        fail(ProgramError, "how often elements are repeated is public: whole numbers", place, path)
    counts = np.asarray(repeats).ravel()
    if counts.dtype.kind not in "iu" or len(counts) not in (1, length) or any_of(counts < 0):
        fail(ShapeError, f"repeats are one number from 0, or one for each of {length} elements", place, path)
    return take(x, np.repeat(np.arange(length), counts), axis=axis)


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Arrays in one shape."""
    if not arrays:
        return ()
    total = arrays[0]
    for array in arrays[1:]:
        total = zeros_like(total) + zeros_like(array)
    return tuple(broadcast_to(array, total.shape) for array in arrays)


def _known(x: Array, axis: int) -> int:
    length = x.shape[axis]
    if isinstance(length, Extent):
        place, path = here()
        fail(ShapeError, f"the length of axis {axis} must be known, and it is {length!r}, bound when the program runs", place, path)
    return length


# Parts.


def take(x: Any, indices: Any, *, axis: int | None = None) -> Array:
    """Elements at positions of an axis, of the first one unless it is named.

    At public positions, whole numbers in one list, it costs nothing. An array of the parties has positions that nobody sees: each is
    compared with every entry of the axis, and the entries are multiplied with the bits that this gives. What the parties send, and
    how long it takes, is the same for all positions.

    Args:
        x: The array, of the parties or public numbers.
        indices: Public whole numbers, counted from the end where they are negative; or an array of whole numbers of the parties, of any
            shape, counted from the front. With these, the axis has 1 to 256 entries: of a longer table, join frames.
        axis: The axis.

    Returns:
        `x` with the axis replaced by those of `indices`. With positions that nobody sees, it is secret unless all is public, and its
        range is that of the whole table.

    Raises:
        ShapeError: There is no such position, or the length of the axis is not known.
        RangeError: A position that nobody sees may be none of the axis, as far as its range says; or the entries of the axis, added up,
            may need more than 64 bits.
        ProgramError: Positions that are no whole numbers, or too many entries.
    """
    axis = 0 if axis is None else axis
    if isinstance(indices, Array):
        return _looked_up(as_constant(arena_of((x, indices)), x), indices, axis)
    axis = _axis(x, axis)
    given = np.asarray(indices if isinstance(indices, np.ndarray) else list(indices))
    length = x.shape[axis]
    if given.dtype == bool and given.shape == (length,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or (given.dtype.kind not in "iu" and given.size):
        place, path = here()
        fail(ShapeError, "positions are whole numbers in one list, or as many truth values as the axis is long", place, path)
    at = [int(i) for i in given]
    if not isinstance(length, Extent):
        if any_of(not -length <= i < length for i in at):
            place, path = here()
            wrong = next(i for i in at if not -length <= i < length)
            fail(ShapeError, f"there is no position {wrong}: axis {axis} is {length} long", place, path)
        at = [i % length for i in at]
    elif any_of(i < 0 for i in at):
        place, path = here()
        fail(ShapeError, f"of {length!r} rows, positions are from the front: the last one is not known yet", place, path)
    return call("gather", x, axis=axis, at=at)


# The most entries of a table whose positions nobody sees.
_MOST_ENTRIES = 256


def _looked_up(x: Array, index: Array, axis: int) -> Array:
    """Entries at positions that nobody sees: each position as bits, one of which is one, times the table."""
    place, path = here()
    axis = _axis(x, axis)
    entries = _known(x, axis)
    if index._node.kind == "fixed":
        fail(ProgramError, f"positions are whole numbers, and these are {index.dtype}: tc.floor rounds them down", place, path)
    if not 1 <= entries <= _MOST_ENTRIES:
        what = f"a table of {entries} entries is not read at positions that nobody may see: 1 to {_MOST_ENTRIES} are"
        fail(ProgramError, f"{what}. Of a longer one, make a frame, and join it", place, path)
    index = number(index)
    low, high = index._node.interval
    if low < 0 or high >= entries:
        last = entries - 1
        ways = f"tc.clip(i, 0, {last}) cuts off, tc.check(i, 0, {last}) verifies in the run, tc.promise(i, 0, {last}) takes your word"
        fail(RangeError, f"this position may be anything in {low}..{high}, and axis {axis} is from 0 to {last}: {ways}", place, path)
    shape, rest = index.shape, [length for i, length in enumerate(x.shape) if i != axis]
    chosen = expand_dims(index, axis=-1) == _places(x._arena, entries)
    table = x if axis == 0 else moveaxis(x, axis, 0)
    node = x._node
    if node.kind == "fixed":
        # A product would round, which a selection does not.
        bits = reshape(chosen, [*shape, entries, *([1] * len(rest))])
        found = sum(where(bits, table, zeros_like(table)), axis=len(shape))
    else:
        table = number(table)
        flat = table if len(rest) <= 1 else reshape(table, [entries, -1])
        found = number(chosen) @ flat
        found = found if len(rest) <= 1 else reshape(found, [*shape, *rest])
    # One of the bits is one: the sum is one of the entries, and has their range and their type.
    least, most = number(x)._node.interval
    exact = [Decimal(f"{it * 5**node.fraction}E-{node.fraction}") for it in (least, most)]
    found = call("assume", found, **{"in": tuple(text(it) for it in exact)})
    found = binary("!=", found, 0) if node.kind == "bit" else call("cast", found, to=(node.kind, node.bits, node.fraction))
    found._category = x._category
    # The axes of the positions come where the axis was.
    new = len(shape)
    return found if axis == 0 else moveaxis(found, tuple(range(new)), tuple(range(axis, axis + new)))


def take_along_axis(x: Array, indices: Any, *, axis: int = -1) -> Array:
    """Elements at public positions of an axis, other ones for each place along the other axes; lengths must be known.

    Args:
        x: The array.
        indices: Whole numbers in an array with as many axes. The other axes are as long as those of `x`, or of length 1.
        axis: The axis.
    """
    place, path = here()
    if isinstance(indices, Array):
        fail(ProgramError, "positions that nobody may see are not supported: compare and select with tc.where", place, path)
    axis = _axis(x, axis)
    shape = tuple(_known(x, it) for it in range(x.ndim))
    at = np.asarray(indices)
    fits = at.ndim == x.ndim and builtins.all(a in (1, b) for it, (a, b) in enumerate(zip(at.shape, shape, strict=True)) if it != axis)
    if not fits or at.dtype.kind not in "iu":
        fail(ShapeError, f"positions of shape {at.shape} do not go with an array of shape {shape}", place, path)
    length = shape[axis]
    if any_of((at < -length).flat) or any_of((at >= length).flat):
        fail(ShapeError, f"there are positions outside of axis {axis}, which is {length} long", place, path)
    at = np.broadcast_to(at % builtins.max(length, 1), (*shape[:axis], at.shape[axis], *shape[axis + 1 :]))
    found = np.take_along_axis(np.arange(math.prod(shape)).reshape(shape), at, axis=axis)
    return reshape(take(reshape(x, -1), found.ravel()), found.shape)


def indexed(x: Array, index: Any) -> Array:
    """`x[index]`."""
    place, path = here()
    items = list(index) if isinstance(index, tuple) else [index]
    if any_of(isinstance(it, Array) and it._node.kind == "bit" for it in items):
        fail(ProgramError, "how many elements a mask keeps would tell something: use tc.where(mask, x, 0), or sums of it", place, path)
    for it in items:
        if isinstance(it, (bool, np.bool_)):
            fail(ProgramError, f"{it} is no index: whole numbers, slices and lists of them are", place, path)
    lists = [isinstance(it, (list, np.ndarray, range)) for it in items]
    if any_of(lists) and builtins.sum(one or isinstance(it, (int, np.integer, Array)) for one, it in zip(lists, items, strict=True)) > 1:
        message = "a list of positions is the only index that is no slice: x[[0, 2]][:, [1, 3]] takes rows, then columns"
        fail(ProgramError, message, place, path)
    used = builtins.sum(it is not None and it is not Ellipsis for it in items)
    if used > x.ndim:
        fail(ShapeError, f"too many indices: the array has {x.ndim} axes", place, path)
    dots = [i for i, it in enumerate(items) if it is Ellipsis]
    if len(dots) > 1:
        fail(ProgramError, "an index has one `...`", place, path)
    at = dots[0] if dots else len(items)
    items[at : at + 1] = [slice(None)] * (x.ndim - used)
    axis = 0
    for item in items:
        x, axis = _item(x, item, axis, place, path)
    return x


def _item(x: Array, item: Any, axis: int, place: tuple[str, int], path: str) -> tuple[Array, int]:
    """One index of an axis; the next axis."""
    if item is None:
        return expand_dims(x, axis=axis), axis + 1
    if isinstance(item, slice):
        return _sliced(x, item, axis, place, path), axis + 1
    if isinstance(item, Array):
        if item._node.visibility != "public" or item.ndim:
            what = "an index is public: a number, a slice, or the number of a loop's iteration"
            fail(ProgramError, f"{what}; tc.take(x, i) reads short arrays where nobody sees", place, path)
        part = call("slice_at", x, item, axis=axis, length=1)
        return _dropped(part, axis), axis
    if isinstance(item, (list, np.ndarray, range)):
        return take(x, item, axis=axis), axis + 1
    try:
        position = operator.index(item)
    except TypeError:
        fail(ProgramError, f"{item!r} is no index: whole numbers, slices and lists of them are", place, path)
    length = x.shape[axis]
    if position < 0 or (isinstance(length, int) and position >= length):
        return _dropped(take(x, [position], axis=axis), axis), axis
    return _dropped(_part(x, axis, position, 1), axis), axis


def _dropped(x: Array, axis: int) -> Array:
    return reshape(x, [length for i, length in enumerate(x.shape) if i != axis])


def _part(x: Array, axis: int, start: int, length: Any, step: int = 1) -> Array:
    return call("slice", x, axis=axis, start=start, length=x._arena.length(length), step=step)


def _sliced(x: Array, item: slice, axis: int, place: tuple[str, int], path: str) -> Array:
    length = x.shape[axis]
    if item.start is None and item.stop is None and item.step is None:
        return x
    if isinstance(item.start, Array):
        size = None
        if isinstance(item.stop, Array):
            (first, start), (last, stop) = place_of(item.start), place_of(item.stop)
            size = stop - start if first == last else None
        if size is None or item.step not in (None, 1):
            fail(ProgramError, "a slice from a computed place has a known length: x[i : i + 64]", place, path)
        return call("slice_at", x, item.start, axis=axis, length=size)
    if item.start is None and item.stop is None and item.step == -1:
        return flip(x, axis=axis)
    if isinstance(length, Extent):
        if item.stop is None and item.step in (None, 1) and item.start in (None, 0):
            return x
        start, stop, step = item.start or 0, item.stop, item.step or 1
        if not (isinstance(stop, int) and isinstance(start, int) and 0 <= start <= stop and step > 0):
            fail(ShapeError, f"of {length!r} rows, a slice has a start and an end from the front: x[2:10]", place, path)
        return _part(x, axis, start, len(range(start, stop, step)), step)
    chosen = range(length)[item]
    if chosen.step < 0:
        return take(x, chosen, axis=axis)
    return _part(x, axis, chosen.start if len(chosen) else 0, len(chosen), chosen.step)


def _one_kind(x: Array, part: Array) -> tuple[Array, Array]:
    """An array and a part of it in one type: the array's if it holds the part, else one that holds both."""
    a, b = x._node, part._node
    if (a.kind, a.bits) == (b.kind, b.bits):
        return x, part
    kind = (a.kind, builtins.max(a.bits, b.bits), a.fraction)
    if a.kind != "fixed":
        lowest, greatest = (0, 2**a.bits - 1) if a.kind == "uint" else (-(2 ** (a.bits - 1)), 2 ** (a.bits - 1) - 1)
        low, high = (pick(it) for pick, it in zip((builtins.min, builtins.max), zip(a.interval, b.interval, strict=True), strict=True))
        kind = (a.kind, a.bits, 0) if lowest <= low and high <= greatest else Int(low, high).kind()
    return call("cast", x, to=kind), call("cast", part, to=kind)


def updated(x: Array, index: Any, part: Any) -> Array:
    """The array with a part at a public position replaced."""
    place, path = here()
    arena = x._arena
    items = list(index) if isinstance(index, tuple) else [index]
    if len(items) != 1 or not x.ndim:
        fail(ShapeError, "a part is set along the first axis: x.at[i].set(part)", place, path)
    item = items[0]
    part = as_constant(arena, part, None if is_fractional(part) and x._node.kind != "fixed" else x)
    if isinstance(item, slice):
        start, size = item.start or 0, None
        if isinstance(start, int) and isinstance(item.stop, int):
            size = item.stop - start
        if size is None or size < 1 or item.step not in (None, 1):
            fail(ShapeError, "the part of a slice has a known place: x.at[2:5].set(part)", place, path)
        item = start
    else:
        size, part = 1, part if part.ndim == 0 else expand_dims(part, axis=0)
    if part.ndim < x.ndim:
        part = broadcast_to(part, (size, *x.shape[1:]))
    if not isinstance(item, (Array, int, np.integer)) or isinstance(item, bool):
        fail(ProgramError, f"{item!r} is no place: a whole number, a slice, or the number of a loop's iteration", place, path)
    if not isinstance(item, Array):
        length, item = _known(x, 0), operator.index(item)
        if not -length <= item < length:
            fail(ShapeError, f"there is no position {item}: axis 0 is {length} long", place, path)
        item = as_constant(arena, item % length)
    x, part = _one_kind(*_common([x, part]))
    return call("update_at", x, part, item, axis=0)


# Over axes.


def _over(name: str, x: Array, axis: int | tuple[int, ...] | None, keepdims: bool, **options: Any) -> Array:
    axes = sorted(_axes(x, axis), reverse=True)
    shape = x.shape
    for it in axes:
        x = call(name, x, axis=it, **options)
    if keepdims:
        x = reshape(x, [1 if i in axes else length for i, length in enumerate(shape)])
    return x


def sum(x: Array, *, axis: Any = None, dtype: Type | None = None, keepdims: bool = False) -> Array:
    """The sum over axes; of bits, how many are one. `dtype` is the result's type, which grows as need be without it."""
    total = number(_over("sum", x, axis, keepdims))
    return total if dtype is None else as_type(total, dtype)


def prod(x: Array, *, axis: Any = None, dtype: Type | None = None, keepdims: bool = False) -> Array:
    """The product over axes, one of no elements. `dtype` is the result's type, which grows as need be without it."""
    result = _over("product", number(x), axis, keepdims)
    return result if dtype is None else as_type(result, dtype)


def min(x: Array, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The least element over axes."""
    return _over("min", number(x), axis, keepdims)


def max(x: Array, *, axis: Any = None, keepdims: bool = False) -> Array:
    """The greatest element over axes."""
    return _over("max", number(x), axis, keepdims)


def any(x: Array, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether any bit is one."""
    return sum(_as_bits(x), axis=axis, keepdims=keepdims) > 0


def all(x: Array, *, axis: Any = None, keepdims: bool = False) -> Array:
    """Whether all bits are one."""
    return sum(~_as_bits(x), axis=axis, keepdims=keepdims) == 0


def _as_bits(x: Array) -> Array:
    return x if x._node.kind == "bit" else x != 0


def count_nonzero(x: Array, *, axis: Any = None, keepdims: bool = False) -> Array:
    """How many elements are not zero."""
    return sum(_as_bits(x), axis=axis, keepdims=keepdims)


def _flat(x: Array, axis: int | None) -> tuple[Array, int]:
    if axis is not None:
        return x, _axis(x, axis)
    return (x if x.ndim == 1 else reshape(x, -1)), 0


_Axes = int | tuple[int, ...] | None


def _statistic(name: str, x: Array, axis: _Axes, keepdims: bool, where: Array | None, frac: int) -> Array:
    axes, shape = _axes(x, axis), x.shape
    if where is not None and len(axes) > 1:
        where = broadcast_to(as_constant(x._arena, where), shape)
    x, at = number(x), 0
    if len(axes) == 1:
        (at,) = axes
    else:
        # Several axes become one, behind the others.
        others = [it for it in range(x.ndim) if it not in axes]
        x, at = _joined(x, others, axes), len(others)
        where = where if where is None else _joined(where, others, axes)
    result = call(name, *((x,) if where is None else (x, where)), axis=at, fraction=frac)
    return reshape(result, [1 if it in axes else length for it, length in enumerate(shape)]) if keepdims else result


def _joined(x: Array, others: list[int], axes: list[int]) -> Array:
    """The array with some axes as one, behind the others."""
    shape = x.shape
    order = [*others, *axes]
    x = x if order == sorted(order) else permute_dims(x, order)
    lengths = [shape[it] for it in axes]
    joined = -1 if any_of(isinstance(length, Extent) for length in lengths) else math.prod(operator.index(it) for it in lengths)
    return reshape(x, [*(shape[it] for it in others), joined])


def mean(x: Array, *, axis: _Axes = None, keepdims: bool = False, where: Array | None = None, frac: int = _DEFAULT_FRACTION) -> Array:
    """The mean over axes, of all elements or those where a bit is one; zero of none."""
    return _statistic("mean", x, axis, keepdims, where, frac)


def var(x: Array, *, axis: _Axes = None, keepdims: bool = False, where: Array | None = None, frac: int = _DEFAULT_FRACTION) -> Array:
    """The variance of a population over axes; zero of none."""
    return _statistic("variance", x, axis, keepdims, where, frac)


def std(x: Array, *, axis: _Axes = None, keepdims: bool = False, where: Array | None = None, frac: int = _DEFAULT_FRACTION) -> Array:
    """The standard deviation of a population over axes; zero of none."""
    return _statistic("std", x, axis, keepdims, where, frac)


def median(x: Array, *, axis: int | None = None, where: Array | None = None) -> Array:
    """The middle element of an ordered axis; the lower of two."""
    x, axis = _flat(x, axis)
    return call("median", *((x,) if where is None else (x, where)), axis=axis)


def quantile(x: Array, q: Any, *, axis: int | None = None, where: Array | None = None) -> Array:
    """Elements at fractions of an ordered axis."""
    from fractions import Fraction

    x, axis = _flat(x, axis)
    several = isinstance(q, (list, tuple, np.ndarray))
    if not builtins.all(isinstance(it, (int, float, Decimal, np.number)) and 0 <= it <= 1 for it in (q if several else [q])):
        place, path = here()
        fail(ProgramError, "a quantile is a public number from 0 to 1, or a list of them", place, path)
    fractions = [Fraction(text(it)) for it in (q if several else [q])]
    at = [(it.numerator, it.denominator) for it in fractions]
    return call("quantile", *((x,) if where is None else (x, where)), axis=axis, quantiles=(at, several))


def cumulative_sum(
    x: Array, *, axis: int | None = None, dtype: Type | None = None, include_initial: bool = False, reverse: bool = False
) -> Array:
    """Sums of an axis up to each element, itself included.

    Args:
        x: The array.
        axis: The axis; the last one without it.
        dtype: The result's type, which grows as need be without it.
        include_initial: Whether the sum of no elements, zero, comes before.
        reverse: Whether the sums are from each element on, to the end.
    """
    axis = _axis(x, -1 if axis is None else axis)
    sums = call("cumsum", number(x), axis=axis, **({"reverse": True} if reverse else {}))
    if include_initial:
        none = _filled(x._arena, [1 if i == axis else length for i, length in enumerate(x.shape)], 0)
        sums = concat([sums, none] if reverse else [none, sums], axis=axis)
    return sums if dtype is None else as_type(sums, dtype)


def shift(x: Array, by: int, *, axis: int = 0, fill: Any = 0) -> Array:
    """Element `i` is element `i - by` of the axis, or `fill` where there is none."""
    if isinstance(fill, Array) or np.ndim(fill):
        place, path = here()
        fail(ProgramError, "what fills up is one public number", place, path)
    if x._node.kind == "bit" and not is_fractional(fill) and fill in (0, 1):
        fill = bool(fill)
    # Types grow to hold what fills up.
    x, _ = _one_kind(*_common([x, fill]))
    return call("shift", x, axis=_axis(x, axis), by=by, fill=text(fill))


def diff(x: Array, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours; the length must be known.

    Args:
        x: The array.
        axis: The axis.
        n: How many times differences are taken.
        prepend: Values that come before those of the axis.
        append: Values that come after them.
    """
    axis = _axis(x, axis)
    ends = [part for part in (prepend, x, append) if part is not None]
    x = concat(ends, axis=axis) if len(ends) > 1 else x
    for _ in range(n):
        left = builtins.max(_known(x, axis) - 1, 0)
        x = _part(x, axis, 1, left) - _part(x, axis, 0, left) if left else _part(x, axis, 0, 0)
    return x


# Products of arrays.


def matmul(x1: Any, x2: Any) -> Array:
    """Products of matrices and vectors, and of arrays of matrices, with NumPy's rules: all of them take the rounds of one."""
    return binary("@", x1, x2)


def _of_batches(a: Array, b: Array) -> Array | None:
    """The product of what is brought to as many matrices on both sides; nothing if it needs not be, or cannot."""
    if a.ndim == 1:
        return squeeze(binary("@", expand_dims(a, axis=0), b), b.ndim - 2)
    if a.ndim == 2:
        # One matrix beside many: as the factor behind, it stays one.
        return matrix_transpose(binary("@", matrix_transpose(b), matrix_transpose(a)))
    deep = builtins.max(a.ndim, b.ndim) - 2
    heads = [[*([1] * (deep + 2 - it.ndim)), *it.shape[:-2]] for it in (a, b)]
    head = [q if p == 1 else p for p, q in zip(*heads, strict=True)]
    fits = builtins.all(it in (1, want) for own in heads for it, want in zip(own, head, strict=True))
    if not fits or (list(a.shape[:-2]) == head and list(b.shape[:-2]) == head):
        return None
    return binary("@", *(broadcast_to(it, (*head, *it.shape[-2:])) for it in (a, b)))


def vecdot(x1: Any, x2: Any, *, axis: int = -1) -> Array:
    """Sums of products along an axis."""
    return sum(multiply(x1, x2), axis=axis)


def tensordot(x1: Array, x2: Array, *, axes: int = 2) -> Array:
    """Sums of products over the last axes of the first and the first axes of the second."""
    if axes not in (0, 1, 2):
        place, path = here()
        fail(ProgramError, "tensordot is over 0, 1 or 2 axes", place, path)
    if axes == 0:
        left = reshape(x1, [*x1.shape, *([1] * x2.ndim)])
        return left * x2
    if axes == 1:
        if x2.ndim <= 2:
            return binary("@", x1, x2)
        behind = [_known(x2, axis) for axis in range(1, x2.ndim)]
        flat = binary("@", x1, reshape(x2, [x2.shape[0], math.prod(behind)]))
        return reshape(flat, [*x1.shape[:-1], *behind])
    head, tail = x1.shape[:-2], x2.shape[2:]
    inner = _known(x1, x1.ndim - 2) * _known(x1, x1.ndim - 1)
    return binary("@", reshape(x1, [*head, inner]), reshape(x2, [inner, *tail]))


# Order.


def sort(x: Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The elements of an axis in order; lengths must be known if there are more axes."""
    return _sorted(x, None, axis, descending)


def argsort(x: Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The places that the elements of the ordered axis come from. Equal elements keep their order, `stable` or not."""
    return _sorted(x, _places(x._arena, x.shape[_axis(x, axis)]), axis, descending)


def _sorted(x: Array, places: Array | None, axis: int, descending: bool) -> Array:
    """An axis in order, or its places in that order."""
    axis = _axis(x, axis)
    if x.ndim == 1:
        return sort_by(x, *([] if places is None else [places]), descending=descending)[-1]
    *others, length = shape = [_known(x, it) for it in (*(it for it in range(x.ndim) if it != axis), axis)]
    lanes = math.prod(others)
    moved = moveaxis(x, axis, -1)
    column = reshape(moved if places is None else broadcast_to(places, shape), -1)
    if math.prod(shape):
        # All lanes along the axis are sorted at once: a public distance keeps their elements apart.
        low, high = number(x)._node.interval
        apart = (high - low >> x._node.fraction) + 2
        lane = _places(x._arena, lanes)
        lane = lanes - 1 - lane if descending else lane
        keys = reshape(number(moved), (lanes, length)) + expand_dims(lane * apart, axis=1)
        column = sort_by(reshape(keys, -1), column, descending=descending)[1]
    return moveaxis(reshape(column, shape), -1, axis)


def sort_by(key: Array, *columns: Array, descending: bool = False) -> list[Array]:
    """The key and the columns, in the order of the key; rows of equal keys keep their order."""
    results = call_all("sort", [number(key), *columns], descending=descending)
    for result, column in zip(results, (key, *columns), strict=True):
        result._category = column._category
    return results


def top(key: Array, *columns: Array, k: int) -> list[Array]:
    """The rows of the `k` greatest keys, the greatest first."""
    return call_all("top", [number(key), *columns], rows=k)


def _extreme(x: Array, axis: int | None, keepdims: bool, least: bool) -> Array:
    shape = x.shape
    kept = [1 if axis is None or i == _axis(x, axis) else length for i, length in enumerate(shape)]
    x, axis = _flat(number(x), axis)
    if x.ndim == 1:
        place = top(-x if least else x, _places(x._arena, x.shape[0]), k=1)[1][0]
    else:
        # The first place of those where the extreme is.
        length = _known(x, axis)
        best = _over("min" if least else "max", x, axis, True)
        places = reshape(_places(x._arena, length), [length if i == axis else 1 for i in range(x.ndim)])
        place = min(where(x == best, places, length - 1), axis=axis)
    return reshape(place, kept) if keepdims else place


def argmax(x: Array, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The first place of the greatest element."""
    return _extreme(x, axis, keepdims, least=False)


def argmin(x: Array, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The first place of the least element."""
    return _extreme(x, axis, keepdims, least=True)


def searchsorted(x1: Any, x2: Any, *, side: str = "left", sorter: Sequence[int] | None = None) -> Array:
    """How many elements of an ordered array with one axis come before each number: as many comparisons for each.

    Args:
        x1: The ordered array, of the parties or public.
        x2: The numbers.
        side: Whether elements that are equal to a number come after it, `"left"`, or before it, `"right"`.
        sorter: Public positions that bring `x1` into order.
    """
    place, path = here()
    if side not in ("left", "right"):
        fail(ProgramError, f'the side is "left" or "right", not {side!r}', place, path)
    arena = arena_of((x1, x2))
    x1, x2 = as_constant(arena, x1), as_constant(arena, x2)
    if x1.ndim != 1:
        fail(ShapeError, "the ordered array has one axis", place, path)
    x1 = x1 if sorter is None else take(x1, sorter)
    x2 = expand_dims(x2, axis=-1)
    return sum(x2 > x1 if side == "left" else x2 >= x1, axis=-1)


# Groups.


def _groups(by: Any) -> tuple[Array, list[Category]]:
    keys = list(by) if isinstance(by, (list, tuple)) else [by]
    place, path = here()
    for key in keys:
        if not isinstance(key, Array) or key._category is None:
            fail(ProgramError, "groups are the members of a tc.Category: of other keys, give first= and groups=", place, path)
    categories = [key._category for key in keys]
    cell = keys[0]
    arena = cell._arena
    # The number of a combination is computed once, for all statistics of the same keys.
    known = arena.cells.get(tuple(id(key._node) for key in keys)) if not arena.front.open_loops else None
    if known is not None:
        return known[0], categories
    for key, category in zip(keys[1:], categories[1:], strict=True):
        cell = cell * len(category.names) + key
    if not arena.front.open_loops:
        arena.cells[tuple(id(key._node) for key in keys)] = (cell, keys)
    return cell, categories


def _grouped(name: str, by: Any, values: tuple[Any, ...], first: int | None, groups: int | None, **options: Any) -> Array:
    if groups is not None:
        return call(name, by, *values, first=first or 0, groups=groups, **options)
    cell, categories = _groups(by)
    place, _ = here()
    domains = [domain_of(cell._arena, place, category) for category in categories]
    result = call(name, cell, *values, by=domains, **options)
    result._category = None
    return result


def group_count(by: Any, *, where: Array | None = None, first: int | None = None, groups: int | None = None) -> Array:
    """How many rows there are of each group.

    Args:
        by: An array of categories, or a list of several for their combinations; or whole numbers, with `first` and `groups`.
        where: Which rows count.
        first: The least group.
        groups: How many groups there are.
    """
    return _grouped("group_count", by, () if where is None else (where,), first, groups)


def group_sum(x: Array, by: Any, *, where: Array | None = None, first: int | None = None, groups: int | None = None) -> Array:
    """Sums by group: see `group_count`."""
    return _grouped("group_sum", by, (number(x),) if where is None else (number(x), where), first, groups)


def group_mean(
    x: Array, by: Any, *, where: Array | None = None, frac: int = _DEFAULT_FRACTION, first: int | None = None, groups: int | None = None
) -> Array:
    """Means by group, zero of an empty one: see `group_count`."""
    return _grouped("group_mean", by, (x,) if where is None else (x, where), first, groups, fraction=frac)


def group_var(
    x: Array, by: Any, *, where: Array | None = None, frac: int = _DEFAULT_FRACTION, first: int | None = None, groups: int | None = None
) -> Array:
    """Variances by group: see `group_count`."""
    return _grouped("group_variance", by, (x,) if where is None else (x, where), first, groups, fraction=frac)


def group_std(
    x: Array, by: Any, *, where: Array | None = None, frac: int = _DEFAULT_FRACTION, first: int | None = None, groups: int | None = None
) -> Array:
    """Standard deviations by group: see `group_count`."""
    return _grouped("group_std", by, (x,) if where is None else (x, where), first, groups, fraction=frac)


# Names of the standard that are written in other places.
true_divide = divide
__all__ = [name for name in dir() if not name.startswith("_")]
