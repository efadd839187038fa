# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's own checks of estimators: bounds declared, data public, a test seed."""

from typing import Any

import pytest
from equinoise.estimators import EquinoiseClassifier, EquinoiseRegressor

pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import parametrize_with_checks

_PUBLIC = {
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

# Checks that cannot pass, with the reason.
_FAILING: dict[str, str] = {}


@parametrize_with_checks([_CLASSIFIER, _REGRESSOR], expected_failed_checks=lambda _: _FAILING)
def test_checks(estimator: Any, check: Any) -> None:
    check(estimator)
