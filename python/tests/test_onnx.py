"""Trained models from ONNX: under protocols, with private weights, ranges, trees and reports."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

import numpy as np
import onnx
import onnx.reference
import pytest
from onnx import TensorProto, helper, numpy_helper

import tacit as tc


def model_of(
    nodes: list[Any], shape: list[Any], weights: dict[str, np.ndarray], outputs: tuple[str, ...] = ("y",), **options: Any
) -> onnx.ModelProto:
    """A model with one input `x` of floats."""
    ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    results = [helper.make_empty_tensor_value_info(name) for name in outputs]
    tensors = [numpy_helper.from_array(value, name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, options.pop("name", "model"), ports, results, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def mlp(seed: int = 0, width: int = 6) -> onnx.ModelProto:
    """Two dense layers, scores, and the class."""
    rng = np.random.default_rng(seed)
    weights = {
        "W1": rng.uniform(-1, 1, (width, 8)).astype(np.float32),
        "b1": rng.uniform(-1, 1, 8).astype(np.float32),
        "W2": rng.uniform(-1, 1, (8, 3)).astype(np.float32),
        "b2": rng.uniform(-1, 1, 3).astype(np.float32),
    }
    nodes = [
        helper.make_node("Gemm", ["x", "W1", "b1"], ["h"], "first"),
        helper.make_node("Relu", ["h"], ["r"], "relu"),
        helper.make_node("Gemm", ["r", "W2", "b2"], ["scores"], "second"),
        helper.make_node("Softmax", ["scores"], ["y"], "shares"),
        helper.make_node("ArgMax", ["scores"], ["label"], "best", axis=1, keepdims=0),
    ]
    return model_of(nodes, ["n", width], weights, ("label", "y"))


def cnn(seed: int = 1) -> onnx.ModelProto:
    """A convolution with padding, a pool, a normalisation, and a dense layer whose shape is computed from the input's."""
    rng = np.random.default_rng(seed)
    weights = {
        "K": rng.uniform(-0.5, 0.5, (3, 1, 3, 3)).astype(np.float32),
        "k": rng.uniform(-0.5, 0.5, 3).astype(np.float32),
        "g": rng.uniform(0.5, 1.5, 3).astype(np.float32),
        "s": rng.uniform(-1, 1, 3).astype(np.float32),
        "m": rng.uniform(-1, 1, 3).astype(np.float32),
        "v": rng.uniform(0.5, 1.5, 3).astype(np.float32),
        "W": rng.uniform(-0.5, 0.5, (27, 4)).astype(np.float32),
    }
    ints = {"zero": np.array([0]), "rest": np.array([-1])}
    nodes = [
        helper.make_node("Conv", ["x", "K", "k"], ["c"], "conv", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c", "g", "s", "m", "v"], ["d"], "norm"),
        helper.make_node("Relu", ["d"], ["e"], "relu"),
        helper.make_node("MaxPool", ["e"], ["p"], "pool", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Shape", ["p"], ["lengths"], "lengths"),
        helper.make_node("Gather", ["lengths", "zero"], ["rows"], "rows"),
        helper.make_node("Concat", ["rows", "rest"], ["flat"], "flat", axis=0),
        helper.make_node("Reshape", ["p", "flat"], ["f"], "reshape"),
        helper.make_node("MatMul", ["f", "W"], ["y"], "dense"),
    ]
    return model_of(nodes, ["n", 1, 6, 6], {**weights, **ints})


def attention(seed: int = 2, tokens: int = 4, width: int = 6) -> onnx.ModelProto:
    """A head of attention with a mask, and a layer normalisation."""
    rng = np.random.default_rng(seed)
    weights = {name: rng.uniform(-0.7, 0.7, (width, width)).astype(np.float32) for name in ("Q", "K", "V")}
    weights["scale"], weights["shift"] = rng.uniform(0.5, 1.5, width).astype(np.float32), rng.uniform(-1, 1, width).astype(np.float32)
    mask = np.triu(np.full((tokens, tokens), -np.inf, np.float32), 1)
    nodes = [
        *(helper.make_node("MatMul", ["x", name], [name.lower()], name) for name in ("Q", "K", "V")),
        helper.make_node("Transpose", ["k"], ["kt"], "turned", perm=[0, 2, 1]),
        helper.make_node("MatMul", ["q", "kt"], ["scores"], "scores"),
        helper.make_node("Add", ["scores", "mask"], ["masked"], "masked"),
        helper.make_node("Softmax", ["masked"], ["shares"], "shares", axis=-1),
        helper.make_node("MatMul", ["shares", "v"], ["seen"], "seen"),
        helper.make_node("Add", ["seen", "x"], ["sum"], "sum"),
        helper.make_node("LayerNormalization", ["sum", "scale", "shift"], ["normal"], "normal"),
        helper.make_node("Gelu", ["normal"], ["y"], "gelu"),
    ]
    made = model_of(nodes, ["n", tokens, width], weights)
    made.graph.initializer.append(numpy_helper.from_array(mask, "mask"))
    return made


def built(model: Any, shape: tuple[int, ...], top: float = 1.0, frac: int = 16, **options: Any) -> tuple[tc.Job, Any]:
    """A job that reveals all outputs to alice, and the model."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(-top, top, frac), shape=(tc.rows("n", max=100), *shape))
    if options.pop("private", False):
        options = {"owner": bob, "weights": tc.Fixed(-2, 2, frac), **options}
    net = tc.onnx.load(model, **({"public": True} if "owner" not in options else {}), **options)
    return tc.job("model", {name: value.reveal(to=alice) for name, value in net(x).items()}), net


def rows_of(shape: tuple[int, ...], many: int = 12, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (many, *shape)).astype(np.float32)


@pytest.mark.parametrize(("model", "shape", "atol"), [(mlp, (6,), 3e-4), (cnn, (1, 6, 6), 1e-3)], ids=["mlp", "cnn"])
@pytest.mark.parametrize("protocol", ["trio", "lift"])
def test_models_run_under_protocols(model: Any, shape: tuple[int, ...], atol: float, protocol: str) -> None:
    job, net = built(model(), shape, private=True)
    rows = rows_of(shape)
    report = job.accuracy(rows, protocol=protocol)
    for it in report.results.values():
        assert all(value <= atol for value in it.get("difference", {}).values())
        assert all(value == len(rows) for value in it.get("agree", {}).values())
    result = job.run({"alice.x": rows, **net.data}, protocol=protocol)
    wanted = dict(zip(net.outputs, onnx.reference.ReferenceEvaluator(model()).run(None, {"x": rows}), strict=True))
    np.testing.assert_allclose(result.y, wanted["y"], atol=atol)
    assert "W1" not in repr(net) and "private to bob" in repr(net)


def test_models_are_used_several_times() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, z = (alice.array(name, tc.Fixed(-1, 1), shape=(4, 6)) for name in "xz")
    net = tc.onnx.load(mlp(), owner=bob, weights=tc.Fixed(-2, 2))
    first, second = net(x), net(z)
    job = tc.job("twice", first=first.label.reveal(to=alice), second=second.label.reveal(to=alice))
    rows = rows_of((6,), many=4)
    result = job.check({"alice.x": rows, "alice.z": rows[::-1], **net.data})
    assert len(net.data) == 4 and result.first.tolist() == result.second[::-1].tolist()
    with pytest.raises(tc.InputError, match="several uses"):
        job.accuracy(rows)


def test_classes_need_no_softmax() -> None:
    model = mlp()
    (best,) = (it for it in model.graph.node if it.op_type == "ArgMax")
    best.input[0] = "y"
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(-1, 1), shape=(tc.rows("n", max=100), 6))
    net = tc.onnx.load(model, owner=bob, weights=tc.Fixed(-2, 2))
    job = tc.job("model", label=net(x).label.reveal(to=alice))
    assert "exp(" not in job.text and "reciprocal" not in job.text
    rows = rows_of((6,))
    assert job.accuracy(rows).results["label"]["agree"] == {"tacit": 12}


def test_public_models_are_computed_by_who_has_the_rows() -> None:
    job, net = built(mlp(), (6,))
    assert net.data == {} and job.input_names == ["alice.x"]
    report = job.accuracy(rows_of((6,)))
    assert report.results["label"]["agree"] == {"tacit": 12}
    assert report.results["y"]["difference"]["tacit"] < 2e-4


def test_groups_of_channels_take_the_rounds_of_one() -> None:
    rng = np.random.default_rng(4)
    rounds = {}
    for groups in (1, 3):
        weights = {"K": rng.uniform(-0.5, 0.5, (6, 6 // groups, 2, 2)).astype(np.float32), "k": rng.uniform(-1, 1, 6).astype(np.float32)}
        model = model_of([helper.make_node("Conv", ["x", "K", "k"], ["y"], "conv", group=groups, strides=[2, 1])], ["n", 6, 4, 3], weights)
        job, _ = built(model, (6, 4, 3), private=True)
        report = job.accuracy(rows_of((6, 4, 3), many=5), protocol="trio")
        assert all(it < 2e-3 for it in report.results["y"]["difference"].values())
        rounds[groups] = report.reports["trio"].rounds
    assert rounds[3] == rounds[1]


def test_heads_of_attention_take_the_rounds_of_one() -> None:
    rounds = {}
    for heads in (1, 5):
        nodes = [
            helper.make_node("Transpose", ["x"], ["t"], "turned", perm=[0, 1, 3, 2]),
            helper.make_node("MatMul", ["x", "t"], ["scores"], "scores"),
            helper.make_node("MatMul", ["scores", "V"], ["y"], "seen"),
        ]
        weights = {"V": np.random.default_rng(1).uniform(-1, 1, (heads, 3, 2)).astype(np.float32)}
        alice, bob, _ = tc.parties("alice", "bob", "carol")
        x = tc.concat([owner.array("x", tc.Fixed(-1, 1), shape=(2, heads, 3, 2)) for owner in (alice, bob)], axis=3)
        net = tc.onnx.load(model_of(nodes, [2, heads, 3, 4], weights), owner=bob, weights=tc.Fixed(-1, 1))
        job = tc.job("heads", y=net(x).y.reveal(to=alice))
        given = rows_of((heads, 3, 4), many=2)
        found = job.run({"alice.x": given[..., :2], "bob.x": given[..., 2:], **net.data}, protocol="trio")
        wanted = given @ np.swapaxes(given, -1, -2) @ weights["V"]
        np.testing.assert_allclose(found.y, wanted, atol=1e-3)
        rounds[heads] = found.report.rounds
        # A word for each element of a product, and its rounding: whatever it is a sum of.
        assert job.text.count("matmul") + job.text.count(" @ ") == 2
    assert rounds[5] == rounds[1]


def test_fewer_bits_of_functions_take_fewer_messages() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(-1, 1, 20), shape=(20, 6)) + bob.array("z", tc.Fixed(-1, 1, 20), shape=(20, 6))
    rows = rows_of((6,), many=20)
    nodes = [
        helper.make_node("Gelu", ["x"], ["g"], "gelu"),
        helper.make_node("LayerNormalization", ["g", "scale", "shift"], ["l"], "normal"),
        helper.make_node("Softmax", ["l"], ["y"], "shares"),
    ]
    model = model_of(nodes, ["n", 6], {"scale": np.ones(6, np.float32), "shift": np.zeros(6, np.float32)})
    wanted = onnx.reference.ReferenceEvaluator(model).run(None, {"x": rows})[0]
    sent = {}
    for precision in (None, 16, 10):
        net = tc.onnx.load(model, public=True, precision=precision)
        job = tc.job("functions", y=net(x).y.reveal(to=alice))
        data = {"alice": {"x": rows / 2}, "bob": {"z": rows - rows / 2}}
        assert not job.check(data).warnings
        found = job.run(data, protocol="trio")
        np.testing.assert_allclose(found.y, wanted, atol=1e-4 if precision is None else 4 * 2.0**-precision + 1e-4)
        sent[precision] = found.report.bytes, found.report.rounds
    assert sent[10] < sent[16] < sent[None] and sent[10][1] < sent[None][1]
    for precision in (3, 25, True, 12.0):
        with pytest.raises(tc.InputError, match="precision is how many bits of functions are right, from 4 to 24"):
            tc.onnx.load(model, public=True, precision=precision)  # type: ignore[arg-type]


def test_attention_over_rows() -> None:
    job, _ = built(attention(), (4, 6), frac=20, private=True)
    report = job.accuracy(rows_of((4, 6), many=5))
    assert report.results["y"]["difference"]["tacit"] < 1e-3


def test_models_without_weights_make_the_same_program(tmp_path: Any) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(tc.onnx.without_weights(mlp()), path)
    job, net = built(mlp(), (6,), private=True, name="net")
    same, blind = built(path, (6,), private=True)
    assert same.digest == job.digest
    assert blind.data == {} and len(net.data) == 4
    rows = rows_of((6,))
    np.testing.assert_array_equal(
        same.run({"alice.x": rows, **net.data}, protocol="trio").label, job.check({"alice.x": rows, **net.data}).label
    )
    with pytest.raises(tc.InputError, match="has no weights"):
        same.accuracy(rows, given=net.data)
    stripped = onnx.load(path)
    assert all(not numpy_helper.to_array(it).any() for it in stripped.graph.initializer)


@pytest.mark.parametrize(("kind", "gates"), [("LSTM", 4), ("GRU", 3)])
def test_recurrent_layers_over_rows(kind: str, gates: int) -> None:
    rng = np.random.default_rng(4)
    weights = {
        name: rng.uniform(-0.6, 0.6, shape).astype(np.float32)
        for name, shape in (("W", (1, gates * 5, 3)), ("R", (1, gates * 5, 5)), ("B", (1, gates * 10)))
    }
    node = helper.make_node(kind, ["seq", "W", "R", "B"], ["all", "last"], "layer", hidden_size=5)
    nodes = [
        helper.make_node("Transpose", ["x"], ["seq"], "turn", perm=[1, 0, 2]),
        node,
        helper.make_node("Squeeze", ["last", "front"], ["y"], "y"),
    ]
    model = model_of(nodes, ["n", 6, 3], {**weights, "front": np.array([0])})
    job, net = built(model, (6, 3), private=True)
    rows = rows_of((6, 3))
    report = job.accuracy(rows, protocol="trio")
    assert max(report.results["y"]["difference"].values()) < 1e-3
    assert "loop" in job.text and len(net.data) == 3


def test_models_that_were_written_for_one_row() -> None:
    weights = {"W": np.random.default_rng(3).uniform(-1, 1, (36, 3)).astype(np.float32), "shape": np.array([1, 36])}
    nodes = [helper.make_node("Reshape", ["x", "shape"], ["f"], "flat"), helper.make_node("MatMul", ["f", "W"], ["y"], "dense")]
    job, _ = built(model_of(nodes, [1, 6, 6], weights), (6, 6), private=True)
    assert job.accuracy(rows_of((6, 6))).results["y"]["difference"]["tacit"] < 1e-3


def test_inputs_of_several_parties() -> None:
    weights = {"W": np.random.default_rng(3).uniform(-1, 1, (6, 3)).astype(np.float32)}
    nodes = [helper.make_node("Concat", ["x", "z"], ["both"], "both", axis=1), helper.make_node("MatMul", ["both", "W"], ["y"], "dense")]
    two = model_of(nodes, ["n", 3], weights)
    two.graph.input.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 3]))
    alice, bob, carol = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=50)
    x, z = (party.array("v", tc.Fixed(-1, 1), shape=(n, 3)) for party in (alice, bob))
    rows = rows_of((6,))
    job = tc.job("two", y=tc.onnx.load(two, owner=carol, weights=tc.Fixed(-1, 1))(x, z).y.reveal(to=alice))
    report = job.accuracy({"x": rows[:, :3], "z": rows[:, 3:]}, protocol="trio")
    assert max(report.results["y"]["difference"].values()) < 1e-3
    one = model_of([helper.make_node("MatMul", ["x", "W"], ["y"], "dense")], ["n", 6], weights)
    net = tc.onnx.load(one, owner=carol, weights=tc.Fixed(-1, 1), name="one")
    job = tc.job("one", y=net(tc.concat([x, z], axis=1)).y.reveal(to=alice))
    given = {"alice.v": rows[:, :3], "bob.v": rows[:, 3:]}
    assert job.accuracy(rows, given=given).results["y"]["difference"]["tacit"] < 1e-3
    with pytest.raises(tc.InputError, match="has no data"):
        job.accuracy(rows)


def test_embeddings_of_secret_tokens() -> None:
    table = np.random.default_rng(6).uniform(-1, 1, (20, 4)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["E", "tokens"], ["rows"], "embed"),
        helper.make_node("TopK", ["rows", "two"], ["best", "where"], "best"),
    ]
    model = model_of(nodes, ["n", 4], {"E": table, "two": np.array([2])}, ("rows", "best", "where"))
    model.graph.input[0].CopyFrom(helper.make_tensor_value_info("tokens", TensorProto.INT64, ["n", 3]))
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    tokens = alice.array("tokens", tc.Int(0, 19), shape=(tc.rows("n", max=10), 3))
    net = tc.onnx.load(model, owner=bob, weights=tc.Fixed(-1, 1))
    job = tc.job("tokens", {name: value.reveal(to=alice) for name, value in net(tokens).items()})
    given = np.random.default_rng(7).integers(0, 20, (5, 3))
    result = job.run({"alice.tokens": given, **net.data}, protocol="trio")
    np.testing.assert_allclose(result.rows, table[given], atol=1e-4)
    np.testing.assert_allclose(result.best, np.sort(table[given], axis=-1)[..., :-3:-1], atol=1e-4)
    np.testing.assert_array_equal(result.where, np.argsort(-table[given], axis=-1)[..., :2])
    with pytest.raises(tc.InputError):
        job.run({"alice.tokens": given + 20, **net.data}, protocol="trio")


# Ranges.


def deep() -> onnx.ModelProto:
    """Layers whose intervals grow beyond what there is, and whose values do not."""
    rng = np.random.default_rng(8)
    weights = {f"W{i}": (np.linalg.qr(rng.normal(size=(16, 16)))[0]).astype(np.float32) for i in range(6)}
    nodes = [
        helper.make_node("MatMul", ["x" if i == 0 else f"h{i - 1}", f"W{i}"], [f"h{i}" if i < 5 else "y"], f"layer{i}") for i in range(6)
    ]
    return model_of(nodes, ["n", 16], weights)


@pytest.mark.filterwarnings("ignore::tacit.FewSamples")
@pytest.mark.parametrize("overflow", ["clip", "check", "promise"])
def test_layers_are_cut_to_what_samples_show(overflow: str) -> None:
    rows = rows_of((16,))
    job, net = built(deep(), (16,), private=True, sample=rows, overflow=overflow, bits=30)
    assert net.cut and all(low < 0 < high for low, high in net.cut.values())
    report = job.accuracy(rows)
    assert report.clipped == 0 and report.results["y"]["difference"]["tacit"] < 1e-3
    assert ("check" in job.text) == (overflow == "check")
    assert (job.disclosure().__repr__().find("UNVERIFIED  nothing") < 0) == (overflow == "promise")
    assert {it["bits"] > 30 for it in report.layers if it["cut"] is not None} == {True}
    again, other = built(deep(), (16,), private=True, ranges=net.cut, overflow=overflow, bits=30)
    assert again.digest == job.digest and other.cut == net.cut


@pytest.mark.filterwarnings("ignore::tacit.FewSamples")
def test_values_that_are_cut_are_counted() -> None:
    rows = rows_of((16,))
    job, _ = built(deep(), (16,), top=8, private=True, sample=rows / 64, margin=1, bits=30)
    assert job.accuracy(rows * 8).clipped > 0
    strict, _ = built(deep(), (16,), top=8, private=True, sample=rows / 64, margin=1, bits=30, overflow="check")
    _, net = built(deep(), (16,), top=8, private=True, sample=rows)
    with pytest.raises(tc.CheckFailed):
        strict.run({"alice.x": rows * 8, **net.data}, protocol="trio")


def test_ranges_without_samples_are_refused() -> None:
    node = helper.make_node("Exp", ["x"], ["y"], "grows")
    with pytest.raises(tc.RangeError, match=r"test_onnx.py:\d+: node grows \(Exp\).*give sample="):
        built(model_of([node], ["n", 2], {}), (2,), top=200)
    job, _ = built(model_of([node], ["n", 2], {}), (2,), top=200, ranges={"x": (-200, 3)})
    assert abs(job.check({"alice.x": [[1.0, -200.0]]}).y[0, 0] - np.e) < 1e-3


def test_ranges_of_few_rows_are_warned_of_and_what_they_cut_is_counted() -> None:
    rows = rows_of((16,))
    with pytest.warns(tc.FewSamples, match="in model are what 3 sample rows show, times 1") as caught:
        job, net = built(deep(), (16,), top=8, private=True, sample=rows[:3] / 64, margin=1, bits=30)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert all(-low == high for low, high in net.cut.values())
    assert all(f"{name} {low:g}..{high:g}" in repr(net) for name, (low, high) in net.cut.items())
    assert re.search(r"CUT OFF  test_onnx.py:\d+ in -", repr(job.disclosure()))
    data = {"alice": {"x": rows * 8}, **net.data}
    said = job.check(data).warnings
    report = job.accuracy(rows * 8)
    assert len(said) == sum(bool(it["cut"]) for it in report.layers) > 0
    counted = [int(it.split(" of ")[0]) for it in said]
    assert sum(counted) == report.clipped and "values were cut off, in " in repr(report)
    assert not job.check({**data, "alice": {"x": rows / 256}}).warnings
    # What is computed from an output counts too, and a job that does not compute the layer says nothing.
    alice = net.owner.arena.parties[0] if net.owner is not None else None
    assert alice is not None
    with pytest.warns(tc.FewSamples):
        x = alice.array("z", tc.Fixed(-8, 8), shape=rows.shape)
        total = tc.sum(net(x).y)
    assert tc.job("total", t=total.reveal(to=alice)).check({"alice": {"z": rows * 8}, **net.data}).warnings
    other = tc.job("other", t=tc.maximum(tc.sum(x), 0).reveal(to=alice))
    assert not other.check({"alice": {"z": rows * 8}}).warnings


def test_many_rows_are_not_warned_of() -> None:
    many = np.random.default_rng(1).uniform(-1, 1, (120, 16)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, net = built(deep(), (16,), private=True, sample=many, bits=30)
        built(deep(), (16,), private=True, ranges=net.cut, bits=30)
        built(mlp(), (6,), private=True, sample=many[:3, :6])


# Trees.


def forest(thresholds: list[float], mode: str = "BRANCH_LEQ") -> onnx.ModelProto:
    """Trees of one comparison of column 0 each: one above the threshold, zero below."""
    many = len(thresholds)
    node = helper.make_node(
        "TreeEnsembleRegressor",
        ["x"],
        ["y"],
        "trees",
        domain="ai.onnx.ml",
        n_targets=1,
        nodes_treeids=[tree for tree in range(many) for _ in range(3)],
        nodes_nodeids=[0, 1, 2] * many,
        nodes_featureids=[0] * (3 * many),
        nodes_values=[value for it in thresholds for value in (it, 0.0, 0.0)],
        nodes_modes=[mode, "LEAF", "LEAF"] * many,
        nodes_truenodeids=[1, 0, 0] * many,
        nodes_falsenodeids=[2, 0, 0] * many,
        target_treeids=[tree for tree in range(many) for _ in range(2)],
        target_nodeids=[1, 2] * many,
        target_ids=[0] * (2 * many),
        target_weights=[0.0, 1.0] * many,
    )
    made = model_of([node], ["n", 2], {})
    made.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
    return made


@pytest.mark.parametrize("mode", ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT"])
@pytest.mark.parametrize("private", [False, True])
def test_thresholds_themselves_go_the_right_way(mode: str, private: bool) -> None:
    model = forest([-0.5, 0.25, 0.25 + 2.0**-12, 0.75, 5.0, -5.0], mode)
    rows = np.array([[it, 0] for it in (-1, -0.5, 0.25, 0.25 + 2.0**-12, 0.5, 0.75, 1)], np.float32)
    job, net = built(model, (2,), private=private, frac=12)
    wanted = onnx.reference.ReferenceEvaluator(model).run(None, {"x": rows})[0]
    for protocol in ("plain", "trio"):
        found = job.run({"alice.x": rows, **net.data}, protocol=protocol).y
        np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_comparisons_that_come_out_differently_are_counted() -> None:
    rows = np.array([[0.3001, 0], [0.9, 0], [0.2999, 0]], np.float32)
    job, _ = built(forest([0.3]), (2,), frac=6)
    report = job.accuracy(rows)
    assert report.differently == 1 and "comparisons that come out differently: 1 of 3, of features 0" in repr(report)
    enough = report.comparisons[0]["enough"]
    better, _ = built(forest([0.3]), (2,), frac=enough)
    assert better.accuracy(rows).differently == 0


# Reports.


def test_reports_are_tables_and_json() -> None:
    job, net = built(mlp(), (6,), private=True)
    rows = rows_of((6,))
    labels = onnx.reference.ReferenceEvaluator(mlp()).run(["label"], {"x": rows})[0]
    report = job.accuracy(rows, y=labels, protocol="trio")
    figures = json.loads(report.to_json())
    assert figures["results"]["label"]["accuracy"] == {"onnx": 1.0, "tacit": 1.0, "trio": 1.0}
    assert figures["rows"] == 12 and figures["runs"]["trio"]["bytes"] > 0
    assert all(it["used"] <= it["bits"] for it in figures["layers"])
    assert [it["node"] for it in figures["layers"]] == ["first", "relu", "second", "shares", "best"]
    assert "12 of 12" in repr(report) and "<table>" in report._repr_html_()
    own = job.accuracy(rows, reference=lambda _: {"label": labels, "y": np.full((12, 3), 2.0)})
    assert own.results["y"]["difference"]["tacit"] > 1
    with pytest.raises(tc.InputError, match="the reference is"):
        job.accuracy(rows, reference="torch")
    assert all("bob" not in str(it) for it in net.inputs)


def test_reports_need_a_model() -> None:
    alice, *_ = tc.parties("alice", "bob", "carol")
    job = tc.job("plain", total=alice.array("x", tc.Int(0, 3), shape=3).sum().reveal(to=alice))
    with pytest.raises(tc.InputError, match="reveals no output of a model"):
        job.accuracy([1, 2, 3])
