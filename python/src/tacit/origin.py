"""Where the operations of a program come from: the lines of Python that a saved program has as comments."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from . import _tacit
from .cuts import OPERATION

__all__ = ["Origin", "commented"]

_Place = tuple[str, int]

# The comment behind it. No string ends a line behind a `#` like this.
_COMMENT = re.compile(r' # ([^#"]+):([0-9]{1,9})$')
# Programs are read up to this size, with their comments.
_MOST_BYTES = 1 << 26


class Origin:
    """What the comments of a file say of its lines.

    They are no part of the program, and its digest does not cover them: whoever wrote the file may have written anything there. So the
    line of the file always stands beside.
    """

    def __init__(self, path: str = "", lines: Mapping[int, _Place] | None = None) -> None:
        self.path, self.lines = path, dict(lines or {})
        self._places = re.compile(rf"(?<![\w/.]){re.escape(path)}:([0-9]{{1,9}})(?::[0-9]+)?(?![0-9])") if path else None

    @classmethod
    def read(cls, path: str) -> Origin:
        """What the comments of a file say; nothing if it cannot be read."""
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            return cls(path)
        found = ((number, _COMMENT.search(line)) for number, line in enumerate(text.split("\n"), start=1))
        places = ((number, it[1], int(it[2])) for number, it in found if it is not None)
        return cls(path, {number: (file, line) for number, file, line in places if file.isprintable() and line})

    def of(self, file: str, line: int) -> _Place:
        """The user's place of an operation: that of the file, if no other one is known."""
        return self.lines.get(line, (file, line)) if file == self.path else (file, line)

    def shown(self, file: str, line: int) -> str:
        """The place of an operation as it is shown."""
        return self.several(self.of(file, line), [(file, line)])

    def several(self, own: _Place, places: Sequence[_Place]) -> str:
        """A place of the user's as it is shown, with the lines of the file that it has, in order."""
        (file, first), (_, last) = places[0], places[-1]
        read = f"{os.path.basename(file)}:{first}{f' to {last}' if last > first else ''}"
        return read if own == places[0] else f"{own[0]}:{own[1]} ({read})"

    def said(self, message: str) -> str:
        """A message of the engine, with the user's places beside those of the file."""
        if self._places is None or not self.lines:
            return message
        return self._places.sub(lambda it: self.shown(self.path, int(it[1])), message)


def _places(program: _tacit.Program, origin: Origin) -> dict[int, str]:
    """The user's places by line of the canonical text, from 1; none if they do not go together."""
    lines = [number for number, line in enumerate(program.text.split("\n"), start=1) if OPERATION.match(line)]
    # Parameters of a loop stand in the line of the loop.
    operations = [origin.of(file, line) for _, _, within in program.nodes for op, file, line in within if op != "parameter"]
    if len(lines) != len(operations):
        return {}
    found = {number: (os.path.basename(file), line) for number, (file, line) in zip(lines, operations, strict=True)}
    known = {number: f"{file}:{line}" for number, (file, line) in found.items() if file and line and file.isprintable()}
    return {number: place for number, place in known.items() if not set(place) & set('#"')}


def commented(program: _tacit.Program, origin: Origin) -> str:
    """The canonical text, with the user's file and line of each operation as a comment behind it."""
    text, places = program.text, _places(program, origin)
    lines = [f"{line} # {places[number]}" if number in places else line for number, line in enumerate(text.split("\n"), start=1)]
    with_comments = "\n".join(lines)
    return with_comments if len(with_comments.encode()) <= _MOST_BYTES else text
