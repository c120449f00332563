"""Frames: queries over tables of several parties, written as operations with the names that Polars gives them.

| module | what it has |
| --- | --- |
| `expr`, `parts` | expressions of columns, as users write them |
| `frame`, `grouped`, `base` | operations on frames and groups |
| `source` | tables of parties, and frames that are put together |
| `reveal` | what a job opens |
| `kinds` | what values are |
| `bind`, `block` | expressions and frames as SQL |
| `tables` | `CREATE TABLE`, and the text of a whole query |
| `text` | texts that know which line of the user's code they come from |
"""

from .expr import Expr
from .frame import Frame
from .grouped import Groups
from .parts import Then, When, col, len, lit, when
from .reveal import FrameReveal, of_frames
from .source import concat, table

__all__ = ["Expr", "Frame", "FrameReveal", "Groups", "Then", "When", "col", "concat", "len", "lit", "of_frames", "table", "when"]
