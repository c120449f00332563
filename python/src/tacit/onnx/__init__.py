"""Trained models in the ONNX format, evaluated on private data. The package `onnx` is needed when one is loaded, not before."""

from __future__ import annotations

from ..accuracy import Accuracy
from .load import load
from .net import Net, Outputs
from .strip import without_weights

__all__ = ["Accuracy", "Net", "Outputs", "load", "without_weights"]
