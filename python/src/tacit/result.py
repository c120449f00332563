"""What runs, plans and simulations give."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from ._show import as_html, as_text, paragraph

if TYPE_CHECKING:
    from . import _tacit
    from .run import Several

__all__ = ["Plan", "Report", "Result", "Simulation"]


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

    def __init__(self, report: dict[str, Any], choice: dict[str, Any] | None, rounding: float, here: float | None = None) -> None:
        self.raw = report
        self._here = here
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
        return sum(_sent(link) for link in self.raw["links"])

    @property
    def rows(self) -> dict[str, int]:
        """Row counts."""
        return dict(self.raw["rows"])

    def __repr__(self) -> str:
        rows = "".join(f", {name} = {count}" for name, count in self.rows.items())
        rounds = f"{self.rounds} round{'s' if self.rounds != 1 else ''}"
        return f"{self.protocol}, {self.raw['by']}{rows}: {_seconds(self.seconds)}, {rounds}, {_bytes(self.bytes)} sent in all"

    def _repr_html_(self) -> str:
        rows = ", ".join(f"{name} = {count}" for name, count in self.rows.items())
        figures = [self.protocol, str(self.raw["by"]), rows, _seconds(self.seconds), str(self.rounds), _bytes(self.bytes)]
        return as_html(["protocol", "by", "rows", "seconds", "rounds", "sent in all"], [figures])


def _sent(link: dict[str, Any]) -> int:
    return sum(int(value) for key, value in link.items() if key.endswith("bytes"))


class Result:
    """What a run revealed to whoever ran it: arrays by name, as attributes and items."""

    def __init__(self, outcome: _tacit.Outcome | Several, rounding: float, here: float | None = None) -> None:
        self._outcome = outcome
        choice = outcome.choice
        self.report = Report(json.loads(outcome.report), json.loads(choice) if choice else None, rounding, here)
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

    def __repr__(self) -> str:
        warned = "".join(f"\nwarning: {text}" for text in self.warnings)
        return f"{self._outcome.table.rstrip()}\n{self.report!r}{warned}"

    def _repr_html_(self) -> str:
        warned = "".join(paragraph(f"warning: {text}") for text in self.warnings)
        return f"<pre>{html.escape(self._outcome.table.rstrip())}</pre>{self.report._repr_html_()}{warned}"


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
