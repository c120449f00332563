# %% [markdown]
# # Does hormone therapy help? Survival at three hospitals
#
# Each of three hospitals has followed breast cancer patients, some of whom had hormone therapy. Together they have enough
# patients to tell whether the therapy helps. Everybody learns three results, how many patients each hospital has, and one bit:
#
# - `chi2`, the statistic of the log-rank test, which says whether the survival of the two arms differs,
# - `excess`, events observed minus events expected in the arm with therapy: below zero, the therapy helps,
# - `curves`, the share of patients of each arm without an event after one to five years (Kaplan and Meier's estimate),
# - the bit says whether the checks below held.
#
# Nobody learns when any patient had an event, nor how many had one in any month.
#
# The data are the 686 patients of the German Breast Cancer Study Group that come with lifelines, which also gives the
# reference: `pip install lifelines`.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from lifelines import KaplanMeierFitter
from lifelines.datasets import load_gbsg2
from lifelines.statistics import logrank_test
from lifelines.utils import survival_table_from_events

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

MONTHS = 88
YEARS = [12, 24, 36, 48, 60]

# %% [markdown]
# ## Write the program
#
# Every patient has a month, counted from the start of the study; whether the cancer came back or the patient died then (the
# event), or was seen for the last time; and an arm.

# %%
columns = {"month": [], "event": [], "arm": []}
for party in tc.parties("alice", "bob", "carol"):
    n = tc.rows(party.name[0], min=10, max=2000)
    columns["month"].append(party.array("month", tc.Int(0, MONTHS - 1), shape=n))
    columns["event"].append(party.array("event", tc.Bool(), shape=n))
    columns["arm"].append(party.array("arm", tc.Category(["no", "yes"], name="arm"), shape=n))
month, event, arm = (tc.concat(parts) for parts in columns.values())

# %% [markdown]
# Secret values are no indices, so patients are counted by cells of arm and month. Who is at risk in a month is
# everybody who leaves in it or later: sums from the end.

# %%
cell = arm * MONTHS + month
ended = tc.group_count(cell, where=event, groups=2 * MONTHS).reshape(2, MONTHS)
left = tc.group_count(cell, groups=2 * MONTHS).reshape(2, MONTHS)
risk = tc.cumulative_sum(left, axis=1, reverse=True)
show(risk)

# %% [markdown]
# Ranges are inferred, and grow with every operation. That a part is at most the whole cannot be inferred: `tc.check` says it,
# and the run verifies it. If any check fails, the run ends with no result, and everybody learns only that.

# %%
everybody, events = risk.sum(axis=0), ended.sum(axis=0)
share = tc.check(risk[1] / everybody, 0, 1)
expected = events * share
variance = tc.check(expected * (1 - share), 0, 6000) * tc.check((everybody - events) / (everybody - 1), 0, 2)
excess = tc.check(ended[1].sum() - expected.sum(), -6000, 6000)
chi2 = excess * excess / tc.check(variance.sum(), 0, 6000)

stay = tc.check(1 - ended / risk, 0, 1)
curves = tc.stack([tc.prod(stay[:, :months], axis=1) for months in YEARS], axis=1)

# %%
job = tc.job(
    "survival",
    chi2=chi2.reveal(to="all"),
    excess=excess.reveal(to="all"),
    curves=curves.reveal(to="all"),
)
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear
#
# A third of the patients is at each hospital. `job.check` computes in the clear, with the roundings of fixed point: it shows
# whether ranges and checks hold before anybody waits for a run.

# %%
frame = load_gbsg2()
patients = pd.DataFrame(
    {
        "month": (frame["time"] // 30.4375).astype(int),
        "event": frame["cens"].astype(bool),
        "arm": frame["horTh"].astype(str),
    }
)
data = {name: patients[i::3] for i, name in enumerate(("alice", "bob", "carol"))}
show(job.check(data))

# %% [markdown]
# ## What would it cost between three continents?
#
# The protocol that is fastest in one room is not the fastest around the world: `trio` sends little in many rounds, and each round
# waits for the slowest link. `protocol="auto"`, the default, takes the fastest that protects as asked.

# %%
rows = {name[0]: len(part) for name, part in data.items()}
plan = job.plan(network="global", rows=rows)
show(plan)
show(job.simulate(network="global", rows=rows, protocols=["trio", plan.best]))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**.

# %%
result = job.run(data, protocol="trio")
show(result)


# %% [markdown]
# ## Beside the reference
#
# lifelines computes the same in floating point, on all patients in one place.


# %%
def reference(month, event, yes):
    """The statistic, observed minus expected events with therapy, and both curves, by lifelines."""
    test = logrank_test(month[yes], month[~yes], event[yes], event[~yes])
    every, treated = (survival_table_from_events(month[who], event[who]) for who in (yes | True, yes))
    at_risk = treated["at_risk"].reindex(every.index, method="bfill").fillna(0)
    expected = (every["observed"] * at_risk / every["at_risk"]).sum()
    # The months before the end of each year.
    fits = [KaplanMeierFitter().fit(month[who], event[who]) for who in (~yes, yes)]
    curves = np.stack([fit.predict([months - 1 for months in YEARS]).to_numpy() for fit in fits])
    return test.test_statistic, event[yes].sum() - expected, curves


month, event, yes = patients["month"].to_numpy(), patients["event"].to_numpy(), (patients["arm"] == "yes").to_numpy()
clear_chi2, clear_excess, clear_curves = reference(month, event, yes)
figures = pd.DataFrame(
    {"Tacit": [result.chi2, result.excess, *result.curves.ravel()], "lifelines": [clear_chi2, clear_excess, *clear_curves.ravel()]},
    index=["chi2", "excess", *(f"{months} months, therapy: {name}" for name in ("no", "yes") for months in YEARS)],
)
figures["difference"] = figures["Tacit"] - figures["lifelines"]
show(figures.round(5))

assert abs(result.chi2 - clear_chi2) < 0.01
assert abs(result.excess - clear_excess) < 0.01
assert np.abs(result.curves - clear_curves).max() < 2e-3

# %% [markdown]
# The therapy helps: with one degree of freedom, chi2 is above 6.63 with a probability of 0.01 if it does not, and the excess
# is below zero. Lines are the curves of lifelines, dots are what was revealed.

# %%
figure, axes = plt.subplots()
for name, who, points in (("no", ~yes, result.curves[0]), ("yes", yes, result.curves[1])):
    fit = KaplanMeierFitter().fit(month[who], event[who], label=f"therapy: {name}")
    line = axes.step(fit.survival_function_.index, fit.survival_function_.iloc[:, 0], where="post", label=fit.label)
    axes.plot([months - 1 for months in YEARS], points, "o", color=line[0].get_color())
axes.set(xlabel="months", ylabel="without an event", ylim=(0, 1))
axes.legend()
plt.show()
