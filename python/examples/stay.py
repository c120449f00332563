# %% [markdown]
# # The mean length of stay at three hospitals
#
# Three hospitals want to know how long their patients of 65 and over stay, on average. None of them may show its patients to the
# others. With Tacit all three learn the mean and how many patients each hospital has, and nothing else.
#
# This example is the first to read. Its program is the one of `examples/stay/stay.tacit`, and has the same digest: a hospital that runs
# it from Python and one that runs it with the command `tacit` meet in one run.

# %%
import numpy as np

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

# %% [markdown]
# ## Write the program
#
# Each hospital declares its columns. A declaration says what the numbers are and between which bounds they lie. Bounds are public, and
# each owner's data are compared with them before anything is sent. A number of rows is known when the program runs: everybody learns it.

# %%
age, days = [], []
for party in tc.parties("alice", "bob", "carol"):
    n = tc.rows(party.name[0], min=10, max=100_000)
    age.append(party.array("age", tc.Int(0, 120), shape=n))
    days.append(party.array("days", tc.Int(0, 1000), shape=n))

# %% [markdown]
# Operators and functions compute nothing yet. They record what to compute, and derive the type and the range of each value.

# %%
ages, stays = tc.concat(age), tc.concat(days)
mean = tc.mean(stays, where=ages >= 65, frac=8)
show(ages)
show(mean)

# %% [markdown]
# `reveal` says who learns a value, and has no default. A job seals the program: it holds what its results depend on. The disclosure is
# what each hospital reads before it agrees. All parties compare the digest before any input leaves one of them.

# %%
job = tc.job("stay", {"mean stay": mean.reveal(to="all")})
show(job)
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear
#
# `job.check` computes in the clear, without any protocol. Use data that you may see, such as these made-up patients.

# %%
rng = np.random.default_rng(7)
data = {
    name: {"age": rng.integers(20, 100, patients), "days": rng.integers(1, 30, patients)}
    for name, patients in (("alice", 300), ("bob", 250), ("carol", 400))
}
show(job.check(data))

# %% [markdown]
# ## What would it cost?
#
# `job.plan` predicts what each protocol takes that protects as asked: here between three continents, against one party that does
# anything to cheat. `job.simulate` runs protocols in virtual time, on random data.

# %%
rows = {"a": 300, "b": 250, "c": 400}
show(job.plan(network="global", security="malicious", rows=rows))
show(job.simulate(network="global", rows=rows, protocols=["trio", "lift"]))

# %% [markdown]
# ## Run it
#
# Without `on=`, all parties run in this process: that is for trials, and **protects nobody**. Between machines each hospital runs the same
# program with its own data and `on=tc.connect("alice.toml")`.

# %%
result = job.run(data)
show(result)

# %% [markdown]
# The reference is NumPy's mean of all patients in one place, which nobody has in a real run. The result is a multiple of 1/256
# (`frac=8`).

# %%
age = np.concatenate([it["age"] for it in data.values()])
days = np.concatenate([it["days"] for it in data.values()])
clear = days[age >= 65].mean()
print(f"mean stay {result.mean_stay:.4f}, in the clear {clear:.4f}")
assert abs(result.mean_stay - clear) <= 1 / 256
