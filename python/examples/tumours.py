# %% [markdown]
# # A tumour score by boosted trees
#
# Bob has a model of boosted trees that says whether a tumour is benign. Alice has patients whom she shows to nobody, and learns the
# class of each. Bob learns how many patients there were; alice learns nothing of the trees but what the classes say; everybody knows
# how many trees there are, and how deep they may be. Then three hospitals, alice, bob and carol, train such trees together, on rows
# that stay where they are.
#
# The data are `load_breast_cancer` of scikit-learn. Besides Tacit this needs `pip install onnx skl2onnx scikit-learn matplotlib`.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import roc_auc_score, roc_curve

import tacit as tc
from tacit import ml

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

TREES = 10

tumours = load_breast_cancer()
features = ((tumours.data - tumours.data.mean(axis=0)) / tumours.data.std(axis=0)).clip(-8, 8).astype(np.float32)
benign = tumours.target.astype(bool)
test = np.arange(len(benign)) % 4 == 0

# %% [markdown]
# ## A model of bob's
#
# Trained in floating point, at home. `tc.ml.from_sklearn` completes all trees to the depth of the deepest, so that nobody sees their
# shapes: which feature a node compares, its threshold and all leaves are inputs of bob's.

# %%
model = GradientBoostingClassifier(n_estimators=50, max_depth=3, random_state=0).fit(features[~test], benign[~test])
alice, bob, carol = tc.parties("alice", "bob", "carol")
n = tc.rows("n", max=1000, min=1)
patients = alice.array("patients", tc.Fixed(-8, 8, 20), shape=(n, 30))
net = tc.ml.from_sklearn(model, owner=bob, weights=tc.Fixed(-8, 8, 20), name="trees")
show(net)
score = tc.job("score", label=net(patients).label.reveal(to=alice))
show(score.disclosure())

# %% [markdown]
# ## Does any comparison come out differently?
#
# Trees compare features with thresholds. In fixed point a feature may come out on the other side of a threshold that is nearer than a
# unit of the last place. The report counts such comparisons, and says how many bits each layer had left.

# %%
report = score.accuracy(features[test], y=benign[test], protocol="trio")
show(report)
assert report.results["label"]["agree"]["trio"] == test.sum()

# %% [markdown]
# ## Trees of three hospitals
#
# Every third row is at another hospital. Each compares its own features with public edges, and nobody else sees these bits. The edges
# are what everybody knows of such tumours; here they are quantiles of the test rows, rounded. All splits and leaves stay secret: what is
# revealed are the scores of the test rows, to alice, whose patients they are.

# %%
EDGES = ml.quantile_edges(features[test], 4).round(2)
hospitals = tc.parties("alice", "bob", "carol")
places = np.flatnonzero(~test)
rows = {it.name: places[at::3] for at, it in enumerate(hospitals)}
x = tc.concat([ml.below(it.array("x", tc.Fixed(-8, 8), shape=(len(rows[it.name]), 30)), EDGES) for it in hospitals])
y = tc.concat([it.array("benign", tc.Bool(), shape=len(rows[it.name])) for it in hospitals])
new = ml.below(hospitals[0].array("new", tc.Fixed(-8, 8), shape=(int(test.sum()), 30)), EDGES)
learned = ml.GradientBoostingClassifier(n_estimators=TREES, max_depth=2, learning_rate=0.5).fit(x, y)
job = tc.job("trees", score=learned.decision_function(new).reveal(to=hospitals[0]))
show(job.disclosure())

# %% [markdown]
# ## What would it cost?
#
# Between three continents, where each round waits for the slowest link: few trees of few levels are what helps there. A simulation runs it
# in virtual time.

# %%
data = {name: {"x": features[its], "benign": benign[its]} for name, its in rows.items()}
data["alice"]["new"] = features[test]
show(job.simulate(data, network="global", protocols=["trio"]))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. Under `trio` every hospital follows the protocol.

# %%
result = job.run(data, protocol="trio")
show(result.report)

# %% [markdown]
# ## Beside the reference
#
# The same trees in floating point, with NumPy, on all rows in one place; and scikit-learn's of bob's rows alone.

# %%
order = np.concatenate(list(rows.values()))
clear = learned.reference(ml.below(features[order], EDGES), benign[order]).decision_function(ml.below(features[test], EDGES))
alone = GradientBoostingClassifier(n_estimators=TREES, max_depth=2, learning_rate=0.5, random_state=0)
alone = alone.fit(features[rows["bob"]], benign[rows["bob"]]).decision_function(features[test])
scores = {"Tacit, three hospitals": result.score, "NumPy, three hospitals": clear, "scikit-learn, one hospital": alone}
table = pd.DataFrame(
    [[roc_auc_score(benign[test], it), ((it > 0) == benign[test]).mean()] for it in scores.values()], list(scores), ["area", "accuracy"]
)
show(table.round(4))
assert abs(roc_auc_score(benign[test], result.score) - roc_auc_score(benign[test], clear)) < 0.01

# %%
figure, axes = plt.subplots()
for (name, it), style in zip(scores.items(), ("-", "--", ":"), strict=True):
    axes.plot(*roc_curve(benign[test], it)[:2], style, label=f"{name}, area {roc_auc_score(benign[test], it):.4f}")
axes.set(xlabel="false positives", ylabel="true positives")
axes.legend()
plt.show()
