"""Principal components."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ..control import loop
from ..types import Fixed
from ._common import FINE, FRACTION, Estimator, counts, features, gram, inverse, known, largest, most, positive, power_above, proven, wrong

__all__ = ["PCA"]

_MOST_FEATURES = 64


class PCA(Estimator):
    """The directions of greatest variance, by power iteration on the covariance matrix.

    The matrix is squared and scaled again `squarings` times, which is `2^squarings` iterations, in as many steps: a component is
    found if its variance is not too near to the next one's. A component has the sign that makes its element of largest absolute
    value positive, as in scikit-learn. Components are found one after the other, what is found being taken out of the matrix.

    Args:
        n_components: How many components.
        squarings: How many times the matrix is squared for each.
        tol: The least variance that may be left, on all columns together, as a part of that in the beginning.

    Attributes:
        components_: Directions of length 1, shape (components, columns).
        explained_variance_: Variances along them, shape (components), of a sample (divided by rows - 1).
        mean_: Means of columns.
    """

    components_: Any
    explained_variance_: Any
    mean_: Any

    def __init__(self, n_components: int = 2, *, squarings: int = 10, tol: float = 2.0**-10) -> None:
        self.n_components, self.squarings, self.tol = n_components, squarings, tol

    def _validate(self, columns: int) -> None:
        counts(n_components=self.n_components, squarings=self.squarings)
        positive(tol=self.tol)
        if self.tol < 2.0**-14:
            wrong(f"tol is at least 2**-14, not {self.tol}: what is smaller is lost among {FINE} bits behind the point")
        if columns > _MOST_FEATURES or self.n_components > columns:
            wrong(f"components are of at most {_MOST_FEATURES} columns, and at most as many: not {self.n_components} of {columns}")

    def fit(self, X: Array, y: Any = None) -> PCA:
        """Adds the search for components of `X`, shape (rows, columns), to the program. The number of rows is known, at least 2.

        A run ends with `CheckFailed`, which everybody learns, where the variance of all columns together is below `tol`, or, after
        components are taken out, below `tol` times what it was.
        """
        X = features(X)
        columns, rows = int(X.shape[1]), known(X.shape[0], "PCA")
        if rows < 2:
            wrong(f"a variance is of at least 2 rows, not {rows}")
        self._validate(columns)
        by = 2.0 ** -power_above(most(rows))
        self.mean_ = xp.mean(X, axis=0, frac=X._node.fraction)
        centred = X - self.mean_
        matrix = gram(centred, centred) * by
        # The sum of variances becomes 1.
        total = xp.check(_trace(matrix, columns), self.tol, columns * 4 * largest(X) ** 2)
        # A covariance matrix has no negative eigenvalues.
        matrix = _unit(matrix * xp.reciprocal(total))
        found: list[tuple[Array, Array]] = []
        for _ in range(self.n_components):
            direction = self._direction(matrix, columns)
            variance = direction @ (matrix @ direction)
            found.append((direction, variance))
            matrix = xp.check(matrix - xp.expand_dims(direction, axis=1) * (direction * variance), -2, 2)
        self.components_ = to_fixed(xp.stack([direction for direction, _ in found]), FRACTION)
        variances = xp.stack([variance for _, variance in found])
        self.explained_variance_ = to_fixed(variances * to_fixed(total, FINE) * (1 / by / (rows - 1)), FRACTION)
        return self

    def _direction(self, matrix: Array, columns: int) -> Array:
        """The direction of the greatest variance of a matrix whose trace is at most 1."""
        left = xp.check(_trace(matrix, columns), self.tol, 2)
        # What is left of a covariance matrix may have small negative eigenvalues: its elements are checked, and its first square.
        start = xp.check(matrix * inverse(left, self.tol, 2), -2, 2)

        def step(power: Array, i: Array) -> Array:
            flat = xp.reshape(power, (columns * columns,))
            norm = xp.check(flat @ flat, 0.5 / columns, 2)
            return _unit(_unit(power @ power) * inverse(norm, 0.5 / columns, 2))

        power = loop(self.squarings, step, start, keep=Fixed(-2, 2, FINE))
        # The column of the greatest element of the diagonal, which is at least 1 / columns: so is the column's length.
        diagonal = xp.sum(power * np.eye(columns), axis=1)
        best = xp.arange(columns) == xp.argmax(diagonal)
        column = power @ xp.astype(best, Fixed(0, 1, FINE))
        length = proven(xp.sqrt(column @ column), 0.5 / columns, 1.5)
        return proven(column * inverse(length, 0.5 / columns, 1.5), -2, 2)

    def transform(self, X: Any) -> Any:
        """Coordinates along the components, shape (rows, components)."""
        components = self._fitted("components_")
        if isinstance(X, Array):
            X = features(X, int(components.shape[1]))
        return (X - self.mean_) @ components.T

    def reference(self, X: Any, y: Any = None) -> PCA:
        """Components by the eigenvectors of the covariance matrix, in float64, for features in NumPy."""
        X, found = np.asarray(X, dtype=np.float64), self._copy()
        self._validate(X.shape[1])
        found.mean_ = X.mean(axis=0)
        values, vectors = np.linalg.eigh((X - found.mean_).T @ (X - found.mean_) / (len(X) - 1))
        found.explained_variance_ = values[::-1][: self.n_components]
        parts = vectors.T[::-1][: self.n_components]
        at = np.abs(parts).argmax(axis=1)
        found.components_ = parts * np.sign(parts[np.arange(len(parts)), at])[:, None]
        return found


def _trace(matrix: Array, columns: int) -> Array:
    return xp.sum(xp.reshape(matrix, (columns * columns,))[:: columns + 1])


def _unit(matrix: Array) -> Array:
    """A covariance matrix, or a square, of trace at most 2: no element is beyond the trace by Cauchy and Schwarz."""
    return proven(matrix, -2, 2)
