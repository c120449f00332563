"""Pay by level and group at three companies that show nobody their salaries, as examples/pay-gap/pay-gap.tacit says it."""

import numpy as np

import tacit as tc

LEVELS = ["junior", "senior", "lead", "manager", "executive"]
GROUPS = ["women", "men"]


def build() -> tc.Job:
    """The job: statistics of cells with at least 10 people, and the gap by level."""
    parties = tc.parties("alice", "bob", "carol")
    types = {
        "level": tc.Category(LEVELS, name="level"),
        "group": tc.Category(GROUPS, name="group"),
        "salary": tc.Int(0, 1_000_000),
    }
    columns: dict[str, list[tc.Array]] = {name: [] for name in types}
    for party in parties:
        n = tc.rows(party.name[0], max=100_000)
        for name, type in types.items():
            columns[name].append(party.array(name, type, shape=n))
    level, group, salary = (tc.concat(parts) for parts in columns.values())

    by = [level, group]
    people = tc.group_count(by)
    mean = tc.group_mean(salary, by, frac=8)
    deviation = tc.group_std(salary, by, frac=8)
    enough = people >= 10
    shown = {
        name: tc.where(enough, value, 0).reveal(to="all")
        for name, value in (("people", people), ("mean pay", mean), ("standard deviation", deviation))
    }
    # By level: how much less women are paid than men, as a share of men's pay.
    means, both = mean.reshape(5, 2), enough.reshape(5, 2)
    women, men = means[:, 0], means[:, 1]
    women_enough, men_enough = both[:, 0], both[:, 1]
    gap = tc.to_fixed(men - women, 16) / tc.to_fixed(men, 16)
    shown["pay gap"] = tc.where(women_enough & men_enough, gap, 0).reveal(to="all")
    return tc.job("pay_gap", shown)


def main() -> None:
    rng = np.random.default_rng(3)
    data = {}
    for name, people in (("alice", 400), ("bob", 300), ("carol", 500)):
        level = rng.choice(len(LEVELS), people, p=[0.4, 0.3, 0.15, 0.1, 0.05])
        group = rng.choice(2, people)
        salary = rng.normal(40_000 + 20_000 * level + 4_000 * group, 6_000).clip(0, 1_000_000).astype(int)
        data[name] = {"level": np.array(LEVELS)[level], "group": np.array(GROUPS)[group], "salary": salary}
    job = build()
    print(job.disclosure())
    print(job.run(data))
    level, group, salary = (np.concatenate([it[key] for it in data.values()]) for key in ("level", "group", "salary"))
    for name in LEVELS:
        women, men = (salary[(level == name) & (group == who)].mean() for who in GROUPS)
        print(f"in the clear: {name:10} pay gap {1 - women / men:.4f}")


if __name__ == "__main__":
    main()
