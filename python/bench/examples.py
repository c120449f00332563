"""What the examples take under several protocols: the rows of the table in docs/examples.md.

    python bench/examples.py [NAME ...]

The fastest of four runs, of the long ones of two, with all parties in one process, in memory: seconds, bytes that all sent, and rounds.
`flights-330000` and `dense_network-397` are those examples with more rows. It needs what the examples do.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from typing import Any

import tacit as tc

ROOT = Path(__file__).parents[2]
THREE = ["trio", "lift", "quad"]
PROTOCOLS = {
    "auction": [*THREE, "gmw:3"],
    "vote": [*THREE, "gmw:3"],
    "intersection": [*THREE, "gmw:2", "yao"],
    "edit_distance": [*THREE, "gmw:2", "yao"],
    "aes_cbc": [*THREE, "gmw:2", "yao"],
    "hmac_sha256": [*THREE, "gmw:2", "yao"],
    "flights": THREE,
    "flights-330000": ["trio"],
    "dense_network": [*THREE, "gmw:2", "yao"],
    "dense_network-397": ["trio", "lift"],
}


def example(name: str) -> tuple[tc.Job, Any]:
    """An example's job and its data."""
    if name == "intersection":
        folder = ROOT / "examples" / name
        return tc.sql(folder / f"{name}.sql"), {party: str(folder / f"{party}.csv") for party in ("alice", "bob")}
    path = ROOT / "python" / "examples" / f"{name.partition('-')[0]}.py"
    source = path.read_text()
    if name == "flights":
        source = source.replace("FLIGHTS, PLANES = 330_000, 3_300", "FLIGHTS, PLANES = 6_000, 300")
    made: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(source, path, "exec"), made)
    if name.startswith("dense_network"):
        images = made["first"] if name == "dense_network" else made["images"][made["theirs"]]
        return made["job"], {"client": {"images": images}, **made["net"].data}
    return made["job"], made["data"]


def main(names: list[str]) -> None:
    """Prints a line for each example."""
    for name in names:
        job, data = example(name)
        cells = []
        for protocol in PROTOCOLS[name]:
            reports = [job.run(data, protocol=protocol).report for _ in range(2 if "-" in name else 4)]
            best = min(reports, key=lambda it: it.seconds)
            cells.append(f"{protocol} {best.seconds:.3f} s, {best.bytes / 1e6:.3f} MB, {best.rounds}")
        print(f"{name}: {'; '.join(cells)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(PROTOCOLS))
