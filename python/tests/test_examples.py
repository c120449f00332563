"""The examples: the same programs as in the text form, and what they learn."""

from __future__ import annotations

import ast
import functools
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
    path = ROOT / "python" / "examples" / f"{name}.py"
    made: dict[str, Any] = {"__file__": str(path), "show": lambda _: None, "display": lambda _: None}
    for statement in ast.parse(path.read_text()).body:
        if "job" not in made or isinstance(statement, ast.FunctionDef):
            exec(compile(ast.Module([statement], []), str(path), "exec"), made)
    return SimpleNamespace(**made)


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
    ],
    ids=["stay", "pay_gap", "multiply", "sort", "group_by", "matmul", "compare", "relu", "dot"],
)
def test_python_and_text_are_the_same_program(build, file: str) -> None:
    job, read = build(), tc.load(ROOT / "examples" / file)
    assert job.text == read.text
    assert job.digest == read.digest


def test_survival_learns_what_the_clear_does() -> None:
    made = example("survival")
    rng = np.random.default_rng(4)
    month, event, arm = rng.integers(0, 88, 120), rng.random(120) < 0.5, rng.integers(0, 2, 120)
    names = np.array(["no", "yes"])[arm]
    given = {name: {"month": month[i::3], "event": event[i::3], "arm": names[i::3]} for i, name in enumerate(("alice", "bob", "carol"))}
    chi2, excess, curves = made.reference(month, event, arm == 1)
    result = made.job.run(given, protocol="trio")
    assert abs(result.chi2 - chi2) < 0.01
    assert abs(result.excess - excess) < 0.01
    np.testing.assert_allclose(result.curves, curves, atol=2e-3)


def test_regression_learns_what_the_clear_does() -> None:
    made = example("regression")
    rng = np.random.default_rng(1)
    features = rng.normal(size=(60, 30)).clip(-8, 8)
    labels = features @ rng.normal(size=30) > 0
    given = {"alice": {"x": features[:, :15], "y": labels}, "bob": {"z": features[:, 15:]}}
    result = made.job.run(given, protocol="trio")
    assert np.abs(result.weights - made.reference(features, labels)).max() < 1e-3


def test_doctor_visits_learn_what_the_clear_does() -> None:
    made = example("doctor_visits")
    rng = np.random.default_rng(7)
    parts = [
        {"plan": rng.choice(made.PLANS[:2], 40), "health": rng.choice(made.HEALTH[:2], 40), "visits": rng.integers(0, 20, 40)}
        for _ in range(3)
    ]
    table = made.job.run(dict(zip(("alice", "bob", "carol"), parts, strict=True)), protocol="trio").table.to_dict()
    plan, health, visits = (np.concatenate([part[name] for part in parts]) for name in ("plan", "health", "visits"))
    cells = [(plan == a) & (health == b) for a, b in zip(table["plan"], table["health"], strict=True)]
    assert table["people"] == [cell.sum() for cell in cells] and len(cells) == 4
    np.testing.assert_allclose(table["visits"], [visits[cell].mean() for cell in cells], atol=1e-4)
