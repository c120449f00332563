"""The operators of expressions, and what Python asks of values that are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .._place import here
from ..errors import ProgramError, SecretError, fail

if TYPE_CHECKING:
    from .expr import Expr, Value


class Operators:
    """What has operators: expressions."""

    __slots__ = ()
    # NumPy's numbers leave operators to this class.
    __array_ufunc__ = None
    __hash__ = object.__hash__

    # Operators.

    def __add__(self, other: Value) -> Expr:
        return _binary("+", self, other)

    def __radd__(self, other: Value) -> Expr:
        return _binary("+", other, self)

    def __sub__(self, other: Value) -> Expr:
        return _binary("-", self, other)

    def __rsub__(self, other: Value) -> Expr:
        return _binary("-", other, self)

    def __mul__(self, other: Value) -> Expr:
        return _binary("*", self, other)

    def __rmul__(self, other: Value) -> Expr:
        return _binary("*", other, self)

    def __truediv__(self, other: Value) -> Expr:
        return _binary("/", self, other)

    def __rtruediv__(self, other: Value) -> Expr:
        return _binary("/", other, self)

    def __floordiv__(self, other: Value) -> Expr:
        return _binary("//", self, other)

    def __rfloordiv__(self, other: Value) -> Expr:
        return _binary("//", other, self)

    def __mod__(self, other: Value) -> Expr:
        return _binary("%", self, other)

    def __rmod__(self, other: Value) -> Expr:
        return _binary("%", other, self)

    def __and__(self, other: Value) -> Expr:
        return _binary("AND", self, other)

    def __rand__(self, other: Value) -> Expr:
        return _binary("AND", other, self)

    def __or__(self, other: Value) -> Expr:
        return _binary("OR", self, other)

    def __ror__(self, other: Value) -> Expr:
        return _binary("OR", other, self)

    def __xor__(self, other: Value) -> Expr:
        return _binary("XOR", self, other)

    def __rxor__(self, other: Value) -> Expr:
        return _binary("XOR", other, self)

    def __lt__(self, other: Value) -> Expr:
        return _compared("<", self, other)

    def __le__(self, other: Value) -> Expr:
        return _compared("<=", self, other)

    def __gt__(self, other: Value) -> Expr:
        return _compared(">", self, other)

    def __ge__(self, other: Value) -> Expr:
        return _compared(">=", self, other)

    def __eq__(self, other: Value) -> Expr:  # type: ignore[override]
        return _compared("=", self, other)

    def __ne__(self, other: Value) -> Expr:  # type: ignore[override]
        return _compared("<>", self, other)

    def __invert__(self) -> Expr:
        return _unary("not", self)

    def __neg__(self) -> Expr:
        return _unary("neg", self)

    def __abs__(self) -> Expr:
        return _unary("abs", self)

    # What it is not.

    def __bool__(self) -> bool:
        _secret(
            "whether it is true is not known while the query is written: use & | ~ instead of and, or and not, tc.when instead of if, "
            "and is_between instead of a < x < b"
        )

    def __int__(self) -> int:
        _secret("this value is not known while the query is written: calculate with it, or reveal it")

    def __float__(self) -> float:
        _secret("this value is not known while the query is written: calculate with it, or reveal it")

    def __index__(self) -> int:
        _secret("a value that nobody may see is no index: use filter, or tc.when")

    def __len__(self) -> int:
        _secret("the number of rows is not known while the query is written: tc.len() counts them")

    def __iter__(self) -> Iterator[Expr]:
        _secret("rows that nobody may see are not gone through one by one: write what is done with all of them")

    def __contains__(self, item: object) -> bool:
        _secret("whether something is in a column is not known while the query is written: (tc.col.x == 3).any(), or tc.col.x.is_in([...])")

    def __getitem__(self, item: object) -> NoReturn:
        _secret("rows have no places: use filter, or sort(...).head(k) of the frame")

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        _secret("a column that nobody may see is no NumPy array: reveal it and run the job")

    def __pow__(self, other: object) -> NoReturn:
        place, path = here()
        fail(ProgramError, "powers are written as products: x * x", place, path)


def _secret(what: str) -> NoReturn:
    place, path = here()
    fail(SecretError, what, place, path)


def _unary(operator: str, of: Any) -> Expr:
    from .expr import Expr

    return Expr(operator, (of,))


def _binary(operator: str, a: Any, b: Any) -> Expr:
    from .expr import Expr, value_of

    return Expr("binary", (value_of(a), value_of(b)), operator)


def _compared(operator: str, a: Any, b: Any) -> Expr:
    if b is None:
        place, path = here()
        fail(ProgramError, "null is equal to nothing: use is_null() or is_not_null()", place, path)
    return _binary(operator, a, b)
