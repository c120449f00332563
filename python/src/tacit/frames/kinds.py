"""What the values of a column are, as far as it is known before a query is read."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._show import instead
from ..types import Bool, Category, Date, Decimal, Fixed, Int, Nullable, Text, Type

Base = Literal["bool", "int", "decimal", "fixed", "date", "category", "string", "text", "null"]

_SHOWN = {
    "bool": "Bool",
    "int": "Int",
    "decimal": "Decimal",
    "fixed": "Fixed",
    "date": "Date",
    "string": "Text",
    "text": "a text",
    "null": "nothing but null",
}
_NUMBERS = ("int", "decimal", "fixed")


@dataclass(frozen=True)
class Kind:
    """What values are.

    Args:
        base: What they are. A text that is written down is one of a category or of a date, depending on what it meets.
        nullable: Whether they may be null.
        scale: Digits behind the point, of decimals.
        names: The members, of categories.
        natural: Whether numbers are known to be never below zero.
        value: What it is, of what is written down.
    """

    base: Base
    nullable: bool = False
    scale: int = 0
    names: tuple[str, ...] = ()
    natural: bool = False
    value: Any = None

    @property
    def is_number(self) -> bool:
        """Whether one can calculate with it."""
        return self.base in _NUMBERS

    def __str__(self) -> str:
        shown = _SHOWN.get(self.base, "")
        if self.base == "decimal":
            shown = f"Decimal with {self.scale} decimals"
        if self.base == "category":
            shown = f"Category({list(self.names)})"
        return f"{shown} or null" if self.nullable and self.base != "null" else shown

    def maybe(self, nullable: bool) -> Kind:
        """The kind of such values, which may be null or not."""
        return replace(self, nullable=nullable)


class Unlike(Exception):
    """Values that have nothing in common: why."""


def kind_of(type: Type) -> Kind:
    """The kind of a column of a type."""
    if isinstance(type, Nullable):
        return kind_of(type.of).maybe(True)
    if isinstance(type, Bool):
        return Kind("bool")
    if isinstance(type, Int):
        return Kind("int", natural=type.lo >= 0)
    if isinstance(type, Decimal):
        return Kind("decimal" if type.decimals else "int", scale=type.decimals, natural=type.bounds()[0] >= 0)
    if isinstance(type, Fixed):
        return Kind("fixed", natural=type.lo >= 0)
    if isinstance(type, Date):
        return Kind("date")
    if isinstance(type, Text):
        return Kind("string")
    if isinstance(type, Category):
        return Kind("category", names=tuple(type.names))
    raise TypeError(f"the type of a column is one such as tc.Int(0, 100), not {type!r}")


def _text_as(text: Kind, other: Kind) -> Kind:
    """A text as a member of a category, or as a date."""
    if other.base == "category":
        if text.value not in other.names:
            raise Unlike(f"{text.value!r} is not in the list of this column: {instead(str(text.value), other.names)}")
        return other.maybe(False)
    if other.base == "string":
        return other.maybe(False)
    if other.base == "date":
        try:
            datetime.date.fromisoformat(text.value)
        except ValueError:
            raise Unlike(f"{text.value!r} is no date: dates are datetime.date(2024, 1, 31), or '2024-01-31'") from None
        return other.maybe(False)
    if other.base == "text":
        raise Unlike(
            f"nothing says which list {text.value!r} and {other.value!r} are of: texts are members of a tc.Category, "
            "and stand beside a column of one"
        )
    raise Unlike(f"{text.value!r} is a text, and what it meets is {other.maybe(False)}")


def common(a: Kind, b: Kind) -> Kind:
    """The kind that values of two kinds have in common."""
    nullable = a.nullable or b.nullable
    if a.base == "null" or b.base == "null":
        return replace(b if a.base == "null" else a, nullable=True, value=None)
    if a.base == "text":
        return _text_as(a, b).maybe(nullable)
    if b.base == "text":
        return _text_as(b, a).maybe(nullable)
    if a.is_number and b.is_number:
        base: Base = "fixed" if "fixed" in (a.base, b.base) else "decimal" if "decimal" in (a.base, b.base) else "int"
        return Kind(base, nullable, max(a.scale, b.scale) if base == "decimal" else 0, natural=a.natural and b.natural)
    if a.base == b.base == "category" and a.names != b.names:
        raise Unlike("these are of different lists, which cannot be compared: give both columns the same tc.Category")
    if a.base != b.base:
        raise Unlike(f"{a.maybe(False)} and {b.maybe(False)} have nothing in common")
    return Kind(a.base, nullable, names=a.names)
