"""Secrets that are kept for later jobs of the same parties, and revealed to nobody.

A kept array is shared additively, modulo two to the bits of its type: `masked = values + masks`, with a mask of each party that is
uniform and drawn by that party alone. All parties have `masked`. Among semi-honest parties each has its own mask and no other. Where one
party may be malicious, the next party has a copy of each mask too, and a later run compares the two: of any two neighbours one is honest,
so a mask that was changed ends that run, whatever the values are; and a party that sees its own mask and one copy misses the others.

Shares of two runs must not be mixed: then whether copies fit would depend on the values. So every run has random words that all parties
have a part in, which are compared before anything of a later run is shared.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _tacit, data
from ._place import here
from .array import Arena, Array, current
from .errors import ConfigurationError, InputError, ProgramError, RangeError, ShapeError, fail, failure, mistake
from .run import Several
from .shares import RUN, RUN_SIZE, Element, Record, Store, Words, now, wrong_name
from .types import NO_DECIMALS, NO_NULLS, NO_TEXTS, Category, Nullable, Text, Type
from .types import Decimal as DecimalType

if TYPE_CHECKING:
    from .run import Threat

__all__ = ["Keep", "Keeping", "Loaded", "Shown", "kept"]

_PLAIN = "plain"
# What the disclosure says of shares.
_SHARES = (
    "each party stores a share: against semi-honest parties, those of all but one tell nothing about it; against one malicious party, "
    "that of any one"
)
_TRUSTED = "PROMISED, UNVERIFIED: a promise was made, so that nobody verifies that its values lie in its range"
_COPIES = "against one malicious party, copies of shares are compared: if one was changed the run ends, which everybody learns"


@dataclass(frozen=True)
class Names:
    """What a program calls what belongs to a kept array. A program may keep an array under the name of one that it takes."""

    verb: str
    name: str

    @property
    def masked(self) -> str:
        """The values plus all masks: a result that all parties learn, and a public input where they are taken, which parties compare."""
        return f"{self.verb} {self.name}: masked"

    def mask(self, party: str) -> str:
        """A party's own mask: an input of it, and where it is kept also a result that the next party learns."""
        return f"{self.verb} {self.name}: mask of {party}"

    def copy(self, party: str) -> str:
        """What the next party has of a party's mask: an input of the next party."""
        return f"{self.verb} {self.name}: copy of the mask of {party}"

    @property
    def run(self) -> str:
        """What tells the run that kept the array from all others: learned by all, and a public input where the array is taken."""
        return f"{self.verb} {self.name}: run"

    def part(self, party: str) -> str:
        """What a party adds to that."""
        return f"{self.verb} {self.name}: part of the run of {party}"

    @property
    def same(self) -> str:
        """Zero, which opens if copies are equal."""
        return f"{self.verb} {self.name}: copies are equal"


@dataclass(frozen=True, eq=False)
class Keep:
    """A value that a job keeps, which nobody learns."""

    value: Array
    name: str
    element: Element
    overwrite: bool
    place: tuple[str, int]
    path: str

    @classmethod
    def of(cls, value: Array, name: str, type: Type | None, overwrite: bool) -> Keep:
        """What `value.keep(name)` gives."""
        place, path = here()
        wrong = wrong_name(name)
        if wrong is not None:
            fail(ProgramError, wrong, place, path)
        if any(not isinstance(length, int) for length in value._node.shape):
            fail(
                ShapeError,
                f"{name!r} has rows whose number is known when the program runs: a kept array has a shape of numbers",
                place,
                path,
            )
        node = value._node
        names = None if value._category is None else tuple(value._category.names)
        element = Element(node.kind, node.bits, node.fraction, *node.interval, names) if type is None else _element(type, name, place, path)
        if (element.kind, element.fraction) != (node.kind, node.fraction) or element.names not in (None, names):
            fail(ProgramError, f"{name!r} is {value.dtype}, which is not kept as {element}: value.astype(type) comes first", place, path)
        low, high = node.interval
        if low < element.low or high > element.high:
            own = Element(node.kind, node.bits, node.fraction, low, high)
            way = "tc.clip cuts it off, tc.check verifies that it lies in a range"
            fail(
                RangeError, f"{name!r} may be anything in {own.bound(low)}..{own.bound(high)}, and is kept as {element}: {way}", place, path
            )
        return cls(value, name, element, overwrite, place, path)

    @property
    def names(self) -> Names:
        """What the program calls what belongs to it."""
        return Names("keep", self.name)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of its axes."""
        return tuple(length for length in self.value._node.shape if isinstance(length, int))


@dataclass(frozen=True, eq=False)
class Loaded:
    """A kept array that a program takes."""

    name: str
    element: Element
    shape: tuple[int, ...]
    place: tuple[str, int]
    path: str
    sample: Any
    run: Array
    masks: tuple[Array, ...]
    value: Array
    promised: bool

    @property
    def names(self) -> Names:
        """What the program calls what belongs to it."""
        return Names("kept", self.name)

    @property
    def described(self) -> data.Input:
        """The values in the clear, as an input that a user gives."""
        it = self.element
        shape = tuple(map(str, self.shape))
        return data.Input(self.name, None, it.kind, it.bits, it.fraction, shape, (it.low, it.high), "number", it.names)


def _element(type: Any, name: str, place: tuple[str, int], path: str) -> Element:
    if not isinstance(type, Type):
        fail(ProgramError, f"the type of {name} is one such as tc.Int(0, 100), not {type!r}", place, path)
    if isinstance(type, (Nullable, DecimalType, Text)):
        what = NO_NULLS if isinstance(type, Nullable) else NO_TEXTS if isinstance(type, Text) else NO_DECIMALS
        fail(ProgramError, what, place, path)
    return Element.of(type)


def kept(name: str, type: Type, shape: Any = (), *, sample: Any = None, promised: bool = False) -> Array:
    """An array that an earlier job of the same parties kept by `value.keep(name)`. It is secret, and nobody has learned it.

    The job runs with the parties that kept it, in their order, `on=` the same `tc.local()`, or `tc.connect` of the same files. What it
    reveals is about the kept values: the parties agree to it, as they do to any job.

    Args:
        name: What it was kept as.
        type: The type that it was kept with, exactly: a run with another one is refused, with the type that is right.
        shape: Lengths of its axes: numbers, those that it was kept with.
        sample: Values to try the program on in the clear, with `tc.peek` and `job.check`.
        promised: Takes also what was kept by a job that made a promise (`tc.promise`, or a loop's): nobody verified its range, and this
            job trusts it too. Without it such an array is refused.
    """
    place, path = here()
    arena = current()
    wrong = wrong_name(name)
    if wrong is not None:
        fail(ProgramError, wrong.replace("keep(", "tc.kept("), place, path)
    element = _element(type, name, place, path)
    axes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if not all(isinstance(axis, (int, np.integer)) and not isinstance(axis, bool) and axis >= 0 for axis in axes):
        fail(ShapeError, f"the shape of {name}: lengths of the axes of a kept array are numbers", place, path)
    lengths = tuple(int(axis) for axis in axes)
    known = arena.kept.get(name)
    if known is None:
        known = _taken(arena, Names("kept", name), element, lengths, place, path, type if isinstance(type, Category) else None)
    elif (known.element, known.shape) != (element, lengths):
        what = f"this program takes {name!r} as {known.element} of shape {known.shape} already, at {known.place[0]}:{known.place[1]}"
        fail(ProgramError, f"{what}: it has one type and shape. In a notebook, run the cell with tc.parties(...) again", place, path)
    known = replace(known, promised=known.promised or promised)
    arena.kept[name] = known if sample is None else replace(known, sample=sample)
    return known.value


def _taken(
    arena: Arena, names: Names, element: Element, shape: tuple[int, ...], place: tuple[str, int], path: str, category: Category | None
) -> Loaded:
    """Masked values less all masks."""
    try:
        run = _input(arena, RUN, [RUN_SIZE], place, names.run, None)
        value = _input(arena, element, shape, place, names.masked, None)
        masks = tuple(_input(arena, element, shape, place, names.mask(party.name), party.index) for party in arena.parties)
        for mask in masks:
            value = _less(arena, element, place, value, mask)
        if element.kind != "bit" and (element.low, element.high) != element.whole:
            # This follows from what was kept: its range is part of what a run compares with the record.
            value = _call(arena, place, "assume", value, **{"in": (element.bound(element.low), element.bound(element.high))})
    except _tacit.Mistake as error:
        raise mistake(error, path, place) from None
    return Loaded(names.name, element, shape, place, path, None, run, masks, Array(arena, value._node, category), False)


def _input(arena: Arena, element: Element, shape: Sequence[int], place: tuple[str, int], name: str, party: int | None) -> Array:
    """An input of anything that the bits hold."""
    kind = (element.kind, element.bits, element.fraction)
    return Array(arena, arena.front.input(place, name, party, kind, list(shape), element.whole, None))


def _call(arena: Arena, place: tuple[str, int], name: str, *values: Array, **options: Any) -> Array:
    """A function of the language, at a place that the user wrote."""
    return Array(arena, arena.front.call(place, name, [value._node for value in values], **options))


def _less(arena: Arena, element: Element, place: tuple[str, int], a: Array, b: Array) -> Array:
    """`a - b` modulo two to the bits."""
    return _call(arena, place, "xor", a, b) if element.kind == "bit" else _call(arena, place, "sub", a, b, wrap=True)


def _plus(arena: Arena, element: Element, place: tuple[str, int], a: Array, b: Array) -> Array:
    """`a + b` modulo two to the bits."""
    return _call(arena, place, "xor", a, b) if element.kind == "bit" else _call(arena, place, "add", a, b, wrap=True)


class Keeping:
    """What a job keeps and what it takes that was kept: the programs that do it, and the inputs that its users do not give."""

    def __init__(self, name: str, arena: Arena, revealed: Sequence[Any], keeps: Sequence[Keep]) -> None:
        self._name, self._arena, self._revealed, self.keeps = name, arena, revealed, list(keeps)
        twice = [a for a, b in itertools.combinations([it.name for it in keeps], 2) if a == b]
        if twice:
            fail(ProgramError, f"two values are kept as {twice[0]!r}: each has a name of its own", keeps[-1].place, keeps[-1].path)
        self.parties = [party.name for party in arena.parties]
        parts: list[Keep | Loaded] = [*self.keeps, *arena.kept.values()]
        for it in parts:
            reserved = {it.names.masked, it.names.run, it.names.same, *map(it.names.mask, self.parties)}
            for result in revealed:
                if result[0] in reserved:
                    fail(
                        ProgramError,
                        f"{result[0]!r} is what Tacit calls a part of {it.name!r}: this result needs another name",
                        it.place,
                        it.path,
                    )
        self.loads: list[Loaded] = []
        self._kept = [self._masked(it) for it in self.keeps]
        taken = {it[0] for it in self._built(False).inputs}
        self.loads = [it for it in arena.kept.values() if it.names.masked in taken]
        # Among semi-honest parties, and in the clear.
        self.program = self._built(False)
        self._promised = [self._trusts(it) for it in self.keeps]

    def __bool__(self) -> bool:
        return bool(self.keeps or self.loads)

    def _masked(self, it: Keep) -> tuple[Array, list[Array], Array]:
        """A value plus all masks, the masks, and what tells this run from others."""
        try:
            value = self._within(it)
            names, parties = it.names, self._arena.parties
            masks = [_input(self._arena, it.element, it.shape, it.place, names.mask(party.name), party.index) for party in parties]
            for mask in masks:
                value = _plus(self._arena, it.element, it.place, value, mask)
            run, *parts = [_input(self._arena, RUN, [RUN_SIZE], it.place, names.part(party.name), party.index) for party in parties]
            for part in parts:
                run = _plus(self._arena, RUN, it.place, run, part)
        except _tacit.Mistake as error:
            raise mistake(error, it.path, it.place) from None
        return value, masks, run

    def _trusts(self, it: Keep) -> bool:
        """Whether the range of a value may rest on a promise: of this job, or of one that kept what it takes."""
        program = self._arena.front.program("range", [("value", it.value._node, [0], None, it.place)])
        promised = self._arena.promised
        if any(op == "assume" and (file, line) in promised for _, _, places in program.nodes for op, file, line in places):
            return True
        taken = {name for name, *_ in program.inputs}
        return any(load.promised and load.names.masked in taken for load in self._arena.kept.values())

    def _within(self, it: Keep) -> Array:
        """A value in the range that it is kept with. Rounding under a protocol may take it beyond its own range, which is checked where
        the range that it is kept with has no room for that."""
        node, element, value = it.value._node, it.element, it.value
        if element.kind == "bit":
            return value
        program = self._arena.front.program("range", [("value", node, [0], None, it.place)])
        ((_, rounding),) = program.reveal_bounds
        low, high = node.interval
        ((_, last),) = program.reveal_nodes
        if program.nodes[last][0] == "check":
            # What was checked is in its range, however it was rounded before.
            rounding = 0
        if rounding is None or low - rounding < element.low or high + rounding > element.high:
            own = Element(node.kind, node.bits, node.fraction, low, high).whole
            bounds = (element.bound(max(element.low, own[0])), element.bound(min(element.high, own[1])))
            value = _call(self._arena, it.place, "check", value, **{"in": bounds})
        if node.bits != element.bits:
            value = _call(self._arena, it.place, "cast", value, to=(element.kind, element.bits, element.fraction))
        return value

    def _built(self, malicious: bool) -> _tacit.Program:
        """The program: in it, of malicious parties, the next party learns each mask, and copies are compared with them."""
        everybody = list(range(len(self.parties)))
        results = list(self._revealed)
        for keep, (masked, masks, run) in zip(self.keeps, self._kept, strict=True):
            results.append((keep.names.masked, masked._node, everybody, None, keep.place))
            results.append((keep.names.run, run._node, everybody, None, keep.place))
            for i, mask in enumerate(masks if malicious else ()):
                results.append((keep.names.mask(self.parties[i]), mask._node, [self._next(i)], None, keep.place))
        for load in self.loads:
            results.append((load.names.run, load.run._node, everybody, None, load.place))
            if malicious and _size(load.shape):
                results.append((load.names.same, self._compared(load)._node, everybody, None, load.place))
        return self._arena.front.program(self._name, results)

    def _next(self, party: int) -> int:
        return (party + 1) % len(self.parties)

    def _compared(self, load: Loaded) -> Array:
        """Zero, if every mask is its copy: else a check of all elements ends the run, before any result opens."""
        arena, place, element, size = self._arena, load.place, load.element, _size(load.shape)
        differences = []
        for i, mask in enumerate(load.masks):
            copy = _input(arena, element, load.shape, place, load.names.copy(self.parties[i]), self._next(i))
            difference = _less(arena, element, place, mask, copy)
            if element.kind == "bit":
                difference = _call(arena, place, "cast", difference, to=("uint", 8, 0))
            differences.append(_call(arena, place, "reshape", difference, shape=[size]))
        zeros = _call(arena, place, "check", _call(arena, place, "concat", *differences, axis=0), **{"in": ("0", "0")})
        # What opens is one of them, so that the program depends on the check.
        return _call(arena, place, "slice", zeros, axis=0, start=0, length=1)

    @cached_property
    def _compares(self) -> _tacit.Program:
        return self._built(True)

    # What is of a run, and of no user.

    @cached_property
    def inputs(self) -> frozenset[str]:
        """Names of inputs that nobody is asked for."""
        found = {name(party) for it in self.keeps for name in (it.names.mask, it.names.part) for party in self.parties}
        for load in self.loads:
            found |= {load.names.masked, load.names.run, *map(load.names.mask, self.parties), *map(load.names.copy, self.parties)}
        return frozenset(found)

    @cached_property
    def results(self) -> frozenset[str]:
        """Names of results that say nothing to anybody."""
        found = {name for load in self.loads for name in (load.names.same, load.names.run)}
        for keep in self.keeps:
            found |= {keep.names.masked, keep.names.run, *map(keep.names.mask, self.parties)}
        return frozenset(found)

    # Threats.

    def of(self, threat: Threat) -> _tacit.Program:
        """The program of runs that protect against a threat.

        Raises:
            InputError: Against more than one malicious party, or of two parties: nobody honest could compare copies.
        """
        malicious, many = threat
        if not malicious:
            return self.program
        if many > 1 or len(self.parties) < 3:
            of = f"{many} malicious {'party' if many == 1 else 'parties'} of {len(self.parties)}"
            raise InputError(
                f"not supported: kept secrets in runs that protect against {of}. A party could change what it has of them: each part has "
                "two holders, who notice it if one of them is honest and the run protects it. So one of at least three parties may be "
                "malicious (corruptions=1), or all are semi-honest"
            )
        return self._compares

    def named(self, protocol: str) -> Threat:
        """What a protocol protects against, if all parties compute under it.

        Raises:
            InputError: Other parties compute, or nothing is known of the protocol.
        """
        if protocol == _PLAIN:
            return (False, 0)
        try:
            parties, malicious, corrupted = _tacit.protection(protocol)
        except _tacit.Failure as error:
            raise failure(error) from None
        if parties != len(self.parties):
            what = f"{parties} parties compute under {protocol}, and this program has {len(self.parties)}"
            raise InputError(f"{what}: all parties compute where something is kept, and nobody else")
        return malicious, corrupted

    # Values.

    def clear(self, given: Mapping[str, Any] | None, random: np.random.Generator | None = None) -> dict[str, Any]:
        """The inputs of an evaluation of values in the clear: no mask is more than zero. Protects nobody.

        Args:
            given: Values by the names of kept secrets; samples, of those that are not given.
            random: What draws values that are neither given nor have a sample.
        """
        known = {it.name for it in self.loads}
        for name in given or {}:
            if name not in known:
                raise InputError(f"kept={{{name!r}: ...}}: this job takes {', '.join(map(repr, sorted(known))) or 'no kept secret'}")
        inputs: dict[str, Any] = {}
        for load in self.loads:
            value = (given or {}).get(load.name, load.sample)
            if value is None and random is None:
                raise InputError(
                    f"the values of {load.name!r}, which an earlier job kept, are not known in the clear: give some, "
                    f"kept={{{load.name!r}: array}}, or run the job on= what it was kept in"
                )
            described = load.described
            inputs[load.names.masked] = _some(load, random) if value is None and random is not None else data.values(described, value)[0]
            inputs[load.names.run] = RUN.given(np.zeros(RUN_SIZE, dtype=np.uint64))
            zeros = load.element.given(np.zeros(_size(load.shape), dtype=np.uint64))
            inputs |= {name: zeros for party in self.parties for name in (load.names.mask(party), load.names.copy(party))}
        for keep in self.keeps:
            zeros = keep.element.given(np.zeros(_size(keep.shape), dtype=np.uint64))
            inputs |= {keep.names.mask(party): zeros for party in self.parties}
            inputs |= {keep.names.part(party): RUN.given(np.zeros(RUN_SIZE, dtype=np.uint64)) for party in self.parties}
        return inputs

    def given(self, program: _tacit.Program, inputs: Mapping[str, Any], own: str | None = None) -> dict[str, Any]:
        """Those inputs that a program has, and that a party gives: of all parties, unless one is named."""
        me = None if own is None else self.parties.index(own)
        return {name: inputs[name] for name, party, *_ in program.inputs if name in inputs and (me is None or party in (None, me))}

    # Runs.

    def read(self, store: Store, threat: Threat, names: Sequence[str]) -> list[Record]:
        """What was kept of everything that the program takes, in its order.

        Raises:
            ProgramError: The program takes it as another type, or of another shape.
            ConfigurationError: It is not there, other parties kept it, or its file is not as this party wrote it.
            InputError: The run protects against less than the one that kept it.
        """
        return [self._read(store, threat, names, load) for load in self.loads]

    def _read(self, store: Store, threat: Threat, names: Sequence[str], load: Loaded) -> Record:
        if not store.has(load.name):
            there = ", ".join(map(repr, store.names())) or "nothing"
            what = f"nothing is kept as {load.name!r} in {store.place}, which has {there}"
            raise ConfigurationError(f"{what}: run the job with keep({load.name!r}) first, with the same parties")
        record = store.read(load.name)
        if record.parties != tuple(names):
            own, others = ", ".join(names), ", ".join(record.parties)
            what = f"{load.name!r} was kept by {others}, in this order, and this run is of {own}"
            raise ConfigurationError(f"{what}: those who kept it have its shares, and only they can take it")
        for name, before, today in zip(names, record.fingerprints, store.fingerprints(), strict=True) if record.fingerprints else ():
            if before != today:
                what = f"{load.name!r} was kept with a {name} whose key was {before}, and is {today} now"
                raise ConfigurationError(f"{what}: only those who kept it can take it. With another key, keep it again")
        if (record.element, record.shape) != (load.element, load.shape):
            right = f"tc.kept({load.name!r}, {record.element}, {record.shape})"
            what = f"{load.name!r} was kept as {record.element} of shape {record.shape}, and is taken as {load.element} of {load.shape}"
            fail(ProgramError, f"{what}: write {right}", load.place, load.path)
        if record.promised and not load.promised:
            what = f"{load.name!r} was kept by a job that made a promise: nobody verified that its values lie in its range"
            fail(
                ProgramError,
                f"{what}. tc.kept(..., promised=True) takes it and trusts that too; tc.check before keep verifies it",
                load.place,
                load.path,
            )
        self._covered(load.name, record.threat, threat)
        return record

    def _covered(self, name: str, before: Threat, today: Threat) -> None:
        """Whether shares of a run that protected against something may be used in another one."""
        was, now_ = _said(before, len(self.parties)), _said(today, len(self.parties))
        if today == (False, 0) or (today[0] == before[0] and today[1] >= before[1]):
            return
        if today[0] and not before[0]:
            raise InputError(
                f"{name!r} was kept in a run that protects {was}, and this one is to protect {now_}: nobody has copies of its shares that "
                "could be compared. Keep it again in a run that protects against malicious parties"
            )
        raise InputError(
            f"{name!r} was kept in a run that protects {was}, and this one protects {now_}, which is less: give "
            f"security={'malicious' if before[0] else 'semi-honest'!r} and corruptions={before[1]}, or a protocol that is for that"
        )

    def free(self, store: Store) -> None:
        """Refuses to keep what is kept already, unless it is to be overwritten."""
        for keep in self.keeps:
            if store.has(keep.name) and not keep.overwrite:
                raise InputError(
                    f"{keep.name!r} is kept already in {store.place}: keep({keep.name!r}, overwrite=True) puts this value in its place "
                    f"when the run has succeeded; delete_kept({keep.name!r}) removes it; another name keeps both"
                )

    def drawn(self, own: Iterable[int]) -> list[dict[int, Words]]:
        """Fresh masks of some parties, for each array that is kept."""
        own = list(own)
        return [{party: keep.element.drawn(_size(keep.shape)) for party in own} for keep in self.keeps]

    def taken(self, records: Sequence[Record], drawn: Sequence[dict[int, Words]]) -> dict[str, Any]:
        """The inputs of a run, of all parties whose masks these are. Without records, values are given in the clear."""
        inputs: dict[str, Any] = {}
        for load, record in zip(self.loads if records else (), records, strict=True):
            inputs[load.names.masked], inputs[load.names.run] = load.element.given(record.masked), RUN.given(record.run)
            for party, words in record.masks.items():
                inputs[load.names.mask(self.parties[party])] = inputs[load.names.copy(self.parties[party])] = load.element.given(words)
        for keep, masks in zip(self.keeps, drawn, strict=True):
            inputs |= {keep.names.mask(self.parties[party]): keep.element.given(words) for party, words in masks.items()}
            inputs |= {keep.names.part(self.parties[party]): RUN.given(RUN.drawn(RUN_SIZE)) for party in masks}
        return inputs

    def keep(
        self,
        store: Store,
        outcome: Shown,
        drawn: Sequence[dict[int, Words]],
        program: _tacit.Program,
        threat: Threat,
        protocol: str,
        records: Sequence[Record],
    ) -> None:
        """Stores what a run kept: own masks, copies that it learned, and masked values. What was made of `records` is no better protected
        than they are."""
        threat = (threat[0], min([threat[1], *(record.threat[1] for record in records)]))
        for keep, masks, promised in zip(self.keeps, drawn, self._promised, strict=True):
            learned = {
                party: keep.element.words(outcome.exact(keep.names.mask(name))[0])
                for party, name in enumerate(self.parties)
                if keep.names.mask(name) in outcome.learned and party not in masks
            }
            store.write(
                Record(
                    name=keep.name,
                    element=keep.element,
                    shape=keep.shape,
                    parties=tuple(self.parties),
                    fingerprints=store.fingerprints(),
                    threat=threat,
                    protocol=protocol,
                    digest=program.digest,
                    when=now(),
                    promised=promised,
                    run=RUN.words(outcome.exact(keep.names.run)[0]),
                    masked=keep.element.words(outcome.exact(keep.names.masked)[0]),
                    masks={**masks, **learned},
                )
            )

    def disagreement(self, error: ConfigurationError) -> ConfigurationError:
        """What it means that parties have different masked values."""
        for load in self.loads:
            if any(f"`{name}`" in str(error) for name in (load.names.masked, load.names.run)):
                return ConfigurationError(
                    f"the parties have different values kept as {load.name!r}: one of them kept it in another run, or in one that failed "
                    "at others. Compare `when` and `digest` of list_kept() at each, and keep it again"
                )
        return error

    # What people are told.

    def disclosed(self) -> list[tuple[str, list[list[str]]]]:
        """What the disclosure says of what is kept, and of what was."""
        found: list[tuple[str, list[list[str]]]] = []
        if self.keeps:
            rows = [[f"as {it.name!r}", _typed(it.element, it.shape)] for it in self.keeps]
            rows += [[f"{it.name!r}: {_TRUSTED}"] for it, trusts in zip(self.keeps, self._promised, strict=True) if trusts]
            rows.append([_SHARES])
            found.append(("KEPT FOR LATER JOBS of the same parties, and revealed to nobody", rows))
        if self.loads:
            rows = [[f"kept as {it.name!r}", _typed(it.element, it.shape)] for it in self.loads]
            rows += [[f"{it.name!r}: {_TRUSTED}"] for it in self.loads if it.promised]
            rows.append([_COPIES])
            found.append(("TAKEN FROM AN EARLIER JOB of the same parties", rows))
        return found


def _typed(element: Element, shape: Sequence[Any]) -> str:
    axes = f"[{', '.join(map(str, shape))}]" if shape else ""
    kind = {"bit": "bit", "fixed": f"fixed({element.bits},{element.fraction})"}.get(element.kind, f"{element.kind[0]}{element.bits}")
    return f"{kind}{axes} in {element.bound(element.low)}..{element.bound(element.high)}"


def _said(threat: Threat, parties: int) -> str:
    malicious, many = threat
    if not many:
        return "nobody"
    return f"against {many} {'malicious' if malicious else 'semi-honest'} {'party' if many == 1 else 'parties'} of {parties}"


def _size(shape: Iterable[Any]) -> int:
    size = 1
    for axis in shape:
        size *= int(axis)
    return size


def _some(load: Loaded, random: np.random.Generator) -> Any:
    """Values in the range that a kept array has."""
    it = load.element
    wide: Any = np.int64 if it.high < 2**63 else np.uint64
    raw = random.integers(it.low, it.high, size=_size(load.shape), endpoint=True, dtype=wide)
    return raw.astype(bool) if it.kind == "bit" else _tacit.Raw(np.ascontiguousarray(raw))


class Shown(Several):
    """Outcomes without what is of no user: masked values, masks, and zeros."""

    def __init__(self, outcomes: Sequence[_tacit.Outcome], hidden: Iterable[str]) -> None:
        super().__init__(list(outcomes))
        self.learned = frozenset(self.names)
        hidden = frozenset(hidden)
        self.names = [name for name in self.names if name not in hidden]

    @property
    def table(self) -> str:
        """The results as tables, one after the other."""
        return "\n".join(map(self._alone, self.names))

    def _alone(self, name: str) -> str:
        try:
            return _tacit.Table([(self._of(name), name)]).text.rstrip()
        except ValueError:
            # Numbers with more digits than tables have.
            return f"{name}\n{self.array(name)}"
