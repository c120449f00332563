"""What runs cost and would cost: plots, and the cost of each operation."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import tacit as tc

DATA = {"alice": [70, 30, 81], "bob": [4, 2, 7]}
HERE = Path(__file__).name


def line_of(text: str) -> int:
    """The line of this file that has this text."""
    return 1 + next(i for i, line in enumerate(Path(__file__).read_text().splitlines()) if text in line)


def stay() -> tc.Job:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=1000, min=1)
    age = alice.array("age", tc.Int(0, 120), shape=n)
    days = bob.array("days", tc.Int(0, 1000), shape=n)
    old = age >= 65
    longest = tc.max(tc.where(old, days, 0))
    mean = tc.mean(days, where=old, frac=8)
    return tc.job("stay", mean_stay=mean.reveal(to=[alice, bob]), longest=longest.reveal(to="all"))


def texts(plot: tc.Plot) -> list[str]:
    """The texts of a plot, which is as it has to be: well-formed, its texts large enough, and none over another or outside."""
    root = ET.fromstring(plot.svg)
    boxes = []
    for it in root.iter("{http://www.w3.org/2000/svg}text"):
        size, x, y = (float(it.attrib[name]) for name in ("font-size", "x", "y"))
        assert size >= 11
        text = (it.text or "").strip()
        # As wide as letters are in the usual fonts without serifs, about.
        width = 0.55 * size * len(text)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[it.attrib["text-anchor"]]
        boxes.append((text, left, left + width, y - size / 2, y + size / 2))
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    for text, left, right, top, bottom in boxes:
        assert left >= 0 and right <= wide and top >= 0 and bottom <= high, text
    for (one, a, b, c, d), (other, e, f, g, h) in itertools.combinations(boxes, 2):
        assert b <= e or f <= a or d <= g or h <= c, f"{one!r} is over {other!r}"
    return [text for text, *_ in boxes]


def test_a_plot_of_a_run_shows_traffic_and_what_was_predicted(tmp_path: Path) -> None:
    job = stay()
    result = job.run(DATA)
    plot = result.report.plot()
    shown = texts(plot)
    assert "alice → bob" in shown and "all parties, here" in shown and "by the plan" in shown
    assert any(it.endswith("as predicted") for it in shown)
    size = next(it for it in shown if it.endswith("sent in all")).removeprefix(f"{result.report.protocol}: ")
    assert size in repr(result.report), "each byte is counted once"
    assert plot._repr_svg_() == plot.svg
    plot.save(tmp_path / "run.svg")
    assert (tmp_path / "run.svg").read_text(encoding="utf-8") == plot.svg
    named = job.run(DATA, protocol="quad").report
    shown = texts(named.plot())
    assert "by the plan" not in shown and "party3 → alice" in shown
    with pytest.raises(tc.InputError, match="the plan has no quad"):
        named.plot(job.plan(rows={"n": 3}))


def test_a_plot_of_a_run_over_a_network_shows_who_waited() -> None:
    job = stay()
    far = job.run(DATA, on=tc.local(network="global"), protocol="trio").report
    shown = texts(far.plot(job.plan(network="global", rows={"n": 3})))
    assert {"alice", "bob", "carol", "by the plan", "waiting", "sending"} <= set(shown)
    tls = job.run(DATA, on=tc.local(transport="tcp"), security="semi-honest", corruptions="one").report
    assert {"alice", "bob", "carol", "by the plan"} <= set(texts(tls.plot()))


def test_a_plot_of_a_plan_shows_what_seconds_consist_of() -> None:
    plan = stay().plan(network="global", rows={"n": 100})
    for it in plan.candidates:
        assert it["seconds"] == pytest.approx(it["waiting_seconds"] + it["sending_seconds"] + it["computing_seconds"])
    shown = texts(plan.plot())
    assert {"waiting", "sending", "computing"} <= set(shown)
    assert any(it.startswith("trio by ") for it in shown)


@pytest.mark.parametrize("protocol", ["trio", "replicated", "lift", "gmw:3", "yao-three", "bmr:3", "authenticated:3"])
def test_operations_take_together_what_the_plan_says(protocol: str) -> None:
    job = stay()
    security = "malicious" if protocol in ("lift", "authenticated:3") else "semi-honest"
    plan = job.plan(network="global", rows={"n": 50}, security=security)
    (planned,) = [it for it in plan.candidates if it["protocol"] == protocol]
    found = job.explain(network="global", protocol=protocol, rows={"n": 50})
    for part in ("waiting_seconds", "sending_seconds", "computing_seconds", "bytes"):
        assert sum(it[part] for it in found.operations) == pytest.approx(planned[part])
        assert min(it[part] for it in found.operations) >= -1e-6 * planned[part]
    assert sum(it["rounds"] for it in found.operations) == pytest.approx(planned["steps"])
    assert (found.seconds, found.bytes, found.rounds) == pytest.approx((planned["seconds"], planned["bytes"], planned["steps"]))
    seconds = [it["waiting_seconds"] + it["sending_seconds"] + it["computing_seconds"] for it in found.operations]
    assert seconds == sorted(seconds, reverse=True)


def test_operations_have_their_places_in_the_users_code() -> None:
    found = stay().explain(network="lan", protocol="trio", rows={"n": 1000})
    by_line = {(it["line"], it["name"]): it for it in found.operations if it["line"]}
    longest, mean = (by_line[line_of(text), op] for text, op in (("longest = tc.max(", "max"), ("mean = tc.mean(", "div")))
    assert Path(longest["file"]).name == HERE
    assert (longest["rows"], longest["bits"], longest["times"], mean["rows"]) == (1000, 16, 1, 1)
    assert longest["bytes"] > mean["bytes"] > 0 and longest["rounds"] > mean["rounds"] > 0
    assert not any(name == "less" for _, name in by_line), "alice compares by herself"
    shown = repr(found)
    assert f"{HERE}:{longest['line']}" in shown and "under trio" in shown
    assert "<table>" in found._repr_html_()
    assert any(it.startswith("max · ") for it in texts(found.plot()))


def test_operations_in_loops_count_as_often_as_they_are_done() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(-1, 1), shape=64)
    y = bob.array("y", tc.Fixed(-1, 1), shape=64)

    def total(trips: int) -> tc.Explanation:
        out = tc.loop(trips, lambda v, i: tc.clip(v * y, -1, 1), x, keep=tc.Fixed(-1, 1), overflow="promise")
        return tc.job("loop", out=out.reveal(to="all")).explain(network="global", protocol="trio")

    once, often = total(1), total(10)
    products = [next(it for it in found.operations if it["name"] == "mul") for found in (once, often)]
    assert [it["times"] for it in products] == [1, 10]
    assert products[1]["rounds"] == 10 * products[0]["rounds"] > 0
    # The inputs of the loop are shared once.
    assert 5 * products[0]["bytes"] < products[1]["bytes"] <= 10 * products[0]["bytes"]


def test_checks_are_shown_as_one() -> None:
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Int(0, 100), shape=20) * bob.array("y", tc.Int(0, 100), shape=20)
    job = tc.job("checked", total=tc.check(x, 0, 500).sum().reveal(to="all"))
    (checks,) = [it for it in job.explain(protocol="trio").operations if it["name"] == "comparisons of all checks"]
    assert checks["rounds"] > 0 and checks["bytes"] > 0 and checks["line"] == 0


def test_what_cannot_be_explained_is_said() -> None:
    job = stay()
    with pytest.raises(tc.InputError, match="in the clear"):
        job.explain(protocol="plain")
    with pytest.raises(tc.InputError, match="no row count `m`"):
        job.explain(rows={"m": 3})
    with pytest.raises(tc.TacitError, match="nonsense"):
        job.explain(protocol="nonsense")
    assert job.explain(rows={"n": 10}).protocol == job.plan(rows={"n": 10}).best


def test_names_are_no_markup() -> None:
    alice, bob = tc.parties("alice", "bob")
    job = tc.job("<b>", total=(alice.array("x", tc.Int(0, 9)) * bob.array("y", tc.Int(0, 9))).reveal(to="all"))
    result = job.run({"alice": 3, "bob": 4}, protocol="gmw:2")
    result.report._parties = ["<script>", "a & b"]
    shown = texts(result.report.plot())
    assert "<script> → a & b" in shown and "<script" not in result.report.plot().svg
