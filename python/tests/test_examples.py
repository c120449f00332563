"""The examples: the same programs as in the text form, and what they learn."""

from __future__ import annotations

import ast
import functools
import hashlib
import hmac
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tacit as tc

ROOT = Path(__file__).parents[2]


@functools.cache
def example(name: str) -> SimpleNamespace:
    """What a script of `python/examples` makes up to its job, with the functions behind it. The notebooks run as a whole."""
    return made((ROOT / "python" / "examples" / f"{name}.py").read_text(), name)


def made(source: str, name: str) -> SimpleNamespace:
    """What a script makes up to its job."""
    path = ROOT / "python" / "examples" / f"{name}.py"
    names: dict[str, Any] = {"__file__": str(path), "show": lambda _: None, "display": lambda _: None}
    for statement in ast.parse(source).body:
        if "job" not in names or isinstance(statement, ast.FunctionDef):
            exec(compile(ast.Module([statement], []), str(path), "exec"), names)
    return SimpleNamespace(**names)


def multiply() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100_000_000)
    x = alice.array("x", tc.Int(-1_000_000, 1_000_000), shape=n, prefix=False)
    y = bob.array("y", tc.Int(-1_000_000, 1_000_000), shape=n, prefix=False)
    z = x * y
    total = tc.promise(z - x, -50_000_000_000, 50_000_000_000).sum()
    return tc.job("multiply", total=total.reveal(to=alice))


def sort() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=10_000_000)
    key = alice.array("key", tc.Int(0, 2**32 - 1), shape=n, prefix=False)
    value = bob.array("value", tc.Int(0, 2**32 - 1), shape=n, prefix=False)
    keys, values = tc.sort_by(key, value)
    return tc.job("sort", keys=keys.sum().reveal(to=alice), values=values.sum().reveal(to=bob))


def group_by() -> tc.Job:
    alice, bob, carol = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100_000_000)
    group = alice.array("group", tc.Int(0, 7), shape=n, prefix=False)
    value = bob.array("value", tc.Int(0, 1_000_000), shape=n, prefix=False)
    age = carol.array("age", tc.Int(0, 120), shape=n, prefix=False)
    adult = age >= 18
    rich = value - age > 1000
    people = tc.group_count(group, where=adult & rich, first=0, groups=8).reveal(to=alice)
    sums = tc.group_sum(value, group, where=adult & rich, first=0, groups=8).reveal(to=alice)
    return tc.job("group_by", people=people, sums=sums)


def matmul() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x, y = (it.array(name, tc.Int(-1_000_000, 1_000_000), shape=(1000, 1000), prefix=False) for it, name in ((alice, "x"), (bob, "y")))
    return tc.job("matmul", product=(x @ y).reveal(to=alice))


def compare() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100_000_000)
    x, y = (it.array(name, tc.Int(-(2**62), 2**62 - 1), shape=n, prefix=False) for it, name in ((alice, "x"), (bob, "y")))
    smaller = (x < y).astype(tc.Int(-(2**31), 2**31 - 1)).sum()
    return tc.job("compare", smaller=smaller.reveal(to=alice))


def relu() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100_000_000)
    x, y = (it.array(name, tc.Fixed(-1000, 1000, bits=40), shape=n, prefix=False) for it, name in ((alice, "x"), (bob, "y")))
    z = x - y
    return tc.job("relu", total=tc.where(z < 0, 0.0, z).sum().reveal(to=alice))


def dot() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=1_000_000)
    x = alice.array("x", tc.Int(-1_000_000, 1_000_000), shape=(n, 1000), prefix=False)
    y = bob.array("y", tc.Int(-1_000_000, 1_000_000), shape=1000, prefix=False)
    return tc.job("dot", products=(x @ y).reveal(to=alice))


def regression() -> tc.Job:
    alice, bob, carol = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", min=10, max=1_000_000)
    one, two = (it.array(name, tc.Fixed(-2, 2, bits=32), shape=(n, 4), prefix=False) for it, name in ((alice, "one"), (bob, "two")))
    y = carol.array("y", tc.Fixed(-8, 8, bits=32), shape=n, prefix=False)
    kept = tc.Fixed(-4, 4, bits=32)
    x = tc.concat([one, two], axis=1)
    turned = x.T
    part = tc.full((), 1024.0, dtype=kept) / n

    def step(w: tc.Array, i: tc.Array) -> tc.Array:
        errors = tc.promise(x @ w, -16, 16) - y
        return tc.promise(w - (turned @ errors) * part / 8192, -4, 4)

    start = tc.broadcast_to(tc.full((), 0.0, dtype=kept), 8)
    return tc.job("regression", weights=tc.loop(10, step, start, keep=kept).reveal(to=alice))


@pytest.mark.parametrize(
    ("build", "file"),
    [
        (lambda: example("stay").job, "stay/stay.tacit"),
        (lambda: example("pay_gap").job, "pay-gap/pay-gap.tacit"),
        (multiply, "bench/multiply.tacit"),
        (sort, "bench/sort.tacit"),
        (group_by, "bench/group-by.tacit"),
        (matmul, "bench/matmul.tacit"),
        (compare, "bench/compare.tacit"),
        (relu, "bench/relu.tacit"),
        (dot, "bench/dot.tacit"),
        (regression, "bench/regression.tacit"),
    ],
    ids=["stay", "pay_gap", "multiply", "sort", "group_by", "matmul", "compare", "relu", "dot", "regression"],
)
def test_python_and_text_are_the_same_program(build, file: str) -> None:
    job, read = build(), tc.load(ROOT / "examples" / file)
    assert job.text == read.text
    assert job.digest == read.digest


@pytest.mark.parametrize(("name", "declared", "most"), [("survival", "max=2000", 75), ("regression", "max=1024", 24)])
def test_programs_do_not_grow_with_rows(name: str, declared: str, most: int) -> None:
    """A program for a million rows has as many operations as one for ten."""

    def operations(rows: int) -> list[str]:
        source = (ROOT / "python" / "examples" / f"{name}.py").read_text()
        assert source.count(declared) == 1
        job = made(source.replace(declared, f"max={rows}"), name).job
        assert {most for _, most in job.rows.values()} == {rows}
        return [op for _, _, within in job._program.nodes for op, _, _ in within]

    few = operations(10)
    assert operations(10**6) == few
    assert len(few) <= most


def test_survival_learns_what_the_clear_does() -> None:
    script = example("survival")
    rng = np.random.default_rng(4)
    month, event, arm = rng.integers(0, 88, 120), rng.random(120) < 0.5, rng.integers(0, 2, 120)
    names = np.array(["no", "yes"])[arm]
    given = {name: {"month": month[i::3], "event": event[i::3], "arm": names[i::3]} for i, name in enumerate(("alice", "bob", "carol"))}
    chi2, excess, curves = script.reference(month, event, arm == 1)
    result = script.job.run(given, protocol="trio")
    assert abs(result.chi2 - chi2) < 0.01
    assert abs(result.excess - excess) < 0.01
    np.testing.assert_allclose(result.curves, curves, atol=2e-3)


def test_regression_learns_what_the_clear_does() -> None:
    script = example("regression")
    rng = np.random.default_rng(1)
    features = rng.normal(size=(60, 30)).clip(-8, 8)
    labels = features @ rng.normal(size=30) > 0
    given = {"alice": {"x": features[:, :15], "y": labels}, "bob": {"z": features[:, 15:]}}
    result = script.job.run(given, protocol="trio")
    assert np.abs(result.weights - script.reference(features, labels)).max() < 1e-3


def test_doctor_visits_learn_what_the_clear_does() -> None:
    script = example("doctor_visits")
    rng = np.random.default_rng(7)
    parts = [
        {"plan": rng.choice(script.PLANS[:2], 40), "health": rng.choice(script.HEALTH[:2], 40), "visits": rng.integers(0, 20, 40)}
        for _ in range(3)
    ]
    table = script.job.run(dict(zip(("alice", "bob", "carol"), parts, strict=True)), protocol="trio").table.to_dict()
    plan, health, visits = (np.concatenate([part[name] for part in parts]) for name in ("plan", "health", "visits"))
    cells = [(plan == a) & (health == b) for a, b in zip(table["plan"], table["health"], strict=True)]
    assert table["people"] == [cell.sum() for cell in cells] and len(cells) == 4
    np.testing.assert_allclose(table["visits"], [visits[cell].mean() for cell in cells], atol=1e-4)


def test_flights_are_counted_where_all_is_known_and_there_are_a_hundred() -> None:
    """The notebook asserts that SQL makes the same job, and has the answer beside that of DuckDB."""
    script = example("flights")
    flown = {
        "tailnum": ["N100AA"] * 101 + ["N200BB"] * 150 + ["N300CC"] * 120 + [None, "N999ZZ"] * 60,
        "dep_delay": [*range(101), *[-7, None, 12] * 50, *[4] * 120, *[100] * 120],
    }
    built = {"tailnum": ["N300CC", "N100AA", "N200BB"], "year": [None, 1959, 2013]}
    # Of the second plane 100 flights have a delay. The third one's year is not known, and the others are not there.
    wanted = {"decade": [1950, 2010], "flights": [101, 100], "delay": [50.0, 2.5]}
    for protocol in ("lift", "quad"):
        assert script.job.run({"airline": flown, "maker": built}, protocol=protocol).table.to_dict() == wanted
    fewer = {name: values[1:] for name, values in flown.items()}
    assert script.job.run({"airline": fewer, "maker": built}, protocol="trio").table.to_dict()["decade"] == [1950, 2010]
    fewer = {name: values[2:] for name, values in flown.items()}
    assert script.job.run({"airline": fewer, "maker": built}, protocol="trio").table.to_dict()["decade"] == [2010]


@pytest.mark.parametrize("protocol", ["trio", "lift", "quad"])
def test_an_auction_is_won_by_the_first_of_the_highest_bids_for_the_second(protocol: str) -> None:
    job = example("auction").job
    for bids, winner, price in (([[5, 1, 900], [900], [7]], 2, 900), ([[0], [0], [0]], 0, 0), ([[3, 4], [2], [10**6]], 3, 4)):
        result = job.run({name: {"bid": own} for name, own in zip(("alice", "bob", "carol"), bids, strict=True)}, protocol=protocol)
        assert (result.winner, result.price) == (winner, price)


@pytest.mark.parametrize("protocol", ["trio", "lift", "quad"])
def test_a_vote_counts_valid_ballots_and_ends_without_a_result_otherwise(protocol: str) -> None:
    script = example("vote")
    marked = np.array([[0, 0, 0, 0, 0], [1, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0]], bool)
    result = script.job.run(script.shared(marked), protocol=protocol)
    assert (result.tally.tolist(), result.winner, result.blank) == ([1, 1, 0, 0, 2], 4, 1)
    three = script.shared(marked | np.array([False, True, True, False, False]))
    for clerk in ("alice", "bob", "carol"):
        flipped = script.shared(marked)
        flipped[clerk]["share"][2, 1] ^= True
        for wrong in (three, flipped):
            with pytest.raises(tc.CheckFailed):
                script.job.run(wrong, protocol=protocol)


@pytest.mark.parametrize("protocol", ["trio", "lift", "gmw", "yao"])
def test_an_intersection_is_counted_and_summed_if_it_is_large(protocol: str) -> None:
    """All rows of the example are in `test_sql.py`, in the clear."""
    job = tc.sql(ROOT / "examples" / "intersection" / "intersection.sql")
    viewers = [f"{number}@example.org" for number in range(0, 40, 2)]
    for buyers, rows in ((range(5, 30), 1), (range(25, 45), 0)):
        mails = [f"{number}@example.org" for number in buyers]
        spent = [Decimal(100 * number + 7) / 100 for number in buyers]
        data = {"alice": {"mail": viewers}, "bob": {"mail": mails, "spent": spent}}
        wanted = [paid for mail, paid in zip(mails, spent, strict=True) if mail in viewers]
        assert (len(wanted) >= 10) == (rows == 1)
        table = job.run(data, protocol=protocol).table.to_dict()
        assert table == {"buyers": [len(wanted)][:rows], "spent": [sum(wanted)][:rows]}


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 6), (9, 5), (6, 12)])
def test_the_edit_distance_is_that_of_the_table(m: int, n: int) -> None:
    source = (ROOT / "python" / "examples" / "edit_distance.py").read_text()
    assert source.count("M, N = 40, 36") == 1
    script = made(source.replace("M, N = 40, 36", f"M, N = {m}, {n}"), "edit_distance")
    rng = np.random.default_rng(m)
    assert script.reference("kitten", "sitting") == 3
    for letters, protocols in (("ACGT", ["gmw", "yao"]), ("AC", ["trio", "lift"]), ("C", ["trio"]), ("GT", ["trio"])):
        one, two = rng.choice(list(letters), m), rng.choice(list(letters), n)
        for protocol in protocols:
            found = script.job.run({"alice": {"dna": one}, "bob": {"dna": two}}, protocol=protocol).distance
            assert found == script.reference("".join(one), "".join(two))


@pytest.mark.parametrize("protocol", ["gmw", "quad"])
def test_aes_encrypts_blocks_in_a_chain(protocol: str) -> None:
    """The example of FIPS 197, three times: each block undoes the ciphertext before it. The notebook has an example of NIST SP 800-38A."""
    source = (ROOT / "python" / "examples" / "aes_cbc.py").read_text()
    assert source.count("BLOCKS = 4") == 1
    script = made(source.replace("BLOCKS = 4", "BLOCKS = 3"), "aes_cbc")
    texts = ("000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a")
    key, text, ciphertext = (script.words(bytes.fromhex(it)) for it in texts)
    message = np.array([text, text ^ ciphertext, text ^ ciphertext])
    share = np.array([2**64 - 1, 2**63 + 5], np.uint64)
    given = {"alice": {"key": share, "message": message}, "bob": {"key": share ^ key}, "start": np.zeros(2, np.uint64)}
    assert (script.job.run(given, protocol=protocol).encrypted == [ciphertext] * 3).all()


@pytest.mark.parametrize(
    ("blocks", "key", "message", "protocol"),
    [
        (1, b"\x0b" * 20, b"Hi There", "trio"),
        (1, bytes(range(64)), bytes(55), "lift"),
        (3, b"key", b"order" * 25, "gmw"),
    ],
    ids=["RFC 4231", "a long key", "several blocks"],
)
def test_hmac_is_that_of_the_library(blocks: int, key: bytes, message: bytes, protocol: str) -> None:
    source = (ROOT / "python" / "examples" / "hmac_sha256.py").read_text()
    assert source.count("BLOCKS = 2") == 1
    script = made(source.replace("BLOCKS = 2", f"BLOCKS = {blocks}"), "hmac_sha256")
    share = np.arange(8, dtype=np.uint64) << np.uint64(60)
    text = script.words(script.padded(message)).reshape(blocks, 8)
    given = {"alice": {"key": share, "message": text}, "bob": {"key": share ^ script.words(key.ljust(64, b"\0"))}}
    tag = script.job.run(given, protocol=protocol).tag
    assert tag.view("<u4").astype(">u4").tobytes() == hmac.digest(key, message, hashlib.sha256)


def test_a_network_reads_what_it_reads_in_the_clear() -> None:
    """A smaller one, for two parties alone. The notebook has the whole one."""
    source = (ROOT / "python" / "examples" / "dense_network.py").read_text()
    for whole, part in (("np.arange(28) * 8 // 28", "np.arange(8)"), ("784", "64"), ("(128,)", "(8,)"), ("(-1, 1, 14)", "(-4, 4, 14)")):
        assert whole in source
        source = source.replace(whole, part)
    script = made(source, "dense_network")
    rows = script.images[script.theirs][:2]
    result = script.job.run({"client": {"images": rows}, **script.net.data}, protocol="gmw")
    assert (result.label == script.network.predict(rows)).all()
