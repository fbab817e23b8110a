"""scikit-learn with arrays of Weft: by default, and with its array API dispatch, where results are arrays of Weft."""

import os
import subprocess
import sys

import numpy
import pytest
import weft.numpy as np

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install scikit-learn")
from sklearn import cluster, decomposition, ensemble, linear_model, metrics, model_selection  # noqa: E402
from sklearn import neighbors, pipeline, preprocessing, svm  # noqa: E402
from sklearn.utils import check_array  # noqa: E402

#: Calls with points `X`, their classes `y` and numbers `t`; the result of each is a number or an array.
CALLS = [
    "linear_model.Ridge(solver='svd').fit(X, t).coef_", "linear_model.Ridge(solver='svd').fit(X, t).predict(X)",
    "linear_model.LogisticRegression().fit(X, y).predict(X)", "decomposition.PCA(2).fit_transform(X)",
    "decomposition.PCA(2).fit(X).explained_variance_", "preprocessing.StandardScaler().fit_transform(X)",
    "preprocessing.MinMaxScaler().fit_transform(X)", "preprocessing.MaxAbsScaler().fit_transform(X)",
    "preprocessing.Normalizer().fit_transform(X)", "preprocessing.PolynomialFeatures(2).fit_transform(X)",
    "preprocessing.LabelEncoder().fit_transform(y)", "preprocessing.Binarizer().fit_transform(X)",
    "preprocessing.KernelCenterer().fit_transform(X @ X.T)", "pipeline.make_pipeline(preprocessing.StandardScaler(), decomposition.PCA(2)).fit_transform(X)",
    "model_selection.train_test_split(X, y, random_state=0)[0]", "model_selection.train_test_split(X, y, random_state=0, stratify=y)[3]",
    "metrics.accuracy_score(y, 1 - y)", "metrics.mean_squared_error(t, t + 1)", "metrics.mean_absolute_error(t, t + 1)",
    "metrics.r2_score(t, t + 1)", "metrics.f1_score(y, y)", "metrics.confusion_matrix(y, 1 - y)", "metrics.roc_auc_score(y, t)",
    "metrics.pairwise.cosine_similarity(X)", "metrics.pairwise.rbf_kernel(X)", "metrics.pairwise.euclidean_distances(X)",
]  # fmt: skip

#: Expressions that scikit-learn computes by itself, and not with the array API.
PLAIN = [
    "linear_model.LinearRegression().fit(X, t).coef_", "linear_model.LinearRegression().fit(X, t).predict(X)",
    "linear_model.Lasso(0.1).fit(X, t).coef_", "cluster.KMeans(2, n_init=1, random_state=0).fit(X).labels_",
    "cluster.KMeans(2, n_init=1, init=X[:2]).fit(X).cluster_centers_", "cluster.DBSCAN(eps=1.0).fit(X).labels_",
    "ensemble.RandomForestClassifier(5, random_state=0).fit(X, y).predict(X)",
    "ensemble.HistGradientBoostingClassifier(max_iter=5).fit(X, y).predict(X)", "svm.SVC().fit(X, y).predict(X)",
    "neighbors.KNeighborsClassifier().fit(X, y).predict(X)", "model_selection.cross_val_score(linear_model.Ridge(), X, t, cv=3)",
    "model_selection.GridSearchCV(linear_model.Ridge(), {'alpha': [0.1, 1.0]}, cv=3).fit(X, t).best_score_",
    "pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LinearRegression()).fit(X, t).predict(X)",
    "metrics.silhouette_score(X, y)", "metrics.roc_curve(y, t)[0]",
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


def operands(convert):
    points = numpy.random.default_rng(0).normal(size=(60, 4))
    return {"X": convert(points), "y": convert((points[:, 0] > 0).astype("i8")), "t": convert(points @ [1.0, 2.0, 3.0, 4.0])}


@pytest.mark.parametrize("text", CALLS + PLAIN)
def test_estimators_and_metrics_match_numpy(text):
    made = eval(text, globals(), operands(np.array))
    expected = eval(text, globals(), operands(numpy.array))
    assert numpy.allclose(numpy.asarray(made), expected, rtol=1e-6, atol=1e-9)


def test_estimators_and_metrics_match_numpy_with_dispatch():
    pytest.importorskip("scipy")
    text = f"""
import numpy, sklearn, weft.numpy as np
from sklearn import decomposition, linear_model, metrics, model_selection, pipeline, preprocessing
points = numpy.random.default_rng(0).normal(size=(60, 4))
names = lambda m: dict(X=m.array(points), y=m.array((points[:, 0] > 0).astype("i8")), t=m.array(points @ [1.0, 2.0, 3.0, 4.0]))
own = 0
for text in {CALLS!r}:
    with sklearn.config_context(array_api_dispatch=True):
        made = eval(text, globals(), names(np))
    expected = eval(text, globals(), names(numpy))
    assert numpy.allclose(abs(numpy.asarray(made)), abs(expected), rtol=1e-6, atol=1e-9), text
    own += isinstance(made, np.ndarray)
    assert isinstance(made, (float, np.ndarray)), text
print(own)
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1", "WEFT_FALLBACK": "error"}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=200, env=environment)
    assert done.returncode == 0, done.stderr
    # The others are numbers of Python.
    assert int(done.stdout) == 20


def test_points_are_read_without_copies():
    points = np.array(numpy.random.default_rng(0).normal(size=(60, 4)))
    checked = check_array(points)
    assert isinstance(checked, numpy.ndarray) and numpy.shares_memory(checked, numpy.asarray(points))


def test_accepts_label_arrays():
    classes = np.array([3, 1, 3, 2])
    assert preprocessing.LabelEncoder().fit(classes).classes_.tolist() == [1, 2, 3]
    assert "accuracy" in metrics.classification_report(classes, classes)
    assert [len(train) for train, _ in model_selection.KFold(2).split(classes)] == [2, 2]
