"""Generalised linear models by gradient descent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import xp
from ..array import Array, Extent, to_fixed
from ..control import loop
from ..types import Bool, Fixed
from ._common import (
    FRACTION,
    OfAmounts,
    OfKinds,
    Scored,
    classes,
    clip,
    counts,
    exp,
    features,
    inverse,
    known,
    most,
    namespace,
    one_hot,
    one_of,
    only,
    positive,
    power_above,
    proven,
    sigmoid,
    softmax,
    strided,
    targets,
    three_pieces,
    weighed,
    weighing,
    wrong,
)

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["GammaRegressor", "LogisticRegression", "PoissonRegressor"]

# Bits behind the point of weights, whose steps are small.
_WEIGHTS = 24
_MOST_CLASSES = 32
# The least sum of probabilities of one class against the others that they are divided by.
_LEAST = 2.0**-8


class _Gradient(Scored):
    """Weights by steps against the gradient of the loss; several columns of weights, if targets have several columns."""

    fit_intercept: bool
    steps: int
    epochs: int | None
    learning_rate: float
    batch_size: int | None
    coef_range: float
    overflow: str

    def _validate(self) -> None:
        counts(steps=self.steps)
        if self.batch_size is not None:
            counts(batch_size=self.batch_size)
        if self.epochs is not None:
            counts(epochs=self.epochs)
        positive(learning_rate=self.learning_rate, coef_range=self.coef_range)
        one_of("overflow", self.overflow, ("check", "clip", "promise"))

    def _residual(self, score: Any, y: Any) -> Any:
        """How fast the loss of each row grows with its score."""
        raise NotImplementedError

    def _pull(self, coef: Any, rows: Any, parts: int) -> Any:
        """The gradient of the penalty beside a sum over `rows`, one of so many parts of all; nothing if there is no penalty."""
        raise NotImplementedError

    def _target(self, X: Array, y: Array) -> Array:
        """Targets as the residual has them, shape (rows) or (rows, classes)."""
        return targets(X, y)

    def _clear_target(self, y: Any) -> tuple[Any, Self]:
        """The same in float64, and the estimator that is fitted to it."""
        return np.asarray(y, dtype=np.float64), self._copy()

    def _batches(self, rows: int | Extent) -> tuple[int, int] | None:
        """The size of batches, and how many there are; nothing if all rows are one."""
        if self.batch_size is None:
            return None
        rows = known(rows, "batch_size=")
        if self.batch_size > rows:
            wrong(f"a batch of {self.batch_size} rows is more than there are, {rows}")
        return self.batch_size, rows // self.batch_size

    def _steps(self, parts: int) -> int:
        """How many steps there are, of so many batches."""
        return self.steps if self.epochs is None else self.epochs * parts

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Adds the training to the program.

        Args:
            X: Features, shape (rows, columns), best scaled to about -8..8.
            y: Targets, shape (rows).
            sample_weight: What each row counts, shape (rows): bits, which say whether it does, or numbers from 0, about one on average. All
                count one, unless it is said. How much they are together stays secret, so a step is as long as if all counted one.

        Raises `ShapeError`, `RangeError` and `ProgramError` at the line of the call. With `overflow="check"`, a weight that
        leaves `-coef_range..coef_range` in any step ends the run with `CheckFailed`, which everybody learns.
        """
        self._validate()
        X = features(X)
        y = self._target(X, y)
        columns, fraction = int(X.shape[-1]), self._fraction(X._node.fraction)
        weight = weighing(X, sample_weight)
        there = None if weight is None or weight._node.kind != "bit" else weight
        beside = self.fit_intercept and weight is None
        if there is None and weight is not None and self.fit_intercept:
            # The intercept is a weight of ones.
            X = xp.concat([X, xp.full((X.shape[0], 1), 1.0, dtype=Fixed(1, 1, X._node.fraction))], axis=1)
        elif there is not None:
            # A row of zeros adds nothing to gradients, nor to that of the intercept, which is a weight of ones.
            X = only(X, there)
            X = xp.concat([X, xp.expand_dims(to_fixed(there, X._node.fraction), axis=1)], axis=1) if self.fit_intercept else X
        batches = self._batches(X.shape[0])
        rows, parts = batches or (X.shape[0], 1)
        # Gradients are sums of rows of features times their weights.
        heavy = None if weight is None or there is not None else weighed(to_fixed(X, fraction), to_fixed(weight, fraction))
        if batches is not None:
            X, y = strided(X, batches[0], parts), strided(y, batches[0], parts)
            heavy = None if heavy is None else strided(heavy, batches[0], parts)
        rate = self.learning_rate / 2.0 ** power_above(most(rows))

        X, y = to_fixed(X, fraction), to_fixed(y, fraction)
        turned = X.mT if heavy is None else heavy.mT

        def step(weights: Array, i: Array) -> Array:
            x, target, across = (X, y, turned) if batches is None else (X[i % parts], y[i % parts], turned[i % parts])
            near = to_fixed(weights, fraction)
            score = x @ near[:columns] + near[columns] if beside else x @ near
            rest = self._residual(score, target)
            slope = to_fixed(across @ rest, _WEIGHTS)
            pull = self._pull(weights[:columns], rows, parts)
            if pull is not None:
                slope = slope + pull if beside or not self.fit_intercept else xp.concat([slope[:columns] + pull, slope[columns:]])
            if beside:
                # In one array with the others: what is done together takes rounds once.
                slope = xp.concat([slope, to_fixed(xp.sum(rest, axis=0, keepdims=True), _WEIGHTS)])
            return weights - slope * rate

        kept = Fixed(-self.coef_range, self.coef_range, _WEIGHTS)
        many = y.shape[X.ndim - 1 :]
        start = xp._filled(X._arena, (columns + self.fit_intercept, *many), 0)
        found = to_fixed(loop(self._steps(parts), step, start, keep=kept, overflow=self.overflow), FRACTION)
        self.coef_ = found[:columns].T if many else found[:columns]
        self.intercept_ = found[columns] if self.fit_intercept else xp.zeros(many)
        return self

    def _fraction(self, given: int) -> int:
        """How many bits behind the point scores have: as features, so that functions of all rows are of narrow numbers."""
        return given

    def reference(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The same training in float64: an estimator whose attributes and predictions are NumPy's.

        Args:
            X: Features as NumPy's array, shape (rows, columns).
            y: Targets, shape (rows).
            sample_weight: What each row counts, shape (rows).
        """
        self._validate()
        X, (y, found) = np.asarray(X, dtype=np.float64), self._clear_target(y)
        there = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        batches = self._batches(len(X))
        rows, parts = batches or (len(X), 1)
        if batches is not None:
            X, y, there = (strided(it, rows, parts) for it in (X, y, there))
        rate = self.learning_rate / 2.0 ** power_above(rows)
        many = y.shape[X.ndim - 1 :]
        coef, intercept = np.zeros((X.shape[-1], *many)), np.zeros(many)
        for i in range(self._steps(parts)):
            x, target, count = (X, y, there) if batches is None else (X[i % parts], y[i % parts], there[i % parts])
            rest = (self._residual(x @ coef + intercept, target).T * count).T
            if self.fit_intercept:
                intercept = intercept - rest.sum(axis=0) * rate
            pull = self._pull(coef, rows, parts)
            coef = coef - (x.T @ rest + (0.0 if pull is None else pull)) * rate
        found.coef_, found.intercept_ = coef.T, intercept
        return found


class LogisticRegression(_Gradient, OfKinds):
    """Logistic regression by gradient descent.

    It minimises what scikit-learn's does, the sum of the log losses plus `|coef|^2 / (2 C)`, by a given number of steps. A step
    is `learning_rate / 2^k` times the gradient of the sum, where `2^k` is the least power of two that is not less than the
    (greatest) number of rows: give rows in a narrow range. Steps of powers of two are exact.

    Of more than two classes, the loss is that of softmax, as scikit-learn's is, with weights for each class. On shares that costs fewer
    messages than telling each class from all others by an exact sigmoid, because exponentials of numbers below zero are a few products;
    in rounds it costs three to four times as much. With `sigmoid="three-pieces"` each class is told from all others, as by
    scikit-learn's `OneVsRestClassifier`: all classes step side by side, in the rounds of one, the fewest there are.

    The weights are secret until they are revealed. The program, which all parties see, says the shape of the data and these
    settings.

    Args:
        C: The inverse of the strength of the penalty on `coef_`; `None` for no penalty. The intercept has none.
        fit_intercept: Whether there is an intercept.
        steps: How many steps.
        epochs: How many times training goes through all rows, in place of `steps`: that many steps, or that many for each batch.
        learning_rate: The size of steps.
        batch_size: How many rows a step is on; all of them unless it is said. Batch `b` of `k` is the rows b, b + k, b + 2 k and
            so on, so that rows of several owners mix; the last `rows % batch_size` rows are left out.
        sigmoid: `"exact"`; or of two classes a number of right bits, 8 to 20, where 12 take half of its messages; or `"three-pieces"`: 0
            below -1/2, x + 1/2, 1 above 1/2, which takes a fifth of the messages and fits another, steeper model; of more than two
            classes a quarter of the rounds.
        coef_range: Weights stay within `-coef_range..coef_range` in every step.
        overflow: `"check"` verifies that in the run, and everybody learns that one bit; `"clip"` cuts weights off there, two
            comparisons in every step; `"promise"` takes your word.

    Attributes:
        coef_: Weights, shape (columns); of more than two classes, shape (classes, columns).
        intercept_: A single number, or one for each class.
        n_classes_: The number of classes, by the range of `y`: at most 32.
    """

    n_classes_: int

    def __init__(
        self,
        *,
        C: float | None = 1.0,
        fit_intercept: bool = True,
        steps: int = 100,
        epochs: int | None = None,
        learning_rate: float = 1.0,
        batch_size: int | None = None,
        sigmoid: str | int = "exact",
        coef_range: float = 16.0,
        overflow: str = "check",
    ) -> None:
        self.C, self.fit_intercept, self.steps, self.learning_rate = C, fit_intercept, steps, learning_rate
        self.epochs = epochs
        self.batch_size, self.sigmoid, self.coef_range, self.overflow = batch_size, sigmoid, coef_range, overflow

    def _validate(self) -> None:
        super()._validate()
        if not isinstance(self.sigmoid, int):
            one_of("sigmoid", self.sigmoid, ("exact", "three-pieces"))
        elif isinstance(self.sigmoid, bool) or not 8 <= self.sigmoid <= 20:
            wrong(f"sigmoid is a number of right bits from 8 to 20, 'exact' or 'three-pieces', not {self.sigmoid!r}")
        if self.C is not None:
            positive(C=self.C)

    def _target(self, X: Array, y: Array) -> Array:
        y, self.n_classes_ = classes(X, y, _MOST_CLASSES)
        if self.n_classes_ > 2 and isinstance(self.sigmoid, int):
            wrong(f"sigmoid={self.sigmoid} is of two classes, and there are {self.n_classes_}: leave it out, or take 'three-pieces'")
        bits = one_hot(y, self.n_classes_) if self.n_classes_ > 2 else y if y._node.kind == "bit" else xp.astype(y, Bool())
        return xp.astype(bits, Fixed(0, 1, FRACTION))

    def _clear_target(self, y: Any) -> tuple[Any, LogisticRegression]:
        y, found = np.asarray(y).astype(np.int64), self._copy()
        found.n_classes_ = max(int(y.max()) + 1, 2)
        return np.eye(found.n_classes_)[y] if found.n_classes_ > 2 else y.astype(np.float64), found

    def _chance(self, score: Any) -> Any:
        """Of one column of scores the probability of class 1; of several those of the classes, or of each one against the others."""
        if self.sigmoid == "three-pieces":
            return three_pieces(score)
        bits = self.sigmoid if isinstance(self.sigmoid, int) else None
        return sigmoid(score, bits) if len(score.shape) == 1 else softmax(score)

    def _residual(self, score: Any, y: Any) -> Any:
        return self._chance(score) - y

    def _fraction(self, given: int) -> int:
        # Comparisons of wider numbers are cheaper than dropping bits of weights, which takes as many rounds as two of them.
        return _WEIGHTS if self.sigmoid == "three-pieces" else given

    def _pull(self, coef: Any, rows: Any, parts: int) -> Any:
        by = None if self.C is None else 1 / (self.C * parts)
        return by if by is None else coef if by == 1 else coef * by

    def decision_function(self, X: Any) -> Any:
        """Scores `X @ coef_ + intercept_`, shape (rows): above zero for class 1. Of more than two classes, those of each class, shape
        (rows, classes)."""
        return self._score(X)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, shape (rows, classes).

        With `sigmoid="three-pieces"` those of more than two classes are of each one against the others, divided by their sum. Where
        that sum is below 2**-8, because no class claims a row, it counts as 2**-8.
        """
        chance = self._chance(self._score(X))
        if len(chance.shape) == 1:
            return namespace(chance).stack([1 - chance, chance], axis=1)
        if self.sigmoid != "three-pieces":
            return chance
        total = namespace(chance).maximum(chance.sum(axis=1)[:, None], _LEAST)
        if not isinstance(chance, Array):
            return chance / total
        # Each of the chances is in 0..1: the quotient is at most one, but for its rounding.
        return to_fixed(proven(chance * inverse(to_fixed(total, _WEIGHTS), _LEAST, self.n_classes_ + 1.0), 0, 1.01), FRACTION)

    def predict(self, X: Any) -> Any:
        """The class of each row, shape (rows): a truth value if there are two, and else the first one with the greatest score."""
        score = self._score(X)
        return score > 0 if len(score.shape) == 1 else namespace(score).argmax(score, axis=1)


class _LogLink(_Gradient, OfAmounts):
    """Positive targets whose logarithm's mean is linear."""

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        steps: int = 100,
        epochs: int | None = None,
        learning_rate: float = 0.5,
        batch_size: int | None = None,
        score_range: float = 4.0,
        coef_range: float = 16.0,
        overflow: str = "check",
    ) -> None:
        self.alpha, self.fit_intercept, self.steps, self.learning_rate = alpha, fit_intercept, steps, learning_rate
        self.epochs = epochs
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
        epochs: How many times training goes through all rows, in place of `steps`: that many steps, or that many for each batch.
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
