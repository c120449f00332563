"""Random forests on binned features."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from .. import xp
from ..array import Array, Extent, to_fixed
from ..errors import RangeError, ShapeError
from ._common import FINE, FRACTION, counts, known, largest, most, namespace, proven, wrong
from ._growth import Rule, Sizes, Trees, candidates_as, constants, depth_of, grow, grow_clear, leaves
from .trees import Grown, OfClasses, OfNumbers

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]

_MOST_TREES = 512
# Numbers of drawn rows that a program holds.
_MOST_DRAWN = 2**20
# Numbers of a level of trees that grow side by side: what they take is a few times 128 MiB.
_SIDE_BY_SIDE = 2**24


class _Forest(Grown):
    """Trees of drawn rows whose nodes look at drawn columns."""

    def __init__(
        self,
        *,
        n_estimators: int = 20,
        max_depth: int = 4,
        min_samples_leaf: int = 1,
        max_features: float | str | None = "sqrt",
        edges: int = 1,
        bootstrap: bool = True,
        random_state: int = 0,
    ) -> None:
        self.n_estimators, self.max_depth, self.min_samples_leaf = n_estimators, max_depth, min_samples_leaf
        self.max_features, self.edges, self.bootstrap, self.random_state = max_features, edges, bootstrap, random_state

    def _validate(self) -> None:
        depth_of(self.max_depth)
        counts(n_estimators=self.n_estimators, min_samples_leaf=self.min_samples_leaf, edges=self.edges)
        if self.n_estimators > _MOST_TREES:
            wrong(f"a forest has at most {_MOST_TREES} trees, not {self.n_estimators}")
        if isinstance(self.random_state, bool) or not isinstance(self.random_state, (int, np.integer)) or self.random_state < 0:
            wrong(f"random_state is a whole number from 0, which is public, not {self.random_state!r}")

    def _looks(self, count: int) -> tuple[int, int]:
        """How many columns there are, and how many of them a node looks at."""
        if count % self.edges:
            what = f"{count} candidate splits are no whole number of columns of edges={self.edges} each"
            wrong(f"{what}: say how many edges each column has", ShapeError)
        columns, given = count // self.edges, self.max_features
        if given is None:
            return columns, columns
        if given == "sqrt":
            return columns, max(int(columns**0.5), 1)
        whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool) and 1 <= given <= columns
        part = isinstance(given, (float, np.floating)) and 0 < given <= 1
        if not whole and not part:
            what = "a number of columns, a part of them above 0 and at most 1.0, or None for all of them"
            wrong(f'max_features is "sqrt", {what}, not {given!r} of {columns}')
        return columns, int(given) if whole else max(int(given * columns), 1)

    def _drawn(self, trees: range, rows: int | None, count: int) -> tuple[Any, list[Any] | None]:
        """How often each row is drawn for each tree, shape (rows, trees), and the columns of each level's nodes; nothing if all count."""
        columns, looks = self._looks(count)
        often: list[Any] = []
        seen: list[list[Any]] = [[] for _ in range(self.max_depth)]
        for tree in trees:
            # By tree: which trees grow side by side makes no difference.
            rng = np.random.default_rng([self.random_state, tree])
            if rows is not None:
                often.append(np.bincount(rng.integers(0, rows, rows), minlength=rows))
            for level in range(self.max_depth):
                order = rng.permuted(np.tile(np.arange(columns), (2**level, 1)), axis=1)
                seen[level].append(np.sort(order[:, :looks], axis=1))
        by_level = [np.concatenate(it) for it in seen]
        return np.stack(often, axis=1) if often else None, by_level if looks < columns else None

    def _rule(self, trees: int, columns: list[Any] | None, unit: int = 1) -> Rule:
        return Rule(self.max_depth, self.min_samples_leaf * unit, 0, trees, self.edges, columns)

    def _groups(self, rows: int | Extent, statistics: int) -> list[range]:
        """Trees that grow side by side: as many as memory is meant for, and about equally many each time."""
        many = max(_SIDE_BY_SIDE // (max(most(rows), 1) * 2 ** (self.max_depth - 1) * (statistics + 1)), 1)
        times = -(-self.n_estimators // many)
        ends = [self.n_estimators * i // times for i in range(times + 1)]
        return [range(*it) for it in pairwise(ends)]

    def _grown(self, X: Array, statistics: Array, weight: Array | None, unit: int) -> Array:
        rows, count = X.shape[0], int(X.shape[1])
        drawn = known(rows, "bootstrap=True") if self.bootstrap else None
        if drawn is not None and drawn * self.n_estimators > _MOST_DRAWN:
            what = f"{self.n_estimators} draws of {drawn} rows are more numbers than a program takes, {_MOST_DRAWN}"
            wrong(f"{what}: fewer trees, or bootstrap=False, where columns alone are drawn", RangeError)
        first = xp.expand_dims(statistics, axis=1)
        # As many rows are drawn as there are.
        sizes = Sizes(most(rows) * largest(statistics), most(rows) * (1 if weight is None else largest(weight)))
        found: list[Trees] = []
        for group in self._groups(rows, int(statistics.shape[1])):
            often, columns = self._drawn(group, drawn, count)
            drawn_of = None if often is None else constants(often)
            own = first if drawn_of is None else first * xp.expand_dims(drawn_of, axis=2)
            counted = drawn_of
            if weight is not None:
                each = xp.expand_dims(weight, axis=1)
                counted = each if drawn_of is None else each * drawn_of
            found.append(grow(X, own, counted, self._rule(len(group), columns, unit), sizes))
        self._candidates = count
        self.splits_ = xp.concat([it.splits for it in found])
        return xp.concat([it.value for it in found])

    def _grown_clear(self, X: Any, statistics: Any, weight: Any) -> Any:
        X = np.asarray(X)
        often, columns = self._drawn(range(self.n_estimators), len(X) if self.bootstrap else None, X.shape[1])
        counted = np.repeat(weight[:, None], self.n_estimators, axis=1) if often is None else often * weight[:, None]
        trees = grow_clear(X, statistics[:, None] * counted[:, :, None], counted, self._rule(self.n_estimators, columns))
        self.splits_ = trees.splits
        return trees.value

    def _sum(self, X: Any, values: Any) -> Any:
        """Sums over all trees of the values of rows' leaves, shape (rows, statistics), of values by tree, leaf and statistic."""
        splits = self._fitted("splits_")
        if not isinstance(X, Array):
            return leaves(X, splits, self.max_depth) @ values.reshape(-1, values.shape[2])
        X = candidates_as(X, self._candidates)
        size, total = largest(values), None
        for group in self._groups(X.shape[0], 1):
            own = slice(group.start, group.stop)
            flat = xp.reshape(values[own], (len(group) * int(values.shape[1]), int(values.shape[2])))
            # A row is of one leaf of each tree.
            part = proven(leaves(X, splits[own], self.max_depth) @ flat, -size * len(group), size * len(group))
            total = part if total is None else total + part
        return total

    def _mean(self, X: Any, values: Any) -> Any:
        """The mean over all trees, as `_sum`."""
        total = self._sum(X, values)
        if not isinstance(total, Array):
            return total / self.n_estimators
        return to_fixed(to_fixed(total, FINE) * _inverse(self.n_estimators), FRACTION)


def _inverse(number: int) -> float:
    """One divided by a number, with the bits of a fine constant."""
    return float(math.floor(2**FINE / number + 0.5)) / float(2**FINE)


class RandomForestClassifier(OfClasses, _Forest):
    """A random forest of classes, on candidate splits of `tc.ml.below`: the mean of trees as those of `DecisionTreeClassifier`.

    Each tree is of rows that are drawn with replacement, as many as there are, and each of its nodes looks at some columns alone.
    **What is drawn is public**: it follows from `random_state`, the number of rows and the number of columns, is part of the program,
    and tells nothing of anybody's values. Splits and leaves are secret until they are revealed.

    All trees grow side by side: a forest takes the rounds of one tree, and messages for all. Nodes that look at fewer columns have
    fewer divisions, which are most of the messages. Under a given memory large forests grow in several groups.

    Args:
        n_estimators: How many trees, at most 512.
        max_depth: How many levels of splits a tree has, 1 to 8.
        min_samples_leaf: The fewest rows on each side of a split, drawn ones as often as they were drawn. Where no candidate leaves so
            many, the first one is taken.
        max_features: How many columns a node looks at: a number, a part of them, `"sqrt"` or `None` for all.
        edges: How many candidates each column has, as `tc.ml.below` puts them next to each other: `edges.shape[1]`. With 1, candidates
            are drawn one by one.
        bootstrap: Whether rows are drawn; otherwise each tree is of all rows.
        random_state: The seed, which the parties agree to with the program.

    Attributes:
        splits_: The candidate of each node, level by level, shape (trees, 2**depth - 1).
        values_: Parts of the classes in each leaf, shape (trees, 2**depth, classes).
        n_classes_: The number of classes, by the range of `y`.
    """

    def predict_proba(self, X: Any) -> Any:
        """Means over the trees of the parts of the classes in the leaf of each row, shape (rows, classes)."""
        return self._mean(X, self._fitted("values_"))

    def predict(self, X: Any) -> Any:
        """The class with the greatest mean, the first of several, shape (rows)."""
        total = self._sum(X, self._fitted("values_"))
        return namespace(total).argmax(total, axis=1)


class RandomForestRegressor(OfNumbers, _Forest):
    """A random forest of numbers, on candidate splits of `tc.ml.below`: the mean of trees as those of `DecisionTreeRegressor`.

    What is drawn, what is public and what it costs are as for `RandomForestClassifier`. scikit-learn's forests of numbers look at all
    columns unless it is said: that is `max_features=None`.

    Args:
        n_estimators: How many trees, at most 512.
        max_depth: How many levels of splits a tree has, 1 to 8.
        min_samples_leaf: The fewest rows on each side of a split, drawn ones as often as they were drawn.
        max_features: How many columns a node looks at, as for `RandomForestClassifier`.
        edges: How many candidates each column has, as for `RandomForestClassifier`.
        bootstrap: Whether rows are drawn; otherwise each tree is of all rows.
        random_state: The seed, which the parties agree to with the program.

    Attributes:
        splits_: The candidate of each node, level by level, shape (trees, 2**depth - 1).
        values_: Means of leaves, shape (trees, 2**depth).
    """

    def predict(self, X: Any) -> Any:
        """The mean over the trees of the leaf of each row, shape (rows)."""
        return self._mean(X, self._fitted("values_")[:, :, None])[:, 0]
