# %% [markdown]
# # A logistic regression between two owners
#
# Alice has 15 measurements of each of 569 tumours, and the diagnosis. Bob has 15 others of the same tumours. Neither
# shows them. Together they fit a model that tells benign from malignant tumours: alice and bob learn its 30 weights. Carol only helps to
# compute, and learns nothing but how many tumours there are and whether the checks held, as everybody does.
#
# The data are `load_breast_cancer` of scikit-learn, standardised by public constants. Rows are in the same order at both owners.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score, roc_curve

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

STEPS = 100

# %% [markdown]
# ## Write the program
#
# Fixed-point numbers are multiples of 2^-16, unless `frac=` says otherwise. `tc.concat` puts the columns of both owners side by side.

# %%
alice, bob, carol = tc.parties("alice", "bob", "carol")
n = tc.rows("n", max=1024)
x = alice.array("x", tc.Fixed(-8, 8), shape=(n, 15))
y = alice.array("y", tc.Bool(), shape=n)
z = bob.array("z", tc.Fixed(-8, 8), shape=(n, 15))
both = tc.concat([x, z], axis=1)
show(both)

# %% [markdown]
# One step of gradient descent. `tc.loop` repeats it in the run; it is recorded once. `keep` is the type of the weights in every
# step. That they stay in this range is verified in the run, `overflow="check"`: one bit, which everybody learns.


# %%
def step(w, i):
    p = tc.sigmoid(both @ w)
    return w - both.T @ (p - y) / 512


w = tc.loop(STEPS, step, tc.zeros(30), keep=tc.Fixed(-16, 16), overflow="check")
job = tc.job("logistic", weights=w.reveal(to=[alice, bob]))
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear
#
# `job.check` computes in the clear, with the roundings of fixed point. The first weights:

# %%
tumours = load_breast_cancer()
features = ((tumours.data - tumours.data.mean(axis=0)) / tumours.data.std(axis=0)).clip(-8, 8)
labels = tumours.target.astype(bool)
data = {"alice": {"x": features[:, :15], "y": labels}, "bob": {"z": features[:, 15:]}}
checked = job.check(data)
assert not checked.warnings
print(checked.weights[:5])

# %% [markdown]
# ## What would it cost?
#
# In one room, a party that does anything to cheat (`lift`) costs more than one that only looks (`trio`). Between three
# continents each step waits for many messages.

# %%
for network in ("lan", "global"):
    show(job.plan(network=network, rows={"n": 569}))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. Under `trio` every party follows the protocol; under
# `lift` one of them may do anything.

# %%
results = {protocol: job.run(data, protocol=protocol) for protocol in ("trio", "lift")}
for result in results.values():
    show(result.report)


# %% [markdown]
# ## Beside the reference
#
# The same algorithm in floating point, with NumPy, on all columns in one place.


# %%
def reference(features, labels):
    w = np.zeros(features.shape[1])
    for _ in range(STEPS):
        w -= features.T @ (1 / (1 + np.exp(-features @ w)) - labels) / 512
    return w


clear = reference(features, labels)
weights = pd.DataFrame({"NumPy": clear}, index=[str(name) for name in tumours.feature_names])
for protocol, result in results.items():
    weights[protocol] = result.weights
    weights[f"{protocol} - NumPy"] = result.weights - clear
show(weights.round(5))

for name, w in (("NumPy", clear), *((protocol, result.weights) for protocol, result in results.items())):
    right = ((features @ w > 0) == labels).mean()
    print(f"{name:5} accuracy {right:.3f}, largest |difference| of a weight {np.abs(w - clear).max():.1e}")
    assert np.abs(w - clear).max() < 1e-3

# %% [markdown]
# Both models tell the tumours apart equally well: their ROC curves lie on top of each other.

# %%
figure, axes = plt.subplots()
for name, w, style in (("NumPy", clear, "-"), ("Tacit", results["trio"].weights, "--")):
    area = roc_auc_score(labels, features @ w)
    axes.plot(*roc_curve(labels, features @ w)[:2], style, label=f"{name}, area {area:.4f}")
axes.set(xlabel="false positives", ylabel="true positives")
axes.legend()
plt.show()
