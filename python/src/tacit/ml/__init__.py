"""Models of scikit-learn, evaluated on private data."""

from __future__ import annotations

from .convert import from_sklearn

__all__ = ["from_sklearn"]
