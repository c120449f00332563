"""What estimators share: settings, checks of shapes and ranges, and functions of arrays of both kinds."""

from __future__ import annotations

import copy
import inspect
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from .. import xp
from .._place import here
from ..array import Array, Extent, Rows, divide, to_fixed
from ..errors import ProgramError, RangeError, ShapeError, fail
from ..types import Bool, Int

if TYPE_CHECKING:
    from typing_extensions import Self

FRACTION = 16
# Bits behind the point of sums and matrices that are divided by: what few bits would lose there is lost in all results.
FINE = 28
# What is further below the greatest score of a row counts as this in softmax: exp(-12) is a unit in the last place.
_LOWEST = -12.0

Floats = np.ndarray[Any, np.dtype[np.float64]]


class Estimator:
    """Settings of an estimator, by the names that its constructor has."""

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name; `deep` makes no difference."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **settings: Any) -> Self:
        """Changes settings by name; unknown names raise `ProgramError`."""
        for name, value in settings.items():
            if name not in self._names():
                wrong(f"{type(self).__name__} has no setting {name!r}: {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        said = [f"{name}={value!r}" for name, value in self.get_params().items() if repr(value) != repr(defaults[name].default)]
        return f"{type(self).__name__}({', '.join(said)})"

    def _fitted(self, name: str) -> Any:
        """What `fit` sets; a mistake where it was not called."""
        if name not in self.__dict__:
            wrong(f"this {type(self).__name__} is not fitted yet: call fit first")
        return self.__dict__[name]

    def _copy(self) -> Self:
        """An estimator with these settings that is not fitted."""
        return type(self)(**copy.copy(self.get_params()))


class OfKinds(Estimator):
    """An estimator that predicts classes."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """The part of rows whose class is predicted right: of arrays of the parties a secret number, as `tc.ml.accuracy` gives it.

        Args:
            X: Features, as for `predict`.
            y: Classes, shape (rows).
            sample_weight: Bits, shape (rows): which rows count. All do, unless it is said.
        """
        from .metrics import accuracy

        found: Any = self.predict(X)
        if isinstance(found, Array):
            return accuracy(y, found, sample_weight=sample_weight)
        return float(np.average(found == np.asarray(y), weights=sample_weight))

    def predict(self, X: Any) -> Any:
        """The class of each row."""
        raise NotImplementedError


class OfAmounts(Estimator):
    """An estimator that predicts numbers."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """The part of the variance that predictions explain: of arrays of the parties a secret number, as `tc.ml.r2` gives it.

        Args:
            X: Features, as for `predict`.
            y: Numbers, shape (rows).
            sample_weight: Bits, shape (rows): which rows count. All do, unless it is said.
        """
        from .metrics import r2

        found: Any = self.predict(X)
        if isinstance(found, Array):
            return r2(y, found, sample_weight=sample_weight)
        y = np.asarray(y, dtype=np.float64)
        total = np.average((y - np.average(y, weights=sample_weight)) ** 2, weights=sample_weight)
        return float(1 - np.average((y - found) ** 2, weights=sample_weight) / total) if total > 0 else 1.0

    def predict(self, X: Any) -> Any:
        """A number for each row."""
        raise NotImplementedError


class Scored(Estimator):
    """An estimator with weights whose scores are linear in the features."""

    coef_: Any
    intercept_: Any

    def _score(self, X: Any) -> Any:
        """`X @ coef_ + intercept_`, shape (rows); `X @ coef_.T + intercept_`, shape (rows, classes), of weights for each class."""
        coef = self._fitted("coef_")
        if isinstance(X, Array):
            X = features(X, int(coef.shape[-1]))
        return X @ (coef if len(coef.shape) == 1 else coef.T) + self.intercept_


def wrong(message: str, kind: type[ProgramError] = ProgramError) -> NoReturn:
    """Raises a mistake at the user's line."""
    fail(kind, message, *here())


def features(X: Any, width: int | None = None) -> Array:
    """A matrix of features in fixed point. Its number of columns is known, and `width` if that is given."""
    if not isinstance(X, Array):
        wrong(f"features are an array of the parties, and this is {type(X).__name__}: party.array(...), or reference(X, y) for NumPy")
    if X.ndim != 2 or isinstance(X.shape[1], Extent):
        wrong(f"features have two axes, rows and columns, and the number of columns is known: this has the shape {X.shape}", ShapeError)
    if width is not None and X.shape[1] != width:
        wrong(f"this was fitted with {width} columns, and these features have {X.shape[1]}", ShapeError)
    return X if X._node.kind == "fixed" else to_fixed(X, FRACTION)


def targets(X: Array, y: Any) -> Array:
    """One number for each row of features, as it is."""
    if not isinstance(y, Array):
        wrong(f"targets are an array of the parties, and this is {type(y).__name__}")
    if y.ndim != 1 or y.shape[0] != X.shape[0]:
        wrong(f"targets are one number for each row: features have the shape {X.shape}, and these {y.shape}", ShapeError)
    return y


def counting(X: Array, sample_weight: Any) -> Array | None:
    """Bits that say which rows count, if not all do."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Array) or sample_weight._node.kind != "bit":
        what = "sample_weight is bits of the parties, one for each row, which say whether it counts"
        wrong(f"{what}: what frame.to_arrays() gives, or a comparison")
    return targets(X, sample_weight)


def weighing(X: Array, sample_weight: Any) -> Array | None:
    """Weights of rows, from zero: bits or numbers; nothing if all rows count alike."""
    if sample_weight is None:
        return None
    if not isinstance(sample_weight, Array):
        wrong(f"sample_weight is an array of the parties, one number for each row, and this is {type(sample_weight).__name__}")
    low, high = sample_weight.range
    if low < 0:
        wrong(f"weights of rows are from zero, and these may be anything in {low}..{high}: declare such a range", RangeError)
    return targets(X, sample_weight)


def weighed(x: Any, weight: Array | None) -> Any:
    """Numbers of rows times the weights of their rows, which are along the first axis of both."""
    if weight is None:
        return x
    weight = xp.expand_dims(weight, axis=tuple(range(1, x.ndim))) if x.ndim > 1 else weight
    return xp.where(weight, x, 0) if weight._node.kind == "bit" else x * weight


def weighted_mean(x: Array, weight: Array | None, frac: int = FRACTION) -> Array:
    """The mean over rows, by their weights, with so many bits behind the point; zero if there are none."""
    if weight is None or weight._node.kind == "bit":
        return xp.mean(x, axis=0, where=across(x, weight), frac=frac)
    low, high = x.range
    # Products are rounded: what is lost of a sum is small beside the sum of weights, unless that is, too.
    total = to_fixed(xp.sum(weighed(to_fixed(x, frac), weight), axis=0), frac)
    # It lies where the numbers do, or is zero, but for rounding: a few units of the last place over the sum of weights.
    return xp.clip(divide(total, to_fixed(xp.sum(weight), frac)), min(low, 0), max(high, 0))


def across(X: Array, there: Array | None) -> Array | None:
    """The same bits for each element of rows."""
    return there if there is None or X.ndim == 1 else xp.expand_dims(there, axis=1)


def only(X: Array, there: Array | None) -> Array:
    """Rows that count as they are, and zeros for the others."""
    counts = across(X, there)
    return X if counts is None else xp.where(counts, X, 0)


def truths(X: Array, y: Any) -> Array:
    """Classes 0 and 1 of rows, as whole numbers."""
    y = targets(X, y)
    low, high = y.range
    if y._node.kind == "fixed" or low < 0 or high > 1:
        wrong(
            f"classes are 0 and 1, and these may be anything in {low}..{high}: give tc.Bool(), or compare first, as in y == 3", RangeError
        )
    return xp.astype(y, Bool()) if y._node.kind != "bit" else y


def classes(X: Array, y: Any, most: int) -> tuple[Array, int]:
    """Whole numbers from 0 as classes, and how many there are by their range, two at least."""
    y = targets(X, y)
    low, high = y.range
    if y._node.kind == "fixed" or low < 0 or high >= most:
        what = f"classes are whole numbers 0 to at most {most - 1}, and these may be anything in {low}..{high}"
        wrong(f"{what}: give tc.Int(0, ...), or tc.Bool() of two, or compare first, as in y == 3", RangeError)
    return y, max(int(high) + 1, 2)


def one_hot(y: Array, kinds: int) -> Array:
    """Bits that say of which class each row is, shape (rows, classes)."""
    return xp.expand_dims(whole(y), axis=1) == xp.arange(kinds)


def whole(x: Array) -> Array:
    """Bits as numbers 0 and 1, anything else as it is."""
    return xp.astype(x, Int(0, 1)) if x._node.kind == "bit" else x


def known(length: int | Extent, why: str) -> int:
    """A number of rows that is known while the program is written."""
    if isinstance(length, Extent):
        wrong(
            f"{why} needs a known number of rows, and {length!r} is bound when the program runs: give a number, shape=(500, 30)", ShapeError
        )
    return length


def most(length: int | Extent) -> int:
    """The most rows that there can be."""
    if isinstance(length, Rows):
        return length.max
    if isinstance(length, Extent):
        return length.constant + sum(dim.max * factor for dim, factor in length.terms.items())
    return length


def power_above(number: float) -> int:
    """The exponent of the least power of two that is not less than a number."""
    return max(math.ceil(math.log2(number)), -FINE) if number > 0 else 0


def largest(x: Array) -> float:
    """The greatest distance from zero that elements can have."""
    return float(max(abs(bound) for bound in x.range))


def positive(**settings: Any) -> None:
    """Settings that are numbers above zero."""
    for name, value in settings.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not value > 0 or not math.isfinite(value):
            wrong(f"{name} is a public number above 0, not {value!r}")


def counts(**settings: Any) -> None:
    """Settings that are whole numbers from one."""
    for name, value in settings.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            wrong(f"{name} is a whole number from 1, not {value!r}")


def one_of(name: str, value: Any, among: tuple[str, ...]) -> None:
    """A setting that is one of some texts."""
    if value not in among:
        wrong(f"{name} is one of {', '.join(map(repr, among))}, not {value!r}")


def within(x: Array, lo: float, hi: float, overflow: str) -> Array:
    """Values within a range in one of the three ways; as they are if they cannot leave it."""
    low, high = x.range
    if lo <= low and high <= hi:
        return x
    if overflow == "clip":
        return xp.clip(x, lo, hi)
    return xp.check(x, lo, hi) if overflow == "check" else xp.promise(x, lo, hi)


def gram(x: Array, y: Array) -> Array:
    """Sums of products of columns over all rows, `x.T @ y`, with 28 bits behind the point."""
    if most(x.shape[0]) * largest(x) * largest(y) >= 2.0 ** (62 - FINE):
        what = f"sums of products of numbers up to {largest(x):g} and {largest(y):g} over {most(x.shape[0])} rows"
        wrong(f"{what} need more than 64 bits: scale columns to about -8..8 first (tc.ml.StandardScaler), and targets too", RangeError)
    return to_fixed(x.T @ y, FINE)


def proven(x: Array, lo: float, hi: float) -> Array:
    """Values that lie from `lo` to `hi` by what they are, where intervals do not show it: the proof is beside each call.

    It is a promise of this package and not of the user: the disclosure does not name it. `job.check` verifies it all the same.
    """
    low, high = x._node.interval
    fraction = x._node.fraction
    low, high = max(low, math.floor(lo * 2**fraction)), min(high, math.ceil(hi * 2**fraction))
    return xp._within("assume", x, _number(low, fraction), _number(high, fraction))


def _number(raw: int, fraction: int) -> int | Decimal:
    """A number of units in the last place, exactly."""
    return raw if fraction == 0 else Decimal(f"{raw * 5**fraction}e-{fraction}")


def inverse(x: Array, lo: float, hi: float) -> Array:
    """One divided by numbers that lie from `lo` to `hi`, in a few products: Newton's steps from a straight line.

    `1 - x y` is at most `(hi - lo)^2 / (lo^2 + 6 lo hi + hi^2)` at the best line, and squared by each step. Where that line ends
    too near to zero for the bits behind the point, it is the tangent at `hi`, with `(1 - lo / hi)^2`. A division takes hundreds of
    rounds, and knows nothing of the range.
    """
    scale = lo * lo + 6 * lo * hi + hi * hi
    if 8 * lo / scale >= 2.0 ** (10 - x._node.fraction):
        error, y = (hi - lo) ** 2 / scale, 8 * (lo + hi) / scale - x * (8 / scale)
    else:
        error, y = (1 - lo / hi) ** 2, 2 / hi - x * (1 / hi**2)
    while error > 2.0**-x._node.fraction:
        # x y lies in 0..2 from the beginning, and in 0..1 after a step; the rest is room for rounding.
        y = proven(y, -1, 2 / lo + 1)
        y = y * proven(2 - x * y, -0.5, 2.5)
        error = error**2
    return proven(y, 0.5 / hi, 2 / lo)


def exp_below(x: Array, lowest: float) -> Array:
    """Powers of e of numbers from `lowest`, at least -16, to 0, within 1e-5: `(1 + t + t^2 / 2)^256` with `t = x / 256`.

    That is eleven products, where an exponential of any number is exact to the last place and takes several times as many rounds.
    """
    x = to_fixed(x, FINE)
    t = proven(x * 2.0**-8, lowest / 256 - 0.01, 0.01)
    y = 1 + t * (1 + t * 0.5)
    for _ in range(8):
        # A square of a number from 0 to 1, but for its rounding, which is up to 256 units in the last place in the end.
        y = proven(y, 0, 1.125)
        y = y * y
    return proven(y, 0, 1.125)


# Functions of arrays of the parties and of NumPy's, so that fitted estimators predict for both.


def softmax(score: Any) -> Any:
    """Exponentials of the scores of a row over their sum, shape (rows, classes), within 2e-5; of the parties 20 bits behind the point.

    What is further than 12 below the greatest score of a row counts as 12 below.
    """
    below = score - namespace(score).max(score, axis=1, keepdims=True)
    if not isinstance(score, Array):
        powers = np.exp(np.maximum(below, _LOWEST))
        return powers / powers.sum(axis=1, keepdims=True)
    # No score is above the greatest one.
    powers = to_fixed(exp_below(proven(xp.maximum(below, _LOWEST), _LOWEST, 0), _LOWEST), 20)
    total = xp.sum(powers, axis=1, keepdims=True)
    # One of the powers is exp(0), but for its rounding, and none is greater.
    count = int(score.shape[1])
    return proven(powers * inverse(proven(total, 0.99, count + 0.5), 0.98, count + 1.0), 0, 2)


def sigmoid(x: Any, bits: int | None = None) -> Any:
    """1 / (1 + exp(-x)); of the parties perhaps with so many right bits."""
    return xp.sigmoid(x, bits=bits) if isinstance(x, Array) else 0.5 * (1 + np.tanh(0.5 * x))


def three_pieces(x: Any) -> Any:
    """x + 1/2, and 0 and 1 beyond -1/2 and 1/2."""
    if not isinstance(x, Array):
        return np.clip(x + 0.5, 0, 1)
    low, high = x < -0.5, x > 0.5
    return xp.where(low ^ high, xp.where(high, 1.0, 0.0), x + 0.5)


def exp(x: Any) -> Any:
    """Euler's number to this power."""
    return xp.exp(x) if isinstance(x, Array) else np.exp(x)


def clip(x: Any, lo: float, hi: float) -> Any:
    """The number, or the bound that it is beyond."""
    return xp.clip(x, lo, hi) if isinstance(x, Array) else np.clip(x, lo, hi)


def namespace(x: Any) -> Any:
    """The functions of an array: NumPy's, or Tacit's."""
    return xp if isinstance(x, Array) else np


def strided(x: Any, size: int, parts: int) -> Any:
    """Batches of rows as a new first axis: batch `b` has the rows b, b + parts, b + 2 parts, ..."""
    x = x[: size * parts]
    rest = tuple(x.shape[1:])
    x = x.reshape((size, parts, *rest))
    return namespace(x).moveaxis(x, 1, 0)
