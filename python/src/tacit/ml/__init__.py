"""Training of models on arrays of several parties, and metrics.

Estimators have scikit-learn's conventions: settings in the constructor, `fit`, `predict`, and attributes with a trailing underscore.
They take and give arrays of the parties: `fit` adds operations to the program, and what it finds is secret until it is revealed.
`reference(X, y)` is the same algorithm in float64 NumPy.
"""

from .glm import GammaRegressor, LogisticRegression, PoissonRegressor
from .linear import LinearRegression, Ridge
from .preprocessing import StandardScaler, train_test_split

__all__ = [
    "GammaRegressor",
    "LinearRegression",
    "LogisticRegression",
    "PoissonRegressor",
    "Ridge",
    "StandardScaler",
    "train_test_split",
]
