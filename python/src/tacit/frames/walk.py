"""What expressions are made of."""

from __future__ import annotations

from .expr import Aggregate, Expr, Over


def walk(expr: Expr, into_windows: bool = True, into_aggregates: bool = True) -> list[Expr]:
    """An expression, and those that it is made of."""
    found = [expr]
    if not into_windows and expr._op in ("over", "ordered"):
        return found
    if not into_aggregates and expr._op == "aggregate":
        return found
    inner = list(expr._of)
    if isinstance(expr._given, Aggregate) and expr._given.where is not None:
        inner.append(expr._given.where)
    if isinstance(expr._given, Over):
        inner += [*expr._given.keys, *expr._given.order]
    for it in inner:
        found += walk(it, into_windows, into_aggregates)
    return found


def names(expr: Expr) -> list[str]:
    """The columns that it is of."""
    return [str(it._given) for it in walk(expr) if it._op == "col"]


def has_window(expr: Expr) -> bool:
    """Whether it is of rows that are like the row, or in an order."""
    return any(it._op in ("over", "ordered") for it in walk(expr))


def has_aggregate(expr: Expr) -> bool:
    """Whether it is of all rows, or of all of a group."""
    return any(it._op == "aggregate" for it in walk(expr, into_windows=False))


def has_row(expr: Expr) -> bool:
    """Whether it is of single rows."""
    return any(it._op in ("col", "over", "ordered") for it in walk(expr, into_windows=False, into_aggregates=False))
