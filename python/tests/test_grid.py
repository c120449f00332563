"""Functions with a stated number of bits, at every number of 16 bits, under protocols."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tacit as tc

# All numbers of 16 bits with 12 of them behind the point.
GRID = np.arange(-(2**15), 2**15)
POWERS: dict[str, Any] = {
    "exp": np.exp,
    "log": lambda x: np.log(np.maximum(x, 2.0**-12)),
    "sigmoid": lambda x: 0.5 * (1 + np.tanh(0.5 * x)),
    "tanh": np.tanh,
    "reciprocal": lambda x: 1 / np.where(x == 0, np.inf, x),
}


@pytest.mark.parametrize("protocol", ["trio", "lift"])
@pytest.mark.parametrize("bits", [8, 12, 20])
@pytest.mark.parametrize("name", POWERS)
def test_functions_with_bits_hold_their_bounds_at_every_number(name: str, bits: int, protocol: str) -> None:
    """Of all numbers of 16 bits: at most `2**-bits` (of exponentials and reciprocals, of them) and so many units are wrong."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    grid = GRID[GRID > 0] if name == "log" else GRID
    grid = grid if protocol == "trio" else grid[::64]
    x = alice.array("x", tc.Fixed(-8, 7.9998, 12), shape=len(grid)) + bob.array("z", tc.Fixed(0, 0, 12), shape=len(grid))
    assert x.dtype.startswith("fixed(1") and x.dtype.endswith(",12)")
    job = tc.job("grid", y=getattr(tc, name)(tc.to_fixed(x, 16), bits=bits).reveal(to=alice))
    found = np.asarray(job.run({"alice": {"x": grid / 2**12}, "bob": {"z": np.zeros(len(grid))}}, protocol=protocol).y)
    wanted = POWERS[name](grid / 2**12)
    units = {"tanh": 6}.get(name, 3) * 2.0**-16
    allowed = 2.0**-bits * (np.abs(wanted) if name in ("exp", "reciprocal") else 1.0) + units
    beyond = np.abs(found - wanted) > allowed
    assert not beyond.any(), f"{beyond.sum()} of {len(grid)}, first at {grid[beyond][0] / 2**12}"
