"""Metrics: beside scikit-learn, in the clear and under protocols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ml_data import PROTOCOLS, clear
from sklearn import metrics
from sklearn.calibration import calibration_curve

import tacit as tc
from tacit import ml


def predicted(rows: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Classes and probabilities, with many ties."""
    rng = np.random.default_rng(5)
    y = rng.random(rows) < 0.4
    return y, np.round(np.clip(0.3 * y + rng.uniform(0, 0.7, rows), 0, 1) * 32) / 32


def two(y_type: tc.Type, z_type: tc.Type, rows: Any) -> tuple[tc.Array, tc.Array]:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    return alice.array("y", y_type, shape=rows), bob.array("z", z_type, shape=rows)


@pytest.mark.parametrize("symbolic", [False, True])
def test_metrics_are_those_of_scikit_learn(symbolic: bool) -> None:
    y, p = predicted()
    t, z = two(tc.Bool(), tc.Fixed(0, 1), tc.rows("n", max=256, min=1) if symbolic else 200)
    values = {
        "accuracy": ml.accuracy(t, z > 0.5),
        "confusion": ml.confusion_matrix(t, z > 0.5),
        "auc": ml.roc_auc(t, z),
        "loss": ml.log_loss(t, z),
        "error": ml.mean_squared_error(t, z),
        "r2": ml.r2(t, z),
    }
    found = clear(values, {"alice": y, "bob": p})
    assert abs(found.accuracy - metrics.accuracy_score(y, p > 0.5)) < 1e-4
    np.testing.assert_array_equal(found.confusion, metrics.confusion_matrix(y, p > 0.5))
    assert abs(found.auc - metrics.roc_auc_score(y, p)) < 1e-4
    assert abs(found.loss - metrics.log_loss(y, p.clip(2**-12, 1 - 2**-12))) < 1e-3
    assert abs(found.error - metrics.mean_squared_error(y, p)) < 1e-4
    assert abs(found.r2 - metrics.r2_score(y, p)) < 1e-3


@given(st.lists(st.tuples(st.booleans(), st.integers(-6, 6)), min_size=1, max_size=12))
@settings(max_examples=40, deadline=None)
def test_the_area_of_any_scores(rows: list[tuple[bool, int]]) -> None:
    y, score = (np.array(column) for column in zip(*rows, strict=True))
    t, z = two(tc.Bool(), tc.Fixed(-4, 4), len(rows))
    found = clear({"auc": ml.roc_auc(t, z)}, {"alice": y, "bob": score / 2}).auc
    wanted = metrics.roc_auc_score(y, score) if len(set(y)) == 2 else 0.0
    assert abs(found - wanted) < 1e-4


def test_several_classes() -> None:
    rng = np.random.default_rng(2)
    y, z = rng.integers(0, 4, (2, 100))
    found = clear({"m": ml.confusion_matrix(*two(tc.Int(0, 3), tc.Int(0, 3), 100))}, {"alice": y, "bob": z})
    np.testing.assert_array_equal(found.m, metrics.confusion_matrix(y, z))
    found = clear({"a": ml.accuracy(*two(tc.Int(0, 3), tc.Int(0, 3), 100))}, {"alice": y, "bob": z})
    assert abs(found.a - (y == z).mean()) < 1e-4


def test_calibration_by_bins() -> None:
    y, p = predicted()
    t, z = two(tc.Bool(), tc.Fixed(0, 1), 200)
    part, mean, rows = ml.calibration(t, z, bins=8)
    found = clear({"part": part, "mean": mean, "rows": rows}, {"alice": y, "bob": p})
    at = np.minimum((p * 8).astype(int), 7)
    np.testing.assert_array_equal(found.rows, np.bincount(at, minlength=8))
    there = found.rows > 0
    # scikit-learn has the upper edge in a bin, and leaves empty ones out.
    wanted, chances = calibration_curve(y, np.where(p < 1, p + 1e-9, p), n_bins=8)
    np.testing.assert_allclose(found.part[there], wanted, atol=1e-4)
    np.testing.assert_allclose(found.mean[there], chances, atol=1e-4)
    assert not found.part[~there].any()


def test_calibration_of_what_is_no_probability() -> None:
    t, z = two(tc.Bool(), tc.Fixed(-8, 8), 4)
    part, mean, rows = ml.calibration(t, z, bins=2)
    found = clear({"part": part, "mean": mean, "rows": rows}, {"alice": [0, 1, 1, 1], "bob": [-6, -2, 5, 7]})
    np.testing.assert_allclose(found.mean, [-4, 6])
    np.testing.assert_allclose(found.part, [0.5, 1])


def test_probabilities_of_two_columns() -> None:
    y, p = predicted(50)
    t, z = two(tc.Bool(), tc.Fixed(0, 1), 50)
    both = tc.stack([1 - z, z], axis=1)
    found = clear({"a": ml.log_loss(t, both) - ml.log_loss(t, z), "b": ml.roc_auc(t, both) - ml.roc_auc(t, z)}, {"alice": y, "bob": p})
    assert found.a == 0 and found.b == 0


def test_numbers_that_are_predicted() -> None:
    rng = np.random.default_rng(1)
    y = rng.uniform(0, 300, 100)
    z = y + rng.normal(0, 30, 100)
    t, p = two(tc.Fixed(0, 512), tc.Fixed(-512, 512), 100)
    found = clear({"e": ml.mean_squared_error(t, p), "r": ml.r2(t, p)}, {"alice": y, "bob": z})
    assert abs(found.e - metrics.mean_squared_error(y, z)) < 0.01
    assert abs(found.r - metrics.r2_score(y, z)) < 1e-3


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_metrics_under_protocols(protocol: str) -> None:
    y, p = predicted(40)
    t, z = two(tc.Bool(), tc.Fixed(0, 1), 40)
    job = tc.job(
        "m", auc=ml.roc_auc(t, z).reveal(to="all"), m=ml.confusion_matrix(t, z > 0.5).reveal(to="all"), l=ml.log_loss(t, z).reveal(to="all")
    )
    found = job.run({"alice": y, "bob": p}, protocol=protocol)
    assert abs(found.auc - metrics.roc_auc_score(y, p)) < 1e-4
    np.testing.assert_array_equal(found.m, metrics.confusion_matrix(y, p > 0.5))
    assert abs(found.l - metrics.log_loss(y, p.clip(2**-12, 1 - 2**-12))) < 1e-3
