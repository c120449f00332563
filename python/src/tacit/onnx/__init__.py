"""Trained models in the ONNX format, evaluated on private data. The package `onnx` is needed when one is loaded, not before."""

from __future__ import annotations

from .load import load
from .net import Net, Outputs

__all__ = ["Net", "Outputs", "load"]
