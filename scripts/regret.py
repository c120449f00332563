#!/usr/bin/env python3
"""How much is lost by running what `tacit plan` says is fastest.

For each cell (a program, a network, what must be protected against) the plan is made, and every candidate that it predicts
to be near the best is run as planned: the same roles, the same form of numbers, the same rows at a time. The regret of a cell
is by how much the choice is slower than the fastest candidate measured.

    scripts/regret.py virtual              in virtual time, by the network alone: the same in every run
    scripts/regret.py sockets              processes on this machine, TLS over shaped sockets, with computing
    scripts/regret.py virtual --only sort,10mbit --table
    scripts/regret.py sockets --skip dot,matmul,pay-gap

It needs `tacit` (target/release/tacit, or TACIT).
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TACIT = os.environ.get("TACIT", str(ROOT / "target/release/tacit"))

# Programs with numbers of rows: few, and more.
PROGRAMS = [
    ("examples/stay/stay.tacit", {"a": 200, "b": 200, "c": 200}),
    ("examples/pay-gap/pay-gap.tacit", {"a": 300, "b": 300, "c": 300}),
    ("examples/bench/compare.tacit", {"n": 1000}),
    ("examples/bench/compare.tacit", {"n": 100_000}),
    ("examples/bench/dot.tacit", {"n": 1000}),
    ("examples/bench/group-by.tacit", {"n": 2000}),
    ("examples/bench/group-by.tacit", {"n": 20_000}),
    ("examples/bench/matmul.tacit", {}),
    ("examples/bench/multiply.tacit", {"n": 100_000}),
    ("examples/bench/regression.tacit", {"n": 500}),
    ("examples/bench/relu.tacit", {"n": 10_000}),
    ("examples/bench/sort.tacit", {"n": 1000}),
    ("examples/bench/sort.tacit", {"n": 10_000}),
]
# Name, and what `--network` takes.
NETWORKS = ["lan", "continental", "global", "10mbit"]
# What must be protected against, and its flags. The programs have three parties; of four one helps.
THREATS = [
    ("one of 3, semi-honest", ["--security", "semi-honest"]),
    ("one of 3, malicious", ["--security", "malicious"]),
    ("two of 3, semi-honest", ["--security", "semi-honest", "--corruptions", "all-but-one"]),
    ("one of 4, malicious", ["--security", "malicious", "--parties", "4"]),
]
# Candidates that are predicted to take more than so many times the best are not run, and so many are at most.
WITHIN, MOST = 3.0, 6
# Seconds after which a candidate is given up: it is slower than that.
LIMIT = 300


def tacit(*arguments, limit=LIMIT):
    run = subprocess.run([TACIT, *arguments, "--json"], capture_output=True, text=True, timeout=limit)
    if run.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {run.stderr.strip()[-400:]}")
    return json.loads(run.stdout)


def planned(cell, computing):
    path, rows, network, threat = cell
    counts = [word for name, count in rows.items() for word in ("--rows", f"{name}={count}")]
    plan = tacit("plan", path, "--network", network, "--computing", computing, *threat, *counts)
    best = plan["candidates"][0]["seconds"]["total"]
    near = [it for it in plan["candidates"] if it["seconds"]["total"] <= WITHIN * best]
    return counts, near[:MOST]


def form(candidate):
    words = ["--protocol", candidate["protocol"], "--chunk-rows", str(candidate["chunk_rows"])]
    if candidate["by"]:
        words += ["--by", candidate["by"]]
    return words


def virtual(cell, counts, candidate, _runs):
    path, _, network, _ = cell
    words = ["--roles", candidate["roles"], *form(candidate)]
    report = tacit("lab", path, "--network", network, "--network-only", *words, *counts)
    return report["runs"][0]["total_seconds"]


def sockets(cell, counts, candidate, runs):
    path, _, network, _ = cell
    words = ["--roles", candidate["roles"], "--transport", "tls", "--runs", str(runs), *form(candidate)]
    report = tacit("program", "bench", path, "--network", network, *words, *counts)
    return report["total_seconds"]


def measured(kind, cell, runs):
    counts, near = planned(cell, "none" if kind == "virtual" else "here")
    run = {"virtual": virtual, "sockets": sockets}[kind]
    found, failed = [], []
    for candidate in near:
        try:
            seconds = run(cell, counts, candidate, runs)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failed.append(f"{candidate['protocol']}: {error}")
            continue
        found.append(
            {"protocol": candidate["protocol"], "by": candidate["by"], "predicted": candidate["seconds"]["total"], "seconds": seconds}
        )
    if not found or found[0]["protocol"] != near[0]["protocol"]:
        raise RuntimeError(f"the choice does not run: {failed}")
    best = min(found, key=lambda it: it["seconds"])
    chosen = found[0]
    return {
        "program": f"{pathlib.Path(cell[0]).stem} {','.join(str(it) for it in cell[1].values())}".strip(),
        "network": cell[2],
        "chosen": chosen["protocol"],
        "best": best["protocol"],
        "regret": chosen["seconds"] / best["seconds"] - 1,
        "error": chosen["predicted"] / chosen["seconds"] - 1,
        "candidates": found,
        "failed": failed,
    }


def percent(part):
    return f"{100 * part:+.0f} %"


def row(cell):
    chosen = cell["candidates"][0]
    best = next(it for it in cell["candidates"] if it["protocol"] == cell["best"])
    other = "" if cell["best"] == cell["chosen"] else f"{cell['best']}, {best['seconds']:.3g} s"
    return (
        f"| {cell['program']} | {cell['network']} | {cell['threat']} | {cell['chosen']} | {chosen['predicted']:.3g} s "
        f"| {chosen['seconds']:.3g} s | {percent(cell['error'])} | {other} | {percent(cell['regret'])} |"
    )


HEAD = "| program, rows | network | corrupted | chosen | predicted | measured | error | faster | regret |\n" + "| --- " * 9 + "|"


def summary(cells):
    if not cells:
        return "no cells"
    predictions = [it["predicted"] / it["seconds"] - 1 for cell in cells for it in cell["candidates"]]
    within = sum(cell["regret"] <= 0.10 for cell in cells)
    near = sum(abs(cell["error"]) <= 0.25 for cell in cells)
    near_all = sum(abs(error) <= 0.25 for error in predictions)
    return (
        f"{len(cells)} cells: the choice is within 10 % of the best in {within} ({100 * within / len(cells):.0f} %), the worst regret is "
        f"{percent(max(cell['regret'] for cell in cells))}; its prediction is within 25 % in {near} ({100 * near / len(cells):.0f} %), "
        f"that of all {len(predictions)} candidates in {near_all} ({100 * near_all / len(predictions):.0f} %); "
        f"the median error is {percent(statistics.median(abs(it) for it in predictions))}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["virtual", "sockets"])
    parser.add_argument("--only", default="", help="cells that have all of these words, with commas between them")
    parser.add_argument("--skip", default="", help="not cells that have one of these words, with commas between them")
    parser.add_argument("--runs", type=int, default=1, help="runs of each candidate, whose median counts (sockets)")
    parser.add_argument("--table", action="store_true", help="print the table at the end, in Markdown")
    parser.add_argument("--output", help="write all that was measured, as JSON")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    words, skipped = ([it for it in text.split(",") if it] for text in (arguments.only, arguments.skip))
    wanted = []
    for path, rows in PROGRAMS:
        for network in NETWORKS:
            for threat, flags in THREATS:
                name = f"{path} {rows} {network} {threat}"
                if all(word in name for word in words) and not any(word in name for word in skipped):
                    wanted.append((name, threat, (path, rows, network, flags)))
    cells, broken = [], []
    # Virtual time is the same whatever else runs.
    jobs = (os.cpu_count() or 1) if arguments.kind == "virtual" else 1
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(measured, arguments.kind, cell, arguments.runs) for _, _, cell in wanted]
        for (name, threat, _), cell in zip(wanted, running):
            try:
                cells.append({**cell.result(), "threat": threat})
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                broken.append(f"{name}: {error}")
                print(f"left out: {broken[-1]}", file=sys.stderr)
                continue
            print(row(cells[-1]), file=sys.stderr, flush=True)
    if arguments.table:
        print(HEAD)
        print("\n".join(row(cell) for cell in cells))
    print(summary(cells))
    if arguments.output:
        pathlib.Path(arguments.output).write_text(json.dumps({"kind": arguments.kind, "cells": cells, "left out": broken}, indent=1))


if __name__ == "__main__":
    main()
