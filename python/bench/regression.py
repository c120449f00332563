"""The regression of examples/regression.py under Tacit, SPU and MPyC, in turn: 569 x 30, 100 steps over all rows, the same data.

    python bench/regression.py --spu-python spu/bin/python --mpyc-python mpyc/bin/python [--runs 5] [--json FILE]

Run it with the Python that has Tacit's optimised wheel and scikit-learn, on a machine that does nothing else. A system whose Python is
not named is looked for in this one, and left out if it is not there. One round measures each once, so that what disturbs the machine
disturbs all; the table has the medians of all rounds.

* The time is from arrays in the clear to weights in the clear: inputs are shared and weights opened within it, programs compiled before.
* Tacit's and SPU's parties are threads of one process and exchange messages in memory; both run once before the clock starts.
  MPyC's are three processes over loopback, and it runs so few steps that its time of 100 is extrapolated, unless --mpyc-steps is 100.
* The error is the largest of a weight's differences from NumPy's in 64-bit floating point, after as many steps as were run.
* Each has 16 bits behind the point, SPU its own 18. A peer's variants are its cheapest, and one whose error is at most 0.001:
  ratios are to both, criteria to whichever is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from machine import announce, table, verdict
from regression_task import STEPS, reference, tumours

HERE = Path(__file__).parent
MINUTES_EACH = 30
# How many times as fast as each peer Tacit should be, and the largest error that its weights may have.
WANTED = {"SPU": 2.5, "MPyC": 100.0}
ERROR = 1e-3


@dataclass
class Contestant:
    """A system in one variant, and what was measured."""

    system: str
    variant: str
    command: list[str]
    steps: int = STEPS
    seconds: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.system}, {self.variant}"

    @property
    def median(self) -> float:
        """Seconds of all steps, the median of the runs."""
        return statistics.median(self.seconds)

    def measure(self, clear: np.ndarray) -> None:
        """One run, in a process of its own."""
        found = ran(self.command)
        # Sharing the inputs happens once, however many steps there are.
        self.seconds.append(found.get("shared", 0.0) + found["seconds"] * STEPS / self.steps)
        self.errors.append(float(np.abs(np.array(found["weights"]) - clear).max()))
        self.versions = found["versions"]


def ran(command: list[str]) -> dict[str, Any]:
    """What a program prints as JSON on the last line that has some."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, errors = process.communicate(timeout=60 * MINUTES_EACH)
    finally:
        if process.poll() is None:  # a time-out or a signal: the parties that it started end with it
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if process.returncode != 0 or not lines:
        raise SystemExit(f"{' '.join(command)} failed:\n{errors[-2000:]}")
    return json.loads(lines[-1])


def has(python: str, module: str) -> bool:
    """Whether a Python can import a module."""
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode == 0


def contestants(asked: argparse.Namespace, data: str) -> list[Contestant]:
    """Those that are there."""
    program = {system: str(HERE / f"regression_{system}.py") for system in ("tacit", "spu", "mpyc")}
    threads = ["--threads", str(asked.threads)]
    found = [
        Contestant("Tacit", protocol, [sys.executable, program["tacit"], data, "--variant", protocol, *threads])
        for protocol in asked.protocols.split(",")
    ]
    for system, python, variants, steps, more in (
        ("SPU", asked.spu_python, ["default", "accurate"], STEPS, []),
        ("MPyC", asked.mpyc_python, ["pieces", "accurate"], asked.mpyc_steps, ["-M3"]),
    ):
        module = system.lower()
        if not has(python or sys.executable, module):
            if python:
                raise SystemExit(f"{python} cannot import {module}")
            print(f"{system} is left out: this Python cannot import {module}; name one that can by --{module}-python")
            continue
        for variant in variants:
            command = [python or sys.executable, program[module], data, str(steps), "--variant", variant, *more]
            found.append(Contestant(system, variant, command, steps))
    return found


def criteria(found: list[Contestant]) -> list[dict[str, Any]]:
    """What is wanted, and what was reached; ratios under the protocols that trust a majority to follow them, as the peers do."""
    told = []
    for it in found:
        if it.system == "Tacit":
            told.append({"criterion": f"{it.name}: error at most {ERROR}", "reached": max(it.errors), "met": max(it.errors) <= ERROR})
    for own in found:
        if own.system != "Tacit" or own.variant not in ("trio", "replicated"):
            continue
        for system, factor in WANTED.items():
            peers = [it for it in found if it.system == system]
            if peers:
                peer = min(peers, key=lambda it: it.median)
                ratio = peer.median / own.median
                what = f"{own.name}: at least {factor} times as fast as {peer.name}"
                told.append({"criterion": what, "reached": ratio, "met": ratio >= factor})
    return told


def row(it: Contestant, fastest: Contestant) -> list[str]:
    """A line of the table."""
    extrapolated = "" if it.steps == STEPS else f" (extrapolated from {it.steps} steps)"
    after = "" if it.steps == STEPS else f" after {it.steps}"
    spread = f"{min(it.seconds):.3g} to {max(it.seconds):.3g}"
    ratio = f"{it.median / fastest.median:.3g}"
    return [it.name, f"{it.median:.3g}{extrapolated}", spread, ratio, f"{max(it.errors):.1e}{after}"]


def main() -> None:
    """Measures and tells."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=5, help="rounds, each of which measures everybody once")
    options.add_argument("--protocols", default="trio,replicated,lift", help="Tacit's protocols")
    options.add_argument("--threads", type=int, default=1, help="worker threads of each of Tacit's parties")
    options.add_argument("--spu-python", metavar="PATH", help="a Python that has SPU")
    options.add_argument(
        "--mpyc-python", metavar="PATH", help="a Python that has MPyC and NumPy, and gmpy2 and uvloop, which make it faster"
    )
    options.add_argument("--mpyc-steps", type=int, default=3, help="steps that MPyC runs")
    options.add_argument("--json", metavar="FILE", help="writes all figures there")
    asked = options.parse_args()
    if asked.runs < 1 or asked.mpyc_steps < 1:
        options.error("--runs and --mpyc-steps are at least 1")
    # `finally` blocks run, which end what was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    here = announce()
    features, labels = tumours()
    with tempfile.TemporaryDirectory() as directory:
        data = str(Path(directory) / "data.npz")
        np.savez(data, features=features, labels=labels)
        found = contestants(asked, data)
        for round in range(asked.runs):
            for it in found:
                it.measure(reference(features, labels, it.steps))
                print(f"round {round + 1}: {it.name}: {it.seconds[-1]:.3g} s", file=sys.stderr)
    fastest = min((it for it in found if it.system == "Tacit"), key=lambda it: it.median)
    print(f"\nMedians of {asked.runs} rounds; seconds of {STEPS} steps.\n")
    print(table(["system", "seconds", "from, to", f"times {fastest.variant}'s", "largest error"], [row(it, fastest) for it in found]))
    versions = {it.system: it.versions for it in found}
    print("\n" + "; ".join(f"{system}: " + ", ".join(f"{name} {number}" for name, number in of.items()) for system, of in versions.items()))
    told = criteria(found)
    for it in told:
        print(f"{verdict(it['met'])}: {it['criterion']}: {it['reached']:.2g}")
    if asked.json:
        rows = [{"name": it.name, "steps": it.steps, "seconds": it.seconds, "median": it.median, "errors": it.errors} for it in found]
        whole = {"machine": here, "runs": asked.runs, "steps": STEPS, "versions": versions, "rows": rows, "criteria": told}
        Path(asked.json).write_text(json.dumps(whole, indent=2) + "\n")


if __name__ == "__main__":
    main()
