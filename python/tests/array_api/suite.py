"""Runs the public test suite of the array API standard on Tacit, for booleans and integers.

    python suite.py CHECKOUT [ARGUMENT...]

CHECKOUT is a clone of github.com/data-apis/array-api-tests, with its submodule, at the commit that `COMMIT` names; arguments go to pytest.
What is skipped, and why, is in `skips.txt`. With TRY_SKIPPED=1, only what that file skips runs, and what passes is listed: its line can go.

Where the whole suite runs, at least `LEAST` of its functions have to pass, or the exit code is 1.
"""

from __future__ import annotations

import fnmatch
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FILES = [
    *("creation_functions", "manipulation_functions", "indexing_functions", "searching_functions", "sorting_functions"),
    *("statistical_functions", "operators_and_elementwise_functions", "has_names", "signatures"),
]
# The suite changes: counts mean something for one state of it. Its submodule, the standard, is at the commit that it names itself.
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"
# Functions of the suite that pass, those included that pass but for cases that `skips.txt` has a reason for.
LEAST = 60
TRY_SKIPPED = bool(os.environ.get("TRY_SKIPPED"))


def restrict() -> None:
    """Lets the suite draw booleans and integers only, where it draws from several kinds."""
    from array_api_tests import dtype_helpers as dh
    from hypothesis import strategies as st

    whole = tuple(dh.all_int_dtypes)
    dh.numeric_dtypes = dh.real_dtypes = whole
    dh.all_dtypes = dh.bool_and_all_int_dtypes
    from array_api_tests import hypothesis_helpers as hh

    hh.all_dtypes = st.sampled_from(dh.bool_and_all_int_dtypes)


def skips() -> list[tuple[str, str]]:
    """Reasons, and patterns of the tests that they are for."""
    lines = [line.split("#")[0].strip() for line in (HERE / "skips.txt").read_text().splitlines()]
    return [tuple(part.strip() for part in line.split("|", 1)) for line in lines if line]  # type: ignore[misc]


class Plugin:
    """Skips by reason, and counts."""

    def __init__(self, whole: bool) -> None:
        self.whole = whole
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self.reasons: Counter[str] = Counter()
        # Examples that Hypothesis rejected, by reason and test function.
        self.rejected: dict[str, Counter[str]] = defaultdict(Counter)
        self.passed_anyway: list[str] = []
        self.unused: list[str] = []

    @property
    def passed(self) -> int:
        """How many functions passed."""
        return sum(kind(outcomes).startswith("passed") for outcomes in self.outcomes.values())

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        # Powers mostly need more than 64 bits. A test that keeps no example fails all the same.
        few = [HealthCheck.filter_too_much, HealthCheck.too_slow]
        # What fails is of no interest among what is skipped.
        phases = [Phase.generate] if TRY_SKIPPED else settings.default.phases
        settings.register_profile("tacit", parent=settings.get_profile("array-api-tests"), suppress_health_check=few, phases=phases)
        settings.load_profile("tacit")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        listed = skips()
        used = set()
        chosen = []
        for item in items:
            name = item.nodeid.rpartition("/")[2]
            found = next((it for it in listed if fnmatch.fnmatchcase(name.replace("[", "<").replace("]", ">"), it[1])), None)
            if found:
                used.add(found)
                chosen.append(item)
                if not TRY_SKIPPED:
                    item.add_marker(pytest.mark.skip(reason=found[0]))
        self.unused = [pattern for reason, pattern in listed if (reason, pattern) not in used]
        if TRY_SKIPPED:
            items[:] = chosen

    def pytest_runtest_logreport(self, report: Any) -> None:
        import tacit_eager

        function = report.nodeid.split("[")[0]
        for reason, count in tacit_eager.rejected.items():
            self.rejected[reason][function.rpartition("::")[2]] += count
        tacit_eager.rejected.clear()
        if report.skipped:
            self.outcomes[function]["skipped"] += 1
            reason = report.longrepr[2].removeprefix("Skipped: ")
            self.reasons[reason if reason in {it[0] for it in skips()} else f"by the suite itself: {reason}"] += 1
        elif report.failed:
            self.outcomes[function]["failed"] += 1
        elif report.when == "call":
            self.outcomes[function]["passed"] += 1
            self.passed_anyway.append(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        write = terminalreporter.write_line
        if TRY_SKIPPED:
            for name in self.passed_anyway:
                write(f"passes: {name}")
            return
        cases: Counter[str] = Counter()
        for outcomes in self.outcomes.values():
            cases.update(outcomes)
        functions = Counter(kind(outcomes) for outcomes in self.outcomes.values())
        write("")
        write(f"functions: {', '.join(f'{count} {name}' for name, count in sorted(functions.items()))}")
        write(f"functions that pass: {self.passed}{f', and at least {LEAST} have to' if self.whole else ''}")
        write(f"cases: {', '.join(f'{count} {name}' for name, count in sorted(cases.items()))}")
        for reason, count in self.reasons.most_common():
            write(f"  skipped, {reason}: {count}")
        for reason, where in sorted(self.rejected.items()):
            write(f"  examples passed over, {reason}: {', '.join(f'{count} of {name}' for name, count in where.most_common())}")
        for pattern in self.unused if self.whole else []:
            write(f"no test is called {pattern}: its line in skips.txt can go")


def kind(outcomes: Counter[str]) -> str:
    """What became of a test function, of all its cases."""
    if outcomes["failed"]:
        return "failed"
    if not outcomes["passed"]:
        return "skipped"
    return "passed but for cases skipped" if outcomes["skipped"] else "passed"


def pinned(checkout: Path) -> None:
    """Ends it where the clone is at another commit than the one that is pinned."""
    asked = subprocess.run(["git", "-C", checkout, "rev-parse", "HEAD"], capture_output=True, text=True)
    found = asked.stdout.strip()
    if found != COMMIT:
        way = f"git -C {checkout} checkout {COMMIT} && git -C {checkout} submodule update --init"
        sys.exit(f"{checkout} is at {found or 'no commit'}, and the suite is pinned to another one: {way}")


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    checkout = Path(sys.argv[1]).resolve()
    if not (checkout / "array_api_tests").is_dir() or not any((checkout / "array-api").iterdir()):
        sys.exit(f"{checkout} is no clone of array-api-tests with its submodule")
    pinned(checkout)
    os.environ["ARRAY_API_TESTS_MODULE"] = "tacit_eager"
    os.environ.setdefault("ARRAY_API_TESTS_MAX_ARRAY_SIZE", "256")
    sys.path[:0] = [str(HERE), str(checkout)]
    os.chdir(checkout)
    restrict()
    options = ["-q", "-p", "no:cacheprovider", "--derandomize", "--disable-deadline", "--disable-data-dependent-shapes"]
    given = sys.argv[2:]
    whole = not any(it == "-k" or "::" in it or it.endswith(".py") for it in given)
    files = [f"array_api_tests/test_{name}.py" for name in FILES] if whole else []
    plugin = Plugin(whole)
    code = pytest.main([*options, *files, *given], plugins=[plugin])
    if TRY_SKIPPED:
        return 0
    return int(code) or int(whole and plugin.passed < LEAST)


if __name__ == "__main__":
    sys.exit(main())
