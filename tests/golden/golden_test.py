#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What users parse and read: runs the lines of `commands` and compares all that they print and
write with `expected`. With --update writes `expected` anew; read the diff before you commit it.

Usage: golden_test.py TOOL [--update]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
TIMES = [
    (r'(seconds": ?)[0-9.e-]+', r"\1#"),
    (r"(?<![0-9.,e-])[0-9][0-9.,e-]*(/s| s| ms)\b", r"#\1"),
    (r"(?<![0-9.e-])[0-9.e-]+( +|</td><td>)((not )?dominated)", r"#\1\2"),
    (r"20\d\d-\d\d-\d\d[T ][0-9:.]+Z?", "#"),
    (r"\b[0-9a-f]{64}\b", "#"),
]
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?")


def masked(name: str, text: str) -> str:
    """The text without times, dates, hashes and the style sheet; blanks and rules of one length,
    because the width of a table follows its numbers."""
    text = re.sub(r"<style>.*?</style>", "<style></style>", text, flags=re.S)
    text = re.sub(r"^running \[.*\n", "", text, flags=re.M)  # more of them where it takes long
    for rule, with_ in TIMES:
        text = re.sub(rule, with_, text)
    if name.endswith("compare.csv"):
        text = re.sub(r"(?<=,)[0-9.e-]+$", "#", text, flags=re.M)  # a time
    text = re.sub(r"-{4,}", "----", text)
    return re.sub(r" +$", "", re.sub(r" {2,}", " ", text), flags=re.M)


def alike(a: str, b: str) -> bool:
    """Whether the lines differ in the last digit of numbers alone, which the mathematical
    libraries of two machines may round in different ways."""
    if a == b:
        return True
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    for x, y in zip(NUMBER.finditer(a), NUMBER.finditer(b), strict=True):
        digit = 10.0 ** (1 - len(x[1])) if x[1] else 0.0
        if abs(float(x[0]) - float(y[0])) > 1.01 * digit + 1e-6 * float(x[0]):
            return False
    return True


def long_lines(text: str) -> list[str]:
    """Lines that a screen may not have. Rows of tables are as wide as their figures."""
    is_json = text.startswith("{")
    return [] if is_json else [line for line in text.splitlines() if len(line.encode()) > 160]


def results(tool: str, folder: pathlib.Path) -> dict[str, str]:
    """The masked text of what each command prints, and of every file that they leave."""
    shutil.copytree(HERE / "inputs", folder, dirs_exist_ok=True)
    found = {}
    for line in (HERE / "commands").read_text().splitlines():
        name, words = line.split(": ", 1)
        run = subprocess.run([tool, *words.split()], cwd=folder, capture_output=True, text=True)
        for line in long_lines(run.stdout) + long_lines(run.stderr):
            sys.exit(f"{name} prints a line of {len(line)} characters:\n  {line}")
        found[f"{name}.txt"] = masked(
            name, f"{run.stdout}--- standard error\n{run.stderr}--- exit code {run.returncode}\n"
        )
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and path.suffix != ".ledger" and not (HERE / "inputs" / name).exists():
            found[name] = masked(name, path.read_text())
    return found


def main() -> int:
    expected = HERE / "expected"
    with tempfile.TemporaryDirectory() as folder:
        found = results(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(folder))
    if "--update" in sys.argv:
        shutil.rmtree(expected, ignore_errors=True)
        for name, text in found.items():
            (expected / name).parent.mkdir(parents=True, exist_ok=True)
            (expected / name).write_text(text)
    before = {str(p.relative_to(expected)): p for p in expected.rglob("*") if p.is_file()}
    num_changed = 0
    for name in sorted({*before, *found}):
        was = before[name].read_text().splitlines() if name in before else []
        now = found[name].splitlines() if name in found else []
        pairs = [
            *zip(was, now),
            *((a, "") for a in was[len(now) :]),
            *(("", b) for b in now[len(was) :]),
        ]
        first = next((i for i, (a, b) in enumerate(pairs) if not alike(a, b)), None)
        if first is None and len(was) == len(now):
            continue
        num_changed += 1
        first = first or 0
        print(
            f"{name}, line {first + 1}\n  before: {pairs[first][0][:300]}\n  now:    {pairs[first][1][:300]}"
        )
    if num_changed:
        print(
            f"{num_changed} files changed. If that is on purpose, give --update and read the diff."
        )
    return num_changed > 0


if __name__ == "__main__":
    sys.exit(main())
