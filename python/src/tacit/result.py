"""What runs, plans and simulations give."""

from __future__ import annotations

import html
import importlib
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _tacit
from ._show import as_html, as_text, paragraph
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
        """Steps in which a message was waited for."""
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
    """What a run revealed to whoever ran it: arrays by name, as attributes and items."""

    def __init__(
        self,
        outcome: _tacit.Outcome | Several,
        rounding: float,
        here: float | None = None,
        parties: Sequence[str] = (),
        choice: str | None = None,
    ) -> None:
        self._outcome = outcome
        choice = choice or outcome.choice
        self.report = Report(json.loads(outcome.report), json.loads(choice) if choice else None, rounding, here, parties)
        self.warnings: list[str] = list(outcome.warnings)
        self._names: list[str] = list(outcome.names)

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(f"this party learned no result {name!r}: {', '.join(self._names) or 'none'}")
        texts = self._outcome.texts(name)
        array = self._outcome.array(name)
        if texts is not None:
            return np.array(texts, dtype=object).reshape(array.shape)
        return array if array.ndim else array[()]

    def __getattr__(self, name: str) -> Any:
        names = self.__dict__.get("_names", [])
        found = name if name in names else name.replace("_", " ")
        if found not in names:
            raise AttributeError(f"this party learned no result {name!r}: {', '.join(names) or 'none'}")
        return self[found]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names]

    def keys(self) -> list[str]:
        """Names of the results."""
        return list(self._names)

    def labels(self, name: str) -> list[dict[str, list[str]]]:
        """What labels each axis of a result: members of categories by name, those of the last one fastest."""
        return [dict(axis) for axis in self._outcome.labels(name)]

    def exact(self, name: str) -> tuple[list[int], int]:
        """A result as integers in row-major order, and the bits behind the point."""
        raw, fraction = self._outcome.exact(name)
        return list(raw), int(fraction)

    def table(self, *names: str) -> Table:
        """Results with the same number of rows as one table: those of these names, or all.

        Columns of labels stand before them: members of categories as texts. A matrix has a column for each of its own. Raises
        `ValueError` if the results do not fit together, or have numbers that no decimal of 38 digits holds.
        """
        outcomes: list[_tacit.Outcome] = getattr(self._outcome, "outcomes", [self._outcome])
        holders = {name: outcome for outcome in outcomes for name in outcome.names}
        for name in names:
            if name not in holders:
                raise KeyError(f"this party learned no result {name!r}: {', '.join(self._names) or 'none'}")
        return Table([(holders[name], name) for name in names or self._names])

    def __repr__(self) -> str:
        warned = "".join(f"\nwarning: {text}" for text in self.warnings)
        return f"{self._outcome.table.rstrip()}\n{self.report!r}{warned}"

    def _repr_html_(self) -> str:
        warned = "".join(paragraph(f"warning: {text}") for text in self.warnings)
        return f"<pre>{html.escape(self._outcome.table.rstrip())}</pre>{self.report._repr_html_()}{warned}"


class Table:
    """Results as one table, with their labels. What reads Arrow data takes it as it is: `pyarrow.table(table)`.

    Whole numbers, truth values and dates are such; fixed point is `float64` where that is exact, and decimals else.
    """

    def __init__(self, results: list[tuple[_tacit.Outcome, str]]) -> None:
        self._table = _tacit.Table(results)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface. Types are those of the results, whatever is asked for."""
        return self._table.stream()

    def to_polars(self) -> Any:
        """A frame of Polars."""
        polars: Any = importlib.import_module("polars")
        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """A frame of pandas; PyArrow is not needed. Raises `ValueError` if `float64` does not hold a column exactly."""
        pandas: Any = importlib.import_module("pandas")
        columns = _tacit.read_stream(self._table.stream())
        assert isinstance(columns, dict)
        for name, column in columns.items():
            if column.type.startswith("Decimal"):
                raise ValueError(f"column {name!r} has fixed point of more than 53 bits: use to_polars(), or the result's exact values")
        return pandas.DataFrame({name: column.numpy() for name, column in columns.items()})

    def __repr__(self) -> str:
        return self._table.text.rstrip()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


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
        free: How many operations take nothing.
    """

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.protocol, self.network = str(raw["protocol"]), str(raw["network"])
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

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        head = ["operation", "line", "times", "rows", "bits", "seconds", "rounds", "sent in all"]
        rows = []
        for it in self.operations:
            own = [f"{os.path.basename(it['file'])}:{it['line']}", str(it["times"]), str(it["rows"]), str(it["bits"])]
            seconds = it["waiting_seconds"] + it["sending_seconds"] + it["computing_seconds"]
            takes = [_seconds(seconds), f"{it['rounds']:.0f}", _bytes(it["bytes"])]
            rows.append([it["name"], *(own if it["line"] else [""] * 4), *takes])
        rows.append(["all", "", "", "", "", _seconds(self.seconds), str(self.rounds), _bytes(self.bytes)])
        return head, rows

    def _title(self) -> str:
        free = f"; {self.free} operation{'s' if self.free != 1 else ''} more take nothing" if self.free else ""
        return f"under {self.protocol}, by {self.raw['total']['by']}, predicted on {self.network}{free}"

    def __repr__(self) -> str:
        return f"{self._title()}\n{as_text(*self._rows())}"

    def _repr_html_(self) -> str:
        return paragraph(self._title()) + as_html(*self._rows())


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
