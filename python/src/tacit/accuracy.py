"""How far results in fixed point are from those of a floating-point reference."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ._show import as_html, as_text, paragraph
from .errors import InputError
from .run import local

if TYPE_CHECKING:
    from .job import Job
    from .result import Result

__all__ = ["Accuracy", "bits_of", "bounds_of", "compared", "measure", "runs_of"]

# Rows of layers that are printed; all of them are in the dictionary.
_SHOWN_LAYERS = 30
# Types as programs write them.
_FIXED = re.compile(r"fixed\((\d+),\s*(\d+)\)")
_WHOLE = re.compile(r"([iu])(\d+)")


@dataclass
class Accuracy:
    """What fixed point changes: results beside those of the floating-point reference, and layers. **Nothing of it is protected**:
    whoever made it has all inputs.

    Attributes:
        rows: How many rows were computed; none of a job without a model.
        results: By result: the reference's accuracy, and those of Tacit, agreement, and largest distances.
        layers: By layer, or by result of a job without a model: bits that were used, that there are and that were left, the largest
            distance from the reference, and values that were cut off. Bits are those of whole numbers and of the part behind the
            point together, with the sign.
        comparisons: By node of trees or of comparisons: how many there were, and how many come out differently.
        reports: What runs under protocols cost.
        columns: What results are beside: the reference, Tacit in the clear, and a protocol if one was named.
        warnings: Where values left their ranges, or broke a promise.
        bounds: By result, how far it may be under any protocol from the one in the clear, whatever the data are, as long as they are in
            their declared ranges and promises hold; None where no bound is known, as behind a comparison of rounded numbers.
    """

    title: str
    rows: int | None
    results: dict[str, dict[str, Any]]
    layers: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]
    reports: dict[str, Any]
    columns: list[str]
    warnings: list[str] = field(default_factory=list)
    bounds: dict[str, float | None] = field(default_factory=dict)

    @property
    def differently(self) -> int:
        """How many comparisons come out differently than in floating point."""
        return sum(int(it["differently"]) for it in self.comparisons)

    @property
    def clipped(self) -> int:
        """How many values were cut off."""
        return sum(int(it["cut"] or 0) for it in self.layers)

    @property
    def left(self) -> int:
        """The fewest bits that were left in any layer of numbers: as often could its largest value be doubled on other data."""
        return min((int(it["left"]) for it in self._numbers()), default=0)

    def _numbers(self) -> list[dict[str, Any]]:
        """Layers that are not truth values, which always need the one bit that they have."""
        return [it for it in self.layers if it["bits"] > 1]

    def to_dict(self) -> dict[str, Any]:
        """All figures as numbers, texts, lists and dictionaries."""
        costs = {name: {"seconds": it.seconds, "rounds": it.rounds, "bytes": it.bytes} for name, it in self.reports.items()}
        found: dict[str, Any] = {"rows": self.rows, "results": self.results, "layers": self.layers, "comparisons": self.comparisons}
        return {**found, "bounds": self.bounds, "left": self.left, "runs": costs}

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict())

    def _results(self) -> tuple[list[str], list[list[str]]]:
        rows = []
        for name, it in self.results.items():
            for measure_, texts in it["shown"].items():
                rows.append([f"{name}: {measure_}", *(texts.get(column, "") for column in self.columns)])
        return ["", *self.columns], rows

    def _layers(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [
                it["node"],
                it["operator"],
                f"{it['used']} of {it['bits']}",
                str(it["left"]),
                "" if it["difference"] is None else f"{it['difference']:.1e}",
                "" if it["cut"] is None else f"{it['cut']} of {it['values']}",
            ]
            for it in self.layers[:_SHOWN_LAYERS]
        ]
        return ["layer", "operator", "bits used", "left", "largest |difference|", "cut off"], rows

    def _rest(self) -> list[str]:
        lines = []
        if len(self.layers) > _SHOWN_LAYERS:
            lines.append(f"and {len(self.layers) - _SHOWN_LAYERS} more layers")
        if self._numbers():
            least = min(self._numbers(), key=lambda it: int(it["left"]))
            lines.append(f"bits left: {self.left} at least, in {least['node']}; the program has room for all values of the declared ranges")
        if self.clipped:
            where = [it["node"] for it in self.layers if it["cut"]]
            named = ", ".join(where[:5]) + (", ..." if len(where) > 5 else "")
            lines.append(f"warning: {self.clipped} values were cut off, in {named}: give more sample= rows, a greater margin=, or ranges=")
        if self.comparisons:
            many = sum(int(it["comparisons"]) for it in self.comparisons)
            features = sorted({feature for it in self.comparisons for feature in it["features"]})
            enough = max((it.get("enough") or 0 for it in self.comparisons), default=0)
            advice = f": {enough} bits behind the point would be enough" if enough else ""
            of = f", of features {', '.join(map(str, features[:10]))}{advice}" if features else ""
            lines.append(f"comparisons that come out differently: {self.differently} of {many}{of}")
        if self.bounds:
            said = ", ".join(f"{name} {'not known' if it is None else f'{it:.1e}'}" for name, it in self.bounds.items())
            lines.append(f"bounds of |protocol - tacit|, for all data in their ranges: {said}")
        lines += [f"warning: {it}" for it in self.warnings]
        return lines + [repr(it) for it in self.reports.values()]

    def __repr__(self) -> str:
        tables = [as_text(*it) for it in (self._results(), self._layers()) if it[1]]
        return "\n\n".join(["\n".join([self.title, *tables[:1]]), *tables[1:], "\n".join(self._rest())]).rstrip()

    def _repr_html_(self) -> str:
        tables = [as_html(*it) for it in (self._results(), self._layers()) if it[1]]
        return paragraph(self.title) + "".join(tables) + "".join(paragraph(it) for it in self._rest())


def measure(
    job: Job,
    given: Mapping[str, Any],
    *,
    y: Any = None,
    reference: Mapping[str, Any] | Callable[..., Any],
    protocol: str | None = None,
    kept: Mapping[str, Any] | None = None,
) -> Accuracy:
    """The accuracy of a job without models: see `Job.accuracy`."""
    wanted = reference(given) if callable(reference) else reference
    names = [name for name, *_ in job._results]
    if not isinstance(wanted, Mapping):
        if len(names) > 1:
            raise InputError(f"the job reveals {', '.join(names)}: a reference gives a mapping with an array for each")
        wanted = {names[0]: wanted}
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise InputError(f"the reference has {', '.join(map(repr, unknown))}, and the job reveals {', '.join(names)}")
    runs = runs_of(job, given, protocol, kept)
    results: dict[str, dict[str, Any]] = {}
    layers = []
    for name, _, type in job._results:
        seen = np.asarray(runs["tacit"][name])
        difference = None
        if name in wanted:
            value = np.asarray(wanted[name])
            if value.size != seen.size:
                raise InputError(f"the reference of {name!r} has the shape {value.shape}, and the result {seen.shape}")
            results[name] = compared(name, value, runs, y, "reference")
            difference = results[name].get("difference", {}).get("tacit")
        layer = _revealed(name, type, seen, difference)
        layers += [layer] if layer is not None else []
    title = f"{job.name}: {len(names)} results, {len(results)} of them beside a reference"
    reports = {key: it.report for key, it in runs.items() if key != "tacit"}
    return Accuracy(title, None, results, layers, [], reports, ["reference", *runs], runs["tacit"].warnings, bounds_of(job))


def bounds_of(job: Job) -> dict[str, float | None]:
    """How far each result may be under a protocol from the one in the clear; nothing where no bound is known."""
    units = {name: _FIXED.match(type) for name, _, type in job._results}
    fractions = {name: int(fixed[2]) if fixed is not None else 0 for name, fixed in units.items()}
    bounds = [(name, it) for name, it in job._program.reveal_bounds if name in fractions]
    return {name: None if it is None else float(it) * 2.0 ** -fractions[name] for name, it in bounds}


def runs_of(job: Job, given: Mapping[str, Any], protocol: str | None, kept: Mapping[str, Any] | None) -> dict[str, Result]:
    """What a job gives in the clear and, if one is named, under a protocol. What it keeps is lost."""
    runs = {"tacit": job._in_clear(given, kept)}
    if protocol is not None:
        runs[protocol] = job.run(given, protocol=protocol, on=local(), kept=kept)
    return runs


def bits_of(values: np.ndarray[Any, Any], fraction: int, signed: bool) -> int:
    """How many bits the largest of some numbers takes, those behind the point and the sign with them."""
    if values.dtype.kind not in "biuf":
        return 0
    top = float(np.abs(values.astype(np.float64)).max(initial=0)) * 2.0**fraction
    return int(top).bit_length() + signed


def _revealed(name: str, type: str, seen: np.ndarray[Any, Any], difference: float | None) -> dict[str, Any] | None:
    """Bits used of a result, by its type as the program writes it; nothing of what is no number."""
    fixed, whole = _FIXED.match(type), _WHOLE.match(type)
    if type.startswith("bit"):
        bits, used = 1, 1
    elif fixed is not None:
        bits, used = int(fixed[1]), bits_of(seen, int(fixed[2]), True)
    elif whole is not None and seen.dtype.kind in "iu":
        bits, used = int(whole[2]), bits_of(seen, 0, whole[1] == "i")
    else:
        return None
    found = {"node": name, "operator": "result", "tensor": name, "bits": bits, "used": used, "left": bits - used}
    return {**found, "difference": difference, "cut": None, "values": int(seen.size)}


def compared(key: str, wanted: np.ndarray[Any, Any], runs: Mapping[str, Result], y: Any, name: str) -> dict[str, Any]:
    """One result beside the reference: labels agree, numbers have distances."""
    made: dict[str, Any] = {"shown": {}}
    shown = made["shown"]
    values: dict[str, np.ndarray[Any, Any]] = {name: wanted}
    values.update({column: np.asarray(run[key]).reshape(wanted.shape) for column, run in runs.items()})
    truth = None if y is None else np.asarray(y)
    labels = wanted.dtype.kind not in "fc"
    own = truth is not None and truth.shape == (wanted.shape if labels else wanted.reshape(-1).shape)
    if labels:
        texts = wanted.dtype.kind in "OSU"
        values = {column: value.astype(str) if texts else value for column, value in values.items()}
        made["agree"] = {column: int((value == values[name]).sum()) for column, value in values.items() if column != name}
        if own and truth is not None:
            made["accuracy"] = {
                column: float((value == (truth.astype(str) if texts else truth)).mean()) for column, value in values.items()
            }
            shown["accuracy"] = {column: f"{value:.4f}" for column, value in made["accuracy"].items()}
        shown["agree"] = {column: f"{value} of {wanted.size}" for column, value in made["agree"].items()}
        return made
    made["difference"] = {column: float(np.abs(value - values[name]).max(initial=0)) for column, value in values.items() if column != name}
    if own and truth is not None:
        made["rmse"] = {column: float(np.sqrt(((value.reshape(-1) - truth) ** 2).mean())) for column, value in values.items()}
        shown["root mean square error"] = {column: f"{value:.4g}" for column, value in made["rmse"].items()}
    shown["largest |difference|"] = {column: f"{value:.1e}" for column, value in made["difference"].items()}
    return made
