"""Queries in SQL from Python: what goes in, what comes out, and what is said when something is wrong."""

from __future__ import annotations

import datetime
import os
import subprocess
import threading
from collections.abc import Callable
from decimal import Decimal
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

ROOT = Path(__file__).parents[2]
NAMES = ("alice", "bob", "carol")

# One table, which three parties have parts of.
VISITS = """
CREATE TABLE alice.visits (
    plan  ENUM ('basic', 'half', 'full') NOT NULL,
    age   INT CHECK (age BETWEEN 0 AND 120),
    cost  DECIMAL(7, 2) CHECK (cost BETWEEN 0 AND 50000),
    since DATE NOT NULL,
    smokes BOOLEAN
) WITH (max_rows = 100);
CREATE TABLE bob.visits (LIKE alice.visits);
CREATE TABLE carol.visits (LIKE alice.visits);
GRANT SELECT ON result TO alice, bob;
"""
BY_PLAN = """SELECT plan, count(*) AS people, sum(cost) AS cost, min(since) AS since, max(age) AS oldest,
    count(*) FILTER (WHERE smokes) AS smokers
FROM visits WHERE age >= 18 GROUP BY plan ORDER BY plan"""
COLUMNS = {
    "plan": ["basic", "half", "full", "basic", "basic", "half", "full", "basic"],
    "age": [30, 41, None, 17, 55, 18, 99, 20],
    "cost": [Decimal("10.10"), Decimal("20.20"), Decimal("1.00"), None, Decimal("0.05"), None, Decimal("49999.99"), Decimal("3.30")],
    "since": [datetime.date(2020 + i // 4, 1 + i, 28 - i) for i in range(8)],
    "smokes": [True, False, True, None, True, False, None, False],
}
SCHEMA = pa.schema(
    {"plan": pa.string(), "age": pa.int32(), "cost": pa.decimal128(7, 2), "since": pa.date32(), "smokes": pa.bool_()},
)

# Tables of several parties, of which one has two.
SHOP = """
CREATE TABLE alice.people (id INT PRIMARY KEY CHECK (id BETWEEN 1 AND 99), city ENUM ('Bern', 'Genf') NOT NULL) WITH (max_rows = 50);
CREATE TABLE alice.cards (person INT NOT NULL CHECK (person BETWEEN 1 AND 99), gold BOOLEAN NOT NULL) WITH (max_rows = 50);
CREATE TABLE bob.sales (person INT NOT NULL CHECK (person BETWEEN 1 AND 99), cost DECIMAL(6, 2) NOT NULL) WITH (max_rows = 50);
CREATE ROLE carol;
GRANT SELECT ON result TO bob;
SELECT p.city, sum(s.cost) AS cost, count(*) AS sales
FROM bob.sales s JOIN alice.people p ON s.person = p.id
WHERE p.id IN (SELECT person FROM alice.cards WHERE gold)
GROUP BY p.city ORDER BY p.city;
"""
PEOPLE = {"id": [1, 2, 3], "city": ["Bern", "Genf", "Bern"]}
CARDS = {"person": [1, 2, 2], "gold": [True, True, False]}
SALES = {"person": [1, 1, 2, 3, 9], "cost": [1.25, 2.5, 100, 7, 8]}
IN_CITIES = {"city": ["Bern", "Genf"], "cost": [Decimal("3.75"), Decimal("100.00")], "sales": [2, 1]}


def frame(party: int) -> dict[str, list[Any]]:
    """The rows of a party."""
    return {name: values[party::3] for name, values in COLUMNS.items()}


def data() -> dict[str, dict[str, list[Any]]]:
    return {name: frame(party) for party, name in enumerate(NAMES)}


def clear(query: str) -> list[tuple[Any, ...]]:
    """What DuckDB gives on all rows in one place, with members of lists as texts."""
    connection = duckdb.connect()
    connection.register("rows", pa.table(COLUMNS, schema=SCHEMA))
    connection.execute("CREATE TYPE plans AS ENUM ('basic', 'half', 'full')")
    connection.execute("CREATE TABLE visits AS SELECT * REPLACE (plan::plans AS plan) FROM rows")
    return connection.execute(query).fetchall()


def rows(table: tc.Table) -> list[tuple[Any, ...]]:
    return list(zip(*table.to_dict().values(), strict=True))


@pytest.fixture(scope="module")
def job() -> tc.Job:
    return tc.sql(VISITS + BY_PLAN)


# Who runs it.


@pytest.mark.parametrize("protocol", ["trio", "lift"])
def test_a_run_gives_what_duckdb_gives(job: tc.Job, protocol: str) -> None:
    res = job.run(data(), protocol=protocol)
    assert res.report.protocol == protocol
    assert rows(res.table) == clear(BY_PLAN)
    assert res.people.tolist() == [3, 2, 1]
    assert res.cost.tolist() == [Decimal("13.45"), Decimal("20.20"), Decimal("49999.99")]
    assert res["since"].tolist()[0] == datetime.date(2020, 1, 28)


def test_it_is_computed_in_the_clear(job: tc.Job) -> None:
    assert rows(job.check(data()).table) == clear(BY_PLAN)


@pytest.mark.parametrize("security", ["semi-honest", "malicious"])
def test_the_fastest_protocol_is_chosen(job: tc.Job, security: Any) -> None:
    assert rows(job.run(data(), security=security).table) == clear(BY_PLAN)


def test_parties_over_tls_on_this_machine(job: tc.Job) -> None:
    assert rows(job.run(data(), on=tc.local(transport="tcp"), protocol="trio").table) == clear(BY_PLAN)


def test_parties_with_files_of_their_own(job: tc.Job, parties: Path) -> None:
    """Carol, who learns nothing, has no table. Alice gives a frame, bob a CSV file, and carol by the name of the table."""
    pl.DataFrame(pa.table(frame(1), schema=SCHEMA)).write_csv(parties / "bob.csv")
    own = {"alice": pa.table(frame(0), schema=SCHEMA), "bob": parties / "bob.csv", "carol": {"visits": frame(2)}}
    found: dict[str, Any] = {}

    def party(name: str) -> None:
        found[name] = job.run(own[name], on=tc.connect(parties / f"{name}.toml", session="sql"), protocol="lift")

    threads = [threading.Thread(target=party, args=(name,)) for name in NAMES]
    for it in threads:
        it.start()
    for it in threads:
        it.join(120)
    assert rows(found["alice"].table) == rows(found["bob"].table) == clear(BY_PLAN)
    assert found["carol"].keys() == []
    with pytest.raises(ValueError, match="this party learned nothing"):
        found["carol"].table.to_dict()


def test_python_and_the_command_line_are_parties_of_one_query(command: Path, parties: Path) -> None:
    """They prepare it together, too. Bob, of the command line, prints the table that alice has."""
    (parties / "shop.sql").write_text(SHOP.replace("TO bob", "TO alice, bob"))
    pl.DataFrame(SALES).write_csv(parties / "sales.csv")
    store = parties / "store"
    counts = {"alice.people": 3, "alice.cards": 3, "bob.sales": 5}

    def others(*arguments: str | Path) -> list[subprocess.Popen[str]]:
        start = [command, arguments[0], parties / "shop.sql", "--protocol", "lift", *arguments[1:]]
        tables = ["--table", parties / "sales.csv"] if arguments[0] == "run" else []
        both = [("bob", tables), ("carol", [])]
        return [
            subprocess.Popen([*start, "--party", parties / f"{name}.toml", *more], stdout=subprocess.PIPE, text=True, env=env)
            for name, more in both
        ]

    env = {**os.environ, "TACIT_STATE": str(parties / "state")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TACIT_STATE", str(parties / "state"))
        job, net = tc.sql(parties / "shop.sql"), tc.connect(parties / "alice.toml", timeout=20)
        rows_said = [word for name, count in counts.items() for word in ("--rows", f"{name}={count}")]
        started = others("prepare", *rows_said, "--into", store)
        job.prepare(store, on=net, protocol="lift", rows=counts)
        assert [it.wait(60) for it in started] == [0, 0]
        started = others("run", "--prepared", store)
        learned = job.run({"people": PEOPLE, "cards": CARDS}, on=net, protocol="lift", prepared=store)
        out = [it.communicate(timeout=60)[0] for it in started]
    assert learned.table.to_dict() == IN_CITIES
    assert repr(learned.table) in out[0] and "Bern" not in out[1]


# What goes in.


def as_mapping(columns: dict[str, list[Any]], _: Path) -> Any:
    return columns


def as_pandas(columns: dict[str, list[Any]], _: Path) -> Any:
    made = pd.DataFrame(columns)
    return made.astype({"age": "Int64", "smokes": "boolean", "plan": pd.CategoricalDtype(["full", "basic", "half"])})


def as_old_pandas(columns: dict[str, list[Any]], _: Path) -> Any:
    """Missing numbers are floating point, and dates are times."""
    made = pd.DataFrame({**columns, "cost": [None if it is None else float(it) for it in columns["cost"]]})
    return made.assign(since=pd.to_datetime(made["since"]))


def as_pyarrow(columns: dict[str, list[Any]], _: Path) -> Any:
    return pa.table(columns, schema=SCHEMA)


def as_polars(columns: dict[str, list[Any]], _: Path) -> Any:
    return pl.DataFrame(pa.table(columns, schema=SCHEMA)).cast({"plan": pl.Enum(["half", "full", "basic"])})


def as_duckdb(columns: dict[str, list[Any]], _: Path) -> Any:
    return duckdb.connect().from_arrow(pa.table(columns, schema=SCHEMA))


def as_csv(columns: dict[str, list[Any]], folder: Path) -> Any:
    pl.DataFrame(pa.table(columns, schema=SCHEMA)).write_csv(folder / "visits.csv")
    return str(folder / "visits.csv")


def as_parquet(columns: dict[str, list[Any]], folder: Path) -> Any:
    pq.write_table(pa.table(columns, schema=SCHEMA), folder / "visits.parquet")
    return folder / "visits.parquet"


GIVEN = [as_mapping, as_pandas, as_old_pandas, as_pyarrow, as_polars, as_duckdb, as_csv, as_parquet]


@pytest.mark.parametrize("give", GIVEN)
def test_tables_of_every_kind(job: tc.Job, give: Callable[[dict[str, list[Any]], Path], Any], tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).mkdir()
    given = {name: give(frame(party), tmp_path / name) for party, name in enumerate(NAMES)}
    assert rows(job.check(given).table) == clear(BY_PLAN)


def test_columns_that_a_query_does_not_need_may_be_anything(job: tc.Job) -> None:
    given = {name: {**columns, "note": [object()] * len(columns["plan"])} for name, columns in data().items()}
    assert rows(job.check(given).table) == clear(BY_PLAN)


def test_empty_tables(job: tc.Job) -> None:
    given = {**data(), "bob": {name: [] for name in COLUMNS}, "carol": pa.table({name: [] for name in COLUMNS}, schema=SCHEMA)}
    assert sum(job.check(given).people) == 2


@pytest.mark.parametrize("named", ["nested", "slash"])
def test_several_tables_of_a_party(named: str, tmp_path: Path) -> None:
    pl.DataFrame(CARDS).write_csv(tmp_path / "cards.csv")
    alice = {"people": pd.DataFrame(PEOPLE), "cards": tmp_path / "cards.csv"}
    given: dict[str, Any] = {"alice": alice} if named == "nested" else {f"alice/{name}": table for name, table in alice.items()}
    res = tc.sql(SHOP).run({**given, "bob": SALES}, protocol="trio")
    assert res.table.to_dict() == IN_CITIES


def test_rows_are_counted_without_columns() -> None:
    """Whatever column is given says how many rows there are."""
    res = tc.sql(VISITS + "SELECT count(*) AS visits FROM visits").check(data())
    assert res.table.to_dict() == {"visits": [8]}


def test_a_column_may_be_called_as_the_table_is() -> None:
    job = tc.sql("""CREATE TABLE alice.age (age INT NOT NULL CHECK (age BETWEEN 0 AND 9)) WITH (max_rows = 9);
        CREATE ROLE bob; GRANT SELECT ON result TO public; SELECT sum(age) AS total FROM age""")
    for given in ({"age": [1, 2]}, {"age": {"age": [1, 2]}}, {"alice.age.age": [1, 2]}):
        by_party = given if "alice.age.age" in given else {"alice": given}
        assert job.check(by_party).table.to_dict() == {"total": [3]}


# What comes out.

KINDS = """
CREATE TABLE alice.t (
    id INT NOT NULL CHECK (id BETWEEN 0 AND 9), bit BOOLEAN, whole INT CHECK (whole BETWEEN -5 AND 5), exact DECIMAL(9, 3), day DATE,
    word ENUM ('a', 'b'), real DOUBLE CHECK (real BETWEEN -8 AND 8)
) WITH (max_rows = 10);
CREATE ROLE bob;
GRANT SELECT ON result TO alice;
SELECT id, bit, whole, exact, day, word, real FROM t ORDER BY id;
"""
WITH_NULLS: dict[str, list[Any]] = {
    "id": [1, 2],
    "bit": [None, True],
    "whole": [-5, None],
    "exact": [None, Decimal("-123456.789")],
    "day": [datetime.date(1969, 7, 20), None],
    "word": [None, "b"],
    "real": [-0.5, None],
}


def test_values_of_every_kind_are_exact_and_may_be_null() -> None:
    res = tc.sql(KINDS).run({"alice": WITH_NULLS}, protocol="gmw:2")
    assert res.table.to_dict() == WITH_NULLS
    assert res.table.column_names == list(WITH_NULLS)
    assert len(res.table) == 2
    table = pa.table(res.table)
    types = [str(field.type) for field in table.schema]
    assert types[1] == "bool" and types[2] == "int8" and types[3] == "decimal128(38, 3)"
    assert types[4] == "date32[day]" and types[5] in ("string", "utf8") and types[6] == "double"
    assert table.to_pydict() == WITH_NULLS
    assert pl.DataFrame(res.table).to_dict(as_series=False) == WITH_NULLS
    assert duckdb.connect().from_arrow(pa.table(res.table)).fetchall() == list(zip(*WITH_NULLS.values(), strict=True))
    shown = res.table.to_pandas()
    assert [str(it) for it in shown.dtypes[1:4]] == ["boolean", "Int8", "object"]
    assert shown["bit"].isna().tolist() == [True, False] and shown["whole"].tolist()[0] == -5
    assert shown["exact"].tolist() == WITH_NULLS["exact"]
    assert shown["day"].isna().tolist() == [False, True] and shown["real"].isna().tolist() == [False, True]
    # The method `exact` is called so too.
    assert res["exact"].tolist() == WITH_NULLS["exact"]
    # The answer is data of the next job.
    assert tc.sql(KINDS).check({"alice": res.table}).table.to_dict() == WITH_NULLS


def test_an_answer_is_shown_as_the_command_shows_it(job: tc.Job) -> None:
    res = job.check(data())
    lines = repr(res.table).splitlines()
    assert lines[1].split() == ["plan", "people", "cost", "since", "oldest", "smokers"]
    assert lines[3].split() == ["basic", "3", "13.45", "2020-01-28", "55", "2"]
    assert repr(res).startswith(repr(res.table))
    page = res.table._repr_html_()
    assert "<table>" in page and "49999.99" in page and page in res._repr_html_()
    assert list(res.table("people", "plan").to_dict()) == ["people", "plan"]
    with pytest.raises(KeyError, match="no result 'peple'"):
        res.table("peple")
    with pytest.raises(ValueError, match="column of an answer"):
        res.exact("people")


def test_small_groups_are_left_out_and_it_is_said() -> None:
    res = tc.sql(VISITS + "SET min_rows = 2; " + BY_PLAN).run(data(), protocol="trio")
    assert res.plan.tolist() == ["basic", "half"]
    assert res.remarks == res.table.remarks == ["groups of fewer than 2 rows are not shown: plan full"]
    for shown in (repr(res), repr(res.table), res._repr_html_(), res.table._repr_html_()):
        assert "groups of fewer than 2 rows are not shown: plan full" in shown


def test_more_rows_than_are_shown_are_said() -> None:
    res = tc.sql(VISITS + "SET max_rows = 2; SELECT age FROM visits WHERE smokes").check(data())
    assert len(res.table) == 2
    assert res.remarks == ["there are more rows than these: SET max_rows says how many are shown at most"]


def test_fewer_rows_than_may_be_shown_are_all_of_them() -> None:
    res = tc.sql(VISITS + "SET max_rows = 20; SELECT age FROM visits").check(data())
    assert len(res.table) == 8 and res.remarks == []


def test_no_rows_are_a_table_without_rows() -> None:
    res = tc.sql(VISITS + "SELECT plan, age FROM visits WHERE age > 119 ORDER BY age LIMIT 3").check(data())
    assert len(res.table) == 0
    assert res.table.to_dict() == {"plan": [], "age": []}
    assert pl.DataFrame(res.table).columns == ["plan", "age"]


# What it is and costs.


def test_the_disclosure_says_who_learns_what() -> None:
    text = repr(tc.sql(SHOP).disclosure())
    assert "LEARNED, and nothing else\n  bob learns city, cost, sales" in text
    assert "how many rows alice.people has, from 0 to 50" in text
    assert "from bob  bob.sales.cost[bob.sales]  0.00" in text or "from bob  bob.sales.cost[bob.sales]  -9999.99..9999.99" in text
    assert "from alice  alice.people.city[alice.people]  Bern, Genf" in text
    assert "that no two rows on one side of a join have the same id" in text
    assert "COMPUTED\n  " in text and "scan alice.cards" in text
    assert [it.code for it in tc.sql(SHOP).lints()] == ["D3"]
    assert "SET min_rows = 10" in tc.sql(SHOP).lints()[0].message


def test_columns_that_may_be_null_are_taken_as_one(job: tc.Job) -> None:
    text = repr(job.disclosure())
    assert "from alice  alice.visits.age[alice.visits]  0..120, or nothing" in text
    assert "1900-01-01..2099-12-31" in text
    assert ".known" not in text


def test_what_it_costs(job: tc.Job) -> None:
    few = {f"{name}.visits": 10 for name in NAMES}
    plan = job.plan(network="global", security="malicious", rows=few)
    assert "lift" in [it["protocol"] for it in plan.candidates]
    explained = job.explain(network="global", protocol="trio", rows=few)
    assert any(it["file"] == "query.sql" and it["line"] > 11 for it in explained.operations)


@pytest.mark.parametrize("text", [VISITS + BY_PLAN, SHOP], ids=["visits", "shop"])
def test_it_is_simulated_on_random_rows(text: str) -> None:
    """Rows of a table with a key have different ones, or the run would fail."""
    job = tc.sql(text)
    few = dict.fromkeys(job.rows, 20)
    simulated = job.simulate(rows=few, network="global", protocols=["trio"])
    assert simulated.reports["trio"].seconds > 0.1


def test_a_file_is_the_same_program(tmp_path: Path) -> None:
    (tmp_path / "query.sql").write_text(SHOP)
    job = tc.sql(SHOP)
    assert (
        tc.sql(tmp_path / "query.sql").digest
        == tc.sql(str(tmp_path / "query.sql")).digest
        == tc.load(tmp_path / "query.sql").digest
        == job.digest
    )
    job.save(tmp_path / "again.sql")
    assert (tmp_path / "again.sql").read_text() == SHOP
    job.save(tmp_path / "lowered.tacit")
    assert tc.load(tmp_path / "lowered.tacit").digest == job.digest
    assert repr(job) == "Job query: 6 inputs, reveals city, cost, sales"
    assert tc.sql("SET name = 'shop';" + SHOP).name == "shop"


@pytest.mark.parametrize("example", ["survey", "banks", "intersection"])
def test_examples_give_what_duckdb_gives(example: str) -> None:
    """The files of the examples, with the query that they have."""
    folder = ROOT / "examples" / example
    job = tc.sql(folder / f"{example}.sql")
    files = {path.stem: path for path in sorted(folder.glob("*.csv"))}
    found = rows(job.check(files).table)
    text = "".join(line for line in (folder / f"{example}.sql").read_text().splitlines(True) if not line.startswith("--"))
    statements = [it.strip() for it in text.split(";")]
    query = next(it for it in statements if it.startswith(("SELECT", "WITH")))
    connection = duckdb.connect()
    if example == "survey":
        parts = " UNION ALL ".join(f"SELECT * FROM '{path}'" for path in files.values())
        connection.execute("CREATE TYPE plans AS ENUM ('basic', 'half', 'full')")
        connection.execute(f"CREATE TABLE patients AS SELECT * REPLACE (plan::plans AS plan) FROM ({parts})")
        query = query.replace("GROUP BY plan", "GROUP BY plan HAVING count(*) >= 20")
    else:
        connection.execute("CREATE TYPE segments AS ENUM ('retail', 'business')")
        of_banks = (("alice", "customers", "segment::segments AS segment"), ("bob", "accounts", "balance::DECIMAL(9, 2) AS balance"))
        of_shops = (("alice", "viewers", "mail::TEXT AS mail"), ("bob", "buyers", "spent::DECIMAL(7, 2) AS spent"))
        for party, table, changed in of_banks if example == "banks" else of_shops:
            connection.execute(f"CREATE SCHEMA {party}")
            connection.execute(f"CREATE TABLE {party}.{table} AS SELECT * REPLACE ({changed}) FROM '{files[party]}'")
    wanted = connection.execute(query).fetchall()
    assert wanted and found == wanted


# What is wrong.

WRONG = [
    ("SELECT plna FROM visits LIMIT 3", "did you mean `plan`?", 1, 8),
    ("SELECT plan\nFROM visit ORDER BY plan LIMIT 3", "did you mean `visits`?", 2, 6),
    ("SELECT plan FROM visits WHERE smokes", "add ORDER BY .. LIMIT", 1, 0),
    ("SELEC plan", "this is no SQL that is understood", 1, 1),
]


@pytest.mark.parametrize(("query", "message", "line", "column"), WRONG)
def test_mistakes_have_a_place_and_advice(query: str, message: str, line: int, column: int) -> None:
    with pytest.raises(tc.ProgramError) as caught:
        tc.sql(VISITS + query)
    error = caught.value
    assert message in str(error)
    before = VISITS.count("\n")
    assert error.file == "query.sql" and error.line == before + line
    assert error.column == column or column == 0
    assert str(error).startswith(f"query.sql:{error.line}:{error.column}: ")
    assert (VISITS + query).splitlines()[error.line - 1].strip() in str(error)


def test_mistakes_without_a_place() -> None:
    with pytest.raises(tc.ProgramError, match="there is no query: a file ends with a SELECT"):
        tc.sql(VISITS)
    with pytest.raises(tc.InputError, match=r"absent\.sql: No such file"):
        tc.sql("absent.sql")


def test_data_that_do_not_fit(job: tc.Job, tmp_path: Path) -> None:
    def refused(given: Any, message: str) -> None:
        with pytest.raises(tc.InputError, match=message) as caught:
            job.run({**data(), "alice": given}, protocol="trio")
        assert "777" not in str(caught.value)

    own = frame(0)
    refused({**own, "age": [777, 1, 2]}, r"'alice\.visits\.age': the value of row 0 is outside of its range 0\.\.120")
    refused(
        {**own, "cost": [1, 50001, 777777]}, r"'alice\.visits\.cost': the value of row 1 is outside of its range 0\.00\.\.50000\.00, and 2"
    )
    refused({**own, "cost": ["777", 1, 1]}, r"takes decimal numbers")
    refused({**own, "cost": [float("inf"), 1, 1]}, r"row 0 is missing, or no number")
    refused({**own, "plan": ["basic", "777", "half"]}, r"'alice\.visits\.plan': the value of row 1 is none of basic, half, full")
    refused({**own, "plan": [None, "half", "half"]}, r"'alice\.visits\.plan': the value of row 0 is missing")
    refused({name: values for name, values in own.items() if name != "age"}, r"alice's data have no column 'age'; they have plan, cost")
    refused({**own, "age": [1, 2]}, r"have 3 and 2 rows")
    refused({name: values * 40 for name, values in own.items()}, r"has 120 rows, and 'alice\.visits' is from 0 to 100")
    refused(str(tmp_path / "absent.csv"), r"absent\.csv")
    (tmp_path / "wrong.csv").write_text("plan,age,cost,since,smokes\nbasic,777,1,2020-01-01,true\n")
    refused(tmp_path / "wrong.csv", r"wrong\.csv.*row 1.*outside 0\.\.120")
    (tmp_path / "other.csv").write_text("plan,aeg,cost,since,smokes\nbasic,1,1,2020-01-01,true\n")
    refused(tmp_path / "other.csv", r'did you mean "aeg"\?$')
    refused([1, 2], r"alice gives 5 inputs: give a frame")


def test_tables_that_are_not_there(job: tc.Job) -> None:
    with pytest.raises(tc.InputError, match="alice gives no table 'visit' to this job; there is visits"):
        job.check({**data(), "alice/visit": frame(0)})
    with pytest.raises(tc.InputError, match="alice gives no table 'other' to this job; there is visits"):
        job.check({**data(), "alice": {"visits": frame(0), "other": frame(0)}})
    with pytest.raises(tc.InputError, match="'dave' is no party"):
        job.check({**data(), "dave": frame(0)})
    with pytest.raises(tc.InputError, match=r"'bob\.sales\.person', which bob gives, has no data"):
        tc.sql(SHOP).check({"alice": {"people": PEOPLE, "cards": CARDS}})
    with pytest.raises(tc.InputError, match=r'of several tables, give each by its name: {"alice": {"TABLE": \.\.\.}}'):
        tc.sql(SHOP).check({"alice": PEOPLE, "bob": SALES})
    with pytest.raises(tc.InputError, match="say which table of alice it is; there are"):
        tc.sql(SHOP).check({"alice": "people.csv", "bob": SALES})
    with pytest.raises(tc.InputError, match="table 'people' of alice is a frame"):
        tc.sql(SHOP).check({"alice/people": [1, 2], "alice/cards": CARDS, "bob": SALES})


def test_a_key_that_is_there_twice_is_told_to_its_owner() -> None:
    twice = {"id": [1, 2, 1], "city": ["Bern", "Genf", "Bern"]}
    with pytest.raises(tc.InputError, match=r"alice.people: rows 1 and 3 have the same id.* \(UNIQUE, PRIMARY KEY\)"):
        tc.sql(SHOP).run({"alice": {"people": twice, "cards": CARDS}, "bob": SALES}, protocol="trio")


# Programs with decimals.

DECIMALS = """program decimals
parties alice, bob, carol
rows n in 1..10
input a: i32[n] from alice in -100000..100000 of decimal(2)
input b: i32[n] from bob in 0..100000 of decimal(2)
input "a.known" as k: bit[n] from alice
input w: i64 from bob in -1000000000000000000..1000000000000000000 of decimal(18)
let known = select(k, a, 0)
reveal a + b to all of decimal(2) as "sum"
reveal sum(known, axis 0) to alice of decimal(2) as "total"
reveal w to all of decimal(18) as "small"
"""


@pytest.fixture(scope="module")
def decimals(tmp_path_factory: pytest.TempPathFactory) -> tc.Job:
    path = tmp_path_factory.mktemp("decimals") / "decimals.tacit"
    path.write_text(DECIMALS)
    return tc.load(path)


@pytest.mark.parametrize("protocol", ["trio", "lift"])
def test_programs_with_decimals_run(decimals: tc.Job, protocol: str) -> None:
    given = {"a": [Decimal("-999.99"), None, Decimal("0.1")], "b": np.array([1000.0, 0.29, 1e-3]), "w": Decimal("0.000000000000000001")}
    res = decimals.run(given, protocol=protocol)
    assert res.sum.tolist() == [Decimal("0.01"), Decimal("0.29"), Decimal("0.10")]
    assert res.total == Decimal("-999.89") and isinstance(res.total, Decimal)
    assert res.small == Decimal("1E-18")
    assert res.exact("sum") == ([1, 29, 10], 0) and res.decimals("sum") == 2 and res.decimals("small") == 18
    assert res.report.rounding == pytest.approx(1e-3)
    assert pa.table(res.table("sum")).schema.field("sum").type == pa.decimal128(38, 2)
    assert res.table("sum").to_pandas()["sum"].tolist() == res.sum.tolist()
    assert "from alice  a[n]  -1000.00..1000.00, or nothing" in repr(decimals.disclosure())


ROUNDED = [
    (0.005, "0.01"),
    (0.015, "0.01"),
    (2.675, "2.67"),
    (0.125, "0.12"),
    (0.375, "0.38"),
    (-0.125, "-0.12"),
    (7, "7.00"),
    (True, "1.00"),
]


@pytest.mark.parametrize(("given", "wanted"), ROUNDED)
def test_numbers_are_rounded_to_the_nearest_decimal(decimals: tc.Job, given: Any, wanted: str) -> None:
    """Exactly so: 0.015 and 2.675 are a little less than they look like, 0.005 is more. Arrow, NumPy and Python's objects are alike."""
    arrow = pa.array([given]) if not isinstance(given, bool) else pa.array([int(given)])
    decimal = pa.array([Decimal(given).quantize(Decimal("1E-20"))], pa.decimal128(38, 20))
    for form in (np.array([given]), [given], np.array([given], dtype=object), arrow, decimal):
        found = decimals.check({"a": form, "b": [0], "w": 0})
        assert str(found.sum[0]) == wanted


def test_decimals_of_arrow_are_exact(decimals: tc.Job) -> None:
    for type in (pa.decimal32(9, 4), pa.decimal64(18, 4), pa.decimal128(38, 4), pa.decimal256(70, 4)):
        column = pa.array([Decimal("0.0050"), Decimal("0.0150"), None, Decimal("-0.0051")], type)
        found = decimals.check({"a": column, "b": [0] * 4, "w": 0})
        assert [str(it) for it in found.sum] == ["0.00", "0.02", "0.00", "-0.01"]
        assert found.total == Decimal("0.01")


def test_decimals_outside_of_their_range_are_refused(decimals: tc.Job) -> None:
    for form in ([0, 1000.01], [Decimal(0), Decimal("1000.01")], pa.array([Decimal(0), Decimal("1000.01")], pa.decimal128(9, 2))):
        with pytest.raises(tc.InputError, match=r"'a': the value of row 1 is outside of its range -1000\.00\.\.1000\.00"):
            decimals.check({"a": form, "b": [0, 0], "w": 0})
    # What rounds to the end of the range is in it.
    assert decimals.check({"a": [1000.004], "b": [0], "w": 0}).sum[0] == 1000
    with pytest.raises(tc.InputError, match="outside of what 64 bits hold"):
        decimals.check({"a": np.array([1e300]), "b": [0], "w": 0})
    with pytest.raises(tc.InputError, match="takes decimal numbers, and some of these data are none"):
        decimals.check({"a": [Decimal("nan")], "b": [0], "w": 0})
