"""Generalised linear models by gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import xp
from ..array import Array, Extent, to_fixed
from ..control import loop
from ..types import Fixed
from ._common import (
    FRACTION,
    Estimator,
    clip,
    counts,
    exp,
    features,
    known,
    most,
    namespace,
    one_of,
    positive,
    power_above,
    sigmoid,
    strided,
    targets,
    three_pieces,
    truths,
    wrong,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["GammaRegressor", "LogisticRegression", "PoissonRegressor"]

# Bits behind the point of weights, whose steps are small.
_WEIGHTS = 24


class _Gradient(Estimator):
    """Weights by steps against the gradient of the loss."""

    fit_intercept: bool
    steps: int
    learning_rate: float
    batch_size: int | None
    coef_range: float
    overflow: str
    coef_: Any
    intercept_: Any

    def _validate(self) -> None:
        counts(steps=self.steps)
        if self.batch_size is not None:
            counts(batch_size=self.batch_size)
        positive(learning_rate=self.learning_rate, coef_range=self.coef_range)
        one_of("overflow", self.overflow, ("check", "clip", "promise"))

    def _residual(self, score: Any, y: Any) -> Any:
        """How fast the loss of each row grows with its score."""
        raise NotImplementedError

    def _pull(self, coef: Any, rows: Any, parts: int) -> Any:
        """The gradient of the penalty beside a sum over `rows`, one of so many parts of all; nothing if there is no penalty."""
        raise NotImplementedError

    def _target(self, X: Array, y: Array) -> Array:
        return targets(X, y)

    def _batches(self, rows: int | Extent) -> tuple[int, int] | None:
        """The size of batches, and how many there are; nothing if all rows are one."""
        if self.batch_size is None:
            return None
        rows = known(rows, "batch_size=")
        if self.batch_size > rows:
            wrong(f"a batch of {self.batch_size} rows is more than there are, {rows}")
        return self.batch_size, rows // self.batch_size

    def fit(self, X: Array, y: Array) -> Self:
        """Adds the training to the program.

        Args:
            X: Features, shape (rows, columns), best scaled to about -8..8.
            y: Targets, shape (rows).

        Raises `ShapeError`, `RangeError` and `ProgramError` at the line of the call. With `overflow="check"`, a weight that
        leaves `-coef_range..coef_range` in any step ends the run with `CheckFailed`, which everybody learns.
        """
        self._validate()
        X = features(X)
        y = self._target(X, y)
        batches = self._batches(X.shape[0])
        rows, parts = batches or (X.shape[0], 1)
        if batches is not None:
            X, y = strided(X, batches[0], parts), strided(y, batches[0], parts)
        rate = self.learning_rate / 2.0 ** power_above(most(rows))

        columns, fraction = int(X.shape[-1]), self._fraction(X._node.fraction)
        X, y = to_fixed(X, fraction), to_fixed(y, fraction)
        turned = X.mT

        def step(weights: Array, i: Array) -> Array:
            x, target, across = (X, y, turned) if batches is None else (X[i % parts], y[i % parts], turned[i % parts])
            near = to_fixed(weights, fraction)
            score = x @ near[:columns]
            rest = self._residual(score + near[columns] if self.fit_intercept else score, target)
            slope = to_fixed(across @ rest, _WEIGHTS)
            pull = self._pull(weights[:columns], rows, parts)
            slope = slope if pull is None else slope + pull
            if self.fit_intercept:
                # In one array with the others: what is done together takes rounds once.
                slope = xp.concat([slope, to_fixed(xp.sum(xp.reshape(rest, (1, -1)), axis=1), _WEIGHTS)])
            return weights - slope * rate

        kept = Fixed(-self.coef_range, self.coef_range, _WEIGHTS)
        start = xp._filled(X._arena, (columns + self.fit_intercept,), 0)
        found = to_fixed(loop(self.steps, step, start, keep=kept, overflow=self.overflow), FRACTION)
        self.coef_, self.intercept_ = found[:columns], found[columns] if self.fit_intercept else xp.zeros(())
        return self

    def _fraction(self, given: int) -> int:
        """How many bits behind the point scores have: as features, so that functions of all rows are of narrow numbers."""
        return given

    def _score(self, X: Any) -> Any:
        coef = self._fitted("coef_")
        if isinstance(X, Array):
            X = features(X, int(coef.shape[0]))
        return X @ coef + self.intercept_

    def reference(self, X: Any, y: Any) -> Self:
        """The same training in float64: an estimator whose attributes and predictions are NumPy's.

        Args:
            X: Features as NumPy's array, shape (rows, columns).
            y: Targets, shape (rows).
        """
        self._validate()
        X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
        batches = self._batches(len(X))
        rows, parts = batches or (len(X), 1)
        if batches is not None:
            X, y = strided(X, rows, parts), strided(y, rows, parts)
        rate = self.learning_rate / 2.0 ** power_above(rows)
        coef, intercept = np.zeros(X.shape[-1]), 0.0
        for i in range(self.steps):
            x, target = (X, y) if batches is None else (X[i % parts], y[i % parts])
            rest = self._residual(x @ coef + intercept, target)
            if self.fit_intercept:
                intercept = intercept - rest.sum() * rate
            pull = self._pull(coef, rows, parts)
            coef = coef - (x.T @ rest + (0.0 if pull is None else pull)) * rate
        found = self._copy()
        found.coef_, found.intercept_ = coef, intercept
        return found


class LogisticRegression(_Gradient):
    """Logistic regression of two classes by gradient descent.

    It minimises what scikit-learn's does, the sum of the log losses plus `|coef|^2 / (2 C)`, by a given number of steps. A step
    is `learning_rate / 2^k` times the gradient of the sum, where `2^k` is the least power of two that is not less than the
    (greatest) number of rows: give rows in a narrow range. Steps of powers of two are exact.

    The weights are secret until they are revealed. The program, which all parties see, says the shape of the data and these
    settings.

    Args:
        C: The inverse of the strength of the penalty on `coef_`; `None` for no penalty. The intercept has none.
        fit_intercept: Whether there is an intercept.
        steps: How many steps.
        learning_rate: The size of steps.
        batch_size: How many rows a step is on; all of them unless it is said. Batch `b` of `k` is the rows b, b + k, b + 2 k and
            so on, so that rows of several owners mix; the last `rows % batch_size` rows are left out.
        sigmoid: `"exact"`, or `"three-pieces"`: 0 below -1/2, x + 1/2, 1 above 1/2, which takes less than half of the rounds and fits
            another, steeper model.
        coef_range: Weights stay within `-coef_range..coef_range` in every step.
        overflow: `"check"` verifies that in the run, and everybody learns that one bit; `"clip"` cuts weights off there, two
            comparisons in every step; `"promise"` takes your word.

    Attributes:
        coef_: Weights, shape (columns).
        intercept_: A single number.
    """

    def __init__(
        self,
        *,
        C: float | None = 1.0,
        fit_intercept: bool = True,
        steps: int = 100,
        learning_rate: float = 1.0,
        batch_size: int | None = None,
        sigmoid: str = "exact",
        coef_range: float = 16.0,
        overflow: str = "check",
    ) -> None:
        self.C, self.fit_intercept, self.steps, self.learning_rate = C, fit_intercept, steps, learning_rate
        self.batch_size, self.sigmoid, self.coef_range, self.overflow = batch_size, sigmoid, coef_range, overflow

    def _validate(self) -> None:
        super()._validate()
        one_of("sigmoid", self.sigmoid, ("exact", "three-pieces"))
        if self.C is not None:
            positive(C=self.C)

    def _target(self, X: Array, y: Array) -> Array:
        return xp.astype(truths(X, y), Fixed(0, 1, FRACTION))

    def _chance(self, score: Any) -> Any:
        return sigmoid(score) if self.sigmoid == "exact" else three_pieces(score)

    def _residual(self, score: Any, y: Any) -> Any:
        return self._chance(score) - y

    def _fraction(self, given: int) -> int:
        # Comparisons of wider numbers are cheaper than dropping bits of weights, which takes as many rounds as two of them.
        return given if self.sigmoid == "exact" else _WEIGHTS

    def _pull(self, coef: Any, rows: Any, parts: int) -> Any:
        by = None if self.C is None else 1 / (self.C * parts)
        return by if by is None else coef if by == 1 else coef * by

    def decision_function(self, X: Any) -> Any:
        """Scores `X @ coef_ + intercept_`, shape (rows): above zero for class 1."""
        return self._score(X)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of class 0 and class 1, shape (rows, 2)."""
        chance = self._chance(self._score(X))
        return namespace(chance).stack([1 - chance, chance], axis=1)

    def predict(self, X: Any) -> Any:
        """Class 1 or 0 of each row, as a truth value, shape (rows)."""
        return self._score(X) > 0


class _LogLink(_Gradient):
    """Positive targets whose logarithm's mean is linear."""

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        steps: int = 100,
        learning_rate: float = 0.5,
        batch_size: int | None = None,
        score_range: float = 4.0,
        coef_range: float = 16.0,
        overflow: str = "check",
    ) -> None:
        self.alpha, self.fit_intercept, self.steps, self.learning_rate = alpha, fit_intercept, steps, learning_rate
        self.batch_size, self.score_range, self.coef_range, self.overflow = batch_size, score_range, coef_range, overflow

    alpha: float
    score_range: float

    def _validate(self) -> None:
        super()._validate()
        positive(score_range=self.score_range)
        if self.score_range > 16:
            wrong(f"score_range is at most 16, where means are up to exp(16), not {self.score_range}")
        if not self.alpha >= 0:
            wrong(f"alpha is a public number from 0, not {self.alpha!r}")

    def _pull(self, coef: Any, rows: Any, parts: int) -> Any:
        return coef * rows * self.alpha if self.alpha else None

    def predict(self, X: Any) -> Any:
        """Means `exp(X @ coef_ + intercept_)`, shape (rows); scores are cut off at `score_range`."""
        return exp(clip(self._score(X), -self.score_range, self.score_range))


class PoissonRegressor(_LogLink):
    """Counts by Poisson regression with a logarithmic link, by gradient descent.

    It minimises what scikit-learn's does, half the mean deviance plus `alpha |coef|^2 / 2`, by steps as those of
    `LogisticRegression`. Scores are cut off at `-score_range..score_range` before the exponential: give counts in units that
    make means lie in `exp(-score_range)..exp(score_range)`.

    Args:
        alpha: The strength of the penalty on `coef_`.
        fit_intercept: Whether there is an intercept.
        steps: How many steps.
        learning_rate: The size of steps; too large ones leave `coef_range`.
        batch_size: How many rows a step is on, as for `LogisticRegression`.
        score_range: Where scores are cut off, at most 16.
        coef_range: Weights stay within `-coef_range..coef_range` in every step.
        overflow: What becomes of weights beyond, as for `LogisticRegression`.

    Attributes:
        coef_: Weights, shape (columns).
        intercept_: A single number.
    """

    def _residual(self, score: Any, y: Any) -> Any:
        return exp(clip(score, -self.score_range, self.score_range)) - y


class GammaRegressor(_LogLink):
    """Positive amounts by gamma regression with a logarithmic link, by gradient descent.

    It minimises what scikit-learn's does, half the mean deviance plus `alpha |coef|^2 / 2`. Settings, attributes and the cut of
    scores are those of `PoissonRegressor`. Targets are above zero.
    """

    def _target(self, X: Array, y: Array) -> Array:
        y = targets(X, y)
        return y if y._node.kind == "fixed" else to_fixed(y, FRACTION)

    def _residual(self, score: Any, y: Any) -> Any:
        return 1 - y * exp(-clip(score, -self.score_range, self.score_range))
