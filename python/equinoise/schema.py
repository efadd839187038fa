# SPDX-License-Identifier: Apache-2.0
"""Schemas: what is publicly known about a table."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from equinoise._command import run, run_into
from equinoise._options import refuse_foreign
from equinoise._scratch import SCHEMA_FILE, scratch_folder
from equinoise.errors import SchemaError
from equinoise.frames import IN_MEMORY, table_of, with_column
from equinoise.reports import Report, Table, cell, write_for_owner

NO_SCHEMA = """\
[schema] there is no schema, and bounds, categories and sizes are never learnt in silence; write
    schema = Schema.draft(data, target="NAME OF THE COLUMN TO PREDICT")
    print(schema)            # check each line against what is public, and correct it
    schema.mark_reviewed()"""


class Schema:
    """A schema file (TOML): columns, bounds, categories, sizes, all of it public.

    The text keeps its comments until `mark_reviewed`: those of a draft are exact facts of records.
    Copies and pickles have none, and without a review there is no pickle. To change the text,
    assign to `text` or edit the file.

    >>> schema = Schema('dataset = "people"\\n[columns.age]\\ntype = "numeric"\\nbounds = [0, 99]')
    >>> schema.columns["age"]["bounds"], schema.reviewed
    ([0, 99], False)
    """

    def __init__(self, text: str) -> None:
        """Errors: SchemaError if the text is no TOML; the tool checks what it says when it runs."""
        self._path: Path | None = None
        self._is_stated_public = False
        self.text = text

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The schema in a file.

        >>> Schema.load("data/adult/schema.toml").target
        'income'
        """
        schema = cls(Path(path).read_text(encoding="utf-8"))
        schema._path = Path(path)
        return schema

    @classmethod
    def draft(
        cls,
        data: object,
        *,
        target: str | None = None,
        y: object = None,
        dataset: str = "data",
        **options: object,
    ) -> Self:
        """A first schema for a table. It is NOT PRIVATE: learnt from the records, for review.

        `y` is the column `target` where it is not in the table; `dataset` names the account that
        pays for what is released; `options` are those of `equinoise schema draft`, such as
        `groups="sex,race"`, or `unit="person_id"`, the column that says whose a row is.

        >>> draft = Schema.draft({"age": [20, 30, 40], "sex": ["F", "M", "F"]}, dataset="people")
        >>> draft.reviewed
        False
        """
        refuse_foreign("Schema.draft", "schema draft", options)
        if y is not None and target is None:
            raise SchemaError("[schema] y needs a name: give target=")
        if y is not None:
            from equinoise._inputs import refuse_other_order  # here, since that loads Narwhals

            refuse_other_order(data=data, y=y)
        index: Any = getattr(data, "index", None)  # of pandas
        for name in getattr(index, "names", ()):
            if name is not None and index.get_level_values(name).has_duplicates:
                raise SchemaError(
                    f"[schema.unit] the index {name!r} repeats and is not read; give "
                    "data.reset_index() if it says whose a row is, else "
                    "data.reset_index(drop=True)"
                )
        table = table_of(data) if y is None else with_column(data, str(target), y)
        report = run(
            "schema draft",
            {"data": IN_MEMORY, "target": target, "dataset": dataset, **options},
            tables={IN_MEMORY: table},
        )
        return cls(report["draft"])

    @property
    def text(self) -> str:
        """The file, as it is written."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        try:
            self._content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise SchemaError(f"[schema] the text is no TOML: {error}") from None
        self._text = text
        self._path = None

    @property
    def reviewed(self) -> bool:
        """Whether somebody said that everything in it is public; a draft is not reviewed."""
        return self._content.get("reviewed") is True

    @property
    def dataset(self) -> str | None:
        """The name of the dataset, which is that of its account in the ledger."""
        return self._content.get("dataset")

    @property
    def target(self) -> str | None:
        """The column to predict; None if there is none."""
        return self._content.get("target")

    @property
    def num_records(self) -> int | None:
        """The public number of records; None if it is not public."""
        number: int | None = self._content.get("public", {}).get("num_records")
        return number

    @property
    def unit(self) -> str:
        """Whom a guarantee is about: "row", or the column that says whose a row is.

        "": a draft could not tell, and nothing private runs until you assign the answer. A column
        also needs `max_records_per_unit`, `num_units` and type "ignored":
        `Schema.draft(data, unit="COLUMN")` writes them.

        >>> schema = Schema('dataset = "visits"\\nunit = ""')
        >>> schema.unit = "row"  # no person has two rows
        >>> schema.mark_reviewed().unit
        'row'
        """
        return str(self._content.get("unit", "row"))

    @unit.setter
    def unit(self, unit: str) -> None:
        top, rest = _without_sections(self._text)
        line = f"unit = {json.dumps(unit, ensure_ascii=False)}"
        top, found = re.subn(r"(?m)^\s*unit\s*=.*$", lambda _: line, top)
        self.text = (top if found else f"{line}\n{top}") + rest

    @property
    def num_units(self) -> int | None:
        """The public number of units where these are not rows; None if it is not public."""
        number: int | None = self._content.get("public", {}).get("num_units")
        return number

    @property
    def columns(self) -> dict[str, dict[str, Any]]:
        """What is declared of each column."""
        return {name: dict(column) for name, column in self._content.get("columns", {}).items()}

    def mark_reviewed(self, *, unit: str | None = None) -> Self:
        """States that you checked each line: everything in the schema is public.

        Nothing calls this for you. What is wrong here is not protected. All comments are dropped,
        since those of a draft are exact facts of the records, which nothing paid for. `unit`
        answers whose rows these are, as assigning to `Schema.unit` does; where nobody has, each
        row is protected by itself. Errors: SchemaError where a draft has asked.

        >>> Schema('dataset = "people"\\nreviewed = false').mark_reviewed().reviewed
        True
        """
        if unit is not None:
            self.unit = unit
        if self.unit == "":
            raise SchemaError(
                '[schema.unit] the schema does not say whose rows these are; give unit="row" if '
                "no person has two rows, or draft again with Schema.draft(data, unit=COLUMN)"
            )
        top, rest = _without_sections(without_comments(self._text))
        top, found = re.subn(r"(?m)^(\s*reviewed\s*=\s*)(?:true|false)", r"\1true", top)
        self.text = (top if found else "reviewed = true\n" + top) + rest
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file; one with comments, or a draft, for its owner alone: not private."""
        if self.reviewed and "#" not in self._text:
            Path(path).write_text(self._text, encoding="utf-8")
        else:
            write_for_owner(path, self._text)
        self._path = Path(path)

    def check(self, data: object = None, **options: object) -> Report:
        """Checks the schema, and a table against it; what it says of a table is not private.

        Errors: SchemaError, InputError with everything that does not fit.
        """
        refuse_foreign("Schema.check", "schema check", options)
        tables = {} if data is None else {IN_MEMORY: table_of(data)}
        with self.file() as path:
            content = run(
                "schema check",
                {"schema": path, "data": IN_MEMORY if tables else None, **options},
                tables=tables,
            )
        if tables:
            content["notice"] = "NOT PRIVATE: what is said of the table is computed without noise"
        report = Report(content)
        report.title = f"Schema of {self.dataset}"
        return report

    def sizes(
        self,
        data: object,
        groups: str | Sequence[str],
        *,
        epsilon: float,
        ledger: object = None,
        **options: object,
    ) -> "Schema":
        """A copy, without comments, with sizes of groups that are released with noise.

        The ledger pays epsilon for them. `options` are those of `equinoise schema sizes`.
        """
        refuse_foreign("Schema.sizes", "schema sizes", options)
        with self.file() as path, scratch_folder() as folder:
            out = Path(folder) / "sizes.toml"
            return run_into(
                out,
                lambda _: Schema(out.read_text(encoding="utf-8")),
                "schema sizes",
                {
                    "schema": path,
                    "data": IN_MEMORY,
                    "groups": groups,
                    "epsilon": epsilon,
                    "ledger": ledger,
                    **options,
                },
                tables={IN_MEMORY: table_of(data)},
            )

    @contextmanager
    def file(self) -> Iterator[str]:
        """The path of a file with this text: its own, or one that is there for a while."""
        if self._path is not None and _text_in(self._path) == self._text:
            yield os.fspath(self._path)
            return
        with scratch_folder() as folder:
            path = Path(folder) / SCHEMA_FILE
            path.write_text(self._text, encoding="utf-8")
            yield os.fspath(path)

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Errors: TypeError without a review: who dumps a draft writes it for others to read."""
        if not (self.reviewed or self._is_stated_public):
            raise TypeError(
                "a schema that nobody reviewed is not pickled, nor sent to other processes "
                "(n_jobs): what a draft learnt are exact facts of the records. save(path) writes "
                "it for its owner alone; mark_reviewed() states that everything in it is public"
            )
        return type(self), (without_comments(self._text),)

    def _of_public_data(self) -> "Schema":
        """A copy whose owner states that the records are public, so that it can be pickled."""
        stated = self.__copy__()
        stated._is_stated_public = True
        return stated

    def __copy__(self) -> Self:
        return type(self)(without_comments(self._text))

    def __deepcopy__(self, memo: object) -> Self:
        return self.__copy__()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return (
            f"Schema(dataset={self.dataset!r}, target={self.target!r}, "
            f"columns={len(self.columns)}, reviewed={self.reviewed})"
        )

    def _repr_html_(self) -> str:
        return _SchemaView(self)._repr_html_()


class _SchemaView(Report):
    """A schema as notebooks show it."""

    def __init__(self, schema: Schema) -> None:
        super().__init__({} if schema.reviewed else {"notice": _NOT_REVIEWED})
        self.title = f"Schema of {schema.dataset}"
        self._schema = schema

    def tables(self) -> list[Table]:
        rows = []
        for name, column in self._schema.columns.items():
            values = column.get("bounds", column.get("values", []))
            shown = [cell(v) for v in values[:8]] + (["..."] if len(values) > 8 else [])
            role = "target" if name == self._schema.target else column.get("missing", "")
            rows.append([name, str(column.get("type", "-")), ", ".join(shown), role])
        return [Table("", ["column", "type", "bounds or values", "missing"], rows)]


_NOT_REVIEWED = (
    "NOT PRIVATE: nobody has reviewed this schema; check each line against what is public, then "
    "call mark_reviewed()"
)


def without_comments(text: str) -> str:
    """The text of a schema without comments and empty lines."""
    from equinoise import _core  # here, since its libraries take long to load

    stripped: str = _core.without_comments(text)
    return stripped


@contextmanager
def schema_file(schema: "Schema | str | os.PathLike[str] | None") -> Iterator[str]:
    """The path of the file of a schema, which may be given as a path already.

    Errors: SchemaError if there is none.
    """
    if schema is None:
        raise SchemaError(NO_SCHEMA)
    if isinstance(schema, Schema):
        with schema.file() as path:
            yield path
    else:
        yield os.fspath(schema)


def _without_sections(text: str) -> tuple[str, str]:
    """The lines of a schema before its first section, and all others."""
    head = re.match(r"(?:(?!\s*\[).*\n?)*", text)
    end = head.end() if head else 0
    return text[:end], text[end:]


def _text_in(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return None
