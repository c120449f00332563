# %% [markdown]
# # Pay by level and group at three companies
#
# Three companies want to compare what they pay women and men, by level. None of them shows anybody a salary. With Tacit everybody learns
# the head count, the mean and the standard deviation of each cell, and the pay gap of each level. Cells of fewer than 10 people are hidden.
#
# The program is the one of `examples/pay-gap/pay-gap.tacit`, and has the same digest.

# %%
import numpy as np

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

LEVELS = ["junior", "senior", "lead", "manager", "executive"]
GROUPS = ["women", "men"]

# %% [markdown]
# ## Write the program
#
# A category is a list that all parties know. Its members are public; which of them a person belongs to is secret.

# %%
types = {
    "level": tc.Category(LEVELS, name="level"),
    "group": tc.Category(GROUPS, name="group"),
    "salary": tc.Int(0, 1_000_000),
}
columns = {name: [] for name in types}
for party in tc.parties("alice", "bob", "carol"):
    n = tc.rows(party.name[0], max=100_000)
    for name, type in types.items():
        columns[name].append(party.array(name, type, shape=n))
level, group, salary = (tc.concat(parts) for parts in columns.values())

# %% [markdown]
# Statistics by the combinations of two categories have ten cells. `tc.where` hides what is about fewer than 10 people: whether a cell
# is hidden is revealed, how many people are in it is not.

# %%
by = [level, group]
people = tc.group_count(by)
mean = tc.group_mean(salary, by, frac=8)
deviation = tc.group_std(salary, by, frac=8)
enough = people >= 10
shown = {
    name: tc.where(enough, value, 0).reveal(to="all")
    for name, value in (("people", people), ("mean pay", mean), ("standard deviation", deviation))
}

# %% [markdown]
# The gap of a level is how much less women are paid than men, as a share of men's pay.

# %%
means, both = mean.reshape(5, 2), enough.reshape(5, 2)
women, men = means[:, 0], means[:, 1]
enough_women, enough_men = both[:, 0], both[:, 1]
gap = tc.to_fixed(men - women, 16) / tc.to_fixed(men, 16)
shown["pay gap"] = tc.where(enough_women & enough_men, gap, 0).reveal(to="all")
job = tc.job("pay_gap", shown)
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear, on made-up salaries

# %%
rng = np.random.default_rng(3)
data = {}
for name, count in (("alice", 400), ("bob", 300), ("carol", 500)):
    of_level = rng.choice(len(LEVELS), count, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    of_group = rng.choice(2, count)
    paid = rng.normal(40_000 + 20_000 * of_level + 4_000 * of_group, 6_000).clip(0, 1_000_000).astype(int)
    data[name] = {"level": np.array(LEVELS)[of_level], "group": np.array(GROUPS)[of_group], "salary": paid}
checked = job.check(data)
assert not checked.warnings

# %% [markdown]
# ## What would it cost between three continents?

# %%
show(job.plan(network="global", rows={"a": 400, "b": 300, "c": 500}))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**.

# %%
result = job.run(data)
show(result)

# %% [markdown]
# The reference is NumPy's, on all salaries in one place.

# %%
everybody = {key: np.concatenate([it[key] for it in data.values()]) for key in types}
for i, name in enumerate(LEVELS):
    means = [everybody["salary"][(everybody["level"] == name) & (everybody["group"] == who)].mean() for who in GROUPS]
    clear = 1 - means[0] / means[1]
    print(f"{name:10} pay gap {result.pay_gap[i]:.4f}, in the clear {clear:.4f}")
    assert abs(result.pay_gap[i] - clear) < 1e-4
