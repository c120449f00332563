"""Frames: rows of the tables of several parties, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar

from .._place import here
from ..errors import ProgramError, fail, methods_take
from . import text
from .base import FrameBase, Said, fixed, listed, numbered, part
from .bind import ADD, ATOM, COMPARE, Binder, Bound, ordered
from .block import Key, Union, within
from .expr import Expr, column_of
from .kinds import Kind
from .text import Place, Sql, joined
from .walk import has_aggregate, has_row, has_window

if TYPE_CHECKING:
    from ..array import Array
    from .grouped import Groups
    from .reveal import FrameReveal

# A column, by an expression or by its name.
Column: TypeAlias = "Expr | str"
Columns: TypeAlias = "Column | Iterable[Column]"
How = Literal["inner", "left", "semi", "anti"]
_T = TypeVar("_T")
_P = ParamSpec("_P")


@methods_take
class Frame(FrameBase):
    """Rows of tables that parties give, and what is made of them: a query, which runs when a job of it does.

    It holds no data. Operations have the names that Polars gives them, and none changes a frame: each makes another one. The query is
    written as SQL, which `to_sql()` shows. Rows have no order but the one that `sort` gives, and what is not revealed stays secret: no
    filter or join shows which rows it kept.

    >>> import tacit as tc
    >>> alice, bob = tc.parties("alice", "bob")
    >>> schema = tc.Schema(plan=tc.Category(["basic", "full"]), cost=tc.Decimal(6, 2))
    >>> visits = tc.concat([party.table("visits", schema, max_rows=1000) for party in (alice, bob)])
    >>> by_plan = visits.group_by("plan").agg(people=tc.len(), cost=tc.col.cost.sum()).sort("plan")
    >>> job = tc.job("costs", table=by_plan.reveal(to=[alice, bob]))
    >>> res = job.run({"alice": {"plan": ["full"], "cost": [12.25]}, "bob": {"plan": ["full", "basic"], "cost": [1, 7.5]}})
    >>> res.table.to_dict()
    {'plan': ['basic', 'full'], 'people': [1, 2], 'cost': [Decimal('7.50'), Decimal('13.25')]}
    """

    __slots__ = ()

    # Columns.

    def select(self, *exprs: Columns, **named: Any) -> Frame:
        """These columns alone. Of aggregates alone, one row of all rows; beside columns, an aggregate is the same in all rows.

        Args:
            exprs: Expressions, or names of columns.
            named: Expressions by the names that they get; a text is the name of a column.
        """
        place = here()
        chosen = listed(exprs, named, place)
        if not chosen:
            fail(ProgramError, "say which columns: select('plan', total=tc.col.cost.sum())", *place)
        if all(expr._op == "col" for _, expr in chosen):
            return self._projected([(name, expr._given) for name, expr in chosen], chosen, place)
        if not any(has_row(expr) for _, expr in chosen):
            return self._totals(chosen, place)
        return self._extended(chosen, {}, place)

    def _projected(self, chosen: list[tuple[str, str]], exprs: list[tuple[str, Expr]], place: Place) -> Frame:
        """Columns as they are, under other names perhaps."""
        for (_, name), (_, expr) in zip(chosen, exprs, strict=True):
            if name not in self._block.columns:
                self._unknown(name, expr._place)
        block = self._block
        if block.distinct or block.limit is not None or isinstance(block.source, Union):
            block = within(block, place)
        columns = {name: block.columns[old] for name, old in chosen}
        self._checked(columns, place)
        new: dict[str, str] = {}
        for name, old in chosen:
            new.setdefault(old, name)
        block = replace(block, columns=columns, place=place)
        order, lost = self._kept_order(new)
        keys = frozenset(frozenset(new[it] for it in key) for key in self._keys if all(it in new for it in key))
        return self._with(block, _order=order, _lost=lost, _keys=keys)

    def _kept_order(self, new: Mapping[str, str]) -> tuple[tuple[Key, ...], str | None]:
        """The order, of columns that have other names, or are there no more."""
        gone = next((it.name for it in self._order if it.name not in new), None)
        if self._lost is not None or gone is not None:
            return (), self._lost or gone
        return tuple(replace(it, name=new[it.name]) for it in self._order), None

    def _totals(self, chosen: list[tuple[str, Expr]], place: Place) -> Frame:
        """One row of all rows."""
        if not any(has_aggregate(expr) for _, expr in chosen):
            fail(ProgramError, "nothing of the frame is selected: name a column, or an aggregate such as tc.len()", *place)
        self._not_suppressed("one row of all groups is made", place)
        block = self._for((expr for _, expr in chosen), place)
        if block.windows:
            block = within(block, place)
        binder = Binder(block.columns, grouped=True)
        columns = {name: binder.value(expr) for name, expr in chosen}
        self._checked(columns, place)
        block = replace(block, columns=columns, keys=(), hint="totals")
        return self._with(block, _order=(), _lost=None, _keys=frozenset({frozenset()}), _grouped=False)

    def with_columns(self, *exprs: Columns, **named: Any) -> Frame:
        """With more columns, or other ones of the same names. All are computed of the columns that were there before; an aggregate is
        the same in all rows, and `over` says of which rows it is.

        Args:
            exprs: Expressions, which have the name of the column that they begin with unless `alias` says another one.
            named: Expressions by the names that they get.
        """
        place = here()
        chosen = listed(exprs, named, place)
        return self._extended(chosen, self._block.columns, place) if chosen else self

    def _extended(self, chosen: list[tuple[str, Expr]], before: Mapping[str, Bound], place: Place) -> Frame:
        exprs = [expr for _, expr in chosen]
        windows = any(has_window(it) or has_aggregate(it) for it in exprs)
        block = self._for(exprs, place)
        binder = Binder(block.columns)
        made = {name: binder.value(expr) for name, expr in chosen}
        columns = {**{name: block.columns[name] for name in before}, **made}
        self._checked(columns, place)
        hint = "windowed" if windows else "computed" if block.hint == "selected" else block.hint
        block = replace(block, columns=columns, windows=block.windows or windows, hint=hint)
        # Of columns that stay, or are only named otherwise.
        new = {name: name for name in before if name not in made}
        for name, expr in chosen:
            if expr._op == "col":
                new.setdefault(expr._given, name)
        order, lost = self._kept_order(new)
        keys = {frozenset(new[it] for it in key) for key in self._keys if all(it in new for it in key)}
        keys |= {key for name, expr in chosen if (key := numbered(name, expr, made[name], new)) is not None}
        grouped = self._grouped and not windows
        return self._with(block, _order=order, _lost=lost, _keys=frozenset(keys), _grouped=grouped)

    def rename(self, mapping: Mapping[str, str]) -> Frame:
        """Columns under other names.

        Args:
            mapping: New names by old ones.
        """
        place = here()
        for name, new in mapping.items():
            if name not in self._block.columns:
                self._unknown(name, place)
            wrong = text.wrong_name(new)
            if wrong is not None:
                fail(ProgramError, wrong, *place)
        chosen = [(mapping.get(name, name), name) for name in self.columns]
        twice = next((new for new, _ in chosen if [it for it, _ in chosen].count(new) > 1), None)
        if twice is not None:
            fail(ProgramError, f"there would be two columns {twice!r}", *place)
        return self._projected(chosen, [(new, column_of(old)) for new, old in chosen], place)

    def drop(self, *columns: Columns) -> Frame:
        """Without these columns."""
        place = here()
        gone = [name for it in columns for name in self._named(it, place)]
        left = [name for name in self.columns if name not in gone]
        if not left:
            fail(ProgramError, "no column would be left", *place)
        return self._projected([(name, name) for name in left], [(name, column_of(name)) for name in left], place)

    # Rows.

    def filter(self, *predicates: Expr | Iterable[Expr]) -> Frame:
        """The rows for which all conditions are true. Nobody learns which they are, or how many, unless that is revealed.

        Args:
            predicates: Conditions, such as `tc.col.age >= 65`.
        """
        place = here()
        found: list[Expr] = []
        for it in predicates:
            found += [it] if isinstance(it, Expr) or not isinstance(it, Iterable) or isinstance(it, str) else list(it)
        if not found:
            fail(ProgramError, "say which rows: filter(tc.col.age >= 65)", *place)
        for it in found:
            if not isinstance(it, Expr):
                fail(ProgramError, f"rows are filtered by a condition, such as tc.col.age >= 65, not by {it!r}", *place)
        windows = any(has_window(it) or has_aggregate(it) for it in found)
        block = self._for(found, place)
        if block.windows:
            block = within(block, place)
        binder = Binder(block.columns)
        bound = [binder.condition(it) for it in found]
        if windows:
            all_of = bound[0] if len(bound) == 1 else Bound(joined(" AND ", (part(it) for it in bound)), COMPARE, Kind("bool"))
            block = replace(block, qualify=all_of, hint="filtered")
        else:
            hint = "filtered" if block.hint == "selected" else block.hint
            block = replace(block, where=(*block.where, *bound), hint=hint)
        constant = {name for it in found for name in fixed(it)}
        keys = frozenset(key - constant for key in self._keys)
        return self._with(block, _keys=keys, _grouped=self._grouped and not windows)

    def unique(self, subset: Columns | None = None, *, keep: Literal["any"] = "any") -> Frame:
        """Of rows that are alike, one.

        Args:
            subset: The columns in which they are alike: all, if nothing is said. Which one stays follows from what they hold: the least
                by the other columns, one after the other.
            keep: `"any"`: rows have no order in which one would be the first.
        """
        place = here()
        if keep != "any":
            fail(
                ProgramError,
                f'keep is "any", not {keep!r}: rows have no order; sort, and take first().over(...), or filter by a rank',
                *place,
            )
        alike = self.columns if subset is None else self._named(subset, place)
        others = [name for name in self.columns if name not in alike]
        if not alike:
            fail(ProgramError, "say which columns rows are alike in, or none for all", *place)
        if not others:
            self._not_suppressed("rows that are alike become one", place)
            block = self._block
            if block.distinct or block.limit is not None or isinstance(block.source, Union):
                block = within(block, place)
            block = replace(block, distinct=True, place=place, hint="distinct_rows")
            return self._with(block, _order=(), _lost=None, _keys=frozenset({frozenset(alike)}), _grouped=False)
        block = self._for([column_of(it) for it in self.columns], place)
        if block.windows:
            block = within(block, place)
        keys = joined(", ", (block.columns[it].sql for it in alike))
        # Where nothing has an order, what rows have in common tells none apart, and all columns do that.
        by = [it for it in others if block.columns[it].kind.base != "string"] or alike
        if all(block.columns[it].kind.base == "string" for it in by):
            fail(ProgramError, "texts without a list have no order, and no other column says which row stays: leave it to group_by", *place)
        order = joined(", ", (block.columns[it].sql for it in by if block.columns[it].kind.base != "string"))
        first = Sql("row_number() OVER (PARTITION BY ", keys, " ORDER BY ", order, ") = 1", place=place)
        block = replace(block, qualify=Bound(first, COMPARE, Kind("bool")), hint="distinct_rows")
        return self._with(block, _order=(), _lost=None, _keys=self._keys | {frozenset(alike)}, _grouped=False)

    def sort(self, by: Columns, *more: Column, descending: bool | Iterable[bool] = False, nulls_last: bool = False) -> Frame:
        """The rows in an order, for `head` and for the answer: what comes between takes no note of it. Ties are ordered by all columns.

        Args:
            by: The columns.
            more: Further ones.
            descending: Whether the greatest comes first, for all or one by one.
            nulls_last: Whether nulls come last, and not first.
        """
        place = here()
        columns = [*self._named(by, place), *self._named(more, place)]
        down = [descending] * len(columns) if isinstance(descending, bool) else list(descending)
        if len(down) != len(columns):
            fail(ProgramError, f"descending is one truth value, or one for each of the {len(columns)} columns", *place)
        if not columns:
            fail(ProgramError, "say by which columns: sort('plan')", *place)
        known = self._block.columns
        texts = next((name for name in columns if known[name].kind.base == "string"), None)
        if texts is not None:
            fail(ProgramError, f"{texts!r} is a text without a list, which has no order: a tc.Category, which lists them, has", *place)
        order = [Key(name, bool(it), known[name].kind.nullable and not nulls_last) for name, it in zip(columns, down, strict=True)]
        return self._with(replace(self._block, place=place), _order=tuple(order), _lost=None)

    def head(self, n: int = 5) -> Frame:
        """The first rows in the order that `sort` gave: so many, or fewer if there are not as many.

        Args:
            n: How many.
        """
        place = here()
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            fail(ProgramError, f"head takes a number of rows, from 1, not {n!r}", *place)
        if self._lost is not None:
            fail(ProgramError, f"the rows were sorted by {self._lost!r}, which is there no more: take head before it goes", *place)
        if not self._order:
            fail(
                ProgramError,
                "rows have no order, and which are the first would be chance: sort(...).head(k), or reveal(max_rows=k)",
                *place,
            )
        block = self._block
        if block.distinct or block.limit is not None or isinstance(block.source, Union):
            block = within(block, place)
        block = replace(block, order=self._order, limit=n, place=place, hint="first_rows")
        return self._with(block, _grouped=False)

    def limit(self, n: int = 5) -> Frame:
        """The same as `head`."""
        return self.head(n)

    def top_k(self, k: int, *, by: Columns) -> Frame:
        """The rows in which columns are greatest, the greatest first; nulls come last.

        Args:
            k: How many.
            by: The columns.
        """
        return self.sort(by, descending=True, nulls_last=True).head(k)

    def with_row_index(self, name: str = "index", offset: int = 0) -> Frame:
        """With the number of each row in the order that `sort` gave, as the first column.

        Args:
            name: What the column is called.
            offset: The number of the first row.
        """
        place = here()
        if self._lost is not None or not self._order:
            fail(ProgramError, "rows have no order in which they could be numbered: sort first", *place)
        if name in self._block.columns or text.wrong_name(name) is not None:
            fail(ProgramError, f"{name!r} is no name for a new column: there is one, or it is none", *place)
        block = self._for([column_of(it.name) for it in self._order], place)
        keys = [ordered(block.columns[it.name], it.descending, not it.nulls_first) for it in self._order]
        number = Sql("row_number() OVER (ORDER BY ", joined(", ", keys), ")", place=place)
        counted = offset - 1
        value = Sql(number, f" {'+' if counted > 0 else '-'} {abs(counted)}") if counted else number
        index = Bound(value, ATOM if not counted else ADD, Kind("int", natural=offset >= 0))
        columns = {name: index, **block.columns}
        self._checked(columns, place)
        return self._with(replace(block, columns=columns, windows=True, hint="numbered"), _grouped=False)

    # Several frames.

    def join(
        self,
        other: Frame,
        on: str | Sequence[str] | None = None,
        how: How = "inner",
        *,
        left_on: str | Sequence[str] | None = None,
        right_on: str | Sequence[str] | None = None,
        suffix: str = "_right",
        max_matches: int = 1,
    ) -> Frame:
        """With the columns of the rows of another frame that have equal values. Null is equal to nothing.

        One side must have each key once: that of a table by `unique=`, of groups, or of `unique(...)`; the right one, in a left join.
        The run checks what a table promises. Or `max_matches` says how many rows of the other frame any row matches at most: the run
        checks that too, and everything behind it is of so many times as many rows.

        Args:
            other: The other frame.
            on: The columns that are equal, by their names on both sides.
            how: `"inner"`; `"left"`, which keeps all rows of this frame; `"semi"` and `"anti"`, which keep those that have such a row in
                the other one, or have none, and add no columns.
            left_on: The columns of this frame, where names differ.
            right_on: The columns of the other frame, where names differ; they are not among the columns of the answer.
            suffix: What is added to names of the other frame that this one has too.
            max_matches: How many rows of the other frame a row matches at most, where neither side has each key once: one number for a
                whole query, up to 100.
        """
        from .joins import join

        return join(self, other, (on, left_on, right_on), how, suffix, max_matches)

    def group_by(self, *by: Columns, **named: Any) -> Groups:
        """Rows that have something in common, for `agg`.

        Args:
            by: What: columns, by name or as expressions. Null is a value like others.
            named: Expressions by the names that they get.
        """
        from .grouped import Groups

        place = here()
        keys = listed(by, named, place)
        if not keys:
            fail(ProgramError, "say what rows have in common: group_by('plan'); of all rows, select(...) takes aggregates", *place)
        for name, expr in keys:
            if has_aggregate(expr) or has_window(expr):
                fail(ProgramError, f"group by a column: make {name!r} one by with_columns first", *expr._place)
            if not has_row(expr):
                fail(ProgramError, f"{expr!r} is the same in all rows: group by columns", *expr._place)
        self._not_suppressed("groups are grouped again", place)
        binder = Binder(self._block.columns)
        for _, expr in keys:
            binder.value(expr)
            if expr._op in ("is_null", "is_not_null") and not binder.of(expr._of[0]).kind.nullable:
                fail(ProgramError, f"{expr._of[0]!r} is never null, and so {expr!r} is the same in all rows: leave it out", *expr._place)
        return Groups(self, keys)

    # What is shown.

    def min_rows(self, k: int) -> Frame:
        """Without groups of fewer rows: behind `group_by(...).agg(...)`. The answer says that some may be missing, and not how many.

        Args:
            k: How many rows a group has at least.
        """
        place = here()
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            fail(ProgramError, f"min_rows takes a number of rows, from 1, not {k!r}", *place)
        said = Said(k, place)
        if self._suppressed is not None:
            self._suppressed.same(said, "min_rows", place)
        if not self._grouped and self._suppressed is None:
            fail(
                ProgramError,
                "min_rows is of groups, right behind group_by(...).agg(...), and of the last groups that a query makes",
                *place,
            )
        return self._with(self._block, _suppressed=said)

    def reveal(self, to: Any = None, *, max_rows: int | None = None, frac: int | None = None) -> FrameReveal:
        """The rows, and who learns them: what `tc.job(name, table=...)` takes. There is no default.

        Where the number of rows depends on what is secret, something must bound it: `max_rows`, `sort(...).head(k)`, or groups by
        categories, truth values and narrow ranges. Who learns the answer learns how many of these rows there are, and with `max_rows`
        whether there are more. Rows are in the order of the last `sort`, ties by all columns; without it, they are ordered by all
        columns, never by whose they were.

        Args:
            to: Parties, or `"all"`.
            max_rows: The most rows that are shown.
            frac: Bits behind the point of quotients and means: 16, or as many as columns of `tc.Fixed` have.
        """
        from .reveal import FrameReveal

        return FrameReveal.of(self, to, max_rows, frac)

    def to_arrays(self, *columns: str) -> tuple[dict[str, Array], Array]:
        """Columns as arrays of shape (rows), by their names, for a program to go on with; and bits that say which rows there are.

        What a filter or a join left out stays as a row: its bit is 0, and so are its values. So the number of rows is known, and that of
        those which count is secret. Estimators take the bits as `sample_weight=`. What a join relies on is checked in each job that uses
        one of the arrays.

        Rows are in the order of the last `sort`; without it, in one that may follow from keys and from whose rows they are: who learns a
        result for each row learns that, too. Columns that may be null are filled first, by `fill_null`, or their nulls left out, by
        `filter`.

        Args:
            columns: Their names; all columns, unless some are named. Decimal ones are cast first.
        """
        from .arrays import to_arrays

        return to_arrays(self, columns)

    def pipe(self, function: Callable[Concatenate[Frame, _P], _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """What a function makes of this frame: `frame.pipe(f, x)` is `f(frame, x)`."""
        return function(self, *args, **kwargs)
