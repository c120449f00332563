"""What errors point at: the expression of a line, and where what it is of was made."""

from __future__ import annotations

import linecache
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import tacit as tc
from tacit.pointing import source
from tacit.sqltext import columns_at, declared

# Python 3.10 does not know the columns of what it runs.
with_columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")


def ran(source: str, tmp_path: Path) -> str:
    """The error of some lines of Python, with inputs `x` and `y` of wide ranges."""
    path = tmp_path / "survival.py"
    path.write_text(source)
    linecache.checkcache(str(path))
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    names: dict[str, Any] = {"tc": tc, "alice": alice, "bob": bob, "n": tc.rows("n", max=1000)}
    with pytest.raises(tc.ProgramError) as caught:
        exec(compile(source, str(path), "exec"), names)
    assert isinstance(caught.value, tc.RangeError) or "more than 64" not in str(caught.value)
    return str(caught.value)


INPUTS = """x = alice.array("x", tc.Int(0, 2**40), shape=n)
y = bob.array("y", tc.Fixed(0, 2**20), shape=n)
"""


@with_columns
def test_the_expression_has_carets_and_its_operands_have_lines(tmp_path: Path) -> None:
    told = ran(INPUTS + "share = y / 3\nvariance = 2 * (1 - share) * (y * y) + 1\n", tmp_path)
    lines = told.splitlines()
    assert lines[0].startswith("survival.py:4: the result may be anything in ")
    assert lines[1:3] == ["    variance = 2 * (1 - share) * (y * y) + 1", "               " + "^" * 25]
    assert re.fullmatch(r"  its operands:  2 \* \(1 - share\)  -699049\.\.2\.00002 +survival\.py:4", lines[3]), told
    assert re.fullmatch(r" {17}y \* y +-1\.52588e-05\.\.1\.09951e\+12  survival\.py:4", lines[4]), told
    assert lines[5].startswith("  if you know better:   tc.clip(")
    # A variable is called by its name, wherever it is.
    told = ran(INPUTS + "def f(z):\n    return tc.matmul(z, z)\nf(x)\n", tmp_path)
    assert "    return tc.matmul(z, z)\n           ^^^^^^^^^^^^^^^" in told
    assert re.search(r"its operands:  z  0\.\.1099511627776  survival\.py:1\n", told), told


@with_columns
def test_carets_of_what_is_on_several_lines_and_of_other_letters(tmp_path: Path) -> None:
    told = ran(INPUTS + "größe = (x *\n    x)\n", tmp_path)
    assert "\n    größe = (x *\n             ^^^\n" in told
    told = ran(INPUTS + "if True:\n    x * x\n", tmp_path)
    assert "\n    x * x\n  its operands:  x  0..1099511627776  survival.py:1\n" in told, "carets under all of a line say nothing"


@with_columns
def test_steps_of_the_library_are_said_if_there_is_nothing_else(tmp_path: Path) -> None:
    told = ran(INPUTS + "tc.sum(x * 2**20)\n", tmp_path)
    assert "its operands:  a value  0..1152921504606846976  survival.py:3\n" in told
    told = ran(INPUTS + "z = x ** 6\n", tmp_path)
    assert told.count("its operands:") == 1 and "^^^^^^" in told


@with_columns
def test_other_mistakes_have_carets_too(tmp_path: Path) -> None:
    told = ran(INPUTS + "z = 1 + (1 if x.sum() > 3 else 0)\n", tmp_path)
    assert "    z = 1 + (1 if x.sum() > 3 else 0)\n                  ^^^^^^^^^^^" in told
    told = ran(INPUTS + "z = x + tc.zeros(3)\n", tmp_path)
    assert "    z = x + tc.zeros(3)\n        ^^^^^^^^^^^^^^^" in told and "operands:" not in told


def test_a_caret_needs_the_line_that_is_computed(tmp_path: Path) -> None:
    told = ran(INPUTS + "open = x[:0].reveal(to=bob)\nshut = 3 + x.sum()\ntc.job('j', a=shut, b=open)\n", tmp_path)
    assert told.startswith("survival.py:5: ") and told.endswith("b=open)"), "all of the line"
    path = tmp_path / "other.py"
    path.write_text("a = 3\nb = x * x\n")
    assert source(str(path), 2) == "\n    b = x * x" and source(str(path), 7) == source("", 1) == ""


TABLES = """CREATE TABLE alice.t (
    a BIGINT NOT NULL -- one of (many
        CHECK (a BETWEEN 0 AND 4000000000000000000),
    "b, c" DECIMAL(7, 2), PRIMARY KEY (a), k ENUM ('x, y', '(') NOT NULL
) WITH (max_rows = 1000);
/* CREATE TABLE no.t (a INT); */
CREATE TABLE Bob.T (LIKE alice.t);
CREATE ROLE carol;
GRANT SELECT ON result TO bob;
"""


def test_the_columns_of_sql_have_lines() -> None:
    found = {it.name: (it.type, it.line) for it in declared(TABLES)}
    assert found["alice.t.a"] == ("BIGINT NOT NULL CHECK (a BETWEEN 0 AND 4000000000000000000)", 2)
    assert found["alice.t.b, c"] == ("DECIMAL(7, 2)", 4) and found["bob.t.b, c"] == ("DECIMAL(7, 2)", 4)
    assert found["alice.t.k"] == ("ENUM ('x, y', '(') NOT NULL", 4)
    assert list(found) == [f"{table}.{name}" for table in ("alice.t", "bob.t") for name in ("a", "b, c", "k")]
    assert declared("CREATE TABLE alice.t (") == [] and declared("CREATE TABLE") == []
    assert columns_at("SELECT f(a, 'b') + c AS d FROM e", 1, 8) >= {"a", "c"}
    assert not columns_at("SELECT f(a, 'b') + c AS d FROM e", 1, 8) & {"d", "e", "b"}
    assert columns_at("SELECT a", 2, 1) == columns_at("SELECT a", 1, 0) == set()


def test_a_range_that_is_too_wide_in_sql() -> None:
    with pytest.raises(tc.RangeError) as caught:
        tc.sql(TABLES + "SELECT count(*) AS n, sum(a * a) AS s FROM t")
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("query.sql:10:") and caught.value.line == 10
    assert lines[1] == "    SELECT count(*) AS n, sum(a * a) AS s FROM t"
    assert re.fullmatch(r" +\^+", lines[2]) and lines[1][lines[2].index("^") : len(lines[2])] in ("sum(a * a)", "a * a")
    assert lines[3].startswith("  its columns:  alice.t.a  BIGINT NOT NULL") and lines[3].endswith(", declared at query.sql:2")
    assert lines[4].startswith("                bob.t.a  ")


def test_a_range_that_is_too_wide_in_a_frame() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    table = alice.table("t", tc.Schema(a=tc.Int(0, 4 * 10**18), b=tc.Bool()), max_rows=1000)
    at = test_a_range_that_is_too_wide_in_a_frame.__code__.co_firstlineno + 2
    with pytest.raises(tc.RangeError, match=rf"alice\.t\.a  tc\.Int\(0, 4000000000000000000\), declared at test_pointing\.py:{at}\n"):
        tc.job("j", table=table.select(s=(tc.col.a * tc.col.a).sum()).reveal(to=bob))


def test_data_of_a_query_say_where_a_column_is_declared() -> None:
    job = tc.sql(TABLES + "SELECT max(a) AS m FROM t")
    good = {"a": [1], "b, c": [1], "k": ["("]}
    with pytest.raises(tc.InputError, match=r"'Bob\.T\.a': .*; declared at query\.sql:2$"):
        job.check({"alice": good, "Bob": {**good, "a": [-5]}})
