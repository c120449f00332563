"""How long training takes and how far it is from float64: the estimators of `tacit.ml`, all parties in this process.

    python bench/training.py [--runs 3] [--protocols trio,lift] [--only logistic,ridge] [--large]

Run it with the Python that has Tacit's optimised wheel and scikit-learn, on a machine that does nothing else. Seconds are the median of
the runs, from arrays in the clear to what was learned; the program is made before. Rounds and bytes are what was counted. The
quality is accuracy, or the part of the variance that is explained (R2), on the training data, under the protocol and in float64.
`--large` has synthetic data of 10,000 rows as well.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn import datasets

import tacit as tc
from tacit import ml

WIDE = tc.Fixed(-8, 8)
Found = tuple[str, dict[str, tc.Array], dict[str, Any], Callable[[Any], float], float]


def scaled(X: np.ndarray) -> np.ndarray:
    """Features less their means, over their deviations."""
    return ((X - X.mean(axis=0)) / X.std(axis=0)).clip(-8, 8)


def owners(X: np.ndarray, y: np.ndarray, x_type: tc.Type, y_type: tc.Type) -> tuple[tc.Array, tc.Array, dict[str, Any]]:
    """Columns of two owners, targets at the second one."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    half = X.shape[1] // 2
    a = alice.array("x", x_type, shape=(len(X), half))
    b = bob.array("x", x_type, shape=(len(X), X.shape[1] - half))
    return tc.concat([a, b], axis=1), bob.array("y", y_type, shape=len(y)), {"alice": {"x": X[:, :half]}, "bob": {"x": X[:, half:], "y": y}}


def bins(X: np.ndarray, y: np.ndarray, y_type: tc.Type, count: int) -> tuple[tc.Array, tc.Array, dict[str, Any], np.ndarray]:
    """Candidate splits of columns of two owners."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    half, edges = X.shape[1] // 2, ml.quantile_edges(X, count)
    a = alice.array("x", WIDE, shape=(len(X), half))
    b = bob.array("x", WIDE, shape=(len(X), X.shape[1] - half))
    x = tc.concat([ml.below(a, edges[:half]), ml.below(b, edges[half:])], axis=1)
    return x, bob.array("y", y_type, shape=len(y)), {"alice": {"x": X[:, :half]}, "bob": {"x": X[:, half:], "y": y}}, edges


def linear(name: str, model: Any, X: np.ndarray, y: np.ndarray, y_type: tc.Type, right: Callable[[np.ndarray, np.ndarray], float]) -> Found:
    """A model with weights and an intercept; `right` says how good scores are."""
    x, t, data = owners(X, y, WIDE, y_type)
    model.fit(x, t)
    clear = model.reference(X, y)
    revealed = {"coef": model.coef_, "intercept": model.intercept_}
    return name, revealed, data, lambda r: right(X @ r.coef + r.intercept, y), right(X @ clear.coef_ + clear.intercept_, y)


def accuracy(score: np.ndarray, y: np.ndarray) -> float:
    """The part of rows whose score has the right sign."""
    return float(((score > 0) == y).mean())


def explained(mean: np.ndarray, y: np.ndarray) -> float:
    """The part of the variance that is explained."""
    return float(1 - ((mean - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())


def cases(large: bool) -> Iterator[Callable[[], Found]]:
    """What is measured."""
    tumours, diabetes, digits = datasets.load_breast_cancer(), datasets.load_diabetes(), datasets.load_digits()
    X, y = scaled(tumours.data), tumours.target.astype(bool)
    yield lambda: linear("logistic 569 x 30, 100 steps", ml.LogisticRegression(), X, y, tc.Bool(), accuracy)
    pieces = ml.LogisticRegression(sigmoid="three-pieces")
    yield lambda: linear("logistic 569 x 30, 100 steps, three pieces", pieces, X, y, tc.Bool(), accuracy)
    batches = ml.LogisticRegression(batch_size=64, learning_rate=0.5)
    yield lambda: linear("logistic 569 x 30, 100 steps of 64 rows", batches, X, y, tc.Bool(), accuracy)
    D, t = scaled(diabetes.data), diabetes.target
    yield lambda: linear("ridge 442 x 10", ml.Ridge(), D, t, tc.Fixed(0, 512), explained)
    yield lambda: linear("ridge 569 x 30", ml.Ridge(), X, y, tc.Bool(), explained)
    yield lambda: clusters("k-means 569 x 30, 3 clusters, 10 iterations", X)
    yield lambda: components("components 569 x 30, 2 of them", X)
    yield lambda: tree("tree 569 x 30, 8 bins, depth 3", X, y)
    yield lambda: boosted("boosted 569 x 30, 8 bins, 10 trees of depth 3", ml.GradientBoostingClassifier(n_estimators=10), X, y)
    F, kinds = digits.data / 16, digits.target
    yield lambda: many_classes("logistic 1797 x 64, ten classes, 100 steps", ml.LogisticRegression(learning_rate=4.0), F, kinds)
    pieces = ml.LogisticRegression(sigmoid="three-pieces")
    yield lambda: many_classes("logistic 1797 x 64, ten classes, 100 steps, three pieces", pieces, F, kinds)
    batches = ml.LogisticRegression(learning_rate=2.0, batch_size=128, steps=200)
    yield lambda: many_classes("logistic 1797 x 64, ten classes, 200 steps of 128 rows", batches, F, kinds)
    W, wines = datasets.load_wine(return_X_y=True)
    W = scaled(W)
    three = ml.GradientBoostingClassifier(n_estimators=10)
    yield lambda: boosted("boosted 178 x 13, three classes, 8 bins, 10 iterations of depth 3", three, W, wines, tc.Int(0, 2))
    forest = ml.RandomForestClassifier(edges=7)
    yield lambda: boosted("forest 178 x 13, three classes, 8 bins, 20 trees of depth 4", forest, W, wines, tc.Int(0, 2))
    yield lambda: boosted("forest 569 x 30, 8 bins, 20 trees of depth 4", ml.RandomForestClassifier(edges=7), X, y)
    yield lambda: forest_of_numbers("forest of numbers 442 x 10, 8 bins, 20 trees of depth 4", D, t)
    yield lambda: network("network 1797 x 64, 32 hidden, 300 steps of 64 rows", F, kinds)
    if large:
        more, kinds = datasets.make_classification(10_000, 20, n_informative=8, random_state=0)
        more, kinds = scaled(more), kinds.astype(bool)
        yield lambda: linear("logistic 10000 x 20, 100 steps", ml.LogisticRegression(), more, kinds, tc.Bool(), accuracy)
        several = ml.LogisticRegression(batch_size=128, steps=300, learning_rate=0.5)
        yield lambda: linear("logistic 10000 x 20, 300 steps of 128 rows", several, more, kinds, tc.Bool(), accuracy)
        deep = ml.GradientBoostingClassifier(n_estimators=20, max_depth=4)
        yield lambda: boosted("boosted 10000 x 20, 8 bins, 20 trees of depth 4", deep, more, kinds)
        trees = ml.RandomForestClassifier(edges=7)
        yield lambda: boosted("forest 10000 x 20, 8 bins, 20 trees of depth 4", trees, more, kinds)


def clusters(name: str, X: np.ndarray) -> Found:
    """K-means; the quality is how many rows are of the cluster that float64 finds."""
    x, _, data = owners(X, np.zeros(len(X)), WIDE, tc.Bool())
    model = ml.KMeans(X[:3].round(2)).fit(x)
    clear = model.reference(X)
    data["bob"].pop("y")
    return name, {"nearest": model.labels_}, data, lambda r: float((r.nearest == clear.labels_).mean()), 1.0


def components(name: str, X: np.ndarray) -> Found:
    """Principal components; the quality is the least cosine with those of float64."""
    x, _, data = owners(X, np.zeros(len(X)), WIDE, tc.Bool())
    model = ml.PCA(2).fit(x)
    clear = model.reference(X)
    data["bob"].pop("y")
    return name, {"parts": model.components_}, data, lambda r: float((r.parts * clear.components_).sum(axis=1).min()), 1.0


def tree(name: str, X: np.ndarray, y: np.ndarray) -> Found:
    """A tree of classes."""
    x, t, data, edges = bins(X, y, tc.Bool(), 8)
    model = ml.DecisionTreeClassifier().fit(x, t)
    clear = float((model.reference(ml.below(X, edges), y).predict(ml.below(X, edges)) == y).mean())
    return name, {"kind": model.predict(x), "splits": model.splits_}, data, lambda r: float((r.kind == y).mean()), clear


def boosted(name: str, model: Any, X: np.ndarray, y: np.ndarray, y_type: tc.Type | None = None) -> Found:
    """Boosted trees, or a forest, of classes."""
    x, t, data, edges = bins(X, y, y_type or tc.Bool(), 8)
    model.fit(x, t)
    clear = float((model.reference(ml.below(X, edges), y).predict(ml.below(X, edges)) == y).mean())
    return name, {"kind": model.predict(x), "splits": model.splits_}, data, lambda r: float((r.kind == y).mean()), clear


def forest_of_numbers(name: str, X: np.ndarray, y: np.ndarray) -> Found:
    """A forest of numbers."""
    x, t, data, edges = bins(X, y, tc.Fixed(0, 512), 8)
    model = ml.RandomForestRegressor(edges=7, max_features=0.4).fit(x, t)
    clear = explained(model.reference(ml.below(X, edges), y).predict(ml.below(X, edges)), y)
    return name, {"mean": model.predict(x)}, data, lambda r: explained(r.mean, y), clear


def many_classes(name: str, model: Any, X: np.ndarray, y: np.ndarray) -> Found:
    """A linear model of several classes, whose weights are revealed."""
    x, t, data = owners(X, y, tc.Fixed(0, 1), tc.Int(0, int(y.max())))
    model.fit(x, t)
    clear = float((model.reference(X, y).predict(X) == y).mean())
    revealed = {"coef": model.coef_, "intercept": model.intercept_}
    return name, revealed, data, lambda r: float(((X @ r.coef.T + r.intercept).argmax(axis=1) == y).mean()), clear


def network(name: str, X: np.ndarray, y: np.ndarray) -> Found:
    """A network of classes."""
    x, t, data = owners(X, y, tc.Fixed(0, 1), tc.Int(0, 9))
    model = ml.MLPClassifier(steps=300).fit(x, t)
    clear = float((model.reference(X, y).predict(X) == y).mean())
    return name, {"kind": model.predict(x)}, data, lambda r: float((r.kind == y).mean()), clear


def main() -> None:
    """Prints a row for each case and protocol."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--protocols", default="trio,lift")
    options.add_argument("--only", default="")
    options.add_argument("--large", action="store_true")
    given = options.parse_args()
    print(f"tacit {tc.__version__}, {platform.machine()}, {os.cpu_count()} processors")
    for case in cases(given.large):
        name, values, data, quality, clear = case()
        if given.only and not any(name.startswith(it) for it in given.only.split(",")):
            continue
        job = tc.job("bench", {key: value.reveal(to="all") for key, value in values.items()})
        for protocol in given.protocols.split(","):
            seconds = []
            for _ in range(given.runs):
                start = time.perf_counter()
                found = job.run(data, protocol=protocol)
                seconds.append(time.perf_counter() - start)
            sent = found.report.bytes / 1e6
            row = f"{name}, {protocol}: {statistics.median(seconds):.2f} s, {sent:.0f} MB sent in all"
            print(f"{row}, quality {quality(found):.4f}, in float64 {clear:.4f}", flush=True)


if __name__ == "__main__":
    main()
