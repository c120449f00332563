"""Metrics of predictions, on arrays of the parties.

All of them are secret until they are revealed. Each says what it tells to whom it is revealed to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import xp
from ..array import Array, divide, to_fixed
from ..errors import ShapeError
from ..types import Int
from ._common import FRACTION, classes, counting, counts, largest, only, power_above, proven, truths, whole, wrong
from ._growth import quotient, units

__all__ = [
    "accuracy",
    "calibration",
    "confusion_matrix",
    "log_loss",
    "mean_squared_error",
    "r2",
    "roc_auc",
]


def _both(y_true: Any, other: Any) -> tuple[Array, Array]:
    for value in (y_true, other):
        if not isinstance(value, Array):
            wrong(f"metrics are of arrays of the parties, and this is {type(value).__name__}")
    if y_true.ndim != 1 or y_true.shape != other.shape:
        wrong(f"metrics are of two numbers for each row: these have the shapes {y_true.shape} and {other.shape}", ShapeError)
    return y_true, other


def _chance(y_true: Any, chance: Any) -> tuple[Array, Array]:
    """Classes 0 and 1 as bits, and probabilities of class 1, of one column or two."""
    if isinstance(chance, Array) and chance.ndim == 2 and chance.shape[1] == 2:
        chance = chance[:, 1]
    y_true, chance = _both(y_true, chance)
    return truths(y_true, y_true), chance if chance._node.kind == "fixed" else to_fixed(chance, FRACTION)


def _there(y_true: Array, sample_weight: Any) -> Array | None:
    return counting(y_true, sample_weight)


def accuracy(y_true: Array, y_pred: Array, *, sample_weight: Array | None = None) -> Array:
    """The part of the rows whose class was predicted, a number in 0..1.

    Revealed, it tells how many rows were predicted right, since the number of rows is public. Whoever knows all classes but one's
    learns that one's: do not reveal it on few rows.

    Args:
        y_true: Classes, shape (rows).
        y_pred: Predicted classes, shape (rows).
        sample_weight: Bits, shape (rows): which rows count. All do, unless it is said; how many do stays secret. Zero if none does.
    """
    y_true, y_pred = _both(y_true, y_pred)
    return xp.mean(whole(y_true) == whole(y_pred), axis=0, where=_there(y_true, sample_weight))


def confusion_matrix(y_true: Array, y_pred: Array, *, sample_weight: Array | None = None) -> Array:
    """How many rows of each class (first axis) were predicted as each class (second axis), shape (classes, classes).

    Revealed, it tells how many rows each class has, beside what was predicted of them; a count of one or two is about these rows.

    Args:
        y_true: Classes, `tc.Bool()` or whole numbers from 0 to at most 63, shape (rows). Their ranges say how many classes there are.
        y_pred: Predicted classes, shape (rows).
        sample_weight: Bits, shape (rows): which rows count, as for `accuracy`.
    """
    y_true, y_pred = _both(y_true, y_pred)
    there = _there(y_true, sample_weight)
    kinds = max(classes(y_true, y, 64)[1] for y in (y_true, y_pred))
    at = xp.arange(max(kinds, 2))
    true, predicted = (xp.expand_dims(whole(y), axis=1) == at for y in (y_true, y_pred))
    true = true if there is None else true & xp.expand_dims(there, axis=1)
    return xp.astype(true, Int(0, 1)).T @ xp.astype(predicted, Int(0, 1))


def roc_auc(y_true: Array, score: Array, *, sample_weight: Array | None = None) -> Array:
    """The area under the ROC curve, in 0..1: how likely a row of class 1 has a greater score than one of class 0; ties count half.

    Rows are sorted by their scores twice, once with class 0 before class 1 among equal scores and once behind. It is zero if
    there is only one class. Revealed, it tells that number and nothing else of scores and classes; on few rows a number says much.

    Args:
        y_true: Classes 0 and 1, shape (rows).
        score: Scores in any order-preserving unit, shape (rows): probabilities, or what `decision_function` gives.
        sample_weight: Bits, shape (rows): which rows count, as for `accuracy`.
    """
    y, score = _chance(y_true, score)
    there = _there(y, sample_weight)
    double, last = score + score, 2.0**-score._node.fraction
    before, behind = xp.where(y, double + last, double), xp.where(y, double, double + last)
    if there is None:
        pairs = _ordered(before, y, None) + _ordered(behind, y, None)
        ones = xp.sum(y)
        zeros: Any = y.shape[0] - ones
    else:
        of_one, of_zero = y & there, ~y & there
        pairs = _ordered(before, of_one, of_zero) + _ordered(behind, of_one, of_zero)
        ones, zeros = xp.sum(of_one), xp.sum(of_zero)
    # Pairs that are in order are among all pairs.
    return proven(divide(pairs, 2 * ones * zeros), 0, 1)


def _ordered(key: Array, ones: Array, zeros: Array | None) -> Array:
    """How many pairs of rows there are of which the one of class 0 comes first; all that are not of class 1 are, unless it is said."""
    found = xp.sort_by(key, ones)[1:] if zeros is None else xp.sort_by(key, ones, zeros)[1:]
    return xp.sum(whole(found[0]) * xp.cumulative_sum(~found[0] if zeros is None else found[1], axis=0))


def log_loss(y_true: Array, chance: Array, *, least: float = 2.0**-12, sample_weight: Array | None = None) -> Array:
    """The mean of `-log(probability of the true class)`.

    Revealed, it tells that mean: whoever knows all rows but one learns how likely that one's class was held to be.

    Args:
        y_true: Classes 0 and 1, shape (rows).
        chance: Probabilities of class 1, shape (rows), or of both classes, shape (rows, 2).
        least: Probabilities below it count as this.
        sample_weight: Bits, shape (rows): which rows count, as for `accuracy`.
    """
    y, chance = _chance(y_true, chance)
    if not 2.0**-16 <= least < 1:
        wrong(f"least is a public number from 2**-16 to below 1, not {least!r}")
    of_true = xp.where(y, chance, 1 - chance)
    return -xp.mean(xp.log(xp.clip(of_true, least, 1)), axis=0, where=_there(y, sample_weight))


def mean_squared_error(y_true: Array, y_pred: Array, *, sample_weight: Array | None = None) -> Array:
    """The mean of squared differences.

    Revealed, it tells that mean: whoever knows all rows but one learns how far that one's prediction was off.

    Args:
        y_true: Numbers, shape (rows).
        y_pred: Predicted numbers, shape (rows).
        sample_weight: Bits, shape (rows): which rows count, as for `accuracy`.
    """
    rest = _rest(y_true, y_pred)
    return xp.mean(rest * rest, axis=0, where=_there(y_true, sample_weight))


def r2(y_true: Array, y_pred: Array, *, sample_weight: Array | None = None) -> Array:
    """The part of the variance that predictions explain: 1 - squared error / variance; 1 if there is no variance.

    Revealed, it tells that number; beside the mean squared error, it tells the variance of the targets.

    Args:
        y_true: Numbers, shape (rows).
        y_pred: Predicted numbers, shape (rows).
        sample_weight: Bits, shape (rows): which rows count, as for `accuracy`. It is 1 if none does.
    """
    there = _there(y_true, sample_weight)
    rest = only(_rest(y_true, y_pred), there)
    y = to_fixed(y_true, FRACTION)
    centred = only(y - xp.mean(y, axis=0, where=there), there)
    left, all_of_it = xp.sum(rest * rest, axis=0), xp.sum(centred * centred, axis=0)
    # In units that leave room for a quotient with 16 bits behind the point.
    unit = min(44 - power_above(max(largest(left), largest(all_of_it))), FRACTION)
    left, all_of_it = (units(it, unit) if unit >= 0 else xp.floor(it * 2.0**unit) for it in (left, all_of_it))
    varies = all_of_it > 0
    return 1 - xp.where(varies, quotient(left, all_of_it, varies), 0.0)


def _rest(y_true: Any, y_pred: Any) -> Array:
    y_true, y_pred = _both(y_true, y_pred)
    return to_fixed(y_pred, FRACTION) - to_fixed(y_true, FRACTION)


def calibration(y_true: Array, chance: Array, *, bins: int = 10, sample_weight: Array | None = None) -> tuple[Array, Array, Array]:
    """Of bins of probabilities, of equal width: the part of rows of class 1, the mean probability, and the number of rows.

    Each has the shape (bins); parts and means of empty bins are zero. Revealed, they tell how many rows, and how many of class 1,
    have a probability in each bin: reveal few bins, or the first two alone, where bins may be small.

    Args:
        y_true: Classes 0 and 1, shape (rows).
        chance: Probabilities of class 1, shape (rows), or of both classes, shape (rows, 2).
        bins: How many bins, 2 to 64. The lower edge belongs to a bin, and 1 to the last one.
        sample_weight: Bits, shape (rows): which rows count, as for `accuracy`.
    """
    y, chance = _chance(y_true, chance)
    counts(bins=bins)
    if not 2 <= bins <= 64:
        wrong(f"bins are 2 to 64, not {bins}")
    # Rows at or above each edge; what lies in a bin is a difference of neighbours.
    edges = xp.expand_dims(chance, axis=1) >= np.arange(1, bins) / bins
    there = _there(y, sample_weight)
    every = xp.full((chance.shape[0], 1), 1, dtype=Int(0, 1)) if there is None else xp.astype(xp.expand_dims(there, axis=1), Int(0, 1))
    above = xp.astype(edges if there is None else edges & xp.expand_dims(there, axis=1), Int(0, 1))
    above = xp.concat([every, above], axis=1)
    rows, ones, sums = xp.sum(above, axis=0), above.T @ whole(y), above.T @ chance
    rows, ones, sums = (it - xp.shift(it, -1) for it in (rows, ones, sums))
    low, high = chance.range
    # A bin has rows or none, and means lie where the numbers do, but for their rounding.
    return (
        proven(divide(ones, rows), 0, 1),
        proven(sums / rows, min(low, 0) - 1, max(high, 0) + 1),
        proven(rows, 0, rows.range[1]),
    )
