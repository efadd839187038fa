#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every method at its defaults on tables that no paper used, and says how they did.

Each run is `equinoise train` as a user would type it, with a seeded source: not private, and
nothing is charged. A run is one line of the file of runs; runs that are there already are not
repeated, so an interrupted zoo goes on where it stopped. Raise RUNS_REVISION after a change that
makes old runs wrong.

The summary follows from the runs alone:
- constraints: how far held-out values lie above the slack, in how many runs by more than the half
  width of their 95 % interval, and whether a warning said so;
- what constraints cost in accuracy, against the best model without privacy that keeps them;
- worst groups: the largest loss of a group of at least LEAST_TESTED held-out records over that of
  dpsgd with the same split and budget, by method;
- advice: what `plan --per-group` recommends, against dpsgd and against the best.
"""
import argparse
import concurrent.futures
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
RUNS_REVISION = 2
LEAST_TESTED = 75  # about 300 of all records
CONSTRAINTS = ("demographic_parity:{}:0.05", "equalized_odds:{}:0.05", "fnr:0.1", "fnr:0.2")
METHODS = ("dpsgd", "dpsgd_global", "dpsgd_global_adapt", "dpsgd_f", "group_weighted", "balanced",
           "decoupled", "dpse", "dpnose", "mgr_w", "mgr", "ags", "phased_erm", "oco_exp3", "sgd")
NOT_PRIVATE = ("sgd", "sgda")
ADVICE = "plan"  # not a method: what `plan --per-group` recommends
# Their steps look at all records, so that --quick runs them on tables of at most so many.
SLOW, MOST_RECORDS = ("mgr", "ags"), 200_000


def path_without(path, columns, folder):
    return folder / f"{path.stem}_without_{'_'.join(columns)}.toml"


def write_schema_without(path, columns, folder):
    """The schema with these group columns, and what they are made of, out of the features."""
    text = path.read_text()
    groups = tomllib.loads(text).get("groups", {})
    for column in columns:
        source = groups.get(column, {}).get("column", column)
        head = re.compile(rf"^\[columns\.\"?{re.escape(source)}\"?\]\n", re.M)
        if not head.search(text):
            raise SystemExit(f"{path}: no [columns.{source}]")
        text = head.sub(lambda found: found.group(0) + "feature = false\n", text)
    path_without(path, columns, folder).write_text(text)


def cells_of(table, splits, epsilons):
    """All runs of a table, as dictionaries of what they are."""
    for groups in table["groups"]:
        for split in range(splits):
            for method in (*METHODS, ADVICE) if split == 0 else METHODS:
                # Without a guarantee epsilon is nothing; once is enough.
                for epsilon in epsilons if method not in NOT_PRIVATE else epsilons[:1]:
                    yield {"groups": groups, "split": split, "method": method, "epsilon": epsilon,
                           "constraint": None, "group_is_feature": True}
            if table["task"] != "binary" or len(groups) > 1:
                continue
            for constraint in CONSTRAINTS:
                for is_feature in (True, False):
                    for method in ("raco_dp", "sgda"):
                        for epsilon in epsilons if method == "raco_dp" else epsilons[:1]:
                            yield {"groups": groups, "split": split, "method": method,
                                   "epsilon": epsilon, "constraint": constraint.format(groups[0]),
                                   "group_is_feature": is_feature}


def key_of(table, cell, options):
    return json.dumps([RUNS_REVISION, options, table["name"], *(cell[k] for k in sorted(cell))])


def command_of(tool, data, folder, table, cell, options):
    schema = HERE / table["schema"]
    if cell["method"] == ADVICE:
        words = [tool, "plan", "--schema", schema, "--groups", ",".join(cell["groups"]),
                 "--epsilon", cell["epsilon"], "--per-group", "--json"]
        return [str(word) for word in words]
    if not cell["group_is_feature"]:
        schema = path_without(schema, cell["groups"], folder)
    words = [tool, "train", "--schema", schema, "--data", data / table["data"], "--groups",
             ",".join(cell["groups"]), "--method", cell["method"], "--split-seed", cell["split"],
             "--insecure-test-rng", "--seed", cell["split"] + 1, "--json"]
    if cell["method"] not in NOT_PRIVATE:
        words += ["--epsilon", cell["epsilon"]]
    if cell["constraint"]:
        words += ["--constraint", cell["constraint"]]
    return [str(word) for word in words] + options.split()


def run(tool, data, folder, table, cell, options):
    begin = time.monotonic()
    command = command_of(tool, data, folder, table, cell, options)
    done = subprocess.run(command, capture_output=True, text=True)
    line = {"key": key_of(table, cell, options), "table": table["name"], **cell,
            "seconds": round(time.monotonic() - begin, 3)}
    if done.returncode != 0:
        line["refused"] = done.stderr.strip().splitlines()[-1][:300]
        return line
    report = json.loads(done.stdout)
    if cell["method"] == ADVICE:
        line["advised"] = report["group_outlook"]["best"]
        return line
    line["loss"] = report["overall"]["loss"]
    line["accuracy"] = report["overall"].get("accuracy")
    line["groups_tested"] = [[list(g["group"].values()), g["num_records"], g["loss"],
                              g.get("accuracy")] for g in report["groups"]]
    line["constraints"] = [[c["text"], c["slack"], c["value"], c["interval"],
                            (c["private_evaluation"] or {}).get("value"),
                            (c["private_evaluation"] or {}).get("verdict")]
                           for c in report["constraints"]]
    line["warnings"] = report["warnings"]
    return line


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
    losses = [float("inf") if loss is None else loss
              for _, tested, loss, _ in line["groups_tested"] if tested >= LEAST_TESTED]
    return max(losses, default=None)


def is_warned(line):
    """Whether a warning, or a verdict of the private evaluation that is clear, says that this run is
    not what was asked for. Warnings of every run of the zoo or of the method say nothing of this
    one."""
    of_all = ("NOT PRIVATE", "noise of a step depends on")
    return (any(not any(text in warning for text in of_all) for warning in line["warnings"])
            or any(verdict == "fails" for *_, verdict in line["constraints"]))


def is_told(line):
    """The same, or the verdict is that a constraint fails but that this is not clear."""
    return is_warned(line) or any("fails" in (verdict or "") for *_, verdict in line["constraints"])


def table_of(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def excess_of(line):
    """How far the worst constraint lies above its slack, and that less the half width."""
    worst, clear = None, None
    for _, slack, value, interval, _, _ in line["constraints"]:
        if value is None:
            continue
        half = (interval[1] - interval[0]) / 2
        if worst is None or value - slack > worst:
            worst = value - slack
        if clear is None or value - slack - half > clear:
            clear = value - slack - half
    return worst, clear


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
        missed = [line for line in ran if (excess_of(line)[1] or 0) > 0]
        rows.append([kind, epsilon, len(cells), len(cells) - len(ran), len(missed),
                     sum(is_told(line) for line in missed), sum(is_warned(line) for line in ran),
                     sum(is_told(line) for line in ran),
                     sum(any(c[2] is None for c in line["constraints"]) for line in ran),
                     quartiles([excess_of(line)[0] for line in ran]),
                     quartiles([100 * line["accuracy"] for line in ran])])
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

    best = {key_of_cell(line): line["accuracy"] for line in lines
            if line["method"] == "sgda" and "refused" not in line
            and (excess_of(line)[1] or 0) <= 0}
    by_epsilon = {}
    for line in lines:
        if line["method"] != "raco_dp" or "refused" in line:
            continue
        key = key_of_cell(line)
        if key in best:
            by_epsilon.setdefault(line["epsilon"], []).append((best[key] - line["accuracy"], line))
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


def advice_summary(lines):
    """What the recommended method does, run: its largest loss of a group, a mean over splits, over
    that of dpsgd and of the best of the methods that were run."""
    runs, advised = {}, {}
    for line in lines:
        key = (line["table"], tuple(line["groups"]), line["epsilon"])
        if line["constraint"] or "refused" in line or line["method"] in NOT_PRIVATE:
            continue
        if line["method"] == ADVICE:
            advised[key] = line["advised"]
        elif worst_loss(line) is not None:
            runs.setdefault(key, {}).setdefault(line["method"], []).append(worst_loss(line))
    rows = []
    for epsilon in sorted({key[2] for key in advised}):
        others, ratios, plain = [], [], []
        for key, found in runs.items():
            most = max(len(losses) for losses in found.values())
            mean = {m: statistics.mean(losses) for m, losses in found.items()
                    if len(losses) == most}
            method = advised.get(key)
            if key[2] != epsilon or "dpsgd" not in mean or method not in mean:
                continue
            best = min(mean.values())
            ratios.append(mean[method] / best)
            plain.append(mean["dpsgd"] / best)
            if method != "dpsgd":
                others.append(mean[method] / mean["dpsgd"])
        if not ratios:
            continue
        rows.append([epsilon, len(ratios), len(others), quartiles(others),
                     f"{max(others):.3f}" if others else "-",
                     sum(ratio <= 1.1 for ratio in ratios), sum(ratio <= 1.1 for ratio in plain),
                     f"{statistics.mean(ratios):.3f}", f"{statistics.mean(plain):.3f}"])
    return table_of(["epsilon", "cells", "another than dpsgd is recommended",
                     "largest loss over that of dpsgd", "most", "within a tenth of the best",
                     "always dpsgd", "over the best, mean", "always dpsgd"], rows)


def missed_by_table(lines):
    rows = []
    names = sorted({line["table"] for line in lines if line["constraint"]})
    for name in names:
        cells = [line for line in lines if line["table"] == name and line["method"] == "raco_dp"
                 and line["epsilon"] >= 1 and "refused" not in line]
        missed = [line for line in cells if (excess_of(line)[1] or 0) > 0]
        rows.append([name, len(cells), len(missed), quartiles([excess_of(line)[0] for line in cells])])
    return table_of(["table, epsilon >= 1", "runs", "missed", "value less slack"], rows)


def dpsgd_summary(lines):
    """What everybody and the worst group get from dpsgd, means over groupings and splits."""
    cells = {}
    for line in lines:
        if line["method"] == "dpsgd" and "refused" not in line and worst_loss(line) is not None:
            cells.setdefault((line["table"], line["epsilon"]), []).append(line)
    rows = []
    for (table, epsilon), found in sorted(cells.items()):
        accuracies = [100 * line["accuracy"] for line in found if line["accuracy"]]
        rows.append([table, epsilon, f"{statistics.mean(line['loss'] for line in found):.3f}",
                     f"{statistics.mean(worst_loss(line) for line in found):.3f}",
                     f"{statistics.mean(accuracies):.1f}" if accuracies else ""])
    return table_of(["dpsgd on", "epsilon", "loss", "largest loss of a group", "accuracy %"], rows)


def worst_group_summary(lines):
    plain = {}
    for line in lines:
        if line["method"] == "dpsgd" and "refused" not in line:
            plain[(line["table"], tuple(line["groups"]), line["split"], line["epsilon"])] = line
    rows = []
    methods = [m for m in METHODS if any(line["method"] == m for line in lines)]
    epsilons = sorted({line["epsilon"] for line in lines})
    for method in methods:
        if method in ("dpsgd", *NOT_PRIVATE):
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
    parser.add_argument("--runs", type=pathlib.Path, default=pathlib.Path("build/zoo/runs.jsonl"))
    parser.add_argument("--quick", action="store_true",
                        help="two splits, epsilon 1 and 3; without mgr and ags on large tables")
    parser.add_argument("--only", default="", help="tables, separated by commas")
    parser.add_argument("--methods", default="", help="methods, separated by commas")
    parser.add_argument("--options", default="",
                        help="added to each command, to compare with defaults")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if not options.data.is_dir():
        raise SystemExit(f"zoo: no folder of tables at {options.data}; give --data")
    splits, epsilons = (2, (1, 3)) if options.quick else (5, (0.3, 1, 3, 8))
    tables = tomllib.loads((HERE / "tables.toml").read_text())["table"]
    tables = [t for t in tables if not options.only or t["name"] in options.only.split(",")]
    methods = set(options.methods.split(",")) if options.methods else None
    options.runs.parent.mkdir(parents=True, exist_ok=True)
    kept = {}
    if options.runs.exists():
        for text in options.runs.read_text().splitlines():
            line = json.loads(text)
            kept[line["key"]] = line
    asked = [(t, c) for t in tables for c in cells_of(t, splits, epsilons)
             if (methods is None or c["method"] in methods)
             and not (options.quick and c["method"] in SLOW and t["records"] > MOST_RECORDS)]
    missing = [(t, c) for t, c in asked if key_of(t, c, options.options) not in kept]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, options.runs.open("a") as out, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = pathlib.Path(folder)
        # Before any run, since several read one at once.
        for name, groups in {(t["schema"], tuple(c["groups"])) for t, c in missing
                             if not c["group_is_feature"]}:
            write_schema_without(HERE / name, groups, folder)
        futures = [pool.submit(run, options.tool, options.data, folder, t, c, options.options)
                   for t, c in missing]
        try:
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                line = future.result()
                kept[line["key"]] = line
                out.write(json.dumps(line) + "\n")
                out.flush()
                if sys.stderr.isatty() or done % 200 == 0:
                    left = (time.monotonic() - begin) / done * (len(missing) - done)
                    print(f"\rzoo: {done} of {len(missing)} runs, {left / 60:.0f} min left",
                          end="" if sys.stderr.isatty() else "\n", file=sys.stderr)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            raise SystemExit("\nzoo: interrupted; the same command goes on after the finished runs")
    lines = [kept[key_of(t, c, options.options)] for t, c in asked]
    seconds = sum(line["seconds"] for line in lines)
    print(f"{len(lines)} runs, {seconds / 60:.0f} minutes of one core, "
          f"{len(missing)} of them now\n")
    if any(line["constraint"] for line in lines):
        print(constraints_summary(lines))
        print(missed_by_table(lines))
        print(accuracy_summary(lines))
    if any(line["method"] == "dpsgd" for line in lines):
        print(dpsgd_summary(lines))
        print(worst_group_summary(lines))
        print(advice_summary(lines))


if __name__ == "__main__":
    main()
