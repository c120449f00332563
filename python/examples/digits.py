# %% [markdown]
# # A vendor's network reads a hospital's images
#
# A vendor trained a network that reads handwritten digits, and sells its use. A hospital has images of digits that it shows to
# nobody. The hospital learns the digits, one for each image, and no scores. The vendor learns how many images there were, and
# nothing of them; the hospital learns nothing of the weights but what the digits say. A third party, the auditor, only helps to
# compute.
#
# The images are `load_digits` of scikit-learn: 8 x 8 pixels. Besides Tacit this needs `pip install onnx skl2onnx scikit-learn
# matplotlib`.

# %%
import time

import matplotlib.pyplot as plt
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
images, digits = load_digits(return_X_y=True)
images = (images / 16).astype(np.float32)
mine, theirs = slice(0, 1400), slice(1400, None)
network = MLPClassifier((32,), learning_rate_init=0.01, max_iter=200, random_state=0).fit(images[mine], digits[mine])
print(f"{network.score(images[theirs], digits[theirs]):.3f} of the hospital's images are read as they should be")

# %% [markdown]
# ## Write the program
#
# `tc.ml.from_sklearn` makes the network an input of the vendor's. The structure is public: layers, their sizes, and the range that
# weights are declared to have. `sample=` is for trials: a few images that show how large values become.

# %%
hospital, vendor, auditor = tc.parties("hospital", "vendor", "auditor")
n = tc.rows("n", max=1000, min=1)
x = hospital.array("images", tc.Fixed(0, 1), shape=(n, 64), sample=images[mine][:100])
net = tc.ml.from_sklearn(network, owner=vendor, weights=tc.Fixed(-4, 4), name="digits")
show(net)

# %% [markdown]
# Calling it gives its outputs by name. Only the label is revealed: the probabilities are never computed, because nothing that is
# revealed depends on them.

# %%
out = net(x)
job = tc.job("digits", label=out.label.reveal(to=hospital))
show(job.disclosure())

# %% [markdown]
# ## How accurate is it?
#
# The report computes in the clear, with the roundings of fixed point, and under a protocol: `trio`, in this process. Beside them is
# the network in floating point, by ONNX's own reference. It says how many bits the values of each layer needed, of those that there
# are: nothing can overflow, because the program has room for every value that weights and images of the declared ranges can lead
# to.

# %%
report = job.accuracy(images[theirs], y=digits[theirs], protocol="trio")
show(report)
assert report.results["label"]["agree"]["trio"] == len(digits[theirs])

# %% [markdown]
# ## What would it cost?

# %%
for network_of in ("lan", "global"):
    show(job.plan(network=network_of, rows={"n": 100}))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. Under `trio` every party follows the protocol; under
# `lift` one of them may do anything. On three machines the vendor writes the same program with the network, and the others with
# `tc.onnx.without_weights` of it: the digest is the same.

# %%
data = {"hospital": {"images": images[theirs]}, **net.data}
labels = {}
for protocol in ("trio", "lift"):
    start = time.perf_counter()
    result = job.run(data, protocol=protocol)
    labels[protocol] = result.label
    show(result.report)
    print(f"{protocol}: {1000 * (time.perf_counter() - start) / len(result.label):.2f} ms for each image")

# %% [markdown]
# ## Beside the reference
#
# The digits are those that scikit-learn reads in the clear, with NumPy. Images that are misread are misread by both.

# %%
clear = network.predict(images[theirs])
for protocol, found in labels.items():
    print(f"{protocol}: accuracy {(found == digits[theirs]).mean():.3f}, in the clear {(clear == digits[theirs]).mean():.3f}")
    assert np.abs(found.astype(int) - clear).max() == 0

wrong = np.flatnonzero(clear != digits[theirs])[:8]
figure, axes = plt.subplots(1, len(wrong), figsize=(8, 1.6))
for axis, place in zip(axes, wrong, strict=True):
    axis.imshow(images[theirs][place].reshape(8, 8), cmap="gray_r")
    axis.set_title(f"{digits[theirs][place]}, read {labels['trio'][place]}", fontsize=8)
    axis.set_axis_off()
plt.show()
