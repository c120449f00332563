"""Texts without a list, and joins of many rows to several, beside DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacit as tc

TABLES = """
CREATE TABLE alice.seen (
    mail TEXT,
    ad   INT NOT NULL CHECK (ad BETWEEN 1 AND 5),
    day  INT NOT NULL CHECK (day BETWEEN 0 AND 30)
) WITH (max_rows = 200);
CREATE TABLE bob.bought (
    mail  VARCHAR(80),
    cents INT NOT NULL CHECK (cents BETWEEN 0 AND 9999),
    day   INT NOT NULL CHECK (day BETWEEN 0 AND 30)
) WITH (max_rows = 200);
CREATE ROLE carol;
GRANT SELECT ON result TO alice;
SET max_matches = 20;
SET max_rows = 400;
"""
MAILS = ["ann@example.org", "Bob", "bob", "zoë", "an address of more than sixteen letters", "7", "x'y\"z", None]
QUERIES = [
    "SELECT count(*) AS n, sum(cents) AS cents FROM seen s JOIN bought b ON s.mail = b.mail",
    "SELECT s.ad, count(*) AS n, sum(b.cents) AS cents FROM seen s JOIN bought b USING (mail) WHERE b.day >= s.day GROUP BY ad ORDER BY 1",
    "SELECT s.ad, s.day, b.cents FROM seen s LEFT JOIN bought b ON s.mail = b.mail AND b.cents > 5000 ORDER BY s.ad, s.day, b.cents",
    "SELECT count(DISTINCT mail) AS people FROM seen WHERE mail IN (SELECT mail FROM bought)",
    "SELECT count(*) AS n FROM seen s ANTI JOIN bought b ON s.mail = b.mail",
    "SELECT count(*) AS n FROM seen WHERE mail = 'zoë' OR mail = 'x''y\"z' OR mail IS NULL",
    "SELECT sum(n * n) AS x FROM (SELECT mail, count(*) AS n FROM (SELECT mail FROM seen UNION ALL SELECT mail FROM bought) GROUP BY mail)",
    "SELECT ad, day FROM seen QUALIFY row_number() OVER (PARTITION BY mail ORDER BY day, ad) = 1 ORDER BY ad, day",
    "SELECT count(*) AS n FROM (SELECT DISTINCT COALESCE(s.mail, 'none') AS m, s.ad FROM seen s)",
    "SELECT a.ad, count(*) AS n FROM seen a JOIN seen b ON a.mail = b.mail AND a.ad = b.ad GROUP BY a.ad ORDER BY a.ad",
]


def frames(seed: int) -> dict[str, pa.Table]:
    rng = np.random.default_rng(seed)

    def mails(rows: int, most: int) -> list[str | None]:
        # None of them is there too often.
        all_mails = [mail for mail in MAILS for _ in range(most)]
        return [all_mails[place] for place in rng.permutation(len(all_mails))[:rows]]

    return {
        "alice": pa.table({"mail": pa.array(mails(40, 10), pa.string()), "ad": rng.integers(1, 6, 40), "day": rng.integers(0, 31, 40)}),
        "bob": pa.table(
            {"mail": pa.array(mails(50, 20), pa.string()), "cents": rng.integers(0, 10_000, 50), "day": rng.integers(0, 31, 50)}
        ),
    }


def theirs(query: str, data: dict[str, pa.Table]) -> list[tuple[Any, ...]]:
    connection = duckdb.connect()
    connection.register("seen", data["alice"])
    connection.register("bought", data["bob"])
    return connection.execute(query).fetchall()


def ours(result: Any) -> list[tuple[Any, ...]]:
    return list(zip(*result.table.to_dict().values(), strict=True))


@pytest.mark.parametrize("query", QUERIES)
def test_answers_are_those_of_duckdb(query: str) -> None:
    job = tc.sql(TABLES + query)
    for seed in range(2):
        data = frames(seed)
        read = {name: table for name, table in data.items() if any(rows.startswith(name) for rows in job.rows)}
        assert ours(job.check(read)) == theirs(query, data)


@pytest.mark.parametrize("protocol", ["trio", "lift"])
def test_answers_under_protocols(protocol: str) -> None:
    job, data = tc.sql(TABLES + QUERIES[1]), frames(9)
    assert ours(job.run(data, protocol=protocol)) == theirs(QUERIES[1], data)


COUNT = tc.sql("""
CREATE TABLE alice.t (mail TEXT) WITH (max_rows = 20);
GRANT SELECT ON result TO alice;
CREATE ROLE bob; CREATE ROLE carol;
SELECT count(mail) AS n, count(DISTINCT mail) AS k, count(*) FILTER (WHERE mail = 'ann') AS a FROM t;
""")
STRICT = tc.sql(COUNT._source.replace("mail TEXT)", "mail TEXT NOT NULL)"))
GIVEN = [" ann", "bob", None, "ann", "  ", "Ann"]


def written(folder: Path, table: pa.Table) -> str:
    path = folder / "t.parquet"
    pq.write_table(table, path)
    return str(path)


@pytest.mark.parametrize(
    "give",
    [
        lambda texts, folder: {"mail": texts},
        lambda texts, folder: {"mail": np.array(texts, dtype=object)},
        lambda texts, folder: pd.DataFrame({"mail": texts}),
        lambda texts, folder: pd.DataFrame({"mail": pd.array(texts, dtype="string")}),
        lambda texts, folder: pd.DataFrame({"mail": pd.Categorical(texts)}),
        lambda texts, folder: pl.DataFrame({"mail": texts}),
        lambda texts, folder: {"mail": np.ma.MaskedArray([text or "ann" for text in texts], mask=[text is None for text in texts])},
        lambda texts, folder: {"mail": [pd.NA if text is None else text for text in texts]},
        lambda texts, folder: pl.DataFrame({"mail": pl.Series(texts, dtype=pl.Categorical)}),
        lambda texts, folder: pa.table({"mail": pa.array(texts).cast(pa.large_string())}),
        lambda texts, folder: written(folder, pa.table({"mail": pa.array(texts)})),
    ],
)
def test_texts_of_every_kind(give: Callable[[list[str | None], Path], Any], tmp_path: Path) -> None:
    assert COUNT.check({"alice": give(GIVEN, tmp_path)}).table.to_dict() == {"n": [4], "k": [3], "a": [2]}


@pytest.mark.parametrize("column", [[None, None], np.array([None, None]), pd.Series([np.nan, np.nan]), pa.nulls(2)])
def test_columns_of_missing_texts_alone(column: Any) -> None:
    assert COUNT.check({"alice": {"mail": column}}).table.to_dict() == {"n": [0], "k": [0], "a": [0]}
    with pytest.raises(tc.InputError, match="missing"):
        STRICT.check({"alice": {"mail": column}})


def test_texts_of_a_file_are_those_of_a_frame(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("mail\nann\nbob\n\n ann \nAnn\n")
    found = COUNT.check({"alice": str(path)}).table.to_dict()
    assert found["k"] == [3] and found["a"] == [2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mail": [1, 2]}, "takes texts, and the value of row 0 is none"),
        ({"mail": np.array([1, 2])}, "takes texts, and these data are int64"),
        ({"mail": pa.array([1, 2])}, "takes texts, and these data are Int64"),
        ({"mail": ["a", 2]}, "takes texts, and the value of row 1 is none"),
        ({"mail": [["a"], ["b"]]}, "1 axes"),
    ],
)
def test_data_that_are_no_texts(given: Any, message: str) -> None:
    with pytest.raises(tc.InputError, match=message):
        COUNT.check({"alice": given})


def test_missing_texts_are_refused_where_none_may_be() -> None:
    assert STRICT.check({"alice": {"mail": ["a", "b", "a"]}}).table.to_dict()["k"] == [2]
    with pytest.raises(tc.InputError, match="value of row 2 is missing"):
        STRICT.check({"alice": {"mail": ["a", "b", " "]}})
    with pytest.raises(tc.InputError, match="missing"):
        STRICT.check({"alice": pd.DataFrame({"mail": ["a", None]})})


def test_more_matches_than_agreed_end_the_run() -> None:
    text = TABLES.replace("max_matches = 20", "max_matches = 2") + QUERIES[0]
    job = tc.sql(text)
    assert any("not more than 2 rows" in line for line in str(job.disclosure()).splitlines())
    data = {
        "alice": {"mail": ["a", "b"], "ad": [1, 2], "day": [0, 0]},
        "bob": {"mail": ["a", "a", "b"], "cents": [10, 20, 40], "day": [1, 1, 1]},
    }
    assert job.run(data, protocol="trio").table.to_dict() == {"n": [3], "cents": [70]}
    data["bob"] = {"mail": ["a", "a", "a"], "cents": [10, 20, 40], "day": [1, 1, 1]}
    with pytest.raises(tc.CheckFailed):
        job.run(data, protocol="trio")


def test_plans_and_simulations_draw_texts() -> None:
    job = tc.sql(TABLES.replace("max_matches = 20", "max_matches = 2").replace("max_rows = 200", "max_rows = 20") + QUERIES[0])
    assert job.plan(rows={"alice.seen": 20, "bob.bought": 20}, network="lan") is not None
    assert "of 2 rows each on mail = mail" in str(job.disclosure())
