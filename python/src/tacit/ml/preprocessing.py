"""Scaling of features and splitting of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ._common import (
    FINE,
    Estimator,
    Floats,
    across,
    features,
    known,
    largest,
    one_of,
    positive,
    power_above,
    weighing,
    weighted_mean,
    within,
    wrong,
)

__all__ = ["StandardScaler", "train_test_split"]


class StandardScaler(Estimator):
    """Features less their means, divided by their standard deviations.

    The means and deviations are those of all rows, whoever has them, and stay secret; or public constants that the parties agree
    on. Of an array of one party, that party computes them alone: where owners have whole columns, scaling each owner's array
    before `tc.concat` costs no communication under semi-honest protocols.

    Nobody learns anything, except with `overflow="check"` whether all scaled values lay in the range, as one bit of the job.

    Args:
        mean: Public means, one for each column, or nothing to compute them.
        scale: Public deviations, likewise.
        limit: Scaled values lie from `-limit` to `limit`, a range that estimators rely on.
        overflow: `"clip"` cuts off what is beyond the limit, two comparisons for each element; `"check"` verifies that nothing is;
            `"promise"` takes your word.
        least_scale: Deviations below it count as this: a constant column becomes zeros. Sixteen units in the last place of the
            features unless it is said: smaller ones are mostly rounding.

    Attributes:
        mean_: Means, shape (columns).
        scale_: Deviations, shape (columns).
    """

    mean_: Any
    scale_: Any

    def __init__(
        self, *, mean: Any = None, scale: Any = None, limit: float = 8.0, overflow: str = "clip", least_scale: float | None = None
    ) -> None:
        self.mean, self.scale, self.limit, self.overflow, self.least_scale = mean, scale, limit, overflow, least_scale

    def fit(self, X: Array, y: Any = None, sample_weight: Array | None = None) -> StandardScaler:
        """Computes means and deviations of the columns of `X`, shape (rows, columns); public ones are taken as they are.

        `sample_weight` is what each row counts, shape (rows): bits, or numbers from 0; all count one, unless it is said. Deviations have
        four bits more behind the point than the features, 16 at least: declare features of small numbers with more.
        """
        positive(limit=self.limit)
        one_of("overflow", self.overflow, ("clip", "check", "promise"))
        X = features(X)
        weight = weighing(X, sample_weight)
        frac = min(max(16, X._node.fraction + 4), FINE)
        self._columns = columns = int(X.shape[1])
        self._least = self.least_scale or 2.0 ** (4 - X._node.fraction)
        positive(least_scale=self._least)
        self.mean_ = _public("mean", self.mean, columns) if self.mean is not None else weighted_mean(X, weight, frac)
        if self.scale is not None:
            self.scale_ = _public("scale", self.scale, columns)
            if (self.scale_ <= 0).any():
                wrong("scale is public numbers above 0, one for each column")
            self._least = float(self.scale_.min())
        else:
            self.scale_ = xp.maximum(_deviation(X, weight, frac), self._least)
        return self

    def transform(self, X: Array) -> Array:
        """The scaled features, fixed point in -limit..limit with 16 bits behind the point."""
        scale = self._fitted("scale_")
        X = features(X, self._columns)
        size = largest(X) + (largest(self.mean_) if isinstance(self.mean_, Array) else float(np.abs(self.mean_).max()))
        # The inverse of a deviation of that size has 20 bits that count; and 64 bits hold the greatest scaled value.
        room = 61 - power_above(size / min(self._least, 1.0))
        fine = max(min(20 + max(power_above(size), 0), FINE, room), X._node.fraction)
        centred = to_fixed(X, fine) - (self.mean_ if isinstance(self.mean_, Array) else np.round(self.mean_, 9))
        by = xp.reciprocal(to_fixed(scale, fine)) if isinstance(scale, Array) else 1 / scale
        return to_fixed(within(centred * by, -self.limit, self.limit, self.overflow), 16)

    def fit_transform(self, X: Array, y: Any = None, sample_weight: Array | None = None) -> Array:
        """`fit`, and the scaled features."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def reference(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """The scaled features in float64, of features in NumPy."""
        X = np.asarray(X, dtype=np.float64)
        mean = np.average(X, axis=0, weights=sample_weight) if self.mean is None else np.asarray(self.mean)
        own = X - np.average(X, axis=0, weights=sample_weight)
        scale = np.sqrt(np.average(own**2, axis=0, weights=sample_weight)) if self.scale is None else np.asarray(self.scale)
        found: Floats = np.clip((X - mean) / np.where(scale > 0, scale, 1), -self.limit, self.limit)
        return found


def _deviation(X: Array, weight: Array | None, frac: int) -> Array:
    """Standard deviations of columns over rows, by their weights."""
    if weight is None or weight._node.kind == "bit":
        return xp.std(X, axis=0, where=across(X, weight), frac=frac)
    away = to_fixed(X, frac) - weighted_mean(X, weight, frac)
    return xp.sqrt(weighted_mean(to_fixed(away * away, frac), weight, frac))


def _public(name: str, given: Any, columns: int) -> Floats:
    value = np.asarray(given, dtype=np.float64)
    if value.shape != (columns,) or not np.isfinite(value).all():
        wrong(f"{name} is public numbers, one for each of {columns} columns")
    return value


def train_test_split(*arrays: Any, test_size: float = 0.25, random_state: int = 0, shuffle: bool = True) -> list[Any]:
    """Rows for training and rows for testing: of each array both, one after the other.

    Which rows go where follows from the number of rows and a seed, which are public, and from nothing that anybody keeps
    secret: the positions are part of the program, and nobody learns anything about values. For the same reason there is no
    `stratify`: a choice by secret classes would show them.

    Args:
        arrays: Arrays of the parties with the same known number of rows, or NumPy's, whose rows are split alike.
        test_size: Which part of the rows is for testing, above 0 and below 1; rounded up to whole rows.
        random_state: The seed, which the parties agree to with the program.
        shuffle: Whether rows are drawn by the seed; otherwise the last ones are for testing. Rows keep the order they had.
    """
    if not arrays or not all(isinstance(array, (Array, np.ndarray)) and array.ndim for array in arrays):
        wrong("what is split are arrays with rows, of the parties or NumPy's")
    rows = [known(array.shape[0], "a split") for array in arrays]
    if len(set(rows)) > 1:
        wrong(f"arrays that are split have equally many rows, and these have {', '.join(map(str, rows))}")
    if not isinstance(test_size, (int, float)) or not 0 < test_size < 1:
        wrong(f"test_size is a part of the rows above 0 and below 1, not {test_size!r}")
    tests = int(np.ceil(rows[0] * test_size))
    if not 0 < tests < rows[0]:
        wrong(f"of {rows[0]} rows, test_size={test_size} leaves none for training or for testing")
    order = np.random.default_rng(random_state).permutation(rows[0]) if shuffle else np.arange(rows[0])
    parts = np.sort(order[: rows[0] - tests]), np.sort(order[rows[0] - tests :])
    if not shuffle:
        return [part for array in arrays for part in (array[: rows[0] - tests], array[rows[0] - tests :])]
    return [xp.take(array, part) if isinstance(array, Array) else array[part] for array in arrays for part in parts]
