"""What Python adds before a run: importing the package, building operations, sealing a job.

    python bench/building.py [--operations 100000] [--runs 5] [--json FILE]

Run it with the Python that has Tacit's optimised wheel. Importing is measured in fresh processes, NumPy included, and beside it how much
of that is NumPy's. Operations are what a user writes: sums, products, comparisons and selections of columns, each with its place in the
source. Sealing reads out what the results depend on, checks it, and makes the text and its digest.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

from machine import announce, table, verdict

import tacit as tc

IMPORT = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import tacit
print(time.perf_counter() - start, middle - start)
"""


def imported() -> tuple[float, float]:
    """Seconds of importing Tacit in a fresh process, and those of NumPy among them."""
    whole, numpy = subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True).stdout.split()
    return float(whole), float(numpy)


def built(operations: int) -> tuple[float, float]:
    """Seconds of building so many operations, and of sealing a job that depends on all of them."""
    alice, bob = tc.parties("alice", "bob")
    n = tc.rows("n", max=1000)
    x = alice.array("x", tc.Int(0, 100), shape=n)
    y = bob.array("y", tc.Int(0, 100), shape=n)
    value = x
    gc.collect()
    start = time.perf_counter()
    for _ in range(operations // 4):
        larger = value > y
        chosen = tc.where(larger, y, x)
        product = chosen * y
        value = tc.minimum(product, x)
    middle = time.perf_counter()
    job = tc.job("long", total=value.sum().reveal(to="all"))
    assert job.digest
    return middle - start, time.perf_counter() - middle


def main() -> None:
    """Measures and tells."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--operations", type=int, default=100_000)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--json", metavar="FILE", help="writes all figures there")
    asked = options.parse_args()
    here = announce()
    imports, builds = [], []
    for _ in range(asked.runs):
        imports.append(imported())
        builds.append(built(asked.operations))
    importing, numpy = (statistics.median(it) for it in zip(*imports, strict=True))
    building, sealing = (statistics.median(it) for it in zip(*builds, strict=True))
    wanted = 0.5 * asked.operations / 100_000
    rows = [
        ["import tacit, with NumPy", f"{importing:.3f}", f"0.2: {verdict(importing < 0.2)}"],
        ["of it NumPy", f"{numpy:.3f}", ""],
        [f"building {asked.operations} operations", f"{building:.3f}", f"{wanted:g}: {verdict(building < wanted)}"],
        ["sealing them as a job", f"{sealing:.3f}", ""],
    ]
    print(f"{Path(tc.__file__).parent}; medians of {asked.runs} runs\n")
    print(table(["what", "seconds", "wanted, below"], rows))
    if asked.json:
        whole = {"machine": here, "operations": asked.operations, "imports": imports, "builds": builds}
        Path(asked.json).write_text(json.dumps(whole, indent=2) + "\n")


if __name__ == "__main__":
    main()
