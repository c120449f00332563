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
from ._common import FRACTION, classes, counts, proven, truths, whole, wrong

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


def accuracy(y_true: Array, y_pred: Array) -> Array:
    """The part of the rows whose class was predicted, a number in 0..1.

    Revealed, it tells how many rows were predicted right, since the number of rows is public. Whoever knows all classes but one's
    learns that one's: do not reveal it on few rows.

    Args:
        y_true: Classes, shape (rows).
        y_pred: Predicted classes, shape (rows).
    """
    y_true, y_pred = _both(y_true, y_pred)
    return xp.mean(y_true == y_pred, axis=0)


def confusion_matrix(y_true: Array, y_pred: Array) -> Array:
    """How many rows of each class (first axis) were predicted as each class (second axis), shape (classes, classes).

    Revealed, it tells how many rows each class has, beside what was predicted of them; a count of one or two is about these rows.

    Args:
        y_true: Classes, `tc.Bool()` or whole numbers from 0 to at most 63, shape (rows). Their ranges say how many classes there are.
        y_pred: Predicted classes, shape (rows).
    """
    y_true, y_pred = _both(y_true, y_pred)
    kinds = max(classes(y_true, y, 64)[1] for y in (y_true, y_pred))
    at = xp.arange(max(kinds, 2))
    true, predicted = (xp.astype(xp.expand_dims(whole(y), axis=1) == at, Int(0, 1)) for y in (y_true, y_pred))
    return true.T @ predicted


def roc_auc(y_true: Array, score: Array) -> Array:
    """The area under the ROC curve, in 0..1: how likely a row of class 1 has a greater score than one of class 0; ties count half.

    Rows are sorted by their scores twice, once with class 0 before class 1 among equal scores and once behind. It is zero if
    there is only one class. Revealed, it tells that number and nothing else of scores and classes; on few rows a number says much.

    Args:
        y_true: Classes 0 and 1, shape (rows).
        score: Scores in any order-preserving unit, shape (rows): probabilities, or what `decision_function` gives.
    """
    y, score = _chance(y_true, score)
    double, last = score + score, 2.0**-score._node.fraction
    before, behind = xp.where(y, double + last, double), xp.where(y, double, double + last)
    pairs = _ordered(before, y) + _ordered(behind, y)
    ones = xp.sum(y)
    # Pairs that are in order are among all pairs.
    return proven(divide(pairs, 2 * ones * (y.shape[0] - ones)), 0, 1)


def _ordered(key: Array, y: Array) -> Array:
    """How many pairs of rows there are of which the one of class 0 comes first."""
    y = xp.sort_by(key, y)[1]
    return xp.sum(whole(y) * xp.cumulative_sum(~y, axis=0))


def log_loss(y_true: Array, chance: Array, *, least: float = 2.0**-12) -> Array:
    """The mean of `-log(probability of the true class)`.

    Revealed, it tells that mean: whoever knows all rows but one learns how likely that one's class was held to be.

    Args:
        y_true: Classes 0 and 1, shape (rows).
        chance: Probabilities of class 1, shape (rows), or of both classes, shape (rows, 2).
        least: Probabilities below it count as this.
    """
    y, chance = _chance(y_true, chance)
    if not 2.0**-16 <= least < 1:
        wrong(f"least is a public number from 2**-16 to below 1, not {least!r}")
    of_true = xp.where(y, chance, 1 - chance)
    return -xp.mean(xp.log(xp.clip(of_true, least, 1)), axis=0)


def mean_squared_error(y_true: Array, y_pred: Array) -> Array:
    """The mean of squared differences.

    Revealed, it tells that mean: whoever knows all rows but one learns how far that one's prediction was off.

    Args:
        y_true: Numbers, shape (rows).
        y_pred: Predicted numbers, shape (rows).
    """
    rest = _rest(y_true, y_pred)
    return xp.mean(rest * rest, axis=0)


def r2(y_true: Array, y_pred: Array) -> Array:
    """The part of the variance that predictions explain: 1 - squared error / variance; 1 if there is no variance.

    Revealed, it tells that number; beside the mean squared error, it tells the variance of the targets.

    Args:
        y_true: Numbers, shape (rows).
        y_pred: Predicted numbers, shape (rows).
    """
    rest = _rest(y_true, y_pred)
    y = to_fixed(y_true, FRACTION)
    centred = y - xp.mean(y, axis=0)
    return 1 - xp.sum(rest * rest, axis=0) / xp.sum(centred * centred, axis=0)


def _rest(y_true: Any, y_pred: Any) -> Array:
    y_true, y_pred = _both(y_true, y_pred)
    return to_fixed(y_pred, FRACTION) - to_fixed(y_true, FRACTION)


def calibration(y_true: Array, chance: Array, *, bins: int = 10) -> tuple[Array, Array, Array]:
    """Of bins of probabilities, of equal width: the part of rows of class 1, the mean probability, and the number of rows.

    Each has the shape (bins); parts and means of empty bins are zero. Revealed, they tell how many rows, and how many of class 1,
    have a probability in each bin: reveal few bins, or the first two alone, where bins may be small.

    Args:
        y_true: Classes 0 and 1, shape (rows).
        chance: Probabilities of class 1, shape (rows), or of both classes, shape (rows, 2).
        bins: How many bins, 2 to 64. The lower edge belongs to a bin, and 1 to the last one.
    """
    y, chance = _chance(y_true, chance)
    counts(bins=bins)
    if not 2 <= bins <= 64:
        wrong(f"bins are 2 to 64, not {bins}")
    # Rows at or above each edge; what lies in a bin is a difference of neighbours.
    above = xp.astype(xp.expand_dims(chance, axis=1) >= np.arange(1, bins) / bins, Int(0, 1))
    above = xp.concat([xp.full((chance.shape[0], 1), 1, dtype=Int(0, 1)), above], axis=1)
    rows, ones, sums = xp.sum(above, axis=0), above.T @ whole(y), above.T @ chance
    rows, ones, sums = (it - xp.shift(it, -1) for it in (rows, ones, sums))
    low, high = chance.range
    # A bin has rows or none, and means lie where the numbers do, but for their rounding.
    return (
        proven(divide(ones, rows), 0, 1),
        proven(sums / rows, min(low, 0) - 1, max(high, 0) + 1),
        proven(rows, 0, rows.range[1]),
    )
