"""The regression under MPyC: three parties as processes of this machine. Called by regression.py.

    python regression_mpyc.py DATA.npz STEPS --variant pieces|accurate -M3

MPyC has no sigmoid. `pieces` is three straight lines: two comparisons, the least that bends. `accurate` is a polynomial of the
absolute value, one half of the curve mirrored, and 1 beyond 9: two comparisons too, and an error below 0.0002.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from mpyc.runtime import mpc
from numpy.polynomial import chebyshev

BOUND, DEGREE = 9, 8


def pieces(u):
    """0 below -1/2, 1 above 1/2, a straight line between them."""
    low, high = u < -0.5, u > 0.5
    return high + (1 - low - high) * (u + 0.5)


def accurate(u):
    """A polynomial in the Chebyshev polynomials T0 to T2 and T3 of |u|, scaled to -1..1."""
    negative = u < 0
    size = u * (1 - 2 * negative)
    beyond = size > BOUND
    inside = size * (1 - beyond)
    t = inside * (2 / BOUND) - 1
    squared = 2 * t * t - 1
    cubed = 2 * t * squared - t
    series = chebyshev.chebinterpolate(lambda at: 1 / (1 + np.exp(-BOUND * (at + 1) / 2)), DEGREE)
    rest, low = chebyshev.chebdiv(series, [0, 0, 0, 1])
    high, middle = chebyshev.chebdiv(rest, [0, 0, 0, 1])
    factors = np.stack([low, middle, high])
    basis = np.stack([t, squared], axis=1)
    three = basis @ factors[:, 1:].T
    of = [three[:, i] + float(factors[i, 0]) for i in range(3)]
    half = of[0] + cubed * (of[1] + cubed * of[2])
    half = half + beyond * float(1 - chebyshev.chebval(-1, series))
    return half + negative * (1 - 2 * half)


async def main() -> None:
    """Measures once, and prints what it found as JSON."""
    options = argparse.ArgumentParser()
    options.add_argument("data")
    options.add_argument("steps", type=int)
    options.add_argument("--variant", choices=["pieces", "accurate"], required=True)
    asked = options.parse_args()
    sigmoid = {"pieces": pieces, "accurate": accurate}[asked.variant]
    data = np.load(asked.data)
    features, labels = data["features"], data["labels"].astype(int)
    fixed = mpc.SecFxp(32, 16)
    await mpc.start()
    await mpc.barrier()

    start = time.perf_counter()
    alices = mpc.input(fixed.array(features[:, :15]), senders=0)
    y = mpc.input(fixed.array(labels), senders=0)
    bobs = mpc.input(fixed.array(features[:, 15:]), senders=1)
    x = np.concatenate((alices, bobs), axis=1)
    transposed = x.T
    await mpc.gather(x, y)
    await mpc.barrier()
    shared = time.perf_counter() - start

    start = time.perf_counter()
    w = fixed.array(np.zeros(features.shape[1]), integral=False)
    for _ in range(asked.steps):
        w = w - transposed @ (sigmoid(x @ w) - y) * (1 / 512)
    weights = await mpc.output(w)
    seconds = time.perf_counter() - start
    await mpc.shutdown()

    versions = {}
    for name in ("mpyc", "numpy", "gmpy2", "uvloop"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "none"
    if mpc.pid == 0:
        json.dump({"shared": shared, "seconds": seconds, "weights": [float(it) for it in weights], "versions": versions}, sys.stdout)
        print()


if __name__ == "__main__":
    mpc.run(main())
