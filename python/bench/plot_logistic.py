"""Draws the row of the logistic regression in docs/benchmarks.md as a plot: seconds, megabytes sent and the error of a weight.

    PYTHONPATH=python/src target/python/bin/python python/bench/plot_logistic.py

The page is what is drawn: who measures again (beside.py) writes the row, and draws it.
"""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt

DOCS = Path(__file__).parents[2] / "docs"
# Figures of a cell: seconds, megabytes, and the error.
_CELL = re.compile(r"([\d.]+) s, ([\d,]+) MB, (?:error of a weight )?([\d.]+e-\d+)")


def figures(page: str) -> dict[str, tuple[float, float, float]]:
    """Seconds, megabytes and errors by framework, as a page's table has them."""
    lines = page.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("| logistic regression of 100,000 x 50"))
    heads = next(line for line in reversed(lines[:at]) if line.startswith("| |"))
    names = [it.strip() for it in heads.split("|")[2:-1]]
    cells = [_CELL.search(it) for it in lines[at].split("|")[2:-1]]
    found = {name: cell for name, cell in zip(names, cells, strict=True) if cell is not None}
    return {name: (float(it[1]), float(it[2].replace(",", "")), float(it[3])) for name, it in found.items()}


def drawn(values: dict[str, tuple[float, float, float]]) -> plt.Figure:
    """Bars of each figure, beside each other."""
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "logistic"})
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.6), layout="constrained")
    titles = ("seconds", "megabytes sent", "largest error of a weight")
    for place, (axis, title) in enumerate(zip(axes, titles, strict=True)):
        bars = axis.bar(list(values), [it[place] for it in values.values()], color=["#336699", "#bbbbbb"])
        axis.bar_label(bars, [f"{it[place]:g}" for it in values.values()])
        axis.set_title(title)
        axis.margins(y=0.15)
        axis.spines[["top", "right"]].set_visible(False)
    figure.suptitle("Logistic regression, 100,000 x 50, ten epochs of batches of 1,024")
    return figure


if __name__ == "__main__":
    made = drawn(figures((DOCS / "benchmarks.md").read_text()))
    made.savefig(DOCS / "figures" / "logistic.svg", metadata={"Date": None})
