"""Queries of TPC-H on data, beside DuckDB: the tables are those of `bench/tpch.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
import tpch

QUERIES = sorted(tpch.queries())


@pytest.fixture(scope="module")
def data():
    return tpch.tables(0.002, seed=7)


@pytest.mark.parametrize("number", QUERIES)
def test_answers_are_those_of_duckdb(data, number):
    query = tpch.job(number, data)
    assert tpch.same(query.check(tpch.given(query, data)).table.to_dict(), tpch.expected(number, data))


def test_all_have_been_asked():
    assert QUERIES == [1, 3, 4, 5, 6, 10, 12, 14, 17, 18, 19]


@pytest.mark.parametrize("number", [3, 5, 14, 17])
def test_answers_under_a_protocol(number):
    data = tpch.tables(0.0003, seed=8)
    query = tpch.job(number, data)
    found = query.run(tpch.given(query, data), protocol="trio").table.to_dict()
    assert tpch.same(found, tpch.expected(number, data))


def test_a_difference_is_seen(data):
    query = tpch.job(6, data)
    found = query.check(tpch.given(query, data)).table.to_dict()
    (revenue,) = tpch.expected(6, data)[0]
    assert revenue > 0
    assert not tpch.same({"revenue": [found["revenue"][0] + 1]}, [(revenue,)])
    assert not tpch.same({"revenue": []}, [(revenue,)])
