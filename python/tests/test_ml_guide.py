"""The blocks of the guide to training, run one after the other, with what they print."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from test_docs import BLOCK, matches

GUIDE = Path(__file__).parents[2] / "docs" / "training.md"


def test_the_guide_prints_what_it_says() -> None:
    names: dict[str, object] = {}
    blocks = BLOCK.findall(GUIDE.read_text())
    assert len(blocks) >= 4
    for code, wanted in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "guide.py", "exec"), names)
        assert matches(wanted.strip(), out.getvalue().strip()), f"{code}\nprinted\n{out.getvalue()}"
