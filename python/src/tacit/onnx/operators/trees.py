"""Ensembles of trees: all comparisons at once, then which leaves are reached, level by level, then one product with their values.

A public model's nodes are compared as they are. Of a private one everybody knows how many trees there are and how deep the deepest
is: all trees are completed to that depth, and the feature of each node is chosen by a product with a matrix of the owner's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ... import xp
from ...array import Array, number, to_fixed
from ...types import Fixed
from ..numbers import assumed, constant, length, real, times
from ..table import Call, Value, op
from .classic import classes, transformed
from .parts import entries
from .reduce import best

# Leaves of completed private trees.
_MOST_LEAVES = 2**15


@dataclass(repr=False)
class Tree:
    """A node with two ways, or a leaf with what it adds to each target. The first way is for `x[feature] <= threshold`."""

    feature: int = 0
    threshold: float = 0.0
    # Whether the threshold itself goes the second way.
    strict: bool = False
    ways: tuple[Tree, Tree] | None = None
    values: dict[int, float] = field(default_factory=dict)

    def depth(self) -> int:
        """How many comparisons lead to the deepest leaf."""
        return 0 if self.ways is None else 1 + max(it.depth() for it in self.ways)


def _branch(at: Call, mode: str, feature: int, threshold: float, yes: Tree, no: Tree) -> Tree:
    if mode in ("BRANCH_LEQ", "BRANCH_LT"):
        return Tree(feature, threshold, mode == "BRANCH_LT", (yes, no))
    if mode in ("BRANCH_GT", "BRANCH_GTE"):
        return Tree(feature, threshold, mode == "BRANCH_GTE", (no, yes))
    at.refuse(f"nodes of mode {mode}")


def _old_trees(at: Call, kind: str) -> list[Tree]:
    """Trees as `TreeEnsembleClassifier` and `TreeEnsembleRegressor` write them."""

    def numbers(name: str) -> list[float]:
        value = at.attr(f"{name}_as_tensor")
        value = at.attr(name, []) if value is None or not np.size(value) else value
        return [float(it) for it in np.asarray(value).ravel()]

    ids = list(zip(at.attr("nodes_treeids"), at.attr("nodes_nodeids"), strict=True))
    places = {it: place for place, it in enumerate(ids)}
    modes, features = at.attr("nodes_modes"), at.attr("nodes_featureids")
    yes, no, thresholds = at.attr("nodes_truenodeids"), at.attr("nodes_falsenodeids"), numbers("nodes_values")
    leaves: dict[tuple[int, int], dict[int, float]] = {}
    columns = (at.attr(f"{kind}_treeids"), at.attr(f"{kind}_nodeids"), at.attr(f"{kind}_ids"))
    for tree, node, target, weight in zip(*columns, numbers(f"{kind}_weights"), strict=True):
        own = leaves.setdefault((tree, node), {})
        own[target] = own.get(target, 0.0) + weight

    def build(place: int) -> Tree:
        tree, node = ids[place]
        if modes[place] == "LEAF":
            return Tree(values=leaves.get((tree, node), {}))
        first, second = (build(places[tree, it[place]]) for it in (yes, no))
        return _branch(at, modes[place], features[place], thresholds[place], first, second)

    roots: dict[int, int] = {}
    for place, (tree, _) in enumerate(ids):
        roots.setdefault(tree, place)
    return [build(it) for it in roots.values()]


_MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")


def _new_trees(at: Call) -> list[Tree]:
    """Trees as `TreeEnsemble` writes them."""
    modes, splits = np.asarray(at.attr("nodes_modes")).ravel(), np.asarray(at.attr("nodes_splits"), np.float64).ravel()
    targets, weights = at.attr("leaf_targetids"), np.asarray(at.attr("leaf_weights"), np.float64).ravel()
    features = at.attr("nodes_featureids")
    ways = [(at.attr(f"nodes_{it}nodeids"), at.attr(f"nodes_{it}leafs")) for it in ("true", "false")]

    def leaf(place: int) -> Tree:
        return Tree(values={targets[place]: float(weights[place])})

    def build(place: int) -> Tree:
        first, second = (leaf(nodes[place]) if ends[place] else build(nodes[place]) for nodes, ends in ways)
        return _branch(at, _MODES[int(modes[place])], features[place], float(splits[place]), first, second)

    return [build(it) for it in at.attr("tree_roots")]


def _complete(tree: Tree, depth: int) -> Tree:
    """The tree with all leaves at one depth."""
    if depth == 0:
        return tree
    first, second = tree.ways or (tree, tree)
    return Tree(tree.feature, tree.threshold, tree.strict, (_complete(first, depth - 1), _complete(second, depth - 1)))


@dataclass(repr=False)
class _Layout:
    """Nodes and leaves of all trees in the order in which they are computed."""

    # By level: nodes, and for each of the ways of all of them, first ways first, where it goes: ("node" or "leaf").
    levels: list[list[Tree]]
    leaves: list[Tree]
    # Places of inner nodes, and of leaves, among the ways of a level.
    inner: list[list[int]]
    ends: list[list[int]]


def _layout(trees: list[Tree]) -> _Layout:
    made = _Layout([], [], [], [])
    level = [it for it in trees if it.ways is not None]
    while level:
        ways = [it.ways[side] for side in (0, 1) for it in level if it.ways is not None]
        made.levels.append(level)
        made.inner.append([place for place, it in enumerate(ways) if it.ways is not None])
        made.ends.append([place for place, it in enumerate(ways) if it.ways is None])
        made.leaves += [it for it in ways if it.ways is None]
        level = [it for it in ways if it.ways is not None]
    return made


def _reached(bits: Array, made: _Layout) -> Array:
    """A bit for each leaf of each row: whether it is reached. One AND for each node that is no root."""
    found, start, reach = [], 0, None
    for nodes, inner, ends in zip(made.levels, made.inner, made.ends, strict=True):
        go = xp._part(bits, 1, start, len(nodes))
        start += len(nodes)
        first = go if reach is None else reach & go
        ways = xp.concat([first, ~go if reach is None else reach ^ first], axis=1)
        found.append(ways if len(ends) == 2 * len(nodes) else xp.take(ways, ends, axis=1)) if ends else None
        reach = ways if len(inner) == 2 * len(nodes) else xp.take(ways, inner, axis=1) if inner else None
    return found[0] if len(found) == 1 else xp.concat(found, axis=1)


def _raw(tree: Tree, frac: int) -> int:
    """The greatest multiple of 2**-frac that goes the first way. Thresholds are rounded as data are: what is equal stays equal."""
    nearest = int(np.rint(tree.threshold * 2.0**frac))
    return nearest - 1 if tree.strict else nearest


def _compared(at: Call, x: Array, made: _Layout) -> Array:
    """All comparisons of a public model; equal ones once."""
    nodes = [it for level in made.levels for it in level]
    frac = x._node.fraction
    low, high = x._node.interval
    keys = [(it.feature, min(max(_raw(it, frac), low - 1), high)) for it in nodes]
    distinct = sorted(set(keys))
    places = {key: place for place, key in enumerate(distinct)}
    chosen = xp.take(x, [feature for feature, _ in distinct], axis=1)
    edges = np.array([edge for _, edge in distinct], dtype=np.float64) * 2.0**-frac
    bits = chosen <= constant(at.arena, edges, frac)
    order = [places[it] for it in keys]
    return bits if order == list(range(len(distinct))) else xp.take(bits, order, axis=1)


def _compared_privately(at: Call, x: Array, made: _Layout) -> Array:
    """All comparisons of a private model. The edges lie between two values that a feature can have: roundings do not cross them."""
    nodes = [it for level in made.levels for it in level]
    frac = x._node.fraction
    unit = 2.0**-frac
    low, high = x.range
    hot = np.zeros((length(x, 1), len(nodes)))
    hot[[it.feature for it in nodes], np.arange(len(nodes))] = 1
    edges = np.array([min(max(_raw(it, frac) * unit, low - unit), high) + unit / 2 for it in nodes])
    chosen = to_fixed(x, frac + 2) @ at.weight("features", hot, Fixed(0, 1, frac + 2))
    bits: Array = chosen <= at.weight("thresholds", edges, Fixed(low - unit, high + unit, frac + 2))
    return bits


def _sums(at: Call, x: Value, trees: list[Tree], targets: int) -> Array:
    """What the leaves that are reached add to each target."""
    x = real(at, x)
    owner = at.walk.net.owner
    if owner is not None:
        depth = max(1, max(it.depth() for it in trees))
        if len(trees) * 2**depth > _MOST_LEAVES:
            at.refuse(f"{len(trees)} private trees of depth {depth}: completed they have more than {_MOST_LEAVES} leaves")
        trees = [_complete(it, depth) for it in trees]
    made = _layout(trees)
    base = np.zeros(targets)
    for it in trees:
        if it.ways is None:
            for target, value in it.values.items():
                base[target] += value
    if not made.leaves:
        at.refuse("trees without comparisons")
    bits = _compared(at, x, made) if owner is None else _compared_privately(at, x, made)
    _remember(at, made, bits)
    reached = to_fixed(number(_reached(bits, made)), x._node.fraction)
    values = np.zeros((len(made.leaves), targets))
    for place, leaf in enumerate(made.leaves):
        for target, value in leaf.values.items():
            values[place, target] += value
    weights = at.weight("leaves", values)
    found = reached @ (weights if isinstance(weights, Array) else constant(at.arena, weights, x._node.fraction))
    # One leaf of each tree is reached.
    if isinstance(weights, Array):
        low, high = (len(trees) * bound for bound in weights.range)
    else:
        low, high = _bounds(trees, targets)
    slack = (len(trees) + 2) * 2.0**-found._node.fraction
    found = assumed(found, min(low, 0.0) - slack, max(high, 0.0) + slack)
    return found + constant(at.arena, base, found._node.fraction) if base.any() else found


def _bounds(trees: list[Tree], targets: int) -> tuple[float, float]:
    low, high = np.zeros(targets), np.zeros(targets)
    for tree in trees:
        leaves = _leaves(tree) if tree.ways is not None else []
        if leaves:
            values = np.array([[it.values.get(target, 0.0) for target in range(targets)] for it in leaves])
            low, high = low + values.min(axis=0), high + values.max(axis=0)
    return float(low.min()), float(high.max())


def _leaves(tree: Tree) -> list[Tree]:
    return [tree] if tree.ways is None else [leaf for way in tree.ways for leaf in _leaves(way)]


def _remember(at: Call, made: _Layout, bits: Array) -> None:
    from ..walk import Comparisons

    nodes = [it for level in made.levels for it in level]
    thresholds = np.array([it.threshold for it in nodes])
    strict = np.array([it.strict for it in nodes])
    at.walk.comparisons.append(Comparisons(at.name, at.sources[0], [it.feature for it in nodes], thresholds, strict, bits))


def _base(at: Call) -> np.ndarray[Any, Any] | None:
    given = at.attr("base_values_as_tensor")
    given = at.attr("base_values") if given is None or not np.size(given) else given
    return None if given is None or not np.size(given) else np.asarray(given, dtype=np.float64).ravel()


def _with_base(at: Call, found: Array, base: np.ndarray[Any, Any] | None) -> Array:
    if base is None:
        return found
    given = at.weight("base_values", base)
    return found + (given if isinstance(given, Array) else constant(at.arena, given, found._node.fraction))


def _aggregated(at: Call, found: Array, trees: int, how: str) -> Array:
    if how == "AVERAGE":
        return times(at, found, np.float64(1 / trees))
    if how != "SUM":
        at.refuse(f"aggregate_function {how}")
    return found


@op("ml:TreeEnsembleRegressor")
def regressor(at: Call, x: Value) -> Array:
    trees = _old_trees(at, "target")
    found = _sums(at, x, trees, int(at.attr("n_targets", 1)))
    found = _aggregated(at, found, len(trees), at.attr("aggregate_function", "SUM"))
    return transformed(at, _with_base(at, found, _base(at)))


@op("ml:TreeEnsemble")
def ensemble(at: Call, x: Value) -> Array:
    trees = _new_trees(at)
    found = _sums(at, x, trees, int(at.attr("n_targets", 1)))
    found = _aggregated(at, found, len(trees), ("AVERAGE", "SUM", "MIN", "MAX")[int(at.attr("aggregate_function", 1))])
    how = int(at.attr("post_transform", 0))
    at.attributes["post_transform"] = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")[how]
    return transformed(at, found)


@op("ml:TreeEnsembleClassifier")
def classifier(at: Call, x: Value) -> list[Array]:
    named = classes(at)
    if len(named) < 2:
        at.refuse("a single class")
    trees = _old_trees(at, "class")
    one = len(set(at.attr("class_ids"))) == 1 and len(named) == 2
    base = _base(at)
    if not one:
        scores = _with_base(at, _sums(at, x, trees, len(named)), base)
        place = best(at, scores, 1, least=False, last=False)
        return [entries(at, named, place), transformed(at, scores)]
    # Only one class of two has leaves: the other's score follows.
    for tree in trees:
        for leaf in _leaves(tree):
            leaf.values = {0: sum(leaf.values.values())}
    second = _with_base(at, _sums(at, x, trees, 1), None if base is None else base[:1])
    if at.attr("post_transform", "NONE") == "NONE":
        first = constant(at.arena, np.ones(1), second._node.fraction) - second
    else:
        first = -second
    scores = xp.concat([first, second], axis=1)
    place = number(second > first)
    return [entries(at, named, xp.squeeze(place, 1)), transformed(at, scores)]
