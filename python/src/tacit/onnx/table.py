"""The table of operators: what computes each of them, and which of its operands must be public."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..array import Arena, Array
from ..types import Type

if TYPE_CHECKING:
    from .walk import Walk

__all__ = ["OPERATORS", "ROWS", "Call", "NotSupported", "Operator", "Value", "known", "op"]

# A value of the graph: of the parties, a public constant, or an operand that is left out.
Value = Any

# What a row count is in shapes that graphs compute with: a multiple of it and a small number is the length of an axis.
ROWS = 2**31
DOMAINS = {"": "", "ai.onnx": "", "ai.onnx.ml": "ml:"}


class NotSupported(Exception):
    """An operator is supported, and this use of it is not; the message says why."""


@dataclass(frozen=True)
class Operator:
    """How an operator is computed, and the operands that must be public."""

    compute: Callable[..., Any]
    public: tuple[int, ...]


OPERATORS: dict[str, Operator] = {}


def op(*names: str, public: Sequence[int] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a function in the table: `function(call, *operands)` gives the result, or a list of them.

    Args:
        names: Operators; those of `ai.onnx.ml` begin with `ml:`.
        public: Places of operands that must be public, such as shapes and axes.
    """

    def enter(compute: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            OPERATORS[name] = Operator(compute, tuple(public))
        return compute

    return enter


def known(domain: str, op_type: str) -> Operator | None:
    """The entry of an operator, if there is one."""
    prefix = DOMAINS.get(domain)
    return None if prefix is None else OPERATORS.get(prefix + op_type)


@dataclass(repr=False)
class Call:
    """One node of a graph while its operator is computed."""

    walk: Walk
    op_type: str
    name: str
    attributes: dict[str, Any]
    inputs: list[Value]
    # Names of the tensors, empty where an operand is left out.
    sources: list[str]
    outputs: list[str]

    @property
    def arena(self) -> Arena:
        """What the values are recorded in."""
        return self.walk.arena

    @property
    def opset(self) -> int:
        """The version of the standard operators that the model was written for."""
        return self.walk.opset

    @property
    def precision(self) -> int | None:
        """How many bits of functions are right, if that was said."""
        return self.walk.net.precision

    @property
    def wrong(self) -> float:
        """What functions may be wrong by for that, beside units in the last place."""
        return 0.0 if self.precision is None else 2.0**-self.precision

    def attr(self, name: str, default: Any = None) -> Any:
        """An attribute, or what it is without being said."""
        value = self.attributes.get(name)
        return default if value is None else value

    def operand(self, index: int) -> Value:
        """An operand; None if it is left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def ints(self, name: str, index: int | None = None) -> list[int] | None:
        """Whole numbers of an operand or, in old versions, of an attribute; None if they are left out."""
        value = self.operand(index) if index is not None else None
        if value is None:
            value = self.attr(name)
        if value is None:
            return None
        return [int(it) for it in np.asarray(value).ravel()]

    def refuse(self, why: str) -> NoReturn:
        """This use of the operator is not supported."""
        raise NotSupported(why)

    def weight(self, name: str, value: Any, type: Type | None = None) -> Value:
        """An attribute that is a weight: an input of the owner, unless the model is public."""
        return self.walk.weight(np.asarray(value, dtype=np.float64), f"{self.name}.{name}", type)

    def secret(self, value: Value) -> bool:
        """Whether a value is of the parties, and no constant."""
        return isinstance(value, Array)
