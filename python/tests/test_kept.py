"""Secrets that one job keeps and a later one takes, and nobody learns."""

from __future__ import annotations

import dataclasses
import re
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc
from tacit import keeping as keeping_module
from tacit import shares

NAMES = ("alice", "bob", "carol", "dave")
WEIGHTS = tc.Fixed(-16, 16)
# Types, with values of a small array, those at the ends of the range among them.
ARRAYS: dict[str, tuple[tc.Type, Any]] = {
    "one bit": (tc.Bool(), True),
    "bits": (tc.Bool(), [[True, False, True], [False, False, True]]),
    "bytes": (tc.Int(-128, 127), [-128, 127, 0, -1]),
    "narrow": (tc.Int(-5, 200), [-5, 200, 77]),
    "long": (tc.Int(-(2**63), 2**63 - 1), [-(2**63), 2**63 - 1, -1]),
    "unsigned": (tc.Int(0, 2**64 - 1), [0, 2**64 - 1, 2**63]),
    "fixed": (tc.Fixed(-16, 16), [[-16.0, 16.0], [0.25, -0.0625]]),
    "wide": (tc.Fixed(-1, 1, 40, bits=64), [-1.0, 1.0, 0.5]),
    "number": (tc.Int(0, 1000), 1000),
    "nothing": (tc.Int(0, 9), np.zeros(0, dtype=np.int64)),
    "ward": (tc.Category(["north", "south", "west"], name="wards"), ["west", "north"]),
}


def parties(many: int = 3) -> tuple[tc.Party, ...]:
    return tc.parties(*NAMES[:many])


def train(many: int = 3, overwrite: bool = False, weights: tc.Type = WEIGHTS) -> tc.Job:
    """Weights of two owners' numbers, which nobody learns."""
    alice, bob, *_ = parties(many)
    a, b = alice.array("a", tc.Fixed(-8, 8), (2, 3)), bob.array("b", tc.Fixed(-8, 8), (2, 3))
    return tc.job("train", model=(a + b).keep("model", weights, overwrite=overwrite), largest=tc.max(a * 2 + b).reveal(to="all"))


def predict(many: int = 3, weights: tc.Type = WEIGHTS, shape: Any = (2, 3), name: str = "model") -> tc.Job:
    *_, last = parties(many)
    x = last.array("x", tc.Int(0, 100), 3)
    return tc.job("predict", scores=(tc.kept(name, weights, shape) @ x).reveal(to=last))


DATA = {"alice": [[1, 2, 3.5], [-8, 8, 0.25]], "bob": [[-1, 0.5, 2], [-8, 8, 0]]}
ROW = [1, 10, 100]
# The digest of a job without kept secrets, as it was before there were any.
SUM = "f74e29000fd1c5be471c2db4fefb6da100e0338f93b66a1b0f4a031a25b7cca9"
SCORES = [0 + 25 + 550, -16 + 160 + 25]


def on_trial(protocol: str, many: int = 3, **options: Any) -> tc.run.Local:
    trial = tc.local(**options)
    train(many).run(DATA, on=trial, protocol=protocol)
    return trial


# What is kept is what is taken.


@pytest.mark.parametrize(
    ("protocol", "many"),
    [
        *(("plain", 3), ("trio", 3), ("lift", 3), ("post", 3), ("replicated", 3), ("gmw:2", 2), ("gmw:3", 3)),
        *(("quad", 4), ("fantastic-four", 4), ("yao", 2), ("bmr:3", 3), ("yao-three", 3)),
    ],
)
def test_a_model_is_trained_once_and_predicts_in_later_jobs(protocol: str, many: int) -> None:
    trial = tc.local()
    trained = train(many).run(DATA, on=trial, protocol=protocol)
    assert trained.kept_names == ["model"] and trained.keys() == ["largest"]
    assert "kept: model" in repr(trained) and "masked" not in repr(trained)
    for _ in range(2):
        found = predict(many).run({NAMES[many - 1]: ROW}, on=trial, protocol=protocol)
        np.testing.assert_array_equal(found.scores, SCORES)
        assert found.keys() == ["scores"] and not found.kept_names


def test_protocols_that_are_chosen_keep_too() -> None:
    for transport in ("memory", "tcp"):
        for security in ("semi-honest", "malicious"):
            trial = tc.local(transport=transport)
            train().run(DATA, on=trial, security=security)
            np.testing.assert_array_equal(predict().run({"carol": ROW}, on=trial, security=security).scores, SCORES)
            (known,) = trial.list_kept()
            assert (known.security, known.corruptions) == (security, 1)


@pytest.mark.parametrize("protocol", ["trio", "lift", "gmw:3", "bmr:3", "plain"])
def test_every_type_comes_back_as_it_was(protocol: str) -> None:
    alice, *_ = parties()
    inputs = {name: alice.array(name, type, np.shape(value)) for name, (type, value) in ARRAYS.items()}
    keep = tc.job("keep", {name: it.keep(name) for name, it in inputs.items()})
    trial = tc.local()
    keep.run({"alice": {name: value for name, (_, value) in ARRAYS.items()}}, on=trial, protocol=protocol)
    parties()
    taken = {name: tc.kept(name, type, np.shape(value)) for name, (type, value) in ARRAYS.items()}
    assert all(it.visibility == "secret" for it in taken.values())
    found = tc.job("take", {name: it.reveal(to="all") for name, it in taken.items()}).run(on=trial, protocol=protocol)
    for name, (_, value) in ARRAYS.items():
        if name in ("long", "unsigned"):
            assert found.exact(name)[0] == value, name
        else:
            np.testing.assert_array_equal(np.asarray(found[name]), np.asarray(value), err_msg=name)


def test_one_job_takes_and_keeps_the_next_state() -> None:
    trial = on_trial("lift")
    alice, *_ = parties()
    before = tc.kept("model", WEIGHTS, (2, 3))
    step = alice.array("step", tc.Fixed(-1, 1))
    more = tc.job("more", model=tc.clip(before + step, -16, 16).keep("model", WEIGHTS, overwrite=True))
    for _ in range(2):
        more.run({"alice": -0.5}, on=trial, protocol="lift")
    row = np.asarray(ROW)
    wanted = np.maximum(np.maximum(np.add(DATA["alice"], DATA["bob"]) - 0.5, -16) - 0.5, -16) @ row
    np.testing.assert_array_equal(predict().run({"carol": ROW}, on=trial, protocol="lift").scores, wanted)


def test_the_same_array_is_taken_once() -> None:
    parties()
    one, other = tc.kept("model", WEIGHTS, (2, 3)), tc.kept("model", WEIGHTS, (2, 3), sample=np.ones((2, 3)))
    job = tc.job("twice", sum=(tc.sum(one) + tc.sum(other)).reveal(to="all"))
    assert float(job.check().sum) == 12.0
    with pytest.raises(tc.ProgramError, match=r"takes 'model' as .* already"):
        tc.kept("model", WEIGHTS, (3, 2))


# In the clear.


def test_kept_values_are_given_in_the_clear() -> None:
    weights = np.add(DATA["alice"], DATA["bob"])
    job = predict()
    np.testing.assert_array_equal(job.check({"carol": ROW}, kept={"model": weights}).scores, SCORES)
    np.testing.assert_array_equal(job.run({"carol": ROW}, protocol="lift", kept={"model": weights}).scores, SCORES)
    assert train().check(DATA).keys() == ["largest"]
    with pytest.raises(tc.InputError, match="not known in the clear"):
        job.check({"carol": ROW})
    with pytest.raises(tc.InputError, match="outside of its range"):
        job.check({"carol": ROW}, kept={"model": weights + 20})
    with pytest.raises(tc.InputError, match="this job takes 'model'"):
        job.check({"carol": ROW}, kept={"other": weights})
    alice, *_ = parties()
    other = tc.job("other", x=alice.array("x", tc.Int(0, 9)).reveal(to="all"))
    for job in (train(), other):
        with pytest.raises(tc.InputError, match="this job takes no kept secret"):
            job.check(DATA if job is not other else {"alice": 3}, kept={"model": weights})
    with pytest.raises(tc.InputError, match="this job takes no kept secret"):
        other.run({"alice": 3}, kept={"model": weights})
    parties()
    assert tc.peek(tc.sum(tc.kept("model", WEIGHTS, (2, 3), sample=weights))) == weights.sum()


def test_costs_and_accuracy_are_of_kept_values_too() -> None:
    job, weights = predict(), np.add(DATA["alice"], DATA["bob"])
    assert job.plan(security="malicious").candidates[0]["seconds"] > job.plan().candidates[0]["seconds"]
    assert "comparisons of all checks" in repr(job.explain(protocol="lift")) and "checks" not in repr(job.explain(protocol="trio"))
    assert set(job.simulate(protocols=["trio", "lift"]).reports) == {"trio", "lift"}
    assert list(train().simulate(protocols=["lift"]).reports) == ["lift"]
    found = job.accuracy({"carol": ROW}, reference={"scores": np.asarray(SCORES, dtype=float)}, kept={"model": weights}, protocol="lift")
    assert found.results["scores"]["difference"] == {"tacit": 0.0, "lift": 0.0}


# What people are told.


def test_the_disclosure_says_what_is_kept_and_asks_for_no_masks() -> None:
    keep, take = train(), predict()
    assert keep.input_names == ["alice.a", "bob.b"] and take.input_names == ["carol.x"]
    told = repr(keep.disclosure())
    assert "KEPT FOR LATER JOBS of the same parties, and revealed to nobody\n  as 'model'  fixed(22,16)[2, 3] in -16..16" in told
    assert "each party stores a share" in told and "mask" not in told and "everybody learns  largest" in told
    taken = repr(take.disclosure())
    assert "TAKEN FROM AN EARLIER JOB" in taken and "copies of shares are compared" in taken and "mask" not in taken
    assert "carol learns  scores" in taken and "PROMISED, UNVERIFIED  nothing" in taken
    assert "(kept) model" in repr(keep)
    assert not keep.lints() and not take.lints()
    alice, *_ = parties()
    alone = tc.job("alone", x=alice.array("x", tc.Int(0, 9)).keep("x"))
    assert "REVEALED, and nothing else\n  nothing" in repr(alone.disclosure()) and "kept as" not in repr(alone.disclosure())
    assert alone.run({"alice": 3}, on=tc.local()).keys() == []


def test_secrets_are_in_no_text() -> None:
    trial = on_trial("lift")
    record = trial._store.read("model")
    assert not any(str(int(it)) in repr(record) for words in (record.masked, *record.masks.values()) for it in words)
    assert not any(str(int(it)) in repr(trial.list_kept()) for words in record.masks.values() for it in words)


def test_what_is_kept_is_listed_and_deleted() -> None:
    trial = tc.local()
    assert trial.list_kept() == []
    keep = train()
    keep.run(DATA, on=trial, protocol="trio")
    (known,) = trial.list_kept()
    assert (known.name, known.type, known.shape, known.parties) == ("model", "tc.Fixed(-16, 16)", (2, 3), NAMES[:3])
    assert (known.security, known.corruptions, known.protocol, known.digest) == ("semi-honest", 1, "trio", keep.digest)
    with pytest.raises(tc.InputError, match=r"test_kept.py:\d+: nothing is kept as 'other' in this tc.local\(\), which has 'model'"):
        trial.delete_kept("other")
    trial.delete_kept("model")
    assert trial.list_kept() == []


# Masks.


def test_masks_are_fresh_in_each_run_and_all_of_them_are_needed() -> None:
    records = []
    for _ in range(2):
        records.append(on_trial("lift")._store.read("model"))
    first, second = records
    assert (first.masked != second.masked).any()
    for party in range(3):
        assert (first.masks[party] != second.masks[party]).all(), "with a chance of 2^-132"
    values = np.asarray(np.add(DATA["alice"], DATA["bob"]) * 2**16, dtype=np.int64).reshape(-1).astype(np.uint64)
    for it in records:
        left = it.masked - it.masks[0] - it.masks[1] - it.masks[2] - values
        assert not (left & np.uint64(2**22 - 1)).any()


def test_masks_are_uniform_over_what_the_bits_hold() -> None:
    for element in (shares.Element("int", 3, 0, -4, 3), shares.Element("bit", 1, 0, 0, 1), shares.Element("uint", 64, 0, 0, 1)):
        words = element.drawn(4000)
        if element.bits < 64:
            assert set(words.tolist()) == set(range(2**element.bits))
        means = [float(((words >> np.uint64(bit)) & np.uint64(1)).mean()) for bit in range(element.bits)]
        assert all(0.4 < it < 0.6 for it in means), "with a chance of about 2^-100 each"


# Rules.


def test_nothing_is_kept_where_nobody_would_have_it() -> None:
    with pytest.raises(tc.InputError, match=r"trial = tc.local"):
        train().run(DATA)
    with pytest.raises(tc.InputError, match=r"trial = tc.local"):
        train().start(DATA)
    with pytest.raises(tc.ConfigurationError, match=r"nothing is kept as 'model' in this tc.local\(\), which has nothing: run the job"):
        predict().run({"carol": ROW})


def test_names_are_taken_once_unless_they_are_overwritten() -> None:
    trial = on_trial("trio")
    before = trial._store.read("model")
    with pytest.raises(tc.InputError, match=r"'model' is kept already in this tc.local\(\): .*overwrite=True"):
        train().run(DATA, on=trial, protocol="trio")
    assert trial._store.read("model") is before
    other = {**DATA, "bob": np.zeros((2, 3))}
    train(overwrite=True).run(other, on=trial, protocol="trio")
    np.testing.assert_array_equal(predict().run({"carol": ROW}, on=trial, protocol="trio").scores, np.asarray(DATA["alice"]) @ ROW)
    with pytest.raises(tc.ProgramError, match="two values are kept as 'x'"):
        x = parties()[0].array("x", tc.Int(0, 9))
        tc.job("both", a=x.keep("x"), b=(x + 1).keep("x"))


def test_a_run_that_fails_keeps_nothing() -> None:
    for overwrite in (False, True):
        trial = on_trial("lift") if overwrite else tc.local()
        alice, *_ = parties()
        x = tc.check(alice.array("x", tc.Fixed(-16, 16), (2, 3)), 0, 1)
        job = tc.job("failing", model=x.keep("model", WEIGHTS, overwrite=overwrite))
        before = [it.digest for it in trial.list_kept()]
        with pytest.raises(tc.CheckFailed):
            job.run({"alice": np.full((2, 3), 2.0)}, on=trial, protocol="lift")
        assert [it.digest for it in trial.list_kept()] == before


def test_another_type_or_shape_is_refused_with_the_right_one() -> None:
    trial = on_trial("trio")
    wrong: list[tuple[tc.Type, Any]] = [
        *((tc.Fixed(-16, 16, bits=23), (2, 3)), (tc.Fixed(-16, 15), (2, 3)), (tc.Fixed(-16, 16, 8), (2, 3))),
        *((tc.Int(-16, 16), (2, 3)), (WEIGHTS, (3, 3)), (WEIGHTS, (2, 3, 1))),
    ]
    for type, shape in wrong:
        *_, carol = parties()
        job = tc.job("take", out=tc.sum(tc.kept("model", type, shape)).reveal(to=carol))
        right = re.escape("write tc.kept('model', tc.Fixed(-16, 16), (2, 3))")
        with pytest.raises(tc.ProgramError, match=rf"test_kept.py:\d+: 'model' was kept as .*{right}"):
            job.run(on=trial, protocol="trio")
    # What the error says can be pasted.
    for name, (type, _) in ARRAYS.items():
        assert shares.Element.of(eval(str(shares.Element.of(type)))) == shares.Element.of(type), name


def test_other_parties_and_another_order_are_refused() -> None:
    trial = on_trial("trio")
    for names in (("bob", "alice", "carol"), ("alice", "bob", "carl"), NAMES):
        *_, last = tc.parties(*names)
        job = tc.job("take", out=tc.sum(tc.kept("model", WEIGHTS, (2, 3))).reveal(to=last))
        with pytest.raises(tc.ConfigurationError, match="'model' was kept by alice, bob, carol, in this order, and this run is of"):
            job.run(on=trial, protocol="trio" if len(names) == 3 else "quad")


def test_runs_that_protect_against_less_are_refused() -> None:
    """And those against more, where there are no copies to compare."""
    taken = {
        ("trio", "gmw:3"): None,
        (
            "gmw:3",
            "trio",
        ): "protects against 2 semi-honest parties of 3, and this one protects against 1 semi-honest party of 3, which is less",
        (
            "lift",
            "trio",
        ): "against 1 malicious party of 3, and this one protects against 1 semi-honest party of 3, which is less: give security='m",
        (
            "lift",
            "gmw:3",
        ): "protects against 1 malicious party of 3, and this one protects against 2 semi-honest parties of 3, which is less",
        (
            "trio",
            "lift",
        ): "in a run that protects against 1 semi-honest party of 3, and this one is to protect against 1 malicious .* again",
        ("lift", "post"): None,
        ("plain", "trio"): None,
        ("lift", "plain"): None,
    }
    for (before, today), error in taken.items():
        trial, job = on_trial(before), predict()
        if error is None:
            np.testing.assert_array_equal(job.run({"carol": ROW}, on=trial, protocol=today).scores, SCORES)
            continue
        with pytest.raises(tc.InputError, match=error):
            job.run({"carol": ROW}, on=trial, protocol=today)


def test_without_an_honest_majority_malicious_parties_are_refused() -> None:
    for job, data in ((train(), DATA), (predict(), {"carol": ROW})):
        with pytest.raises(tc.InputError, match=r"not supported: .* 2 malicious parties of 3.*each part has two holders"):
            job.run(data, on=tc.local(), protocol="authenticated:3")
        with pytest.raises(tc.InputError, match="2 malicious parties of 3"):
            job.run(data, on=tc.local(), security="malicious", corruptions="all-but-one")
        with pytest.raises(tc.InputError, match="2 malicious parties of 3"):
            job.plan(security="malicious", corruptions=2)
    with pytest.raises(tc.InputError, match="1 malicious party of 2"):
        train(2).run(DATA, on=tc.local(), security="malicious")


def test_all_parties_compute() -> None:
    with pytest.raises(tc.InputError, match="3 parties compute under trio, and this program has 4: all parties compute"):
        train(4).run(DATA, on=tc.local(), protocol="trio")
    with pytest.raises(tc.InputError, match="2 parties compute under gmw:2, and this program has 3"):
        train().run(DATA, on=tc.local(), protocol="gmw:2")
    with pytest.raises(tc.InputError, match="nonsense"):
        train(4).run(DATA, on=tc.local(), protocol="nonsense")


def test_results_cannot_have_the_names_of_what_is_hidden() -> None:
    """They would be revealed, and the disclosure would not list them."""
    alice, bob, _ = parties()
    x = alice.array("x", tc.Int(0, 9), 3)
    for name in ("keep w: masked", "keep w: mask of alice", "keep w: run", "keep w: copies are equal"):
        with pytest.raises(tc.ProgramError, match="is what Tacit calls a part of 'w'"):
            tc.job("hidden", {"w": (x * x).keep("w"), name: x.reveal(to=bob)})
    alice, bob, _ = parties()
    taken = tc.kept("e", tc.Int(0, 9), 0)
    for name in ("kept e: copies are equal", "kept e: run"):
        with pytest.raises(tc.ProgramError, match="is what Tacit calls a part of 'e'"):
            tc.job("hidden", {"sum": tc.sum(taken).reveal(to=bob), name: alice.array("x", tc.Int(0, 9)).reveal(to=bob)})


def test_what_rests_on_a_promise_says_so_in_every_job() -> None:
    alice, _, _ = parties()
    x = alice.array("x", tc.Int(0, 1000))
    trial = tc.local()
    first = tc.job("first", x=tc.promise(x, 0, 31).keep("x", tc.Int(0, 31)), y=x.keep("y"))
    assert "'x': PROMISED, UNVERIFIED" in repr(first.disclosure()) and "'y': PROMISED" not in repr(first.disclosure())
    first.run({"alice": {"x": 7}}, on=trial, protocol="lift")

    def second(name: str, most: int, **options: bool) -> tc.Job:
        _, bob, _ = parties()
        value = tc.kept(name, tc.Int(0, most), **options)
        return tc.job("second", again=value.keep("again", overwrite=True), twice=(value * 2).reveal(to=bob))

    with pytest.raises(tc.ProgramError, match=r"nobody verified .* promised=True"):
        second("x", 31).run(on=trial, protocol="lift")
    trusting = second("x", 31, promised=True)
    assert repr(trusting.disclosure()).count("'x': PROMISED, UNVERIFIED") == 1
    assert repr(trusting.disclosure()).count("'again': PROMISED, UNVERIFIED") == 1
    assert trusting.run(on=trial, protocol="lift").twice == 14
    with pytest.raises(tc.ProgramError, match=r"promised=True"):
        second("again", 31).run(on=trial, protocol="lift")
    verified = second("y", 1000)
    assert "PROMISED, UNVERIFIED: a promise" not in repr(verified.disclosure())
    assert verified.run(on=trial, protocol="lift").twice == 14


def test_what_is_made_of_a_kept_secret_is_no_better_protected() -> None:
    trial = on_trial("trio")
    parties()
    again = tc.job("again", model=tc.kept("model", WEIGHTS, (2, 3)).keep("copy"))
    again.run(on=trial, protocol="gmw:3")
    assert [it.corruptions for it in trial.list_kept()] == [1, 1]


def test_mistakes_are_refused_where_they_are_written() -> None:
    alice, bob, _ = parties()
    n = tc.rows("n", max=10)
    x, rows = bob.array("x", tc.Fixed(-20, 20), 3), alice.array("rows", tc.Int(0, 9), n)
    with pytest.raises(tc.RangeError, match=r"test_kept.py:\d+: 'model' may be anything in -20..20, and is kept as tc.Fixed\(-16, 16\)"):
        x.keep("model", WEIGHTS)
    with pytest.raises(tc.ShapeError, match="rows whose number is known when"):
        rows.keep("rows")
    with pytest.raises(tc.ShapeError, match="axes of a kept array are numbers"):
        tc.kept("rows", tc.Int(0, 9), n)
    with pytest.raises(tc.ProgramError, match=r"which is not kept as tc.Int"):
        x.keep("model", tc.Int(-20, 20))
    with pytest.raises(tc.ProgramError, match="the type of model is one such as"):
        tc.kept("model", float, 3)  # type: ignore[arg-type]
    for name in ("", "  ", "two\nlines", "x" * 201, 3):
        with pytest.raises(tc.ProgramError, match="kept secret"):
            x.keep(name)  # type: ignore[arg-type]
        with pytest.raises(tc.ProgramError, match="kept secret"):
            tc.kept(name, WEIGHTS)  # type: ignore[arg-type]
    with pytest.raises(tc.ProgramError, match=r"give an array's reveal"):
        tc.job("j", x="model")  # type: ignore[arg-type]


def test_jobs_with_kept_secrets_are_of_python(tmp_path: Path) -> None:
    for job in (train(), predict()):
        with pytest.raises(tc.InputError, match="not supported: a job that keeps secrets or takes kept ones is not saved"):
            job.save(tmp_path / "job.tacit")


def test_what_rounds_beyond_its_range_is_checked() -> None:
    """A product of two owners may be off by a unit under a protocol: the range that it is kept with has room for that, or a check."""
    alice, bob, _ = parties()
    x, y = alice.array("x", tc.Fixed(-1, 1)), bob.array("y", tc.Fixed(-1, 1))
    roomy = tc.job("roomy", p=(x * y).keep("p", tc.Fixed(-2, 2)))
    tight = tc.job("tight", p=(x * y).keep("p"))
    alone = tc.job("alone", p=(x * x).keep("p"))
    line = test_what_rounds_beyond_its_range_is_checked.__code__.co_firstlineno + 8
    checked = tc.check(x * y, -1, 1)
    once = tc.job("once", p=checked.keep("p"))
    assert f"CHECKED IN THE RUN  test_kept.py:{line} in -1..1; 1 bit" in repr(once.disclosure())
    assert "CHECKED IN THE RUN  nothing" in repr(roomy.disclosure())
    assert "CHECKED IN THE RUN  test_kept.py" in repr(tight.disclosure())
    assert "CHECKED IN THE RUN  test_kept.py" in repr(alone.disclosure())


def test_digests_of_other_jobs_are_what_they_were() -> None:
    """A job of the same values beside a kept one, in the same program, and one of a program that has none."""

    def plain() -> tc.Job:
        alice, bob, _ = parties()
        return tc.job("sum", sum=(alice.array("a", tc.Int(0, 9), 3) + bob.array("b", tc.Int(0, 9), 3)).reveal(to="all"))

    alice, bob, _ = parties()
    total = alice.array("a", tc.Int(0, 9), 3) + bob.array("b", tc.Int(0, 9), 3)
    taken = tc.kept("model", tc.Int(0, 9), 3)
    tc.job("other", t=total.keep("total"), m=tc.sum(taken).reveal(to="all"))
    beside = tc.job("sum", sum=total.reveal(to="all"))
    assert beside.digest == plain().digest == SUM
    assert beside._keeping is None


# Shares that were changed.


def changed_copy(monkeypatch: pytest.MonkeyPatch, which: Callable[[str], bool]) -> None:
    """The last element of what one party has of a mask is another one."""
    taken = keeping_module.Keeping.taken

    def cheating(self: Any, records: Any, drawn: Any) -> dict[str, Any]:
        inputs = taken(self, records, drawn)
        (name,) = [it for it in inputs if which(it)]
        (load,), (record,) = self.loads, records
        words = record.masks[0].copy()
        words[-1] ^= np.uint64(1)
        inputs[name] = load.element.given(words)
        return inputs

    monkeypatch.setattr(keeping_module.Keeping, "taken", cheating)


@pytest.mark.parametrize(
    ("protocol", "many"), [("lift", 3), ("post", 3), ("tagged", 3), ("quad", 4), ("quad-het", 4), ("fantastic-four", 4)]
)
@pytest.mark.parametrize("who", ["alice", "bob"])
def test_a_share_that_was_changed_ends_a_malicious_run(monkeypatch: pytest.MonkeyPatch, protocol: str, many: int, who: str) -> None:
    trial = on_trial(protocol, many)
    name = {"alice": "kept model: mask of alice", "bob": "kept model: copy of the mask of alice"}[who]
    changed_copy(monkeypatch, lambda it: it == name)
    with pytest.raises(tc.CheckFailed) as caught:
        predict(many).run({NAMES[many - 1]: ROW}, on=trial, protocol=protocol)
    assert not any(str(it) in str(caught.value) for it in SCORES)


def test_a_bit_that_was_changed_ends_a_malicious_run(monkeypatch: pytest.MonkeyPatch) -> None:
    alice, *_ = parties()
    trial = tc.local()
    tc.job("keep", bits=alice.array("bits", tc.Bool(), 9).keep("bits")).run({"alice": [True] * 9}, on=trial, protocol="lift")
    parties()
    job = tc.job("take", any=tc.any(tc.kept("bits", tc.Bool(), 9)).reveal(to="all"))
    assert bool(job.run(on=trial, protocol="lift").any)
    changed_copy(monkeypatch, lambda it: it == "kept bits: copy of the mask of alice")
    with pytest.raises(tc.CheckFailed):
        job.run(on=trial, protocol="lift")


def test_a_share_that_was_changed_makes_a_semi_honest_run_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is what semi-honest means: parties are trusted to give what they stored."""
    trial = on_trial("trio")
    changed_copy(monkeypatch, lambda it: it == "kept model: mask of alice")
    assert predict().run({"carol": ROW}, on=trial, protocol="trio").scores.tolist() != SCORES


# Between machines.


def together(one: Callable[[str], Any]) -> dict[str, Any]:
    """What each of three parties gives, or the error that ends it."""
    given: dict[str, Any] = {}

    def party(name: str) -> None:
        try:
            given[name] = one(name)
        except tc.TacitError as error:
            given[name] = error

    threads = [threading.Thread(target=party, args=(name,)) for name in NAMES[:3]]
    for it in threads:
        it.start()
    for it in threads:
        it.join(90)
    return given


def own(name: str) -> Any:
    return {"alice": {"a": DATA["alice"]}, "bob": {"b": DATA["bob"]}}.get(name)


def trained(parties: Path, job: tc.Job, **how: Any) -> dict[str, Any]:
    return together(lambda name: job.run(own(name), on=tc.connect(parties / f"{name}.toml", connect_timeout=20), **how))


def predicted(parties: Path, job: tc.Job, **how: Any) -> dict[str, Any]:
    def party(name: str) -> Any:
        net = tc.connect(parties / f"{name}.toml", connect_timeout=20, timeout=20)
        return job.run({"x": ROW} if name == "carol" else None, on=net, **how)

    return together(party)


@pytest.mark.parametrize("how", [{"protocol": "trio"}, {"protocol": "lift"}, {"security": "malicious"}])
def test_parties_keep_their_shares_on_their_disks(parties: Path, how: dict[str, Any]) -> None:
    made = trained(parties, train(), **how)
    assert all(it.kept_names == ["model"] for it in made.values()), made
    found = predicted(parties, predict(), **how)
    np.testing.assert_array_equal(found["carol"].scores, SCORES)
    assert found["alice"].keys() == found["bob"].keys() == []
    known = {name: tc.connect(parties / f"{name}.toml").list_kept() for name in NAMES[:3]}
    assert len({(it.name, it.digest, it.protocol) for (it,) in known.values()}) == 1
    malicious = how.get("protocol") != "trio"
    for number, name in enumerate(NAMES[:3]):
        store = tc.connect(parties / f"{name}.toml")._store
        masks = store.read("model").masks
        assert set(masks) == ({number, (number - 1) % 3} if malicious else {number})
        folder = parties / f"{name}.kept"
        (file,) = folder.iterdir()
        assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(file.stat().st_mode), file.name) == (0o700, 0o600, "model.kept")
        written = file.read_bytes()
        packed = masks[number].astype("<u4").tobytes()
        assert b"model" not in written and b"fixed" not in written and packed not in written


def test_one_connection_keeps_and_takes(parties: Path) -> None:
    keep, take = train(), predict()

    def party(name: str) -> Any:
        with tc.connect(parties / f"{name}.toml", kept=parties / f"shares of {name}") as net:
            keep.run(own(name), on=net, protocol="lift")
            return take.run({"x": ROW} if name == "carol" else None, on=net, protocol="lift")

    found = together(party)
    np.testing.assert_array_equal(found["carol"].scores, SCORES)
    assert (parties / "shares of alice" / "model.kept").exists() and not (parties / "alice.kept").exists()


def test_files_that_are_not_as_they_were_are_refused(parties: Path) -> None:
    trained(parties, train(), protocol="trio")
    file = parties / "alice.kept" / "model.kept"
    written = file.read_bytes()
    net, job = tc.connect(parties / "alice.toml"), predict()

    def refused(match: str, job: tc.Job = job) -> None:
        with pytest.raises(tc.ConfigurationError, match=match) as caught:
            job.run(on=net, protocol="trio")
        assert "test_kept.py" in str(caught.value)

    for at in (0, len(written) // 2, len(written) - 1):
        file.write_bytes(written[:at] + bytes([written[at] ^ 1]) + written[at + 1 :])
        refused("model.kept: ")
    file.write_bytes(written[:-1])
    refused("model.kept: ")
    file.write_bytes((parties / "bob.kept" / "model.kept").read_bytes())
    refused("model.kept: ")
    # A file of another name is for that name alone.
    file.write_bytes(written)
    file.with_name("other.kept").write_bytes(written)
    refused("other.kept: ", predict(name="other"))
    with pytest.raises(tc.ConfigurationError, match=r"other.kept: "):
        net.list_kept()
    net.delete_kept("other")
    assert [it.name for it in net.list_kept()] == ["model"]
    refused("nothing is kept as 'none' in .*alice.kept, which has 'model'", predict(name="none"))
    (parties / "alice.kept").chmod(0o755)
    with pytest.raises(tc.ConfigurationError, match="others can enter"):
        train(overwrite=True).run(own("alice"), on=net, protocol="trio")


def test_a_party_that_changes_its_share_is_noticed_by_all(parties: Path) -> None:
    """It may write what it likes under its own key."""
    trained(parties, train(), protocol="lift")
    job = predict()
    for which in (1, 0):
        store = tc.connect(parties / "bob.toml")._store
        record = store.read("model")
        words = record.masks[which].copy()
        words[-1] ^= np.uint64(1)
        store.write(dataclasses.replace(record, masks={**record.masks, which: words}))
        found = predicted(parties, job, protocol="lift")
        assert all(isinstance(it, tc.CheckFailed) for it in found.values()), found
        store.write(record)
    np.testing.assert_array_equal(predicted(parties, job, protocol="lift")["carol"].scores, SCORES)


def test_values_that_were_kept_in_other_runs_are_noticed(parties: Path) -> None:
    trained(parties, train(), protocol="lift")
    old = (parties / "carol.kept" / "model.kept").read_bytes()
    trained(parties, train(overwrite=True), protocol="lift")
    (parties / "carol.kept" / "model.kept").write_bytes(old)
    found = predicted(parties, predict(), protocol="lift")
    assert all(isinstance(it, tc.TacitError) for it in found.values()), found
    assert any("the parties have different values kept as 'model'" in str(it) for it in found.values()), found


def test_shares_of_two_runs_are_not_mixed_however_few_values_there_are(parties: Path) -> None:
    """Of one bit, masked values of two runs are equal half of the time. Whether shares of both fit would depend on both values."""
    alice, *_ = tc.parties(*NAMES[:3])
    keep = tc.job("keep", bit=alice.array("bit", tc.Bool()).keep("bit", overwrite=True))
    alice, *_ = tc.parties(*NAMES[:3])
    take = tc.job("take", bit=tc.kept("bit", tc.Bool()).reveal(to=alice))
    file, store = parties / "carol.kept" / "bit.kept", tc.connect(parties / "carol.toml")._store

    def run(job: tc.Job, given: Any = None) -> dict[str, Any]:
        def party(name: str) -> Any:
            return job.run(given if name == "alice" else None, on=tc.connect(parties / f"{name}.toml", connect_timeout=20), protocol="lift")

        return together(party)

    assert all(it.kept_names == ["bit"] for it in run(keep, {"bit": True}).values())
    old, before = store.read("bit"), file.read_bytes()
    for _ in range(40):
        run(keep, {"bit": False})
        if np.array_equal(store.read("bit").masked, old.masked):
            break
    assert np.array_equal(store.read("bit").masked, old.masked), "one in two is equal"
    file.write_bytes(before)
    found = run(take)
    assert all(isinstance(it, tc.ConfigurationError) for it in found.values()), found
    assert any("the parties have different values kept as 'bit'" in str(it) for it in found.values()), found


def test_other_keys_are_refused(parties: Path, command: Path) -> None:
    trained(parties, train(), protocol="trio")
    store = tc.connect(parties / "alice.toml")._store
    record = store.read("model")
    fingerprints = (record.fingerprints[0], "sha256:" + "0" * 64, record.fingerprints[2])
    store.write(dataclasses.replace(record, fingerprints=fingerprints))
    with pytest.raises(tc.ConfigurationError, match="'model' was kept with a bob whose key was sha256:0000"):
        predict().run(on=tc.connect(parties / "alice.toml"), protocol="trio")


def test_nothing_is_kept_in_the_clear_between_machines(parties: Path) -> None:
    net = tc.connect(parties / "alice.toml")
    with pytest.raises(tc.InputError, match="plain protects nobody"):
        train().run(own("alice"), on=net, protocol="plain")
    with pytest.raises(tc.InputError, match="kept= is for values in the clear"):
        predict().run(on=net, protocol="trio", kept={"model": np.zeros((2, 3))})
    with pytest.raises(tc.InputError, match="not prepared"):
        train().prepare(parties / "store", on=net, protocol="lift")
    assert not (parties / "alice.kept").exists()
