"""A network of dense layers for classes, with its gradients written out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from .. import xp
from ..array import Array, to_fixed
from ..control import loop
from ..types import Fixed
from ._common import (
    FRACTION,
    Floats,
    OfKinds,
    classes,
    counts,
    features,
    known,
    namespace,
    one_hot,
    one_of,
    positive,
    power_above,
    sigmoid,
    softmax,
    strided,
    weighed,
    weighing,
    wrong,
)

__all__ = ["MLPClassifier"]

_WEIGHTS = 24
# Bits behind the point of gradients, which are small and drift if they are rounded too much.
_INNER = 20
_MOST_CLASSES = 32
_MOST_CONSTANTS = 4096


class MLPClassifier(OfKinds):
    """A network of dense layers with ReLU between them, and softmax (of two classes, the sigmoid) behind, by gradient descent.

    A step is on a batch of rows: batch `b` of `k` is the rows b, b + k, b + 2 k and so on, so that rows of several owners mix. It
    takes a product of matrices for each layer forward and two backward, a comparison for each hidden number, and an exponential
    for each class. The first weights are public random numbers of a seed. The others are secret until they are revealed; the
    program says the sizes of layers and these settings.

    Args:
        hidden_layer_sizes: Numbers in each hidden layer.
        steps: How many steps.
        epochs: How many times training goes through all batches, in place of `steps`.
        learning_rate: The size of steps: the gradient of a batch's sum is multiplied by `learning_rate / 2^k`, where `2^k` is the
            least power of two that is not less than `batch_size`.
        batch_size: How many rows a step is on. Rows beyond the last whole batch are left out.
        random_state: The seed of the first weights.
        coef_range: Weights stay within `-coef_range..coef_range` in every step.
        overflow: `"check"` verifies that in the run, and everybody learns that one bit; `"clip"` cuts weights off there;
            `"promise"` takes your word.

    Attributes:
        coefs_: Weights of each layer, shape (before, behind).
        intercepts_: Intercepts of each layer.
        n_classes_: The number of classes, by the range of `y`.
    """

    coefs_: list[Any]
    intercepts_: list[Any]
    n_classes_: int

    def __init__(
        self,
        *,
        hidden_layer_sizes: Sequence[int] = (32,),
        steps: int = 200,
        epochs: int | None = None,
        learning_rate: float = 0.5,
        batch_size: int = 64,
        random_state: int = 0,
        coef_range: float = 16.0,
        overflow: str = "check",
    ) -> None:
        self.hidden_layer_sizes, self.steps, self.epochs, self.learning_rate = hidden_layer_sizes, steps, epochs, learning_rate
        self.batch_size, self.random_state = batch_size, random_state
        self.coef_range, self.overflow = coef_range, overflow

    def _validate(self, rows: int) -> int:
        """The number of batches."""
        counts(steps=self.steps, batch_size=self.batch_size, **{"a layer's size": min(self.hidden_layer_sizes, default=0)})
        positive(learning_rate=self.learning_rate, coef_range=self.coef_range)
        one_of("overflow", self.overflow, ("check", "clip", "promise"))
        if self.epochs is not None:
            counts(epochs=self.epochs)
        if self.batch_size > rows:
            wrong(f"a batch of {self.batch_size} rows is more than there are, {rows}")
        return rows // self.batch_size

    def _steps(self, parts: int) -> int:
        """How many steps there are, of so many batches."""
        return self.steps if self.epochs is None else self.epochs * parts

    def _first(self, columns: int, kinds: int) -> list[Floats]:
        """The first weights: uniform, with the variance that keeps the size of numbers from layer to layer."""
        rng = np.random.default_rng(self.random_state)
        sizes = [columns, *self.hidden_layer_sizes, 1 if kinds == 2 else kinds]
        return [
            np.round(rng.uniform(-1, 1, (a, b)) * min(np.sqrt(6 / (a + b)), self.coef_range) * 2**_WEIGHTS) / 2**_WEIGHTS
            for a, b in pairwise(sizes)
        ]

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> MLPClassifier:
        """Adds the training to the program.

        Args:
            X: Features, shape (rows, columns), scaled to about -8..8; the number of rows is known.
            y: Classes, `tc.Bool()` or whole numbers from 0 to at most 31, shape (rows).
            sample_weight: What each row counts, shape (rows): bits, which say whether it does, or numbers from 0, about one on average.
                All count one, unless it is said.

        Raises `ShapeError`, `RangeError` and `ProgramError` at the line of the call. With `overflow="check"`, a weight that
        leaves its range in any step ends the run with `CheckFailed`, which everybody learns.
        """
        X = features(X)
        rows = known(X.shape[0], "MLPClassifier")
        y, kinds = classes(X, y, _MOST_CLASSES)
        self.n_classes_ = kinds
        parts = self._validate(rows)
        weight = weighing(X, sample_weight)
        if weight is not None:
            weight = strided(weight if weight._node.kind == "bit" else to_fixed(weight, _INNER), self.batch_size, parts)
        target = xp.expand_dims(y, axis=1) if kinds == 2 else one_hot(y, kinds)
        X = strided(to_fixed(X, _INNER), self.batch_size, parts)
        target = strided(xp.astype(target, Fixed(0, 1, _INNER)), self.batch_size, parts)
        first = self._first(int(X.shape[-1]), kinds)
        shapes = [*(it.shape for it in first), *((it.shape[1],) for it in first)]
        zeros = xp._filled(X._arena, (sum(it.shape[1] for it in first),), 0)
        start = _flat([*(to_fixed(_constants(it), _WEIGHTS) for it in first), to_fixed(zeros, _WEIGHTS)])
        rate = self.learning_rate / 2.0 ** power_above(self.batch_size)

        def step(weights: Array, i: Array) -> Array:
            # In one array: what is done with all weights together takes rounds once.
            own = None if weight is None else weight[i % parts]
            slopes = self._slopes(X[i % parts], target[i % parts], _apart(to_fixed(weights, _INNER), shapes), own)
            return weights - to_fixed(_flat(slopes), _WEIGHTS) * rate

        keep = Fixed(-self.coef_range, self.coef_range, _WEIGHTS)
        found = _apart(to_fixed(loop(self._steps(parts), step, start, keep=keep, overflow=self.overflow), FRACTION), shapes)
        self.coefs_, self.intercepts_ = found[: len(first)], found[len(first) :]
        return self

    def _slopes(self, X: Any, target: Any, carried: list[Any], own: Any = None) -> list[Any]:
        """The gradients of weights, then of offsets, of the sum of losses of a batch."""
        xs = namespace(X)
        weights, offsets = carried[: len(carried) // 2], carried[len(carried) // 2 :]
        inputs, signs, score = _forward(X, weights, offsets)
        rest = _chances(score) - target
        if own is not None:
            rest = weighed(rest, own) if isinstance(rest, Array) else rest * own[:, None]
        by_weight: list[Any] = []
        by_offset: list[Any] = []
        for layer in range(len(weights) - 1, -1, -1):
            by_weight.insert(0, inputs[layer].T @ rest)
            by_offset.insert(0, rest.sum(axis=0))
            if layer:
                back = rest @ weights[layer].T
                rest = xs.where(signs[layer - 1], back, 0.0)
        return [*by_weight, *by_offset]

    def _scores(self, X: Any) -> Any:
        coefs = self._fitted("coefs_")
        if isinstance(X, Array):
            X = features(X, int(coefs[0].shape[0]))
        return _forward(X, coefs, self.intercepts_)[2]

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of classes, shape (rows, classes)."""
        chance = _chances(self._scores(X))
        xs = namespace(chance)
        return xs.concat([1 - chance, chance], axis=1) if self.n_classes_ == 2 else chance

    def predict(self, X: Any) -> Any:
        """The class of each row, the first of equally likely ones, shape (rows): a truth value if there are two."""
        score = self._scores(X)
        return score[:, 0] > 0 if self.n_classes_ == 2 else namespace(score).argmax(score, axis=1)

    def reference(self, X: Any, y: Any, sample_weight: Any = None) -> MLPClassifier:
        """The same training in float64: an estimator whose attributes and predictions are NumPy's.

        Args:
            X: Features as NumPy's array, shape (rows, columns).
            y: Classes, shape (rows).
            sample_weight: What each row counts, shape (rows).
        """
        X, y, found = np.asarray(X, dtype=np.float64), np.asarray(y).astype(np.int64), self._copy()
        found.n_classes_ = kinds = max(int(y.max()) + 1, 2)
        parts = self._validate(len(X))
        target = y[:, None].astype(np.float64) if kinds == 2 else np.eye(kinds)[y]
        X, target = strided(X, self.batch_size, parts), strided(target, self.batch_size, parts)
        weight = None if sample_weight is None else strided(np.asarray(sample_weight, dtype=np.float64), self.batch_size, parts)
        first = self._first(X.shape[-1], kinds)
        carried = [*first, *(np.zeros(it.shape[1]) for it in first)]
        rate = self.learning_rate / 2.0 ** power_above(self.batch_size)
        for i in range(self._steps(parts)):
            slopes = self._slopes(X[i % parts], target[i % parts], carried, None if weight is None else weight[i % parts])
            carried = [it - slope * rate for it, slope in zip(carried, slopes, strict=True)]
        found.coefs_, found.intercepts_ = carried[: len(first)], carried[len(first) :]
        return found


def _flat(arrays: list[Array]) -> Array:
    """The elements of all arrays in one axis, with equally many bits behind the point."""
    return xp.concat([xp.reshape(it, (-1,)) for it in arrays])


def _apart(flat: Array, shapes: list[tuple[int, ...]]) -> list[Array]:
    """Arrays of these shapes whose elements are in one axis."""
    found, at = [], 0
    for shape in shapes:
        size = math.prod(shape)
        found.append(xp.reshape(flat[at : at + size], shape))
        at += size
    return found


def _constants(values: Floats) -> Array:
    """A matrix of constants, in as many pieces as a program takes."""
    size = max(_MOST_CONSTANTS // values.shape[1], 1)
    pieces = [_exact(values[at : at + size]) for at in range(0, len(values), size)]
    return xp.concat(pieces, axis=0) if len(pieces) > 1 else pieces[0]


def _exact(values: Floats) -> Array:
    """Constants with as many bits behind the point as weights."""
    return to_fixed(xp.asarray(np.round(values * 2**_WEIGHTS).astype(np.int64)), _WEIGHTS) * 2.0**-_WEIGHTS


def _forward(X: Any, weights: list[Any], offsets: list[Any]) -> tuple[list[Any], list[Any], Any]:
    """What goes into each layer, which hidden numbers are above zero, and the scores."""
    inputs, signs = [X], []
    for weight, offset in zip(weights[:-1], offsets[:-1], strict=True):
        hidden = inputs[-1] @ weight + offset
        signs.append(hidden > 0)
        inputs.append(namespace(X).where(signs[-1], hidden, 0.0))
    return inputs, signs, inputs[-1] @ weights[-1] + offsets[-1]


def _chances(score: Any) -> Any:
    """The sigmoid of a single column, softmax of several."""
    return sigmoid(score) if int(score.shape[1]) == 1 else softmax(score)
