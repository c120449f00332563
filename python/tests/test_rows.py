"""Rows of frames as arrays: a program goes on with what a query joined."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tacit as tc

PROTOCOLS = ["trio", "lift", "gmw:3", "yao-three"]


def banks() -> tuple[tc.Frame, tc.Frame]:
    """Customers of one bank, and which of them did not pay back, by another."""
    alice, bob, *_ = tc.parties("alice", "bob", "carol")
    income = tc.Schema(id=tc.Int(0, 999), income=tc.Fixed(-8, 8), age=tc.Int(0, 120), plan=tc.Category(["basic", "full"]))
    loans = tc.Schema(id=tc.Int(0, 999), late=tc.Bool(), months=tc.Int(0, 60).nullable())
    return alice.table("people", income, max_rows=80, unique="id"), bob.table("loans", loans, max_rows=60)


def made(seed: int, people: int = 60, loans: int = 40) -> dict[str, dict[str, dict[str, Any]]]:
    rng = np.random.default_rng(seed)
    ids = rng.choice(100, people, replace=False)
    income = rng.normal(size=people).clip(-4, 4)
    of = rng.choice(100, loans)
    by_id = dict(zip(ids.tolist(), income.tolist(), strict=True))
    late = [by_id.get(it, 0.0) + rng.normal() * 0.5 < 0 for it in of.tolist()]
    plan = rng.choice(["basic", "full"], people)
    first = {"id": ids, "income": income, "age": rng.integers(18, 90, people), "plan": plan}
    return {"alice": {"people": first}, "bob": {"loans": {"id": of, "late": late, "months": rng.integers(0, 60, loans)}}}


def joined(given: dict[str, dict[str, dict[str, Any]]]) -> list[tuple[float, int, bool]]:
    people, loans = given["alice"]["people"], given["bob"]["loans"]
    by_id = {int(key): (float(x), int(age)) for key, x, age in zip(people["id"], people["income"], people["age"], strict=True)}
    return [(*by_id[int(key)], bool(late)) for key, late in zip(loans["id"], loans["late"], strict=True) if int(key) in by_id]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_program_goes_on_with_joined_rows(protocol: str) -> None:
    people, loans = banks()
    both = loans.join(people, on="id").filter(tc.col.age >= 30)
    columns, there = both.to_arrays("income", "age", "late")
    assert list(columns) == ["income", "age", "late"]
    old = tc.where(columns["late"], columns["age"], 0)
    given = made(1)
    job = tc.job(
        "rows",
        count=tc.sum(there).reveal(to="all"),
        late=tc.sum(columns["late"]).reveal(to="all"),
        income=tc.sum(columns["income"]).reveal(to="all"),
        oldest=tc.max(old, axis=0).reveal(to="all"),
    )
    res = job.run(given, protocol=protocol)
    wanted = [row for row in joined(given) if row[1] >= 30]
    assert (res.count, res.late) == (len(wanted), sum(late for *_, late in wanted))
    assert res.oldest == max(age for _, age, late in wanted if late)
    assert float(res.income) == pytest.approx(sum(x for x, *_ in wanted), abs=len(wanted) * 2.0**-15)


def test_a_model_of_joined_rows() -> None:
    people, loans = banks()
    columns, there = loans.join(people, on="id").to_arrays("income", "late")
    X = tc.stack([columns["income"]], axis=1)
    model = tc.ml.LogisticRegression(steps=40, learning_rate=4.0).fit(X, columns["late"], sample_weight=there)
    right = (model.predict(X) == columns["late"]) & there
    job = tc.job(
        "credit", coef=model.coef_.reveal(to="all"), intercept=model.intercept_.reveal(to="all"), right=tc.sum(right).reveal(to="all")
    )
    given = made(2)
    res = job.run(given, protocol="trio")
    rows = joined(given)
    # As long as the longest frame, so that steps are of the same length.
    most = model_rows(X)
    features, late = np.zeros((most, 1)), np.zeros(most, dtype=bool)
    features[: len(rows), 0], late[: len(rows)] = [row[0] for row in rows], [row[2] for row in rows]
    count = np.arange(most) < len(rows)
    reference = tc.ml.LogisticRegression(steps=40, learning_rate=4.0).reference(features, late, sample_weight=count)
    assert float(res.coef[0]) == pytest.approx(float(reference.coef_[0]), abs=5e-3)
    assert float(res.intercept) == pytest.approx(float(reference.intercept_), abs=5e-3)
    assert int(res.right) == int(((features[:, 0] * reference.coef_[0] + reference.intercept_ > 0) == late)[count].sum())


def model_rows(X: tc.Array) -> int:
    return (
        sum(dim.max * factor for dim, factor in X.shape[0].terms.items()) + X.shape[0].constant
        if hasattr(X.shape[0], "terms")
        else int(X.shape[0])
    )


@pytest.mark.parametrize("protocol", ["trio", "lift", "yao-three"])
def test_keys_that_repeat_end_each_job_of_the_rows(protocol: str) -> None:
    people, loans = banks()
    columns, there = loans.join(people, on="id").to_arrays("age")
    given = made(3)
    given["alice"]["people"]["id"][1] = given["alice"]["people"]["id"][0]
    for value in (columns["age"], there):
        job = tc.job("sum", sum=tc.sum(value).reveal(to="all"))
        with pytest.raises(tc.CheckFailed):
            job.run(given, protocol=protocol)
        with pytest.raises(tc.CheckFailed):
            job.check(given)
    # What is not of the join is not ended by it.
    only, _ = people.to_arrays("age")
    assert (
        tc.job("sum", sum=tc.sum(only["age"]).reveal(to="all")).run(given, protocol=protocol).sum == given["alice"]["people"]["age"].sum()
    )


def test_rows_in_an_order_groups_and_categories() -> None:
    people, _ = banks()
    given = made(4)
    first = given["alice"]["people"]
    oldest = people.sort("age", "id", descending=True)
    whole, _ = oldest.to_arrays("age", "id")
    columns, there = oldest.head(3).to_arrays("age", "id")
    job = tc.job("oldest", age=columns["age"].reveal(to="alice"), there=there.reveal(to="alice"), all=whole["id"].reveal(to="alice"))
    res = job.run(given, protocol="trio")
    order = np.lexsort((first["id"], first["age"]))[::-1]
    assert res.age.tolist() == first["age"][order[:3]].tolist() and res.there.all()
    assert res.all.tolist() == first["id"][order].tolist()
    columns, there = people.group_by("plan").agg(n=tc.len(), age=tc.col.age.sum()).sort("plan").to_arrays()
    assert list(columns) == ["plan", "n", "age"]
    job = tc.job("plans", **{name: it.reveal(to="all") for name, it in columns.items()}, there=there.reveal(to="all"))
    res = job.run(given, protocol="trio")
    counts = [int((first["plan"] == plan).sum()) for plan in ("basic", "full")]
    assert res.plan.tolist() == ["basic", "full"] and res.n.tolist() == counts and res.there.tolist() == [True, True]
    # Inputs of several frames, and arrays beside them, are one.
    some, _ = people.filter(tc.col.plan == "full").to_arrays("age")
    rest, _ = people.filter(tc.col.plan == "basic").to_arrays("age")
    both = tc.job("both", all=(tc.sum(some["age"]) + tc.sum(rest["age"])).reveal(to="all"))
    assert sorted(both.input_names) == ["alice.people.age", "alice.people.plan"]
    assert both.run(given, protocol="trio").all == first["age"].sum()


def test_one_row_of_all_and_nulls_that_are_filled() -> None:
    _, loans = banks()
    given = made(5)
    columns, there = loans.with_columns(months=tc.col.months.fill_null(0)).to_arrays("months")
    total, _ = loans.select(n=tc.len()).to_arrays()
    job = tc.job(
        "total", months=tc.sum(columns["months"]).reveal(to="all"), n=total["n"].reveal(to="all"), there=tc.sum(there).reveal(to="all")
    )
    alone = tc.job("alone", n=total["n"].reveal(to="all"))
    assert np.ravel(alone.run(given, protocol="trio").n).tolist() == [40]
    res = job.run(given, protocol="trio")
    assert (res.months, res.there) == (given["bob"]["loans"]["months"].sum(), 40) and np.ravel(res.n).tolist() == [40]
    known, _ = loans.filter(tc.col.months.is_not_null()).to_arrays("months")
    assert tc.job("sum", sum=tc.sum(known["months"]).reveal(to="all")).check(given).sum == given["bob"]["loans"]["months"].sum()


def test_what_cannot_be_arrays() -> None:
    alice, *_ = tc.parties("alice", "bob", "carol")
    schema = tc.Schema(name=tc.Text(), pay=tc.Decimal(7, 2), age=tc.Int(0, 120).nullable(), x=tc.Int(0, 2**62))
    frame = alice.table("people", schema, max_rows=1000)
    for columns, what in [
        (("nam",), "there is no column 'nam'"),
        (("name",), "'name' is Text, and a text without a list is a number without meaning"),
        (("pay",), "arrays have no decimals: cast it to float"),
        (("age",), "`age` may be null, and a program has no nulls: give it a value by fill_null"),
    ]:
        with pytest.raises(tc.ProgramError, match=re.escape(what)) as found:
            frame.to_arrays(*columns)
        assert "test_rows.py" in str(found.value)
    with pytest.raises(tc.ProgramError, match="min_rows leaves out groups of what is shown"):
        frame.group_by("age").agg(n=tc.len()).min_rows(3).to_arrays("n")
    with pytest.raises(tc.RangeError, match="64"):
        frame.with_columns(y=tc.col.x * tc.col.x).to_arrays("y")
    with pytest.raises(tc.ProgramError, match="outside of loops"):
        tc.loop(3, lambda x, i: x + frame.with_columns(n=tc.lit(1)).to_arrays("n")[0]["n"][0], tc.zeros(()), keep=tc.Int(0, 9))
    columns, _ = frame.with_columns(pay=tc.col.pay.cast(float)).to_arrays("pay")
    job = tc.job("pay", pay=tc.sum(columns["pay"]).reveal(to="all"))
    given = {"alice": {"people": {"name": ["a", "b"], "pay": [1.25, 2.5], "age": [1, None], "x": [0, 1]}}}
    assert float(job.check(given).pay) == 3.75


def test_weights_of_rows_of_metrics_are_bits() -> None:
    alice, *_ = tc.parties("alice", "bob", "carol")
    X, y = alice.array("x", tc.Fixed(-8, 8), (20, 2)), alice.array("y", tc.Bool(), (20,))
    with pytest.raises(tc.ProgramError, match="sample_weight is bits"):
        tc.ml.accuracy(y, y, sample_weight=alice.array("w", tc.Int(0, 3), (20,)))
    with pytest.raises(tc.ShapeError, match="one number for each row"):
        tc.ml.LinearRegression().fit(X, y, sample_weight=alice.array("v", tc.Bool(), (19,)))


@pytest.mark.parametrize(
    "model",
    [
        tc.ml.LinearRegression(),
        tc.ml.Ridge(alpha=2.0, fit_intercept=False),
        tc.ml.LogisticRegression(steps=10),
        tc.ml.LogisticRegression(steps=10, fit_intercept=False, C=None),
        tc.ml.LogisticRegression(steps=12, batch_size=16),
        tc.ml.PoissonRegressor(steps=10),
    ],
    ids=repr,
)
def test_rows_that_do_not_count(model: Any) -> None:
    rng = np.random.default_rng(7)
    x, count = rng.normal(size=(48, 3)).clip(-4, 4), rng.random(48) < 0.6
    y = (x @ [1.0, -2.0, 0.5] + rng.normal(size=48) > 0).astype(int)
    alice, *_ = tc.parties("alice", "bob", "carol")
    X, target, there = alice.array("x", tc.Fixed(-8, 8), x.shape), alice.array("y", tc.Int(0, 1), (48,)), alice.array("c", tc.Bool(), (48,))
    scaler = tc.ml.StandardScaler()
    scaled = scaler.fit_transform(X, sample_weight=there)
    found = model._copy().fit(scaled, target, sample_weight=there)
    job = tc.job(
        "model", coef=found.coef_.reveal(to="all"), intercept=found.intercept_.reveal(to="all"), mean=scaler.mean_.reveal(to="all")
    )
    given = {"alice": {"x": x, "y": y, "c": count}}
    res = job.check(given)
    mean, scale = x[count].mean(axis=0), x[count].std(axis=0)
    assert np.abs(np.asarray(res.mean, dtype=float) - mean).max() < 1e-3
    reference = model.reference(((x - mean) / scale).clip(-8, 8), y, sample_weight=count)
    assert np.abs(np.asarray(res.coef, dtype=float) - reference.coef_).max() < 5e-3
    assert abs(float(res.intercept) - float(reference.intercept_)) < 5e-3


def padded() -> tuple[tc.Frame, tc.Frame]:
    alice, bob, *_ = tc.parties("alice", "bob", "carol")
    schema = tc.Schema(id=tc.Int(0, 999), pay=tc.Int(10, 900).nullable(), plan=tc.Category(["basic", "full"]))
    return tuple(party.table("people", schema, max_rows=30, unique="id", pad=True) for party in (alice, bob))


def rows_of(count: int, first: int) -> dict[str, Any]:
    return {
        "id": list(range(first, first + count)),
        "pay": [None if i % 5 == 0 else 10 + 7 * i for i in range(count)],
        "plan": ["basic" if i % 3 else "full" for i in range(count)],
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_padded_tables_hide_how_many_rows_they_have(protocol: str) -> None:
    a, b = padded()
    by = tc.concat([a, b]).group_by("plan").agg(n=tc.len(), pay=tc.col.pay.sum(), least=tc.col.pay.min()).sort("plan")
    job = tc.job("pay", table=by.reveal(to="all"))
    assert "padded = true" in job.sql and job.rows == {"alice.people": (0, 30), "bob.people": (0, 30)}
    assert "alice.people has 30 rows at most, and not how many" in str(job.disclosure())
    sent = set()
    for few, many in ((4, 9), (30, 0)):
        first, second = rows_of(few, 0), rows_of(many, 500)
        res = job.run({"alice": {"people": first}, "bob": {"people": second}}, protocol=protocol)
        wanted = {"basic": [0, 0, None], "full": [0, 0, None]}
        for pay, plan in zip(first["pay"] + second["pay"], first["plan"] + second["plan"], strict=True):
            n, total, least = wanted[plan]
            wanted[plan] = [n + 1, total + (pay or 0), least if pay is None else pay if least is None else min(least, pay)]
        found = res.table.to_dict()
        assert {plan: [n, pay, least] for plan, n, pay, least in zip(*found.values(), strict=True)} == wanted
        sent.add(res.report.bytes)
    assert len(sent) == 1, sent


def test_padded_rows_as_arrays_from_files_and_in_plans(tmp_path: Any) -> None:
    a, b = padded()
    columns, there = a.join(b, on="id", how="left").filter(tc.col.pay.is_not_null()).to_arrays("pay")
    job = tc.job("sum", n=tc.sum(there).reveal(to="all"), pay=tc.sum(columns["pay"]).reveal(to="all"))
    first, second = rows_of(11, 0), rows_of(3, 5)
    given = {"alice": {"people": first}, "bob": {"people": second}}
    known = [pay for pay in first["pay"] if pay is not None]
    for res in (job.check(given), job.run(given, protocol="trio"), job.run(given, protocol="lift")):
        assert (int(res.n), int(res.pay)) == (len(known), sum(known))
    # The program says it, so whoever reads that needs no more.
    job.save(tmp_path / "sum.tacit")
    assert tc.load(tmp_path / "sum.tacit").check(given).pay == sum(known)
    lines = ["id,pay,plan", *(f"{id},{'' if pay is None else pay},{plan}" for id, pay, plan in zip(*first.values(), strict=True))]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    assert job.check({**given, "alice": {"people": str(tmp_path / "a.csv")}}).pay == sum(known)
    assert job.simulate(protocols=["trio"], network="lan").reports and job.plan(network="lan").best
    # Rows are counted also where nothing else of them is needed.
    alone = tc.job("count", n=tc.sum(there).reveal(to="all"))
    assert alone.run(given, protocol="trio").n == len(known)
    total, _ = a.select(n=tc.len()).to_arrays()
    assert np.ravel(tc.job("count", n=total["n"].reveal(to="all")).run(given, protocol="trio").n).tolist() == [11]
    few, most = (job.plan(network="lan", rows=rows).candidates for rows in ({"alice.people": 5}, None))
    assert [it["bytes"] for it in few] == [it["bytes"] for it in most]
    assert job.explain(protocol="trio", rows={"alice.people": 5}).rounds == job.explain(protocol="trio").rounds
    with pytest.raises(tc.InputError, match=re.escape("31 rows, and 'alice.people' is from 0 to 30")):
        job.check({**given, "alice": {"people": rows_of(31, 0)}})
    with pytest.raises(tc.ProgramError, match="a padded table has no min_rows"):
        tc.parties("alice")[0].table("t", tc.Schema(a=tc.Int(0, 1)), max_rows=3, min_rows=1, pad=True)
