"""Reports of accuracy: of jobs without models, and bits that were left."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from ml_data import cancer, one_owner

import tacit as tc
from tacit import ml


def trained() -> tuple[tc.Job, dict[str, Any], Any, np.ndarray, np.ndarray]:
    X, y = cancer(60, 4)
    x, t, data = one_owner(X, y, tc.Fixed(-8, 8), tc.Bool())
    model = ml.LogisticRegression(steps=6).fit(x, t)
    job = tc.job("trained", weights=model.coef_.reveal(to="all"), kind=model.predict(x).reveal(to="all"), rows=tc.sum(t).reveal(to="all"))
    return job, data, model.reference(X, y), X, y


def test_what_was_trained_is_beside_floats() -> None:
    job, data, clear, X, y = trained()
    wanted = {"weights": clear.coef_, "kind": clear.predict(X)}
    report = job.accuracy(data, y=y, reference=wanted, protocol="trio")
    figures = json.loads(report.to_json())
    assert set(figures["results"]) == {"weights", "kind"} and figures["rows"] is None
    assert figures["results"]["weights"]["difference"].keys() == {"tacit", "trio"}
    assert max(figures["results"]["weights"]["difference"].values()) < 1e-3
    assert figures["results"]["kind"]["accuracy"]["reference"] == (wanted["kind"] == y).mean()
    assert figures["runs"]["trio"]["bytes"] > 0 and not report.warnings
    shown = repr(report)
    assert "trained: 3 results, 2 of them beside a reference" in shown and "reference" in shown and "trio" in shown
    assert "<table>" in report._repr_html_()


def test_bits_that_were_left() -> None:
    job, data, clear, *_ = trained()
    report = job.accuracy(data, reference={"weights": clear.coef_})
    layers = {it["node"]: it for it in report.layers}
    top = int(np.floor(np.abs(job.check(data).weights).max() * 2**16))
    assert layers["weights"]["bits"] == 30 and layers["weights"]["used"] == top.bit_length() + 1
    assert layers["rows"]["bits"] == 8 and layers["rows"]["used"] == int(job.check(data).rows).bit_length()
    assert layers["kind"] == {**layers["kind"], "bits": 1, "used": 1, "left": 0}
    assert all(it["left"] == it["bits"] - it["used"] >= 0 for it in report.layers)
    assert report.left == min(layers["weights"]["left"], layers["rows"]["left"]) > 0
    assert f"bits left: {report.left} at least" in repr(report)


def test_references_may_be_functions_of_the_data() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, y = (party.array("x", tc.Fixed(0, 8), shape=5) for party in (alice, bob))
    job = tc.job("mean", mean=(x * y).mean().reveal(to="all"))
    data = {"alice": np.linspace(0, 8, 5), "bob": np.linspace(8, 0, 5)}
    report = job.accuracy(data, reference=lambda given: (given["alice"] * given["bob"]).mean())
    assert report.results["mean"]["difference"]["tacit"] < 1e-4
    assert report.left > 0 and report.clipped == report.differently == 0


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ({"weight": [1.0]}, "the reference has 'weight', and the job reveals weights, kind, rows"),
        ({"weights": [1.0]}, r"the reference of 'weights' has the shape \(1,\), and the result \(4,\)"),
        (lambda data: [1.0], "the job reveals weights, kind, rows: a reference gives a mapping"),
        ("onnx", "reveals no output of a model.*reference="),
    ],
    ids=["name", "shape", "several", "no-model"],
)
def test_references_that_do_not_fit(reference: Any, words: str) -> None:
    job, data, *_ = trained()
    with pytest.raises(tc.InputError, match=words):
        job.accuracy(data, reference=reference)


def test_bounds_hold_for_all_data() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, y = (party.array("x", tc.Fixed(-8, 8), shape=6) for party in (alice, bob))
    product = x * y
    values = {"product": product, "count": tc.sum((x + y) > 0), "steep": tc.where(product > 0, product, -product - 8)}
    job = tc.job("bounds", {name: value.reveal(to="all") for name, value in values.items()})
    rng = np.random.default_rng(2)
    data = {"alice": rng.uniform(-8, 8, 6), "bob": rng.uniform(-8, 8, 6)}
    report = job.accuracy(data, reference={}, protocol="trio")
    # A product is rounded once; sums are exact, and so are comparisons of them; one of rounded numbers may come out differently.
    assert report.bounds["product"] == 2.0**-16 and report.bounds["count"] == 0
    assert report.bounds["steep"] is None or report.bounds["steep"] >= 8
    found, clear = job.run(data, protocol="trio"), job.check(data)
    assert np.abs(found.product - clear.product).max() <= report.bounds["product"]
    assert "bounds of |protocol - tacit|" in repr(report) and "product 1.5e-05" in repr(report)
    assert json.loads(report.to_json())["bounds"]["count"] == 0
