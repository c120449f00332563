"""Tacit: organisations that do not trust each other compute on their joint private data and learn the result, and nothing else.

Values are symbolic: operators and functions write a program, which runs when a job is run.

>>> import tacit as tc
>>> alice, bob, carol = tc.parties("alice", "bob", "carol")
>>> n = tc.rows("n", max=1000, min=1)
>>> age = alice.array("age", tc.Int(0, 120), shape=n)
>>> days = bob.array("days", tc.Int(0, 1000), shape=n)
>>> stay = tc.mean(days, where=age >= 65, frac=8)
>>> job = tc.job("stay", mean_stay=stay.reveal(to="all"))
>>> res = job.run({"alice": {"age": [70, 30, 81]}, "bob": {"days": [4, 2, 7]}})
>>> float(res.mean_stay)
5.5

Nobody outside the project has audited Tacit. Do not trust it yet with what must stay secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    from . import _tacit
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "tacit has no engine here. The distribution is `tacit-mpc`; another project called `tacit` installs a module of "
        "the same name: uninstall that one, and install tacit-mpc again"
    ) from error

from . import errors, numpy_api, onnx, types, xp
from .array import Array, Extent, Party, Rows, parties, public, rows
from .control import fold, loop, map, peek
from .data import Schema, suggest
from .errors import (
    ArgumentError,
    BugError,
    CheckFailed,
    ConfigurationError,
    FewSamples,
    InputError,
    MisbehaviourError,
    NetworkError,
    PeerError,
    ProgramError,
    RangeError,
    SecretError,
    ShapeError,
    Stopped,
    TacitError,
    UnrolledLoop,
    UnusedCheck,
)
from .frames import Expr, Frame, FrameReveal, Groups, col, len, lit, when
from .job import Disclosure, Job, Reveal, job, load, sql
from .keeping import Keep, kept
from .lints import Lint
from .plots import Plot
from .progress import Handle
from .result import Explanation, Plan, Report, Result, Simulation, Table
from .run import connect, local, protocols
from .shares import KeptSecret
from .together import concat
from .types import Bool, Category, Date, Decimal, Fixed, Int, Text, Type
from .xp import (
    abs,
    all,
    any,
    arange,
    argmax,
    argmin,
    argsort,
    asarray,
    broadcast_to,
    ceil,
    check,
    clip,
    count_nonzero,
    cumulative_sum,
    diff,
    exp,
    expand_dims,
    eye,
    flip,
    floor,
    full,
    full_like,
    group_count,
    group_mean,
    group_std,
    group_sum,
    group_var,
    isin,
    linspace,
    log,
    matmul,
    matrix_transpose,
    max,
    maximum,
    mean,
    median,
    meshgrid,
    min,
    minimum,
    moveaxis,
    ones,
    ones_like,
    permute_dims,
    prod,
    promise,
    quantile,
    reciprocal,
    repeat,
    reshape,
    roll,
    round,
    searchsorted,
    shift,
    sigmoid,
    sign,
    sort,
    sort_by,
    sqrt,
    square,
    squeeze,
    stack,
    std,
    sum,
    take,
    take_along_axis,
    tanh,
    tensordot,
    tile,
    to_fixed,
    top,
    tril,
    triu,
    trunc,
    unstack,
    var,
    vecdot,
    where,
    zeros,
    zeros_like,
)

if TYPE_CHECKING:
    from . import ml
else:

    def __getattr__(name: str) -> Any:
        """`tc.ml`, which is read when it is first used."""
        if name == "ml":
            from importlib import import_module

            return import_module(".ml", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__version__: str = _tacit.__version__

__all__ = [
    "ArgumentError",
    "Array",
    "Bool",
    "BugError",
    "Category",
    "CheckFailed",
    "ConfigurationError",
    "Date",
    "Decimal",
    "Disclosure",
    "Explanation",
    "Expr",
    "Extent",
    "FewSamples",
    "Fixed",
    "Frame",
    "FrameReveal",
    "Groups",
    "Handle",
    "InputError",
    "Int",
    "Job",
    "Keep",
    "KeptSecret",
    "Lint",
    "MisbehaviourError",
    "NetworkError",
    "Party",
    "PeerError",
    "Plan",
    "Plot",
    "ProgramError",
    "RangeError",
    "Report",
    "Result",
    "Reveal",
    "Rows",
    "Schema",
    "SecretError",
    "ShapeError",
    "Simulation",
    "Stopped",
    "Table",
    "TacitError",
    "Text",
    "Type",
    "UnrolledLoop",
    "UnusedCheck",
    "__version__",
    "abs",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "broadcast_to",
    "ceil",
    "check",
    "clip",
    "col",
    "concat",
    "connect",
    "count_nonzero",
    "cumulative_sum",
    "diff",
    "errors",
    "exp",
    "expand_dims",
    "eye",
    "flip",
    "floor",
    "fold",
    "full",
    "full_like",
    "group_count",
    "group_mean",
    "group_std",
    "group_sum",
    "group_var",
    "isin",
    "job",
    "kept",
    "len",
    "linspace",
    "lit",
    "load",
    "local",
    "log",
    "loop",
    "map",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "ml",
    "moveaxis",
    "numpy_api",
    "ones",
    "ones_like",
    "onnx",
    "parties",
    "peek",
    "permute_dims",
    "prod",
    "promise",
    "protocols",
    "public",
    "quantile",
    "reciprocal",
    "repeat",
    "reshape",
    "roll",
    "round",
    "rows",
    "searchsorted",
    "shift",
    "sigmoid",
    "sign",
    "sort",
    "sort_by",
    "sql",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "suggest",
    "sum",
    "take",
    "take_along_axis",
    "tanh",
    "tensordot",
    "tile",
    "to_fixed",
    "top",
    "tril",
    "triu",
    "trunc",
    "types",
    "unstack",
    "var",
    "vecdot",
    "when",
    "where",
    "xp",
    "zeros",
    "zeros_like",
]
