"""What type checkers are told: of the package itself, of calls, and of the engine's stub beside the engine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tacit

PYTHON = Path(__file__).parents[1]
PACKAGE = Path(tacit.__file__).parent
TYPING = Path(__file__).parent / "typing"


def ran(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A tool, with the package that is tested wherever it is."""
    env = {**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, "-m", *map(str, arguments)], cwd=folder, env=env, capture_output=True, text=True, check=False)


def mypy(cache: Path, *files: Path) -> subprocess.CompletedProcess[str]:
    """Findings of mypy in files, with the settings of the project."""
    # For the Python that runs: what NumPy says of itself is for that one.
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    options = ["--config-file", PYTHON / "pyproject.toml", "--cache-dir", cache, "--python-version", version]
    return ran(PYTHON, "mypy", *options, *files)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy keeps from one run to the next."""
    return tmp_path_factory.mktemp("mypy")


def test_the_package_is_well_typed(cache: Path) -> None:
    found = mypy(cache, PACKAGE)
    assert found.returncode == 0, found.stdout + found.stderr


def test_calls_that_are_well_typed_are_accepted(cache: Path) -> None:
    found = mypy(cache, TYPING / "accepted.py")
    assert found.returncode == 0, found.stdout + found.stderr


def test_calls_that_are_not_are_refused(cache: Path) -> None:
    found = mypy(cache, TYPING / "refused.py")
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_refused_call_that_is_well_typed_would_be_found(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text('import tacit as tc\n\ntc.rows("n", max=10)  # type: ignore[arg-type]\n')
    found = mypy(cache, file)
    assert found.returncode == 1
    assert 'wrong.py:3: error: Unused "type: ignore" comment' in found.stdout


def test_the_stub_is_what_the_engine_has() -> None:
    found = ran(PACKAGE.parent, "mypy.stubtest", "tacit._tacit")
    assert found.returncode == 0, found.stdout + found.stderr
