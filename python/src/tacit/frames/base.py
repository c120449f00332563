"""What operations on frames are made with, and what frames are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from .._place import here
from .._show import as_html, instead, listing, paragraph
from ..array import Arena
from ..errors import ProgramError, SecretError, fail
from . import tables, text
from .bind import AND, Bound
from .block import Block, Key, Writer, within
from .expr import Aggregate, Expr, Over, column_of
from .tables import Settings, Table
from .text import Place, Sql, lowered
from .walk import names

if TYPE_CHECKING:
    from typing_extensions import Self

_NOTHING_YET = "nothing is computed before a job runs: tc.job(name, table=frame.reveal(to=...)).run(data).table is the answer"
_ABSENT = {
    **dict.fromkeys(
        ("collect", "fetch", "lazy", "to_pandas", "to_polars", "to_arrow", "to_dict", "rows", "item", "write_csv"), _NOTHING_YET
    ),
    **dict.fromkeys(
        ("describe", "shape", "height", "is_empty", "null_count"), "what rows hold is not known: reveal the statistics that you ask for"
    ),
    **dict.fromkeys(("explode", "unpivot", "melt", "pivot", "transpose"), "rows are not turned into columns: group by several columns"),
    "groupby": "it is called group_by",
    "agg": "group_by(...).agg(...) is of groups, select(...) of aggregates alone of all rows",
    "where": "it is called filter",
    "tail": "sort the other way, and take head(k)",
    "slice": "sort, and take head(k)",
    "vstack": "tc.concat([a, b]) puts frames one after the other",
    "union": "tc.concat([a, b]) puts frames one after the other",
    "drop_nulls": "filter(tc.col.x.is_not_null()) says which column must be there",
    "with_row_count": "it is called with_row_index",
    "bottom_k": "sort(by).head(k) says it",
    "len": "select(tc.len()) counts the rows",
    "count": "select(tc.len()) counts the rows",
    "sql": "to_sql() is its text; a query of your own goes to tc.sql",
}


@dataclass(frozen=True)
class Said:
    """A number of rows that is one for a whole query, and where it was said."""

    rows: int
    place: Place

    def same(self, other: Said, what: str, place: Place) -> None:
        """Refuses two numbers."""
        if other.rows != self.rows:
            (file, line), _ = self.place
            fail(ProgramError, f"{what} is {self.rows} already, of {file}:{line}: there is one number for a whole query", *place)


class FrameBase:
    """What all operations on frames are made with."""

    __slots__ = ("_arena", "_block", "_grouped", "_keys", "_lost", "_matches", "_order", "_suppressed", "_tables")

    def __init__(self, arena: Arena, block: Block, tables: tuple[Table, ...]) -> None:
        self._arena, self._block, self._tables = arena, block, tables
        # The order of the rows, and the column of it that is there no more.
        self._order: tuple[Key, ...] = ()
        self._lost: str | None = None
        # Sets of columns of which no two rows have equal values.
        self._keys: frozenset[frozenset[str]] = frozenset()
        # Whether its rows are groups, and which of them are not shown.
        self._grouped = False
        self._suppressed: Said | None = None
        # How many rows a row matches in joins where neither side has each key once.
        self._matches: Said | None = None

    # What it is.

    @property
    def columns(self) -> list[str]:
        """Names of its columns."""
        return list(self._block.columns)

    @property
    def schema(self) -> dict[str, str]:
        """What its columns hold, by their names."""
        return {name: str(bound.kind) for name, bound in self._block.columns.items()}

    def to_sql(self) -> str:
        """The query as SQL. A job adds who learns the answer: `job.sql` is what parties agree to."""
        place = here()
        return str(self._whole(Settings(), place))

    def _query(self) -> Sql:
        return Writer(self._tables).query(self._block, () if self._lost else self._order)

    def _whole(self, settings: Settings, place: Place, fraction: int | None = None) -> Sql:
        settings = replace(
            settings,
            fraction=tables.fraction_of(self._tables, fraction, place),
            min_rows=None if self._suppressed is None else self._suppressed.rows,
            max_matches=None if self._matches is None else self._matches.rows,
        )
        return tables.whole(self._tables, self._arena.parties, self._query(), settings, place)

    def _described(self) -> str:
        return ", ".join(f"{name}: {kind}" for name, kind in self.schema.items())

    def __repr__(self) -> str:
        query = "\n".join(f"    {line}" for line in str(self._query()).splitlines())
        return f"Frame of {self._described()}; nothing is computed before a job runs\n{query}"

    def _repr_html_(self) -> str:
        shown = as_html(["column", "values"], [[name, kind] for name, kind in self.schema.items()])
        return f"{shown}{paragraph('nothing is computed before a job runs')}{listing(str(self._query()))}"

    # What it is not.

    def __bool__(self) -> bool:
        _secret("whether a frame has rows is not known while the query is written: select(tc.len()) counts them")

    def __len__(self) -> int:
        _secret("the number of rows is not known while the query is written: select(tc.len()) counts them")

    def __iter__(self) -> Iterator[NoReturn]:
        _secret("a frame is not gone through: frame.columns are the names of its columns")

    def __getitem__(self, item: object) -> NoReturn:
        if isinstance(item, str):
            _secret(f"a frame has no data: tc.col({item!r}) is the column, in filter, with_columns, select and the like")
        _secret("rows have no places: use filter, or sort(...).head(k)")

    def __setitem__(self, item: object, value: object) -> NoReturn:
        _secret(f"a frame does not change: with_columns(**{{{item!r}: ...}}) makes another one")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            (file, line), _ = here()
            way = _ABSENT.get(name, "docs/python.md, under Frames, lists the operations there are")
            if name in self._block.columns:
                way = f"the column is tc.col.{name}"
            raise AttributeError(f"{file}:{line}: frames have no {name}: {way}")

    # How another one is made.

    def _with(self, block: Block, **changes: Any) -> Self:
        made = type(self)(self._arena, block, self._tables)
        for name in ("_order", "_lost", "_keys", "_grouped", "_suppressed", "_matches"):
            setattr(made, name, changes.get(name, getattr(self, name)))
        return made

    def _unknown(self, name: Any, place: Place) -> NoReturn:
        if isinstance(name, Expr):
            fail(ProgramError, f"a column is wanted here by its name, and this is {name!r}: make it a column by with_columns first", *place)
        fail(ProgramError, f"there is no column {name!r}: {instead(str(name), self.columns)}", *place)

    def _named(self, given: Any, place: Place) -> list[str]:
        """Names of columns that are there."""
        several = [given] if isinstance(given, (str, Expr)) or not isinstance(given, Iterable) else list(given)
        found = []
        for it in several:
            name = it._given if isinstance(it, Expr) and it._op == "col" and it._name is None else it
            if not isinstance(name, str) or name not in self._block.columns:
                self._unknown(name, place)
            found.append(name)
        return found

    def _for(self, exprs: Iterable[Expr], place: Place) -> Block:
        """The SELECT that expressions can be added to: this one, or one from it."""
        block = self._block
        used = {name for expr in exprs for name in names(expr) if name in block.columns}
        if not block.is_open or any(not block.columns[name].plain for name in used):
            return within(block, place)
        return replace(block, place=place)

    def _has_key(self, columns: Iterable[str]) -> bool:
        given = set(columns)
        return any(key <= given for key in self._keys)

    def _checked(self, columns: Iterable[str], place: Place) -> None:
        seen: dict[str, str] = {}
        for name in columns:
            other = seen.setdefault(lowered(name), name)
            if other != name:
                fail(
                    ProgramError,
                    f"columns {other!r} and {name!r} differ in the case of letters alone, which SQL does not tell apart",
                    *place,
                )

    def _beside(self, block: Block, others: Iterable[Self], place: Place) -> Self:
        """A frame that is made of this one and of others."""
        found, matches = list(self._tables), self._matches
        for other in others:
            if other._arena is not self._arena:
                fail(ProgramError, "these frames are of different sets of parties: one query has one tc.parties(...)", *place)
            if matches is not None and other._matches is not None:
                matches.same(other._matches, "max_matches", place)
            matches = matches or other._matches
            for table in other._tables:
                if table in found:
                    continue
                for it in found:
                    if it.party is table.party and lowered(it.name) == lowered(table.name):
                        fail(ProgramError, f"{table.shown} is described in two ways: describe it once, and use that frame twice", *place)
                found.append(table)
        made = type(self)(self._arena, block, tuple(found))
        made._matches = matches
        return made

    def _not_suppressed(self, why: str, place: Place) -> None:
        if self._suppressed is not None:
            (file, line), _ = self._suppressed.place
            fail(
                ProgramError,
                f"min_rows of {file}:{line} is of the last groups that a query makes, and here {why}: filter(tc.len() >= k) of "
                "a column of counts leaves out groups before",
                *place,
            )


def part(of: Bound) -> Sql:
    """A condition among others, all of which must hold."""
    return of.sql if of.level >= AND else Sql("(", of.sql, ")")


def _secret(what: str) -> NoReturn:
    place, path = here()
    fail(SecretError, what, place, path)


def fixed(expr: Expr) -> list[str]:
    """Columns that have one value in all rows for which a condition holds."""
    if expr._op != "binary":
        return []
    a, b = expr._of
    if expr._given == "AND":
        return fixed(a) + fixed(b)
    pair = {it._op: it for it in (a, b)}
    return [pair["col"]._given] if expr._given == "=" and set(pair) == {"col", "lit"} else []


def numbered(name: str, expr: Expr, made: Bound, new: Mapping[str, str]) -> frozenset[str] | None:
    """The key that the number of rows in partitions makes with what these have in common."""
    keys: tuple[Expr, ...] = ()
    if expr._op == "over" and isinstance(expr._given, Over):
        keys, expr = expr._given.keys, expr._of[0]
    if not isinstance(expr._given, Aggregate) or expr._given.function != "rank" or expr._given.parameter[0] != "ordinal":
        return None
    if made.kind.nullable or any(it._op != "col" or it._given not in new for it in keys):
        return None
    return frozenset({name, *(new[it._given] for it in keys)})


def listed(exprs: Iterable[Any], named: Mapping[str, Any], place: Place) -> list[tuple[str, Expr]]:
    """Expressions with their names."""
    found: list[tuple[str, Expr]] = []
    for it in exprs:
        several = [it] if isinstance(it, (str, Expr)) or not isinstance(it, Iterable) else list(it)
        for one in several:
            expr = column_of(one)
            found.append((expr._called(), expr))
    for name, it in named.items():
        wrong = text.wrong_name(name)
        if wrong is not None:
            fail(ProgramError, wrong, *place)
        found.append((name, column_of(it)))
    seen: set[str] = set()
    for name, _ in found:
        if name in seen:
            fail(ProgramError, f"two columns are called {name!r}: .alias(...) gives one another name", *place)
        seen.add(name)
    return found
