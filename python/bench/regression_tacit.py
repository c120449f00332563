"""The regression under Tacit: the parties are threads of this process. Called by regression.py.

python regression_tacit.py DATA.npz --variant PROTOCOL
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.metadata import PackageNotFoundError, version

import numpy as np
from regression_task import build

import tacit as tc


def main() -> None:
    """Measures once, and prints what it found as JSON."""
    options = argparse.ArgumentParser()
    options.add_argument("data")
    options.add_argument("--variant", required=True)
    options.add_argument("--threads", type=int, default=1)
    asked = options.parse_args()
    data = np.load(asked.data)
    features, labels = data["features"], data["labels"]
    job = build()
    given = {"alice": {"x": features[:, :15], "y": labels}, "bob": {"z": features[:, 15:]}}
    for _ in range(2):  # the first run is not counted
        start = time.perf_counter()
        weights = job.run(given, protocol=asked.variant, threads=asked.threads).weights
        seconds = time.perf_counter() - start
    try:
        installed = version("tacit-mpc")
    except PackageNotFoundError:
        installed = f"of {tc.__file__}"
    print(json.dumps({"seconds": seconds, "weights": weights.tolist(), "versions": {"tacit": installed, "numpy": np.__version__}}))


if __name__ == "__main__":
    main()
