"""What expressions begin with: `tc.col`, `tc.lit`, `tc.when` and `tc.len`; and what dates and texts have."""

from __future__ import annotations

from typing import Any

from .._place import here
from ..errors import ProgramError, fail
from .expr import Aggregate, Expr, Value, all_of, column, column_of, value_of
from .text import Place

__all__ = ["Columns", "Dates", "Texts", "Then", "When", "col", "len", "lit", "when"]


class Dates:
    """Parts of dates."""

    __slots__ = ("_of",)

    def __init__(self, of: Expr) -> None:
        self._of = of

    def year(self) -> Expr:
        """The year."""
        return Expr("part", (self._of,), "year")

    def quarter(self) -> Expr:
        """The quarter, from 1 to 4."""
        return Expr("part", (self._of,), "quarter")

    def month(self) -> Expr:
        """The month, from 1 to 12."""
        return Expr("part", (self._of,), "month")

    def day(self) -> Expr:
        """The day of the month, from 1."""
        return Expr("part", (self._of,), "day")

    def weekday(self) -> Expr:
        """The day of the week: Monday is 1, Sunday is 7."""
        return Expr("part", (self._of,), "weekday")


class Texts:
    """What texts, and members of categories, are like; and what becomes of texts. Characters are Unicode's code points."""

    __slots__ = ("_of",)

    def __init__(self, of: Expr) -> None:
        self._of = of

    def _like(self, how: Any, part: Any) -> Expr:
        place = here()
        if not isinstance(part, str):
            fail(ProgramError, f"{how} takes a text, not {part!r}", *place)
        return Expr("like", (self._of,), (how, part), place=place)

    def starts_with(self, prefix: str) -> Expr:
        """Whether it starts with a text."""
        return self._like("starts_with", prefix)

    def ends_with(self, suffix: str) -> Expr:
        """Whether it ends with a text."""
        return self._like("ends_with", suffix)

    def contains(self, literal: str) -> Expr:
        """Whether it contains a text, which is no pattern."""
        return self._like("contains", literal)

    def _made(self, function: Any, *numbers: Any, least: Any = None) -> Expr:
        place = here()
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, int) or abs(number) > 2**20 or (least is not None and number < least):
                wanted = "a number of characters" if least is None else f"a number of characters, {least} or more"
                fail(ProgramError, f"{function} takes {wanted}, not {number!r}", *place)
        return Expr("of_text", (self._of,), (function, numbers), place=place)

    def to_lowercase(self) -> Expr:
        """The text in small letters, each character by itself."""
        return self._made("lower")

    def to_uppercase(self) -> Expr:
        """The text in capitals, each character by itself: `ß` becomes `ẞ`."""
        return self._made("upper")

    def strip_chars(self) -> Expr:
        """The text without white space at both ends."""
        return self._made("trim")

    def slice(self, offset: int, length: int | None = None) -> Expr:
        """Some of its characters, counted from 0, or back from the last one, -1; null if there are none."""
        made = self._made("substr", offset)
        if length is not None:
            self._made("slice", length, least=1)
        first = offset + 1 if offset >= 0 else offset
        return Expr("of_text", made._of, ("substr", (first,) if length is None else (first, length)), place=made._place)

    def head(self, n: int = 5) -> Expr:
        """Its first characters."""
        return self._made("left", n, least=1)

    def tail(self, n: int = 5) -> Expr:
        """Its last characters."""
        return self._made("right", n, least=1)

    def len_chars(self) -> Expr:
        """How many characters it has: of columns that say how many there are at most, `tc.Text(max_chars=200)`, or of their first ones."""
        return self._made("length")


class When:
    """A condition, of which `then` says what stands where it is true."""

    __slots__ = ("_before", "_condition", "_place")

    def __init__(self, condition: Expr, before: tuple[Expr, ...], place: Place) -> None:
        self._condition, self._before, self._place = condition, before, place

    def then(self, statement: Value) -> Then:
        """What stands where the condition is true; a text is the name of a column, and `tc.lit("text")` a text."""
        return Then("case", (*self._before, self._condition, column_of(statement)), place=self._place)


class Then(Expr):
    """What stands where conditions are true; elsewhere null, unless `otherwise` says what."""

    __slots__ = ()

    def when(self, *predicates: Expr) -> When:
        """Where none of those before is true, and this is."""
        return When(all_of(predicates), self._of, self._place)

    def otherwise(self, statement: Value) -> Expr:
        """What stands where no condition is true; a text is the name of a column, and `tc.lit("text")` a text."""
        return Expr("case", (*self._of, column_of(statement)), place=self._place)


class Columns:
    """`tc.col`: columns by name."""

    __slots__ = ()

    def __call__(self, name: str) -> Expr:
        """The column of a name."""
        return column(name)

    def __getattr__(self, name: str) -> Expr:
        # Python and notebooks ask objects for such names: tc.col("_x") is a column that is called so.
        if name.startswith("_"):
            raise AttributeError(name)
        return self(name)

    def __repr__(self) -> str:
        return "tc.col: tc.col.age, or tc.col('age')"


col = Columns()


def lit(value: Value) -> Expr:
    """A value that is written down, and public: a truth value, a number, a text of a category, a date, or None.

    >>> lit(3)
    3
    """
    return value_of(value)


def when(*predicates: Expr) -> When:
    """`tc.when(c).then(a).when(d).then(b).otherwise(e)`: what stands behind the first condition that is true.

    >>> when(col.age >= 65).then(1).otherwise(0)
    case((col('age') >= 65), 1, 0)
    """
    return When(all_of(predicates), (), here())


def len() -> Expr:
    """How many rows there are.

    >>> len().alias("people")
    len().alias('people')
    """
    return Expr("aggregate", given=Aggregate("len"))
