"""What expressions are made of."""

from __future__ import annotations

from .expr import Aggregate, Expr, Over


def walk(expr: Expr, into_windows: bool = True, into_aggregates: bool = True) -> list[Expr]:
    """An expression, and those that it is made of."""
    found, rest = [], [expr]
    while rest:
        one = rest.pop()
        found.append(one)
        if (not into_windows and one._op in ("over", "ordered")) or (not into_aggregates and one._op == "aggregate"):
            continue
        rest += one._of
        if isinstance(one._given, Aggregate) and one._given.where is not None:
            rest.append(one._given.where)
        if isinstance(one._given, Over):
            rest += [*one._given.keys, *one._given.order]
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


def chain(expr: Expr) -> list[Expr]:
    """The conditions that `&` joins, or `|`, or the two of `^`."""
    found: list[Expr] = []
    first = expr
    while first._op == "binary" and first._given == expr._given and (first is expr or expr._given != "XOR"):
        found.append(first._of[1])
        first = first._of[0]
    return [first, *reversed(found)]
