"""Functions and operators against NumPy, on evaluation in the clear.

Bits and integers are compared exactly. Fixed point is compared within a number of units of the last place, which each
case states: `docs/semantics.md` says how each operation rounds.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tacit as tc

few = settings(max_examples=int(os.environ.get("TACIT_EXAMPLES", "20")), deadline=None)
UNIT = 2.0**-16
SMALL, BYTE, WIDE = tc.Int(-100, 100), tc.Int(0, 255), tc.Int(-(2**31), 2**31 - 1)
REAL, BIT = tc.Fixed(-8, 8), tc.Bool()
LEVEL, PLACE = tc.Category(["low", "mid", "high"], name="level"), tc.Category(["here", "there"], name="place")


# Data.


def elements(type: tc.Type) -> st.SearchStrategy[Any]:
    """Values of a type, often those at the ends of its range, and near zero."""
    if isinstance(type, tc.Bool):
        return st.booleans()
    if isinstance(type, tc.Category):
        return st.sampled_from(list(type.names))
    low, high = type.interval()
    edges = [raw for raw in (low, high, 0, 1, -1) if low <= raw <= high]
    raw = st.sampled_from(edges) | st.integers(low, high) | st.integers(max(low, -3), min(high, 3))
    fraction = type.kind()[2]
    return raw.map(lambda value: value / 2**fraction) if fraction else raw


def arrays(type: tc.Type, shape: Any) -> st.SearchStrategy[np.ndarray[Any, Any]]:
    """Arrays of a type and a shape."""
    dtype: Any = bool if isinstance(type, tc.Bool) else np.float64 if isinstance(type, tc.Fixed) else np.int64
    if isinstance(type, tc.Category):
        dtype = object
    return hnp.arrays(dtype, shape, elements=elements(type), fill=st.nothing())


def shapes(most: int = 3, least: int = 0, side: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of a few short axes."""
    return hnp.array_shapes(min_dims=least, max_dims=most, min_side=side, max_side=4)


def columns(*types: tc.Type, least: int = 0) -> st.SearchStrategy[tuple[np.ndarray[Any, Any], ...]]:
    """Columns of as many rows: often none or one."""
    rows = st.integers(least, 1 if least < 1 else least) | st.integers(least, 9)
    return rows.flatmap(lambda n: st.tuples(*(arrays(type, n) for type in types)))


def compute(function: Callable[..., Any], *inputs: tuple[tc.Type, Any], symbolic: bool = False) -> Any:
    """What a function of one party's arrays gives in the clear; with a row count as their first axis, if so told."""
    alice, bob = tc.parties("alice", "bob")
    n = tc.rows("n", max=16)
    declared, data = [], {}
    for i, (type, values) in enumerate(inputs):
        shape: tuple[Any, ...] = np.shape(values)
        if symbolic and shape and all(shape[1:]):
            shape = (n, *shape[1:])
        declared.append(alice.array(f"x{i}", type, shape=shape))
        data[f"alice.x{i}"] = values
    results = function(*declared)
    several = list(results) if isinstance(results, (list, tuple)) else [results]
    job = tc.job("case", {f"r{i}": value.reveal(to=[alice, bob]) for i, value in enumerate(several)})
    result = job.check({name: values for name, values in data.items() if name in job.input_names})
    for value, i in zip(several, range(len(several)), strict=True):
        low, high = value.range
        found = np.asarray(result[f"r{i}"])
        if found.dtype != object and found.size:
            assert low <= found.min() and found.max() <= high, "a value outside of its range"
    found = [result[f"r{i}"] for i in range(len(several))]
    return found if isinstance(results, (list, tuple)) else found[0]


def same(found: Any, wanted: Any, units: float = 0) -> None:
    """Equal, or within so many units of the last place of 16 bits behind the point."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    if found.dtype == object or wanted.dtype == object:
        assert found.tolist() == wanted.tolist()
    elif units:
        assert np.all(np.abs(found.astype(float) - wanted.astype(float)) <= units * UNIT), (found, wanted)
    else:
        np.testing.assert_array_equal(found.astype(wanted.dtype) if wanted.dtype == bool else found, wanted)


# Two operands.


def down(x: Any) -> Any:
    """Rounded down to a unit of the last place."""
    return np.floor(np.asarray(x, dtype=float) / UNIT) * UNIT


def quotient(a: Any, b: Any) -> Any:
    """The quotient rounded down, zero where the divisor is zero."""
    return np.where(b == 0, 0, np.asarray(a) // np.where(b == 0, 1, b))


def rest(a: Any, b: Any) -> Any:
    """What is left of a division, zero where the divisor is zero."""
    return np.where(b == 0, 0, np.asarray(a) % np.where(b == 0, 1, b))


def exact_quotient(a: Any, b: Any) -> Any:
    """The quotient in fixed point, zero where the divisor is zero."""
    return down(np.where(b == 0, 0, np.asarray(a, dtype=float) / np.where(b == 0, 1, b)))


def number(x: Any) -> Any:
    """Bits as integers."""
    return np.asarray(x).astype(np.int64) if np.asarray(x).dtype == bool else np.asarray(x)


def of_numbers(function: Any) -> Any:
    """A function of NumPy on numbers, also of bits."""
    return lambda a, b: function(number(a), number(b))


PAIRS: dict[str, tuple[Any, Any, list[tuple[tc.Type, tc.Type]]]] = {
    "add": (
        operator.add,
        of_numbers(np.add),
        [(SMALL, BYTE), (WIDE, WIDE), (REAL, REAL), (SMALL, REAL), (BIT, SMALL), (BIT, BIT), (REAL, BIT)],
    ),
    "subtract": (
        operator.sub,
        of_numbers(np.subtract),
        [(BYTE, BYTE), (WIDE, SMALL), (REAL, REAL), (REAL, SMALL), (BIT, BIT), (REAL, BIT)],
    ),
    "multiply": (operator.mul, of_numbers(np.multiply), [(SMALL, BYTE), (WIDE, WIDE), (BIT, SMALL), (BIT, BIT), (BYTE, BYTE)]),
    "multiply fixed": (operator.mul, lambda a, b: down(number(a) * number(b)), [(REAL, REAL), (REAL, SMALL), (BIT, REAL)]),
    "divide": (
        operator.truediv,
        lambda a, b: exact_quotient(number(a), number(b)),
        [(SMALL, SMALL), (REAL, REAL), (BYTE, REAL), (BIT, SMALL)],
    ),
    "floor divide": (operator.floordiv, quotient, [(SMALL, SMALL), (WIDE, SMALL), (BYTE, BYTE)]),
    "remainder": (operator.mod, rest, [(SMALL, SMALL), (WIDE, SMALL), (BYTE, BYTE)]),
    "less": (operator.lt, of_numbers(np.less), [(SMALL, BYTE), (WIDE, WIDE), (REAL, REAL), (SMALL, REAL), (BIT, BIT), (BIT, SMALL)]),
    "less equal": (operator.le, of_numbers(np.less_equal), [(SMALL, BYTE), (REAL, REAL), (REAL, SMALL)]),
    "greater": (operator.gt, of_numbers(np.greater), [(SMALL, BYTE), (REAL, REAL)]),
    "greater equal": (operator.ge, of_numbers(np.greater_equal), [(SMALL, BYTE), (REAL, REAL)]),
    "equal": (operator.eq, of_numbers(np.equal), [(SMALL, BYTE), (WIDE, WIDE), (REAL, REAL), (BIT, BIT), (BIT, SMALL), (SMALL, REAL)]),
    "not equal": (operator.ne, of_numbers(np.not_equal), [(SMALL, BYTE), (REAL, REAL), (BIT, BIT)]),
    "and": (operator.and_, np.logical_and, [(BIT, BIT)]),
    "or": (operator.or_, np.logical_or, [(BIT, BIT)]),
    "xor": (operator.xor, np.logical_xor, [(BIT, BIT)]),
    "minimum": (tc.minimum, of_numbers(np.minimum), [(SMALL, BYTE), (REAL, REAL), (SMALL, REAL), (BIT, BIT), (BIT, SMALL)]),
    "maximum": (tc.maximum, of_numbers(np.maximum), [(SMALL, BYTE), (REAL, REAL), (SMALL, REAL), (WIDE, WIDE)]),
    "np.add": (np.add, np.add, [(SMALL, BYTE)]),
    "np.subtract": (np.subtract, np.subtract, [(SMALL, BYTE)]),
    "np.multiply": (np.multiply, np.multiply, [(SMALL, BYTE)]),
    "np.divide": (np.divide, exact_quotient, [(SMALL, BYTE)]),
    "np.floor_divide": (np.floor_divide, quotient, [(SMALL, BYTE)]),
    "np.remainder": (np.remainder, rest, [(SMALL, BYTE)]),
    "np.less": (np.less, np.less, [(SMALL, BYTE)]),
    "np.equal": (np.equal, np.equal, [(SMALL, BYTE)]),
    "np.not_equal": (np.not_equal, np.not_equal, [(SMALL, BYTE)]),
    "np.greater_equal": (np.greater_equal, np.greater_equal, [(SMALL, BYTE)]),
    "np.minimum": (np.minimum, np.minimum, [(SMALL, BYTE)]),
    "np.maximum": (np.maximum, np.maximum, [(SMALL, BYTE)]),
    "np.logical_and": (np.logical_and, np.logical_and, [(BIT, BIT)]),
    "np.logical_or": (np.logical_or, np.logical_or, [(BIT, BIT)]),
    "np.logical_xor": (np.logical_xor, np.logical_xor, [(BIT, BIT)]),
    "np.bitwise_and": (np.bitwise_and, np.bitwise_and, [(BIT, BIT)]),
}


@few
@pytest.mark.parametrize("name", PAIRS)
@given(data=st.data())
def test_two_operands(name: str, data: st.DataObject) -> None:
    ours, theirs, types = PAIRS[name]
    pair = data.draw(st.sampled_from(types))
    if data.draw(st.booleans()):
        left, right = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3)).input_shapes
        symbolic = False
    else:
        left = right = data.draw(shapes(most=2, least=1))
        symbolic = True
    a, b = (data.draw(arrays(type, shape)) for type, shape in zip(pair, (left, right), strict=True))
    same(compute(ours, (pair[0], a), (pair[1], b), symbolic=symbolic), theirs(a, b))


CONSTANTS = ["add", "subtract", "multiply", "less", "less equal", "equal", "minimum", "floor divide", "remainder", "divide"]


@few
@pytest.mark.parametrize("name", CONSTANTS)
@given(data=st.data())
def test_constants_beside_arrays(name: str, data: st.DataObject) -> None:
    """Python's numbers, lists, NumPy's numbers and arrays, on both sides."""
    ours, theirs, _ = PAIRS[name]
    left, right = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, min_side=1, max_side=3)).input_shapes
    a, b = data.draw(arrays(SMALL, left)), data.draw(arrays(SMALL, right))
    constant: Any = data.draw(st.sampled_from([b, b.tolist(), b[()]]))
    if data.draw(st.booleans()):
        same(compute(lambda x: ours(x, constant), (SMALL, a)), theirs(a, b))
    else:
        same(compute(lambda x: ours(constant, x), (SMALL, a)), theirs(b, a))


@few
@pytest.mark.parametrize("name", ["add", "subtract", "less", "equal", "minimum", "maximum", "multiply fixed"])
@given(data=st.data())
def test_constants_with_fractions(name: str, data: st.DataObject) -> None:
    ours, theirs, _ = PAIRS[name]
    type = data.draw(st.sampled_from([SMALL, REAL, BIT]))
    a = data.draw(arrays(type, 3))
    b = data.draw(st.sampled_from([0.5, -0.25, 2.0, np.float64(0.75)]) | arrays(REAL, 3))
    constant = b.tolist() if isinstance(b, np.ndarray) and data.draw(st.booleans()) else b
    same(compute(lambda x: ours(x, constant), (type, a)), theirs(number(a), np.asarray(b)))
    same(compute(lambda x: ours(constant, x), (type, a)), theirs(np.asarray(b), number(a)))


@few
@given(a=arrays(tc.Fixed(-100, 100, 2), 4), b=arrays(tc.Fixed(-1, 1, 10), 4))
def test_fractions_meet_at_the_larger_one(a: Any, b: Any) -> None:
    types = tc.Fixed(-100, 100, 2), tc.Fixed(-1, 1, 10)
    same(compute(operator.add, (types[0], a), (types[1], b)), a + b)
    same(compute(operator.lt, (types[0], a), (types[1], b)), a < b)
    same(compute(operator.mul, (types[1], b), (types[0], a)), np.floor(a * b * 2**10) / 2**10)


@few
@given(data=st.data())
def test_integers_of_64_bits(data: st.DataObject) -> None:
    signed, unsigned = tc.Int(-(2**63), 2**63 - 1), tc.Int(0, 2**64 - 1)
    a = np.array(data.draw(st.lists(elements(signed), min_size=3, max_size=3)), dtype=np.int64)
    b = np.array(data.draw(st.lists(elements(unsigned), min_size=3, max_size=3)), dtype=np.uint64)
    for given_a, given_b in ((a, b), (a.tolist(), b.tolist())):
        found = compute(lambda x, y: [x, y, x < y, x == y], (signed, given_a), (unsigned, given_b))
        same(found[0], a)
        assert found[1].tolist() == b.tolist()
        assert found[2].tolist() == [x < y for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        assert found[3].tolist() == [x == y for x, y in zip(a.tolist(), b.tolist(), strict=True)]


# One operand.

SINGLE: dict[str, tuple[Any, Any, list[tc.Type], float]] = {
    "negative": (operator.neg, lambda x: -number(x), [SMALL, BYTE, WIDE, REAL, BIT], 0),
    "positive": (operator.pos, lambda x: x, [SMALL, REAL, BIT], 0),
    "abs": (abs, lambda x: np.abs(number(x)), [SMALL, tc.Int(-128, 127), WIDE, REAL, BIT], 0),
    "sign": (tc.sign, lambda x: np.sign(number(x)), [SMALL, REAL, BIT], 0),
    "square": (tc.square, lambda x: number(x) ** 2, [SMALL, BYTE, WIDE, BIT], 0),
    "cube": (lambda x: x**3, lambda x: x**3, [SMALL, BYTE], 0),
    "no power": (lambda x: x**0 + x, lambda x: x + 1, [SMALL, BYTE, REAL], 0),
    "fifth power": (lambda x: x**5, lambda x: x**5, [SMALL], 0),
    "invert": (operator.invert, np.logical_not, [BIT], 0),
    "floor": (tc.floor, lambda x: np.floor(number(x)), [REAL, SMALL, BIT], 0),
    "ceil": (tc.ceil, lambda x: np.ceil(number(x)), [REAL, SMALL], 0),
    "round": (tc.round, lambda x: np.floor(x + 0.5), [REAL, SMALL], 0),
    "trunc": (tc.trunc, lambda x: np.trunc(number(x)), [REAL, SMALL, BIT], 0),
    "np.trunc": (np.trunc, np.trunc, [REAL], 0),
    "np.isfinite": (lambda x: np.isfinite(x) & (x > 0), lambda x: x > 0, [REAL, SMALL], 0),
    "np.isinf": (lambda x: np.isinf(x) | (x > 0), lambda x: x > 0, [REAL, SMALL], 0),
    "np.isnan": (lambda x: np.isnan(x) | (x > 0), lambda x: x > 0, [REAL, SMALL], 0),
    "sqrt": (tc.sqrt, lambda x: down(np.sqrt(np.maximum(x, 0))), [REAL, SMALL, BYTE], 0),
    "exp": (tc.exp, np.exp, [REAL], 0.6),
    "log": (lambda x: tc.log(tc.maximum(x, 0.25)), lambda x: np.log(np.maximum(x, 0.25)), [REAL, BYTE], 0.6),
    "sigmoid": (tc.sigmoid, lambda x: 1 / (1 + np.exp(-x)), [REAL, tc.Int(-5, 5)], 0.6),
    "tanh": (tc.tanh, np.tanh, [REAL, tc.Int(-5, 5)], 1.1),
    "np.tanh": (np.tanh, np.tanh, [REAL], 1.1),
    # In the clear nothing depends on the number of right bits.
    "exp to 12 bits": (lambda x: tc.exp(x, bits=12), np.exp, [REAL], 0.6),
    "sigmoid to 8 bits": (lambda x: tc.sigmoid(x, bits=8), lambda x: 1 / (1 + np.exp(-x)), [REAL], 0.6),
    "tanh to 16 bits": (lambda x: tc.tanh(x, bits=16), np.tanh, [REAL], 1.1),
    "reciprocal to 16 bits": (lambda x: tc.reciprocal(x, bits=16), lambda x: exact_quotient(1.0, x), [REAL], 0),
    "reciprocal": (tc.reciprocal, lambda x: exact_quotient(1.0, x), [REAL, SMALL], 0),
    "as a wider integer": (lambda x: x.astype(tc.Int(-(2**40), 2**40)), number, [SMALL, BYTE, BIT], 0),
    "as fixed point": (lambda x: x.astype(tc.Fixed(-1000, 1000)), number, [SMALL, BYTE, BIT], 0),
    "as fewer bits behind the point": (lambda x: x.astype(tc.Fixed(-8, 8, 3)), lambda x: np.floor(x * 8) / 8, [REAL], 0),
    "as truth values": (lambda x: x.astype(tc.Bool()), lambda x: x != 0, [SMALL, REAL, BIT], 0),
    "to_fixed": (lambda x: tc.to_fixed(x, 4), lambda x: np.floor(number(x) * 16) / 16, [REAL, SMALL, BIT], 0),
    "clip": (lambda x: tc.clip(x, -3, 50), lambda x: np.clip(number(x), -3, 50), [SMALL, BYTE, REAL, BIT], 0),
    "clip below": (lambda x: tc.clip(x, min=1), lambda x: np.clip(x, 1, None), [SMALL, REAL], 0),
    "clip above": (lambda x: tc.clip(x, max=1.5), lambda x: np.clip(x, None, 1.5), [SMALL, REAL], 0),
    "isin": (lambda x: tc.isin(x, [1, -1, 0, 300]), lambda x: np.isin(x, [1, -1, 0, 300]), [SMALL, BYTE, REAL], 0),
    "isin inverted": (lambda x: tc.isin(x, [1, -1], invert=True), lambda x: np.isin(x, [1, -1], invert=True), [SMALL], 0),
    "isin none": (lambda x: tc.isin(x, []) | (x == 100), lambda x: x == 100, [SMALL], 0),
    "searchsorted": (lambda x: tc.searchsorted([-1, 0, 0, 9], x), lambda x: np.searchsorted([-1, 0, 0, 9], x), [SMALL, REAL], 0),
    "searchsorted right": (
        lambda x: tc.searchsorted([-1, 0, 0, 9], x, side="right"),
        lambda x: np.searchsorted([-1, 0, 0, 9], x, side="right"),
        [SMALL],
        0,
    ),
    "searchsorted far away": (
        lambda x: tc.searchsorted([-(2**40), 0, 2**40], x),
        lambda x: np.searchsorted([-(2**40), 0, 2**40], x),
        [SMALL, BYTE],
        0,
    ),
    "searchsorted fractions": (lambda x: tc.searchsorted([-0.5, 0.5], x), lambda x: np.searchsorted([-0.5, 0.5], x), [SMALL, REAL], 0),
    "np.searchsorted": (lambda x: np.searchsorted(np.array([0, 5]), x), lambda x: np.searchsorted([0, 5], x), [BYTE], 0),
    "promise": (lambda x: tc.promise(x, -100, 300), lambda x: x, [SMALL, BYTE], 0),
    "promise in fixed point": (lambda x: tc.promise(x, -8, 8.5), lambda x: x, [REAL], 0),
    "np.negative": (np.negative, np.negative, [SMALL], 0),
    "np.abs": (np.abs, np.abs, [SMALL], 0),
    "np.sign": (np.sign, np.sign, [SMALL], 0),
    "np.square": (np.square, np.square, [SMALL], 0),
    "np.sqrt": (np.sqrt, lambda x: down(np.sqrt(x)), [BYTE], 0),
    "np.exp": (np.exp, np.exp, [REAL], 0.6),
    "np.floor": (np.floor, np.floor, [REAL], 0),
    "np.ceil": (np.ceil, np.ceil, [REAL], 0),
    "np.invert": (np.invert, np.invert, [BIT], 0),
    "np.logical_not": (np.logical_not, np.logical_not, [BIT], 0),
    "np.power": (lambda x: np.power(x, 2), lambda x: np.power(x, 2), [SMALL], 0),
    "np.clip": (lambda x: np.clip(x, 0, 7), lambda x: np.clip(x, 0, 7), [SMALL, REAL], 0),
    "np.isin": (lambda x: np.isin(x, np.array([1, 2])), lambda x: np.isin(x, [1, 2]), [SMALL], 0),
}


@few
@pytest.mark.parametrize("name", SINGLE)
@given(data=st.data())
def test_one_operand(name: str, data: st.DataObject) -> None:
    ours, theirs, types, units = SINGLE[name]
    type = data.draw(st.sampled_from(types))
    x = data.draw(shapes().flatmap(lambda shape: arrays(type, shape)))
    same(compute(ours, (type, x), symbolic=data.draw(st.booleans())), theirs(x), units)


# Over axes.


REDUCED: dict[str, tuple[Any, Any, list[tc.Type], float]] = {
    "sum": (tc.sum, np.sum, [SMALL, BYTE, WIDE, REAL, BIT], 0),
    "prod": (tc.prod, lambda x, **o: np.prod(number(x), **o), [tc.Int(-1, 1), BIT], 0),
    "min": (tc.min, lambda x, **o: np.min(number(x), **o), [SMALL, REAL, BIT], 0),
    "max": (tc.max, lambda x, **o: np.max(number(x), **o), [SMALL, REAL, BIT], 0),
    "any": (tc.any, np.any, [BIT, tc.Int(0, 1)], 0),
    "all": (tc.all, np.all, [BIT, tc.Int(0, 1)], 0),
    "count_nonzero": (tc.count_nonzero, np.count_nonzero, [BIT, tc.Int(-1, 1), REAL], 0),
    "np.sum": (np.sum, np.sum, [SMALL, REAL, BIT], 0),
    "np.prod": (np.prod, np.prod, [tc.Int(-1, 1)], 0),
    "np.min": (np.min, np.min, [SMALL], 0),
    "np.max": (np.max, np.max, [SMALL], 0),
    "np.any": (np.any, np.any, [BIT], 0),
    "np.all": (np.all, np.all, [BIT], 0),
}


@few
@pytest.mark.parametrize("name", REDUCED)
@given(data=st.data())
def test_over_axes(name: str, data: st.DataObject) -> None:
    ours, theirs, types, units = REDUCED[name]
    type = data.draw(st.sampled_from(types))
    x = data.draw(shapes(least=1, side=1).flatmap(lambda shape: arrays(type, shape)))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1) | st.just(tuple(range(x.ndim))))
    keepdims = data.draw(st.booleans())
    same(compute(lambda x: ours(x, axis=axis, keepdims=keepdims), (type, x)), theirs(x, axis=axis, keepdims=keepdims), units)


@few
@pytest.mark.parametrize("name", ["sum", "any", "all", "count_nonzero", "np.sum"])
@given(data=st.data())
def test_over_rows_that_may_be_none(name: str, data: st.DataObject) -> None:
    ours, theirs, types, _ = REDUCED[name]
    type = data.draw(st.sampled_from(types))
    x = data.draw(shapes(least=1, most=2).flatmap(lambda shape: arrays(type, shape)))
    same(compute(ours, (type, x), symbolic=True), theirs(x))
    same(compute(lambda x: ours(x, axis=0), (type, x), symbolic=True), theirs(x, axis=0))


@few
@pytest.mark.parametrize("ours", [tc.mean, np.mean])
@given(data=st.data())
def test_means(ours: Any, data: st.DataObject) -> None:
    type = data.draw(st.sampled_from([SMALL, BYTE, REAL, BIT]))
    x = data.draw(shapes(least=1, side=1).flatmap(lambda shape: arrays(type, shape)))
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1) | st.permutations(range(x.ndim)).map(lambda it: tuple(it[:2])))
    keepdims = data.draw(st.booleans())
    wanted = np.mean(number(x), axis=axis, keepdims=keepdims)
    same(compute(lambda x: ours(x, axis=axis, keepdims=keepdims), (type, x)), wanted, 1)
    mask = data.draw(arrays(BIT, x.shape))
    masked = compute(lambda x, m: ours(x, axis=axis, keepdims=keepdims, where=m), (type, x), (BIT, mask))
    count = mask.sum(axis=axis, keepdims=keepdims)
    same(masked, np.where(count, (number(x) * mask).sum(axis=axis, keepdims=keepdims) / np.maximum(count, 1), 0), 1)


STATISTICS: dict[str, tuple[Any, Any, float]] = {
    "mean": (tc.mean, np.mean, 1),
    "var": (tc.var, np.var, 2),
    "std": (tc.std, np.std, 2),
    "median": (tc.median, lambda x: np.quantile(x, 0.5, method="lower"), 0),
    "quantile": (lambda x, **o: tc.quantile(x, 0.75, **o), lambda x: np.quantile(x, 0.75, method="lower"), 0),
    "quantiles": (lambda x, **o: tc.quantile(x, [0, 0.5, 1], **o), lambda x: np.quantile(x, [0, 0.5, 1], method="lower"), 0),
}


@few
@pytest.mark.parametrize("name", STATISTICS)
@given(data=st.data())
def test_statistics_of_columns(name: str, data: st.DataObject) -> None:
    """Of rows that count, which may be none: the result is zero then. Deviations are roots of variances that are rounded."""
    ours, theirs, units = STATISTICS[name]
    type = data.draw(st.sampled_from([SMALL, BYTE, REAL]))
    x, mask = data.draw(columns(type, BIT))
    zero = np.zeros(3 if name == "quantiles" else ())
    symbolic = not x.size or data.draw(st.booleans())
    wanted = theirs(x) if x.size else zero
    size = float(np.abs(x).max(initial=0))
    near(name, compute(ours, (type, x), symbolic=symbolic), wanted, units, size)
    chosen = x[mask]
    masked = compute(lambda x, m: ours(x, where=m), (type, x), (BIT, mask), symbolic=symbolic)
    near(name, masked, theirs(chosen) if chosen.size else zero, units, size)


def near(name: str, found: Any, wanted: Any, units: float, size: float = 0) -> None:
    """Equal within a bound.

    A variance is the mean of squares less the square of the mean, each rounded: it is off by up to four times the
    greatest value. Of deviations, their squares are as near as variances are, or they themselves.
    """
    units += 4 * size if name in ("var", "std") else 0
    if name == "std" and np.any(np.abs(found - wanted) > units * UNIT):
        found, wanted = np.asarray(found) ** 2, np.asarray(wanted) ** 2
    same(found, wanted, units)


@few
@given(data=st.data())
def test_means_of_masked_matrices(data: st.DataObject) -> None:
    shape = data.draw(shapes(least=2, most=2, side=1))
    x, mask = data.draw(arrays(SMALL, shape)), data.draw(arrays(BIT, shape))
    wanted = x[mask].mean() if mask.any() else 0.0
    same(compute(lambda x, m: tc.mean(x, where=m), (SMALL, x), (BIT, mask)), wanted, 1)
    rows = [row[m].mean() if m.any() else 0.0 for row, m in zip(x, mask, strict=True)]
    same(compute(lambda x, m: tc.mean(x, axis=1, where=m), (SMALL, x), (BIT, mask)), rows, 1)


@few
@given(x=columns(SMALL, least=1).map(lambda it: it[0]), frac=st.integers(0, 20))
def test_means_with_a_fraction(x: Any, frac: int) -> None:
    found = compute(lambda x: tc.mean(x, frac=frac), (SMALL, x))
    assert found == np.floor(x.mean() * 2.0**frac + 1e-9) / 2.0**frac or abs(found - x.mean()) <= 2.0**-frac


# Order.


@few
@given(data=st.data())
def test_sorting(data: st.DataObject) -> None:
    type = data.draw(st.sampled_from([SMALL, REAL, WIDE, BIT, tc.Int(0, 2)]))
    (x,) = data.draw(columns(type))
    symbolic = not x.size or data.draw(st.booleans())
    values = number(x)
    same(compute(tc.sort, (type, x), symbolic=symbolic), np.sort(values))
    same(compute(np.sort, (type, x), symbolic=symbolic), np.sort(values))
    same(compute(lambda x: tc.sort(x, descending=True), (type, x), symbolic=symbolic), np.sort(values)[::-1])


@few
@given(data=st.data())
def test_rows_of_equal_keys_keep_their_order(data: st.DataObject) -> None:
    key, beside = data.draw(columns(tc.Int(0, 2), REAL, least=1))
    up, down_ = np.argsort(key, kind="stable"), np.argsort(-key, kind="stable")
    same(compute(tc.argsort, (BYTE, key)), up)
    same(compute(np.argsort, (BYTE, key), symbolic=True), up)
    same(compute(lambda x: tc.argsort(x, descending=True), (BYTE, key)), down_)
    for found, wanted in zip(compute(tc.sort_by, (BYTE, key), (REAL, beside)), (key[up], beside[up]), strict=True):
        same(found, wanted)
    found = compute(lambda x, y: tc.sort_by(x, y, descending=True), (BYTE, key), (REAL, beside), symbolic=True)
    same(found[1], beside[down_])


@few
@given(data=st.data())
def test_greatest_rows_and_their_places(data: st.DataObject) -> None:
    type = data.draw(st.sampled_from([tc.Int(0, 2), SMALL, REAL, BIT]))
    (x,) = data.draw(columns(type, least=1))
    k = data.draw(st.integers(1, len(x)))
    order = np.argsort(-number(x), kind="stable")[:k]
    keys, places = compute(lambda x: tc.top(x, tc.arange(x.shape[0]), k=k), (type, x))
    same(keys, number(x)[order])
    same(places, order)
    symbolic = data.draw(st.booleans())
    same(compute(tc.argmax, (type, x), symbolic=symbolic), np.argmax(x))
    same(compute(tc.argmin, (type, x), symbolic=symbolic), np.argmin(x))
    same(compute(np.argmax, (type, x)), np.argmax(x))
    same(compute(np.argmin, (type, x)), np.argmin(x))


@few
@given(data=st.data())
def test_places_of_extremes_of_matrices(data: st.DataObject) -> None:
    x = data.draw(shapes(least=2, most=2, side=1).flatmap(lambda shape: arrays(tc.Int(0, 3), shape)))
    same(compute(tc.argmax, (BYTE, x)), np.argmax(x))
    same(compute(tc.argmin, (BYTE, x)), np.argmin(x))
    same(compute(np.median, (BYTE, x)), np.quantile(x, 0.5, method="lower"))


@few
@given(data=st.data())
def test_places_of_extremes_along_an_axis(data: st.DataObject) -> None:
    """The first ones of equal elements."""
    type = data.draw(st.sampled_from([tc.Int(0, 2), REAL, BIT]))
    x = data.draw(shapes(least=1, side=1).flatmap(lambda shape: arrays(type, shape)))
    axis, keepdims = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1)), data.draw(st.booleans())
    for ours, theirs in ((tc.argmax, np.argmax), (tc.argmin, np.argmin), (np.argmax, np.argmax)):
        same(compute(partial(ours, axis=axis, keepdims=keepdims), (type, x)), theirs(x, axis=axis, keepdims=keepdims))


@few
@given(data=st.data())
def test_sorting_along_an_axis(data: st.DataObject) -> None:
    type = data.draw(st.sampled_from([tc.Int(0, 2), SMALL, REAL, BIT, tc.Int(-(2**58), 2**58)]))
    x = data.draw(shapes(least=2).flatmap(lambda shape: arrays(type, shape)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    same(compute(lambda x: tc.sort(x, axis=axis), (type, x)), np.sort(x, axis=axis))
    same(compute(lambda x: tc.argsort(x, axis=axis), (type, x)), np.argsort(x, axis=axis, kind="stable"))
    same(compute(lambda x: tc.sort(x, axis=axis, descending=True), (type, x)), np.flip(np.sort(x, axis=axis), axis))
    down_ = np.argsort(-number(x), axis=axis, kind="stable")
    same(compute(lambda x: tc.argsort(x, axis=axis, descending=True), (type, x)), down_)


@few
@given(data=st.data())
def test_searching_in_an_array_of_the_parties(data: st.DataObject) -> None:
    type = data.draw(st.sampled_from([SMALL, REAL, BYTE]))
    (ordered,) = data.draw(columns(type))
    x = data.draw(shapes(most=2).flatmap(lambda shape: arrays(SMALL, shape)))
    side = data.draw(st.sampled_from(["left", "right"]))
    order = np.argsort(ordered)
    inputs = (type, ordered), (SMALL, x)
    sorted_ = (type, np.sort(ordered)), (SMALL, x)
    wanted = np.searchsorted(np.sort(ordered), x, side=side)  # type: ignore[call-overload]
    same(compute(lambda a, x: tc.searchsorted(a, x, side=side), *sorted_), wanted)
    same(compute(lambda a, x: tc.searchsorted(a, x, side=side, sorter=order), *inputs), wanted)
    same(compute(lambda a: tc.searchsorted(a, 5, side=side), sorted_[0]), np.searchsorted(np.sort(ordered), 5, side=side))  # type: ignore[call-overload]


# Selection.


@few
@pytest.mark.parametrize("ours", [tc.where, np.where])
@given(data=st.data())
def test_where(ours: Any, data: st.DataObject) -> None:
    shape_c, shape_a, shape_b = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=2, min_side=1, max_side=3)).input_shapes
    types = data.draw(st.sampled_from([(SMALL, SMALL), (SMALL, BYTE), (REAL, SMALL), (BIT, BIT), (BIT, SMALL), (REAL, REAL)]))
    c, a, b = data.draw(arrays(BIT, shape_c)), data.draw(arrays(types[0], shape_a)), data.draw(arrays(types[1], shape_b))
    same(compute(ours, (BIT, c), (types[0], a), (types[1], b)), np.where(c, a, b))


@few
@pytest.mark.parametrize("pair", [(1, 0), (1, -1), (0.5, 2), (0.5, 0.25), (300, 0), (np.int64(7), 1.5)])
@given(c=arrays(BIT, 4))
def test_where_of_constants(pair: Any, c: Any) -> None:
    same(compute(lambda c: tc.where(c, *pair), (BIT, c)), np.where(c, *pair))


@few
@given(c=arrays(BIT, 3), a=arrays(SMALL, 3))
def test_where_of_an_array_and_a_constant(c: Any, a: Any) -> None:
    same(compute(lambda c, a: tc.where(c, a, 0), (BIT, c), (SMALL, a)), np.where(c, a, 0))
    same(compute(lambda c, a: tc.where(c, 0.5, a), (BIT, c), (SMALL, a)), np.where(c, 0.5, a))
    same(compute(lambda c, a: tc.where(c, a, np.array([1, 2, 3])), (BIT, c), (SMALL, a)), np.where(c, a, [1, 2, 3]))


# Shapes.

M = st.just((2, 3, 4)) | st.just((1, 3, 2)) | st.just((3, 1, 4))
MOVED: dict[str, tuple[Any, Any]] = {
    "reshape -1": (lambda x: x.reshape(-1), lambda x: x.reshape(-1)),
    "reshape": (lambda x: tc.reshape(x, (x.shape[1], -1)), lambda x: x.reshape(x.shape[1], -1)),
    "reshape new": (lambda x: x.reshape(1, *x.shape, 1), lambda x: x.reshape(1, *x.shape, 1)),
    "np.reshape": (lambda x: np.reshape(x, (-1, 1)), lambda x: x.reshape(-1, 1)),
    "np.ravel": (np.ravel, np.ravel),
    "permute_dims": (lambda x: tc.permute_dims(x, (2, 0, 1)), lambda x: np.transpose(x, (2, 0, 1))),
    "permute_dims negative": (lambda x: tc.permute_dims(x, (-1, 1, 0)), lambda x: np.transpose(x, (2, 1, 0))),
    "np.transpose": (np.transpose, np.transpose),
    "np.swapaxes": (lambda x: np.swapaxes(x, 0, -1), lambda x: np.swapaxes(x, 0, -1)),
    "matrix_transpose": (tc.matrix_transpose, lambda x: np.swapaxes(x, -1, -2)),
    "expand_dims": (lambda x: tc.expand_dims(x, axis=1), lambda x: np.expand_dims(x, 1)),
    "expand_dims last": (lambda x: np.expand_dims(x, -1), lambda x: np.expand_dims(x, -1)),
    "squeeze": (lambda x: tc.squeeze(tc.expand_dims(x, axis=2), 2), lambda x: x),
    "np.squeeze": (np.squeeze, np.squeeze),
    "broadcast_to": (lambda x: tc.xp.broadcast_to(x, (2, *x.shape)), lambda x: np.broadcast_to(x, (2, *x.shape))),
    "np.broadcast_to": (lambda x: np.broadcast_to(x[:, :1], x.shape), lambda x: np.broadcast_to(x[:, :1], x.shape)),
    "flip": (tc.flip, np.flip),
    "flip several axes": (lambda x: tc.flip(x, axis=(0, -1)), lambda x: np.flip(x, axis=(0, -1))),
    "index from the end to the beginning": (lambda x: x[::-1, :, ::-1], lambda x: x[::-1, :, ::-1]),
    "flip one axis": (lambda x: np.flip(x, axis=1), lambda x: np.flip(x, axis=1)),
    "roll": (lambda x: tc.roll(x, 2, axis=1), lambda x: np.roll(x, 2, axis=1)),
    "roll back": (lambda x: np.roll(x, -1, axis=2), lambda x: np.roll(x, -1, axis=2)),
    "roll all": (lambda x: np.roll(x, 5), lambda x: np.roll(x, 5)),
    "roll several axes": (lambda x: tc.roll(x, (1, -2), axis=(-1, 0)), lambda x: np.roll(x, (1, -2), axis=(-1, 0))),
    "moveaxis": (lambda x: tc.moveaxis(x, 0, -1), lambda x: np.moveaxis(x, 0, -1)),
    "np.moveaxis": (lambda x: np.moveaxis(x, (0, 2), (1, 0)), lambda x: np.moveaxis(x, (0, 2), (1, 0))),
    "expand_dims several": (lambda x: tc.expand_dims(x, (0, -1)), lambda x: np.expand_dims(x, (0, -1))),
    "unstack": (lambda x: tc.stack(tc.unstack(x, axis=-1)), lambda x: np.moveaxis(x, -1, 0)),
    "tril": (lambda x: tc.tril(x, k=1), lambda x: np.tril(x, k=1)),
    "np.tril": (np.tril, np.tril),
    "triu": (lambda x: np.triu(x, k=-1), lambda x: np.triu(x, k=-1)),
    "triu far away": (lambda x: tc.triu(x, k=100), lambda x: np.triu(x, k=100)),
    "meshgrid": (
        lambda x: tc.stack(tc.meshgrid(x[0, 0], x[:, 0, 0], x[0, :, 0]), axis=-1),
        lambda x: np.stack(np.meshgrid(x[0, 0], x[:, 0, 0], x[0, :, 0]), axis=-1),
    ),
    "meshgrid ij": (
        lambda x: tc.meshgrid(x[0, 0], x[:, 0, 0], indexing="ij")[1],
        lambda x: np.meshgrid(x[0, 0], x[:, 0, 0], indexing="ij")[1],
    ),
    "take_along_axis": (
        lambda x: tc.take_along_axis(x, np.arange(x.size).reshape(x.shape)[:, :, ::-1] % x.shape[1], axis=1),
        lambda x: np.take_along_axis(x, np.arange(x.size).reshape(x.shape)[:, :, ::-1] % x.shape[1], axis=1),
    ),
    "take_along_axis negative": (
        lambda x: np.take_along_axis(x, np.full((x.shape[0], 1, 2), -1), axis=2),
        lambda x: np.take_along_axis(x, np.full((x.shape[0], 1, 2), -1), axis=2),
    ),
    "mT": (lambda x: x.mT, lambda x: np.swapaxes(x, -1, -2)),
    "size": (lambda x: x.reshape(x.size), lambda x: x.ravel()),
    "tile": (lambda x: tc.tile(x, (2, 1, 2)), lambda x: np.tile(x, (2, 1, 2))),
    "np.tile more": (lambda x: np.tile(x, (2, 1, 1, 2)), lambda x: np.tile(x, (2, 1, 1, 2))),
    "np.tile once": (lambda x: np.tile(x, 2), lambda x: np.tile(x, 2)),
    "repeat": (lambda x: tc.repeat(x, 3, axis=1), lambda x: np.repeat(x, 3, axis=1)),
    "repeat all": (lambda x: np.repeat(x, 2), lambda x: np.repeat(x, 2)),
    "repeat each": (lambda x: tc.repeat(x, np.arange(x.shape[1]), axis=1), lambda x: np.repeat(x, np.arange(x.shape[1]), axis=1)),
    "take": (lambda x: tc.take(x, [1, 0, 1, -1], axis=2), lambda x: np.take(x, [1, 0, 1, -1], axis=2)),
    "np.take": (lambda x: np.take(x, np.array([0, 0]), axis=0), lambda x: np.take(x, [0, 0], axis=0)),
    "np.take of all": (lambda x: np.take(x, [2, 0]), lambda x: np.take(x, [2, 0])),
    "concat": (lambda x: tc.concat([x, x[:1], x]), lambda x: np.concatenate([x, x[:1], x])),
    "concat axis": (lambda x: np.concatenate([x, x], axis=-1), lambda x: np.concatenate([x, x], axis=-1)),
    "concat flat": (lambda x: tc.concat([x, x[0]], axis=None), lambda x: np.concatenate([x, x[0]], axis=None)),
    "stack": (lambda x: tc.stack([x, x], axis=1), lambda x: np.stack([x, x], axis=1)),
    "stack last": (lambda x: np.stack([x, x], axis=-1), lambda x: np.stack([x, x], axis=-1)),
    "np.vstack": (lambda x: np.vstack([x, x]), lambda x: np.vstack([x, x])),
    "np.hstack": (lambda x: np.hstack([x, x]), lambda x: np.hstack([x, x])),
    "diff": (tc.diff, np.diff),
    "diff twice": (lambda x: tc.diff(x, n=2), lambda x: np.diff(x, n=2)),
    "diff too often": (lambda x: tc.diff(x, n=6), lambda x: np.diff(x, n=6)),
    "diff with ends": (
        lambda x: tc.diff(x, axis=0, prepend=x[:1] * 2, append=x[1:]),
        lambda x: np.diff(x, axis=0, prepend=x[:1] * 2, append=x[1:]),
    ),
    "np.diff": (lambda x: np.diff(x, axis=1), lambda x: np.diff(x, axis=1)),
    "full_like": (lambda x: tc.full_like(x, 7) + x, lambda x: x + 7),
    "np.ones_like": (lambda x: np.ones_like(x) * x, lambda x: x),
    "broadcast_arrays": (lambda x: tc.xp.broadcast_arrays(x, x[0, 0])[1], lambda x: np.broadcast_arrays(x, x[0, 0])[1]),
    "iteration": (lambda x: tc.stack([row for row in x]), lambda x: x),
    "unpacking": (lambda x: sum(x), lambda x: x.sum(axis=0)),
}


@few
@pytest.mark.parametrize("name", MOVED)
@given(data=st.data())
def test_shapes(name: str, data: st.DataObject) -> None:
    ours, theirs = MOVED[name]
    type = data.draw(st.sampled_from([SMALL, REAL]))
    x = data.draw(M.flatmap(lambda shape: arrays(type, shape)))
    same(compute(ours, (type, x)), theirs(x))


@few
@given(data=st.data())
def test_shapes_of_symbolic_rows(data: st.DataObject) -> None:
    x = data.draw(st.integers(0, 4).flatmap(lambda n: arrays(SMALL, (n, 3))))
    for function in (
        lambda x: x.T,
        lambda x: x.reshape(-1),
        lambda x: x[:, ::-1],
        lambda x: x[:, 1],
        lambda x: x[..., None],
        lambda x: x[:, [2, 0]],
    ):
        same(compute(function, (SMALL, x), symbolic=True), function(x))
    wanted = np.concatenate([x, x, x[:, :1] * [1, 2, 3]])
    same(compute(lambda x: tc.concat([x, x, x[:, :1] * [1, 2, 3]]), (SMALL, x), symbolic=True), wanted)
    same(compute(lambda x: tc.arange(x.shape[0]) + x[:, 0], (SMALL, x), symbolic=True), np.arange(len(x)) + x[:, 0])
    same(compute(lambda x: tc.zeros(x.shape) + x, (SMALL, x), symbolic=True), x)
    same(compute(lambda x: x + x.shape[0], (SMALL, x), symbolic=True), x + len(x))


@few
@given(data=st.data())
def test_concatenation_of_unlike_elements(data: st.DataObject) -> None:
    bits, small, wide, real = (data.draw(arrays(type, 2)) for type in (BIT, SMALL, WIDE, REAL))
    same(compute(lambda a, b: tc.concat([a, b]), (BIT, bits), (SMALL, small)), np.concatenate([bits, small]))
    same(compute(lambda a, b: tc.concat([a, b]), (SMALL, small), (WIDE, wide)), np.concatenate([small, wide]))
    both = compute(lambda a, b, c: tc.concat([a, b, c]), (SMALL, small), (REAL, real), (BIT, bits))
    same(both, np.concatenate([small, real, bits]))
    same(compute(lambda a: tc.concat([a, [1, 300], np.array([0.5])]), (SMALL, small)), np.concatenate([small, [1, 300, 0.5]]))
    same(compute(lambda a: tc.concat([[0.5], a]), (SMALL, small)), np.concatenate([[0.5], small]))
    same(compute(lambda a, b: tc.stack([a[0], b[0]]), (SMALL, small), (REAL, real)), np.array([small[0], real[0]]))


# Parts.


@few
@given(data=st.data())
def test_indices(data: st.DataObject) -> None:
    """Whole numbers, slices with steps of both signs, `...` and new axes, as NumPy takes them."""
    x = data.draw(shapes(least=1, side=1).flatmap(lambda shape: arrays(SMALL, shape)))
    index = data.draw(hnp.basic_indices(x.shape, allow_newaxis=True, allow_ellipsis=True, max_dims=5))
    same(compute(lambda x: x[index], (SMALL, x)), x[index])


@few
@given(data=st.data())
def test_rows_from_the_last_to_the_first(data: st.DataObject) -> None:
    """Whose number is known when the program runs."""
    type = data.draw(st.sampled_from([SMALL, REAL, BIT, LEVEL]))
    x, y = data.draw(columns(type, SMALL))
    found = compute(lambda x, y: [tc.flip(x), x[::-1], np.flip(y) * y], (type, x), (SMALL, y), symbolic=True)
    for one, wanted in zip(found, (x[::-1], x[::-1], y[::-1] * y), strict=True):
        same(one, wanted)


@few
@given(data=st.data())
def test_tables_at_positions_that_nobody_sees(data: st.DataObject) -> None:
    """Of the parties and of public numbers, along any axis, at positions in any shape."""
    type = data.draw(st.sampled_from([SMALL, BYTE, WIDE, REAL, BIT, LEVEL]))
    shape = data.draw(shapes(least=1, side=1))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    last = shape[axis] - 1
    table = data.draw(arrays(type, shape))
    at = data.draw(arrays(tc.Int(0, last), data.draw(shapes(most=2))))
    wanted = np.take(table, at, axis=axis)
    same(compute(lambda t, i: tc.take(t, i, axis=axis), (type, table), (tc.Int(0, last), at)), wanted)
    if not isinstance(type, tc.Category):
        symbolic = data.draw(st.booleans())
        same(compute(lambda i: tc.take(table, i, axis=axis), (tc.Int(0, last), at), symbolic=symbolic), wanted)


def test_tables_at_positions_that_nobody_sees_under_a_protocol() -> None:
    rng = np.random.default_rng(5)
    alice, bob, carol = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=50)
    at, more = alice.array("at", tc.Int(0, 200), shape=n), carol.array("more", tc.Int(0, 55), shape=n)
    whole = bob.array("whole", tc.Int(-1000, 50_000), shape=256)
    real = bob.array("real", tc.Fixed(-4, 4), shape=(256, 2))
    place = at + more
    results = {"whole": tc.take(whole, place), "real": tc.take(real, place), "public": tc.take(np.arange(256) ** 2, place)}
    assert {it: results[it].range for it in results} == {"whole": (-1000, 50_000), "real": (-4, 4), "public": (0, 65025)}
    assert results["whole"].dtype == whole.dtype and all(it.visibility == "secret" for it in results.values())
    job = tc.job("tables", {name: it.reveal(to="all") for name, it in results.items()})
    given = {
        "alice": {"at": rng.integers(0, 201, 50)},
        "bob": {"whole": rng.integers(-1000, 50_001, 256), "real": rng.integers(-(2**18), 2**18, (256, 2)) / 2**16},
        "carol": {"more": rng.integers(0, 56, 50)},
    }
    places = given["alice"]["at"] + given["carol"]["more"]
    for protocol in ("trio", "lift"):
        result = job.run(given, protocol=protocol)
        same(result.whole, given["bob"]["whole"][places])
        same(result.real, given["bob"]["real"][places])
        same(result.public, places**2)
    # What is exact: one of the bits is one. Nothing of it is the user's promise.
    assert "PROMISED, UNVERIFIED  nothing" in repr(job.disclosure())


@few
@given(data=st.data())
def test_lists_of_positions(data: st.DataObject) -> None:
    x = data.draw(arrays(SMALL, (3, 4)))
    rows = data.draw(st.lists(st.integers(-3, 2), max_size=5))
    kept = data.draw(st.lists(st.booleans(), min_size=4, max_size=4))
    at = np.array(rows, dtype=int)
    same(compute(lambda x: x[rows], (SMALL, x)), x[at])
    same(compute(lambda x: x[at], (SMALL, x)), x[at])
    same(compute(lambda x: x[:, np.array([0, 0, -1])], (SMALL, x)), x[:, [0, 0, -1]])
    same(compute(lambda x: x[..., [1, 2]], (SMALL, x)), x[..., [1, 2]])
    same(compute(lambda x: x[1:, range(2)], (SMALL, x)), x[1:, [0, 1]])
    same(compute(lambda x: x[:, kept], (SMALL, x)), x[:, kept])
    same(compute(lambda x: x[:, np.array(kept)], (SMALL, x)), x[:, np.array(kept)])


def test_functions_of_older_values() -> None:
    """What a function adds belongs to its operand's parties, not to those that were made last."""
    older = tc.parties("alice", "bob")[0].array("x", SMALL, shape=(2, 3))
    x = np.array([[3, -1, 3], [0, 7, 7]])
    tc.parties("alice", "bob")
    cases: list[tuple[Any, Any]] = [
        (tc.zeros_like, np.zeros_like),
        (lambda x: tc.full_like(x, 7), lambda x: np.full_like(x, 7)),
        (np.isfinite, np.isfinite),
        (lambda x: tc.isin(x, []), lambda x: np.isin(x, [])),
        (lambda x: x**0, np.ones_like),
        (np.tril, np.tril),
        (np.sort, np.sort),
        (np.argsort, lambda x: np.argsort(x, kind="stable")),
        (lambda x: tc.argmax(x), np.argmax),
        (lambda x: tc.argmax(x, axis=1), lambda x: np.argmax(x, axis=1)),
        (lambda x: tc.searchsorted([0, 3], x), lambda x: np.searchsorted([0, 3], x)),
        (lambda x: tc.cumulative_sum(x, include_initial=True), lambda x: np.cumsum(np.insert(x, 0, 0, axis=1), axis=1)),
        (lambda x: tc.map(lambda row: row.sum(), x, keep=tc.Int(-300, 300)), lambda x: x.sum(axis=1)),
    ]
    for ours, theirs in cases:
        value = ours(older)
        job = tc.job("older", r=(value + (older * 0).sum()).reveal(to="all"))
        same(job.check({"alice": {"x": x}}).r, number(theirs(x)))


def test_orders_of_more_rows_than_constants() -> None:
    x = np.arange(5000)[::-1] % 7 * 30
    same(compute(tc.argsort, (BYTE, x)), np.argsort(x, kind="stable"))
    same(compute(lambda x: tc.argmax(x), (BYTE, x)), np.argmax(x))
    same(compute(lambda x: tc.sort(x.reshape(2500, 2))[:3], (BYTE, x)), np.sort(x.reshape(2500, 2))[:3])


# Products.

PRODUCTS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((2, 2, 3), (3, 2)),
    ((2, 2, 3), (3,)),
    ((4, 1), (1, 4)),
    ((2, 2, 3), (2, 3, 2)),
    ((2, 1, 2, 3), (3, 3, 1)),
    ((3,), (2, 3, 2)),
    ((2, 3), (4, 3, 2)),
    ((1, 2, 3), (2, 3, 1)),
    ((0, 2, 3), (0, 3, 1)),
]


@few
@pytest.mark.parametrize("both", PRODUCTS, ids=str)
@given(data=st.data())
def test_matrix_products(both: Any, data: st.DataObject) -> None:
    types = data.draw(st.sampled_from([(SMALL, SMALL), (SMALL, BYTE), (WIDE, SMALL), (BIT, SMALL), (BIT, BIT)]))
    a, b = (data.draw(arrays(type, shape)) for type, shape in zip(types, both, strict=True))
    wanted = number(a) @ number(b)
    for ours in (operator.matmul, tc.matmul, np.matmul):
        same(compute(ours, (types[0], a), (types[1], b)), wanted)
    same(compute(lambda a: a @ number(b), (types[0], a)), wanted)
    same(compute(lambda b: number(a) @ b, (types[1], b)), wanted)


@few
@pytest.mark.parametrize("both", PRODUCTS, ids=str)
@given(data=st.data())
def test_matrix_products_of_fixed_point_are_rounded_once(both: Any, data: st.DataObject) -> None:
    types = data.draw(st.sampled_from([(REAL, REAL), (REAL, SMALL), (BIT, REAL)]))
    a, b = (data.draw(arrays(type, shape)) for type, shape in zip(types, both, strict=True))
    same(compute(operator.matmul, (types[0], a), (types[1], b)), down(number(a) @ number(b)))


@few
@given(data=st.data())
def test_other_products(data: st.DataObject) -> None:
    a, b = data.draw(arrays(SMALL, (2, 3))), data.draw(arrays(SMALL, (2, 3)))
    pair = (SMALL, a), (SMALL, b)
    same(compute(tc.vecdot, *pair), (a * b).sum(axis=-1))
    same(compute(lambda a, b: tc.vecdot(a, b, axis=0), *pair), (a * b).sum(axis=0))
    same(compute(lambda a, b: tc.tensordot(a, b.T, axes=1), *pair), np.tensordot(a, b.T, axes=1))
    same(compute(lambda a, b: np.tensordot(a, b), *pair), np.tensordot(a, b))
    same(compute(lambda a, b: tc.tensordot(a, b.T.reshape(3, 2, 1), axes=1), *pair), np.tensordot(a, b.T.reshape(3, 2, 1), axes=1))
    same(compute(lambda a, b: tc.tensordot(a, b, axes=0), *pair), np.tensordot(a, b, axes=0))
    same(compute(lambda a, b: np.dot(a, b.T), *pair), np.dot(a, b.T))
    same(compute(lambda a, b: np.outer(a[0], b[1]), *pair), np.outer(a[0], b[1]))
    same(compute(lambda a, b: np.inner(a[0], b[1]), *pair), np.inner(a[0], b[1]))
    same(compute(lambda a, b: np.vdot(a[0], b[1]), *pair), np.vdot(a[0], b[1]))


@few
@given(x=st.integers(0, 4).flatmap(lambda n: arrays(SMALL, (n, 3))))
def test_matrix_products_over_rows(x: Any) -> None:
    same(compute(lambda x: x.T @ x, (SMALL, x), symbolic=True), x.T @ x)
    same(compute(lambda x: x @ [1, -2, 3], (SMALL, x), symbolic=True), x @ [1, -2, 3])


# Constants of the program.


@few
@given(x=arrays(SMALL, (3, 3)))
def test_creation(x: Any) -> None:
    for ours, theirs in (
        (tc.zeros((3, 3)), np.zeros((3, 3))),
        (tc.ones(3), np.ones(3)),
        (tc.full((2, 3, 3), -7), np.full((2, 3, 3), -7)),
        (tc.full(3, 0.5), np.full(3, 0.5)),
        (tc.eye(3), np.eye(3)),
        (tc.eye(3, 3, k=1), np.eye(3, 3, k=1)),
        (tc.arange(3), np.arange(3)),
        (tc.arange(5, -1, -2), np.arange(5, -1, -2)),
        (tc.linspace(0, 1, 3), np.linspace(0, 1, 3)),
        (tc.asarray([[1, 2, 3]]), np.array([[1, 2, 3]])),
        (tc.asarray([0.5, -1, 300]), np.array([0.5, -1, 300])),
    ):
        assert ours.shape == theirs.shape
    pairs: list[tuple[Any, Any]] = [
        (lambda x: x + tc.zeros((3, 3)), x),
        (lambda x: x * tc.full(3, -7), x * -7),
        (lambda x: x * tc.full(3, 0.5), x * 0.5),
        (lambda x: tc.eye(3, k=1) @ x, np.eye(3, k=1, dtype=int) @ x),
        (lambda x: x - tc.arange(5, -1, -2), x - np.arange(5, -1, -2)),
        (lambda x: x + tc.linspace(0, 1, 3), x + np.linspace(0, 1, 3)),
        (lambda x: x + tc.asarray([0.5, -1, 300]), x + np.array([0.5, -1, 300])),
        (lambda x: tc.where(x > 0, tc.ones(3, dtype=tc.Bool()), tc.zeros(3, dtype=tc.Bool())), x > 0),
    ]
    for ours, wanted in pairs:
        same(compute(ours, (SMALL, x)), wanted)


# Categories and groups.


@few
@given(data=st.data())
def test_members_of_categories(data: st.DataObject) -> None:
    (level,) = data.draw(columns(LEVEL))
    code = np.array([LEVEL.names.index(it) for it in level], dtype=int)
    symbolic = True
    same(compute(lambda x: x, (LEVEL, level), symbolic=symbolic), level)
    same(compute(lambda x: x == "mid", (LEVEL, level), symbolic=symbolic), level == "mid")
    same(compute(lambda x: "mid" != x, (LEVEL, level), symbolic=symbolic), level != "mid")
    same(compute(lambda x: x < "high", (LEVEL, level), symbolic=symbolic), code < 2)
    same(compute(lambda x: tc.isin(x, ["low", "high"]), (LEVEL, level), symbolic=symbolic), np.isin(code, [0, 2]))
    same(compute(lambda x: tc.concat([x, x]), (LEVEL, level), symbolic=symbolic), np.concatenate([level, level]))
    wanted = np.where(code == 0, "high", level).astype(object)
    same(compute(lambda x: tc.where(x == "low", "high", x), (LEVEL, level), symbolic=symbolic), wanted)
    order = np.argsort(code, kind="stable")
    same(compute(lambda x: tc.sort(x), (LEVEL, level), symbolic=symbolic), level[order])


@few
@given(data=st.data())
def test_codes_of_categories_in_arithmetic_are_numbers(data: st.DataObject) -> None:
    (level,) = data.draw(columns(LEVEL, least=1))
    code = np.array([LEVEL.names.index(it) for it in level], dtype=int)
    same(compute(lambda x: -x, (LEVEL, level)), -code)
    same(compute(lambda x: x.sum(), (LEVEL, level)), code.sum())
    same(compute(lambda x: x.mean(), (LEVEL, level)), code.mean(), 1)
    same(compute(lambda x: x.astype(tc.Int(0, 9)), (LEVEL, level)), code)


@few
@given(data=st.data())
def test_dates(data: st.DataObject) -> None:
    type = tc.Date("2020-01-01", "2020-12-31")
    day = data.draw(st.lists(st.dates(*(np.datetime64(it).item() for it in ("2020-01-01", "2020-12-31"))), min_size=1, max_size=5))
    same(compute(lambda x: x - x[0], (type, day)), [(it - day[0]).days for it in day])
    same(compute(lambda x: x - x[0], (type, [str(it) for it in day])), [(it - day[0]).days for it in day])
    same(compute(lambda x: x - x[0], (type, np.array(day, dtype="datetime64[D]"))), [(it - day[0]).days for it in day])
    edge = day[-1]
    same(compute(lambda x: x <= edge, (type, day)), [it <= edge for it in day])


GROUPED: dict[str, tuple[Any, Any, float]] = {
    "sum": (tc.group_sum, np.sum, 0),
    "mean": (tc.group_mean, np.mean, 1),
    "var": (tc.group_var, np.var, 2),
    "std": (tc.group_std, np.std, 2),
}


def by_group(function: Any, x: Any, keys: Any, groups: Any) -> Any:
    """Statistics by group, zero of those without rows."""
    return np.array([function(x[keys == group]) if (keys == group).any() else 0 for group in groups])


@few
@pytest.mark.parametrize("name", GROUPED)
@given(data=st.data())
def test_groups(name: str, data: st.DataObject) -> None:
    ours, theirs, units = GROUPED[name]
    type = data.draw(st.sampled_from([SMALL, REAL] + ([BIT] if name in ("sum", "mean") else [])))
    level, place, x, mask = data.draw(columns(LEVEL, PLACE, type, BIT))
    x = number(x) if type is BIT else x
    inputs = (LEVEL, level), (PLACE, place), (type, x), (BIT, mask)
    code = np.array([LEVEL.names.index(it) for it in level], dtype=int)
    both = code * 2 + np.array([PLACE.names.index(it) for it in place], dtype=int)

    size = float(np.abs(x).max(initial=0))
    near(name, compute(lambda c, p, x, m: ours(x, c), *inputs, symbolic=True), by_group(theirs, x, code, range(3)), units, size)
    near(name, compute(lambda c, p, x, m: ours(x, [c, p]), *inputs, symbolic=True), by_group(theirs, x, both, range(6)), units, size)
    found = compute(lambda c, p, x, m: ours(x, c, where=m), *inputs, symbolic=True)
    near(name, found, by_group(theirs, x[mask], code[mask], range(3)), units, size)


@few
@given(data=st.data())
def test_counts_by_group(data: st.DataObject) -> None:
    level, key, mask = data.draw(columns(LEVEL, tc.Int(-3, 3), BIT))
    code = np.array([LEVEL.names.index(it) for it in level], dtype=int)
    inputs = (LEVEL, level), (SMALL, key), (BIT, mask)
    same(compute(lambda c, k, m: tc.group_count(c), *inputs, symbolic=True), np.bincount(code, minlength=3))
    same(compute(lambda c, k, m: tc.group_count(c, where=m), *inputs, symbolic=True), np.bincount(code[mask], minlength=3))
    found = compute(lambda c, k, m: tc.group_count(k, first=-1, groups=3), *inputs, symbolic=True)
    same(found, [np.sum(key == group) for group in (-1, 0, 1)])
    found = compute(lambda c, k, m: tc.group_sum(k, k, first=-1, groups=3, where=m), *inputs, symbolic=True)
    same(found, [key[mask & (key == group)].sum() for group in (-1, 0, 1)])


# Loops.


@few
@given(data=st.data())
def test_loops(data: st.DataObject) -> None:
    x = data.draw(arrays(SMALL, (4, 2)))
    trips = data.draw(st.integers(0, 5))
    wide = tc.Int(-(2**31), 2**31 - 1)
    found = compute(lambda x: tc.loop(trips, lambda v, i: v - x[0] * i, x[1], keep=wide, overflow="promise"), (SMALL, x))
    same(found, x[1] - sum(x[0] * i for i in range(trips)))
    found = compute(lambda x: tc.loop(trips, lambda v, i: v + x[0], x[1], keep=SMALL, overflow="clip"), (SMALL, x))
    wanted = x[1]
    for _ in range(trips):
        wanted = np.clip(wanted + x[0], -100, 100)
    same(found, wanted)
    swapped = compute(lambda x: tc.loop(trips, lambda a, b, i: (b, a), x[0], x[1]), (SMALL, x))
    same(swapped[0], x[trips % 2])
    same(swapped[1], x[1 - trips % 2])


@few
@given(x=st.integers(0, 4).flatmap(lambda n: arrays(BIT, n)))
def test_loops_over_row_counts(x: Any) -> None:
    found = compute(lambda x: tc.loop(x.shape[0], lambda v, i: v + i, x.sum() * 0, keep=BYTE, overflow="promise"), (BIT, x), symbolic=True)
    same(found, sum(range(len(x))))


# What the array API and NumPy find.


def test_the_namespace_is_that_of_the_array_api() -> None:
    (alice,) = tc.parties("alice")
    x = alice.array("x", SMALL, shape=3)
    assert x.__array_namespace__() is tc.xp
    for name in ("add", "sum", "matmul", "reshape", "astype", "permute_dims", "where", "isin", "sort", "mean", "take"):
        assert callable(getattr(tc.xp, name))
    assert np.shape(x) == (3,) and np.ndim(x) == 1 and len(x) == 3


def test_hashing_is_by_identity() -> None:
    (alice,) = tc.parties("alice")
    x, y = alice.array("x", SMALL), alice.array("y", SMALL)
    assert len({x, y}) == 2 and x in {x: 1}


@few
@given(given=arrays(SMALL, 3))
def test_peek_shows_samples(given: Any) -> None:
    (alice,) = tc.parties("alice")
    x = alice.array("x", SMALL, shape=3, sample=given)
    same(tc.peek(x * 2), given * 2)


# Operations along an axis, and at computed places.


class TestOperationsAlongAnAxis:
    """Sums up to each element, shifts, checks, and parts at places that the program computes."""

    @few
    @given(data=st.data())
    def test_cumulative_sums(self, data: st.DataObject) -> None:
        type = data.draw(st.sampled_from([SMALL, BYTE, REAL, BIT]))
        x = data.draw(shapes(least=1).flatmap(lambda shape: arrays(type, shape)))
        axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
        symbolic = data.draw(st.booleans())
        same(compute(lambda x: tc.cumulative_sum(x, axis=axis), (type, x), symbolic=symbolic), np.cumsum(number(x), axis=axis))
        wanted = np.flip(np.cumsum(np.flip(number(x), axis), axis=axis), axis)
        same(compute(lambda x: tc.cumulative_sum(x, axis=axis, reverse=True), (type, x), symbolic=symbolic), wanted)

    @few
    @given(x=arrays(SMALL, (2, 3)))
    def test_cumsum_of_numpy_is_of_all_elements(self, x: Any) -> None:
        same(compute(lambda x: np.cumsum(x, axis=1), (SMALL, x)), np.cumsum(x, axis=1))
        same(compute(np.cumsum, (SMALL, x)), np.cumsum(x))

    @few
    @given(data=st.data())
    def test_shifts(self, data: st.DataObject) -> None:
        (x,) = data.draw(columns(SMALL))
        by = data.draw(st.integers(-4, 4))
        fill = data.draw(st.sampled_from([0, 7, -1]))
        wanted = np.full_like(x, fill)
        for i in range(len(x)):
            if 0 <= i - by < len(x):
                wanted[i] = x[i - by]
        same(compute(lambda x: tc.shift(x, by, fill=fill), (SMALL, x), symbolic=True), wanted)

    @few
    @given(data=st.data())
    def test_shifts_of_fixed_point(self, data: st.DataObject) -> None:
        x = data.draw(arrays(REAL, (3, 2)))
        wanted = np.concatenate([np.full((1, 2), 0.5), x[:-1]])
        same(compute(lambda x: tc.shift(x, 1, fill=0.5), (REAL, x)), wanted)

    @few
    @given(x=arrays(SMALL, 3), bits=arrays(BIT, 3))
    def test_what_fills_up_grows_types(self, x: Any, bits: Any) -> None:
        same(compute(lambda x: tc.shift(x, 1, fill=0.5), (SMALL, x)), [0.5, *x[:-1]])
        same(compute(lambda x: tc.shift(x, -1, fill=1000), (SMALL, x)), [*x[1:], 1000])
        same(compute(lambda x: tc.shift(x, 1), (BIT, bits)), np.array([False, *bits[:-1]]))
        same(compute(lambda x: tc.shift(x, 1, fill=True), (BIT, bits)), np.array([True, *bits[:-1]]))

    @few
    @given(data=st.data())
    def test_checks(self, data: st.DataObject) -> None:
        (x,) = data.draw(columns(SMALL, least=1))
        low, high = sorted(data.draw(st.tuples(st.integers(-100, 100), st.integers(-100, 100))))
        if x.min() >= low and x.max() <= high:
            same(compute(lambda x: tc.check(x, low, high), (SMALL, x)), x)
        else:
            with pytest.raises(tc.CheckFailed):
                compute(lambda x: tc.check(x, low, high), (SMALL, x))

    @few
    @given(data=st.data())
    def test_parts_at_computed_places(self, data: st.DataObject) -> None:
        x = data.draw(arrays(SMALL, (6, 2)))

        def batches(x: tc.Array) -> Any:
            return tc.loop(3, lambda total, i: total + x[i * 2 : i * 2 + 2].sum(axis=0), x[0] * 0, keep=WIDE, overflow="promise")

        same(compute(batches, (SMALL, x)), x.sum(axis=0))
        one = compute(lambda x: tc.loop(6, lambda total, i: total + x[i], x[0] * 0, keep=WIDE, overflow="promise"), (SMALL, x))
        same(one, x.sum(axis=0))

    @few
    @given(data=st.data())
    def test_replaced_parts(self, data: st.DataObject) -> None:
        x, part = data.draw(arrays(SMALL, (4, 2))), data.draw(arrays(SMALL, 2))
        i = data.draw(st.integers(-4, 3))
        wanted = x.copy()
        wanted[i] = part
        same(compute(lambda x, p: x.at[i].set(p), (SMALL, x), (SMALL, part)), wanted)
        wanted = x.copy()
        wanted[1:3] = [part, part]
        same(compute(lambda x, p: x.at[1:3].set(tc.stack([p, p])), (SMALL, x), (SMALL, part)), wanted)
        wanted = x * 1.0
        wanted[2] = 0.5
        same(compute(lambda x: x.at[2].set(0.5), (SMALL, x)), wanted)
        wanted = x.copy()
        wanted[0:2] = 300
        same(compute(lambda x: x.at[0:2].set(300), (SMALL, x)), wanted)
        wanted = x[::-1] * 2
        found = compute(lambda x: tc.loop(4, lambda out, i: out.at[3 - i].set(x[i] * 2), x * 0, keep=WIDE), (SMALL, x))
        same(found, wanted)

    @few
    @given(x=arrays(SMALL, (3, 2)))
    def test_map_and_fold(self, x: Any) -> None:
        same(compute(lambda x: tc.map(lambda row: row * 2, x, keep=WIDE), (SMALL, x)), x * 2)
        found = compute(lambda x: tc.fold(lambda v, row: v + row, x, x[0] * 0, keep=WIDE, overflow="check"), (SMALL, x))
        same(found, x.sum(axis=0))

    @few
    @given(x=arrays(SMALL, 2), trips=st.integers(0, 4))
    def test_loops_that_check(self, x: Any, trips: int) -> None:
        inside = np.abs(x * (trips + 1)).max() <= 100

        def run() -> Any:
            return compute(lambda x: tc.loop(trips, lambda v, i: v + x, x, keep=SMALL, overflow="check"), (SMALL, x))

        if inside:
            same(run(), x * (trips + 1))
        else:
            with pytest.raises(tc.CheckFailed):
                run()
