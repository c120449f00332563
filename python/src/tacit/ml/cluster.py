"""Clusters by k-means."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ..control import loop
from ..types import Fixed
from ._common import Estimator, Floats, counts, features, largest, proven, wrong

__all__ = ["KMeans"]

_MOST_CLUSTERS = 32


class KMeans(Estimator):
    """Clusters of rows around centres, by Lloyd's algorithm.

    An iteration is a product of matrices for the distances, `n k (k - 1) / 2` comparisons at once, a product for the sums, and
    `columns k` divisions. The number of iterations is public and fixed: whether it has converged would tell something. A centre
    without rows stays where it is. Centres and labels are secret until they are revealed: the label of a row says which rows lie
    near to each other, and a centre of one row is that row.

    Args:
        init: The first centres: public numbers, shape (clusters, columns), or an array of the parties, such as one party's guess
            or the result of another job. There is no random choice of rows: who knows it would learn whose row it was.
        max_iter: How many iterations.

    Attributes:
        cluster_centers_: Centres, shape (clusters, columns).
        labels_: The nearest centre of each row, the first of equally near ones, shape (rows).
        inertia_: The sum of squared distances from rows to their centres.
    """

    cluster_centers_: Any
    labels_: Any
    inertia_: Any

    def __init__(self, init: Any, *, max_iter: int = 10) -> None:
        self.init, self.max_iter = init, max_iter

    def _start(self, columns: int) -> Array:
        start = xp.asarray(self.init)
        if start.ndim != 2 or start.shape[1] != columns or not isinstance(start.shape[0], int):
            wrong(f"init is centres, one row for each, of {columns} columns, and this has the shape {start.shape}")
        if not 2 <= len(start) <= _MOST_CLUSTERS:
            wrong(f"clusters are 2 to {_MOST_CLUSTERS}, and init has {len(start)}")
        return start

    def fit(self, X: Array, y: Any = None) -> KMeans:
        """Adds the clustering of `X`, shape (rows, columns), to the program. Nothing can overflow: centres are means of rows."""
        counts(max_iter=self.max_iter)
        X = features(X)
        fraction = X._node.fraction
        start = to_fixed(self._start(int(X.shape[1])), fraction)
        # A unit in the last place is room for the rounding of sums.
        size = max(largest(X), largest(start)) + 1.0

        def step(centers: Array, i: Array) -> Array:
            near = _nearest(_distances(X, centers))
            members = xp.sum(near, axis=0)
            # The mean of members is within the range of features: the quotient is at most a unit in the last place beyond it.
            means = proven((near.T @ X) / xp.expand_dims(members, axis=1), -size, size)
            return xp.where(xp.expand_dims(members > 0, axis=1), means, centers)

        kept = Fixed(-size, size, fraction)
        self.cluster_centers_ = loop(self.max_iter, step, start, keep=kept)
        distances = _distances(X, self.cluster_centers_)
        near = _nearest(distances)
        self.labels_ = _labels(near)
        self.inertia_ = xp.sum(xp.where(near, distances, 0.0)) + xp.sum(X * X)
        return self

    def predict(self, X: Any) -> Any:
        """The nearest centre of each row, shape (rows)."""
        centers = self._fitted("cluster_centers_")
        if isinstance(X, Array):
            return _labels(_nearest(_distances(features(X, int(centers.shape[1])), centers)))
        return ((centers**2).sum(axis=1) - 2 * X @ centers.T).argmin(axis=1)

    def score(self, X: Any, y: Any = None) -> Any:
        """The sum of squared distances from rows to their centres, below zero, as scikit-learn has it: of arrays of the parties secret."""
        centers = self._fitted("cluster_centers_")
        if not isinstance(X, Array):
            return -_inertia(np.asarray(X, dtype=np.float64), centers, self.predict(X))
        X = features(X, int(centers.shape[1]))
        distances = _distances(X, centers)
        return -(xp.sum(xp.where(_nearest(distances), distances, 0.0)) + xp.sum(X * X))

    def reference(self, X: Any, y: Any = None) -> KMeans:
        """The same iterations in float64, for features in NumPy and first centres that are public."""
        if isinstance(self.init, Array):
            wrong("a reference needs first centres in the clear: KMeans(init=numbers).reference(X)")
        X, found = np.asarray(X, dtype=np.float64), self._copy()
        found.cluster_centers_ = centers = np.array(self.init, dtype=np.float64)
        for _ in range(self.max_iter):
            near = np.eye(len(centers))[found.predict(X)]
            members = near.sum(axis=0)[:, None]
            found.cluster_centers_ = centers = np.where(members > 0, near.T @ X / np.maximum(members, 1), centers)
        found.labels_ = found.predict(X)
        found.inertia_ = _inertia(X, centers, found.labels_)
        return found


def _inertia(X: Floats, centers: Floats, labels: Any) -> float:
    return float(((X - centers[labels]) ** 2).sum())


def _distances(X: Array, centers: Array) -> Array:
    """Squared distances from rows to centres, less what all centres of a row have in common."""
    return xp.sum(centers * centers, axis=1) - (X @ centers.T) * 2


def _nearest(distances: Array) -> Array:
    """Bits that say of which centre a row is, shape (rows, clusters): all pairs are compared at once."""
    count = int(distances.shape[1])
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    left = xp.take(distances, [a for a, _ in pairs], axis=1) <= xp.take(distances, [b for _, b in pairs], axis=1)
    both = xp.concat([left, ~left], axis=1)
    where = {pair: at for at, pair in enumerate(pairs)}
    wins = [where.get((a, b), len(pairs) + where.get((b, a), 0)) for a in range(count) for b in range(count) if a != b]
    rest = xp.reshape(xp.take(both, wins, axis=1), (distances.shape[0], count, count - 1))
    while (width := int(rest.shape[2])) > 1:
        half = width // 2
        paired = rest[:, :, :half] & rest[:, :, half : 2 * half]
        rest = xp.concat([paired, rest[:, :, 2 * half :]], axis=2) if width % 2 else paired
    return xp.squeeze(rest, 2)


def _labels(near: Array) -> Array:
    return near @ xp.arange(int(near.shape[1]))
