"""Functions of single elements that are smooth or made of pieces."""

from __future__ import annotations

import math

import numpy as np

from ... import xp
from ..._place import here
from ...array import Array, divide
from ...errors import RangeError, fail
from ..numbers import assumed, constant, real, times
from ..table import Call, Value, op


def scaled(at: Call, x: Array, factor: float) -> Array:
    """Products with one public number."""
    return times(at, x, np.float64(factor))


def shifted(at: Call, x: Array, by: float) -> Array:
    """Sums with one public number."""
    return x + constant(at.arena, np.float64(by), x._node.fraction)


def zero(at: Call, x: Array) -> Array:
    """Zero, as an operand beside `x`."""
    return constant(at.arena, np.float64(0) if x._node.kind == "fixed" else np.int64(0), x._node.fraction)


@op("Relu")
def relu(at: Call, x: Array) -> Array:
    return x if x.range[0] >= 0 else xp.maximum(x, zero(at, x))


@op("LeakyRelu")
def leaky(at: Call, x: Array) -> Array:
    slope = float(at.attr("alpha", 0.01))
    other = scaled(at, x, slope)
    return xp.maximum(x, other) if 0 <= slope <= 1 else xp.where(x >= zero(at, x), x, other)


@op("PRelu")
def learned(at: Call, x: Value, slope: Value) -> Array:
    x = real(at, x)
    other = x * slope if isinstance(slope, Array) else times(at, x, slope)
    return xp.where(x >= zero(at, x), x, other)


@op("ThresholdedRelu")
def thresholded(at: Call, x: Array) -> Array:
    edge = constant(at.arena, np.float64(at.attr("alpha", 1.0)), x._node.fraction)
    return xp.where(x > edge, x, zero(at, x))


@op("Shrink")
def shrink(at: Call, x: Array) -> Array:
    x = real(at, x)
    edge, by = float(at.attr("lambd", 0.5)), float(at.attr("bias", 0.0))
    low, high = (constant(at.arena, np.float64(it), x._node.fraction) for it in (-edge, edge))
    return xp.where(x < low, shifted(at, x, by), xp.where(x > high, shifted(at, x, -by), zero(at, x)))


@op("HardSigmoid")
def hard_sigmoid(at: Call, x: Array) -> Array:
    line = shifted(at, scaled(at, real(at, x), float(at.attr("alpha", 0.2))), float(at.attr("beta", 0.5)))
    one = constant(at.arena, np.float64(1), line._node.fraction)
    return xp.minimum(xp.maximum(line, zero(at, line)), one)


@op("Sigmoid")
def sigmoid(at: Call, x: Array) -> Array:
    if at.op_type == "Sigmoid":
        at.walk.ordered[at.outputs[0]] = (at.sources[0], None)
    return xp.sigmoid(real(at, x), bits=at.precision)


@op("Tanh")
def tanh(at: Call, x: Array) -> Array:
    x = real(at, x)
    return shifted(at, xp.sigmoid(x + x, bits=at.precision) * 2, -1.0)


@op("Exp")
def exp(at: Call, x: Array) -> Array:
    return exponential(at, real(at, x))


def exponential(at: Call, x: Array) -> Array:
    """Exponentials; the range of the result is that of the operand's."""
    low, high = x.range
    if high > (60 - x._node.fraction) * math.log(2):
        place, path = here()
        fail(RangeError, f"the exponential of a number that may be {high} needs more than 64 bits", place, path)
    found = xp.exp(x, bits=at.precision)
    unit = 2.0**-x._node.fraction
    least, most = math.exp(max(low, -700.0)) * (1 - at.wrong), math.exp(high) * (1 + 2.0**-20 + at.wrong)
    return assumed(found, least - 8 * unit, most + 8 * unit)


@op("Log")
def log(at: Call, x: Array) -> Array:
    return xp.log(real(at, x), bits=at.precision)


@op("Sqrt")
def sqrt(at: Call, x: Array) -> Array:
    return xp.sqrt(real(at, x))


@op("Reciprocal")
def reciprocal(at: Call, x: Array) -> Array:
    return xp.reciprocal(real(at, x), bits=at.precision)


@op("Softplus")
def softplus(at: Call, x: Array) -> Array:
    """The logarithm of 1 + exp(x), in which no exponential is large."""
    x = real(at, x)
    small = exponential(at, assumed(-abs(x), x.range[0] - x.range[1] - 1, 0))
    found: Array = relu(at, x) + xp.log(shifted(at, small, 1.0), bits=at.precision)
    return found


@op("Erf")
def erf(at: Call, x: Array) -> Array:
    """The error function, by formula 7.1.26 of Abramowitz and Stegun: within 1.5e-7, and the roundings of fixed point."""
    x = real(at, x)
    far = xp.minimum(abs(x), constant(at.arena, np.float64(4), x._node.fraction))
    t = xp.reciprocal(shifted(at, scaled(at, far, 0.3275911), 1.0), bits=at.precision)
    t = assumed(t, 0, 1 + at.wrong + 4 * 2.0**-x._node.fraction)
    poly = scaled(at, t, 1.061405429)
    for term in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        poly = shifted(at, poly, term) * t
    near = exponential(at, -(far * far))
    found = shifted(at, -(poly * near), 1.0)
    found = xp.minimum(xp.maximum(found, zero(at, found)), constant(at.arena, np.float64(1), found._node.fraction))
    signed: Array = xp.where(x < zero(at, x), -found, found)
    return signed


@op("Gelu")
def gelu(at: Call, x: Array) -> Array:
    x = real(at, x)
    if at.attr("approximate", "none") == "tanh":
        inner = scaled(at, x + scaled(at, x * x * x, 0.044715), math.sqrt(2 / math.pi))
        share = xp.sigmoid(inner + inner, bits=at.precision)
    else:
        share = scaled(at, shifted(at, erf(at, scaled(at, x, math.sqrt(0.5))), 1.0), 0.5)
    return x * share


@op("Elu")
def elu(at: Call, x: Array) -> Array:
    x = real(at, x)
    below = exponential(at, xp.minimum(x, zero(at, x)))
    return xp.where(x < zero(at, x), scaled(at, shifted(at, below, -1.0), float(at.attr("alpha", 1.0))), x)


@op("Selu")
def selu(at: Call, x: Array) -> Array:
    alpha, gamma = float(at.attr("alpha", 1.6732632)), float(at.attr("gamma", 1.0507009))
    x = real(at, x)
    below = scaled(at, shifted(at, exponential(at, xp.minimum(x, zero(at, x))), -1.0), alpha * gamma)
    return xp.where(x < zero(at, x), below, scaled(at, x, gamma))


@op("Softsign")
def softsign(at: Call, x: Array) -> Array:
    x = real(at, x)
    return divide(x, shifted(at, abs(x), 1.0))


@op("HardSwish")
def hard_swish(at: Call, x: Array) -> Array:
    x = real(at, x)
    line = shifted(at, scaled(at, x, 1 / 6), 0.5)
    one = constant(at.arena, np.float64(1), line._node.fraction)
    return x * xp.minimum(xp.maximum(line, zero(at, line)), one)


@op("Swish")
def swish(at: Call, x: Array) -> Array:
    x = real(at, x)
    return x * xp.sigmoid(scaled(at, x, float(at.attr("alpha", 1.0))), bits=at.precision)
