#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every method at its defaults on tables that no paper used, and says how they did.

Each run is one of `equinoise compare`: under a seed, not private, and nothing is charged. Finished
runs are kept (--runs), so that an interrupted zoo goes on where it stopped.

The summary follows from the comparisons alone:
- constraints: how far held-out values lie above the slack, in how many runs so do the lower ends of
  their 95 % intervals, and whether a warning or the private evaluation said so;
- what constraints cost in accuracy, against the best model without privacy that keeps them;
- worst groups: the largest loss of a group that has 75 held-out records in every split, over that
  of dpsgd with the same split and budget, by method.
"""
import argparse
import csv
import hashlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).parent
CONSTRAINTS = ("demographic_parity:{}:0.05", "equalized_odds:{}:0.05", "fnr:0.1", "fnr:0.2")
METHODS = ("dpsgd", "dpsgd_global", "dpsgd_global_adapt", "dpsgd_f", "group_weighted", "balanced",
           "two_stage", "decoupled", "dpse", "dpnose", "mgr_w", "mgr", "ags", "phased_erm",
           "oco_exp3")
CONSTRAINED = ("raco_dp", "sgda")
NOT_PRIVATE = ("sgda",)
# Their steps look at all records, so that --quick runs them on tables of at most so many.
SLOW, MOST_RECORDS = ("mgr", "ags"), 200_000


def schema_without(path, columns, folder):
    """The schema with these group columns, and what they are made of, out of the features."""
    text = path.read_text()
    groups = tomllib.loads(text).get("groups", {})
    for column in columns:
        source = groups.get(column, {}).get("column", column)
        head = re.compile(rf"^\[columns\.\"?{re.escape(source)}\"?\]\n", re.M)
        if not head.search(text):
            raise SystemExit(f"{path}: no [columns.{source}]")
        text = head.sub(lambda found: found.group(0) + "feature = false\n", text)
    found = folder / f"{path.stem}_without_{'_'.join(columns)}.toml"
    found.write_text(text)
    return found


def comparisons_of(tables, methods, quick):
    """What is compared, one dictionary for each call of `equinoise compare`."""
    for table in tables:
        slow = SLOW if quick and table["records"] > MOST_RECORDS else ()
        of_groups = [m for m in METHODS if m in methods and m not in slow]
        constrained = [m for m in CONSTRAINED if m in methods]
        for groups in table["groups"]:
            if of_groups:
                yield {"table": table, "groups": groups, "methods": of_groups,
                       "constraint": None, "group_is_feature": True}
            if table["task"] != "binary" or len(groups) > 1 or not constrained:
                continue
            for constraint in CONSTRAINTS:
                for is_feature in (True, False):
                    yield {"table": table, "groups": groups, "methods": constrained,
                           "constraint": constraint.format(groups[0]),
                           "group_is_feature": is_feature}


class Tool:
    """The tool with what all its runs share."""

    def __init__(self, options, folder, splits, epsilons):
        self.options, self.folder = options, folder
        self.splits, self.epsilons = splits, epsilons

    def _json(self, words):
        done = subprocess.run([str(word) for word in (self.options.tool, *words)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0 and "no method is left to compare" in done.stderr:
            return {"rows": []}
        if done.returncode != 0:
            raise SystemExit(f"zoo: {' '.join(map(str, words))}\n{done.stderr}")
        return json.loads(done.stdout)

    def compare(self, comparison):
        """Its runs, as dictionaries of what they are and what came of them."""
        table, groups = comparison["table"], comparison["groups"]
        constraint = comparison["constraint"]
        schema = HERE / table["schema"]
        if not comparison["group_is_feature"]:
            schema = schema_without(schema, groups, self.folder)
        words = ["compare", "--schema", schema, "--data", self.options.data / table["data"],
                 "--groups", ",".join(groups), "--methods", ",".join(comparison["methods"]),
                 "--epsilon", ",".join(map(str, self.epsilons)), "--seeds", self.splits,
                 "--metric", "error" if constraint else "loss"]
        words += ["--constraint", constraint] if constraint else []
        words += self.options.options.split()
        # Finished runs of the same table, groups and options, whatever methods and budgets.
        name = json.dumps([table["name"], groups, constraint, comparison["group_is_feature"],
                           self.options.options])
        kept = self.options.runs / (hashlib.sha256(name.encode()).hexdigest()[:16] + ".json")
        out = self.folder / "compared"
        report = self._json([*words, "--runs", kept, "--out", out, "--force", "--threads",
                             self.options.jobs, "--json"])
        rows = {(row["method"], row["epsilon"]): row for row in report["rows"]}
        lines = {}
        if rows:
            for cells in csv.DictReader((out / "compare.csv").open(newline="")):
                epsilon = float(cells["epsilon"]) if cells["epsilon"] else None
                method, split = cells["method"], int(cells["seed"])
                line = lines.setdefault((method, epsilon, split), {"group_errors": []})
                if not cells["group"]:
                    line.update(error=number_of(cells["error"]), seconds=float(cells["seconds"]),
                                excess=number_of(cells["violation"]),
                                least_excess=number_of(cells["violation_low"]),
                                verdict=cells["private_verdict"],
                                warnings=rows[method, epsilon]["warnings"])
                elif cells["counted"] == "1":
                    line["group_errors"].append(number_of(cells["error"]))
        for method in comparison["methods"]:
            # Without a guarantee epsilon is nothing.
            for epsilon in self.epsilons if method not in NOT_PRIVATE else (None,):
                for split in range(self.splits):
                    line = lines.get((method, epsilon, split), {"refused": True, "seconds": 0})
                    yield {"table": table["name"], "groups": groups, "constraint": constraint,
                           "group_is_feature": comparison["group_is_feature"], "method": method,
                           "epsilon": epsilon, "split": split, **line}


def number_of(cell):
    return float(cell) if cell else None


def quartiles(values):
    values = sorted(v for v in values if v is not None)
    if not values:
        return "-"
    if len(values) < 3:
        return f"{statistics.median(values):.3f}"
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.3f} [{low:.3f}, {high:.3f}]"


def worst_loss(line):
    """The largest loss of a group with enough held-out records; infinite where one is undefined."""
    losses = [float("inf") if loss is None else loss for loss in line["group_errors"]]
    return max(losses, default=None)


def is_warned(line):
    """Whether a warning of the plan, or a verdict of the private evaluation that is clear, says that
    this run is not what was asked for. What is said of every run of the method, or of who pays how
    much, says nothing of this one."""
    of_all = "groups have different guarantees"
    return (any(of_all not in warning for warning in line["warnings"])
            or line["verdict"] == "fails")


def is_told(line):
    """The same, or the verdict is unclear."""
    return is_warned(line) or line["verdict"] == "unclear"


def table_of(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def is_missed(line):
    """Whether a held-out value is above its slack beyond chance."""
    return (line["least_excess"] or 0) > 0


def constraints_summary(lines):
    rows = []
    by_rule = {}
    for line in lines:
        if not line["constraint"] or line["method"] != "raco_dp":
            continue
        kind = line["constraint"].split(":")[0] + (" " + line["constraint"].split(":")[-1]
                                                   if line["constraint"].startswith("fnr") else "")
        by_rule.setdefault((kind, line["epsilon"]), []).append(line)
    for (kind, epsilon), cells in sorted(by_rule.items()):
        ran = [line for line in cells if "refused" not in line]
        missed = [line for line in ran if is_missed(line)]
        rows.append([kind, epsilon, len(cells), len(cells) - len(ran), len(missed),
                     sum(is_told(line) for line in missed), sum(is_warned(line) for line in ran),
                     sum(is_told(line) for line in ran),
                     sum(line["excess"] is None for line in ran),
                     quartiles([line["excess"] for line in ran]),
                     quartiles([100 * (1 - line["error"]) for line in ran])])
    return table_of(["constraint", "epsilon", "runs", "refused", "missed", "of these told",
                     "warned or clearly fails", "or unclear", "some undefined", "value less slack",
                     "accuracy %"], rows)


def is_mostly_told(lines):
    """Whether at least half of the splits of a cell were told."""
    return 2 * sum(is_told(line) for line in lines) >= len(lines)


def accuracy_summary(lines):
    """What privacy costs: the accuracy of raco_dp below that of sgda from the same features, where
    that keeps the constraint on the same held-out records."""
    def key_of_cell(line):
        return (line["table"], tuple(line["groups"]), line["constraint"], line["split"],
                line["group_is_feature"])

    best = {key_of_cell(line): 1 - line["error"] for line in lines
            if line["method"] == "sgda" and "refused" not in line
            and not is_missed(line)}
    by_epsilon = {}
    for line in lines:
        if line["method"] != "raco_dp" or "refused" in line:
            continue
        key = key_of_cell(line)
        if key in best:
            by_epsilon.setdefault(line["epsilon"], []).append((best[key] - (1 - line["error"]), line))
    rows = []
    for epsilon, cells in sorted(by_epsilon.items()):
        far = [line for gap, line in cells if gap > .03]
        over_splits = {}
        for gap, line in cells:
            key = key_of_cell(line)
            over_splits.setdefault(key[:3] + key[4:], []).append((gap, line))
        far_cells = [[line for _, line in found] for found in over_splits.values()
                     if statistics.mean(gap for gap, _ in found) > .03]
        rows.append([epsilon, len(cells), quartiles([100 * gap for gap, _ in cells]), len(far),
                     sum(is_told(line) for line in far),
                     ", ".join(sorted({line["table"] for line in far})), len(over_splits),
                     len(far_cells), sum(map(is_mostly_told, far_cells))])
    return table_of(["epsilon", "runs where sgda keeps it", "points of accuracy below it",
                     "more than 3", "of these told", "on", "means over splits", "more than 3",
                     "of these mostly told"], rows)


def missed_by_table(lines):
    rows = []
    names = sorted({line["table"] for line in lines if line["constraint"]})
    for name in names:
        cells = [line for line in lines if line["table"] == name and line["method"] == "raco_dp"
                 and line["epsilon"] >= 1 and "refused" not in line]
        missed = [line for line in cells if is_missed(line)]
        rows.append([name, len(cells), len(missed), quartiles([line["excess"] for line in cells])])
    return table_of(["table, epsilon >= 1", "runs", "missed", "value less slack"], rows)


def dpsgd_summary(lines):
    """What everybody and the worst group get from dpsgd, means over groupings and splits."""
    cells = {}
    for line in lines:
        if line["method"] == "dpsgd" and "refused" not in line and worst_loss(line) is not None:
            cells.setdefault((line["table"], line["epsilon"]), []).append(line)
    rows = []
    for (table, epsilon), found in sorted(cells.items()):
        rows.append([table, epsilon, f"{statistics.mean(line['error'] for line in found):.3f}",
                     f"{statistics.mean(worst_loss(line) for line in found):.3f}"])
    return table_of(["dpsgd on", "epsilon", "loss", "largest loss of a group"], rows)


def worst_group_summary(lines):
    plain = {}
    for line in lines:
        if line["method"] == "dpsgd" and "refused" not in line:
            plain[(line["table"], tuple(line["groups"]), line["split"], line["epsilon"])] = line
    rows = []
    methods = [m for m in METHODS if any(line["method"] == m for line in lines)]
    epsilons = sorted({line["epsilon"] for line in lines if line["epsilon"] is not None})
    for method in methods:
        if method == "dpsgd":
            continue
        for epsilon in epsilons:
            cells = [line for line in lines if line["method"] == method
                     and line["epsilon"] == epsilon and not line["constraint"]]
            ran = [line for line in cells if "refused" not in line]
            ratios, worse, unwarned = [], 0, 0
            over_splits = {}
            for line in ran:
                other = plain.get((line["table"], tuple(line["groups"]), line["split"], epsilon))
                if other is None or worst_loss(line) is None or worst_loss(other) is None:
                    continue
                if worst_loss(other) == float("inf"):
                    continue
                over_splits.setdefault(line["table"] + str(line["groups"]), []).append((line, other))
                ratio = worst_loss(line) / worst_loss(other)
                ratios.append(ratio)
                if ratio > 1.1:
                    worse += 1
                    unwarned += not is_told(line)
            warned = sum(is_told(line) for line in ran)
            worse_cells = [[line for line, _ in found] for found in over_splits.values()
                           if sum(worst_loss(line) for line, _ in found)
                           > 1.1 * sum(worst_loss(other) for _, other in found)]
            rows.append([method, epsilon, len(cells), len(cells) - len(ran), warned,
                         quartiles(ratios), worse, unwarned, len(worse_cells),
                         len(worse_cells) - sum(map(is_mostly_told, worse_cells))])
    return table_of(["method", "epsilon", "runs", "refused", "warned",
                     "largest loss over that of dpsgd", "beyond 1.1", "of these not warned",
                     "means over splits beyond 1.1", "of these mostly not warned"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default="build/release/bin/equinoise")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--runs", type=pathlib.Path, default=pathlib.Path("build/zoo"),
                        help="folder that keeps finished runs")
    parser.add_argument("--quick", action="store_true",
                        help="two splits, epsilon 1 and 3; without mgr and ags on large tables")
    parser.add_argument("--only", default="", help="tables, separated by commas")
    parser.add_argument("--methods", default="",
                        help="methods, separated by commas")
    parser.add_argument("--options", default="",
                        help="added to each comparison, to compare with defaults; but no --grid")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if "--grid" in options.options:
        raise SystemExit("zoo: the summary has no place for the points of a --grid")
    if not options.data.is_dir():
        raise SystemExit(f"zoo: no folder of tables at {options.data}; give --data")
    splits, epsilons = (2, (1, 3)) if options.quick else (5, (0.3, 1, 3, 8))
    tables = tomllib.loads((HERE / "tables.toml").read_text())["table"]
    tables = [t for t in tables if not options.only or t["name"] in options.only.split(",")]
    known = {*METHODS, *CONSTRAINED}
    methods = set(options.methods.split(",")) if options.methods else known
    if methods - known:
        raise SystemExit(f"zoo: no method {', '.join(sorted(methods - known))}")
    options.runs.mkdir(parents=True, exist_ok=True)
    lines = []
    comparisons = list(comparisons_of(tables, methods, options.quick))
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(options, pathlib.Path(folder), splits, epsilons)
        try:
            for done, comparison in enumerate(comparisons, 1):
                lines += tool.compare(comparison)
                if sys.stderr.isatty() or done % 20 == 0:
                    left = (time.monotonic() - begin) / done * (len(comparisons) - done)
                    print(f"\rzoo: {done} of {len(comparisons)} comparisons, {left / 60:.0f} min "
                          "left ", end="" if sys.stderr.isatty() else "\n", file=sys.stderr)
        except KeyboardInterrupt:
            raise SystemExit("\nzoo: interrupted; the same command goes on after the finished runs")
    seconds = sum(line["seconds"] for line in lines)
    print(f"{len(lines)} runs, {seconds / 60:.0f} minutes of one core\n")
    if any(line["constraint"] for line in lines):
        print(constraints_summary(lines))
        print(missed_by_table(lines))
        print(accuracy_summary(lines))
    if any(line["method"] == "dpsgd" for line in lines):
        print(dpsgd_summary(lines))
        print(worst_group_summary(lines))


if __name__ == "__main__":
    main()
