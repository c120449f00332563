"""Accuracy of a model under fixed point, beside its floating-point reference."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._show import as_html, as_text, paragraph
from ..array import Array
from ..errors import InputError
from .graph import reference as by_onnx
from .walk import Walk

if TYPE_CHECKING:
    from ..job import Job
    from ..result import Result

__all__ = ["Accuracy", "measure"]

# Rows of layers that are printed; all of them are in the dictionary.
_SHOWN_LAYERS = 30


@dataclass
class Accuracy:
    """What fixed point changes: results beside those of the floating-point reference, and layers. **Nothing of it is protected**:
    whoever made it has all inputs.

    Attributes:
        rows: How many rows were computed.
        results: By result: the reference's accuracy, and those of Tacit, agreement, and largest distances.
        layers: By layer: bits that were used and that there are, the largest distance from the reference, values that were cut off.
        comparisons: By node of trees or of comparisons: how many there were, and how many come out differently.
        reports: What runs under protocols cost.
    """

    title: str
    rows: int
    results: dict[str, dict[str, Any]]
    layers: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]
    reports: dict[str, Any]
    columns: list[str]

    @property
    def differently(self) -> int:
        """How many comparisons come out differently than in floating point."""
        return sum(int(it["differently"]) for it in self.comparisons)

    @property
    def clipped(self) -> int:
        """How many values were cut off."""
        return sum(int(it["cut"] or 0) for it in self.layers)

    def to_dict(self) -> dict[str, Any]:
        """All figures as numbers, texts, lists and dictionaries."""
        costs = {name: {"seconds": it.seconds, "rounds": it.rounds, "bytes": it.bytes} for name, it in self.reports.items()}
        return {"rows": self.rows, "results": self.results, "layers": self.layers, "comparisons": self.comparisons, "runs": costs}

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
                "" if it["difference"] is None else f"{it['difference']:.1e}",
                "" if it["cut"] is None else f"{it['cut']} of {it['values']}",
            ]
            for it in self.layers[:_SHOWN_LAYERS]
        ]
        return ["layer", "operator", "bits used", "largest |difference|", "cut off"], rows

    def _rest(self) -> list[str]:
        lines = []
        if len(self.layers) > _SHOWN_LAYERS:
            lines.append(f"and {len(self.layers) - _SHOWN_LAYERS} more layers")
        if self.comparisons:
            many = sum(int(it["comparisons"]) for it in self.comparisons)
            features = sorted({feature for it in self.comparisons for feature in it["features"]})
            enough = max((it.get("enough") or 0 for it in self.comparisons), default=0)
            advice = f": {enough} bits behind the point would be enough" if enough else ""
            of = f", of features {', '.join(map(str, features[:10]))}{advice}" if features else ""
            lines.append(f"comparisons that come out differently: {self.differently} of {many}{of}")
        return lines + [repr(it) for it in self.reports.values()]

    def __repr__(self) -> str:
        tables = [as_text(*it) for it in (self._results(), self._layers()) if it[1]]
        return "\n\n".join(["\n".join([self.title, tables[0]]), *tables[1:], "\n".join(self._rest())]).rstrip()

    def _repr_html_(self) -> str:
        tables = [as_html(*it) for it in (self._results(), self._layers()) if it[1]]
        return paragraph(self.title) + "".join(tables) + "".join(paragraph(it) for it in self._rest())


def measure(
    job: Job,
    rows: Any,
    *,
    y: Any = None,
    reference: str | Callable[..., Any] = "onnx",
    given: Mapping[str, Any] | None = None,
    protocol: str | None = None,
) -> Accuracy:
    """The accuracy of a job's models: see `Job.accuracy`."""
    from ..job import Job as Jobs
    from ..job import Reveal

    used: dict[str, tuple[Walk, str]] = job._models
    if not used:
        raise InputError("this job reveals no output of a model: accuracy is of results such as net(x)['label'], as they are")
    walk = next(iter(used.values()))[0]
    if any(it is not walk for it, _ in used.values()):
        raise InputError("this job reveals outputs of several models, or of several uses of one: make a job of each")
    feeds = rows if isinstance(rows, Mapping) else {walk.graph.inputs[0].name: rows}
    ports = {it.name: it.dtype for it in walk.graph.inputs}
    # As the model computes: an owner whose numbers have more digits than 32 bits hold rounds them so too.
    feeds = {name: np.asarray(it, np.float32) if ports.get(name) == "float" else np.asarray(it) for name, it in feeds.items()}
    data = {**_data(walk, feeds), **(given or {})}
    kept = {name: value for name, value in data.items() if name in job.input_names or name in job.parties}
    clear = job.check(kept)
    runs: dict[str, Result] = {"tacit": clear}
    if protocol is not None:
        runs[protocol] = job.run(kept, protocol=protocol)
    tensors = {} if walk.graph.stripped else by_onnx(walk.graph, {**_constants(walk), **feeds})
    wanted = _wanted(job, used, walk, feeds, tensors, reference)
    shown: dict[str, Array] = {}
    needed = walk.needed([name for _, name in used.values()])
    nodes = {it.node for it in walk.layers.values() if it.tensor in needed}
    layers_of = [it for it in walk.layers.values() if it.node in nodes]
    for place, layer in enumerate(layers_of):
        shown[f"layer {place}"] = layer.before if layer.before is not None else layer.value
    for place, it in enumerate(walk.comparisons):
        shown[f"comparisons {place}"] = it.bits
    inner = Jobs("layers", {name: Reveal.of(value, "all") for name, value in shown.items()})
    found = inner.check({name: value for name, value in data.items() if name in inner.input_names or name in inner.parties})
    name = reference if isinstance(reference, str) else "reference"
    columns = [name, *runs]
    results = {key: _result(key, wanted[key], runs, y, name) for key in wanted}
    many = len(np.asarray(next(iter(feeds.values()))))
    owner = "public weights" if walk.net.owner is None else f"weights private to {walk.net.owner.name}"
    title = f"{walk.net.name}: {len(walk.graph.nodes)} nodes, {owner}, {many} rows"
    layers = [_layer(it, found[f"layer {place}"], tensors.get(it.tensor)) for place, it in enumerate(layers_of)]
    differing = [_bits(it, found[f"layer {place}"], tensors) for place, it in enumerate(layers_of) if it.value.dtype == "bit"]
    differing += [_tree(it, found[f"comparisons {place}"], tensors, feeds) for place, it in enumerate(walk.comparisons)]
    reports = {key: it.report for key, it in runs.items() if key != "tacit"}
    return Accuracy(title, many, results, layers, [it for it in differing if it is not None], reports, columns)


def _constants(walk: Walk) -> dict[str, Any]:
    return {name: value for name, value in walk.feeds.items() if not isinstance(value, Array)}


def _data(walk: Walk, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """Data of the job: the rows as the inputs that the model was called on, and weights."""
    from ..job import Job as Jobs
    from ..job import Reveal

    data: dict[str, Any] = dict(walk.net._data)
    for name, value in feeds.items():
        if name not in walk.feeds:
            raise InputError(f"{walk.net.name} has no input {name!r}: {', '.join(walk.feeds)}")
        fed = walk.feeds[name]
        if not isinstance(fed, Array):
            continue
        one = Jobs("input", {"value": Reveal.of(fed, "all")})
        if [it[0] for it in one._program.nodes] == ["input"]:
            data[one.input_names[0]] = value
    return data


def _wanted(
    job: Job,
    used: Mapping[str, tuple[Walk, str]],
    walk: Walk,
    feeds: Mapping[str, Any],
    tensors: Mapping[str, Any],
    reference: str | Callable[..., Any],
) -> dict[str, np.ndarray[Any, Any]]:
    """The reference's values by result."""
    if callable(reference):
        made = reference(*feeds.values())
        if not isinstance(made, Mapping):
            if len(used) > 1:
                raise InputError(f"the job reveals {', '.join(used)}: a reference gives a mapping with an array for each")
            made = {next(iter(used)): made}
        return {key: np.asarray(made[key] if key in made else made[name]) for key, (_, name) in used.items() if key in made or name in made}
    if walk.graph.stripped:
        raise InputError("this model has no weights: its reference is known to their owner alone")
    if reference == "onnx":
        outputs: Mapping[str, Any] = tensors
    elif reference == "onnxruntime":
        try:
            runtime: Any = importlib.import_module("onnxruntime")
        except ImportError:
            raise ImportError('onnxruntime is not installed: pip install onnxruntime, or reference="onnx"') from None
        session = runtime.InferenceSession(walk.graph.model.SerializeToString())
        types = {it.name: it.dtype for it in walk.graph.inputs}
        given = {key: np.asarray(it, np.float32 if types[key] == "float" else None) for key, it in {**_constants(walk), **feeds}.items()}
        outputs = dict(zip(walk.graph.outputs, session.run(walk.graph.outputs, given), strict=True))
    else:
        raise InputError(f'the reference is "onnx", "onnxruntime", or a function of the rows, not {reference!r}')
    return {key: np.asarray(outputs[name]) for key, (_, name) in used.items()}


def _result(key: str, wanted: np.ndarray[Any, Any], runs: Mapping[str, Result], y: Any, name: str) -> dict[str, Any]:
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


def _layer(layer: Any, value: Any, wanted: Any) -> dict[str, Any]:
    """Bits used, distance, and values cut off of one layer."""
    node = layer.value._node
    seen = np.asarray(value)
    numbers = seen.dtype.kind in "biuf"
    top = float(np.abs(seen.astype(np.float64)).max(initial=0)) * 2.0**node.fraction if numbers else 0.0
    signed = 1 if node.interval[0] < 0 else 0
    used = 1 if node.kind == "bit" else int(top).bit_length() + signed
    cut = None
    if layer.bounds is not None:
        cut = int(((seen < layer.bounds[0]) | (seen > layer.bounds[1])).sum())
    difference = None
    if isinstance(wanted, np.ndarray) and wanted.dtype.kind in "fiu" and wanted.size == seen.size and numbers:
        difference = float(np.abs(seen.reshape(wanted.shape).astype(np.float64) - wanted).max(initial=0))
    return {
        "node": layer.node,
        "operator": layer.op_type,
        "tensor": layer.tensor,
        "bits": layer.before._node.bits if layer.before is not None else node.bits,
        "used": used,
        "difference": difference,
        "cut": cut,
        "values": int(seen.size),
    }


def _bits(layer: Any, value: Any, tensors: Mapping[str, Any]) -> dict[str, Any] | None:
    """Truth values that differ from the reference's."""
    wanted = tensors.get(layer.tensor)
    if not isinstance(wanted, np.ndarray) or wanted.dtype.kind != "b" or wanted.size != np.size(value):
        return None
    differ = int((np.asarray(value).reshape(wanted.shape) != wanted).sum())
    return {"node": layer.node, "comparisons": int(wanted.size), "differently": differ, "features": []}


def _tree(it: Any, value: Any, tensors: Mapping[str, Any], feeds: Mapping[str, Any]) -> dict[str, Any] | None:
    """Comparisons of trees that come out differently than in the model's own floating point."""
    source = tensors.get(it.source, feeds.get(it.source))
    if source is None:
        return None
    x = np.asarray(source, dtype=np.float32)[:, it.features]
    edges = it.thresholds.astype(np.float32)
    wanted = np.where(it.strict, x < edges, x <= edges)
    differ = np.asarray(value) != wanted
    features = sorted({it.features[place] for place in np.flatnonzero(differ.any(axis=0))})
    apart = np.abs(x.astype(np.float64) - edges)[differ]
    # Two multiples lie between numbers that are four of them apart.
    enough = int(np.ceil(-np.log2(apart[apart > 0].min()))) + 2 if (apart > 0).any() else None
    return {"node": it.node, "comparisons": int(wanted.size), "differently": int(differ.sum()), "features": features, "enough": enough}
