"""Arrays of values that the parties compute on, and the operations that make programs of them."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import _tacit
from ._place import here, marked
from ._show import as_html
from .errors import ProgramError, RangeError, SecretError, ShapeError, UnrolledLoop, UnusedCheck, fail, mistake, takes
from .types import NO_DECIMALS, NO_NULLS, NO_TEXTS, Category, Date, Kind, Nullable, Text, Type, days
from .types import Decimal as DecimalType

if TYPE_CHECKING:
    from .frames import Frame
    from .job import Reveal
    from .keeping import Keep, Loaded

__all__ = ["Array", "Extent", "Party", "Rows", "parties", "rows"]

_MOST_CONSTANTS = 4096
# Operations from one line of the user's: more are a warning, and an error.
_MANY_OPERATIONS = 10_000
_MOST_OPERATIONS = 1_000_000
# How many operations are built from one that is counted to the next: as counting takes time, not each is. No loop has this period.
_STRIDES = [1 + 7919 * i % 127 for i in range(127)]
# Functions whose results are elements of their operands: members of a category stay such.
_OF_ELEMENTS = (
    *("reshape", "slice", "slice_at", "concat", "transpose", "broadcast", "gather", "flip"),
    *("min", "max", "median", "quantile", "assume", "check"),
)
# What arrays of other libraries have that are computed already.
_OF_VALUES = ("data", "item", "items", "numpy", "to_list", "to_numpy", "tolist", "value", "values")
# Operators of numbers: bits become 0 and 1 there.
_NUMERIC = ("+", "-", "/", "%", "<", "<=", ">", ">=")
_DEFAULT_FRACTION = 16


class Extent:
    """The length of an axis that depends on row counts, such as `2 * n + 1`."""

    __slots__ = ("constant", "terms")

    def __init__(self, constant: int, terms: dict[Rows, int]) -> None:
        self.constant = constant
        self.terms = terms

    def __add__(self, other: object) -> Extent:
        if isinstance(other, Extent):
            terms = dict(self.terms)
            for dim, factor in other.terms.items():
                terms[dim] = terms.get(dim, 0) + factor
            return Extent(self.constant + other.constant, terms)
        if isinstance(other, int) and not isinstance(other, bool) and other >= 0:
            return Extent(self.constant + other, dict(self.terms))
        return NotImplemented

    __radd__ = __add__

    def __mul__(self, factor: object) -> Extent:
        if isinstance(factor, int) and not isinstance(factor, bool) and factor >= 1:
            return Extent(self.constant * factor, {dim: by * factor for dim, by in self.terms.items()})
        return NotImplemented

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Extent) and (self.constant, self.terms) == (other.constant, other.terms)

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms.items())))

    def __repr__(self) -> str:
        terms = [dim.name if factor == 1 else f"{factor}*{dim.name}" for dim, factor in self.terms.items()]
        return " + ".join(terms + ([str(self.constant)] if self.constant else []))

    def __index__(self) -> int:
        _secret(f"the number of rows, {self!r}, is known when the program runs", "tc.loop, or the array as a whole")


class Rows(Extent):
    """A row count that is bound by the data when a program runs. All parties learn it."""

    __slots__ = ("max", "min", "name")

    def __init__(self, name: str, max: int, min: int = 0) -> None:
        if not name:
            raise ValueError(marked("a row count has a name"))
        if not 0 <= min <= max:
            raise ValueError(marked(f"rows are from min to max, not from {min} to {max}"))
        self.name, self.min, self.max = name, min, max
        super().__init__(0, {self: 1})

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rows):
            return (self.name, self.min, self.max) == (other.name, other.min, other.max)
        return isinstance(other, Extent) and other.constant == 0 and other.terms == {self: 1}

    def __hash__(self) -> int:
        return hash((self.name, self.min, self.max))

    def __repr__(self) -> str:
        return self.name


def rows(name: str, *, max: int, min: int = 0) -> Rows:
    """A row count that is bound by the data when a program runs. It is public: all parties learn it.

    Args:
        name: Its name.
        max: The most rows. Ranges of sums follow from it.
        min: The fewest rows: nobody is made to compute with fewer.

    >>> rows("n", max=1000, min=10)
    n
    """
    return Rows(name, max, min)


class Arena:
    """What the values of one set of parties are recorded in."""

    current: Arena | None = None

    def __init__(self) -> None:
        self.front = _tacit.FrontEnd()
        self.parties: list[Party] = []
        self.dims: dict[int, Rows] = {}
        self.lengths: dict[Rows, _tacit.Length] = {}
        self.samples: dict[str, Any] = {}
        self.promised: set[tuple[str, int]] = set()
        # Ranges that values were cut off at or promised to have, as texts, by the function and its place.
        self.bounds: dict[tuple[str, tuple[str, int]], dict[str, None]] = {}
        # Operations by the user's line, about, and how many are left until one is counted.
        self.built: dict[tuple[str, int], int] = {}
        self.until = self.stride = 1
        # Lines of the user's that check values, with their files' paths, until a job makes the check.
        self.unchecked: dict[tuple[str, int], str] = {}
        self.strides = itertools.cycle(_STRIDES)
        self.suggested: set[str] = set()
        # Outputs of trained models, by the identity of their nodes: what computed them, the output's name, and the value.
        self.models: dict[int, tuple[Any, str, Array]] = {}
        # Uses of trained models whose layers are cut off, and the lines that use them.
        self.cut: list[tuple[tuple[str, int], Any]] = []
        # Numbers of combinations of categories, by the keys that they are of.
        self.cells: dict[tuple[int, ...], tuple[Array, list[Array]]] = {}
        # Arrays that earlier jobs kept, by name.
        self.kept: dict[str, Loaded] = {}

    def length(self, extent: Any) -> Any:
        """A length for the engine."""
        if isinstance(extent, Rows):
            known = self.lengths.get(extent)
            if known is None:
                known = self.front.rows(extent.name, extent.min, extent.max)
                self.lengths[extent] = known
                self.dims[known.terms[0][0]] = extent
            return known
        if isinstance(extent, Extent):
            total: Any = None
            for dim, factor in extent.terms.items():
                term = self.length(dim).times(factor)
                total = term if total is None else total.plus(term)
            return total.plus(extent.constant) if total is not None else extent.constant
        if isinstance(extent, bool) or not isinstance(extent, (int, np.integer)) or extent < 0:
            raise TypeError("the length of an axis is a number, or tc.rows(...)")
        return int(extent)

    def extent(self, length: Any) -> int | Extent:
        """A length as the user wrote it."""
        if isinstance(length, int):
            return length
        terms = {self.dims[dim]: factor for dim, factor in length.terms}
        if length.constant == 0 and len(terms) == 1:
            ((dim, factor),) = terms.items()
            if factor == 1:
                return dim
        return Extent(length.constant, terms)

    def made(self, checks: set[tuple[str, int]]) -> None:
        """Warns of checks that a job does not make, nor an earlier one did: of those that it makes the places are given."""
        for place, path in self.unchecked.items():
            if place not in checks:
                what = "the job does not make this check, as none of its results is computed from what tc.check gives: go on with that"
                warnings.warn_explicit(what, UnusedCheck, path, place[1])
        self.unchecked.clear()

    def count(self, place: tuple[str, int], path: str) -> None:
        """Counts an operation for those since the last one that was counted."""
        line = (path, place[1])
        before = self.built.get(line, 0)
        self.built[line] = now = before + self.stride
        self.until = self.stride = next(self.strides)
        way = "Python repeats it while the program is written. tc.loop repeats it in the run, and adds it to the program once"
        if before <= _MANY_OPERATIONS < now:
            warnings.warn_explicit(f"this line adds more than {_MANY_OPERATIONS:,} operations: {way}", UnrolledLoop, path, place[1])
        if now > _MOST_OPERATIONS:
            fail(ProgramError, f"this line adds more than {_MOST_OPERATIONS:,} operations: {way}", place, path)

    def bounded(self, how: str, place: tuple[str, int], lo: Any, hi: Any) -> None:
        """Keeps for the disclosure where values were cut off or promised, and at which bounds."""
        low, high = ("" if it is None else "an array" if isinstance(it, Array) else str(it) for it in (lo, hi))
        self.bounds.setdefault((how, place), {})[f"{low}..{high}"] = None

    def shape(self, shape: Any) -> list[Any]:
        """A shape for the engine."""
        axes = shape if isinstance(shape, Iterable) else (shape,)
        return [self.length(axis) for axis in axes]


def current() -> Arena:
    """The arena of the parties that were made last: for constants that meet no other value."""
    if Arena.current is None:
        raise ProgramError("there are no parties yet: begin with tc.parties(...)")
    return Arena.current


class Party:
    """A party: who gives inputs, computes, or learns results."""

    __slots__ = ("arena", "index", "name")

    def __init__(self, arena: Arena, name: str) -> None:
        self.arena, self.name = arena, name
        try:
            self.index = arena.front.party(name)
        except _tacit.Mistake as error:
            place, path = here()
            raise mistake(error, path, place) from None

    def __repr__(self) -> str:
        return self.name

    def array(self, name: str, type: Type, shape: Any = (), *, sample: Any = None, prefix: bool = True) -> Array:
        """An array that this party gives, which nobody else sees.

        Args:
            name: Its name among this party's inputs; the program calls it `party.name`.
            type: What its elements are, with their range, which is public.
            shape: Lengths of the axes: numbers or `tc.rows(...)`; none for a single number.
            sample: Data to try the program on in the clear, with `tc.peek` and `job.check`.
            prefix: Whether the program calls it `party.name`, and not `name`.
        """
        return _input(self.arena, self, f"{self.name}.{name}" if prefix else name, type, shape, sample)

    @takes
    def table(
        self,
        name: str,
        schema: Mapping[str, Type],
        *,
        max_rows: int,
        min_rows: int = 0,
        unique: str | Sequence[str] | None = None,
        pad: bool = False,
    ) -> Frame:
        """A table that this party gives, whose rows nobody else sees. All parties see what is said of it here, and how many rows it has.

        Args:
            name: Its name among this party's tables; the others call it `party.name`.
            schema: What its columns hold: `tc.Schema(age=tc.Int(0, 120).nullable())`.
            max_rows: The most rows that it may have.
            min_rows: The fewest rows.
            unique: The column, or the columns together, of which no two rows have equal values. Where a join relies on it, the run
                checks it: if it does not hold, everybody learns that, and nothing else is shown.
            pad: Whether nobody is to see how many rows it has: it counts as `max_rows`, in what the others see and in what the run takes.
        """
        from .frames import table

        return table(self, name, schema, max_rows, min_rows, unique, pad)


def parties(*names: str) -> tuple[Party, ...]:
    """The parties of a program, in the order of their numbers. All of them compute, if the protocol is for so many.

    >>> alice, bob = parties("alice", "bob")
    >>> alice
    alice
    """
    if not names:
        raise ValueError(marked('name the parties: tc.parties("alice", "bob", "carol")'))
    if len(names) == 1 and not isinstance(names[0], str):
        raise TypeError(marked('names one by one: tc.parties("alice", "bob")'))
    if not all(isinstance(name, str) and name for name in names):
        raise TypeError(marked("the name of a party is a text that is not empty"))
    arena = Arena()
    arena.parties = [Party(arena, name) for name in names]
    Arena.current = arena
    return tuple(arena.parties)


def public(name: str, type: Type, shape: Any = (), *, sample: Any = None) -> Array:
    """An input that everybody knows. All parties give the same, and compare it."""
    return _input(current(), None, name, type, shape, sample)


def _input(arena: Arena, party: Party | None, name: str, type: Type, shape: Any, sample: Any) -> Array:
    place, path = here()
    if not isinstance(type, Type):
        fail(ProgramError, f"the type of {name} is one such as tc.Int(0, 100), not {type!r}", place, path)
    if isinstance(type, (Nullable, DecimalType, Text)):
        what = NO_NULLS if isinstance(type, Nullable) else NO_TEXTS if isinstance(type, Text) else NO_DECIMALS
        fail(ProgramError, what, place, path)
    if not name or name.endswith("."):
        fail(ProgramError, "an input has a name", place, path)
    try:
        lengths = arena.shape(shape)
    except (TypeError, ValueError) as error:
        fail(ShapeError, f"the shape of {name}: {error}", place, path)
    meaning: Any = "date" if isinstance(type, Date) else None
    owner = None if party is None else party.index
    try:
        if isinstance(type, Category):
            meaning = domain_of(arena, place, type, name.rsplit(".", 1)[-1])
        node = arena.front.input(place, name, owner, type.kind(), lengths, type.interval(), meaning)
    except _tacit.Mistake as error:
        raise mistake(error, path) from None
    if type.from_data:
        arena.suggested.add(name)
    if sample is not None:
        arena.samples[name] = sample
    return Array(arena, node, type if isinstance(type, Category) else None, place)


def domain_of(arena: Arena, place: tuple[str, int], type: Category, by: str = "category") -> _tacit.Domain:
    """The domain of a category; `by` is its name if it has none yet."""
    return arena.front.domain(place, type.called(by), list(type.names), None)


def _secret(what: str, way: str) -> NoReturn:
    place, path = here()
    fail(SecretError, f"{what}: use {way}", place, path)


class _At:
    """`array.at[i].set(part)`: the array with a part at public positions replaced."""

    __slots__ = ("array", "index")

    def __init__(self, array: Array, index: Any = None) -> None:
        self.array, self.index = array, index

    def __getitem__(self, index: Any) -> _At:
        return _At(self.array, index)

    def set(self, part: Any) -> Array:
        """The array with this part in place of what was there."""
        from . import xp

        return xp.updated(self.array, self.index, part)


class Array:
    """Values that the parties compute on. Nothing is computed before a job runs.

    Operators and NumPy functions make new arrays. Types grow to hold every value that can occur; a value that may need
    more than 64 bits is an error where it is written.
    """

    __slots__ = ("_arena", "_category", "_made", "_node", "_place")
    # NumPy arrays on the left of an operator leave it to this class.
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, arena: Arena, node: _tacit.Node, category: Category | None = None, made: tuple[str, int] = ("", 0)) -> None:
        self._arena, self._node, self._category, self._made = arena, node, category, made
        # What a public place is computed as, and a constant that is added: x[i * 64 : i * 64 + 64] is 64 long.
        self._place: tuple[Any, int] | None = None

    # What it is.

    @property
    def shape(self) -> tuple[int | Extent, ...]:
        """Lengths of the axes: numbers, or what depends on row counts."""
        return tuple(self._arena.extent(length) for length in self._node.shape)

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return self._node.ndim

    @property
    def size(self) -> int | Extent:
        """How many elements it has: a number, or what depends on row counts."""
        size: int | Extent = 1
        for length in self.shape:
            if isinstance(length, Extent) and isinstance(size, Extent):
                place, path = here()
                fail(ShapeError, f"the size of {self.shape} is no multiple of one row count", place, path)
            size = size * length
        return size

    @property
    def dtype(self) -> str:
        """What the elements are: `bit`, `u8` to `i64`, or `fixed(32,16)`."""
        node = self._node
        if node.kind == "bit":
            return "bit"
        if node.kind == "fixed":
            return f"fixed({node.bits},{node.fraction})"
        return f"{'i' if node.kind == 'int' else 'u'}{node.bits}"

    @property
    def range(self) -> tuple[Any, Any]:
        """The least and the greatest value that any element can have."""
        low, high = self._node.interval
        unit = 2**self._node.fraction
        return (low, high) if unit == 1 else (low / unit, high / unit)

    @property
    def visibility(self) -> str:
        """`secret`, `public`, or the name of the party that has it."""
        seen = self._node.visibility
        return seen if seen in ("secret", "public") else self._arena.parties[int(seen)].name

    @property
    def T(self) -> Array:
        """The array with its two axes exchanged."""
        from . import xp

        return xp.matrix_transpose(self)

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged."""
        from . import xp

        return xp.matrix_transpose(self)

    @property
    def at(self) -> _At:
        """`x.at[i].set(part)` is the array with another part at public positions."""
        return _At(self)

    def _described(self) -> tuple[str, str, str, str]:
        """The type of its elements, its shape, who has it, and its range."""
        low, high = self.range
        shape = f"[{', '.join(map(repr, self.shape))}]" if self.ndim else ""
        seen = self.visibility
        return self.dtype, shape, seen if seen in ("secret", "public") else f"from {seen}", f"{low}..{high}"

    def __repr__(self) -> str:
        dtype, shape, seen, range = self._described()
        return f"Array: {dtype}{shape}, {seen}, in {range}"

    def _repr_html_(self) -> str:
        dtype, shape, seen, range = self._described()
        return as_html(["array of", "shape", "visibility", "range"], [[dtype, shape or "one value", seen, range]])

    # What it is not.

    def __bool__(self) -> bool:
        _secret("the program cannot branch on a value that nobody may see", "tc.where(condition, a, b)")

    def __int__(self) -> int:
        _secret("this value is not known while the program is written", "it in arithmetic, or reveal it")

    def __float__(self) -> float:
        _secret("this value is not known while the program is written", "it in arithmetic, or reveal it")

    def __index__(self) -> int:
        _secret("a value that nobody may see is no index", "tc.where or tc.take")

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        _secret("a value that nobody may see is no NumPy array", "functions of tacit, or reveal it and run the job")

    def __format__(self, form: str) -> str:
        if not form:
            return repr(self)
        _secret("this value is not known while the program is written", "it in arithmetic, or reveal it and format the result")

    def __round__(self, digits: int | None = None) -> NoReturn:
        _secret("Python's round is of values that are known", "tc.round, which gives whole numbers, or round the result of a run")

    # Checkers of types find such attributes missing.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            if name in _OF_VALUES:
                way = "reveal it in a job, and what job.run(data) gives has it by name"
                raise AttributeError(marked(f"an array of parties has no {name}: {way}"))
            raise AttributeError(f"an array has no attribute {name!r}", name=name, obj=self)

    def __contains__(self, item: object) -> bool:
        _secret("whether something is in an array that nobody may see is not known", "tc.any(array == item)")

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError(marked("a single number has no length"))
        length = self.shape[0]
        if isinstance(length, Extent):
            _secret(f"the number of rows, {length!r}, is known when the program runs", "x.shape[0], which may stand in arithmetic")
        return length

    def __iter__(self) -> Iterator[Array]:
        if self.ndim and isinstance(self.shape[0], Extent):
            _secret("the number of rows is known when the program runs", "tc.loop, tc.map, or the array as a whole")
        return (self[i] for i in range(len(self)))

    # Arithmetic.

    def __add__(self, other: Any) -> Array:
        return binary("+", self, other)

    def __radd__(self, other: Any) -> Array:
        return binary("+", other, self)

    def __sub__(self, other: Any) -> Array:
        return binary("-", self, other)

    def __rsub__(self, other: Any) -> Array:
        return binary("-", other, self)

    def __mul__(self, other: Any) -> Array:
        return binary("*", self, other)

    def __rmul__(self, other: Any) -> Array:
        return binary("*", other, self)

    def __truediv__(self, other: Any) -> Array:
        return divide(self, other)

    def __rtruediv__(self, other: Any) -> Array:
        return divide(other, self)

    def __floordiv__(self, other: Any) -> Array:
        return floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Array:
        return floor_divide(other, self)

    def __mod__(self, other: Any) -> Array:
        return binary("%", self, other)

    def __rmod__(self, other: Any) -> Array:
        return binary("%", other, self)

    def __matmul__(self, other: Any) -> Array:
        return binary("@", self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return binary("@", other, self)

    def __pow__(self, power: Any) -> Array:
        if isinstance(power, bool) or not isinstance(power, (int, np.integer)) or power < 0:
            place, path = here()
            fail(ProgramError, "a power is a whole number from 0, and public: x ** 2", place, path)
        if power == 0:
            from . import xp

            return xp.ones_like(self)
        result, square, left = None, self, int(power)
        while left:
            if left & 1:
                result = square if result is None else result * square
            left >>= 1
            square = square * square if left else square
        assert result is not None
        return result

    def __neg__(self) -> Array:
        return call("neg", number(self))

    def __pos__(self) -> Array:
        return self

    def __abs__(self) -> Array:
        return call("abs", number(self))

    def __and__(self, other: Any) -> Array:
        return logic("&", self, other)

    def __rand__(self, other: Any) -> Array:
        return logic("&", other, self)

    def __or__(self, other: Any) -> Array:
        return logic("|", self, other)

    def __ror__(self, other: Any) -> Array:
        return logic("|", other, self)

    def __xor__(self, other: Any) -> Array:
        return logic("^", self, other)

    def __rxor__(self, other: Any) -> Array:
        return logic("^", other, self)

    def __invert__(self) -> Array:
        if self._node.kind != "bit":
            _bits_only("~", self)
        return call("not", self)

    def __lt__(self, other: Any) -> Array:
        return binary("<", self, other)

    def __le__(self, other: Any) -> Array:
        return binary("<=", self, other)

    def __gt__(self, other: Any) -> Array:
        return binary(">", self, other)

    def __ge__(self, other: Any) -> Array:
        return binary(">=", self, other)

    def __eq__(self, other: object) -> Array:  # type: ignore[override]
        return binary("==", self, other)

    def __ne__(self, other: object) -> Array:  # type: ignore[override]
        return binary("!=", self, other)

    # Parts.

    def __getitem__(self, index: Any) -> Array:
        from . import xp

        return xp.indexed(self, index)

    # Shortcuts of functions.

    def sum(self, axis: int | None = None) -> Array:
        """The sum, over all elements or an axis."""
        from . import xp

        return xp.sum(self, axis=axis)

    def mean(self, axis: int | None = None, frac: int = _DEFAULT_FRACTION) -> Array:
        """The mean, over all elements or an axis, with so many bits behind the point."""
        from . import xp

        return xp.mean(self, axis=axis, frac=frac)

    def min(self, axis: int | None = None) -> Array:
        """The least element."""
        from . import xp

        return xp.min(self, axis=axis)

    def max(self, axis: int | None = None) -> Array:
        """The greatest element."""
        from . import xp

        return xp.max(self, axis=axis)

    def any(self, axis: int | None = None) -> Array:
        """Whether any bit is one."""
        from . import xp

        return xp.any(self, axis=axis)

    def all(self, axis: int | None = None) -> Array:
        """Whether all bits are one."""
        from . import xp

        return xp.all(self, axis=axis)

    def reshape(self, *shape: Any) -> Array:
        """The elements in another shape of as many."""
        from . import xp

        return xp.reshape(self, shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)

    def astype(self, type: Type) -> Array:
        """The numbers as another type: rounded down to fewer bits behind the point, if need be."""
        return as_type(self, type)

    def reveal(self, *, to: Any = None) -> Reveal:
        """What a job opens to parties. Nothing is revealed that is not given to `tc.job`.

        Args:
            to: A party, a list of parties, or `"all"`. There is no default.
        """
        from .job import Reveal

        return Reveal.of(self, to)

    def keep(self, name: str, type: Type | None = None, *, overwrite: bool = False) -> Keep:
        """What a job keeps for later jobs of the same parties, which take it by `tc.kept(name, type, shape)`. Nobody learns it: each party
        stores a share.

        It is kept where the job runs: in a folder of each party with `tc.connect`, in memory with `tc.local()`.

        Args:
            name: What it is kept as.
            type: The type that later jobs take it as; its own, unless another one is given. Under a protocol, numbers that are rounded may
                be beyond their range by a few units of the last place. Unless the range of this type has room for that, the run checks
                that they lie in it, as `tc.check` does.
            overwrite: Whether it takes the place of what this party has under that name, once the run has succeeded. Otherwise a run
                that finds something there does not begin.

        Raises:
            RangeError: The value may be beyond the range of the type.
            ShapeError: Its number of rows is known only when the program runs.
        """
        from .keeping import Keep

        return Keep.of(self, name, type, overwrite)

    # The protocols of NumPy and of the array API.

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        from . import xp

        return xp

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from . import numpy_api

        return numpy_api.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from . import numpy_api

        return numpy_api.function(function, args, kwargs)


# Operands.


def text(value: Any) -> str:
    """A number in decimal notation without an exponent."""
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    number = Decimal(repr(float(value))) if isinstance(value, (float, np.floating)) else Decimal(value)
    if not number.is_finite():
        raise ValueError("infinity and nan are no numbers here")
    return f"{number:f}"


def arena_of(values: Iterable[Any]) -> Arena:
    """The arena of values; there is one."""
    found: Arena | None = None
    for value in values:
        if isinstance(value, Array):
            if found is not None and value._arena is not found:
                place, path = here()
                fail(
                    ProgramError,
                    "these values are of different sets of parties: make all of one job's values after one tc.parties(...)",
                    place,
                    path,
                )
            found = value._arena
    return found or current()


def is_fractional(value: Any) -> bool:
    """Whether numbers given by Python have fractions."""
    if isinstance(value, (float, np.floating, Decimal)):
        return True
    if isinstance(value, (list, tuple)):
        return any(is_fractional(it) for it in value)
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def operand(arena: Arena, value: Any) -> Any:
    """An operand for the engine."""
    if isinstance(value, Array):
        return value._node
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating, Decimal)):
        try:
            return text(value)
        except ValueError as error:
            place, path = here()
            fail(ProgramError, str(error), place, path)
    if isinstance(value, Extent):
        place, _ = here()
        return arena.front.row_count(place, arena.length(value))
    if isinstance(value, (list, tuple)):
        value = np.asarray(value)
    if isinstance(value, np.ndarray):
        return _constants(arena, value)
    place, path = here()
    if hasattr(value, "__array__") and not isinstance(value, str):
        return _constants(arena, np.asarray(value))
    fail(ProgramError, f"a {type(value).__name__} is no operand: numbers, NumPy arrays and arrays of parties are", place, path)


def _constants(arena: Arena, value: np.ndarray[Any, Any]) -> Any:
    place, path = here()
    if value.dtype.kind not in "biuf":
        fail(ProgramError, f"an array of {value.dtype} is no operand: numbers and truth values are", place, path)
    if value.size > _MOST_CONSTANTS:
        fail(
            ProgramError,
            f"{value.size} constants are too many for a program, which has at most {_MOST_CONSTANTS} in one place: "
            'make them an input that everybody knows, tc.public("name", type, shape)',
            place,
            path,
        )
    if value.dtype.kind == "b":
        return arena.front.constant(place, ("bit", 1, 0), list(value.shape), [int(it) for it in value.flat])
    if value.ndim == 0:
        return text(value[()])
    if value.size == 0:
        kind: Kind = ("fixed", _DEFAULT_FRACTION + 2, _DEFAULT_FRACTION) if value.dtype.kind == "f" else ("uint", 8, 0)
        return arena.front.constant(place, kind, list(value.shape), [])
    try:
        return ([text(it) for it in value.flat], list(value.shape))
    except ValueError as error:
        fail(ProgramError, str(error), place, path)


def call(name: str, *values: Any, **options: Any) -> Array:
    """A function of the language on values; its first result."""
    arena = arena_of(values)
    place, path = here()
    arena.until -= 1
    if not arena.until:
        arena.count(place, path)
    nodes = [value._node if isinstance(value, Array) else operand(arena, value) for value in values]
    try:
        node = arena.front.call(place, name, nodes, **options)
    except _tacit.Mistake as error:
        raise mistake(error, path, operands=values) from None
    except (TypeError, ValueError, OverflowError) as error:
        fail(ProgramError, str(error), place, path)
    return Array(arena, node, _category(values) if name in _OF_ELEMENTS else None, place)


def call_all(name: str, values: Sequence[Any], **options: Any) -> list[Array]:
    """A function of the language on values; all its results."""
    arena = arena_of(values)
    place, path = here()
    arena.until -= 1
    if not arena.until:
        arena.count(place, path)
    nodes = [operand(arena, value) for value in values]
    try:
        results = arena.front.call_all(place, name, nodes, **options)
    except _tacit.Mistake as error:
        raise mistake(error, path, operands=values) from None
    return [Array(arena, node, made=place) for node in results]


def _category(values: Iterable[Any]) -> Category | None:
    """What all of the values are categories of, if they are."""
    found = {value._category for value in values if isinstance(value, Array)}
    return found.pop() if len(found) == 1 else None


def number(value: Array) -> Array:
    """Bits as whole numbers, anything else as it is."""
    return call("cast", value, to=("uint", 8, 0)) if value._node.kind == "bit" else value


def to_fixed(value: Array, fraction: int) -> Array:
    """Numbers as fixed point with so many bits behind the point."""
    node = value._node
    if node.kind == "fixed" and node.fraction == fraction:
        return value
    return call("to_fixed", number(value), fraction=fraction)


def as_constant(arena: Arena, value: Any, like: Array | None = None) -> Array:
    """Python's numbers as a constant."""
    if isinstance(value, Array):
        return value
    place, path = here()
    given = operand(arena, value)
    if isinstance(given, _tacit.Node):
        return Array(arena, given)
    try:
        if like is None and is_fractional(value):
            return _fractions(arena, place, value)
        return Array(arena, arena.front.literal(place, given, None if like is None else like._node))
    except _tacit.Mistake as error:
        raise mistake(error, path) from None


def _fractions(arena: Arena, place: tuple[str, int], value: Any) -> Array:
    """Constants with fractions that meet no other value."""
    given = np.asarray(value, dtype=np.float64)
    raw = [round(Decimal(repr(float(it))) * 2**_DEFAULT_FRACTION) for it in given.flat]
    widest = max([abs(it) for it in raw] + [1]).bit_length() + 1
    if widest > 64:
        _, path = here()
        fail(RangeError, f"constants with {_DEFAULT_FRACTION} bits behind the point that need more than 64 bits", place, path)
    kind: Kind = ("fixed", max(widest, _DEFAULT_FRACTION + 2), _DEFAULT_FRACTION)
    return Array(arena, arena.front.constant(place, kind, list(given.shape), raw))


def alike(a: Any, b: Any) -> bool:
    """Whether these are arrays of one job, of one kind of numbers: most are, and nothing has to be done for them."""
    if not (isinstance(a, Array) and isinstance(b, Array) and a._arena is b._arena):
        return False
    x, y = a._node, b._node
    kind = x.kind
    return kind == y.kind and kind != "bit" and (kind != "fixed" or x.fraction == y.fraction)


def same_point(a: Any, b: Any) -> tuple[Any, Any]:
    """Two operands with as many bits behind the point: whole numbers become fixed point beside it."""
    first = a._node if isinstance(a, Array) else None
    second = b._node if isinstance(b, Array) else None
    if first is not None and second is not None:
        if first.kind == "fixed" and second.kind == "fixed" and first.fraction != second.fraction:
            wider = max(first.fraction, second.fraction)
            return to_fixed(a, wider), to_fixed(b, wider)
        return a, b
    if first is not None and first.kind != "fixed" and is_fractional(b):
        return to_fixed(a, _DEFAULT_FRACTION), b
    if second is not None and second.kind != "fixed" and is_fractional(a):
        return a, to_fixed(b, _DEFAULT_FRACTION)
    return a, b


def binary(operator: str, a: Any, b: Any) -> Array:
    """`a operator b`."""
    if alike(a, b) and operator != "@":
        place, path = here()
        arena = a._arena
        arena.until -= 1
        if not arena.until:
            arena.count(place, path)
        try:
            return Array(arena, arena.front.operator(place, operator, a._node, b._node), None, place)
        except _tacit.Mistake as error:
            raise mistake(error, path, operands=(a, b)) from None
    given = a, b
    if operator in _NUMERIC or (operator == "*" and all(isinstance(it, Array) and it._node.kind == "bit" for it in (a, b))):
        a, b = (number(it) if isinstance(it, Array) and it._node.kind == "bit" else it for it in (a, b))
    if isinstance(a, Array) and isinstance(b, Array):
        x, y = a._node, b._node
        if operator == "@" or (x.kind == "fixed" and y.kind == "fixed" and x.fraction != y.fraction):
            a, b = _matched(operator, a, b)
    else:
        _comparable(a, b)
        a, b = same_point(a, b)
        if operator == "@":
            a, b = _matched(operator, a, b)
        a, b = by_name(a, b)
    if operator == "@" and isinstance(b, Array) and b.ndim > 2:
        from .xp import _of_batches

        found = _of_batches(a, b)
        if found is not None:
            return found
    arena = arena_of((a, b))
    place, path = here()
    arena.until -= 1
    if not arena.until:
        arena.count(place, path)
    x = a._node if isinstance(a, Array) else operand(arena, a)
    y = b._node if isinstance(b, Array) else operand(arena, b)
    try:
        result = Array(arena, arena.front.operator(place, operator, x, y), None, place)
    except _tacit.Mistake as error:
        raise mistake(error, path, operands=given) from None
    if isinstance(b, int) and not isinstance(b, bool) and isinstance(a, Array) and not a._node.ndim:
        result._place = _moved(operator, a, b)
    elif isinstance(a, int) and not isinstance(a, bool) and operator in "+*" and isinstance(b, Array) and not b._node.ndim:
        result._place = _moved(operator, b, a)
    return result


def place_of(value: Array) -> tuple[Any, int]:
    """What a public place is computed as, and a constant that is added to it."""
    return value._place or (value._node, 0)


def _moved(operator: str, place: Array, by: int) -> tuple[Any, int]:
    base, offset = place_of(place)
    if operator in "+-":
        return base, offset + (by if operator == "+" else -by)
    return (operator, base, offset, by), 0


def _matched(operator: str, a: Any, b: Any) -> tuple[Any, Any]:
    if operator != "@":
        return same_point(a, b)
    arena = arena_of((a, b))
    like = a if isinstance(a, Array) else b
    a, b = (number(as_constant(arena, value, like)) for value in (a, b))
    if a._node.kind == "fixed" or b._node.kind == "fixed":
        wider = max(a._node.fraction, b._node.fraction)
        return to_fixed(a, wider), to_fixed(b, wider)
    return a, b


def _comparable(a: Any, b: Any) -> None:
    for value in (a, b):
        if value is None:
            place, path = here()
            fail(ProgramError, "None is no value: an array has no missing values", place, path)


def by_name(a: Any, b: Any) -> tuple[Any, Any]:
    """A member of a category beside values of it, as its code."""

    def code(value: Any, beside: Any) -> Any:
        if isinstance(value, datetime.date):
            return days(value)
        if not isinstance(value, str):
            return value
        place, path = here()
        category = beside._category if isinstance(beside, Array) else None
        if category is None:
            fail(ProgramError, "a text is compared with values of a tc.Category; a day is datetime.date(2024, 1, 31)", place, path)
        if value not in category.names:
            fail(ProgramError, f"{value!r} is none of {', '.join(category.names)}", place, path)
        return category.names.index(value)

    return code(a, b), code(b, a)


def _bits_only(operator: str, value: Array) -> NoReturn:
    place, path = here()
    way = "compare first, as in (x > 3) & (y > 4)"
    fail(ProgramError, f"`{operator}` is of truth values, and this is {value.dtype}: {way}", place, path)


def logic(operator: str, a: Any, b: Any) -> Array:
    """`a operator b` of bits."""
    for value in (a, b):
        if isinstance(value, Array) and value._node.kind != "bit":
            _bits_only(operator, value)
        if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
            place, path = here()
            fail(ProgramError, f"`{operator}` is of truth values: True or False, not a number", place, path)
    return binary(operator, a, b)


def divide(a: Any, b: Any) -> Array:
    """The quotient in fixed point; zero where the divisor is zero."""
    a, b = same_point(a, b)
    for value in (a, b):
        if isinstance(value, Array) and value._node.kind == "fixed":
            return binary("/", a, b)
    if isinstance(a, Array):
        a = to_fixed(a, _DEFAULT_FRACTION)
    if isinstance(b, (Array, Extent)):
        arena = arena_of((a, b))
        b = to_fixed(as_constant(arena, b), _DEFAULT_FRACTION)
    return binary("/", a, b)


def floor_divide(a: Any, b: Any) -> Array:
    """The quotient rounded down to a whole number; zero where the divisor is zero."""
    a, b = same_point(a, b)
    quotient = binary("/", a, b)
    if quotient._node.kind != "fixed":
        return quotient
    return call("cast", quotient, to=("int", 64, 0))


def as_type(given: Any, type: Type) -> Array:
    """A value as a type: what is left of the range is checked when it is used."""
    kind, bits, fraction = type.kind()
    arena = arena_of((given,))
    value = as_constant(arena, given)
    node = value._node
    if (node.kind, node.bits, node.fraction) == (kind, bits, fraction):
        category = type if isinstance(type, Category) else None
        return value if value._category is category else Array(arena, node, category)
    if kind == "bit":
        return binary("!=", value, 0)
    if kind == "fixed" and node.fraction != fraction:
        value = to_fixed(value, fraction)
    if kind in ("int", "uint") and node.kind == "fixed":
        # Rounded down, to integers of any width first.
        value = call("cast", value, to=("int", 64, 0))
    return call("cast", value, to=(kind, bits, fraction))


@contextlib.contextmanager
def open_loops(arena: Arena) -> Iterator[None]:
    """Forgets the loops whose bodies had mistakes."""
    depth = arena.front.open_loops
    try:
        yield
    except BaseException:
        while arena.front.open_loops > depth:
            arena.front.abandon_loop()
        raise


def width_error(value: Array, lo: Any, hi: Any) -> NoReturn:
    """What to say where a value may leave the range that a loop keeps."""
    place, path = here()
    low, high = value.range
    fail(RangeError, f"the next value may be anything in {low}..{high}, and the loop keeps {lo}..{hi}", place, path)
