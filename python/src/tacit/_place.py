"""Where the user's own code calls Tacit."""

from __future__ import annotations

import os
import sys

import numpy as np

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
# NumPy calls back what it dispatches.
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_LIBRARIES = {"matplotlib", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
# Paths as they are shown, and whether they are Tacit's own.
_known: dict[str, tuple[bool, str]] = {}


def _shown(path: str) -> tuple[bool, str]:
    own = path.startswith((_HERE, _NUMPY)) and f"{os.sep}tests{os.sep}" not in path
    # Other libraries of data call what they are given, too.
    folder = path.rpartition(f"{os.sep}site-packages{os.sep}")[2].partition(os.sep)[0] if "site-packages" in path else ""
    own = own or folder in _LIBRARIES
    name = os.path.basename(path)
    # IPython keeps the cells of a notebook in files of such names.
    if "ipykernel_" in path or path.startswith("<ipython-input"):
        name = "notebook"
    found = (own, name)
    _known[path] = found
    return found


def is_own(path: str) -> bool:
    """Whether a file is of this package or of NumPy."""
    return (_known.get(path) or _shown(path))[0]


def name_of(path: str) -> str:
    """A file as it is shown."""
    return (_known.get(path) or _shown(path))[1]


def here() -> tuple[tuple[str, int], str]:
    """File and line as they are shown, and the path, of the first caller outside of this package and of NumPy."""
    # Who calls this is in the package, and is no user.
    frame = sys._getframe(2)
    while True:
        path = frame.f_code.co_filename
        own, name = _known.get(path) or _shown(path)
        if not own:
            return (name, frame.f_lineno), path
        back = frame.f_back
        if back is None:
            return ("", 0), ""
        frame = back


def marked(message: str) -> str:
    """A message with the file and the line of the first caller outside of this package before it.

    For constructors of data classes, whose own code is in no file: modules tell them apart.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        frame = frame.f_back
    _, name = _known.get(frame.f_code.co_filename) or _shown(frame.f_code.co_filename)
    return f"{name}:{frame.f_lineno}: {message}"
