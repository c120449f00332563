"""Linear models, scaling and splitting: beside scikit-learn and float64, in the clear and under protocols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ml_data import PROTOCOLS, SPLITS, by_columns, by_rows, cancer, clear, diabetes, flowers, one_owner, scaled, sweep
from sklearn import datasets, linear_model, preprocessing

import tacit as tc
from tacit import ml
from tacit.ml._common import exp_below, inverse

WIDE = tc.Fixed(-8, 8)
PAY = tc.Fixed(0, 512)


def weights(model: Any) -> dict[str, Any]:
    return {"coef": model.coef_, "intercept": model.intercept_}


def distance(found: Any, wanted: Any) -> float:
    return max(np.abs(found.coef - wanted.coef_).max(), abs(found.intercept - wanted.intercept_))


# Logistic regression.


@pytest.mark.parametrize("split", SPLITS)
def test_logistic_regression_is_what_floats_find(split: Any) -> None:
    X, y = cancer()
    x, t, data = split(X, y, WIDE, tc.Bool())
    model = ml.LogisticRegression(steps=100).fit(x, t)
    found = clear({**weights(model), "chance": model.predict_proba(x), "kind": model.predict(x)}, data)
    wanted = model.reference(X, y)
    assert distance(found, wanted) < 1e-4
    np.testing.assert_allclose(found.chance, wanted.predict_proba(X), atol=2e-4)
    assert abs((found.kind == y).mean() - (wanted.predict(X) == y).mean()) <= 0.002
    assert (found.kind == y).mean() > 0.98


def test_owners_do_not_change_what_is_found() -> None:
    X, y = cancer(90, 9)
    found = []
    for split in SPLITS:
        x, t, data = split(X, y, WIDE, tc.Bool())
        model = ml.LogisticRegression(steps=20, batch_size=32).fit(x, t)
        found.append(clear(weights(model), data))
    for other in found[1:]:
        np.testing.assert_array_equal(other.coef, found[0].coef)
        assert other.intercept == found[0].intercept


def test_many_steps_are_what_scikit_learn_finds() -> None:
    X, y = cancer(200, 5)
    x, t, data = one_owner(X, y, WIDE, tc.Bool())
    model = ml.LogisticRegression(steps=600, learning_rate=2.0).fit(x, t)
    wanted = linear_model.LogisticRegression(C=1.0, tol=1e-8).fit(X, y)
    found = clear(weights(model), data)
    np.testing.assert_allclose(found.coef, wanted.coef_[0], atol=2e-3)
    np.testing.assert_allclose(found.intercept, wanted.intercept_[0], atol=2e-3)


@pytest.mark.parametrize(
    "settings",
    [
        {"batch_size": 64, "learning_rate": 0.5},
        {"sigmoid": "three-pieces"},
        {"sigmoid": 12},
        {"C": None, "fit_intercept": False},
        {"C": 0.1, "overflow": "clip", "coef_range": 0.25},
    ],
    ids=["batches", "three-pieces", "twelve bits", "bare", "clip"],
)
def test_settings_of_logistic_regression(settings: dict[str, Any]) -> None:
    X, y = cancer(300, 10)
    x, t, data = by_rows(X, y, WIDE, tc.Bool())
    model = ml.LogisticRegression(steps=40, **settings).fit(x, t)
    found, wanted = clear({**weights(model), "kind": model.predict(x)}, data), model.reference(X, y)
    if settings.get("overflow") == "clip":
        # The reference has no range: what is cut off differs.
        assert np.abs(wanted.coef_).max() > 0.25 >= np.abs(found.coef).max()
        return
    assert distance(found, wanted) < 1e-4
    assert abs((found.kind == y).mean() - (wanted.predict(X) == y).mean()) <= 0.002
    assert settings.get("fit_intercept", True) or found.intercept == 0


def test_what_was_revealed_predicts_in_the_clear() -> None:
    X, y = cancer(100, 4)
    x, t, data = one_owner(X, y, WIDE, tc.Bool())
    model = ml.LogisticRegression(steps=10).fit(x, t)
    found = clear({**weights(model), "kind": model.predict(x), "chance": model.predict_proba(x)}, data)
    model.coef_, model.intercept_ = found.coef, found.intercept
    np.testing.assert_array_equal(model.predict(X), found.kind)
    np.testing.assert_allclose(model.predict_proba(X), found.chance, atol=1e-3)


def test_rows_may_be_bound_by_the_data() -> None:
    X, y = cancer(100, 4)
    n = tc.rows
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    rows = n("n", min=50, max=128)
    x, t = alice.array("x", WIDE, shape=(rows, 4)), bob.array("y", tc.Bool(), shape=rows)
    model = ml.LogisticRegression(steps=30).fit(x, t)
    found = clear(weights(model), {"alice": X, "bob": y})
    assert distance(found, model.reference(X, y)) < 1e-4


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_logistic_regression_under_protocols(protocol: str) -> None:
    X, y = cancer(60, 6)
    x, t, data = by_columns(X, y, WIDE, tc.Bool())
    model = ml.LogisticRegression(steps=8, learning_rate=2.0).fit(x, t)
    job = tc.job("logistic", {name: value.reveal(to="all") for name, value in weights(model).items()})
    assert distance(job.run(data, protocol=protocol), model.reference(X, y)) < 5e-4


@sweep
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("split", SPLITS)
def test_whole_logistic_regression_under_protocols(protocol: str, split: Any) -> None:
    X, y = cancer()
    x, t, data = split(X, y, WIDE, tc.Bool())
    model = ml.LogisticRegression().fit(x, t)
    found = tc.job("logistic", {name: value.reveal(to="all") for name, value in weights(model).items()}).run(data, protocol=protocol)
    wanted = model.reference(X, y)
    assert distance(found, wanted) < 1e-3
    assert abs(((X @ found.coef + found.intercept > 0) == y).mean() - (wanted.predict(X) == y).mean()) <= 0.002


def test_weights_that_leave_their_range_end_the_run() -> None:
    X, y = cancer(100, 4)
    x, t, data = one_owner(X, y, WIDE, tc.Bool())
    model = ml.LogisticRegression(steps=30, coef_range=0.25).fit(x, t)
    job = tc.job("logistic", coef=model.coef_.reveal(to="all"))
    assert "CHECKED IN THE RUN  test_ml_linear.py" in repr(job.disclosure())
    with pytest.raises(tc.CheckFailed):
        job.check(data)


# Logistic regression of more than two classes.


def three(rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    X, y = flowers()
    return scaled(X)[:rows], y[:rows]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("settings", [{}, {"sigmoid": "three-pieces", "batch_size": 50}, {"C": None, "fit_intercept": False}])
def test_logistic_regression_of_three_classes(split: Any, settings: dict[str, Any]) -> None:
    X, y = three()
    x, t, data = split(X, y, WIDE, tc.Int(0, 2))
    model = ml.LogisticRegression(steps=40, **settings).fit(x, t)
    values = {**weights(model), "score": model.decision_function(x), "chance": model.predict_proba(x), "kind": model.predict(x)}
    found, wanted = clear(values, data), model.reference(X, y)
    assert model.n_classes_ == wanted.n_classes_ == 3 and found.coef.shape == (3, 4) and found.intercept.shape == (3,)
    assert np.abs(found.coef - wanted.coef_).max() < 1e-4 and np.abs(found.intercept - wanted.intercept_).max() < 1e-4
    np.testing.assert_allclose(found.score, wanted.decision_function(X), atol=1e-3)
    np.testing.assert_allclose(found.chance, wanted.predict_proba(X), atol=2e-3)
    assert settings.get("sigmoid") or np.abs(found.chance.sum(axis=1) - 1).max() < 1e-3
    assert (found.kind == wanted.predict(X)).mean() > 0.99


def test_many_steps_of_three_classes_are_what_scikit_learn_finds() -> None:
    X, y = three()
    x, t, data = one_owner(X, y, WIDE, tc.Int(0, 2))
    model = ml.LogisticRegression(steps=800, learning_rate=4.0).fit(x, t)
    found = clear({**weights(model), "kind": model.predict(x), "chance": model.predict_proba(x)}, data)
    wanted = linear_model.LogisticRegression(C=1.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(found.coef, wanted.coef_, atol=5e-3)
    np.testing.assert_allclose(found.intercept, wanted.intercept_, atol=5e-3)
    np.testing.assert_allclose(found.chance, wanted.predict_proba(X), atol=2e-3)
    np.testing.assert_array_equal(found.kind, wanted.predict(X))


@pytest.mark.parametrize("protocol", ["trio", "lift"])
def test_sigmoids_of_a_few_bits_on_shares(protocol: str) -> None:
    """They train about the same model, and take fewer messages."""
    X, y = cancer(120, 5)
    x, t, data = by_rows(X, y, WIDE, tc.Bool())
    found, sent = {}, {}
    for sigmoid in ("exact", 12):
        model = ml.LogisticRegression(steps=3, sigmoid=sigmoid).fit(x, t)
        job = tc.job("train", **{name: value.reveal(to="all") for name, value in weights(model).items()})
        found[sigmoid] = job.run(data, protocol=protocol)
        sent[sigmoid] = job.simulate(data, network="lan", protocols=[protocol]).reports[protocol].bytes
    np.testing.assert_allclose(found[12].coef, found["exact"].coef, atol=3 * 2**-11)
    assert sent[12] < 0.8 * sent["exact"], sent


@pytest.mark.parametrize("protocol", ["plain", "trio"])
def test_probabilities_of_each_class_against_the_others(protocol: str) -> None:
    """They are divided by their sum, and none are where no class claims a row."""
    x, data = one_owner(np.array([[0.25, 0.5], [0.0, -8.0], [4.0, 4.0], [-1.0, -1.0]]), None, WIDE)
    model = ml.LogisticRegression(sigmoid="three-pieces")
    model.coef_, model.intercept_, model.n_classes_ = tc.asarray([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]), tc.asarray([0.0, 0.0, -0.5]), 3
    job = tc.job("chance", chance=model.predict_proba(x).reveal(to="all"), kind=model.predict(x).reveal(to="all"))
    found = job.run(data, protocol=protocol)
    np.testing.assert_allclose(found.chance, [[0.375, 0.5, 0.125], [1, 0, 0], [0.5, 0.5, 0], [0, 0, 0]], atol=1e-3)
    np.testing.assert_array_equal(found.kind, [1, 0, 0, 2])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_logistic_regression_of_three_classes_under_protocols(protocol: str) -> None:
    X, y = three(48)
    x, t, data = by_rows(X, y, WIDE, tc.Int(0, 2))
    model = ml.LogisticRegression(steps=6, learning_rate=2.0).fit(x, t)
    job = tc.job("logistic", coef=model.coef_.reveal(to="all"), kind=model.predict(x).reveal(to="all"))
    found, wanted = job.run(data, protocol=protocol), model.reference(X, y)
    assert np.abs(found.coef - wanted.coef_).max() < 5e-4
    assert (found.kind == wanted.predict(X)).mean() > 0.95


@sweep
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_logistic_regression_of_all_digits_under_protocols(protocol: str) -> None:
    digits = datasets.load_digits()
    X, y = digits.data / 16, digits.target
    x, t, data = by_columns(X, y, tc.Fixed(0, 1), tc.Int(0, 9))
    model = ml.LogisticRegression(steps=100, learning_rate=2.0, batch_size=128).fit(x, t)
    found, wanted = tc.job("digits", kind=model.predict(x).reveal(to="all")).run(data, protocol=protocol), model.reference(X, y)
    assert abs((found.kind == y).mean() - (wanted.predict(X) == y).mean()) <= 0.002
    assert (found.kind == y).mean() > 0.95


# Counts and amounts.


def counted(rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 4)).clip(-8, 8)
    mean = np.exp(X @ [0.3, -0.2, 0.1, 0.4] + 0.5)
    return X, rng.poisson(mean), rng.gamma(2, mean / 2).clip(0.01, 60)


@pytest.mark.parametrize(
    ("ours", "theirs", "kind", "which"),
    [
        (ml.PoissonRegressor, linear_model.PoissonRegressor, tc.Int(0, 100), 1),
        (ml.GammaRegressor, linear_model.GammaRegressor, tc.Fixed(0, 64), 2),
    ],
    ids=["poisson", "gamma"],
)
@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_logarithmic_links(ours: Any, theirs: Any, kind: tc.Type, which: int, alpha: float) -> None:
    drawn = counted(120)
    X, y = drawn[0], drawn[which]
    x, t, data = by_rows(X, y, WIDE, kind)
    model = ours(alpha=alpha, steps=100).fit(x, t)
    found = clear({**weights(model), "mean": model.predict(x)}, data)
    wanted = model.reference(X, y)
    assert distance(found, wanted) < 1e-4
    np.testing.assert_allclose(found.mean, wanted.predict(X), rtol=1e-3, atol=1e-3)
    other = theirs(alpha=alpha, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(found.coef, other.coef_, atol=2e-3)
    np.testing.assert_allclose(found.intercept, other.intercept_, atol=2e-3)


def test_counts_with_rows_that_are_bound_by_the_data() -> None:
    X, y, _ = counted(100)
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    rows = tc.rows("n", min=64, max=128)
    model = ml.PoissonRegressor(alpha=0.1, steps=20).fit(
        alice.array("x", WIDE, shape=(rows, 4)), bob.array("y", tc.Int(0, 100), shape=rows)
    )
    assert distance(clear(weights(model), {"alice": X, "bob": y}), model.reference(X, y)) < 1e-4


# Least squares.


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (ml.LinearRegression(), linear_model.LinearRegression()),
        (ml.Ridge(2.0), linear_model.Ridge(2.0)),
        (ml.Ridge(alpha=0.5, fit_intercept=False), linear_model.Ridge(0.5, fit_intercept=False)),
    ],
    ids=["linear", "ridge", "bare"],
)
def test_least_squares_are_what_scikit_learn_finds(split: Any, ours: Any, theirs: Any) -> None:
    X, y = diabetes()
    x, t, data = split(X, y, WIDE, PAY)
    model = ours.fit(x, t)
    found = clear({**weights(model), "mean": model.predict(x)}, data)
    theirs.fit(X, y)
    # Weights are up to 50, of columns that nearly depend on each other.
    np.testing.assert_allclose(found.coef, theirs.coef_, atol=2e-3)
    np.testing.assert_allclose(found.intercept, theirs.intercept_, atol=2e-3)
    np.testing.assert_allclose(found.mean, theirs.predict(X), atol=5e-3)
    np.testing.assert_allclose(model.reference(X, y).coef_, theirs.coef_, atol=1e-6)


def test_thirty_columns() -> None:
    X, y = cancer()
    x, t, data = one_owner(X, y, tc.Fixed(-8, 8), tc.Bool())
    model = ml.LinearRegression().fit(x, t)
    assert distance(clear(weights(model), data), model.reference(X, y)) < 1e-3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_ridge_under_protocols(protocol: str) -> None:
    X, y = diabetes(60)
    x, t, data = by_rows(X[:, :5], y, WIDE, PAY)
    model = ml.Ridge(1.0).fit(x, t)
    found = tc.job("ridge", {name: value.reveal(to="all") for name, value in weights(model).items()}).run(data, protocol=protocol)
    assert distance(found, model.reference(X[:, :5], y)) < 2e-3


@pytest.mark.parametrize("protocol", ["plain", "trio"])
def test_columns_that_depend_on_each_other_end_the_run(protocol: str) -> None:
    X, y = diabetes(60)
    X = np.column_stack([X[:, 0], X[:, 1], X[:, 0]])
    x, t, data = one_owner(X, y, WIDE, PAY)
    job = tc.job("linear", coef=ml.LinearRegression().fit(x, t).coef_.reveal(to="all"))
    with pytest.raises(tc.CheckFailed):
        job.run(data, protocol=protocol)
    x, t, data = one_owner(X, y, WIDE, PAY)
    model = ml.Ridge(1.0).fit(x, t)
    assert distance(clear(weights(model), data), model.reference(X, y)) < 2e-3


@pytest.mark.parametrize(("lo", "hi"), [(1, 11), (0.5, 2), (2.0**-12, 64), (2.0**-16, 256)])
@pytest.mark.parametrize("protocol", ["plain", "trio"])
def test_inverses_by_newton(lo: float, hi: float, protocol: str) -> None:
    x = np.round(np.geomspace(lo, hi, 50) * 2**28) / 2**28
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    given = alice.array("x", tc.Fixed(0, hi, 28), shape=50) + bob.array("zero", tc.Int(0, 0))
    job = tc.job("inverse", y=inverse(given, lo, hi).reveal(to="all"))
    found = job.run({"alice": {"x": x}, "bob": {"zero": 0}}, protocol=protocol).y
    # The product of x and y is as exact as its own rounding.
    np.testing.assert_allclose(found * x, 1, atol=max(hi, 4) * 2.0**-26)


@pytest.mark.parametrize("protocol", ["plain", "trio"])
def test_powers_of_e_below_one(protocol: str) -> None:
    x = np.linspace(-12, 0, 60)
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    given = alice.array("x", tc.Fixed(-12, 0), shape=60) + bob.array("zero", tc.Int(0, 0))
    found = tc.job("exp", y=exp_below(given, -12.0).reveal(to="all")).run({"alice": {"x": x}, "bob": {"zero": 0}}, protocol=protocol).y
    np.testing.assert_allclose(found, np.exp(np.round(x * 2**16) / 2**16), atol=1e-5)


# Scaling and splitting.


@pytest.mark.parametrize("split", SPLITS)
def test_scaling_is_what_scikit_learn_does(split: Any) -> None:
    raw = datasets.load_breast_cancer().data[:, [0, 3, 7, 22, 25, 27]]
    x, _, data = split(raw, np.zeros(len(raw)), tc.Fixed(0, 4096, 20), tc.Bool())
    scaler = ml.StandardScaler().fit(x)
    found = clear({"x": scaler.transform(x), "mean": scaler.mean_, "scale": scaler.scale_}, data)
    wanted = preprocessing.StandardScaler().fit(raw)
    np.testing.assert_allclose(found.mean, wanted.mean_, atol=1e-4)
    np.testing.assert_allclose(found.scale, wanted.scale_, atol=1e-4)
    np.testing.assert_allclose(found.x, wanted.transform(raw).clip(-8, 8), atol=4e-3)
    np.testing.assert_allclose(ml.StandardScaler().reference(raw), wanted.transform(raw).clip(-8, 8))


def test_scaling_by_public_constants() -> None:
    raw = datasets.load_breast_cancer().data[:50]
    x, data = one_owner(raw, None, tc.Fixed(0, 8192))
    scaler = ml.StandardScaler(mean=raw.mean(axis=0), scale=raw.std(axis=0), limit=4.0)
    found = clear({"x": scaler.fit_transform(x)}, data)
    assert found.x.max() <= 4.0
    # Half a unit in the last place of a feature, over its deviation.
    np.testing.assert_allclose(found.x, scaled(raw).clip(-4, 4), atol=2**-17 / raw.std(axis=0).min() + 1e-4)


def test_what_one_owner_has_is_scaled_without_the_others() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    own = ml.StandardScaler().fit_transform(alice.array("x", tc.Fixed(0, 100), shape=(20, 2)))
    assert own.visibility == "alice"
    both = tc.concat([own, bob.array("z", WIDE, shape=(20, 2))], axis=1)
    assert both.visibility == "secret"


def test_a_constant_column_becomes_zeros() -> None:
    X = np.column_stack([np.full(20, 3.0), np.arange(20.0)])
    x, data = one_owner(X, None, tc.Fixed(0, 32))
    found = clear({"x": ml.StandardScaler().fit_transform(x)}, data)
    np.testing.assert_allclose(found.x[:, 0], 0, atol=0.01)


def test_values_beyond_the_limit() -> None:
    X = np.append(np.zeros(99), 100.0)[:, None]
    x, data = one_owner(X, None, tc.Fixed(0, 128))
    assert clear({"x": ml.StandardScaler().fit_transform(x)}, data).x.max() == 8
    x, data = one_owner(X, None, tc.Fixed(0, 128))
    with pytest.raises(tc.CheckFailed):
        tc.job("scaled", x=ml.StandardScaler(overflow="check").fit_transform(x).reveal(to="all")).check(data)


def test_rows_are_split_by_what_is_public() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, y = alice.array("x", tc.Int(0, 99), shape=(40, 1)), bob.array("y", tc.Int(0, 99), shape=40)
    parts = ml.train_test_split(x, y, test_size=0.3, random_state=7)
    assert [part.shape[0] for part in parts] == [28, 12, 28, 12]
    assert [part.visibility for part in parts] == ["alice", "alice", "bob", "bob"]
    found = clear({f"p{i}": part for i, part in enumerate(parts)}, {"alice": np.arange(40)[:, None], "bob": np.arange(40)})
    np.testing.assert_array_equal(found.p0[:, 0], found.p2)
    np.testing.assert_array_equal(found.p1[:, 0], found.p3)
    assert sorted([*found.p2, *found.p3]) == list(range(40))
    own = ml.train_test_split(np.arange(40), test_size=0.3, random_state=7)
    np.testing.assert_array_equal(own[1], found.p3)
    last = ml.train_test_split(y, test_size=0.25, shuffle=False)[1]
    np.testing.assert_array_equal(clear({"y": last}, {"bob": np.arange(40)}).y, np.arange(30, 40))


def test_a_split_reveals_nothing_and_is_part_of_the_program() -> None:
    def job(seed: int) -> tc.Job:
        alice, _, _ = tc.parties("alice", "bob", "carol")
        train, _ = ml.train_test_split(alice.array("x", tc.Int(0, 99), shape=40), random_state=seed)
        return tc.job("split", total=train.sum().reveal(to="all"))

    assert repr(job(0).disclosure()).count("learns") == 1
    assert job(0).digest == job(0).digest != job(1).digest
