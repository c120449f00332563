"""Functions of texts, which the owners of the texts compute, beside DuckDB."""

from __future__ import annotations

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
CREATE TABLE alice.visits (
    icd  TEXT NOT NULL,
    note VARCHAR(40),
    mail TEXT,
    v    INT NOT NULL CHECK (v BETWEEN 0 AND 99)
) WITH (max_rows = 40);
CREATE TABLE bob.visits (LIKE alice.visits);
CREATE TABLE carol.codes (code TEXT NOT NULL, chapter INT NOT NULL CHECK (chapter BETWEEN 0 AND 9)) WITH (max_rows = 20);
GRANT SELECT ON result TO alice;
SET max_rows = 60;
SET max_matches = 3;
"""
ICD = [
    "C50",
    "C50.1",
    "c50",
    "C51.9",
    "I10",
    "XC50",
    "Straße",
    "É50",
    "e\u0301 50",
    "\U0001f926\U0001f3fc 7",
    "100% a_b",
    "back\\slash",
    "it's",
]
NOTE = [
    None,
    "Tumour left",
    "tumour",
    "x",
    "ÉTÉ",
    "straẞe",
    "ǅ ŉ ﬁ ᾳ İ",
    "a\u00a0",
    "\U0001f926",
    "ab-cd-ef",
    "end",
    "Σίσυφος",
    "a_b",
    "50%",
]
MAIL = ["Ann@x.org", None, "ANN@X.ORG", "zoë@x.org", "ZOË@X.ORG", "\u00a0bob@x.org", "Bob@x.org"]
DATA = {
    "alice": pa.table(
        {
            "icd": ICD,
            "note": pa.array(NOTE[: len(ICD)], pa.string()),
            "mail": pa.array([MAIL[i % 7] for i in range(len(ICD))], pa.string()),
            "v": list(range(len(ICD))),
        }
    ),
    "bob": pa.table(
        {
            "icd": list(reversed(ICD)),
            "note": pa.array(NOTE[1:], pa.string()),
            "mail": pa.array([MAIL[(3 * i) % 7] for i in range(len(ICD))], pa.string()),
            "v": [90 - i for i in range(len(ICD))],
        }
    ),
    "carol": pa.table({"code": ["C50", "I10", "C51", "STR", "É50"], "chapter": [1, 2, 3, 4, 5]}),
}
QUERIES = [
    "SELECT count(*) AS n, sum(v) AS v FROM visits WHERE icd LIKE 'C50%'",
    "SELECT count(*) AS n, sum(v) AS v FROM visits WHERE icd NOT LIKE 'C5_'",
    "SELECT count(*) AS n, sum(v) AS v FROM visits WHERE note LIKE '%u%' OR note LIKE '_' OR icd LIKE '_50' OR icd LIKE '__ 7'",
    "SELECT count(*) AS n, sum(v) AS v FROM visits WHERE note ILIKE 'TUM%' OR note ILIKE '%é' OR note ILIKE '%SS%' OR note ILIKE '\u03c3%'",
    "SELECT count(*) AS n, sum(v) AS v FROM visits WHERE icd LIKE '100!% a!_b' ESCAPE '!' OR icd LIKE 'back\\%' OR icd LIKE 'it''s'",
    "SELECT count(*) AS n, sum(v) AS v FROM visits WHERE starts_with(icd, 'C5') OR ends_with(note, '-ef') OR contains(icd, '% a')",
    "SELECT count(*) AS n, sum(v) AS v FROM visits WHERE suffix(note, '%') OR prefix(note, 'a_')",
    "SELECT count(*) AS n, sum(v) AS v, sum(length(note)) AS l, count(length(note)) AS k, max(length(note)) AS m FROM visits",
    "SELECT count(*) AS n FROM visits WHERE length(note) > 3 AND length(left(icd, 4)) >= 3",
    "SELECT count(DISTINCT lower(note)) AS a, count(DISTINCT upper(note)) AS b, count(DISTINCT left(icd, 3)) AS c FROM visits",
    "SELECT count(DISTINCT right(icd, 2)) AS a, count(DISTINCT substr(icd, 2)) AS b, count(DISTINCT substr(icd, -3, 2)) AS c FROM visits",
    "SELECT sum(n * n) AS x, count(*) AS k FROM (SELECT count(*) AS n FROM visits GROUP BY left(icd, 3))",
    "SELECT sum(n * n) AS x FROM (SELECT lower(trim(mail)) AS m, count(*) AS n FROM visits GROUP BY lower(trim(mail)))",
    "SELECT count(*) AS n, sum(a.v + b.v) AS v FROM alice.visits a JOIN bob.visits b ON lower(trim(a.mail)) = lower(trim(b.mail)) "
    "WHERE a.v < 4 AND b.v > 84",
    "SELECT c.chapter, count(*) AS n FROM visits v JOIN carol.codes c ON left(v.icd, 3) = c.code GROUP BY c.chapter ORDER BY c.chapter",
    "SELECT count(*) AS n, count(c.chapter) AS k FROM visits v LEFT JOIN carol.codes c ON upper(left(v.icd, 3)) = c.code",
    "SELECT count(*) AS n FROM visits v LEFT JOIN carol.codes c ON left(v.icd, 3) = c.code WHERE c.code LIKE 'C%' OR c.code IS NULL",
    "SELECT icd LIKE 'C50%' AS breast, count(*) AS n, sum(v) AS v FROM visits GROUP BY icd LIKE 'C50%' ORDER BY breast",
    "SELECT note LIKE '%u%' AS u, count(*) AS n FROM visits GROUP BY note LIKE '%u%' ORDER BY u",
    "SELECT sum(CASE WHEN icd LIKE 'C50%' THEN v WHEN icd LIKE 'C5%' THEN 2 * v END) AS v FROM visits",
    "SELECT count(*) FILTER (WHERE icd LIKE 'C50%') AS n, count(*) AS k FROM visits",
    "WITH x AS (SELECT icd AS code, v FROM visits WHERE v > 3) SELECT sum(w) AS w FROM (SELECT code AS c, v AS w FROM x) WHERE c LIKE 'C%'",
    "SELECT count(*) AS n FROM (SELECT DISTINCT icd, note FROM visits) WHERE icd LIKE 'C%' AND note IS NOT NULL",
    "SELECT count(*) AS n FROM (SELECT icd, count(*) AS n FROM visits GROUP BY icd HAVING icd LIKE 'C%')",
    "SELECT count(*) AS n FROM visits WHERE replace(note, '-', '') = 'abcdef' OR replace(icd, '50', '1') = 'C1'",
    "SELECT count(*) AS n FROM visits WHERE upper(icd) = upper('straße') OR lower(note) = lower('STRAẞE') OR lower(note) = 'x'",
    "SELECT count(*) AS n FROM visits WHERE icd IN (lower('C50'), 'I10') AND 'abc' LIKE 'a_c' AND length('é') = 1",
    "SELECT count(*) AS n FROM visits WHERE left(note, 1) = left(icd, 1) OR lower(note) = lower(icd)",
    "SELECT sum(v) AS v FROM visits WHERE left(icd, 3) IN (SELECT code FROM codes WHERE chapter < 4)",
    "SELECT sum(v) AS v FROM visits o WHERE v > (SELECT avg(length(note)) FROM visits)",
]


def theirs(query: str) -> list[tuple[Any, ...]]:
    connection = duckdb.connect()
    for party, table in DATA.items():
        connection.execute(f"CREATE SCHEMA {party}")
        connection.register(f"{party}_data", table)
        connection.execute(f"CREATE TABLE {party}.{'codes' if party == 'carol' else 'visits'} AS SELECT * FROM {party}_data")
    connection.execute("CREATE VIEW visits AS SELECT * FROM alice.visits UNION ALL SELECT * FROM bob.visits")
    connection.execute("CREATE VIEW codes AS SELECT * FROM carol.codes")
    return connection.execute(query).fetchall()


def ours(result: Any) -> list[tuple[Any, ...]]:
    return list(zip(*result.table.to_dict().values(), strict=True))


def read(job: tc.Job) -> dict[str, pa.Table]:
    return {name: table for name, table in DATA.items() if any(rows.startswith(name) for rows in job.rows)}


@pytest.mark.parametrize("query", QUERIES)
def test_answers_are_those_of_duckdb(query: str) -> None:
    job = tc.sql(TABLES + query)
    assert ours(job.check(read(job))) == theirs(query)


@pytest.mark.parametrize("protocol", ["trio", "lift"])
def test_answers_under_protocols(protocol: str) -> None:
    for query in (QUERIES[0], QUERIES[7], QUERIES[14]):
        job = tc.sql(TABLES + query)
        assert ours(job.run(read(job), protocol=protocol)) == theirs(query)


def test_random_patterns_and_places() -> None:
    rng = np.random.default_rng(7)
    pieces = ["%", "_", "C", "5", "0", ".", "e", "é", "É", "u", "\\", "a"]
    asked = []
    for number in range(60):
        pattern = "".join(rng.choice(pieces, rng.integers(1, 6)))
        word = "ILIKE" if number % 3 == 0 else "LIKE"
        asked.append(f"count(*) FILTER (WHERE {rng.choice(['icd', 'note'])} {word} '{pattern}') AS p{number}")
    for number in range(20):
        first, length = rng.choice([1, 2, 3, -1, -2, -4]), rng.integers(1, 4)
        of = rng.choice(["icd", "lower(note)", "upper(icd)", "trim(mail)"])
        asked.append(f"count(*) FILTER (WHERE substr({of}, {first}, {length}) IN ('C', 'c5', '50', 'É', 'x', 'our')) AS s{number}")
    query = f"SELECT {', '.join(asked)} FROM visits"
    job = tc.sql(TABLES + query)
    assert ours(job.check(read(job))) == theirs(query)


ONE = tc.sql("""
CREATE TABLE alice.t (icd TEXT, note VARCHAR(5)) WITH (max_rows = 20);
GRANT SELECT ON result TO alice;
CREATE ROLE bob; CREATE ROLE carol;
SELECT count(*) FILTER (WHERE icd LIKE 'C50%') AS n, count(DISTINCT lower(icd)) AS k, sum(length(note)) AS l FROM t;
""")
GIVEN = {"icd": [" C50", "C501", None, "c50", "  ", "C501"], "note": ["é", None, "\U0001f926ab", "", "a b ", "x"]}


def written(folder: Path, name: str) -> str:
    path = folder / name
    if name.endswith(".csv"):
        rows = zip(*GIVEN.values(), strict=True)
        path.write_text("icd,note\n" + "".join(",".join(it or "" for it in row) + "\n" for row in rows))
    else:
        pq.write_table(pa.table(GIVEN), path)
    return str(path)


@pytest.mark.parametrize(
    "give",
    [
        lambda folder: GIVEN,
        lambda folder: pd.DataFrame(GIVEN),
        lambda folder: pl.DataFrame(GIVEN),
        lambda folder: pl.DataFrame(GIVEN, schema={"icd": pl.Categorical, "note": pl.String}),
        lambda folder: pa.table(GIVEN),
        lambda folder: written(folder, "t.csv"),
        lambda folder: written(folder, "t.parquet"),
    ],
)
def test_tables_of_every_kind(give: Any, tmp_path: Path) -> None:
    assert ONE.check({"alice": give(tmp_path)}).table.to_dict() == {"n": [3], "k": [2], "l": [8]}


def test_columns_by_the_names_of_inputs() -> None:
    data = {"alice.t.icd": GIVEN["icd"], "alice.t.note": GIVEN["note"]}
    assert ONE.check(data).table.to_dict() == {"n": [3], "k": [2], "l": [8]}


def test_a_text_that_is_too_long() -> None:
    with pytest.raises(tc.InputError, match="row 1 is not") as error:
        ONE.check({"alice": {"icd": ["a", "b"], "note": ["abcde", "abcdef"]}})
    assert "abcdef" not in str(error.value)


def test_the_disclosure_says_what_owners_compute() -> None:
    told = str(ONE.disclosure())
    assert "alice computes alice.t.icd LIKE 'C50%'" in told
    assert "alice computes length(alice.t.note)" in told
    other = tc.sql(ONE._source.replace("C50%", "C51%"))
    assert other.digest != ONE.digest


def test_programs_that_are_read_say_it_too(tmp_path: Path) -> None:
    path = tmp_path / "p.tacit"
    path.write_text(
        """program p
parties alice, bob, carol
rows n <= 10
input x: bit[n] from alice of text("alice.icd", like "C50%")
input y: u8[n] from alice in 0..9 of text(note, slice 1 9, length)
reveal sum(x, axis 0) to bob as "x"
reveal sum(y, axis 0) to bob as "y"
"""
    )
    job = tc.load(path)
    assert "which alice computes: alice.icd LIKE 'C50%'" in str(job.disclosure())
    found = job.check({"alice": {"icd": ["C50", "x", "C501"], "note": ["a", "bcd", "e" * 20]}})
    assert (found["x"], found["y"]) == (2, 13)
    with pytest.raises(tc.InputError, match="row 1 is missing"):
        job.check({"alice": {"icd": ["C50", " "], "note": ["a", "b"]}})


@pytest.mark.parametrize(
    ("query", "place", "what"),
    [
        ("SELECT count(*) AS n FROM t WHERE length(icd) > 3", (5, 35), "VARCHAR(200)"),
        ("SELECT count(*) AS n FROM t WHERE lower(coalesce(note, icd)) = 'a'", (5, 35), "nobody has this text"),
        ("SELECT left(icd, 3) AS c, count(*) AS n FROM t GROUP BY left(icd, 3)", (5, 1), "cannot show"),
    ],
)
def test_what_is_refused(query: str, place: tuple[int, int], what: str) -> None:
    source = ONE._source.rpartition("SELECT count(*) FILTER")[0] + query
    with pytest.raises(tc.ProgramError) as error:
        tc.sql(source)
    assert what in str(error.value)
    assert f":{place[0]}:{place[1]}:" in str(error.value)


# Frames.


def test_frames_have_the_names_of_polars() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    schema = tc.Schema(icd=tc.Text(), note=tc.Text(max_chars=40).nullable(), mail=tc.Text().nullable(), v=tc.Int(0, 99))
    t = tc.concat([party.table("visits", schema, max_rows=40) for party in (alice, bob)])
    icd, note = tc.col.icd.str, tc.col.note.str
    asked = {
        "a": icd.starts_with("C50").sum(),
        "b": icd.ends_with(".9").sum(),
        "c": note.contains("our").sum(),
        "d": (icd.head(3) == "C50").sum(),
        "e": (icd.tail(2) == "50").sum(),
        "f": (icd.slice(1, 2) == "50").sum(),
        "g": (icd.slice(-2) == ".9").sum(),
        "h": (note.to_lowercase() == "été").sum(),
        "i": (note.to_uppercase() == "TUMOUR").sum(),
        "j": note.len_chars().sum(),
        "k": note.to_lowercase().str.strip_chars().n_unique(),
    }
    job = tc.job("letters", table=t.select(**asked).reveal(to=alice))
    found = job.check({"alice": DATA["alice"], "bob": DATA["bob"]}).table.to_dict()
    rows = pl.DataFrame(pl.from_arrow(pa.concat_tables([DATA["alice"], DATA["bob"]])))
    their_icd, their_note = pl.col("icd").str, pl.col("note").str
    expected = rows.select(
        a=their_icd.starts_with("C50").sum(),
        b=their_icd.ends_with(".9").sum(),
        c=their_note.contains("our", literal=True).sum(),
        d=(their_icd.head(3) == "C50").sum(),
        e=(their_icd.tail(2) == "50").sum(),
        f=(their_icd.slice(1, 2) == "50").sum(),
        g=(their_icd.slice(-2) == ".9").sum(),
        h=(their_note.to_lowercase() == "été").sum(),
        i=(their_note.to_uppercase() == "TUMOUR").sum(),
        j=their_note.len_chars().sum(),
        k=their_note.to_lowercase().str.strip_chars().n_unique(),
    )
    assert {name: found[name][0] for name in "abcdefghij"} == {name: expected[name][0] for name in "abcdefghij"}
    assert found["k"] == expected["k"].to_list()


def test_frames_join_by_letters() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    a = alice.table("seen", tc.Schema(mail=tc.Text(), ad=tc.Int(0, 9)), max_rows=9)
    b = bob.table("bought", tc.Schema(mail=tc.Text(), cents=tc.Int(0, 99)), max_rows=9)
    key = tc.col.mail.str.strip_chars().str.to_lowercase()
    joined = a.with_columns(key=key).join(b.with_columns(key=key).select("key", "cents"), on="key", max_matches=2)
    job = tc.job("joined", table=joined.select(n=tc.len(), cents=tc.col.cents.sum()).reveal(to=alice))
    data = {"alice": {"mail": ["Ann", "bob", "zoë"], "ad": [1, 2, 3]}, "bob": {"mail": ["ANN", "ZOË ", "x"], "cents": [10, 20, 40]}}
    assert job.check(data).table.to_dict() == {"n": [2], "cents": [30]}


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda: tc.col.v.str.starts_with("a"), "starts_with is of texts and of categories"),
        (lambda: tc.col.v.str.len_chars(), "len_chars is of tc.Text"),
        (lambda: tc.col.icd.str.head(0), "a number of characters, 1 or more"),
        (
            lambda: tc.col.icd.str.slice("a"),  # type: ignore[arg-type]
            "takes a number of characters",
        ),
        (lambda: tc.col.icd.str.len_chars(), r"tc.Text\(max_chars=200\)"),
        (lambda: tc.when(tc.col.v > 3).then("icd").otherwise("icd").str.contains("a"), "nobody has this text"),
    ],
)
def test_frames_that_are_wrong(ask: Any, what: str) -> None:
    alice, _, _ = tc.parties("alice", "bob", "carol")
    t = alice.table("t", tc.Schema(icd=tc.Text(), v=tc.Int(0, 9)), max_rows=9)
    with pytest.raises(tc.ProgramError, match=what):
        tc.job("wrong", table=t.select(x=ask().max()).reveal(to=alice))
