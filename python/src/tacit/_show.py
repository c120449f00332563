"""Tables of texts, for terminals and for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence

__all__ = ["as_html", "as_text", "listing", "paragraph"]


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
