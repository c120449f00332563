"""What runs, plans and simulations give."""

from __future__ import annotations

import html
import importlib
import json
import os
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _tacit
from ._place import marked
from ._show import as_html, as_text, instead, paragraph
from .data import decimal
from .errors import InputError
from .plots import Plot

if TYPE_CHECKING:
    from .run import Several

__all__ = ["Explanation", "Plan", "Report", "Result", "Simulation", "Table"]


def _seconds(seconds: float) -> str:
    if seconds >= 10:
        return f"{seconds:.0f} s"
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def _bytes(size: float) -> str:
    for unit, word in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {word}"
    return f"{size:.0f} B"


class Report:
    """What a run cost. It holds nothing secret: costs follow from what is public."""

    def __init__(
        self,
        report: dict[str, Any],
        choice: dict[str, Any] | None,
        rounding: float,
        here: float | None = None,
        parties: Sequence[str] = (),
    ) -> None:
        self.raw = report
        self._here = here
        self._parties = list(parties)
        self.choice = choice
        self.rounding = rounding

    @property
    def protocol(self) -> str:
        """The protocol that ran."""
        return str(self.raw["protocol"])

    @property
    def seconds(self) -> float:
        """Seconds in all: those of this process, or virtual ones where a network is played."""
        if self._here is not None:
            return self._here
        return float(self.raw["setup_seconds"] + self.raw["offline_seconds"] + self.raw["online_seconds"])

    @property
    def online_seconds(self) -> float:
        """Seconds from the first share to the last result."""
        return float(self.raw["online_seconds"])

    @property
    def rounds(self) -> int:
        """Steps in which a message was waited for: by this party, or in one process by the one that waits most often."""
        return int(self.raw["rounds"])

    @property
    def bytes(self) -> int:
        """Bytes that all parties sent."""
        return sum(int(link["bytes"]) for link in self.raw["links"])

    @property
    def rows(self) -> dict[str, int]:
        """Row counts."""
        return dict(self.raw["rows"])

    def plot(self, plan: Plan | None = None) -> Plot:
        """Bytes over each link, and what the seconds of each party consist of.

        Args:
            plan: What was predicted: what it says of this protocol stands beside what was measured. If the parties chose the
                protocol, it is what they chose by, unless another one is given.
        """
        choice = plan.raw if plan is not None else self.choice
        found = [it for it in (choice or {"candidates": []})["candidates"] if it["protocol"] == self.protocol]
        if plan is not None and not found:
            raise InputError(f"the plan has no {self.protocol}: {', '.join(it['protocol'] for it in plan.candidates)}")
        predicted = json.dumps(found[0]) if found else None
        return Plot(_tacit.plot_run(json.dumps(self.raw), self._parties, predicted, self._here))

    def __repr__(self) -> str:
        rows = "".join(f", {name} = {count}" for name, count in self.rows.items())
        rounds = f"{self.rounds} round{'s' if self.rounds != 1 else ''}"
        return f"{self.protocol}, {self.raw['by']}{rows}: {_seconds(self.seconds)}, {rounds}, {_bytes(self.bytes)} sent in all"

    def _repr_html_(self) -> str:
        rows = ", ".join(f"{name} = {count}" for name, count in self.rows.items())
        figures = [self.protocol, str(self.raw["by"]), rows, _seconds(self.seconds), str(self.rounds), _bytes(self.bytes)]
        return as_html(["protocol", "by", "rows", "seconds", "rounds", "sent in all"], [figures])


class Result:
    """What a run revealed to whoever ran it: arrays by name, as attributes and items; of a query, the columns of its answer.

    Decimals are arrays of `decimal.Decimal`, exactly.

    Attributes:
        report: What the run cost.
        warnings: Under evaluation in the clear: where values left their ranges.
        remarks: What people should know beside the answer of a query, in sentences.
        kept_names: Names of what the run kept for later jobs.
    """

    def __init__(
        self,
        outcome: _tacit.Outcome | Several,
        rounding: float,
        here: float | None = None,
        parties: Sequence[str] = (),
        choice: str | None = None,
        kept: Sequence[str] = (),
    ) -> None:
        self._outcome = outcome
        self.kept_names: list[str] = list(kept)
        choice = choice or outcome.choice
        self.report = Report(json.loads(outcome.report), json.loads(choice) if choice else None, rounding, here, parties)
        self.warnings: list[str] = list(outcome.warnings)
        answer = outcome.answer
        self._answer = None if answer is None else answer[0]
        self.remarks: list[str] = [] if answer is None else answer[1]
        self._names: list[str] = list(outcome.names) if answer is None else answer[0].names

    def _learned(self, name: str) -> None:
        if name not in self._names:
            raise KeyError(marked(self._unknown(name)))

    def _unknown(self, name: str) -> str:
        names = self.__dict__.get("_names", [])
        return f"this party learned no result {name!r}: {instead(str(name), names) if names else 'none'}"

    def __getitem__(self, name: str) -> Any:
        self._learned(name)
        if self._answer is not None:
            return self.table._array(name)
        digits = self._outcome.decimals(name)
        if digits:
            shape = self._outcome.array(name).shape
            exact = np.array([decimal(raw, digits) for raw in self._outcome.exact(name)[0]], dtype=object).reshape(shape)
            return exact if exact.ndim else exact[()]
        texts = self._outcome.texts(name)
        array = self._outcome.array(name)
        if texts is not None:
            return np.array(texts, dtype=object).reshape(array.shape)
        return array if array.ndim else array[()]

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", [])
        found = name if name in names else name.replace("_", " ")
        if found not in names:
            raise AttributeError(self._unknown(name) if name.startswith("_") else marked(self._unknown(name)))
        return self[found]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    def keys(self) -> list[str]:
        """Names of the results."""
        return list(self._names)

    def labels(self, name: str) -> list[dict[str, list[str]]]:
        """What labels each axis of a result: members of categories by name, those of the last one fastest."""
        self._learned(name)
        return [{}] if self._answer is not None else [dict(axis) for axis in self._outcome.labels(name)]

    def exact(self, name: str) -> tuple[list[int], int]:
        """A result as integers in row-major order, and the bits behind the point. Decimals are times ten to `decimals(name)`."""
        self._learned(name)
        if self._answer is not None:
            raise ValueError(f"{name!r} is a column of an answer, which `table` has exactly")
        raw, fraction = self._outcome.exact(name)
        return list(raw), int(fraction)

    def decimals(self, name: str) -> int:
        """Digits behind the decimal point of a result that is of decimals; none of others."""
        self._learned(name)
        return int(self._outcome.decimals(name))

    @property
    def table(self) -> Table:
        """The answer of a query as a table; of a program, the results with the same number of rows as one table. `table("a", "b")` is
        a table of those of these names.

        Columns of labels stand before the results of a program: members of categories as texts. A matrix has a column for each of its
        own. Using or calling it raises `ValueError` if results do not fit together, or have numbers that no decimal of 38 digits
        holds, or this party learned nothing.
        """
        return Table(self._table, (), self.remarks)

    def _table(self, names: tuple[str, ...]) -> _tacit.Table:
        for name in names:
            self._learned(name)
        if self._answer is not None:
            return self._answer.select(names) if names else self._answer
        if not self._names:
            raise ValueError("this party learned nothing: there is no table")
        outcomes: list[_tacit.Outcome] = getattr(self._outcome, "outcomes", [self._outcome])
        holders = {name: outcome for outcome in outcomes for name in outcome.names}
        return _tacit.Table([(holders[name], name) for name in names or self._names])

    def __repr__(self) -> str:
        warned = "".join(f"\nwarning: {text}" for text in self.warnings)
        shown = f"{self._outcome.table.rstrip()}\n"
        if self.kept_names:
            shown = f"{shown}kept: {', '.join(self.kept_names)}\n".lstrip("\n")
        return f"{shown}{self.report!r}{warned}"

    def _repr_html_(self) -> str:
        warned = "".join(paragraph(f"warning: {text}") for text in self.warnings)
        shown = self.table._repr_html_() if self._answer is not None else f"<pre>{html.escape(self._outcome.table.rstrip())}</pre>"
        shown += paragraph(f"kept: {', '.join(self.kept_names)}") if self.kept_names else ""
        return f"{shown}{self.report._repr_html_()}{warned}"


class Table:
    """The answer of a query, or results as one table with their labels. What reads Arrow data takes it as it is:
    `pyarrow.table(table)`, `polars.DataFrame(table)`, DuckDB, or another job.

    Whole numbers, truth values and dates are such, members of lists are texts, and decimals are decimals; fixed point is `float64`
    where that is exact, and decimals else. What is null in an answer is null.

    Attributes:
        remarks: What people should know beside the answer of a query, in sentences: that there are more rows, or that groups of
            few rows are not shown.
    """

    def __init__(self, make: Callable[[tuple[str, ...]], _tacit.Table], names: tuple[str, ...], remarks: Sequence[str]) -> None:
        self._make, self._names, self.remarks = make, names, list(remarks)
        self._made: _tacit.Table | None = None

    @property
    def _table(self) -> _tacit.Table:
        if self._made is None:
            self._made = self._make(self._names)
        return self._made

    def __call__(self, *names: str) -> Table:
        """A table of the results of these names; of all, without names. Raises `KeyError` for one that was not learned."""
        chosen = Table(self._make, names or self._names, self.remarks)
        chosen._made = self._make(chosen._names)
        return chosen

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface. Types are those of the results, whatever is asked for."""
        return self._table.stream()

    def __len__(self) -> int:
        """How many rows there are."""
        return self._table.rows

    @property
    def column_names(self) -> list[str]:
        """Names of the columns, those of labels too."""
        return self._table.names

    def _columns(self) -> dict[str, _tacit.Column]:
        columns = _tacit.read_stream(self._table.stream())
        assert isinstance(columns, dict)
        return columns

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name, as lists of Python's own objects: `bool`, `int`, `float`, `str`, `datetime.date`, `decimal.Decimal`,
        and `None` where a value is null."""
        return {name: _objects(column) for name, column in self._columns().items()}

    def _array(self, name: str) -> Any:
        """A column as an array: of Python's objects, if NumPy has nothing that is exactly the same."""
        column = self._columns()[name]
        if column.missing() is None and column.type in _WORDS:
            return column.numpy()
        objects = _objects(column)
        array = np.empty(len(objects), dtype=object)
        array[:] = objects
        return array

    def to_polars(self) -> Any:
        """A frame of Polars."""
        polars: Any = importlib.import_module("polars")
        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """A frame of pandas; PyArrow is not needed. Decimals are objects, `decimal.Decimal`. Whole numbers and truth values of which
        some are null have pandas' types for that, `Int64` and `boolean`; dates are `datetime64`."""
        pandas: Any = importlib.import_module("pandas")
        return pandas.DataFrame({name: _series(pandas, column) for name, column in self._columns().items()})

    def __repr__(self) -> str:
        return "\n".join([self._table.text.rstrip(), *self.remarks])

    def _repr_html_(self) -> str:
        names = self.column_names
        columns = self.to_dict().values()
        rows = [["" if value is None else str(value) for value in row] for row in zip(*columns, strict=True)]
        more = [f"and {len(rows) - _SHOWN_ROWS} more rows"] if len(rows) > _SHOWN_ROWS else []
        return as_html(names, rows[:_SHOWN_ROWS]) + "".join(paragraph(text) for text in [*more, *self.remarks])


# Rows of a table that notebooks show.
_SHOWN_ROWS = 100
# Columns that NumPy has arrays of.
_WORDS = {"Boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float64"}


def _objects(column: _tacit.Column) -> list[Any]:
    """A column's values as Python's objects."""
    missing = column.missing()
    decimals = column.type.startswith("Decimal")
    values: list[Any] = [Decimal(text) for text in column.decimal_texts()] if decimals else column.numpy().tolist()
    if missing is None:
        return values
    return [None if absent else value for value, absent in zip(values, missing.tolist(), strict=True)]


def _series(pandas: Any, column: _tacit.Column) -> Any:
    """A column as pandas has it."""
    missing = column.missing()
    if column.type.startswith("Decimal") or column.type == "Utf8":
        return pandas.Series(_objects(column), dtype=object)
    values = column.numpy()
    if missing is None:
        return values
    if values.dtype.kind in "iub":
        series = pandas.Series(values, dtype="boolean" if values.dtype.kind == "b" else str(values.dtype).capitalize().replace("Ui", "UI"))
        series[missing] = pandas.NA
        return series
    values = values.copy()
    values[missing] = np.datetime64("NaT") if values.dtype.kind == "M" else np.nan
    return values


class Plan:
    """Protocols that protect well enough, the fastest first, with what each would take."""

    def __init__(self, plan: dict[str, Any], network: str, parties: list[str]) -> None:
        self.raw, self.network = plan, network
        self.candidates: list[dict[str, Any]] = plan["candidates"]
        self.left_out: list[tuple[str, str]] = [(name, why) for name, why in plan["left_out"]]
        self._parties = parties

    @property
    def best(self) -> str:
        """The fastest protocol."""
        return str(self.candidates[0]["protocol"])

    @property
    def why(self) -> str:
        """What most of its time is."""
        first = self.candidates[0]
        return f"{first['protocol']} takes {_seconds(first['seconds'])} on {self.network}, most of it {first['bound']}"

    def plot(self) -> Plot:
        """The seconds of each protocol: waiting, sending and computing."""
        return Plot(_tacit.plot_plan(json.dumps(self.raw), self.network))

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        head = ["protocol", "by", "seconds", "rounds", "sent in all", "most of it"]
        rows = [
            [it["protocol"], it["by"], _seconds(it["seconds"]), str(it["steps"]), _bytes(it["bytes"]), it["bound"]]
            for it in self.candidates
        ]
        return head, rows

    def __repr__(self) -> str:
        return f"against {self.raw['against']}, on {self.network}:\n{as_text(*self._rows())}"

    def _repr_html_(self) -> str:
        return paragraph(f"against {self.raw['against']}, on {self.network}") + as_html(*self._rows())


class Explanation:
    """What each operation of a job would take under a protocol, the most seconds first.

    Attributes:
        protocol: The protocol.
        network: The network.
        operations: What takes something: mappings with `name`, `file` and `line` (0 for what is no operation), `rows`, `bits`,
            `times` (more than 1 in loops), `waiting_seconds`, `sending_seconds`, `computing_seconds`, `rounds` and `bytes`.
            Together they take what the plan says of the protocol.
        plan: Of a query, its operators in the same form, their inputs indented below them; empty for other jobs. Together they take the
            same.
        free: How many operations take nothing.
    """

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.protocol, self.network = str(raw["protocol"]), str(raw["network"])
        self.plan: list[dict[str, Any]] = raw["plan"]
        self.operations: list[dict[str, Any]] = raw["operations"]
        self.free = int(raw["free"])

    @property
    def seconds(self) -> float:
        """Seconds in all."""
        return float(self.raw["total"]["seconds"])

    @property
    def bytes(self) -> float:
        """Bytes that all parties send."""
        return float(self.raw["total"]["bytes"])

    @property
    def rounds(self) -> int:
        """Steps in which somebody waits."""
        return int(self.raw["total"]["steps"])

    def plot(self) -> Plot:
        """The seconds of each operation: waiting, sending and computing."""
        return Plot(_tacit.plot_operations(json.dumps(self.raw)))

    def _operators(self) -> tuple[list[str], list[list[str]]]:
        # Where spaces in front are dropped, these are not.
        rows = [[it["name"].replace("  ", "\u00a0\u00a0"), str(it["rows"] or ""), *self._takes(it)] for it in self.plan]
        return ["operator", "rows", "seconds", "rounds", "sent in all"], rows

    @staticmethod
    def _takes(it: dict[str, Any]) -> list[str]:
        seconds = it["waiting_seconds"] + it["sending_seconds"] + it["computing_seconds"]
        return [_seconds(seconds), f"{it['rounds']:.0f}", _bytes(it["bytes"])]

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        head = ["operation", "line", "times", "rows", "bits", "seconds", "rounds", "sent in all"]
        rows = []
        for it in self.operations:
            own = [f"{os.path.basename(it['file'])}:{it['line']}", str(it["times"]), str(it["rows"]), str(it["bits"])]
            rows.append([it["name"], *(own if it["line"] else [""] * 4), *self._takes(it)])
        rows.append(["all", "", "", "", "", _seconds(self.seconds), str(self.rounds), _bytes(self.bytes)])
        return head, rows

    def _title(self) -> str:
        free = f"; {self.free} operation{'s' if self.free != 1 else ''} more take nothing" if self.free else ""
        return f"under {self.protocol}, by {self.raw['total']['by']}, predicted on {self.network}{free}"

    def __repr__(self) -> str:
        plan = f"{as_text(*self._operators())}\n\n" if self.plan else ""
        return f"{self._title()}\n{plan}{as_text(*self._rows())}"

    def _repr_html_(self) -> str:
        plan = as_html(*self._operators()) if self.plan else ""
        return paragraph(self._title()) + plan + as_html(*self._rows())


class Simulation:
    """What runs in virtual time took, by protocol, the fastest first."""

    def __init__(self, reports: dict[str, dict[str, Any]], network: str) -> None:
        found = {name: Report(report, None, 0.0) for name, report in reports.items()}
        self.reports = dict(sorted(found.items(), key=lambda it: it[1].seconds))
        self.network = network

    @property
    def best(self) -> str:
        """The fastest protocol."""
        return next(iter(self.reports))

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        head = ["protocol", "seconds", "rounds", "sent in all"]
        rows = [[name, _seconds(it.seconds), str(it.rounds), _bytes(it.bytes)] for name, it in self.reports.items()]
        return head, rows

    def __repr__(self) -> str:
        return f"on {self.network}, without computing:\n{as_text(*self._rows())}"

    def _repr_html_(self) -> str:
        return paragraph(f"on {self.network}, without computing") + as_html(*self._rows())
