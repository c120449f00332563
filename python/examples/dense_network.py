# %% [markdown]
# # A network of 784, 128 and 10 neurons reads an image
#
# This is the network that papers measure: an image of 28 x 28 pixels, a layer of 128 neurons with ReLU, and one output for each digit. The
# vendor has its weights, and the client an image. The client learns which digit it is, and no scores; the vendor learns nothing. The
# example `digits` says more about accuracy.
#
# The images are `load_digits` of scikit-learn, 8 x 8 pixels made larger. Besides Tacit this needs `pip install onnx skl2onnx scikit-learn`.

# %%
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

# %% [markdown]
# ## The vendor trains
#
# In floating point, at home, on images of its own.

# %%
small, digits = load_digits(return_X_y=True)
place = np.arange(28) * 8 // 28
images = (small.reshape(-1, 8, 8)[:, place][:, :, place].reshape(-1, 784) / 16).astype(np.float32)
mine, theirs = slice(0, 1400), slice(1400, None)
network = MLPClassifier((128,), learning_rate_init=0.002, tol=0.01, n_iter_no_change=2, random_state=0).fit(images[mine], digits[mine])
print(f"{network.score(images[theirs], digits[theirs]):.3f} of the client's images are read as they should be")

# %% [markdown]
# ## Write the program
#
# `tc.ml.from_sklearn` makes the weights an input of the vendor's. Numbers have 14 bits behind the point. Only the label is revealed.

# %%
vendor, client = tc.parties("vendor", "client")
n = tc.rows("n", min=1, max=1000)
x = client.array("images", tc.Fixed(0, 1, 14), shape=(n, 784))
net = tc.ml.from_sklearn(network, owner=vendor, weights=tc.Fixed(-1, 1, 14), name="digits")
job = tc.job("dense_network", label=net(x).label.reveal(to=client))
show(job.disclosure())

# %% [markdown]
# ## What would it cost between three continents?

# %%
show(job.plan(network="global", rows={"n": 1}))

# %% [markdown]
# ## Run it, for one image
#
# All parties run in this process: that is for trials, and **protects nobody**. `gmw` is for the two alone: each of the 101,632 products is
# a circuit there. Under `trio` and `lift` a third party helps, and learns nothing; under `lift` one of the three may do anything to
# cheat.

# %%
PROTOCOLS = ["gmw", "trio", "lift"]
first = images[theirs][:1]
clear = network.predict(first)
for protocol in PROTOCOLS:
    result = job.run({"client": {"images": first}, **net.data}, protocol=protocol)
    show(result.report)
    print(f"{protocol}: {result.label[0]}, in the clear {clear[0]}")
    assert np.abs(result.label - clear).max() == 0

# %% [markdown]
# ## All images of the client
#
# In one run, which takes hardly more rounds. The reference is scikit-learn's own prediction, in floating point.

# %%
result = job.run({"client": {"images": images[theirs]}, **net.data}, protocol="trio")
show(result.report)
clear = network.predict(images[theirs])
print(f"{(result.label == clear).sum()} of {len(clear)} labels are those in the clear")
assert np.abs(result.label - clear).max() == 0
