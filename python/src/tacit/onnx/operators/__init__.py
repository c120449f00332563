"""The operators that are supported, by topic. Importing this fills the table."""

from __future__ import annotations

from . import activations, classic, conv, elementwise, layers, parts, recurrent, reduce, resample, shapes, trees

__all__ = ["activations", "classic", "conv", "elementwise", "layers", "parts", "recurrent", "reduce", "resample", "shapes", "trees"]
