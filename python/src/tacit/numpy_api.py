"""NumPy's functions on arrays of parties: an explicit table, and an error for everything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import xp
from ._place import here
from .array import binary, divide, floor_divide, logic
from .errors import ProgramError, fail

_UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: lambda a, b: binary("+", a, b),
    np.subtract: lambda a, b: binary("-", a, b),
    np.multiply: lambda a, b: binary("*", a, b),
    np.matmul: lambda a, b: binary("@", a, b),
    np.divide: divide,
    np.floor_divide: floor_divide,
    np.remainder: lambda a, b: binary("%", a, b),
    np.power: lambda a, b: a**b,
    np.negative: xp.negative,
    np.positive: xp.positive,
    np.absolute: xp.abs,
    np.sign: xp.sign,
    np.square: xp.square,
    np.sqrt: xp.sqrt,
    np.exp: xp.exp,
    np.tanh: xp.tanh,
    np.log: xp.log,
    np.reciprocal: xp.reciprocal,
    np.floor: xp.floor,
    np.ceil: xp.ceil,
    np.rint: xp.round,
    np.trunc: xp.trunc,
    np.isfinite: xp.isfinite,
    np.isinf: xp.isinf,
    np.isnan: xp.isnan,
    np.minimum: xp.minimum,
    np.maximum: xp.maximum,
    np.equal: xp.equal,
    np.not_equal: xp.not_equal,
    np.less: xp.less,
    np.less_equal: xp.less_equal,
    np.greater: xp.greater,
    np.greater_equal: xp.greater_equal,
    np.logical_and: lambda a, b: logic("&", a, b),
    np.logical_or: lambda a, b: logic("|", a, b),
    np.logical_xor: lambda a, b: logic("^", a, b),
    np.logical_not: xp.logical_not,
    np.bitwise_and: lambda a, b: logic("&", a, b),
    np.bitwise_or: lambda a, b: logic("|", a, b),
    np.bitwise_xor: lambda a, b: logic("^", a, b),
    np.invert: xp.logical_not,
}

_REDUCED: dict[Any, Callable[..., Any]] = {
    np.add: xp.sum,
    np.multiply: xp.prod,
    np.minimum: xp.min,
    np.maximum: xp.max,
    np.logical_and: xp.all,
    np.logical_or: xp.any,
}


def _over(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function over axes, as NumPy calls it: `axis` may be the second argument."""

    def called(x: Any, axis: Any = None, **options: Any) -> Any:
        return function(x, axis=axis, **{key: value for key, value in options.items() if value is not np._NoValue})

    return called


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sum: _over(xp.sum),
    np.prod: _over(xp.prod),
    np.min: _over(xp.min),
    np.max: _over(xp.max),
    np.amin: _over(xp.min),
    np.amax: _over(xp.max),
    np.any: _over(xp.any),
    np.all: _over(xp.all),
    np.mean: _over(xp.mean),
    np.var: _over(xp.var),
    np.std: _over(xp.std),
    np.median: _over(xp.median),
    np.quantile: lambda x, q, axis=None: xp.quantile(x, q, axis=axis),
    np.count_nonzero: _over(xp.count_nonzero),
    np.cumsum: lambda x, axis=None: xp.cumulative_sum(x if axis is not None else xp.reshape(x, -1), axis=-1 if axis is None else axis),
    np.diff: lambda x, n=1, axis=-1: xp.diff(x, axis=axis, n=n),
    np.where: xp.where,
    np.clip: lambda x, lo=None, hi=None: xp.clip(x, lo, hi),
    np.isin: xp.isin,
    np.concatenate: lambda arrays, axis=0: xp.concat(arrays, axis=axis),
    np.stack: lambda arrays, axis=0: xp.stack(arrays, axis=axis),
    np.vstack: lambda arrays: xp.concat([a if a.ndim > 1 else xp.expand_dims(a) for a in arrays], axis=0),
    np.hstack: lambda arrays: xp.concat(arrays, axis=0 if arrays[0].ndim == 1 else 1),
    np.reshape: lambda x, shape: xp.reshape(x, shape),
    np.ravel: lambda x: xp.reshape(x, -1),
    np.transpose: lambda x, axes=None: xp.permute_dims(x, axes if axes is not None else range(x.ndim)[::-1]),
    np.swapaxes: lambda x, a, b: xp.permute_dims(x, [{a % x.ndim: b % x.ndim, b % x.ndim: a % x.ndim}.get(i, i) for i in range(x.ndim)]),
    np.expand_dims: lambda x, axis: xp.expand_dims(x, axis=axis),
    np.squeeze: lambda x, axis=None: xp.squeeze(x, tuple(i for i, n in enumerate(x.shape) if n == 1) if axis is None else axis),
    np.broadcast_to: lambda x, shape: xp.broadcast_to(x, shape),
    np.flip: lambda x, axis=None: xp.flip(x, axis=axis),
    np.roll: lambda x, shift, axis=None: xp.roll(x, shift, axis=axis),
    np.tile: lambda x, reps: xp.tile(x, reps if isinstance(reps, (tuple, list)) else (reps,)),
    np.repeat: lambda x, repeats, axis=None: xp.repeat(x, repeats, axis=axis),
    np.take: lambda x, indices, axis=None: xp.take(xp.reshape(x, -1) if axis is None else x, indices, axis=axis or 0),
    np.take_along_axis: lambda x, indices, axis=-1: xp.take_along_axis(x, indices, axis=axis),
    np.moveaxis: xp.moveaxis,
    np.tril: lambda x, k=0: xp.tril(x, k=k),
    np.triu: lambda x, k=0: xp.triu(x, k=k),
    np.dot: lambda a, b: binary("@", a, b),
    np.vdot: lambda a, b: xp.vecdot(a, b),
    np.inner: lambda a, b: xp.vecdot(a, b),
    np.outer: lambda a, b: xp.expand_dims(a, axis=1) * b,
    np.tensordot: lambda a, b, axes=2: xp.tensordot(a, b, axes=axes),
    np.sort: lambda x, axis=-1: xp.sort(x, axis=axis),
    np.argsort: lambda x, axis=-1: xp.argsort(x, axis=axis),
    np.argmax: _over(xp.argmax),
    np.argmin: _over(xp.argmin),
    np.searchsorted: lambda x, v, side="left", sorter=None: xp.searchsorted(x, v, side=side, sorter=sorter),
    np.zeros_like: lambda x: xp.zeros_like(x),
    np.ones_like: lambda x: xp.ones_like(x),
    np.full_like: lambda x, value: xp.full_like(x, value),
    np.round: lambda x: xp.round(x),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x: x.size,
}


def ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A universal function of NumPy, or its reduction."""
    if kwargs.get("out") is not None:
        place, path = here()
        fail(ProgramError, "results are new arrays: `out` is not supported", place, path)
    if method == "__call__" and ufunc in _UFUNCS and not kwargs:
        return _UFUNCS[ufunc](*inputs)
    if method == "reduce" and ufunc in _REDUCED:
        return _REDUCED[ufunc](*inputs, axis=kwargs.get("axis", 0), keepdims=kwargs.get("keepdims", False))
    return _refused(ufunc, "" if method == "__call__" else f".{method}")


def function(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of NumPy."""
    known = _FUNCTIONS.get(function)
    if known is None:
        return _refused(function)
    try:
        return known(*args, **kwargs)
    except TypeError as error:
        if "unexpected keyword" not in str(error) and "argument" not in str(error):
            raise
        place, path = here()
        fail(ProgramError, f"np.{function.__name__} on arrays of parties: {str(error).split('() ')[-1]}", place, path)


def _refused(function: Any, method: str = "") -> Any:
    place, path = here()
    name = f"{getattr(function, '__module__', 'numpy') or 'numpy'}.{function.__name__}".replace("numpy", "np") + method
    where = f"{place[0]}:{place[1]}: " if place[1] else ""
    del path
    raise TypeError(f"{where}{name} is not for arrays of parties: docs/python.md lists what is")
