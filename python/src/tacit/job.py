"""Jobs: sealed programs, which reveal what they say and nothing else."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TextIO, TypeVar

import numpy as np

from . import _tacit, data
from ._place import here, marked
from ._show import as_html, paragraph
from .array import Arena, Array, Party, domain_of
from .cuts import cuts
from .errors import (
    TOO_WIDE,
    CheckFailed,
    ConfigurationError,
    InputError,
    ProgramError,
    RangeError,
    TacitError,
    fail,
    failure,
    file_failure,
    mistake,
    place_at,
    placed,
)
from .frames import Frame, FrameReveal, of_frames
from .keeping import Keep, Keeping, Shown
from .lints import Lint, lint
from .origin import Origin, commented
from .progress import Handle, shown, tell
from .result import Explanation, Plan, Result, Simulation
from .run import Form, Local, Net, Several, Threat, local
from .sqltext import declared, pointed

if TYPE_CHECKING:
    from .accuracy import Accuracy

__all__ = ["Job", "Reveal", "job", "load", "sql"]

_T = TypeVar("_T")

Security = Literal["semi-honest", "malicious"]


class Reveal:
    """A value and the parties that a job opens it to."""

    __slots__ = ("path", "place", "to", "value")

    def __init__(self, value: Array, to: list[Party], place: tuple[str, int], path: str) -> None:
        self.value, self.to, self.place, self.path = value, to, place, path

    @classmethod
    def of(cls, value: Array, to: Any) -> Reveal:
        """What `value.reveal(to=...)` gives."""
        place, path = here()
        parties = receivers(value._arena, to, place, path)
        return cls(value, parties, place, path)


def receivers(arena: Arena, to: Any, place: tuple[str, int], path: str) -> list[Party]:
    """The parties that something is revealed to."""
    if to is None:
        who = ", ".join(party.name for party in arena.parties)
        fail(ProgramError, f'say who learns it: reveal(to=[{who}]), or to="all"; there is no default', place, path)
    if isinstance(to, str):
        named = [party for party in arena.parties if party.name == to]
        if to != "all" and not named:
            fail(ProgramError, f'there is no party {to!r}: parties, or "all", learn results', place, path)
        to = named or arena.parties
    if not isinstance(to, (Party, Iterable)):
        fail(ProgramError, f'parties, or "all", learn results, and {type(to).__name__} is none', place, path)
    found = [to] if isinstance(to, Party) else list(to)
    found = [arena_party(arena, it, place, path) for it in found]
    if not found:
        fail(ProgramError, "nobody learns it: name a party at least", place, path)
    if len({it.index for it in found}) != len(found):
        fail(ProgramError, "a party is named twice", place, path)
    return found


def arena_party(arena: Arena, party: Any, place: tuple[str, int], path: str) -> Party:
    """A party of these values, given as such or by name."""
    for known in arena.parties:
        if party is known or party == known.name:
            return known
    names = ", ".join(it.name for it in arena.parties)
    fail(ProgramError, f"{party!r} is none of the parties of this value, {names}", place, path)


def job(name: str, results: Mapping[str, Reveal | Keep | FrameReveal] | None = None, /, **named: Reveal | Keep | FrameReveal) -> Job:
    """Seals a program: what its results depend on, and nothing else. A job of a frame is of one, and its result is called `table`.

    Args:
        name: The program's name.
        results: What it reveals, by name, or keeps for later jobs; names that are no Python words go here.
        named: What it reveals, by name, or keeps for later jobs.

    >>> import tacit as tc
    >>> alice, bob = tc.parties("alice", "bob")
    >>> a, b = (party.array("pay", tc.Int(0, 10**6)) for party in (alice, bob))
    >>> more = tc.job("more", alice_has_more=(a > b).reveal(to=[alice, bob]))
    >>> bool(more.run({"alice": 3, "bob": 4}).alice_has_more)
    False
    """
    if not isinstance(name, str):
        fail(ProgramError, f'the name of the program comes first, and this is {type(name).__name__}: tc.job("name", total=...)', *here())
    if results is not None and not isinstance(results, Mapping):
        fail(ProgramError, "a result has a name: tc.job(name, total=total.reveal(to=...))", *here())
    return Job(name, {**(results or {}), **named})


class Job:
    """A sealed program: its digest is what the parties compare before any input leaves one of them."""

    _promised: set[tuple[str, int]] | None
    # Ranges that it cuts off at and promises, by the function and its place; of a program that was read, its text says them.
    _bounds: dict[tuple[str, tuple[str, int]], list[str]] | None = None
    _samples: dict[str, Any]
    # Results that are outputs of models.
    _models: dict[str, Any]
    # Uses of trained models that this job may compute, layers of which are cut off.
    _cut: list[Any]
    _disclosed: tuple[str, list[str], list[str], list[str], list[str], list[str]] | None
    # Whether it was written as a frame.
    _of_frame = False
    # Where the inputs of a query are declared; those of a program say so themselves.
    _declared: dict[str, tuple[str, int]] | None = None
    # What it keeps for later jobs and takes from earlier ones, if there is something.
    _keeping: Keeping | None = None
    # What the file that it was read from says of where its operations were written.
    _origin = Origin()
    # Whether people were told what it discloses.
    _told = False

    def __init__(self, name: str, results: Mapping[str, Reveal | Keep | FrameReveal]) -> None:
        place, path = here()
        if not results:
            fail(ProgramError, "a job reveals something: tc.job(name, total=total.reveal(to=...))", place, path)
        if any(isinstance(value, (Frame, FrameReveal)) for value in results.values()):
            self._set_query(name, results, place, path)
            return
        self._set_program(name, results, place, path)

    def _set_query(self, name: str, results: Mapping[str, Any], place: tuple[str, int], path: str) -> None:
        (key, value), *others = results.items()
        if others:
            what = f"a job takes one frame that is revealed, and nothing else, and these are {', '.join(results)}"
            fail(ProgramError, f"{what}: make a job of each, or one frame of them by join", place, path)
        if isinstance(value, Frame):
            fail(ProgramError, f"frame {key!r} has nobody who learns it: give {key}.reveal(to=...)", place, path)
        if key != "table":
            fail(ProgramError, f"what a job of a frame learns is its result's table: tc.job({name!r}, table=...), not {key}=", place, path)
        program, source, suggested = value.program(name)
        self._set(program, source)
        if self._disclosed is not None:
            plan, learned, public, checked, advice, computed = self._disclosed
            self._disclosed = plan, learned, public, checked, [of_frames(it) for it in advice], computed
        self._of_frame = True
        self._declared = {f"{table.shown}.{column}": table.place[0] for table in value.frame._tables for column, _ in table.columns}
        self._promised = None
        self._samples = {}
        self._suggested = {it for it in suggested if it in self.input_names}

    def _set_program(self, name: str, results: Mapping[str, Any], place: tuple[str, int], path: str) -> None:
        for key, value in results.items():
            if isinstance(value, Array):
                fail(ProgramError, f"result {key!r} has nobody who learns it: give {key}.reveal(to=...)", place, path)
            if not isinstance(value, (Reveal, Keep)):
                fail(ProgramError, f"result {key!r} is {type(value).__name__}: give an array's reveal(to=...)", place, path)
        arenas = {id(it.value._arena) for it in results.values()}
        if len(arenas) > 1:
            fail(ProgramError, "these results are of different sets of parties: one job has one tc.parties(...)", place, path)
        arena = next(iter(results.values())).value._arena
        revealed = {key: it for key, it in results.items() if isinstance(it, Reveal)}
        given = []
        for key, it in revealed.items():
            category = it.value._category
            meaning = None
            if category is not None:
                meaning = domain_of(arena, it.place, category)
            given.append((key, it.value._node, [party.index for party in it.to], meaning, it.place))
        keeping = None
        try:
            if arena.kept or len(revealed) < len(results):
                keeping = Keeping(name, arena, given, [it for it in results.values() if isinstance(it, Keep)])
            program = arena.front.program(name, given) if not keeping else keeping.program
        except _tacit.Mistake as error:
            raise mistake(error, path, place) from None
        self._keeping = keeping or None
        self._set(program)
        arena.made({(file, line) for _, _, within in program.nodes for op, file, line in within if op == "check"})
        self._models = {key: arena.models[id(it.value._node)][:2] for key, it in revealed.items() if id(it.value._node) in arena.models}
        clips = (
            {(file, line) for _, _, within in program.nodes for op, file, line in within if op in ("min", "max")} if arena.cut else set()
        )
        self._cut = [walk for where, walk in arena.cut if where in clips]
        self._promised = set(arena.promised)
        self._bounds = {key: list(ranges) for key, ranges in arena.bounds.items()}
        self._suggested = {it for it in arena.suggested if it in self.input_names}
        self._samples = {key: value for key, value in arena.samples.items() if key in self.input_names}

    def _set(self, program: _tacit.Program, source: str | None = None) -> None:
        self._program, self._source, self._models, self._cut = program, source, {}, []
        self._columns, self._disclosed = program.columns, program.disclosed
        parties = program.parties
        self._all_inputs = [
            data.Input(
                name,
                None if party is None else parties[party],
                kind[0],
                kind[1],
                kind[2],
                tuple(shape),
                interval,
                meaning,
                None if names is None else tuple(names),
                derived,
            )
            for name, party, kind, shape, interval, meaning, names, derived in program.inputs
        ]
        # Those that somebody gives: masks of kept arrays are drawn or read.
        # Owners of padded tables give rows, and which of them there are follows.
        self._padded = {it.shape[0] for it in self._all_inputs if it.meaning == "padding"}
        given = [it for it in self._all_inputs if it.meaning != "padding"]
        self._inputs = [it for it in given if self._keeping is None or it.name not in self._keeping.inputs]
        self._known = data.known(self._inputs)
        self._files = data.Files(frozenset(name for name, *_ in program.rows), self._read)

    @classmethod
    def _of(cls, program: _tacit.Program, source: str | None = None) -> Job:
        job = cls.__new__(cls)
        job._set(program, source)
        job._promised, job._suggested, job._samples = None, set(), {}
        return job

    # What it is.

    @property
    def name(self) -> str:
        """Its name."""
        return self._program.name

    @property
    def parties(self) -> list[str]:
        """Names of its parties."""
        return self._program.parties

    @property
    def input_names(self) -> list[str]:
        """Names of its inputs, `party.name`."""
        return [it.name for it in self._inputs]

    @property
    def rows(self) -> dict[str, tuple[int, int]]:
        """Row counts, with the fewest and the most rows; of padded tables, those that data may have."""
        return {name: (0 if name in self._padded else least, most) for name, least, most in self._program.rows}

    @property
    def text(self) -> str:
        """Its canonical text, which `tacit program` and parties without Python read too.

        Of a job that keeps secrets or takes kept ones it is what semi-honest parties run, with the masks; among malicious ones copies of
        masks are added, and compared.
        """
        return self._program.text

    @property
    def sql(self) -> str | None:
        """The SQL that it is a query in, which `tc.sql` and the command line read too; None of a program."""
        return self._source

    @property
    def digest(self) -> str:
        """The digest by which parties agree, in hexadecimal: that of `text`."""
        return self._program.digest

    @property
    def _results(self) -> list[tuple[str, list[int], str]]:
        """What it reveals: names, parties by number, types."""
        return [it for it in self._program.results if self._keeping is None or it[0] not in self._keeping.results]

    def _revealed(self) -> str:
        keeps = [] if self._keeping is None else [f"(kept) {it.name}" for it in self._keeping.keeps]
        return ", ".join([*(self._columns or [it[0] for it in self._results]), *keeps])

    def __repr__(self) -> str:
        return f"Job {self.name}: {len(self._inputs)} inputs, reveals {self._revealed()}"

    # Checkers of types find such attributes missing.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            program = self.__dict__.get("_program")
            if program is None or name.startswith("_"):
                raise AttributeError(f"a job has no attribute {name!r}", name=name, obj=self)
            results = self._columns or [it[0] for it in self._results]
            if name in results or name in ("result", "results", "table"):
                raise AttributeError(marked(f"results are of a run: result = job.run(data), and then its {', '.join(results)}"))
            raise AttributeError(marked(f"a job has no attribute {name!r}"), name=name, obj=self)

    def _repr_html_(self) -> str:
        reveals = self._revealed()
        row = [self.name, ", ".join(self.parties), ", ".join(self.input_names), reveals, f"{self.digest[:16]}..."]
        return as_html(["job", "parties", "inputs", "reveals", "digest"], [row])

    @placed
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as a `.tacit` file, for `tc.load`, `tacit run` and people to read; a query as SQL, if the file is called `.sql`.

        A comment behind each operation has the file and the line that wrote it, for the errors and the disclosure of those who read it.
        The digest does not cover comments.

        The program that a query is lowered to knows no more what the answer is: its results are columns with padding.
        """
        self._written_down("saved")
        as_sql = os.fspath(path).lower().endswith(".sql")
        if as_sql and self._source is None:
            raise InputError("only a query is written as SQL: call the file .tacit")
        with _writable(path) as file:
            file.write(self._source if as_sql and self._source is not None else commented(self._program, self._origin))

    def _written_down(self, done: str) -> None:
        if self._keeping is not None and done != "run with others":
            raise InputError(
                f"not supported: a job that keeps secrets or takes kept ones is not {done}. Its program depends on what a run protects "
                "against, and has inputs that only Python draws and stores"
            )
        if self._suggested:
            names = ", ".join(sorted(self._suggested))
            raise InputError(
                f"the bounds of {names} were taken from data by tc.suggest: print the schema, paste what you want to be public "
                f"into the program, and use that; until then the job runs in this process and is not {done}"
            )

    def lints(self) -> list[Lint]:
        """What looks unwise in what it reveals. Nothing is refused for it."""
        if self._disclosed is not None:
            parts = [advice.partition("  ") for advice in self._disclosed[4]]
            return [Lint(code, self.name, message) for code, _, message in parts]
        masked = frozenset[str]() if self._keeping is None else self._keeping.results
        return lint(self._program, self._all_inputs, self._promised, self._suggested, masked)

    def disclosure(self) -> Disclosure:
        """What each party gives and learns, what is promised, and what looks unwise."""
        return Disclosure(self)

    # Data.

    def _given(self, given: Mapping[str, Any] | Any, own: str | None) -> tuple[dict[str, Any], dict[str, int], float]:
        """The values of inputs, the row counts, and how far they were rounded."""
        try:
            return self._values(given, own)
        except InputError as error:
            declared = self._declarations(error.inputs)
            if declared:
                error.args = (f"{error}; declared at {declared}", *error.args[1:])
            raise

    def _declarations(self, inputs: Iterable[str]) -> str:
        """Where inputs are declared, as far as that is known."""
        known = self._declared
        if known is None:
            if self._disclosed is not None:
                # The places of what a query in SQL is lowered to are not those of its tables.
                return ""
            places = (within[0][1:] for op, _, within in self._program.nodes if op == "input")
            known = dict(zip((it.name for it in self._all_inputs), places, strict=True))
        found = (known.get(name, ("", 0)) for name in inputs)
        return " and ".join(dict.fromkeys(self._origin.shown(file, line) for file, line in found if line))

    def _values(self, given: Mapping[str, Any] | Any, own: str | None) -> tuple[dict[str, Any], dict[str, int], float]:
        if not isinstance(given, Mapping) or own is not None:
            given = self._own(given, own)
        found = data.by_input(self._inputs, given, self.parties, own, self._files)
        inputs: dict[str, Any] = {}
        counts: dict[str, tuple[int, str]] = {}
        rounding = 0.0
        for it in self._inputs:
            if it.name not in found:
                continue
            known = self._known.get(it.name)
            said = known is None or known.name in found
            inputs[it.name], rounded, there = data.values(it, found[it.name], nullable=not said)
            if known is not None and there is not None:
                inputs[known.name] = there
            rounding = max(rounding, rounded)
            for axis, length in enumerate(it.shape):
                if length in self.rows:
                    self._count(counts, it, length, it.shape_of(found[it.name])[axis])
        most = {name: most for name, (_, most) in self.rows.items()}
        return inputs, {name: most[name] if name in self._padded else rows for name, (rows, _) in counts.items()}, rounding

    def _read(self, party: str, table: str | None, path: str) -> dict[str, Any]:
        """What a file gives of a party's inputs."""
        try:
            return dict(self._program.read_table(party, table, path))
        except _tacit.Failure as error:
            raise file_failure(error) from None

    def _count(self, counts: dict[str, tuple[int, str]], it: data.Input, dim: str, rows: int) -> None:
        known = counts.setdefault(dim, (rows, it.name))
        if known[0] != rows:
            error = data.wrong(it, f"{known[1]!r} and {it.name!r} have {known[0]} and {rows} rows, and both are {dim!r}")
            error.inputs = (known[1], it.name)
            raise error
        least, most = self.rows[dim]
        if not least <= rows <= most:
            raise data.wrong(it, f"{it.name!r} has {rows} rows, and {dim!r} is from {least} to {most}")

    def _own(self, given: Any, own: str | None) -> Mapping[str, Any]:
        names = {it.name for it in self._inputs} | set(self.parties)
        if given is None:
            return {}
        if isinstance(given, Mapping) and all(
            key in names or not isinstance(key, str) or key.partition("/")[0] in self.parties for key in given
        ):
            return given
        if own is None:
            one = self._inputs[0] if self._inputs else None
            example = f', such as {{"{one.party}": {{"{one.name.rpartition(".")[2]}": ...}}}}' if one is not None and one.party else ""
            raise InputError(f"data are a mapping from party or input to values{example}")
        return {own: given}

    @contextlib.contextmanager
    def _checked(self) -> Iterator[None]:
        """Says in errors of a run where the user wrote what they are about, and what a failed check means in a query."""
        try:
            yield
        except TacitError as error:
            if self._disclosed is None or not isinstance(error, CheckFailed):
                said = self._origin.said(str(error))
                said = of_frames(said) if self._of_frame else said
                error.args = (said, *error.args[1:])
                raise
            what = str(error)
            if self._disclosed[3]:
                what += f". This query checks {', and '.join(self._disclosed[3])}: whose rows these are must look for values that repeat"
            raise CheckFailed(of_frames(what) if self._of_frame else what) from None

    # Runs.

    @placed
    def check(self, given: Mapping[str, Any] | None = None, *, kept: Mapping[str, Any] | None = None) -> Result:
        """Computes in the clear, on sample data: the results, and where values left their ranges, broke a promise, or were cut off by a
        layer of a trained model.

        **Nothing is protected**: whoever calls it has all inputs. Nothing is kept for later jobs.

        Args:
            given: Data, as for `run`; samples, unless they are given.
            kept: Values in the clear of arrays that earlier jobs kept, by the names of these; samples, unless they are given.

        Raises:
            InputError: Data that do not fit, with the line where the input is declared, and never a value.
            CheckFailed: A value that the program checks left its range, with the line of the check.

        Each has the file and the line of this call.
        """
        given = given if given is not None else self._samples
        result = self._in_clear(given, kept)
        if self._cut:
            from .onnx.report import cut_off

            result.warnings += cut_off(self, given, kept)
        return result

    def _in_clear(self, given: Mapping[str, Any], kept: Mapping[str, Any] | None) -> Result:
        """Computes in the clear."""
        inputs, _, rounding = self._given(given, None)
        inputs |= self._clear(self._program, kept)
        start = time.perf_counter()
        watch = _tacit.Watch()
        with self._checked():
            outcome = _ran(lambda: _tacit.run_local(self._program, "plain", "instant", (None, None, None), 1, inputs, watch))
        shown = outcome if self._keeping is None else Shown([outcome], self._keeping.results)
        return self._said(Result(shown, rounding, time.perf_counter() - start))

    def _clear(self, program: _tacit.Program, kept: Mapping[str, Any] | None, random: np.random.Generator | None = None) -> dict[str, Any]:
        """Inputs of kept arrays whose values are in the clear, and of arrays to be kept without a mask."""
        if self._keeping is None:
            if kept:
                raise InputError("kept=: this job takes no kept secret")
            return {}
        return self._keeping.given(program, self._keeping.clear(kept, random))

    @placed
    def run(
        self,
        given: Any = None,
        *,
        on: Local | Net | None = None,
        protocol: str = "auto",
        security: Security | None = None,
        corruptions: int | str | None = None,
        prepared: str | os.PathLike[str] | None = None,
        roles: str | Sequence[str] | None = None,
        by: Literal["rings", "circuits", "auto"] | None = None,
        chunk_rows: int | Literal["auto"] | None = None,
        threads: int | None = None,
        session: str | None = None,
        kept: Mapping[str, Any] | None = None,
    ) -> Result:
        """Runs it: all parties in this process, or one party with the others. On a terminal and in a notebook, a query says first what
        it discloses, once, and runs of more than a second show how far they have come. Ctrl-C ends the run for all parties.

        Args:
            given: Data: a mapping from party to frame, or from input to array; with `tc.connect`, this party's own alone. The path of
                a CSV or Parquet file stands for a frame. Of a party with several tables, `{"alice": {"visits": frame}}` or
                `{"alice/visits": frame}`.
            on: `tc.local()`, which protects nobody, or `tc.connect(file)`.
            protocol: `"auto"` takes the fastest that protects as `security` and `corruptions` say; or its name.
            security: What corrupted parties do: `"semi-honest"` ones follow the protocol, `"malicious"` ones do anything.
                Must be said between machines, here or in the `[policy]` of the party's file.
            corruptions: How many parties may be corrupted together: a number, `"one"`, `"minority"` or `"all-but-one"`; one
                unless it is said.
            prepared: The directory of stores that `prepare` filled: the run takes preprocessing from there, and spends it.
            roles: Who plays the protocol's roles 0, 1, 2 and so on: names of parties in this order, or `"auto"`, which gives them out by
                what the links are measured to carry; in the parties' own order unless it is said. Roles differ in what they send and
                wait for, not in what they may learn. It is for a protocol that is named: `protocol="auto"` chooses roles too.
            by: What numbers are computed with under a protocol that is named: `"rings"`, `"circuits"` over bits, or `"auto"`, what takes
                less time on the links. It changes what a run costs, and neither its results nor whom it protects.
            chunk_rows: How many rows of large arrays go through the program together under a protocol that is named, or `"auto"`: more
                take more memory and fewer rounds.
            threads: Worker threads of each party: as many as `tc.connect` says, or one; where parties choose the protocol over a
                network, they choose this too.
            session: The run's name: parties whose names for it differ do not meet. `"default"`, or what `tc.connect` says.
            kept: For trials in this process, values in the clear of arrays that earlier jobs kept, by the names of these. They stand for
                what is kept in `on`.

        Raises:
            InputError: Data that do not fit, with the line where the input is declared, and never a value; or an option that cannot be;
                or a name to keep something as that is taken.
            ConfigurationError: The parties want different things, such as other programs: with a diff of the texts. Or what the job
                takes from an earlier one is not there, was kept by others, or was altered.
            CheckFailed: A value that the program checks left its range. Nothing was revealed.
            NetworkError, MisbehaviourError, PeerError, Stopped: Nothing more was revealed.

        Each has the file and the line of this call.
        """
        _runnable(on, threads)
        self._kept_somewhere(on)
        self._tell()
        net = on or local()
        watch = net._watch()
        with shown(self.name, watch):
            return self._run(watch, given, net, protocol, security, corruptions, prepared, roles, by, chunk_rows, threads, session, kept)

    @placed
    def start(
        self,
        given: Any = None,
        *,
        on: Local | Net | None = None,
        protocol: str = "auto",
        security: Security | None = None,
        corruptions: int | str | None = None,
        prepared: str | os.PathLike[str] | None = None,
        roles: str | Sequence[str] | None = None,
        by: Literal["rings", "circuits", "auto"] | None = None,
        chunk_rows: int | Literal["auto"] | None = None,
        threads: int | None = None,
        session: str | None = None,
        kept: Mapping[str, Any] | None = None,
    ) -> Handle:
        """Runs it in the background: `progress`, `cancel()` and `result()` of what it returns, or `await`.

        The arguments are those of `run`.
        """
        _runnable(on, threads)
        self._kept_somewhere(on)
        self._tell()
        net = on or local()
        place, _ = here()

        def run(watch: _tacit.Watch) -> Result:
            try:
                return self._run(
                    watch, given, net, protocol, security, corruptions, prepared, roles, by, chunk_rows, threads, session, kept
                )
            except TacitError as error:
                place_at(error, place)
                raise

        return Handle(self.name, net._watch(), run)

    def _run(
        self,
        watch: _tacit.Watch,
        given: Any,
        on: Local | Net,
        protocol: str,
        security: Security | None,
        corruptions: int | str | None,
        prepared: str | os.PathLike[str] | None,
        roles: str | Sequence[str] | None,
        by: str | None,
        chunk_rows: int | str | None,
        threads: int | None,
        session: str | None,
        kept: Mapping[str, Any] | None,
    ) -> Result:
        own = on.name if isinstance(on, Net) else None
        if prepared is not None and (protocol == "auto" or own is None):
            raise InputError("prepared= is for runs with others, on=tc.connect(file), under the protocol that it was prepared for: name it")
        form = _form(roles, by, chunk_rows, protocol, prepared is not None)
        inputs, rows, rounding = self._given(given, own)
        many = len(on.parties) if isinstance(on, Net) else len(self.parties)
        threat = _threat(security, corruptions, many, isinstance(on, Net) and protocol == "auto" and not on._has_policy())
        if self._keeping is not None:
            return self._run_keeping(
                self._keeping, watch, inputs, rows, rounding, on, protocol, threat, prepared, form, threads, session, kept
            )
        if kept is not None:
            self._clear(self._program, kept)
        if isinstance(on, Net):
            self._written_down("run with others")
            store = None if prepared is None else os.fspath(prepared)
            with self._checked():
                learned = on._run(self._program, protocol, threat, store, form, session, threads, inputs, watch)
            return self._said(Result(learned, rounding, parties=on.parties))
        with self._checked():
            outcome, seconds, choice = on._run(self._program, protocol, threat, rows, form, threads, inputs, watch)
        return self._said(Result(outcome, rounding, seconds, self.parties, choice))

    def _tell(self) -> None:
        """Tells people once what a query discloses, before it runs for the first time."""
        if self._disclosed is None or self._told:
            return
        _, learned, public, checked, _, computed = self._disclosed
        lines = [f"{self.name} discloses: {', '.join(learned)}"]
        told = (("everybody learns", public), ("of texts, each for its own rows", computed), ("checked in the run", checked))
        lines += [f"{title}: {'; '.join(what)}" for title, what in told if what]
        self._told = tell(lines)

    def _kept_somewhere(self, on: Local | Net | None) -> None:
        """Refuses to keep what nobody would have afterwards."""
        if on is None and self._keeping is not None and self._keeping.keeps:
            (first, *_) = self._keeping.keeps
            raise InputError(f"{first.name!r} is kept where the job runs: trial = tc.local(), and on=trial here and where it is taken")

    def _run_keeping(
        self,
        keeping: Keeping,
        watch: _tacit.Watch,
        inputs: dict[str, Any],
        rows: dict[str, int],
        rounding: float,
        on: Local | Net,
        protocol: str,
        threat: Threat | None,
        prepared: str | os.PathLike[str] | None,
        form: Form,
        threads: int | None,
        session: str | None,
        kept: Mapping[str, Any] | None,
    ) -> Result:
        """A run that keeps secrets, or takes kept ones. What it keeps is stored when it has succeeded."""
        if prepared is not None:
            self._written_down("prepared")
        if protocol != "auto":
            against = keeping.named(protocol)
        else:
            against = threat or (on._party.policy if isinstance(on, Net) else None) or (False, 1)
        program = keeping.of(against)
        keeping.free(on._store)
        if isinstance(on, Net):
            self._written_down("run with others")
            if kept is not None:
                raise InputError("kept= is for values in the clear, in one process: over a network each party has a share")
            if against == (False, 0):
                raise InputError(f"{protocol} protects nobody: secrets that are kept, or were, need another protocol between machines")
            records = keeping.read(on._store, against, on.parties)
            drawn = keeping.drawn([self._number(on.name)])
            inputs |= keeping.given(program, keeping.taken(records, drawn), on.name)
            if keeping.keeps:
                on._store.ready()
            try:
                learned = on._run(program, protocol, threat, None, form, session, threads, inputs, watch)
            except ConfigurationError as error:
                raise keeping.disagreement(error) from None
            outcome = Shown([learned], keeping.results)
            seconds, choice, parties = None, None, on.parties
        else:
            records = keeping.read(on._store, against, self.parties) if kept is None else []
            drawn = keeping.drawn(range(len(self.parties)))
            given = {} if kept is None else keeping.clear(kept)
            inputs |= keeping.given(program, {**given, **keeping.taken(records, drawn)})
            several, seconds, choice = on._run(program, protocol, threat, rows, form, threads, inputs, watch)
            outcome = Shown(several.outcomes if isinstance(several, Several) else [several], keeping.results)
            parties = self.parties
        result = Result(outcome, rounding, seconds, parties, choice, [it.name for it in keeping.keeps])
        keeping.keep(on._store, outcome, drawn, program, against, result.report.protocol, records)
        return self._said(result)

    def _number(self, party: str) -> int:
        """The number of a party in the program."""
        if party not in self.parties:
            raise InputError(f"{party} is none of the parties of this program, {', '.join(self.parties)}")
        return self.parties.index(party)

    def _said(self, result: Result) -> Result:
        """A result, whose remarks and warnings are for those who wrote the job."""
        result.warnings = [self._origin.said(it) for it in result.warnings]
        if self._of_frame:
            result.remarks = [of_frames(it) for it in result.remarks]
        return result

    @placed
    def accuracy(
        self,
        rows: Any,
        *,
        y: Any = None,
        reference: str | Callable[..., Any] | Mapping[str, Any] = "onnx",
        given: Mapping[str, Any] | None = None,
        protocol: str | None = None,
        kept: Mapping[str, Any] | None = None,
    ) -> Accuracy:
        """What fixed point changes of results, on sample data: beside a floating-point reference, in the clear and on request under a
        protocol. For trained models, whose outputs (`tc.onnx.load`, `tc.ml.from_sklearn`) the job reveals as they are, the reference is
        the model itself, and the report has each layer; for any other job, such as one that trains, `reference` gives the results.

        **Nothing is protected**: whoever calls it has the data, and the weights if they are private.

        Args:
            rows: The model's input, one row for each along the first axis; of several inputs, a mapping by name. Of a job without
                models, its data, as for `run`.
            y: True labels or numbers, one for each row: accuracies, or root mean square errors, are reported.
            reference: `"onnx"`, which computes with ONNX's own reference; `"onnxruntime"`; or a function of the rows that gives an
                array, or a mapping from result to array. Of a job without models, such a function of the data, or such a mapping:
                `reference={"weights": model.reference(X, y).coef_}`.
            given: Data of other inputs of the job, by name.
            protocol: A protocol to run too, with all parties in this process.
            kept: Values in the clear of arrays that earlier jobs kept, by the names of these.

        Raises:
            InputError: No result is an output of a model and no reference is given, or there is no such reference.

        Returns:
            A report that prints as tables, with the bits that each layer or result used and how many were left; `to_dict()` has its
            figures.
        """
        if self._models:
            from .onnx.report import measure as of_model

            return of_model(self, rows, y=y, reference=reference, given=given, protocol=protocol, kept=kept)
        if isinstance(reference, str):
            what = "this job reveals no output of a model: accuracy is of results such as net(x)['label'], as they are"
            raise InputError(f"{what}, or of others beside reference={{result: array}}")
        from .accuracy import measure

        return measure(self, {**rows, **(given or {})}, y=y, reference=reference, protocol=protocol, kept=kept)

    @placed
    def prepare(
        self,
        into: str | os.PathLike[str],
        *,
        on: Net,
        protocol: str,
        rows: Mapping[str, int] | None = None,
        runs: int = 1,
        given: Mapping[str, Any] | None = None,
        roles: str | Sequence[str] | None = None,
        by: Literal["rings", "circuits", "auto"] | None = None,
        chunk_rows: int | Literal["auto"] | None = None,
        threads: int | None = None,
        session: str | None = None,
    ) -> dict[str, Any]:
        """Makes the preprocessing of runs to come, with the other parties, and keeps it in this party's store: those runs are
        shorter. What is stored are secrets, and each is spent by one run, even if that fails.

        Args:
            into: The directory of stores: each party's is a folder in it, of the party's name.
            on: `tc.connect(file)`.
            protocol: The protocol's name; the runs say the same.
            rows: Row counts that the runs will have, by name.
            runs: How many runs it is for.
            given: Values of public inputs by name, if there are any; the runs give the same.
            roles: As for `run`, but not `"auto"`; the runs say the same.
            by: As for `run`, but not `"auto"`; the runs say the same.
            chunk_rows: As for `run`, but not `"auto"`; the runs say the same.
            threads: Worker threads of each party; the runs say the same.
            session: What the parties call it.

        Returns:
            `preparation` (what all parties call it), `runs`, `bytes`, `seconds`, `bytes_sent`, `party` and `store`.
        """
        self._written_down("prepared")
        if protocol == "auto":
            raise InputError("what is prepared is for one protocol: name it")
        form = _form(roles, by, chunk_rows, protocol, True)
        _counts(rows)
        counts = dict(rows or {})
        for name, count in (("runs", runs), *counts.items()):
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
                raise InputError(f"{name} is a whole number, not {count!r}")
        watch = on._watch()
        with shown(self.name, watch), self._checked():
            return on._prepare(
                self._program, protocol, os.fspath(into), counts, runs, form, (session, threads), self._public(given or {}), watch
            )

    def _public(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The values of public inputs, which are all that is given."""
        inputs = {it.name: it for it in self._inputs if it.party is None}
        for name in given:
            if name not in inputs:
                raise InputError(f"{name!r} is no public input of this job: nothing else is given before a run")
        for name in inputs:
            if name not in given:
                raise InputError(f"input {name!r}, which is public, has no data: give it to prepare() too")
        return {name: data.values(inputs[name], value)[0] for name, value in given.items()}

    @placed
    def plan(
        self,
        *,
        network: str = "lan",
        security: Security = "semi-honest",
        corruptions: int | str = "one",
        rows: Mapping[str, int] | None = None,
    ) -> Plan:
        """What it would take under each protocol that protects well enough, the fastest first.

        Args:
            network: `lan`, `continental`, `global`, a bandwidth such as `100mbit`, or a TOML file with links.
            security: What corrupted parties do.
            corruptions: How many may be corrupted together.
            rows: Row counts; the most that the program allows, unless they are said.
        """
        _counts(rows)
        malicious, many = _threat(security, corruptions, len(self.parties), True) or (False, 1)
        program = self._program if self._keeping is None else self._keeping.of((malicious, many))
        found = _ran(lambda: program.plan(network, malicious, many, self._counted(rows)))
        return Plan(json.loads(found), network, self.parties)

    @placed
    def explain(self, *, network: str = "lan", protocol: str = "auto", rows: Mapping[str, int] | None = None) -> Explanation:
        """What each operation would take, the most seconds first, with its place in the user's code.

        Args:
            network: As for `plan`.
            protocol: Its name; `"auto"` takes the fastest one that protects against one semi-honest party.
            rows: Row counts; the most that the program allows, unless they are said.
        """
        _counts(rows)
        program = self._program if protocol == "auto" else self._under(protocol)
        if protocol == "auto":
            protocol = self.plan(network=network, rows=rows).best
        found = json.loads(_ran(lambda: program.explain(network, protocol, self._counted(rows))))
        for it in found["operations"]:
            it["file"], it["line"] = self._origin.of(it["file"], it["line"])
        return Explanation(found)

    def _counted(self, rows: Mapping[str, int] | None) -> list[tuple[str, int]]:
        """Row counts as the program has them: padded tables count as the longest ones."""
        most = {name: most for name, (_, most) in self.rows.items() if name in self._padded}
        return [(name, most.get(name, count)) for name, count in (rows or {}).items()]

    def _under(self, protocol: str) -> _tacit.Program:
        """The program that runs under a protocol."""
        return self._program if self._keeping is None else self._keeping.of(self._keeping.named(protocol))

    @placed
    def simulate(
        self,
        given: Mapping[str, Any] | None = None,
        *,
        rows: Mapping[str, int] | None = None,
        network: str = "global",
        protocols: Iterable[str] | None = None,
        security: Security = "semi-honest",
        corruptions: int | str = "one",
        seed: int = 0,
        kept: Mapping[str, Any] | None = None,
    ) -> Simulation:
        """Runs it in virtual time on another network, under several protocols; on random data, unless some are given.

        Args:
            given: Data, as for `run`.
            rows: Row counts of random data.
            network: As for `plan`.
            protocols: Their names; those that `plan` finds, unless they are said.
            security: What corrupted parties do, where no protocols are named.
            corruptions: How many may be corrupted together, where no protocols are named.
            seed: Of the random data.
            kept: Values in the clear of arrays that earlier jobs kept, by the names of these; samples or random ones, unless they are
                given. Nothing is kept.
        """
        _counts(rows)
        if given is None:
            given = self._random(rows or {}, seed)
        inputs, counts, _ = self._given(given, None)
        programs: dict[str, _tacit.Program] = {}
        if protocols is None:
            found = self.plan(network=network, security=security, corruptions=corruptions, rows=counts)
            threat = _threat(security, corruptions, len(self.parties), True) or (False, 1)
            program = self._program if self._keeping is None else self._keeping.of(threat)
            programs = {it["protocol"]: program for it in found.candidates}
        else:
            named = [protocols] if isinstance(protocols, str) else list(protocols)
            programs = {protocol: self._under(protocol) for protocol in named}
        reports = {}
        for protocol, program in programs.items():
            everything = {**inputs, **self._clear(program, kept, np.random.default_rng(seed))}
            outcome = _ran(partial(_tacit.run_local, program, protocol, network, (["auto"], None, None), 1, everything, _tacit.Watch()))
            reports[protocol] = json.loads(outcome.report)
        return Simulation(reports, network)

    def _random(self, rows: Mapping[str, int], seed: int) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        for name in rows:
            if name not in self.rows:
                raise InputError(f"there is no row count {name!r}: {', '.join(self.rows)}")
        counts = {name: rows.get(name, min(most, 1000)) for name, (_, most) in self.rows.items()}
        found = self._distinct(counts, rows, rng)
        which = {it.name for it in self._known.values()}
        for it in self._inputs:
            if it.name in found:
                continue
            shape = [int(axis) if axis.isdigit() else counts[axis] for axis in it.shape]
            low, high = it.interval
            raw = rng.integers(low, high, size=shape, endpoint=True, dtype=np.int64 if high < 2**63 else np.uint64)
            if it.name in which:
                raw = np.maximum(raw, rng.random(shape) < 0.8)
            # Both are words of 64 bits: which, NumPy's types do not say.
            words: Any = raw.reshape(-1)
            found[it.name] = raw.astype(bool) if it.kind == "bit" else _tacit.Raw(words)
        return found

    def _distinct(self, counts: dict[str, int], said: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
        """Random values of inputs that no two rows have equal values of. There are no more rows than values, unless they were said."""
        found: dict[str, Any] = {}
        inputs = {it.name: it for it in self._inputs}
        for key in self._program.unique:
            own = [inputs[name] for name in key]
            if any(it.name in found for it in own):
                continue
            sizes = [it.interval[1] - it.interval[0] + 1 for it in own]
            many = min(math.prod(sizes), 2**62)
            rows = own[0].shape[0]
            if rows not in said:
                counts[rows] = min(counts[rows], many)
            places = rng.choice(many, size=counts[rows], replace=counts[rows] > many)
            for it, size in zip(own, sizes, strict=True):
                raw = it.interval[0] + places % min(size, 2**62)
                places = places // min(size, 2**62)
                found[it.name] = raw.astype(bool) if it.kind == "bit" else _tacit.Raw(np.ascontiguousarray(raw.astype(np.int64)))
                known = self._known.get(it.name)
                if known is not None:
                    found[known.name] = np.ones(counts[rows], dtype=bool)
        return found


@placed
def load(path: str | os.PathLike[str]) -> Job:
    """A job from a `.tacit` file, or from one of SQL that is called `.sql`.

    Where comments of the file say which lines of Python wrote its operations, as those of `job.save` do, errors and the disclosure name
    these, with the line of the file beside.
    """
    if os.fspath(path).lower().endswith(".sql"):
        return sql(os.fspath(path))
    name = os.fspath(path)
    job = Job._of(_ran(lambda: _tacit.Program.read(name)))
    job._origin = Origin.read(name)
    return job


@placed
def sql(query: str | os.PathLike[str]) -> Job:
    """A job from a query in SQL over the tables of several parties: `CREATE TABLE` of each, who learns the answer, and a `SELECT`.

    Each party gives a table for each of its own: a frame of pandas or Polars, whatever has the Arrow PyCapsule interface, a mapping
    from column to array, or the path of a CSV or Parquet file. Rows go in as they are: no filter or join shows which rows it kept.
    What opens is the answer, to those whom `GRANT SELECT ON result` names, and `job.disclosure()` says what else is seen, such as how
    many rows each table has. The answer is `table` of what `job.run` gives.

    Args:
        query: The text, or the path of a file: a path object, or a text of one line that ends with `.sql`.

    Raises:
        ProgramError: The text is no query, or one that is not supported. The message says what can be written instead, and `line` and
            `column` where it is.
        InputError: The file cannot be read.

    >>> import tacit as tc
    >>> job = tc.sql('''
    ...     CREATE TABLE alice.visits (plan ENUM ('basic', 'full') NOT NULL, cost DECIMAL(6, 2) NOT NULL) WITH (max_rows = 1000);
    ...     CREATE TABLE bob.visits (LIKE alice.visits);
    ...     GRANT SELECT ON result TO alice, bob;
    ...     SELECT plan, sum(cost) AS cost FROM visits GROUP BY plan ORDER BY plan;
    ... ''')
    >>> res = job.run({"alice": {"plan": ["full"], "cost": [12.25]}, "bob": {"plan": ["full", "basic"], "cost": [1, 7.5]}})
    >>> res.table.to_dict()
    {'plan': ['basic', 'full'], 'cost': [Decimal('7.50'), Decimal('13.25')]}
    """
    if isinstance(query, os.PathLike) or (query.lower().endswith(".sql") and "\n" not in query):
        name = os.fspath(query)
        try:
            with open(name, encoding="utf-8") as file:
                source = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{name}: {getattr(error, 'strerror', None) or 'this is no UTF-8 text'}") from None
    else:
        name, source = "query.sql", query
    try:
        job = Job._of(_tacit.Program.parse_sql(name, source), source)
        columns = {it.name: (name, it.line) for it in declared(source)}
        job._declared = {it: columns[it.lower()] for it in job.input_names if it.lower() in columns}
        return job
    except _tacit.Mistake as error:
        place, line, message, column = error.args
        ranges = TOO_WIDE in message
        kind = RangeError if ranges else ProgramError
        raise kind(f"{message}{pointed(source, name, line, column, ranges)}", place, line, column) from None
    except _tacit.Failure as error:
        raise ProgramError(error.args[1], name) from None


def _runnable(on: Any, threads: Any) -> None:
    """Refuses places to run and numbers of threads that are none."""
    if on is not None and not isinstance(on, (Local, Net)):
        raise InputError(f'on= says where: tc.local(), tc.local(transport="tcp") or tc.connect(file), not {type(on).__name__}')
    if threads is not None and (isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1):
        raise InputError(f"threads is a number from 1, not {threads!r}")


def _counts(rows: Any) -> None:
    """Refuses row counts that are not given by name."""
    if rows is not None and not isinstance(rows, Mapping):
        raise InputError(f'rows are given by name, as in rows={{"n": 500}}, not as {type(rows).__name__}')


def _writable(path: str | os.PathLike[str]) -> TextIO:
    """A file to write."""
    try:
        return open(path, "w", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: {error.strerror}") from None


def _ran(run: Callable[[], _T]) -> _T:
    try:
        return run()
    except _tacit.Failure as error:
        raise failure(error) from None


def _places(roles: str | Sequence[str] | None, protocol: str, stored: bool) -> list[str] | None:
    """Who plays which role, as the runs want it: names of parties, or `["auto"]`."""
    if roles is None:
        return None
    if protocol == "auto":
        raise InputError('roles= is for a protocol that is named, such as protocol="lift": "auto" chooses roles with the protocol')
    places = [roles] if isinstance(roles, str) else list(roles) if isinstance(roles, Sequence) else []
    named = places != [] and all(isinstance(it, str) and "," not in it for it in places)
    if not named or (isinstance(roles, str) and roles != "auto"):
        raise InputError(f'roles is "auto", or a list with the name of a party for each role, not {roles!r}')
    if stored and places == ["auto"]:
        raise InputError("what is prepared is for roles that are given: name the parties, in the order of their roles")
    return places


def _form(roles: str | Sequence[str] | None, by: str | None, chunk_rows: int | str | None, protocol: str, stored: bool) -> Form:
    """What is said of how a protocol that is named runs, as the runs want it."""
    places = _places(roles, protocol, stored)
    for name, value in (("by", by), ("chunk_rows", chunk_rows)):
        if value is not None and protocol == "auto":
            raise InputError(f'{name}= is for a protocol that is named, such as protocol="lift": "auto" chooses it with the protocol')
        if value == "auto" and stored:
            raise InputError(f"what is prepared is for {name}= that is given, not chosen for the links of a run")
    if by not in (None, "rings", "circuits", "auto"):
        raise InputError(f'by is "rings", "circuits" or "auto", not {by!r}')
    if chunk_rows is None or chunk_rows == "auto":
        return places, by, chunk_rows
    if isinstance(chunk_rows, bool) or not isinstance(chunk_rows, (int, np.integer)) or chunk_rows < 1:
        raise InputError(f'chunk_rows is "auto" or a number of rows from 1, not {chunk_rows!r}')
    return places, by, str(int(chunk_rows))


def _threat(security: str | None, corruptions: int | str | None, parties: int, required: bool) -> tuple[bool, int] | None:
    if security is None and corruptions is None and not required:
        return None
    if security not in ("semi-honest", "malicious"):
        hint = "between machines there is no default, unless the party's file has a [policy]"
        raise InputError(f'say what corrupted parties do: security="semi-honest" or "malicious"; {hint}')
    named = {"one": 1, "minority": max(1, (parties - 1) // 2), "all-but-one": parties - 1}
    corruptions = "one" if corruptions is None else corruptions
    if isinstance(corruptions, str) and corruptions not in named:
        raise InputError(f'corruptions is "one", "minority", "all-but-one" or a number, not {corruptions!r}')
    many = named[corruptions] if isinstance(corruptions, str) else corruptions
    if isinstance(many, bool) or not isinstance(many, int) or many < 1:
        raise InputError(f"corruptions={corruptions!r} of {parties} parties is nobody: say how many to be protected against, from 1")
    return security == "malicious", many


# Ranges of one line that are listed.
_RANGES_OF_A_LINE = 3
# In the canonical text each operation has a line of its own.
_RANGES = re.compile(r"^ *let .* = (check|assume)\(.*, in (\S+)\)$", re.MULTILINE)


def _listed(places: Mapping[tuple[str, int], Iterable[str]], origin: Origin) -> str:
    """The user's places with ranges."""
    own: dict[tuple[str, int], tuple[list[tuple[str, int]], dict[str, None]]] = {}
    for place, ranges in sorted(places.items()):
        lines, known = own.setdefault(origin.of(*place), ([], {}))
        lines.append(place)
        known.update(dict.fromkeys(it for it in ranges if it))
    texts = []
    for place, (lines, known) in sorted(own.items()):
        shown = list(known)
        more = f" and {len(shown) - _RANGES_OF_A_LINE} more ranges" if len(shown) > _RANGES_OF_A_LINE else ""
        texts.append(f"{origin.several(place, lines)}{' in ' if known else ''}{' and '.join(shown[:_RANGES_OF_A_LINE])}{more}")
    return ", ".join(texts) or "nothing"


class Disclosure:
    """What a job takes and reveals, for people to read before they consent."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.lints = job.lints()

    def _sections(self) -> list[tuple[str, list[list[str]]]]:
        """What the disclosure lists, under its headings."""
        job = self.job
        taken = self._taken()
        if job._disclosed is not None:
            plan, learned, public, checked, advice, computed = job._disclosed
            sections: list[tuple[str, Sequence[str | list[str]]]] = [
                ("LEARNED, and nothing else", learned),
                ("LEARNED BY EVERYBODY", public),
                ("TAKEN", taken),
                ("COMPUTED BY THE OWNERS of texts, each of its own rows", computed),
                ("CHECKED IN THE RUN, and everybody learns whether it holds; nothing is shown if it does not", checked),
                ("LOOK AT", advice),
                ("COMPUTED", plan.splitlines()),
            ]
            return [(heading, [[it] if isinstance(it, str) else it for it in lines]) for heading, lines in sections if lines]
        parties = job.parties
        revealed = []
        for name, to, type in job._results:
            who = "everybody" if len(to) == len(parties) else ", ".join(parties[it] for it in to)
            learns = "learns" if len(to) == 1 or who == "everybody" else "learn"
            revealed.append([f"{who} {learns}", name, type.replace(" secret", "").replace(" public", "")])
        for dim, (least, most) in job.rows.items():
            known = f"that {dim} has {most} rows at most, and not how many"
            revealed.append(["everybody learns", known if dim in job._padded else f"row count {dim}, from {least} to {most}"])
        places = self._places()
        verified = _listed(places["check"], job._origin)
        told = f"{verified}; 1 bit for all together, to everybody" if places["check"] else "nothing"
        keeping = [] if job._keeping is None else job._keeping.disclosed()
        found = [
            ("REVEALED, and nothing else", revealed or [["nothing"]]),
            *keeping,
            ("TAKEN", taken),
            (f"CHECKED IN THE RUN  {told}", []),
            (f"PROMISED, UNVERIFIED  {_listed(places['assume'], job._origin)}", []),
        ]
        # Whether somebody wrote tc.clip is not known of a program that was read.
        heading = "CUT OFF" if job._bounds is not None else "CUT OFF, or a minimum or maximum with a number"
        found.append((f"{heading}  {_listed(places['clip'], job._origin)}", []))
        if self.lints:
            found.append(("LOOK AT", [[it.code, it.message] for it in self.lints]))
        return found

    def _places(self) -> dict[str, dict[tuple[str, int], dict[str, None]]]:
        """Where values are checked, promised and cut off, and the ranges that they have there, as far as these are known."""
        job, program = self.job, self.job._program
        found: dict[str, dict[tuple[str, int], dict[str, None]]] = {"check": {}, "assume": {}, "clip": {}}
        within = [it for node in program.nodes for it in node[2]]
        ops = [it for it in within if it[0] in ("check", "assume")]
        ranges = [it[1] for it in _RANGES.findall(program.text)] if ops else []
        if len(ranges) != len(ops):
            ranges = [""] * len(ops)
        for (op, file, line), bounds in zip(ops, ranges, strict=True):
            if op == "check" or job._promised is None or (file, line) in job._promised:
                found[op].setdefault((file, line), {})[bounds] = None
        if job._bounds is not None:
            # What the user wrote. On the same line the library may promise ranges that it has a proof of.
            found["assume"] = {place: dict.fromkeys(job._bounds.get(("promise", place), ())) for place in found["assume"]}
            extremes = {(file, line) for op, file, line in within if op in ("min", "max")}
            clipped = {place: limits for (how, place), limits in job._bounds.items() if how == "clip" and place in extremes}
            found["clip"] = {place: dict.fromkeys(limits) for place, limits in clipped.items()}
            return found
        operations = [(file, line) for op, file, line in within if op != "parameter"]
        limits_of = cuts(program.text)
        if len(limits_of) == len(operations):
            for place, limits in zip(operations, limits_of, strict=True):
                if limits:
                    found["clip"].setdefault(place, {})[limits] = None
        return found

    def _taken(self) -> list[list[str]]:
        taken = []
        which = {it.name for it in self.job._known.values()}
        for it in self.job._inputs:
            if it.name in which:
                continue
            shape = f"[{', '.join(it.shape)}]" if it.shape else ""
            low, high = it.interval
            holds = f"{it.number(low)}..{it.number(high)}"
            if it.meaning == "date":
                holds = "..".join(str(np.datetime64(day, "D")) for day in it.interval)
            elif it.names is not None and self.job._disclosed is not None:
                holds = ", ".join(it.names)
            missing = ", or nothing" if it.name in self.job._known else ""
            if it.derived is not None and self.job._disclosed is None:
                missing += f", which {it.party or 'everybody'} computes: {it.derived.shown}"
            taken.append([f"from {it.party}" if it.party else "public", f"{it.name}{shape}", f"{holds}{missing}"])
        return taken

    def _title(self) -> str:
        return f"job {self.job.name}  digest {self.job.digest[:16]}..."

    def __repr__(self) -> str:
        lines = [self._title()]
        for heading, rows in self._sections():
            lines += [heading, *(f"  {'  '.join(row)}" for row in rows)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return paragraph(self._title()) + "".join(as_html([heading], rows) for heading, rows in self._sections())
