"""Several runs over one connection, and runs whose preprocessing was stored."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc

NAMES = ("alice", "bob", "carol")


def products() -> tc.Job:
    alice, bob, _ = tc.parties(*NAMES)
    n = tc.rows("n", max=100)
    a, b = alice.array("a", tc.Int(0, 1000), shape=n), bob.array("b", tc.Int(0, 1000), shape=n)
    return tc.job("products", products=(a * b).reveal(to="all"))


def less() -> tc.Job:
    alice, bob, _ = tc.parties(*NAMES)
    a, b = alice.array("a", tc.Int(0, 1000)), bob.array("b", tc.Int(0, 1000))
    return tc.job("less", less=(a < b).reveal(to="all"))


def together(one: Callable[[str], Any]) -> dict[str, Any]:
    """What each party gives, or the error that ends it."""
    given: dict[str, Any] = {}

    def party(name: str) -> None:
        try:
            given[name] = one(name)
        except tc.TacitError as error:
            given[name] = error

    threads = [threading.Thread(target=party, args=(name,)) for name in NAMES]
    for it in threads:
        it.start()
    for it in threads:
        it.join(90)
    return given


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TACIT_STATE", str(tmp_path / "state"))
    return tmp_path / "store"


def test_several_jobs_run_over_one_connection(parties: Path) -> None:
    first, second = products(), less()
    data = {"alice": {"a": [2, 3, 4]}, "bob": {"b": [5, 6, 7]}, "carol": None}
    one = {"alice": {"a": 3}, "bob": {"b": 4}, "carol": None}

    def party(name: str) -> list[Any]:
        with tc.connect(parties / f"{name}.toml", session="jobs") as net:
            learned = [first.run(data[name], on=net, protocol=protocol).products.tolist() for protocol in ("lift", "trio")]
            chosen = second.run(one[name], on=net, security="malicious")
            return [*learned, bool(chosen.less)]

    assert all(learned == [[10, 18, 28], [10, 18, 28], True] for learned in together(party).values())


def test_a_mistake_ends_the_connection_for_all(parties: Path) -> None:
    job = less()

    def party(name: str) -> Any:
        with tc.connect(parties / f"{name}.toml", timeout=10) as net:
            own = {"alice": {"a": 3}, "bob": {"b": 4}}.get(name)
            assert bool(job.run(own, on=net, protocol="lift").less)
            if name == "alice":
                own = {"a": 1001}
            return job.run(own, on=net, protocol="lift")

    errors = together(party)
    assert isinstance(errors["alice"], tc.InputError)
    assert isinstance(errors["bob"], tc.PeerError) and isinstance(errors["carol"], tc.PeerError), errors
    assert not any("1001" in str(error) for error in errors.values())


def test_what_a_connection_says_is_not_said_again(parties: Path) -> None:
    job = less()

    def party(name: str) -> Any:
        with tc.connect(parties / f"{name}.toml") as net:
            return job.run({"alice": {"a": 3}, "bob": {"b": 4}}.get(name), on=net, protocol="lift", threads=2)

    assert all(isinstance(it, tc.InputError) and "tc.connect" in str(it) for it in together(party).values())


@pytest.mark.parametrize("protocol", ["lift", "bmr:3"])
def test_prepared_runs_are_spent_once(parties: Path, state: Path, protocol: str) -> None:
    job = products()
    data = {"alice": {"a": [2, 3, 4]}, "bob": {"b": [5, 6, 7]}, "carol": None}
    nets = {name: tc.connect(parties / f"{name}.toml", timeout=20) for name in NAMES}
    made = together(lambda name: job.prepare(state, on=nets[name], protocol=protocol, rows={"n": 3}, runs=2))
    assert {it["preparation"] for it in made.values()} == {made["alice"]["preparation"]}
    assert {(it["party"], it["runs"]) for it in made.values()} == {(name, 2) for name in NAMES}
    for _ in range(2):
        learned = together(lambda name: job.run(data[name], on=nets[name], protocol=protocol, prepared=state))
        for it in learned.values():
            assert isinstance(it, tc.Result), learned
            np.testing.assert_array_equal(it.products, [10, 18, 28])
    spent = together(lambda name: job.run(data[name], on=nets[name], protocol=protocol, prepared=state))
    assert all(isinstance(it, tc.TacitError) for it in spent.values()), spent


def test_the_command_prepares_and_runs_with_python(command: Path, parties: Path, state: Path) -> None:
    job, net = products(), tc.connect(parties / "alice.toml", timeout=20)
    program = parties / "products.tacit"
    job.save(program)
    (parties / "bob.csv").write_text("b\n5\n6\n7\n")

    def others(*arguments: str | Path) -> list[subprocess.Popen[str]]:
        start = [command, arguments[0], program, "--protocol", "lift", *arguments[1:]]
        tables = {"bob": ["--table", parties / "bob.csv"], "carol": []} if arguments[0] == "run" else {"bob": [], "carol": []}
        return [
            subprocess.Popen(
                [*start, "--party", parties / f"{name}.toml", *table], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for name, table in tables.items()
        ]

    started = others("prepare", "--rows", "n=3", "--into", state)
    job.prepare(state, on=net, protocol="lift", rows={"n": 3})
    assert [(it.communicate(timeout=60)[1], it.returncode)[1] for it in started] == [0, 0]
    started = others("run", "--prepared", state)
    learned = job.run({"a": [2, 3, 4]}, on=net, protocol="lift", prepared=state)
    out = [it.communicate(timeout=60) for it in started]
    assert [it.returncode for it in started] == [0, 0], out
    assert learned.products.tolist() == [10, 18, 28] and "28" in out[0][0]


def test_public_inputs_are_given_to_the_preparation_too(parties: Path, state: Path) -> None:
    program = parties / "scaled.tacit"
    program.write_text(
        "program scaled\nparties alice, bob, carol\ninput a: u8 from alice in 0..100\ninput b: u8 from bob in 0..100\n"
        'input k: u8 public in 0..9\nreveal a * b * k to all as "scaled"\n'
    )
    job = tc.load(program)
    nets = {name: tc.connect(parties / f"{name}.toml", timeout=20) for name in NAMES}
    with pytest.raises(tc.InputError, match="'k', which is public"):
        job.prepare(state, on=nets["alice"], protocol="lift")
    with pytest.raises(tc.InputError, match="'a' is no public input"):
        job.prepare(state, on=nets["alice"], protocol="lift", given={"k": 2, "a": 3})
    together(lambda name: job.prepare(state, on=nets[name], protocol="lift", given={"k": 2}))
    own = {"alice": {"a": 3, "k": 2}, "bob": {"b": 5, "k": 2}, "carol": {"k": 2}}
    learned = together(lambda name: job.run(own[name], on=nets[name], protocol="lift", prepared=state))
    assert [getattr(it, "scaled", it) for it in learned.values()] == [30, 30, 30]


def _one_with(job: tc.Job, data: dict[str, Any], parties: Path, form: dict[str, Any], name: str) -> Any:
    """A run in which alice says what the others do not."""
    own = form if name == "alice" else {}
    return job.run(data[name], on=tc.connect(parties / f"{name}.toml"), protocol="trio", **own)


def test_roles_are_the_same_at_all_parties(parties: Path, state: Path) -> None:
    job = products()
    data = {"alice": {"a": [2, 3, 4]}, "bob": {"b": [5, 6, 7]}, "carol": None}
    turned = ["carol", "alice", "bob"]

    def run(roles: dict[str, Any], **more: Any) -> dict[str, Any]:
        def one(name: str) -> Any:
            return job.run(
                data[name], on=tc.connect(parties / f"{name}.toml"), protocol="trio", roles=roles[name], **more
            ).products.tolist()

        return together(one)

    for roles in ("auto", turned):
        assert run(dict.fromkeys(NAMES, roles)) == {name: [10, 18, 28] for name in NAMES}
    for others, said in [(None, "roles: here 2,0,1, there 0,1,2"), ("auto", "the same `threads=` and `roles=`")]:
        found = run({"alice": turned, "bob": others, "carol": turned})
        assert all(isinstance(it, tc.ConfigurationError) for it in found.values()), found
        assert any(said in str(it) for it in found.values()), found

    for form, said in [({"by": "circuits"}, "the same `by=`"), ({"chunk_rows": 2}, "the same `chunk_rows=`")]:
        found = together(partial(_one_with, job, data, parties, form))
        assert all(isinstance(it, tc.ConfigurationError) for it in found.values()), found
        assert any(said in str(it) for it in found.values()), found

    def prepared(name: str) -> Any:
        net = tc.connect(parties / f"{name}.toml")
        with pytest.raises(tc.InputError, match="roles that are given"):
            job.prepare(state, on=net, protocol="trio", rows={"n": 3}, roles="auto")
        with pytest.raises(tc.InputError, match="by= that is given"):
            job.prepare(state, on=net, protocol="trio", rows={"n": 3}, by="auto")
        job.prepare(state, on=net, protocol="trio", rows={"n": 3}, roles=turned)
        return job.run(data[name], on=net, protocol="trio", prepared=state, roles=turned).products.tolist()

    assert together(prepared) == {name: [10, 18, 28] for name in NAMES}


def test_a_right_run_follows_a_wrong_one_at_once(parties: Path, state: Path) -> None:
    job = products()
    data = {"alice": {"a": [2, 3, 4]}, "bob": {"b": [5, 6, 7]}, "carol": None}

    def wrong(name: str) -> Any:
        return job.prepare(state, on=tc.connect(parties / f"{name}.toml"), protocol="trio", rows={"n": 3000})

    def right(name: str) -> Any:
        return job.run(data[name], on=tc.connect(parties / f"{name}.toml"), protocol="trio").products.tolist()

    for _ in range(3):
        assert all("3000 rows" in str(it) for it in together(wrong).values())
        assert together(right) == {name: [10, 18, 28] for name in NAMES}


def test_who_leaves_the_block_ends_a_run_in_the_background(parties: Path) -> None:
    """Bob does not run the job. Alice leaves while her run waits for him: nobody waits any longer."""
    job, left = less(), threading.Event()

    def party(name: str) -> Any:
        with tc.connect(parties / f"{name}.toml", timeout=20) as net:
            if name == "bob":
                left.wait(30)
                return job.run({"b": 4}, on=net, protocol="lift")
            running = job.start({"a": 3} if name == "alice" else None, on=net, protocol="lift")
            if name == "alice":
                time.sleep(0.5)
                left.set()
                raise tc.InputError("left by its user")
            return running.result()

    start = time.monotonic()
    ends = together(party)
    assert time.monotonic() - start < 20
    assert "left by its user" in str(ends["alice"])
    assert isinstance(ends["carol"], tc.PeerError) and isinstance(ends["bob"], tc.TacitError), ends


def test_one_connection_at_a_time(parties: Path) -> None:
    job = less()

    def party(name: str) -> Any:
        with tc.connect(parties / f"{name}.toml") as net:
            with pytest.raises(tc.InputError, match="connected already"), net:
                pass
            return bool(job.run({"alice": {"a": 3}, "bob": {"b": 4}}.get(name), on=net, protocol="lift").less)

    assert list(together(party).values()) == [True, True, True]


def test_preparation_says_what_it_needs(parties: Path, state: Path) -> None:
    job, net = products(), tc.connect(parties / "alice.toml", connect_timeout=1)
    with pytest.raises(tc.InputError, match="name it"):
        job.prepare(state, on=net, protocol="auto", rows={"n": 3})
    for runs in (-1, 1.5, True):
        with pytest.raises(tc.InputError, match="runs is a whole number"):
            job.prepare(state, on=net, protocol="lift", rows={"n": 3}, runs=runs)
    with pytest.raises(tc.InputError, match="from 1 to 1000000 runs"):
        job.prepare(state, on=net, protocol="lift", rows={"n": 3}, runs=0)
    with pytest.raises(tc.InputError, match="how many rows `n`"):
        job.prepare(state, on=net, protocol="lift")
    with pytest.raises(tc.InputError, match="name it"):
        job.run(on=net, security="malicious", prepared=state)
    with pytest.raises(tc.InputError, match="prepared="):
        job.run({"alice": {"a": [1]}, "bob": {"b": [1]}}, protocol="lift", prepared=state)
