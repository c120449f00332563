"""Queries of some thousand rows beside DuckDB: rows are sorted by comparisons from 1,024 rows, and shuffles are proven from 4,096."""

from __future__ import annotations

import functools
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pytest

import tacit as tc

duckdb = pytest.importorskip("duckdb")

ROWS = 5000
SALES = f"""
CREATE TABLE alice.sales (
    shop INT CHECK (shop BETWEEN 0 AND 2000),
    paid DECIMAL(7, 2) CHECK (paid BETWEEN 0 AND 9999),
    day  DATE NOT NULL CHECK (day BETWEEN '2023-01-01' AND '2024-12-31'),
    kind ENUM ('food', 'drink', 'other') NOT NULL
) WITH (max_rows = {ROWS});
CREATE TABLE bob.sales (LIKE alice.sales);
CREATE TABLE carol.shops (
    shop INT PRIMARY KEY CHECK (shop BETWEEN 0 AND 2000),
    city ENUM ('Bern', 'Genf', 'Basel') NOT NULL
) WITH (max_rows = 500);
GRANT SELECT ON result TO alice;
"""
QUERIES = {
    "a join": """
        SELECT s.city, v.kind, count(*) AS sales, sum(v.paid) AS paid, max(v.day) AS last
        FROM sales v JOIN carol.shops s ON v.shop = s.shop GROUP BY s.city, v.kind ORDER BY s.city, v.kind""",
    "groups that are large": """
        SELECT count(*) AS shops, sum(sales) AS sales, sum(paid) AS paid, min(first) AS first FROM (
            SELECT shop, count(*) AS sales, sum(paid) AS paid, min(day) AS first FROM sales GROUP BY shop HAVING count(*) >= 5)""",
    "rows in an order": """
        SELECT day, paid, shop FROM sales WHERE paid IS NOT NULL AND shop IS NOT NULL ORDER BY paid DESC, day, shop LIMIT 15""",
    "a window": """
        SELECT n, count(*) AS shops FROM (
            SELECT shop, row_number() OVER (PARTITION BY shop ORDER BY day, paid, kind) AS n FROM sales
        ) GROUP BY n ORDER BY n LIMIT 12""",
    "different values": """
        SELECT kind, count(DISTINCT shop) AS shops, count(DISTINCT day) AS days, quantile_disc(paid, 0.9) AS much
        FROM sales GROUP BY kind ORDER BY kind""",
}


@functools.cache
def tables() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Sales, of which many are in shops that another party does not know, or in none."""
    rng = np.random.default_rng(4)
    shop, cents = rng.integers(0, 2000, ROWS), rng.integers(0, 999_900, ROWS).tolist()
    sales = pl.DataFrame(
        {
            "shop": [None if gone else it for it, gone in zip(shop.tolist(), rng.random(ROWS) < 0.02, strict=True)],
            "paid": [None if gone else Decimal(it) / 100 for it, gone in zip(cents, rng.random(ROWS) < 0.05, strict=True)],
            "day": np.datetime64("2023-01-01") + rng.integers(0, 731, ROWS),
            "kind": rng.choice(["food", "drink", "other"], ROWS),
        },
        schema={"shop": pl.Int64, "paid": pl.Decimal(7, 2), "day": pl.Date, "kind": pl.String},
    )
    known = rng.choice(2001, 500, replace=False)
    return sales, pl.DataFrame({"shop": known, "city": rng.choice(["Bern", "Genf", "Basel"], len(known))})


@functools.cache
def by_duckdb(query: str) -> list[tuple[Any, ...]]:
    """DuckDB's answer, on all rows in one place."""
    sales, shops = tables()
    with duckdb.connect() as clear:
        clear.register("given", sales.to_arrow())
        clear.register("known", shops.to_arrow())
        clear.execute("CREATE TYPE kinds AS ENUM ('food', 'drink', 'other'); CREATE TYPE cities AS ENUM ('Bern', 'Genf', 'Basel')")
        clear.execute("CREATE TABLE sales AS SELECT * REPLACE (kind::kinds AS kind) FROM given")
        clear.execute("CREATE SCHEMA carol; CREATE TABLE carol.shops AS SELECT * REPLACE (city::cities AS city) FROM known")
        found: list[tuple[Any, ...]] = clear.execute(query).fetchall()
        return found


@pytest.mark.parametrize("protocol", ["trio", "lift", "quad"])
@pytest.mark.parametrize("query", QUERIES)
def test_a_query_of_many_rows_is_answered_as_by_duckdb(query: str, protocol: str) -> None:
    sales, shops = tables()
    data = {"alice": sales[::2], "bob": sales[1::2], "carol": shops}
    if "carol." not in QUERIES[query]:
        del data["carol"]
    res = tc.sql(SALES + QUERIES[query]).run(data, protocol=protocol)
    wanted = by_duckdb(QUERIES[query])
    assert list(zip(*res.table.to_dict().values(), strict=True)) == wanted and wanted[0][0]
