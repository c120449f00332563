"""How trees grow on candidate splits, with secret rows, secret splits and a public depth.

All numbers are whole, so that sums and comparisons are exact. A tree is complete: each node of a level has a split. The rows of a
node are bits, and what goes to the left is a product of these with one column of the candidates, which a one-hot vector chooses.
Several trees grow side by side, which takes the rounds of one: their nodes are in one axis, those of a tree next to each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import xp
from ..array import Array, Extent, divide, to_fixed
from ..errors import RangeError, ShapeError
from ..types import Int
from ._common import FRACTION, largest, most, namespace, power_above, proven, whole, wrong

_NUMBER = Int(0, 1)
# Bits of squared sums: the rest of 64 is behind the point of quotients, and the sign.
_SQUARES = 52
_MOST_DEPTH = 8
_MOST_CANDIDATES = 4096
_MOST_CONSTANTS = 4096


@dataclass
class Rule:
    """How splits are chosen.

    Attributes:
        depth: How many levels there are.
        least: The least weight on both sides of a split.
        more: What is added to weights in quotients.
        trees: How many trees grow side by side.
        edges: How many candidates in a row are of one column.
        columns: For each level, the columns that each node looks at, whole numbers of shape (nodes of all trees, columns); nodes
            look at all of them unless it is said.
    """

    depth: int
    least: float
    more: float = 0
    trees: int = 1
    edges: int = 1
    columns: list[Any] | None = None


@dataclass
class Trees:
    """Grown trees.

    Attributes:
        splits: The candidate of each node, level by level, shape (trees, 2**depth - 1).
        value: Sums of statistics over weights, of the rows of each leaf; of an empty leaf, that of the nearest node above with rows.
            Shape (trees, leaves, statistics).
        rows: Which rows are of which leaf, shape (rows, trees * leaves).
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


def candidates_as(X: Any, fitted: int) -> Array:
    """Candidate splits of rows, as many as a tree was fitted with."""
    found = candidates(X)
    if found.shape[1] != fitted:
        wrong(f"this was fitted with {fitted} candidate splits, and these are {found.shape[1]}", ShapeError)
    return found


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


def whole_weights(weight: Array, rows: int | Extent) -> tuple[Array, int]:
    """Weights of rows as whole numbers, and how many bits these have behind the point."""
    if weight._node.kind != "fixed":
        bits_for(rows, largest(weight))
        return whole(weight), 0
    bits = min(weight._node.fraction, bits_for(rows, largest(weight)))
    return units(weight, bits), bits


def grow(X: Array, first: Array, weight: Array | None, rule: Rule, sizes: Sizes | None = None) -> Trees:
    """Trees of splits by the greatest `sum(left)^2 / weight(left) + sum(right)^2 / weight(right)`.

    Args:
        X: Candidates, shape (rows, candidates).
        first: Whole numbers of each row, whose sums are squared and added up, shape (rows, trees, statistics); of one tree for all.
        weight: Whole numbers above or equal to zero, shape (rows, trees), secret or public; secret ones of one tree may be for all. Each
            row counts one unless it is said.
        rule: How splits are chosen.
        sizes: The greatest sums over rows; by the ranges of statistics and weights unless it is said.
    """
    count, statistics, trees = int(X.shape[1]), int(first.shape[2]), rule.trees
    rows = xp.full((X.shape[0], trees), 1, dtype=_NUMBER)
    # What is secret is multiplied with rows together.
    joined = weight is not None and weight.visibility != "public"
    values = xp.concat([first, xp.expand_dims(weight, axis=2)], axis=2) if joined and weight is not None else first
    apart = None if joined else xp.full((1, 1), 1, dtype=_NUMBER) if weight is None else weight
    sizes = sizes or Sizes(most(X.shape[0]) * largest(first), most(X.shape[0]) * (1 if weight is None else largest(weight)))
    splits, totals = [], [sizes.of(_all(X, values, weight, apart, trees))]
    for level in range(rule.depth):
        nodes = trees * 2**level
        parts = _of_nodes(rows, values, apart, trees)
        # Shape (candidates, nodes, statistics and weight).
        left = sizes.of(xp.reshape(X.T @ parts, (count, nodes, statistics + 1)))
        seen = None if rule.columns is None else rule.columns[level]
        left = left if seen is None else _looked_at(left, seen, rule.edges)
        right = sizes.of(totals[-1] - left)
        score, enough = _score(xp.stack([left, right]), statistics, rule.least, rule.more)
        best = xp.argmax(xp.where(enough[0] & enough[1], score[0] + score[1], -1.0), axis=0)
        chosen = chosen_by(best, int(left.shape[0]))
        picked = sizes.of(xp.sum(left * xp.expand_dims(chosen, axis=2), axis=0))
        if seen is not None:
            # One of the numbers of the candidates that a node looks at.
            best = proven(xp.sum(chosen * _numbers(seen, rule.edges), axis=0), 0, count - 1)
            chosen = chosen_by(best, count)
        splits.append(xp.reshape(best, (trees, 2**level)))
        # One candidate is chosen for each node: the product is 0 or 1, and at most what was there.
        goes = rows * proven(X @ chosen, 0, 1)
        rows = _pairs(goes, proven(rows - goes, 0, 1), 1)
        totals.append(_pairs(picked, sizes.of(totals[-1] - picked), 0))
    value = xp.reshape(_values(totals, statistics, rule.more, trees), (trees, 2**rule.depth, statistics))
    return Trees(xp.concat(splits, axis=1), value, rows)


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


def _all(X: Array, values: Array, weight: Array | None, apart: Array | None, trees: int) -> Array:
    """Sums over all rows of statistics and weights, shape (trees, statistics and weight)."""
    total = xp.sum(values, axis=0)
    if apart is None:
        return total if int(total.shape[0]) == trees else xp.broadcast_to(total, (trees, total.shape[1]))
    rows = xp.asarray(_rows(X)) if weight is None else xp.sum(weight, axis=0)
    both = (total, xp.expand_dims(rows, axis=1))
    return xp.concat([xp.broadcast_to(it, (trees, it.shape[1])) for it in both], axis=1)


def _rows(X: Array) -> Any:
    length = X.shape[0]
    return xp.arange(1) * 0 + length if isinstance(length, Extent) else np.array([length])


def _of_nodes(rows: Array, values: Array, apart: Array | None, trees: int) -> Array:
    """Statistics and weights of rows, by node, shape (rows, nodes * (statistics + 1)); public weights are `apart` from the statistics."""
    rows = xp.reshape(rows, (rows.shape[0], trees, int(rows.shape[1]) // trees, 1))
    parts = rows * xp.expand_dims(values, axis=2)
    if apart is not None:
        parts = xp.concat([parts, rows * xp.expand_dims(apart, axis=(2, 3))], axis=3)
    return xp.reshape(parts, (rows.shape[0], trees * int(parts.shape[2]) * int(parts.shape[3])))


def _looked_at(sums: Array, columns: Any, edges: int) -> Array:
    """Of sums of shape (candidates, nodes, sums) those of the candidates that nodes look at, shape (candidates of a node, nodes, sums)."""
    count, nodes, width = (int(it) for it in sums.shape)
    by_node = xp.permute_dims(xp.reshape(sums, (count // edges, edges, nodes, width)), (2, 0, 1, 3))
    flat = xp.reshape(by_node, (nodes * (count // edges), edges, width))
    at = (np.arange(nodes)[:, None] * (count // edges) + columns).reshape(-1)
    return xp.moveaxis(xp.reshape(xp.take(flat, at, axis=0), (nodes, columns.shape[1] * edges, width)), 1, 0)


def _numbers(columns: Any, edges: int) -> Array:
    """The numbers of the candidates that nodes look at, shape (candidates of a node, nodes)."""
    first = constants(columns.T * edges)
    return xp.reshape(xp.expand_dims(first, axis=1) + xp.reshape(xp.arange(edges), (1, edges, 1)), (columns.shape[1] * edges, len(columns)))


def constants(values: Any) -> Array:
    """A matrix of public whole numbers, in as many pieces as a program takes."""
    size = max(_MOST_CONSTANTS // values.shape[1], 1)
    pieces = [xp.asarray(values[at : at + size]) for at in range(0, len(values), size)]
    return xp.concat(pieces, axis=0) if len(pieces) > 1 else pieces[0]


def _score(sums: Array, statistics: int, least: float, more: float) -> tuple[Array, Array]:
    """Squared sums over weights, and whether there is enough weight."""
    squares, weight = sums[..., :statistics], xp.squeeze(sums[..., statistics:], sums.ndim - 1)
    enough = weight >= least
    total = xp.sum(squares * squares, axis=-1)
    return quotient(total, weight + more, enough), enough


def quotient(a: Array, b: Array, there: Array) -> Array:
    """The quotient by a whole number from 1 where it is there, with as many bits behind the point as there is room for, at most 16."""
    fine = max(0, min(16, 60 - power_above(max(abs(it) for it in (*a.range, *b.range, 1)))))
    b = proven(xp.where(there, b, 1), 1, max(int(b.range[1]), 1))
    return divide(xp.to_fixed(a, fine), xp.to_fixed(b, fine))


def _values(totals: list[Array], statistics: int, more: float, trees: int) -> Array:
    """Means of the nodes of the last level, and of empty ones that of the nearest node above. All levels are divided at once."""
    total = xp.concat(totals)
    weight = total[:, statistics:]
    there = weight > 0
    means = quotient(total[:, :statistics], weight + more, there)
    found, at = means[:trees], trees
    for level in range(1, len(totals)):
        nodes = slice(at, at + trees * 2**level)
        found = xp.where(there[nodes], means[nodes], xp.repeat(found, 2, axis=0))
        at += trees * 2**level
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
    """Which rows come to which leaf of trees with splits of shape (trees, 2**depth - 1): of the parties, or of NumPy.

    The shape is (rows, trees * leaves), the leaves of a tree next to each other.
    """
    if not isinstance(X, Array):
        return np.concatenate([_leaves_clear(X, it, depth) for it in splits], axis=1)
    trees = int(splits.shape[0])
    rows = xp.full((X.shape[0], trees), 1, dtype=_NUMBER)
    for level in range(depth):
        best = xp.reshape(splits[:, 2**level - 1 : 2 ** (level + 1) - 1], (trees * 2**level,))
        goes = rows * proven(X @ chosen_by(best, int(X.shape[1])), 0, 1)
        rows = _pairs(goes, proven(rows - goes, 0, 1), 1)
    return rows


def _leaves_clear(X: Any, splits: Any, depth: int) -> Any:
    at = np.zeros(len(X), dtype=np.int64)
    for level in range(depth):
        at = 2 * at + 1 - X[np.arange(len(X)), splits[2**level - 1 + at]].astype(np.int64)
    return np.eye(2**depth)[at]


def in_blocks(values: Any) -> Any:
    """Values of leaves, shape (trees, leaves), as a matrix by which bits of `leaves` give the value of each tree.

    The shape is (trees * leaves, trees), with zeros where a leaf is of another tree.
    """
    xs = namespace(values)
    trees, count = int(values.shape[0]), int(values.shape[1])
    return xs.reshape(values, (trees * count, 1)) * xs.repeat(xs.eye(trees), count, axis=0)


def grow_clear(X: Any, first: Any, weight: Any, rule: Rule) -> Trees:
    """The same in float64, one tree after the other: statistics of shape (rows, trees, statistics), weights of shape (rows, trees)."""
    found = [_grow_clear(X, first[:, tree], weight[:, tree], rule, tree) for tree in range(rule.trees)]
    splits, value, rows = zip(*found, strict=True)
    return Trees(np.stack(splits), np.stack(value), np.concatenate(rows, axis=1))


def _grow_clear(X: Any, first: Any, weight: Any, rule: Rule, tree: int) -> tuple[Any, Any, Any]:
    at, splits = np.zeros(len(X), dtype=np.int64), []
    value = (first.sum(axis=0) / (weight.sum() + rule.more))[None]
    for level in range(rule.depth):
        below = np.zeros_like(at)
        value = np.repeat(value, 2, axis=0)
        for node in range(2**level):
            here = at == node
            x, g, h = X[here].astype(np.float64), first[here], weight[here]
            sums, weights = np.stack([x.T @ g, (1 - x).T @ g]), np.stack([x.T @ h, (1 - x).T @ h])
            with np.errstate(divide="ignore", invalid="ignore"):
                score = ((sums**2).sum(axis=2) / (weights + rule.more)).sum(axis=0)
            score[(weights < rule.least).any(axis=0) | ~np.isfinite(score)] = -1.0
            seen = np.arange(X.shape[1])
            if rule.columns is not None:
                columns = rule.columns[level][tree * 2**level + node]
                seen = (columns[:, None] * rule.edges + np.arange(rule.edges)).reshape(-1)
            best = int(seen[score[seen].argmax()])
            splits.append(best)
            below[here] = 2 * node + 1 - X[here, best].astype(np.int64)
            for side in range(2):
                if weights[side, best] > 0:
                    value[2 * node + side] = sums[side, best] / (weights[side, best] + rule.more)
        at = below
    return np.array(splits), value, np.eye(2**rule.depth)[at]


def units(x: Array, bits: int) -> Array:
    """Numbers as whole ones, in units of `2**-bits`, rounded down."""
    return xp.floor(to_fixed(x, bits) * 2**bits) if x._node.kind == "fixed" else x * 2**bits


def mean_of(value: Array, bits: int) -> Array:
    """Values of leaves of one statistic, the last axis, that was in units of `2**-bits`: an array without that axis."""
    return to_fixed(xp.squeeze(value, value.ndim - 1), FRACTION) * 2.0**-bits
