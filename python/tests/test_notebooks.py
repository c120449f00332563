"""The notebooks: they are what their scripts make, and run in a kernel without a screen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import tacit as tc

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "python" / "examples"
# The extension module of the tests is not optimised.
SMALLER = {
    "STEPS = 100": "STEPS = 10",
    "TREES = 10": "TREES = 2",
    "FLIGHTS, PLANES = 330_000, 3_300": "FLIGHTS, PLANES = 6_000, 300",
    'PROTOCOLS = ["yao", "lift"]': 'PROTOCOLS = ["yao"]',
    'PROTOCOLS = ["gmw", "trio", "lift"]': 'PROTOCOLS = ["trio", "lift"]',
    'PROTOCOLS = ("trio", "lift")': 'PROTOCOLS = ("trio",)',
}


def test_notebooks_are_what_their_scripts_make() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "notebooks.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.ipynb")))
def test_notebooks_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cell fails: their last cells compare results with the reference. What they show is HTML, and plots."""
    monkeypatch.setenv("PYTHONPATH", str(Path(tc.__file__).parents[1]))
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    compared = ("assert abs(", "assert np.abs(", "assert found == wanted")
    assert any(it in cell.source for it in compared for cell in notebook.cells)
    for cell in notebook.cells:
        for it, less in SMALLER.items():
            cell.source = cell.source.replace(it, less)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    data = [output.data for output in outputs if "data" in output]
    shown = "".join(it.get("text/html", "") for it in data)
    assert "REVEALED, and nothing else" in shown or "LEARNED, and nothing else" in shown
    assert "on global" in shown
    printed = "".join(output.get("text", "") for output in outputs)
    assert any(reference in printed + shown for reference in ("in the clear", "lifelines", "NumPy"))
    # A line that said how far a run had come is empty in the end.
    assert all("text/html" in it or "image/png" in it or it == {"text/plain": ""} for it in data)
    assert any("image/png" in it for it in data) == ("plt.show()" in notebook.cells[-1].source)
