#!/usr/bin/env python3
"""Makes the notebooks of `python/examples` from the scripts beside them, which are in the percent format.

    scripts/notebooks.py            writes them
    scripts/notebooks.py --check    says which are not what their scripts make, and fails if there are any

Notebooks have no outputs: their cells compare what they show with the reference, and the tests run them.
"""

import sys
from pathlib import Path

import jupytext
import nbformat

EXAMPLES = Path(__file__).parents[1] / "python" / "examples"


def notebook(script: Path) -> str:
    """The notebook of a script, as the text of its file; always the same for the same script."""
    made = jupytext.read(script, fmt="py:percent")
    # The numbers of cells are their names, which would be random.
    for number, cell in enumerate(made.cells):
        cell["id"] = f"{script.stem}-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    made.metadata = nbformat.from_dict({"kernelspec": kernel, "language_info": {"name": "python"}})
    nbformat.validate(made)
    return nbformat.writes(made, version=4) + "\n"


def main() -> int:
    """Writes or checks all notebooks; how many are not what their scripts make."""
    old = 0
    for script in sorted(EXAMPLES.glob("*.py")):
        path, text = script.with_suffix(".ipynb"), notebook(script)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name} is not what {script.name} makes: run scripts/notebooks.py", file=sys.stderr)
            old += 1
    return old


if __name__ == "__main__":
    sys.exit(main())
