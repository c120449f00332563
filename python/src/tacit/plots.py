"""Plots, which notebooks show by themselves."""

from __future__ import annotations

import os

__all__ = ["Plot"]


class Plot:
    """An SVG picture. Notebooks show it; `save` writes it to a file.

    Attributes:
        svg: The picture, as text.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def __repr__(self) -> str:
        return f'Plot: {len(self.svg)} characters of SVG; save("plot.svg") writes them'
