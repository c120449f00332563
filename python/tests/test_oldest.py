"""The package is for Python 3.10 and later: no file of it has syntax or names of the standard library that came afterwards."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "tacit"
OLDEST = (3, 10)
# What came after Python 3.10, by module; a name without a module is one of Python itself.
LATER = {
    "": ("BaseExceptionGroup", "ExceptionGroup", "PythonFinalizationError"),
    "asyncio": ("Barrier", "Runner", "TaskGroup", "timeout", "timeout_at"),
    "calendar": ("Day", "Month"),
    "collections.abc": ("Buffer",),
    "contextlib": ("chdir",),
    "copy": ("replace",),
    "datetime": ("UTC",),
    "enum": ("CONTINUOUS", "EJECT", "EnumCheck", "FlagBoundary", "ReprEnum", "StrEnum", "member", "nonmember", "property", "verify"),
    "hashlib": ("file_digest",),
    "inspect": ("BufferFlags", "getmembers_static", "markcoroutinefunction"),
    "itertools": ("batched",),
    "logging": ("getHandlerByName", "getLevelNamesMapping"),
    "math": ("cbrt", "exp2", "fma", "sumprod"),
    "operator": ("call",),
    "os": ("process_cpu_count",),
    "queue": ("ShutDown",),
    "random": ("binomialvariate",),
    "sys": ("exception", "monitoring"),
    "types": ("CapsuleType", "get_original_bases"),
    "typing": (
        *("LiteralString", "Never", "NotRequired", "Required", "Self", "TypeVarTuple", "Unpack"),
        *("assert_never", "assert_type", "clear_overloads", "dataclass_transform", "get_overloads", "reveal_type"),
        *("NoDefault", "ReadOnly", "TypeAliasType", "TypeIs", "get_protocol_members", "is_protocol", "override"),
    ),
    "warnings": ("deprecated",),
}
LATER_MODULES = {"tomllib", "annotationlib", "concurrent.interpreters", "compression", "string.templatelib"}
# Methods and attributes of Python's own objects, and the lines that ask for a later Python before they use one.
LATER_ATTRIBUTES = {"add_note", "co_positions", "co_qualname", "is_junction"}
ASKED_FOR = "sys.version_info < (3, 11)"


def later(source: str) -> Iterator[str]:
    """What a source has that came after Python 3.10."""
    tree = ast.parse(source, feature_version=OLDEST)
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update({it.asname or it.name: it.name for it in node.names})
            yield from (it.name for it in node.names if it.name in LATER_MODULES)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if node.module in LATER_MODULES:
                yield str(node.module)
            yield from (f"{node.module}.{it.name}" for it in node.names if it.name in LATER.get(str(node.module), ()))
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
            written = ast.get_source_segment(source, node.slice) or ""
            if any(isinstance(it, ast.Starred) for it in node.slice.elts) and not written.startswith("("):
                yield f"[{written}]"
        if isinstance(node, ast.Name) and node.id in LATER[""]:
            yield node.id
        elif isinstance(node, ast.Attribute):
            module = modules.get(ast.unparse(node.value), "")
            if module and node.attr in LATER.get(module, ()):
                yield f"{module}.{node.attr}"
            if node.attr in LATER_ATTRIBUTES and ASKED_FOR not in source:
                yield node.attr


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py*")), ids=lambda it: str(it.relative_to(PACKAGE)))
def test_nothing_came_after_the_oldest_python(path: Path) -> None:
    if path.suffix in (".py", ".pyi"):
        assert not list(later(path.read_text()))


@pytest.mark.parametrize(
    "source",
    [
        *("import tomllib", "from tomllib import load", "from typing import Any, Self", "import datetime as d\nd.UTC", "x[1, *y]"),
        *("ExceptionGroup('', [])", "import itertools as i\ni.batched(x)", "from collections.abc import Buffer", "error.add_note('x')"),
    ],
)  # fmt: skip
def test_what_came_later_is_noticed(source: str) -> None:
    assert len(list(later(source))) == 1


@pytest.mark.parametrize("source", ["try:\n    pass\nexcept* ValueError:\n    pass", "def f[T](x: T) -> T: ...", "type X = int"])
def test_later_syntax_is_noticed(source: str) -> None:
    with pytest.raises(SyntaxError):
        list(later(source))


def test_the_oldest_python_is_the_one_of_the_package() -> None:
    text = (PACKAGE.parents[1] / "pyproject.toml").read_text()
    wanted = ".".join(map(str, OLDEST))
    assert f'requires-python = ">={wanted}"' in text and f'python_version = "{wanted}"' in text
    assert re.search(r'target-version = "py310"', text)
