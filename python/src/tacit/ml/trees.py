"""Decision trees and boosted trees on binned features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ..errors import ShapeError
from ..types import Int
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
    proven,
    targets,
    weighed,
    weighing,
    wrong,
)
from ._growth import Rule, bits_for, candidates, candidates_as, depth_of, grow, grow_clear, leaves, mean_of, units, whole_weights

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "below",
    "quantile_edges",
]

_MOST_EDGES = 31
_MOST_CLASSES = 16


def quantile_edges(X: Any, bins: int = 16) -> Floats:
    """Edges between bins of about equally many rows of features in NumPy, shape (columns, bins - 1).

    Edges are public, and say what the quantiles of these rows are: take them of data that may be seen, or round them.
    """
    counts(bins=bins)
    if not 2 <= bins <= _MOST_EDGES + 1:
        wrong(f"bins are 2 to {_MOST_EDGES + 1}, not {bins}")
    found: Floats = np.quantile(np.asarray(X, dtype=np.float64), np.arange(1, bins) / bins, axis=0).T
    return found


def below(x: Any, edges: Any) -> Any:
    """Candidate splits: whether each feature is at most each edge of its column, shape (rows, columns * edges).

    Of an array of one party, that party computes them alone: call it for each owner's array, and put the results together by
    `tc.concat`, along axis 0 for rows and along axis 1 for columns of several owners. Candidate `c` is edge `c % edges` of column
    `c // edges`.

    Under protocols that notice cheats, what a party could compute alone is computed on shares. Comparisons are dear there: give
    the candidates as inputs, of `tc.Int(0, 1)`, which this function makes of NumPy's arrays too.

    Args:
        x: Features, shape (rows, columns).
        edges: Public numbers, shape (columns, edges), at most 31 for each column.
    """
    edges = np.asarray(edges, dtype=np.float64)
    if edges.ndim != 2 or not 1 <= edges.shape[1] <= _MOST_EDGES or len(x.shape) != 2 or x.shape[1] != edges.shape[0]:
        message = f"edges are public numbers of shape (columns, edges), at most {_MOST_EDGES} for each column"
        wrong(f"{message}: {edges.shape} does not go with features of shape {tuple(x.shape)}", ShapeError)
    if not isinstance(x, Array):
        return (np.asarray(x)[:, :, None] <= edges).reshape(len(x), edges.size)
    bits = xp.expand_dims(x, axis=2) <= np.round(edges, 9)
    return xp.reshape(xp.astype(bits, Int(0, 1)), (x.shape[0], edges.size))


class Grown(Estimator):
    """What trees and forests have in common: they grow by statistics of rows, and leaves have means of these."""

    splits_: Any
    values_: Any
    _candidates = 0

    def _validate(self) -> None:
        raise NotImplementedError

    def _grown(self, X: Array, statistics: Array, weight: Array | None, unit: int) -> Array:
        """Grows by whole statistics of rows, shape (rows, statistics): values of leaves, statistics along the last axis.

        Statistics are those of rows times their whole weights, shape (rows), of which `unit` are one.
        """
        raise NotImplementedError

    def _grown_clear(self, X: Any, statistics: Any, weight: Any) -> Any:
        """The same in float64, of statistics of rows without their weights."""
        raise NotImplementedError


def _ones(y: Any, sample_weight: Any) -> Floats:
    """Weights of rows in float64."""
    return np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)


class OfClasses(Grown, OfKinds):
    """By counts of classes."""

    n_classes_: int

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Adds the training to the program. Nothing can overflow.

        Args:
            X: Candidate splits, shape (rows, candidates). Forests need a known number of rows, unless `bootstrap=False`.
            y: Classes, `tc.Bool()` or whole numbers from 0 to at most 15, shape (rows).
            sample_weight: What each row counts, shape (rows): bits, which say whether it does, or numbers from 0. All count one, unless
                it is said. Those with a fraction are rounded down to as many bits behind the point as their sums have room for.

        Raises `ShapeError`, `RangeError` and `ProgramError` at the line of the call.
        """
        self._validate()
        X = candidates(X)
        y, self.n_classes_ = classes(X, y, _MOST_CLASSES)
        kinds, weight, unit = one_hot(y, self.n_classes_), weighing(X, sample_weight), 1
        if weight is None:
            bits_for(X.shape[0], 1.0)
            statistics = xp.astype(kinds, Int(0, 1))
        elif weight._node.kind == "bit":
            statistics = xp.astype(kinds & xp.expand_dims(weight, axis=1), Int(0, 1))
            weight, _ = whole_weights(weight, X.shape[0])
        else:
            weight, bits = whole_weights(weight, X.shape[0])
            statistics, unit = xp.where(kinds, xp.expand_dims(weight, axis=1), 0), 2**bits
        self.values_ = to_fixed(self._grown(X, statistics, weight, unit), FRACTION)
        return self

    def reference(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The same in float64, of candidates in NumPy, shape (rows, candidates). Nearly equal candidates may differ."""
        self._validate()
        y, found = np.asarray(y).astype(np.int64), self._copy()
        found.n_classes_ = max(int(y.max()) + 1, 2)
        found.values_ = found._grown_clear(X, np.eye(found.n_classes_)[y], _ones(y, sample_weight))
        return found


class OfNumbers(Grown, OfAmounts):
    """By sums of numbers."""

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Adds the training to the program. Nothing can overflow.

        Args:
            X: Candidate splits, shape (rows, candidates). Forests need a known number of rows, unless `bootstrap=False`.
            y: Numbers, shape (rows).
            sample_weight: What each row counts, shape (rows): bits, which say whether it does, or numbers from 0. All count one, unless
                it is said. Those with a fraction are rounded down to as many bits behind the point as their sums have room for.

        Raises `ShapeError`, `RangeError` and `ProgramError` at the line of the call.
        """
        self._validate()
        X = candidates(X)
        weight, unit = weighing(X, sample_weight), 0
        y = targets(X, y)
        low, high = y.range
        y = weighed(y, weight)
        bits = bits_for(X.shape[0], largest(y))
        if weight is not None:
            weight, unit = whole_weights(weight, X.shape[0])
        statistics = xp.expand_dims(units(y, bits), axis=1)
        means = mean_of(self._grown(X, statistics, weight, 2**unit), bits - unit)
        # Means of targets that were rounded down, zero of no rows, or a sum of rounded products over rounded weights.
        slack = 1.0 if weight is None else 1.0 + 2 * max(abs(low), abs(high))
        self.values_ = proven(means, min(low, 0) - slack, max(high, 0) + slack)
        return self

    def reference(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The same in float64, of candidates in NumPy, shape (rows, candidates). Nearly equal candidates may differ."""
        self._validate()
        y, found = np.asarray(y, dtype=np.float64), self._copy()
        found.values_ = found._grown_clear(X, y[:, None], _ones(y, sample_weight))[..., 0]
        return found


class _Tree(Grown):
    """A single tree."""

    def __init__(self, *, max_depth: int = 3, min_samples_leaf: int = 1) -> None:
        self.max_depth, self.min_samples_leaf = max_depth, min_samples_leaf

    def _validate(self) -> None:
        depth_of(self.max_depth)
        counts(min_samples_leaf=self.min_samples_leaf)

    def _leaves(self, X: Any) -> Any:
        splits = self._fitted("splits_")
        if isinstance(X, Array):
            X = candidates_as(X, self._candidates)
        return leaves(X, namespace(splits).expand_dims(splits, axis=0), self.max_depth)

    def _grown(self, X: Array, statistics: Array, weight: Array | None, unit: int) -> Array:
        weight = None if weight is None else xp.expand_dims(weight, axis=1)
        tree = grow(X, xp.expand_dims(statistics, axis=1), weight, Rule(self.max_depth, self.min_samples_leaf * unit))
        self.splits_, self._candidates = tree.splits[0], int(X.shape[1])
        value: Array = tree.value[0]
        return value

    def _grown_clear(self, X: Any, statistics: Any, weight: Any) -> Any:
        weight = weight[:, None]
        tree = grow_clear(np.asarray(X), (statistics * weight)[:, None], weight, Rule(self.max_depth, self.min_samples_leaf))
        self.splits_ = tree.splits[0]
        return tree.value[0]


class DecisionTreeClassifier(OfClasses, _Tree):
    """A decision tree of classes, by Gini impurity, on candidate splits of `tc.ml.below`.

    All nodes of a level are split at once: the counts on the left of all candidates are one product of matrices, the impurities
    two divisions for each candidate and node, and the best one is found by comparisons. The tree is complete: nodes that are
    pure are split too. Only its depth and the candidates are public; splits and leaves are secret until they are revealed.

    Args:
        max_depth: How many levels of splits there are, 1 to 8.
        min_samples_leaf: The fewest rows on each side of a split, by their weights. Where no candidate leaves so many, the first one is
            taken.

    Attributes:
        splits_: The candidate of each node, level by level, shape (2**depth - 1): below the edge, rows go to the left.
        values_: Parts of the classes in each leaf, shape (2**depth, classes).
        n_classes_: The number of classes, by the range of `y`.
    """

    def predict_proba(self, X: Any) -> Any:
        """Parts of the classes in the leaf of each row, shape (rows, classes)."""
        return self._leaves(X) @ self.values_

    def predict(self, X: Any) -> Any:
        """The most frequent class in the leaf of each row, the first of several, shape (rows)."""
        rows = self._leaves(X)
        kinds = namespace(self.values_).argmax(self.values_, axis=1)
        # A row is of one leaf.
        return proven(rows @ kinds, 0, self.n_classes_ - 1) if isinstance(rows, Array) else kinds[rows.argmax(axis=1)]


class DecisionTreeRegressor(OfNumbers, _Tree):
    """A decision tree of numbers, by squared errors, on candidate splits of `tc.ml.below`.

    It grows as `DecisionTreeClassifier` does, with sums of targets in place of counts. Targets are rounded down to as many bits
    behind the point as their sums have room for, at most 12.

    Args:
        max_depth: How many levels of splits there are, 1 to 8.
        min_samples_leaf: The fewest rows on each side of a split, by their weights. Where no candidate leaves so many, the first one is
            taken.

    Attributes:
        splits_: The candidate of each node, level by level, shape (2**depth - 1).
        values_: Means of leaves, shape (2**depth).
    """

    def predict(self, X: Any) -> Any:
        """The mean of the leaf of each row, shape (rows)."""
        found = self._leaves(X) @ self.values_
        # A row is of one leaf.
        return proven(found, -largest(self.values_), largest(self.values_)) if isinstance(found, Array) else found
