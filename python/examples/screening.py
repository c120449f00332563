# %% [markdown]
# # A model of records that two owners have
#
# Alice is a clinic that has measured tumours of its patients. Bob is a registry that knows which tumours were benign, of patients
# of many clinics. Neither knows which patients the other has, and neither may tell. They join their tables by the number of the
# patient, where nobody sees who is in both, and train a logistic regression on those patients. Carol computes with them and gives
# nothing. Both owners learn the weights, how many patients were in both tables, and of how many of them the model is right.
#
# The data are `load_breast_cancer` of scikit-learn: a part of the patients is in one table only.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

import tacit as tc
from tacit import ml

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

STEPS = 100
PROTOCOLS = ("trio", "lift")

# %% [markdown]
# ## Join the tables
#
# A query joins them, and in place of showing its rows the program goes on with them: `to_arrays` gives columns as arrays, and bits that
# say which rows there are. `pad=True` hides how many patients the clinic has: the program counts 400.

# %%
FEATURES = {"radius": 40, "texture": 50, "smoothness": 0.2, "compactness": 0.4, "concavity": 0.5, "symmetry": 0.4}

alice, bob, carol = tc.parties("alice", "bob", "carol")
measured = tc.Schema(patient=tc.Int(0, 99999), **{name: tc.Fixed(0, 1, 20) for name in FEATURES})
known = tc.Schema(patient=tc.Int(0, 99999), benign=tc.Bool())
clinic = alice.table("clinic", measured, max_rows=400, unique="patient", pad=True)
registry = bob.table("registry", known, max_rows=500, unique="patient")
both = registry.join(clinic, on="patient")
show(both)

# %% [markdown]
# ## Train a model on the rows that are there
#
# Rows that the join left out are rows of zeros. `sample_weight` says which rows count, and nobody learns which ones these are.

# %%
columns, there = both.to_arrays("benign", *FEATURES)
X, y = tc.stack([columns[name] for name in FEATURES], axis=1), columns["benign"]
scaled = ml.StandardScaler().fit_transform(X, sample_weight=there)
model = ml.LogisticRegression(steps=STEPS, learning_rate=4.0, sigmoid=12).fit(scaled, y, sample_weight=there)
right = (model.predict(scaled) == y) & there
job = tc.job(
    "screening",
    weights=model.coef_.reveal(to=[alice, bob]),
    intercept=model.intercept_.reveal(to=[alice, bob]),
    patients=tc.sum(there).reveal(to=[alice, bob]),
    right=tc.sum(right).reveal(to=[alice, bob]),
)
show(job.disclosure())

# %% [markdown]
# ## What would it cost?
#
# Between three continents, where all follow the protocol.

# %%
show(job.plan(network="global"))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. Under `trio` every party follows the protocol; under
# `lift` one of them may do anything, and the others notice. If a patient were twice in the clinic's table, nobody would learn a
# result: the run checks what the join relies on.

# %%
tumours = load_breast_cancer()
names = list(tumours.feature_names)
values = tumours.data[:, [names.index(f"mean {name}") for name in FEATURES]] / np.array(list(FEATURES.values()))
benign = tumours.target.astype(bool)
rng = np.random.default_rng(4)
numbers = rng.choice(100000, len(values), replace=False)
at_clinic, at_registry = rng.permutation(len(values))[:380], rng.permutation(len(values))[:450]
table = pd.DataFrame(values[at_clinic], columns=list(FEATURES)).assign(patient=numbers[at_clinic])
data = {"alice": table, "bob": {"patient": numbers[at_registry], "benign": benign[at_registry]}}
results = {protocol: job.run(data, protocol=protocol) for protocol in PROTOCOLS}
for result in results.values():
    show(result.report)

# %% [markdown]
# ## Beside the reference
#
# The same algorithm in floating point, with NumPy, on the joined rows: as many rows as the program has, of which these count.

# %%
shared = np.intersect1d(at_clinic, at_registry)
rows = np.zeros((900, len(FEATURES)))
labels, count = np.zeros(len(rows), dtype=bool), np.arange(len(rows)) < len(shared)
rows[count], labels[count] = ml.StandardScaler().reference(values[shared]), benign[shared]
clear = model.reference(rows, labels, sample_weight=count)
weights = pd.DataFrame({"NumPy": clear.coef_}, index=list(FEATURES))
for protocol, result in results.items():
    weights[protocol] = result.weights
    assert result.patients == len(shared)
    assert np.abs(result.weights - clear.coef_).max() < 5e-3
    assert abs(result.intercept - clear.intercept_) < 5e-3
    assert abs(result.right - (clear.predict(rows) == labels)[count].sum()) <= 1
show(weights.round(4))
print("patients in both tables:", int(results["trio"].patients))
print("of whom the model is right:", int(results["trio"].right))

# %% [markdown]
# The weights lie on each other, though nobody saw a joined row.

# %%
figure, axes = plt.subplots(layout="constrained")
places = np.arange(len(FEATURES))
axes.barh(places - 0.2, clear.coef_, height=0.4, label="NumPy")
axes.barh(places + 0.2, results["trio"].weights, height=0.4, label="Tacit")
axes.set_yticks(places, list(FEATURES))
axes.axvline(0, color="black", linewidth=0.8)
axes.set(xlabel="weight")
axes.legend()
plt.show()
