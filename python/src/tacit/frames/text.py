"""SQL as it is written: texts that know which line of the user's code they come from, names, and literals."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

# File and line as they are shown, and the whole path.
Place = tuple[tuple[str, int], str]

# Words that SQL may read as something else than a name.
_KEYWORDS = frozenset(
    """
    abort absolute action add all alter analyze and anti any application approximate array as asc asof at begin between bigint binary
    bit blob bool boolean both by call cascade case cast ceil ceiling char character check cluster collate column commit connect
    constraint convert copy create cross cube current current_catalog current_date current_role current_schema current_time
    current_timestamp current_user cursor database date datetime dec decimal declare default delete desc describe distinct distribute
    double drop else end enum escape except exclude exec execute exists explain extract false fetch filter first float floor following
    for foreign format from full fulltext function global grant group grouping groups having hour if ignore ilike in index inner insert
    install int int2 int4 int8 integer intersect interval into is isnull join json key kill lambda last lateral leading left like limit
    listen load localtime localtimestamp lock map match match_condition match_recognize materialized merge minus minute natural no not
    notnull null nulls numeric offset on only open option or order outer output over overlaps overlay partition percentile_cont
    percentile_disc pivot position pragma preceding precision prewhere primary prior procedure public qualify range real recursive
    references regexp release rename repeatable replace respect result returning revoke right rlike role rollback rollup row rows
    safe_cast sample savepoint schema second select semi session session_user set settings share show similar smallint some sort spatial
    start string struct substr substring symmetric table tablesample text then time timestamp timestamptz tinyint to top trailing
    transaction treat trim true truncate try_cast try_convert unbounded union unique unknown unload unnest unpivot unsigned update use
    user using uuid vacuum values varchar varying view when where window with within without zone
    """.split()
)
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
# The most decimals of numbers in SQL.
MOST_DECIMALS = 12
_WORD = 2**63


class Span(NamedTuple):
    """Where a part of a text stands, and where it was written in the user's code."""

    start: int
    end: int
    place: Place
    # Whether it is an expression, and not an operation on a frame.
    is_value: bool


class Sql:
    """A text that is made of others."""

    __slots__ = ("is_value", "parts", "place")

    def __init__(self, *parts: str | Sql, place: Place | None = None, is_value: bool = False) -> None:
        self.parts, self.place, self.is_value = parts, place, is_value

    def flat(self) -> tuple[str, list[Span]]:
        """The text, and where its parts were written."""
        texts: list[str] = []
        spans: list[Span] = []
        self._into(texts, spans, 0)
        return "".join(texts), spans

    def _into(self, texts: list[str], spans: list[Span], start: int) -> int:
        end = start
        for part in self.parts:
            if isinstance(part, str):
                texts.append(part)
                end += len(part)
            else:
                end = part._into(texts, spans, end)
        if self.place is not None:
            spans.append(Span(start, end, self.place, self.is_value))
        return end

    def indented(self) -> Sql:
        """With every line further to the right. No text between quotes has several lines."""
        parts = [it.replace("\n", "\n    ") if isinstance(it, str) else it.indented() for it in self.parts]
        return Sql(*parts, place=self.place, is_value=self.is_value)

    def __str__(self) -> str:
        return self.flat()[0]


def joined(separator: str, parts: Iterable[str | Sql]) -> Sql:
    """Texts with another one between them."""
    all: list[str | Sql] = []
    for part in parts:
        all += [separator, part] if all else [part]
    return Sql(*all)


def place_in(text: str, spans: list[Span], line: int, column: int) -> Place | None:
    """The place in the user's code of what stands at a line and column, from 1. Of expressions that begin there, the largest one."""
    lines = text.split("\n")
    if not 1 <= line <= len(lines):
        return None
    at = sum(len(it) + 1 for it in lines[: line - 1]) + max(column, 1) - 1
    around = [it for it in spans if it.start <= at < it.end]
    if not around:
        return None
    begun = [it for it in around if it.is_value and it.start == at]
    if begun:
        return max(begun, key=lambda it: it.end).place
    return min(around, key=lambda it: it.end - it.start).place


def lowered(name: str) -> str:
    """A name as SQL compares it: letters of ASCII in any case are alike."""
    return "".join(chr(ord(it) + 32) if "A" <= it <= "Z" else it for it in name)


def is_plain(name: str) -> bool:
    """Whether a name needs no quotes."""
    return _PLAIN.fullmatch(name) is not None and name not in _KEYWORDS


def identifier(name: str) -> str:
    """A name, in quotes if it needs them."""
    return name if is_plain(name) else '"' + name.replace('"', '""') + '"'


def wrong_name(name: object) -> str | None:
    """What is wrong with the name of a column."""
    if not isinstance(name, str):
        return f"the name of a column is a text, not {type(name).__name__}"
    if not name:
        return "a column has a name that is not empty"
    if not name.isprintable():
        return f"the name {name!r} has characters that are not printed: choose another one"
    return None


def quoted(text: str) -> str:
    """A text, between single quotes."""
    return "'" + text.replace("'", "''") + "'"


def number(value: float | Decimal) -> str:
    """A number as SQL writes it, exactly. `ValueError` says why it cannot be written."""
    if isinstance(value, int):
        if not -_WORD <= value < _WORD:
            raise ValueError(f"{value} needs more than 64 bits")
        return str(int(value))
    if not math.isfinite(value):
        raise ValueError("numbers are finite: write None for what is missing")
    exact = Decimal(float.__repr__(value)) if isinstance(value, float) else value
    text = format(exact, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if len(text.partition(".")[2]) > MOST_DECIMALS:
        raise ValueError(f"{value} has more than {MOST_DECIMALS} decimals: round it, as decimal.Decimal")
    if abs(exact) >= _WORD:
        raise ValueError(f"{value} needs more than 64 bits")
    return "0" if text in ("-0", "") else text


def bound(value: Fraction, up: bool) -> str:
    """A fraction as a number of at most so many decimals, rounded up or down."""
    unit = 10**MOST_DECIMALS
    raw = -((-value.numerator * unit) // value.denominator) if up else value.numerator * unit // value.denominator
    sign, digits = "-" if raw < 0 else "", f"{abs(raw):0{MOST_DECIMALS + 1}d}"
    whole, decimals = digits[:-MOST_DECIMALS], digits[-MOST_DECIMALS:].rstrip("0")
    return sign + whole + (f".{decimals}" if decimals else "")


def is_number(value: Any) -> bool:
    """Whether a value is a number of Python or NumPy, truth values aside."""
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def date(value: datetime.date) -> str:
    """A date."""
    return f"DATE '{value.isoformat()}'"
