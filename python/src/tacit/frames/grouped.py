"""Groups of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .._place import here
from ..errors import ProgramError, fail
from .base import listed
from .bind import Binder
from .block import within
from .expr import Expr
from .frame import Columns, Frame


class Groups:
    """Rows that have something in common: `agg` says what is computed of each group."""

    __slots__ = ("_frame", "_keys")

    def __init__(self, frame: Frame, keys: list[tuple[str, Expr]]) -> None:
        self._frame, self._keys = frame, keys

    def agg(self, *aggs: Columns, **named: Any) -> Frame:
        """A row for each group: what its rows have in common, and what is computed of them.

        Args:
            aggs: Aggregates, which have the name of their column unless `alias` says another one.
            named: Aggregates by the names that they get.
        """
        place = here()
        frame = self._frame
        made = listed(aggs, named, place)
        for name, expr in made:
            if name in dict(self._keys):
                fail(
                    ProgramError,
                    f"{name!r} is what rows are grouped by, and is there already: .alias(...) gives it another name",
                    *expr._place,
                )
        block = frame._for([expr for _, expr in (*self._keys, *made)], place)
        if block.windows:
            block = within(block, place)
        rows = Binder(block.columns)
        keys = {name: rows.value(expr) for name, expr in self._keys}
        groups = Binder(block.columns, grouped=True, keyed=True)
        columns = {**keys, **{name: groups.value(expr) for name, expr in made}}
        frame._checked(columns, place)
        block = replace(block, columns=columns, keys=tuple(it.sql for it in keys.values()), hint="grouped")
        return frame._with(block, _order=(), _lost=None, _keys=frozenset({frozenset(keys)}), _grouped=True)

    def __repr__(self) -> str:
        return f"Groups by {', '.join(name for name, _ in self._keys)}: agg(...) computes something of each"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            (file, line), _ = here()
            raise AttributeError(f"{file}:{line}: groups have no {name}: agg(...) computes something of each, such as agg(n=tc.len())")
