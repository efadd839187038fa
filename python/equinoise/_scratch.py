# SPDX-License-Identifier: Apache-2.0
"""Folders that are there for one call, which nothing that is kept or said names."""

import re
import tempfile

_PREFIX = "equinoise-of-a-call-"

# The names of a schema in such a folder: of one that was given, which is saved under that name, and
# of one that was made of declared facts.
SCHEMA_FILE = "schema.toml"
DECLARED_FILE = "declared.toml"


def scratch_folder() -> "tempfile.TemporaryDirectory[str]":
    """A new one, which is removed with the object."""
    return tempfile.TemporaryDirectory(prefix=_PREFIX)


def in_files(text: bytes) -> bytes:
    """What a file says, with the files of such folders by the names under which they are saved."""
    folders = _folders().encode()
    text = re.sub(folders + re.escape(DECLARED_FILE).encode(), SCHEMA_FILE.encode(), text)
    return re.sub(folders, b"", text)


def in_messages(text: str) -> str:
    """What somebody is told, with schemas of such folders as what the caller gave."""
    text = re.sub(_folders() + re.escape(SCHEMA_FILE), "schema", text)
    text = re.sub(_folders() + re.escape(DECLARED_FILE) + r"(:\d+)*", "the declared facts", text)
    return re.sub(_folders(), "", text)


def _folders() -> str:
    return rf"{re.escape(tempfile.gettempdir())}/{_PREFIX}[^/]*/"
