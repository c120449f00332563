"""Random queries: the oracle of plans beside DuckDB, and Polars. `scripts/query_differential.py` compares."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("duckdb")

ROOT = Path(__file__).parents[2]
SEEDS = int(os.environ.get("TACIT_QUERIES", "60"))


@pytest.fixture(scope="module")
def oracle() -> Path:
    """The program that writes queries with the oracle's answers; `make test` and `make python` build it before."""
    found = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "examples" / "differential"
    if not found.exists():
        pytest.fail("the oracle is not built: cargo build -p tacit-query --features random --example differential")
    return found


def compared(oracle: Path, first: int, end: int) -> subprocess.CompletedProcess[str]:
    script = [ROOT / "scripts" / "query_differential.py", "--binary", oracle, "--first", str(first), "--end", str(end)]
    return subprocess.run([sys.executable, *script], capture_output=True, text=True, timeout=1800)


def test_the_oracle_answers_as_others_do(oracle: Path) -> None:
    ran = compared(oracle, 0, SEEDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr[-2000:]
    assert f"DuckDB: equal            {SEEDS}\n" in ran.stdout


def test_an_answer_that_is_wrong_is_found(oracle: Path, tmp_path: Path) -> None:
    """One without its last row, and one with another value in it."""
    lines = subprocess.run([oracle, "0", "20"], capture_output=True, text=True, check=True).stdout.splitlines()
    cases = [json.loads(line) for line in lines]
    case = next(it for it in cases if "integer" in it["columns"] and it["rows"])
    column, last = case["columns"].index("integer"), case["rows"][-1]
    other = [123456 if number == column else cell for number, cell in enumerate(last)]
    for number, rows in enumerate(([], [other])):
        wrong = tmp_path / f"wrong-{number}"
        text = json.dumps({**case, "rows": case["rows"][:-1] + rows})
        wrong.write_text(f"#!{sys.executable}\nprint({text!r})\n")
        wrong.chmod(0o755)
        ran = compared(wrong, 0, 1)
        assert ran.returncode == 1 and f"DuckDB: different: seed {case['seed']}" in ran.stdout, ran.stdout + ran.stderr
