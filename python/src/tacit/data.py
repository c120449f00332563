"""Data of parties: arrays and columns of frames as the engine takes them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from . import _tacit
from .errors import InputError, failure
from .types import Bool, Category, Date, Fixed, Int, Type, days

_T = TypeVar("_T")


@dataclass(frozen=True)
class Input:
    """An input of a program."""

    name: str
    party: str | None
    kind: str
    bits: int
    fraction: int
    shape: tuple[str, ...]
    interval: tuple[int, int]
    meaning: str
    names: tuple[str, ...] | None


def by_input(inputs: list[Input], data: Mapping[str, Any], parties: Iterable[str], own: str | None) -> dict[str, Any]:
    """The values of each input, from what was given by party or by input."""
    found: dict[str, Any] = {}
    parties = list(parties)
    names = {it.name: it for it in inputs}
    for key, value in data.items():
        if key in names:
            found[key] = _one(opened(value))
        elif key in parties:
            found.update(_of_party(inputs, key, value))
        else:
            known = [*parties, *names]
            raise InputError(f"{key!r} is no party and no input of this job: {', '.join(known)}")
    for it in inputs:
        needed = own is None or it.party in (None, own)
        if needed and it.name not in found:
            who = f", which {it.party} gives" if it.party else ", which is public"
            raise InputError(f"input {it.name!r}{who}, has no data")
        if not needed and it.name in found:
            raise InputError(f"input {it.name!r} is {it.party}'s, which gives it itself: leave it out here")
    return found


def _one(value: Any) -> Any:
    """What is given for an input: the columns of a frame are those of a matrix."""
    columns = list(value.values()) if isinstance(value, dict) else []
    if not columns or not all(isinstance(it, _tacit.Column) for it in columns):
        return value
    masks = [it.missing() for it in columns]
    missing = [np.zeros(it.shape, dtype=bool) if mask is None else mask for it, mask in zip(columns, masks, strict=True)]
    return np.ma.MaskedArray(np.stack([_numpy(it) for it in columns], axis=-1), mask=np.stack(missing, axis=-1))


def _numpy(given: Any) -> np.ndarray[Any, Any]:
    """Data as NumPy has them. What is missing of a column is anything."""
    if not isinstance(given, _tacit.Column):
        array: np.ndarray[Any, Any] = np.asarray(given)
        return array
    try:
        return given.numpy()
    except _tacit.Failure as error:
        raise failure(error) from None


def _of_party(inputs: list[Input], party: str, value: Any) -> dict[str, Any]:
    own = [it for it in inputs if it.party == party]
    value = opened(value)
    columns = names_of(value)
    if columns is None:
        if len(own) == 1:
            return {own[0].name: value}
        raise InputError(f"{party} gives {len(own)} inputs: give a frame, or a mapping from name to array")
    found = {}
    for it in own:
        short = it.name.removeprefix(f"{party}.")
        name = it.name if it.name in columns else short
        if name not in columns:
            raise InputError(f"{party}'s data have no column {short!r}; they have {', '.join(map(str, columns))}")
        found[it.name] = column(value, name)
    return found


def opened(value: Any) -> Any:
    """What exports Arrow data as a column, or as columns by name if it is a frame; anything else as it is."""
    # Frames of pandas and Polars go column by column: those that no one asks for may be of any type. Columns of pandas go by
    # NumPy, as they export Arrow data only in some versions, and only where PyArrow is installed.
    if isinstance(value, Mapping) or hasattr(value, "isna") or hasattr(value, "get_column"):
        return value
    try:
        if hasattr(value, "__arrow_c_stream__"):
            return _tacit.read_stream(value.__arrow_c_stream__())
        if hasattr(value, "__arrow_c_array__"):
            return _tacit.read_array(*value.__arrow_c_array__())
    except _tacit.Failure as error:
        raise failure(error) from None
    return value


def names_of(value: Any) -> list[str] | None:
    """Names of columns, of a mapping or a frame."""
    if isinstance(value, Mapping):
        return list(value)
    columns = getattr(value, "columns", None)
    if columns is not None and hasattr(value, "__getitem__"):
        return [str(name) for name in columns]
    return None


def column(value: Any, name: str) -> Any:
    """A column of a mapping or a frame."""
    return opened(value[name])


def values(it: Input, given: Any) -> tuple[Any, float]:
    """An input's values for the engine, checked, and the largest distance by which they were rounded."""
    if it.names is not None or it.meaning == "date":
        return _named(it, given), 0.0
    array = _array(it, given)
    _fits(it, array)
    if array.dtype.kind == "b":
        return _bits(it, array), 0.0
    return _numbers(it, array)


def _fits(it: Input, array: np.ndarray[Any, Any]) -> None:
    if array.ndim != len(it.shape):
        raise InputError(f"input {it.name!r} has {len(it.shape)} axes, {_shape(it)}, and these data have {array.ndim}")
    for axis, (wanted, found) in enumerate(zip(it.shape, array.shape, strict=True)):
        if wanted.isdigit() and int(wanted) != found:
            raise InputError(f"input {it.name!r} is {wanted} long along axis {axis}, and these data {found}: {_shape(it)}")


def _shape(it: Input) -> str:
    return f"[{', '.join(it.shape)}]"


def _array(it: Input, given: Any) -> np.ndarray[Any, Any]:
    array = _plain(it, given)
    if array.dtype.kind == "f" and isinstance(given, (list, tuple)) and not it.fraction and _large(array):
        # NumPy makes floating point of lists of integers that no signed word holds.
        array = np.asarray(given, dtype=object)
    if array.dtype == object:
        array = _of_objects(it, array)
    if array.dtype.kind not in "biuf":
        raise InputError(f"input {it.name!r} takes numbers, and these data are {array.dtype}")
    return np.ascontiguousarray(array) if array.ndim else array


def _plain(it: Input, given: Any) -> np.ndarray[Any, Any]:
    """Data as NumPy has them. None are missing, but for `nan`."""
    if isinstance(given, _tacit.Column):
        missing = given.missing()
        if missing is not None:
            _there(it, missing)
        return _of(it, given.numpy)
    # Series of pandas say what is missing.
    test = getattr(given, "isna", None)
    if callable(test):
        _there(it, np.asarray(test()))
    if isinstance(given, np.ma.MaskedArray):
        _there(it, np.ma.getmaskarray(given))
    try:
        array = _numpy(given)
    except ValueError:
        raise InputError(f"input {it.name!r}: these data are no array: rows of several lengths, perhaps") from None
    if array.dtype.kind in "mM":
        _there(it, np.isnat(array))
    elif array.dtype == object:
        absent = [value is None or (isinstance(value, float) and value != value) for value in array.ravel()]
        _there(it, np.array(absent, dtype=bool).reshape(array.shape))
    return array


def _there(it: Input, missing: np.ndarray[Any, Any]) -> None:
    if missing.any():
        raise InputError(
            f"input {it.name!r}: the value of row {_row(missing)} is missing, and {int(missing.sum())} in all: "
            "fill them, or give which are there as bits"
        )


def _of(it: Input, read: Callable[[], _T]) -> _T:
    """What is read of an input's column."""
    try:
        return read()
    except _tacit.Failure as error:
        raise InputError(f"input {it.name!r}: {error.args[1]}") from None


def _large(array: np.ndarray[Any, Any]) -> bool:
    """Whether floating point may be no exact integer."""
    return bool((np.abs(array) >= 2.0**53).any())


def _of_objects(it: Input, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    flat = list(array.ravel())
    try:
        if any(isinstance(value, str) for value in flat):
            raise TypeError
        if all(isinstance(value, (bool, np.bool_)) for value in flat):
            return array.astype(bool)
        if all(float(value).is_integer() for value in flat) and it.fraction == 0:
            word = np.uint64 if it.kind == "uint" and it.bits == 64 else np.int64
            whole: np.ndarray[Any, Any] = np.array([int(value) for value in flat], dtype=word).reshape(array.shape)
            return whole
        return array.astype(np.float64)
    except OverflowError:
        raise InputError(f"input {it.name!r}: some of these data are outside of its range {_range(it)}") from None
    except (TypeError, ValueError):
        raise InputError(f"input {it.name!r} takes numbers, and some of these data are none") from None


def _bits(it: Input, array: np.ndarray[Any, Any]) -> Any:
    return _flat(array) if it.kind == "bit" else _flat(array.astype(np.int64))


def _flat(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(array).reshape(-1)


def _ends(it: Input) -> tuple[Any, Any]:
    low, high = it.interval
    return (low / 2**it.fraction, high / 2**it.fraction) if it.fraction else (low, high)


def _range(it: Input) -> str:
    return "{}..{}".format(*_ends(it))


def _numbers(it: Input, array: np.ndarray[Any, Any]) -> tuple[Any, float]:
    low, high = _ends(it)
    if array.dtype.kind == "f":
        missing = ~np.isfinite(array)
        if missing.any():
            raise InputError(f"input {it.name!r}: the value of row {_row(missing)} is missing, or no number")
    if it.kind == "bit":
        odd = (array != 0) & (array != 1)
        if odd.any():
            raise InputError(f"input {it.name!r} takes truth values, and that of row {_row(odd)} is none")
        return _flat(array.astype(bool)), 0.0
    rounded = 0.0
    if it.fraction:
        exact = array.astype(np.float64)
        unit = 2.0**it.fraction
        array = np.rint(exact * unit) / unit
        rounded = float(np.max(np.abs(array - exact))) if array.size else 0.0
    elif array.dtype.kind == "f":
        odd = array != np.floor(array)
        if odd.any():
            raise InputError(f"input {it.name!r} takes whole numbers, and that of row {_row(odd)} has a fraction")
        if _large(array):
            array = np.vectorize(int, otypes=[object])(array)
    outside = (array < low) | (array > high)
    if outside.any():
        raise InputError(
            f"input {it.name!r}: the value of row {_row(outside)} is outside of its range {_range(it)}, and {int(outside.sum())} in all"
        )
    if it.fraction:
        return _flat(array), rounded
    # Arrays of whole numbers are not copied again.
    word = array.dtype if array.dtype.kind in "iu" else np.dtype(np.uint64 if it.kind == "uint" and it.bits == 64 else np.int64)
    return _flat(array.astype(word, copy=False)), 0.0


def _row(mask: np.ndarray[Any, Any]) -> int:
    return int(np.argwhere(mask.reshape(mask.shape[0] if mask.ndim else 1, -1).any(axis=1))[0][0])


def _named(it: Input, given: Any) -> Any:
    if isinstance(given, _tacit.Column) and given.is_text and it.names is not None:
        return _members(it, given)
    array = _plain(it, given)
    _fits(it, array)
    if it.meaning == "date":
        return _days(it, array)
    if array.dtype.kind in "iu":
        return _numbers(it, array)[0]
    if array.size and array.dtype.kind not in "OU":
        raise InputError(f"input {it.name!r} takes members of a category, as texts or their places, and these data are {array.dtype}")
    known = set(it.names or ())
    texts = [value if isinstance(value, str) else None for value in array.ravel().tolist()]
    for row, text in enumerate(texts):
        if text not in known:
            raise InputError(f"input {it.name!r}: the value of row {row} is none of {', '.join(it.names or ())}")
    return texts


def _members(it: Input, given: _tacit.Column) -> Any:
    """The places of a column's texts among the members of a category."""
    missing = given.missing()
    if missing is not None:
        _there(it, missing)
    names = list(it.names or ())
    codes = _of(it, lambda: given.codes(names))
    _fits(it, codes)
    if (codes < 0).any():
        raise InputError(f"input {it.name!r}: the value of row {_row(codes < 0)} is none of {', '.join(names)}")
    return _flat(codes)


def _days(it: Input, array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind == "M":
        whole = array.astype("datetime64[D]")
        if (whole != array).any():
            raise InputError(f"input {it.name!r} takes dates, and that of row {_row(whole != array)} has a time of day")
        return _numbers(it, whole.astype(np.int64))[0]
    found = []
    for row, value in enumerate(array.ravel().tolist()):
        try:
            if not isinstance(value, (str, datetime.date)):
                raise TypeError
            found.append(days(value))
        except (TypeError, ValueError):
            raise InputError(f"input {it.name!r}: the value of row {row} is no date such as 2024-01-31") from None
    return _numbers(it, np.array(found, dtype=np.int64))[0]


# What a frame's columns may be declared as.


class Schema(dict[str, Type]):
    """Types by name of column. Its `repr` is code to paste."""

    def __init__(self, notes: Mapping[str, str] | None = None, **types: Type) -> None:
        super().__init__(types)
        self.notes = dict(notes or {})

    def __repr__(self) -> str:
        width = max((len(name) for name in self), default=0)
        lines = ["tc.Schema("]
        for name, type in self.items():
            note = f"  # {self.notes[name]}" if name in self.notes else ""
            lines.append(f"    {name:<{width}} = {type},{note}")
        lines.append(")")
        if self.notes:
            lines.append("# Bounds come from this process's data and become public with the job: widen them if they say too much.")
        return "\n".join(lines)


def suggest(frame: Any) -> Schema:
    """Types for the columns of a frame or a mapping of arrays, as code to paste and to edit.

    Bounds come from the data, and **what a program declares is public**: read them before you use them.
    """
    frame = opened(frame)
    columns = names_of(frame)
    if columns is None:
        raise InputError("a frame, or a mapping from name to array")
    types: dict[str, Type] = {}
    notes: dict[str, str] = {}
    for name in columns:
        types[name], notes[name] = _suggested(name, _known(column(frame, name)))
    for type in types.values():
        # A job with such a type stays in this process until its bounds are written down.
        object.__setattr__(type, "from_data", True)
    schema = Schema(notes)
    schema.update(types)
    return schema


def _known(given: Any) -> np.ndarray[Any, Any]:
    """The values that are there."""
    array = _numpy(given)
    missing = given.missing() if isinstance(given, _tacit.Column) else None
    return array if missing is None else array[~missing]


def _suggested(name: str, array: np.ndarray[Any, Any]) -> tuple[Type, str]:
    kind = array.dtype.kind
    if not array.size:
        raise InputError(f"column {name!r} is empty: write its type yourself")
    if kind == "b":
        return Bool(), "bool"
    if kind == "M":
        lo, hi = array.min().astype("datetime64[D]"), array.max().astype("datetime64[D]")
        return Date(str(lo), str(hi)), f"{array.dtype}"
    if kind in "iu":
        lo, hi = int(array.min()), int(array.max())
        note = f"{array.dtype}, here {lo}..{hi}"
        if array.dtype.itemsize <= 2:
            info = np.iinfo(array.dtype)
            return Int(int(info.min), int(info.max)), note
        return Int(_rounded(lo, up=False), _rounded(hi, up=True)), note
    if kind == "f":
        return _suggested_fixed(name, array)
    texts = sorted({str(value) for value in array.ravel().tolist()})
    if len(texts) > 256:
        raise InputError(f"column {name!r} has {len(texts)} different texts, which are no category")
    return Category(texts), f"str, {len(texts)} values here"


def _suggested_fixed(name: str, array: np.ndarray[Any, Any]) -> tuple[Type, str]:
    known = array[np.isfinite(array)].astype(np.float64)
    if not known.size:
        raise InputError(f"column {name!r} has no numbers: write its type yourself")
    lo, hi = float(known.min()), float(known.max())
    places = 0
    while places < 7 and not np.allclose(known, np.round(known, places), rtol=0, atol=1e-9):
        places += 1
    frac = min(24, {0: 0, 1: 4, 2: 7}.get(places, int(np.ceil(places * 3.33))))
    low, high = _rounded(int(np.floor(lo)), up=False), _rounded(int(np.ceil(hi)), up=True)
    note = f"{array.dtype}, here {lo}..{hi}, {places} decimals"
    return (Int(low, high) if frac == 0 else Fixed(low, high, frac)), note


def _rounded(bound: int, *, up: bool) -> int:
    """A bound rounded outwards to 1, 2 or 5 times a power of ten."""
    if bound == 0 or (bound > 0) != up:
        return 0
    size, ten = abs(bound), 1
    while True:
        for step in (1, 2, 5):
            if step * ten >= size:
                return step * ten if bound > 0 else -step * ten
        ten *= 10
