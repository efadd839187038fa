# SPDX-License-Identifier: Apache-2.0
"""What a release promises."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Guarantee:
    """What is promised to the people of a table; None where nothing is."""

    status: str
    epsilon: float | None
    delta: float | None
    relation: str | None
    accountant: str | None
    unit: str | None
    sentences: tuple[str, ...]

    @classmethod
    def of(
        cls,
        status: str,
        guarantee: Mapping[str, Any] | None,
        unit: str | None,
        sentences: Sequence[str],
    ) -> Self:
        """From the fields of a card; `guarantee`: an object of its JSON, or null."""
        facts = guarantee or {}
        return cls(
            status,
            facts.get("epsilon"),
            facts.get("delta"),
            facts.get("relation"),
            facts.get("accountant"),
            unit,
            tuple(sentences),
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences)
