"""The extension module: programs that are recorded operation by operation, and their runs."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

# A place in the user's source: file and line.
_Place: TypeAlias = tuple[str, int]
# The type of elements: `bit`, `int`, `uint` or `fixed`; bits; bits behind the point.
_Kind: TypeAlias = tuple[str, int, int]
# The least and the greatest raw value.
_Interval: TypeAlias = tuple[int, int]
# What numbers stand for.
_Meaning: TypeAlias = Domain | Literal["date"]
# A value, a truth value, a number or its text, or the texts of numbers in row-major order with their shape.
_Operand: TypeAlias = Node | bool | int | str | tuple[Sequence[str], Sequence[int]]
# Arrays in row-major order, or texts, by input.
_Form: TypeAlias = tuple[Sequence[str] | None, str | None, str | None]
_Data: TypeAlias = dict[str, Raw | NDArray[np.integer[Any]] | NDArray[np.float64] | NDArray[np.bool_] | list[str]]

__all__ = [
    "Column",
    "Connection",
    "Derived",
    "Domain",
    "Failure",
    "FrontEnd",
    "Length",
    "Mistake",
    "Node",
    "Outcome",
    "Party",
    "Program",
    "Raw",
    "Table",
    "Watch",
    "__version__",
    "command",
    "loopback",
    "plot_operations",
    "plot_plan",
    "plot_run",
    "protection",
    "protocols",
    "read_array",
    "read_stream",
    "run_local",
    "scaled",
    "text_codes",
]

__version__: str

class Mistake(Exception):
    """A mistake in a program: file, line, what is wrong; in a query also the column."""

class Failure(Exception):
    """A run that failed: the kind of the error, what went wrong."""

@final
class Length:
    """The length of an axis: a number, or one that depends on row counts."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def constant(self) -> int:
        """The part that is known."""
    @property
    def terms(self) -> list[tuple[int, int]]:
        """Row counts, by number, with their factors."""
    @property
    def known(self) -> int | None:
        """The length if it is known."""
    def plus(self, other: int | Length) -> Length:
        """The sum."""
    def times(self, factor: int) -> Length:
        """The product with a number."""

@final
class Domain:
    """What integers stand for."""

    @property
    def name(self) -> str:
        """What it is called."""

@final
class Node:
    """A value of a program, with its type."""

    @property
    def kind(self) -> str:
        """`bit`, `int`, `uint` or `fixed`."""
    @property
    def bits(self) -> int:
        """How wide it is."""
    @property
    def fraction(self) -> int:
        """Bits behind the point."""
    @property
    def ndim(self) -> int:
        """How many axes it has."""
    @property
    def shape(self) -> tuple[int | Length, ...]:
        """Lengths of the axes: numbers, or what depends on row counts."""
    @property
    def interval(self) -> _Interval:
        """The least and the greatest raw value."""
    @property
    def visibility(self) -> str:
        """`public`, `secret`, or the number of the party that has it."""

@final
class FrontEnd:
    """Records the operations of one set of parties."""

    def __new__(cls) -> FrontEnd: ...
    @property
    def open_loops(self) -> int:
        """How many loops are open."""
    def party(self, name: str) -> int:
        """Another party; its number."""
    def rows(self, name: str, least: int, most: int) -> Length:
        """A row count."""
    def length_text(self, length: Length) -> str:
        """A length as the language writes it."""
    def type_text(self, node: Node) -> str:
        """A value's type as the language writes it."""
    def domain(self, place: _Place, name: str, names: Sequence[str] | None, numbers: tuple[int, int] | None) -> Domain:
        """A domain: names, or the numbers from one to another."""
    def input(
        self,
        place: _Place,
        name: str,
        party: int | None,
        element: _Kind,
        shape: Iterable[int | Length],
        interval: _Interval,
        meaning: _Meaning | None,
    ) -> Node:
        """An input of a party, or a public one."""
    def constant(self, place: _Place, element: _Kind, shape: Iterable[int | Length], raw: Sequence[int]) -> Node:
        """A constant of raw values."""
    def literal(self, place: _Place, number: _Operand, like: Node | None) -> Node:
        """Numbers as a constant beside a value, or of the smallest integers."""
    def row_count(self, place: _Place, length: Length) -> Node:
        """A length as a public number."""
    def operator(self, place: _Place, operator: str, a: _Operand, b: _Operand) -> Node:
        """`a operator b`."""
    def call(self, place: _Place, name: str, arguments: Sequence[_Operand], **options: Any) -> Node:
        """A function of the language; the first result."""
    def call_all(self, place: _Place, name: str, arguments: Sequence[_Operand], **options: Any) -> list[Node]:
        """A function of the language; all results."""
    def query(self, place: _Place, source: str) -> tuple[list[tuple[str, int, Node]], Node | None, list[tuple[str, int, int]]]:
        """The rows of a query: its columns with their values, which rows there are, and row counts of tables."""
    def open_loop(self, place: _Place, trips: int | Length, carried: Sequence[tuple[Node, _Kind, _Interval]]) -> tuple[list[Node], Node]:
        """Opens the body of a loop: the carried values, and the number of the iteration."""
    def close_loop(self, place: tuple[str, int], next: Sequence[Node]) -> list[Node]:
        """Ends the innermost loop."""
    def abandon_loop(self) -> None:
        """Forgets the innermost loop."""
    def program(self, name: str, results: Sequence[tuple[str, Node, Sequence[int], _Meaning | None, _Place]]) -> Program:
        """The program of results: name, value, parties, what the numbers stand for, place."""

@final
class Program:
    """A program that was built or read."""

    @staticmethod
    def parse(name: str, source: str) -> Program:
        """Reads the text form."""
    @staticmethod
    def read(path: str) -> Program:
        """Reads a file."""
    @staticmethod
    def parse_sql(name: str, source: str) -> Program:
        """Reads a query in SQL."""
    @property
    def columns(self) -> list[str] | None:
        """Names of the columns of a query's answer."""
    @property
    def disclosed(self) -> tuple[str, list[str], list[str], list[str], list[str], list[str]] | None:
        """Of a query: its plan, who learns what, what everybody learns, what is checked, and what looks unwise."""
    @property
    def unique(self) -> list[list[str]]:
        """Sets of inputs that no two rows of a table have equal values of."""
    def read_table(self, party: str, rows: str | None, path: str) -> list[tuple[str, Raw]]:
        """What a CSV or Parquet file gives of a party's inputs; of which table, where it has several."""
    @property
    def name(self) -> str:
        """Its name."""
    @property
    def text(self) -> str:
        """The canonical text."""
    @property
    def digest(self) -> str:
        """The digest by which parties agree, in hexadecimal."""
    @property
    def summary(self) -> str:
        """What it takes, computes and reveals."""
    @property
    def parties(self) -> list[str]:
        """Names of the parties, by number."""
    @property
    def rows(self) -> list[tuple[str, int, int]]:
        """Row counts: name, fewest, most."""
    @property
    def inputs(self) -> list[tuple[str, int | None, _Kind, list[str], _Interval, str, list[str] | None, Derived | None]]:
        """Inputs: name, number of the party, type, lengths of the axes, range, what the numbers stand for, names of those, what it is
        computed from."""
    @property
    def results(self) -> list[tuple[str, list[int], str]]:
        """Results: name, parties, type."""
    @property
    def nodes(self) -> list[tuple[str, list[int], list[tuple[str, str, int]]]]:
        """The operations: name, operands by number, and the operations within, if it is a loop: names, files and lines."""
    @property
    def reveal_nodes(self) -> list[tuple[str, int]]:
        """The operation that each result is of."""
    @property
    def reveal_bounds(self) -> list[tuple[str, int | None]]:
        """How far each result may be under a protocol from the one in the clear, in units of the last place; none if unknown."""
    @property
    def reveal_rows(self) -> list[str]:
        """The results that have a value for every row."""
    def explain(self, network: str, protocol: str, rows: Sequence[tuple[str, int]]) -> str:
        """What each operation would take under a protocol, as JSON."""
    def plan(self, network: str, malicious: bool, corruptions: int, rows: Sequence[tuple[str, int]]) -> str:
        """What it would take under each protocol, as JSON."""

@final
class Derived:
    """What the owner of a column of texts computes of it for a program."""

    @property
    def column(self) -> str:
        """The column, called as an input that is the column itself would be."""
    @property
    def shown(self) -> str:
        """What is computed, as SQL writes it."""

@final
class Raw:
    """Values of one input as the program holds them: of decimals times 10 to the digits behind the point."""

    def __new__(cls, values: NDArray[np.int64] | NDArray[np.uint64]) -> Raw:
        """Copies an array in row-major order."""
    def __len__(self) -> int: ...

@final
class Outcome:
    """What one party has after a run, or all parties of one process."""

    @property
    def names(self) -> list[str]:
        """Names of the results, in the program's order."""
    @property
    def table(self) -> str:
        """The results as a table."""
    @property
    def warnings(self) -> list[str]:
        """Where values left their ranges, under `plain`."""
    @property
    def report(self) -> str:
        """What the run cost, as JSON."""
    @property
    def choice(self) -> str | None:
        """Why the protocol is what it is, if the parties chose it, as JSON."""
    def array(self, name: str) -> NDArray[Any]:
        """A result as an array: of bool, int64 or float64; of uint64, where int64 does not hold it. Decimals are rounded."""
    def decimals(self, name: str) -> int:
        """Digits behind the decimal point of a result."""
    @property
    def answer(self) -> tuple[Table, list[str]] | None:
        """The answer of a query, if this party learned it, and what is to be said beside it."""
    def exact(self, name: str) -> tuple[list[int], int]:
        """A result exactly: raw integers in row-major order, and the bits behind the point."""
    def texts(self, name: str) -> list[str] | None:
        """What the numbers stand for, in row-major order; nothing if they are numbers."""
    def labels(self, name: str) -> list[list[tuple[str, list[str]]]]:
        """The labels of each axis, outermost first: names with the members' names, the last domain's fastest."""

@final
class Watch:
    """Says how far a run has come, and stops it."""

    def __new__(cls) -> Watch: ...
    @property
    def fraction(self) -> float | None:
        """The part that is done of what is counted; none before there is anything to count."""
    def stop(self) -> None:
        """Ends the run for all parties."""

@final
class Party:
    """One of several parties."""

    @staticmethod
    def from_file(path: str) -> Party:
        """A party from its file."""
    @property
    def name(self) -> str:
        """This party."""
    @property
    def parties(self) -> list[str]:
        """All parties, by number."""
    @property
    def fingerprints(self) -> list[str | None]:
        """Fingerprints of all parties' keys, by number."""
    def seal(self, context: str, data: bytes) -> bytes:
        """Encrypts bytes for this party alone."""
    def unseal(self, context: str, data: bytes) -> bytes:
        """Decrypts what `seal` gave."""
    @property
    def policy(self) -> tuple[bool, int] | None:
        """What the policy in its file demands: whether corrupted parties are malicious, and how many there are."""
    def run(
        self,
        program: Program,
        protocol: str | None,
        threat: tuple[bool, int] | None,
        prepared: str | None,
        form: _Form,
        connecting: tuple[str, int | None, float, float],
        inputs: _Data,
        watch: Watch,
    ) -> Outcome:
        """Runs a program with the other parties: under a protocol, or the one that they choose for a threat, or by policy."""
    def prepare(
        self,
        program: Program,
        protocol: str,
        directory: str,
        rows: list[tuple[str, int]],
        runs: int,
        form: _Form,
        connecting: tuple[str, int | None, float, float],
        inputs: _Data,
        watch: Watch,
    ) -> str:
        """Prepares runs of a program, into this party's store in a directory: what is stored, as JSON."""
    def connect(self, connecting: tuple[str, int | None, float, float], watch: Watch) -> Connection:
        """Connects with the others, for several runs: by session, threads, and seconds to come up and without progress."""

@final
class Connection:
    """A connection of one party with the others."""

    def watch(self) -> Watch:
        """What watches a run over it."""
    def run(
        self,
        program: Program,
        protocol: str | None,
        threat: tuple[bool, int] | None,
        prepared: str | None,
        form: _Form,
        inputs: _Data,
        watch: Watch,
    ) -> Outcome:
        """Runs a program with the other parties, as a party does."""
    def finish(self) -> None:
        """Ends it well, when all parties do."""
    def stop(self) -> None:
        """Ends it for all parties."""

@final
class Column:
    """A column of another library, in chunks of one type."""

    @property
    def type(self) -> str:
        """The type of its elements, as Arrow calls it."""
    @property
    def is_text(self) -> bool:
        """Whether its elements are texts."""
    @property
    def shape(self) -> tuple[int, ...]:
        """Its length, and that of its lists, if its elements are lists of one length."""
    def missing(self) -> NDArray[np.bool_] | None:
        """Which rows are missing, or have missing parts; nothing if none are."""
    def numpy(self) -> NDArray[Any]:
        """Its values as an array, which is wiped in the end and cannot be written to. What is missing is anything."""
    def text_codes(self, derived: Derived | None = None) -> NDArray[np.int64]:
        """What goes in for its texts, or what is computed of them, in an array that is wiped in the end: -1 for what is missing."""
    def scaled(self, digits: int) -> NDArray[np.int64] | NDArray[np.uint64]:
        """Its decimals times ten to so many digits, in an array that is wiped in the end. What is missing is zero."""
    def decimal_texts(self) -> list[str]:
        """Its decimals as texts, exactly. What is missing is anything."""
    def codes(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The place of each text among these names, -1 of one that is none of them, in memory that is wiped in the end."""

@final
class Table:
    """Results with the same number of rows, as one table."""

    def __new__(cls, results: Sequence[tuple[Outcome, str]]) -> Table:
        """Puts results together; `ValueError` says why they are no table."""
    @property
    def names(self) -> list[str]:
        """Names of its columns, those of labels too."""
    @property
    def rows(self) -> int:
        """How many rows it has."""
    def select(self, names: Sequence[str]) -> Table:
        """The results of these names."""
    @property
    def text(self) -> str:
        """The table as text."""
    def stream(self) -> object:
        """A capsule with an Arrow stream of its rows."""

def read_stream(capsule: object) -> Column | dict[str, Column]:
    """The columns of a stream by name, if its rows are structures, as those of frames; else its one column."""

def read_array(schema: object, array: object) -> Column | dict[str, Column]:
    """The columns of one array by name, if its rows are structures; else its one column."""

def text_codes(texts: Sequence[str | None], derived: Derived | None = None) -> NDArray[np.int64]:
    """What goes in for texts that have no list, or what is computed of them, in an array that is wiped in the end: -1 for `None` and for
    empty ones."""

def scaled(values: NDArray[Any], digits: int) -> NDArray[np.int64] | NDArray[np.uint64]:
    """Numbers times ten to so many digits, rounded to the nearest, half to even, in an array that is wiped in the end."""

def protocols() -> list[tuple[str, int, str]]:
    """The names of all protocols, with how many parties they are for and what they protect against."""

def protection(name: str) -> tuple[int, bool, int]:
    """What a protocol is for and protects against: parties, whether corrupted ones may deviate, and how many may be corrupted."""

def run_local(program: Program, protocol: str, network: str, form: _Form, threads: int, inputs: _Data, watch: Watch) -> Outcome:
    """All parties in this process, on a network that is played."""

def loopback(names: Sequence[str]) -> list[Party]:
    """Parties with fresh keys on free ports of this machine, for trials."""

def command(start: Sequence[str], arguments: Sequence[str]) -> int:
    """Runs the command `tacit`, which `start` starts, and gives its exit code where it does not end the process."""

def plot_run(report: str, parties: Sequence[str], predicted: str | None, here: float | None) -> str:
    """A run's report (JSON) as SVG, beside a candidate of a plan, with the seconds that it took in this process."""

def plot_plan(plan: str, network: str) -> str:
    """A plan (JSON) for a network as SVG."""

def plot_operations(explained: str) -> str:
    """What operations take (JSON) as SVG."""
