"""Accuracy of a trained model under fixed point, beside its floating-point reference."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..accuracy import Accuracy, bits_of, bounds_of, compared, runs_of
from ..array import Array
from ..errors import InputError
from .graph import reference as by_onnx
from .walk import Walk

if TYPE_CHECKING:
    from ..job import Job

__all__ = ["cut_off", "measure"]


def measure(
    job: Job,
    rows: Any,
    *,
    y: Any = None,
    reference: str | Callable[..., Any] | Mapping[str, Any] = "onnx",
    given: Mapping[str, Any] | None = None,
    protocol: str | None = None,
    kept: Mapping[str, Any] | None = None,
) -> Accuracy:
    """The accuracy of a job's models: see `Job.accuracy`."""
    from ..job import Job as Jobs
    from ..job import Reveal

    used: dict[str, tuple[Walk, str]] = job._models
    walk = next(iter(used.values()))[0]
    if any(it is not walk for it, _ in used.values()):
        raise InputError("this job reveals outputs of several models, or of several uses of one: make a job of each")
    feeds = rows if isinstance(rows, Mapping) else {walk.graph.inputs[0].name: rows}
    ports = {it.name: it.dtype for it in walk.graph.inputs}
    # As the model computes: an owner whose numbers have more digits than 32 bits hold rounds them so too.
    feeds = {name: np.asarray(it, np.float32) if ports.get(name) == "float" else np.asarray(it) for name, it in feeds.items()}
    data = {**_data(walk, feeds), **(given or {})}
    own = {name: value for name, value in data.items() if name in job.input_names or name in job.parties}
    runs = runs_of(job, own, protocol, kept)
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
    own = {name: value for name, value in data.items() if name in inner.input_names or name in inner.parties}
    found = inner.check(own, kept=kept if inner._keeping is not None else None)
    name = reference if isinstance(reference, str) else "reference"
    columns = [name, *runs]
    results = {key: compared(key, wanted[key], runs, y, name) for key in wanted}
    many = len(np.asarray(next(iter(feeds.values()))))
    owner = "public weights" if walk.net.owner is None else f"weights private to {walk.net.owner.name}"
    title = f"{walk.net.name}: {len(walk.graph.nodes)} nodes, {owner}, {many} rows"
    layers = [_layer(it, found[f"layer {place}"], tensors.get(it.tensor)) for place, it in enumerate(layers_of)]
    differing = [_bits(it, found[f"layer {place}"], tensors) for place, it in enumerate(layers_of) if it.value.dtype == "bit"]
    differing += [_tree(it, found[f"comparisons {place}"], tensors, feeds) for place, it in enumerate(walk.comparisons)]
    reports = {key: it.report for key, it in runs.items() if key != "tacit"}
    return Accuracy(
        title, many, results, layers, [it for it in differing if it is not None], reports, columns, runs["tacit"].warnings, bounds_of(job)
    )


def cut_off(job: Job, given: Mapping[str, Any], kept: Mapping[str, Any] | None) -> list[str]:
    """Layers of a job's models that cut values off, and how many, computed in the clear; nothing of the values."""
    found = []
    for walk in job._cut:
        used = [name for it, name in job._models.values() if it is walk]
        needed = walk.needed(used) if used else None
        layers = [it for it in walk.layers.values() if it.before is not None and (needed is None or it.tensor in needed)]
        # A job that takes fewer inputs does not compute the layer.
        layers = [it for it in layers if set(_of({"layer": it.before}).input_names) <= set(job.input_names)]
        if not layers:
            continue
        inner = _of({f"layer {place}": it.before for place, it in enumerate(layers)})
        names = {name for it in inner._inputs for name in (it.name, it.column, it.party, f"{it.party}/{it.column.rpartition('.')[0]}")}
        own = {key: value for key, value in given.items() if key in names or key.partition("/")[0] in inner.parties}
        values = inner._in_clear(own, kept if inner._keeping is not None else None)
        for place, it in enumerate(layers):
            assert it.bounds is not None
            seen = np.asarray(values[f"layer {place}"])
            low, high = it.bounds
            beyond = int(((seen < low) | (seen > high)).sum())
            if beyond:
                what = (
                    f"{beyond} of {seen.size} values of {it.tensor!r} (node {it.node} of {walk.net.name}) were cut off at {low:g}..{high:g}"
                )
                found.append(f"{what}: give more sample= rows, a greater margin=, or ranges=")
    return found


def _of(values: Mapping[str, Any]) -> Job:
    """A job that reveals some values, to be computed in the clear."""
    from ..job import Job as Jobs
    from ..job import Reveal

    return Jobs("layers", {name: Reveal.of(value, "all") for name, value in values.items()})


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
    reference: str | Callable[..., Any] | Mapping[str, Any],
) -> dict[str, np.ndarray[Any, Any]]:
    """The reference's values by result."""
    if not isinstance(reference, str):
        made = reference(*feeds.values()) if callable(reference) else reference
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


def _layer(layer: Any, value: Any, wanted: Any) -> dict[str, Any]:
    """Bits used, distance, and values cut off of one layer."""
    node = layer.value._node
    seen = np.asarray(value)
    numbers = seen.dtype.kind in "biuf"
    bits = layer.before._node.bits if layer.before is not None else node.bits
    used = 1 if node.kind == "bit" else bits_of(seen, node.fraction, node.kind != "uint")
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
        "bits": bits,
        "used": used,
        "left": bits - used,
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
