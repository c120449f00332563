"""Layers that make arrays larger or smaller: all are products with public matrices, or convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import xp
from ...array import Array, Extent
from ..graph import package
from ..numbers import dot, length, real
from ..table import Call, Value, op
from .conv import conv
from .shapes import padded


def _resized(at: Call, value: np.ndarray[Any, Any], attributes: dict[str, Any], operands: list[Any]) -> np.ndarray[Any, Any]:
    """A constant, resized by ONNX's reference."""
    onnx = package()
    given = {"x": value.astype(np.float32)}
    names = ["x"]
    for place, operand in enumerate(operands):
        names.append("" if operand is None else f"o{place}")
        if operand is not None:
            given[f"o{place}"] = np.asarray(operand)
    node = onnx.helper.make_node("Resize", names, ["y"], **attributes)
    kinds = {name: onnx.helper.np_dtype_to_tensor_dtype(it.dtype) for name, it in given.items()}
    ports = [onnx.helper.make_tensor_value_info(name, kinds[name], it.shape) for name, it in given.items()]
    graph = onnx.helper.make_graph([node], "resize", ports, [onnx.helper.make_empty_tensor_value_info("y")])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", max(at.opset, 13))], ir_version=10)
    found: np.ndarray[Any, Any] = package("onnx.reference").ReferenceEvaluator(model).run(None, given)[0]
    return found


@op("Resize", public=(1, 2, 3))
def resize(at: Call, x: Array, *_: Value) -> Array:
    """Each axis on its own: a product with the matrix that ONNX's reference makes of unit vectors."""
    if at.opset < 11:
        at.refuse("opsets before 11")
    x = real(at, x)
    shape = [1 if isinstance(it, Extent) else it for it in x.shape]
    operands = [at.operand(i) if at.operand(i) is not None and np.size(at.operand(i)) else None for i in (1, 2, 3)]
    whole = _resized(at, np.zeros(shape), at.attributes, operands)
    axes = [it % x.ndim for it in (at.attr("axes") or range(x.ndim))]
    roi, scales = operands[:2]
    plain = {name: value for name, value in at.attributes.items() if name not in ("axes", "keep_aspect_ratio_policy")}
    for place, axis in enumerate(axes):
        size, wanted = shape[axis], whole.shape[axis]
        scale = None if scales is None else float(scales[place])
        if isinstance(x.shape[axis], Extent):
            if wanted != 1 or (scale is not None and scale != 1):
                at.refuse("rows that are resized")
            continue
        if at.attr("keep_aspect_ratio_policy", "stretch") != "stretch":
            scale = wanted / size
        own_roi = None if roi is None else np.array([0, roi[place], 1, roi[place + len(axes)]], dtype=np.float32)
        by_scale = None if scale is None else np.array([1, scale], dtype=np.float32)
        by_size = None if scale is not None else np.array([size, wanted])
        # What lies outside is a constant, which unit vectors alone do not show.
        base = _resized(at, np.zeros((1, size)), plain, [own_roi, by_scale, None if by_size is None else np.array([1, wanted])])
        if base.any():
            at.refuse("values for what lies outside")
        matrix = _resized(at, np.eye(size), plain, [own_roi, by_scale, by_size]).astype(np.float64)
        if matrix.shape == (size, size) and np.array_equal(matrix, np.eye(size)):
            continue
        if ((matrix == 0) | (matrix == 1)).all() and (matrix.sum(axis=0) == 1).all():
            x = xp.take(x, matrix.argmax(axis=0), axis=axis)
        else:
            x = xp.moveaxis(dot(at, xp.moveaxis(x, axis, -1), matrix), -1, axis)
    return x


def _spread(x: Array, axis: int, stride: int) -> Array:
    """Zeros between the elements of an axis."""
    if stride == 1:
        return x
    zeros = [xp.zeros_like(x)] * (stride - 1)
    shape = [it * stride if i == axis else it for i, it in enumerate(x.shape)]
    return xp._part(xp.reshape(xp.stack([x, *zeros], axis=axis + 1), shape), axis, 0, (length(x, axis) - 1) * stride + 1)


@op("ConvTranspose")
def conv_transpose(at: Call, x: Value, weights: Value, bias: Value = None) -> Array:
    """A convolution with the kernel turned round, of elements with zeros between them."""
    x = real(at, x)
    shape = [int(it) for it in weights.shape]
    kernel, many = shape[2:], x.ndim - 2
    strides, dilations = at.ints("strides") or [1] * many, at.ints("dilations") or [1] * many
    more = at.ints("output_padding") or [0] * many
    pads = at.ints("pads") or [0] * (2 * many)
    auto, outputs = at.attr("auto_pad", "NOTSET"), at.ints("output_shape")
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if outputs is not None or auto.startswith("SAME"):
        sizes = [length(x, i + 2) for i in range(many)]
        wanted = outputs[-many:] if outputs is not None else [n * s for n, s in zip(sizes, strides, strict=True)]
        total = [s * (n - 1) + m + span - o for n, s, m, span, o in zip(sizes, strides, more, spans, wanted, strict=True)]
        small = [it // 2 for it in total]
        large = [it - half for it, half in zip(total, small, strict=True)]
        pads = small + large if auto == "SAME_UPPER" else large + small
    for i in range(many):
        x = _spread(x, i + 2, strides[i])
    sides = [span - 1 - p for span, p in zip(spans, pads, strict=False)]
    sides += [span - 1 - p + m for span, p, m in zip(spans, pads[many:], more, strict=True)]
    x = padded(at, x, list(range(2, x.ndim)), sides, "constant", np.zeros(1))
    groups = int(at.attr("group", 1))
    turned = _kernel(weights, groups, shape)
    inner = Call(at.walk, "Conv", at.name, {"dilations": dilations, "group": groups}, [x, turned, bias], at.sources, at.outputs)
    found: Array = conv(inner, x, turned, bias)
    return found


def _kernel(weights: Value, groups: int, shape: list[int]) -> Value:
    """Weights with channels in and out exchanged within each group, and windows turned round."""
    each, out = shape[0] // groups, shape[1]
    order = [0, 2, 1, *range(3, len(shape) + 1)]
    split, joined = (groups, each, *shape[1:]), (groups * out, each, *shape[2:])
    if not isinstance(weights, Array):
        return np.flip(weights, axis=tuple(range(2, len(shape)))).reshape(split).transpose(order).reshape(joined)
    axes = tuple(range(2, len(shape)))
    turned = xp.flip(weights, axis=axes) if math.prod(shape[2:]) > 1 else weights
    return xp.reshape(xp.permute_dims(xp.reshape(turned, split), order), joined)
