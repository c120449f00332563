"""Linear models, scaling and kernels of `ai.onnx.ml`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import xp
from ...array import Array, number
from ..numbers import assumed, constant, dot, length, plus, real, times
from ..table import Call, Value, op
from .activations import exponential, scaled, shifted, tanh
from .layers import product
from .parts import entries
from .reduce import best, softmax, squares


@op("ml:Scaler")
def scaler(at: Call, x: Value) -> Array:
    offset, scale = at.weight("offset", at.attr("offset", [0.0])), at.weight("scale", at.attr("scale", [1.0]))
    x = real(at, x)
    away = plus(at, x, -offset)
    return away * scale if isinstance(scale, Array) else times(at, away, scale)


def _linear(at: Call, x: Value, rows: int) -> Array:
    coefficients = np.asarray(at.attr("coefficients"), dtype=np.float64).reshape(rows, -1)
    weights = at.weight("coefficients", coefficients.T)
    x = real(at, x)
    found = product(at, x, weights) if isinstance(weights, Array) else dot(at, x, weights)
    given = at.attr("intercepts")
    return found if given is None else plus(at, found, at.weight("intercepts", given))


@op("ml:LinearRegressor")
def linear_regressor(at: Call, x: Value) -> Array:
    return transformed(at, _linear(at, x, int(at.attr("targets", 1))))


def transformed(at: Call, scores: Array) -> Array:
    """Scores after the transform that the node names."""
    how = at.attr("post_transform", "NONE")
    if how == "LOGISTIC":
        return xp.sigmoid(scores, bits=at.precision)
    if how == "SOFTMAX":
        return softmax(at, scores, [scores.ndim - 1])
    if how != "NONE":
        at.refuse(f"post_transform {how}")
    return scores


def classes(at: Call) -> np.ndarray[Any, Any]:
    """The classes that a classifier names."""
    for name in ("classlabels_ints", "classlabels_int64s", "classlabels_strings"):
        if at.attr(name):
            return np.asarray(at.attr(name))
    return np.zeros(0, dtype=np.int64)


def negated_and_itself(scores: Array) -> Array:
    """The two columns of a score that is of the second of two classes."""
    return xp.concat([-scores, scores], axis=1)


@op("ml:LinearClassifier")
def linear_classifier(at: Call, x: Value) -> list[Array]:
    named = classes(at)
    made = real(at, x)
    rows = len(np.asarray(at.attr("coefficients"))) // length(made, made.ndim - 1)
    scores = _linear(at, made, rows)
    if rows == 1 and len(named) == 2:
        scores = negated_and_itself(scores)
    if length(scores, 1) == 1:
        at.refuse("a single class")
    # Transforms keep the order: places of the greatest scores are found before them.
    place = best(at, scores, 1, least=False, last=False)
    return [entries(at, named, place) if len(named) else place, transformed(at, scores)]


@op("ml:SVMRegressor")
def svm_regressor(at: Call, x: Value) -> Array:
    if at.attr("one_class", 0):
        at.refuse("one-class machines")
    x = real(at, x)
    supports = int(at.attr("n_supports", 0))
    coefficients = np.asarray(at.attr("coefficients"), dtype=np.float64).reshape(-1, 1)
    rho = at.weight("rho", np.asarray(at.attr("rho", [0.0]), dtype=np.float64)[:1])
    if supports == 0:
        return transformed(at, plus(at, product(at, x, at.weight("coefficients", coefficients)), rho))
    vectors = at.weight("support_vectors", np.asarray(at.attr("support_vectors"), dtype=np.float64).reshape(supports, -1))
    near = kernel(at, x, vectors)
    return transformed(at, plus(at, product(at, near, at.weight("coefficients", coefficients)), rho))


def kernel(at: Call, x: Array, vectors: Value) -> Array:
    """Kernels of rows and support vectors."""
    kind = at.attr("kernel_type", "LINEAR")
    gamma, coef0, degree = [float(it) for it in (at.attr("kernel_params") or [0.0, 0.0, 0.0])]
    turned = vectors.T if isinstance(vectors, Array) else np.ascontiguousarray(vectors.T)
    inner = product(at, x, turned)
    if kind == "LINEAR":
        return inner
    if kind == "RBF":
        own = xp.sum(squares(x), axis=1, keepdims=True)
        theirs = xp.sum(squares(vectors), axis=1) if isinstance(vectors, Array) else (vectors**2).sum(axis=1)
        # Distances are not negative, but for the roundings of their three parts.
        apart = plus(at, own - inner * 2, theirs)
        apart = xp.maximum(apart, constant(at.arena, np.float64(0), apart._node.fraction))
        return exponential(at, scaled(at, apart, -gamma))
    line = shifted(at, scaled(at, inner, gamma), coef0)
    if kind == "POLY":
        return xp.pow(line, int(degree))
    if kind == "SIGMOID":
        found: Array = tanh(at, line)
        return found
    at.refuse(f"kernel {kind}")


@op("ml:SVMClassifier")
def svm_classifier(at: Call, x: Value) -> list[Array]:
    """One machine for each pair of classes: the class that most of them vote for, and the scores of the pairs."""
    named = classes(at)
    if at.attr("prob_a") or not int(at.attr("vectors_per_class") is not None):
        at.refuse("probabilities, or linear machines without support vectors")
    many = len(named)
    counts = [int(it) for it in at.attr("vectors_per_class")]
    supports = sum(counts)
    x = real(at, x)
    vectors = at.weight("support_vectors", np.asarray(at.attr("support_vectors"), dtype=np.float64).reshape(supports, -1))
    near = kernel(at, x, vectors)
    given = np.asarray(at.attr("coefficients"), dtype=np.float64).reshape(many - 1, supports)
    starts = np.concatenate([[0], np.cumsum(counts)])
    pairs = [(i, j) for i in range(many) for j in range(i + 1, many)]
    matrix = np.zeros((supports, len(pairs)))
    for column, (i, j) in enumerate(pairs):
        matrix[starts[i] : starts[i + 1], column] = given[j - 1, starts[i] : starts[i + 1]]
        matrix[starts[j] : starts[j + 1], column] = given[i, starts[j] : starts[j + 1]]
    rho = at.weight("rho", np.asarray(at.attr("rho"), dtype=np.float64)[: len(pairs)])
    scores = plus(at, product(at, near, at.weight("coefficients", matrix)), rho)
    first = number(scores > constant(at.arena, np.float64(0), scores._node.fraction))
    for_first, for_second = np.zeros((len(pairs), many), np.int64), np.zeros((len(pairs), many), np.int64)
    for column, (i, j) in enumerate(pairs):
        for_first[column, i] = for_second[column, j] = 1
    votes = first @ constant(at.arena, for_first, 0) + (1 - first) @ constant(at.arena, for_second, 0)
    place = best(at, assumed(votes, 0, many), 1, least=False, last=False)
    if many == 2:
        scores = negated_and_itself(scores)
    return [entries(at, named, place), transformed(at, scores)]


@op("ml:Imputer")
def imputer(at: Call, x: Value) -> Array:
    """There is nothing missing in fixed point: only a value that stands for it can be replaced."""
    made = real(at, x)
    stands = at.attr("replaced_value_float", float("nan"))
    if np.isnan(stands):
        return made
    values = np.asarray(at.attr("imputed_value_floats"), dtype=np.float64)
    hit = made == constant(at.arena, np.float64(stands), made._node.fraction)
    given = at.weight("imputed", values)
    return xp.where(hit, given if isinstance(given, Array) else constant(at.arena, given, made._node.fraction), made)
