# SPDX-License-Identifier: Apache-2.0
"""Parameters of the estimators: the options of `equinoise train`, and what a call needs besides."""

from collections.abc import Callable
from typing import Any, TypeVar

from equinoise._options import Option, docstring_of, options_of, signature_of

# Options of `train` in whose place an estimator has something else.
_REPLACED = {"na", "dry_run", "constraint"}
_OWN = {
    "schema": "Schema, or the path of one: what is publicly known about the table. Without it "
    "bounds, categories and num_records declare that",
    "ledger": "Ledger, or its path: pays for every fit",
    "groups": 'Columns whose intersections are the groups: "sex,race" or a list; a list of lists '
    "for several groupings. fit takes them from sensitive_features where they are not given",
    "constraints": "List of constraints as TYPE:ATTRIBUTES:SLACK, demographic_parity:sex:0.05, "
    "or of rates, fnr:0.1; or the path of a TOML or JSON file of constraints",
    "bounds": "Without a schema: the public range of numeric columns, (low, high) for all of them "
    "or {column: (low, high)}, by name or position. Numbers outside become the nearest bound; a "
    "missing one counts as their middle, and drops its record with drop_incomplete=True",
    "categories": "Without a schema: the public values of categorical columns, {column: [...]}. "
    "A missing one is a category of its own, and drops its record where the column tells groups "
    "apart",
    "classes": "Without a schema: the public classes; of public data by default those of y",
    "target_bounds": "Without a schema: the public range of the target, (low, high)",
    "num_records": 'The public number of records; "table": that of every table given to fit is '
    "public, as in cross-validation, which fits on parts of a table. Of public data by default "
    "that of X",
    "unit": 'Without a schema: "row" states that no person has two rows. Without it each row is '
    "protected by itself, as a warning says; people with several rows need a schema",
    "target": "Without a schema: name of the target [target]",
    "dataset": "Without a schema: name of the ledger's account; needed where a fit is paid",
    "public_data": "The table itself is public, so that an unreviewed schema will do and classes "
    "and sizes may be those of the table, bounds never; what is made is NOT PRIVATE",
    "verbose": "Whether to show progress [on a terminal and in a notebook]",
}
_FIRST = (
    *("epsilon", "delta", "schema", "ledger", "groups", "constraints", "model", "bounds"),
    *("categories", "classes", "target_bounds", "num_records", "unit", "target", "dataset"),
    "public_data",
)

_COMMON = """

Fitted attributes: classes_ (of a classifier, sorted), n_features_in_, feature_names_in_,
privacy_ (the guarantee), groups_ and report_ (exact figures, NOT PRIVATE), model_card_. What
score returns, and so cv_results_ of a search, is exact, too, and NOT PRIVATE.

Every fit with a private method is paid from the ledger, those of clones in searches and
cross-validation, too; a PaidFitWarning says so. Which of them is kept is not paid for where
exact scores decide. What may be fitted to the same records around it, such as a scaler, a
calibration or an explanation, is in docs/python/around-estimators.md. Only with
insecure_test_rng=True and a seed is a fit reproducible, and then it is NOT PRIVATE.
"""

_Class = TypeVar("_Class", bound=type[Any])
_METHOD = Option("method", "Training method (see equinoise methods)", "TEXT", "auto")


def with_parameters(summary: str) -> Callable[[_Class], _Class]:
    """Gives an estimator its signature and its docstring, which begins with `summary`."""

    def of(estimator: _Class) -> _Class:
        options = parameters_of(estimator._task_parameter)
        init: Any = estimator.__init__
        init.__signature__ = signature_of("method=auto", [option.name for option in options])
        estimator.__doc__ = docstring_of(summary + _COMMON, [_METHOD, *options])
        return estimator

    return of


def parameters_of(task_parameter: str) -> list[Option]:
    """Those but the method, in the order of the signature."""
    other = {"classes", "target_bounds", "method"} - {task_parameter}
    options = {k: o for k, o in options_of("train").items() if k not in _REPLACED}
    options.update({name: Option(name, text, "object") for name, text in _OWN.items()})
    ordered = [*_FIRST, *(name for name in options if name not in _FIRST)]
    return [options[name] for name in ordered if name not in other]
