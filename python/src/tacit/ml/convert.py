"""Models that scikit-learn trained."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ..errors import InputError, placed
from ..onnx.load import load
from ..onnx.net import Net

__all__ = ["from_sklearn"]


@placed
def from_sklearn(model: Any, *, features: int | None = None, name: str | None = None, double: bool = False, **options: Any) -> Net:
    """A trained model of scikit-learn, for private data. It is converted by skl2onnx, and loaded as `tc.onnx.load` does.

    The packages are needed: `pip install skl2onnx`. Classifiers give `label` and `probabilities` (or scores), both as arrays;
    regressors and transformers give `variable`. All of it stays secret until a job reveals it.

    Args:
        model: A fitted estimator or pipeline.
        features: How many columns its data have, if the model does not know.
        name: What the model is called in names of inputs; its class unless it is said.
        double: Whether the reference of accuracy reports computes with 64 bits.
        options: Those of `tc.onnx.load`: `owner=`, `weights=`, `public=`, `sample=`, and others.

    Raises:
        InputError: It is not fitted, or skl2onnx or the importer do not support it; the message names what they do not.
        ImportError: skl2onnx is not installed.

    >>> import tacit as tc
    >>> from sklearn.linear_model import LinearRegression  # doctest: +SKIP
    >>> net = tc.ml.from_sklearn(LinearRegression().fit(X, y), public=True)  # doctest: +SKIP
    """
    try:
        skl2onnx = importlib.import_module("skl2onnx")
    except ImportError:
        raise ImportError("models of scikit-learn are converted by skl2onnx, which is not installed: pip install skl2onnx") from None
    width = features if features is not None else getattr(model, "n_features_in_", None)
    called = name or type(model).__name__
    if width is None:
        raise InputError(f"{called} is not fitted, or does not say how many columns its data have: fit it, or give features=")
    zipped: Any = {id(model): {"zipmap": False}}
    sample = np.zeros((1, int(width)), dtype=np.float64 if double else np.float32)
    try:
        try:
            made = skl2onnx.to_onnx(model, sample, options=zipped)
        except NameError:
            # It has no such option: it is no classifier, or one whose probabilities are no mapping anyway.
            made = skl2onnx.to_onnx(model, sample)
    except Exception as error:
        reason = str(error).strip().splitlines()
        raise InputError(f"skl2onnx does not convert {called}: {reason[0] if reason else type(error).__name__}") from None
    return load(made, name=called, **options)
