"""Data of parties: arrays and columns of frames as the engine takes them."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import InputError
from .types import Bool, Category, Date, Fixed, Int, Type, days


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
            found[key] = value
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


def _of_party(inputs: list[Input], party: str, value: Any) -> dict[str, Any]:
    own = [it for it in inputs if it.party == party]
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


def names_of(value: Any) -> list[str] | None:
    """Names of columns, of a mapping or a frame."""
    if isinstance(value, Mapping):
        return list(value)
    columns = getattr(value, "column_names", None) or getattr(value, "columns", None)
    if columns is not None and hasattr(value, "__getitem__"):
        return [str(name) for name in columns]
    return None


def column(value: Any, name: str) -> Any:
    """A column of a mapping or a frame."""
    return value[name]


def values(it: Input, given: Any) -> tuple[Any, float]:
    """An input's values for the engine, checked, and the largest distance by which they were rounded."""
    if it.names is not None or it.meaning == "date":
        return _named(it, given), 0.0
    array = _array(it, given)
    if array.ndim != len(it.shape):
        raise InputError(f"input {it.name!r} has {len(it.shape)} axes, {_shape(it)}, and these data have {array.ndim}")
    for axis, (wanted, found) in enumerate(zip(it.shape, array.shape, strict=True)):
        if wanted.isdigit() and int(wanted) != found:
            raise InputError(f"input {it.name!r} is {wanted} long along axis {axis}, and these data {found}: {_shape(it)}")
    if array.dtype.kind == "b":
        return _bits(it, array), 0.0
    return _numbers(it, array)


def _shape(it: Input) -> str:
    return f"[{', '.join(it.shape)}]"


def _array(it: Input, given: Any) -> np.ndarray[Any, Any]:
    if hasattr(given, "null_count"):
        nulls = given.null_count() if callable(given.null_count) else given.null_count
        if nulls:
            raise InputError(f"input {it.name!r} has {nulls} missing values: fill them, or give which are there as bits")
    if hasattr(given, "to_numpy") and not isinstance(given, np.ndarray):
        given = given.to_numpy()
    array = np.asarray(given)
    if array.dtype == object:
        array = _of_objects(it, array)
    if array.dtype.kind not in "biuf":
        raise InputError(f"input {it.name!r} takes numbers, and these data are {array.dtype}")
    return np.ascontiguousarray(array) if array.ndim else array


def _of_objects(it: Input, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    flat = list(array.ravel())
    for row, value in enumerate(flat):
        if value is None:
            raise InputError(f"input {it.name!r}: the value of row {row} is missing")
    try:
        if all(isinstance(value, (bool, np.bool_)) for value in flat):
            return array.astype(bool)
        if all(float(value).is_integer() for value in flat) and it.fraction == 0:
            return np.array([int(value) for value in flat], dtype=np.int64).reshape(array.shape)
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"input {it.name!r} takes numbers, and some of these data are none") from None


def _bits(it: Input, array: np.ndarray[Any, Any]) -> Any:
    return _flat(array) if it.kind == "bit" else _flat(array.astype(np.int64))


def _flat(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(array).reshape(-1)


def _numbers(it: Input, array: np.ndarray[Any, Any]) -> tuple[Any, float]:
    low, high = (bound / 2**it.fraction if it.fraction else bound for bound in it.interval)
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
    outside = (array < low) | (array > high)
    if outside.any():
        raise InputError(
            f"input {it.name!r}: the value of row {_row(outside)} is outside of its range {low}..{high}, "
            f"and {int(outside.sum())} in all"
        )
    if it.fraction:
        return _flat(array), rounded
    return _flat(array.astype(np.uint64 if it.kind == "uint" and it.bits == 64 else np.int64)), 0.0


def _row(mask: np.ndarray[Any, Any]) -> int:
    return int(np.argwhere(mask.reshape(mask.shape[0] if mask.ndim else 1, -1).any(axis=1))[0][0])


def _named(it: Input, given: Any) -> Any:
    if isinstance(given, str):
        given = [given]
    if hasattr(given, "to_numpy") and not isinstance(given, np.ndarray):
        given = given.to_numpy()
    array = np.asarray(given)
    if it.meaning == "date":
        return _days(it, array)
    if array.dtype.kind in "iu":
        return _numbers(it, array)[0]
    known = set(it.names or ())
    texts = [value if isinstance(value, str) else None for value in array.ravel().tolist()]
    for row, text in enumerate(texts):
        if text not in known:
            raise InputError(f"input {it.name!r}: the value of row {row} is none of {', '.join(it.names or ())}")
    return texts


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
    columns = names_of(frame)
    if columns is None:
        raise InputError("a frame, or a mapping from name to array")
    types: dict[str, Type] = {}
    notes: dict[str, str] = {}
    for name in columns:
        given = column(frame, name)
        array = np.asarray(given.to_numpy() if hasattr(given, "to_numpy") else given)
        types[name], notes[name] = _suggested(name, array)
    schema = Schema(notes)
    schema.update(types)
    return schema


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
