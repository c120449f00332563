"""The regression under SPU: ABY3, ring of 64 bits, its simulation in one process. Called by regression.py.

    python regression_spu.py DATA.npz STEPS --variant default|accurate

The variants differ in the exponential of the sigmoid: 8 iterations, as it comes, or 12. The program is compiled before the clock
starts; sharing the inputs and opening the weights are within the time.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.metadata import version

import jax
import jax.numpy as jnp
import numpy as np
import spu.libspu as libspu
from spu.utils import frontend, simulation


def program(steps: int):
    """The regression as a function of JAX."""

    def fit(features, labels):
        def step(_, w):
            return w - features.T @ (jax.nn.sigmoid(features @ w) - labels) / 512

        return jax.lax.fori_loop(0, steps, step, jnp.zeros(features.shape[1]))

    return fit


def main() -> None:
    """Measures once, and prints what it found as JSON."""
    options = argparse.ArgumentParser()
    options.add_argument("data")
    options.add_argument("steps", type=int)
    options.add_argument("--variant", choices=["default", "accurate"], required=True)
    asked = options.parse_args()
    data = np.load(asked.data)
    given = data["features"].astype(np.float32), data["labels"].astype(np.float32)
    config = libspu.RuntimeConfig(protocol=libspu.ProtocolKind.ABY3, field=libspu.FieldType.FM64)
    if asked.variant == "accurate":
        config.fxp_exp_iters = 12
    simulator = simulation.Simulator(3, config)
    executable, _ = frontend.compile(
        frontend.Kind.JAX,
        program(asked.steps),
        given,
        {},
        ["features", "labels"],
        [libspu.Visibility.VIS_SECRET] * 2,
        lambda found: [f"result{i}" for i in range(len(found))],
    )
    for _ in range(2):  # the first run is not counted
        start = time.perf_counter()
        [weights] = simulator(executable, *given)
        seconds = time.perf_counter() - start
    versions = {name: version(name) for name in ("spu", "jax", "numpy")}
    print(json.dumps({"seconds": seconds, "weights": weights.tolist(), "versions": versions}))


if __name__ == "__main__":
    main()
