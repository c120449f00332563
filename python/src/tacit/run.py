"""Where jobs run: all parties in this process, or one of several parties."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from . import _tacit
from .errors import InputError, failure, placed
from .shares import Disk, KeptSecret, Memory, Store

__all__ = ["Local", "Net", "connect", "local", "protocols"]

# Whether corrupted parties do anything, and how many there may be.
Threat: TypeAlias = tuple[bool, int]
# Who plays which role, what numbers are computed with, and how many rows go together, as texts, where it is said.
Form: TypeAlias = "tuple[list[str] | None, str | None, str | None]"


class _Keeper:
    """Where jobs run, and where what they keep lies."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @placed
    def list_kept(self) -> list[KeptSecret]:
        """What jobs kept here: names, types, shapes, and by which run; of other parties' folders, nothing is known.

        Raises:
            ConfigurationError: A file is not as this party wrote it.
        """
        return [self._store.read(name).known() for name in self._store.names()]

    @placed
    def delete_kept(self, name: str) -> None:
        """Removes what is kept as `name` here. Without this party's share nobody can take it any more, unless there is a copy of its file.

        Raises:
            InputError: There is no such name.
        """
        if not self._store.has(name):
            there = ", ".join(map(repr, self._store.names())) or "nothing"
            raise InputError(f"nothing is kept as {name!r} in {self._store.place}, which has {there}")
        self._store.delete(name)


class Local(_Keeper):
    """All parties in this process: for trials and tests. **It protects nobody.** What jobs keep is in its memory, and lost with it."""

    def __init__(self, transport: str, network: str) -> None:
        super().__init__(Memory())
        self.transport, self.network = transport, network

    def _watch(self) -> _tacit.Watch:
        return _tacit.Watch()

    def _run(
        self,
        program: _tacit.Program,
        protocol: str,
        threat: Threat | None,
        rows: dict[str, int],
        form: Form,
        threads: int | None,
        inputs: dict[str, Any],
        watch: _tacit.Watch,
    ) -> tuple[_tacit.Outcome | Several, float | None, str | None]:
        """The outcome; the seconds that it took here, unless a network is played; and the plan that it was chosen by."""
        if self.transport == "tcp":
            return self._over_tls(program, protocol, threat or (False, 1), form, threads, inputs, watch), None, None
        instant = self.network == "instant"
        plan = None
        try:
            if protocol == "auto":
                malicious, many = threat or (False, 1)
                plan = program.plan("lan" if instant else self.network, malicious, many, list(rows.items()))
                protocol = json.loads(plan)["candidates"][0]["protocol"]
            start = time.perf_counter()
            outcome = _tacit.run_local(program, protocol, self.network, form, 1 if threads is None else threads, inputs, watch)
        except _tacit.Failure as error:
            raise failure(error) from None
        return outcome, time.perf_counter() - start if instant else None, plan

    def _over_tls(
        self,
        program: _tacit.Program,
        protocol: str,
        threat: Threat,
        form: Form,
        threads: int | None,
        inputs: dict[str, Any],
        watch: _tacit.Watch,
    ) -> Several:
        parties = _tacit.loopback(program.parties)
        owner = {name: party for name, party, *_ in program.inputs}
        outcomes: list[_tacit.Outcome | BaseException | None] = [None] * len(parties)

        def one(me: int) -> None:
            own = {name: values for name, values in inputs.items() if owner[name] in (None, me)}
            named = None if protocol == "auto" else protocol
            choose = threat if named is None else None
            # The first party is the one that is watched, and that ends the run for the others.
            own_watch = watch if me == 0 else _tacit.Watch()
            try:
                outcomes[me] = parties[me].run(program, named, choose, None, form, ("local", threads, 60.0, 30.0), own, own_watch)
            except BaseException as error:
                outcomes[me] = error

        others = [threading.Thread(target=one, args=(me,)) for me in range(1, len(parties))]
        for thread in others:
            thread.start()
        one(0)
        for thread in others:
            thread.join()
        return merged(outcomes)


def merged(outcomes: Sequence[_tacit.Outcome | BaseException | None]) -> Several:
    """What all parties learned; the error that caused the others, if there is one."""
    errors = [it for it in outcomes if isinstance(it, BaseException)]
    caused = [it for it in errors if not (isinstance(it, _tacit.Failure) and it.args[0] == "peer")]
    for error in caused or errors:
        if isinstance(error, _tacit.Failure):
            raise failure(error) from None
        raise error
    return Several([it for it in outcomes if isinstance(it, _tacit.Outcome)])


class Several:
    """The outcomes of several parties as one."""

    def __init__(self, outcomes: list[_tacit.Outcome]) -> None:
        self.outcomes = outcomes
        self.names = list(dict.fromkeys(name for it in outcomes for name in it.names))
        self.report, self.choice = outcomes[0].report, outcomes[0].choice
        self.warnings: list[str] = [text for it in outcomes for text in it.warnings]

    def _of(self, name: str) -> _tacit.Outcome:
        return next(it for it in self.outcomes if name in it.names)

    def array(self, name: str) -> np.ndarray[Any, Any]:
        """A result as an array."""
        return self._of(name).array(name)

    def exact(self, name: str) -> tuple[list[int], int]:
        """A result exactly."""
        return self._of(name).exact(name)

    def decimals(self, name: str) -> int:
        """Digits behind the decimal point of a result."""
        return self._of(name).decimals(name)

    @property
    def answer(self) -> tuple[_tacit.Table, list[str]] | None:
        """The answer of a query, of a party that learned it."""
        return next((answer for it in self.outcomes if (answer := it.answer) is not None), None)

    def texts(self, name: str) -> list[str] | None:
        """What a result's numbers stand for."""
        return self._of(name).texts(name)

    def labels(self, name: str) -> list[list[tuple[str, list[str]]]]:
        """What labels a result's axes."""
        return self._of(name).labels(name)

    @property
    def table(self) -> str:
        """The results as tables."""
        return "\n".join(dict.fromkeys(it.table for it in self.outcomes))


@placed
def local(*, transport: str = "memory", network: str = "instant") -> Local:
    """All parties in this process: for trials and tests. **It protects nobody.**

    Args:
        transport: `"memory"`, or `"tcp"`: TLS over this machine's loopback interface, as parties on several machines do.
        network: In memory, a network to play in virtual time: `instant`, `lan`, `continental`, `global`.
    """
    if transport not in ("memory", "tcp"):
        raise InputError(f'transport is "memory" or "tcp", not {transport!r}')
    if transport == "tcp" and network != "instant":
        raise InputError('a network is played in memory only: leave out transport="tcp"')
    return Local(transport, network)


class Net(_Keeper):
    """One party, which runs jobs with the others: each over a connection of its own; in a `with` block, all over one.

    ```python
    with tc.connect("alice.toml") as net:          # blocks until all parties are there
        first = job.run(own, on=net, protocol="lift")
        second = other.run(own, on=net, protocol="lift")
    ```
    All parties run the same jobs in the block, in the same order, one after the other. A run that fails or is cancelled ends the
    connection for all of them.
    """

    def __init__(self, party: _tacit.Party, session: str, threads: int | None, connect_timeout: float, timeout: float, folder: str) -> None:
        super().__init__(Disk(party, folder))
        self._party, self._session, self._threads, self._deadlines = party, session, threads, (connect_timeout, timeout)
        self._connection: _tacit.Connection | None = None

    @property
    def name(self) -> str:
        """This party."""
        return self._party.name

    @property
    def parties(self) -> list[str]:
        """All parties, by number."""
        return self._party.parties

    def _has_policy(self) -> bool:
        return self._party.policy is not None

    @placed
    def __enter__(self) -> Net:
        if self._connection is not None:
            raise InputError("this party is connected already: one `with` block at a time")
        try:
            self._connection = self._party.connect(self._connecting(None, None), _tacit.Watch())
        except _tacit.Failure as error:
            raise failure(error) from None
        return self

    @placed
    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if kind is not None:
            connection.stop()
            return
        try:
            connection.finish()
        except _tacit.Failure as error:
            raise failure(error) from None

    def _connecting(self, session: str | None, threads: int | None) -> tuple[str, int | None, float, float]:
        own = (self._session if session is None else session, self._threads if threads is None else threads)
        return *own, *self._deadlines

    def _watch(self) -> _tacit.Watch:
        return _tacit.Watch() if self._connection is None else self._connection.watch()

    def __repr__(self) -> str:
        return f"Net: {self.name}, with {', '.join(it for it in self.parties if it != self.name)}"

    def _run(
        self,
        program: _tacit.Program,
        protocol: str,
        threat: Threat | None,
        prepared: str | None,
        form: Form,
        session: str | None,
        threads: int | None,
        inputs: dict[str, Any],
        watch: _tacit.Watch,
    ) -> _tacit.Outcome:
        named = None if protocol == "auto" else protocol
        choose = threat if named is None else None
        connection = self._connection
        if connection is not None and (session is not None or threads is not None):
            raise InputError("this run is over a connection: say session= and threads= to tc.connect")
        try:
            if connection is not None:
                return connection.run(program, named, choose, prepared, form, inputs, watch)
            return self._party.run(program, named, choose, prepared, form, self._connecting(session, threads), inputs, watch)
        except _tacit.Failure as error:
            raise failure(error) from None

    def _prepare(
        self,
        program: _tacit.Program,
        protocol: str,
        into: str,
        rows: dict[str, int],
        runs: int,
        form: Form,
        connecting: tuple[str | None, int | None],
        public: dict[str, Any],
        watch: _tacit.Watch,
    ) -> dict[str, Any]:
        if self._connection is not None:
            raise InputError("not supported over a connection: prepare outside the `with` block")
        try:
            made = self._party.prepare(
                program, protocol, into, list(rows.items()), runs, form, self._connecting(*connecting), public, watch
            )
        except _tacit.Failure as error:
            raise failure(error) from None
        found: dict[str, Any] = json.loads(made)
        return found


@placed
def connect(
    file: str | os.PathLike[str],
    *,
    session: str = "default",
    threads: int | None = None,
    connect_timeout: float = 60.0,
    timeout: float = 30.0,
    kept: str | os.PathLike[str] | None = None,
) -> Net:
    """One party of several, each on its own machine, from its file (`tacit party new`, `tacit party add`).

    Args:
        file: The party's file, with its private key and the fingerprints of the others.
        session: The name of runs: parties whose names differ do not meet.
        threads: Worker threads of each party: one unless it is said, or as many as the parties choose with the protocol.
        connect_timeout: Seconds that the others may take to come up.
        timeout: Seconds that a wait for data may take without progress.
        kept: The folder of this party's shares of what jobs keep, which only its own account may enter; beside the party's file unless
            it is said, and called as that is: `alice.kept` for `alice.toml`. Its files are encrypted under a key that follows from the
            party's private key.
    """
    folder = os.path.abspath(f"{os.path.splitext(os.fspath(file))[0]}.kept" if kept is None else kept)
    try:
        return Net(_tacit.Party.from_file(os.fspath(file)), session, threads, connect_timeout, timeout, folder)
    except _tacit.Failure as error:
        raise failure(error) from None


def protocols() -> dict[str, str]:
    """The protocols by name, with what they protect against."""
    return {name: trust for name, _, trust in _tacit.protocols()}
