# SPDX-License-Identifier: Apache-2.0
"""The command line tool that comes with the package."""

import os
import sys
from pathlib import Path


def path() -> Path:
    """The program, linked of the same libraries as `equinoise._core`."""
    return Path(__file__).parent / "bin" / "equinoise"


def main() -> None:
    """Becomes the tool, with the words that this process was given."""
    os.execv(path(), ["equinoise", *sys.argv[1:]])
