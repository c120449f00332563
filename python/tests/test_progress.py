"""How far runs have come, and runs that are stopped."""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import tacit as tc
from tacit import _tacit, progress

ROWS = 50
DATA = {"alice": [0.5] * ROWS, "bob": 1}


def long_job(trips: int) -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(0, 1), shape=ROWS)
    y = bob.array("y", tc.Int(0, 1))
    out = tc.loop(trips, lambda v, i: tc.clip(v * v, 0, 1), x * y, keep=tc.Fixed(-1, 2), overflow="promise")
    return tc.job("long", out=out.reveal(to="all"))


def test_a_run_in_the_background_says_how_far_it_is() -> None:
    handle = long_job(200).start(DATA, protocol="trio")
    seen = [0.0]
    while not handle.done:
        seen.append(handle.progress)
        time.sleep(0.02)
    assert handle.result(timeout=1)["out"].shape == (ROWS,)
    assert handle.progress == 1.0 and handle.done
    assert seen == sorted(seen) and any(0 < it < 1 for it in seen), seen


@pytest.mark.parametrize("transport", ["memory", "tcp"])
def test_a_run_that_is_cancelled_ends(transport: str) -> None:
    """All of it would take many minutes."""
    handle = long_job(100_000).start(DATA, on=tc.local(transport=transport), protocol="trio")
    while handle.progress == 0:
        time.sleep(0.05)
    assert not handle.done
    with pytest.raises(TimeoutError):
        handle.result(timeout=0.01)
    handle.cancel()
    with pytest.raises(tc.Stopped, match="stopped"):
        handle.result(timeout=60)
    # Nothing goes on in the background: nobody computes.
    before = os.times()
    time.sleep(1)
    after = os.times()
    assert after.user - before.user < 0.3


def test_a_run_may_be_cancelled_before_it_starts_and_after_it_ended() -> None:
    handle = long_job(100_000).start(DATA, protocol="trio")
    handle.cancel()
    with pytest.raises(tc.Stopped):
        handle.result(timeout=60)
    ended = long_job(1).start(DATA, protocol="trio")
    ended.result()
    ended.cancel()
    assert ended.result()["out"].shape == (ROWS,)


def test_a_run_in_the_background_can_be_awaited() -> None:
    async def both() -> list[tc.Result]:
        return list(await asyncio.gather(*(long_job(1).start(DATA, protocol="trio") for _ in range(2))))

    first, second = asyncio.run(both())
    assert first["out"].tolist() == second["out"].tolist()


def test_errors_of_a_run_in_the_background_are_raised_where_it_is_asked() -> None:
    handle = long_job(1).start({"alice": [0.5], "bob": 1}, protocol="trio")
    with pytest.raises(tc.InputError):
        handle.result(timeout=60)
    assert handle.done


SCRIPT = """
    import tacit as tc
    from tacit import progress
    progress._PATIENCE = 0.1
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(0, 1), shape=50)
    y = bob.array("y", tc.Int(0, 1))
    y = tc.loop(1000, lambda v, i: tc.clip(v * v, 0, 1), x * y, keep=tc.Fixed(-1, 2), overflow="promise")
    tc.job("long", y=y.reveal(to="all")).run({"alice": [0.5] * 50, "bob": 1}, protocol="trio")
    print("done")
"""


QUERY = """
    import tacit as tc
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    people = alice.table("people", tc.Schema(id=tc.Int(0, 9), plan=tc.Category(["a", "b"])), max_rows=5, unique="id")
    sales = bob.table("sales", tc.Schema(id=tc.Int(0, 9), paid=tc.Int(0, 9)), max_rows=5)
    paid = sales.join(people, on="id").group_by("plan").agg(paid=tc.col.paid.sum()).min_rows(2)
    job = tc.job("plans", table=paid.reveal(to=[alice, bob]))
    data = {"alice": {"id": [1, 2], "plan": ["a", "b"]}, "bob": {"id": [1, 1, 2], "paid": [3, 4, 5]}}
    job.run(data, protocol="trio")
    job.start(data, protocol="trio").result()
    print("done")
"""
TOLD = [
    "plans discloses: alice, bob learn plan, paid, and how many rows there are, groups of fewer than 2 rows are left out",
    "everybody learns: how many rows bob.sales has, from 0 to 5; how many rows alice.people has, from 0 to 5",
    "checked in the run: that no two rows on one side of a join have the same id",
]


def script(source: str = SCRIPT) -> list[str]:
    return [sys.executable, "-c", f"import sys\nsys.path.insert(0, {str(Path(tc.__file__).parents[1])!r})\n" + textwrap.dedent(source)]


def on_a_terminal(source: str) -> str:
    """What a script writes to its terminal, beside "done"."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(script(source), stdout=subprocess.PIPE, stderr=theirs, text=True) as running:
        os.close(theirs)
        shown = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:
                break
            if not more:
                break
            shown += more
        out, _ = running.communicate(timeout=300)
    os.close(ours)
    assert out == "done\n"
    return shown.decode()


def test_a_terminal_shows_a_bar() -> None:
    lines = on_a_terminal(SCRIPT).split("\r")
    assert any(it.startswith("long: [") and "%" in it and "left" in it for it in lines), lines
    assert lines[-1] == "", "it is gone in the end"


def test_nobody_is_shown_a_bar_who_does_not_watch() -> None:
    ran = subprocess.run(script(), capture_output=True, text=True, timeout=300, check=True)
    assert (ran.stdout, ran.stderr) == ("done\n", "")


def test_a_terminal_is_told_once_what_a_query_discloses() -> None:
    assert on_a_terminal(QUERY).splitlines() == TOLD


def test_nobody_is_told_what_a_query_discloses_who_does_not_watch() -> None:
    ran = subprocess.run(script(QUERY), capture_output=True, text=True, timeout=300, check=True)
    assert (ran.stdout, ran.stderr) == ("done\n", "")


def test_a_notebook_is_told_once_what_a_query_discloses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of SQL, and before data are looked at. Names are no HTML."""
    shown: list[dict[str, str]] = []
    monkeypatch.setattr(progress, "_notebook", lambda: lambda data, raw: shown.append(data))
    source = """
        CREATE TABLE alice.t (x INT NOT NULL CHECK (x BETWEEN 0 AND 9)) WITH (max_rows = 9);
        CREATE ROLE bob;
        SET name = '<b>';
        GRANT SELECT ON result TO bob;
        SELECT sum(x) AS total FROM t;
    """
    job = tc.sql(source)
    job.check({"alice": {"x": [1]}})
    assert not shown, "in the clear nothing is disclosed to others"
    with pytest.raises(tc.InputError):
        job.run({"alice": {"x": [10]}}, protocol="gmw")
    job.run({"alice": {"x": [1]}}, protocol="gmw")
    told = ["<b> discloses: bob learns total", "everybody learns: how many rows alice.t has, from 0 to 9"]
    assert [it["text/plain"].splitlines() for it in shown] == [told]
    assert shown[0]["text/html"].startswith("<p>&lt;b&gt; discloses")
    tc.sql(source).run({"alice": {"x": [1]}}, protocol="gmw")
    assert len(shown) == 2, "another job"


def test_a_notebook_has_one_display(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], raw: bool) -> None:
            assert raw
            shown.append(data["text/plain"])

    def display(data: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert raw and display_id and not shown, "it is made once"
        shown.append(data["text/plain"])
        return Handle()

    monkeypatch.setattr(progress, "_notebook", lambda: display)
    monkeypatch.setattr(progress, "_PATIENCE", 0.05)
    monkeypatch.setattr(progress, "_EVERY", 0.05)
    long_job(1000).run(DATA, protocol="trio")
    assert len(shown) >= 2 and shown[-1] == "" and any("%" in it for it in shown), shown


def test_lines_say_what_is_left() -> None:
    assert progress._line("a", None, 3.2) == "a: 3 s"
    assert progress._line("a", 0.25, 10) == f"a: [{'#' * 7}{'.' * 23}]  25% 10 s, 30 s left"
    assert progress._line("a", 1.0, 10).endswith("100% 10 s")
    assert _tacit.Watch().fraction is None
