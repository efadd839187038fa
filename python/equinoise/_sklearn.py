# SPDX-License-Identifier: Apache-2.0
"""What the estimators take from scikit-learn, or the little of it that they need without it."""

import inspect
from typing import Any

import numpy as np

__all__ = [
    "BaseEstimator",
    "ClassifierMixin",
    "DataConversionWarning",
    "NotFittedError",
    "RegressorMixin",
]


class PlainEstimator:
    """Parameters as scikit-learn has them."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(p for p in inspect.signature(cls.__init__).parameters if p != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> "PlainEstimator":
        """Sets parameters and returns the estimator."""
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        init = inspect.signature(type(self).__init__).parameters
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not init[name].default
        )
        return f"{type(self).__name__}({', '.join(changed)})"


class PlainClassifier:
    """A score as scikit-learn's classifiers have it."""

    def score(self, X: Any, y: Any) -> float:
        """The share of right predictions."""
        return float(np.mean(self.predict(X) == np.asarray(y)))  # type: ignore[attr-defined]


class PlainRegressor:
    """A score as scikit-learn's regressors have it."""

    def score(self, X: Any, y: Any) -> float:
        """R squared."""
        truth = np.asarray(y, dtype=float)
        residual = truth - self.predict(X)  # type: ignore[attr-defined]
        return float(1 - np.sum(residual**2) / np.sum((truth - truth.mean()) ** 2))


class PlainNotFittedError(ValueError, AttributeError):
    """The estimator is used before `fit`."""


class PlainConversionWarning(UserWarning):
    """y has a shape that it should not have."""


try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:
    BaseEstimator, ClassifierMixin, RegressorMixin = PlainEstimator, PlainClassifier, PlainRegressor
    DataConversionWarning, NotFittedError = PlainConversionWarning, PlainNotFittedError
