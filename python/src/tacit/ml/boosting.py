"""Boosted trees on binned features."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ..control import loop
from ..types import Fixed, Int
from ._common import (
    FRACTION,
    Estimator,
    Floats,
    OfAmounts,
    OfKinds,
    classes,
    counts,
    largest,
    namespace,
    one_hot,
    positive,
    proven,
    sigmoid,
    softmax,
    targets,
    truths,
    weighed,
    weighing,
    weighted_mean,
    whole,
    wrong,
)
from ._growth import Rule, bits_for, candidates, candidates_as, depth_of, grow, grow_clear, in_blocks, leaves, mean_of, units

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

# The least and, less one, the greatest part of a class that scores begin with.
_LEAST = 2.0**-8
_MOST_CLASSES = 16


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

    def _boost(self, X: Array, start: Array, y: Array, bound: float, counts_as: Array | None) -> None:
        """Grows the trees, one or one for each class in each iteration; scores lie in `-bound..bound` before the first ones."""
        rows, nodes, many = X.shape[0], 2**self.max_depth, int(y.shape[1])
        step = self._step(bound)
        size = bound + step * self.n_estimators

        def tree(score: Array, splits: Array, values: Array, t: Array) -> tuple[Array, Array, Array]:
            slope, weight, bits = self._gradients(score, y, counts_as, rows)
            unit = 1 if weight is None else 2**bits
            least, more = max(round(self.min_child_weight * unit), 1), round(self.l2_regularization * unit)
            grown = grow(X, xp.expand_dims(slope, axis=2), weight, Rule(self.max_depth, least, more, many))
            leaf = mean_of(grown.value, 0 if weight is not None else bits) * self.learning_rate
            leaf = xp.clip(leaf, -step, step)
            # A row is of one leaf of a tree: its value is within the step, and so many trees take as many steps.
            score = score + proven(grown.rows @ in_blocks(leaf), -step, step)
            return proven(score, -size, size), splits.at[t].set(grown.splits), values.at[t].set(leaf)

        nothing = [xp._filled(X._arena, (self.n_estimators, many, count), 0) for count in (nodes - 1, nodes)]
        keep = [Fixed(-size, size, FRACTION), Int(0, int(X.shape[1]) - 1), Fixed(-step, step, FRACTION)]
        self._candidates = int(X.shape[1])
        _, splits, values = loop(self.n_estimators, tree, xp.broadcast_to(start, (rows, many)), *nothing, keep=keep)
        self._keep(start, splits, values)

    def _keep(self, start: Any, splits: Any, values: Any) -> None:
        """What was learned: an axis for the trees of an iteration only if there are several."""
        if int(start.shape[0]) == 1:
            xs = namespace(splits)
            start, splits, values = start[0], xs.squeeze(splits, axis=1), xs.squeeze(values, axis=1)
        self.init_, self.splits_, self.values_ = start, splits, values

    def _step(self, bound: float) -> float:
        raise NotImplementedError

    def _gradients(self, score: Array, y: Array, counts_as: Array | None, rows: Any) -> tuple[Array, Array | None, int]:
        """Negative gradients and curvatures of rows times their weights, in units of `2**-bits`, and these bits."""
        raise NotImplementedError

    def _scores(self, X: Any) -> Any:
        """The sums of the trees, shape (rows), or (rows, classes) where an iteration has a tree for each."""
        splits, values, init = self._fitted("splits_"), self.values_, self.init_
        several = len(splits.shape) == 3
        if not several:
            xs = namespace(splits)
            init, splits, values = xs.reshape(xs.asarray(init), (1,)), xs.expand_dims(splits, axis=1), xs.expand_dims(values, axis=1)
        found = self._sums(X, init, splits, values)
        return found if several else found[:, 0]

    def _sums(self, X: Any, init: Any, splits: Any, values: Any) -> Any:
        if not isinstance(X, Array):
            return init + sum(leaves(X, splits[t], self.max_depth) @ in_blocks(values[t]) for t in range(self.n_estimators))
        X = candidates_as(X, self._candidates)
        step = largest(values)
        bound = largest(init) + step * self.n_estimators

        def add(score: Array, t: Array) -> Array:
            # As above: a row is of one leaf of each tree.
            score = score + proven(leaves(X, splits[t], self.max_depth) @ in_blocks(values[t]), -step, step)
            return proven(score, -bound, bound)

        start = xp.broadcast_to(init, (X.shape[0], int(splits.shape[1])))
        return loop(self.n_estimators, add, start, keep=Fixed(-bound, bound, FRACTION))

    def _clear(self, X: Any, y: Floats, start: Floats, bound: float, counts_as: Floats) -> Any:
        """The same in float64."""
        X, found = np.asarray(X), self._copy()
        score = np.broadcast_to(start, y.shape)
        rule = Rule(self.max_depth, self.min_child_weight, self.l2_regularization, y.shape[1])
        splits: list[Any] = []
        values: list[Any] = []
        for _ in range(self.n_estimators):
            slope, weight = (it * counts_as for it in self._slopes(score, y))
            grown = grow_clear(X, slope[:, :, None], weight, rule)
            leaf = np.clip(grown.value[:, :, 0] * self.learning_rate, -self._step(bound), self._step(bound))
            splits, values = [*splits, grown.splits], [*values, leaf]
            score = score + grown.rows @ in_blocks(leaf)
        found._keep(start, np.array(splits), np.array(values))
        return found

    def _slopes(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        raise NotImplementedError


def _ones(y: Any, sample_weight: Any) -> Floats:
    """Weights of rows in float64, shape (rows, 1)."""
    return np.ones((len(y), 1)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[:, None]


class GradientBoostingClassifier(_Boosting, OfKinds):
    """Boosted trees of classes, by Newton steps on the log loss, on candidate splits of `tc.ml.below`.

    A tree is grown as `DecisionTreeRegressor` is, with gradients and curvatures of 12 bits behind the point. All of it is one loop,
    and all trees are secret until they are revealed. The scores begin with the logarithms of the odds.

    Of two classes, an iteration is a tree. Of more, it has a tree for each class, and the loss is that of softmax, as in scikit-learn.
    These trees grow side by side: they take the rounds of one, and as many times its messages. Softmax takes fewer messages than a
    sigmoid for each class, and its 55 rounds more are little beside those of a tree.

    Args:
        n_estimators: How many iterations.
        learning_rate: What values of leaves are multiplied by.
        max_depth: How many levels of splits a tree has, 1 to 8.
        min_child_weight: The least sum of curvatures `p (1 - p)` on each side of a split.
        l2_regularization: What is added to that sum in quotients.
        max_step: Values of leaves, before `learning_rate`, lie within `-max_step..max_step`.

    Attributes:
        splits_: The candidate of each node of each tree, shape (iterations, 2**depth - 1); of more than two classes
            (iterations, classes, 2**depth - 1).
        values_: Values of leaves, shape (iterations, 2**depth) or (iterations, classes, 2**depth).
        init_: The score before the first tree, one number or one for each class.
        n_classes_: The number of classes, by the range of `y`.
    """

    n_classes_: int

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> GradientBoostingClassifier:
        """Adds the training to the program.

        Args:
            X: Candidate splits, shape (rows, candidates).
            y: Classes, `tc.Bool()` or whole numbers from 0 to at most 15, shape (rows).
            sample_weight: What each row counts, shape (rows): bits, which say whether it does, or numbers from 0. All count one, unless
                it is said.
        """
        self._validate()
        X = candidates(X)
        y, self.n_classes_ = classes(X, y, _MOST_CLASSES)
        weight = weighing(X, sample_weight)
        if self.n_classes_ == 2:
            y = xp.astype(xp.expand_dims(truths(X, y), axis=1), Fixed(0, 1, FRACTION))
            part = xp.clip(weighted_mean(y, weight), _LEAST, 1 - _LEAST)
            start = xp.log(part) - xp.log(1 - part)
        else:
            y = xp.astype(one_hot(y, self.n_classes_), Fixed(0, 1, FRACTION))
            part = xp.log(xp.clip(weighted_mean(y, weight), _LEAST, 1))
            start = part - xp.mean(part)
        self._boost(X, start, y, 8.0, weight)
        return self

    def _step(self, bound: float) -> float:
        return self.max_step * self.learning_rate

    def _gradients(self, score: Array, y: Array, counts_as: Array | None, rows: Any) -> tuple[Array, Array | None, int]:
        bits = bits_for(rows, 1.0 if counts_as is None else max(largest(counts_as), 1.0))
        chance = self._chance(score)
        many = int(chance.shape[1])
        if counts_as is None:
            return units(y - chance, bits), units(chance * (1 - chance), bits), bits
        # Side by side: what is multiplied together takes rounds once.
        both = units(weighed(xp.concat([y - chance, chance * (1 - chance)], axis=1), counts_as), bits)
        # Chances are from 0 to 1 but for their rounding, and so are curvatures above zero.
        return both[:, :many], xp.maximum(both[:, many:], 0), bits

    def _slopes(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        chance = self._chance(score)
        return y - chance, chance * (1 - chance)

    def _chance(self, score: Any) -> Any:
        """Probabilities of class 1 in one column, or of all classes."""
        return sigmoid(score) if int(score.shape[1]) == 1 else softmax(score)

    def decision_function(self, X: Any) -> Any:
        """Scores, shape (rows): above zero for class 1. Of more than two classes, shape (rows, classes): the greatest one says which."""
        return self._scores(X)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, shape (rows, classes)."""
        score = self._scores(X)
        if self.n_classes_ > 2:
            return softmax(score)
        chance = sigmoid(score)
        return namespace(chance).stack([1 - chance, chance], axis=1)

    def predict(self, X: Any) -> Any:
        """The class of each row, shape (rows): a truth value if there are two, and else the first of equally likely ones."""
        score = self._scores(X)
        return score > 0 if self.n_classes_ == 2 else namespace(score).argmax(score, axis=1)

    def reference(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingClassifier:
        """The same trees in float64, of candidates in NumPy, shape (rows, candidates). Nearly equal candidates may differ."""
        self._validate()
        y = np.asarray(y).astype(np.int64)
        kinds = max(int(y.max()) + 1, 2)
        y = np.eye(kinds)[y] if kinds > 2 else y[:, None].astype(np.float64)
        counts_as = _ones(y, sample_weight)
        part = np.clip((y * counts_as).sum(axis=0) / max(counts_as.sum(), 2.0**-20), _LEAST, 1 - _LEAST if kinds == 2 else 1)
        start = np.log(part) - np.log(1 - part) if kinds == 2 else np.log(part) - np.log(part).mean()
        found: GradientBoostingClassifier = self._clear(X, y, start, 8.0, counts_as)
        found.n_classes_ = kinds
        return found


class GradientBoostingRegressor(_Boosting, OfAmounts):
    """Boosted trees of numbers, by squared errors, on candidate splits of `tc.ml.below`.

    Settings and attributes are those of `GradientBoostingClassifier`; each row has the curvature 1, and `max_step` is in units of
    the range of the targets. The scores begin with the mean.
    """

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> GradientBoostingRegressor:
        """Adds the training to the program.

        Args:
            X: Candidate splits, shape (rows, candidates).
            y: Numbers, shape (rows).
            sample_weight: What each row counts, shape (rows): bits, which say whether it does, or numbers from 0. All count one, unless
                it is said.
        """
        self._validate()
        X = candidates(X)
        y = to_fixed(targets(X, y), FRACTION)
        y = xp.expand_dims(y, axis=1)
        weight = weighing(X, sample_weight)
        self._boost(X, weighted_mean(y, weight), y, max(largest(y), 1.0), weight)
        return self

    def _step(self, bound: float) -> float:
        return self.max_step * self.learning_rate * bound

    def _gradients(self, score: Array, y: Array, counts_as: Array | None, rows: Any) -> tuple[Array, Array | None, int]:
        rest = weighed(y - score, counts_as)
        bits = bits_for(rows, max(largest(rest), 1.0 if counts_as is None else largest(counts_as)))
        return units(rest, bits), None if counts_as is None else units(xp.expand_dims(whole(counts_as), axis=1), bits), bits

    def _slopes(self, score: Floats, y: Floats) -> tuple[Floats, Floats]:
        return y - score, np.ones(y.shape)

    def predict(self, X: Any) -> Any:
        """The sum of the trees, shape (rows)."""
        return self._scores(X)

    def reference(self, X: Any, y: Any, sample_weight: Any = None) -> GradientBoostingRegressor:
        """The same trees in float64, of candidates in NumPy, shape (rows, candidates). Nearly equal candidates may differ."""
        self._validate()
        y = np.asarray(y, dtype=np.float64)[:, None]
        counts_as = _ones(y, sample_weight)
        start = (y * counts_as).sum(axis=0) / max(counts_as.sum(), 2.0**-20)
        found: GradientBoostingRegressor = self._clear(X, y, start, float(max(np.abs(y).max(), 1.0)), counts_as)
        return found
