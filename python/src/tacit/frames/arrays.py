"""Rows of frames as arrays, which a program goes on with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _tacit, xp
from .._place import here
from .._show import instead
from ..array import Array, Rows
from ..errors import TOO_WIDE, ProgramError, RangeError, fail
from ..types import Bool, Category
from .reveal import of_frames, refused
from .tables import Settings

if TYPE_CHECKING:
    from .frame import Frame

_WAYS = {
    "string": "a text without a list is a number without meaning: drop it",
    "decimal": "arrays have no decimals: cast it to float, or multiply it to a whole number",
}


def to_arrays(frame: Frame, columns: tuple[str, ...]) -> tuple[dict[str, Array], Array]:
    """What `frame.to_arrays(...)` gives."""
    place = here()
    for name in columns:
        if name not in frame._block.columns:
            fail(ProgramError, f"there is no column {name!r}: {instead(str(name), frame._block.columns)}", *place)
    if frame._arena.front.open_loops:
        fail(ProgramError, "the rows of a frame are taken outside of loops: call to_arrays before tc.loop", *place)
    if frame._lost is not None:
        fail(
            ProgramError,
            f"the rows were sorted by {frame._lost!r}, which is replaced or not selected: keep it, or sort by another one",
            *place,
        )
    chosen = frame.select(*columns) if columns else frame
    kinds = {name: bound.kind for name, bound in chosen._block.columns.items()}
    for name, kind in kinds.items():
        if kind.base in _WAYS:
            fail(ProgramError, f"{name!r} is {kind}, and {_WAYS[kind.base]}", *place)
    arena = frame._arena
    source, spans = chosen._whole(Settings(to=(arena.parties[0],)), place).flat()
    try:
        values, there, counts = arena.front.query(place[0], source)
    except _tacit.Mistake as error:
        if error.args[0] == "query.sql":
            refused(frame, error, (source, spans), place)
        fail(RangeError if TOO_WIDE in error.args[2] else ProgramError, of_frames(error.args[2]), *place)
    for name, least, most in counts:
        arena.length(Rows(name, most, least))
    found = {}
    for name, _, node in values:
        names = kinds[name].names
        found[name] = Array(arena, node, Category(list(names)) if names else None, place[0])
    for table in frame._tables:
        arena.suggested.update(f"{table.shown}.{column}" for column, type in table.columns if type.from_data)
    if there is None:
        first = next(iter(found.values()))
        return found, xp._filled(arena, first.shape, True, Bool())
    return found, Array(arena, there, None, place[0])
