"""Calls that must not be well typed: each has the error that it is, and mypy says which comments it has no need of."""

from __future__ import annotations

import numpy as np

import tacit as tc

alice, bob = tc.parties("alice", "bob")
n = tc.rows("n", max=10)
age = alice.array("age", tc.Int(0, 120), n)

# Declarations.
tc.parties(1, 2)  # type: ignore[arg-type]
tc.rows("n")  # type: ignore[call-arg]
tc.rows("n", 10)  # type: ignore[call-arg]
tc.rows("n", max="many")  # type: ignore[arg-type]
tc.Int("0", 120)  # type: ignore[arg-type]
tc.Int(0)  # type: ignore[call-arg]
tc.Category([1, 2])  # type: ignore[list-item]
tc.Date(20240101, 20241231)  # type: ignore[arg-type]
tc.Int(0, 120).lo = 1  # type: ignore[misc]
alice.array("age", int)  # type: ignore[arg-type]
alice.array("age")  # type: ignore[call-arg]
alice.array("age", tc.Int(0, 1), (), np.zeros(3))  # type: ignore[call-arg]
tc.public(tc.Int(0, 1), "x")  # type: ignore[arg-type]

# Operations.
age.astype("float64")  # type: ignore[arg-type]
age.astype(float)  # type: ignore[arg-type]
age.sum(axis="rows")  # type: ignore[arg-type]
age.nbytes()  # type: ignore[attr-defined]
tc.mean([1, 2, 3])  # type: ignore[arg-type]
tc.mean(age, where=True)  # type: ignore[arg-type]
tc.median(age, frac=3)  # type: ignore[call-arg]
tc.top(age)  # type: ignore[call-arg]
tc.map(lambda x: x, age)  # type: ignore[call-arg]
tc.fold(age, lambda total, x: total + x, 0)  # type: ignore[arg-type]
tc.zeros(3, dtype=np.float64)  # type: ignore[arg-type]
tc.zeros(3, dtype="int")  # type: ignore[arg-type]
total: int = tc.sum(age)  # type: ignore[assignment]
tc.sine(age)  # type: ignore[attr-defined]
n - "one"  # type: ignore[operator]

# Jobs.
tc.job("stay", mean=tc.mean(age))  # type: ignore[arg-type]
tc.job("stay", {"mean": age})  # type: ignore[dict-item]
tc.job(mean=age.reveal(to="all"))  # type: ignore[call-arg]
age.reveal(alice)  # type: ignore[call-arg]
job = tc.job("stay", mean=tc.mean(age).reveal(to="all"))
job.run({}, security="evil")  # type: ignore[arg-type]
job.run({}, corruptions=1.5)  # type: ignore[arg-type]
job.run({}, on="local")  # type: ignore[arg-type]
job.run({}, tc.local())  # type: ignore[call-arg]
job.run({}, threads="all")  # type: ignore[arg-type]
job.plan(security="passive")  # type: ignore[arg-type]
job.digest = ""  # type: ignore[misc]
tc.local("tcp")  # type: ignore[call-arg]
tc.connect()  # type: ignore[call-arg]
tc.load(3)  # type: ignore[arg-type]

# Frames.
people = alice.table("people", tc.Schema(age=tc.Int(0, 120)), max_rows=10)
alice.table("people", tc.Schema(age=tc.Int(0, 120)))  # type: ignore[call-arg]
alice.table("people", {"age": int}, max_rows=10)  # type: ignore[dict-item]
tc.Schema(age=int)  # type: ignore[arg-type]
tc.Decimal("7", 2)  # type: ignore[arg-type]
people.filter("age")  # type: ignore[arg-type]
people.filter(3)  # type: ignore[arg-type]
people.join(people, on="age", how="outer")  # type: ignore[arg-type]
people.head("3")  # type: ignore[arg-type]
people.unique("age", keep="first")  # type: ignore[arg-type]
people.group_by("age").sum()  # type: ignore[attr-defined]
people.collect()  # type: ignore[attr-defined]
tc.col.age.skew()  # type: ignore[attr-defined]
tc.col.age.rank("average")  # type: ignore[arg-type]
tc.col.age.quantile(0.5, "nearest")  # type: ignore[arg-type]
tc.col.age.cast(str)  # type: ignore[arg-type]
tc.col.age - [1]  # type: ignore[operator]
tc.concat([people, 3])  # type: ignore[list-item]
tc.job("q", table=people)  # type: ignore[arg-type]
