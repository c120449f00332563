#!/usr/bin/env python3
"""Switches every comparison of the sharing protocols off, one at a time: a test must fail each time.

    scripts/mutations.py [--list] [--only NUMBER...]
    scripts/mutations.py --build        # a release program; with TACIT_COMPARISON=all it compares nothing

A comparison is a word put into a transcript (`party.log`) or two values that must be equal
(`!hash::equal`). The switches are written into a copy of the sources, in the target directory, so the
product has none. The copy is compiled once; its tests run once for every comparison. What comparisons cost
is measured with the program that `--build` makes.
"""

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "mutations"
COPY = TARGET / "tree"
CARGO = os.environ.get("CARGO", "cargo")
# Tests of cheats first: they fail soonest.
FIRST = ["tampered", "proven", "four", "tacit_sharing", "tacit_proof"]
# The crates of protocols on shares.
CRATES = ["sharing", "gmw", "proof", "backend"]
# What is passed to a program: all but long tests, then those of protocols that are there to be compared with, which are long.
PASSES = [[], ["--ignored", "baselines"]]
SWITCH = """
/// Whether this comparison is the one that is switched off.
pub(crate) fn switched_off(comparison: usize) -> bool {
    static OFF: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let off = OFF.get_or_init(|| std::env::var("TACIT_COMPARISON").unwrap_or_default());
    off == "all" || off.parse() == Ok(comparison)
}
"""


def end_of_call(text, start):
    """The position after the parenthesis that closes the one at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise ValueError("a call without an end")


def switches(text, first):
    """The text with a switch at every comparison, numbered from `first`, and their positions."""
    tests = text.find("#[cfg(test)]\nmod tests")
    product = text if tests < 0 else text[:tests]
    found, out, done = [], [], 0
    for match in re.finditer(r"(?:self\.)?\bparty\.log\(|!hash::equal\(", product):
        number = first + len(found)
        end = end_of_call(product, match.end() - 1)
        call = product[match.start() : end]
        off = f"crate::switched_off({number})"
        is_test = call.startswith("!")
        out.append(product[done : match.start()])
        out.append(f"!{off} && {call}" if is_test else f"{{ if !{off} {{ {call} }} }}")
        found.append(product.count("\n", 0, match.start()) + 1)
        done = end
    return "".join(out) + text[done:], found


def copy_sources():
    """Copies the workspace and returns where each comparison is."""
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in ["Cargo.toml", "Cargo.lock"]:
        shutil.copy2(ROOT / name, COPY / name)
    for name in ["crates", "examples"]:
        shutil.copytree(ROOT / name, COPY / name)
    folders = [COPY / "crates" / crate / "src" for crate in CRATES]
    places = []
    for path in (path for folder in folders for path in sorted(folder.rglob("*.rs"))):
        text, lines = switches(path.read_text(), len(places))
        if lines:
            path.write_text(text)
            name = path.relative_to(COPY)
            places += [f"{name}:{line}" for line in lines]
    for folder in folders:
        library = folder / "lib.rs"
        library.write_text(library.read_text() + SWITCH)
    return places


def compile_tests():
    """Compiles the tests of the copy; their programs with the crates' folders, those of cheats first."""
    command = [CARGO, "test", "--lib", "--tests", "--no-run", "--locked"]
    command += [argument for crate in CRATES for argument in ("-p", f"tacit-{crate}")]
    command += ["--message-format=json-render-diagnostics", "--target-dir", str(TARGET / "build")]
    done = subprocess.run(command, cwd=COPY, stdout=subprocess.PIPE, text=True, check=True)
    programs = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["test"]:
            folder = Path(message["manifest_path"]).parent
            programs[message["target"]["name"]] = (message["executable"], folder)
    order = sorted(programs, key=lambda name: (name not in FIRST, FIRST.index(name) if name in FIRST else 0))
    return [(name, programs[name]) for name in order]


def build_program():
    """Compiles the program of the copy and says where it is."""
    command = [CARGO, "build", "--release", "--locked", "--bin", "tacit", "--target-dir", str(TARGET / "build")]
    subprocess.run(command, cwd=COPY, check=True)
    print(TARGET / "build/release/tacit")


def failing(programs, comparison):
    """The first test program that fails with this comparison switched off; none if all pass."""
    environment = {**os.environ, "TACIT_COMPARISON": str(comparison), "RUST_BACKTRACE": "0"}
    for arguments, (name, (program, folder)) in itertools.product(PASSES, programs):
        try:
            done = subprocess.run(
                [program, "--quiet", *arguments], cwd=folder, env=environment,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600,
            )
        except subprocess.TimeoutExpired:
            return f"{name} (no end)"
        if done.returncode:
            return name
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="only say which comparisons there are")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of comparisons to switch off")
    parser.add_argument("--build", action="store_true", help="only compile the program, with switches")
    arguments = parser.parse_args()
    places = copy_sources()
    if arguments.build:
        build_program()
        return
    if arguments.list:
        print("\n".join(f"{number}: {place}" for number, place in enumerate(places)))
        return
    programs = compile_tests()
    if name := failing(programs, "none"):
        sys.exit(f"{name} fails with all comparisons switched on")
    missed = []
    for number in arguments.only or range(len(places)):
        name = failing(programs, number)
        print(f"{number}: {places[number]}: {f'seen by {name}' if name else 'NOT SEEN'}", flush=True)
        if not name:
            missed.append(places[number])
    if missed:
        sys.exit(f"no test fails without {', '.join(missed)}")


if __name__ == "__main__":
    main()
