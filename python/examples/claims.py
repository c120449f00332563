# %% [markdown]
# # What the members of an insurer cost at a hospital
#
# An insurer knows who is a member under which plan. A hospital knows who stayed when, and what it cost. Both want to know what the members
# of each plan cost, by year, and neither may show the other a name. With Tacit they learn the sums, and a third party helps to compute
# them and learns nothing. Cells of fewer than 5 stays are left out.
#
# The question is a query in SQL, which says itself which tables there are, what their columns may hold, and who learns the answer.

# %%
import duckdb
import numpy as np
import pandas as pd

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

# %% [markdown]
# ## Write the query
#
# All of this is public, and part of what the parties agree to. Narrow ranges make runs faster. `UNIQUE` and `PRIMARY KEY` are checked in
# the run where a join relies on them.

# %%
TABLES = """
CREATE TABLE insurer.members (
    person INT PRIMARY KEY CHECK (person BETWEEN 1 AND 999),
    plan   ENUM ('basic', 'half', 'full') NOT NULL
) WITH (max_rows = 1000);
CREATE TABLE hospital.stays (
    person INT NOT NULL CHECK (person BETWEEN 1 AND 999),
    day    DATE NOT NULL CHECK (day BETWEEN '2023-01-01' AND '2024-12-31'),
    cost   DECIMAL(7, 2) CHECK (cost BETWEEN 0 AND 50000)
) WITH (max_rows = 1000);
CREATE ROLE registry;
GRANT SELECT ON result TO insurer, hospital;
SET min_rows = 5;
"""
QUERY = """
SELECT m.plan, year(s.day) AS year, count(*) AS stays, sum(s.cost) AS cost, max(s.cost) AS dearest
FROM hospital.stays s JOIN insurer.members m ON s.person = m.person
GROUP BY m.plan, year(s.day)
ORDER BY m.plan, year;
"""
job = tc.sql(TABLES + QUERY)
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear, on made-up rows
#
# Some costs are not known yet: they are null. A frame's columns are taken by their names, and those that the query does not need are
# not read.

# %%
rng = np.random.default_rng(5)
person = np.sort(rng.choice(np.arange(1, 1000), 60, replace=False))
members = pd.DataFrame({"person": person, "plan": rng.choice(["basic", "half", "full"], 60), "since": 2001})
of = rng.choice(np.concatenate([person, np.arange(1, 100)]), 120)
day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 731, 120), unit="D")
cost = np.where(rng.random(120) < 0.9, rng.gamma(2, 2000, 120).round(2), np.nan)
stays = pd.DataFrame({"person": of, "day": day, "cost": cost})
data = {"insurer": members, "hospital": stays}
checked = job.check(data)
assert not checked.warnings

# %% [markdown]
# ## What would it cost between three continents?

# %%
show(job.plan(network="global", rows={"insurer.members": 60, "hospital.stays": 120}))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. `result.table` is the answer: a table for pandas,
# Polars, PyArrow and DuckDB.

# %%
result = job.run(data)
show(result)

# %% [markdown]
# The reference is DuckDB's answer to the same query, on both tables in one place.

# %%
clear = duckdb.connect()
clear.execute("CREATE SCHEMA insurer; CREATE SCHEMA hospital; CREATE TYPE plans AS ENUM ('basic', 'half', 'full')")
clear.execute("CREATE TABLE insurer.members AS SELECT person, plan::plans AS plan FROM members")
clear.execute("CREATE TABLE hospital.stays AS SELECT person, day::DATE AS day, cost::DECIMAL(7, 2) AS cost FROM stays")
wanted = clear.execute(QUERY.replace("ORDER BY", "HAVING count(*) >= 5 ORDER BY")).fetchall()
found = list(zip(*result.table.to_dict().values(), strict=True))
print(f"{len(found)} rows, as DuckDB gives them in the clear: {found == wanted}")
assert found == wanted
