"""Models without their weights, for those who write the same job and must not know them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, placed
from .graph import STRIPPED, graph_of, package, read
from .table import Call

__all__ = ["without_weights"]

# Attributes that are weights.
_WEIGHTS = ("coefficients", "intercepts", "offset", "scale", "support_vectors", "rho", "base_values", "imputed_value_floats")


@placed
def without_weights(model: Any) -> Any:
    """The structure of a model, which is public: all weights are zero, and trees are complete ones that ask for nothing.

    The owner of the weights gives it to the others. `tc.onnx.load` of it with `owner=` makes the same program, of the same digest,
    as of the model itself; only the owner has the data for it. What stays is the graph, with operators, names and shapes, single
    numbers such as `epsilon`, how many support vectors there are of each class, and how many trees and how deep the deepest is.

    Args:
        model: A path, the bytes of a file, or an `onnx.ModelProto`, which is not changed.

    Raises:
        InputError: It is no model, or has operators that are not supported, or trees that are written as `TreeEnsemble`.

    Returns:
        An `onnx.ModelProto`; `onnx.save` writes it.
    """
    onnx = package()
    graph = graph_of(read(model), "model")
    made = onnx.ModelProto()
    made.CopyFrom(graph.model)
    for tensor in made.graph.initializer:
        if tensor.name in graph.secrets:
            tensor.CopyFrom(_zeros(onnx, tensor))
    for node in made.graph.node:
        if node.op_type == "Constant" and node.output[0] in graph.secrets:
            for attribute in node.attribute:
                if attribute.name == "value":
                    attribute.t.CopyFrom(_zeros(onnx, attribute.t))
                else:
                    attribute.floats[:] = [0.0] * len(attribute.floats)
        elif node.domain == "ai.onnx.ml":
            _strip(onnx, node)
    made.metadata_props.add(key=STRIPPED, value="yes")
    return made


def _zeros(onnx: Any, tensor: Any) -> Any:
    value = onnx.numpy_helper.to_array(tensor)
    return onnx.numpy_helper.from_array(np.zeros(value.shape, value.dtype), tensor.name)


def _strip(onnx: Any, node: Any) -> None:
    if node.op_type.startswith("TreeEnsemble"):
        _strip_trees(onnx, node)
        return
    for attribute in node.attribute:
        if attribute.name in _WEIGHTS:
            attribute.floats[:] = [0.0] * len(attribute.floats)


def _strip_trees(onnx: Any, node: Any) -> None:
    """As many complete trees as there are, as deep as the deepest."""
    from .operators import trees as of_trees

    if node.op_type == "TreeEnsemble":
        raise InputError("trees of the operator TreeEnsemble are not stripped: give the others the job, by job.save, instead of a model")
    kind = "class" if node.op_type == "TreeEnsembleClassifier" else "target"
    attributes = {it.name: onnx.helper.get_attribute_value(it) for it in node.attribute}
    attributes = {name: [it.decode() for it in value] if name == "nodes_modes" else value for name, value in attributes.items()}
    walk: Any = None
    call = Call(walk, node.op_type, node.name, {k: _plain(onnx, v) for k, v in attributes.items()}, [], [], [])
    found = of_trees._old_trees(call, kind)
    depth = max(1, max(it.depth() for it in found))
    targets = sorted(set(attributes[f"{kind}_ids"]))
    inner, all_of = 2**depth - 1, 2 ** (depth + 1) - 1
    count = len(found)
    leaves = all_of - inner
    made: dict[str, Any] = {
        "nodes_treeids": [tree for tree in range(count) for _ in range(all_of)],
        "nodes_nodeids": list(range(all_of)) * count,
        "nodes_featureids": [0] * (all_of * count),
        "nodes_values": [0.0] * (all_of * count),
        "nodes_modes": (["BRANCH_LEQ"] * inner + ["LEAF"] * leaves) * count,
        "nodes_truenodeids": [2 * it + 1 if it < inner else 0 for it in range(all_of)] * count,
        "nodes_falsenodeids": [2 * it + 2 if it < inner else 0 for it in range(all_of)] * count,
        f"{kind}_treeids": [tree for tree in range(count) for _ in range(leaves) for _ in targets],
        f"{kind}_nodeids": [it for _ in range(count) for it in range(inner, all_of) for _ in targets],
        f"{kind}_ids": targets * (leaves * count),
        f"{kind}_weights": [0.0] * (leaves * count * len(targets)),
    }
    dropped = {*made, "nodes_hitrates", "nodes_missing_value_tracks_true"}
    dropped |= {f"{it}_as_tensor" for it in dropped}
    base = attributes.get("base_values")
    kept = [it for it in node.attribute if it.name not in dropped and it.name != "base_values"]
    if base is not None:
        kept.append(onnx.helper.make_attribute("base_values", [0.0] * len(base)))
    kept += [onnx.helper.make_attribute(name, value) for name, value in made.items()]
    del node.attribute[:]
    node.attribute.extend(kept)


def _plain(onnx: Any, value: Any) -> Any:
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
