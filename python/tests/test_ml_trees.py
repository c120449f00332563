"""Trees and boosted trees: beside scikit-learn and float64, in the clear and under protocols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_data import PROTOCOLS, cancer, clear, diabetes, flowers, sweep
from sklearn import ensemble, tree
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

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
    # On a machine that has other work its threads wait for each other.
    with threadpool_limits(1):
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


# Boosted trees of more than two classes.


def test_boosted_trees_of_three_classes() -> None:
    X, y = flowers()
    edges = ml.quantile_edges(X, 8)
    x, t, data = rows_of_two(X, y, edges, PETALS, tc.Int(0, 2))
    model = ml.GradientBoostingClassifier(n_estimators=5, max_depth=2).fit(x, t)
    values = {"splits": model.splits_, "leaf": model.values_, "score": model.decision_function(x), "kind": model.predict(x)}
    found, bits = clear({**values, "chance": model.predict_proba(x)}, data), ml.below(X, edges)
    wanted = model.reference(bits, y)
    assert found.splits.shape == (5, 3, 3) and found.leaf.shape == (5, 3, 4)
    np.testing.assert_array_equal(found.splits[0], wanted.splits_[0])
    assert abs((found.kind == y).mean() - (wanted.predict(bits) == y).mean()) <= 0.007
    np.testing.assert_allclose(found.chance, wanted.predict_proba(bits), atol=0.05)
    np.testing.assert_allclose(found.chance.sum(axis=1), 1, atol=1e-3)
    model.splits_, model.values_, model.init_ = found.splits, found.leaf, wanted.init_
    np.testing.assert_allclose(model.decision_function(bits), found.score, atol=1e-3)
    np.testing.assert_array_equal(model.predict(bits), found.kind)
    settings = {"max_iter": 5, "max_depth": 2, "learning_rate": 0.25, "l2_regularization": 1.0, "min_samples_leaf": 1, "max_leaf_nodes": 4}
    with threadpool_limits(1):
        other = ensemble.HistGradientBoostingClassifier(**settings).fit(bits.astype(np.float64), y)
        assert abs((found.kind == y).mean() - other.score(bits.astype(np.float64), y)) <= 0.007


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_boosted_trees_of_three_classes_under_protocols(protocol: str) -> None:
    X, y = flowers()
    X, y = X[:48], y[:48]
    edges = ml.quantile_edges(X, 4)
    x, t, data = columns_of_two(X, y, edges, PETALS, tc.Int(0, 2))
    model = ml.GradientBoostingClassifier(n_estimators=2, max_depth=1).fit(x, t)
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


# Random forests.


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    "settings",
    [{}, {"edges": 7, "max_features": 2}, {"bootstrap": False, "max_features": 0.5}, {"max_features": None, "min_samples_leaf": 5}],
    ids=["candidates", "columns", "all-rows", "all-columns"],
)
def test_forests_of_classes(split: Any, settings: dict[str, Any]) -> None:
    X, y = flowers()
    edges = ml.quantile_edges(X, 8)
    x, t, data = split(X, y, edges, PETALS, tc.Int(0, 2))
    model = ml.RandomForestClassifier(n_estimators=4, max_depth=2, random_state=3, **settings).fit(x, t)
    values = {"splits": model.splits_, "leaf": model.values_, "kind": model.predict(x), "chance": model.predict_proba(x)}
    found, bits = clear(values, data), ml.below(X, edges)
    wanted = model.reference(bits, y)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found.leaf, wanted.values_, atol=1e-4)
    np.testing.assert_allclose(found.chance, wanted.predict_proba(bits), atol=1e-4)
    np.testing.assert_array_equal(found.kind, wanted.predict(bits))
    other = model._copy().set_params(random_state=4).reference(bits, y)
    assert settings.get("max_features", 0) is None or not np.array_equal(other.splits_, wanted.splits_)


def test_forests_are_as_good_as_those_of_scikit_learn() -> None:
    X, y = cancer()
    edges = ml.quantile_edges(X, 8)
    bits, theirs = ml.below(X, edges), ensemble.RandomForestClassifier(40, max_depth=4, random_state=0)
    train, test = np.arange(len(y)) % 3 > 0, np.arange(len(y)) % 3 == 0
    ours = ml.RandomForestClassifier(n_estimators=40, edges=7).reference(bits[train], y[train])
    theirs.fit(X[train], y[train])
    assert (
        abs(roc_auc_score(y[test], ours.predict_proba(bits[test])[:, 1]) - roc_auc_score(y[test], theirs.predict_proba(X[test])[:, 1]))
        < 0.01
    )
    assert (ours.predict(bits[test]) == y[test]).mean() > theirs.score(X[test], y[test]) - 0.02


def test_a_forest_of_numbers() -> None:
    X, y = diabetes()
    edges = ml.quantile_edges(X, 8)
    x, t, data = rows_of_two(X, y, edges, tc.Fixed(-8, 8), tc.Fixed(0, 512))
    model = ml.RandomForestRegressor(n_estimators=5, max_depth=3, edges=7, max_features=4, min_samples_leaf=5).fit(x, t)
    found, bits = clear({"splits": model.splits_, "leaf": model.values_, "mean": model.predict(x)}, data), ml.below(X, edges)
    wanted = model.reference(bits, y)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found.mean, wanted.predict(bits), atol=1e-2)
    model.splits_, model.values_ = found.splits, found.leaf
    np.testing.assert_allclose(model.predict(bits), found.mean, atol=1e-2)
    other = ensemble.RandomForestRegressor(5, max_depth=3, max_features=4, min_samples_leaf=5, random_state=0).fit(bits, y)
    assert ((found.mean - y) ** 2).mean() < 1.1 * ((other.predict(bits) - y) ** 2).mean()


def test_trees_that_grow_in_groups_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = flowers()
    edges = ml.quantile_edges(X, 4)
    found = []
    for most in (2**24, 150 * 2 * 4 * 2):
        monkeypatch.setattr("tacit.ml.forest._SIDE_BY_SIDE", most)
        x, t, data = rows_of_two(X, y, edges, PETALS, tc.Int(0, 2))
        model = ml.RandomForestClassifier(n_estimators=5, max_depth=2, edges=3).fit(x, t)
        assert len(model._groups(150, 3)) == (1 if most == 2**24 else 3)
        found.append(clear({"splits": model.splits_, "chance": model.predict_proba(x)}, data))
    np.testing.assert_array_equal(found[0].splits, found[1].splits)
    np.testing.assert_array_equal(found[0].chance, found[1].chance)


def test_forests_of_rows_that_are_bound_by_the_data() -> None:
    X, y = flowers()
    edges = ml.quantile_edges(X, 4)
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", min=50, max=200)
    x, t = ml.below(alice.array("x", PETALS, shape=(n, 4)), edges), bob.array("y", tc.Int(0, 2), shape=n)
    model = ml.RandomForestClassifier(n_estimators=3, max_depth=2, edges=3, bootstrap=False).fit(x, t)
    found, wanted = (
        clear({"splits": model.splits_, "kind": model.predict(x)}, {"alice": X, "bob": y}),
        model.reference(ml.below(X, edges), y),
    )
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_array_equal(found.kind, wanted.predict(ml.below(X, edges)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_forests_under_protocols(protocol: str) -> None:
    X, y = flowers()
    X, y = X[:48], y[:48]
    edges = ml.quantile_edges(X, 4)
    x, t, data = columns_of_two(X, y, edges, PETALS, tc.Int(0, 2))
    model = ml.RandomForestClassifier(n_estimators=3, max_depth=2, edges=3).fit(x, t)
    found = tc.job("forest", splits=model.splits_.reveal(to="all"), chance=model.predict_proba(x).reveal(to="all")).run(
        data, protocol=protocol
    )
    wanted = model.reference(ml.below(X, edges), y)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found.chance, wanted.predict_proba(ml.below(X, edges)), atol=1e-3)


@sweep
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_whole_forests_under_protocols(protocol: str) -> None:
    X, y = cancer()
    edges = ml.quantile_edges(X, 8)
    x, t, data = columns_of_two(X, y, edges, tc.Fixed(-8, 8), tc.Bool())
    model = ml.RandomForestClassifier(n_estimators=20, edges=7).fit(x, t)
    found = tc.job("forest", chance=model.predict_proba(x)[:, 1].reveal(to="all")).run(data, protocol=protocol)
    wanted = model.reference(ml.below(X, edges), y).predict_proba(ml.below(X, edges))[:, 1]
    assert abs(roc_auc_score(y, found.chance) - roc_auc_score(y, wanted)) < 0.005
