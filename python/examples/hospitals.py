# %% [markdown]
# # A model of three hospitals
#
# Alice, bob and carol are hospitals. Each has measured tumours and knows which were benign. No patient's record may leave a
# hospital. Together they scale the features, fit a logistic regression on three quarters of all rows, and test it on the others.
# All three learn the ten weights and how good the model is: the area under its ROC curve, and how many tumours it mistakes.
#
# The data are `load_breast_cancer` of scikit-learn, every third row at another hospital.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix, roc_auc_score

import tacit as tc
from tacit import ml

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

STEPS = 100

# %% [markdown]
# ## Write the program
#
# Ranges are public, so the hospitals agree on the greatest value that each feature may have, and give features as parts of
# that. `tc.concat` puts their rows one after the other: the number of rows of each hospital is public too.

# %%
FEATURES = {
    "radius": 40,
    "texture": 50,
    "perimeter": 250,
    "area": 3000,
    "smoothness": 0.2,
    "compactness": 0.4,
    "concavity": 0.5,
    "concave points": 0.25,
    "symmetry": 0.4,
    "fractal dimension": 0.1,
}
ROWS = {"alice": 190, "bob": 190, "carol": 189}

hospitals = tc.parties(*ROWS)
parts = [it.array("x", tc.Fixed(0, 1, 20), shape=(ROWS[it.name], len(FEATURES))) for it in hospitals]
benign = [it.array("benign", tc.Bool(), shape=ROWS[it.name]) for it in hospitals]
x, y = tc.concat(parts), tc.concat(benign)
show(x)

# %% [markdown]
# Means and deviations of all rows are secret, and so are the weights until they are revealed. Which rows are for testing
# follows from a public seed, and tells nothing. The sigmoid is one of three straight pieces, which takes fewer rounds.

# %%
scaled = ml.StandardScaler().fit_transform(x)
x_train, x_test, y_train, y_test = ml.train_test_split(scaled, y, random_state=1)
model = ml.LogisticRegression(steps=STEPS, sigmoid="three-pieces").fit(x_train, y_train)
job = tc.job(
    "hospitals",
    weights=model.coef_.reveal(to="all"),
    intercept=model.intercept_.reveal(to="all"),
    area=ml.roc_auc(y_test, model.decision_function(x_test)).reveal(to="all"),
    confusion=ml.confusion_matrix(y_test, model.predict(x_test)).reveal(to="all"),
)
show(job.disclosure())

# %% [markdown]
# ## What would it cost?
#
# Between three continents, where one hospital may do anything to cheat. Each step of the training waits for messages: fewer
# steps are what helps there.

# %%
show(job.plan(network="global", security="malicious"))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. Under `trio` every hospital follows the protocol; under
# `lift` one of them may do anything, and the others notice.

# %%
tumours = load_breast_cancer()
measured = tumours.data[:, : len(FEATURES)] / np.array(list(FEATURES.values()))
labels = tumours.target.astype(bool)
rows = {name: np.arange(at, len(labels), 3) for at, name in enumerate(ROWS)}
data = {name: {"x": measured[its], "benign": labels[its]} for name, its in rows.items()}
results = {protocol: job.run(data, protocol=protocol) for protocol in ("trio", "lift")}
for result in results.values():
    show(result.report)

# %% [markdown]
# ## Beside the reference
#
# The same algorithm in floating point, with NumPy, on all rows in one place: `reference` of each estimator.

# %%
order = np.concatenate(list(rows.values()))
clear_train, clear_test, train, test = ml.train_test_split(ml.StandardScaler().reference(measured[order]), labels[order], random_state=1)
clear = model.reference(clear_train, train)
table = pd.DataFrame({"NumPy": clear.coef_}, index=list(FEATURES))
for protocol, result in results.items():
    table[protocol] = result.weights
    assert np.abs(result.weights - clear.coef_).max() < 2e-3
    assert abs(result.intercept - clear.intercept_) < 2e-3
    assert abs(result.area - roc_auc_score(test, clear.decision_function(clear_test))) < 1e-2
    assert np.abs(result.confusion - confusion_matrix(test, clear.predict(clear_test))).max() <= 1
show(table.round(4))

print("area under the ROC curve, NumPy", round(roc_auc_score(test, clear.decision_function(clear_test)), 4))
print("area under the ROC curve, trio ", round(float(results["trio"].area), 4))
print("malignant and benign, found as such:", results["trio"].confusion.tolist())

# %% [markdown]
# The weights of both lie on each other: which features speak for a benign tumour, and which against it.

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
