"""What a job opens of a frame, and the job's query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from .. import _tacit
from .._place import here
from ..array import Party
from ..errors import TOO_WIDE, ProgramError, RangeError, fail
from ..sqltext import columns_at
from .tables import Settings
from .text import Place, Span, place_in

if TYPE_CHECKING:
    from .frame import Frame

# What is said of SQL, which users of frames do not write, and what frames have instead.
_OF_SQL = (
    (
        "add ORDER BY .. LIMIT, or say how many are shown at most, by SET max_rows = 100",
        "take sort(...).head(k), or say how many are shown at most: reveal(max_rows=100)",
    ),
    (
        "give the columns narrower ranges by CHECK, fewer rows by max_rows, or fewer decimals by CAST",
        "give columns narrower ranges in their schema, tables fewer rows by max_rows=, or numbers fewer decimals by round()",
    ),
    (
        "declare the key UNIQUE in a table, or GROUP one side BY it first. A LEFT JOIN needs it on the right side",
        "say unique= of a table, or take unique(...) or groups first. A left join needs it on the right side",
    ),
    (
        "Or SET max_matches = 4, if no more than 4 rows behind JOIN have the same key",
        "Or join(..., max_matches=4), if no more than 4 rows of the other frame have the same key",
    ),
    ("or add a column that is UNIQUE", "or add a column that is unique= in its table"),
    ("SET min_rows = 10 leaves", "min_rows(10) behind agg(...) leaves"),
    ("SET max_rows says", "max_rows= of reveal says"),
    ("(UNIQUE, PRIMARY KEY)", "(unique=)"),
    (
        "add GROUP BY, join tables before it, or leave min_rows out",
        "min_rows is right behind group_by(...).agg(...), and joins come before it",
    ),
    ("by SET max_rows = 100 or by ORDER BY .. LIMIT. Under max_rows", "by reveal(max_rows=100) or by sort(...).head(k). Under max_rows"),
    ("write a part of it as a column of a subquery", "make a part of it a column by with_columns first"),
    (
        "give it a value by COALESCE, or leave these rows out by WHERE .. IS NOT NULL",
        "give it a value by fill_null, or leave these rows out by filter(tc.col.x.is_not_null())",
    ),
    ("name its parts by WITH", "make a part of it a column by with_columns first"),
    ("make its parts columns of a subquery", "make parts of it columns by with_columns first"),
    ("VARCHAR(200) in place of TEXT", "tc.Text(max_chars=200)"),
    (
        "length(left(x, 200)) has one, too, and x IS NOT NULL says",
        "x.str.head(200).str.len_chars() has one, too, and x.is_not_null() says",
    ),
    (", as in CASE WHEN a THEN lower(x) ELSE lower(y) END", ""),
    (
        "width_bucket has a number, and where buckets begin, in ascending order: width_bucket(age, [18, 40, 65]); "
        "or the least, the greatest and how many of equal width: width_bucket(age, 0, 100, 5)",
        "cut takes bounds in ascending order: cut([18, 65])",
    ),
)
_PREFIX = re.compile(r"^query\.sql:\d+:\d+: ")


class FrameReveal:
    """A frame and the parties that a job opens its rows to."""

    __slots__ = ("frac", "frame", "max_rows", "place", "to")

    def __init__(self, frame: Frame, to: list[Party], max_rows: int | None, frac: int | None, place: Place) -> None:
        self.frame, self.to, self.max_rows, self.frac, self.place = frame, to, max_rows, frac, place

    @classmethod
    def of(cls, frame: Frame, to: Any, max_rows: int | None, frac: int | None) -> FrameReveal:
        """What `frame.reveal(to=...)` gives."""
        from ..job import receivers

        place = here()
        parties = receivers(frame._arena, to, *place)
        if max_rows is not None and (isinstance(max_rows, bool) or not isinstance(max_rows, int) or max_rows < 1):
            fail(ProgramError, f"max_rows is a number of rows, from 1, not {max_rows!r}", *place)
        if frac is not None and (isinstance(frac, bool) or not isinstance(frac, int) or not 1 <= frac <= 32):
            fail(ProgramError, f"frac is 1 to 32 bits behind the point, not {frac!r}", *place)
        if frame._lost is not None:
            fail(
                ProgramError,
                f"the rows were sorted by {frame._lost!r}, which is replaced or not shown, and their order would tell of it: "
                "keep it, or sort by what is shown",
                *place,
            )
        texts = next((name for name, it in frame._block.columns.items() if it.kind.base == "string"), None)
        if texts is not None:
            what = f"{texts!r} is a text without a list, which the computation knows as a number without meaning, and cannot show"
            fail(ProgramError, f"{what}: drop it, and show a number that its owner knows, or list the texts in a tc.Category", *place)
        return cls(frame, parties, max_rows, frac, place)

    def __repr__(self) -> str:
        return f"{', '.join(self.frame.columns)}, revealed to {', '.join(it.name for it in self.to)}"

    def program(self, name: str) -> tuple[_tacit.Program, str, set[str]]:
        """The program of a query, its text, and its inputs whose bounds were taken from data."""
        frame = self.frame
        settings = Settings(name, self.max_rows, to=tuple(self.to))
        source, spans = frame._whole(settings, self.place, self.frac).flat()
        try:
            program = _tacit.Program.parse_sql("query.sql", source)
        except (_tacit.Mistake, _tacit.Failure) as error:
            refused(frame, error, (source, spans), self.place)
        suggested = {f"{table.shown}.{column}" for table in frame._tables for column, type in table.columns if type.from_data}
        return program, source, suggested


def refused(frame: Frame, error: _tacit.Mistake | _tacit.Failure, written: tuple[str, list[Span]], place: Place) -> NoReturn:
    """Raises what is wrong with a query of a frame, at the line that wrote it."""
    if isinstance(error, _tacit.Failure):
        fail(ProgramError, of_frames(error.args[1]), *place)
    (_, line, message, column), (source, spans) = error.args, written
    if "nothing bounds it" in message:
        fail(ProgramError, of_frames(message), *place)
    place = place_in(source, spans, line, column) or place
    ranges = TOO_WIDE in message
    told = of_frames(message) + (_columns(frame, source, line, column) if ranges else "") + _written(source, line, column)
    fail(RangeError if ranges else ProgramError, told, place[0], place[1])


def _columns(frame: Frame, source: str, line: int, column: int) -> str:
    """The columns of an expression of the SQL, with their types and where their tables are declared."""
    words = columns_at(source, line, column)
    said = ""
    for table in frame._tables:
        for name, type in table.columns:
            if name.lower() in words:
                (file, at), _ = table.place
                said += f"\n  {'            ' if said else 'its columns:'}  {table.shown}.{name}  {type}, declared at {file}:{at}"
    return said


def _written(source: str, line: int, column: int) -> str:
    """What stands at a place of the SQL."""
    lines = source.split("\n")
    if not 0 < line <= len(lines):
        return ""
    text = lines[line - 1]
    start = max(0, min(column - 1, len(text)) - 40) if len(text) > 100 else 0
    shown = text[start : start + 100].strip()
    return f"\n    which is line {line} of the query's SQL: {'... ' if start else ''}{shown}{' ...' if len(text) > start + 100 else ''}"


def of_frames(message: str) -> str:
    """A message about SQL, for those who write frames."""
    message = _PREFIX.sub("", message)
    for written, meant in _OF_SQL:
        message = message.replace(written, meant)
    return message
