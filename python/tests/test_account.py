# SPDX-License-Identifier: Apache-2.0
"""The calculator."""

import pytest

from equinoise import UsageError, account


def test_noise_is_the_inverse_of_epsilon() -> None:
    noise = account.noise(epsilon=1, delta=1e-6, sample_rate=0.01, steps=1000)
    epsilon = account.epsilon(gaussian=noise, sample_rate=0.01, steps=1000, delta=1e-6)
    assert epsilon == pytest.approx(1, rel=1e-4)
    assert account.steps(gaussian=noise, sample_rate=0.01, epsilon=1) == pytest.approx(1000, abs=2)
    assert account.delta(gaussian=noise, sample_rate=0.01, steps=1000, epsilon=epsilon) <= 1.01e-6


def test_several_events_add_up() -> None:
    one = account.epsilon(laplace=10)
    event = {"type": "laplace", "noise_multiplier": 10}
    assert account.epsilon(laplace=[10, 10]) == account.epsilon(laplace=10, events=[event]) > one


def test_accountants_are_compared() -> None:
    report = account.compare(gaussian=1.1, sample_rate=0.01, steps=1000)
    assert [row.get("epsilon") is None for row in report["rows"]] == [True, False, False]
    assert "zCDP cannot bound" in report._repr_html_()


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(UsageError):
        account.epsilon(gaussian=-1)
    with pytest.raises(UsageError, match="accountant"):
        account.epsilon(gaussian=1, accountant="rpd")
