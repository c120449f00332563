#!/usr/bin/env python3
"""Random queries: the oracle's answers against DuckDB's, and Polars' where it takes the same SQL.

    scripts/query_differential.py                       seeds 0 to 2000
    scripts/query_differential.py --first 5 --end 6     one seed, with its query
    scripts/query_differential.py --binary FILE         an example that was built before

Answers are equal value by value; numbers in fixed point are at most one unit apart. Order counts where the query orders its
rows by all columns. Fails on a difference to DuckDB, on a query that the binder or DuckDB refuses, and on a difference to
Polars that is not known. Needs the package `duckdb`; without `polars` it asks DuckDB alone. Python's tests run the first seeds.
"""

import argparse
import collections
import datetime
import decimal
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import duckdb

try:
    import polars
except ImportError:
    polars = None

ROOT = Path(__file__).resolve().parent.parent
CARGO = os.environ.get("CARGO", "cargo")
BUILT = ["run", "--quiet", "-p", "tacit-query", "--features", "random", "--example", "differential", "--"]
TABLE = re.compile(r"\b(alice|bob|carol)\.(t|u)\b")
# Polars rounds quotients down, casts towards zero, and has durations where DuckDB and plans have numbers of days, which may become
# numbers of microseconds. (Its quotients by zero are not finite, and it orders nulls first under DESC: both are mended below.)
# It orders the nulls and peers of windows in its own way, has no quantiles of texts, and none of no rows.
POLARS_DIFFERS = re.compile(r"//|%|AS INTEGER\)|- (DATE|r\d+\.[dko]\d+)|OVER \(|(quantile|percentile)_")


def value(kind, cell):
    """A value of JSON, DuckDB or Polars in the one form that values of a kind are compared in."""
    if cell is None or kind in ("bit", "category"):
        return cell
    if isinstance(cell, datetime.timedelta):
        # The days between two dates in Polars.
        cell = cell / datetime.timedelta(days=1)
    if kind == "integer":
        return int(cell)
    if kind == "decimal":
        return decimal.Decimal(str(cell))
    if kind == "date":
        return cell if isinstance(cell, datetime.date) else datetime.date.fromisoformat(cell)
    return float(cell)


def equal(kind, a, b):
    """Whether two values of a kind are the same answer."""
    if a is None or b is None or not kind.startswith("fixed"):
        return type(a) is type(b) and a == b
    return math.isfinite(b) and abs(a - b) <= 2.0 ** -int(kind.split()[1])


def same_row(kinds, a, b):
    """Whether two rows are the same."""
    return all(equal(kind, x, y) for kind, x, y in zip(kinds, a, b, strict=True))


def same(case, rows, theirs):
    """Whether answers are the same, in any order unless the query has one. Then each of our rows is assigned one of theirs: rows with
    numbers in fixed point may be the same as several others."""
    kinds = case["columns"]
    if len(rows) != len(theirs):
        return False
    if case["ordered"]:
        return all(same_row(kinds, a, b) for a, b in zip(rows, theirs, strict=True))
    taken = {}

    def assign(row, seen):
        for number, other in enumerate(theirs):
            if number not in seen and same_row(kinds, rows[row], other):
                seen.add(number)
                if number not in taken or assign(taken[number], seen):
                    taken[number] = row
                    return True
        return False

    return all(assign(row, set()) for row in range(len(rows)))


def in_form(case, rows):
    """Rows in the form that they are compared in."""
    return [tuple(value(kind, cell) for kind, cell in zip(case["columns"], row, strict=True)) for row in rows]


def by_duckdb(case):
    """DuckDB's rows."""
    with duckdb.connect() as connection:
        # As in plans, what is divided by zero is null.
        connection.execute("SET threads = 1")
        connection.execute("SET error_on_division_by_zero = false")
        connection.execute("SET ieee_floating_point_ops = false")
        for statement in case["setup"]:
            connection.execute(statement)
        return connection.execute(case["duckdb"]).fetchall()


def by_polars(case):
    """Polars' rows."""
    types = {"bit": polars.Boolean, "integer": polars.Int64, "decimal": polars.Decimal(18, 2), "date": polars.Date}
    frames, parts = {}, collections.defaultdict(list)
    for table in case["tables"]:
        columns = table["columns"]
        rows = [[value(c["kind"], cell) for c, cell in zip(columns, row, strict=True)] for row in table["rows"]]
        schema = {c["name"]: types.get(c["kind"]) or polars.Enum(c["members"]) for c in columns}
        frame = polars.DataFrame(rows, schema=schema, orient="row")
        frames[table["name"]] = frame
        parts[table["table"]].append(frame)
    frames |= {name: polars.concat(of) for name, of in parts.items()}
    query = re.sub(r"DESC(?! NULLS)", "DESC NULLS LAST", TABLE.sub(r"\1_\2", case["duckdb"]))
    rows = polars.SQLContext(frames).execute(query, eager=True).rows()
    return [[None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row] for row in rows]


def cases(arguments):
    """The cases of all seeds."""
    command = [arguments.binary] if arguments.binary else [CARGO, *BUILT]
    command += [str(arguments.first), str(arguments.end)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        yield from map(json.loads, process.stdout)
    if process.returncode:
        sys.exit(f"the example failed with {process.returncode}")


def checked(case, ask, refused):
    """What became of a case, and a description if it is worth one."""
    try:
        rows = ask(case)
    except refused as error:
        return "refused", f"{type(error).__name__}: {error}"
    try:
        theirs = in_form(case, rows)
    except (ValueError, TypeError, decimal.InvalidOperation, OverflowError) as error:
        return "different", f"{error}\n  theirs: {rows}"
    if same(case, in_form(case, case["rows"]), theirs):
        return "equal", ""
    return "different", f"ours:   {case['rows']}\n  theirs: {rows}"


def main():
    """Compares all cases; one if an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--end", type=int, default=2000)
    parser.add_argument("--binary", help="the example `differential`, built")
    parser.add_argument("--show", type=int, default=5, help="how many differences of each sort are shown")
    parser.add_argument("--no-polars", action="store_true")
    arguments = parser.parse_args()
    with_polars = polars is not None and not arguments.no_polars
    counts, shown, rows = collections.Counter(), collections.Counter(), 0

    def count(what, case, description):
        counts[what] += 1
        if description and shown[what] < arguments.show:
            shown[what] += 1
            print(f"{what}: seed {case['seed']}\n  {case['duckdb']}\n  {description}\n")

    for case in cases(arguments):
        if arguments.end - arguments.first == 1:
            print(";\n".join([*case["setup"], case["duckdb"]]), end="\n\n")
        if "error" in case:
            count("the oracle: refused", case, case["error"])
            continue
        rows += len(case["rows"])
        result, description = checked(case, by_duckdb, duckdb.Error)
        count(f"DuckDB: {result}", case, description)
        if result == "equal" and with_polars:
            result, description = checked(case, by_polars, (Exception, polars.exceptions.PanicException))
            if result == "different" and POLARS_DIFFERS.search(case["duckdb"]):
                result = "different, as known"
            count(f"Polars: {result}", case, description if result == "different" else "")
    print(f"{arguments.end - arguments.first} queries with {rows} rows in their answers")
    for what, number in sorted(counts.items()):
        print(f"  {what:24} {number}")
    wrong = {"the oracle: refused", "DuckDB: refused", "DuckDB: different", "Polars: different"}
    return 1 if wrong & counts.keys() else 0


if __name__ == "__main__":
    sys.exit(main())
