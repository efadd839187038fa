# SPDX-License-Identifier: Apache-2.0
"""Synthetic rows under differential privacy."""

import json
import os
import shutil
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from equinoise._command import run, run_into
from equinoise._options import refuse_foreign
from equinoise._scratch import SCHEMA_FILE, in_files, scratch_folder
from equinoise.errors import UsageError
from equinoise.frames import Kind, in_kind, in_types, input_of, kind_of, table_of, types_of
from equinoise.guarantee import Guarantee
from equinoise.ledger import Ledger
from equinoise.progress import progress_of
from equinoise.reports import (
    PagedReport,
    Report,
    Table,
    cell,
    facts_table,
    group_name,
    guarantee_tables,
    page_of,
    upward,
)
from equinoise.schema import Schema, schema_file, without_comments

_SYNTHETIC = "synthetic table in memory"

# A value, None for missing, or (lowest, highest), of which None is open.
Condition = object


class Synthesizer:
    """A model of a whole table, from which rows are drawn at no further cost.

    `options` are those of `equinoise synth`, such as `degree=2`, `stratify="sex"` or
    `insecure_test_rng=True, seed=1` for a test that pays nothing. See docs/guide/synthetic-data.md.

    >>> synthesizer = Synthesizer("mst", epsilon=1, schema="data/adult/schema.toml",
    ...     insecure_test_rng=True, seed=1)
    >>> synthesizer.plan()["privacy"]["epsilon"] <= 1
    True
    """

    def __init__(
        self,
        method: str = "swift",
        *,
        epsilon: float | None = None,
        delta: float | None = None,
        schema: Schema | str | os.PathLike[str] | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        verbose: bool | None = None,
        **options: object,
    ) -> None:
        refuse_foreign("Synthesizer", "synth", options)
        self.method = method
        self.epsilon = epsilon
        self.delta = delta
        self.schema = schema
        self.ledger = ledger
        self.verbose = verbose
        self.options = options
        self._kind = Kind()
        self._types: dict[str, Any] = {}  # of the fitted columns
        self._folder: Path | None = None
        self._remove: Callable[[], object] | None = None

    def plan(self) -> "PlanReport":
        """What `fit` will cost, before anything is read or spent."""
        with schema_file(self.schema) as schema:
            return PlanReport(run("synth", {**self._options(schema), "dry_run": True}))

    def fit(self, data: object) -> Self:
        """Releases a model of the table; the ledger pays.

        Errors: SchemaError without a reviewed schema, BudgetError, LedgerError; nothing is spent
        then.
        """
        name, held = input_of(data)
        holder = scratch_folder()
        out = Path(holder.name) / "model"
        try:
            # Not by a path of its own, since the file is saved beside run.toml.
            given = Schema(self.schema.text) if isinstance(self.schema, Schema) else self.schema
            with schema_file(given) as schema:
                return run_into(
                    out,
                    lambda _: self._keep(data, out, holder.cleanup),
                    "synth",
                    {**self._options(schema), "data": name, "format": "parquet"},
                    tables=held,
                    progress=progress_of(self.verbose),
                )
        finally:
            if self._folder != out:
                holder.cleanup()

    def _keep(self, data: object, folder: Path, remove: Callable[[], object]) -> Self:
        """Takes the folder that a run wrote, with its schema where that has no file of its own."""
        for path in folder.iterdir():
            if path.suffix in (".html", ".json", ".md", ".toml"):
                path.write_bytes(in_files(path.read_bytes()))
        if isinstance(self.schema, Schema):
            text = without_comments(self.schema.text)
            (folder / SCHEMA_FILE).write_text(text, encoding="utf-8")
        if self._remove is not None:
            self._remove()
        self._remove = weakref.finalize(self, remove)  # there as long as this object
        self._folder = folder
        self._kind = kind_of(data)
        self._types = types_of(data)
        return self

    @property
    def model_(self) -> Path:
        """The folder with the model, the rows, the card and the report, as the tool writes them."""
        if self._folder is None:
            raise UsageError("[synthesizer] there is no model yet: call fit, or load one")
        return self._folder

    @property
    def report_(self) -> PagedReport:
        """What was measured and paid; for the owner of the data, since parts are not private."""
        report = SynthReport(_json_in(self.model_ / "report.json"), page_of(self.model_))
        report.title = f"Synthetic rows of {report['dataset']} by {report['method']}"
        return report

    @property
    def privacy_(self) -> Guarantee:
        """The guarantee."""
        card = self.card_
        privacy = card["privacy"]
        if not privacy:
            return Guarantee.of(card["status"], None, None, [f"{card['method']}: NOT PRIVATE"])
        return Guarantee.of(card["status"], privacy, card["unit"], card["privacy_in_words"])

    @property
    def card_(self) -> "Card":
        """What may be published with the rows: what they keep, their noise, how to quote them."""
        text = (self.model_ / "rows_card.md").read_text(encoding="utf-8")
        return Card(_json_in(self.model_ / "rows_card.json"), text)

    def sample(
        self,
        n: int | None = None,
        *,
        given: Mapping[str, Condition] | None = None,
        seed: int | None = None,
        rows_method: str | None = None,
        backend: str | None = None,
    ) -> Any:
        """Rows, as a table of the kind that was fitted, with the types of its columns.

        By default there are as many as were released.

        `given` holds columns to values, `(30, 40)` for a range of numbers with open ends as None,
        or None for missing. `seed` gives the same rows again. `backend` asks for another kind of
        table: "pandas", "polars" or "pyarrow"; of a loaded model it is a dictionary of arrays.
        """
        from equinoise import _core

        with scratch_folder() as folder:
            out = Path(folder) / "rows.parquet"
            run(
                "synth sample",
                {
                    "model": self.model_,
                    "rows": n,
                    "given": {name: _condition(one) for name, one in (given or {}).items()},
                    "rows_method": rows_method,
                    "seed": seed,
                    "out": out,
                },
            )
            columns = _core.read_columns(os.fspath(out), None)
        rows = in_kind(Kind(backend) if backend else self._kind, columns)
        return in_types(rows, self._types)

    def evaluate(self, real: object, *, synthetic: object = None, **options: object) -> PagedReport:
        """Compares the released rows, or others, with the real ones. It is NOT PRIVATE.

        `options` are those of `equinoise synth evaluate`, such as `by="sex"`, `degree=2`. A
        classifier learns the `target` of the schema.
        """
        refuse_foreign("evaluate", "synth evaluate", options)
        name, tables = input_of(real)
        rows: object = self.model_ / "rows.parquet"
        if synthetic is not None:
            tables[_SYNTHETIC] = table_of(synthetic)
            rows = _SYNTHETIC
        with schema_file(self.schema) as schema, scratch_folder() as folder:
            out = Path(folder) / "evaluation"
            content = run(
                "synth evaluate",
                {"schema": schema, "real": name, "synthetic": rows, "out": out, **options},
                tables=tables,
                progress=progress_of(self.verbose),
            )
            return EvaluationReport(content, page_of(out))

    def estimate(self, **options: object) -> "EstimateReport":
        """Figures of the records, with intervals that cover the noise; costs nothing.

        `options` are those of `equinoise synth estimate`: `table="sex"`, `share={"sex": "F"}`,
        `mean="age"`, `by="sex"`.
        """
        refuse_foreign("estimate", "synth estimate", options)
        return EstimateReport(run("synth estimate", {"model": self.model_, **options}))

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the files of the tool into a folder that is not there yet.

        `model.json`, the rows and the card may be published; the report is the owner's. A schema
        that was not given as a path is beside them without its comments, as schema.toml. In that
        folder `equinoise synth --config run.toml --data FILE --out FOLDER` repeats the run.
        """
        shutil.copytree(self.model_, folder)

    @classmethod
    def load(
        cls,
        folder: str | os.PathLike[str],
        *,
        schema: Schema | str | os.PathLike[str] | None = None,
    ) -> Self:
        """The model in a folder that `save` or `equinoise synth` wrote.

        `schema` is that to evaluate it with, by default schema.toml in the folder.
        """
        card = _json_in(Path(folder) / "rows_card.json")
        beside = Path(folder) / SCHEMA_FILE
        if schema is None and beside.exists():
            schema = Schema.load(beside)
        loaded = cls(card["method"], schema=schema)
        loaded._folder = Path(folder)
        return loaded

    def __getstate__(self) -> dict[str, Any]:
        if self._remove is not None:
            raise TypeError(
                "a fitted Synthesizer is not pickled or copied: save it into a folder and load that"
            )
        return self.__dict__

    def __repr__(self) -> str:
        given = {"epsilon": self.epsilon, "delta": self.delta, "schema": self.schema}
        shown = {**given, "ledger": self.ledger, **self.options}
        words = [f"{name}={value!r}" for name, value in shown.items() if value is not None]
        return f"Synthesizer({', '.join([repr(self.method), *words])})"

    def _options(self, schema: str) -> dict[str, object]:
        return {
            "schema": schema,
            "method": self.method,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "ledger": self.ledger,
            **self.options,
        }


class Card(Report):
    """The card of synthetic rows; as a text it is Markdown."""

    def __init__(self, content: Mapping[str, Any], text: str) -> None:
        super().__init__(content)
        self._text = text
        self.title = f"Synthetic rows: {content['dataset']}"

    def __str__(self) -> str:
        return self._text

    def tables(self) -> list[Table]:
        facts = {
            "rows": self["rows"]["count"],
            "records of the table": self["num_records"],
            "method": self["method"],
            "made with": f"Equinoise {self['version']}",
        }
        rows = [[column["name"], column["kind"]] for column in self["columns"]]
        columns = Table("", ["column", "kind"], rows)
        return [facts_table(facts), *guarantee_tables(self), columns]


class PlanReport(Report):
    """What a run will cost, before anything is read or spent."""

    title = "Plan"

    def tables(self) -> list[Table]:
        settings = {k: v for k, v in self.get("settings", {}).items() if not isinstance(v, dict)}
        facts = {"dataset": self["dataset"], "method": self["method"], **settings}
        ledger = facts_table(self._spending(), "Ledger")
        return [facts_table(facts), *guarantee_tables(self), ledger]

    def _spending(self) -> dict[str, str]:
        ledger = self.get("ledger_after")
        if not ledger:
            return {}
        spent = {"spent before": ledger["spent_before"], "spent after": ledger["spent"]}
        return {when: upward(guarantee["epsilon"]) for when, guarantee in spent.items()}


class SynthReport(PagedReport):
    """What a synthesizer measured and paid."""

    def tables(self) -> list[Table]:
        facts = {name: self[name] for name in ("rows", "rounds", "rho")}
        return [facts_table(facts), *guarantee_tables(self)]


class EvaluationReport(PagedReport):
    """How far rows are from the real ones."""

    title = "Synthetic rows against the real ones"

    def tables(self) -> list[Table]:
        errors = [
            [str(d["degree"]), cell(d["marginals"]), cell(d["error"]), cell(d["bootstrap"])]
            for d in self["degrees"]
        ]
        groups = [
            [
                group_name(g["group"]),
                cell(g["real_records"]),
                cell(g["workload_error"]),
                cell(g["bootstrap"]),
            ]
            for g in (self.get("parity") or {"groups": []})["groups"]
        ]
        return [
            Table("", ["columns", "marginals", "error", "of a bootstrap"], errors),
            Table("", ["group", "records", "error", "of a bootstrap"], groups),
        ]


class EstimateReport(Report):
    """Figures of the records behind a model."""

    title = "Figures of the records"

    def tables(self) -> list[Table]:
        rows = [
            [
                ", ".join(f"{name}={value}" for name, value in f["group"].items()) or "all",
                f["figure"],
                *(cell(f[name]) for name in ("model", "estimate")),
                *(cell(end) for end in f["estimate_interval"] or (None, None)),
            ]
            for f in self["figures"]
        ]
        header = ["group", "figure", "model", "estimate", "lower", "upper"]
        return [Table(self["question"], header, rows)]


def _condition(value: Condition) -> str:
    if value is None:
        return "missing"
    if isinstance(value, tuple):
        lowest, highest = ("" if end is None else str(end) for end in value)
        return f"{lowest}..{highest}"
    return str(value)


def _json_in(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
