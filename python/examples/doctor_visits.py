# %% [markdown]
# # Doctor visits by insurance plan
#
# Three insurers want to know how often people see a doctor under each plan, by how healthy they are. None of them shows anybody who its
# customers are. With Tacit all three learn the head count and the mean of each cell. Cells of fewer than 10 people are left out.
#
# The question is written as operations on a frame, with the names that Polars gives them.

# %%
import numpy as np
import polars as pl

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

# %% [markdown]
# ## Describe the tables
#
# What the columns may hold is public, and so is how many rows each insurer has. `tc.concat` makes one table of the three.

# %%
PLANS = ["0%", "25%", "50%", "95%", "100%"]
HEALTH = ["excellent", "good", "fair", "poor"]
schema = tc.Schema(plan=tc.Category(PLANS), health=tc.Category(HEALTH), visits=tc.Int(0, 100).nullable())
insurers = tc.parties("alice", "bob", "carol")
people = tc.concat([insurer.table("people", schema, max_rows=100_000) for insurer in insurers])

# %% [markdown]
# ## Ask
#
# Nothing is computed here. A mean is of the visits that are known.

# %%
cells = (
    people.group_by("plan", "health")
    .agg(people=tc.len(), visits=tc.col.visits.mean(), often=(tc.col.visits > 10).sum())
    .min_rows(10)
    .sort("plan", "health")
)
job = tc.job("doctor visits", table=cells.reveal(to="all"))
show(job.disclosure())

# %% [markdown]
# The query is SQL, which parties without Python run as well: `job.save("visits.sql")` writes it for `tacit run`.

# %%
print(job.sql)

# %% [markdown]
# ## Check it in the clear, on made-up rows

# %%
rng = np.random.default_rng(3)
rows = 3000
health = rng.choice(4, rows, p=[0.54, 0.36, 0.085, 0.015])
visits = rng.negative_binomial(1, 1 / (3 + health), rows).clip(0, 100)
whole = pl.DataFrame(
    {
        "plan": rng.choice(PLANS, rows, p=[0.5, 0.2, 0.1, 0.15, 0.05]),
        "health": np.array(HEALTH)[health],
        "visits": pl.Series(visits).set(pl.Series(rng.random(rows) < 0.02), None),
    },
    schema={"plan": pl.Enum(PLANS), "health": pl.Enum(HEALTH), "visits": pl.Int64},
)
data = {insurer.name: whole[number::3] for number, insurer in enumerate(insurers)}
checked = job.check(data)
assert not checked.warnings

# %% [markdown]
# ## What would it cost between three continents?
#
# A mean is a division, which takes many rounds there. Sums and counts need none, and whoever learns them divides. They tell
# the exact sums and how many visits are known, which means and head counts nearly tell as well. The disclosure above says that there is a
# choice, and leaves it to the parties.

# %%
counts = {f"{insurer.name}.people": 1000 for insurer in insurers}
plan = job.plan(network="global", rows=counts)
show(plan)

# %%
sums = (
    people.group_by("plan", "health")
    .agg(people=tc.len(), known=tc.col.visits.count(), visits=tc.col.visits.sum(), often=(tc.col.visits > 10).sum())
    .min_rows(10)
    .sort("plan", "health")
)
other = tc.job("sums of doctor visits", table=sums.reveal(to="all")).plan(network="global", rows=counts)
for what, its in (("means", plan), ("sums", other)):
    best = its.candidates[0]
    print(f"{what:5} on global, under {best['protocol']}: {best['steps']} rounds, {best['seconds']:.2f} s")

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**.

# %%
result = job.run(data)
show(result)

# %% [markdown]
# The reference is Polars, by the same operations on all rows in one place.

# %%
clear = (
    whole.group_by("plan", "health")
    .agg(people=pl.len(), visits=pl.col.visits.mean(), often=(pl.col.visits > 10).sum())
    .filter(pl.col.people >= 10)
    .sort("plan", "health")
)
table = result.table.to_polars()
beside = clear.select(pl.col("people", "visits").name.suffix(" in the clear"))
with pl.Config(tbl_rows=len(table)):
    show(pl.concat([table, beside], how="horizontal"))
off = np.abs(table["visits"].to_numpy() - clear["visits"].to_numpy()).max()
found, wanted = (frame.select("people", "often").rows() for frame in (table, clear))
print(f"{len(found)} cells, with as many people as Polars counts in the clear: {found == wanted}")
print(f"means are off by {off:.6f} at most: they have 16 bits behind the point")
assert found == wanted
assert off < 1e-4
