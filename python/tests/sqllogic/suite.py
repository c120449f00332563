"""Asks the queries of sqllogictest, the public test suite of SQLite, of Tacit, in the clear.

    python suite.py CHECKOUT [--files select1,select2,select3] [--protocol trio --every 100] [--show 5]

CHECKOUT is a clone of github.com/gregrahn/sqllogictest, or another one with its folder `test`. Tables belong to one party; what their
columns may hold is taken from the rows that the file inserts. Every query must give what the file says, or be refused with its place. Two
things are written otherwise than in the files, since Tacit means something else by them: a `/` of integers as `//`, and nulls come first
in an order.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tacit as tc

CREATE = re.compile(r"CREATE TABLE (\w+)\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL)
INSERT = re.compile(r"INSERT INTO (\w+)\s*(?:\(([^)]*)\))?\s*VALUES\s*\((.*)\)\s*$", re.IGNORECASE | re.DOTALL)
ORDER = re.compile(r"ORDER BY ((?:\d+(?:\s+(?:ASC|DESC))?\s*,?\s*)+)$", re.IGNORECASE)
# Rows that a query may show.
MOST_ROWS = 2000


@dataclass
class Table:
    """A table, as the file has made it so far."""

    types: dict[str, str]
    rows: list[dict[str, Any]] = field(default_factory=list)

    def column(self, name: str) -> list[Any]:
        return [row.get(name) for row in self.rows]

    def described(self, table: str) -> str:
        columns = []
        for name, kind in self.types.items():
            known = [value for value in self.column(name) if value is not None]
            if kind == "text":
                columns.append(f"{name} TEXT")
            else:
                low, high = (min(known), max(known)) if known else (0, 0)
                columns.append(f"{name} BIGINT CHECK ({name} BETWEEN {low} AND {high})")
        return f"CREATE TABLE alice.{table} ({', '.join(columns)}) WITH (max_rows = {max(1, len(self.rows))});"


@dataclass
class Query:
    """A query with what the file says of its answer."""

    sql: str
    types: str
    sort: str
    wanted: list[str]


def records(path: Path) -> Iterator[str | Query]:
    """Statements and queries of a file, but those that are for other engines."""
    for record in re.split(r"\n\s*\n", path.read_text()):
        lines = [line for line in record.splitlines() if line and not line.startswith("#")]
        if any(line.startswith(("onlyif", "skipif")) and "sqlite" not in line for line in lines):
            lines = [] if any(line.startswith("onlyif") for line in lines) else [it for it in lines if not it.startswith("skipif")]
        if not lines:
            continue
        head = lines[0].split()
        if head[0] == "statement" and head[1] == "ok":
            yield "\n".join(lines[1:])
        elif head[0] == "query":
            end = lines.index("----") if "----" in lines else len(lines)
            yield Query("\n".join(lines[1:end]), head[1], head[2] if len(head) > 2 else "nosort", lines[end + 1 :])
        elif head[0] == "halt":
            return


def changed(tables: dict[str, Table], statement: str) -> None:
    """Makes a table, or a row of one. Indexes change no answer."""
    made, inserted = CREATE.match(statement), INSERT.match(statement)
    if made:
        parts = [part.split() for part in made[2].split(",")]
        tables[made[1]] = Table({part[0]: "integer" if part[1].upper().startswith("INT") else "text" for part in parts})
    elif inserted:
        table = tables[inserted[1]]
        names = [name.strip() for name in inserted[2].split(",")] if inserted[2] else list(table.types)
        values = re.findall(r"'((?:[^']|'')*)'|([^,\s]+)", inserted[3])
        cells = [text.replace("''", "'") if not other else None if other.upper() == "NULL" else int(other) for text, other in values]
        table.rows.append(dict(zip(names, cells, strict=True)))


def asked(query: Query) -> str:
    """The query in Tacit's words."""
    text = re.sub(r"(?<!/)/(?!/)", "//", query.sql.strip())
    nulls_first = lambda found: "ORDER BY " + ", ".join(f"{key.strip()} NULLS FIRST" for key in found[1].split(","))  # noqa: E731
    return ORDER.sub(nulls_first, text)


def shown(value: Any, kind: str) -> str:
    if value is None:
        return "NULL"
    if kind == "R":
        return f"{float(value):.3f}"
    return str(int(value)) if kind == "I" else str(value)


def agrees(query: Query, answer: dict[str, list[Any]]) -> bool:
    rows = [[shown(value, kind) for value, kind in zip(row, query.types, strict=True)] for row in zip(*answer.values(), strict=True)]
    if query.sort == "rowsort":
        rows.sort()
    values = [value for row in rows for value in row]
    if query.sort == "valuesort":
        values.sort()
    hashed = re.fullmatch(r"(\d+) values hashing to ([0-9a-f]+)", query.wanted[0]) if len(query.wanted) == 1 else None
    if hashed:
        digest = hashlib.md5("".join(f"{value}\n" for value in values).encode()).hexdigest()
        return len(values) == int(hashed[1]) and digest == hashed[2]
    return values == query.wanted


def job(tables: dict[str, Table], query: Query) -> tc.Job:
    described = "\n".join(table.described(name) for name, table in tables.items())
    return tc.sql(
        f"{described}\nCREATE ROLE bob;\nCREATE ROLE carol;\nSET max_rows = {MOST_ROWS};\nGRANT SELECT ON result TO alice;\n{asked(query)};"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--files", default="select1,select2,select3")
    parser.add_argument("--protocol", help="runs every so many-th query under it, too")
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--show", type=int, default=3, help="how many queries to show of each reason to refuse them")
    arguments = parser.parse_args()
    wrong = 0
    for name in arguments.files.split(","):
        tables: dict[str, Table] = {}
        counts: Counter[str] = Counter()
        reasons: dict[str, list[str]] = {}
        for number, record in enumerate(records(arguments.checkout / "test" / f"{name}.test")):
            if isinstance(record, str):
                changed(tables, record)
                continue
            try:
                query = job(tables, record)
            except tc.ProgramError as error:
                counts["refused" if error.line else "refused without a place"] += 1
                reasons.setdefault(str(error).split("\n")[0].split(": ", 1)[-1][:110], []).append(record.sql)
                continue
            given = {
                f"alice/{table}": {column: rows.column(column) for column in rows.types}
                for table, rows in tables.items()
                if f"alice.{table}" in query.rows
            }
            results = [query.check(given)]
            if arguments.protocol and number % arguments.every == 0:
                results.append(query.run(given, protocol=arguments.protocol))
            for result in results:
                right = agrees(record, result.table.to_dict())
                counts["right" if right else "WRONG"] += 1
                if not right:
                    wrong += 1
                    if counts["WRONG"] <= arguments.show:
                        print(f"{name}: WRONG\n{record.sql}\n", file=sys.stderr)
        print(f"{name}: {', '.join(f'{count} {what}' for what, count in sorted(counts.items()))}", flush=True)
        for reason, queries in sorted(reasons.items(), key=lambda it: -len(it[1])):
            print(f"    {len(queries):>5}  {reason}")
    if wrong:
        raise SystemExit(f"{wrong} answers differ")


if __name__ == "__main__":
    main()
