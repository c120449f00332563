"""What a job says about itself, and the remarks on what looks unwise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tacit as tc


def columns() -> tuple[tc.Party, tc.Party, tc.Array, tc.Array, tc.Array]:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100)
    plan = alice.array("plan", tc.Category(["low", "high"]), shape=n)
    age = alice.array("age", tc.Int(0, 120), shape=n)
    days = bob.array("days", tc.Int(0, 1000), shape=n)
    return alice, bob, plan, age, days


def codes(job: tc.Job) -> set[tuple[str, str]]:
    return {(it.code, it.result) for it in job.lints()}


def test_a_value_for_every_row() -> None:
    alice, _, _, age, days = columns()
    assert ("D1", "rows") in codes(tc.job("j", rows=(age + days).reveal(to=alice)))
    assert not codes(tc.job("j", total=(age + days).sum().reveal(to="all")))


def test_one_of_two_owners_learns_an_aggregate() -> None:
    alice, bob, _, age, days = columns()
    total = age.sum() + days.sum()
    assert ("D2", "total") in codes(tc.job("j", total=total.reveal(to=alice)))
    assert not codes(tc.job("j", total=total.reveal(to=[alice, bob])))
    assert not codes(tc.job("j", total=age.sum().reveal(to=alice)))


def test_groups_that_may_be_small() -> None:
    _, _, plan, _, days = columns()
    people = tc.group_count(plan)
    assert ("D3", "people") in codes(tc.job("j", people=people.reveal(to="all")))
    assert ("D3", "stay") in codes(tc.job("j", stay=tc.group_mean(days, plan).reveal(to="all")))
    assert not codes(tc.job("j", people=tc.where(people >= 10, people, 0).reveal(to="all")))


def test_two_results_that_differ_by_a_filter() -> None:
    alice, bob, plan, age, days = columns()
    old, long = age >= 65, days > 100
    pairs = {
        "sums": (tc.where(old, days, 0).sum(), tc.where(old & long, days, 0).sum()),
        "all": (days.sum(), tc.where(old, days, 0).sum()),
        "counts": (old.sum(), (old & long).sum()),
        "groups": (tc.group_count(plan, where=long), tc.group_count(plan, where=long & old)),
        "sums by group": (tc.group_sum(days, plan), tc.group_sum(days, plan, where=old)),
    }
    for name, (more, fewer) in pairs.items():
        found = tc.job("j", more=more.reveal(to="all"), fewer=fewer.reveal(to="all")).lints()
        (one,) = [it for it in found if it.code == "D4"]
        assert one.result == "fewer" and one.message.startswith("'more' less 'fewer' is about the rows"), name
        apart = tc.job("j", more=more.reveal(to=alice), fewer=fewer.reveal(to=bob))
        assert not [it for it in apart.lints() if it.code == "D4"], name
    other = {
        "neither has the other": (tc.where(old, days, 0).sum(), tc.where(long, days, 0).sum()),
        "other values": (days.sum(), tc.where(old, age, 0).sum()),
        "a sum and a count": (days.sum(), (old & long).sum()),
        "the greatest": (days.max(), tc.where(old, days, 0).max()),
    }
    for name, (more, fewer) in other.items():
        job = tc.job("j", more=more.reveal(to="all"), fewer=fewer.reveal(to="all"))
        assert not [it for it in job.lints() if it.code == "D4"], name


def test_bounds_from_data_stay_here(tmp_path: Path) -> None:
    alice, bob = tc.parties("alice", "bob")
    schema = tc.suggest({"age": [30, 70]})
    age = alice.array("age", schema["age"], shape=2)
    job = tc.job("j", total=age.sum().reveal(to=bob))
    assert ("D5", "alice.age") in codes(job)
    assert int(job.run({"alice": [30, 70]}).total) == 100
    with pytest.raises(tc.InputError, match="taken from data"):
        job.save(tmp_path / "j.tacit")


def test_promises_are_named_with_their_lines() -> None:
    _, _, _, age, days = columns()
    kept = tc.promise(age * days, 0, 5000)
    job = tc.job("j", total=kept.sum().reveal(to="all"))
    assert ("D6", "total") in codes(job)
    shown = repr(job.disclosure())
    assert f"PROMISED, UNVERIFIED  test_disclosure.py:{test_promises_are_named_with_their_lines.__code__.co_firstlineno + 2}" in shown
    # What the library promises by itself, with a proof beside it, is not the user's.
    mean = tc.job("j", stay=tc.mean(days, where=age > 64).reveal(to="all"))
    assert "PROMISED, UNVERIFIED  nothing" in repr(mean.disclosure())


def test_the_disclosure_has_ranges_of_what_is_checked_promised_and_cut_off(tmp_path: Path) -> None:
    _, _, _, age, days = columns()
    checked, both = tc.check(age * days, 0, 5000), tc.clip(age, 18, 65)
    low, twice = tc.clip(days, min=1.5), tc.check(age, 1, 99) + tc.check(days, 0, 999)
    sure = tc.mean(tc.promise(days, 0, 500))
    unused = tc.clip(days, 3, 4)
    grown = tc.loop(3, lambda v, i: v + v, age, keep=tc.Int(0, 200), overflow="clip")
    at = test_the_disclosure_has_ranges_of_what_is_checked_promised_and_cut_off.__code__.co_firstlineno + 2
    del unused
    values = {"checked": checked, "both": both, "low": low, "twice": twice, "grown": grown}
    job = tc.job("j", {name: it.sum().reveal(to="all") for name, it in values.items()}, sure=sure.reveal(to="all"))
    shown = str(job.disclosure()).splitlines()
    file = "test_disclosure.py"
    assert f"CHECKED IN THE RUN  {file}:{at} in 0..5000, {file}:{at + 1} in 1..99 and 0..999; 1 bit for all together, to everybody" in shown
    assert f"PROMISED, UNVERIFIED  {file}:{at + 2} in 0..500" in shown
    assert f"CUT OFF  {file}:{at} in 18..65, {file}:{at + 1} in 1.5.., {file}:{at + 4} in 0..200" in shown
    assert "CUT OFF  test_disclosure.py" in job.disclosure()._repr_html_()
    assert "CUT OFF  nothing" in repr(tc.job("j", age=tc.minimum(age, days).sum().reveal(to="all")).disclosure())
    # A program that was read says the same, with the lines of the file.
    job.save(tmp_path / "j.tacit")
    read = re.sub(r" \(j\.tacit:[^)]+\)", "", repr(tc.load(tmp_path / "j.tacit").disclosure())).splitlines()
    assert next(it for it in shown if it.startswith("CHECKED IN THE RUN")) in read
    (promised,) = [it for it in read if it.startswith("PROMISED, UNVERIFIED  ")]
    assert f"{file}:{at + 2} in 0..500" in promised
    (cut,) = [it for it in read if it.startswith("CUT OFF, or a minimum or maximum with a number  ")]
    assert all(it in cut for it in (f"{file}:{at} in 18..65", f"{file}:{at + 1} in 1.5..", f"{file}:{at + 4} in 0..200")), cut


def test_what_was_read_is_listed_by_line_of_python(tmp_path: Path) -> None:
    """Promises that the library makes by itself are many, and from one line."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, y = alice.array("x", tc.Fixed(0, 1), shape=(4, 2)), bob.array("y", tc.Fixed(0, 1), shape=4)
    tc.job("j", weights=tc.ml.Ridge(coef_range=4).fit(x, y).coef_.reveal(to="all")).save(tmp_path / "j.tacit")
    read = repr(tc.load(tmp_path / "j.tacit").disclosure())
    (line,) = [it for it in read.splitlines() if it.startswith("PROMISED")]
    assert re.fullmatch(
        r"PROMISED, UNVERIFIED  test_disclosure\.py:\d+ \(j\.tacit:\d+ to \d+\) in \S+ and \S+ and \S+ and \d+ more ranges", line
    ), line


def test_what_a_program_that_was_read_cuts_off(tmp_path: Path) -> None:
    """It is a minimum or a maximum of a value and a number, of any shape, in a loop too, and not one of two values."""

    def cut(program: str) -> str:
        (tmp_path / "p.tacit").write_text(f"program p\nparties a, b\nrows n <= 9\n{program}\n")
        told = str(tc.load(tmp_path / "p.tacit").disclosure())
        (line,) = [it for it in told.splitlines() if it.startswith("CUT OFF")]
        return line.partition("  ")[2]

    x = "input x: u8[n] from a\ninput y: u8[n] from b\n"
    assert cut(f'{x}reveal sum(min(max(x, 5), 9), axis 0) to b as "r"') == "p.tacit:6 in 5..9"
    assert cut(f'{x}reveal sum(max(5, min(9, x)), axis 0) to b as "r"') == "p.tacit:6 in 5..9"
    assert cut(f'{x}let m = max(x, 5)\nreveal sum(min(m, 9) + m, axis 0) to b as "r"') == "p.tacit:6 in 5.., p.tacit:7 in 5..9"
    others = ['reveal sum(min(x, y), axis 0) to b as "r"', 'reveal max(x, axis 0) to b as "s"', 'reveal max(n, 1) to b as "t"']
    assert cut(x + "\n".join(others)) == "nothing"
    assert cut('input z: u8[3] from a\nreveal sum(min(z, [4, 5, 6]), axis 0) to b as "r"') == "p.tacit:5 in ..an array"
    real = "input z: fixed(24,16) from a\n"
    assert cut(f'{real}reveal min(max(z, -0.5), 1.5) to b as "r"') == "p.tacit:5 in -0.5..1.5"
    loop = 'let v = loop 3 carry (w: fixed(24,16) secret = z) index i {\n  yield min(max(w, -0.5), 1.5)\n}\nreveal v to b as "r"'
    assert cut(real + loop) == "p.tacit:6 in -0.5..1.5"
    loop = loop.replace("index i {", "index i use (low: fixed(24,16) public = least) {").replace("-0.5", "low")
    assert cut(f"{real}let least: fixed(24,16) = -0.5\n{loop}") == "p.tacit:7 in -0.5..1.5"


def test_a_promise_of_a_program_that_was_read_is_looked_at(tmp_path: Path) -> None:
    _, _, _, age, days = columns()
    tc.job("j", total=tc.promise(age * days, 0, 5000).sum().reveal(to="all"), old=age.sum().reveal(to="all")).save(tmp_path / "j.tacit")
    found = codes(tc.load(tmp_path / "j.tacit"))
    assert ("D6", "total") in found and ("D6", "old") not in found


def test_broken_promises_are_reported_in_the_clear() -> None:
    _, _, _, age, days = columns()
    job = tc.job("j", total=tc.promise(age * days, 0, 5000).sum().reveal(to="all"))
    good = job.check({"alice": {"age": [10, 20]}, "bob": {"days": [100, 200]}})
    assert not good.warnings and int(good.total) == 5000
    bad = job.check({"alice": {"age": [100, 20]}, "bob": {"days": [1000, 200]}})
    assert bad.warnings and "test_disclosure.py" in bad.warnings[0]
    assert "100000" not in bad.warnings[0]


def test_a_quotient_and_its_divisor() -> None:
    _, _, _, age, days = columns()
    old = (age >= 65).sum()
    shares = tc.job("j", old=old.reveal(to="all"), share=(days.sum() / old).reveal(to="all"))
    assert ("D7", "share") in codes(shares)


def test_checks_are_disclosed_and_end_the_run() -> None:
    _, _, _, age, days = columns()
    product = tc.check(age * days, 0, 5000)
    job = tc.job("j", total=product.sum().reveal(to="all"))
    assert "CHECKED IN THE RUN  test_disclosure.py:" in repr(job.disclosure())
    for protocol in ("trio", "lift", "yao-three"):
        assert int(job.run({"alice": {"age": [10, 20]}, "bob": {"days": [100, 200]}}, protocol=protocol).total) == 5000
        with pytest.raises(tc.CheckFailed) as caught:
            job.run({"alice": {"age": [100, 20]}, "bob": {"days": [1000, 200]}}, protocol=protocol)
        assert "100000" not in str(caught.value)
    # In the clear the check that failed is named, with how many values, and none of them.
    with pytest.raises(tc.CheckFailed, match=r"test_disclosure.py:\d+") as caught:
        job.check({"alice": {"age": [100, 20]}, "bob": {"days": [1000, 200]}})
    assert "100000" not in str(caught.value)
