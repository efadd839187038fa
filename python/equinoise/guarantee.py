# SPDX-License-Identifier: Apache-2.0
"""What a release promises."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Guarantee:
    """What is promised to the people of a table; None where nothing is.

    A number for epsilon stands only beside the status "private".
    """

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
        """From the fields of a card; `guarantee`: an object of its JSON, or null.

        One that covers the noise alone, as under a schema that nobody reviewed, promises nothing.
        """
        facts = (guarantee or {}) if status == "private" else {}
        return cls(
            status,
            facts.get("epsilon"),
            facts.get("delta"),
            facts.get("relation"),
            facts.get("accountant"),
            unit if facts else None,
            tuple(sentences),
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences)
