# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators: bounds declared, data public, a test seed."""

from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from equinoise.errors import InputError
from equinoise.estimators import EquinoiseClassifier, EquinoiseRegressor

_PUBLIC: dict[str, Any] = {
    "bounds": (-4.0, 4.0),
    "public_data": True,
    "epsilon": 20.0,
    "delta": 1e-3,
    "insecure_test_rng": True,
    "seed": 1,
    "steps": 200,
    "verbose": False,
}
_CLASSIFIER = EquinoiseClassifier(**_PUBLIC)
_REGRESSOR = EquinoiseRegressor(target_bounds=(-4.0, 4.0), **_PUBLIC)

_GAPS = (
    "records with a missing cell have no class, and predict says so instead of inventing one: "
    "test_a_record_with_a_missing_cell_has_no_class"
)
# What cannot pass, at most ten, each with its reason and a test of its own.
_FAILING = {EquinoiseClassifier: {"check_estimators_pickle": _GAPS}, EquinoiseRegressor: {}}


@parametrize_with_checks(
    [_CLASSIFIER, _REGRESSOR],
    expected_failed_checks=lambda estimator: _FAILING[type(estimator)],
    xfail_strict=True,
)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_at_most_ten_checks_fail() -> None:
    assert sum(map(len, _FAILING.values())) <= 10


def test_a_record_with_a_missing_cell_has_no_class() -> None:
    X = np.linspace(-1, 1, 40).reshape(20, 2)
    y = np.arange(20) // 10
    model = EquinoiseClassifier(**_PUBLIC).fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="1 of 20 records have no prediction"):
        model.predict(X)
    probabilities = model.predict_proba(X)
    assert np.isnan(probabilities[3]).all()
    assert np.isfinite(np.delete(probabilities, 3, axis=0)).all()
    assert np.isnan(EquinoiseRegressor(target_bounds=(0, 1), **_PUBLIC).fit(X, y).predict(X)[3])


def test_estimators_are_pickled_without_gaps() -> None:
    import pickle

    X = np.linspace(-1, 1, 40).reshape(20, 2)
    model = EquinoiseClassifier(**_PUBLIC).fit(X, np.arange(20) // 10)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.get_params() == model.get_params()
