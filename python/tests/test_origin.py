"""Programs in files, whose comments say which lines of Python wrote them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import tacit as tc
from tacit.origin import Origin


def lines(path: Path) -> list[str]:
    """The lines of a program that have an operation."""
    return [it for it in path.read_text().splitlines() if re.match(r" *(let|input) ", it)]


def source(place: str) -> str:
    """The line of this file that a place is."""
    file, _, line = place.partition(":")
    assert file == Path(__file__).name
    return Path(__file__).read_text().splitlines()[int(line) - 1]


def checked() -> tc.Job:
    """Something of each kind."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=10)
    age = alice.array("age", tc.Int(0, 120), shape=n)
    level = bob.array("level of # risk", tc.Category(["low # 1", "high: 2"]), shape=n)
    product = tc.check(age * 7, 0, 700)
    promised = tc.promise(age * 5, 0, 500)
    grown = tc.loop(3, lambda v, i: v * 2, age.sum(), keep=tc.Int(0, 9000), overflow="clip")
    results = {"total # x.py:3": product.sum(), "promised": promised.sum(), "grown": grown, "high": (level == "high: 2").sum()}
    return tc.job("job", {name: it.reveal(to=bob) for name, it in results.items()})


GOOD = {"alice": {"age": [10, 20]}, "bob": {"level of # risk": ["low # 1", "high: 2"]}}


def test_each_operation_of_a_file_has_the_line_that_wrote_it(tmp_path: Path, command: Path) -> None:
    job, path = checked(), tmp_path / "job.tacit"
    job.save(path)
    found = [re.fullmatch(r".* # (test_origin\.py:\d+)", it) for it in lines(path)]
    assert all(found), path.read_text()
    assert re.sub(r" # test_origin\.py:\d+$", "", path.read_text(), flags=re.MULTILINE) == job.text
    wrote = {it.split(" = ")[-1].split("(")[0]: source(place[1]) for it, place in zip(lines(path), found, strict=True) if place}
    assert "tc.check(" in wrote["check"] and "tc.promise(" in wrote["assume"] and "tc.loop(" in wrote["min"]
    # The digest is that of the program alone, and the command reads it too.
    loaded = tc.load(path)
    assert loaded.digest == job.digest and loaded.text == job.text
    assert loaded.run(GOOD, protocol="trio").promised == 150
    subprocess.run([command, "program", "show", path], check=True, capture_output=True)
    # Nothing is lost when it is saved again.
    loaded.save(tmp_path / "again.tacit")
    assert (tmp_path / "again.tacit").read_text() == path.read_text()


def test_a_read_job_names_lines_of_python(tmp_path: Path) -> None:
    path = tmp_path / "job.tacit"
    checked().save(path)
    job = tc.load(path)
    number = {op: i for i, it in enumerate(path.read_text().splitlines(), start=1) for op in ("check", "assume") if f" = {op}(" in it}
    disclosed = str(job.disclosure())
    for op, call, heading in (("check", "tc.check(", "CHECKED IN THE RUN"), ("assume", "tc.promise(", "PROMISED, UNVERIFIED")):
        (told,) = [it for it in disclosed.splitlines() if it.startswith(heading)]
        place = re.search(rf"(test_origin\.py:\d+) \(job\.tacit:{number[op]}\) in 0\.\.", told)
        assert place and call in source(place[1]), told
    # Errors and warnings in the clear.
    with pytest.raises(tc.CheckFailed) as caught:
        job.check({**GOOD, "alice": {"age": [101, 1]}})
    place = re.search(rf"\((test_origin\.py:\d+) \(job\.tacit:{number['check']}\): 1 values left", str(caught.value))
    assert place and "tc.check(" in source(place[1]), caught.value
    assert str(path) not in str(caught.value)
    broken = tc.load(path).check({**GOOD, "alice": {"age": [100, 0]}})
    assert not broken.warnings
    path.write_text(path.read_text().replace("in 0..500)", "in 0..499)").replace("in 0..500 =", "in 0..499 ="))
    (warned,) = tc.load(path).check({**GOOD, "alice": {"age": [100, 0]}}).warnings
    place = re.match(rf"(test_origin\.py:\d+) \(job\.tacit:{number['assume']}\): 1 values", warned)
    assert place and "tc.promise(" in source(place[1]), warned
    # What operations cost.
    explained = job.explain(protocol="trio", rows={"n": 10})
    assert {it["file"] for it in explained.operations if it["line"]} == {"test_origin.py"}


def test_comments_that_are_something_else_are_nothing(tmp_path: Path) -> None:
    """Only places of a line's end count, and none that a terminal would not show as such."""
    path = tmp_path / "p.tacit"
    path.write_text('program p # p.py:1\nparties a\nlet x = 1 # "q.py:2\nlet y = 2 # x\x1b[2J.py:3\nlet z = 3 # r.py\nlet w = 4 # s.py:0\n')
    assert Origin.read(str(path)).lines == {1: ("p.py", 1)}
    assert Origin.read(str(tmp_path / "absent.tacit")).lines == {}
    path.write_bytes(b"\xff # p.py:1\n")
    assert Origin.read(str(path)).lines == {}


def test_a_program_without_comments_has_the_lines_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "job.tacit"
    path.write_text(checked().text)
    job = tc.load(path)
    assert re.search(r"CHECKED IN THE RUN  job\.tacit:\d+ in 0\.\.700;", str(job.disclosure()))
    job.save(tmp_path / "again.tacit")
    assert " # job.tacit:" in (tmp_path / "again.tacit").read_text()


def test_a_query_that_is_lowered_has_lines_of_its_sql(tmp_path: Path) -> None:
    job = tc.sql("CREATE TABLE alice.t (a INT NOT NULL CHECK (a BETWEEN 0 AND 9)) WITH (max_rows = 9);\nCREATE ROLE bob;\n"
                 "GRANT SELECT ON result TO bob;\nSELECT sum(a) AS total\nFROM t\nWHERE a > 3;")  # fmt: skip
    job.save(tmp_path / "query.tacit")
    text = (tmp_path / "query.tacit").read_text()
    assert " # query.sql:" in text and tc.load(tmp_path / "query.tacit").digest == job.digest
