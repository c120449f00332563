"""Loading trained models from ONNX files."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ..array import Party
from ..errors import InputError, placed
from ..types import Type
from . import operators
from .graph import graph_of, package, read
from .net import Net

__all__ = ["load", "operators"]

_WAYS = ("clip", "check", "promise")


@placed
def load(
    model: Any,
    *,
    owner: Party | None = None,
    weights: Type | Mapping[str, Type] | None = None,
    public: bool = False,
    name: str | None = None,
    frac: int = 16,
    sample: Any = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    overflow: str = "clip",
    margin: float = 4,
    bits: int = 45,
    precision: int | None = None,
) -> Net:
    """A trained model from an ONNX file: networks, linear models, and trees.

    Its graph is public: operators, shapes, and of trees how many and how deep. Its weights are private to `owner`, or public. The
    package `onnx` is needed: `pip install onnx`.

    Args:
        model: A path, the bytes of a file, or an `onnx.ModelProto`.
        owner: The party that gives the weights, and that alone knows them.
        weights: The range of private weights, which is public: `tc.Fixed(-4, 4)`; or a mapping from tensor to range, `"*"` for all others.
        public: Whether everybody knows the weights: they become constants of the program. It must be said if there is no owner.
        name: What the model is called in names of inputs; the file's name unless it is said.
        frac: Bits behind the point of numbers that meet no others; numbers that meet inputs and weights have as many as those.
        sample: Inputs that show the ranges of values, as one array or by name; those of the arrays, unless they are given. The
            ranges that are taken from them **become public with the job**.
        ranges: Ranges of tensors, by name, that need not be taken from a sample.
        overflow: What becomes of values beyond such a range: `"clip"` cuts them off, `"check"` ends the run before anything is
            revealed and tells everybody that one bit, `"promise"` takes your word, without verifying it.
        margin: By how much such a range is wider than what the sample shows. A range goes as far below zero as above it, unless intervals
            show that values do not, or an operator such as `Exp` needs the signs that the sample shows.
        bits: How many bits a value may need, those behind the point and the sign with them, before it is cut to such a range. Where there
            is neither sample nor range it is not cut, and is refused only by operators that need more bits than there are.
        precision: How many bits of exponentials, logarithms, sigmoids and reciprocals are right, 4 to 24, and of what is made of them, such
            as softmax, GELU and layer normalisation, about as many. Unless it is said, exponentials and their kin have 24 and reciprocals
            are exact. Fewer take fewer messages and rounds; `job.accuracy` says what they change.

    Returns:
        What is called on arrays, and gives the outputs by name: `net(x)`.

    Raises:
        InputError: The file is no model, operators are not supported (all of them are listed), or options contradict each other.
        ImportError: The package onnx is not installed.

    >>> import tacit as tc
    >>> alice, bob, carol = tc.parties("alice", "bob", "carol")
    >>> net = tc.onnx.load("digits.onnx", owner=bob, weights=tc.Fixed(-4, 4))  # doctest: +SKIP
    >>> out = net(alice.array("x", tc.Fixed(0, 1), shape=(tc.rows("n", max=1000), 64)))  # doctest: +SKIP
    """
    if public == (owner is not None):
        raise InputError("say whose the weights are: owner=party keeps them private, public=True makes them known to everybody")
    if owner is not None and not isinstance(owner, Party):
        raise InputError(f"owner is one of the parties of tc.parties(...), not {owner!r}")
    if overflow not in _WAYS:
        raise InputError(f"overflow is one of {', '.join(map(repr, _WAYS))}, not {overflow!r}")
    if not 1 <= margin or not 8 <= bits <= 60:
        raise InputError("margin is at least 1, and bits are from 8 to 60")
    if precision is not None and (isinstance(precision, bool) or not isinstance(precision, int) or not 4 <= precision <= 24):
        raise InputError(f"precision is how many bits of functions are right, from 4 to 24, not {precision!r}")
    package()
    read_model = read(model)
    called = name or (os.path.splitext(os.path.basename(model))[0] if isinstance(model, (str, os.PathLike)) else "")
    called = called or read_model.graph.name or "model"
    called = re.sub(r"\W", "_", called)
    called = called if called[0].isalpha() else f"model_{called}"
    options = {
        "weights": weights,
        "overflow": overflow,
        "margin": margin,
        "bits": bits,
        "frac": frac,
        "sample": sample,
        "ranges": ranges,
        "precision": precision,
    }
    return Net(graph_of(read_model, called), called, owner, options)
