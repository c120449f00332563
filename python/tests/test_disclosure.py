"""What a job says about itself, and the remarks on what looks unwise."""

from __future__ import annotations

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
    # A program that was read has its own lines, and says nothing of what is cut off: that is minima and maxima there.
    job.save(tmp_path / "j.tacit")
    read = repr(tc.load(tmp_path / "j.tacit").disclosure())
    assert all(it in read for it in (" in 0..5000", " in 1..99", " in 0..999", " in 0..500")) and "CUT OFF" not in read


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
