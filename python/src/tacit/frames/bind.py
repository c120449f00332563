"""Expressions as SQL, over columns that are known: what is wrong with them is said here, as far as it can be told."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from .._show import instead
from ..errors import ProgramError, fail
from ..types import Decimal
from . import text
from .expr import Aggregate, Expr, Over
from .kinds import Kind, Unlike, common
from .text import Place, Sql, joined
from .walk import chain, has_aggregate, has_window, names, walk

# How firmly operators bind their operands.
OR, AND, NOT, COMPARE, ADD, TIMES, NEGATE, ATOM = range(1, 9)
_LEVELS = {"OR": OR, "AND": AND, "XOR": ADD, "+": ADD, "-": ADD, "*": TIMES, "/": TIMES, "//": TIMES, "%": TIMES}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_LIKE: dict[str, Callable[[str, str], bool]] = {
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": lambda text, part: part in text,
}
_TEXTS = {
    "lower": "to_lowercase",
    "upper": "to_uppercase",
    "trim": "strip_chars",
    "substr": "slice",
    "left": "head",
    "right": "tail",
    "length": "len_chars",
}
_ROWS_BEFORE = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


@dataclass(frozen=True)
class Bound:
    """An expression as SQL."""

    sql: Sql
    level: int
    kind: Kind
    # Whether it is a column as it stands.
    plain: bool = False


@dataclass(frozen=True)
class Window:
    """What `OVER` says."""

    keys: tuple[Sql, ...] = ()
    order: tuple[Sql, ...] = ()

    def sql(self, order: tuple[Sql, ...] = (), frame: str = "") -> Sql:
        """Rows in an order, or without one."""
        parts: list[str | Sql] = []
        if self.keys:
            parts.append(Sql("PARTITION BY ", joined(", ", self.keys)))
        if order:
            parts.append(Sql("ORDER BY ", joined(", ", order)))
        if frame:
            parts.append(frame)
        return Sql(" OVER (", joined(" ", parts), ")")


class Binder:
    """Writes expressions of some columns."""

    def __init__(self, columns: Mapping[str, Bound], grouped: bool = False, keyed: bool = False) -> None:
        # Whether expressions are of groups, and whether these have keys, so that none is without rows.
        self.columns, self.grouped, self.keyed = columns, grouped, keyed
        # What aggregates of rows are over; none in a group, where they are of its rows.
        self.window: Window | None = None if grouped else Window()
        # The aggregate that is being written.
        self.inside: str | None = None

    def value(self, expr: Expr) -> Bound:
        """An expression that stands alone: a column, or a key."""
        found = self.of(expr)
        if found.kind.base == "text":
            self._wrong(
                expr, f"nothing says which list {found.kind.value!r} is of: texts are members of a tc.Category, and stand beside one"
            )
        if found.kind.base == "null":
            self._wrong(expr, "this is null and nothing else: say of what type, as tc.lit(None).cast(int)")
        return found

    def condition(self, expr: Expr) -> Bound:
        """An expression that is true or false."""
        found = self.of(expr)
        if found.kind.base not in ("bool", "null"):
            self._wrong(expr, f"a condition is needed here, and this is {found.kind}: compare it with something")
        return found

    def of(self, expr: Expr) -> Bound:
        """Any expression."""
        made: Bound = getattr(self, f"_{expr._op}")(expr)
        sql = Sql(made.sql, place=expr._place, is_value=True)
        return Bound(sql, made.level, made.kind, made.plain)

    def _wrong(self, expr: Expr, message: str) -> NoReturn:
        _fail(message, expr._place)

    def _alike(self, expr: Expr, *of: Bound) -> Kind:
        """The kind that all have in common."""
        kind = of[0].kind
        try:
            for it in of[1:]:
                kind = common(kind, it.kind)
        except Unlike as error:
            self._wrong(expr, str(error))
        return kind

    def _in_order(self, expr: Expr, kind: Kind) -> None:
        if kind.base == "string":
            self._wrong(expr, "texts without a list have no order, no least and no greatest: a tc.Category, which lists them, has")

    def _number(self, expr: Expr, of: Bound, what: str) -> Kind:
        kind = of.kind
        if kind.base == "bool":
            return Kind("int", kind.nullable, natural=True)
        if not kind.is_number:
            self._wrong(expr, f"{what} of numbers, and this is {kind}")
        return kind

    # Row by row.

    def _col(self, expr: Expr) -> Bound:
        name = expr._given
        found = self.columns.get(name)
        if found is None:
            self._wrong(expr, f"there is no column {name!r}: {instead(name, self.columns)}")
        if self.grouped and self.inside is None:
            self._wrong(expr, f"{name!r} has many values in a group: take one of all of them, such as tc.col({name!r}).max()")
        return found

    def _lit(self, expr: Expr) -> Bound:
        value, written = expr._given
        if isinstance(value, bool):
            kind = Kind("bool")
        elif isinstance(value, str):
            kind = Kind("text", value=value)
        elif isinstance(value, datetime.date):
            kind = Kind("date")
        elif value is None:
            kind = Kind("null", True)
        else:
            scale = len(written.partition(".")[2])
            kind = Kind("decimal" if scale else "int", scale=scale, natural=value >= 0, value=value)
        return Bound(Sql(written), NEGATE if written.startswith("-") else ATOM, kind)

    def _binary(self, expr: Expr) -> Bound:
        operator = expr._given
        if operator in ("AND", "OR", "XOR"):
            parts = [self.condition(it) for it in chain(expr)]
            kind = Kind("bool", any(it.kind.nullable for it in parts))
            level = _LEVELS[operator]
            word = " <> " if operator == "XOR" else f" {operator} "
            return Bound(joined(word, (_within(it, level) for it in parts)), COMPARE if operator == "XOR" else level, kind)
        a, b = (self.of(it) for it in expr._of)
        if operator in _COMPARISONS:
            kind = self._alike(expr, a, b)
            if kind.base == "null":
                self._wrong(expr, "null is equal to nothing: use is_null() or is_not_null()")
            if operator not in ("=", "<>"):
                self._in_order(expr, kind)
            return Bound(Sql(_within(a, ADD), f" {operator} ", _within(b, ADD)), COMPARE, Kind("bool", kind.nullable))
        return self._arithmetic(expr, operator, a, b)

    def _arithmetic(self, expr: Expr, operator: str, a: Bound, b: Bound) -> Bound:
        level, nullable = _LEVELS[operator], a.kind.nullable or b.kind.nullable
        sql = Sql(_within(a, level), f" {operator} ", _within(b, level + 1))
        bases = (a.kind.base, b.kind.base)
        if operator == "-" and bases == ("date", "date"):
            return Bound(sql, level, Kind("int", nullable))
        if "date" in bases and operator in ("+", "-") and bases != ("date", "date") and (operator == "+" or bases[0] == "date"):
            if "int" not in bases:
                self._wrong(expr, "a whole number of days is added to a date, or subtracted from one")
            return Bound(sql, level, Kind("date", nullable))
        kinds = [self._number(expr, it, f"{operator} is") for it in (a, b)]
        divisor = kinds[1].value
        natural = kinds[0].natural and kinds[1].natural
        if operator == "/":
            return Bound(sql, level, Kind("fixed", nullable or not divisor, natural=natural))
        if operator in ("//", "%"):
            return self._floored(expr, operator, (a, b), (kinds[0], kinds[1]))
        if operator == "*":
            if "fixed" in (kinds[0].base, kinds[1].base):
                return Bound(sql, level, Kind("fixed", nullable, natural=natural))
            scale = kinds[0].scale + kinds[1].scale
            if scale > text.MOST_DECIMALS:
                self._wrong(expr, f"this product has {scale} decimals, more than {text.MOST_DECIMALS}: round(2) a factor first")
            return Bound(sql, level, Kind("decimal" if scale else "int", nullable, scale, natural=natural))
        both = common(kinds[0], kinds[1])
        return Bound(sql, level, Kind(both.base, nullable, both.scale, natural=natural and operator == "+"))

    def _floored(self, expr: Expr, operator: str, of: tuple[Bound, Bound], kinds: tuple[Kind, Kind]) -> Bound:
        """Quotients that are rounded down, as in Python and in Polars: SQL rounds towards zero."""
        if any(it.base != "int" for it in kinds):
            self._wrong(expr, f"{operator} is of whole numbers: round() makes them of others")
        divisor = kinds[1].value
        nullable = kinds[0].nullable or kinds[1].nullable or not divisor
        a, b = _within(of[0], TIMES), _within(of[1], TIMES + 1)
        done = Sql(a, f" {operator} ", b)
        if kinds[0].natural and kinds[1].natural:
            return Bound(done, TIMES, Kind("int", nullable, natural=True))
        rest = Sql(a, " % ", b)
        if divisor is not None and divisor > 0:
            below = Sql(rest, " < 0")
        else:
            below = Sql(rest, " <> 0 AND (", _within(of[0], ADD), " < 0) <> (", _within(of[1], ADD), " < 0)")
        less = Sql(done, " - 1") if operator == "//" else Sql(done, " + ", b)
        natural = operator == "%" and kinds[1].natural
        return Bound(Sql("CASE WHEN ", below, " THEN ", less, " ELSE ", done, " END"), ATOM, Kind("int", nullable, natural=natural))

    def _not(self, expr: Expr) -> Bound:
        of = self.condition(expr._of[0])
        return Bound(Sql("NOT ", _within(of, NOT + 1)), NOT, of.kind)

    def _neg(self, expr: Expr) -> Bound:
        of = self.of(expr._of[0])
        kind = self._number(expr, of, "- is")
        return Bound(Sql("-", _within(of, ATOM)), NEGATE, Kind(kind.base, kind.nullable, kind.scale))

    def _abs(self, expr: Expr) -> Bound:
        of = self.of(expr._of[0])
        kind = self._number(expr, of, "abs is")
        return Bound(Sql("abs(", of.sql, ")"), ATOM, Kind(kind.base, kind.nullable, kind.scale, natural=True))

    def _sqrt(self, expr: Expr) -> Bound:
        of = self.of(expr._of[0])
        self._number(expr, of, "sqrt is")
        return Bound(Sql("sqrt(", of.sql, ")"), ATOM, Kind("fixed", True, natural=True))

    def _sign(self, expr: Expr) -> Bound:
        of = self.of(expr._of[0])
        kind = self._number(expr, of, "sign is")
        return Bound(Sql("sign(", of.sql, ")"), ATOM, Kind("int", kind.nullable, natural=kind.natural))

    def _cut(self, expr: Expr) -> Bound:
        of, *breaks = (self.of(it) for it in expr._of)
        self._in_order(expr, of.kind)
        for it in breaks:
            self._alike(expr, of, it)
        edges = joined(", ", (it.sql for it in breaks))
        return Bound(Sql("width_bucket(", of.sql, ", [", edges, "])"), ATOM, Kind("int", of.kind.nullable, natural=True))

    def _is_null(self, expr: Expr) -> Bound:
        return Bound(Sql(_within(self.of(expr._of[0]), ADD), " IS NULL"), COMPARE, Kind("bool"))

    def _is_not_null(self, expr: Expr) -> Bound:
        return Bound(Sql(_within(self.of(expr._of[0]), ADD), " IS NOT NULL"), COMPARE, Kind("bool"))

    def _coalesce(self, expr: Expr) -> Bound:
        a, b = (self.of(it) for it in expr._of)
        kind = self._alike(expr, a, b)
        return Bound(Sql("coalesce(", a.sql, ", ", b.sql, ")"), ATOM, kind.maybe(a.kind.nullable and b.kind.nullable))

    def _in(self, expr: Expr) -> Bound:
        of, *others = (self.of(it) for it in expr._of)
        nullable = of.kind.nullable
        for it in others:
            nullable = self._alike(expr, of, it).nullable or nullable
        return Bound(Sql(_within(of, ADD), " IN (", joined(", ", (it.sql for it in others)), ")"), COMPARE, Kind("bool", nullable))

    def _between(self, expr: Expr) -> Bound:
        of, low, high = (self.of(it) for it in expr._of)
        self._in_order(expr, of.kind)
        nullable = self._alike(expr, of, low).nullable or self._alike(expr, of, high).nullable
        kind = Kind("bool", nullable)
        if expr._given == "both":
            return Bound(Sql(_within(of, ADD), " BETWEEN ", _within(low, ADD), " AND ", _within(high, ADD)), COMPARE, kind)
        above = ">=" if expr._given == "left" else ">"
        below = "<=" if expr._given == "right" else "<"
        x = _within(of, ADD)
        return Bound(Sql(x, f" {above} ", _within(low, ADD), " AND ", x, f" {below} ", _within(high, ADD)), AND, kind)

    def _clip(self, expr: Expr) -> Bound:
        of, *bounds = (self.of(it) for it in expr._of)
        kind = self._alike(expr, of, *bounds)
        if not kind.is_number and kind.base != "date":
            self._wrong(expr, f"clip is of numbers and of dates, and this is {of.kind}")
        x = _within(of, ADD)
        signs = [sign for sign, said in zip(("<", ">"), expr._given, strict=True) if said]
        cut = [Sql("WHEN ", x, f" {sign} ", _within(it, ADD), " THEN ", it.sql, " ") for sign, it in zip(signs, bounds, strict=True)]
        natural = kind.natural or (expr._given[0] and bounds[0].kind.natural)
        kind = Kind(kind.base, kind.nullable, kind.scale, kind.names, natural)
        return Bound(Sql("CASE ", *cut, "ELSE ", of.sql, " END"), ATOM, kind)

    def _case(self, expr: Expr) -> Bound:
        given = list(expr._of)
        last = self.of(given.pop()) if len(given) % 2 else None
        conditions = [self.condition(it) for it in given[::2]]
        values = [self.of(it) for it in given[1::2]]
        every = [*values, *([] if last is None else [last])]
        kind = self._alike(expr, *sorted(every, key=lambda it: it.kind.base in ("text", "null")))
        nullable = last is None or any(it.kind.nullable for it in every)
        parts: list[str | Sql] = [Sql("WHEN ", c.sql, " THEN ", v.sql, " ") for c, v in zip(conditions, values, strict=True)]
        if last is not None:
            parts.append(Sql("ELSE ", last.sql, " "))
        # What is written down in one branch is not the value of all.
        value = kind.value if len(every) == 1 else None
        natural = all(it.kind.natural for it in every)
        made = Kind(kind.base, nullable, kind.scale, kind.names, natural, value if kind.base == "text" else None)
        return Bound(Sql("CASE ", *parts, "END"), ATOM, made)

    def _part(self, expr: Expr) -> Bound:
        of = self.of(expr._of[0])
        if of.kind.base != "date":
            self._wrong(expr, f"{expr._given} is of dates, and this is {of.kind}")
        kind = Kind("int", of.kind.nullable, natural=True)
        if expr._given == "weekday":
            # Sunday is 0 in SQL.
            day = Sql("dayofweek(", of.sql, ")")
            return Bound(Sql("CASE WHEN ", day, " = 0 THEN 7 ELSE ", day, " END"), ATOM, kind)
        return Bound(Sql(f"{expr._given}(", of.sql, ")"), ATOM, kind)

    def _cast(self, expr: Expr) -> Bound:
        of, to = self.of(expr._of[0]), expr._given
        kind = of.kind if of.kind.base == "null" else self._number(expr, of, "cast is")
        if to is int:
            if kind.base not in ("int", "null"):
                self._wrong(expr, f"this is {of.kind}, and how it becomes a whole number is to be said: round()")
            return Bound(Sql("CAST(", of.sql, " AS BIGINT)"), ATOM, Kind("int", kind.nullable, natural=kind.natural))
        if isinstance(to, Decimal):
            if to.decimals == 0:
                self._wrong(expr, "a decimal without decimals is a whole number: round()")
            made = Kind("decimal", kind.nullable, to.decimals, natural=kind.natural)
            return Bound(Sql("CAST(", of.sql, f" AS DECIMAL({to.digits}, {to.decimals}))"), ATOM, made)
        return Bound(Sql("CAST(", of.sql, " AS DOUBLE)"), ATOM, Kind("fixed", kind.nullable, natural=kind.natural))

    def _round(self, expr: Expr) -> Bound:
        of, decimals = self.of(expr._of[0]), expr._given
        kind = self._number(expr, of, "round is")
        to = f"DECIMAL(18, {decimals})" if decimals else "BIGINT"
        made = Kind("decimal" if decimals else "int", kind.nullable, decimals, natural=kind.natural)
        return Bound(Sql("CAST(", of.sql, f" AS {to})"), ATOM, made)

    def _like(self, expr: Expr) -> Bound:
        of, (how, part) = self.of(expr._of[0]), expr._given
        if of.kind.base == "string":
            return Bound(Sql(f"{how}(", of.sql, f", {text.quoted(part)})"), ATOM, Kind("bool", of.kind.nullable))
        if of.kind.base != "category":
            self._wrong(expr, f"{how} is of texts and of categories, and this is {of.kind}")
        fitting = [it for it in of.kind.names if _LIKE[how](it, part)]
        kind = Kind("bool", of.kind.nullable)
        if not fitting:
            return Bound(Sql("CASE WHEN ", _within(of, ADD), " IS NOT NULL THEN FALSE END"), ATOM, kind)
        return Bound(Sql(_within(of, ADD), " IN (", ", ".join(map(text.quoted, fitting)), ")"), COMPARE, kind)

    def _of_text(self, expr: Expr) -> Bound:
        of, (function, numbers) = self.of(expr._of[0]), expr._given
        if of.kind.base != "string":
            self._wrong(expr, f"{_TEXTS.get(function, function)} is of tc.Text, and this is {of.kind}")
        sql = Sql(f"{function}(", of.sql, *(f", {number}" for number in numbers), ")")
        if function == "length":
            return Bound(sql, ATOM, Kind("int", of.kind.nullable, natural=True))
        # Nothing may be left of a text.
        return Bound(sql, ATOM, Kind("string", of.kind.nullable or function not in ("lower", "upper")))

    def _filtered(self, expr: Expr) -> Bound:
        self._wrong(
            expr, "what is filtered is summed up: tc.col.x.filter(c).sum(), and the rows of a frame are filtered by frame.filter(c)"
        )

    # Of several rows.

    def _inner(self, expr: Expr, of: Expr) -> Bound:
        """What an aggregate is of."""
        if self.inside is not None:
            self._wrong(
                expr, f"{expr._given.function} stands in {self.inside}: make it a column by with_columns first, and go on from there"
            )
        self.inside = expr._given.function
        try:
            return self.of(of)
        finally:
            self.inside = None

    def _aggregate(self, expr: Expr) -> Bound:
        given: Aggregate = expr._given
        function = given.function
        of = self._inner(expr, expr._of[0]) if expr._of else None
        where = None if given.where is None else self._inner(expr, given.where)
        if where is not None and where.kind.base not in ("bool", "null"):
            self._wrong(given.where or expr, f"a filter is by a condition, and this is {where.kind}: compare it with something")
        tail = Sql() if where is None else Sql(" FILTER (WHERE ", where.sql, ")")
        if of is None or function == "len":
            return self._call("count(*)", tail, Kind("int", natural=True))
        kind, fewer = of.kind, where is not None
        if not names(expr._of[0]):
            self._wrong(expr, f"{function} is of columns, and {expr._of[0]!r} is written down: tc.len() counts rows")
        # Nothing counts in a group without values, or in no rows at all.
        nullable = kind.nullable or fewer or (self.grouped and not self.keyed)
        if function in ("sum", "mean"):
            self._number(expr, of, f"{function} is")
        if function in ("any", "all"):
            if kind.base != "bool":
                self._wrong(expr, f"{function} is of conditions, and this is {kind}")
            extreme = "max" if function == "any" else "min"
            found = self._call(Sql(f"{extreme}(", of.sql, ")"), tail, Kind("bool", nullable))
            return _else(found, "FALSE" if function == "any" else "TRUE") if nullable else found
        if function == "sum":
            summed = Kind("int" if kind.base == "bool" else kind.base, nullable, kind.scale, natural=kind.natural or kind.base == "bool")
            found = self._call(Sql("sum(", of.sql, ")"), tail, summed)
            return _else(found, "0") if nullable else found
        if function == "mean":
            return self._call(Sql("avg(", of.sql, ")"), tail, Kind("fixed", nullable, natural=kind.natural))
        if function in ("var", "std", "corr", "max_by", "min_by"):
            return self._of_pairs(expr, of, tail)
        if function in ("min", "max", "quantile"):
            self._in_order(expr, kind)
        if function in ("min", "max"):
            made = Kind(kind.base, nullable, kind.scale, kind.names, kind.natural)
            return self._call(Sql(f"{function}(", of.sql, ")"), tail, made)
        if function == "count":
            return self._call(Sql("count(", of.sql, ")"), tail, Kind("int", natural=True))
        if function in ("first", "last"):
            return self._end(expr, of, where)
        if self.window is not None:
            way = "group_by(...).agg(...) computes it, and a join brings it to the rows"
            self._wrong(expr, f"{function} is not computed for each row: {way}, or select(...) of nothing else")
        if function == "n_unique":
            counted = self._call(Sql("count(DISTINCT ", of.sql, ")"), tail, Kind("int", natural=True))
            if not kind.nullable:
                return counted
            some = Sql("count(", of.sql, ")", tail, " < count(*)", tail)
            return Bound(Sql(counted.sql, " + CASE WHEN ", some, " THEN 1 ELSE 0 END"), ADD, counted.kind)
        fraction, between = ("0.5", "linear") if function == "median" else given.parameter
        if between == "linear":
            kind = self._number(expr, of, f"{function} is")
            call = Sql("median(", of.sql, ")") if function == "median" else Sql("quantile_cont(", of.sql, f", {fraction})")
            return self._call(call, tail, Kind("fixed", nullable, natural=kind.natural))
        made = Kind(kind.base, nullable, kind.scale, kind.names, kind.natural)
        return self._call(Sql("quantile_disc(", of.sql, f", {fraction})"), tail, made)

    def _of_pairs(self, expr: Expr, of: Bound, tail: Sql) -> Bound:
        """How far numbers lie apart, how they go together, and values of rows in which others are extreme."""
        function = expr._given.function
        if self.window is not None:
            way = "group_by(...).agg(...) computes it, and a join brings it to the rows"
            self._wrong(expr, f"{function} is not computed for each row: {way}, or select(...) of nothing else")
        if function in ("var", "std"):
            self._number(expr, of, f"{function} is")
            name = f"{'var' if function == 'var' else 'stddev'}_{'samp' if expr._given.parameter else 'pop'}"
            return self._call(Sql(f"{name}(", of.sql, ")"), tail, Kind("fixed", True, natural=True))
        other = self._inner(expr, expr._of[1])
        if function == "corr":
            self._number(expr, of, "corr is")
            self._number(expr, other, "corr is")
            return self._call(Sql("corr(", of.sql, ", ", other.sql, ")"), tail, Kind("fixed", True))
        self._in_order(expr, of.kind)
        self._in_order(expr, other.kind)
        made = Kind(of.kind.base, True, of.kind.scale, of.kind.names, of.kind.natural)
        name = "arg_max" if function == "max_by" else "arg_min"
        return self._call(Sql(f"{name}(", of.sql, ", ", other.sql, ")"), tail, made)

    def _call(self, call: str | Sql, tail: Sql, kind: Kind) -> Bound:
        over = Sql() if self.window is None else self.window.sql()
        return Bound(Sql(call, tail, over), ATOM, kind)

    def _end(self, expr: Expr, of: Bound, where: Bound | None) -> Bound:
        """The first or the last value."""
        function = expr._given.function
        window = self.window
        if window is None or not window.order:
            self._wrong(
                expr,
                f"which row is the {function} depends on an order, and rows have none: "
                f"tc.col.x.{function}().over(keys, order_by=...) has one, and min() or max() need none",
            )
        if where is not None:
            self._wrong(expr, f"{function} has no filter: filter the frame, or take min() or max()")
        frame = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING" if function == "last" else ""
        made = Kind(of.kind.base, of.kind.nullable, of.kind.scale, of.kind.names, of.kind.natural)
        return Bound(Sql(f"{function}_value(", of.sql, ")", window.sql(window.order, frame)), ATOM, made)

    # Of rows in an order.

    def _over(self, expr: Expr) -> Bound:
        given: Over = expr._given
        if self.grouped:
            self._wrong(
                expr, "rows of a group are not looked at one by one: compute it by with_columns before, or of the groups afterwards"
            )
        if self.inside is not None or self.window != Window():
            self._wrong(expr, "over stands within another one: make it a column by with_columns first, and go on from there")
        if not any(it._op in ("aggregate", "ordered") for it in walk(expr._of[0], into_windows=False)):
            self._wrong(expr, "over is of what several rows have, such as tc.col.x.sum().over(keys)")
        self.window = None
        keys = [self._key(it) for it in given.keys]
        order = [(self._key(it), down) for it, down in zip(given.order, given.descending, strict=True)]
        for one, (key, _) in zip(given.order, order, strict=True):
            self._in_order(one, key.kind)
        written = tuple(ordered(it, down, given.nulls_last) for it, down in order)
        self.window = Window(tuple(it.sql for it in keys), written)
        try:
            return self.of(expr._of[0])
        finally:
            self.window = Window()

    def _key(self, expr: Expr) -> Bound:
        if has_aggregate(expr) or has_window(expr):
            self._wrong(expr, "what rows have in common is a column: make it one by with_columns first")
        return self.value(expr)

    def _ordered(self, expr: Expr) -> Bound:
        given: Aggregate = expr._given
        function = given.function
        if self.grouped:
            self._wrong(expr, f"{function} is of rows: compute it by with_columns, before or after")
        of = self._inner(expr, expr._of[0])
        window = self.window or Window()
        kind, parameter = of.kind, given.parameter
        if function == "rank":
            return self._rank(expr, of, window)
        if not window.order:
            self._wrong(expr, f"{function} depends on an order, and rows have none: tc.col.x.{function}(...).over(keys, order_by=...)")
        over = window.sql(window.order, _ROWS_BEFORE)
        if function == "shift":
            name, rows = ("lag" if parameter >= 0 else "lead"), abs(parameter)
            other = self._inner(expr, expr._of[1]) if len(expr._of) > 1 else None
            both = kind if other is None else self._alike(expr, of, other)
            end = Sql() if other is None else Sql(", ", other.sql)
            made = Kind(both.base, both.nullable or other is None, both.scale, both.names, both.natural)
            return Bound(Sql(f"{name}(", of.sql, f", {rows}", end, ")", window.sql(window.order)), ATOM, made)
        if function == "cum_count":
            return Bound(Sql("count(", of.sql, ")", over), ATOM, Kind("int", natural=True))
        if function in ("cum_min", "cum_max"):
            self._in_order(expr, kind)
            made = Kind(kind.base, kind.nullable, kind.scale, kind.names, kind.natural)
            return _known(of, Bound(Sql(f"{function[4:]}(", of.sql, ")", over), ATOM, made))
        number = self._number(expr, of, f"{function} is")
        summed = Kind(number.base, number.nullable, number.scale, natural=number.natural)
        if function == "cum_sum":
            return _known(of, Bound(Sql("sum(", of.sql, ")", over), ATOM, summed))
        rows, least = parameter
        frame = window.sql(window.order, f"ROWS BETWEEN {rows - 1} PRECEDING AND CURRENT ROW")
        name = "sum" if function == "rolling_sum" else "avg"
        made = Kind("fixed" if name == "avg" else summed.base, True, summed.scale if name == "sum" else 0, natural=summed.natural)
        there = Sql("count(", of.sql, ")", frame)
        return Bound(Sql("CASE WHEN ", there, f" >= {least} THEN {name}(", of.sql, ")", frame, " END"), ATOM, made)

    def _rank(self, expr: Expr, of: Bound, window: Window) -> Bound:
        method, descending = expr._given.parameter
        if window.order:
            self._wrong(expr, "rank is by its own values: leave order_by out")
        if not names(expr._of[0]):
            self._wrong(expr, f"rank is of columns, and {expr._of[0]!r} is written down")
        self._in_order(expr, of.kind)
        function = {"min": "rank", "dense": "dense_rank", "ordinal": "row_number"}[method]
        order = (ordered(of, descending, True),)
        kind = Kind("int", of.kind.nullable, natural=True)
        return _known(of, Bound(Sql(f"{function}()", window.sql(order)), ATOM, kind))


def ordered(of: Bound, descending: bool, nulls_last: bool) -> Sql:
    """What rows are ordered by. Nulls come last in SQL unless it is said."""
    first = " NULLS FIRST" if of.kind.nullable and not nulls_last else ""
    return Sql(of.sql, " DESC" if descending else "", first)


def _known(of: Bound, value: Bound) -> Bound:
    """A value where another one is not null."""
    if not of.kind.nullable:
        return value
    return Bound(Sql("CASE WHEN ", _within(of, ADD), " IS NOT NULL THEN ", value.sql, " END"), ATOM, value.kind)


def _else(of: Bound, other: str) -> Bound:
    """A value, or another one where it is null."""
    return Bound(Sql("coalesce(", of.sql, f", {other})"), ATOM, of.kind.maybe(False))


def _within(of: Bound, least: int) -> Sql:
    """An operand, in brackets if it would come apart."""
    return of.sql if of.level >= least else Sql("(", of.sql, ")")


def _fail(message: str, place: Place) -> NoReturn:
    fail(ProgramError, message, place[0], place[1])
