"""Expressions of columns, as Polars writes them. They hold no data: frames write them as SQL."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from .._place import here
from ..errors import ProgramError, fail, methods_take
from ..types import Decimal
from . import text
from .operators import Operators
from .text import Place

if TYPE_CHECKING:
    from .parts import Dates, Texts

__all__ = ["Aggregate", "Expr", "Over", "Value", "column", "column_of", "value_of"]

# What may stand for a value: an expression, or one that is written down.
Value: TypeAlias = "Expr | bool | int | float | str | decimal.Decimal | datetime.date | datetime.timedelta | None"
Closed = Literal["both", "left", "right", "none"]
# Expressions have a namespace that is called so.
Name: TypeAlias = str

# How large expressions may be: SQL repeats what Python names.
_MOST_PARTS = 5000
_DEEPEST = 60
# What is not there, and what to write instead.
_ABSENT = {
    "mode": "group by the value, and take top_k(1, by=) of the counts",
    "first_distinct": "frame.unique(...) keeps one row of those that are alike",
    "is_first_distinct": "frame.unique(...) keeps one row of those that are alike",
    "is_unique": "tc.len().over(x) == 1 says it",
    "is_duplicated": "tc.len().over(x) > 1 says it",
    "map_elements": "no function of Python is called on values that nobody may see: write it with operators, or tc.when",
    "map_batches": "no function of Python is called on values that nobody may see: write it with operators, or tc.when",
    "apply": "no function of Python is called on values that nobody may see: write it with operators, or tc.when",
    "is_nan": "there is no NaN here: a division by zero is null, and is_null() says so",
    "is_not_nan": "there is no NaN here: a division by zero is null, and is_not_null() says so",
    "fill_nan": "there is no NaN here: a division by zero is null, and fill_null() says what stands there",
    "null_count": "x.is_null().sum() counts them",
    "hist": "group_by(x.cut(edges)).agg(n=tc.len()) is a histogram",
    "arg_max": "rows have no places: x.max_by(y) is the x of the row in which y is greatest",
    "arg_min": "rows have no places: x.min_by(y) is the x of the row in which y is least",
    "log": "take it of the result, or tc.log of arrays",
    "exp": "take it of the result, or tc.exp of arrays",
    "floor": "x // 1 of whole numbers, or x.round()",
    "ceil": "-(-x // 1) of whole numbers, or x.round()",
    "diff": "x - x.shift(1).over(keys, order_by=...) says it",
    "cat": "tc.col.x.str.starts_with(...) is of categories",
    "item": "job.run(...) gives results, of those that tc.job reveals",
}


@dataclass(frozen=True)
class Aggregate:
    """What is computed of several rows, those for which a condition holds if there is one."""

    function: str
    parameter: Any = None
    where: Expr | None = None


@dataclass(frozen=True)
class Over:
    """Rows that have something in common, and their order."""

    keys: tuple[Expr, ...]
    order: tuple[Expr, ...]
    descending: tuple[bool, ...]
    nulls_last: bool


@methods_take
class Expr(Operators):
    """A value for each row of a frame, or one for several rows.

    `tc.col.age` is the column of that name, `tc.lit(3)` a value that is written down, and operators and methods make expressions of
    others. `&`, `|` and `~` are and, or and not. A comparison with null is null, and a filter keeps rows for which it is true.
    """

    __slots__ = ("_deep", "_given", "_name", "_of", "_op", "_parts", "_place")

    def __init__(self, op: str, of: tuple[Expr, ...] = (), given: Any = None, name: str | None = None, place: Place | None = None) -> None:
        self._op, self._of, self._given, self._name = op, of, given, name
        self._place = place or here()
        # How many parts it has, each as often as it stands there, and how many stand within each other; those that & or | joins do not.
        self._parts: int = 1 + sum(it._parts for it in of)
        chain = given in ("AND", "OR")
        self._deep: int = max((it._deep + (not chain or it._given != given) for it in of), default=0)
        if self._parts > _MOST_PARTS or self._deep > _DEEPEST:
            fail(ProgramError, "this expression has too many parts: make columns of some by with_columns first", *self._place)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            (file, line), _ = here()
            way = _ABSENT.get(name, "docs/python.md, under Frames, lists the methods there are")
            raise AttributeError(f"{file}:{line}: expressions have no {name}: {way}")

    def __repr__(self) -> str:
        if self._op == "col":
            shown = f"col({self._given!r})"
        elif self._op == "lit":
            shown = repr(self._given[0])
        elif self._parts > 100:
            shown = f"an expression of {self._parts} parts"
        elif self._op == "binary":
            shown = f"({self._of[0]!r} {self._given} {self._of[1]!r})"
        else:
            word = self._given.function if isinstance(self._given, Aggregate) else self._op
            shown = f"{word}({', '.join(map(repr, self._of))})"
        return shown if self._name is None else f"{shown}.alias({self._name!r})"

    # What it is called.

    def alias(self, name: str) -> Expr:
        """The same under another name."""
        wrong = text.wrong_name(name)
        if wrong is not None:
            place, path = here()
            fail(ProgramError, wrong, place, path)
        return Expr(self._op, self._of, self._given, name, self._place)

    def _called(self) -> str:
        """The name of a column of it: as Polars has it, that of what it begins with."""
        of = self
        while of._name is None and of._of:
            of = of._of[1 if of._op == "case" else 0]
        if of._name is not None:
            return of._name
        return "literal" if of._op == "lit" else of._given.function if isinstance(of._given, Aggregate) else str(of._given)

    # Row by row.

    def abs(self) -> Expr:
        """The absolute value."""
        return Expr("abs", (self,))

    def is_null(self) -> Expr:
        """Whether it is null."""
        return Expr("is_null", (self,))

    def is_not_null(self) -> Expr:
        """Whether it is not null."""
        return Expr("is_not_null", (self,))

    def fill_null(self, value: Value) -> Expr:
        """Another value where it is null."""
        return Expr("coalesce", (self, value_of(value)))

    def is_in(self, values: Iterable[Value]) -> Expr:
        """Whether it is one of some values; null where it is null."""
        place = here()
        if isinstance(values, (str, Expr)) or not isinstance(values, Iterable):
            fail(ProgramError, "is_in takes a list of values, such as [1, 2]; a semi join is of the values of another frame", *place)
        found = [value_of(it) for it in values]
        if not found:
            fail(ProgramError, "no value is in an empty list: tc.lit(False) says so", *place)
        if any(it._op == "lit" and it._given[0] is None for it in found):
            fail(ProgramError, "null is equal to nothing: leave None out, and add | x.is_null()", *place)
        return Expr("in", (self, *found), place=place)

    def is_between(self, lower_bound: Value, upper_bound: Value, closed: Closed = "both") -> Expr:
        """Whether it lies between two values; texts are names of columns there.

        Args:
            lower_bound: The least value.
            upper_bound: The greatest value.
            closed: Whether the bounds themselves are meant: `"both"`, `"left"`, `"right"` or `"none"`.
        """
        place = here()
        if closed not in ("both", "left", "right", "none"):
            fail(ProgramError, f'closed is "both", "left", "right" or "none", not {closed!r}', *place)
        return Expr("between", (self, column_of(lower_bound), column_of(upper_bound)), closed, place=place)

    def clip(self, lower_bound: Value = None, upper_bound: Value = None) -> Expr:
        """Cut off below a least and above a greatest value; texts are names of columns there."""
        place = here()
        if lower_bound is None and upper_bound is None:
            fail(ProgramError, "say where it is cut off: clip(0, 100)", *place)
        bounds = [column_of(it) for it in (lower_bound, upper_bound) if it is not None]
        return Expr("clip", (self, *bounds), (lower_bound is not None, upper_bound is not None), place=place)

    def cast(self, dtype: type[int | float] | Decimal) -> Expr:
        """Whole numbers or truth values as `int`; numbers as `float`, in binary fixed point, rounded down; numbers as a `tc.Decimal`,
        rounded to the nearest, half away from zero.
        """
        place = here()
        if dtype not in (int, float) and not isinstance(dtype, Decimal):
            fail(ProgramError, f"casts are to int, to float and to such as tc.Decimal(9, 2), not to {dtype!r}", *place)
        return Expr("cast", (self,), dtype, place=place)

    def round(self, decimals: int = 0) -> Expr:
        """Rounded to so many decimals, half away from zero: a whole number if there are none, else a decimal one."""
        place = here()
        if isinstance(decimals, bool) or not isinstance(decimals, int) or not 0 <= decimals <= text.MOST_DECIMALS:
            fail(ProgramError, f"decimals are a number from 0 to {text.MOST_DECIMALS}, not {decimals!r}", *place)
        return Expr("round", (self,), decimals, place=place)

    def sqrt(self) -> Expr:
        """The root, in binary fixed point, rounded down; null of numbers less than zero."""
        return Expr("sqrt", (self,))

    def sign(self) -> Expr:
        """-1, 0 or 1."""
        return Expr("sign", (self,))

    def cut(self, breaks: Iterable[Value]) -> Expr:
        """How many of some bounds are at most the value: 0 below the first one, and so on. Grouped by it, rows are counted as a histogram.

        It is a number, where Polars gives texts, and parts begin with their bound, as with `left_closed=True` there.

        Args:
            breaks: Numbers, dates or members of a category, in ascending order. They are public.
        """
        place = here()
        if isinstance(breaks, (str, Expr)) or not isinstance(breaks, Iterable):
            fail(ProgramError, "cut takes a list of bounds, such as [18, 65]", *place)
        found = [value_of(it) for it in breaks]
        if not 1 <= len(found) <= 1000 or any(it._op != "lit" or it._given[0] is None for it in found):
            fail(ProgramError, "cut takes bounds that are written down, from 1 to 1000 of them: cut([18, 65])", *place)
        return Expr("cut", (self, *found), place=place)

    @property
    def dt(self) -> Dates:
        """Parts of dates: `tc.col.day.dt.year()`."""
        from .parts import Dates

        return Dates(self)

    @property
    def str(self) -> Texts:
        """What texts are like: `tc.col.plan.str.starts_with("b")`. The list of a category is public, and so is which members are. Of a
        `tc.Text` their owner computes it."""
        from .parts import Texts

        return Texts(self)

    # Of several rows.

    def filter(self, predicate: Expr) -> Expr:
        """Of the rows for which a condition holds alone: `tc.col.cost.filter(tc.col.age > 64).sum()`."""
        place = here()
        if not isinstance(predicate, Expr):
            fail(ProgramError, f"a filter is by a condition, such as tc.col.age > 64, not by {predicate!r}", *place)
        if isinstance(self._given, Aggregate):
            if self._given.where is not None:
                fail(ProgramError, "this has a filter already: put the conditions together by &", *place)
            given = Aggregate(self._given.function, self._given.parameter, predicate)
            return Expr(self._op, self._of, given, self._name, place)
        if self._op == "filtered":
            return Expr("filtered", (self._of[0], self._of[1] & predicate), place=place)
        return Expr("filtered", (self, predicate), place=place)

    def _aggregate(self, function: Any, parameter: Any = None, *others: Expr) -> Expr:
        place = here()
        if self._op == "filtered":
            return Expr("aggregate", (self._of[0], *others), Aggregate(function, parameter, self._of[1]), place=place)
        return Expr("aggregate", (self, *others), Aggregate(function, parameter), place=place)

    def sum(self) -> Expr:
        """The sum, 0 of no values; of truth values how many are true. Null does not count."""
        return self._aggregate("sum")

    def mean(self) -> Expr:
        """The mean, in binary fixed point, rounded down; null of no values."""
        return self._aggregate("mean")

    def var(self, ddof: int = 1) -> Expr:
        """The variance, in binary fixed point; null where there are not more values than `ddof`.

        Args:
            ddof: 1 of a sample, 0 of all that there are.
        """
        return self._spread("var", ddof)

    def std(self, ddof: int = 1) -> Expr:
        """The standard deviation, in binary fixed point; null where there are not more values than `ddof`.

        Args:
            ddof: 1 of a sample, 0 of all that there are.
        """
        return self._spread("std", ddof)

    def _spread(self, function: Any, ddof: Any) -> Expr:
        if type(ddof) is not int or ddof not in (0, 1):
            place, path = here()
            fail(ProgramError, f"ddof is 0 or 1, not {ddof!r}", place, path)
        return self._aggregate(function, ddof)

    def corr(self, other: Value) -> Expr:
        """The correlation with another number, of the rows in which both are known; null where one of them does not vary.

        Args:
            other: An expression, or the name of a column.
        """
        return self._aggregate("corr", None, column_of(other))

    def max_by(self, by: Value) -> Expr:
        """The value in the row in which something is greatest; of several such rows, the least. Null does not count.

        Args:
            by: An expression, or the name of a column.
        """
        return self._aggregate("max_by", None, column_of(by))

    def min_by(self, by: Value) -> Expr:
        """The value in the row in which something is least; of several such rows, the least. Null does not count.

        Args:
            by: An expression, or the name of a column.
        """
        return self._aggregate("min_by", None, column_of(by))

    def min(self) -> Expr:
        """The least value; null of no values."""
        return self._aggregate("min")

    def max(self) -> Expr:
        """The greatest value; null of no values."""
        return self._aggregate("max")

    def count(self) -> Expr:
        """How many values are not null."""
        return self._aggregate("count")

    def len(self) -> Expr:
        """How many rows there are, null or not."""
        return self._aggregate("len")

    def n_unique(self) -> Expr:
        """How many different values there are; null is one of them."""
        return self._aggregate("n_unique")

    def any(self) -> Expr:
        """Whether a condition is true of any row; null does not count."""
        return self._aggregate("any")

    def all(self) -> Expr:
        """Whether a condition is false of no row; null does not count."""
        return self._aggregate("all")

    def median(self) -> Expr:
        """The median: of an even number of values the middle between two, in binary fixed point, rounded down."""
        return self._aggregate("median")

    def quantile(self, quantile: float | decimal.Decimal, interpolation: Literal["linear", "equiprobable"]) -> Expr:
        """A quantile of the values that are not null.

        Args:
            quantile: How far through them, from 0 to 1, with at most six decimals.
            interpolation: `"linear"` goes between two numbers in proportion, `"equiprobable"` takes one of the values. The others that
                Polars has, `"nearest"` among them, are not there.
        """
        place = here()
        if interpolation not in ("linear", "equiprobable"):
            fail(ProgramError, f'interpolation is "linear" or "equiprobable", not {interpolation!r}', *place)
        try:
            exact = decimal.Decimal(repr(quantile) if isinstance(quantile, float) else quantile)
        except (TypeError, ValueError, decimal.InvalidOperation):
            exact = decimal.Decimal(-1)
        if not 0 <= exact <= 1 or round(exact, 6) != exact:
            fail(ProgramError, f"a quantile is a number from 0 to 1 with at most six decimals, not {quantile!r}", *place)
        return self._aggregate("quantile", (text.number(exact), interpolation))

    def first(self) -> Expr:
        """The first value, null or not: `tc.col.x.first().over(keys, order_by=...)`."""
        return self._aggregate("first")

    def last(self) -> Expr:
        """The last value, null or not: `tc.col.x.last().over(keys, order_by=...)`."""
        return self._aggregate("last")

    # Of rows in an order.

    def over(
        self,
        partition_by: Expr | Name | Iterable[Expr | Name] | None = None,
        *more: Expr | Name,
        order_by: Expr | Name | Iterable[Expr | Name] | None = None,
        descending: bool | Iterable[bool] = False,
        nulls_last: bool = False,
    ) -> Expr:
        """For each row, of the rows that are like it.

        Args:
            partition_by: What they have in common.
            more: What else.
            order_by: What they are ordered by, for functions that need it; which of equal rows comes first follows from what they hold.
            descending: Whether the greatest comes first, for all of `order_by`, or one by one.
            nulls_last: Whether nulls come last, and not first.
        """
        place = here()
        keys = (*_columns_of(partition_by), *(column_of(it) for it in more))
        order = _columns_of(order_by)
        if not keys and not order:
            fail(ProgramError, "over takes what rows have in common, or what they are ordered by: without it, leave over out", *place)
        down = (descending,) * len(order) if isinstance(descending, bool) else tuple(descending)
        if len(down) != len(order):
            fail(ProgramError, f"descending is one truth value, or one for each of the {len(order)} that are ordered by", *place)
        return Expr("over", (self,), Over(keys, order, down, nulls_last), self._name, place)

    def _in_order(self, function: Name, parameter: Any = None) -> Expr:
        return Expr("ordered", (self,), Aggregate(function, parameter))

    def rank(self, method: Literal["min", "dense", "ordinal"], *, descending: bool = False) -> Expr:
        """Its number in ascending order, from 1; null where it is null.

        Args:
            method: Equal values have the same number: with `"min"`, as many are left out behind them, with `"dense"` none are. With
                `"ordinal"` they have different ones, in an order that follows from what the rows hold.
            descending: Whether the greatest is the first.
        """
        place = here()
        if method not in ("min", "dense", "ordinal"):
            fail(ProgramError, f'the method of rank is "min", "dense" or "ordinal", not {method!r}', *place)
        return Expr("ordered", (self,), Aggregate("rank", (method, bool(descending))), place=place)

    def shift(self, n: int = 1, *, fill_value: Value = None) -> Expr:
        """The value so many rows before, or after if it is negative: `tc.col.x.shift(1).over(keys, order_by=...)`."""
        place = here()
        if isinstance(n, bool) or not isinstance(n, int) or abs(n) > 1_000_000:
            fail(ProgramError, f"shift is by a number of rows, not by {n!r}", *place)
        of = (self,) if fill_value is None else (self, value_of(fill_value))
        return Expr("ordered", of, Aggregate("shift", n), place=place)

    def cum_sum(self) -> Expr:
        """The sum of the values up to this row; null where it is null."""
        return self._in_order("cum_sum")

    def cum_count(self) -> Expr:
        """How many values up to this row are not null."""
        return self._in_order("cum_count")

    def cum_min(self) -> Expr:
        """The least value up to this row; null where it is null."""
        return self._in_order("cum_min")

    def cum_max(self) -> Expr:
        """The greatest value up to this row; null where it is null."""
        return self._in_order("cum_max")

    def rolling_sum(self, window_size: int, *, min_samples: int | None = None) -> Expr:
        """The sum of this row and the rows before it, so many in all.

        Args:
            window_size: How many rows.
            min_samples: Of fewer values that are not null it is null: all of them, if nothing is said.
        """
        return self._rolling("rolling_sum", window_size, min_samples)

    def rolling_mean(self, window_size: int, *, min_samples: int | None = None) -> Expr:
        """The mean of this row and the rows before it, so many in all; the arguments are those of `rolling_sum`."""
        return self._rolling("rolling_mean", window_size, min_samples)

    def _rolling(self, function: Any, rows: Any, least: Any) -> Expr:
        place = here()
        least = rows if least is None else least
        for given in (rows, least):
            if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= 1_000_000:
                fail(ProgramError, f"{function} is of a number of rows, from 1, not of {given!r}", *place)
        if least > rows:
            fail(ProgramError, f"min_samples={least} is more than the {rows} rows", *place)
        return Expr("ordered", (self,), Aggregate(function, (rows, least)), place=place)


def all_of(predicates: tuple[Expr, ...]) -> Expr:
    """A condition that is true where all of some are."""
    place = here()
    for it in predicates:
        if not isinstance(it, Expr):
            fail(ProgramError, f"when takes conditions, such as tc.col.age > 64, not {it!r}", *place)
    if not predicates:
        fail(ProgramError, "when takes a condition: tc.when(tc.col.age > 64)", *place)
    first, *others = predicates
    for it in others:
        first = first & it
    return first


def value_of(value: Any) -> Expr:
    """An expression, or a value that is written down."""
    if isinstance(value, Expr):
        return value
    place = here()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, datetime.timedelta):
        if value % datetime.timedelta(days=1):
            fail(ProgramError, "dates have no time of day: a number of whole days is added to them", *place)
        value = value.days
    if value is None or isinstance(value, bool):
        return Expr("lit", given=(value, "NULL" if value is None else str(value).upper()), place=place)
    if text.is_number(value):
        try:
            return Expr("lit", given=(value, text.number(value)), place=place)
        except ValueError as error:
            fail(ProgramError, str(error), *place)
    if isinstance(value, str):
        if "\n" in value:
            fail(ProgramError, "a text has one line: members of categories do", *place)
        return Expr("lit", given=(value, text.quoted(value)), place=place)
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return Expr("lit", given=(value, text.date(value)), place=place)
    what = (
        "a date has no time of day: take .date() of it" if isinstance(value, datetime.datetime) else f"{type(value).__name__} is no value"
    )
    fail(ProgramError, f"{what}: there are truth values, numbers, texts, dates, None, and expressions such as tc.col.age", *place)


def column_of(value: Any) -> Expr:
    """An expression, a text as the name of a column, or another value that is written down."""
    return column(value) if isinstance(value, str) else value_of(value)


def column(name: Any) -> Expr:
    """The column of a name."""
    place = here()
    wrong = text.wrong_name(name)
    if wrong is not None:
        fail(ProgramError, wrong, *place)
    return Expr("col", given=name, place=place)


def _columns_of(given: Any) -> tuple[Expr, ...]:
    if given is None:
        return ()
    several = [given] if isinstance(given, (str, Expr)) or not isinstance(given, Iterable) else list(given)
    found = tuple(column_of(it) for it in several)
    for it in found:
        if it._op == "lit":
            place, path = here()
            fail(ProgramError, f"{it!r} is the same for all rows: name columns", place, path)
    return found
