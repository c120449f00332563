"""Weights of rows, epochs and scores: beside float64 and scikit-learn, in the clear and under protocols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_data import PROTOCOLS, cancer, clear, diabetes, flowers
from sklearn import linear_model, metrics, tree

import tacit as tc
from tacit import ml

BITS, WHOLE, PARTS = tc.Bool(), tc.Int(0, 3), tc.Fixed(0, 2)


def weights_of(kind: tc.Type, rows: int) -> np.ndarray:
    """Weights as they enter a program."""
    rng = np.random.default_rng(11)
    if kind is BITS:
        return rng.random(rows) < 0.7
    return rng.integers(0, 4, rows) if kind is WHOLE else np.round(rng.uniform(0, 2, rows) * 256) / 256


def with_weights(X: np.ndarray, y: np.ndarray, types: tuple[tc.Type, tc.Type, tc.Type], rows: Any = None) -> tuple[Any, ...]:
    """Features at alice, targets at bob, weights at carol; arrays and data."""
    alice, bob, carol = tc.parties("alice", "bob", "carol")
    rows = len(X) if rows is None else rows
    w = weights_of(types[2], len(X))
    x, t = alice.array("x", types[0], shape=(rows, X.shape[1])), bob.array("y", types[1], shape=rows)
    return x, t, carol.array("w", types[2], shape=rows), w, {"alice": {"x": X}, "bob": {"y": y}, "carol": {"w": w}}


@pytest.mark.parametrize("kind", [BITS, WHOLE, PARTS])
def test_a_tree_of_classes_by_weights(kind: tc.Type) -> None:
    X, y = flowers()
    X = ml.below(X, ml.quantile_edges(X, 6)).astype(int)
    x, t, own, w, data = with_weights(X, y, (tc.Int(0, 1), tc.Int(0, 2), kind), tc.rows("n", max=256))
    model = ml.DecisionTreeClassifier(max_depth=2).fit(x, t, sample_weight=own)
    found = clear({"splits": model.splits_, "values": model.values_, "right": model.score(x, t)}, data)
    wanted = model.reference(X, y, sample_weight=w)
    assert not np.array_equal(wanted.values_, model.reference(X, y).values_)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found["values"], wanted.values_, atol=1e-4)
    other = tree.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y, sample_weight=w)
    assert abs(found.right - other.score(X, y)) <= 0.02
    assert abs(found.right - wanted.score(X, y)) < 1e-4


@pytest.mark.parametrize("kind", [BITS, WHOLE, PARTS])
def test_a_tree_of_numbers_by_weights(kind: tc.Type) -> None:
    X, y = diabetes(200)
    X = ml.below(X, ml.quantile_edges(X, 6)).astype(int)
    x, t, own, w, data = with_weights(X, y, (tc.Int(0, 1), tc.Fixed(0, 512), kind))
    model = ml.DecisionTreeRegressor(max_depth=2, min_samples_leaf=5).fit(x, t, sample_weight=own)
    found = clear({"splits": model.splits_, "values": model.values_, "score": model.score(x, t)}, data)
    wanted = model.reference(X, y, sample_weight=w)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found["values"], wanted.values_, rtol=2e-3)
    assert abs(found.score - metrics.r2_score(y, wanted.predict(X))) < 5e-3
    assert abs(wanted.score(X, y) - metrics.r2_score(y, wanted.predict(X))) < 1e-9


def test_rows_without_weight_are_as_if_there_were_none() -> None:
    X, y = flowers()
    X = ml.below(X, ml.quantile_edges(X, 6)).astype(int)
    x, t, own, w, data = with_weights(X, y, (tc.Int(0, 1), tc.Int(0, 2), BITS))
    forest = ml.RandomForestClassifier(n_estimators=3, max_depth=2, bootstrap=False).fit(x, t, sample_weight=own)
    boosted = ml.GradientBoostingRegressor(n_estimators=2, max_depth=1).fit(x, t, sample_weight=own)
    found = clear({"forest": forest.splits_, "mean": boosted.predict(x)}, data)
    np.testing.assert_array_equal(found.forest, forest.reference(X[w], y[w]).splits_)
    np.testing.assert_allclose(found.mean, boosted.reference(X[w], y[w]).predict(X), atol=5e-3)


@pytest.mark.parametrize("kind", [BITS, WHOLE, PARTS])
def test_forests_by_weights(kind: tc.Type) -> None:
    X, y = flowers()
    X = ml.below(X, ml.quantile_edges(X, 6)).astype(int)
    x, t, own, w, data = with_weights(X, y, (tc.Int(0, 1), tc.Int(0, 2), kind))
    model = ml.RandomForestClassifier(n_estimators=4, max_depth=2, edges=5).fit(x, t, sample_weight=own)
    found = clear({"splits": model.splits_, "values": model.values_}, data)
    wanted = model.reference(X, y, sample_weight=w)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found["values"], wanted.values_, atol=1e-4)


@pytest.mark.parametrize("kind", [BITS, WHOLE, PARTS])
@pytest.mark.parametrize("kinds", [2, 3])
def test_boosted_trees_of_classes_by_weights(kind: tc.Type, kinds: int) -> None:
    X, y = flowers()
    X, y = ml.below(X, ml.quantile_edges(X, 6)).astype(int), np.minimum(y, kinds - 1)
    x, t, own, w, data = with_weights(X, y, (tc.Int(0, 1), tc.Int(0, kinds - 1), kind))
    model = ml.GradientBoostingClassifier(n_estimators=3, max_depth=2).fit(x, t, sample_weight=own)
    found = clear({"chance": model.predict_proba(x), "right": model.score(x, t, sample_weight=own if kind is BITS else None)}, data)
    wanted = model.reference(X, y, sample_weight=w)
    np.testing.assert_allclose(found.chance, wanted.predict_proba(X), atol=5e-3)
    assert np.abs(wanted.predict_proba(X) - model.reference(X, y).predict_proba(X)).max() > 0.01
    assert abs(found.right - wanted.score(X, y, sample_weight=w if kind is BITS else None)) < 0.01


@pytest.mark.parametrize("kind", [BITS, WHOLE, PARTS])
def test_boosted_trees_of_numbers_by_weights(kind: tc.Type) -> None:
    X, y = diabetes(200)
    X = ml.below(X, ml.quantile_edges(X, 6)).astype(int)
    x, t, own, w, data = with_weights(X, y, (tc.Int(0, 1), tc.Fixed(0, 512), kind))
    model = ml.GradientBoostingRegressor(n_estimators=3, max_depth=2).fit(x, t, sample_weight=own)
    found = clear({"mean": model.predict(x), "start": model.init_}, data)
    wanted = model.reference(X, y, sample_weight=w)
    assert abs(found.start - wanted.init_) < 0.05
    np.testing.assert_allclose(found.mean, wanted.predict(X), atol=0.5)


@pytest.mark.parametrize("kind", [BITS, WHOLE, PARTS])
@pytest.mark.parametrize("kinds", [2, 3])
def test_a_network_by_weights(kind: tc.Type, kinds: int) -> None:
    X, y = flowers()
    X, y = np.round((X - X.mean(axis=0)) / X.std(axis=0) * 2**16) / 2**16, np.minimum(y, kinds - 1)
    x, t, own, w, data = with_weights(X, y, (tc.Fixed(-8, 8), tc.Int(0, kinds - 1), kind))
    model = ml.MLPClassifier(hidden_layer_sizes=(4,), epochs=3, batch_size=50).fit(x, t, sample_weight=own)
    found = clear({"first": model.coefs_[0], "last": model.intercepts_[-1], "right": model.score(x, t)}, data)
    wanted = model.reference(X, y, sample_weight=w)
    np.testing.assert_allclose(found.first, wanted.coefs_[0], atol=2e-3)
    np.testing.assert_allclose(found.last, wanted.intercepts_[-1], atol=2e-3)
    assert np.abs(wanted.coefs_[0] - model.reference(X, y).coefs_[0]).max() > 0.01
    assert abs(found.right - wanted.score(X, y)) < 0.01


@pytest.mark.parametrize("kind", [WHOLE, PARTS])
@pytest.mark.parametrize("settings", [{}, {"fit_intercept": False}, {"batch_size": 32}, {"sigmoid": "three-pieces"}])
def test_logistic_regression_by_numbers(kind: tc.Type, settings: dict[str, Any]) -> None:
    X, y = cancer(120, 6)
    x, t, own, w, data = with_weights(X, y, (tc.Fixed(-8, 8), tc.Bool(), kind))
    model = ml.LogisticRegression(steps=20, **settings).fit(x, t, sample_weight=own)
    found = clear({"coef": model.coef_, "intercept": model.intercept_}, data)
    wanted = model.reference(X, y, sample_weight=w)
    np.testing.assert_allclose(found.coef, wanted.coef_, atol=1e-3)
    assert abs(found.intercept - wanted.intercept_) < 2e-3
    assert np.abs(wanted.coef_ - model.reference(X, y).coef_).max() > 0.005


def test_weighted_regression_is_scikit_learns() -> None:
    X, y = cancer(120, 4)
    x, t, own, w, data = with_weights(X, y, (tc.Fixed(-8, 8), tc.Bool(), PARTS), tc.rows("n", max=128))
    model = ml.LogisticRegression(steps=400, learning_rate=2.0).fit(x, t, sample_weight=own)
    found = clear({"coef": model.coef_}, data)
    other = linear_model.LogisticRegression(C=1.0, tol=1e-8, max_iter=1000).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(found.coef, other.coef_[0], atol=0.02)


@pytest.mark.parametrize("kind", [WHOLE, PARTS])
@pytest.mark.parametrize("model", [ml.LinearRegression(), ml.Ridge(10.0), ml.Ridge(fit_intercept=False)], ids=repr)
def test_linear_models_by_numbers(model: Any, kind: tc.Type) -> None:
    X, y = diabetes(200)
    X, y = X[:, :5], y / 64
    x, t, own, w, data = with_weights(X, y, (tc.Fixed(-8, 8), tc.Fixed(0, 8), kind), tc.rows("n", max=256, min=1))
    model = model._copy().fit(x, t, sample_weight=own)
    found = clear({"coef": model.coef_, "intercept": model.intercept_}, data)
    wanted = model.reference(X, y, sample_weight=w)
    np.testing.assert_allclose(found.coef, wanted.coef_, atol=1e-3)
    assert abs(found.intercept - wanted.intercept_) < 2e-3
    other = linear_model.Ridge(model.alpha or 1e-9, fit_intercept=model.fit_intercept).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(wanted.coef_, other.coef_, atol=1e-6)
    assert np.abs(wanted.coef_ - model.reference(X, y).coef_).max() > 0.005


@pytest.mark.parametrize("kind", [WHOLE, PARTS])
def test_scaling_by_numbers(kind: tc.Type) -> None:
    X, y = diabetes(150)
    X = np.round(X * [1.0, 0.1, 2.0, 1.0, 0.5, 1, 1, 1, 1, 1] * 2**16) / 2**16
    x, _, own, w, data = with_weights(X, y, (tc.Fixed(-16, 16), tc.Fixed(0, 512), kind))
    scaler = ml.StandardScaler()
    found = clear({"x": scaler.fit_transform(x, sample_weight=own), "scale": scaler.scale_}, {key: data[key] for key in ("alice", "carol")})
    np.testing.assert_allclose(found.x, scaler.reference(X, sample_weight=w), atol=2e-3)
    middle = np.average(X, axis=0, weights=w)
    np.testing.assert_allclose(found.scale, np.sqrt(np.average((X - middle) ** 2, axis=0, weights=w)), atol=1e-4)


@pytest.mark.parametrize("estimator", [ml.PoissonRegressor, ml.GammaRegressor])
def test_counts_by_weights(estimator: Any) -> None:
    X, _ = diabetes(100)
    y = np.random.default_rng(3).poisson(np.exp(0.5 + 0.3 * X[:, 0])) + 1.0
    x, t, own, w, data = with_weights(X, y, (tc.Fixed(-8, 8), tc.Fixed(0.5, 32), PARTS))
    model = estimator(steps=20, learning_rate=0.25, alpha=0.1).fit(x, t, sample_weight=own)
    found = clear({"coef": model.coef_, "score": model.score(x, t)}, data)
    wanted = model.reference(X, y, sample_weight=w)
    np.testing.assert_allclose(found.coef, wanted.coef_, atol=2e-3)
    assert abs(found.score - wanted.score(X, y)) < 0.01


def test_epochs_go_through_all_batches() -> None:
    X, y = cancer(130, 5)
    x, t, _, _, data = with_weights(X, y, (tc.Fixed(-8, 8), tc.Bool(), BITS))
    by_epochs = ml.LogisticRegression(epochs=3, batch_size=32).fit(x, t)
    by_steps = ml.LogisticRegression(steps=12, batch_size=32).fit(x, t)
    whole = ml.LogisticRegression(epochs=3).fit(x, t)
    found = clear({"a": by_epochs.coef_, "b": by_steps.coef_, "c": whole.coef_}, {key: data[key] for key in ("alice", "bob")})
    np.testing.assert_array_equal(found.a, found.b)
    np.testing.assert_allclose(found.c, ml.LogisticRegression(steps=3).reference(X, y).coef_, atol=1e-3)
    np.testing.assert_array_equal(by_epochs.reference(X, y).coef_, by_steps.reference(X, y).coef_)
    assert by_epochs.get_params()["epochs"] == 3


def test_scores_of_numbers_and_centres() -> None:
    X, y = diabetes(100)
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, t = alice.array("x", tc.Fixed(-8, 8), shape=X.shape), bob.array("y", tc.Fixed(0, 512), shape=len(y))
    ridge, centres = ml.Ridge().fit(x, t), ml.KMeans(X[:3], max_iter=2).fit(x)
    found = clear({"r2": ridge.score(x, t), "k": centres.score(x), "inertia": centres.inertia_}, {"alice": {"x": X}, "bob": {"y": y}})
    assert abs(found.r2 - ridge.reference(X, y).score(X, y)) < 1e-3
    assert found.k == -found.inertia
    clear_ = centres.reference(X)
    assert abs(clear_.score(X) + clear_.inertia_) < 1e-6 and abs(found.k - clear_.score(X)) < 0.5


def test_metrics_of_rows_that_count() -> None:
    rng = np.random.default_rng(8)
    y, p, w = rng.random(120) < 0.4, np.round(rng.random(120) * 32) / 32, rng.random(120) < 0.6
    alice, bob, carol = tc.parties("alice", "bob", "carol")
    t, z, own = alice.array("y", tc.Bool(), shape=120), bob.array("p", tc.Fixed(0, 1), shape=120), carol.array("w", tc.Bool(), shape=120)
    part, mean, rows = ml.calibration(t, z, bins=4, sample_weight=own)
    values = {
        "accuracy": ml.accuracy(t, z > 0.5, sample_weight=own),
        "confusion": ml.confusion_matrix(t, z > 0.5, sample_weight=own),
        "auc": ml.roc_auc(t, z, sample_weight=own),
        "loss": ml.log_loss(t, z, sample_weight=own),
        "error": ml.mean_squared_error(t, z, sample_weight=own),
        "r2": ml.r2(t, z, sample_weight=own),
        "part": part,
        "mean": mean,
        "rows": rows,
    }
    found = clear(values, {"alice": y, "bob": p, "carol": w})
    y, p = y[w], p[w]
    assert abs(found.accuracy - metrics.accuracy_score(y, p > 0.5)) < 1e-4
    np.testing.assert_array_equal(found.confusion, metrics.confusion_matrix(y, p > 0.5))
    assert abs(found.auc - metrics.roc_auc_score(y, p)) < 1e-4
    assert abs(found.loss - metrics.log_loss(y, p.clip(2**-12, 1 - 2**-12))) < 1e-3
    assert abs(found.error - metrics.mean_squared_error(y, p)) < 1e-4
    assert abs(found.r2 - metrics.r2_score(y, p)) < 1e-3
    at = np.minimum((p * 4).astype(int), 3)
    np.testing.assert_array_equal(found.rows, np.bincount(at, minlength=4))
    np.testing.assert_allclose(found.part, [y[at == k].mean() for k in range(4)], atol=1e-4)
    np.testing.assert_allclose(found.mean, [p[at == k].mean() for k in range(4)], atol=1e-4)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_weights_under_protocols(protocol: str) -> None:
    X, y = flowers()
    X, y = ml.below(X, ml.quantile_edges(X, 3))[:40].astype(int), np.minimum(y[:40], 1)
    x, t, own, w, data = with_weights(X, y, (tc.Int(0, 1), tc.Int(0, 1), WHOLE))
    one = ml.DecisionTreeClassifier(max_depth=2).fit(x, t, sample_weight=own)
    sum_of = ml.GradientBoostingClassifier(n_estimators=1, max_depth=2).fit(x, t, sample_weight=own)
    right = one.score(x, t, sample_weight=own > 0)
    job = tc.job("w", splits=one.splits_.reveal(to="all"), leaves=sum_of.values_.reveal(to="all"), right=right.reveal(to="all"))
    found = job.run(data, protocol=protocol)
    wanted = one.reference(X, y, sample_weight=w)
    np.testing.assert_array_equal(found.splits, wanted.splits_)
    np.testing.assert_allclose(found.leaves, sum_of.reference(X, y, sample_weight=w).values_, atol=5e-3)
    assert abs(found.right - wanted.score(X, y, sample_weight=w > 0)) < 1e-4


def test_weights_that_are_none() -> None:
    X, _ = flowers()
    bits = ml.below(X, ml.quantile_edges(X, 3)).astype(int)
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, t = alice.array("x", tc.Int(0, 1), shape=bits.shape), bob.array("y", tc.Int(0, 2), shape=150)
    below_zero, short = bob.array("v", tc.Int(-1, 3), shape=150), bob.array("s", tc.Int(0, 3), shape=149)
    for model in (ml.DecisionTreeClassifier(), ml.RandomForestRegressor(), ml.GradientBoostingClassifier(), ml.LogisticRegression()):
        with pytest.raises(
            tc.RangeError, match=r"test_ml_weights.py:\d+: weights of rows are from zero, and these may be anything in -1..3"
        ):
            model.fit(x, t, sample_weight=below_zero)
        with pytest.raises(tc.ShapeError, match="targets are one number for each row"):
            model.fit(x, t, sample_weight=short)
        with pytest.raises(tc.ProgramError, match="sample_weight is an array of the parties"):
            model.fit(x, t, sample_weight=np.ones(150))
    with pytest.raises(tc.ProgramError, match="epochs is a whole number from 1"):
        ml.LogisticRegression(epochs=0).fit(x, t)
    with pytest.raises(tc.ProgramError, match="not fitted yet"):
        ml.KMeans(X[:3]).score(X)
