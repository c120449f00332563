"""Calls that must be well typed: mypy finds nothing here. Nothing of it runs."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import assert_type

import tacit as tc

# Parties and inputs.
alice, bob, carol = tc.parties("alice", "bob", "carol")
assert_type(alice, tc.Party)
n = tc.rows("n", max=1000, min=1)
assert_type(n, tc.Rows)
assert_type(2 * n + 1, tc.Extent)
age = alice.array("age", tc.Int(0, 120), shape=n)
assert_type(age, tc.Array)
table = bob.array("table", tc.Fixed(0, 100, frac=8), (n, 4), sample=np.zeros((3, 4)))
smokes = bob.array("smokes", tc.Bool(), n, prefix=False)
ward = carol.array("ward", tc.Category(["north", "south"], name="wards"), n)
day = carol.array("day", tc.Date(datetime.date(2024, 1, 1), "2024-12-31"), n)
threshold = tc.public("threshold", tc.Int(0, 10**6, bits=32))

# Operators.
assert_type(age + 1, tc.Array)
assert_type(1.5 - age, tc.Array)
assert_type(age * age / 2 // 3 % 4, tc.Array)
assert_type(age**2, tc.Array)
assert_type(-abs(age), tc.Array)
assert_type(age == 3, tc.Array)
assert_type(age != threshold, tc.Array)
assert_type((age >= 65) & ~smokes | (ward == "north"), tc.Array)
assert_type(table @ np.ones(4, dtype=np.int64), tc.Array)
assert_type(age[0], tc.Array)
assert_type(table[:, 1:3], tc.Array)
assert_type(table.at[0].set(1), tc.Array)
assert_type(table.T.reshape(-1).sum(axis=0), tc.Array)
assert_type(age.shape, tuple[int | tc.Extent, ...])
assert_type(age.ndim, int)
assert_type(age.dtype, str)
assert_type(age.visibility, str)
assert_type(age.astype(tc.Int(0, 255)), tc.Array)

# Functions.
assert_type(tc.sum(age), tc.Array)
assert_type(tc.mean(age, where=smokes, frac=8), tc.Array)
assert_type(tc.quantile(age, [0.25, 0.75]), tc.Array)
assert_type(tc.where(smokes, age, 0), tc.Array)
assert_type(tc.clip(age, 0, 99), tc.Array)
assert_type(tc.check(age, 0, 99), tc.Array)
assert_type(tc.promise(age, 0, 99), tc.Array)
assert_type(tc.sort_by(age, ward, descending=True), list[tc.Array])
assert_type(tc.top(age, ward, k=3), list[tc.Array])
assert_type(tc.group_mean(age, by=[ward], where=smokes), tc.Array)
assert_type(tc.zeros((2, n), dtype=tc.Bool()), tc.Array)
assert_type(tc.concat([age, age]), tc.Array)
assert_type(tc.xp.cumulative_sum(age), tc.Array)


def step(total: tc.Array, i: tc.Array) -> tc.Array:
    """The body of a loop."""
    return total + i


total = tc.loop(n, step, 0, keep=tc.Int(0, 10**6), overflow="check")
assert_type(tc.map(lambda x: x + 1, age, keep=tc.Int(0, 121)), tc.Array)
tc.fold(lambda best, x: tc.maximum(best, x), age, 0, keep=tc.Int(0, 120))

# Jobs.
reveal = tc.sum(age).reveal(to="all")
assert_type(reveal, tc.Reveal)
age.reveal(to=alice)
age.reveal(to=[alice, "bob"])
job = tc.job("stay", {"mean stay": reveal}, other=tc.mean(age).reveal(to=[alice, bob]))
assert_type(job, tc.Job)
assert_type(job.digest, str)
model = table.keep("model", tc.Fixed(0, 100, frac=8), overwrite=True)
assert_type(model, tc.Keep)
tc.job("train", model=model, other=reveal)
assert_type(tc.kept("model", tc.Fixed(0, 100, frac=8), (4, 4), sample=np.zeros((4, 4))), tc.Array)
assert_type(tc.local().list_kept(), list[tc.KeptSecret])
assert_type(tc.connect("alice.toml", kept=Path("shares")).list_kept(), list[tc.KeptSecret])
job.run({"alice": {"age": [3]}}, on=tc.local(), kept={"model": np.zeros((4, 4))})
assert_type(job.check(kept={"model": [1.5]}), tc.Result)
assert_type(job.input_names, list[str])
assert_type(job.rows, dict[str, tuple[int, int]])
assert_type(job.lints(), list[tc.Lint])
job.save(Path("stay.tacit"))
assert_type(tc.load("stay.tacit"), tc.Job)
assert_type(job.check({"alice": {"age": [1]}}), tc.Result)
result = job.run({"alice": {"age": [1]}, "bob": 3}, security="malicious", corruptions="one", threads=4)
assert_type(result, tc.Result)
assert_type(result.report.seconds, float)
assert_type(result.report.rounds, int)
assert_type(result.exact("other"), tuple[list[int], int])
mean_stay: Any = result.mean_stay
other: float = result["other"]
plan = job.plan(network="lan", security="semi-honest", corruptions=1, rows={"n": 1000})
assert_type(plan.best, str)
assert_type(job.simulate(rows={"n": 10}, protocols=["trio"]).best, str)
assert_type(tc.protocols(), dict[str, str])

# Queries.
query = tc.sql(Path("visits.sql"))
assert_type(query, tc.Job)
assert_type(tc.sql("SELECT 1"), tc.Job)
answer = query.run({"alice": "visits.csv", "bob/visits": Path("visits.parquet"), "carol": {"visits": {"age": [1, None]}}})
assert_type(answer.table, tc.Table)
assert_type(answer.table("plan"), tc.Table)
assert_type(answer.table.to_dict(), dict[str, list[Any]])
assert_type(answer.table.column_names, list[str])
assert_type(len(answer.table), int)
assert_type(answer.remarks, list[str])
assert_type(answer.decimals("cost"), int)

# Frames.
schema = tc.Schema(
    {"of what": tc.Bool()}, plan=tc.Category(["basic", "full"]), age=tc.Int(0, 120).nullable(), cost=tc.Decimal(7, 2, lo=0), name=tc.Text()
)
people = alice.table("people", schema, max_rows=100, min_rows=1, unique=["plan", "age"])
assert_type(people, tc.Frame)
assert_type(tc.concat([people, bob.table("people", schema, max_rows=10, unique="age")]), tc.Frame)
assert_type(tc.col.age, tc.Expr)
assert_type(tc.col("of what"), tc.Expr)
assert_type((tc.col.age + 1 > 65) & ~tc.col("of what") | (tc.col.plan == "full"), tc.Expr)
assert_type(1 - tc.col.age // 2 % 3, tc.Expr)
assert_type(tc.when(tc.col.age > 3).then("age").when(tc.col.age < 2).then(0).otherwise(None), tc.Expr)
assert_type(tc.lit(datetime.date(2024, 1, 1)), tc.Expr)
assert_type(tc.len().alias("n"), tc.Expr)
assert_type(tc.col.age.quantile(0.9, "linear"), tc.Expr)
assert_type(tc.col.age.filter(tc.col.cost > 3).mean().over("plan", order_by=["age", tc.col.cost], descending=[True, False]), tc.Expr)
assert_type(tc.col.day.dt.year(), tc.Expr)
assert_type(tc.col.plan.str.starts_with("b"), tc.Expr)
assert_type(tc.col.name.str.strip_chars().str.to_lowercase().str.head(3) == "ann", tc.Expr)
assert_type(tc.Schema(note=tc.Text(max_chars=200).nullable()), tc.Schema)
assert_type(tc.col.age.is_between("plan", 3, closed="left").is_in([1, 2]).cast(int).cast(tc.Decimal(9, 2)), tc.Expr)
assert_type(people.filter(tc.col.age > 3, tc.col.cost > 2).select("plan", ["age"], n=tc.len()).with_columns(x=3), tc.Frame)
assert_type(people.group_by("plan", old=tc.col.age > 65), tc.Groups)
by_plan = people.group_by(["plan"]).agg(tc.len(), cost=tc.col.cost.sum()).min_rows(3)
assert_type(by_plan, tc.Frame)
assert_type(
    people.join(by_plan, on="plan", how="left", suffix="_of", max_matches=3).join(by_plan, left_on=["plan"], right_on=["plan"]), tc.Frame
)
assert_type(people.sort("age", tc.col.cost, descending=[True, False]).head(3).limit(2).top_k(1, by="age"), tc.Frame)
assert_type(people.rename({"age": "years"}).drop("plan", ["cost"]).unique("years").with_row_index(), tc.Frame)


def first_names(frame: tc.Frame, k: int) -> list[str]:
    """What a frame is piped into."""
    return frame.head(k).columns


assert_type(people.pipe(first_names, 3), list[str])
assert_type(people.pipe(first_names, k=3), list[str])
assert_type(people.schema, dict[str, str])
assert_type(people.to_sql(), str)
assert_type(by_plan.reveal(to=[alice, "bob"], max_rows=3, frac=8), tc.FrameReveal)
of_plans = tc.job("plans", table=by_plan.reveal(to="all"))
assert_type(of_plans, tc.Job)
assert_type(of_plans.sql, str | None)

with tc.connect("alice.toml", timeout=5.0) as net:
    job.run({"age": [1]}, on=net, protocol="trio", session="monday")
job.run({"alice": [1]}, on=tc.local(transport="tcp"))
assert_type(tc.suggest({"age": [1]}), tc.Schema)

try:
    job.run()
except tc.CheckFailed:
    pass
except tc.RangeError as error:
    assert_type((error.line, error.column), tuple[int, int])
except tc.TacitError:
    pass
