"""Joins."""

from __future__ import annotations

from typing import Any

from .._place import here
from ..errors import ProgramError, fail
from .base import Said
from .bind import ATOM, Bound
from .block import Block, Join, base_name
from .frame import Frame
from .kinds import Unlike, common
from .text import Place, Sql, identifier, joined, lowered

_JOINS = {"inner": "JOIN", "left": "LEFT JOIN", "semi": "SEMI JOIN", "anti": "ANTI JOIN"}
_MOST_MATCHES = 100


def join(frame: Frame, other: Any, given: tuple[Any, Any, Any], how: str, suffix: str, matches: Any) -> Frame:
    """What `frame.join(other, ...)` gives."""
    place = here()
    if not isinstance(other, Frame):
        fail(ProgramError, f"a frame is joined with a frame, not with {type(other).__name__}", *place)
    if how not in _JOINS:
        ways = "outer joins are written as tc.concat of a left join and an anti join" if how in ("full", "outer", "right") else ""
        fail(ProgramError, f'how is "inner", "left", "semi" or "anti", not {how!r}{": " if ways else ""}{ways}', *place)
    on, left_on, right_on = given
    if (on is None) == (left_on is None and right_on is None) or (left_on is None) != (right_on is None):
        fail(ProgramError, "say which columns are equal: on=, or left_on= and right_on=", *place)
    left = frame._named(left_on if on is None else on, place)
    right = other._named(right_on if on is None else on, place)
    if len(left) != len(right) or not left:
        fail(ProgramError, f"there are {len(left)} columns on the left, and {len(right)} on the right", *place)
    if len(set(left)) < len(left) or len(set(right)) < len(right):
        fail(ProgramError, "a column is named twice", *place)
    for it in (frame, other):
        it._not_suppressed("groups are joined", place)
    for one, two in zip(left, right, strict=True):
        try:
            common(frame._block.columns[one].kind, other._block.columns[two].kind)
        except Unlike as error:
            fail(ProgramError, f"{one!r} and {two!r} are not joined: {error}", *place)
    if isinstance(matches, bool) or not isinstance(matches, int) or not 1 <= matches <= _MOST_MATCHES:
        fail(ProgramError, f"max_matches is a number of rows from 1 to {_MOST_MATCHES}, not {matches!r}", *place)
    unique = other._has_key(right) or (how == "inner" and frame._has_key(left))
    several = how in ("inner", "left") and not unique
    if several and matches == 1:
        side = "the right side must have" if how == "left" else "one side must have"
        what = f"{side} each value of {', '.join(right)} once: say unique= of a table that has, take unique({right}) or groups, "
        fail(ProgramError, f"{what}or say max_matches=k, if no more than k rows of the other frame have the same key", *place)
    made = _joined(frame, other, (left, right), how, suffix, place)
    if several:
        said = Said(matches, place)
        if made._matches is not None:
            made._matches.same(said, "max_matches", place)
        made._matches, made._keys = said, frozenset()
    return made


def _joined(frame: Frame, other: Frame, on: tuple[list[str], list[str]], how: str, suffix: str, place: Place) -> Frame:
    sources = (frame._block.as_source(), other._block.as_source())
    first, second = map(base_name, sources)
    aliases = (first, second) if lowered(first) != lowered(second) else ("l", "r")

    def columns_of(of: Frame, alias: str, nullable: bool) -> dict[str, Bound]:
        found = {}
        for name, bound in of._block.columns.items():
            kind = bound.kind.maybe(bound.kind.nullable or nullable)
            found[name] = Bound(Sql(f"{identifier(alias)}.{identifier(name)}"), ATOM, kind, True)
        return found

    left, right = columns_of(frame, aliases[0], False), columns_of(other, aliases[1], how == "left")
    equal = [Sql(left[a].sql, " = ", right[b].sql) for a, b in zip(*on, strict=True)]
    columns = dict(left)
    if how in ("inner", "left"):
        for name, bound in right.items():
            if name in on[1]:
                continue
            called = name if name not in left else f"{name}{suffix}"
            if called in columns:
                fail(ProgramError, f"there would be two columns {called!r}: choose another suffix=", *place)
            columns[called] = bound
    frame._checked(columns, place)
    source = Join(*sources, aliases, _JOINS[how], joined(" AND ", equal), place)
    block = Block(source, columns, place, hint="joined")
    made = frame._beside(block, (other,), place)
    made._keys = frame._keys
    if how == "inner" and not other._has_key(on[1]):
        # Each row of the other frame is there once at most.
        new = {name: name if name not in left else f"{name}{suffix}" for name in right if name not in on[1]}
        made._keys = frozenset(frozenset(new[it] for it in key) for key in other._keys if key <= set(new))
    return made
