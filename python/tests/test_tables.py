"""Results as tables, for pandas, Polars, PyArrow and DuckDB."""

from __future__ import annotations

import datetime
import gc
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc

WARDS = ["north", "south", "west"]
SEXES = ["f", "m"]
DATA = {
    "alice": {"ward": ["north", "south", "north", "north"], "sex": ["f", "f", "m", "f"]},
    "bob": {"days": [1, 2, 4, 8]},
}


def result(data: Any = None, on: Any = None) -> tc.Result:
    """Counts and sums by two categories, single values, and columns with a value for each row."""
    alice, bob = tc.parties("alice", "bob")
    n = tc.rows("n", max=200_000)
    ward = alice.array("ward", tc.Category(WARDS), n)
    sex = alice.array("sex", tc.Category(SEXES), n)
    days = bob.array("days", tc.Int(0, 10), n)
    job = tc.job(
        "tables",
        people=tc.group_count([ward, sex]).reveal(to="all"),
        days=tc.group_sum(days, [ward, sex]).reveal(to=alice),
        mean=tc.group_mean(days, [ward, sex], frac=8).reveal(to=bob),
        total=days.sum().reveal(to="all"),
        long=(days > 3).reveal(to="all"),
        ward_of=ward.reveal(to=bob),
        half=(days / 2).reveal(to="all"),
    )
    return job.run(data or DATA, on=on, protocol="gmw:2") if on else job.check(data or DATA)


def to_pandas(table: Any) -> Any:
    """Rows by pandas."""
    return [tuple(row) for row in table.to_pandas().itertuples(index=False)]


def to_polars(table: Any) -> Any:
    """Rows by Polars."""
    return table.to_polars().rows()


def pyarrow(table: Any) -> Any:
    """Rows by PyArrow."""
    return [tuple(row.values()) for row in pytest.importorskip("pyarrow").table(table).to_pylist()]


def duckdb(table: Any) -> Any:
    """Rows by DuckDB."""
    return pytest.importorskip("duckdb").from_arrow(table).fetchall()


READERS = pytest.mark.parametrize("read", [to_pandas, to_polars, pyarrow, duckdb])
Reader = Callable[[Any], Any]


@READERS
def test_labels_stand_before_results_by_group(read: Reader) -> None:
    table = result().table("people", "days", "mean")
    assert read(table) == [
        ("north", "f", 2, 9, 4.5),
        ("north", "m", 1, 4, 4.0),
        ("south", "f", 1, 2, 2.0),
        ("south", "m", 0, 0, 0.0),
        ("west", "f", 0, 0, 0.0),
        ("west", "m", 0, 0, 0.0),
    ]
    # A stream can be read again.
    assert len(read(table)) == 6
    assert repr(table).split("\n")[1].split() == ["ward", "sex", "people", "days", "mean"]


@READERS
def test_rows_with_texts_and_truth_values(read: Reader) -> None:
    rows = [(False, "north", 0.5), (False, "south", 1.0), (True, "north", 2.0), (True, "north", 4.0)]
    assert read(result().table("long", "ward_of", "half")) == rows


@READERS
def test_dates(read: Reader, tmp_path: Path) -> None:
    source = """program dates
parties alice, bob
rows n in 0..10
input since: i32[n] from alice of date
reveal since to bob of date as "since"
"""
    (tmp_path / "dates.tacit").write_text(source)
    days = [datetime.date(2024, 1, 31), datetime.date(1969, 12, 31), datetime.date(2000, 2, 29)]
    found = tc.load(tmp_path / "dates.tacit").check({"alice": {"since": days}})
    assert found.since.tolist() == [it.isoformat() for it in days]
    assert [it.date() if isinstance(it, datetime.datetime) else it for (it,) in read(found.table())] == days


@READERS
def test_results_of_several_parties_are_one_table(read: Reader) -> None:
    table = result(on=tc.local(transport="tcp")).table("days", "mean")
    assert read(table)[0] == ("north", "f", 9, 4.5)


@READERS
def test_single_values_are_a_row(read: Reader) -> None:
    assert read(result().table("total")) == [(15,)]


@READERS
def test_tables_without_rows(read: Reader) -> None:
    empty = result({party: {name: [] for name in columns} for party, columns in DATA.items()})
    assert read(empty.table("long", "ward_of")) == []
    assert empty.table("long", "half").to_pandas().columns.tolist() == ["long", "half"]


def test_types_of_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    found = result().table("long", "ward_of", "half")
    assert pa.table(found).schema.types == [pa.bool_(), pa.string(), pa.float64()]
    assert [it.kind for it in found.to_pandas().dtypes] == ["b", "O", "f"]
    frame = found.to_pandas()
    frame.loc[0, "half"] = 7.0
    assert frame["half"].tolist() == [7.0, 1.0, 2.0, 4.0]


def test_many_rows_come_in_chunks() -> None:
    rows = 150_000
    days = np.random.default_rng(1).integers(0, 11, rows)
    big = {
        "alice": {"ward": ["west"] * rows, "sex": ["f"] * rows},
        "bob": {"days": days},
    }
    table = result(big).table("half", "long")
    pa = pytest.importorskip("pyarrow")
    assert pa.table(table)["half"].num_chunks > 1
    assert (table.to_pandas()["half"].to_numpy() == days / 2).all()
    assert table.to_polars()["half"].to_list() == (days / 2).tolist()


def wide(type: tc.Type, values: Any) -> tc.Result:
    """A column as it was given."""
    alice, bob = tc.parties("alice", "bob")
    x = alice.array("x", type, 2)
    return tc.job("wide", x=x.reveal(to=bob)).check({"alice": {"x": values}})


@READERS
def test_whole_numbers_are_exact(read: Reader) -> None:
    for low, high in ((-(2**63), 2**63 - 1), (0, 2**64 - 1)):
        assert read(wide(tc.Int(low, high), [low, high]).table()) == [(low,), (high,)]


def test_fixed_point_of_more_than_53_bits_is_decimals() -> None:
    pa = pytest.importorskip("pyarrow")
    found = wide(tc.Fixed(-(2**40), 2**40, 20), [2.0**39 + 2**-13, -(2.0**-20)])
    exact = [Decimal(2**39) + Decimal(1) / 2**13, -Decimal(1) / 2**20]
    raw, fraction = found.exact("x")
    assert [Decimal(it) / 2**fraction for it in raw] == exact
    assert pa.table(found.table())["x"].to_pylist() == exact
    assert found.table().to_polars()["x"].to_list() == exact
    assert found.table().to_pandas()["x"].tolist() == exact


def test_what_no_decimal_holds_is_refused() -> None:
    found = wide(tc.Fixed(-(2**30), 2**30, 32), [1.5, 2.5])
    with pytest.raises(ValueError, match=r'"x" is fixed\(64,32\), which takes decimals of more than 38 digits') as caught:
        found.table()
    assert "1.5" not in str(caught.value) and found.x.tolist() == [1.5, 2.5]


def test_a_matrix_has_a_column_for_each_of_its_own() -> None:
    alice, bob = tc.parties("alice", "bob")
    m = alice.array("m", tc.Int(0, 9), (2, 3))
    found = tc.job("m", m=m.reveal(to=bob)).check({"alice.m": [[1, 2, 3], [4, 5, 6]]})
    assert found.table().to_polars().to_dict(as_series=False) == {"m[0]": [1, 4], "m[1]": [2, 5], "m[2]": [3, 6]}


def test_results_that_are_no_table() -> None:
    found = result()
    with pytest.raises(ValueError, match='no table: "people" has 6 rows, "total" a single value'):
        found.table("people", "total")
    with pytest.raises(ValueError, match="no table"):
        found.table()
    with pytest.raises(ValueError, match='two results are called "people"'):
        found.table("people", "people")
    with pytest.raises(KeyError, match="no result 'folk': there is people, days, total"):
        found.table("folk")


def test_results_are_inputs_again() -> None:
    table = result().table("people", "days")
    alice, bob = tc.parties("alice", "bob")
    ward = alice.array("ward", tc.Category(WARDS), 6)
    people = alice.array("people", tc.Int(0, 100), 6)
    again = tc.job("again", by=tc.group_sum(people, ward).reveal(to=bob)).check({"alice": table})
    assert again.by.tolist() == [3, 1, 0]


def test_frames_of_pandas_need_no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert to_pandas(result().table("total")) == [(15,)]


def test_nothing_is_kept_of_a_stream() -> None:
    pa = pytest.importorskip("pyarrow")
    import resource

    table = result().table("people")
    for _ in range(3):
        table.__arrow_c_stream__()  # Nobody reads it.
    taken = pa.RecordBatchReader.from_stream(table)
    first = taken.read_next_batch()
    del table, taken
    gc.collect()
    assert first["people"].to_pylist() == [2, 1, 1, 0, 0, 0]
    rows = 100_000
    big = {"alice": {"ward": ["west"] * rows, "sex": ["f"] * rows}, "bob": {"days": [1] * rows}}
    table = result(big).table("half", "long")
    for _ in range(10):
        pa.table(table)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        # Each has more than a megabyte.
        pa.table(table)
        table.__arrow_c_stream__()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
