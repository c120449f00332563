"""Does hormone therapy help? Survival at three hospitals, as a log-rank test and Kaplan-Meier curves.

Data: `load_gbsg2` of lifelines, 686 patients (`pip install lifelines`).
"""

import numpy as np

import tacit as tc

MONTHS = 88
YEARS = [12, 24, 36, 48, 60]


def build() -> tc.Job:
    """The job: everybody learns the test's statistic, observed minus expected deaths, and both curves at five times."""
    columns: dict[str, list[tc.Array]] = {"month": [], "event": [], "arm": []}
    for party in tc.parties("alice", "bob", "carol"):
        n = tc.rows(party.name[0], min=10, max=2000)
        columns["month"].append(party.array("month", tc.Int(0, MONTHS - 1), shape=n))
        columns["event"].append(party.array("event", tc.Bool(), shape=n))
        columns["arm"].append(party.array("arm", tc.Category(["no", "yes"], name="arm"), shape=n))
    month, event, arm = (tc.concat(parts) for parts in columns.values())

    cell = arm * MONTHS + month
    died = tc.group_count(cell, where=event, groups=2 * MONTHS).reshape(2, MONTHS)
    left = tc.group_count(cell, groups=2 * MONTHS).reshape(2, MONTHS)
    risk = tc.cumulative_sum(left, axis=1, reverse=True)

    # Of all that inference cannot know, checks say that it holds in the run.
    n, d = risk.sum(axis=0), died.sum(axis=0)
    share = tc.check(risk[1] / n, 0, 1)
    expected = d * share
    variance = tc.check(expected * (1 - share), 0, 6000) * tc.check((n - d) / (n - 1), 0, 2)
    excess = tc.check(died[1].sum() - expected.sum(), -6000, 6000)
    chi2 = excess * excess / tc.check(variance.sum(), 0, 6000)

    alive = tc.check(1 - died / risk, 0, 1)
    times = [tc.prod(alive[:, :months], axis=1) for months in YEARS]
    curves = tc.stack(times, axis=1)
    return tc.job(
        "survival",
        chi2=chi2.reveal(to="all"),
        excess=excess.reveal(to="all"),
        curves=curves.reveal(to="all"),
    )


def reference(month: np.ndarray, event: np.ndarray, arm: np.ndarray) -> tuple[float, float, np.ndarray]:
    """The same in floating point."""
    died = np.array([[((month == m) & event & (arm == a)).sum() for m in range(MONTHS)] for a in (0, 1)], dtype=float)
    left = np.array([[((month == m) & (arm == a)).sum() for m in range(MONTHS)] for a in (0, 1)], dtype=float)
    risk = left[:, ::-1].cumsum(axis=1)[:, ::-1]
    n, d = risk.sum(axis=0), died.sum(axis=0)
    with np.errstate(all="ignore"):
        share = np.where(n > 0, risk[1] / n, 0)
        variance = np.where(n > 1, d * share * (1 - share) * (n - d) / (n - 1), 0)
        alive = np.where(risk > 0, 1 - died / risk, 1)
    excess = died[1].sum() - (d * share).sum()
    curves = np.stack([alive[:, :months].prod(axis=1) for months in YEARS], axis=1)
    return float(excess**2 / variance.sum()), float(excess), curves


def data() -> tuple[dict[str, dict[str, np.ndarray]], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The patients, a third at each hospital; and all of them."""
    from lifelines.datasets import load_gbsg2

    frame = load_gbsg2()
    month = (frame["time"] // 30.4375).astype(int).to_numpy()
    event = frame["cens"].astype(bool).to_numpy()
    arm = frame["horTh"].to_numpy().astype(str)
    parts = {name: {"month": month[i::3], "event": event[i::3], "arm": arm[i::3]} for i, name in enumerate(("alice", "bob", "carol"))}
    return parts, (month, event, (arm == "yes").astype(int))


def main() -> None:
    parts, everybody = data()
    job = build()
    print(job.disclosure())
    chi2, excess, curves = reference(*everybody)
    result = job.run(parts, protocol="trio")
    print(f"log-rank   chi2 {result.chi2:.5f} (in the clear {chi2:.5f})   observed - expected {result.excess:.4f} ({excess:.4f})")
    print(f"alive after {YEARS} months")
    for arm, shown, clear in zip(("no", "yes"), result.curves, curves, strict=True):
        print(f"{arm:4} {np.round(shown, 3)}   in the clear {np.round(clear, 3)}")
    print(result.report)
    print(job.plan(network="global", rows={"a": 229, "b": 229, "c": 228}).why)


if __name__ == "__main__":
    main()
