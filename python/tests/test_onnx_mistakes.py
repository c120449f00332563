"""Mistakes with trained models, and what they say."""

from __future__ import annotations

import builtins
import importlib
import sys
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper
from test_onnx import mlp, model_of

import tacit as tc


def test_unsupported_nodes_are_listed_all_at_once() -> None:
    nodes = [helper.make_node("Det", ["x"], ["a"], "one"), helper.make_node("NonZero", ["a"], ["y"], "two")]
    with pytest.raises(tc.InputError) as caught:
        tc.onnx.load(model_of(nodes, [2, 2], {}), public=True)
    assert "2 nodes of model" in str(caught.value) and "one  Det" in str(caught.value) and "two  NonZero" in str(caught.value)


def test_mistakes_of_loading(tmp_path: Any) -> None:
    _, bob, _ = tc.parties("alice", "bob", "carol")
    with pytest.raises(tc.InputError, match="say whose the weights are"):
        tc.onnx.load(mlp())
    with pytest.raises(tc.InputError, match="say whose the weights are"):
        tc.onnx.load(mlp(), owner=bob, public=True)
    with pytest.raises(tc.InputError, match="owner is one of the parties"):
        tc.onnx.load(mlp(), owner="bob")  # type: ignore[arg-type]
    with pytest.raises(tc.InputError, match="overflow is one of"):
        tc.onnx.load(mlp(), public=True, overflow="wrap")
    with pytest.raises(tc.InputError, match="cannot be read"):
        tc.onnx.load(tmp_path / "none.onnx", public=True)
    with pytest.raises(tc.InputError, match="no ONNX model"):
        tc.onnx.load(b"\xff\xfe nothing of the kind", public=True)


def test_mistakes_of_loading_say_where(tmp_path: Any) -> None:
    _, bob, _ = tc.parties("alice", "bob", "carol")
    calls = [
        lambda: tc.onnx.load(mlp()),
        lambda: tc.onnx.load(tmp_path / "none.onnx", public=True),
        lambda: tc.onnx.load(model_of([helper.make_node("Det", ["x"], ["y"], "one")], [2, 2], {}), public=True),
        lambda: tc.onnx.load(mlp(), owner=bob)(bob.array("x", tc.Fixed(-1, 1), shape=(3, 6))),
        lambda: tc.onnx.without_weights(tmp_path / "none.onnx"),
        lambda: tc.ml.from_sklearn(object(), public=True),
    ]
    for call in calls:
        with pytest.raises(tc.InputError, match=r"^test_onnx_mistakes.py:\d+: ") as caught:
            call()
        assert caught.value.file == "test_onnx_mistakes.py" and caught.value.line == call.__code__.co_firstlineno


def test_mistakes_of_use() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(-1, 1), shape=(tc.rows("n", max=10), 5))
    net = tc.onnx.load(mlp(), owner=bob, weights=tc.Fixed(-2, 2))
    with pytest.raises(tc.ShapeError, match=r"input 'x' of model has shape \[n, 6\], and this array \[n, 5\]"):
        net(x)
    with pytest.raises(tc.ProgramError, match="not given: x"):
        net()
    with pytest.raises(tc.ProgramError, match="no input 'z'"):
        net(x, z=x)
    right = alice.array("right", tc.Fixed(-1, 1), shape=(3, 6))
    with pytest.raises(tc.InputError, match="'W1' of model leave their declared range") as caught:
        tc.onnx.load(mlp(), owner=bob, weights=tc.Fixed(-0.5, 0.5))(right)
    assert "0.9" not in str(caught.value)
    with pytest.raises(tc.InputError, match="need a range"):
        tc.onnx.load(mlp(), owner=bob)(right)
    mixed = tc.onnx.load(mlp(), owner=bob, weights={"b1": tc.Fixed(-1, 1, 20), "*": tc.Fixed(-2, 2)})(right)
    assert mixed.label.shape == (3,) and list(mixed) == ["label", "y"]
    with pytest.raises(AttributeError, match="no output 'scores'"):
        _ = mixed.scores
    node = helper.make_node("Reshape", ["x", "shape"], ["y"], "turn")
    made = model_of([node], [2, 3], {})
    made.graph.input.append(helper.make_tensor_value_info("shape", TensorProto.INT64, [1]))
    secret = alice.array("shape", tc.Int(0, 6), shape=(1,))
    both = tc.onnx.load(made, public=True)
    part = alice.array("part", tc.Fixed(-1, 1), shape=(2, 3))
    with pytest.raises(tc.ProgramError, match="must be public"):
        both(part, secret)
    assert both(part, shape=np.array([6])).y.shape == (6,)


def test_the_package_is_needed_for_loading_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *args: Any, **options: Any) -> Any:
        if name.split(".")[0] == "onnx":
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(importlib, "import_module", lambda name, package=None: missing(name))
    monkeypatch.delitem(sys.modules, "onnx")
    with pytest.raises(ImportError, match="pip install onnx"):
        tc.onnx.load("some.onnx", public=True)
