# SPDX-License-Identifier: Apache-2.0
"""Commands run in this process are those of the tool: the same answers, errors and ledgers."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equinoise import _core, _tool, errors

NUM_PEOPLE = 400

SCHEMA = f"""
schema = "equinoise/1"
dataset = "people"
reviewed = true
target = "label"
[public]
num_records = {NUM_PEOPLE}
[columns.age]
type = "numeric"
bounds = [17, 90]
[columns.sex]
type = "categorical"
values = ["Female", "Male"]
[columns.label]
type = "categorical"
values = ["no", "yes"]
"""

TRAIN = ["train", "--schema", "people.toml", "--data", "people.csv", "--ledger", "people.ledger"]
SEEDED = ["--seed", "7", "--insecure-test-rng"]


class Listener:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def note(self, text: str) -> None:
        self.told.append(("note", text))

    def stage(self, text: str) -> None:
        self.told.append(("stage", text))

    def start(self, done: int, total: int) -> None:
        self.told.append(("start", (done, total)))

    def step(self, done: int) -> None:
        self.told.append(("step", done))

    def finish(self) -> None:
        self.told.append(("finish", None))

    def of(self, kind: str) -> list[Any]:
        return [value for name, value in self.told if name == kind]


class StopAt(Listener):
    """Calls `stop` at the first step."""

    def __init__(self, stop: Any) -> None:
        super().__init__()
        self.stop = stop

    def step(self, done: int) -> None:
        if not self.of("step"):
            self.stop()
        super().step(done)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, the one to work in, with people.csv, people.toml and people.ledger."""
    monkeypatch.chdir(tmp_path)
    rows = ["age,sex,label"]
    for i in range(NUM_PEOPLE):
        age = 17 + i * 37 % 74
        rows.append(f"{age},{'Male' if i % 3 else 'Female'},{'yes' if age > 45 else 'no'}")
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "people.toml").write_text(SCHEMA)
    run("ledger init --ledger people.ledger --dataset people --epsilon 3 --delta 1e-5")
    return tmp_path


def run(command: str, *words: str, progress: object = None) -> str:
    exit_code, text = _core.run([*command.split(), *words], {}, progress)
    assert exit_code == 0
    return text


def run_tool(*words: str) -> str:
    done = subprocess.run([_tool.path(), *words], check=True, capture_output=True, text=True)
    return done.stdout


def parameters_of(model: Path) -> Any:
    return json.loads((model / "model.json").read_text())["parameters"]


def spent_entries() -> list[Any]:
    account = json.loads(run("ledger show --ledger people.ledger --json"))
    entries: list[Any] = account["entries"]
    return entries


def test_an_answer_is_the_json_that_the_tool_prints() -> None:
    answer = json.loads(run("account epsilon --gaussian 2 --delta 1e-6 --json"))
    assert answer["schema"] == "equinoise/1"
    assert answer["epsilon"] == pytest.approx(2.254, abs=0.01)


@pytest.mark.parametrize(
    "command",
    [
        "--version",
        "--help",
        "train --method dpse --help",
        "methods",
        "methods dpsgd --json",
        "account compare --laplace 10 --steps 50 --delta 1e-6",
        "schema check --schema people.toml --data people.csv",
        "schema draft --data people.csv --target label",
        "plan --schema people.toml --epsilon 1 --delta 1e-5 --groups sex",
        "ledger explain --ledger people.ledger",
        "completion bash",
        "synth sample --help",
    ],
)
def test_output_is_that_of_the_tool(people: Path, command: str) -> None:
    assert run(command) == run_tool(*command.split())


def test_the_same_seed_makes_the_same_model(people: Path) -> None:
    words = [*TRAIN[:5], *SEEDED, "--epsilon", "1", "--delta", "1e-5", "--steps", "30"]
    run_tool(*words, "--out", "by_tool")
    run(" ".join(words), "--out", "in_process")
    assert parameters_of(people / "in_process") == parameters_of(people / "by_tool")


@pytest.mark.parametrize(
    ("command", "kind", "field", "text"),
    [
        ("train --epsilom 1", errors.UsageError, None, "did you mean --epsilon?"),
        ("", errors.UsageError, None, "subcommand"),
        ("methods dpsgx", errors.UsageError, "cli.methods", 'did you mean "dpsgd"?'),
        ("ledger show --ledger none", errors.LedgerError, "privacy.ledger", "no such ledger"),
        ("schema check --schema people.csv", errors.InputError, None, "people.csv"),
        (
            " ".join([*TRAIN, "--epsilon", "4", "--delta", "1e-5"]),
            errors.BudgetError,
            "privacy.ledger",
            "epsilon",
        ),
    ],
)
def test_errors_are_typed(
    people: Path, command: str, kind: type[errors.EquinoiseError], field: str | None, text: str
) -> None:
    with pytest.raises(kind, match="(?s).*" + text.replace("?", r"\?")) as caught:
        run(command)
    if field is not None:
        assert caught.value.field == field
    assert not str(caught.value).startswith("equinoise:")


def test_a_run_file_is_named_with_its_line(people: Path) -> None:
    (people / "run.toml").write_text(
        'command = "train"\nschema = "people.toml"\nmethod = "dpsgx"\n'
    )
    with pytest.raises(errors.EquinoiseError, match=r"run\.toml"):
        run("train --config run.toml --data people.csv --epsilon 1")


def test_a_failed_threshold_is_an_exit_code_with_its_report(people: Path) -> None:
    run(" ".join(TRAIN[:5]), *SEEDED, "--epsilon", "1", "--delta", "1e-5", "--out", "model")
    listener = Listener()
    audit = ["audit", "--model", "model", "--data", "people.csv", "--groups", "sex", "--json"]
    audit += ["--min-ratio", "selection_rate=1", "--strict"]
    exit_code, text = _core.run(audit, {}, listener)
    assert exit_code == errors.ThresholdError.exit_code
    assert json.loads(text)["schema"] == "equinoise/1"
    assert any("selection rate" in text for text in listener.of("note"))


def test_progress_is_told(people: Path) -> None:
    listener = Listener()
    run(" ".join(TRAIN), "--epsilon", "1", "--delta", "1e-5", "--steps", "40", progress=listener)
    assert any("reserving epsilon" in text for text in listener.of("stage"))
    assert listener.of("start") == [(0, 40)]
    assert listener.of("step")[-1] == 40
    assert listener.told[-1][0] in ("finish", "stage")
    quiet = Listener()
    run(" ".join(TRAIN), "--epsilon", "1", "--delta", "1e-5", "--quiet", progress=quiet)
    assert quiet.told == []


LONG = ["--epsilon", "1", "--delta", "1e-5", "--steps", "200000", "--batch-size", "300"]


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_leaves_the_ledger_as_the_tool_does(people: Path) -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        run(" ".join(TRAIN), *LONG, "--out", "model", progress=StopAt(interrupt))
    assert isinstance(caught.value.__cause__, errors.EquinoiseError)
    assert "stays spent" in str(caught.value.__cause__)
    assert not (people / "model").exists()
    assert len(spent_entries()) == 1
    run("ledger verify --ledger people.ledger")
    # The next run is as any other.
    run(" ".join(TRAIN), "--epsilon", "1", "--delta", "1e-5", "--out", "model")
    assert len(spent_entries()) == 2


def test_an_exception_of_the_listener_stops_the_run(people: Path) -> None:
    class Broken(Exception):
        pass

    def fail() -> None:
        raise Broken

    with pytest.raises(Broken):
        run(" ".join(TRAIN), *LONG, progress=StopAt(fail))
    assert len(spent_entries()) == 1
    with pytest.raises(AttributeError):
        run(" ".join(TRAIN), "--epsilon", "1", "--delta", "1e-5", progress=object())
    assert len(spent_entries()) == 1


def test_what_stops_a_finished_run_says_that_it_had_finished(people: Path) -> None:
    class Late(Listener):
        def finish(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        words = [*TRAIN, "--epsilon", "1", "--delta", "1e-5", "--out", "model"]
        run(" ".join(words), progress=Late())
    assert isinstance(caught.value.__cause__, errors.EquinoiseError)
    assert str(caught.value.__cause__) == "the command had finished; its files are written"
    assert (people / "model" / "model.json").exists()
    assert len(spent_entries()) == 1


def _beside_a_run(
    words: list[str], program: str = "", *flags: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program in a process of which another thread runs a command."""
    begin = f"""
import os, sys, threading, time
from equinoise import _core
begun = threading.Event()
class Listener:
    def note(self, text): pass
    def stage(self, text): pass
    def start(self, done, total): pass
    def step(self, done): begun.set()
    def finish(self): pass
threading.Thread(target=_core.run, args=({words!r}, {{}}, Listener()), daemon=True).start()
assert begun.wait(60)
"""
    python = [sys.executable, *flags, "-c", begin + program]
    place = {**os.environ, "PYTHONPATH": str(Path(str(_core.__file__)).parents[1])}
    return subprocess.run(python, capture_output=True, text=True, timeout=120, env=place)


def test_a_thread_that_runs_does_not_break_the_end_of_the_process(people: Path) -> None:
    for _ in range(3):
        done = _beside_a_run([*TRAIN, *LONG, "--out", "model"])
        assert (done.returncode, done.stderr) == (0, "")
    assert len(spent_entries()) == 3
    run("ledger verify --ledger people.ledger")


def test_a_forked_child_ends_while_its_parent_runs(people: Path) -> None:
    program = """
child = os.fork()
if child == 0:
    sys.exit(7)
end = time.monotonic() + 60
while time.monotonic() < end:
    found, status = os.waitpid(child, os.WNOHANG)
    if found:
        sys.exit(os.waitstatus_to_exitcode(status))
    time.sleep(0.02)
os.kill(child, 9)
sys.exit("the child does not end")
"""
    words = [*TRAIN, *SEEDED, *LONG, "--out", "model"]
    done = _beside_a_run(words, program, "-W", "ignore::DeprecationWarning")
    assert (done.returncode, done.stderr) == (7, "")


def test_other_threads_go_on(people: Path) -> None:
    counted = 0
    is_done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not is_done.is_set():
            counted += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    begin = time.monotonic()
    words = [*TRAIN[:5], *SEEDED, "--epsilon", "1", "--delta", "1e-5", "--batch-size", "300"]
    run(" ".join(words), "--steps", "20000")
    seconds = time.monotonic() - begin
    is_done.set()
    counter.join()
    assert counted > 50 * seconds


def test_two_threads_run_at_once(people: Path) -> None:
    words = [*TRAIN[:5], *SEEDED, "--epsilon", "1", "--delta", "1e-5", "--steps", "500"]

    def train(*names: str) -> None:
        for name in names:
            run(" ".join(words), "--out", name)

    threads = [threading.Thread(target=train, args=names) for names in (("a", "b"), ("c", "d"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    train("alone")
    expected = parameters_of(people / "alone")
    assert [parameters_of(people / name) for name in "abcd"] == [expected] * 4


def test_columns_are_read(people: Path) -> None:
    columns = _core.read_columns("people.csv", ["age"])
    age = columns["age"]
    assert isinstance(age, np.ndarray)
    assert age.dtype == np.float64
    assert age[:3].tolist() == [17, 54, 17 + 74 % 74]
    assert list(columns) == ["age", "sex", "label"]
    sexes = columns["sex"]
    assert isinstance(sexes, list)
    assert sexes[:2] == ["Female", "Male"]
    (people / "gaps.csv").write_text("a,b\n1,\n,x\n")
    gaps = _core.read_columns("gaps.csv", ["a"])
    assert np.array_equal(gaps["a"], np.array([1, np.nan]), equal_nan=True)  # type: ignore[arg-type]
    assert gaps["b"] == [None, "x"]
    with pytest.raises(errors.InputError, match=r"row 1 .* column 'sex' is not a number"):
        _core.read_columns("people.csv", ["sex"])
    with pytest.raises(errors.InputError, match=r"none\.csv"):
        _core.read_columns("none.csv", None)


def test_columns_of_parquet_have_its_types(people: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"a": [1, None], "b": [0.5, 2.0], "c": ["x", ""], "d": ["7", "8"]})
    pq.write_table(table, "table.parquet")
    columns = _core.read_columns("table.parquet", None)
    assert np.array_equal(columns["a"], np.array([1, np.nan]), equal_nan=True)  # type: ignore[arg-type]
    assert isinstance(columns["b"], np.ndarray)
    assert columns["c"] == ["x", ""], "an empty text is no null"
    assert columns["d"] == ["7", "8"]


def test_the_tool_describes_itself() -> None:
    described = json.loads(_core.describe())
    assert described["version"] in run("--version")
    options = {option["name"]: option for option in described["commands"]["train"]["options"]}
    assert options["max_grad_norm"]["type"] == "FLOAT"
    assert "dpsgd" in options["max_grad_norm"]["of"]
    assert options["model"]["default"] == "auto"
    assert "logistic" in options["model"]["values"]
    assert options["epsilon"]["of"] is None
    assert options["insecure_test_rng"]["takes_value"] is False
    assert options["groups"]["many"] is True
    assert "synth sample" in described["commands"]
    assert {"name", "summary", "status"} <= set(described["methods"]["means"][0])


def columns_of_people() -> dict[str, Any]:
    columns = _core.read_columns("people.csv", ["age"])
    return {name: np.asarray(values) for name, values in columns.items()}


def test_records_in_memory_make_the_model_of_their_file(people: Path) -> None:
    words = [*SEEDED, "--epsilon", "1", "--delta", "1e-5", "--steps", "30"]
    run(" ".join(TRAIN[:5]), *words, "--out", "of_file")
    table = columns_of_people()
    table["age"] = table["age"].astype(np.int16)
    train = ["train", "--schema", "people.toml", "--data", "people", *words, "--out", "of_memory"]
    assert _core.run(train, {"people": table}, None)[0] == 0
    assert parameters_of(people / "of_memory") == parameters_of(people / "of_file")


def drafted(columns: object) -> str:
    exit_code, text = _core.run(["schema", "draft", "--data", "table"], {"table": columns}, None)
    assert exit_code == 0
    return text


def test_columns_of_numpy_are_read_as_their_parquet_file_is(people: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = {
        "truth": np.array([True, False, True]),
        "small": np.array([1, 2, 3], dtype=np.uint8),
        "large": np.array([1, 2**63, 2**64 - 1], dtype=np.uint64),
        "strided": np.arange(6, dtype=np.int64)[::2],
        "single": np.array([0.1, np.nan, 16777216], dtype=np.float32),
        "word": np.array(["a", "é", "a"]),
        "object": np.array(["a", None, "b"], dtype=object),
        "mixed": np.array([1.0, None, np.float64(0.5)], dtype=object),
        "day": np.array(["2020-01-01", "NaT", "2020-03-01"], dtype="datetime64[D]"),
        "second": np.array(["2020-01-01T05", "NaT", "2020-03-01T00"], dtype="datetime64[s]"),
    }
    # So often that a draft shows more of them than that they are few.
    columns = {name: np.resize(array, 60) for name, array in values.items()}
    pq.write_table(pa.table({name: pa.array(array) for name, array in columns.items()}), "table")
    of_file = run("schema draft --data table")
    assert "[columns.second]" in of_file
    assert drafted(columns) == of_file


@pytest.mark.parametrize("kind", ["i2", "i4", "i8", "u4", "u8", "f4", "f8", "M8[s]"])
def test_the_order_of_bytes_makes_no_difference(kind: str) -> None:
    values = np.resize(np.arange(1, 7), 60).astype(kind)
    texts = [drafted({"a": values.astype(order + kind)}) for order in "<>"]
    assert texts[0] == texts[1]
    assert drafted({"a": values}) == texts[0]


def test_halves_have_the_text_that_arrow_gives_them() -> None:
    import pyarrow as pa

    values = np.resize(np.array([0.1, 1, 65504, np.nan]), 60).astype("f2")
    columns = {"a": values.astype("<f2"), "b": values.astype(">f2")}
    assert drafted(columns) == drafted(pa.table({"a": pa.array(values), "b": pa.array(values)}))


def test_tables_outlive_the_dictionary_that_gave_them(people: Path) -> None:
    import pyarrow as pa

    class Clearing(Listener):
        def stage(self, text: str) -> None:
            tables.clear()

        note = stage

    tables: dict[str, Any] = {"people": pa.table(columns_of_people())}
    words = ["--data", "people", *SEEDED, "--epsilon", "1", "--delta", "1e-5", "--steps", "30"]
    train = ["train", "--schema", "people.toml", *words, "--out", "of_memory"]
    assert _core.run(train, tables, Clearing())[0] == 0
    assert tables == {}

    class Changing:
        """A column that changes what holds it when an array is made of it."""

        def __array__(self, *_: object, **__: object) -> Any:
            columns.clear()
            return np.arange(60) % 7

    columns: dict[str, Any] = {"a": Changing(), "b": Changing()}
    assert "[columns.b]" in drafted(columns)


def test_records_that_can_be_read_once_are_no_table(people: Path) -> None:
    import pyarrow as pa

    reader = pa.table(columns_of_people()).to_reader(max_chunksize=100)
    compare = ["compare", "--schema", "people.toml", "--data", "people", "--quiet"]
    words = ["--methods", "sgd", "--seeds", "2", "--steps", "2", "--runs", "runs.jsonl"]
    with pytest.raises(errors.InputError, match="people: its records can be read once only"):
        _core.run([*compare, *words], {"people": reader}, None)
    table = pa.table(columns_of_people())
    assert _core.run([*compare, *words], {"people": table}, None)[0] == 0


def test_rows_of_records_that_can_be_read_once_are_made_in_memory(people: Path) -> None:
    import pyarrow as pa

    table = pa.table(columns_of_people())
    synth = ["synth", "--method", "mst", "--schema", "people.toml", "--data", "people", "--quiet"]
    synth += ["--epsilon", "1", "--max-table-size", "0.002", "--drop-incomplete", *SEEDED]
    for name, records in (("blocks", table), ("memory", table.to_reader(max_chunksize=100))):
        assert _core.run([*synth, "--out", name], {"people": records}, None)[0] == 0
    assert (people / "memory/rows.csv").read_bytes() == (people / "blocks/rows.csv").read_bytes()


def test_no_memory_for_arrow_is_a_memory_error() -> None:
    class Full:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise MemoryError

    with pytest.raises(MemoryError):
        drafted(Full())


class Secret:
    """Says its value, which no message must have, when it fails."""

    def isoformat(self) -> str:
        return str(self)

    def __str__(self) -> str:
        raise ValueError("secret 123")


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"a": np.array([Secret()])}, r"column 'a' .*\(ValueError\)"),
        ({"a": np.array([10**5000], dtype=object)}, r"column 'a' .*\(ValueError\)"),
        ({"a": np.array(["\ud800"], dtype=object)}, "column 'a' holds text that is not UTF-8"),
        ({"a": np.array(["\ud800"])}, "column 'a' holds text that is not UTF-8"),
        ({"a": np.zeros(1), 3: np.zeros(1)}, "the name of column 2 is .* of type int"),
        ({"\ud800": np.zeros(1)}, "the name of column 1 is no text in UTF-8"),
        ({"a": np.ma.array([1, 2], mask=[False, True])}, "column 'a' is a masked array"),
    ],
)
def test_what_is_no_column_is_refused_without_its_values(columns: object, problem: str) -> None:
    with pytest.raises(errors.InputError, match=problem) as caught:
        drafted(columns)
    assert "secret" not in repr(caught.value.__context__) + str(caught.value)
    assert "000000" not in str(caught.value)


def test_numbers_of_two_types_are_numbers() -> None:
    from decimal import Decimal

    values = np.array([1, 0.5, np.int8(3), np.float32(2), Decimal(7), None] * 10, dtype=object)
    assert 'type = "numeric"' in drafted({"a": values})


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"a": np.zeros((2, 2))}, "one-dimensional"),
        ({"a": np.zeros(2), "b": np.zeros(3)}, "column 'b' has 3 values"),
        ({"a": np.array([[1], {}], dtype=object)}, "column 'a' holds a value of type list"),
        ({"a": np.array([1j])}, "complex128"),
        (3, "must be a frame"),
    ],
)
def test_other_columns_are_refused(columns: object, problem: str) -> None:
    with pytest.raises(errors.InputError, match=problem):
        drafted(columns)


def test_import_is_quick() -> None:
    # Next to that of NumPy, in time of the processor, which others may use as well.
    code = (
        "from time import process_time as now; t = now(); import numpy; of_numpy = now() - t; "
        "t = now(); import equinoise; print((now() - t) / of_numpy)"
    )
    ratios = [
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
        for _ in range(3)
    ]
    assert min(ratios) < 1
