"""SELECT statements in the making."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .bind import AND, ATOM, Bound
from .tables import Table
from .text import Place, Sql, identifier, joined, lowered

# The widest line of columns.
_WIDEST = 120


@dataclass(frozen=True)
class Scan:
    """Tables that are equal, one after the other: those of a name that all parties give who give one, or one party's."""

    tables: tuple[Table, ...]


@dataclass(frozen=True)
class Sub:
    """The rows of another SELECT."""

    block: Block


@dataclass(frozen=True)
class Join:
    """Two that are joined."""

    left: Source
    right: Source
    aliases: tuple[str, str]
    word: str
    on: Sql
    place: Place


@dataclass(frozen=True)
class Union:
    """Several, one after the other."""

    blocks: tuple[Block, ...]


Source: TypeAlias = "Scan | Sub | Join | Union"


@dataclass(frozen=True)
class Key:
    """A column that rows are ordered by."""

    name: str
    descending: bool
    nulls_first: bool

    def sql(self) -> str:
        """As it stands behind ORDER BY."""
        return identifier(self.name) + (" DESC" if self.descending else "") + (" NULLS FIRST" if self.nulls_first else "")


@dataclass(frozen=True, eq=False)
class Block:
    """A SELECT.

    Args:
        source: What it is from.
        columns: What it has.
        place: Where the user wrote what was last added to it.
        where: The conditions of WHERE.
        keys: What rows are grouped by; none where they are not grouped.
        windows: Whether a column is of a window.
        qualify: The condition of QUALIFY.
        distinct: Whether rows that are alike are there once.
        order: What the first rows are found by.
        limit: How many rows there are at most.
        hint: What it is called where others are from it.
    """

    source: Source
    columns: Mapping[str, Bound]
    place: Place
    where: tuple[Bound, ...] = ()
    keys: tuple[Sql, ...] | None = None
    windows: bool = False
    qualify: Bound | None = None
    distinct: bool = False
    order: tuple[Key, ...] = ()
    limit: int | None = None
    hint: str = "selected"

    @property
    def is_open(self) -> bool:
        """Whether columns and conditions of rows can still be added."""
        return (
            self.keys is None and self.qualify is None and not self.distinct and self.limit is None and not isinstance(self.source, Union)
        )

    @property
    def is_bare(self) -> bool:
        """Whether it is its source as it stands, with no more columns."""
        same = all(bound.plain and str(bound.sql) == identifier(name) for name, bound in self.columns.items())
        return self.is_open and not self.where and not self.windows and same and not isinstance(self.source, Join)

    def as_source(self) -> Source:
        """It as what another SELECT is from."""
        return self.source if self.is_bare else Sub(self)


def within(block: Block, place: Place) -> Block:
    """A SELECT of all columns of another one."""
    columns = {name: Bound(Sql(identifier(name)), ATOM, bound.kind, True) for name, bound in block.columns.items()}
    return Block(block.as_source(), columns, place)


def base_name(source: Source) -> str:
    """What a source is called in a join."""
    return source.tables[0].name if isinstance(source, Scan) else source.block.hint if isinstance(source, Sub) else "joined"


class Writer:
    """Writes SELECTs: those that others are from are named by WITH."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.tables = tables
        self.names: dict[int, str] = {}
        self.taken = {lowered(it.name) for it in tables}
        self.named: list[Sql] = []

    def query(self, block: Block, order: tuple[Key, ...]) -> Sql:
        """A query, whose rows are in an order."""
        last = self.select(block, order)
        return Sql("WITH ", joined(",\n", self.named), "\n", last) if self.named else last

    def select(self, block: Block, order: tuple[Key, ...] = ()) -> Sql:
        """A SELECT."""
        if isinstance(block.source, Union):
            lines = [joined("\nUNION ALL\n", [self.select(it) for it in block.source.blocks])]
        else:
            lines = [Sql("SELECT", " DISTINCT" if block.distinct else "", self.columns(block)), Sql("FROM ", self.source(block.source))]
        if block.where:
            lines.append(Sql("WHERE ", self.conditions(block.where)))
        if block.keys:
            lines.append(Sql("GROUP BY ", joined(", ", block.keys)))
        if block.qualify is not None:
            lines.append(Sql("QUALIFY ", block.qualify.sql))
        by = block.order if block.limit is not None else order
        if by:
            lines.append(Sql("ORDER BY ", ", ".join(it.sql() for it in by)))
        if block.limit is not None:
            lines.append(Sql(f"LIMIT {block.limit}"))
        return Sql(joined("\n", lines), place=block.place)

    def columns(self, block: Block) -> Sql:
        """What is selected."""
        parts = []
        for name, bound in block.columns.items():
            written = identifier(name)
            own = bound.plain and str(bound.sql).rpartition(".")[2] == written
            parts.append(bound.sql if own else Sql(bound.sql, f" AS {written}"))
        if sum(len(str(it)) + 2 for it in parts) > _WIDEST:
            return Sql("\n    ", joined(",\n    ", parts))
        return Sql(" ", joined(", ", parts))

    def conditions(self, conditions: Sequence[Bound]) -> Sql:
        """What WHERE says: all conditions hold."""
        parts = [it.sql if it.level >= AND else Sql("(", it.sql, ")") for it in conditions]
        wide = sum(len(str(it)) + 5 for it in parts) > _WIDEST
        return joined("\n  AND " if wide else " AND ", parts)

    def source(self, source: Source) -> Sql:
        """What stands behind FROM."""
        if not isinstance(source, Join):
            return Sql(self.factor(source))
        left, right = (self.factor(it, alias) for it, alias in zip((source.left, source.right), source.aliases, strict=True))
        return Sql(left, f"\n{source.word} ", right, " ON ", source.on, place=source.place)

    def factor(self, source: Source, alias: str | None = None) -> str:
        """A table, with another name perhaps."""
        if isinstance(source, Scan) and len(source.tables) == 1:
            name = source.tables[0].full_name
        elif isinstance(source, Scan) and self.is_all(source.tables):
            name = identifier(source.tables[0].name)
        elif isinstance(source, Scan):
            name = self.named_as(source, "united", lambda: self.parts(source))
        elif isinstance(source, Sub):
            block = source.block
            name = self.named_as(block, block.hint, lambda: self.select(block))
        else:
            raise AssertionError("a join or a union stands in a SELECT of its own")
        return name if alias is None or name == identifier(alias) else f"{name} AS {identifier(alias)}"

    def is_all(self, tables: tuple[Table, ...]) -> bool:
        """Whether tables are all of their name, and so may be named together."""
        return {it.party.name for it in tables} == {it.party.name for it in self.tables if lowered(it.name) == lowered(tables[0].name)}

    def parts(self, source: Scan) -> Sql:
        """Tables one after the other, one by one."""
        columns = ", ".join(identifier(name) for name, _ in source.tables[0].columns)
        return Sql("\nUNION ALL\n".join(f"SELECT {columns}\nFROM {it.full_name}" for it in source.tables), place=source.tables[0].place)

    def named_as(self, of: object, hint: str, write: Callable[[], Sql]) -> str:
        """What WITH calls something, which is written when it is asked for the first time."""
        if id(of) not in self.names:
            written = write()
            number, name = 1, hint
            while name in self.taken:
                number += 1
                name = f"{hint}_{number}"
            self.taken.add(name)
            self.names[id(of)] = name
            self.named.append(Sql(name, " AS (\n    ", written.indented(), "\n)"))
        return self.names[id(of)]
