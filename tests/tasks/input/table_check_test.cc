// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/table_check.h"

#include <fmt/format.h>

#include <filesystem>

#include "equinoise/engines/engine_url.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "tests/engines/duckdb_files.h"
#include "tests/schema_text.h"
#include "tests/tasks/small_model.h"
#include "tests/test_support.h"

namespace equinoise::table_check_test {

using testing::kSmallSchema;
using testing::kSmallTable;
using testing::with;

class TableCheckTest : public ::testing::Test {
 protected:
  TableCheck check(const std::string& table, const std::string& schema = kSmallSchema) {
    TaskProgress progress;
    return check_table({folder_.write_file("t.csv", table), ""}, parse_schema(schema, "s.toml"),
                       progress);
  }

  TempFolder folder_;
};

TEST_F(TableCheckTest, ATableThatFitsHasNotes) {
  const TableCheck found = check(kSmallTable);
  EXPECT_THAT(found.failures, IsEmpty());
  EXPECT_THAT(found.notes,
              ElementsAre("column x: 1 of 9 cells (11.1 %) are missing", HasSubstr("use"),
                          "1 of 9 records (11.1 %) contribute nothing, by cells of x (1)"));
}

/// Models fill, rows keep, and an old rule drops from both.
TEST_F(TableCheckTest, SaysHowManyRecordsEachTaskUses) {
  const auto used = [&](const std::string& rule, const std::string& share) {
    const std::string schema =
        with(kSmallSchema, "bounds = [0, 9]", "bounds = [0, 9]\nmissing = \"" + rule + "\"");
    EXPECT_THAT(check(kSmallTable, schema).notes,
                Contains(HasAll("models use " + share + ", synthetic rows " + share,
                                "8 of 9 records (88.9 %) have no missing cell")))
        << rule;
  };
  used("allowed", "9 of 9 records (100 %)");
  used("drop", "8 of 9 records (88.9 %)");
  EXPECT_THAT(check("x,sex,y\n1,F,no\n1,M,no\n").notes, Not(Contains(HasSubstr("models use"))));
}

TEST_F(TableCheckTest, EverythingIsFoundAtOnce) {
  const TableCheck found = check("x,sex,y\n9,f,yes\nold,f,no\n100,f,maybe\n2,m,yes\n?,F,no\n");
  EXPECT_THAT(
      found.failures,
      ElementsAre(HasSubstr("it has 5 rows, but the schema says num_records = 9"),
                  HasSubstr("column x: 1 of 5 cells (20 %) hold no number, the first in row 2"),
                  "column sex: 4 of 5 cells (80 %) hold no category of the schema, so the schema "
                  "does not fit this column",
                  "no record contributes anything, by the schema's rules"));
  EXPECT_THAT(
      found.notes,
      ElementsAre("column x: 1 of 5 cells (20 %) are missing",
                  "column x: 1 of 5 cells (20 %) lie outside the bounds and count as the "
                  "nearest one",
                  "column sex: 4 of 5 cells (80 %) hold a category that the schema does not "
                  "list",
                  "column y: 1 of 5 cells (20 %) hold a category that the schema does not "
                  "list",
                  HasSubstr("models use 0 of 5 records")));
}

TEST_F(TableCheckTest, AnIgnoredIdentifierThatRepeatsIsNamed) {
  const auto schema = [](const std::string& unit) {
    return schema_head("visits", "", 120, unit + "[table]\nheader = false\ndelimiter = \";\"\n") +
           ignored_section("person") + numeric_section("age", 0, 100);
  };
  std::string csv;
  for (int i = 0; i < 120; ++i) csv += fmt::format("{};{}\n", i / 3, 20 + i * 37 % 60);
  for (const char* unit : {"", "unit = \"row\"\n"}) {
    const TableCheck found = check(csv, schema(unit));
    EXPECT_THAT(found.failures, IsEmpty());
    EXPECT_THAT(found.notes,
                ElementsAre(HasAll("column person may be an identifier", "unit = \"person\"")));
  }
  EXPECT_THAT(check(csv, schema("unit = \"\"\n")).failures,
              ElementsAre(HasSubstr("does not say whose rows these are")));
}

/// An engine chooses the rows of units, and cells are still judged as in a file.
TEST_F(TableCheckTest, CellsOfUnitsAreToldByEnginesToo) {
  const std::string schema = units_head("visits", "", 10, "id", 2, "public_bins = 16\n") +
                             ignored_section("id") + numeric_section("v", 0, 100) +
                             categorical_section("g", {"a", "b"}, "unknown = \"drop\"\n");
  std::string csv = "id,v,g\n";
  for (int i = 0; i < 40; ++i)
    csv += fmt::format("{},{},{}\n", i / 4, 500 + i, i % 10 == 0 ? "a" : "x");
  const TableCheck of_file = check(csv, schema);
  const std::filesystem::path database = folder_.path() / "visits.duckdb";
  testing::run_duckdb(database, {"CREATE TABLE visits AS FROM read_csv('" +
                                 folder_.write_file("visits.csv", csv).string() + "')"});
  TaskProgress progress;
  const TableCheck of_engine =
      check_table({engine_table("duckdb:" + database.string() + "#visits"), ""},
                  parse_schema(schema, "s.toml"), progress);
  EXPECT_EQ(of_file.failures.size(), 2);
  EXPECT_EQ(of_engine.failures, of_file.failures);
  EXPECT_THAT(of_engine.notes,
              Contains(HasSubstr("column g: 36 of 40 cells (90 %) hold a category")));
  EXPECT_THAT(of_engine.notes, Not(Contains(HasSubstr("missing"))));
}

TEST_F(TableCheckTest, ARowIsNamedByItsLine) {
  const TableCheck found = check("sex,y,x\n\"f\nf\",yes,1\nf,no,old\n");
  EXPECT_THAT(found.failures, Contains(HasSubstr("the first in row 2 (line 4); every run")));
}

TEST_F(TableCheckTest, HalfOfTheCellsMayBeUnlistedButNotMore) {
  const std::string schema = with(kSmallSchema, "num_records = 9", "num_records = 4");
  const std::string without_sizes =
      schema.substr(0, schema.find("[[public")) + schema.substr(schema.find("[columns.x]"));
  EXPECT_THAT(check("x,sex,y\n1,f,no\n1,f,no\n1,F,no\n1,M,no\n", without_sizes).failures,
              IsEmpty());
  // Cells that are missing say nothing of the schema.
  EXPECT_THAT(check("x,sex,y\n1,f,no\n1,f,no\n1,F,no\n1,,no\n", without_sizes).failures,
              ElementsAre(HasSubstr("2 of 3 cells that are not missing (66.7 %)")));
  EXPECT_THAT(check("x,sex,y\n10,F,no\n-1,F,no\n1e999,F,no\n1,M,no\n", without_sizes).failures,
              ElementsAre(HasSubstr("3 of 4 cells (75 %) hold no number within the bounds")));
}

TEST_F(TableCheckTest, CategoriesThatBecomeOtherAreMeantToOccur) {
  const std::string schema =
      with(kSmallSchema.substr(0, kSmallSchema.find("[[public")) +
               kSmallSchema.substr(kSmallSchema.find("[columns.x]")),
           "values = [\"F\", \"M\"]", "values = [\"F\", \"M\"]\nunknown = \"other\"");
  const std::string four = with(schema, "num_records = 9", "num_records = 4");
  EXPECT_THAT(check("x,sex,y\n1,f,no\n1,m,no\n1,f,no\n1,M,no\n", four).failures, IsEmpty());
  // All of them show that others are spelled otherwise.
  EXPECT_THAT(check("x,sex,y\n1,f,no\n1,m,no\n1,f,no\n1,,no\n", four).failures,
              ElementsAre(HasSubstr("column sex: 3 of 3 cells that are not missing (100 %)")));
}

TEST_F(TableCheckTest, AMissingCellThatCannotBeIsAFailure) {
  const std::string schema =
      with(kSmallSchema, "bounds = [0, 9]", "bounds = [0, 9]\nmissing = \"none\"");
  EXPECT_THAT(check(kSmallTable, schema).failures,
              ElementsAre(HasSubstr("column x: 1 of 9 cells (11.1 %) are missing, although")));
}

TEST_F(TableCheckTest, TimesOfAnotherFormAreOneFailureThatSaysWhatToWrite) {
  const std::string schema =
      with(with(kSmallSchema.substr(0, kSmallSchema.find("[[public")) +
                    kSmallSchema.substr(kSmallSchema.find("[columns.x]")),
                "num_records = 9", "num_records = 2"),
           "type = \"numeric\"\nbounds = [0, 9]",
           "type = \"timestamp\"\nbounds = [\"2024-01-01\", \"2024-12-31\"]");
  const std::string table = "x,sex,y\n2024-03-01T10:20Z,F,no\n2024-03-01T10:20:30Z,M,no\n";
  const std::string advice =
      "names a time zone, but the format of the column names none: write format = "
      "\"YYYY-MM-DDThh:mm:ssZ\"";
  EXPECT_THAT(check(table, schema).failures,
              ElementsAre("column x: 2 of 2 cells (100 %) hold no time as YYYY-MM-DDThh:mm:ss, the "
                          "first in row 1 (line 2); every run stops there: it " +
                              advice,
                          "no record contributes anything, by the schema's rules"));
  const TableCheck dropping =
      check(table, with(schema, "[columns.sex]", "malformed = \"drop\"\n[columns.sex]"));
  EXPECT_THAT(dropping.failures,
              ElementsAre(HasSubstr("does not fit this column: row 1 (line 2) " + advice),
                          "no record contributes anything, by the schema's rules"));
}

TEST_F(TableCheckTest, NumbersThatAreWrittenInAnotherWayAreNamedWithTheKeyThatReadsThem) {
  const std::string schema = with(kSmallSchema.substr(0, kSmallSchema.find("[[public")) +
                                      kSmallSchema.substr(kSmallSchema.find("[columns.x]")),
                                  "num_records = 9", "num_records = 5");
  const std::string key = "has marks between thousands: write thousands = \",\" in the schema";
  const std::string table =
      "x,sex,y\n1,F,no\n2,F,no\n\"1,234,567\",F,no\n\"8,765,432\",F,no\n3,M,no\n";
  EXPECT_THAT(check(table, schema).failures,
              ElementsAre("column x: 2 of 5 cells (40 %) hold no number, the first in row 3 (line "
                          "4); every run stops there: it " +
                          key));
  // Others beside them are marks, or of another form.
  const std::string mixed = "x,sex,y\nS3CRET,F,no\n(7),F,no\n\"1,234,567\",F,no\n1,F,no\n3,M,no\n";
  const TableCheck found = check(mixed, schema);
  ASSERT_EQ(found.failures.size(), 1U);
  EXPECT_THAT(
      found.failures[0],
      AllOf(HasSubstr("the first in row 1 (line 2); every run stops there: row 2 (line 3) "
                      "is in brackets"),
            HasSubstr(" (1 of these cells); row 3 (line 4) " + key),
            HasSubstr("; of the others list marks of missing values"), Not(HasSubstr("S3CRET"))));
  const TableCheck dropping =
      check(table, with(schema, "[columns.sex]", "malformed = \"drop\"\n[columns.sex]"));
  EXPECT_THAT(dropping.notes, Contains("column x: 2 of 5 cells (40 %) hold no number, the first in "
                                       "row 3 (line 4): it " +
                                       key));
}

TEST_F(TableCheckTest, DeclaredSizesAreThoseOfTheTable) {
  const std::string wrong = with(with(kSmallSchema, "num_records = 4", "num_records = 5"),
                                 "num_records = 5\n[columns", "num_records = 4\n[columns");
  EXPECT_THAT(check(kSmallTable, wrong).failures, ElementsAre(HasSubstr("groups by sex: F has 4")));
}

TEST(IngestNotes, ErrorsAgainstClampedTargetsAreSaidToBeThat) {
  Dataset dataset;
  dataset.num_records = 4;
  dataset.counts = {{.name = "x", .clamped = 1}, {.name = "y", .clamped = 2}};
  EXPECT_THAT(ingest_notes(dataset, "y"),
              ElementsAre("column x: 1 numbers outside the bounds, clamped",
                          HasSubstr("column y: 2 numbers outside the bounds, clamped; errors are "
                                    "those against the bounds")));
}

const std::string kVisits = units_head("visits", "", 4, "pid", 2) +
                            group_size("sex = \"F\"", 3, "num_units") + ignored_section("pid") +
                            categorical_section("sex", {"F", "M"});

TEST_F(TableCheckTest, RowsOfUnitsAreToldToTheirOwner) {
  std::string table = "pid,sex\na,F\nb,F\nb,F\nc,M\nd,F\n,M\n";
  for (int i = 0; i < 6; ++i) table += "c,M\n";
  const TableCheck found = check(table, kVisits);
  EXPECT_THAT(found.failures, IsEmpty());
  EXPECT_THAT(
      found.notes,
      ElementsAre(
          "4 units (pid) have 11 rows: each has at least 1, 25 % at most 1, 50 % at most 2, "
          "75 % at most 7, 90 % at most 7, 95 % at most 7, 99 % at most 7, all at most 7",
          HasSubstr("max_records_per_unit = 1 keeps 4 of 11 rows (36.4 %), 2 keeps 6 of 11 "
                    "rows (54.5 %), 5 keeps 9 of 11 rows"),
          "column pid: 1 of 12 cells (8.33 %) are missing, so that these rows are nobody's "
          "and left out"));
  ASSERT_TRUE(found.rows_of_units.has_value());
  EXPECT_EQ(found.rows_of_units->num_units, 4);
  EXPECT_EQ(found.rows_of_units->num_rows, 11);
  EXPECT_EQ(found.rows_of_units->kept[1].max_records, 2);
  EXPECT_EQ(found.rows_of_units->kept[1].num_rows, 6);
}

TEST_F(TableCheckTest, SizesAreThoseOfUnits) {
  EXPECT_THAT(check("pid,sex\na,F\nb,F\nb,M\nb,F\nc,M\nc,M\nd,M\n", kVisits).failures,
              ElementsAre(HasSubstr("F has 2 units (pid), declared are 3")));
  EXPECT_THAT(check("pid,sex\na,F\na,F\n", kVisits).failures,
              ElementsAre(HasSubstr("it has 1 units (pid), but the schema says num_units = 4")));
}

TEST_F(TableCheckTest, RowsBeyondAreNoMisfits) {
  std::string table = "pid,sex\na,F\nb,F\nc,F\n";
  for (int i = 0; i < 20; ++i) table += "d,x\n";
  for (int i = 0; i < 30; ++i) table += "d,M\n";
  EXPECT_THAT(check(table, kVisits).failures, IsEmpty()) << "20 of 53 cells";
}

}  // namespace equinoise::table_check_test
