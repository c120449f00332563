"""Types of data: what an array's numbers are, and the range that they lie in.

A range is **public**: it is part of the program, and widths of rings, comparisons and sorts follow from it.
"""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

from ._place import marked
from .errors import made_with

Kind = tuple[str, int, int]

__all__ = ["Bool", "Category", "Date", "Decimal", "Fixed", "Int", "Nullable", "Text", "Type"]

_EPOCH = datetime.date(1970, 1, 1)


class Type:
    """The type of an array's elements."""

    # Whether `tc.suggest` took its bounds from data.
    from_data = False

    def kind(self) -> Kind:
        """What the elements are: `bit`, `int`, `uint` or `fixed`; bits; bits behind the point."""
        raise NotImplementedError

    def interval(self) -> tuple[int, int]:
        """The least and the greatest raw value."""
        raise NotImplementedError

    def nullable(self) -> Nullable:
        """Values of this type that may be missing, of columns of tables. Beside an array, give bits that say which are there."""
        return Nullable(self)


def _bounds(lo: Any, hi: Any) -> None:
    for bound in (lo, hi):
        if isinstance(bound, bool) or not isinstance(bound, (int, float, decimal.Decimal, Fraction)):
            raise TypeError(marked(f"a bound is a number, not {type(bound).__name__}"))
        if isinstance(bound, float) and not math.isfinite(bound):
            raise ValueError(marked("a bound is a finite number: a range is what the engine needs to know"))
    if lo > hi:
        raise ValueError(marked(f"the range from {lo} to {hi} is empty: the least value comes first"))


def _signed_bits(lo: int, hi: int) -> int:
    return max((value if value >= 0 else ~value).bit_length() for value in (lo, hi)) + 1


@made_with
@dataclass(frozen=True)
class Bool(Type):
    """Truth values, as bits."""

    def kind(self) -> Kind:
        return ("bit", 1, 0)

    def interval(self) -> tuple[int, int]:
        return (0, 1)

    def __str__(self) -> str:
        return "tc.Bool()"


@made_with
@dataclass(frozen=True)
class Int(Type):
    """Whole numbers from `lo` to `hi`, both included, in the smallest type that holds them.

    Args:
        lo: The least number.
        hi: The greatest number.
        bits: The width, if it is not to be the smallest: 8, 16, 32 or 64.
    """

    lo: int
    hi: int
    bits: int | None = None

    def __post_init__(self) -> None:
        _bounds(self.lo, self.hi)
        if int(self.lo) != self.lo or int(self.hi) != self.hi:
            raise ValueError(marked("bounds of tc.Int are whole numbers; tc.Fixed has fractions"))
        self.kind()

    def kind(self) -> Kind:
        signed = self.lo < 0
        need = _signed_bits(int(self.lo), int(self.hi)) - (0 if signed else 1)
        for bits in (8, 16, 32, 64):
            if need <= bits and (self.bits is None or bits == self.bits):
                return ("int" if signed else "uint", bits, 0)
        if self.bits is not None:
            raise ValueError(marked(f"{self.bits} bits do not hold {self.lo} to {self.hi}: 8, 16, 32 or 64"))
        raise ValueError(marked(f"{self.lo} to {self.hi} needs more than 64 bits"))

    def interval(self) -> tuple[int, int]:
        return (int(self.lo), int(self.hi))

    def __str__(self) -> str:
        return f"tc.Int({self.lo}, {self.hi})"


@made_with
@dataclass(frozen=True)
class Fixed(Type):
    """Fixed-point numbers from `lo` to `hi`: whole multiples of `2**-frac`.

    Args:
        lo: The least number.
        hi: The greatest number.
        frac: Bits behind the point; 2 are enough for quarters, 16 make steps of 0.000015.
        bits: The width, if it is not to be the smallest: up to 64.
    """

    lo: float
    hi: float
    frac: int = 16
    bits: int | None = None

    def __post_init__(self) -> None:
        _bounds(self.lo, self.hi)
        if not 0 <= self.frac <= 62:
            raise ValueError(marked("bits behind the point are from 0 to 62"))
        self.kind()

    def kind(self) -> Kind:
        need = max(_signed_bits(*self.interval()), self.frac + 1, 2)
        if need > 64:
            raise ValueError(
                marked(
                    f"{self.lo} to {self.hi} with {self.frac} bits behind the point needs more than 64 bits: "
                    "take fewer bits behind the point (frac=), or a narrower range"
                )
            )
        if self.bits is not None and not need <= self.bits <= 64:
            raise ValueError(marked(f"{self.bits} bits do not hold it: {need} to 64"))
        return ("fixed", self.bits or need, self.frac)

    def interval(self) -> tuple[int, int]:
        return (_raw(self.lo, self.frac), _raw(self.hi, self.frac))

    def __str__(self) -> str:
        frac = "" if self.frac == 16 else f", {self.frac}"
        return f"tc.Fixed({self.lo}, {self.hi}{frac})"


def _raw(number: Any, fraction: int) -> int:
    """The nearest multiple, halves to even, as data are rounded."""
    exact: Fraction = Fraction(number) * 2**fraction
    return round(exact)


@made_with
@dataclass(frozen=True)
class Category(Type):
    """Members of a list that all parties know, such as `["low", "high"]`. Codes are their places in the list.

    Args:
        names: The members.
        name: What the list is called in the program: the name of the first input of this type unless it is said.
    """

    names: Sequence[str]
    name: str | None = None
    _called: list[str] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.names, str) or not all(isinstance(it, str) for it in self.names):
            raise TypeError(marked('a category is a list of texts, such as tc.Category(["low", "high"])'))
        object.__setattr__(self, "names", tuple(self.names))
        if len(set(self.names)) != len(self.names) or not self.names:
            raise ValueError(marked("a category has at least one member, each of them once"))

    def __hash__(self) -> int:
        return hash((tuple(self.names), self.name))

    def called(self, by: str) -> str:
        """What the list is called: `by`, if nothing was said when it was first asked for."""
        if not self._called:
            self._called.append(self.name or by)
        return self._called[0]

    def kind(self) -> Kind:
        return ("uint", 8 if len(self.names) <= 256 else 16, 0)

    def interval(self) -> tuple[int, int]:
        return (0, len(self.names) - 1)

    def __str__(self) -> str:
        return f"tc.Category({list(self.names)!r})"


@made_with
@dataclass(frozen=True)
class Date(Type):
    """Days from `lo` to `hi`, as `datetime.date` or ISO texts."""

    lo: datetime.date | str
    hi: datetime.date | str

    def __post_init__(self) -> None:
        try:
            lo, hi = self.interval()
        except (TypeError, ValueError) as error:
            raise type(error)(marked(str(error))) from None
        if lo > hi:
            raise ValueError(marked("this range of days is empty: the first day comes first"))

    def kind(self) -> Kind:
        return ("int", 32, 0)

    def interval(self) -> tuple[int, int]:
        return (days(self.lo), days(self.hi))

    def __str__(self) -> str:
        return f'tc.Date("{self.lo}", "{self.hi}")'


# What arrays are told that are of a type for tables.
NO_NULLS = "missing values are not supported for arrays: give a tc.Bool() input that says which values are there"
NO_TEXTS = "texts without a list are for columns of tables: of an array, take tc.Category"
NO_DECIMALS = "decimals are for columns of tables: of an array, take tc.Int and count in the last digit, or tc.Fixed"


@made_with
@dataclass(frozen=True)
class Decimal(Type):
    """Decimal numbers of columns of tables, exactly: from `lo` to `hi`, or all of so many digits.

    Args:
        digits: How many digits they have, 18 at most.
        decimals: How many of these are behind the point, 12 at most.
        lo: The least number, if it is not the least one of so many digits.
        hi: The greatest number.
    """

    digits: int
    decimals: int
    lo: int | float | decimal.Decimal | None = None
    hi: int | float | decimal.Decimal | None = None

    def __post_init__(self) -> None:
        if isinstance(self.digits, bool) or not isinstance(self.digits, int) or not 1 <= self.digits <= 18:
            raise ValueError(marked("tc.Decimal has 1 to 18 digits: tc.Decimal(7, 2) is for -99999.99 to 99999.99"))
        if isinstance(self.decimals, bool) or not isinstance(self.decimals, int) or not 0 <= self.decimals <= min(12, self.digits):
            raise ValueError(marked("decimals are a part of the digits, and 12 at most: tc.Decimal(7, 2) is for -99999.99 to 99999.99"))
        least, most = self.bounds()
        _bounds(least, most)

    def bounds(self) -> tuple[decimal.Decimal, decimal.Decimal]:
        """The least and the greatest number."""
        most = decimal.Decimal(f"{10**self.digits - 1}E-{self.decimals}")
        lo, hi = (None if it is None else decimal.Decimal(str(it)) for it in (self.lo, self.hi))
        return (-most if lo is None else max(-most, lo), most if hi is None else min(most, hi))

    def kind(self) -> Kind:
        raise NotImplementedError(NO_DECIMALS)

    def interval(self) -> tuple[int, int]:
        raise NotImplementedError(NO_DECIMALS)

    def __str__(self) -> str:
        said = [f"{name}={bound}" for name, bound in (("lo", self.lo), ("hi", self.hi)) if bound is not None]
        return f"tc.Decimal({', '.join([str(self.digits), str(self.decimals), *said])})"


@made_with
@dataclass(frozen=True, kw_only=True)
class Text(Type):
    """Texts of columns of tables, without a list: keys to join by, such as names and numbers that are no numbers.

    The parties compute on numbers that follow from the texts. They are equal or not, and are joined, grouped and counted; they have no
    order, and no answer shows one. What follows from their letters, `str.starts_with("C50")` and the like, their owner computes.

    Args:
        max_chars: How many characters a text has at most. It is needed for `str.len_chars()` alone.
    """

    max_chars: int | None = None

    def kind(self) -> Kind:
        raise NotImplementedError(NO_TEXTS)

    def interval(self) -> tuple[int, int]:
        raise NotImplementedError(NO_TEXTS)

    def __str__(self) -> str:
        return "tc.Text()" if self.max_chars is None else f"tc.Text(max_chars={self.max_chars})"


@dataclass(frozen=True)
class Nullable(Type):
    """Values that may be missing, of columns of tables: what `nullable()` of a type gives.

    Args:
        of: The type of the values that are there.
    """

    of: Type

    def __post_init__(self) -> None:
        object.__setattr__(self, "from_data", self.of.from_data)

    def nullable(self) -> Nullable:
        return self

    def kind(self) -> Kind:
        self._refused()

    def interval(self) -> tuple[int, int]:
        self._refused()

    def _refused(self) -> NoReturn:
        raise NotImplementedError(NO_NULLS)

    def __str__(self) -> str:
        return f"{self.of}.nullable()"


def days(day: datetime.date | str) -> int:
    """Days since 1970-01-01."""
    if isinstance(day, str):
        day = datetime.date.fromisoformat(day)
    if isinstance(day, datetime.datetime):
        raise TypeError("a date has no time of day: take .date() of it")
    return (day - _EPOCH).days
