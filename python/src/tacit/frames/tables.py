"""Tables that parties give, and the text of a whole query."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..array import Party
from ..errors import ProgramError, fail
from ..types import Bool, Category, Date, Decimal, Fixed, Int, Nullable, Text, Type, days
from . import text
from .text import Place, Sql, identifier, joined, lowered

_FIRST_DAY, _LAST_DAY = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)


@dataclass(frozen=True)
class Table:
    """A table of a party: what its columns may hold, and how many rows it has."""

    party: Party
    name: str
    columns: tuple[tuple[str, Type], ...]
    rows: tuple[int, int]
    unique: tuple[str, ...]
    place: Place = field(compare=False)
    padded: bool = False

    @property
    def shown(self) -> str:
        """`party.table`, for people."""
        return f"{self.party.name}.{self.name}"

    @property
    def described(self) -> tuple[tuple[str, str], ...]:
        """Its columns and their types, as SQL has them: what makes tables equal."""
        return tuple((name, declared(type, name, self.place)) for name, type in self.columns)

    @property
    def full_name(self) -> str:
        """`party.table`, as SQL names it."""
        return f"{identifier(self.party.name)}.{identifier(self.name)}"


def named(name: Any, place: Place) -> None:
    """Refuses names of tables that cannot be."""
    if not isinstance(name, str) or not name or not name.isprintable() or any(it in name for it in "./"):
        fail(ProgramError, f"the name of a table is a text without points and slashes, not {name!r}", *place)


def declared(type: Type, name: str, place: Place) -> str:
    """The type of a column in SQL, with what its values are checked to be."""
    column = identifier(name)
    null = "" if isinstance(type, Nullable) else " NOT NULL"
    of = type.of if isinstance(type, Nullable) else type

    def within(low: str, high: str) -> str:
        return f" CHECK ({column} BETWEEN {low} AND {high})"

    if isinstance(of, Bool):
        return f"BOOLEAN{null}"
    if isinstance(of, Int):
        low, high = of.interval()
        if high >= 2**63:
            fail(ProgramError, f"numbers of column {name!r} need more than 63 bits: tc.Int(0, 2**63 - 1) is the widest", *place)
        word = "INT" if -(2**31) <= low and high < 2**31 else "BIGINT"
        return f"{word}{null}{within(str(low), str(high))}"
    if isinstance(of, Decimal):
        least, most = of.bounds()
        said = "" if of.lo is None and of.hi is None else within(format(least, "f"), format(most, "f"))
        return f"DECIMAL({of.digits}, {of.decimals}){null}{said}"
    if isinstance(of, Fixed):
        if not 1 <= of.frac <= 32:
            fail(ProgramError, f"column {name!r} has {of.frac} bits behind the point: 1 to 32, or tc.Int", *place)
        raw = of.interval()
        return f"DOUBLE{null}" + within(text.bound(Fraction(raw[0], 2**of.frac), False), text.bound(Fraction(raw[1], 2**of.frac), True))
    if isinstance(of, Date):
        first, last = (datetime.date(1970, 1, 1) + datetime.timedelta(days(it)) for it in (of.lo, of.hi))
        if first < _FIRST_DAY or last > _LAST_DAY:
            fail(
                ProgramError, f"dates of column {name!r} are from {_FIRST_DAY} to {_LAST_DAY} in tables, not from {first} to {last}", *place
            )
        return f"DATE{null}" + within(f"'{first}'", f"'{last}'")
    if isinstance(of, Text):
        longest = of.max_chars
        if longest is None:
            return f"TEXT{null}"
        if isinstance(longest, bool) or not isinstance(longest, int) or not 1 <= longest <= 2**20:
            fail(ProgramError, f"texts of column {name!r} have from 1 to {2**20} characters at most, not {longest!r}", *place)
        return f"VARCHAR({longest}){null}"
    if isinstance(of, Category):
        for member in of.names:
            if not member or member != member.strip() or "\n" in member:
                what = "is empty, has spaces around it, or several lines: tables cannot hold it"
                fail(ProgramError, f"member {member!r} of column {name!r} {what}", *place)
        return f"ENUM ({', '.join(map(text.quoted, of.names))}){null}"
    fail(ProgramError, f"the type of column {name!r} is one such as tc.Int(0, 100), not {type!r}", *place)


def checked(columns: Iterable[tuple[str, Type]], place: Place) -> None:
    """Refuses schemas that cannot be."""
    seen: dict[str, str] = {}
    for name, type in columns:
        wrong = text.wrong_name(name)
        if wrong is None and "." in name:
            wrong = f"the name of column {name!r} has a point, which stands between a table and a column: rename it"
        if wrong is not None:
            fail(ProgramError, wrong, *place)
        other = seen.setdefault(lowered(name), name)
        if other != name:
            fail(ProgramError, f"columns {other!r} and {name!r} differ in the case of letters alone, which SQL does not tell apart", *place)
        declared(type, name, place)
    if not seen:
        fail(ProgramError, "a table has columns: tc.Schema(age=tc.Int(0, 120))", *place)


def create(table: Table, before: Sequence[Table]) -> Sql:
    """`CREATE TABLE`."""
    least, most = table.rows

    def same(other: Table) -> bool:
        return lowered(other.name) == lowered(table.name) and (other.described, other.unique) == (table.described, table.unique)

    like = next((it for it in before if same(it)), None)
    head = f"CREATE TABLE {table.full_name} ("
    options = [f"max_rows = {most}", *([f"min_rows = {least}"] if least else []), *(["padded = true"] if table.padded else [])]
    with_rows = f" WITH ({', '.join(options)});"
    # Quotes are not understood there.
    if like is not None and '"' not in like.full_name:
        if (like.rows, like.padded) == (table.rows, table.padded):
            with_rows = ";"
        elif not table.padded:
            with_rows = f" WITH (max_rows = {most}, min_rows = {least}{', padded = false' if like.padded else ''});"
        return Sql(head, f"LIKE {like.full_name})", with_rows, place=table.place)
    lines = [f"    {identifier(name)} {declared(type, name, table.place)}" for name, type in table.columns]
    if table.unique:
        lines.append(f"    UNIQUE ({', '.join(map(identifier, table.unique))})")
    return Sql(head, "\n", ",\n".join(lines), "\n)", with_rows, place=table.place)


@dataclass(frozen=True)
class Settings:
    """What is said of a whole query."""

    name: str | None = None
    max_rows: int | None = None
    min_rows: int | None = None
    max_matches: int | None = None
    fraction: int | None = None
    to: tuple[Party, ...] = ()


def fraction_of(tables: Sequence[Table], said: int | None, place: Place) -> int | None:
    """Bits behind the point: one number for the whole query. None if it is as usual."""
    known = None if said is None else (said, "frac=")
    for table in tables:
        for name, type in table.columns:
            of = type.of if isinstance(type, Nullable) else type
            if isinstance(of, Fixed):
                known = known or (of.frac, f"{table.shown}.{name}")
                if known[0] != of.frac:
                    fail(
                        ProgramError,
                        f"{known[1]} has {known[0]} bits behind the point, and {table.shown}.{name} has {of.frac}: "
                        "there is one number for all that a query computes in fixed point",
                        *place,
                    )
    return None if known is None or known[0] == 16 else known[0]


def whole(tables: Sequence[Table], parties: Sequence[Party], query: Sql, settings: Settings, place: Place) -> Sql:
    """The text of a whole query: tables, settings, who learns the answer, and a SELECT."""
    names = [it.name for it in parties]
    for number, name in enumerate(names):
        if lowered(name) == "public":
            fail(ProgramError, "a party is called 'public', which means all parties in SQL: call it otherwise", *place)
        if not name.isprintable() or "." in name or "/" in name:
            fail(
                ProgramError,
                f"the name of party {name!r} has a point, a slash or characters that are not printed: call it otherwise",
                *place,
            )
        other = next((it for it in names[:number] if lowered(it) == lowered(name)), None)
        if other is not None:
            fail(ProgramError, f"parties {other!r} and {name!r} differ in the case of letters alone, which SQL does not tell apart", *place)
    tables = sorted(tables, key=lambda it: it.party.index)
    owners = {it.party.name for it in tables}
    roles = [name for name in names if name not in owners]
    for name in roles:
        # The case of letters is kept, quotes would be a part of the name.
        if not text.is_plain(lowered(name)):
            fail(
                ProgramError,
                f"party {name!r} gives no table, and SQL cannot say so under this name: letters and digits can stand there",
                *place,
            )
    said = [
        ("name", None if settings.name is None else text.quoted(settings.name)),
        ("fraction", settings.fraction),
        ("min_rows", settings.min_rows),
        ("max_matches", settings.max_matches),
        ("max_rows", settings.max_rows),
    ]
    lines: list[str | Sql] = [f"SET {key} = {value};" for key, value in said if value is not None]
    lines += [create(table, tables[:number]) for number, table in enumerate(tables)]
    lines += [f"CREATE ROLE {name};" for name in roles]
    if settings.to:
        lines.append(f"GRANT SELECT ON result TO {', '.join(identifier(it.name) if it.name in owners else it.name for it in settings.to)};")
    return Sql(joined("\n", lines), "\n\n", query, ";\n", place=place)
