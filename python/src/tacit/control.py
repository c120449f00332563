"""Loops that are operations of the program, and the functions that are written with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from . import _tacit, xp
from ._place import here
from .array import Array, Extent, arena_of, as_constant, call, number, open_loops, to_fixed
from .errors import ProgramError, RangeError, fail, mistake
from .types import Kind, Type

_WAYS = ("check", "clip", "promise")


def loop(trips: int | Extent, body: Callable[..., Any], *carry: Any, keep: Any = None, overflow: str | None = None) -> Any:
    """Repeats `body`, which is given the carried values and the number of the iteration and gives their next ones.

    It is called once, when the program is written: what it does is repeated, not how.

    Args:
        trips: How often: a number, or a row count.
        body: `body(*carry, i)`; `i` is public.
        carry: The values before the first iteration.
        keep: The type of each carried value in every iteration, or one for all; as they begin, unless it is said.
        overflow: What happens to a next value that may leave its type: `"check"` verifies it in the run, `"clip"` cuts it off,
            `"promise"` takes your word; nothing is allowed unless it is said.

    Returns:
        The carried values after the last iteration: a single one, or a tuple.
    """
    place, path = here()
    if overflow not in (None, *_WAYS):
        fail(ProgramError, f"overflow is one of {', '.join(repr(way) for way in _WAYS)}, not {overflow!r}", place, path)
    if not carry:
        fail(ProgramError, "a loop carries values from one iteration to the next: tc.loop(trips, body, start)", place, path)
    arena = arena_of(carry)
    types = _types(keep, len(carry), place, path)
    starts = [_start(as_constant(arena, value), type) for value, type in zip(carry, types, strict=True)]
    kinds = [_kind(start, type) for start, type in zip(starts, types, strict=True)]
    with open_loops(arena):
        try:
            carried = [(start._node, kind, interval) for start, (kind, interval) in zip(starts, kinds, strict=True)]
            values, index = arena.front.open_loop(place, arena.length(trips), carried)
        except _tacit.Mistake as error:
            raise mistake(error, path) from None
        except TypeError:
            fail(ProgramError, "how often a loop runs is a number, or tc.rows(...)", place, path)
        inner = [Array(arena, value, made=place) for value in values]
        result = body(*inner, Array(arena, index, made=place))
        following = list(result) if isinstance(result, (tuple, list)) else [result]
        if len(following) != len(starts):
            fail(ProgramError, f"this loop carries {len(starts)} values, but its body gives {len(following)}", place, path)
        following = [
            _next(as_constant(arena, value), kind, interval, overflow, number)
            for number, (value, (kind, interval)) in enumerate(zip(following, kinds, strict=True))
        ]
        try:
            results = arena.front.close_loop(place, [value._node for value in following])
        except _tacit.Mistake as error:
            raise mistake(error, path) from None
    arrays = [Array(arena, node, made=place) for node in results]
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def _types(keep: Any, count: int, place: tuple[str, int], path: str) -> list[Type | None]:
    types = list(keep) if isinstance(keep, (list, tuple)) else [keep] * count
    if len(types) != count or not all(it is None or isinstance(it, Type) for it in types):
        fail(ProgramError, f"keep is a type, or a list with one for each of the {count} carried values", place, path)
    return types


def _start(value: Array, type: Type | None) -> Array:
    if type is None:
        return value
    kind, _, fraction = type.kind()
    return to_fixed(value, fraction) if kind == "fixed" else value


def _kind(start: Array, type: Type | None) -> tuple[Kind, tuple[int, int]]:
    if type is not None:
        return type.kind(), type.interval()
    node = start._node
    kind: Kind = (node.kind, node.bits, node.fraction)
    if node.kind == "bit":
        return kind, (0, 1)
    if node.kind == "uint":
        return kind, (0, 2**node.bits - 1)
    return kind, (-(2 ** (node.bits - 1)), 2 ** (node.bits - 1) - 1)


def _next(value: Array, kind: Kind, interval: tuple[int, int], overflow: str | None, which: int) -> Array:
    """The next value of a carried one, as its type."""
    if kind[0] == "fixed":
        value = to_fixed(value, kind[2])
    elif kind[0] in ("int", "uint"):
        value = number(value)
        if value._node.kind == "fixed":
            place, path = here()
            fail(ProgramError, f"carried value {which} has fractions, and the loop keeps whole numbers: keep=tc.Fixed(...)", place, path)
    low, high = value._node.interval
    if interval[0] <= low and high <= interval[1]:
        return value
    if overflow is None:
        _may_leave(value, kind, interval, which)
    value = xp.assume_type(value, *interval, overflow)
    node = value._node
    if (node.kind, node.bits) != kind[:2]:
        value = call("cast", value, to=kind)
    return value


def _may_leave(value: Array, kind: Kind, interval: tuple[int, int], which: int) -> NoReturn:
    place, path = here()
    unit = 2 ** kind[2]
    keeps = "..".join(str(bound if unit == 1 else bound / unit) for bound in interval)
    low, high = value.range
    fail(
        RangeError,
        f"carried value {which} may be anything in {low}..{high}, and the loop keeps {keeps}: say what becomes of it, with\n"
        '  overflow="check"    verified; everybody learns whether all checks held\n'
        '  overflow="clip"     cut off; two comparisons in every iteration\n'
        '  overflow="promise"  free, unverified: wrong results where it does not hold',
        place,
        path,
    )


def fold(body: Callable[..., Any], xs: Array, init: Any, *, keep: Any = None, overflow: str | None = None) -> Any:
    """`body(value, x)` for each element or row `x` of an array, from `init`: the last value."""
    return loop(xs.shape[0], lambda value, i: body(value, xs[i]), init, keep=keep, overflow=overflow)


def map(body: Callable[[Array], Array], xs: Array, *, keep: Type) -> Array:
    """`body(x)` of each element or row of an array; `keep` is the type of the results.

    Operations on whole arrays do all elements at once: prefer them where there are some.
    """
    first = xs[0]
    shape = body(first).shape
    start = xp._filled(xs._arena, (xs.shape[0], *shape), 0)
    results: Array = loop(xs.shape[0], lambda out, i: out.at[i].set(body(xs[i])), start, keep=keep)
    return results


def peek(value: Array) -> Any:
    """The value in the clear, on the sample data that inputs were given. For notebooks: nothing is protected."""
    from .job import Job, Reveal

    place, path = here()
    if not isinstance(value, Array):
        fail(ProgramError, "peek shows a value of the program", place, path)
    job = Job("peek", {"value": Reveal.of(value, "all")})
    missing = [name for name in job.input_names if name not in value._arena.samples]
    if missing:
        fail(ProgramError, f"inputs without sample data: {', '.join(missing)}; give them sample=", place, path)
    samples = {name: value._arena.samples[name] for name in job.input_names}
    return job.check(samples).value
