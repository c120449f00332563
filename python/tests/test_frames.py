"""Data as frames and mappings of pandas, Polars, PyArrow and Python, and what is wrong with them."""

from __future__ import annotations

import datetime
import gc
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
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


def duckdb(columns: dict[str, Any]) -> Any:
    """A relation of DuckDB."""
    return pytest.importorskip("duckdb").from_arrow(pyarrow(columns))


def nested(columns: dict[str, Any]) -> Any:
    """An array of structures of PyArrow, which exports no stream."""
    return pytest.importorskip("pyarrow").array(pyarrow(columns).to_pylist())


FRAMES = pytest.mark.parametrize("frame", [dict, pandas, polars, pyarrow, batch, stream, duckdb, nested])
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


@pytest.mark.parametrize("gone", ["pyarrow", "polars", "pandas"])
def test_no_other_library_reads_a_stream(gone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = [stream(COLUMNS), pyarrow(COLUMNS), polars(COLUMNS)]
    # None in the place of a module is an ImportError.
    monkeypatch.setitem(sys.modules, gone, None)
    for frame in frames:
        run(frame)


def test_frames_of_pandas_need_no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pandas(COLUMNS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    run(frame)


def test_frames_of_pandas_may_have_columns_that_arrow_has_not() -> None:
    run(pandas({**COLUMNS, "mixed": [1, "two", [3], None]}))


def test_a_job_runs_on_streams() -> None:
    data = {"hospital": stream(COLUMNS), "bob": polars({"x": [3]})["x"].reshape((1,))}
    hospital, bob = tc.parties("hospital", "bob")
    n = tc.rows("n", max=100)
    ward = hospital.array("ward", tc.Category(["north", "south", "west"]), n)
    weight = hospital.array("weight", tc.Fixed(0, 200, 2), n)
    x = bob.array("x", tc.Int(0, 9), 1)
    by_ward = tc.group_sum(weight, ward)
    job = tc.job("streams", weights=by_ward.reveal(to="all"), x=x.reveal(to="all"))
    result = job.run(data, protocol="gmw:2")
    assert result.weights.tolist() == [152.25, 135.25, 0.0] and result.x.tolist() == [3]


def arrays(type: tc.Type, shape: Any = None) -> tc.Job:
    """Reveals what a party gives."""
    alice, bob = tc.parties("alice", "bob")
    x = alice.array("x", type, (tc.rows("n", max=10_000),) if shape is None else shape)
    return tc.job("arrays", x=x.reveal(to=bob))


def column_of(values: Any, arrow: Any) -> Any:
    """A frame that only exports a stream, with this column."""
    pa = pytest.importorskip("pyarrow")
    return Stream(pa.table({"x": values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(values, arrow)}))


WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("width", WIDTHS)
def test_whole_numbers_of_every_width(width: str) -> None:
    pa = pytest.importorskip("pyarrow")
    info = np.iinfo(width)
    ends = [int(info.min), 0, 1, int(info.max)]
    result = arrays(tc.Int(ends[0], ends[-1])).check({"alice": column_of(ends, pa.type_for_alias(width))})
    assert result.exact("x") == (ends, 0)


@pytest.mark.parametrize("width", ["float16", "float32", "float64"])
def test_floating_point_of_every_width(width: str) -> None:
    pa = pytest.importorskip("pyarrow")
    given = pa.array(np.array([0.5, -2.25, 0.0], dtype=width))
    assert arrays(tc.Fixed(-10, 10, 4)).check({"alice": column_of(given, None)}).x.tolist() == [0.5, -2.25, 0.0]
    with pytest.raises(tc.InputError, match="row 1 is missing"):
        arrays(tc.Fixed(-10, 10, 4)).check({"alice": column_of(pa.array(np.array([0.5, np.nan], dtype=width)), None)})
    with pytest.raises(tc.InputError, match="row 0 has a fraction"):
        arrays(tc.Int(-10, 10)).check({"alice": column_of(given, None)})


@pytest.mark.parametrize("wide", ["decimal32(9, 2)", "decimal64(18, 2)", "decimal128(38, 2)", "decimal256(70, 2)"])
def test_decimals_of_every_width(wide: str) -> None:
    pa = pytest.importorskip("pyarrow")
    name, _, size = wide.partition("(")
    arrow = getattr(pa, name)(*map(int, size.rstrip(")").split(", ")))
    given = [Decimal("12.25"), Decimal("-3.50"), Decimal("0.01")]
    result = arrays(tc.Fixed(-20, 20, 16)).check({"alice": column_of(given, arrow)})
    assert np.abs(result.x - [12.25, -3.5, 0.01]).max() <= 2**-17
    whole = [Decimal(7), Decimal(-3)]
    assert arrays(tc.Int(-10, 10)).check({"alice": column_of(whole, arrow)}).x.tolist() == [7, -3]
    with pytest.raises(tc.InputError, match="row 0 has a fraction"):
        arrays(tc.Int(-20, 20)).check({"alice": column_of(given, arrow)})
    with pytest.raises(tc.InputError, match="row 1 is missing, and 2 in all"):
        arrays(tc.Fixed(-20, 20, 16)).check({"alice": column_of([given[0], None, None], arrow)})


def test_decimals_beyond_53_bits_are_exact_or_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    large = [2**63 - 1, 2**53 + 1, -(2**63)]
    for scale in (0, 4, -1):
        arrow = pa.decimal128(38, scale)
        given = [it - it % 10 if scale < 0 else it for it in large[:2]] + large[2 if scale >= 0 else 3 :]
        assert arrays(tc.Int(-(2**63), 2**63 - 1)).check({"alice": column_of([Decimal(it) for it in given], arrow)}).exact("x")[0] == given
    assert arrays(tc.Int(0, 2**64 - 1)).check({"alice": column_of([Decimal(2**64 - 1)], pa.decimal128(38, 0))}).exact("x")[0] == [2**64 - 1]
    with pytest.raises(tc.InputError, match=r"'alice.x': decimals of more than 53 bits") as caught:
        arrays(tc.Int(0, 2**60)).check({"alice": column_of([Decimal(2**53) + Decimal("0.5")], pa.decimal128(38, 1))})
    assert str(2**53) not in str(caught.value)
    with pytest.raises(tc.InputError, match="row 1 is outside of its range"):
        arrays(tc.Int(0, 9)).check({"alice": column_of([Decimal(1), Decimal(10**60)], pa.decimal256(70, 0))})


@pytest.mark.parametrize("text", ["string", "large_string", "string_view"])
def test_texts_in_every_form(text: str) -> None:
    pa = pytest.importorskip("pyarrow")
    kinds = tc.Category(["a", "bb", "a text of more than twelve bytes"])
    given = [kinds.names[2], "a", "bb"]
    arrow = pa.type_for_alias(text)
    assert arrays(kinds).check({"alice": column_of(given, arrow)}).x.tolist() == given
    for wrong in (["a", "b"], ["a", ""]):
        with pytest.raises(tc.InputError, match="row 1 is none of a, bb"):
            arrays(kinds).check({"alice": column_of(wrong, arrow)})
    dates = ["2024-01-31", "2024-02-29"]
    assert arrays(tc.Date("2024-01-01", "2024-12-31")).check({"alice": column_of(dates, arrow)}).x.tolist() == [19753, 19782]
    with pytest.raises(tc.InputError, match=r"row 0 is no date such as 2024-01-31"):
        arrays(tc.Date("2024-01-01", "2024-12-31")).check({"alice": column_of(["31.1.2024"], arrow)})


def test_dictionaries_of_anything() -> None:
    pa = pytest.importorskip("pyarrow")
    # Chunks with dictionaries of their own, a slice, and a value that nothing points to.
    one = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1, 2], pa.int8()), pa.array(["b", "a", "c"]))
    two = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array(["c"]))
    chunks = pa.chunked_array([one.slice(1, 2), two])
    assert arrays(tc.Category(["a", "b", "c"])).check({"alice": column_of(chunks, None)}).x.tolist() == ["b", "a", "c", "c"]
    numbers = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1]), pa.array([10, 20], pa.int16()))
    assert arrays(tc.Int(0, 20)).check({"alice": column_of(numbers, None)}).x.tolist() == [20, 10, 20]
    for keys, values in (([0, None], ["a"]), ([0, 1], ["a", None])):
        holed = pa.DictionaryArray.from_arrays(pa.array(keys, pa.int32()), pa.array(values))
        with pytest.raises(tc.InputError, match="row 1 is missing, and 1 in all"):
            arrays(tc.Category(["a", "b"])).check({"alice": column_of(holed, None)})
    none = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int32()), pa.array([], pa.string()))
    with pytest.raises(tc.InputError, match="row 0 is missing, and 2 in all"):
        arrays(tc.Category(["a", "b"])).check({"alice": column_of(none, None)})


def test_dates_and_timestamps() -> None:
    pa = pytest.importorskip("pyarrow")
    dates = tc.Date("1960-01-01", "2030-12-31")
    given = [datetime.date(1969, 12, 31), datetime.date(2024, 2, 29)]
    for arrow in (pa.date32(), pa.date64(), *map(pa.timestamp, ("s", "ms", "us", "ns"))):
        column = column_of(pa.array(given).cast(arrow), None)
        assert arrays(dates).check({"alice": column}).x.tolist() == [-1, 19782]
    noon = [datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 1, 12)]
    with pytest.raises(tc.InputError, match="row 1 has a time of day"):
        arrays(dates).check({"alice": column_of(noon, pa.timestamp("us"))})
    with pytest.raises(tc.InputError, match=r"'alice.x': a column of Timestamp.* is not read: .* without the time zone"):
        arrays(dates).check({"alice": column_of(noon, pa.timestamp("us", "UTC"))})


def test_lists_of_one_length_are_rows_of_a_matrix() -> None:
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    job = arrays(tc.Int(0, 9), (tc.rows("n", max=10), 2))
    rows = [[1, 2], [3, 4], [5, 6]]
    lists = pa.array(rows, pa.list_(pa.int8(), 2))
    assert job.check({"alice": column_of(pa.chunked_array([lists.slice(1), lists.slice(0, 1)]), None)}).x.tolist() == [*rows[1:], rows[0]]
    assert job.check({"alice.x": pl.Series(rows, dtype=pl.Array(pl.Int64, 2))}).x.tolist() == rows
    for holed in ([rows[0], None], [rows[0], [1, None]]):
        with pytest.raises(tc.InputError, match="row 1 is missing, and 1 in all"):
            job.check({"alice": column_of(holed, pa.list_(pa.int8(), 2))})


@pytest.mark.parametrize("frame", [pandas, polars, pyarrow, stream])
def test_a_frame_is_a_matrix_where_an_input_is_one(frame: Frame) -> None:
    job = arrays(tc.Int(0, 9), (tc.rows("n", max=10), 2))
    given = frame({"a": [1, 3], "b": [2, 4]})
    if frame is stream:
        given = Stream(given.table)
    assert job.check({"alice.x": given}).x.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(tc.InputError, match="row 1 is missing"):
        job.check({"alice.x": frame({"a": [1, 3], "b": [2, None]})})


@pytest.mark.parametrize("frame", [pyarrow, stream])
def test_frames_without_rows(frame: Frame) -> None:
    pa = pytest.importorskip("pyarrow")
    types = {"age": pa.int64(), "ward": pa.string(), "day": pa.date32(), "smokes": pa.bool_(), "weight": pa.decimal128(9, 2)}
    for table in (
        pa.table({name: pa.array([], it) for name, it in types.items()}),
        pa.table({name: pa.array([], pa.null()) for name in types}),
    ):
        empty: Any = Stream(table) if frame is stream else table
        result = job().check({"hospital": empty, "bob": 3})
        assert result.age.tolist() == [] and result.wards.tolist() == [0, 0, 0] and result.smokers == 0


def test_frames_of_polars_without_rows() -> None:
    pl = pytest.importorskip("polars")
    empty = pl.DataFrame(COLUMNS).clear()
    assert job().check({"hospital": empty, "bob": 3}).age.tolist() == []
    with pytest.raises(tc.InputError, match="a column of the type Null has no values: leave it out, or cast it"):
        job().check({"hospital": empty.with_columns(age=pl.lit(None)), "bob": 3})


def test_columns_of_nothing_are_missing() -> None:
    pa = pytest.importorskip("pyarrow")
    for type in (tc.Int(0, 9), tc.Category(["a", "b"]), tc.Date("2024-01-01", "2024-12-31"), tc.Bool(), tc.Fixed(0, 1)):
        with pytest.raises(tc.InputError, match="row 0 is missing, and 2 in all"):
            arrays(type).check({"alice": column_of([None, None], pa.null())})


def test_types_that_are_not_read_are_named_with_a_way_out() -> None:
    pa = pytest.importorskip("pyarrow")
    wrong = {
        "Duration": pa.array([1], pa.duration("s")),
        "Time64": pa.array([1], pa.time64("us")),
        "Binary": pa.array([b"a"]),
        "List": pa.array([[1, 2]]),
        "Struct": pa.array([{"a": 1}]),
        "Map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())),
        "RunEndEncoded": pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([7])),
    }
    for name, column in wrong.items():
        for type in (tc.Int(0, 9), tc.Category(["a", "b"])):
            with pytest.raises(tc.InputError, match=rf"'alice.x': a column of {name}.* is not read: cast it to whole numbers"):
                arrays(type).check({"alice": column_of(column, None)})
    # Those of columns that no one asks for do not matter.
    assert arrays(tc.Int(0, 9)).check({"alice": polars({"x": [1], "none": [None], "list": [[1]]})}).x.tolist() == [1]
    assert arrays(tc.Int(0, 9)).check({"alice": pa.table({"x": [1], **wrong})}).x.tolist() == [1]


def test_texts_are_no_numbers_and_numbers_no_dates() -> None:
    pa = pytest.importorskip("pyarrow")
    for frame in (column_of(["1", "2"], pa.string()), pandas({"x": ["1", "2"]}), polars({"x": ["1", "2"]})):
        with pytest.raises(tc.InputError, match=r"'alice\.x' takes numbers"):
            arrays(tc.Int(0, 9)).check({"alice": frame})
    with pytest.raises(tc.InputError, match="row 0 is no date"):
        arrays(tc.Date("2024-01-01", "2024-12-31")).check({"alice": column_of([1.5], pa.float64())})
    with pytest.raises(tc.InputError, match="takes members of a category"):
        arrays(tc.Category(["a", "b"])).check({"alice": column_of([1.5], pa.float64())})


def test_many_chunks_are_one_column() -> None:
    pa = pytest.importorskip("pyarrow")
    values = np.random.default_rng(7).integers(0, 1000, 5000)
    pieces = [pa.array(it, pa.int16()) for it in np.split(values, [0, 1, 1, 7, 4000])]
    column = pa.chunked_array([*pieces, pa.array([], pa.int16())])
    assert arrays(tc.Int(0, 999)).check({"alice": column_of(column, None)}).x.tolist() == values.tolist()
    holed = pa.chunked_array([pieces[3], pa.array([None], pa.int16()), pieces[4]])
    with pytest.raises(tc.InputError, match="row 6 is missing, and 1 in all"):
        arrays(tc.Int(0, 999)).check({"alice": column_of(holed, None)})


def test_columns_of_one_name_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(tc.InputError, match='two columns are called "x": rename one'):
        arrays(tc.Int(0, 9)).check({"alice": pa.table([[1], [2]], names=["x", "x"])})


def test_rows_that_are_missing_as_a_whole_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    rows = pa.array([{"x": 1}, None], pa.struct({"x": pa.int8()}))
    with pytest.raises(tc.InputError, match="rows of these Arrow data are missing"):
        arrays(tc.Int(0, 9)).check({"alice": Stream(pa.chunked_array([rows]))})


# What goes wrong between libraries.


class Once:
    """Gives the same capsules each time."""

    def __init__(self, table: Any) -> None:
        if hasattr(table, "__arrow_c_stream__"):
            self.stream = table.__arrow_c_stream__()
            self.__class__ = type("OnceStream", (), {"__arrow_c_stream__": lambda self, requested_schema=None: self.stream})
        else:
            self.capsules = table.__arrow_c_array__()
            self.__class__ = type("OnceArray", (), {"__arrow_c_array__": lambda self, requested_schema=None: self.capsules})


@pytest.mark.parametrize("make", ["table", "array"])
def test_a_capsule_is_read_once(make: str) -> None:
    pa = pytest.importorskip("pyarrow")
    given = Once(pa.table({"x": [1, 2]}) if make == "table" else pa.array([1, 2]))
    assert arrays(tc.Int(0, 9)).check({"alice": given}).x.tolist() == [1, 2]
    with pytest.raises(tc.InputError, match="read before, and gives them once"):
        arrays(tc.Int(0, 9)).check({"alice": given})


def test_capsules_of_other_things_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    schema, array = pa.array([1]).__arrow_c_array__()
    for wrong in (schema, array):
        with pytest.raises(ValueError, match="name"):
            tc._tacit.read_stream(wrong)
    with pytest.raises(ValueError, match="name"):
        tc._tacit.read_array(array, schema)
    with pytest.raises(TypeError):
        tc._tacit.read_stream(None)


def failing(message: str, chunks: int) -> Any:
    """A stream that fails after so many chunks."""
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema({"x": pa.int64()})

    def batches() -> Iterator[Any]:
        for _ in range(chunks):
            yield pa.record_batch({"x": np.arange(1000)})
        raise RuntimeError(message)

    return pa.RecordBatchReader.from_batches(schema, batches())


@pytest.mark.parametrize("chunks", [0, 1, 50])
def test_a_library_that_fails_in_the_middle_is_an_error_without_values(chunks: int) -> None:
    with pytest.raises(tc.InputError, match="failed while it did") as caught:
        arrays(tc.Int(0, 999)).check({"alice": failing("no number: 4711", chunks)})
    assert "4711" not in str(caught.value) and caught.value.__cause__ is None


def test_nothing_is_kept_of_what_was_read_or_failed() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": np.arange(100_000) % 1000, "t": pa.array(["a", "b"] * 50_000).dictionary_encode()})
    wide = tc.rows("n", max=100_000)

    def once() -> None:
        arrays(tc.Int(0, 999), (wide,)).check({"alice": Stream(table)})
        arrays(tc.Category(["a", "b"]), (wide,)).check({"alice": Stream(table.select(["t"]).rename_columns(["x"]))})
        with pytest.raises(tc.InputError):
            arrays(tc.Int(0, 999)).check({"alice": failing("no", 20)})

    once()
    gc.collect()
    before = pa.total_allocated_bytes()
    for _ in range(3):
        once()
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_columns_cannot_be_written_to_and_outlive_their_library() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": [1, 2, 3]})
    columns = tc._tacit.read_stream(table.__arrow_c_stream__())
    array = columns["x"].numpy()
    del table, columns
    gc.collect()
    assert array.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 7


def test_suggestions_leave_out_what_is_missing() -> None:
    schema = tc.suggest(pyarrow({"x": [5, None, 7], "kind": ["a", None, "b"], "pay": [Decimal("1.50"), None, Decimal("2.25")]}))
    assert schema["x"] == tc.Int(5, 10).nullable() and schema["kind"] == tc.Category(["a", "b"]).nullable()
    assert schema["pay"] == tc.Fixed(1, 5, 7).nullable()
    assert all(type.from_data for type in schema.values())


@FRAMES
def test_suggestions_are_nullable_where_values_are_missing(frame: Frame) -> None:
    given = {
        "age": [70, None, 85],
        "ward": ["north", None, "south"],
        "smokes": [True, None, False],
        "weight": [61.5, None, 90.25],
        "day": [DAYS[2], None, DAYS[0]],
        "all": [3, 4, 5],
    }
    schema = tc.suggest(frame(given))
    wanted = tc.Schema(
        age=tc.Int(50, 100).nullable(),
        ward=tc.Category(["north", "south"]).nullable(),
        smokes=tc.Bool().nullable(),
        weight=tc.Fixed(50, 100, 7).nullable(),
        day=tc.Date(str(DAYS[2]), str(DAYS[0])).nullable(),
        all=tc.Int(2, 5),
    )
    assert schema == wanted
    assert "tc.Int(50, 100).nullable(),  # " in repr(schema) and "1 missing" in repr(schema)
    # The suggestion takes the data that it is of.
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    people = tc.col("age").sum()
    job = tc.job("sum", table=alice.table("t", schema, max_rows=9).select(total=people).reveal(to=bob))
    assert job.check({"alice": frame(given)}).table.to_dict() == {"total": [155]}


def test_suggested_bounds_are_rounded_outwards() -> None:
    cases = {(1940, 2019): (1000, 5000), (30, 70): (20, 100), (-37, -12): (-50, -10), (0, 77): (0, 100), (-3, 7): (-5, 10), (7, 9): (5, 10)}
    for (low, high), wanted in cases.items():
        type = tc.suggest({"x": np.array([low, high])})["x"]
        assert type.interval() == wanted
    assert tc.suggest({"x": [0.25, 812000.5]})["x"] == tc.Fixed(0, 1_000_000, 7)
    with pytest.raises(tc.InputError, match=r"test_frames.py:\d+: column 'x' has no values"):
        tc.suggest({"x": [None, None]})
