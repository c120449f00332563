"""A logistic regression on features of two owners: 569 tumours, 15 features at each, the diagnosis at one of them.

Data: `load_breast_cancer` of scikit-learn, standardised by public constants.
"""

import numpy as np

import tacit as tc

STEPS = 100


def build() -> tc.Job:
    """The job: alice and bob learn the weights; carol computes only."""
    alice, bob, _carol = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=1024)
    x = alice.array("x", tc.Fixed(-8, 8), shape=(n, 15))
    y = alice.array("y", tc.Bool(), shape=n)
    z = bob.array("z", tc.Fixed(-8, 8), shape=(n, 15))
    both = tc.concat([x, z], axis=1)

    def step(w: tc.Array, _i: tc.Array) -> tc.Array:
        p = tc.sigmoid(both @ w)
        return w - both.T @ (p - y) / 512

    w = tc.loop(STEPS, step, tc.zeros(30), keep=tc.Fixed(-16, 16), overflow="check")
    return tc.job("logistic", weights=w.reveal(to=[alice, bob]))


def reference(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The same algorithm in floating point."""
    w = np.zeros(features.shape[1])
    for _ in range(STEPS):
        w -= features.T @ (1 / (1 + np.exp(-features @ w)) - labels) / 512
    return w


def main() -> None:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    features = ((data.data - data.data.mean(axis=0)) / data.data.std(axis=0)).clip(-8, 8)
    labels = data.target.astype(bool)
    job = build()
    print(job.disclosure())
    given = {"alice": {"x": features[:, :15], "y": labels}, "bob": {"z": features[:, 15:]}}
    clear = reference(features, labels)
    for protocol in ("trio", "lift"):
        result = job.run(given, protocol=protocol)
        error = np.abs(result.weights - clear).max()
        accuracy = ((features @ result.weights > 0) == labels).mean()
        print(f"{result.report}\n  accuracy {accuracy:.3f} (in the clear {((features @ clear > 0) == labels).mean():.3f})", end="")
        print(f", largest |difference| of a weight {error:.1e}")


if __name__ == "__main__":
    main()
