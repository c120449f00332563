"""Data of parties: arrays and columns of frames as the engine takes them."""

from __future__ import annotations

import datetime
import keyword
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from . import _tacit
from ._show import instead
from .errors import InputError, failure, placed
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
    # What it is computed from, if its owner computes it.
    derived: _tacit.Derived | None = None

    @property
    def column(self) -> str:
        """What it is read from: called as an input is."""
        return self.name if self.derived is None else self.derived.column

    @property
    def decimals(self) -> int:
        """Digits behind the decimal point."""
        return int(self.meaning[8:-1]) if self.meaning.startswith("decimal(") else 0

    def number(self, raw: int) -> int | float | Decimal:
        """What a raw value stands for."""
        if self.decimals:
            return decimal(raw, self.decimals)
        return raw / 2**self.fraction if self.fraction else raw

    def shape_of(self, given: Any) -> tuple[int, ...]:
        """Lengths of the axes of data."""
        if not isinstance(given, _tacit.Raw):
            return np.shape(given)
        if not self.shape:
            return ()
        inner = tuple(int(axis) for axis in self.shape[1:])
        width = int(np.prod(inner, dtype=np.int64))
        return (len(given) // width if width else 0, *inner)


def wrong(it: Input, message: str) -> InputError:
    """The error of data that do not fit an input."""
    error = InputError(message)
    error.inputs = (it.name,)
    return error


def decimal(raw: int, digits: int) -> Decimal:
    """A decimal number, exactly, whatever the precision of `decimal`'s context is."""
    return Decimal(f"{raw}E-{digits}")


@dataclass(frozen=True)
class Files:
    """The tables that parties may give, and how a file is read as one."""

    rows: frozenset[str]
    read: Callable[[str, str | None, str], dict[str, Any]]


def known(inputs: Iterable[Input]) -> dict[str, Input]:
    """The inputs `x.known` of bits, which say which values of `x` there are, by `x`."""
    inputs = list(inputs)
    bases = {it.name: it for it in inputs}
    found = {}
    for it in inputs:
        base = bases.get(it.name.removesuffix(".known")) if it.name.endswith(".known") else None
        if base is not None and it.kind == "bit" and (it.party, it.shape) == (base.party, base.shape):
            found[base.name] = it
    return found


def by_input(inputs: list[Input], data: Mapping[str, Any], parties: Iterable[str], own: str | None, files: Files) -> dict[str, Any]:
    """The values of each input, from what was given by party, by table or by input."""
    found: dict[str, Any] = {}
    parties = list(parties)
    names = {it.name: it for it in inputs}
    for key, value in data.items():
        if not isinstance(key, str):
            raise InputError(f"data go by names of parties or inputs, and {type(key).__name__} is none: {', '.join([*parties, *names])}")
        party, slash, table = key.partition("/")
        of = [it.name for it in inputs if key in (it.name, it.column)]
        if of:
            found.update(dict.fromkeys(of, _one(opened(value))))
        elif key in parties:
            found.update(_of_party(inputs, key, value, files))
        elif slash and party in parties:
            found.update(_of_table(inputs, (party, table), value, files))
        else:
            known_keys = [*parties, *names]
            column = [it.column for it in inputs if it.column.rpartition(".")[2] == key]
            meant = f"did you mean {column[0]!r}? There is {', '.join(known_keys)}" if len(column) == 1 else instead(str(key), known_keys)
            raise InputError(f"{key!r} is no party and no input of this job: {meant}")
    which = {it.name for it in known(inputs).values()}
    for it in inputs:
        needed = (own is None or it.party in (None, own)) and it.name not in which
        if needed and it.name not in found:
            who = f", which {it.party} gives" if it.party else ", which is public"
            raise wrong(it, f"input {it.name!r}{who}, has no data")
        if own is not None and it.party not in (None, own) and it.name in found:
            raise wrong(it, f"input {it.name!r} is {it.party}'s, which gives it itself: leave it out here")
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


def _of_party(inputs: list[Input], party: str, value: Any, files: Files) -> dict[str, Any]:
    own = [it for it in inputs if it.party == party]
    tables = {it.shape[0] for it in own if it.shape and it.shape[0] in files.rows}
    if tables and isinstance(value, (str, os.PathLike)):
        return files.read(party, None, os.fspath(value))
    if isinstance(value, Mapping) and any(_rows(tables, party, key) for key in value):
        value = {key: opened(table) for key, table in value.items()}
        if all(isinstance(it, (str, os.PathLike)) or names_of(it) is not None for it in value.values()):
            found: dict[str, Any] = {}
            for key, table in value.items():
                found.update(_of_table(inputs, (party, key), table, files))
            return found
    which = {it.name for it in known(own).values()}
    needed = [it for it in own if it.name not in which]
    value = opened(value)
    columns = names_of(value)
    if columns is None:
        if len(needed) == 1:
            return {needed[0].name: value}
        if not needed:
            raise InputError(f"{party} gives nothing to this job: leave it out of the data")
        raise InputError(f"{party} gives {len(needed)} inputs: give a frame, or a mapping from name to array")
    return _columns(needed, party, value, columns, len(tables) > 1)


def _rows(tables: Iterable[str], party: str, name: Any) -> str | None:
    """The row count of a party's table, which is called so, or `party.name`."""
    tables = list(tables)
    return next((it for it in (name, f"{party}.{name}") if it in tables), None)


def _of_table(inputs: list[Input], named: tuple[str, str], value: Any, files: Files) -> dict[str, Any]:
    party, name = named
    own = [it for it in inputs if it.party == party and it.shape and it.shape[0] in files.rows]
    tables = list(dict.fromkeys(it.shape[0] for it in own))
    rows = _rows(tables, party, name)
    if rows is None:
        there = ", ".join(it.removeprefix(f"{party}.") for it in tables) or "none"
        raise InputError(f"{party} gives no table {name!r} to this job; there is {there}")
    if isinstance(value, (str, os.PathLike)):
        return files.read(party, rows, os.fspath(value))
    value = opened(value)
    columns = names_of(value)
    if columns is None:
        raise InputError(
            f"table {name!r} of {party} is a frame, a mapping from column to array, or the path of a file, not {type(value).__name__}"
        )
    own = [it for it in own if it.shape[0] == rows]
    which = {it.name for it in known(own).values()}
    return _columns([it for it in own if it.name not in which], party, value, columns, False)


def _columns(inputs: list[Input], party: str, value: Any, columns: list[str], several: bool) -> dict[str, Any]:
    """The columns of a frame, which are called as inputs are, without the party and the table before them."""
    found = {}
    for it in inputs:
        names = [it.column, it.column.removeprefix(f"{party}.")]
        if it.shape and it.column.startswith(f"{it.shape[0]}."):
            names.append(it.column.removeprefix(f"{it.shape[0]}."))
        name = next((name for name in names if name in columns), None)
        if name is None:
            hint = f'; of several tables, give each by its name: {{"{party}": {{"TABLE": ...}}}}' if several else ""
            raise wrong(it, f"{party}'s data have no column {names[-1]!r}; they have {', '.join(map(str, columns))}{hint}")
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


def values(it: Input, given: Any, nullable: bool = False) -> tuple[Any, float, np.ndarray[Any, Any] | None]:
    """An input's values for the engine, checked, the largest distance by which they were rounded, and, where values may be missing,
    which there are."""
    if isinstance(given, _tacit.Raw):
        return given, 0.0, None
    rounded = 0.0
    if it.decimals:
        found, rounded, missing = _decimals(it, given, nullable)
    elif it.meaning == "text":
        found, missing = _texts(it, given, nullable)
    elif it.names is not None or it.meaning == "date":
        found, missing = _named(it, given, nullable)
    else:
        array, missing = _array(it, given, nullable)
        _fits(it, array)
        found, rounded = (_bits(it, array), 0.0) if array.dtype.kind == "b" else _numbers(it, array)
    if not nullable:
        return found, rounded, None
    there = np.ones(it.shape_of(given), dtype=bool) if missing is None else ~missing
    return found, rounded, _flat(there)


def _fits(it: Input, array: np.ndarray[Any, Any]) -> None:
    if array.ndim != len(it.shape):
        raise wrong(it, f"input {it.name!r} has {len(it.shape)} axes, {_shape(it)}, and these data have {array.ndim}")
    for axis, (wanted, found) in enumerate(zip(it.shape, array.shape, strict=True)):
        if wanted.isdigit() and int(wanted) != found:
            raise wrong(it, f"input {it.name!r} is {wanted} long along axis {axis}, and these data {found}: {_shape(it)}")


def _shape(it: Input) -> str:
    return f"[{', '.join(it.shape)}]"


def _array(it: Input, given: Any, nullable: bool) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    array, missing = _plain(it, given, nullable)
    if array.dtype.kind == "f" and isinstance(given, (list, tuple)) and not it.fraction and _large(array):
        # NumPy makes floating point of lists of integers that no signed word holds.
        array = np.asarray(given, dtype=object)
    if array.dtype == object:
        array = _of_objects(it, array)
    if array.dtype.kind not in "biuf":
        raise wrong(it, f"input {it.name!r} takes numbers, and these data are {array.dtype}")
    return np.ascontiguousarray(array) if array.ndim else array, missing


def _plain(it: Input, given: Any, nullable: bool) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    """Data as NumPy has them, and which are missing, if any are. Where none may be, none are, but for `nan`."""
    if isinstance(given, _tacit.Column):
        missing = given.missing()
        if missing is not None and not nullable:
            _there(it, missing)
        return _filled(it, _of(it, given.numpy), missing), missing
    missing = None
    # Series of pandas say what is missing.
    test = getattr(given, "isna", None)
    if callable(test):
        missing = np.asarray(test())
    if isinstance(given, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(given)
    if missing is not None and not nullable:
        _there(it, missing)
    try:
        array = _numpy(given)
    except ValueError:
        raise wrong(it, f"input {it.name!r}: these data are no array: rows of several lengths, perhaps") from None
    found = _absent(array, nullable)
    if found is not None and not nullable:
        _there(it, found)
    masks = [mask for mask in (missing, found) if mask is not None]
    missing = np.logical_or.reduce(masks) if masks else None
    if missing is None or not missing.any():
        return array, None
    return _filled(it, array, missing), missing


def _absent(array: np.ndarray[Any, Any], nullable: bool) -> np.ndarray[Any, Any] | None:
    """Which values of an array are none."""
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype == object:
        absent = [value is None or (isinstance(value, float) and value != value) for value in array.ravel()]
        found: np.ndarray[Any, Any] = np.array(absent, dtype=bool).reshape(array.shape)
        return found
    # NumPy says no other way that a number is missing.
    return np.asarray(np.isnan(array)) if nullable and array.dtype.kind == "f" else None


def _filled(it: Input, array: np.ndarray[Any, Any], missing: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
    """With what of the range is nearest to zero where values are missing."""
    if missing is None or not missing.any():
        return array
    raw = min(max(0, it.interval[0]), it.interval[1])
    filler: Any = it.number(raw)
    if array.dtype.kind == "M":
        filler = np.datetime64(raw, "D")
    elif array.dtype.kind in "OU" and it.names is not None:
        filler = it.names[raw]
    elif array.dtype.kind in "OU" and it.meaning == "date":
        day = datetime.date(1970, 1, 1) + datetime.timedelta(raw)
        filler = str(day) if array.dtype.kind == "U" else day
    elif array.dtype.kind in "biuf" and filler != int(filler):
        array, filler = array.astype(np.float64), float(filler)
    array = array.copy()
    array[missing] = filler
    return array


def _there(it: Input, missing: np.ndarray[Any, Any]) -> None:
    if missing.any():
        # Columns of tables alone are called by the table.
        table = bool(it.shape) and it.name.startswith(f"{it.shape[0]}.")
        way = (
            "fill them, or declare the column .nullable(), in SQL without NOT NULL"
            if table
            else "fill them, or give which are there as bits"
        )
        raise wrong(it, f"input {it.name!r}: the value of row {_row(missing)} is missing, and {int(missing.sum())} in all: {way}")


def _of(it: Input, read: Callable[[], _T]) -> _T:
    """What is read of an input's column."""
    try:
        return read()
    except _tacit.Failure as error:
        raise wrong(it, f"input {it.name!r}: {error.args[1]}") from None


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
        if it.fraction == 0 and all(float(value).is_integer() for value in flat):
            word = np.uint64 if it.kind == "uint" and it.bits == 64 else np.int64
            whole: np.ndarray[Any, Any] = np.array([int(value) for value in flat], dtype=word).reshape(array.shape)
            return whole
        return array.astype(np.float64)
    except OverflowError:
        raise wrong(it, f"input {it.name!r}: some of these data are outside of its range {_range(it)}") from None
    except (TypeError, ValueError):
        raise wrong(it, f"input {it.name!r} takes numbers, and some of these data are {_no_numbers(flat)}") from None


def _bits(it: Input, array: np.ndarray[Any, Any]) -> Any:
    return _flat(array) if it.kind == "bit" else _flat(array.astype(np.int64))


def _flat(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(array).reshape(-1)


def _ends(it: Input) -> tuple[Any, Any]:
    low, high = it.interval
    return it.number(low), it.number(high)


def _range(it: Input) -> str:
    if it.meaning == "date":
        return "..".join(str(np.datetime64(day, "D")) for day in it.interval)
    return "{}..{}".format(*_ends(it))


def _numbers(it: Input, array: np.ndarray[Any, Any]) -> tuple[Any, float]:
    low, high = _ends(it)
    if array.dtype.kind == "f":
        _finite(it, array)
    if it.kind == "bit":
        odd = (array != 0) & (array != 1)
        if odd.any():
            raise wrong(it, f"input {it.name!r} takes truth values, and that of row {_row(odd)} is none")
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
            raise wrong(it, f"input {it.name!r} takes whole numbers, and that of row {_row(odd)} has a fraction")
        if _large(array):
            array = np.vectorize(int, otypes=[object])(array)
    _within(it, (array < low) | (array > high))
    if it.fraction:
        return _flat(array), rounded
    # Arrays of whole numbers are not copied again.
    word = array.dtype if array.dtype.kind in "iu" else np.dtype(np.uint64 if it.kind == "uint" and it.bits == 64 else np.int64)
    return _flat(array.astype(word, copy=False)), 0.0


def _decimals(it: Input, given: Any, nullable: bool) -> tuple[_tacit.Raw, float, np.ndarray[Any, Any] | None]:
    """Decimals times a power of ten, exactly; those with more digits are rounded to the nearest, half to even."""
    digits, rounded = it.decimals, 0.0
    if isinstance(given, _tacit.Column) and given.type.startswith("Decimal"):
        missing = given.missing()
        if missing is not None and not nullable:
            _there(it, missing)
        scaled = _of(it, lambda: given.scaled(digits))
        if missing is not None:
            scaled = scaled.copy()
            scaled[missing] = min(max(0, it.interval[0]), it.interval[1])
    else:
        array, missing = _plain(it, given, nullable)
        if array.dtype == object:
            scaled, rounded = _scaled_objects(it, array)
        elif array.dtype.kind in "biu":
            word = np.uint64 if array.dtype == np.uint64 else np.int64
            scaled = _of(it, lambda: _tacit.scaled(_flat(array.astype(word, copy=False)), digits)).reshape(array.shape)
        elif array.dtype.kind == "f":
            _finite(it, array)
            exact = array.astype(np.float64)
            scaled = _of(it, lambda: _tacit.scaled(_flat(exact), digits)).reshape(array.shape)
            rounded = float(np.max(np.abs(scaled / 10.0**digits - exact))) if array.size else 0.0
        else:
            raise wrong(it, f"input {it.name!r} takes decimal numbers, and these data are {array.dtype}")
    _fits(it, scaled)
    low, high = it.interval
    _within(it, (scaled < low) | (scaled > high))
    raw = scaled.astype(np.uint64 if high >= 2**63 else np.int64, copy=False)
    return _tacit.Raw(_flat(raw)), rounded, missing


def _no_numbers(values: Sequence[Any]) -> str:
    """What some objects are that are no numbers: their type, with what makes numbers of it."""
    for value in values:
        try:
            float("x" if isinstance(value, str) else value)
        except (TypeError, ValueError, OverflowError):
            texts = "texts: convert them, as with astype(float) of pandas and cast of Polars"
            return texts if isinstance(value, str) else f"{type(value).__name__} objects"
    return "none"


def _scaled_objects(it: Input, array: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], float]:
    """Numbers of Python, `decimal.Decimal` among them, times a power of ten."""
    unit = 10**it.decimals
    scaled, rounded = [], Fraction(0)
    for value in array.ravel():
        try:
            if isinstance(value, str):
                raise TypeError
            exact = Fraction(value) * unit
        except (TypeError, ValueError, OverflowError):
            raise wrong(it, f"input {it.name!r} takes decimal numbers, and some of these data are none") from None
        scaled.append(round(exact))
        rounded = max(rounded, abs(exact - scaled[-1]))
    found = np.array(scaled, dtype=object).reshape(array.shape)
    return found, float(rounded / unit)


def _finite(it: Input, array: np.ndarray[Any, Any]) -> None:
    missing = ~np.isfinite(array)
    if missing.any():
        raise wrong(it, f"input {it.name!r}: the value of row {_row(missing)} is missing, or no number")


def _within(it: Input, outside: np.ndarray[Any, Any]) -> None:
    if outside.any():
        raise wrong(
            it, f"input {it.name!r}: the value of row {_row(outside)} is outside of its range {_range(it)}, and {int(outside.sum())} in all"
        )


def _row(mask: np.ndarray[Any, Any]) -> int:
    return int(np.argwhere(mask.reshape(mask.shape[0] if mask.ndim else 1, -1).any(axis=1))[0][0])


def _named(it: Input, given: Any, nullable: bool) -> tuple[Any, np.ndarray[Any, Any] | None]:
    if isinstance(given, _tacit.Column) and given.is_text and it.names is not None:
        return _members(it, given, nullable)
    array, missing = _plain(it, given, nullable)
    _fits(it, array)
    if it.meaning == "date":
        return _days(it, array), missing
    if array.dtype.kind in "iu":
        return _numbers(it, array)[0], missing
    if array.size and array.dtype.kind not in "OU":
        raise wrong(it, f"input {it.name!r} takes members of a category, as texts or their places, and these data are {array.dtype}")
    members = set(it.names or ())
    texts = [value if isinstance(value, str) else None for value in array.ravel().tolist()]
    for row, text in enumerate(texts):
        if text not in members:
            raise wrong(it, f"input {it.name!r}: the value of row {row} is none of {', '.join(it.names or ())}")
    return texts, missing


def _members(it: Input, given: _tacit.Column, nullable: bool) -> tuple[Any, np.ndarray[Any, Any] | None]:
    """The places of a column's texts among the members of a category."""
    missing = given.missing()
    if missing is not None and not nullable:
        _there(it, missing)
    names = list(it.names or ())
    codes = _of(it, lambda: given.codes(names))
    _fits(it, codes)
    if missing is not None:
        codes = codes.copy()
        codes[missing] = 0
    if (codes < 0).any():
        raise wrong(it, f"input {it.name!r}: the value of row {_row(codes < 0)} is none of {', '.join(names)}")
    return _flat(codes), missing


def _is_absent(value: Any) -> bool:
    """Whether a value of Python is none: `None`, `nan`, or what pandas has for it."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        # Of `pd.NA` nothing is true or false.
        return True


def _texts(it: Input, given: Any, nullable: bool) -> tuple[Any, np.ndarray[Any, Any] | None]:
    """What stands for texts that have no list."""
    if isinstance(given, _tacit.Column):
        if given.type == "Null":
            codes = np.full(given.shape, -1, dtype=np.int64)
        elif not given.is_text:
            raise wrong(it, f"input {it.name!r} takes texts, and these data are {given.type}: cast them to texts")
        else:
            codes = _of(it, lambda: given.text_codes(it.derived))
    else:
        # NumPy makes texts of numbers that stand beside texts in a list.
        array = np.array(given, dtype=object) if isinstance(given, (list, tuple)) else _numpy(given)
        # A column of texts that are all missing may be one of numbers.
        nothing = array.dtype.kind == "f" and bool(np.isnan(array).all())
        if array.size and array.dtype.kind not in "OUT" and not nothing:
            raise wrong(it, f"input {it.name!r} takes texts, and these data are {array.dtype}: cast them to texts")
        flat = array.ravel().tolist()
        test = getattr(given, "isna", None)
        absent = (
            np.asarray(test()).ravel()
            if callable(test)
            else np.ma.getmaskarray(given if isinstance(given, np.ma.MaskedArray) else array).ravel()
        )
        texts: list[str | None] = []
        for row, (value, none) in enumerate(zip(flat, absent.tolist(), strict=True)):
            if none or _is_absent(value):
                texts.append(None)
            elif isinstance(value, str):
                texts.append(value)
            else:
                raise wrong(it, f"input {it.name!r} takes texts, and the value of row {row} is none")
        codes = _tacit.text_codes(texts, it.derived).reshape(array.shape)
    _fits(it, codes)
    missing = codes < 0
    low, high = it.interval
    outside = ~missing & ((codes < low) | (codes > high))
    if outside.any():
        raise wrong(it, f"input {it.name!r} is in {low}..{high}, and that of row {_row(outside)} is not")
    if not missing.any():
        return _tacit.Raw(_flat(codes)), None
    if not nullable:
        _there(it, missing)
    return _tacit.Raw(_flat(np.where(missing, max(0, low), codes))), missing


def _days(it: Input, array: np.ndarray[Any, Any]) -> Any:
    if array.dtype.kind == "M":
        whole = array.astype("datetime64[D]")
        if (whole != array).any():
            raise wrong(it, f"input {it.name!r} takes dates, and that of row {_row(whole != array)} has a time of day")
        return _numbers(it, whole.astype(np.int64))[0]
    found = []
    for row, value in enumerate(array.ravel().tolist()):
        try:
            if not isinstance(value, (str, datetime.date)):
                raise TypeError
            found.append(days(value))
        except (TypeError, ValueError):
            raise wrong(it, f"input {it.name!r}: the value of row {row} is no date such as 2024-01-31") from None
    return _numbers(it, np.array(found, dtype=np.int64))[0]


# What a frame's columns may be declared as.


class Schema(dict[str, Type]):
    """Types by name of column: what the columns of a table may hold. It is public. Its `repr` is code to paste.

    Args:
        types: Types by name: columns whose names are no Python words go here.
        named: Types by name.

    >>> Schema({"plan of": Category(["basic", "full"])}, age=Int(0, 120).nullable())
    tc.Schema({'plan of': tc.Category(['basic', 'full'])},
        age = tc.Int(0, 120).nullable(),
    )
    """

    def __init__(self, types: Mapping[str, Type] | None = None, /, **named: Type) -> None:
        super().__init__({**(types or {}), **named})
        self.notes: dict[str, str] = {}

    def __repr__(self) -> str:
        odd = {name: type for name, type in self.items() if not name.isidentifier() or keyword.iskeyword(name)}
        width = max((len(name) for name in self if name not in odd), default=0)
        mapping = ", ".join(f"{name!r}: {type}" for name, type in odd.items())
        lines = [f"tc.Schema({{{mapping}}}," if odd else "tc.Schema("]
        for name, type in self.items():
            if name in odd:
                continue
            note = f"  # {self.notes[name]}" if name in self.notes else ""
            lines.append(f"    {name:<{width}} = {type},{note}")
        lines.append(")")
        if self.notes:
            lines.append("# Bounds come from this process's data and become public with the job: widen them if they say too much.")
        return "\n".join(lines)


@placed
def suggest(frame: Any) -> Schema:
    """Types for the columns of a frame or a mapping of arrays, as code to paste and to edit.

    Bounds come from the data, and **what a program declares is public**: read them before you use them. Whole numbers of 8 and 16 bits
    get the range of their type. Other bounds are rounded outwards, to 1, 2 or 5 times a power of ten, and fractions get as many bits as
    their decimals need, 24 at most. Columns with missing values, among them `nan`, get types that are `nullable()`, which columns of
    tables may have; of an array, give a `tc.Bool()` input that says which values are there.

    Args:
        frame: A frame of pandas or Polars, whatever has the Arrow PyCapsule interface, or a mapping from column to array.

    Raises:
        InputError: No frame, a column without values, or texts of which more than 256 differ: write such a type yourself.
    """
    frame = opened(frame)
    columns = names_of(frame)
    if columns is None:
        raise InputError("a frame, or a mapping from name to array")
    types: dict[str, Type] = {}
    notes: dict[str, str] = {}
    for name in columns:
        there, missing = _known(column(frame, name))
        type, notes[name] = _suggested(name, there)
        # A job with such a type stays in this process until its bounds are written down.
        object.__setattr__(type, "from_data", True)
        types[name] = type.nullable() if missing else type
        if missing:
            notes[name] += f", {missing} missing"
    schema = Schema(types)
    schema.notes = notes
    return schema


def _known(given: Any) -> tuple[np.ndarray[Any, Any], int]:
    """The values that are there, and how many are missing."""
    array = np.array(given, dtype=object) if isinstance(given, (list, tuple)) and any(it is None for it in given) else _numpy(given)
    missing = given.missing() if isinstance(given, _tacit.Column) else None
    test = getattr(given, "isna", None)
    if callable(test):
        missing = np.asarray(test())
    elif isinstance(given, np.ma.MaskedArray):
        missing = np.ma.getmaskarray(given)
    absent = np.zeros(array.shape, dtype=bool) if missing is None else missing
    found = _absent(array, nullable=True)
    absent = absent if found is None else absent | found
    there = array[~absent]
    if there.dtype == object and there.size and not any(isinstance(it, str) for it in there):
        # NumPy has a type for what is left, such as whole numbers and days.
        typed = np.array(there.tolist())
        days = all(type(it) is datetime.date for it in there)
        there = there.astype("datetime64[D]") if days else typed if typed.dtype.kind in "biuf" else there
    return there, int(absent.sum())


def _suggested(name: str, array: np.ndarray[Any, Any]) -> tuple[Type, str]:
    kind = array.dtype.kind
    if not array.size:
        raise InputError(f"column {name!r} has no values: write its type yourself")
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
        return Int(*_rounded(lo, hi)), note
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
    low, high = _rounded(int(np.floor(lo)), int(np.ceil(hi)))
    note = f"{array.dtype}, here {lo}..{hi}, {places} decimals"
    return (Int(low, high) if frac == 0 else Fixed(low, high, frac)), note


def _rounded(low: int, high: int) -> tuple[int, int]:
    """Bounds rounded outwards to 1, 2 or 5 times a power of ten."""
    return (_beyond(low) if low < 0 else _within_it(low)), (_beyond(high) if high > 0 else -_within_it(-high))


def _within_it(bound: int) -> int:
    """The greatest of 0 and 1, 2 and 5 times powers of ten that is at most a number."""
    ten = 10 ** max(len(str(bound)) - 1, 0)
    found: int = max(it for it in (0, ten, 2 * ten, 5 * ten) if it <= bound)
    return found


def _beyond(bound: int) -> int:
    """The 1, 2 or 5 times a power of ten that is next to a number, farther from zero."""
    ten = 10 ** (len(str(abs(bound))) - 1)
    size: int = min(it for it in (ten, 2 * ten, 5 * ten, 10 * ten) if it >= abs(bound))
    return size if bound > 0 else -size
