"""What notebooks show: tables of HTML that escape what they hold, and hold nothing private."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

import tacit as tc

# Names of members that would be HTML, and inputs that nobody may see: they are in no shape, range or cost.
MEMBERS = ["<script>alert(1)</script>", 'a & "b"']
SECRET = [777_123, 888_321, 999_111]


class Page(HTMLParser):
    """The elements and the text of a page; elements that are not closed in order are an error."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.feed(page)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """One of everything that has a form for notebooks."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100)
    kind = alice.array("kind", tc.Category(MEMBERS), shape=3)
    pay = bob.array("pay", tc.Int(0, 1_000_000), shape=n)
    kept = tc.promise(pay - 700_000, 0, 100_000)
    many = tc.check(tc.group_count(kind), 0, 100)
    job = tc.job("<i>", {"most & <b>": tc.where(many[0] > many[1], kind[0], kind[1]).reveal(to="all"), "sum": kept.sum().reveal(to=bob)})
    data = {"alice": {"kind": [MEMBERS[0], MEMBERS[1], MEMBERS[0]]}, "bob": {"pay": SECRET}}
    result = job.run(data, protocol="trio")
    return {
        "Array": pay,
        "Job": job,
        "Disclosure": job.disclosure(),
        "Plan": job.plan(network="global", rows={"n": 3}),
        "Simulation": job.simulate(data, protocols=["trio", "lift"]),
        "Result": result,
        "Check": job.check(data),
        "Report": result.report,
    }


NAMES = ["Array", "Job", "Disclosure", "Plan", "Simulation", "Result", "Check", "Report"]


@pytest.mark.parametrize("name", NAMES)
def test_html_is_escaped_and_holds_nothing_private(name: str, shown: dict[str, Any]) -> None:
    page = shown[name]._repr_html_()
    assert Page(page).tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "pre"}
    for secret in SECRET:
        for form in (str(secret), f"{secret:_}", f"{secret - 700_000}"):
            assert form not in page.replace(",", "")


def test_html_says_what_the_text_says(shown: dict[str, Any]) -> None:
    cells = {name: [" ".join(cell.split()) for cell in Page(shown[name]._repr_html_()).cells] for name in NAMES}
    job, plan = shown["Job"], shown["Plan"]
    assert {"u32", "[n]", "from bob", "0..1000000"} <= set(cells["Array"])
    assert {"<i>", "alice, bob, carol", "alice.kind, bob.pay", "most & <b>, sum", f"{job.digest[:16]}..."} <= set(cells["Job"])
    # Every line of the text is a row.
    lines = [" ".join(line.split()) for line in repr(shown["Disclosure"]).splitlines()]
    assert lines[0] in cells["Disclosure"]
    assert " ".join(lines) == " ".join(" ".join(cells["Disclosure"]).split())
    assert {it["protocol"] for it in plan.candidates} | {"against " + plan.raw["against"] + ", on global"} <= set(cells["Plan"])
    assert {"trio", "lift", "on global, without computing"} <= set(cells["Simulation"])
    assert {"trio", "n = 3", str(shown["Report"].rounds)} <= set(cells["Report"]) & set(cells["Result"])


def test_what_was_revealed_is_shown_with_its_names_and_warnings(shown: dict[str, Any]) -> None:
    result, checked = (Page(shown[name]._repr_html_()) for name in ("Result", "Check"))
    assert MEMBERS[0] in " ".join(result.cells) and "most & <b>" in " ".join(result.cells)
    assert any(cell.startswith("warning: ") for cell in checked.cells)
    assert "trio" in result.cells
