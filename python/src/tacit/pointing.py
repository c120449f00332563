"""What a mistake points at: the expression in the user's line, and where its operands come from."""

from __future__ import annotations

import itertools
import linecache
import sys
from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING

from ._place import is_own, name_of

if TYPE_CHECKING:
    from .array import Array

__all__ = ["made_of", "source"]

_OPERATORS = {f"__{side}{name}__" for side in ("", "r") for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "matmul")}
# Operands that are longer are not shown as they are written.
_MOST_WRITTEN = 40


def _caller() -> tuple[FrameType | None, str]:
    """The user's frame, and the name of the function that it called."""
    frame: FrameType | None = sys._getframe(1)
    called = ""
    while frame is not None and is_own(frame.f_code.co_filename):
        called, frame = frame.f_code.co_name, frame.f_back
    return frame, called


def _columns(frame: FrameType) -> tuple[int, int, int, int] | None:
    """First line, last line, first byte and last byte of what a frame is computing; nothing before Python 3.11."""
    if sys.version_info < (3, 11):
        return None
    at = frame.f_lasti // 2
    for first, last, start, end in itertools.islice(frame.f_code.co_positions(), at, at + 1):
        if first is not None and last is not None and start is not None and end is not None:
            return first, last, start, end
    return None


def source(path: str, line: int) -> str:
    """The user's line, indented, and below it carets under the expression, if that is being computed; nothing if it is not known."""
    text = linecache.getline(path, line).rstrip()
    shown = text.strip()
    if not shown:
        return ""
    frame, _ = _caller()
    columns = _columns(frame) if frame is not None and frame.f_code.co_filename == path else None
    if columns is None or columns[0] != line:
        return f"\n    {shown}"
    raw = text.encode()
    start = len(raw[: columns[2]].decode(errors="replace"))
    end = len(raw[: columns[3]].decode(errors="replace")) if columns[1] == line else len(text)
    indent = len(text) - len(text.lstrip())
    under = text[start:end].rstrip()
    # Carets under a whole line say nothing.
    if start < indent or not under or under == shown:
        return f"\n    {shown}"
    return f"\n    {shown}\n    {' ' * (start - indent)}{'^' * len(under)}"


def made_of(operands: Iterable[Array]) -> str:
    """The arrays that an operation is of, with their ranges and the lines that they come from, as far as that is known."""
    frame, called = _caller()
    given = list(operands)
    written = _written(frame, called, len(given))
    place = (name_of(frame.f_code.co_filename), frame.f_lineno) if frame is not None else ("", 0)
    rows: dict[tuple[str, str, str], None] = {}
    steps: dict[tuple[str, str, str], None] = {}
    for number, value in enumerate(given):
        name = _name(value, frame) or (written[number] if written else "")
        file, line = value._made
        low, high = (f"{it:.6g}" if isinstance(it, float) else it for it in value.range)
        # Steps of the library on the way have the same line.
        if line:
            among = steps if not name and (file, line) == place else rows
            among[name or "a value", f"{low}..{high}", f"{file}:{line}"] = None
    rows = rows or steps
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "".join(f"\n  {'its operands:' if number == 0 else '             '}  {text}" for number, text in enumerate(lines))


def _name(value: Array, frame: FrameType | None) -> str:
    """A variable of the user's that is this array."""
    if frame is None:
        return ""
    named = (name for names in (frame.f_locals, frame.f_globals) for name, it in list(names.items()) if it is value)
    return next((it for it in named if not it.startswith("_")), "")


def _written(frame: FrameType | None, called: str, count: int) -> list[str] | None:
    """The operands of an operator that the user wrote, as they are written."""
    if frame is None or called not in _OPERATORS or count != 2:
        return None
    columns = _columns(frame)
    if columns is None:
        return None
    first, last, start, end = columns
    # Only mistakes need it, and importing takes time.
    import ast

    lines = [linecache.getline(frame.f_code.co_filename, line).encode() for line in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode(errors="replace")
    try:
        expression = ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(expression, ast.BinOp):
        return None
    parts = [ast.unparse(it) for it in (expression.left, expression.right)]
    return [it if len(it) <= _MOST_WRITTEN else "" for it in parts]
