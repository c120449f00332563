"""Mistakes with estimators and metrics: each names the line of the user's program and says what to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tacit as tc
from tacit import ml


def made() -> tuple[Any, Any, Any]:
    """Features and targets of two owners, with a known number of rows and with another one."""
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    n = tc.rows("n", max=100)

    def array(owner: Any, name: str, kind: tc.Type, shape: Any) -> tc.Array:
        return owner.array(name, kind, shape=shape)

    x, y = array(alice, "x", tc.Fixed(-8, 8), (40, 3)), array(bob, "y", tc.Bool(), 40)
    return x, y, lambda name, kind, shape: array(alice, name, kind, n if shape is None else tuple(n if it is None else it for it in shape))


MISTAKES: list[tuple[str, Callable[[Any, Any, Any], Any], type[Exception], str]] = [
    ("NumPy", lambda x, y, new: ml.LogisticRegression().fit(np.zeros((3, 2)), y), tc.ProgramError, "reference(X, y) for NumPy"),
    ("one axis", lambda x, y, new: ml.Ridge().fit(y, y), tc.ShapeError, "features have two axes"),
    ("rows", lambda x, y, new: ml.Ridge().fit(x, y[:10]), tc.ShapeError, "one number for each row: features have the shape (40, 3)"),
    ("targets", lambda x, y, new: ml.Ridge().fit(x, None), tc.ProgramError, "targets are an array of the parties"),
    (
        "classes",
        lambda x, y, new: ml.LogisticRegression().fit(x, new("c", tc.Int(0, 40), (40,))),
        tc.RangeError,
        "classes are whole numbers 0 to at most 31, and these may be anything in 0..40",
    ),
    (
        "boosted classes",
        lambda x, y, new: ml.GradientBoostingClassifier().fit(_bits(x), new("c", tc.Int(0, 16), (40,))),
        tc.RangeError,
        "0 to at most 15",
    ),
    ("signs", lambda x, y, new: ml.LogisticRegression().fit(x, new("c", tc.Int(-1, 1), (40,))), tc.RangeError, "anything in -1..1"),
    ("fractions", lambda x, y, new: ml.LogisticRegression().fit(x, x[:, 0]), tc.RangeError, "compare first, as in y == 3"),
    (
        "batches of unknown rows",
        lambda x, y, new: ml.LogisticRegression(batch_size=8).fit(new("s", tc.Fixed(-8, 8), (None, 3)), new("t", tc.Bool(), None)),
        tc.ShapeError,
        "batch_size= needs a known number of rows",
    ),
    ("large batch", lambda x, y, new: ml.LogisticRegression(batch_size=64).fit(x, y), tc.ProgramError, "a batch of 64 rows is more than"),
    ("no steps", lambda x, y, new: ml.LogisticRegression(steps=0).fit(x, y), tc.ProgramError, "steps is a whole number from 1, not 0"),
    (
        "rate",
        lambda x, y, new: ml.LogisticRegression(learning_rate=-1).fit(x, y),
        tc.ProgramError,
        "learning_rate is a public number above 0",
    ),
    ("sigmoid", lambda x, y, new: ml.LogisticRegression(sigmoid="tanh").fit(x, y), tc.ProgramError, "'exact', 'three-pieces', not 'tanh'"),
    ("few bits", lambda x, y, new: ml.LogisticRegression(sigmoid=3).fit(x, y), tc.ProgramError, "a number of right bits from 8 to 20"),
    (
        "bits of three classes",
        lambda x, y, new: ml.LogisticRegression(sigmoid=12).fit(x, new("three", tc.Int(0, 2), (40,))),
        tc.ProgramError,
        "sigmoid=12 is of two classes, and there are 3",
    ),
    ("overflow", lambda x, y, new: ml.LogisticRegression(overflow="wrap").fit(x, y), tc.ProgramError, "overflow is one of 'check'"),
    ("score range", lambda x, y, new: ml.PoissonRegressor(score_range=40).fit(x, y), tc.ProgramError, "score_range is at most 16"),
    ("alpha", lambda x, y, new: ml.Ridge(-1.0).fit(x, y), tc.ProgramError, "alpha is a public number from 0"),
    ("tol", lambda x, y, new: ml.Ridge(tol=1e-9).fit(x, y), tc.ProgramError, "tol is at least 2**-16"),
    ("many columns", lambda x, y, new: ml.Ridge().fit(new("w", tc.Fixed(-1, 1), (40, 65)), y), tc.ProgramError, "at most 64 columns"),
    (
        "wide range",
        lambda x, y, new: ml.Ridge().fit(new("w", tc.Fixed(0, 2**20), (40, 2)), y),
        tc.RangeError,
        "need more than 64 bits: scale columns",
    ),
    ("not fitted", lambda x, y, new: ml.Ridge().predict(x), tc.ProgramError, "this Ridge is not fitted yet: call fit first"),
    ("other columns", lambda x, y, new: ml.LogisticRegression(steps=1).fit(x, y).predict(x[:, :2]), tc.ShapeError, "fitted with 3 columns"),
    ("settings", lambda x, y, new: ml.Ridge().set_params(beta=1), tc.ProgramError, "Ridge has no setting 'beta': alpha"),
    ("centres", lambda x, y, new: ml.KMeans(np.zeros((2, 4))).fit(x), tc.ProgramError, "of 3 columns, and this has the shape (2, 4)"),
    ("one centre", lambda x, y, new: ml.KMeans(np.zeros((1, 3))).fit(x), tc.ProgramError, "clusters are 2 to 32"),
    ("components", lambda x, y, new: ml.PCA(4).fit(x), tc.ProgramError, "not 4 of 3"),
    (
        "components of rows",
        lambda x, y, new: ml.PCA(1).fit(new("s", tc.Fixed(-8, 8), (None, 3))),
        tc.ShapeError,
        "PCA needs a known number",
    ),
    ("least variance", lambda x, y, new: ml.PCA(1, tol=1e-9).fit(x), tc.ProgramError, "tol is at least 2**-14"),
    ("candidates", lambda x, y, new: ml.DecisionTreeClassifier().fit(x, y), tc.RangeError, "tc.ml.below(x, edges) makes them"),
    ("edges", lambda x, y, new: ml.below(x, np.zeros((2, 5))), tc.ShapeError, "edges are public numbers of shape (columns, edges)"),
    ("many edges", lambda x, y, new: ml.below(x, np.zeros((3, 32))), tc.ShapeError, "at most 31 for each column"),
    (
        "depth",
        lambda x, y, new: ml.DecisionTreeClassifier(max_depth=9).fit(_bits(x), y),
        tc.ProgramError,
        "max_depth is a whole number from 1 to 8",
    ),
    ("other candidates", lambda x, y, new: _tree(x, y).predict(_bits(x)[:, :2]), tc.ShapeError, "fitted with 3 candidate splits"),
    (
        "many classes",
        lambda x, y, new: ml.DecisionTreeClassifier().fit(_bits(x), new("c", tc.Int(0, 99), (40,))),
        tc.RangeError,
        "at most 15",
    ),
    (
        "large targets",
        lambda x, y, new: ml.DecisionTreeRegressor().fit(_bits(x), new("c", tc.Fixed(0, 2**30), (40,))),
        tc.RangeError,
        "too large to be squared: scale the targets",
    ),
    (
        "drawn columns",
        lambda x, y, new: ml.RandomForestClassifier(max_features=4).fit(_bits(x), y),
        tc.ProgramError,
        'max_features is "sqrt", a number of columns',
    ),
    (
        "edges of columns",
        lambda x, y, new: ml.RandomForestClassifier(edges=2).fit(_bits(x), y),
        tc.ShapeError,
        "3 candidate splits are no whole number of columns of edges=2",
    ),
    ("many trees", lambda x, y, new: ml.RandomForestClassifier(n_estimators=600).fit(_bits(x), y), tc.ProgramError, "at most 512 trees"),
    (
        "seed",
        lambda x, y, new: ml.RandomForestRegressor(random_state=None).fit(_bits(x), y),
        tc.ProgramError,
        "random_state is a whole number",
    ),
    (
        "drawn rows of unknown number",
        lambda x, y, new: ml.RandomForestClassifier().fit(_bits(new("s", tc.Fixed(-8, 8), (None, 3))), new("t", tc.Bool(), None)),
        tc.ShapeError,
        "bootstrap=True needs a known number of rows",
    ),
    (
        "many drawn rows",
        lambda x, y, new: ml.RandomForestClassifier(n_estimators=100).fit(
            _bits(new("s", tc.Fixed(-8, 8), (20_000, 3))), new("t", tc.Bool(), (20_000,))
        ),
        tc.RangeError,
        "100 draws of 20000 rows are more numbers than a program takes",
    ),
    (
        "hidden layers",
        lambda x, y, new: ml.MLPClassifier(hidden_layer_sizes=(0,)).fit(x, y),
        tc.ProgramError,
        "a layer's size is a whole number",
    ),
    (
        "network of rows",
        lambda x, y, new: ml.MLPClassifier().fit(new("s", tc.Fixed(-8, 8), (None, 3)), y),
        tc.ShapeError,
        "known number of rows",
    ),
    ("scale", lambda x, y, new: ml.StandardScaler(scale=[1, 0, 1]).fit(x), tc.ProgramError, "scale is public numbers above 0"),
    ("means", lambda x, y, new: ml.StandardScaler(mean=[1, 2]).fit(x), tc.ProgramError, "one for each of 3 columns"),
    (
        "split of rows",
        lambda x, y, new: ml.train_test_split(new("s", tc.Bool(), None)),
        tc.ShapeError,
        "a split needs a known number of rows",
    ),
    ("split of two", lambda x, y, new: ml.train_test_split(x, y[:20]), tc.ProgramError, "these have 40, 20"),
    ("test size", lambda x, y, new: ml.train_test_split(x, test_size=3), tc.ProgramError, "above 0 and below 1, not 3"),
    ("metric of NumPy", lambda x, y, new: ml.accuracy(y, np.zeros(40)), tc.ProgramError, "metrics are of arrays of the parties"),
    ("metric of columns", lambda x, y, new: ml.roc_auc(y, x), tc.ShapeError, "these have the shapes (40,) and (40, 3)"),
    ("metric of classes", lambda x, y, new: ml.roc_auc(x[:, 0], x[:, 1]), tc.RangeError, "classes are 0 and 1"),
    ("bins", lambda x, y, new: ml.calibration(y, x[:, 0], bins=1), tc.ProgramError, "bins are 2 to 64"),
    ("least", lambda x, y, new: ml.log_loss(y, x[:, 0], least=0), tc.ProgramError, "least is a public number"),
]


def _bits(x: tc.Array) -> tc.Array:
    return ml.below(x, np.zeros((3, 1)))


def _tree(x: tc.Array, y: tc.Array) -> Any:
    return ml.DecisionTreeClassifier(max_depth=1).fit(_bits(x), y)


@pytest.mark.parametrize(("mistake", "kind", "words"), [it[1:] for it in MISTAKES], ids=[it[0] for it in MISTAKES])
def test_mistakes(mistake: Callable[..., Any], kind: type[Exception], words: str) -> None:
    x, y, new = made()
    with pytest.raises(kind) as caught:
        mistake(x, y, new)
    message = str(caught.value)
    assert words in message
    assert message.startswith("test_ml_mistakes.py:"), message
    # The loop of a fit that failed is closed: the values can be used.
    tc.job("after", total=x.sum().reveal(to="all"))


def test_a_reference_needs_its_first_centres_in_the_clear() -> None:
    x, _, _ = made()
    with pytest.raises(tc.ProgramError, match="first centres in the clear"):
        ml.KMeans(x[:2]).reference(np.zeros((4, 3)))


def test_settings_and_what_they_look_like() -> None:
    model = ml.LogisticRegression(steps=5, sigmoid="three-pieces")
    assert model.get_params()["steps"] == 5 and model.get_params()["C"] == 1.0
    assert repr(model) == "LogisticRegression(steps=5, sigmoid='three-pieces')"
    assert model.set_params(steps=7).steps == 7
    for name in ml.__all__:
        made = getattr(ml, name)
        if isinstance(made, type) and made is not ml.KMeans:
            assert repr(made()) == f"{name}()"
            assert type(made(**made().get_params())) is made


def test_checks_keep_the_bits_behind_the_point() -> None:
    """A check with bounds that have fractions rounded numbers of more than 16 bits behind the point to so many."""
    alice, _, _ = tc.parties("alice", "bob", "carol")
    x = alice.array("x", tc.Fixed(-4, 4, 24))
    for way in (tc.check, tc.promise):
        assert way(x, -0.5, 0.5).dtype.endswith(",24)")
    small = alice.array("small", tc.Fixed(-1, 1, 24))
    kept = tc.loop(1, lambda v, i: v + small * 2.0**-8, small, keep=tc.Fixed(-1.5, 1.5, 24), overflow="check")
    assert tc.job("kept", kept=kept.reveal(to="all")).check({"alice": {"small": 2.0**-14}}).kept == 2.0**-14 + 2.0**-22
