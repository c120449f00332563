"""Where a program that was read cuts values off: minima and maxima with numbers of the program, which is what `tc.clip` writes."""

from __future__ import annotations

import re
from collections import Counter

__all__ = ["OPERATION", "cuts"]

# An operation in the canonical text, which has a line for each.
OPERATION = re.compile(r" *(?:let|input) ")
_LET = re.compile(r" *let (\w+): (.*?) = (.*)$")
_CALL = re.compile(r"(\w+)\((\w+)(?:, (.*))?\)$")
# What the body of a loop takes from outside.
_TAKEN = re.compile(r"(\w+): ([^:=]+?) = (\w+)")
_RANGE = re.compile(r" in (\S+?)\.\.(\S+)$")
# What keeps numbers as they are.
_SAME = {"broadcast", "cast", "reshape", "to_fixed"}


def cuts(text: str) -> list[str]:
    """For each operation of the canonical text, in order, the range that it cuts values off at; empty if it does not.

    A minimum of a maximum is one range, at the outer of the two.
    """
    constants: dict[str, str] = {}
    # By name of a value: the operation that cuts it off, its number, the bound, and the value within.
    found: dict[str, tuple[str, int, str, str]] = {}
    ranges: list[str] = []
    for line in text.split("\n"):
        if not OPERATION.match(line):
            continue
        ranges.append("")
        let = _LET.match(line)
        if let is None:
            continue
        name, type, expression = let.groups()
        if expression.startswith("loop ") and expression.endswith("{"):
            taken = _TAKEN.findall(expression.partition(" use (")[2])
            constants.update({within: constants[outside] for within, _, outside in taken if outside in constants})
            continue
        call = _CALL.match(expression)
        if call is None or (call[1] in _SAME and call[2] in constants):
            if call is not None or " public" in type:
                constants[name] = _constant(type)
            continue
        if call[1] not in ("min", "max") or " public" in type:
            continue
        operands = [call[2], call[3] or ""]
        bounds = [it for it in operands if it in constants]
        values = [it for it in operands if it not in constants]
        if len(bounds) == 1 and re.fullmatch(r"\w+", values[0]):
            found[name] = (call[1], len(ranges) - 1, constants[bounds[0]], values[0])
    words = Counter(re.findall(r"\w+", text)) if found else Counter()
    for op, at, bound, value in found.values():
        ranges[at] = f"{bound}.." if op == "max" else f"..{bound}"
        inner = found.get(value)
        if inner is not None and inner[0] != op:
            low, high = (inner[2], bound) if op == "min" else (bound, inner[2])
            ranges[at] = f"{low}..{high}"
            # It is the only one that takes it.
            if words[value] == 2:
                ranges[inner[1]] = ""
    return ranges


def _constant(type: str) -> str:
    """The number that a constant is, if it is one."""
    bounds = _RANGE.search(type)
    return bounds[1] if bounds is not None and bounds[1] == bounds[2] else "an array"
