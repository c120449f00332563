"""Where frames come from: tables of parties, and frames that are put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._place import here
from .._show import instead
from ..array import Party
from ..data import Schema
from ..errors import ProgramError, fail
from . import tables
from .bind import ATOM, Bound
from .block import Block, Scan, Union, within
from .frame import Frame
from .kinds import Unlike, common, kind_of
from .tables import Table
from .text import Place, Sql, identifier, lowered


def table(
    party: Party,
    name: str,
    schema: Mapping[str, Any],
    max_rows: int,
    min_rows: int,
    unique: str | Sequence[str] | None,
    pad: bool,
) -> Frame:
    """What `party.table(...)` gives."""
    place = here()
    tables.named(name, place)
    if not isinstance(schema, Mapping):
        fail(ProgramError, f"the schema of {name!r} is one such as tc.Schema(age=tc.Int(0, 120)), not {schema!r}", *place)
    columns = tuple(Schema(schema).items())
    tables.checked(columns, place)
    for given in (max_rows, min_rows):
        if isinstance(given, bool) or not isinstance(given, int):
            fail(ProgramError, f"max_rows and min_rows are numbers of rows, not {given!r}", *place)
    if not 0 <= min_rows <= max_rows or max_rows < 1:
        fail(
            ProgramError, f"a table has at least one row at most, and from min_rows to max_rows, not from {min_rows} to {max_rows}", *place
        )
    if not isinstance(pad, bool) or (pad and min_rows):
        what = "pad is True or False, and a padded table has no min_rows: it counts as max_rows whatever it has"
        fail(ProgramError, what, *place)
    key = () if unique is None else (unique,) if isinstance(unique, str) else tuple(unique)
    for it in key:
        if it not in schema:
            fail(ProgramError, f"there is no column {it!r} that could be unique: {instead(str(it), dict(columns))}", *place)
    if len(set(key)) < len(key):
        fail(ProgramError, "a column is named twice in unique=", *place)
    made = Table(party, name, columns, (min_rows, max_rows), key, place, pad)
    bound = {it: Bound(Sql(identifier(it)), ATOM, kind_of(type), True) for it, type in columns}
    frame = Frame(party.arena, Block(Scan((made,)), bound, place), (made,))
    if key:
        frame._keys = frozenset({frozenset(key)})
    return frame


def concat(frames: Sequence[Frame]) -> Frame:
    """Frames with equal columns, one after the other: the tables of several parties as one."""
    place = here()
    first = frames[0]
    for number, other in enumerate(frames[1:], 1):
        _alike(first, other, number, place)
        other._not_suppressed("groups are put together with others", place)
    first._not_suppressed("groups are put together with others", place)
    if len(frames) == 1:
        return first
    scans = [it._block.source for it in frames if _is_table(it) and isinstance(it._block.source, Scan)]
    own = [table for it in scans for table in it.tables]
    alike = len({(lowered(it.name), it.described) for it in own}) == 1 and len(set(map(id, own))) == len(own)
    if len(scans) == len(frames) and alike and len({it.party.index for it in own}) == len(own):
        return first._beside(Block(Scan(tuple(own)), first._block.columns, place), frames[1:], place)
    blocks = []
    for it in frames:
        block = it._block
        blocks.append(within(block, place) if block.limit is not None or isinstance(block.source, Union) else block)
    columns = {}
    for name in first.columns:
        kind = first._block.columns[name].kind
        for it in frames[1:]:
            kind = common(kind, it._block.columns[name].kind)
        columns[name] = Bound(Sql(identifier(name)), ATOM, kind, True)
    return first._beside(Block(Union(tuple(blocks)), columns, place, hint="united"), frames[1:], place)


def _is_table(frame: Frame) -> bool:
    """Whether it is a table as it stands, or several."""
    block = frame._block
    return isinstance(block.source, Scan) and block.is_bare and frame.columns == [name for name, _ in block.source.tables[0].columns]


def _alike(first: Frame, other: Frame, number: int, place: Place) -> None:
    """Refuses frames whose columns differ, with the first difference."""
    for a, b in zip(first.columns, other.columns, strict=False):
        if a != b:
            fail(
                ProgramError,
                f"frames that are put together have equal columns: the first has {a!r} where number {number + 1} has {b!r}",
                *place,
            )
    if len(first.columns) != len(other.columns):
        counts = f"{len(first.columns)} columns, and number {number + 1} has {len(other.columns)}"
        fail(ProgramError, f"frames that are put together have equal columns: the first has {counts}", *place)
    if _is_table(first) and _is_table(other):
        one, two = first._tables[0], other._tables[0]
        pairs = zip(one.columns, two.columns, one.described, two.described, strict=False)
        differs = next(((name, a, b) for (name, a), (_, b), c, d in pairs if c != d), None)
        if differs is not None:
            column, was, other_type = differs
            fail(
                ProgramError,
                f"tables that are put together have equal columns: {column!r} is {was} in the first, "
                f"and {other_type} in number {number + 1}",
                *place,
            )
    for name in first.columns:
        try:
            common(first._block.columns[name].kind, other._block.columns[name].kind)
        except Unlike as error:
            fail(ProgramError, f"column {name!r} of the first and of number {number + 1} are not put together: {error}", *place)
