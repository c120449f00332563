"""Data and helpers that the tests of `tacit.ml` share."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from sklearn import datasets

import tacit as tc

# Whole data sets under protocols take a minute with an optimised extension: TACIT_ML=all runs them too.
ALL = os.environ.get("TACIT_ML") == "all"
PROTOCOLS = ["trio", "lift"]

sweep = pytest.mark.skipif(not ALL, reason="TACIT_ML=all runs whole data sets under protocols")


def scaled(X: np.ndarray) -> np.ndarray:
    """Features as they enter a program, multiples of 2**-16, so that a reference has the same."""
    return np.round(((X - X.mean(axis=0)) / X.std(axis=0)).clip(-8, 8) * 2**16) / 2**16


def cancer(rows: int | None = None, columns: int = 30) -> tuple[np.ndarray, np.ndarray]:
    found = datasets.load_breast_cancer()
    return scaled(found.data)[:rows, :columns], found.target[:rows].astype(bool)


def diabetes(rows: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    found = datasets.load_diabetes()
    return scaled(found.data)[:rows], found.target[:rows]


def flowers() -> tuple[np.ndarray, np.ndarray]:
    """The iris data, its classes mixed by a seed."""
    found = datasets.load_iris()
    order = np.random.default_rng(0).permutation(150)
    return found.data[order], found.target[order]


def one_owner(X: np.ndarray, y: np.ndarray | None, x_type: tc.Type, y_type: tc.Type | None = None) -> tuple[Any, ...]:
    """Features at alice, targets at bob; arrays and data."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", x_type, shape=X.shape)
    if y is None or y_type is None:
        return x, {"alice": {"x": X}}
    return x, bob.array("y", y_type, shape=y.shape), {"alice": {"x": X}, "bob": {"y": y}}


def by_rows(X: np.ndarray, y: np.ndarray, x_type: tc.Type, y_type: tc.Type) -> tuple[Any, ...]:
    """Rows of three owners, one after the other."""
    owners = tc.parties("alice", "bob", "carol")
    parts = np.array_split(np.arange(len(X)), 3)
    x = tc.concat([owner.array("x", x_type, shape=(len(at), X.shape[1])) for owner, at in zip(owners, parts, strict=True)])
    t = tc.concat([owner.array("y", y_type, shape=len(at)) for owner, at in zip(owners, parts, strict=True)])
    return x, t, {owner.name: {"x": X[at], "y": y[at]} for owner, at in zip(owners, parts, strict=True)}


def by_columns(X: np.ndarray, y: np.ndarray, x_type: tc.Type, y_type: tc.Type) -> tuple[Any, ...]:
    """Columns of three owners side by side; the last one has the targets."""
    owners = tc.parties("alice", "bob", "carol")
    parts = np.array_split(np.arange(X.shape[1]), 3)
    x = tc.concat([owner.array("x", x_type, shape=(len(X), len(at))) for owner, at in zip(owners, parts, strict=True)], axis=1)
    t = owners[2].array("y", y_type, shape=len(X))
    data: dict[str, Any] = {owner.name: {"x": X[:, at]} for owner, at in zip(owners, parts, strict=True)}
    data["carol"]["y"] = y
    return x, t, data


SPLITS = [one_owner, by_rows, by_columns]


def clear(values: dict[str, Any], data: Any) -> Any:
    """What values are in the clear, where every range and every proof holds."""
    job = tc.job("clear", {name: value.reveal(to="all") for name, value in values.items()})
    assert "PROMISED, UNVERIFIED  nothing" in repr(job.disclosure())
    found = job.check(data)
    assert not found.warnings
    return found
