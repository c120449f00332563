"""Operators that take elements at public places, and those that compare with places."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import xp
from ...array import Array, Extent, as_type, number, to_fixed
from ...types import Category
from ..numbers import array, assumed, constant, length, real
from ..table import Call, Value, op


@op("Slice", public=(1, 2, 3, 4))
def sliced(at: Call, x: Array, *_: Value) -> Array:
    starts, ends = at.ints("starts", 1) or [], at.ints("ends", 2) or []
    axes = at.ints("axes", 3) or list(range(len(starts)))
    steps = at.ints("steps", 4) or [1] * len(starts)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        axis = axis % x.ndim
        whole = x.shape[axis]
        if isinstance(whole, Extent):
            if start == 0 and step == 1 and (end >= 2**31 - 1 or at.walk.extent(end) == whole):
                continue
            at.refuse(f"a part of axis {axis}, whose length {whole!r} is not known before the run")
        # As ONNX has it: beyond the beginning with a step backwards is the first element.
        chosen = range(whole)[slice(start, None if step < 0 and end < -whole else end, step)]
        if step > 0:
            x = xp._part(x, axis, chosen.start if len(chosen) else 0, len(chosen), step)
        else:
            x = xp.take(x, list(chosen), axis=axis)
    return x


# Entries of tables that are looked up at secret places: each place is compared with all of them.
_MOST_ENTRIES = 2**14


def _looked_up_along(at: Call, x: Value, places: Array, axis: int) -> Array:
    """Elements at secret places of an axis: products of unit vectors and a matrix. Places that there are not give zeros."""
    shape = list(x.shape)
    many = shape.pop(axis)
    if isinstance(many, Extent) or any(isinstance(it, Extent) for it in shape) or many > _MOST_ENTRIES:
        at.refuse(f"secret places of {many!r} rows, or beside rows: at most {_MOST_ENTRIES} places of an array whose lengths are known")
    rest = int(np.prod(shape))
    whole = xp.trunc(places) if places._node.kind == "fixed" else number(places)
    whole = xp.where(whole < 0, whole + many, whole) if whole.range[0] < 0 else whole
    hot = number(xp.expand_dims(whole, -1) == constant(at.arena, np.arange(many), 0))
    if isinstance(x, Array):
        table: Value = xp.reshape(xp.moveaxis(number(x), axis, 0), (many, rest))
    else:
        table = np.moveaxis(np.asarray(x), axis, 0).reshape(many, rest)
        table = constant(at.arena, table.astype(np.int64) if table.dtype.kind == "b" else table, at.walk.frac)
    frac = table._node.fraction
    found: Array = (to_fixed(hot, frac) if table._node.kind == "fixed" else hot) @ table
    bounds = table.range
    found = assumed(found, min(bounds[0], 0) - 2 * 2.0**-frac, max(bounds[1], 0) + 2 * 2.0**-frac) if frac else found
    found = xp.reshape(found, (*places.shape, *shape))
    back = [*range(places.ndim, places.ndim + axis), *range(places.ndim), *range(places.ndim + axis, found.ndim)]
    return xp.permute_dims(found, back) if back != sorted(back) else found


@op("Gather")
def gather(at: Call, x: Value, indices: Value) -> Array:
    axis = int(at.attr("axis", 0)) % x.ndim
    if isinstance(indices, Array):
        return _looked_up_along(at, x, indices, axis)
    places = np.asarray(indices)
    found = xp.take(x, places.ravel(), axis=axis)
    return xp.reshape(found, (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]))


@op("GatherElements", public=(1,))
def gather_elements(at: Call, x: Array, indices: Value) -> Array:
    axis = int(at.attr("axis", 0)) % x.ndim
    places = np.asarray(indices)
    for other in range(x.ndim):
        if other != axis and length(x, other) != places.shape[other]:
            x = xp._part(x, other, 0, places.shape[other])
    return xp.take_along_axis(x, places, axis=axis)


@op("GatherND", public=(1,))
def gather_nd(at: Call, x: Array, indices: Value) -> Array:
    if at.attr("batch_dims", 0):
        at.refuse("batch_dims")
    places = np.asarray(indices)
    deep = places.shape[-1]
    shape = [length(x, axis) for axis in range(x.ndim)]
    flat = np.ravel_multi_index(
        tuple(np.moveaxis(places, -1, 0) % np.array(shape[:deep]).reshape(-1, *[1] * (places.ndim - 1))), tuple(shape[:deep])
    )
    found = xp.take(xp.reshape(x, (int(np.prod(shape[:deep])), *shape[deep:])), flat.ravel(), axis=0)
    return xp.reshape(found, (*places.shape[:-1], *shape[deep:]))


@op("ml:ArrayFeatureExtractor")
def feature(at: Call, x: Value, indices: Value) -> Array:
    if isinstance(indices, Array):
        return looked_up(at, np.asarray(x).ravel(), indices) if not isinstance(x, Array) else at.refuse("secret places in a secret array")
    made = array(at, x)
    found = xp.take(made, np.asarray(indices).ravel(), axis=made.ndim - 1)
    return found if made.ndim > 1 else xp.reshape(found, (1, -1))


def looked_up(at: Call, table: np.ndarray[Any, Any], places: Array) -> Array:
    """Entries of a public table at secret places: as many comparisons as it has entries. Its result has one row, as that of
    ONNX's ArrayFeatureExtractor."""
    found = entries(at, table, places)
    return xp.reshape(found, (1, *found.shape)) if found.ndim == 1 else found


def entries(at: Call, table: np.ndarray[Any, Any], places: Array) -> Array:
    """Entries of a public table at secret places; texts become members of a category."""
    if table.dtype.kind in "OSU":
        return category(at, [it.decode() if isinstance(it, bytes) else str(it) for it in table], places)
    if np.array_equal(table, np.arange(len(table))):
        return places
    if np.array_equal(table, np.arange(len(table)) + table[0]) and table.dtype.kind in "iu":
        return places + int(table[0])
    hot = xp.expand_dims(places, -1) == constant(at.arena, np.arange(len(table)), 0)
    weights = constant(at.arena, table, at.walk.frac)
    return to_fixed(number(hot), at.walk.frac) @ weights if table.dtype.kind == "f" else number(hot) @ weights


def category(at: Call, names: list[str], places: Array) -> Array:
    """Places as members of a list of texts."""
    members = Category(names)
    return Array(at.arena, as_type(places, members)._node, members)


@op("OneHot", public=(1, 2))
def one_hot(at: Call, places: Array, depth: Value, values: Value) -> Array:
    many = int(np.asarray(depth).ravel()[0])
    off, on = np.asarray(values).ravel()
    axis = int(at.attr("axis", -1))
    axis = axis + places.ndim + 1 if axis < 0 else axis
    at_each = constant(at.arena, np.arange(many).reshape([many] + [1] * (places.ndim - axis)), 0)
    whole = xp.trunc(places) if places._node.kind == "fixed" else number(places)
    whole = xp.where(whole < 0, whole + many, whole) if whole.range[0] < 0 else whole
    hot = xp.expand_dims(whole, axis) == at_each
    like = constant(at.arena, np.asarray(on), at.walk.frac)
    return xp.where(hot, like, constant(at.arena, np.asarray(off), at.walk.frac))


@op("Trilu", public=(1,))
def triangle(at: Call, x: Array, k: Value = None) -> Array:
    by = int(np.asarray(k).ravel()[0]) if k is not None else 0
    rows, columns = length(x, x.ndim - 2), length(x, x.ndim - 1)
    keep = np.triu(np.ones((rows, columns), bool), by) if at.attr("upper", 1) else np.tril(np.ones((rows, columns), bool), by)
    if x._node.kind == "bit":
        return x & constant(at.arena, keep, 0)
    return x * constant(at.arena, keep.astype(np.float64 if x._node.kind == "fixed" else np.int64), x._node.fraction)


@op("CumSum", public=(1,))
def cumulative(at: Call, x: Array, axis: Value) -> Array:
    along = int(np.asarray(axis).ravel()[0]) % x.ndim
    backwards = bool(at.attr("reverse", 0))
    sums = xp.cumulative_sum(x, axis=along, reverse=backwards)
    return sums - x if at.attr("exclusive", 0) else sums


@op("ml:ZipMap")
def zip_map(at: Call, x: Array) -> dict[Any, Array]:
    """A mapping from class to its column."""
    classes = at.attr("classlabels_int64s") or at.attr("classlabels_strings")
    return {label: x[:, column] for column, label in enumerate(classes)}


@op("ml:LabelEncoder")
def labels(at: Call, x: Array) -> Array:
    keys = next(at.attributes[it] for it in ("keys_int64s", "keys_floats", "keys_strings", "keys_tensor") if it in at.attributes)
    values = np.asarray(
        next(at.attributes[f"values_{it}"] for it in ("int64s", "floats", "strings", "tensor") if f"values_{it}" in at.attributes)
    )
    defaults = ("default_int64", "default_float", "default_string", "default_tensor")
    fallback = next((at.attributes[it] for it in defaults if it in at.attributes), None)
    if x._category is not None:
        where = {name: place for place, name in enumerate(x._category.names)}
        known = dict(zip((str(it) for it in keys), values.tolist(), strict=True))
        table = [known.get(name, fallback) for name in where]
        if any(it is None for it in table):
            at.refuse("texts without a number")
        return entries(at, np.asarray(table), x)
    if values.dtype.kind in "OSU":
        if [int(it) for it in keys] == list(range(len(keys))):
            return category(at, [str(it) for it in values], x)
        at.refuse("numbers other than 0, 1, ... as texts")
    default = np.asarray(fallback if fallback is not None else (-1 if values.dtype.kind in "iu" else 0.0)).ravel()[0]
    found = constant(at.arena, np.asarray(default, dtype=values.dtype), at.walk.frac)
    for key, value in zip(np.asarray(keys), values, strict=True):
        hit = x == constant(at.arena, np.asarray(key), x._node.fraction)
        found = xp.where(hit, constant(at.arena, np.asarray(value), at.walk.frac), found)
    return xp.broadcast_to(found, x.shape)


@op("ml:Binarizer")
def binarizer(at: Call, x: Value) -> Array:
    made = real(at, x)
    above = made > constant(at.arena, np.float64(at.attr("threshold", 0.0)), made._node.fraction)
    return to_fixed(number(above), made._node.fraction)


@op("ml:FeatureVectorizer")
def features(at: Call, *parts: Value) -> Array:
    return xp.concat([real(at, it) for it in parts], axis=-1)
