"""Tables of texts, for terminals and for notebooks."""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterable, Sequence

__all__ = ["as_html", "as_text", "instead", "listing", "paragraph"]


def as_text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in columns of equal width."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in [head, *rows]]
    return "\n".join(lines)


def as_html(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as HTML, its cells escaped. The last cell of a row that is too short takes the rest of the width."""
    width = max(len(row) for row in [head, *rows])
    body = "".join(_row("td", row, width) for row in rows)
    return f"<table><thead>{_row('th', head, width)}</thead><tbody>{body}</tbody></table>"


def _row(tag: str, row: Sequence[str], width: int) -> str:
    cells = []
    for i, cell in enumerate(row, 1):
        span = f' colspan="{width - i + 1}"' if i == len(row) < width else ""
        cells.append(f'<{tag}{span} style="text-align:left">{html.escape(cell)}</{tag}>')
    return f"<tr>{''.join(cells)}</tr>"


def paragraph(text: str) -> str:
    """A paragraph of HTML, escaped."""
    return f"<p>{html.escape(text)}</p>"


def listing(text: str) -> str:
    """A text of several lines as HTML, escaped, with its spaces."""
    return f"<pre>{html.escape(text)}</pre>"


def instead(name: str, known: Iterable[str]) -> str:
    """What was probably meant by a name, and what there is."""
    known = list(known)
    near = difflib.get_close_matches(name.lower(), [it.lower() for it in known], n=1)
    meant = next((it for it in known if near and it.lower() == near[0]), None)
    there = "there is " + ", ".join(known[:12]) + (", ..." if len(known) > 12 else "")
    return f"did you mean {meant!r}? {there[0].upper()}{there[1:]}" if meant is not None else there
