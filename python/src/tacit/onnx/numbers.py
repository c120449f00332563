"""Numbers of models in fixed point: constants, and products whose factors keep the digits that matter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._place import here
from ..array import Arena, Array, Extent, call, number, text, to_fixed
from ..errors import RangeError, fail
from ..types import Int
from .table import Call, NotSupported, Value

__all__ = ["array", "assumed", "constant", "dot", "fixed", "kept", "length", "plus", "real", "same", "times", "within"]

# The widest values that a layer may have without being cut; the engine's own end is 64.
WIDEST = 60


def constant(arena: Arena, value: Any, frac: int) -> Array:
    """A constant of the program; of floating-point numbers, the nearest multiples of 2**-frac."""
    given = np.asarray(value)
    place, path = here()
    if given.dtype.name.startswith(("bfloat", "float")):
        given = given.astype(np.float64)
    if given.dtype.kind == "b":
        return Array(arena, arena.front.constant(place, ("bit", 1, 0), list(given.shape), [int(it) for it in given.flat]))
    if given.dtype.kind in "iu":
        raw = [int(it) for it in given.flat]
        kind = Int(min(raw, default=0), max(raw, default=0)).kind()
        return Array(arena, arena.front.constant(place, kind, list(given.shape), raw))
    if given.dtype.kind != "f":
        raise NotSupported(f"constants of type {given.dtype}")
    if not np.isfinite(given).all():
        raise NotSupported("constants that are infinite or nan")
    scaled = np.rint(given.astype(np.float64) * 2.0**frac)
    widest = max(int(np.abs(scaled).max(initial=1)).bit_length() + 1, frac + 2)
    if widest > 64:
        fail(RangeError, f"constants with {frac} bits behind the point that need more than 64 bits", place, path)
    kind = ("fixed", widest, frac)
    return Array(arena, arena.front.constant(place, kind, list(given.shape), [int(it) for it in scaled.flat]))


def array(at: Call, value: Value, like: Array | None = None) -> Array:
    """A value as an array, a constant with as many bits behind the point as another one has."""
    if isinstance(value, Array):
        return value
    frac = like._node.fraction if like is not None and like._node.kind == "fixed" else at.walk.frac
    return constant(at.arena, value, frac)


def real(at: Call, value: Value) -> Array:
    """A value in fixed point."""
    if not isinstance(value, Array):
        return constant(at.arena, np.asarray(value, dtype=np.float64), at.walk.frac)
    return value if value._node.kind == "fixed" else to_fixed(value, at.walk.frac)


def same(at: Call, a: Value, b: Value) -> tuple[Array, Array]:
    """Two operands as arrays, constants with the point of the other one."""
    a, b = (
        array(at, a, b if isinstance(b, Array) else None),
        array(at, b, a if isinstance(a, Array) else None),
    )
    return a, b


def fixed(value: Value) -> bool:
    """Whether these are numbers with fractions."""
    if isinstance(value, Array):
        return value._node.kind == "fixed"
    return bool(np.asarray(value).dtype.kind == "f")


def size(x: Array) -> float:
    """The greatest distance from zero that a value can have."""
    low, high = x.range
    return float(max(abs(low), abs(high)))


def assumed(x: Array, low: float, high: float) -> Array:
    """The same values, within bounds that follow from how they were computed, and that intervals do not show."""
    unit = 2.0**-x._node.fraction
    least, most = x.range
    low, high = max(math.floor(low / unit) * unit, least), min(math.ceil(high / unit) * unit, most)
    if (low, high) == (least, most):
        return x
    return within("assume", x, low, high)


def within(how: str, x: Array, low: float, high: float) -> Array:
    """The same values, with as many bits behind the point, in bounds that are assumed, promised or checked."""
    if how == "promise":
        x._arena.promised.add(here()[0])
    return call("check" if how == "check" else "assume", x, **{"in": (text(low), text(high))})


def _extra(factor: np.ndarray[Any, Any], x: Array, terms: int, top: float) -> int:
    """By how many bits a public factor of few digits is enlarged, so that its rounding counts no more than that of the result."""
    frac = x._node.fraction
    scaled = factor * 2.0**frac
    if np.array_equal(scaled, np.rint(scaled)):
        return 0
    wanted = math.ceil(math.log2(max(size(x), 2.0**-frac)) + math.log2(terms) / 2) + 1
    room = WIDEST - frac - 1 - math.ceil(math.log2(max(top, 2.0**-frac)))
    own = WIDEST - frac - 1 - math.ceil(math.log2(max(float(np.abs(factor).max(initial=0)), 2.0**-frac)))
    return max(0, min(wanted, room, own, frac))


def times(at: Call, x: Array, factor: Any) -> Array:
    """Products with public numbers."""
    if not fixed(x) and np.asarray(factor).dtype.kind != "f":
        return number(x) * constant(at.arena, factor, 0)
    x = real(at, x)
    factor = np.asarray(factor, dtype=np.float64)
    frac = x._node.fraction
    extra = _extra(factor, x, 1, size(x) * float(np.abs(factor).max(initial=0)))
    product = x * constant(at.arena, factor * 2.0**extra, frac)
    return product * constant(at.arena, np.float64(2.0**-extra), frac) if extra else product


def dot(at: Call, x: Array, matrix: np.ndarray[Any, Any]) -> Array:
    """`x @ matrix` with a public matrix. Its interval is that of sums with these very weights."""
    if not fixed(x) and matrix.dtype.kind != "f":
        return number(x) @ constant(at.arena, matrix, 0)
    x = real(at, x)
    matrix = matrix.astype(np.float64)
    frac = x._node.fraction
    low, high = x.range
    ends = np.stack([matrix * low, matrix * high])
    slack = (matrix.shape[0] + 4) * 2.0**-frac * max(1.0, size(x))
    least, most = float(ends.min(axis=0).sum(axis=0).min()) - slack, float(ends.max(axis=0).sum(axis=0).max()) + slack
    loose = float(np.abs(matrix).max(initial=0)) * size(x) * matrix.shape[0]
    extra = _extra(matrix, x, matrix.shape[0], loose)
    product = x @ constant(at.arena, matrix * 2.0**extra, frac)
    if extra:
        product = product * constant(at.arena, np.float64(2.0**-extra), frac)
    return assumed(product, least, most) if most - least < 0.75 * (product.range[1] - product.range[0]) else product


def plus(at: Call, a: Value, b: Value) -> Array:
    """The sum."""
    x, y = same(at, a, b)
    return x + y


def length(x: Array, axis: int) -> int:
    """The length of an axis, which must be known."""
    found = x.shape[axis]
    if isinstance(found, Extent):
        raise NotSupported(f"axis {axis} has {found!r} elements, which is not known before the run")
    return found


def kept(x: Array, axes: list[int]) -> list[Any]:
    """The shape with these axes of length 1."""
    return [1 if axis in axes else it for axis, it in enumerate(x.shape)]


def halved(x: Array) -> Array:
    """Whole numbers below: rounded down, as integers."""
    return call("cast", x, to=("int", 64, 0)) if x._node.kind == "fixed" else number(x)
