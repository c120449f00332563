"""What a measurement should say about where it was made."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path


def machine() -> dict[str, str | int | float]:
    """The processor, its number of cores, the load of the last minute, and the system."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "load": os.getloadavg()[0],
        "system": platform.platform(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    vectors = [it for it in ("avx2", "avx512f", "vaes") if it in flags]
    return ", ".join(named[:1] + vectors) or platform.machine()


def announce() -> dict[str, str | int | float]:
    """Prints where this runs; warns if other work runs there too."""
    here = machine()
    print(f"{here['processor']}; {here['cores']} cores; {here['system']}; Python {here['python']}")
    if float(here["load"]) > 0.3:
        print(f"warning: the load is {here['load']:.1f}: figures of a machine that is not idle mean nothing", file=sys.stderr)
    return here


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])


def verdict(met: bool) -> str:
    """How a criterion is told."""
    return "met" if met else "MISSED"
