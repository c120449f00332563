"""What looks unwise in what a job reveals. Nothing is refused for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from . import _tacit
from .data import Input

# Operations of a program: name, operands by number, operations within with file and line.
_Nodes: TypeAlias = list[tuple[str, list[int], list[tuple[str, str, int]]]]

_GROUPS = {"group_sum", "group_count"}
# What puts groups together, or hides some of them.
_PUT_TOGETHER = {"select", "sum", "product", "min", "max", "cumsum", "matmul"}
# What keeps elements as they are.
_SAME = {"cast", "reshape", "broadcast"}
_BITS = {"less", "equal", "and", "or", "xor", "not"}


@dataclass(frozen=True)
class Lint:
    """A remark: its code (D1 to D7, and Q of queries), the result that it is about, and what to think of."""

    code: str
    result: str
    message: str


def lint(
    program: _tacit.Program,
    inputs: list[Input],
    promised: set[tuple[str, int]] | None,
    suggested: set[str],
    masked: frozenset[str] = frozenset(),
) -> list[Lint]:
    """All remarks on a program, but for results that are masked, which say nothing. Of a program that was read, all promises count:
    whether somebody has a proof of one is not known."""
    nodes = program.nodes
    dims = set(program.reveal_rows)
    found: list[Lint] = []
    starts = [(name, start) for name, start in program.reveal_nodes if name not in masked]
    reached = {name: _reached(nodes, start) for name, start in starts}
    to = {name: receivers for name, receivers, _ in program.results}
    names = program.parties
    owners = _owners(nodes, inputs, names)
    for name, start in starts:
        below = reached[name]
        from_ = {owner for i in below if (owner := owners.get(i)) is not None}
        if name in dims:
            found.append(Lint("D1", name, f"{name!r} has a value for every row: what it says is about single rows"))
        receivers = {names[it] for it in to[name]}
        alone = receivers & from_
        if len(from_) == 2 and len(alone) == 1 and name not in dims:
            (who,) = alone
            found.append(
                Lint("D2", name, f"{name!r} is about data of {' and '.join(sorted(from_))}, and {who} can take its own part out of it")
            )
        if _bare_groups(nodes, start):
            found.append(
                Lint("D3", name, f"{name!r} is by group: groups of few rows show single ones. Hide them: tc.where(count >= 10, value, 0)")
            )
        if any(op == "assume" and (promised is None or (file, line) in promised) for i in below for op, file, line in nodes[i][2]):
            found.append(Lint("D6", name, f"{name!r} depends on a promise that nothing verifies in a run"))
    found += _filters(starts, inputs, nodes, to)
    found += _means_and_counts(dict(starts), nodes, reached, to)
    for it in sorted(suggested):
        found.append(Lint("D5", it, f"the bounds of {it!r} were taken from data: do they say too much?"))
    return found


def _reached(nodes: _Nodes, start: int) -> set[int]:
    seen: set[int] = set()
    open_ = [start]
    while open_:
        i = open_.pop()
        if i not in seen:
            seen.add(i)
            open_ += nodes[i][1]
    return seen


def _owners(nodes: _Nodes, inputs: list[Input], names: list[str]) -> dict[int, str | None]:
    of_name = iter(inputs)
    return {i: next(of_name).party for i, node in enumerate(nodes) if node[0] == "input"}


def _bare_groups(nodes: _Nodes, start: int) -> bool:
    """Whether sums or counts by group are revealed one by one, without a selection on the way."""
    seen: set[int] = set()
    open_ = [start]
    while open_:
        i = open_.pop()
        if i in seen or nodes[i][0] in _PUT_TOGETHER:
            continue
        seen.add(i)
        if nodes[i][0] in _GROUPS:
            return True
        open_ += nodes[i][1]
    return False


def _filters(starts: list[tuple[str, int]], inputs: list[Input], nodes: _Nodes, to: dict[str, list[int]]) -> list[Lint]:
    """Sums and counts of the same that the same parties learn, one of fewer rows than the other."""
    found = []
    of_input = iter(inputs)
    bits = {i for i, node in enumerate(nodes) if node[0] in _BITS or (node[0] == "input" and next(of_input).kind == "bit")}
    kept = {name: _kept(nodes, bits, start) for name, start in starts}
    for name, fewer in kept.items():
        for other, more in kept.items():
            if fewer and more and fewer[0] == more[0] and more[1] < fewer[1] and set(to[name]) & set(to[other]):
                told = f"{other!r} less {name!r} is about the rows that only {other!r} has, which may be few"
                found.append(Lint("D4", name, told))
    return found


def _kept(nodes: _Nodes, bits: set[int], start: int) -> tuple[tuple[object, ...], frozenset[int]] | None:
    """Of a sum or a count, what it is of, and the bits that all rows in it have; nothing of other values."""
    op, operands, _ = nodes[start]
    if op == "group_count":
        return (op, operands[0]), _conditions(nodes, operands[1:])
    if op == "group_sum":
        key, value, *valid = operands
    elif op == "sum":
        key, (value, *valid) = -1, operands
    else:
        return None
    filters = _conditions(nodes, valid)
    while value not in bits:
        op, operands, _ = nodes[value]
        if op in _SAME:
            (value,) = operands
        elif op == "select" and _constant(nodes, operands[2]):
            filters, value = filters | _conditions(nodes, operands[:1]), operands[1]
        else:
            return (op, key, value), filters
    # A count: each bit is a condition.
    return ("count", key), filters | _conditions(nodes, [value])


def _constant(nodes: _Nodes, i: int) -> bool:
    while nodes[i][0] in _SAME:
        (i,) = nodes[i][1]
    return nodes[i][0] == "constant"


def _conditions(nodes: _Nodes, bits: list[int]) -> frozenset[int]:
    """The bits that have to be one for all of these to be."""
    found: set[int] = set()
    for bit in bits:
        while nodes[bit][0] in _SAME:
            (bit,) = nodes[bit][1]
        found |= _conditions(nodes, nodes[bit][1]) if nodes[bit][0] == "and" else {bit}
    return frozenset(found)


def _means_and_counts(starts: dict[str, int], nodes: _Nodes, reached: dict[str, set[int]], to: dict[str, list[int]]) -> list[Lint]:
    """Quotients whose divisor is revealed to the same parties."""
    found = []
    for name, below in reached.items():
        divisors: set[int] = set()
        for i in below:
            if nodes[i][0] == "div":
                divisors |= _reached(nodes, nodes[i][1][1])
        for other, start in starts.items():
            if other != name and start in divisors and set(to[other]) & set(to[name]) and nodes[start][0] in (*_GROUPS, "sum"):
                found.append(
                    Lint("D7", name, f"{name!r} is a quotient by {other!r}, which the same parties learn: revealing the sum is faster")
                )
    return found
