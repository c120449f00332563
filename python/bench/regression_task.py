"""What the benchmark of the regression computes: the data and the program of `examples/regression.py`, and the same in floating point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import tacit as tc

STEPS = 100


def tumours() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The features, 569 x 30, and the diagnoses."""
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    features = ((data.data - data.data.mean(axis=0)) / data.data.std(axis=0)).clip(-8, 8)
    return features, data.target.astype(bool)


def build() -> tc.Job:
    """The job: alice and bob learn the weights; carol computes only."""
    import tacit as tc

    alice, bob, _carol = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=1024)
    x = alice.array("x", tc.Fixed(-8, 8), shape=(n, 15))
    y = alice.array("y", tc.Bool(), shape=n)
    z = bob.array("z", tc.Fixed(-8, 8), shape=(n, 15))
    both = tc.concat([x, z], axis=1)

    def step(w: tc.Array, _i: tc.Array) -> tc.Array:
        p = tc.sigmoid(both @ w)
        return w - both.T @ (p - y) / 512

    w = tc.loop(STEPS, step, tc.zeros(30), keep=tc.Fixed(-16, 16), overflow="check")
    return tc.job("logistic", weights=w.reveal(to=[alice, bob]))


def reference(features: np.ndarray[Any, Any], labels: np.ndarray[Any, Any], steps: int = STEPS) -> np.ndarray[Any, Any]:
    """The weights in floating point."""
    w = np.zeros(features.shape[1])
    for _ in range(steps):
        w -= features.T @ (1 / (1 + np.exp(-features @ w)) - labels) / 512
    return w
