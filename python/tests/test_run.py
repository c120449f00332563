"""Runs: in this process, over TLS, with parties of the command line, and runs that end early."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc

DATA = {"alice": [70, 30, 81], "bob": [4, 2, 7]}


def stay() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=1000, min=1)
    age = alice.array("age", tc.Int(0, 120), shape=n)
    days = bob.array("days", tc.Int(0, 1000), shape=n)
    return tc.job("stay", {"mean stay": tc.mean(days, where=age >= 65, frac=8).reveal(to=[alice, bob])})


@pytest.mark.parametrize("protocol", ["auto", "trio", "replicated", "lift", "yao-three", "gmw:3"])
def test_every_protocol_gives_what_the_clear_does(protocol: str) -> None:
    job = stay()
    assert job.check(DATA).mean_stay == 5.5
    result = job.run(DATA, protocol=protocol)
    assert result["mean stay"] == 5.5
    assert protocol in ("auto", result.report.protocol)
    if protocol in ("trio", "replicated"):
        assert result.report.rounds > 20, "a quotient takes many, whoever waits for them"


def test_parties_choose_over_tls() -> None:
    result = stay().run(DATA, on=tc.local(transport="tcp"), security="malicious", corruptions="one")
    assert result.mean_stay == 5.5
    assert result.report.choice is not None
    assert result.report.choice["candidates"][0]["protocol"] == result.report.protocol
    assert result.report.bytes > 0


def test_a_loaded_job_is_the_same_one(tmp_path: Path) -> None:
    job = stay()
    job.save(tmp_path / "stay.tacit")
    loaded = tc.load(tmp_path / "stay.tacit")
    assert loaded.digest == job.digest
    assert loaded.run(DATA, protocol="trio").mean_stay == 5.5


def test_cells_that_run_twice_and_values_that_are_dropped_change_no_digest() -> None:
    first = stay()
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    for _ in range(2):
        n = tc.rows("n", max=1000, min=1)
        unused = tc.rows("unused", max=7)
        alice.array("unused", tc.Fixed(-1, 1), shape=unused).sum()
        age = alice.array("age", tc.Int(0, 120), shape=n)
        _ = age * age + 3
        days = bob.array("days", tc.Int(0, 1000), shape=n)
    again = tc.job("stay", {"mean stay": tc.mean(days, where=age >= 65, frac=8).reveal(to=[alice, bob])})
    assert again.digest == first.digest
    with pytest.raises(tc.ProgramError):
        tc.loop(3, lambda x, i: x.reshape(5, 5), age)
    assert tc.job("stay", {"mean stay": tc.mean(days, where=age >= 65, frac=8).reveal(to=[alice, bob])}).digest == first.digest


def test_python_and_the_command_line_are_parties_of_one_run(command: Path, parties: Path) -> None:
    job = stay()
    job.save(parties / "stay.tacit")
    (parties / "days.csv").write_text("days\n4\n2\n7\n")
    told = ["--protocol", "lift", "--session", "mixed"]
    run = [command, "run", parties / "stay.tacit", *told]
    bob = subprocess.Popen(
        [*run, "--party", parties / "bob.toml", "--table", parties / "days.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    learned: dict[str, tc.Result] = {}

    def carol() -> None:
        learned["carol"] = job.run(on=tc.connect(parties / "carol.toml"), protocol="lift", session="mixed")

    other = threading.Thread(target=carol)
    other.start()
    # A connection with one run is a run.
    with tc.connect(parties / "alice.toml", session="mixed") as net:
        assert (net.name, net.parties) == ("alice", ["alice", "bob", "carol"])
        result = job.run({"age": [70, 30, 81]}, on=net, protocol="lift")
    other.join()
    out, error = bob.communicate(timeout=60)
    assert bob.returncode == 0, error
    assert result.mean_stay == 5.5
    assert "5.5" in out
    assert learned["carol"].keys() == []
    with pytest.raises(AttributeError, match="learned no result"):
        _ = learned["carol"].mean_stay


def script(parties: Path, own: str, given: str, how: str = "protocol='lift'") -> list[str]:
    """A Python process that is one party."""
    text = f"""
        import sys
        sys.path.insert(0, {str(Path(tc.__file__).parents[1])!r})
        import tacit as tc
        job = tc.load({str(parties / "stay.tacit")!r})
        try:
            print(job.run({given}, on=tc.connect({str(parties / own)!r} + ".toml", connect_timeout=20), {how}))
        except tc.TacitError as error:
            print(type(error).__name__, error)
            sys.exit(9)
    """
    return [sys.executable, "-c", textwrap.dedent(text)]


def test_three_processes_choose_a_protocol(parties: Path) -> None:
    stay().save(parties / "stay.tacit")
    how = "security='semi-honest', corruptions='one'"
    given = {"alice": "{'age': [70, 30, 81]}", "bob": "{'days': [4, 2, 7]}", "carol": "None"}
    all_of = {name: subprocess.Popen(script(parties, name, data, how), stdout=subprocess.PIPE, text=True) for name, data in given.items()}
    out = {name: it.communicate(timeout=90)[0] for name, it in all_of.items()}
    assert [it.returncode for it in all_of.values()] == [0, 0, 0], out
    assert "5.5" in out["alice"] and "5.5" in out["bob"] and "5.5" not in out["carol"]


def test_ctrl_c_ends_the_run_for_all_parties(parties: Path) -> None:
    """Carol never comes; Ctrl-C at alice ends bob's wait too."""
    stay().save(parties / "stay.tacit")
    alice = subprocess.Popen(script(parties, "alice", "{'age': [70]}"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    bob = subprocess.Popen(script(parties, "bob", "{'days': [4]}"), stdout=subprocess.PIPE, text=True)
    time.sleep(4)
    alice.send_signal(signal.SIGINT)
    _, error = alice.communicate(timeout=15)
    told, _ = bob.communicate(timeout=40)
    assert "KeyboardInterrupt" in error
    assert bob.returncode == 9
    assert "Error" in told


def test_parties_with_other_programs_hear_of_it(parties: Path) -> None:
    stay().save(parties / "stay.tacit")
    other = parties / "other"
    other.mkdir()
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    days = bob.array("days", tc.Int(0, 1000), shape=tc.rows("n", max=1000, min=1))
    tc.job("stay", {"mean stay": days.sum().reveal(to=[alice, bob])}).save(other / "stay.tacit")
    for file in parties.glob("*.toml"):
        (other / file.name).write_text(file.read_text())
        (other / file.name).chmod(0o600)
    commands = [
        script(parties, "alice", "{'age': [70, 30, 81]}"),
        script(other, "bob", "{'days': [4, 2, 7]}"),
        script(parties, "carol", "None"),
    ]
    assert any(line.startswith("+") and "sum(" in line for it in refused(commands) for line in it.splitlines())
    file = other / "bob.toml"
    file.write_text(file.read_text().replace("[[peers]]", "share_program = false\n\n[[peers]]", 1))
    assert not any(line.startswith(("+", "-")) for it in refused(commands) for line in it.splitlines())


def test_jobs_that_python_builds_differently_are_shown_where(parties: Path) -> None:
    """Bob's script has another threshold: each party hears of it at its own line, and there is a diff of the texts."""

    def job(age: int) -> tc.Job:
        alice, bob, _ = tc.parties("alice", "bob", "carol")
        n = tc.rows("n", max=1000, min=1)
        ages, days = alice.array("age", tc.Int(0, 120), shape=n), bob.array("days", tc.Int(0, 1000), shape=n)
        return tc.job("stay", stay=tc.where(ages >= age, days, 0).sum().reveal(to=[alice, bob]))

    jobs = {"alice": job(65), "bob": job(70), "carol": job(65)}
    assert len({it.digest for it in jobs.values()}) == 2
    data = {"alice": {"age": [70, 30]}, "bob": {"days": [4, 2]}, "carol": None}
    told: dict[str, tc.TacitError] = {}

    def run(name: str) -> None:
        with pytest.raises(tc.TacitError) as caught:
            jobs[name].run(data[name], on=tc.connect(parties / f"{name}.toml", connect_timeout=20), protocol="lift")
        told[name] = caught.value

    threads = [threading.Thread(target=run, args=(name,)) for name in jobs]
    for it in threads:
        it.start()
    for it in threads:
        it.join(60)
    assert set(told) == set(jobs)
    assert all(re.match(r"test_run\.py:\d+: ", str(it)) and it.file == "test_run.py" and it.line for it in told.values()), told
    differ = [str(it) for it in told.values() if isinstance(it, tc.ConfigurationError)]
    lines = {line for text in differ for line in text.splitlines()}
    assert any(line.startswith("-") and "65" in line for line in lines) and any(line.startswith("+") and "70" in line for line in lines), (
        told
    )
    assert all("compare what `job.text` gives at each" in it for it in differ)
    # Each line has the line that wrote it, at whichever party.
    own = [line for line in lines if line.startswith("-") and line != "--- here"]
    assert own and all(line.endswith(f"  # test_run.py:{job.__code__.co_firstlineno + 4}") for line in own), told
    others = [line for line in lines if line.startswith("+") and not line.startswith("+++")]
    assert others and all(re.search(r"  # test_run\.py:[0-9]+$", line) for line in others), told


def refused(commands: list[list[str]]) -> list[str]:
    """What parties with other programs print."""
    all_of = [subprocess.Popen(it, stdout=subprocess.PIPE, text=True) for it in commands]
    out = [it.communicate(timeout=60)[0] for it in all_of]
    assert [it.returncode for it in all_of] == [9, 9, 9], out
    assert any("ConfigurationError" in it and "program" in it for it in out), out
    return out


def test_the_security_is_said_between_machines(parties: Path) -> None:
    net = tc.connect(parties / "alice.toml")
    with pytest.raises(tc.InputError, match="security="):
        stay().run({"age": [70]}, on=net)
    with pytest.raises(tc.InputError, match="security="):
        stay().run({"age": [70]}, on=net, corruptions="one")


def test_plans_follow_the_network() -> None:
    job = stay()
    near, far = job.plan(network="lan", rows={"n": 10}), job.plan(network="global", rows={"n": 10})
    assert near.candidates[0]["seconds"] < far.candidates[0]["seconds"]
    assert far.best in repr(far) and far.best in far.why
    assert "<table>" in far._repr_html_()
    malicious = job.plan(network="global", security="malicious", rows={"n": 10})
    assert {it["protocol"] for it in malicious.candidates} < {it["protocol"] for it in far.candidates}


def test_the_form_of_numbers_and_rows_at_a_time_change_the_cost_alone() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=1000)
    a, b = alice.array("a", tc.Int(0, 1000), shape=n), bob.array("b", tc.Int(0, 1000), shape=n)
    job = tc.job("less", less=(a < b).sum().reveal(to="all"))
    data = {"alice": {"a": list(range(512))}, "bob": {"b": list(range(511, -1, -1))}}

    def cost(**form: Any) -> tuple[int, int]:
        result = job.run(data, on=tc.local(network="lan"), protocol="replicated", **form)
        assert result["less"] == 256
        report = result.report.raw
        return report["rounds"], sum(it["bytes"] for it in report["links"])

    rings, circuits = cost(by="rings"), cost(by="circuits")
    assert cost() == rings != circuits
    assert cost(by="auto") in (rings, circuits)
    assert cost(chunk_rows=np.int64(64))[0] > rings[0] == cost(chunk_rows="auto")[0]
    over_tls = job.run(data, on=tc.local(transport="tcp"), protocol="lift", by="circuits", chunk_rows=64)
    assert over_tls["less"] == 256
    for form, protocol, said in [
        ({"by": "circuits"}, "auto", "by= is for a protocol that is named"),
        ({"chunk_rows": 8}, "auto", "chunk_rows= is for a protocol that is named"),
        ({"by": "bits"}, "lift", 'by is "rings", "circuits" or "auto", not \'bits\''),
        ({"chunk_rows": 0}, "lift", "a number of rows from 1, not 0"),
        ({"chunk_rows": True}, "lift", "a number of rows from 1, not True"),
        ({"by": "rings"}, "gmw:3", "gmw:3"),
    ]:
        with pytest.raises(tc.InputError, match=said):
            job.run(data, on=tc.local(), protocol=protocol, **form)  # type: ignore[arg-type]


def test_roles_are_played_by_those_who_are_named_or_whose_links_are_fast() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100)
    a, b = alice.array("a", tc.Int(0, 1000), shape=n), bob.array("b", tc.Int(0, 1000), shape=n)
    job = tc.job("products", products=(a * b).reveal(to="all"))
    data = {"alice": {"a": [2, 3, 4]}, "bob": {"b": [5, 6, 7]}}

    def sent(roles: Any) -> dict[tuple[int, int], int]:
        result = job.run(data, on=tc.local(network="continental"), protocol="trio", roles=roles)
        assert result["products"].tolist() == [10, 18, 28]
        return {(it["from"], it["to"]): it["bytes"] for it in result.report.raw["links"]}

    usual, turned = sent(None), sent(["bob", "carol", "alice"])
    assert usual == sent(["alice", "bob", "carol"]) != turned
    assert sorted(usual.values()) == sorted(turned.values())
    assert sent("auto")
    over_tls = job.run(data, on=tc.local(transport="tcp"), protocol="lift", roles=["carol", "alice", "bob"])
    assert over_tls["products"].tolist() == [10, 18, 28]
    for roles, protocol, said in [
        (["bob", "carol", "alice"], "auto", "auto.* chooses roles"),
        ("bob", "trio", "a list with the name of a party for each role"),
        ([], "trio", "a list with the name of a party for each role"),
        (5, "trio", "a list with the name of a party for each role, not 5"),
        (["alice,bob", "carol"], "trio", "a list with the name of a party for each role"),
        (["alice", "bob", "dave"], "trio", "dave"),
        (["alice", "bob"], "trio", "trio has 3 roles, not 2"),
    ]:
        with pytest.raises(tc.InputError, match=said):
            job.run(data, on=tc.local(), protocol=protocol, roles=roles)


def test_simulations_say_what_runs_take_elsewhere() -> None:
    found = stay().simulate(rows={"n": 20}, network="global", protocols=["trio", "lift"])
    assert list(found.reports) == ["trio", "lift"]
    assert 0 < found.reports["trio"].seconds < found.reports["lift"].seconds
    assert found.best == "trio"


def test_results_have_labels_and_exact_values() -> None:
    alice, bob = tc.parties("alice", "bob")
    level = alice.array("level", tc.Category(["low", "high"]), shape=4)
    big = bob.array("big", tc.Int(0, 2**63))
    job = tc.job("both", count=tc.group_count(level).reveal(to="all"), levels=level.reveal(to=bob), big=big.reveal(to=alice))
    result = job.run({"alice": {"level": ["low", "high", "high", "high"]}, "bob": 2**63}, protocol="gmw:2")
    np.testing.assert_array_equal(result.count, [1, 3])
    assert result.labels("count") == [{"level": ["low", "high"]}]
    assert result.levels.tolist() == ["low", "high", "high", "high"]
    assert result.exact("big") == ([2**63], 0)
    assert int(result.big) == 2**63


def test_values_of_other_parties_are_refused_where_they_are_used() -> None:
    """Also where a loop's body gives one back: a number of another set of parties would be another value here."""
    (other,) = tc.parties("alice")
    foreign = other.array("x", tc.Int(0, 9))
    alice, _ = tc.parties("alice", "bob")
    own = alice.array("x", tc.Int(0, 9))
    for use in (lambda: own + foreign, lambda: tc.loop(3, lambda x, i: foreign, own), lambda: tc.where(own > 3, own, foreign)):
        with pytest.raises(tc.ProgramError, match=r"test_run.py:\d+: .*set.* of parties"):
            use()
    job = tc.job("own", own=tc.loop(2, lambda x, i: x, own).reveal(to=alice))
    assert int(job.check({"alice": 7}).own) == 7


def test_ctrl_c_gives_control_back_in_memory() -> None:
    text = """
        import signal, threading, time, os, sys
        import tacit as tc
        (alice, bob) = tc.parties("alice", "bob")
        x = alice.array("x", tc.Fixed(0, 1), shape=20000)
        y = tc.loop(200, lambda v, i: tc.sigmoid(v), x * bob.array("y", tc.Int(0, 1)), keep=tc.Fixed(-1, 2), overflow="clip")
        job = tc.job("long", y=y.reveal(to="all"))
        threading.Timer(2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.time()
        try:
            job.run({"alice": [0.5] * 20000, "bob": 1}, protocol="gmw:2")
        except KeyboardInterrupt:
            print("interrupted after", round(time.time() - start))
            sys.stdout.flush()
            os._exit(0)
    """
    source = f"import sys\nsys.path.insert(0, {str(Path(tc.__file__).parents[1])!r})\n" + textwrap.dedent(text)
    out = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert out.stdout.startswith("interrupted after "), out
    assert int(out.stdout.split()[-1]) < 15
