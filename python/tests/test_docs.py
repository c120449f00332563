"""The blocks of the guide, run one after the other, with what they print."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import re
import runpy
from pathlib import Path

import pytest

from tacit.onnx.table import OPERATORS

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```python\n(.*?)```\n(?:```text\n(.*?)```)?", re.DOTALL)


def matches(wanted: str, shown: str) -> bool:
    """Whether lines are alike; `...` stands for anything."""
    lines = list(zip(wanted.splitlines(), shown.splitlines(), strict=False))
    same = len(wanted.splitlines()) == len(shown.splitlines())
    return same and all(re.fullmatch(".*".join(map(re.escape, want.split("..."))), line) for want, line in lines)


@pytest.mark.parametrize("guide", ["python", "models", "training"])
def test_guides_print_what_they_say(guide: str) -> None:
    names: dict[str, object] = {}
    blocks = BLOCK.findall((DOCS / f"{guide}.md").read_text())
    assert len(blocks) >= 4
    for code, wanted in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "guide.py", "exec"), names)
        assert matches(wanted.strip(), out.getvalue().strip()), f"{code}\nprinted\n{out.getvalue()}"


def test_examples_in_docstrings() -> None:
    frames = (
        "base",
        "bind",
        "block",
        "expr",
        "frame",
        "grouped",
        "kinds",
        "operators",
        "parts",
        "reveal",
        "source",
        "tables",
        "text",
        "walk",
    )
    for name in (
        "tacit",
        "tacit.array",
        "tacit.data",
        "tacit.job",
        "tacit.together",
        "tacit.types",
        *(f"tacit.frames.{it}" for it in frames),
    ):
        assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_guide_to_models_lists_all_operators() -> None:
    text = (DOCS / "models.md").read_text()
    listed = set(re.findall(r"`(\w+)`", text[text.index("## Operators") : text.index("How they are computed")]))
    assert {name.removeprefix("ml:") for name in OPERATORS} <= listed


def test_the_plot_of_the_regression_is_of_the_table() -> None:
    script = Path(__file__).parents[1] / "bench" / "plot_logistic.py"
    drawn = runpy.run_path(str(script))
    found = drawn["figures"]((DOCS / "benchmarks.md").read_text())
    assert set(found) == {"Tacit", "SPU"}
    shown = re.findall(r">([^<>]+)</text>", (DOCS / "figures" / "logistic.svg").read_text())
    for name, values in found.items():
        assert name in shown and {f"{it:g}" for it in values} <= set(shown)
