#!/usr/bin/env python3
"""Finds circles of files: files of one crate that all reach each other by what they use.

A file in a circle cannot be read, tested or moved without the others. This script reads the sources of
every crate, draws an arrow from a file to each file whose items it names, and computes the strongly
connected components of that graph. It fails if a component has more files than the limit.

    scripts/circles.py              check all crates
    scripts/circles.py sharing      check one crate, and print every component of it
    scripts/circles.py --arrows sharing    print also which names make the arrows inside components

What counts as an arrow: `use` and paths in code that begin with `crate::`, `super::`, `self::`, or with a
module that the file declares. A name that a module passes on by `pub use` counts as a name of the file
that defines it, so that `lib.rs` and `mod.rs` are in a circle only for what they contain themselves.
What does not count: comments, strings, and everything under `#[cfg(test)]`.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Components have at most this many files.
LIMIT = 5

TOKEN = re.compile(
    r"""
    (?P<skip>//[^\n]*|/\*.*?\*/|\s+)
  | (?P<string>b?r(?P<hashes>\#*)".*?"(?P=hashes)|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])')
  | (?P<lifetime>'\w+)
  | (?P<name>(?:r\#)?[A-Za-z_]\w*)
  | (?P<path>::)
  | (?P<other>\d[\w.]*|.)
    """,
    re.VERBOSE | re.DOTALL,
)


def tokens(text):
    """The tokens of Rust source without comments; strings become one placeholder."""
    found = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "hashes" else "string"
        if kind == "string":
            found.append('""')
        elif kind != "skip":
            found.append(match.group())
    return found


def closing(code, start):
    """The index behind the bracket that closes the one at `start`."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth = 0
    for i in range(start, len(code)):
        if code[i] in pairs:
            depth += 1
        elif code[i] in pairs.values():
            depth -= 1
            if depth == 0:
                return i + 1
    return len(code)


def item_end(code, start):
    """The index behind the item that begins at `start`: its semicolon or its block."""
    i = start
    while i < len(code):
        if code[i] == "{":
            return closing(code, i)
        if code[i] in "([":
            i = closing(code, i)
        elif code[i] == ";":
            return i + 1
        elif code[i] in ",})":  # a field, a variant, or a parameter
            return i
        else:
            i += 1
    return i


def without_tests(code):
    """The tokens without items under `#[cfg(test)]`."""
    kept, i = [], 0
    while i < len(code):
        if code[i : i + 7] == ["#", "[", "cfg", "(", "test", ")", "]"]:
            i += 7
            while code[i : i + 2] == ["#", "["]:
                i = closing(code, i + 1)
            i = item_end(code, i)
        else:
            kept.append(code[i])
            i += 1
    return kept


class Module:
    """One module: where it is, what it declares, and what it names."""

    def __init__(self, path, file):
        self.path, self.file = path, file
        self.children = set()
        self.own = set()  # names of items that it defines
        self.uses = []  # (passed on, path, name it gets)
        self.paths = []  # paths in code


def use_tree(code, i, prefix):
    """Reads one tree of a `use`: gives (index behind it, [(path, name)])."""
    path = list(prefix)
    while True:
        if code[i] == "{":
            end, found = closing(code, i), []
            i += 1
            while i < end - 1:
                if code[i] == ",":
                    i += 1
                else:
                    i, some = use_tree(code, i, path)
                    found += some
            return end, found
        path.append(code[i])
        i += 1
        if i < len(code) and code[i] == "::":
            i += 1
        else:
            break
    name = path[-1]
    if name == "self":
        path.pop()
        name = path[-1] if path else name
    if i < len(code) and code[i] == "as":
        name, i = code[i + 1], i + 2
    return i, [(tuple(path), name)]


ITEMS = {"struct", "enum", "union", "trait", "fn", "const", "static", "type", "macro_rules"}
INSIDE = {"impl", "fn"}


def read_module(crate, module, code, folder, public_before=False):
    """Fills `module` from its tokens, and reads the modules that it declares."""
    crate[module.path] = module
    i, depth, public = 0, 0, False
    while i < len(code):
        token = code[i]
        if token == "mod" and i + 2 < len(code) and code[i + 2] in "{;":
            name = code[i + 1]
            child = module.path + (name,)
            module.children.add(name)
            if code[i + 2] == "{":
                end = closing(code, i + 2)
                read_module(crate, Module(child, module.file), code[i + 3 : end - 1], folder / name)
                i = end
            else:
                for file in (folder / f"{name}.rs", folder / name / "mod.rs"):
                    if file.exists():
                        inner = without_tests(tokens(file.read_text()))
                        read_module(crate, Module(child, file), inner, folder / name)
                i += 3
            public = False
        elif token == "use" and (i == 0 or code[i - 1] != "::"):
            i, found = use_tree(code, i + 1 + (code[i + 1] == "::"), ())
            module.uses += [(public and depth == 0, path, name) for path, name in found]
            public = False
        elif token == "pub":
            public = True
            i = closing(code, i + 1) if i + 1 < len(code) and code[i + 1] == "(" else i + 1
        elif token in ITEMS and depth == 0:
            at = i + 1
            while at < len(code) and code[at] in ("!", "mut", "unsafe", "fn"):
                at += 1
            if at < len(code):
                module.own.add(code[at])
            public = False
            i += 1
        elif is_name(token) and i + 1 < len(code) and code[i + 1] == "::" and code[i - 1] != "::":
            path = [token]
            i += 1
            while i + 1 < len(code) and code[i] == "::" and is_name(code[i + 1]):
                path.append(code[i + 1])
                i += 2
            module.paths.append(tuple(path))
        else:
            depth += (token == "{") - (token == "}")
            if token in "{};":
                public = False
            i += 1


def is_name(token):
    return token[0].isalpha() or token[0] == "_"


def absolute(crate, module, path):
    """The path from the crate's root, or nothing if it leads to another crate."""
    at = list(module.path)
    rest = list(path)
    if rest[0] == "crate":
        at, rest = [], rest[1:]
    elif rest[0] in ("self", "super"):
        while rest and rest[0] in ("self", "super"):
            if rest.pop(0) == "super" and at:
                at.pop()
    elif rest[0] not in module.children:
        return None
    return tuple(at), tuple(rest)


def target(crate, module, path, seen=()):
    """The file that defines what `path` names in `module`, or nothing if it is of another crate."""
    found = absolute(crate, module, path)
    if found is None:
        return None
    at, rest = found
    while rest and at in crate and rest[0] in crate[at].children:
        at, rest = at + rest[:1], rest[1:]
    if at not in crate:
        return None
    here = crate[at]
    if not rest or rest[0] in here.own or (here.path, rest[0]) in seen:
        return here.file
    seen = seen + ((here.path, rest[0]),)
    through = [(p, n) for _, p, n in here.uses if n == rest[0]]
    if through:  # a name that this module passes on, or uses itself
        return target(crate, here, through[0][0] + rest[1:], seen) or None
    for _, p, n in here.uses:
        if n == "*":
            passed = target(crate, here, p[:-1] + rest, seen)
            inner = absolute(crate, here, p[:-1])
            if passed and inner and inner[0] + inner[1] in crate:
                if rest[0] in crate[inner[0] + inner[1]].own:
                    return passed
    return here.file


def arrows(folder):
    """For every file of a crate: the files that it names, and by which paths."""
    crate = {}
    for root in ("lib.rs", "main.rs"):
        file = folder / "src" / root
        if file.exists():
            inner = without_tests(tokens(file.read_text()))
            read_module(crate, Module((), file), inner, folder / "src")
            break
    graph = {module.file: {} for module in crate.values()}
    for module in crate.values():
        named = [path for passed_on, path, _ in module.uses if not passed_on] + module.paths
        for path in named:
            path = path[:-1] if path[-1] == "*" else path
            file = target(crate, module, path) if path else None
            if file and file != module.file:
                graph[module.file].setdefault(file, set()).add("::".join(path))
    return graph


def components(graph):
    """Strongly connected components with more than one file (Tarjan), largest first."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for after in graph[node]:
            if after not in number:
                visit(after)
                low[node] = min(low[node], low[after])
            elif after in stack:
                low[node] = min(low[node], number[after])
        if low[node] == number[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return sorted((c for c in found if len(c) > 1), key=len, reverse=True)


def main():
    sys.setrecursionlimit(10_000)
    wanted = [a for a in sys.argv[1:] if not a.startswith("--")]
    show_arrows = "--arrows" in sys.argv
    failed = False
    for folder in sorted((ROOT / "crates").iterdir()):
        if not (folder / "Cargo.toml").exists() or (wanted and folder.name not in wanted):
            continue
        graph = arrows(folder)
        found = components(graph)
        for component in found:
            above = len(component) > LIMIT
            if not (above or wanted):
                continue
            failed |= above
            says = f"more than the limit of {LIMIT}" if above else f"limit {LIMIT}"
            print(f"{folder.name}: {len(component)} files in a circle ({says}):")
            for file in component:
                print(f"    {file.relative_to(folder / 'src')}")
                for after in sorted(graph[file]) if show_arrows else ():
                    if after in component:
                        names = ", ".join(sorted(graph[file][after]))
                        print(f"        -> {after.relative_to(folder / 'src')}: {names}")
    if failed:
        print("Files that reach each other cannot be read alone. Move what both need into a third file,")
        print("or turn one arrow round. `scripts/circles.py --arrows CRATE` shows what makes the arrows.")
    return failed


if __name__ == "__main__":
    sys.exit(main())
