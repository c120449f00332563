"""Trees and boosted trees: beside scikit-learn and float64, in the clear and under protocols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_data import PROTOCOLS, cancer, clear, diabetes, flowers, sweep
from sklearn import ensemble, tree
from sklearn.metrics import roc_auc_score

import tacit as tc
from tacit import ml

PETALS = tc.Fixed(0, 8)


def rows_of_two(X: np.ndarray, y: np.ndarray, edges: np.ndarray, x_type: tc.Type, y_type: tc.Type) -> tuple[Any, ...]:
    """Candidates that two owners make of their own rows."""
    owners, half = tc.parties("alice", "bob", "carol")[:2], len(X) // 2
    parts = [np.arange(half), np.arange(half, len(X))]
    x = [ml.below(owner.array("x", x_type, shape=(len(at), X.shape[1])), edges) for owner, at in zip(owners, parts, strict=True)]
    assert [it.visibility for it in x] == ["alice", "bob"]
    t = [owner.array("y", y_type, shape=len(at)) for owner, at in zip(owners, parts, strict=True)]
    data = {owner.name: {"x": X[at], "y": y[at]} for owner, at in zip(owners, parts, strict=True)}
    return tc.concat(x), tc.concat(t), data


def columns_of_two(X: np.ndarray, y: np.ndarray, edges: np.ndarray, x_type: tc.Type, y_type: tc.Type) -> tuple[Any, ...]:
    """Candidates that two owners make of their own columns."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    half = X.shape[1] // 2
    a = alice.array("x", x_type, shape=(len(X), half))
    b = bob.array("x", x_type, shape=(len(X), X.shape[1] - half))
    x = tc.concat([ml.below(a, edges[:half]), ml.below(b, edges[half:])], axis=1)
    return x, bob.array("y", y_type, shape=len(y)), {"alice": {"x": X[:, :half]}, "bob": {"x": X[:, half:], "y": y}}


SPLITS = [rows_of_two, columns_of_two]


def test_candidates_are_comparisons_with_edges() -> None:
    X = np.array([[1.0, 5.0], [2.5, 4.0], [3.0, 3.0]])
    edges = np.array([[1.0, 2.75], [3.5, 4.5]])
    alice, _, _ = tc.parties("alice", "bob", "carol")
    bits = ml.below(alice.array("x", PETALS, shape=(3, 2)), edges)
    wanted = [[1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]]
    np.testing.assert_array_equal(clear({"bits": bits}, {"alice": X}).bits, wanted)
    np.testing.assert_array_equal(ml.below(X, edges), wanted)
    assert ml.quantile_edges(X, 3).shape == (2, 2)


def test_candidates_may_be_inputs() -> None:
    X, y = flowers()
    edges = ml.quantile_edges(X, 4)
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, t = alice.array("x", tc.Int(0, 1), shape=(150, 12)), bob.array("y", tc.Int(0, 2), shape=150)
    model = ml.DecisionTreeClassifier(max_depth=2).fit(x, t)
    bits = ml.below(X, edges)
    found = clear({"splits": model.splits_}, {"alice": {"x": bits}, "bob": {"y": y}})
    np.testing.assert_array_equal(found.splits, model.reference(bits, y).splits_)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("settings", [{}, {"max_depth": 2, "min_samples_leaf": 10}])
def test_a_tree_of_classes(split: Any, settings: dict[str, Any]) -> None:
    X, y = flowers()
    edges = ml.quantile_edges(X, 8)
    x, t, data = split(X, y, edges, PETALS, tc.Int(0, 2))
    model = ml.DecisionTreeClassifier(**settings).fit(x, t)
    values = {"splits": model.splits_, "values": model.values_, "kind": model.predict(x), "chance": model.predict_proba(x)}
    found, bits = clear(values, data), ml.below(X, edges)
    wanted = model.reference(bits, y)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found["values"], wanted.values_, atol=1e-4)
    np.testing.assert_array_equal(found.kind, wanted.predict(bits))
    np.testing.assert_allclose(found.chance, wanted.predict_proba(bits), atol=1e-4)
    other = tree.DecisionTreeClassifier(max_depth=3, random_state=0, **settings).fit(bits, y) if not settings else None
    assert other is None or abs((found.kind == y).mean() - other.score(bits, y)) <= 0.002


def test_a_tree_of_numbers() -> None:
    X, y = diabetes()
    edges = ml.quantile_edges(X, 16)
    x, t, data = rows_of_two(X, y, edges, tc.Fixed(-8, 8), tc.Fixed(0, 512))
    model = ml.DecisionTreeRegressor(max_depth=3, min_samples_leaf=5).fit(x, t)
    found, bits = clear({"splits": model.splits_, "mean": model.predict(x)}, data), ml.below(X, edges)
    wanted = model.reference(bits, y)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found.mean, wanted.predict(bits), atol=1e-2)
    other = tree.DecisionTreeRegressor(max_depth=3, min_samples_leaf=5, random_state=0).fit(bits, y)
    np.testing.assert_allclose(found.mean, other.predict(bits), atol=1e-2)


def test_empty_leaves_have_the_value_above() -> None:
    """All rows of a pure node go one way; others may come to the empty leaf later."""
    X = np.array([[1.0], [1.0], [3.0], [3.0]])
    edges = np.array([[0.5, 2.0]])
    x, t, data = rows_of_two(X, np.array([0, 0, 1, 1]), edges, PETALS, tc.Bool())
    model = ml.DecisionTreeClassifier(max_depth=2).fit(x, t)
    alice = x._arena.parties[0]
    later = ml.below(alice.array("z", PETALS, shape=(2, 1)), edges)
    data["alice"]["z"] = [[0.0], [8.0]]
    found = clear({"chance": model.predict_proba(later), "kind": model.predict(later)}, data)
    np.testing.assert_allclose(found.chance, [[1, 0], [0, 1]], atol=1e-4)
    np.testing.assert_array_equal(found.kind, [0, 1])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_tree_under_protocols(protocol: str) -> None:
    X, y = flowers()
    X, y = X[:60], y[:60]
    edges = ml.quantile_edges(X, 4)
    x, t, data = columns_of_two(X, y, edges, PETALS, tc.Int(0, 2))
    model = ml.DecisionTreeClassifier(max_depth=2).fit(x, t)
    found = tc.job("tree", splits=model.splits_.reveal(to="all"), kind=model.predict(x).reveal(to="all")).run(data, protocol=protocol)
    wanted = model.reference(ml.below(X, edges), y)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_array_equal(found.kind, wanted.predict(ml.below(X, edges)))


@pytest.mark.parametrize("split", SPLITS)
def test_boosted_trees_of_two_classes(split: Any) -> None:
    X, y = cancer(columns=10)
    edges = ml.quantile_edges(X, 8)
    x, t, data = split(X, y, edges, tc.Fixed(-8, 8), tc.Bool())
    model = ml.GradientBoostingClassifier(n_estimators=8).fit(x, t)
    found, bits = clear({"splits": model.splits_, "score": model.decision_function(x), "kind": model.predict(x)}, data), ml.below(X, edges)
    wanted = model.reference(bits, y)
    area, clear_area = roc_auc_score(y, found.score), roc_auc_score(y, wanted.decision_function(bits))
    assert abs(area - clear_area) < 0.002
    assert abs((found.kind == y).mean() - (wanted.predict(bits) == y).mean()) <= 0.004
    other = ensemble.HistGradientBoostingClassifier(max_iter=8, max_depth=3, learning_rate=0.25, l2_regularization=1).fit(X, y)
    assert area > roc_auc_score(y, other.decision_function(X)) - 0.01


def test_boosted_trees_of_numbers() -> None:
    X, y = diabetes()
    edges = ml.quantile_edges(X, 8)
    x, t, data = rows_of_two(X, y, edges, tc.Fixed(-8, 8), tc.Fixed(0, 512))
    model = ml.GradientBoostingRegressor(n_estimators=6).fit(x, t)
    found, bits = clear({"mean": model.predict(x)}, data), ml.below(X, edges)
    wanted = model.reference(bits, y).predict(bits)
    assert abs(((found.mean - y) ** 2).mean() / ((wanted - y) ** 2).mean() - 1) < 0.01
    assert ((found.mean - y) ** 2).mean() < 0.6 * y.var()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_boosted_trees_under_protocols(protocol: str) -> None:
    X, y = cancer(80, 4)
    edges = ml.quantile_edges(X, 4)
    x, t, data = rows_of_two(X, y, edges, tc.Fixed(-8, 8), tc.Bool())
    model = ml.GradientBoostingClassifier(n_estimators=2, max_depth=2).fit(x, t)
    found = tc.job("boost", score=model.decision_function(x).reveal(to="all")).run(data, protocol=protocol)
    wanted = model.reference(ml.below(X, edges), y).decision_function(ml.below(X, edges))
    np.testing.assert_allclose(found.score, wanted, atol=0.01)


@sweep
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_whole_boosted_trees_under_protocols(protocol: str) -> None:
    X, y = cancer()
    edges = ml.quantile_edges(X, 8)
    x, t, data = columns_of_two(X, y, edges, tc.Fixed(-8, 8), tc.Bool())
    model = ml.GradientBoostingClassifier(n_estimators=10).fit(x, t)
    found = tc.job("boost", score=model.decision_function(x).reveal(to="all")).run(data, protocol=protocol)
    wanted = model.reference(ml.below(X, edges), y).decision_function(ml.below(X, edges))
    assert abs(roc_auc_score(y, found.score) - roc_auc_score(y, wanted)) < 0.01
