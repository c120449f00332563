"""Generated programs under protocols of every kind, beside evaluation in the clear.

Bits and whole numbers are equal. Fixed point is within the bound that `docs/semantics.md` gives, which follows every value here as it
does there. A failure prints the steps of the program; Hypothesis finds short ones.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from test_functions import BIT, REAL, SMALL, arrays

import tacit as tc

# Shares of three and of four parties, verified or not, bits alone, and garbled circuits; with how many parties a program for it has.
PROTOCOLS = {"trio": 3, "replicated": 3, "lift": 3, "quad": 3, "gmw:2": 2, "yao": 2}
few = settings(max_examples=max(2, int(os.environ.get("TACIT_EXAMPLES", "20")) // 10), deadline=None)
# What a result is kept below, so that the next step has room.
MOST = 1 << 12
ONE = 1 << 16


@dataclass
class Value:
    """A value of a program, and how far it may be from the clear, in units of the last place."""

    array: tc.Array
    error: int = 0

    @property
    def kind(self) -> str:
        """`bit`, `int` or `fixed`."""
        return "fixed" if self.array.dtype.startswith("fixed") else "bit" if self.array.dtype == "bit" else "int"

    @property
    def size(self) -> int:
        """The greatest distance from zero, in units."""
        return math.ceil(max(abs(bound) for bound in self.array.range) * (ONE if self.kind == "fixed" else 1))


def product(a: Value, b: Value) -> Value:
    """The product, rounded once if both have fractions."""
    array = a.array * b.array
    fixed = [it for it in (a, b) if it.kind == "fixed"]
    if len(fixed) == 2:
        return Value(array, math.ceil((a.size * b.error + b.size * a.error + a.error * b.error) / ONE) + 1)
    (one, other) = (a, b) if a.kind == "fixed" else (b, a)
    return Value(array, one.error * max(other.size, 1))


def extreme(function: Callable[[Any, Any], tc.Array]) -> Callable[[Value, Value], Value]:
    """The lesser or the greater of two."""
    return lambda a, b: Value(function(a.array, b.array), max(a.error, b.error))


def added(function: Callable[[Any, Any], tc.Array]) -> Callable[[Value, Value], Value]:
    """A sum or a difference."""
    return lambda a, b: Value(function(a.array, b.array), a.error + b.error)


def same_size(function: Callable[[Any], tc.Array], times: int = 1) -> Callable[[Value], Value]:
    """What moves elements, or adds so many of them."""
    return lambda a: Value(function(a.array), a.error * times)


ROWS = 5
TWO: dict[str, Callable[[Value, Value], Value]] = {
    "+": added(operator.add),
    "-": added(operator.sub),
    "*": product,
    "minimum": extreme(tc.minimum),
    "maximum": extreme(tc.maximum),
}
# Of values that are exact: what they decide is exact too.
EXACT: dict[str, Callable[[Value, Value], Value]] = {
    "<": lambda a, b: Value(a.array < b.array),
    "==": lambda a, b: Value(a.array == b.array),
    "order": lambda a, b: Value(tc.sort_by(a.array, b.array)[1]),
}
WHOLE: dict[str, Callable[[Value, Value], Value]] = {
    "//": lambda a, b: Value(a.array // b.array),
    "%": lambda a, b: Value(a.array % b.array),
    "take": lambda a, b: Value(tc.take(a.array, b.array % ROWS)),
}
ONE_OPERAND: dict[str, Callable[[Value], Value]] = {
    "negative": same_size(operator.neg),
    "abs": same_size(abs),
    "sort": same_size(tc.sort),
    "flip": same_size(tc.flip),
    "shift": same_size(lambda x: tc.shift(x, 2)),
    "cumulative sum": same_size(tc.cumulative_sum, ROWS),
    "sum": same_size(lambda x: x - tc.sum(x), ROWS + 1),
    "greatest": same_size(lambda x: tc.broadcast_to(tc.max(x), x.shape)),
    "clip": same_size(lambda x: tc.clip(x, -7, 50)),
    "quarter": lambda a: Value(a.array * 0.25, a.error + 1) if a.kind == "fixed" else a,
    "logistic": lambda a: Value(tc.sigmoid(a.array), a.error + 4) if a.kind == "fixed" else a,
}


def step(data: st.DataObject, values: list[Value]) -> Value:
    """Another value of these."""
    numbers = [it for it in values if it.kind != "bit"]
    bits = [it for it in values if it.kind == "bit"]
    a, b = data.draw(st.sampled_from(numbers)), data.draw(st.sampled_from(numbers))
    known = {**TWO, "select": None, "not": None, **ONE_OPERAND}
    if not a.error and not b.error:
        known |= EXACT
    if a.kind == b.kind == "int":
        known |= WHOLE
    name = data.draw(st.sampled_from(list(known)))
    note(f"{name}: {a.array}, {b.array}")
    if name == "select":
        bit = data.draw(st.sampled_from(bits)).array
        return Value(tc.where(bit, a.array, b.array), max(a.error, b.error))
    if name == "not":
        x, y = data.draw(st.sampled_from(bits)).array, data.draw(st.sampled_from(bits)).array
        return Value(~x & y)
    return ONE_OPERAND[name](a) if name in ONE_OPERAND else known[name](a, b)


def within(value: Value) -> Value:
    """The value, with a range that leaves room."""
    low, high = (-1, 1) if value.kind == "bit" else value.array.range
    return value if -MOST <= low and high <= MOST else Value(tc.clip(value.array, -MOST, MOST), value.error)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@few
@given(data=st.data())
def test_generated_programs_learn_what_the_clear_does(protocol: str, data: st.DataObject) -> None:
    parties = tc.parties(*[f"p{i}" for i in range(PROTOCOLS[protocol])])
    values, given_data = [], {}
    for i, type in enumerate([SMALL, SMALL, REAL, REAL, BIT]):
        owner = parties[i % len(parties)]
        values.append(Value(owner.array(f"x{i}", type, shape=ROWS)))
        given_data[f"{owner.name}.x{i}"] = data.draw(arrays(type, ROWS))
    for _ in range(data.draw(st.integers(2, 6))):
        values.append(within(step(data, values)))
    shown = values[5:][-3:]
    job = tc.job("generated", {f"r{i}": it.array.reveal(to="all") for i, it in enumerate(shown)})
    used = {name: it for name, it in given_data.items() if name in job.input_names}
    wanted, found = job.check(used), job.run(used, protocol=protocol)
    for i, it in enumerate(shown):
        (clear, point), (raw, _) = wanted.exact(f"r{i}"), found.exact(f"r{i}")
        apart = np.abs(np.array(clear, dtype=object) - np.array(raw, dtype=object)).max(initial=0)
        assert apart <= (it.error if point else 0), f"r{i}: {it.array} is {apart} units from the clear, and {it.error} are the most"
