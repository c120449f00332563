#!/usr/bin/env python3
"""What it costs to be secure against more: ten programs under four protocols on three networks, in virtual time.

    target/python/bin/python scripts/cost_of_security.py [--binary PATH] [--quick]

Writes docs/cost-of-security.json and docs/cost-of-security.svg, and the table of docs/cost-of-security.md between its marks. Needs
matplotlib (`scripts/python.sh setup` has it) and an optimised `tacit`. With --quick it runs three programs and writes nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/cost-of-security.md"
PROTOCOLS = {
    "trio": "semi-honest, one of three",
    "lift": "malicious, one of three",
    "quad": "malicious, one of four",
    "authenticated:3": "malicious, two of three",
}
NETWORKS = ("lan", "continental", "global")
# What is shown, and how it is run: a circuit's arguments of `tacit circuit build`, or a program with its row counts.
PROGRAMS: dict[str, list[str]] = {
    "AES-128, one block": ["circuit", "aes"],
    "SHA-256, one block": ["circuit", "sha256"],
    "1,000 products of 64 bits": ["examples/bench/multiply.tacit", "n=1000"],
    "1,000 comparisons of 64 bits": ["examples/bench/compare.tacit", "n=1000"],
    "1,000 rows: max(x - y, 0)": ["examples/bench/relu.tacit", "n=1000"],
    "10 inner products of 1,000": ["examples/bench/dot.tacit", "n=10"],
    "1,000 rows in 8 groups": ["examples/bench/group-by.tacit", "n=1000"],
    "1,000 rows sorted": ["examples/bench/sort.tacit", "n=1000"],
    "regression, 10 steps of 20 rows": ["examples/bench/regression.tacit", "n=20"],
    "the README's mean, 1,000 rows": ["examples/stay/stay.tacit", "a=400", "b=300", "c=300"],
}


def lab(binary: str, program: list[str], network: str) -> dict[str, dict[str, float]]:
    """Seconds and bytes by protocol."""
    options = ["--network", network, "--protocol", ",".join(PROTOCOLS), "--json"]
    with tempfile.TemporaryDirectory() as folder:
        what, *rest = program
        if what == "circuit":
            what = f"{folder}/{rest[0]}.txt"
            subprocess.run([binary, "circuit", "build", rest[0], "--output", what], check=True, capture_output=True)
        for rows in [] if program[0] == "circuit" else rest:
            options += ["--rows", rows]
        done = subprocess.run([binary, "lab", what, *options], check=False, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} on {network}: {done.stderr.strip()}")
    runs = json.loads(done.stdout)["runs"]
    return {run["protocol"]: {"seconds": run["total_seconds"], "bytes": run["total_bytes"]} for run in runs}


def shown(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def ratio(to: float, of: float) -> str:
    times = to / of
    return f"{times:.1f}x" if times < 100 else f"{float(f'{times:.2g}'):,.0f}x"


def size(count: float) -> str:
    for unit, limit in (("kB", 1e6), ("MB", 1e9), ("GB", 1e12)):
        if count < limit:
            value = count / (limit / 1e3)
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{count:.0f}"


def table(found: dict[str, dict[str, dict[str, dict[str, float]]]]) -> str:
    lines = []
    for network in NETWORKS:
        lines += [f"### On `{network}`", "", "| | " + " | ".join(f"`{it}`" for it in PROTOCOLS) + " |"]
        lines.append("|---|" + "---|" * len(PROTOCOLS))
        for name in found:
            by = found[name][network]
            base = by["trio"]["seconds"]
            cells = [f"{shown(by['trio']['seconds'])}, {size(by['trio']['bytes'])}"]
            for it in list(PROTOCOLS)[1:]:
                cells.append(f"{shown(by[it]['seconds'])} ({ratio(by[it]['seconds'], base)}), {size(by[it]['bytes'])}")
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def plot(found: dict[str, dict[str, dict[str, dict[str, float]]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tacit"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(NETWORKS), figsize=(13, 5), sharey=True)
    height = 0.8 / len(PROTOCOLS)
    for axis, network in zip(axes, NETWORKS, strict=True):
        for k, protocol in enumerate(PROTOCOLS):
            places = [row - 0.4 + (k + 0.5) * height for row in range(len(found))]
            axis.barh(places, [found[name][network][protocol]["seconds"] for name in found], height, label=protocol)
        axis.set_xscale("log")
        axis.set_title(network)
        axis.set_xlabel("seconds, set-up included")
        axis.set_yticks(range(len(found)), list(found))
        axis.grid(axis="x", alpha=0.3)
    axes[0].invert_yaxis()
    axes[-1].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(ROOT / "target/release/tacit"), help="the command [default: %(default)s]")
    parser.add_argument("--quick", action="store_true", help="three programs; nothing is written")
    given = parser.parse_args()
    found: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for name, program in list(PROGRAMS.items())[: 3 if given.quick else None]:
        found[name] = {}
        for network in NETWORKS:
            print(f"{name} on {network}", file=sys.stderr)
            found[name][network] = lab(given.binary, program, network)
    text = table(found)
    print(text)
    if given.quick:
        return
    PAGE.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")
    plot(found, PAGE.with_suffix(".svg"))
    page = PAGE.read_text()
    before, rest = page.split("<!-- table -->\n")
    _, after = rest.split("<!-- end of table -->\n")
    PAGE.write_text(f"{before}<!-- table -->\n{text}<!-- end of table -->\n{after}")


if __name__ == "__main__":
    main()
