"""Models that scikit-learn trained agree with scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    TweedieRegressor,
)
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tacit as tc

# Fifty sample rows are few, and enough for these data.
pytestmark = pytest.mark.filterwarnings("ignore::tacit.FewSamples")

DATA = {"iris": load_iris, "cancer": load_breast_cancer, "diabetes": load_diabetes, "digits": load_digits}

CLASSIFIERS = [
    (LogisticRegression(max_iter=300), "cancer"),
    (LinearSVC(), "iris"),
    (RidgeClassifier(), "cancer"),
    (SGDClassifier(random_state=0), "iris"),
    (Perceptron(random_state=0), "iris"),
    (GaussianNB(), "iris"),
    (BernoulliNB(binarize=0.5), "digits"),
    (LinearDiscriminantAnalysis(), "iris"),
    (QuadraticDiscriminantAnalysis(), "iris"),
    (MLPClassifier((8,), max_iter=30, random_state=0), "digits"),
    (MLPClassifier((8,), activation="tanh", max_iter=50, random_state=0), "iris"),
    (DecisionTreeClassifier(random_state=0), "cancer"),
    (RandomForestClassifier(5, max_depth=5, random_state=0), "digits"),
    (ExtraTreesClassifier(5, max_depth=3, random_state=0), "cancer"),
    (GradientBoostingClassifier(n_estimators=5, random_state=0), "iris"),
    (AdaBoostClassifier(n_estimators=4, random_state=0), "iris"),
    (BaggingClassifier(n_estimators=3, random_state=0), "iris"),
    (SVC(), "iris"),
    (make_pipeline(StandardScaler(), LogisticRegression()), "cancer"),
    (make_pipeline(MinMaxScaler(), PCA(3), LogisticRegression()), "cancer"),
    (make_pipeline(Normalizer(), LogisticRegression()), "iris"),
    (KMeans(3, n_init=2, random_state=0), "iris"),
]
REGRESSORS = [
    *(LinearRegression(), Ridge(), Lasso(), ElasticNet(), BayesianRidge(), HuberRegressor(), PoissonRegressor(), GammaRegressor()),
    *(TweedieRegressor(), MLPRegressor(hidden_layer_sizes=(8,), max_iter=50, random_state=0), SVR(), PLSRegression(2)),
    *(DecisionTreeRegressor(max_depth=4), RandomForestRegressor(4, max_depth=3, random_state=0)),
    GradientBoostingRegressor(n_estimators=5, random_state=0),
]


def fitted(model: Any, name: str) -> tuple[Any, np.ndarray, np.ndarray]:
    x, y = DATA[name](return_X_y=True)
    x = (x / 16 if name == "digits" else x)[::3].astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(x, y[::3]), x, y[::3]


def job_of(model: Any, x: np.ndarray, private: bool, frac: int = 24, blind: Any = None) -> tuple[tc.Job, Any]:
    """A job that reveals all outputs, and the model; `blind` is a model that another party loads without its weights."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    given = alice.array(
        "x", tc.Fixed(float(np.floor(x.min())), float(np.ceil(x.max())), frac), shape=(tc.rows("n", max=1000), x.shape[1]), sample=x[:50]
    )
    whose = {"owner": bob, "weights": tc.Fixed(-4096, 4096, frac)} if private else {"public": True}
    if blind is not None:
        net = tc.onnx.load(tc.onnx.without_weights(blind.graph.model), name=blind.name, ranges=blind.cut, **whose)
    else:
        net = tc.ml.from_sklearn(model, **whose)
    return tc.job("model", {name: value.reveal(to=alice) for name, value in net(given).items()}), net


@pytest.mark.parametrize(("model", "name"), CLASSIFIERS, ids=lambda it: it if isinstance(it, str) else type(it).__name__)
def test_classes_are_those_of_scikit_learn(model: Any, name: str) -> None:
    model, x, _ = fitted(model, name)
    for private in (False, True):
        job, net = job_of(model, x, private)
        kept = {key: value for key, value in net.data.items() if key in job.input_names}
        result = job.check({"alice.x": x, **kept})
        assert not result.warnings
        assert (np.ravel(result.label) == model.predict(x)).mean() >= 0.995
        if "probabilities" in job.accuracy(x).results and hasattr(model, "predict_proba"):
            np.testing.assert_allclose(result.probabilities, model.predict_proba(x), atol=1e-3)


@pytest.mark.parametrize("model", REGRESSORS, ids=lambda it: type(it).__name__)
def test_numbers_are_those_of_scikit_learn(model: Any) -> None:
    model, x, y = fitted(model, "diabetes")
    for private in (False, True):
        job, net = job_of(model, x, private, frac=30 if hasattr(model, "max_depth") else 24)
        result = job.check({"alice.x": x, **net.data})
        assert not result.warnings
        np.testing.assert_allclose(np.ravel(result.variable), np.ravel(model.predict(x)), atol=1e-2)
        assert job.accuracy(x, y=y).results["variable"]["difference"]["tacit"] < 1e-2


@pytest.mark.parametrize("protocol", ["trio", "lift"])
def test_private_boosted_trees_under_protocols(protocol: str) -> None:
    model, x, y = fitted(GradientBoostingClassifier(n_estimators=10, random_state=0), "cancer")
    job, net = job_of(model, x, private=True, frac=18)
    assert "how many trees there are" in repr(net)
    report = job.accuracy(x[:40], y=y[:40], protocol=protocol)
    assert report.results["label"]["agree"] == {"tacit": 40, protocol: 40}
    assert report.results["probabilities"]["difference"][protocol] < 1e-3


@pytest.mark.parametrize(("model", "name"), [*CLASSIFIERS[::2], *((it, "diabetes") for it in REGRESSORS[::3])])
def test_nothing_of_private_weights_is_in_the_program(model: Any, name: str) -> None:
    model, x, _ = fitted(model, name)
    job, net = job_of(model, x, private=True)
    same, blind = job_of(model, x, private=True, blind=net)
    assert same.digest == job.digest
    assert net.data and not blind.data


def test_classes_that_are_texts() -> None:
    x, y = load_iris(return_X_y=True)
    names = load_iris().target_names[y]
    model = LogisticRegression(max_iter=300).fit(x, names)
    job, _ = job_of(model, x, private=False)
    assert (job.check({"alice.x": x}).label == names).mean() > 0.9
    assert job.accuracy(x, y=names).results["label"]["agree"] == {"tacit": 150}


def test_mistakes() -> None:
    with pytest.raises(tc.InputError, match="LogisticRegression is not fitted"):
        tc.ml.from_sklearn(LogisticRegression(), public=True)
    with pytest.raises(tc.InputError, match="skl2onnx does not convert"):
        tc.ml.from_sklearn(object(), features=3, public=True)
