"""Data as frames and mappings of pandas, Polars, PyArrow and Python, and what is wrong with them."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tacit as tc

AGES = [70, 30, 81, 65]
WARDS = ["north", "south", "south", "north"]
DAYS = [datetime.date(2024, 1, 31), datetime.date(2024, 2, 29), datetime.date(2023, 12, 1), datetime.date(2024, 6, 30)]
SMOKES = [True, False, False, True]
WEIGHTS = [61.5, 80.25, 55.0, 90.75]
COLUMNS: dict[str, list[Any]] = {"age": AGES, "ward": WARDS, "day": DAYS, "smokes": SMOKES, "weight": WEIGHTS}


class Stream:
    """A table of another library, of which nothing is known but that it exports a stream."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def job() -> tc.Job:
    """Reveals all that a hospital gives, and the sum of a column of bob's."""
    hospital, bob = tc.parties("hospital", "bob")
    n = tc.rows("n", max=100)
    age = hospital.array("age", tc.Int(0, 120), n)
    ward = hospital.array("ward", tc.Category(["north", "south", "west"]), n)
    day = hospital.array("day", tc.Date("2023-01-01", "2024-12-31"), n)
    smokes = hospital.array("smokes", tc.Bool(), n)
    weight = hospital.array("weight", tc.Fixed(0, 200, 2), n)
    late = day >= tc.types.days("2024-02-01")
    return tc.job(
        "frames",
        age=age.reveal(to="all"),
        wards=tc.group_count(ward).reveal(to="all"),
        late=late.reveal(to="all"),
        smokers=tc.sum(smokes).reveal(to="all"),
        weight=weight.reveal(to="all"),
        bob=bob.array("x", tc.Int(0, 9)).reveal(to="all"),
    )


def run(frame: Any) -> None:
    """The job's results are those of the columns, however they are given."""
    result = job().check({"hospital": frame, "bob": 3})
    assert result.age.tolist() == AGES
    assert result.wards.tolist() == [2, 2, 0]
    assert result.late.tolist() == [False, True, False, True]
    assert result.smokers == 2
    assert result.weight.tolist() == WEIGHTS


def with_missing(column: str, row: int) -> dict[str, list[Any]]:
    """The columns, without a value in one row."""
    return {name: [None if (name, i) == (column, row) else it for i, it in enumerate(given)] for name, given in COLUMNS.items()}


def pandas(columns: dict[str, Any]) -> Any:
    """A frame of pandas."""
    return pytest.importorskip("pandas").DataFrame(columns)


def polars(columns: dict[str, Any]) -> Any:
    """A frame of Polars."""
    return pytest.importorskip("polars").DataFrame(columns)


def pyarrow(columns: dict[str, Any]) -> Any:
    """A table of PyArrow."""
    return pytest.importorskip("pyarrow").table(columns)


def batch(columns: dict[str, Any]) -> Any:
    """A record batch of PyArrow, whose columns are no chunked ones."""
    return pytest.importorskip("pyarrow").record_batch(columns)


def stream(columns: dict[str, Any]) -> Any:
    """What only exports a stream."""
    return Stream(pyarrow(columns))


FRAMES = pytest.mark.parametrize("frame", [dict, pandas, polars, pyarrow, batch, stream])
Frame = Callable[[dict[str, Any]], Any]


@FRAMES
def test_frames_give_what_they_hold(frame: Frame) -> None:
    run(frame(COLUMNS))


@FRAMES
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("row", [0, 2])
def test_missing_values_are_refused_with_their_row(frame: Frame, column: str, row: int) -> None:
    data = frame(with_missing(column, row))
    with pytest.raises(tc.InputError, match=f"'hospital\\.{column}': the value of row {row} is missing"):
        job().check({"hospital": data, "bob": 3})


@FRAMES
def test_columns_may_be_more_and_are_all_there(frame: Frame) -> None:
    run(frame({**COLUMNS, "name": ["Ann", "Ben", "Cid", "Dan"]}))
    with pytest.raises(tc.InputError, match="no column 'day'; they have age, ward"):
        job().check({"hospital": frame({name: it for name, it in COLUMNS.items() if name != "day"}), "bob": 3})


@FRAMES
def test_values_outside_of_a_declaration_are_refused_with_their_row(frame: Frame) -> None:
    wrong: dict[str, tuple[Any, str]] = {
        "age": ([70, 30, 121, 65], "row 2 is outside of its range 0..120"),
        "ward": (["north", "east", "south", "north"], "row 1 is none of north, south, west"),
        "day": ([*DAYS[:3], datetime.date(2025, 1, 1)], "row 3 is outside of its range"),
        "weight": ([61.5, 200.5, 55.0, 90.75], "row 1 is outside of its range"),
    }
    for column, (given, message) in wrong.items():
        with pytest.raises(tc.InputError, match=message):
            job().check({"hospital": frame({**COLUMNS, column: given}), "bob": 3})


@FRAMES
def test_suggestions_hold_the_data(frame: Frame) -> None:
    schema = tc.suggest(frame({name: it for name, it in COLUMNS.items() if name != "day"}))
    assert list(schema) == ["age", "ward", "smokes", "weight"]
    assert schema["ward"] == tc.Category(["north", "south"])
    assert schema["smokes"] == tc.Bool()


def test_columns_of_numpy() -> None:
    run({name: np.array(it) for name, it in COLUMNS.items()})
    run({**COLUMNS, "day": np.array(DAYS, dtype="datetime64[D]")})
    run({**COLUMNS, "day": np.array(DAYS, dtype="datetime64[ns]")})
    run({**COLUMNS, "day": [str(day) for day in DAYS]})
    run({**COLUMNS, "ward": np.array([0, 1, 1, 0])})


def test_days_have_no_time_and_are_there() -> None:
    days = np.array(DAYS, dtype="datetime64[h]")
    days[1] += 7
    with pytest.raises(tc.InputError, match="row 1 has a time of day"):
        job().check({"hospital": {**COLUMNS, "day": days}, "bob": 3})
    days[1] = np.datetime64("NaT")
    with pytest.raises(tc.InputError, match="row 1 is missing"):
        job().check({"hospital": {**COLUMNS, "day": days}, "bob": 3})


def test_masked_values_are_missing() -> None:
    ages = np.ma.MaskedArray(AGES, mask=[False, False, False, True])
    with pytest.raises(tc.InputError, match="row 3 is missing, and 1 in all"):
        job().check({"hospital": {**COLUMNS, "age": ages}, "bob": 3})


def test_a_category_has_the_axes_that_are_declared() -> None:
    with pytest.raises(tc.InputError, match=r"'hospital\.ward' has 1 axes"):
        job().check({"hospital": {**COLUMNS, "ward": [WARDS, WARDS]}, "bob": 3})


def test_columns_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(COLUMNS)
    run(frame.assign(ward=frame["ward"].astype("category")))
    run(frame.assign(ward=frame["ward"].astype("string"), age=frame["age"].astype("Int64"), smokes=frame["smokes"].astype("boolean")))
    run(frame.assign(ward=frame["ward"].astype(object), age=frame["age"].astype("float64"), weight=frame["weight"].astype("Float64")))
    run(frame.assign(day=pd.to_datetime(frame["day"])))
    run(frame.set_index(pd.Index([9, 7, 5, 3])))
    # A series is a column too.
    run({name: frame[name] for name in COLUMNS})


def test_missing_values_of_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(COLUMNS)
    holes = {
        "ward": frame["ward"].astype("category").where(frame["age"] != 81),
        "age": frame["age"].astype("Int64").where(frame["age"] != 81),
        "smokes": frame["smokes"].astype("boolean").where(frame["age"] != 81),
        "day": pd.to_datetime(frame["day"]).where(frame["age"] != 81),
        "weight": frame["weight"].where(frame["age"] != 81),
    }
    for name, column in holes.items():
        with pytest.raises(tc.InputError, match=f"'hospital.{name}': the value of row 2 is missing"):
            job().check({"hospital": frame.assign(**{name: column}), "bob": 3})


def test_columns_of_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(COLUMNS)
    run(frame.with_columns(pl.col("ward").cast(pl.Enum(["west", "south", "north"]))))
    run(frame.with_columns(pl.col("ward").cast(pl.Categorical)))
    run(frame.with_columns(pl.col("day").cast(pl.Datetime("us")), pl.col("age").cast(pl.UInt8), pl.col("weight").cast(pl.Float32)))
    run({name: frame[name] for name in COLUMNS})
    holed = frame.with_columns(pl.when(pl.col("age") != 81).then(pl.col("ward")).cast(pl.Enum(["north", "south"])))
    with pytest.raises(tc.InputError, match=r"'hospital.ward': the value of row 2 is missing"):
        job().check({"hospital": holed, "bob": 3})


def test_columns_of_pyarrow() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(COLUMNS)
    run(table.set_column(1, "ward", table["ward"].dictionary_encode()))
    run(table.set_column(2, "day", table["day"].cast(pa.timestamp("ms"))))
    run(table.set_column(4, "weight", table["weight"].cast(pa.decimal128(6, 2))))
    # Of several chunks.
    run(pa.concat_tables([table.slice(0, 1), table.slice(1)]))
    run({name: table[name] for name in COLUMNS})


def test_a_stream_of_one_column_is_a_column() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = pa.table(COLUMNS)
    run({name: Stream(columns[name]) for name in COLUMNS})
    result = job().check({**{f"hospital.{name}": Stream(columns[name]) for name in COLUMNS}, "bob.x": 3})
    assert result.age.tolist() == AGES


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_either_library_reads_a_stream(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exported, column = stream(COLUMNS), Stream(pyarrow(COLUMNS)["age"])
    pytest.importorskip(library)
    for other in {"pyarrow", "polars"} - {library}:
        # None in the place of a module is an ImportError.
        monkeypatch.setitem(sys.modules, other, None)
    run(exported)
    assert tc.data.names_of(tc.data.opened(exported)) == list(COLUMNS)
    assert np.asarray(tc.data.opened(column)).tolist() == AGES


def test_without_either_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    exported = stream(COLUMNS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(tc.InputError, match="a Stream exports Arrow data, which pyarrow or Polars reads: install one of them"):
        job().check({"hospital": exported, "bob": 3})
