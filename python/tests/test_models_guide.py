"""The blocks of the guide to trained models, run one after the other, with what they print."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from test_docs import BLOCK, matches

from tacit.onnx.table import OPERATORS

GUIDE = Path(__file__).parents[2] / "docs" / "models.md"


def test_the_guide_prints_what_it_says() -> None:
    names: dict[str, object] = {}
    blocks = BLOCK.findall(GUIDE.read_text())
    assert len(blocks) >= 5
    for code, wanted in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "guide.py", "exec"), names)
        assert matches(wanted.strip(), out.getvalue().strip()), f"{code}\nprinted\n{out.getvalue()}"


def test_the_guide_lists_all_operators() -> None:
    text = GUIDE.read_text()
    listed = set(re.findall(r"`(\w+)`", text[text.index("## Operators") : text.index("How they are computed")]))
    assert {name.removeprefix("ml:") for name in OPERATORS} <= listed
