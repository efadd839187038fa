// SPDX-License-Identifier: Apache-2.0
// A table is counted as the same whoever counts it: here from CSV or Parquet, or DuckDB from its
// own files and from folders of Parquet files.
#include "equinoise/tasks/count/count.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "equinoise/base/rounding.h"
#include "equinoise/data/public_bins.h"
#include "equinoise/engines/duckdb_engine.h"
#include "equinoise/engines/engine_url.h"
#include "tests/engines/duckdb_files.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::count_test {

using testing::run_duckdb;

/// Keeps what is told.
class Documents : public TaskProgress {
 public:
  void stage(const std::string& text) override { text_ += text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// One table in several places.
class Places {
 public:
  /// `query`: the table, as DuckDB makes it, in an order that a column `n` says, which is left out.
  explicit Places(const std::string& query) {
    std::filesystem::create_directories(folder_.path() / "parts/deep");
    const auto copied = [&](const std::string& name, const std::string& where) {
      return "COPY (SELECT * EXCLUDE (n) FROM t" + where + " ORDER BY n) TO '" +
             (folder_.path() / name).string() + "'";
    };
    run_duckdb(folder_.path() / "people.duckdb",
               {"CREATE TABLE t AS " + query, copied("people.parquet", "") + " (FORMAT parquet)",
                copied("people.csv", "") + " (HEADER)",
                copied("parts/a.parquet", " WHERE n % 3 = 0") + " (FORMAT parquet)",
                copied("parts/deep/b.parquet", " WHERE n % 3 > 0") + " (FORMAT parquet)"});
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string database() const { return "duckdb:" + path("people.duckdb") + "#t"; }

  /// The schema with public_bins where they are not 0.
  void set_schema(const std::string& schema, int bins = 0) const {
    folder_.write_file("people.toml",
                       "schema = \"equinoise/1\"\ndataset = \"people\"\nreviewed = true\n" +
                           (bins > 0 ? "public_bins = " + std::to_string(bins) + "\n" : "") +
                           schema);
  }

  std::string counted(const std::string& from, Documents* told = nullptr) const {
    std::string text;
    CountRequest request;
    request.schema.path = folder_.path() / "people.toml";
    request.from = table_at(from);
    request.write = [&](std::string_view part) { text += part; };
    Documents nobody;
    count_table(request, told == nullptr ? nobody : *told);
    return text;
  }

  /// What Parquet is read as here, after the test that engines count the same.
  std::string counted_everywhere() const {
    const std::string here = counted(path("people.parquet"));
    EXPECT_EQ(counted(path("parts")), here);
    EXPECT_EQ(counted(database()), here);
    return here;
  }

 private:
  TempFolder folder_;
};

TEST(Count, OfNumbersIsTheSameEverywhere) {
  const Places places(R"(SELECT * FROM (VALUES
    (0, 17::BIGINT, 0.1::DOUBLE, 0.1::FLOAT, 0.10::DECIMAL(5,2)),
    (1, 17, 0.1, 0.1, 0.10),
    (2, NULL, NULL, NULL, NULL),
    (3, -9, -9, -9, -9),
    (4, 9007199254740993, 'inf', '-inf', 999.99),
    (5, -9007199254740993, '-inf', 'inf', -999.99),
    (6, 90, -0.0, -0.0, 0),
    (7, 91, 'nan', 'nan', 1.01),
    (8, 16, 0.25, 0.25, 0.25),
    (9, 50, 0.24999999999999997, 0.24999999, 0.24)) AS v(n, age, dose, score, paid))");
  places.set_schema(R"(missing_values = ["", "-9"]
[columns.age]
type = "numeric"
bounds = [17, 90]
whole = true
[columns.dose]
type = "numeric"
bounds = [0, 1]
malformed = "drop"
[columns.score]
type = "numeric"
bounds = [0, 1]
[columns.paid]
type = "numeric"
bounds = [0, 1]
)",
                    4);
  const std::string here = places.counted_everywhere();
  EXPECT_THAT(here, HasSubstr("age,dose,score,paid,equinoise_count_bins4\n"));
  EXPECT_THAT(here, HasSubstr(",2\n"));  // the first two
  EXPECT_THAT(here, HasSubstr("inf,inf,-inf,inf,1\n"));
  EXPECT_THAT(here, HasSubstr("-inf,-inf,inf,-inf,1\n"));
  // Counting it again finds it counted.
  std::ofstream(places.path("counted.csv")) << here;
  EXPECT_ERROR(kUsage, HasAll("counted.csv", "already; give it to other commands as it is"),
               places.counted(places.path("counted.csv")));
}

TEST(Count, OfCategoriesIsTheSameEverywhere) {
  const Places places(R"(SELECT * FROM (VALUES
    (0, 'north', 1::INTEGER, 1.0::DOUBLE, 1.50::DECIMAL(4,2), true, DATE '2024-03-01', 'a'),
    (1, E' north\t', 2, 2, 2.00, false, DATE '2024-03-02', 'b'),
    (2, 'North', 3, 2.5, 2.01, NULL, NULL, NULL),
    (3, NULL, NULL, NULL, NULL, true, DATE '1999-01-01', 'a'),
    (4, '', -9, -9, -9, false, DATE '2024-03-01', 'b'),
    (5, '?', 0, 'nan', 0, true, DATE '2024-03-01', 'b'),
    (6, ' south', 1, 'inf', 1.5, true, DATE '2024-03-01', 'a'),
    (7, E'it''s\n\\ end', 1, 1, 1.5, true, DATE '2024-03-01', 'a'),
    (8, 'south', 1, -0.0, 1.5, true, DATE '2024-03-01', 'a'))
    AS v(n, city, arm, code, grade, ill, day, kind))");
  places.set_schema("missing_values = [\"\", \"?\", \"-9\"]\n" +
                    categorical_section("city", {"north", " south", R"(it's\n\\ end)"}) +
                    categorical_section("arm", {"1", "2"},
                                        "labels = { \"1\" = \"placebo\", \"2\" = \"drug\" }\n"
                                        "unknown = \"other\"\n") +
                    categorical_section("code", {"0", "1.0", "2"}, "missing = \"category\"\n") +
                    categorical_section("grade", {"1.5", "2"}) +
                    categorical_section("ill", {"No", "Yes"}) +
                    categorical_section("day", {"2024-03-01", "2024-03-02"}) +
                    categorical_section("kind", {"b", "a"}));
  const std::string here = places.counted_everywhere();
  EXPECT_THAT(here, HasSubstr("city,arm,code,grade,ill,day,kind,equinoise_count\n"));
}

TEST(Count, OfDatesAndTimesIsTheSameEverywhere) {
  const Places places(R"(SELECT * FROM (VALUES
    (0, DATE '1950-01-01', TIMESTAMP '2024-01-01 00:00:00', TIMESTAMPTZ '2023-12-31 22:00:00+00'),
    (1, DATE '1949-12-31', TIMESTAMP '2023-12-31 23:59:59.9', TIMESTAMPTZ '2023-12-31 21:59:59+00'),
    (2, DATE '1952-01-01', TIMESTAMP '2024-12-31 23:59:59.9', TIMESTAMPTZ '2025-01-01 01:59:59+02'),
    (3, DATE '1952-01-02', TIMESTAMP '2025-01-01', TIMESTAMPTZ '2025-01-01 00:00:00+02'),
    (4, NULL, NULL, NULL),
    (5, DATE 'infinity', TIMESTAMP 'infinity', TIMESTAMPTZ '-infinity'),
    (6, DATE '0044-03-15 (BC)', TIMESTAMP '1951-06-01 12:00:00', TIMESTAMPTZ '2024-07-01 12:00:00-05'))
    AS v(n, born, seen, sent))");
  places.set_schema(R"([columns.born]
type = "date"
bounds = ["1950-01-01", "1952-01-01"]
malformed = "drop"
[columns.seen]
type = "timestamp"
bounds = ["2024-01-01T00:00:00", "2024-12-31T23:59:59"]
malformed = "drop"
[columns.sent]
type = "timestamp"
format = "YYYY-MM-DD hh:mm+02:00"
bounds = ["2024-01-01 00:00+02:00", "2024-12-31 23:59+02:00"]
malformed = "drop"
)",
                    5);
  places.counted_everywhere();
}

TEST(Count, MarksOfMissingTimesAndTruthsAreMissingEverywhere) {
  const Places places(R"(SELECT * FROM (VALUES
    (0, DATE '2000-05-01', TIMESTAMP '2000-05-01 12:00:00', 'yes'),
    (1, DATE '9999-12-31', TIMESTAMP '1900-01-01 00:00:00', 'TRUE'),
    (2, DATE '1900-01-01', TIMESTAMP '9999-12-31 00:00:00', 'true'),
    (3, DATE '2001-01-01', TIMESTAMP '2001-01-01 00:00:00', 'True'),
    (4, DATE '1899-12-31', TIMESTAMP '1899-12-31 00:00:00', 'T'),
    (5, DATE '2020-01-01', TIMESTAMP '2020-01-01 00:00:00', 'n'),
    (6, DATE '2000-05-01', TIMESTAMP '2000-05-01 12:00:00', 'FALSE'),
    (7, DATE '2000-05-01', TIMESTAMP '2000-05-01 12:00:00', 'off'))
    AS v(n, born, seen, ill))");
  places.set_schema(R"(missing_values = ["", "TRUE", "9999-12-31", "1900-01-01 00:00:00"]
[columns.born]
type = "date"
bounds = ["1900-01-01", "2009-12-31"]
[columns.seen]
type = "timestamp"
bounds = ["1900-01-01T00:00:00", "2009-12-31T00:00:00"]
[columns.ill]
type = "categorical"
values = ["0", "1"]
)",
                    7);
  const std::string here = places.counted_everywhere();
  EXPECT_EQ(here, places.counted(places.path("people.csv")));
}

TEST(Count, DoesNotDependOnCollations) {
  const TempFolder folder;
  run_duckdb(folder.path() / "c.duckdb",
             {"CREATE TABLE t (city VARCHAR COLLATE NOCASE)",
              "INSERT INTO t VALUES ('north'), ('North'), ('NORTH'), ('south')"});
  folder.write_file("people.toml",
                    "schema = \"equinoise/1\"\ndataset = \"p\"\n[columns.city]\n"
                    "type = \"categorical\"\nvalues = [\"North\", \"south\", \"NORTH\"]\n");
  CountRequest request;
  request.schema.path = folder.path() / "people.toml";
  request.from = engine_table("duckdb:" + (folder.path() / "c.duckdb").string() + "#t");
  std::string text;
  request.write = [&](std::string_view part) { text += part; };
  Documents told;
  count_table(request, told);
  EXPECT_EQ(text, "city,equinoise_count\n(not listed),1\nNorth,1\nsouth,1\nNORTH,1\n");
}

TEST(Count, FindsOneOfManyCategories) {
  const Places places(
      "SELECT i AS n, CASE i WHEN 0 THEN 'caf\u00e9' WHEN 1 THEN '\u00fcber' ELSE 'c' || (i * 7919 "
      "% "
      "1100) END AS city FROM range(5000) AS r(i)");
  std::string values;
  for (int i = 0; i < 1000; ++i) values += (i == 0 ? "\"c" : ", \"c") + std::to_string(i) + "\"";
  values += ", \"caf\u00e9\", \"\u00fcber\"";
  places.set_schema("[columns.city]\ntype = \"categorical\"\nvalues = [" + values + "]\n");
  const std::string here = places.counted_everywhere();
  EXPECT_EQ(here, places.counted(places.path("people.csv")));
  EXPECT_EQ(std::ranges::count(here, '\n'), 1004);
}

TEST(Count, OfCsvIsThatOfParquet) {
  const Places places(
      "SELECT i AS n, i * 7919 % 60 + 20 AS age, ['a', 'b', ''][1 + i % 3] AS city "
      "FROM range(3000) AS r(i)");
  places.set_schema(
      "[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [25, 70]\n"
      "[columns.city]\ntype = \"categorical\"\nvalues = [\"a\", \"b\"]\n");
  EXPECT_EQ(places.counted(places.path("people.csv")), places.counted_everywhere());
}

TEST(Count, OfAnEmptyTableHasNoRows) {
  const Places places("SELECT i AS n, i AS age FROM range(0) AS r(i)");
  places.set_schema("[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 9]\n");
  EXPECT_EQ(places.counted_everywhere(), "age,equinoise_count\n");
}

TEST(Count, OfUnitsIsTheSameEverywhere) {
  // 200 people with up to 12 rows each; some rows are nobody's.
  const Places places(R"(SELECT i AS n,
      CASE WHEN i % 41 = 0 THEN NULL WHEN i % 43 = 0 THEN '?'
           ELSE ' p' || (i * i % 211) || E'\t' END AS person,
      CASE WHEN i % 17 = 0 THEN NULL WHEN i % 19 = 0 THEN 200 ELSE i * 7 % 60 END AS age,
      ['no', 'yes', 'maybe', ''][1 + i % 4] AS ill
      FROM range(2000) AS r(i))");
  for (const std::string rules : {"missing = \"drop\"", "missing = \"category\""}) {
    for (const std::string unknown : {"drop", "other"}) {
      places.set_schema(
          "unit = \"person\"\nmax_records_per_unit = 3\n[columns.person]\ntype = \"ignored\"\n"
          "[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 50]\nfeature = false\n" +
          rules + "\n[columns.ill]\ntype = \"categorical\"\nvalues = [\"no\", \"yes\"]\n" + rules +
          "\nunknown = \"" + unknown + "\"\n");
      const std::string here = places.counted_everywhere();
      EXPECT_THAT(here, HasSubstr("age,ill,equinoise_count_units"));
      EXPECT_THAT(here, HasSubstr("_rows3\n"));
    }
  }
}

TEST(Count, OfUnitsTellsWhichColumnsItFills) {
  const Places places("SELECT i AS n, i % 7 AS person, i % 9 AS age FROM range(50) AS r(i)");
  const std::string age = "[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 8]\n";
  const std::string unit =
      "unit = \"person\"\nmax_records_per_unit = 2\n[columns.person]\ntype = \"ignored\"\n";
  const std::string fill = "missing = \"fill\"\nfill = 3\n";
  for (const auto& [schema, is_told] :
       {std::pair(unit + age + fill, true), std::pair(unit + age, false),
        std::pair(age + fill, false)}) {
    places.set_schema(schema);
    Documents told;
    places.counted(places.path("people.csv"), &told);
    EXPECT_EQ(told.text().find("missing cells of age are filled") != std::string::npos, is_told)
        << schema;
  }
}

TEST(Count, OfUnitsWithWholeNumbersAsIdsIsTheSameEverywhere) {
  const Places places("SELECT i AS n, i * i % 97 AS person, i % 9 AS age FROM range(1000) AS r(i)");
  places.set_schema(
      "unit = \"person\"\nmax_records_per_unit = 2\n[columns.person]\ntype = \"ignored\"\n"
      "[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 8]\n");
  EXPECT_EQ(places.counted(places.path("people.csv")), places.counted_everywhere());
}

TEST(Count, RefusesAnotherNumberThanThePublicOneAndWritesNothing) {
  const Places places("SELECT i AS n, i % 5 AS age FROM range(123) AS r(i)");
  places.set_schema(
      "[public]\nnum_records = 124\n"
      "[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 9]\n");
  for (const std::string& from : {places.path("people.parquet"), places.database()}) {
    Documents told;
    EXPECT_ERROR(kInput, AllOf(HasSubstr("124"), Not(HasSubstr("123"))),
                 places.counted(from, &told));
    EXPECT_THAT(told.text(), HasSubstr("not private: 123 rows"));
    CountRequest request;
    request.schema.path = places.path("people.toml");
    request.from = table_at(from);
    request.out_path = places.path("counted.csv");
    EXPECT_THROW(count_table(request, told), Error);
    EXPECT_FALSE(std::filesystem::exists(request.out_path));
  }
}

TEST(Count, StopsAtNumbersThatAreNoneWhereTheSchemaSaysSo) {
  const Places places(
      "SELECT i AS n, CASE WHEN i = 7 THEN 1.5 ELSE i::DOUBLE END AS age FROM range(9) AS r(i)");
  places.set_schema("[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 9]\n");
  for (const std::string& from : {places.path("people.parquet"), places.database()})
    EXPECT_ERROR(kInput, AllOf(HasSubstr("'age'"), HasSubstr("malformed"), Not(HasSubstr("1.5"))),
                 places.counted(from));
}

TEST(Count, WritesParquetThatHoldsTheSame) {
  const Places places(
      "SELECT i AS n, i % 5 AS age, ['x', NULL][1 + i % 2] AS city FROM range(99) "
      "AS r(i)");
  places.set_schema(
      "[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 4]\n"
      "[columns.city]\ntype = \"categorical\"\nvalues = [\"x\"]\n");
  CountRequest request;
  request.schema.path = places.path("people.toml");
  request.from = engine_table(places.database());
  request.out_path = places.path("counted.parquet");
  Documents told;
  const CountReport report = count_table(request, told);
  EXPECT_EQ(report.num_rows, 99);
  EXPECT_EQ(report.num_distinct, 10);
  run_duckdb(places.path("other.duckdb"),
             {"CREATE TABLE c AS FROM '" + places.path("counted.parquet") + "'",
              "SELECT CASE WHEN sum(equinoise_count) = 99 AND count(city) = 5 THEN 1 ELSE "
              "error('other counts') END FROM c"});
}

TEST(Count, NamesColumnsThatAreNotThere) {
  const Places places("SELECT i AS n, i AS years FROM range(3) AS r(i)");
  run_duckdb(places.path("people.duckdb"), {"CREATE VIEW v AS SELECT years AS Age FROM t"});
  places.set_schema("[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 4]\n");
  EXPECT_ERROR(kInput, HasAll("'age'", "'Age'"),
               places.counted("duckdb:" + places.path("people.duckdb") + "#v"));
  EXPECT_ERROR(kInput, HasSubstr("no such table"),
               places.counted("duckdb:" + places.path("people.duckdb") + "#none"));
  EXPECT_ERROR(kInput, HasSubstr("not there"), places.counted("duckdb:/none.duckdb#t"));
}

TEST(Count, RefusesPartsOfOtherColumns) {
  const Places places("SELECT i AS n, i AS age FROM range(3) AS r(i)");
  run_duckdb(places.path("x.duckdb"),
             {"COPY (SELECT 1.5::DOUBLE AS age) TO '" + places.path("parts/c.parquet") + "'"});
  places.set_schema("[columns.age]\ntype = \"numeric\"\nwhole = true\nbounds = [0, 4]\n");
  EXPECT_ERROR(kInput, HasAll("c.parquet", "other columns"), places.counted(places.path("parts")));
}

TEST(Count, RefusesFilesThatChangeMeanwhile) {
  const Places places("SELECT i AS n, i AS age FROM range(3) AS r(i)");
  const std::unique_ptr<Engine> engine = open_parquet(places.path("parts"), "parts");
  engine->start("SELECT COUNT(*) FROM " + engine->table());
  EXPECT_EQ(engine->next()[0], 3);
  std::filesystem::last_write_time(
      places.path("parts/a.parquet"),
      std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_ERROR(kInput, HasSubstr("changed"), engine->next());
}

TEST(Count, LeavesNoScratchFolder) {
  const Places places("SELECT i AS n, i AS age FROM range(3) AS r(i)");
  const TempFolder scratch;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  {
    const std::unique_ptr<Engine> engine = open_parquet(places.path("parts"), "parts");
    EXPECT_FALSE(std::filesystem::is_empty(scratch.path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

TEST(DuckDb, OpensNothingElseAndChangesNothing) {
  const Places places("SELECT i AS n, i AS age FROM range(3) AS r(i)");
  const std::unique_ptr<Engine> engine = open_duckdb(places.path("people.duckdb"), {"t"}, "people");
  for (const std::string& statement :
       {"SELECT COUNT(*) FROM '" + places.path("people.parquet") + "'",
        std::string("DELETE FROM t"), std::string("CREATE TABLE u (a INTEGER)"),
        std::string("SET threads = 1"), "COPY t TO '" + places.path("copy.csv") + "'",
        std::string("INSTALL httpfs")}) {
    EXPECT_THROW(engine->start(statement), Error) << statement;
  }
}

/// A value between, on and next to the edges of bins, infinite ones and others.
class ValueMaker {
 public:
  explicit ValueMaker(uint64_t seed) : random_(seed) {}

  uint64_t below(uint64_t end) { return random_() % end; }

  double number(const std::vector<double>& edges) {
    const double edge = edges[below(edges.size())];
    switch (below(8)) {
      case 0:
        return next_up(edge);
      case 1:
        return next_down(edge);
      case 2:
        return edge + 0.5;
      case 3:
        return below(20) == 0 ? std::numeric_limits<double>::infinity() : edge;
      case 4:
        return edges.front() +
               static_cast<double>(below(1 << 20)) / (1 << 20) * (edges.back() - edges.front());
      case 5:
        return std::nextafter(static_cast<float>(edge), below(2) == 0 ? 1e30F : -1e30F);
      case 6:
        return std::floor(edge) + static_cast<double>(below(3)) - 1;
      default:
        return edge;
    }
  }

 private:
  std::mt19937_64 random_;
};

TEST(Count, OfRandomTablesIsTheSameEverywhere) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    ValueMaker make(seed);
    const auto chance = [&](uint64_t one_in) { return make.below(one_in) == 0; };
    std::string schema;
    const std::vector<std::string> types = {"BIGINT",         "INTEGER", "DECIMAL(12,3)",
                                            "DECIMAL(38,20)", "FLOAT",   "DOUBLE"};
    std::vector<std::string> names;
    for (size_t i = 0; i < types.size(); ++i) {
      const double lower = chance(3) ? 0 : -static_cast<double>(make.below(1000)) / 8;
      const double width = 1 + static_cast<double>(make.below(4000)) / 8;
      const bool is_whole = chance(3);
      names.push_back("x" + std::to_string(i));
      schema += "[columns." + names.back() + "]\ntype = \"numeric\"\nbounds = [" +
                fmt::format("{}, {}", lower, lower + width) + "]\nmalformed = \"" +
                (chance(2) ? "drop" : "missing") + "\"\nfeature = false\nmissing = \"" +
                (chance(2) ? "drop" : "category") + "\"\n" + (is_whole ? "whole = true\n" : "") +
                (chance(2) ? "missing_values = [\"-9\", \"7.5\"]\n" : "") +
                (!is_whole && chance(2) ? fmt::format("atoms = [{}]\n", lower + 0.1) : "");
    }
    const int bins = 1 + static_cast<int>(make.below(40));
    const Schema parsed = parse_schema("schema = \"equinoise/1\"\ndataset = \"p\"\n" + schema, "p",
                                       SizesRule::kMayBePrivate);
    std::string rows;
    for (int row = 0; row < 300; ++row) {
      rows += (row == 0 ? "(" : ",\n(") + std::to_string(row);
      for (size_t i = 0; i < types.size(); ++i) {
        const PublicBins edges(parsed, parsed.columns[i], bins);
        double value = make.number(edges.edges());
        const bool is_floating = types[i] == "FLOAT" || types[i] == "DOUBLE";
        if (std::isinf(value) && !is_floating) value = 1000;
        std::string text = is_floating ? fmt::format("{}", value)
                           : types[i].starts_with("DEC")
                               ? fmt::format("{:.{}f}", value, types[i] == types[2] ? 3 : 20)
                               : fmt::format("{:.0f}", value);
        if (chance(30)) text = "-9";
        if (chance(60) && is_floating) text = chance(2) ? "nan" : "-0.0";
        rows += chance(20) ? ", NULL" : ", CAST('" + text + "' AS " + types[i] + ")";
      }
      rows += ")";
    }
    std::string list = "n";
    for (const std::string& name : names) list += ", " + name;
    const Places places("SELECT * FROM (VALUES " + rows + ") AS v(" + list + ")");
    // Each column alone, so that a difference is easily seen, then all.
    places.set_schema(schema, bins);
    places.counted_everywhere();
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << schema;
  }
}

}  // namespace equinoise::count_test
