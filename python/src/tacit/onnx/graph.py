"""Graphs of ONNX models: read, with functions inlined, and computed in floating point by ONNX's own reference."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from .table import DOMAINS, known

__all__ = ["Graph", "NodeOf", "Port", "fold", "package", "read", "reference"]

# Marks of a model whose weights were taken out.
STRIPPED = "tacit.without_weights"


def package(name: str = "onnx") -> Any:
    """A module of the package `onnx`, which is needed for models alone."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError("models are read by the package onnx, which is not installed: pip install onnx") from None


@dataclass(frozen=True)
class Port:
    """An input of a model."""

    name: str
    dtype: str
    shape: tuple[int | str | None, ...] | None


@dataclass(repr=False)
class NodeOf:
    """A node of a graph."""

    proto: Any
    name: str
    domain: str
    op_type: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    # Values of the graph around that a loop or a branch uses.
    captured: list[str]


@dataclass(repr=False)
class Graph:
    """A model that was read."""

    model: Any
    opset: int
    inputs: list[Port]
    outputs: list[str]
    nodes: list[NodeOf]
    constants: dict[str, np.ndarray[Any, Any]]
    # Constants of floating-point numbers that have axes: the weights.
    secrets: set[str]
    stripped: bool


def read(source: Any) -> Any:
    """A model from a path, bytes, or as it is."""
    onnx = package()
    if isinstance(source, onnx.ModelProto):
        return source
    try:
        if isinstance(source, (bytes, bytearray, memoryview)):
            return onnx.load_model_from_string(bytes(source))
        return onnx.load(os.fspath(source))
    except (OSError, TypeError) as error:
        raise InputError(f"{source!r} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except Exception as error:
        if type(error).__name__ != "DecodeError":
            raise
        what = "these bytes are" if isinstance(source, (bytes, bytearray, memoryview)) else f"{os.fspath(source)} is"
        raise InputError(f"{what} no ONNX model") from None


def graph_of(model: Any, name: str) -> Graph:
    """The graph of a model, with its functions and what is not in the table but defined by others inlined."""
    onnx = package()
    model = _inlined(onnx, model)
    _all_supported(model, name)
    graph = model.graph
    constants = {it.name: _numbers(onnx, it) for it in graph.initializer}
    secrets = {key for key, value in constants.items() if _is_weight(value)}
    nodes = []
    for count, proto in enumerate(graph.node):
        found = {it.name: _attribute(onnx, it) for it in proto.attribute}
        called = proto.name or f"{proto.op_type}_{count}"
        if proto.op_type == "Constant" and proto.domain in ("", "ai.onnx"):
            ((_, value),) = found.items()
            constants[proto.output[0]] = np.asarray(value, dtype=np.float32 if isinstance(value, float) else None)
            if _is_weight(constants[proto.output[0]]):
                secrets.add(proto.output[0])
            continue
        nodes.append(
            NodeOf(proto, called, proto.domain, proto.op_type, list(proto.input), list(proto.output), found, _captured(onnx, proto))
        )
    versions = {it.domain: it.version for it in model.opset_import}
    inputs = [_port(onnx, it) for it in graph.input if it.name not in constants]
    stripped = any(it.key == STRIPPED for it in model.metadata_props)
    return Graph(
        model,
        versions.get("", versions.get("ai.onnx", 21)),
        inputs,
        [it.name for it in graph.output],
        nodes,
        constants,
        secrets,
        stripped,
    )


def _captured(onnx: Any, node: Any) -> list[str]:
    """Names of the graph around that graphs in a node's attributes use."""
    found: list[str] = []
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            body = attribute.g
            own = {it.name for it in [*body.input, *body.initializer]} | {name for it in body.node for name in it.output} | {""}
            used = [name for it in body.node for name in [*it.input, *_captured(onnx, it)]] + [it.name for it in body.output]
            found += [name for name in used if name not in own]
    return list(dict.fromkeys(found))


def _is_weight(value: np.ndarray[Any, Any]) -> bool:
    """Whether a constant is a weight: what has infinite numbers is a mask, and single numbers are of the structure."""
    return value.dtype.kind == "f" and value.ndim > 0 and bool(np.isfinite(value).all())


def _inlined(onnx: Any, model: Any) -> Any:
    inliner = package("onnx.inliner")
    if model.functions:
        model = inliner.inline_local_functions(model)
    wanted = set()
    for node in model.graph.node:
        if known(node.domain, node.op_type) is None and node.domain in DOMAINS:
            wanted.add((node.domain, node.op_type))
    defined = {(it.domain, it.name) for it in onnx.defs.get_all_schemas() if it.has_function or it.has_context_dependent_function}
    wanted &= defined
    if not wanted:
        return model
    model = onnx.shape_inference.infer_shapes(model)
    try:
        return inliner.inline_selected_functions(model, sorted(wanted), exclude=False, inline_schema_functions=True)
    except RuntimeError:
        # What the inliner does not inline is listed as not supported.
        return model


def _all_supported(model: Any, name: str) -> None:
    wrong = []
    constants = {it.name for it in model.graph.initializer} | {""}
    for count, node in enumerate(model.graph.node):
        # What is known before there are inputs is computed by ONNX's reference; shapes are.
        if all(it in constants for it in [*node.input, *_captured(package(), node)]):
            constants.update(node.output)
            continue
        if known(node.domain, node.op_type) is not None:
            constants.update(node.output if node.op_type in ("Shape", "Size") else [])
            continue
        domain = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
        wrong.append(f"  {node.name or f'{node.op_type}_{count}'}  {domain}{node.op_type}")
    if model.graph.sparse_initializer:
        wrong.append("  constants that are sparse tensors")
    if wrong:
        many = (
            f"{len(wrong)} nodes of {name} have operators that are not supported"
            if len(wrong) > 1
            else "a node has an operator that is not supported"
        )
        raise InputError("\n".join([f"{many}:", *wrong, "The guide, docs/models.md, lists those that are."]))


def _numbers(onnx: Any, tensor: Any) -> np.ndarray[Any, Any]:
    value: np.ndarray[Any, Any] = onnx.numpy_helper.to_array(tensor)
    # Floating point of types that NumPy does not have, such as bfloat16.
    return value if value.dtype.kind in "biufOSU" else value.astype(np.float32)


def _attribute(onnx: Any, proto: Any) -> Any:
    value = onnx.helper.get_attribute_value(proto)
    if proto.type == onnx.AttributeProto.TENSOR:
        return _numbers(onnx, value)
    if proto.type == onnx.AttributeProto.STRING:
        return value.decode()
    if proto.type == onnx.AttributeProto.STRINGS:
        return [it.decode() for it in value]
    return list(value) if isinstance(value, (list, tuple)) or type(value).__name__.startswith("Repeated") else value


def _port(onnx: Any, value: Any) -> Port:
    type_of = value.type.tensor_type
    dtype = onnx.TensorProto.DataType.Name(type_of.elem_type).lower()
    if not type_of.HasField("shape"):
        return Port(value.name, dtype, None)
    return Port(value.name, dtype, tuple(it.dim_value if it.HasField("dim_value") else (it.dim_param or None) for it in type_of.shape.dim))


def fold(graph: Graph, node: NodeOf, operands: list[Any]) -> list[Any]:
    """The results of a node on constants, its operands and what it captures, by ONNX's reference."""
    onnx = package()
    names = [*node.inputs, *node.captured]
    feeds = {name: np.asarray(value) for name, value in zip(names, operands, strict=True) if name and value is not None}
    helper = onnx.helper
    ports = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(feeds[name].dtype), feeds[name].shape) for name in feeds]
    results = [helper.make_empty_tensor_value_info(name) for name in node.outputs if name]
    made = helper.make_graph([node.proto], "fold", ports, results)
    model = helper.make_model(made, opset_imports=list(graph.model.opset_import), ir_version=graph.model.ir_version)
    run = package("onnx.reference").ReferenceEvaluator(model)
    # Of a model without weights, all of them are zero.
    with np.errstate(all="ignore"):
        found = dict(zip([it for it in node.outputs if it], run.run(None, feeds), strict=True))
    return [np.asarray(found[it]) if it else None for it in node.outputs]


def reference(graph: Graph, feeds: Mapping[str, Any]) -> dict[str, Any]:
    """All tensors of a graph in floating point, by ONNX's reference."""
    onnx = package()
    types = {it.name: it for it in graph.inputs}
    given = {}
    for name, value in feeds.items():
        made = np.asarray(value)
        port = types.get(name)
        if port is not None and port.dtype != "string":
            code = onnx.TensorProto.DataType.Value(port.dtype.upper())
            made = made.astype(onnx.helper.tensor_dtype_to_np_dtype(code))
        given[name] = made
    run = package("onnx.reference").ReferenceEvaluator(graph.model)
    single = [it.name for it in graph.inputs if it.shape and it.shape[0] == 1 and it.name in given and len(given[it.name]) != 1]
    if not single:
        found: dict[str, Any] = run.run(None, given, intermediate=True)
        return found
    # A model that was written for one row: one row after the other.
    rows = [
        run.run(None, {name: value[i : i + 1] if name in single else value for name, value in given.items()}, intermediate=True)
        for i in range(len(given[single[0]]))
    ]
    return {
        name: np.concatenate([it[name] for it in rows]) if isinstance(value, np.ndarray) and value.ndim and len(value) == 1 else value
        for name, value in (rows[0] if rows else {}).items()
    }
