"""Training of models on arrays of several parties, and metrics; and trained models of scikit-learn (`from_sklearn`).

Estimators have scikit-learn's conventions: settings in the constructor, `fit`, `predict`, and attributes with a trailing underscore.
They take and give arrays of the parties: `fit` adds operations to the program, and what it finds is secret until it is revealed.
`reference(X, y)` is the same algorithm in float64 NumPy.
"""

from .boosting import GradientBoostingClassifier, GradientBoostingRegressor
from .cluster import KMeans
from .convert import from_sklearn
from .decomposition import PCA
from .forest import RandomForestClassifier, RandomForestRegressor
from .glm import GammaRegressor, LogisticRegression, PoissonRegressor
from .linear import LinearRegression, Ridge
from .metrics import accuracy, calibration, confusion_matrix, log_loss, mean_squared_error, r2, roc_auc
from .neural import MLPClassifier
from .preprocessing import StandardScaler, train_test_split
from .trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    below,
    quantile_edges,
)

__all__ = [
    "PCA",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "GammaRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "KMeans",
    "LinearRegression",
    "LogisticRegression",
    "MLPClassifier",
    "PoissonRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ridge",
    "StandardScaler",
    "accuracy",
    "below",
    "calibration",
    "confusion_matrix",
    "from_sklearn",
    "log_loss",
    "mean_squared_error",
    "quantile_edges",
    "r2",
    "roc_auc",
    "train_test_split",
]
