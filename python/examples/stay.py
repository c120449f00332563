"""The mean length of stay of patients of 65 and over at three hospitals, as examples/stay/stay.tacit says it."""

import numpy as np

import tacit as tc


def build() -> tc.Job:
    """The job: all three learn the mean, and nothing else but how many patients each has."""
    age, days = [], []
    for party in tc.parties("alice", "bob", "carol"):
        n = tc.rows(party.name[0], min=10, max=100_000)
        age.append(party.array("age", tc.Int(0, 120), shape=n))
        days.append(party.array("days", tc.Int(0, 1000), shape=n))
    ages, stays = tc.concat(age), tc.concat(days)
    mean = tc.mean(stays, where=ages >= 65, frac=8)
    return tc.job("stay", {"mean stay": mean.reveal(to="all")})


def main() -> None:
    rng = np.random.default_rng(7)
    data = {
        name: {"age": rng.integers(20, 100, patients), "days": rng.integers(1, 30, patients)}
        for name, patients in (("alice", 300), ("bob", 250), ("carol", 400))
    }
    job = build()
    print(job.disclosure())
    print(job.run(data))
    age = np.concatenate([it["age"] for it in data.values()])
    days = np.concatenate([it["days"] for it in data.values()])
    print(f"in the clear: {days[age >= 65].mean():.4f}")


if __name__ == "__main__":
    main()
