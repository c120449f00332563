"""Models that were loaded, and what they compute."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import control
from .._place import here
from .._show import as_html, as_text, paragraph
from ..array import Array, Extent, Party, _input, current
from ..errors import FewSamples, InputError, ProgramError, ShapeError, fail, placed
from ..types import Fixed, Type
from .graph import Graph, Port
from .walk import Walk

__all__ = ["Net", "Outputs"]

# Ranges that fewer sample rows show are warned of.
_FEW_ROWS = 100


class Outputs(dict[str, Any]):
    """Outputs of a model by name, as items and attributes; iteration is over names, as of any mapping.

    What is secret stays so: reveal what the job is for, and nothing else.
    """

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"the model has no output {name!r}: {', '.join(self)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]


class Net:
    """A trained model. Calling it on arrays of the parties adds its computation to the program and gives its outputs.

    The graph is public: how many nodes there are, of which operators, in which shapes; of trees also what `print(net)` says. The
    weights are what `owner` gives, and nobody else learns, or public constants. Nothing is computed before a job runs.

    Attributes:
        name: What its inputs are called after.
        owner: The party whose weights they are; None if they are public.
        ranges: Ranges of tensors, by name, as they were given.
        cut: What tensors were cut to, by name, when the model was called: public with the job, and what `ranges=` takes.
    """

    def __init__(self, graph: Graph, name: str, owner: Party | None, options: Mapping[str, Any]) -> None:
        self.graph, self.name, self.owner = graph, name, owner
        self.weights: Any = options["weights"]
        self.overflow: str = options["overflow"]
        self.margin: float = options["margin"]
        self.bits: int = options["bits"]
        self.frac: int = options["frac"]
        self.precision: int | None = options["precision"]
        self.sample: Any = options["sample"]
        self.ranges: Mapping[str, tuple[float, float]] = dict(options["ranges"] or {})
        self.cut: dict[str, tuple[float, float]] = {}
        self._given: dict[str, Array] = {}
        self._data: dict[str, np.ndarray[Any, Any]] = {}

    # What it is.

    @property
    def inputs(self) -> list[Port]:
        """Its inputs: name, type and shape."""
        return list(self.graph.inputs)

    @property
    def outputs(self) -> list[str]:
        """Names of its outputs."""
        return list(self.graph.outputs)

    @property
    def data(self) -> dict[str, np.ndarray[Any, Any]]:
        """The weights, by the names of the inputs that they are in a job, for `job.run({"alice": ..., **net.data})`.

        **They are the owner's secret.** There are none before the model is called, and none of a model without weights.
        """
        return dict(self._data)

    def _described(self) -> list[tuple[str, str]]:
        kinds: dict[str, int] = {}
        for node in self.graph.nodes:
            kinds[node.op_type] = kinds.get(node.op_type, 0) + 1
        ops = ", ".join(f"{name} x {count}" if count > 1 else name for name, count in kinds.items())
        owner = self.owner
        seen = "public: everybody knows the weights" if owner is None else f"private to {owner.name}; the structure is public"
        if owner is not None and any(it.op_type.startswith("TreeEnsemble") for it in self.graph.nodes):
            seen += ": how many trees there are, and the depth of the deepest"
        shown = [f"{it.name}{list(it.shape) if it.shape is not None else ''} {it.dtype}" for it in self.graph.inputs]
        return [
            ("model", f"{self.name}: {len(self.graph.nodes)} nodes, opset {self.graph.opset}"),
            ("operators", ops),
            ("inputs", ", ".join(shown)),
            ("outputs", ", ".join(self.graph.outputs)),
            ("weights", seen),
            *([("cut to", ", ".join(f"{name} {low:g}..{high:g}" for name, (low, high) in self.cut.items()))] if self.cut else []),
        ]

    def __repr__(self) -> str:
        return as_text(*_head_and_rest(self._described()))

    def _repr_html_(self) -> str:
        return paragraph("a trained model") + as_html(*_head_and_rest(self._described()))

    # Using it.

    @placed
    def __call__(self, *arrays: Any, **named: Any) -> Outputs:
        """The outputs by name, of inputs in their order or by name.

        Arrays of the parties have the shapes that the model says, the first axis maybe `tc.rows(...)`. NumPy arrays are constants
        that everybody knows: operators need some of their operands so.

        Raises:
            ShapeError: An array has another shape than the model's input.
            RangeError: A value may need more bits than there are, and no sample says what range it has.
            ProgramError: An operator is used in a way that is not supported; the message names the node.

        Warns (`FewSamples`) where layers are cut to ranges that fewer than 100 sample rows show.
        """
        feeds = self._feeds(arrays, named)
        arena = next((it._arena for it in feeds.values() if isinstance(it, Array)), None)
        arena = arena or (self.owner.arena if self.owner is not None else current())
        place, path = here()
        if self.owner is not None and self.owner.arena is not arena:
            fail(ProgramError, f"{self.name} is of a party of another tc.parties(...) than its inputs", place, path)
        walk = Walk(self, self.graph, arena, feeds)
        found = Outputs(walk.run())
        if walk.narrowed:
            self._tell_of_cuts(walk, place, path)
        for name, value in found.items():
            if isinstance(value, Array):
                arena.models[id(value._node)] = (walk, name, value)
        return found

    def _tell_of_cuts(self, walk: Walk, place: tuple[str, int], path: str) -> None:
        """Keeps for reports what is cut off, and warns where few rows say at which bounds."""
        if self.overflow == "clip":
            walk.arena.cut.append((place, walk))
        by_sample = [name for name in walk.narrowed if name not in self.ranges]
        if by_sample and walk.sampled < _FEW_ROWS:
            named = ", ".join(map(repr, by_sample[:4])) + (", ..." if len(by_sample) > 4 else "")
            beyond = {
                "clip": "is cut off, and no run says so",
                "check": "ends the run",
                "promise": "makes results wrong, and nothing verifies it",
            }[self.overflow]
            what = f"ranges of {named} in {self.name} are what {walk.sampled} sample rows show, times {self.margin:g}"
            way = "give more sample= rows or ranges=, and try job.accuracy or job.check on others"
            warnings.warn_explicit(f"{what}. What is beyond {beyond}: {way}", FewSamples, path, place[1])

    def _feeds(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        ports = {it.name: it for it in self.graph.inputs}
        place, path = here()
        if len(arrays) > len(ports):
            fail(ProgramError, f"{self.name} has {len(ports)} inputs: {', '.join(ports)}", place, path)
        feeds = dict(zip(ports, arrays, strict=False))
        for name, value in named.items():
            if name not in ports or name in feeds:
                fail(ProgramError, f"{self.name} has no input {name!r} that is still to be given: {', '.join(ports)}", place, path)
            feeds[name] = value
        missing = [name for name in ports if name not in feeds]
        if missing:
            fail(ProgramError, f"inputs of {self.name} that are not given: {', '.join(missing)}", place, path)
        for name, value in feeds.items():
            if not isinstance(value, Array):
                feeds[name] = np.asarray(value)
            _fits(self.name, ports[name], value, place, path)
        return feeds

    def _sampled(self, feeds: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if self.sample is not None:
            ports = [it.name for it in self.graph.inputs]
            return dict(self.sample) if isinstance(self.sample, Mapping) else {ports[0]: self.sample}
        try:
            return {name: control.peek(value) if isinstance(value, Array) else value for name, value in feeds.items()}
        except ProgramError:
            return None

    # Weights.

    def weight(self, name: str, value: Any, type: Type | None, *, known: bool) -> Array:
        """An input of the owner for a weight. Its range is the declared one, which is public."""
        if name in self._given:
            return self._given[name]
        assert self.owner is not None
        type_of = type or self._type(name)
        value = np.asarray(value, dtype=np.float64)
        # Names of a program are words, and no two of them are alike.
        word = re.sub(r"\W", "_", name)
        taken = {it.rpartition(".")[2] for it in self._data}
        word = word if word not in taken else f"{word}_{len(taken)}"
        full = f"{self.owner.name}.{self.name}_{word}"
        if known:
            unit = 2.0 ** -type_of.kind()[2]
            low, high = (bound * unit for bound in type_of.interval())
            if value.size and (value.min() < low or value.max() > high):
                what = f"weights {name!r} of {self.name} leave their declared range, {type_of}: declare a wider one by weights="
                raise InputError(f"{what}, for this tensor alone by weights={{{name!r}: tc.Fixed(...)}}")
            self._data[full] = value
        made = _input(self.owner.arena, self.owner, full, type_of, value.shape, value if known else None)
        self._given[name] = made
        return made

    def _type(self, name: str) -> Type:
        declared = self.weights
        if isinstance(declared, Mapping):
            declared = declared.get(name, declared.get("*"))
        if not isinstance(declared, Fixed):
            what = f"private weights {name!r} of {self.name} need a range, which is public"
            raise InputError(f"{what}: weights=tc.Fixed(-4, 4), or a mapping from tensor to type, '*' for all others")
        return declared

    def __iter__(self) -> Iterator[str]:
        raise TypeError("a model is called on its inputs: net(x)")


def _head_and_rest(rows: list[tuple[str, str]]) -> tuple[list[str], list[list[str]]]:
    return list(rows[0]), [list(it) for it in rows[1:]]


def _fits(model: str, port: Port, value: Any, place: tuple[str, int], path: str) -> None:
    if port.shape is None:
        return
    shape = value.shape
    fits = len(shape) == len(port.shape)
    for axis, (have, want) in enumerate(zip(shape, port.shape, strict=False)):
        # A model that was written for one row is used for many.
        if isinstance(want, int) and want > 0 and have != want and not (axis == 0 and want == 1 and isinstance(have, (int, Extent))):
            fits = False
    if not fits:
        wanted = ", ".join(str(it) if it else "?" for it in port.shape)
        shown = ", ".join(map(repr, shape))
        fail(ShapeError, f"input {port.name!r} of {model} has shape [{wanted}], and this array [{shown}]", place, path)
