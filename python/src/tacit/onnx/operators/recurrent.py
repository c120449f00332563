"""Recurrent layers, whose steps are a loop of the program: `RNN`, `GRU` and `LSTM`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import xp
from ...array import Array
from ...control import loop
from ...types import Fixed
from ..numbers import assumed, constant, length, plus, real
from ..table import Call, Value, op
from .activations import relu, sigmoid, tanh
from .layers import product

_FUNCTIONS: dict[str, Callable[[Call, Array], Array]] = {"sigmoid": sigmoid, "tanh": tanh, "relu": relu}
# How many gates a cell has, and what its functions are unless they are said.
_GATES = {"RNN": (1, ["Tanh"]), "GRU": (3, ["Sigmoid", "Tanh"]), "LSTM": (4, ["Sigmoid", "Tanh", "Tanh"])}


def _part(value: Value, axis: int, start: int, many: int) -> Value:
    """Some positions of an axis of an array or a constant."""
    if isinstance(value, Array):
        return xp._part(value, axis, start, many)
    return np.take(value, range(start, start + many), axis=axis)


def _dropped(value: Value, axis: int) -> Value:
    return xp.squeeze(value, axis) if isinstance(value, Array) else np.squeeze(value, axis)


def _turned(value: Value) -> Value:
    return xp.matrix_transpose(value) if isinstance(value, Array) else np.ascontiguousarray(value.T)


class _Direction:
    """The weights of one direction: a matrix for inputs, one for the state, and what is added to each."""

    def __init__(self, at: Call, place: int, hidden: int) -> None:
        gates, _ = _GATES[at.op_type]
        self.hidden = hidden
        given = [None if at.operand(i) is None else _dropped(_part(at.operand(i), 0, place, 1), 0) for i in (1, 2, 3)]
        self.inputs, self.state = (_turned(it) for it in given[:2])
        self.bias: list[Value] = [np.zeros(gates * hidden), np.zeros(gates * hidden)]
        if given[2] is not None:
            self.bias = [_part(given[2], 0, i * gates * hidden, gates * hidden) for i in (0, 1)]

    def gate(self, x: Array, number: int) -> Array:
        """The part of a gate."""
        return xp._part(x, 1, number * self.hidden, self.hidden)


def _rnn(at: Call, own: _Direction, functions: list[Any], x: Array, h: Array, c: Array | None) -> tuple[Array, Array | None]:
    return functions[0](at, x + plus(at, product(at, h, own.state), own.bias[1])), None


def _gru(at: Call, own: _Direction, functions: list[Any], x: Array, h: Array, c: Array | None) -> tuple[Array, Array | None]:
    size = own.hidden
    before = plus(at, product(at, h, own.state), own.bias[1])
    z = functions[0](at, own.gate(x, 0) + own.gate(before, 0))
    r = functions[0](at, own.gate(x, 1) + own.gate(before, 1))
    if at.attr("linear_before_reset", 0):
        new = functions[1](at, own.gate(x, 2) + r * own.gate(before, 2))
    else:
        state, bias = _part(own.state, 1, 2 * size, size), _part(own.bias[1], 0, 2 * size, size)
        new = functions[1](at, own.gate(x, 2) + plus(at, product(at, r * h, state), bias))
    return new + z * (h - new), None


def _lstm(at: Call, own: _Direction, functions: list[Any], x: Array, h: Array, c: Array | None) -> tuple[Array, Array | None]:
    assert c is not None
    sums = x + plus(at, product(at, h, own.state), own.bias[1])
    i, o, f = (functions[0](at, own.gate(sums, number)) for number in range(3))
    following = f * c + i * functions[1](at, own.gate(sums, 3))
    return o * functions[2](at, following), following


_CELLS = {"RNN": _rnn, "GRU": _gru, "LSTM": _lstm}


def _directed(at: Call, x: Array, place: int, backwards: bool, functions: list[Any], hidden: int) -> tuple[Array, Array, Array | None]:
    """All states, the last one, and the last cell, of one direction."""
    own = _Direction(at, place, hidden)
    steps, rows = length(x, 0), x.shape[1]
    frac = x._node.fraction
    nothing = constant(at.arena, np.float64(0), frac)
    starts = []
    for operand in (5, 6) if at.op_type == "LSTM" else (5,):
        given = at.operand(operand)
        if given is None:
            starts.append(xp.broadcast_to(nothing, (rows, hidden)))
        else:
            starts.append(xp.broadcast_to(real(at, _dropped(_part(given, 0, place, 1), 0)), (rows, hidden)))
    # Inputs of all steps at once; only the state needs one after the other.
    ready = plus(at, product(at, x, own.inputs), own.bias[0])
    # States are mixtures of the first one and of values of the function; cells grow by one at most in each step.
    room = (16 + 4 * steps) * (2.0**-frac + at.wrong)
    top = max(1.0, *(abs(float(it)) for it in starts[0].range)) + room
    bounds = [top]
    if at.op_type == "LSTM":
        bounds.append(max(abs(float(it)) for it in starts[1].range) + steps * (1 + room))
    types = [Fixed(-it, it, frac) for it in bounds]
    every = xp.broadcast_to(nothing, (steps, rows, hidden))

    def step(*carried: Array) -> list[Array]:
        *states, seen, number = carried
        position = (steps - 1) - number if backwards else number
        following = _CELLS[at.op_type](at, own, functions, ready[position], states[0], states[1] if len(states) > 1 else None)
        kept = [assumed(it, -bound, bound) for it, bound in zip(following, bounds, strict=False) if it is not None]
        return [*kept, seen.at[position].set(kept[0])]

    *states, seen = loop(steps, step, *starts, every, keep=[*types, types[0]])
    return seen, states[0], states[1] if len(states) > 1 else None


@op("RNN", "GRU", "LSTM")
def recurrent(at: Call, x: Value, *_: Value) -> list[Any]:
    way = at.attr("direction", "forward")
    directions = [False, True] if way == "bidirectional" else [way == "reverse"]
    named = [it.lower() for it in (at.attr("activations") or _GATES[at.op_type][1] * len(directions))]
    if at.operand(4) is not None or at.operand(7) is not None or at.attr("clip") or at.attr("input_forget", 0):
        at.refuse("lengths of sequences, peepholes, clipping, or gates that are coupled")
    if any(it not in _FUNCTIONS for it in named) or (at.op_type != "RNN" and "relu" in named) or at.attr("activation_alpha"):
        at.refuse(f"the functions {', '.join(named)}")
    if "relu" in named:
        at.refuse("states without bounds: only Tanh and Sigmoid have them")
    first = bool(at.attr("layout", 0))
    if first and (at.operand(5) is not None or at.operand(6) is not None):
        at.refuse("first states with the rows before the directions")
    x = real(at, x)
    x = xp.permute_dims(x, (1, 0, 2)) if first else x
    hidden = int(at.attr("hidden_size"))
    each = len(named) // len(directions)
    made = []
    for place, backwards in enumerate(directions):
        functions = [_FUNCTIONS[it] for it in named[place * each : (place + 1) * each]]
        made.append(_directed(at, x, place, backwards, functions, hidden))
    seen = xp.stack([it[0] for it in made], axis=1)
    last = [xp.stack([it[i] for it in made]) for i in (1, 2) if made[0][i] is not None]
    if first:
        seen, last = xp.permute_dims(seen, (2, 0, 1, 3)), [xp.permute_dims(it, (1, 0, 2)) for it in last]
    return [seen, *last]
