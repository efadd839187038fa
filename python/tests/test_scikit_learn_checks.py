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


@parametrize_with_checks([_CLASSIFIER, _REGRESSOR])
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_record_that_is_dropped_has_no_class() -> None:
    X = np.linspace(-1, 1, 40).reshape(20, 2)
    y = np.arange(20) // 10
    dropping = {**_PUBLIC, "drop_incomplete": True}
    model = EquinoiseClassifier(**dropping).fit(X, y)
    X[3, 1] = np.nan
    with pytest.raises(InputError, match="1 of 20 records have no prediction"):
        model.predict(X)
    probabilities = model.predict_proba(X)
    assert np.isnan(probabilities[3]).all()
    assert np.isfinite(np.delete(probabilities, 3, axis=0)).all()
    assert np.isnan(EquinoiseRegressor(target_bounds=(0, 1), **dropping).fit(X, y).predict(X)[3])
