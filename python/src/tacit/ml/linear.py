"""Linear regression by normal equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ..control import loop
from ..types import Fixed
from ._common import (
    FINE,
    FRACTION,
    OfAmounts,
    Scored,
    features,
    gram,
    inverse,
    largest,
    most,
    one_of,
    positive,
    power_above,
    targets,
    weighed,
    weighing,
    weighted_mean,
    within,
    wrong,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LinearRegression", "Ridge"]

_MOST_FEATURES = 64


class _Linear(Scored, OfAmounts):
    """Weights that solve the normal equations."""

    fit_intercept: bool
    tol: float
    coef_range: float | None
    overflow: str
    alpha: float

    def _validate(self) -> None:
        positive(tol=self.tol)
        if self.coef_range is not None:
            positive(coef_range=self.coef_range)
        one_of("overflow", self.overflow, ("check", "promise"))
        if not self.alpha >= 0:
            wrong(f"alpha is a public number from 0, not {self.alpha!r}")
        if self.tol < 2.0**-16:
            wrong(f"tol is at least 2**-16, not {self.tol}: what is smaller is lost among {FINE} bits behind the point")

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Adds the training to the program.

        Args:
            X: Features, shape (rows, columns), at most 64 columns, scaled so that deviations are about 1 (`StandardScaler`).
            y: Targets, shape (rows), numbers of any kind.
            sample_weight: What each row counts, shape (rows): bits, which say whether it does, or numbers from 0, about one on average.
                All count one, unless it is said. Where few of them count, give a smaller `tol`.

        Raises `ShapeError` and `RangeError` at the line of the call. With `overflow="check"` the run ends with `CheckFailed` where
        columns are almost linear combinations of others (`tol`) or a weight is beyond `coef_range`, which everybody learns.
        """
        self._validate()
        X = features(X)
        y = targets(X, y)
        y = y if y._node.kind == "fixed" else to_fixed(y, FRACTION)
        columns = int(X.shape[1])
        if columns > _MOST_FEATURES:
            wrong(f"normal equations are for at most {_MOST_FEATURES} columns, and these are {columns}: PCA makes fewer of them")
        weight = weighing(X, sample_weight)
        mean = tuple(weighted_mean(it, weight, it._node.fraction) for it in (X, y)) if self.fit_intercept else None
        x, z = (X, y) if mean is None else (X - mean[0], y - mean[1])
        # Bits are their own squares: rows that do not count are zeros on both sides.
        heavy = weighed(x, weight)
        x = heavy if weight is not None and weight._node.kind == "bit" else x
        # Sums over rows divided by a power of two: deviations of about 1 make a diagonal of about 1.
        by = 2.0 ** -power_above(most(X.shape[0]))
        matrix = gram(heavy, x) * by + np.eye(columns) * (self.alpha * by)
        right = gram(heavy, z) * by
        coef = self._solved(matrix, right, self.coef_range or 4 * 2.0 ** power_above(max(largest(y), 1)))
        self.coef_ = to_fixed(coef, FRACTION)
        self.intercept_ = xp.zeros(()) if mean is None else to_fixed(mean[1] - mean[0] @ self.coef_, FRACTION)
        return self

    def _solved(self, matrix: Array, right: Array, coef_range: float) -> Array:
        """The solution by eliminating one column after the other, which needs no pivots where the matrix is positive definite."""
        columns = int(right.shape[0])
        # Multipliers are at most 1 / sqrt(tol) where the diagonal is about 1.
        size = 2.0 ** max(power_above(self.tol**-0.5), 6)
        matrix = within(matrix, -size, size, self.overflow)
        right = within(right, -coef_range, coef_range, self.overflow)

        def step(matrix: Array, right: Array, i: Array) -> tuple[Array, Array]:
            row, at = matrix[i], xp.arange(columns) == i
            pivot = inverse(within(row[i], self.tol, size, self.overflow), self.tol, size)
            row = within(row * pivot, -size, size, self.overflow)
            last = within(right[i] * pivot, -coef_range, coef_range, self.overflow)
            column = matrix[:, i] - to_fixed(at, 0)
            return matrix - xp.expand_dims(column, axis=1) * row, right - column * last

        kept = [Fixed(-size, size, FINE), Fixed(-coef_range, coef_range, FINE)]
        solved: Array = loop(columns, step, matrix, right, keep=kept, overflow=self.overflow)[1]
        return solved

    def predict(self, X: Any) -> Any:
        """`X @ coef_ + intercept_`, shape (rows)."""
        return self._score(X)

    def reference(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The solution in float64: an estimator whose attributes and predictions are NumPy's.

        Args:
            X: Features as NumPy's array, shape (rows, columns).
            y: Targets, shape (rows).
            sample_weight: What each row counts, shape (rows).
        """
        self._validate()
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        mean = (np.average(X, axis=0, weights=weight), np.average(y, weights=weight)) if self.fit_intercept else (np.zeros(X.shape[1]), 0.0)
        x, z = X - mean[0], y - mean[1]
        heavy, found = x * weight[:, None], self._copy()
        found.coef_ = np.linalg.solve(heavy.T @ x + self.alpha * np.eye(X.shape[1]), heavy.T @ z)
        found.intercept_ = mean[1] - mean[0] @ found.coef_
        return found


class LinearRegression(_Linear):
    """Least squares by the normal equations.

    The Gram matrix of the (centred) features is one product of matrices. Gauss-Jordan elimination solves it, one division for each
    column, with 28 bits behind the point. The weights are secret until they are revealed.

    Args:
        fit_intercept: Whether there is an intercept.
        tol: The least pivot, where the features' mean squares are about 1: a column that others explain but for this part of its
            variance counts as their linear combination, and the run ends.
        coef_range: Weights lie within `-coef_range..coef_range`; four times the range of targets unless it is said.
        overflow: `"check"` verifies pivots and weights in the run, and everybody learns that one bit; `"promise"` takes your word.

    Attributes:
        coef_: Weights, shape (columns).
        intercept_: A single number.
    """

    alpha = 0.0

    def __init__(
        self, *, fit_intercept: bool = True, tol: float = 2.0**-12, coef_range: float | None = None, overflow: str = "check"
    ) -> None:
        self.fit_intercept, self.tol, self.coef_range, self.overflow = fit_intercept, tol, coef_range, overflow


class Ridge(_Linear):
    """Least squares with the penalty `alpha |coef|^2`, as scikit-learn's `Ridge`, by the normal equations.

    Args:
        alpha: The strength of the penalty, beside the sum of squares; the intercept has none.
        fit_intercept: Whether there is an intercept.
        tol: The least pivot, as for `LinearRegression`.
        coef_range: As for `LinearRegression`.
        overflow: As for `LinearRegression`.

    Attributes:
        coef_: Weights, shape (columns).
        intercept_: A single number.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        tol: float = 2.0**-12,
        coef_range: float | None = None,
        overflow: str = "check",
    ) -> None:
        self.alpha, self.fit_intercept, self.tol = alpha, fit_intercept, tol
        self.coef_range, self.overflow = coef_range, overflow
