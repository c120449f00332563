"""What a text in SQL says where: the columns of its tables, and those of an expression. The engine reads it; this is for its errors."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Column", "columns_at", "declared", "pointed"]

_TOKEN = re.compile(r"""--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S""", re.DOTALL)
# What a part of CREATE TABLE that is no column begins with.
_NO_COLUMN = {"primary", "unique", "check", "constraint", "foreign"}
# What ends an expression, unless it is within parentheses.
_ENDS = {"from", "as", "where", "group", "having", "order", "limit", "union", ";", ","}
_MOST_SHOWN = 60


@dataclass(frozen=True)
class Column:
    """A column of a table: `party.table.column` in small letters, what it is declared as, and the line of that."""

    name: str
    type: str
    line: int


@dataclass(frozen=True)
class _Token:
    text: str
    line: int
    start: int
    end: int

    @property
    def word(self) -> str:
        """An identifier or a keyword in small letters."""
        return self.text[1:-1].replace('""', '"').lower() if self.text.startswith('"') else self.text.lower()


def _tokens(source: str, start: int = 0) -> Iterator[_Token]:
    line, behind = source.count("\n", 0, start) + 1, start
    for it in _TOKEN.finditer(source, start):
        line += source.count("\n", behind, it.start())
        behind = it.start()
        if not it[0].startswith(("--", "/*")):
            yield _Token(it[0], line, it.start(), it.end())


def declared(source: str) -> list[Column]:
    """The columns of all tables that a text creates."""
    tokens = list(_tokens(source))
    words = [it.word for it in tokens]
    found: dict[str, list[Column]] = {}
    for at in range(len(tokens) - 2):
        if words[at : at + 2] != ["create", "table"] or "(" not in words[at + 2 :]:
            continue
        opening = words.index("(", at)
        table = "".join(it for it in words[at + 2 : opening] if it not in ("if", "not", "exists"))
        found[table] = list(_parts(tokens, opening, table, found))
    return [column for columns in found.values() for column in columns]


def _parts(tokens: list[_Token], opening: int, table: str, known: dict[str, list[Column]]) -> Iterator[Column]:
    depth, part = 0, list[_Token]()
    for it in tokens[opening:]:
        depth += (it.text == "(") - (it.text == ")")
        if depth == 0 or (depth == 1 and it.text == ","):
            if part and part[0].word == "like":
                like = "".join(token.word for token in part[1:])
                yield from (Column(f"{table}.{of.name.rpartition('.')[2]}", of.type, of.line) for of in known.get(like, []))
            elif len(part) > 1 and (part[0].text.startswith('"') or part[0].word not in _NO_COLUMN):
                yield Column(f"{table}.{part[0].word}", _text(part[1:]), part[0].line)
            part = []
            if depth == 0:
                return
        elif depth > 1 or it.text != "(":
            part.append(it)


def _text(tokens: list[_Token]) -> str:
    """Tokens as they are written, without comments and with single blanks."""
    between = [" " if a.end < b.start else "" for a, b in itertools.pairwise(tokens)]
    return "".join(f"{token.text}{blank}" for token, blank in zip(tokens, [*between, ""], strict=True))


def _expression(source: str, line: int, column: int) -> list[_Token]:
    """The tokens of the expression at a place."""
    lines = source.split("\n")
    if not 0 < line <= len(lines) or column < 1:
        return []
    depth, found = 0, []
    for it in _tokens(source, sum(len(text) + 1 for text in lines[: line - 1]) + column - 1):
        if depth == 0 and (it.word in _ENDS or it.text == ")"):
            break
        depth += (it.text == "(") - (it.text == ")")
        found.append(it)
    return found


def columns_at(source: str, line: int, column: int) -> set[str]:
    """Names in small letters in the expression at a place, those of columns among them."""
    return {it.word for it in _expression(source, line, column)}


def pointed(source: str, name: str, line: int, column: int, ranges: bool) -> str:
    """The line of a mistake, with carets under the expression, and, if it is about ranges, where its columns are declared."""
    lines = source.split("\n")
    if not 0 < line <= len(lines):
        return ""
    text = lines[line - 1].rstrip()
    shown = text.strip()
    indent, start = len(text) - len(text.lstrip()), column - 1
    tokens = _expression(source, line, column)
    before = sum(len(it) + 1 for it in lines[: line - 1])
    end = max([it.end - before for it in tokens if it.line == line] or [start + 1])
    said = f"\n    {shown}" if shown else ""
    if shown and indent <= start < len(text) and end - start < len(shown):
        said += f"\n    {' ' * (start - indent)}{'^' * (end - start)}"
    if ranges:
        words = columns_at(source, line, column)
        columns = [it for it in declared(source) if it.name.rpartition(".")[2] in words]
        for number, it in enumerate(columns):
            type = it.type if len(it.type) <= _MOST_SHOWN else f"{it.type[:_MOST_SHOWN]}..."
            said += f"\n  {'its columns:' if number == 0 else '            '}  {it.name}  {type}, declared at {name}:{it.line}"
    return said
