#!/usr/bin/env python3
"""Compares the instruction counts of eight kernels with those that are committed.

    scripts/bench_guard.py            fail if a kernel takes over 2 % more instructions than committed
    scripts/bench_guard.py --write    measure, and write the file of counts again

The kernels are in `crates/backend/examples/kernels.rs`. `valgrind --tool=callgrind` counts the
instructions of the function `measured` there, in all threads. The script takes the fewest of some runs,
because threads that meet in another order allocate more or fewer buffers. Counts do not depend on how busy
the machine is, but they do depend on the compiler and on the CPU features that valgrind passes on; the file
says which they were. Where these differ, the script says so, and a difference proves nothing.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COUNTS = ROOT / "crates/backend/examples/kernels.json"
ALLOWED = 0.02
RUNS = 3
FEATURES = ("aes", "pclmulqdq", "avx2", "bmi1", "bmi2")


def output(*command):
    return subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True).stdout


def build():
    """Builds the kernels, and gives the program's path."""
    cargo = os.environ.get("CARGO", "cargo")
    text = output(
        *(cargo, "build", "--release", "--locked", "--quiet", "--message-format", "json"),
        *("--package", "tacit-backend", "--example", "kernels"),
    )
    for line in text.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "kernels":
            return message["executable"]
    sys.exit("Cargo built no program `kernels`.")


def count(program, kernel):
    """The instructions of one kernel: the fewest of some runs, since threads that meet in another order differ."""
    return min(count_once(program, kernel) for _ in range(RUNS))


def count_once(program, kernel):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        + ["--collect-atstart=no", "--toggle-collect=kernels::measured*", program, kernel],
        capture_output=True,
        text=True,
    )
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not found or int(found.group(1)) == 0:
        sys.exit(f"The kernel {kernel} was not measured:\n{run.stderr}")
    return int(found.group(1))


def setting():
    """What counts depend on besides the code."""
    rustc = output(os.environ.get("RUSTC", "rustc"), "--version").split()[1]
    valgrind = output("valgrind", "--version").strip()
    cpu = Path("/proc/cpuinfo")
    flags = set(cpu.read_text().split()) if cpu.exists() else set()
    features = " ".join(feature for feature in FEATURES if feature in flags)
    return {"rustc": rustc, "valgrind": valgrind, "cpu_features": features}


def main():
    if shutil.which("valgrind") is None:
        sys.exit("Instructions are counted by valgrind, which is not installed (apt-get install valgrind).")
    program = build()
    counts = {kernel: count(program, kernel) for kernel in output(program).split()}
    if "--write" in sys.argv:
        COUNTS.write_text(json.dumps({**setting(), "instructions": counts}, indent=2) + "\n")
        print(f"wrote {COUNTS.relative_to(ROOT)}")
        return 0
    committed = json.loads(COUNTS.read_text())
    expected = committed.pop("instructions")
    if committed != setting():
        print(f"The committed counts are of another setting: {committed}; this one is {setting()}.")
    failed = counts.keys() != expected.keys()
    if failed:
        print("The committed counts are of other kernels.")
    for kernel, now in counts.items():
        before = expected.get(kernel, now)
        change = now / before - 1
        failed |= change > ALLOWED
        says = "TOO MANY" if change > ALLOWED else "fewer" if change < -ALLOWED else ""
        print(f"{kernel:<22}{now:>14,}{change:>+9.2%}  {says}")
    if failed:
        print("If more instructions are meant, `scripts/bench_guard.py --write` and say why in the commit.")
    return failed


if __name__ == "__main__":
    sys.exit(main())
