"""One use of a model: its graph, computed node by node on the arrays of the parties."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import xp
from .._place import here
from ..array import Arena, Array, Extent, Rows
from ..errors import ProgramError, RangeError, TacitError, fail
from ..types import Type
from .graph import Graph, NodeOf, fold, reference
from .numbers import constant, within
from .table import ROWS, Call, NotSupported, Value, known

if TYPE_CHECKING:
    from .net import Net

__all__ = ["Comparisons", "Layer", "Walk"]

# Operators whose results would be as large as the lengths that they are given.
_OF_LENGTHS = ("ConstantOfShape", "Expand", "Range", "Tile")
# Operators that move elements, which reports do not list.
_MOVES = ("Identity", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Cast", "ArrayFeatureExtractor", "Dropout")
# Operators of which numbers that are far below change nothing.
_OF_MASKED = ("Softmax", "ReduceMax", "ArgMax", "Hardmax")


@dataclass(repr=False)
class Layer:
    """A value that a node computes, for reports."""

    node: str
    op_type: str
    tensor: str
    value: Array
    # What it was cut to, and as it was before.
    bounds: tuple[float, float] | None = None
    before: Array | None = None


@dataclass(repr=False)
class Comparisons:
    """Comparisons of a node with thresholds, for reports: of features of `source`, with the same rows."""

    node: str
    source: str
    features: list[int]
    thresholds: np.ndarray[Any, Any]
    # Whether a feature that is equal to its threshold goes the second way.
    strict: np.ndarray[Any, Any]
    bits: Array


def _outward(bound: float) -> float:
    """A bound that is no nearer to zero, of two binary digits; a sixteenth at least."""
    bound = max(bound, 2.0**-4)
    unit = 2.0 ** (math.floor(math.log2(bound)) - 1)
    return math.ceil(bound / unit) * unit


@dataclass(repr=False)
class Walk:
    """What one use of a model computed."""

    net: Net
    graph: Graph
    arena: Arena
    feeds: dict[str, Value]
    values: dict[str, Value] = field(default_factory=dict)
    # Names of constants that only the owner of the weights knows.
    private: set[str] = field(default_factory=set)
    layers: dict[str, Layer] = field(default_factory=dict)
    comparisons: list[Comparisons] = field(default_factory=list)
    # What each value is computed from.
    parents: dict[str, list[str]] = field(default_factory=dict)
    # Values whose elements are ordered along an axis as those of another value are; along all axes, if none is named.
    ordered: dict[str, tuple[str, int | None]] = field(default_factory=dict)
    # Names of values in which a number that is far below stands for minus infinity.
    far: set[str] = field(default_factory=set)
    narrowed: dict[str, tuple[float, float]] = field(default_factory=dict)
    # Those of them that were cut by the signs that the sample shows.
    signed: set[str] = field(default_factory=set)
    # How many sample rows there are.
    sampled: int = 0
    _seen: dict[str, tuple[float, float]] | None = None

    @property
    def frac(self) -> int:
        """Bits behind the point of numbers that meet no others."""
        return self.net.frac

    @property
    def opset(self) -> int:
        """The version of the standard operators."""
        return self.graph.opset

    def run(self) -> dict[str, Value]:
        """The outputs by name."""
        self.values.update(self.graph.constants)
        if self.net.owner is not None:
            self.private.update(self.graph.secrets)
        self.values.update(self.feeds)
        for node in self.graph.nodes:
            self._node(node)
        found = {}
        for name in self.graph.outputs:
            value = self.values.get(name)
            if name in self.far:
                place, path = here()
                fail(ProgramError, f"output {name!r} of {self.net.name} may be minus infinity, which no number here is", place, path)
            if name in self.private and not isinstance(value, Array):
                value = self.weight(value, name)
            found[name] = value if isinstance(value, (Array, dict)) else self._constant(value, name)
        return found

    def _constant(self, value: Value, name: str) -> Value:
        if value is None:
            return None
        try:
            return constant(self.arena, value, self.frac)
        except NotSupported as error:
            place, path = here()
            fail(ProgramError, f"output {name!r} of {self.net.name}: {error}", place, path)

    # Nodes.

    def _node(self, node: NodeOf) -> None:
        operands = [self.values.get(it) if it else None for it in [*node.inputs, *node.captured]]
        if self._folds(node, operands):
            secret = any(it in self.private for it in [*node.inputs, *node.captured])
            for name, value in zip(node.outputs, self._folded(node, operands), strict=False):
                self.values[name] = value
                if secret and node.op_type not in ("Shape", "Size"):
                    self.private.add(name)
            return
        entry = known(node.domain, node.op_type)
        if entry is None:
            place, path = here()
            fail(
                ProgramError, f"node {node.name} ({node.op_type}) of {self.net.name}: not supported on values that are secret", place, path
            )
        for attempt in range(3):
            try:
                given = self._operands(node, entry.public)
                at = Call(self, node.op_type, node.name, dict(node.attributes), given, node.inputs, node.outputs)
                found = entry.compute(at, *given)
                break
            except NotSupported as error:
                place, path = here()
                fail(ProgramError, f"node {node.name} ({node.op_type}) of {self.net.name}: not supported: {error}", place, path)
            except RangeError as error:
                if attempt == 2 or not self._narrow_operands(node):
                    place, path = here()
                    text = f"node {node.name} ({node.op_type}) of {self.net.name} may need more bits than there are: {self._way(node)}"
                    raise RangeError(f"{place[0]}:{place[1]}: {text}\n  {error}", *place) from None
            except TacitError as error:
                text = f"node {node.name} ({node.op_type}) of {self.net.name}: {error}"
                raise (type(error)(text, error.file, error.line) if isinstance(error, ProgramError) else type(error)(text)) from None
        results = list(found) if isinstance(found, (list, tuple)) else [found]
        if node.op_type not in _OF_MASKED and any(it in self.far for it in node.inputs):
            self.far.update(node.outputs)
        for name, value in zip(node.outputs, results, strict=False):
            if not name:
                continue
            self.values[name] = value
            self.parents.setdefault(name, node.inputs)
            if isinstance(value, Array):
                if node.op_type in _MOVES and value._node.bits <= self.net.bits:
                    continue
                self.layers[name] = Layer(node.name, node.op_type, name, value)
                if value._node.bits > self.net.bits and value._node.kind == "fixed":
                    self.narrow(name)

    def _folded(self, node: NodeOf, operands: list[Value]) -> list[Value]:
        try:
            return fold(self.graph, node, operands)
        except Exception as error:
            # The error's own text may show a weight.
            place, path = here()
            what = f"node {node.name} ({node.op_type}) of {self.net.name}: ONNX's reference does not compute this constant"
            fail(ProgramError, f"{what} ({type(error).__name__})", place, path)

    def _folds(self, node: NodeOf, operands: list[Value]) -> bool:
        if any(isinstance(it, (Array, dict)) for it in operands) or node.op_type.startswith("TreeEnsemble"):
            return False
        given = [it for it in operands if it is not None]
        if node.op_type in _OF_LENGTHS and any(np.asarray(it).dtype.kind == "i" and (np.abs(it) >= ROWS // 2).any() for it in given):
            return False
        return True

    def _operands(self, node: NodeOf, public: tuple[int, ...]) -> list[Value]:
        found = []
        for place, name in enumerate(node.inputs):
            value = self.values.get(name) if name else None
            if place in public:
                if isinstance(value, Array):
                    raise NotSupported(f"operand {place} ({name!r}) must be public: give it as a NumPy array")
                if name in self.private and np.asarray(value).size > 1:
                    raise NotSupported(f"operand {place} ({name!r}) must be public, and it is a weight of {self.net.owner!r}")
            elif name in self.private and not isinstance(value, Array):
                value = self.weight(value, name)
            found.append(value)
        return found

    def weight(self, value: Any, name: str, type: Type | None = None) -> Value:
        """A weight as an input of its owner, or the constant itself if the model is public."""
        if self.net.owner is None:
            return value
        if np.asarray(value).dtype.kind != "f":
            raise NotSupported(f"{name!r}, whole numbers or truth values that are computed from private weights")
        return self.net.weight(name, value, type, known=not self.graph.stripped)

    # Ranges.

    def _way(self, node: NodeOf) -> str:
        names = ", ".join(repr(it) for it in node.inputs if isinstance(self.values.get(it), Array))
        if not self._ranges() and not self.net.ranges:
            return f"give sample=, data that show what range {names} has, or ranges={{tensor: (low, high)}}"
        return f"say a narrower range of {names} by ranges=, a smaller margin=, or narrower ranges of inputs and weights"

    def _narrow_operands(self, node: NodeOf) -> bool:
        done = False
        for name in node.inputs:
            value = self.values.get(name) if name else None
            if isinstance(value, Array) and value._node.kind == "fixed" and name not in self.signed:
                first = name not in self.narrowed and self.narrow(name)
                done = first or self.narrow(name, signed=True) or done
        return done

    def narrow(self, name: str, signed: bool = False) -> bool:
        """Cuts a tensor to the range that was said or seen, times the margin; whether that made it narrower.

        A range that was seen goes as far below zero as above it, as few rows may not show all signs; or, for operators that need a
        narrower one, such as exponentials, `signed`, as far on either side as was seen there.
        """
        known = self.layers.get(name)
        value = known.before if known is not None and known.before is not None else self.values[name]
        bounds = self._bounds(name, value, signed)
        if signed:
            self.signed.add(name)
        if bounds is None:
            return False
        low, high = bounds
        self.narrowed[name] = bounds
        self.net.cut[name] = bounds
        if self.net.overflow == "clip":
            self.arena.bounded("clip", here()[0], *bounds)
            ends = [constant(self.arena, np.float64(it), value._node.fraction) for it in (low, high)]
            after = xp.minimum(xp.maximum(value, ends[0]), ends[1])
        else:
            after = within(self.net.overflow, value, low, high)
        self.values[name] = after
        layer = self.layers.setdefault(name, Layer(name, "input", name, value))
        layer.value, layer.before, layer.bounds = after, value, bounds
        return True

    def _bounds(self, name: str, value: Array, signed: bool) -> tuple[float, float] | None:
        least, most = value.range
        said = self.net.ranges.get(name)
        if said is not None:
            low, high = float(said[0]), float(said[1])
        else:
            seen = self._ranges().get(name)
            if seen is None:
                return None
            low, high = (-_outward(-seen[0] * self.net.margin), _outward(seen[1] * self.net.margin))
            low, high = (low, high) if signed else (min(low, -high), max(high, -low))
        low, high = max(low, least), min(high, most)
        if signed and self.narrowed.get(name) == (low, high):
            return None
        narrower = high - low < 0.75 * (most - least) or high < most / 2 or low > least / 2
        return (low, high) if narrower and low < high else None

    def _ranges(self) -> dict[str, tuple[float, float]]:
        if self._seen is None:
            self._seen = {}
            sample = None if self.graph.stripped else self.net._sampled(self.feeds)
            if sample is not None:
                self.sampled = max((len(it) for it in sample.values() if np.ndim(it)), default=1)
                found = reference(self.graph, sample)
                for name, it in found.items():
                    if isinstance(it, np.ndarray) and it.dtype.kind in "fiu" and it.size:
                        self._seen[name] = (float(it.min()), float(it.max()))
        return self._seen

    def needed(self, names: list[str]) -> set[str]:
        """Values that some outputs depend on, these included."""
        found: set[str] = set()
        left = list(names)
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += self.parents.get(name, [])
        return found

    # Shapes.

    def lengths(self, shape: tuple[int | Extent, ...]) -> np.ndarray[Any, Any]:
        """A shape as whole numbers that the graph computes with."""
        found = []
        for it in shape:
            if isinstance(it, Extent):
                self._rows(it)
                found.append(sum(it.terms.values()) * ROWS + it.constant)
            else:
                found.append(it)
        return np.array(found, dtype=np.int64)

    def extent(self, length: int) -> int | Extent:
        """A length of an axis that the graph computed."""
        if abs(length) < ROWS // 2:
            return length
        factor = round(length / ROWS)
        rest = length - factor * ROWS
        rows = self._rows(None)
        if factor < 1 or rest < 0:
            raise NotSupported("a length that is no multiple of the number of rows")
        return rows * factor + rest if rest else (rows * factor if factor > 1 else rows)

    def _rows(self, extent: Extent | None) -> Rows:
        found = {
            dim
            for it in self.feeds.values()
            if isinstance(it, Array)
            for axis in it.shape
            if isinstance(axis, Extent)
            for dim in axis.terms
        }
        found |= set(extent.terms) if extent is not None else set()
        if len(found) != 1:
            raise NotSupported("shapes that are computed from several row counts")
        return found.pop()
