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

try:
    from . import _tacit
except ImportError as error:  # pragma: no cover
    raise ImportError(
        "tacit has no engine here. The distribution is `tacit-mpc`; another project called `tacit` installs a module of "
        "the same name: uninstall that one, and install tacit-mpc again"
    ) from error

from . import errors, numpy_api, types, xp
from .array import Array, Extent, Party, Rows, parties, public, rows
from .control import fold, loop, map, peek
from .data import Schema, suggest
from .errors import (
    BugError,
    CheckFailed,
    ConfigurationError,
    InputError,
    MisbehaviourError,
    NetworkError,
    PeerError,
    ProgramError,
    RangeError,
    SecretError,
    ShapeError,
    TacitError,
)
from .job import Disclosure, Job, Reveal, job, load
from .lints import Lint
from .result import Plan, Report, Result, Simulation
from .run import connect, local, protocols
from .types import Bool, Category, Date, Fixed, Int, Type
from .xp import (
    abs,
    all,
    any,
    arange,
    argmax,
    argmin,
    argsort,
    asarray,
    ceil,
    check,
    clip,
    concat,
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
    min,
    minimum,
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
    tensordot,
    tile,
    to_fixed,
    top,
    var,
    vecdot,
    where,
    zeros,
    zeros_like,
)

__version__: str = _tacit.__version__
