"""The array API on concrete arrays, computed by Tacit: for the public test suite of the standard.

Each function and each operator records a program on private inputs of two parties, evaluates it in the clear with `job.check`,
and wraps the result in the data type that the standard says. NumPy holds the numbers and computes nothing.

Tacit's types grow, have ranges and no infinity. `NotHeld` says where the standard wants something else; Hypothesis rejects such
examples, and `rejected` counts them.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis.errors import UnsatisfiedAssumption

import tacit as tc

__array_api_version__ = "2025.12"

rejected: Counter[str] = Counter()


class NotHeld(UnsatisfiedAssumption):
    """What Tacit's values do not hold."""

    def __init__(self, reason: str) -> None:
        rejected[reason] += 1
        super().__init__(reason)


# Data types, and what is known of them.

bool = np.dtype("bool")
int8, int16, int32, int64 = (np.dtype(f"int{bits}") for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64))
float32, float64 = np.dtype("float32"), np.dtype("float64")
# The suite cannot be imported without these two. Nothing computes with them.
complex64, complex128 = np.dtype("complex64"), np.dtype("complex128")
finfo, iinfo = np.finfo, np.iinfo
e, inf, nan, pi = math.e, math.inf, math.nan, math.pi


class _Info:
    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        return {"real floating": float64, "complex floating": complex128, "integral": int64, "indexing": int64}


def __array_namespace_info__() -> _Info:
    return _Info()


def _ends(dtype: np.dtype[Any]) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _type_of(data: np.ndarray[Any, Any], *, narrow: builtins.bool) -> tc.Type:
    """The type of an input: all values of its data type, or those that are there, where results would be too wide."""
    kind = data.dtype.kind
    if kind == "b":
        return tc.Bool()
    if kind == "f":
        units = data.astype(np.float64) * 2.0**16
        if not np.all(np.isfinite(units)) or np.any(units != np.rint(units)) or np.any(np.abs(units) >= 2.0**46):
            raise NotHeld("floats")
        return tc.Fixed(-(2**30), 2**30)
    if kind not in "iu":
        raise NotHeld("complex")
    low, high = _ends(data.dtype)
    if narrow:
        # A signed type has a negative number in its range.
        low, high = builtins.min(int(data.min(initial=0)), -1 if kind == "i" else 0), int(data.max(initial=0))
    return tc.Int(low, high, bits=data.dtype.itemsize * 8)


def _type(dtype: Any) -> tc.Type:
    """Tacit's type for an argument `dtype`."""
    return _type_of(np.zeros((), dtype), narrow=False)


def _promoted(values: list[Any]) -> np.dtype[Any]:
    """The data type of a result; Python's numbers take part where their kind is another one only, which is refused."""
    dtypes = [value.dtype for value in values if isinstance(value, Array)]
    result = functools.reduce(np.promote_types, dtypes)
    if result.kind == "f" and builtins.any(dtype.kind != "f" for dtype in dtypes):
        raise TypeError(f"the standard promotes none of {dtypes} to another")
    return result


# Evaluation.


def _record(function: Callable[..., Any], args: Any, kwargs: Any, narrow: builtins.bool) -> tuple[Any, list[Any]]:
    """A function recorded on private inputs and evaluated: the form of its results, and what they are."""
    parties = tc.parties("alice", "bob")
    data: dict[str, Any] = {}

    def given(value: Any) -> Any:
        if isinstance(value, Array):
            party = parties[len(data) % 2]
            name = f"x{len(data)}"
            data[f"{party.name}.{name}"] = value._data
            return party.array(name, _type_of(value._data, narrow=narrow), shape=value.shape)
        if isinstance(value, (list, tuple)):
            return type(value)(given(it) for it in value)
        return value

    form = function(*given(args), **{key: given(value) for key, value in kwargs.items()})
    results = list(form) if isinstance(form, (list, tuple)) else [form]
    if not results:
        return form, []
    job = tc.job("eager", {f"r{i}": it.reveal(to="all") for i, it in enumerate(results)})
    found = job.check({name: values for name, values in data.items() if name in job.input_names})
    return form, [np.asarray(found[f"r{i}"]) for i in range(len(results))]


def _compute(function: Callable[..., Any], args: Any, kwargs: Any, dtype: np.dtype[Any]) -> Any:
    try:
        form, found = _record(function, args, kwargs, narrow=False)
    except tc.RangeError:
        try:
            form, found = _record(function, args, kwargs, narrow=True)
        except tc.RangeError:
            raise NotHeld("more than 64 bits") from None
    wrapped = [Array(_as(it, dtype)) for it in found]
    return type(form)(wrapped) if isinstance(form, (list, tuple)) else wrapped[0]


def _as(found: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if dtype.kind in "iu" and found.size:
        low, high = _ends(dtype)
        if int(found.min()) < low or int(found.max()) > high:
            raise NotHeld("wrap-around")
    if (found.dtype.kind == "b") != (dtype.kind == "b"):
        # A result of bits is of numbers where the standard wants these, as of asarray(True, dtype=int8): 0 and 1.
        assert np.all((found == 0) | (found == 1)), "these are no truth values"
    return found.astype(dtype)


# Arrays.


def _scalar(x: Array, convert: Callable[[Any], Any]) -> Any:
    if x.ndim:
        raise TypeError("only an array without axes is a number")
    return convert(x._data[()])


class Array:
    """A concrete array. Its methods are those of `tacit.Array`."""

    __slots__ = ("_data",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self._data = data

    dtype = property(lambda self: self._data.dtype)
    shape = property(lambda self: self._data.shape)

    def __bool__(self) -> builtins.bool:
        return _scalar(self, builtins.bool)

    def __int__(self) -> int:
        return _scalar(self, int)

    def __float__(self) -> float:
        return _scalar(self, float)

    def __complex__(self) -> complex:
        return _scalar(self, complex)

    def __index__(self) -> int:
        return _scalar(self, operator.index)

    def __repr__(self) -> str:
        return f"Array({self._data.tolist()}, {self.dtype})"

    def __getitem__(self, key: Any) -> Array:
        return _compute(lambda x: x[_public(key)], (self,), {}, self.dtype)

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.shape[0]))

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        import sys

        return sys.modules[__name__]


def _public(value: Any) -> Any:
    """Positions and counts, which Tacit takes as public numbers."""
    if isinstance(value, Array):
        return value._data if value.ndim else value._data[()]
    if isinstance(value, slice):
        return slice(*(None if it is None else operator.index(it) for it in (value.start, value.stop, value.step)))
    if isinstance(value, tuple):
        return tuple(_public(it) for it in value)
    return value


def _attribute(name: str, rule: Callable[[Array], Any]) -> property:
    getattr(tc.Array, name)
    return property(lambda self: _compute(lambda x: getattr(x, name), (self,), {}, rule(self)))


def _known(name: str) -> property:
    """What `tacit.Array` says of itself without a run."""

    def read(self: Array) -> Any:
        (alice,) = tc.parties("alice")
        return getattr(alice.array("x", _type_of(self._data, narrow=False), shape=self.shape), name)

    return property(read)


for _name in ("ndim", "size"):
    setattr(Array, _name, _known(_name))
for _name in ("T", "mT"):
    setattr(Array, _name, _attribute(_name, lambda x: x.dtype))


def _method(name: str, dtype: Callable[[list[Any]], np.dtype[Any]]) -> None:
    inner = getattr(tc.Array, name)
    written = getattr(operator, f"__{name.strip('_')}__", None) or abs

    @functools.wraps(inner)
    def method(*args: Any) -> Any:
        if not builtins.all(isinstance(it, (Array, builtins.bool, int, float)) for it in args):
            return NotImplemented
        _of_kinds(args)
        return _compute(written, args, {}, dtype(list(args)))

    setattr(Array, name, method)
    mirrored = f"__r{name.strip('_')}__"
    if hasattr(tc.Array, mirrored):

        @functools.wraps(getattr(tc.Array, mirrored))
        def reflected(self: Any, other: Any) -> Any:
            return method(other, self)

        setattr(Array, mirrored, reflected)


def _of_kinds(args: Any) -> None:
    """Python's numbers are of the kind of the array beside them, which holds them."""
    for array in args:
        for it in args:
            if isinstance(array, Array) and type(it) is int and array.dtype.kind in "iu":
                low, high = _ends(array.dtype)
                if not low <= it <= high:
                    raise NotHeld("wrap-around")


def _truth(values: list[Any]) -> np.dtype[Any]:
    return bool


for _name in ("add", "sub", "mul", "floordiv", "mod", "pow", "and", "or", "xor", "neg", "pos", "abs", "invert", "truediv", "matmul"):
    _method(f"__{_name}__", _promoted)
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    _method(f"__{_name}__", _truth)


# Functions.


def _function(name: str, dtype: Callable[[list[Any], dict[str, Any]], Any], public: tuple[Any, ...] = ()) -> None:
    """A function of `tacit.xp`, with its signature. `public` are the arguments that Tacit takes as public numbers."""
    inner = getattr(tc.xp, name)

    @functools.wraps(inner)
    def eager(*args: Any, **kwargs: Any) -> Any:
        flat = [it for value in (*args, *kwargs.values()) for it in (value if isinstance(value, (list, tuple)) else [value])]
        result = dtype(flat, kwargs)
        args = tuple(_public(it) if i in public else it for i, it in enumerate(args))
        kwargs = {key: _public(value) if key in public else value for key, value in kwargs.items()}
        if kwargs.get("dtype") is not None:
            kwargs["dtype"] = _type(kwargs["dtype"])
        if name in _OPERATORS:
            _of_kinds(args)
        return _compute(inner, args, kwargs, result)

    globals()[name] = eager


def _of_first(values: list[Any], kwargs: dict[str, Any]) -> Any:
    return kwargs.get("dtype") or values[0].dtype


def _of_all(values: list[Any], kwargs: dict[str, Any]) -> Any:
    return _promoted(values)


def _index(values: list[Any], kwargs: dict[str, Any]) -> Any:
    return int64


def _summed(values: list[Any], kwargs: dict[str, Any]) -> Any:
    if kwargs.get("dtype"):
        return kwargs["dtype"]
    dtype = values[0].dtype
    return {"u": uint64, "i": int64, "b": int64}.get(dtype.kind, dtype)


def _default(values: list[Any], kwargs: dict[str, Any]) -> Any:
    return kwargs.get("dtype") or float64


def _of_numbers(values: list[Any], kwargs: dict[str, Any]) -> Any:
    """The default data type of Python's numbers."""
    if kwargs.get("dtype"):
        return kwargs["dtype"]
    kinds = {type(it) for it in values if it is not None}
    return float64 if float in kinds else int64 if int in kinds else bool


_TABLE: dict[Any, str] = {
    _of_first: "zeros_like ones_like full_like tril triu abs ceil floor round trunc sign square negative positive reciprocal sqrt exp log "
    "logical_not max min mean std var take take_along_axis expand_dims flip moveaxis permute_dims reshape roll squeeze tile unstack sort "
    "repeat broadcast_to matrix_transpose diff clip",
    _of_all: "add subtract multiply floor_divide remainder divide pow minimum maximum logical_and logical_or logical_xor concat stack "
    "meshgrid broadcast_arrays matmul tensordot vecdot",
    lambda values, kwargs: _promoted(values[1:]): "where",
    _index: "argmax argmin argsort count_nonzero searchsorted",
    _summed: "sum prod cumulative_sum",
    _default: "zeros ones eye linspace",
    _of_numbers: "arange",
    lambda values, kwargs: _of_numbers([it for it in values if it is not None][-1:], kwargs): "full",
    lambda values, kwargs: bool: "equal not_equal less less_equal greater greater_equal isfinite isinf isnan any all isin",
}
# Where Python's numbers stand beside arrays, and are no axes, places or counts.
_OPERATORS = {
    *"add subtract multiply floor_divide remainder divide pow where".split(),
    *"equal not_equal less less_equal greater greater_equal".split(),
}
_PUBLIC: dict[str, tuple[Any, ...]] = {"take": (1,), "take_along_axis": (1,), "repeat": (1,), "searchsorted": ("sorter",)}

for _rule, _names in _TABLE.items():
    for _name in _names.split():
        _function(_name, _rule, _PUBLIC.get(_name, ()))


@functools.wraps(tc.xp.asarray)
def asarray(obj: Any, *, dtype: Any = None, copy: builtins.bool | None = None) -> Array:
    if isinstance(obj, Array):
        kept = obj.dtype if dtype is None else dtype
        return _compute(tc.xp.asarray, (obj,), {"copy": copy, "dtype": None if dtype is None else _type(dtype)}, kept)
    # The rows of a list may hold arrays, which are numbers here.
    array = np.asarray(_public(obj) if not isinstance(obj, (list, tuple)) else _numbers(obj))
    if array.dtype.kind == "c":
        return Array(array)
    # Says so of numbers that fixed point does not hold.
    _type_of(array, narrow=True)
    kept = np.dtype(dtype) if dtype is not None else {"b": bool, "f": float64}.get(array.dtype.kind, int64)
    return _compute(lambda: tc.xp.asarray(array, dtype=None if dtype is None else _type(dtype)), (), {}, kept)


def _numbers(obj: Any) -> Any:
    return [_numbers(it) for it in obj] if isinstance(obj, (list, tuple)) else _public(obj)


@functools.wraps(tc.xp.astype)
def astype(x: Array, dtype: Any, /, *, copy: builtins.bool = True) -> Array:
    return _compute(tc.xp.astype, (x, _type(dtype)), {}, dtype)
