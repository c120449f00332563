"""Trained models beside their floating-point reference: seconds, bytes and distances, as a table.

    PYTHONPATH=python/src target/python/bin/python python/bench/models.py

All parties are threads of this process, in memory. Weights are private to one party, rows to another.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neural_network import MLPClassifier

import tacit as tc

RNG = np.random.default_rng(0)


def network(nodes: list[Any], shape: list[Any], weights: dict[str, np.ndarray], outputs: list[str]) -> Any:
    """An ONNX model of one input."""
    graph = helper.make_graph(
        [helper.make_node(kind, given, made, made[0], **attributes) for kind, given, made, attributes in nodes],
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_empty_tensor_value_info(it) for it in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def normal(*shape: int) -> np.ndarray:
    """Random weights, so that values keep their size."""
    return (RNG.normal(size=shape) / np.sqrt(np.prod(shape[1:]) if len(shape) > 2 else shape[0])).astype(np.float32)


def lenet() -> Any:
    """LeNet on 28 x 28, with random weights."""
    weights = {"K1": normal(6, 1, 5, 5), "K2": normal(16, 6, 5, 5), "W1": normal(400, 120), "W2": normal(120, 84), "W3": normal(84, 10)}
    pool: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes: list[Any] = [
        ("Conv", ["x", "K1"], ["c1"], {"pads": [2, 2, 2, 2]}),
        ("Relu", ["c1"], ["r1"], {}),
        ("MaxPool", ["r1"], ["p1"], pool),
        ("Conv", ["p1", "K2"], ["c2"], {}),
        ("Relu", ["c2"], ["r2"], {}),
        ("MaxPool", ["r2"], ["p2"], pool),
        ("Flatten", ["p2"], ["f"], {}),
        ("MatMul", ["f", "W1"], ["d1"], {}),
        ("Relu", ["d1"], ["r3"], {}),
        ("MatMul", ["r3", "W2"], ["d2"], {}),
        ("Relu", ["d2"], ["r4"], {}),
        ("MatMul", ["r4", "W3"], ["scores"], {}),
        ("ArgMax", ["scores"], ["label"], {"axis": 1, "keepdims": 0}),
    ]
    return network(nodes, ["n", 1, 28, 28], weights, ["label", "scores"])


def transformer(tokens: int = 64, width: int = 128, heads: int = 2, layers: int = 2) -> Any:
    """Layers of an encoder as in BERT-tiny, with random weights: attention, normalisation, and a network of four times the width."""
    weights: dict[str, np.ndarray] = {"split": np.array([0, tokens, heads, width // heads]), "join": np.array([0, tokens, width])}
    weights["root"] = np.float32(np.sqrt(heads / width))
    nodes: list[Any] = []
    last = "x"
    for layer in range(layers):

        def add(kind: str, given: list[str], made: str, tag: str = str(layer), **attributes: Any) -> str:
            nodes.append((kind, given, [f"{made}_{tag}"], attributes))
            return f"{made}_{tag}"

        parts = []
        for name in "qkv":
            weights[f"W{name}_{layer}"] = normal(width, width)
            split = add("Reshape", [add("MatMul", [last, f"W{name}_{layer}"], name), "split"], f"{name}s")
            parts.append(add("Transpose", [split], f"{name}t", perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]))
        scores = add("Mul", [add("MatMul", parts[:2], "scores"), "root"], "scaled")
        seen = add("MatMul", [add("Softmax", [scores], "shares", axis=-1), parts[2]], "seen")
        joined = add("Reshape", [add("Transpose", [seen], "turned", perm=[0, 2, 1, 3]), "join"], "joined")
        weights[f"Wo_{layer}"], weights[f"W1_{layer}"], weights[f"W2_{layer}"] = (
            normal(width, width),
            normal(width, 4 * width),
            normal(4 * width, width),
        )
        for number in (1, 2):
            weights[f"g{number}_{layer}"] = RNG.uniform(0.5, 1.5, width).astype(np.float32)
            weights[f"b{number}_{layer}"] = RNG.uniform(-0.5, 0.5, width).astype(np.float32)
        first = add("Add", [add("MatMul", [joined, f"Wo_{layer}"], "out"), last], "sum1")
        first = add("LayerNormalization", [first, f"g1_{layer}", f"b1_{layer}"], "normal1")
        inner = add("Gelu", [add("MatMul", [first, f"W1_{layer}"], "wide")], "gelu")
        second = add("Add", [add("MatMul", [inner, f"W2_{layer}"], "narrow"), first], "sum2")
        last = add("LayerNormalization", [second, f"g2_{layer}", f"b2_{layer}"], "normal2")
    return network(nodes, [1, tokens, width], weights, [last])


def measured(
    name: str, model: Any, rows: np.ndarray, of: tuple[float, float], weights: tc.Type, frac: int, wanted: list[str] | None, known: bool
) -> None:
    """A line of the table."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    shape = rows.shape if known else (tc.rows("n", max=1000), *rows.shape[1:])
    x = alice.array("x", tc.Fixed(*of, frac), shape=shape, sample=rows[:4] if not known else rows)
    loaded = tc.onnx.load if hasattr(model, "graph") else tc.ml.from_sklearn
    net = loaded(model, owner=bob, weights=weights, name="model")
    out = net(x)
    job = tc.job("model", {key: out[key].reveal(to=alice) for key in wanted or list(out)})
    cells = []
    far: dict[str, str] = {}
    for protocol in ("trio", "lift"):
        report = job.accuracy(rows, protocol=protocol)
        run = report.reports[protocol]
        cells.append(f"{run.seconds:.2f} s, {run.bytes / 1e6:.1f} MB")
        for key, it in report.results.items():
            far[key] = f"{it['agree'][protocol]} of {len(rows)} equal" if "agree" in it else f"{it['difference'][protocol]:.1e}"
    print(f"| {name} | {len(rows)} | {' | '.join(cells)} | {', '.join(f'{key} {value}' for key, value in far.items())} |", flush=True)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true", help="without the transformer")
    fast = parser.parse_args().fast
    warnings.simplefilter("ignore")
    print("| model | rows | `trio` | `lift` | largest difference |\n| --- | --- | --- | --- | --- |")
    digits, kinds = load_digits(return_X_y=True)
    digits = (digits / 16).astype(np.float32)
    mlp = MLPClassifier((32,), learning_rate_init=0.01, max_iter=200, random_state=0).fit(digits[:1400], kinds[:1400])
    measured("MLP 64-32-10, labels", mlp, digits[1400:], (0, 1), tc.Fixed(-4, 4), 16, ["label"], False)
    measured("MLP 64-32-10, labels and probabilities", mlp, digits[1400:], (0, 1), tc.Fixed(-4, 4), 16, None, False)
    images = RNG.uniform(0, 1, (16, 1, 28, 28)).astype(np.float32)
    measured("LeNet, 28 x 28, random weights", lenet(), images, (0, 1), tc.Fixed(-2, 2), 16, None, False)
    tumours, labels = load_breast_cancer(return_X_y=True)
    trees = GradientBoostingClassifier(n_estimators=50, max_depth=3, random_state=0).fit(tumours[:400], labels[:400])
    for frac in (16, 20):
        rows = tumours[400:].astype(np.float32)
        measured(
            f"50 boosted trees of depth 3, {frac} bits behind the point", trees, rows, (0, 5000), tc.Fixed(-4, 4, 24), frac, None, False
        )
    if not fast:
        tokens = RNG.normal(size=(1, 64, 128)).clip(-4, 4).astype(np.float32)
        measured("transformer, 2 layers, 128 wide, 2 heads, 64 tokens", transformer(), tokens, (-4, 4), tc.Fixed(-2, 2), 16, None, True)


if __name__ == "__main__":
    main()
