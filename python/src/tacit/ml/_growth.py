"""How trees grow on candidate splits, with secret rows, secret splits and a public depth.

All numbers are whole, so that sums and comparisons are exact. A tree is complete: each node of a level has a split. The rows of a
node are bits, and what goes to the left is a product of these with one column of the candidates, which a one-hot vector chooses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import xp
from ..array import Array, Extent, divide, to_fixed
from ..errors import RangeError, ShapeError
from ..types import Int
from ._common import FRACTION, largest, most, power_above, proven, wrong

_NUMBER = Int(0, 1)
# Bits of squared sums: the rest of 64 is behind the point of quotients, and the sign.
_SQUARES = 52
_MOST_DEPTH = 8
_MOST_CANDIDATES = 4096


@dataclass
class Tree:
    """A grown tree.

    Attributes:
        splits: The candidate of each node, level by level, shape (2**depth - 1).
        value: Sums of statistics over weights, of the rows of each leaf; of an empty leaf, that of the nearest node above with rows.
            Shape (leaves, statistics).
        rows: Which rows are of which leaf, shape (rows, leaves).
    """

    splits: Any
    value: Any
    rows: Any


def candidates(X: Any) -> Array:
    """Candidate splits of rows, as numbers 0 and 1."""
    if not isinstance(X, Array) or X.ndim != 2 or isinstance(X.shape[1], Extent):
        wrong("candidate splits are an array of the parties, shape (rows, candidates): tc.ml.below(x, edges)", ShapeError)
    low, high = X.range
    if X._node.kind == "fixed" or low < 0 or high > 1:
        wrong(f"candidate splits are 0 or 1, and these may be anything in {low}..{high}: tc.ml.below(x, edges) makes them", RangeError)
    if X.shape[1] > _MOST_CANDIDATES:
        wrong(f"at most {_MOST_CANDIDATES} candidate splits, and these are {X.shape[1]}: take fewer edges for each column")
    return xp.astype(X, _NUMBER) if X._node.kind == "bit" else X


def depth_of(depth: int) -> None:
    """A depth that trees may have."""
    if isinstance(depth, bool) or not isinstance(depth, (int, np.integer)) or not 1 <= depth <= _MOST_DEPTH:
        wrong(f"max_depth is a whole number from 1 to {_MOST_DEPTH}, not {depth!r}")


def bits_for(rows: int | Extent, size: float) -> int:
    """How many bits behind the point statistics may have whose sizes are so: their sums are squared. At most 12."""
    bits = min(_SQUARES // 2 - power_above(max(most(rows), 1) * size), 12)
    if bits < 0:
        wrong(f"sums of {most(rows)} numbers up to {size} are too large to be squared: scale the targets", RangeError)
    return bits


def grow(X: Array, first: Array, weight: Array | None, depth: int, least: int, more: int) -> Tree:
    """A tree of splits by the greatest `sum(left)^2 / weight(left) + sum(right)^2 / weight(right)`.

    Args:
        X: Candidates, shape (rows, candidates).
        first: Whole numbers of each row, shape (rows, statistics), whose sums are squared and added up.
        weight: Whole numbers above or equal to zero, shape (rows); each row counts one unless it is said.
        depth: How many levels.
        least: The least weight on both sides of a split.
        more: What is added to weights in quotients.
    """
    count, statistics = int(X.shape[1]), int(first.shape[1])
    rows = xp.full((X.shape[0], 1), 1, dtype=_NUMBER)
    values = first if weight is None else xp.concat([first, xp.expand_dims(weight, axis=1)], axis=1)
    total = xp.expand_dims(xp.sum(values, axis=0), axis=0)
    if weight is None:
        total = xp.concat([total, xp.broadcast_to(xp.asarray(_rows(X)), (1, 1))], axis=1)
    sizes = Sizes(most(X.shape[0]) * largest(first), most(X.shape[0]) * (1 if weight is None else largest(weight)))
    splits, totals = [], [sizes.of(total)]
    for level in range(depth):
        nodes = 2**level
        parts = _of_nodes(rows, values, weight is None)
        # Shape (candidates, nodes, statistics and weight).
        left = sizes.of(xp.reshape(X.T @ parts, (count, nodes, statistics + 1)))
        right = sizes.of(totals[-1] - left)
        score, enough = _score(xp.stack([left, right]), statistics, least, more)
        best = xp.argmax(xp.where(enough[0] & enough[1], score[0] + score[1], -1.0), axis=0)
        splits.append(best)
        chosen = chosen_by(best, count)
        # One candidate is chosen for each node: the product is 0 or 1, and at most what was there.
        goes = rows * proven(X @ chosen, 0, 1)
        rows = _pairs(goes, proven(rows - goes, 0, 1), 1)
        picked = sizes.of(xp.sum(left * xp.expand_dims(chosen, axis=2), axis=0))
        totals.append(_pairs(picked, sizes.of(totals[-1] - picked), 0))
    return Tree(xp.concat(splits), _values(totals, statistics, more), rows)


@dataclass
class Sizes:
    """The greatest sums of statistics, and of weights, over rows that there can be: sums over some of the rows are no larger."""

    first: float
    weight: float

    def of(self, sums: Array) -> Array:
        """Sums over some rows, statistics before weights along the last axis, with these ranges. They are exact."""
        last = int(sums.shape[-1]) - 1
        first, weight = sums[..., :last], sums[..., last:]
        return xp.concat([proven(first, -int(self.first), int(self.first)), proven(weight, 0, int(self.weight))], axis=-1)


def _rows(X: Array) -> Any:
    length = X.shape[0]
    return xp.arange(1) * 0 + length if isinstance(length, Extent) else np.array([length])


def _of_nodes(rows: Array, values: Array, counted: bool) -> Array:
    """Statistics and weights of rows, by node: shape (rows, nodes * (statistics + 1))."""
    parts = xp.expand_dims(rows, axis=2) * xp.expand_dims(values, axis=1)
    if counted:
        parts = xp.concat([parts, xp.expand_dims(rows, axis=2)], axis=2)
    return xp.reshape(parts, (rows.shape[0], int(parts.shape[1]) * int(parts.shape[2])))


def _score(sums: Array, statistics: int, least: int, more: int) -> tuple[Array, Array]:
    """Squared sums over weights, and whether there is enough weight."""
    squares, weight = sums[..., :statistics], xp.squeeze(sums[..., statistics:], sums.ndim - 1)
    enough = weight >= least
    total = xp.sum(squares * squares, axis=-1)
    return _quotient(total, weight + more, enough), enough


def _quotient(a: Array, b: Array, there: Array) -> Array:
    """The quotient by a whole number from 1 where it is there, with as many bits behind the point as there is room for, at most 16."""
    fine = max(0, min(16, 60 - power_above(max(abs(it) for it in (*a.range, *b.range, 1)))))
    b = proven(xp.where(there, b, 1), 1, max(int(b.range[1]), 1))
    return divide(xp.to_fixed(a, fine), xp.to_fixed(b, fine))


def _values(totals: list[Array], statistics: int, more: int) -> Array:
    """Means of the nodes of the last level, and of empty ones that of the nearest node above. All levels are divided at once."""
    total = xp.concat(totals)
    weight = total[:, statistics:]
    there = weight > 0
    means = _quotient(total[:, :statistics], weight + more, there)
    found, at = means[:1], 1
    for level in range(1, len(totals)):
        nodes = slice(at, at + 2**level)
        found = xp.where(there[nodes], means[nodes], xp.repeat(found, 2, axis=0))
        at += 2**level
    return found


def _pairs(left: Array, right: Array, axis: int) -> Array:
    """Nodes of the next level: left and right of each one, next to each other along an axis."""
    shape = list(left.shape)
    shape[axis] = int(left.shape[axis]) * 2
    return xp.reshape(xp.stack([left, right], axis=axis + 1), shape)


def chosen_by(best: Array, count: int) -> Array:
    """One-hot columns of numbers, shape (candidates, nodes)."""
    return xp.astype(xp.expand_dims(xp.arange(count), axis=1) == best, _NUMBER)


def leaves(X: Any, splits: Any, depth: int) -> Any:
    """Which rows come to which leaf, shape (rows, leaves): of the parties, or of NumPy."""
    if not isinstance(X, Array):
        at = np.zeros(len(X), dtype=np.int64)
        for level in range(depth):
            at = 2 * at + 1 - X[np.arange(len(X)), splits[2**level - 1 + at]].astype(np.int64)
        return np.eye(2**depth)[at]
    rows = xp.full((X.shape[0], 1), 1, dtype=_NUMBER)
    for level in range(depth):
        chosen = chosen_by(splits[2**level - 1 : 2 ** (level + 1) - 1], int(X.shape[1]))
        goes = rows * proven(X @ chosen, 0, 1)
        rows = _pairs(goes, proven(rows - goes, 0, 1), 1)
    return rows


def grow_clear(X: Any, first: Any, weight: Any, depth: int, least: float, more: float) -> Tree:
    """The same in float64."""
    at, splits = np.zeros(len(X), dtype=np.int64), []
    value = (first.sum(axis=0) / (weight.sum() + more))[None]
    for level in range(depth):
        below = np.zeros_like(at)
        value = np.repeat(value, 2, axis=0)
        for node in range(2**level):
            here = at == node
            x, g, h = X[here].astype(np.float64), first[here], weight[here]
            sums, weights = np.stack([x.T @ g, (1 - x).T @ g]), np.stack([x.T @ h, (1 - x).T @ h])
            with np.errstate(divide="ignore", invalid="ignore"):
                score = ((sums**2).sum(axis=2) / (weights + more)).sum(axis=0)
            score[(weights < least).any(axis=0) | ~np.isfinite(score)] = -1.0
            best = int(score.argmax())
            splits.append(best)
            below[here] = 2 * node + 1 - X[here, best].astype(np.int64)
            for side in range(2):
                if weights[side, best] > 0:
                    value[2 * node + side] = sums[side, best] / (weights[side, best] + more)
        at = below
    return Tree(np.array(splits), value, np.eye(2**depth)[at])


def units(x: Array, bits: int) -> Array:
    """Numbers as whole ones, in units of `2**-bits`, rounded down."""
    return xp.floor(to_fixed(x, bits) * 2**bits) if x._node.kind == "fixed" else x * 2**bits


def mean_of(tree: Tree, bits: int) -> Array:
    """Values of leaves with one statistic that was in units of `2**-bits`, shape (leaves)."""
    return to_fixed(xp.squeeze(tree.value, 1), FRACTION) * 2.0**-bits
