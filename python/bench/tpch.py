"""Queries of TPC-H over tables of three parties, beside what DuckDB says of the same rows.

    python bench/tpch.py [--scale 0.01] [--protocol trio] [--queries 1,6,12,14] [--runs 1] [--json FILE]

Without `--protocol` queries are evaluated in the clear. Tables have the sizes and the distributions of the specification's, as far as
the queries look at them: they are drawn anew, and keys are dense. The queries are those of `crates/query/src/lower/tests/tpch.sql`: in the
words of the specification, but that countries are numbers, that question 14 asks for both parts of its ratio, and that 18 asks for smaller
orders, without their prices.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import tacit as tc

SQL = Path(__file__).parents[2] / "crates" / "query" / "src" / "lower" / "tests"
FIRST, LAST = np.datetime64("1992-01-01"), np.datetime64("1998-08-02")


def statements() -> str:
    """The tables, and who learns the answer."""
    return (SQL / "tpch_tables.sql").read_text()


def queries() -> dict[int, str]:
    """The queries by their numbers."""
    parts = re.split(r"-- query (\d+)\n", (SQL / "tpch.sql").read_text())[1:]
    return {int(number): text.strip() for number, text in zip(parts[::2], parts[1::2], strict=True)}


def tables(scale: float, seed: int) -> dict[str, pa.Table]:
    """Random tables by `party.name`; all sizes but those of regions and nations go with the scale."""
    rng = np.random.default_rng(seed)

    def draw(low: int, high: int, rows: int) -> Any:
        return rng.integers(low, high, size=rows, endpoint=True)

    def pick(members: list[str], rows: int) -> Any:
        return rng.choice(members, size=rows)

    def money(raw: Any) -> Any:
        return pa.array([Decimal(int(value)).scaleb(-2) for value in raw], pa.decimal128(12, 2))

    customers, suppliers, parts = (max(1, int(scale * size)) for size in (150_000, 10_000, 200_000))
    orders = 10 * customers
    # A third of the customers has no orders.
    buyers = 1 + np.flatnonzero(np.arange(1, customers + 1) % 3)
    dates = FIRST + draw(0, int((LAST - FIRST).astype(int)), orders)
    lines = draw(1, 7, orders)
    line_of = np.repeat(np.arange(orders), lines)
    rows = len(line_of)
    part = draw(1, parts, rows)
    quantity = draw(1, 50, rows)
    price = 90_000 + (part // 10) % 20_001 + 100 * (part % 1000)
    shipped = dates[line_of] + draw(1, 121, rows)
    received = shipped + draw(1, 30, rows)
    today = np.datetime64("1995-06-17")
    returned = np.where(received <= today, pick(["R", "A"], rows), "N")
    return {
        "a.region": pa.table({"r_regionkey": range(5), "r_name": ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]}),
        "a.nation": pa.table({"n_nationkey": range(25), "n_regionkey": np.arange(25) % 5}),
        "a.customer": pa.table(
            {
                "c_custkey": np.arange(1, customers + 1),
                "c_nationkey": draw(0, 24, customers),
                "c_mktsegment": pick(["AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY"], customers),
                "c_acctbal": money(draw(-99_999, 999_999, customers)),
            }
        ),
        "b.supplier": pa.table({"s_suppkey": np.arange(1, suppliers + 1), "s_nationkey": draw(0, 24, suppliers)}),
        "b.part": pa.table(
            {
                "p_partkey": np.arange(1, parts + 1),
                "p_promo": rng.random(parts) < 1 / 6,
                "p_size": draw(1, 50, parts),
                "p_brand": pick(["Brand#12", "Brand#23", "Brand#34", "other"], parts),
                "p_container": pick(["SM CASE", "SM BOX", "MED BAG", "MED BOX", "LG CASE", "LG BOX", "other"], parts),
            }
        ),
        "c.orders": pa.table(
            {
                "o_orderkey": np.arange(1, orders + 1),
                "o_custkey": rng.choice(buyers, size=orders),
                "o_orderdate": dates,
                "o_shippriority": np.zeros(orders, dtype=np.int64),
                "o_orderpriority": pick(["1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"], orders),
            }
        ),
        "c.lineitem": pa.table(
            {
                "l_orderkey": 1 + line_of,
                "l_partkey": part,
                "l_suppkey": draw(1, suppliers, rows),
                "l_quantity": quantity,
                "l_extendedprice": money(quantity * price),
                "l_discount": money(draw(0, 10, rows)),
                "l_tax": money(draw(0, 8, rows)),
                "l_returnflag": returned,
                "l_linestatus": np.where(shipped > today, "O", "F"),
                "l_shipdate": shipped,
                "l_commitdate": dates[line_of] + draw(30, 90, rows),
                "l_receiptdate": received,
                "l_shipinstruct": pick(["DELIVER IN PERSON", "other", "other", "other"], rows),
                "l_shipmode": pick(["AIR", "AIR REG", "MAIL", "SHIP", "other", "other", "other"], rows),
            }
        ),
    }


def job(number: int, data: dict[str, pa.Table]) -> tc.Job:
    """A query over tables of these sizes."""
    text = statements()
    for name, table in data.items():
        # Row counts are public: bounds are the counts themselves.
        text = re.sub(rf"(CREATE TABLE {re.escape(name)} .*?max_rows = )\d+", rf"\g<1>{table.num_rows}", text, flags=re.DOTALL)
    return tc.sql(text + queries()[number])


def expected(number: int, data: dict[str, pa.Table]) -> list[tuple[Any, ...]]:
    """What DuckDB says."""
    connection = duckdb.connect()
    for name, table in data.items():
        connection.register(name.partition(".")[2], table)
    return connection.execute(queries()[number]).fetchall()


def given(query: tc.Job, data: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The tables that a job reads."""
    return {name.replace(".", "/", 1): data[name] for name in query.rows}


def same(found: dict[str, list[Any]], wanted: list[tuple[Any, ...]]) -> bool:
    """Whether answers are equal: exactly, but for means, which DuckDB rounds otherwise."""
    rows = list(zip(*found.values(), strict=True))

    def equal(a: Any, b: Any) -> bool:
        if isinstance(b, float):
            return math.isclose(float(a), b, rel_tol=1e-9, abs_tol=2**-15)
        return bool(a == b)

    return len(rows) == len(wanted) and all(
        equal(a, b) for ours, theirs in zip(rows, wanted, strict=True) for a, b in zip(ours, theirs, strict=True)
    )


def main() -> None:
    """Runs the queries, and says how long each took and whether it is right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--protocol", help="one of `tacit protocols`; without it, in the clear")
    parser.add_argument("--queries", default=",".join(map(str, queries())))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    data = tables(arguments.scale, arguments.seed)
    print(f"scale {arguments.scale:g}: {data['c.lineitem'].num_rows:,} rows of lineitem, {data['c.orders'].num_rows:,} of orders")
    measured = []
    for number in map(int, arguments.queries.split(",")):
        query, wanted = job(number, data), expected(number, data)
        seconds = []
        for _ in range(arguments.runs):
            begin = time.perf_counter()
            if arguments.protocol:
                result = query.run(given(query, data), protocol=arguments.protocol)
            else:
                result = query.check(given(query, data))
            seconds.append(time.perf_counter() - begin)
        equal = same(result.table.to_dict(), wanted)
        median = statistics.median(seconds)
        print(f"query {number:>2}: {median:8.2f} s, {'equal' if equal else 'NOT EQUAL'}, {len(wanted)} rows", flush=True)
        measured.append({"query": number, "seconds": seconds, "equal": equal, "scale": arguments.scale, "protocol": arguments.protocol})
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n")
    if not all(it["equal"] for it in measured):
        raise SystemExit("answers differ from DuckDB's")


if __name__ == "__main__":
    main()
