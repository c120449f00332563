"""Clusters, components and networks: beside scikit-learn and float64, in the clear and under protocols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_data import PROTOCOLS, SPLITS, by_columns, by_rows, cancer, clear, flowers, one_owner, sweep
from sklearn import cluster, datasets, decomposition

import tacit as tc
from tacit import ml

PETALS = tc.Fixed(0, 8)


def features_of(data: dict[str, Any]) -> dict[str, Any]:
    """Data without targets."""
    return {name: {"x": values["x"]} for name, values in data.items() if "x" in values}


# K-means.


@pytest.mark.parametrize("split", SPLITS)
def test_clusters_are_what_scikit_learn_finds(split: Any) -> None:
    X, y = flowers()
    x, _, data = split(X, y, PETALS, tc.Int(0, 2))
    init = X[[0, 1, 2]]
    model = ml.KMeans(init, max_iter=12).fit(x)
    values = {"centers": model.cluster_centers_, "nearest": model.labels_, "inertia": model.inertia_}
    found = clear(values, features_of(data))
    wanted = cluster.KMeans(3, init=init, n_init=1, max_iter=12, tol=0).fit(X)
    np.testing.assert_allclose(found.centers, wanted.cluster_centers_, atol=1e-4)
    np.testing.assert_array_equal(found.nearest, wanted.labels_)
    assert abs(found.inertia - wanted.inertia_) < 0.05
    clear_model = model.reference(X)
    np.testing.assert_allclose(clear_model.cluster_centers_, wanted.cluster_centers_)
    assert abs(clear_model.inertia_ - wanted.inertia_) < 1e-6
    np.testing.assert_array_equal(clear_model.predict(X), wanted.labels_)


def test_a_centre_without_rows_stays_where_it_is() -> None:
    X = np.array([[0.0], [1.0], [4.0], [5.0]])
    x, data = one_owner(X, None, PETALS)
    model = ml.KMeans([[0.0], [4.0], [8.0], [8.0]], max_iter=3).fit(x)
    found = clear({"centers": model.cluster_centers_, "nearest": model.labels_}, data)
    np.testing.assert_allclose(found.centers[:, 0], [0.5, 4.5, 8, 8], atol=1e-4)
    np.testing.assert_array_equal(found.nearest, [0, 0, 1, 1])


def test_of_equally_near_centres_the_first_is_taken() -> None:
    x, data = one_owner(np.array([[2.0], [6.0]]), None, PETALS)
    model = ml.KMeans([[4.0], [0.0], [4.0], [8.0]], max_iter=1).fit(x)
    found = clear({"first": ml.KMeans.predict(_with(model, [[4.0], [0.0], [4.0], [8.0]]), x)}, data)
    np.testing.assert_array_equal(found.first, [0, 0])


def _with(model: Any, centers: Any) -> Any:
    model.cluster_centers_ = tc.asarray(centers) * 1.0
    return model


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_clusters_under_protocols(protocol: str) -> None:
    X, y = flowers()
    X, y = X[:60], y[:60]
    x, _, data = by_rows(X, y, PETALS, tc.Int(0, 2))
    model = ml.KMeans(X[[0, 1, 2]], max_iter=4).fit(x)
    job = tc.job("k", centers=model.cluster_centers_.reveal(to="all"), nearest=model.labels_.reveal(to="all"))
    found = job.run(features_of(data), protocol=protocol)
    wanted = model.reference(X)
    np.testing.assert_allclose(found.centers, wanted.cluster_centers_, atol=2e-4)
    np.testing.assert_array_equal(found.nearest, wanted.labels_)


# Principal components.


@pytest.mark.parametrize("split", [one_owner, by_columns])
def test_components_are_what_scikit_learn_finds(split: Any) -> None:
    X, y = cancer(columns=12)
    x, _, data = split(X, y, tc.Fixed(-8, 8), tc.Bool())
    model = ml.PCA(3, squarings=9).fit(x)
    found = clear({"parts": model.components_, "variance": model.explained_variance_, "at": model.transform(x)}, features_of(data))
    wanted = decomposition.PCA(3).fit(X)
    np.testing.assert_allclose(found.parts, wanted.components_, atol=1e-4)
    np.testing.assert_allclose(found.variance, wanted.explained_variance_, rtol=1e-4)
    np.testing.assert_allclose(found.at, wanted.transform(X), atol=2e-3)
    clear_model = model.reference(X)
    np.testing.assert_allclose(clear_model.components_, wanted.components_, atol=1e-9)
    np.testing.assert_allclose(clear_model.transform(X), wanted.transform(X), atol=1e-9)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_components_under_protocols(protocol: str) -> None:
    X = flowers()[0][:40]
    x, data = one_owner(X, None, PETALS)
    model = ml.PCA(1, squarings=5).fit(x)
    found = tc.job("pca", parts=model.components_.reveal(to="all")).run(data, protocol=protocol)
    np.testing.assert_allclose(found.parts, model.reference(X).components_, atol=1e-3)


def test_equal_variances_give_some_direction_of_length_one() -> None:
    X = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    x, data = one_owner(X, None, tc.Fixed(-2, 2))
    model = ml.PCA(2, squarings=3).fit(x)
    found = clear({"parts": model.components_, "variance": model.explained_variance_}, data)
    np.testing.assert_allclose(found.parts @ found.parts.T, np.eye(2), atol=1e-3)
    np.testing.assert_allclose(found.variance, [2 / 3, 2 / 3], atol=1e-3)


def test_no_variance_is_noticed() -> None:
    x, data = one_owner(np.ones((10, 3)), None, PETALS)
    job = tc.job("pca", parts=ml.PCA(1, squarings=2).fit(x).components_.reveal(to="all"))
    with pytest.raises(tc.CheckFailed):
        job.check(data)
    # One direction has all the variance: there is no second one.
    x, data = one_owner(np.outer(np.arange(8.0), [1, 0.5]), None, PETALS)
    job = tc.job("pca", parts=ml.PCA(2, squarings=2).fit(x).components_.reveal(to="all"))
    with pytest.raises(tc.CheckFailed):
        job.check(data)


# Networks.


def digits(rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    found = datasets.load_digits()
    return found.data[:rows] / 16, found.target[:rows]


def learned(model: Any) -> dict[str, Any]:
    return {f"w{i}": it for i, it in enumerate([*model.coefs_, *model.intercepts_])}


@pytest.mark.parametrize("split", SPLITS)
def test_a_network_of_two_classes(split: Any) -> None:
    X, y = cancer(200, 6)
    x, t, data = split(X, y, tc.Fixed(-8, 8), tc.Bool())
    model = ml.MLPClassifier(hidden_layer_sizes=(6, 4), steps=30, batch_size=32).fit(x, t)
    found = clear({**learned(model), "chance": model.predict_proba(x), "kind": model.predict(x)}, data)
    wanted = model.reference(X, y)
    for i, it in enumerate([*wanted.coefs_, *wanted.intercepts_]):
        np.testing.assert_allclose(found[f"w{i}"], it, atol=2e-3)
    np.testing.assert_allclose(found.chance, wanted.predict_proba(X), atol=5e-3)
    assert abs((found.kind == y).mean() - (wanted.predict(X) == y).mean()) <= 0.005
    assert (found.kind == y).mean() > 0.9


def test_a_network_of_ten_classes() -> None:
    X, y = digits(600)
    x, t, data = by_rows(X, y, tc.Fixed(0, 1), tc.Int(0, 9))
    model = ml.MLPClassifier(hidden_layer_sizes=(16,), steps=120, learning_rate=0.5).fit(x, t)
    found = clear({**learned(model), "kind": model.predict(x), "chance": model.predict_proba(x)}, data)
    wanted = model.reference(X, y)
    # Hidden numbers next to zero may come out on the other side: weights differ more than probabilities.
    np.testing.assert_allclose(found.w0, wanted.coefs_[0], atol=0.05)
    np.testing.assert_allclose(found.chance, wanted.predict_proba(X), atol=0.02)
    assert abs((found.kind == y).mean() - (wanted.predict(X) == y).mean()) <= 0.002
    assert (found.kind == y).mean() > 0.9


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_network_under_protocols(protocol: str) -> None:
    X, y = flowers()
    X, y = X[:30] / 8, y[:30]
    x, t, data = by_rows(X, y, tc.Fixed(0, 1), tc.Int(0, 2))
    model = ml.MLPClassifier(hidden_layer_sizes=(4,), steps=4, batch_size=15, learning_rate=1.0).fit(x, t)
    job = tc.job("network", {name: it.reveal(to="all") for name, it in learned(model).items()})
    found, wanted = job.run(data, protocol=protocol), model.reference(X, y)
    for i, it in enumerate([*wanted.coefs_, *wanted.intercepts_]):
        np.testing.assert_allclose(found[f"w{i}"], it, atol=1e-3)


@sweep
def test_a_network_of_all_digits() -> None:
    X, y = digits()
    x, t, data = by_rows(X, y, tc.Fixed(0, 1), tc.Int(0, 9))
    model = ml.MLPClassifier(steps=300, learning_rate=1.0).fit(x, t)
    found = tc.job("digits", kind=model.predict(x).reveal(to="all")).run(data, protocol="trio")
    assert abs((found.kind == y).mean() - (model.reference(X, y).predict(X) == y).mean()) <= 0.002


def test_many_first_weights_are_constants_in_pieces() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, y = alice.array("x", tc.Fixed(0, 1), shape=(8, 300)), bob.array("y", tc.Bool(), shape=8)
    model = ml.MLPClassifier(hidden_layer_sizes=(20,), steps=1, batch_size=8).fit(x, y)
    assert model.coefs_[0].shape == (300, 20)


# Rows that are bound by the data.


@pytest.mark.parametrize(
    "name", ["KMeans", "Ridge", "StandardScaler", "DecisionTreeClassifier", "DecisionTreeRegressor", "GradientBoostingClassifier"]
)
def test_rows_may_be_bound_by_the_data(name: str) -> None:
    X, y = cancer(50, 3)
    found = []
    for rows in (50, tc.rows("n", min=20, max=64)):
        alice, bob, _ = tc.parties("alice", "bob", "carol")
        x, t = alice.array("x", tc.Fixed(-8, 8), shape=(rows, 3)), bob.array("y", tc.Bool(), shape=rows)
        bits = ml.below(x, ml.quantile_edges(X, 4))
        values = {
            "KMeans": lambda x=x: ml.KMeans(X[:2], max_iter=3).fit(x).labels_,
            "Ridge": lambda x=x, t=t: ml.Ridge().fit(x, t).predict(x),
            "StandardScaler": lambda x=x: ml.StandardScaler().fit_transform(x),
            "DecisionTreeClassifier": lambda b=bits, t=t: ml.DecisionTreeClassifier(max_depth=2).fit(b, t).predict(b),
            "DecisionTreeRegressor": lambda b=bits, t=t: ml.DecisionTreeRegressor(max_depth=2).fit(b, t).predict(b),
            "GradientBoostingClassifier": lambda b=bits, t=t: ml.GradientBoostingClassifier(n_estimators=2).fit(b, t).predict(b),
        }
        job = tc.job("bound", value=values[name]().reveal(to="all"))
        found.append(job.check({"alice": {"x": X}, "bob": {"y": y}}).value)
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)
