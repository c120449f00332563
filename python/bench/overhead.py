"""What `job.run` takes beyond the engine's run, beside `tacit run` of the same program.

    python bench/overhead.py [--rows 1000] [--runs 21] [--command PATH] [--json FILE]

Run it with the Python that has Tacit's optimised wheel. The job is that of examples/stay, the parties have the same rows in all runs.
In turn, the script runs

* `tacit run --local`: a process per party over TLS, data from CSV files;
* `job.run` over TLS, the parties threads of this process, data from arrays;
* `job.run` in memory.

What is the overhead of the Python layer? Comparing wall times of the two flatters Python: the command starts four processes and reads
files. Comparing only what happens in Python's own code flatters it too: the binding copies inputs and waits for the run. So the
overhead is the *whole wall time of `job.run`*, from arrays to arrays, less the *engine's own seconds that `tacit run` reports*: those from
the agreement on what is run, when the parties are connected, to the last result. This charges Python, beside its own work, with fresh
keys, TLS handshakes and the preparation of the program, which the command does outside these seconds as well: an upper bound. The lines
below the table say besides what `job.run` takes beyond the engine's seconds of the same run, where processes or threads make no
difference, and how much of it is Python's own: in memory, the wall time less that of the call into the engine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from machine import announce, table, verdict

import tacit as tc

EXAMPLE = Path(__file__).parents[2] / "examples" / "stay" / "stay.tacit"
WANTED = 0.020
# Wall time, and the engine's own seconds; in memory, where those are virtual, the ones within the call into the engine.
Run = tuple[float, float]


def engine(report: dict[str, Any]) -> float:
    """The seconds that a party's report has."""
    return float(report["setup_seconds"] + report["offline_seconds"] + report["online_seconds"])


def command_of(asked: str | None) -> str:
    """The program `tacit`: the one that is named, that of this Python's wheel, or the one that is found."""
    beside = Path(sys.executable).parent / "tacit"
    found = asked or (str(beside) if beside.exists() else shutil.which("tacit"))
    if not found:
        raise SystemExit("there is no program `tacit` beside this Python: name one by --command")
    return found


def by_command(command: list[str], wanted: float) -> Run:
    """One run by the program `tacit`."""
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    wall = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    parties = json.loads(done.stdout)["parties"]
    same(float(parties[0]["results"]["mean stay"]), wanted)
    return wall, engine(parties[0]["report"])


def by_python(job: tc.Job, data: dict[str, Any], on: Any, protocol: str, wanted: float) -> Run:
    """One run from Python."""
    start = time.perf_counter()
    result = job.run(data, on=on, protocol=protocol)
    mean = result["mean stay"]
    wall = time.perf_counter() - start
    same(float(mean), wanted)
    return wall, engine(result.report.raw) if on.transport == "tcp" else result.report.seconds


def same(found: float, wanted: float) -> None:
    """Stops where a run gives something else: its time would mean nothing."""
    if abs(found - wanted) > 2**-8:
        raise SystemExit(f"a run gave {found}, not {wanted}")


def main() -> None:
    """Measures and tells."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1000, help="rows of each party")
    options.add_argument("--runs", type=int, default=21)
    options.add_argument("--protocol", default="trio")
    options.add_argument("--command", metavar="PATH", help="the program `tacit`, optimised")
    options.add_argument("--json", metavar="FILE", help="writes all figures there")
    asked = options.parse_args()
    here = announce()
    job = tc.load(EXAMPLE)
    rng = np.random.default_rng(7)
    data = {name: {"age": rng.integers(20, 100, asked.rows), "days": rng.integers(1, 30, asked.rows)} for name in job.parties}
    age, days = (np.concatenate([it[column] for it in data.values()]) for column in ("age", "days"))
    wanted = float(days[age >= 65].mean())
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, "stay.tacit")
        job.save(program)
        command = [command_of(asked.command), "run", program, "--local", "--protocol", asked.protocol, "--json"]
        for name, columns in data.items():
            path = os.path.join(directory, f"{name}.csv")
            np.savetxt(path, np.stack(list(columns.values()), axis=1), "%d", ",", header=",".join(columns), comments="")
            command += ["--table", f"{name}={path}"]
        ways: dict[str, Callable[[], Run]] = {
            "tacit run --local": lambda: by_command(command, wanted),
            "job.run, TLS": lambda: by_python(job, data, tc.local(transport="tcp"), asked.protocol, wanted),
            "job.run, in memory": lambda: by_python(job, data, tc.local(), asked.protocol, wanted),
        }
        measured: dict[str, list[Run]] = {name: [] for name in ways}
        for round in range(asked.runs + 1):
            for name, way in ways.items():
                run = way()
                if round:  # the first round is not counted
                    measured[name].append(run)

    middle = {name: [statistics.median(it) for it in zip(*runs, strict=True)] for name, runs in measured.items()}
    print(f"{Path(tc.__file__).parent} and {command[0]}; {asked.protocol}, {asked.rows} rows of each party; medians of {asked.runs} runs\n")
    rows = [[name, f"{1000 * wall:.1f}", f"{1000 * inner:.1f}"] for name, (wall, inner) in middle.items()]
    print(table(["run", "wall, ms", "engine, ms"], rows))
    reported = middle["tacit run --local"][1]
    told = {name: middle[name][0] - reported for name in middle if name.startswith("job.run")}
    print()
    for name, overhead in told.items():
        print(
            f"{name}: {1000 * overhead:.1f} ms beyond the engine's run under `tacit run`; below 20 is wanted: {verdict(overhead < WANTED)}"
        )
    own = statistics.median(wall - call for wall, call in measured["job.run, in memory"])
    rest = statistics.median(wall - inner for wall, inner in measured["job.run, TLS"])
    print(f"job.run, TLS: {1000 * rest:.1f} ms beyond its own engine's run")
    print(f"of it in Python's own code: {1000 * own:.1f} ms")
    if asked.json:
        whole = {
            "machine": here,
            "rows": asked.rows,
            "protocol": asked.protocol,
            "runs": measured,
            "overhead": told,
            "own": rest,
            "python": own,
        }
        Path(asked.json).write_text(json.dumps(whole, indent=2) + "\n")


if __name__ == "__main__":
    main()
