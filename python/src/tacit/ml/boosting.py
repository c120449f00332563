"""Boosted trees on binned features."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ..control import loop
from ..errors import ShapeError
from ..types import Fixed, Int
from ._common import FRACTION, Estimator, Floats, counts, largest, namespace, positive, proven, sigmoid, targets, truths, wrong
from ._growth import bits_for, candidates, depth_of, grow, grow_clear, leaves, mean_of, units

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

# The least and, less one, the greatest part of class 1 that scores begin with.
_LEAST = 2.0**-8


class _Boosting(Estimator):
    """A sum of trees, each grown on the gradient of the loss at the sum of those before."""

    splits_: Any
    values_: Any
    init_: Any
    _candidates = 0

    def __init__(
        self,
        *,
        n_estimators: int = 20,
        learning_rate: float = 0.25,
        max_depth: int = 3,
        min_child_weight: float = 1.0,
        l2_regularization: float = 1.0,
        max_step: float = 4.0,
    ) -> None:
        self.n_estimators, self.learning_rate, self.max_depth = n_estimators, learning_rate, max_depth
        self.min_child_weight, self.l2_regularization, self.max_step = min_child_weight, l2_regularization, max_step

    def _validate(self) -> None:
        depth_of(self.max_depth)
        counts(n_estimators=self.n_estimators)
        positive(learning_rate=self.learning_rate, min_child_weight=self.min_child_weight, max_step=self.max_step)
        if not self.l2_regularization >= 0:
            wrong(f"l2_regularization is a public number from 0, not {self.l2_regularization!r}")

    def _boost(self, X: Array, start: Array, y: Array, bound: float) -> None:
        """Grows the trees; scores lie in `-bound..bound` before the first one."""
        rows, nodes = X.shape[0], 2**self.max_depth
        step = self._step(bound)
        size = bound + step * self.n_estimators

        def tree(score: Array, splits: Array, values: Array, t: Array) -> tuple[Array, Array, Array]:
            slope, weight, bits = self._gradients(score, y, rows)
            more, least = self.l2_regularization, self.min_child_weight
            unit = 1 if weight is None else 2**bits
            grown = grow(X, xp.expand_dims(slope, axis=1), weight, self.max_depth, max(round(least * unit), 1), round(more * unit))
            leaf = mean_of(grown, 0 if weight is not None else bits) * self.learning_rate
            leaf = xp.clip(leaf, -step, step)
            # A row is of one leaf: its value is within the step, and so many trees take as many steps.
            score = score + proven(grown.rows @ leaf, -step, step)
            return proven(score, -size, size), splits.at[t].set(grown.splits), values.at[t].set(leaf)

        nothing = xp._filled(X._arena, (self.n_estimators, nodes - 1), 0), xp._filled(X._arena, (self.n_estimators, nodes), 0)
        keep = [Fixed(-size, size, FRACTION), Int(0, int(X.shape[1]) - 1), Fixed(-step, step, FRACTION)]
        scores = xp.broadcast_to(start, (rows,))
        self.init_, self._candidates = start, int(X.shape[1])
        _, self.splits_, self.values_ = loop(self.n_estimators, tree, scores, *nothing, keep=keep)

    def _step(self, bound: float) -> float:
        raise NotImplementedError

    def _gradients(self, score: Array, y: Array, rows: Any) -> tuple[Array, Array | None, int]:
        """Negative gradients and curvatures of rows as whole numbers, and how many bits these have behind the point."""
        raise NotImplementedError

    def _scores(self, X: Any) -> Any:
        """The sum of the trees, shape (rows)."""
        splits = self._fitted("splits_")
        if not isinstance(X, Array):
            return self.init_ + sum(leaves(X, splits[t], self.max_depth) @ self.values_[t] for t in range(self.n_estimators))
        X = candidates(X)
        if X.shape[1] != self._candidates:
            wrong(f"this was fitted with {self._candidates} candidate splits, and these are {X.shape[1]}", ShapeError)
        step = largest(self.values_)
        bound = largest(self.init_) + step * self.n_estimators

        def add(score: Array, t: Array) -> Array:
            # As above: a row is of one leaf of each tree.
            score = score + proven(leaves(X, splits[t], self.max_depth) @ self.values_[t], -step, step)
            return proven(score, -bound, bound)

        start = xp.broadcast_to(self.init_, (X.shape[0],))
        return loop(self.n_estimators, add, start, keep=Fixed(-bound, bound, FRACTION))

    def _clear(self, X: Any, y: Any, start: float, bound: float) -> Any:
        """The same in float64."""
        X, found = np.asarray(X), self._copy()
        score = np.full(len(X), start)
        splits: list[Any] = []
        values: list[Any] = []
        for _ in range(self.n_estimators):
            slope, weight = self._slopes(score, y)
            grown = grow_clear(X, slope[:, None], weight, self.max_depth, self.min_child_weight, self.l2_regularization)
            leaf = np.clip(grown.value[:, 0] * self.learning_rate, -self._step(bound), self._step(bound))
            splits, values = [*splits, grown.splits], [*values, leaf]
            score = score + grown.rows @ leaf
        found.init_, found.splits_, found.values_ = start, np.array(splits), np.array(values)
        return found

    def _slopes(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        raise NotImplementedError


class GradientBoostingClassifier(_Boosting):
    """Boosted trees of two classes, by Newton steps on the log loss, on candidate splits of `tc.ml.below`.

    A tree is grown as `DecisionTreeRegressor` is, with gradients and curvatures of 12 bits behind the point. The trees are an
    iteration of one loop; all of them are secret until they are revealed. The scores begin with the logarithm of the odds.

    Args:
        n_estimators: How many trees.
        learning_rate: What values of leaves are multiplied by.
        max_depth: How many levels of splits a tree has, 1 to 8.
        min_child_weight: The least sum of curvatures `p (1 - p)` on each side of a split.
        l2_regularization: What is added to that sum in quotients.
        max_step: Values of leaves, before `learning_rate`, lie within `-max_step..max_step`.

    Attributes:
        splits_: The candidate of each node of each tree, shape (trees, 2**depth - 1).
        values_: Values of leaves, shape (trees, 2**depth).
        init_: The score before the first tree.
    """

    def fit(self, X: Array, y: Array) -> GradientBoostingClassifier:
        """Adds the training to the program.

        Args:
            X: Candidate splits, shape (rows, candidates).
            y: Classes 0 and 1, shape (rows).
        """
        self._validate()
        X = candidates(X)
        y = xp.astype(truths(X, y), Fixed(0, 1, FRACTION))
        part = xp.clip(xp.mean(y, axis=0), _LEAST, 1 - _LEAST)
        self._boost(X, xp.log(part) - xp.log(1 - part), y, 8.0)
        return self

    def _step(self, bound: float) -> float:
        return self.max_step * self.learning_rate

    def _gradients(self, score: Array, y: Array, rows: Any) -> tuple[Array, Array | None, int]:
        bits = bits_for(rows, 1.0)
        chance = sigmoid(score)
        return units(y - chance, bits), units(chance * (1 - chance), bits), bits

    def _slopes(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        chance = sigmoid(score)
        return y - chance, chance * (1 - chance)

    def decision_function(self, X: Any) -> Any:
        """Scores, shape (rows): above zero for class 1."""
        return self._scores(X)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of class 0 and class 1, shape (rows, 2)."""
        chance = sigmoid(self._scores(X))
        return namespace(chance).stack([1 - chance, chance], axis=1)

    def predict(self, X: Any) -> Any:
        """Class 1 or 0 of each row, as a truth value, shape (rows)."""
        return self._scores(X) > 0

    def reference(self, X: Any, y: Any) -> GradientBoostingClassifier:
        """The same trees in float64, of candidates in NumPy, shape (rows, candidates). Nearly equal candidates may differ."""
        self._validate()
        y = np.asarray(y, dtype=np.float64)
        part = np.clip(y.mean(), _LEAST, 1 - _LEAST)
        found: GradientBoostingClassifier = self._clear(X, y, float(np.log(part) - np.log(1 - part)), 8.0)
        return found


class GradientBoostingRegressor(_Boosting):
    """Boosted trees of numbers, by squared errors, on candidate splits of `tc.ml.below`.

    Settings and attributes are those of `GradientBoostingClassifier`; each row has the curvature 1, and `max_step` is in units of
    the range of the targets. The scores begin with the mean.
    """

    def fit(self, X: Array, y: Array) -> GradientBoostingRegressor:
        """Adds the training to the program.

        Args:
            X: Candidate splits, shape (rows, candidates).
            y: Numbers, shape (rows).
        """
        self._validate()
        X = candidates(X)
        y = to_fixed(targets(X, y), FRACTION)
        self._boost(X, xp.mean(y, axis=0), y, max(largest(y), 1.0))
        return self

    def _step(self, bound: float) -> float:
        return self.max_step * self.learning_rate * bound

    def _gradients(self, score: Array, y: Array, rows: Any) -> tuple[Array, Array | None, int]:
        rest = y - score
        bits = bits_for(rows, largest(rest))
        return units(rest, bits), None, bits

    def _slopes(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        return y - score, np.ones(len(y))

    def predict(self, X: Any) -> Any:
        """The sum of the trees, shape (rows)."""
        return self._scores(X)

    def reference(self, X: Any, y: Any) -> GradientBoostingRegressor:
        """The same trees in float64, of candidates in NumPy, shape (rows, candidates). Nearly equal candidates may differ."""
        self._validate()
        y = np.asarray(y, dtype=np.float64)
        found: GradientBoostingRegressor = self._clear(X, y, float(y.mean()), float(max(np.abs(y).max(), 1.0)))
        return found
