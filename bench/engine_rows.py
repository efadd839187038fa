# SPDX-License-Identifier: Apache-2.0
"""Means and synthetic rows of a table where it is: a CSV file, a folder of Parquet files or a PostgreSQL server, of up to
100 million rows and 15 columns; what a release takes and whether all are the same.

Usage: build/python/bin/python bench/engine_rows.py [--equinoise PATH] [--rows 1000000,10000000,100000000]
[--sources csv,parquet,postgres] [--folder FOLDER]. Rows are drawn again from acs_income_2018_states of the folder that
EQUINOISE_SHARED names (../shared), where it is not there from as many made-up people. Three columns are made up for each
of these people; who is drawn again differs from who was drawn before by a year of age, rarely, and by a few dollars and
seconds. 100 million rows take 1.1 GB as Parquet, 5 GB as CSV and 13 GB in PostgreSQL, whose server is started in the
folder and stopped; a million rows are made and kept in memory at a time. Seconds, of all cores together, and memory are
those of the tool's process, which are DuckDB's, too, and not the server's.
"""

import argparse
import glob
import json
import os
import shutil
import subprocess
import tempfile
import time

import duckdb

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
CHUNK = 1_000_000
NOBODY = 65534  # a server must not run as root

# Columns of the table: name, type in PostgreSQL, and section of the schema.
COLUMNS = (
    ("ST", "text", None),
    ("AGEP", "integer", "bounds = [16, 100]\nwhole = true"),
    ("COW", "integer", range(1, 9)),
    ("SCHL", "integer", range(1, 25)),
    ("MAR", "integer", range(1, 3)),
    ("OCCP", "integer", range(10)),
    ("POBP", "integer", range(6)),
    ("RELP", "integer", range(18)),
    ("WKHP", "integer", "bounds = [0, 100]\nwhole = true"),
    ("SEX", "integer", range(1, 3)),
    ("RAC1P", "integer", range(1, 6)),
    ("PINCP", "integer", range(2)),
    ("INCOME", "numeric(10,2)", "bounds = [0, 250000]"),
    ("COMMUTE", "double precision", "bounds = [0, 120]"),
    ("INSURED", "boolean", ("false", "true")),
)

PEOPLE = """CREATE TABLE people AS SELECT person::UBIGINT AS person, ST, AGEP, COW, SCHL, MAR,
  OCCP // 1000 AS OCCP, POBP // 100 AS POBP, RELP, WKHP, SEX, RAC1P, PINCP,
  CASE PINCP WHEN 1 THEN 50000 + hash(person, 1) % 150000 ELSE 100 + hash(person, 1) % 49000 END AS INCOME,
  (hash(person, 2) % 1000) / 10.0 AS COMMUTE, hash(person, 3) % 100 < 91 - 10 * (COW = 8)::INTEGER AS INSURED
FROM ({source}) AS drawn"""
MADE_UP = """SELECT ['AL', 'NY', 'TX', 'WY'][1 + hash(i, 11) % 4] AS ST, 17 + hash(i, 12) % 70 AS AGEP,
  1 + hash(i, 13) % 8 AS COW, 1 + hash(i, 14) % 24 AS SCHL, 1 + hash(i, 15) % 2 AS MAR, hash(i, 16) % 9830 AS OCCP,
  hash(i, 17) % 554 AS POBP, hash(i, 18) % 18 AS RELP, 1 + hash(i, 19) % 99 AS WKHP, 1 + hash(i, 20) % 2 AS SEX,
  1 + hash(i, 21) % 5 AS RAC1P, hash(i, 22) % 2 AS PINCP FROM range(1137555) AS t(i)"""
ROWS = """SELECT ST, (AGEP + (hash(i, 31) % 200 = 0)::INTEGER)::INTEGER AS AGEP, COW::INTEGER AS COW, SCHL::INTEGER AS SCHL,
  MAR::INTEGER AS MAR, OCCP::INTEGER AS OCCP, POBP::INTEGER AS POBP, RELP::INTEGER AS RELP, WKHP::INTEGER AS WKHP,
  SEX::INTEGER AS SEX, RAC1P::INTEGER AS RAC1P, PINCP::INTEGER AS PINCP,
  (INCOME + (hash(i, 32) % 2000) / 100.0)::DECIMAL(10, 2) AS INCOME, COMMUTE + (hash(i, 33) % 50) / 1000.0 AS COMMUTE, INSURED
FROM (SELECT i, hash(i, 30) % {num_people} AS drawn FROM range({begin}, {end}) AS t(i)) JOIN people ON person = drawn"""


def people_of(connection):
    """Makes the table of those who are drawn; how many they are, and their states."""
    shared = os.environ.get("EQUINOISE_SHARED", f"{ROOT}/../shared")
    path = f"{shared}/data/acs_income_2018_states.csv.gz"
    source = f"SELECT * FROM read_csv('{path}')" if os.path.exists(path) else MADE_UP
    connection.execute(PEOPLE.format(source=source.replace("SELECT", "SELECT row_number() OVER () - 1 AS person,", 1)))
    num_people, = connection.execute("SELECT count(*) FROM people").fetchone()
    return num_people, [state for (state,) in connection.execute("SELECT DISTINCT ST FROM people ORDER BY ST").fetchall()]


def write_schema(path, num_rows, states):
    with open(path, "w", encoding="ascii") as file:
        file.write('schema = "equinoise/1"\ndataset = "drawn-again"\nreviewed = true\npublic_bins = 32\n')
        for name, _, domain in COLUMNS:
            values = states if domain is None else domain
            if isinstance(values, str):
                file.write(f'[columns.{name}]\ntype = "numeric"\n{values}\n')
            else:
                texts = json.dumps([str(value) for value in values])
                file.write(f'[columns.{name}]\ntype = "categorical"\nvalues = {texts}\n')
        file.write(f"[public]\nnum_records = {num_rows}\n")


class Server:
    """PostgreSQL on a socket in a folder, which ends with the block."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = max(glob.glob("/usr/lib/postgresql/*/bin"))
        self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}

    def __enter__(self):
        os.makedirs(f"{self.folder}/data")
        if self.user:
            os.chmod(os.path.dirname(self.folder), 0o711)
            for path in (self.folder, f"{self.folder}/data"):
                os.chown(path, NOBODY, NOBODY)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/", **self.user}
        subprocess.run([f"{self.programs}/initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "-N"],
                       check=True, **quiet)
        settings = ("listen_addresses=", "fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0",
                    "shared_buffers=256MB", "work_mem=256MB")
        words = [word for setting in settings for word in ("-c", setting)]
        self.process = subprocess.Popen(
            [f"{self.programs}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, *words], **quiet)
        while subprocess.run([f"{self.programs}/pg_isready", "-q", "-h", self.folder], check=False).returncode:
            time.sleep(0.1)
        columns = ", ".join(f'"{name}" {kind}' for name, kind, _ in COLUMNS)
        self.run(f"CREATE UNLOGGED TABLE people ({columns})")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def run(self, statement, data=None):
        subprocess.run([f"{self.programs}/psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "postgres",
                        "-c", statement, "postgres"], check=True, stdin=data)

    def url(self):
        return f"postgres://postgres@/postgres?host={self.folder}#people"


def write_rows(connection, num_people, folder, num_rows, sources, server):
    """The table in each of the sources, a chunk after the other."""
    os.makedirs(f"{folder}/parquet")
    with open(f"{folder}/people.csv", "wb") as csv:
        for begin in range(0, num_rows, CHUNK):
            rows = ROWS.format(num_people=num_people, begin=begin, end=min(begin + CHUNK, num_rows))
            parquet, chunk = f"{folder}/parquet/{begin // CHUNK:06d}.parquet", f"{folder}/chunk.csv"
            connection.execute(f"COPY ({rows}) TO '{parquet}' (FORMAT parquet, COMPRESSION zstd)")
            if sources == ["parquet"]:
                continue
            header = "csv" in sources and begin == 0
            connection.execute(f"COPY (FROM '{parquet}') TO '{chunk}' (FORMAT csv, HEADER {header})")
            with open(chunk, "rb") as part:
                if "csv" in sources:
                    shutil.copyfileobj(part, csv)
                    part.seek(0)
                if server:
                    server.run(f"COPY people FROM STDIN (FORMAT csv, HEADER {header})", part)
            os.remove(chunk)
    if server:
        server.run("VACUUM ANALYZE people")


def measured(command):
    """What a command printed as JSON, the processor's seconds that it took and its peak megabytes."""
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(command, stdout=printed, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        printed.seek(0)
        errors.seek(0)
        if status != 0:
            raise SystemExit(f"failed: {' '.join(command)}\n{errors.read()}")
        return json.loads(printed.read()), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def release(binary, folder, schema, data):
    """Both releases of one source, what they took as texts, and what must not depend on the source."""
    common = ["--schema", schema, "--data", data, "--epsilon", "1", "--delta", "1e-6", "--insecure-test-rng", "--seed", "1",
              "--json", "--quiet"]
    means, *cost_of_means = measured([binary, "means", "--columns", "AGEP,WKHP,INCOME,COMMUTE", "--by", "SEX,RAC1P",
                                      "--private-sizes", "--relation", "zero_out", *common])
    _, *cost_of_rows = measured([binary, "synth", "--method", "aim", "--degree", "2", "--rows", "100000", "--out",
                                 f"{folder}/made", "--force", *common])
    with open(f"{folder}/made/rows.csv", "rb") as file:
        released = (json.dumps(means["strata"], sort_keys=True), file.read())
    return [f"{seconds:.1f} s, {megabytes:.0f} MB" for seconds, megabytes in (cost_of_means, cost_of_rows)], released


def compare(binary, connection, people, num_rows, sources, place):
    folder = tempfile.mkdtemp(dir=place)
    server = Server(f"{folder}/server").__enter__() if "postgres" in sources else None
    try:
        write_schema(f"{folder}/schema.toml", num_rows, people[1])
        write_rows(connection, people[0], folder, num_rows, sources, server)
        first = None
        for source in sources:
            data = {"csv": f"{folder}/people.csv", "parquet": f"{folder}/parquet"}.get(source) or server.url()
            costs, released = release(binary, folder, f"{folder}/schema.toml", data)
            first = first or released
            same = "yes" if released == first else "NO"
            print(f"| {num_rows:,} | {source} | {costs[0]} | {costs[1]} | {same} |", flush=True)
    finally:
        if server:
            server.__exit__()
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--equinoise", default=f"{ROOT}/build/release/bin/equinoise")
    parser.add_argument("--rows", default="1000000,10000000,100000000")
    parser.add_argument("--sources", default="csv,parquet,postgres")
    parser.add_argument("--folder", help="where the tables are written; the usual one for temporary files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as spilled:
        connection = duckdb.connect(config={"memory_limit": "2GB", "temp_directory": spilled, "threads": 2})
        people = people_of(connection)
        print("| rows | from | means by sex and race | rows by aim | the same |\n|---|---|---|---|---|")
        for num_rows in options.rows.split(","):
            compare(os.path.abspath(options.equinoise), connection, people, int(num_rows), options.sources.split(","),
                    options.folder)


if __name__ == "__main__":
    main()
