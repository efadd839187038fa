// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/table_source.h"

#include "equinoise/data/draft/schema_draft.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/table.h"
#include "tests/data/formats/arrow_tables.h"
#include "tests/data/records.h"
#include "tests/data/table_files.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::table_source_test {

using testing::Cells;
using testing::memory_table;

TEST(TableSource, IsNothingAFileOrRecordsInMemory) {
  EXPECT_TRUE(TableSource().empty());
  EXPECT_TRUE(TableSource("").empty());
  const TableSource file = std::string("people.csv");
  EXPECT_FALSE(file.empty());
  EXPECT_TRUE(file.is_file());
  EXPECT_EQ(file.path(), "people.csv");
  EXPECT_EQ(file.name(), "people.csv");
  const TableSource frame = memory_table("SELECT 1 AS a");
  EXPECT_FALSE(frame.empty());
  EXPECT_FALSE(frame.is_file());
  EXPECT_EQ(frame.path(), "");
  EXPECT_EQ(frame.name(), "the frame");
  EXPECT_FALSE(TableSource("", [] { return nullptr; }).empty()) << "of whatever name";
}

TEST(TableSource, NoFileIsAnErrorOfItsReader) {
  EXPECT_ERROR(kInput, StartsWith("[data.table] "), open_table(TableSource()));
}

TEST(TableSource, RecordsInMemoryAreReadAsOftenAsTheyAreOpened) {
  const TableSource frame = memory_table("SELECT unnest([1, 2]) AS a");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(testing::all_records(*frame.open_records()), ElementsAre(Cells{"1"}, Cells{"2"}));
    EXPECT_THAT(testing::all_records(*open_table(frame)), ElementsAre(Cells{"1"}, Cells{"2"}));
  }
}

/// As of Parquet: how a text is laid out says nothing about them.
TEST(TableSource, TheLayoutOfASchemaIsOfTexts) {
  const Schema schema = parse_schema(
      schema_head("small", "", 3,
                  "[table]\ndelimiter = \";\"\ndecimal_comma = true\nheader = false\n") +
          numeric_section("a", 0, 2, "missing = \"drop\"\n") +
          categorical_section("b", {"true", "false"}),
      "s");
  const TableSource frame = memory_table(
      "SELECT unnest([true, false, true]) AS b, unnest([0.5, NULL, 1]::DOUBLE[]) AS a");
  const Dataset dataset = read_table(frame, schema);
  EXPECT_EQ(dataset.num_dropped, 1);
  EXPECT_THAT(dataset.find_numeric("a")->values, ElementsAre(0.5, ::testing::_, 1));
  EXPECT_TRUE(header_fits(frame, schema));
  EXPECT_FALSE(header_fits(memory_table("SELECT 1 AS c"), schema));
  refuse_header_as_record(frame, schema);
  EXPECT_ERROR(kInput, HasSubstr("the frame: column 'a' holds something other than text"),
               read_table(memory_table("SELECT [1] AS a, true AS b"), schema));
}

TEST(TableSource, SchemasAreDraftedFromRecordsInMemory) {
  const TableSource frame =
      memory_table("SELECT i AS a, i % 2 = 0 AS b FROM range(100) AS r(i) ORDER BY i");
  EXPECT_FALSE(open_undescribed(frame, {}).is_csv);
  const SchemaDraft draft = draft_schema(frame, {});
  EXPECT_THAT(draft.text, HasSubstr("dataset = \"the_frame\""));
  EXPECT_EQ(read_table(frame, parse_schema(draft.text, "draft")).num_records, 100);
}

/// Only a line of text may be a record instead.
TEST(TableSource, NamesOfFormatsThatHaveThemAreNoRecords) {
  const Schema schema =
      parse_schema(schema_head("small", "", 1) + categorical_section("Sex", {"F", "M"}), "s");
  const TempFolder folder;
  for (const TableSource& table :
       {memory_table("SELECT 'F' AS sex"),
        TableSource(testing::write_parquet(folder.path() / "t.parquet", "SELECT 'F' AS sex")),
        TableSource(folder.write_file("t.json", "[{\"sex\": \"F\"}]")),
        TableSource(
            folder.write_file("t.arff", "@relation t\n@attribute sex {F,M}\n@data\nF\n"))}) {
    EXPECT_ERROR(kInput,
                 AllOf(HasSubstr("lacks column 'Sex'"),
                       HasSubstr("the nearest name in it is 'sex'"), Not(HasSubstr("--no-header"))),
                 read_table(table, schema));
    DraftOptions options;
    options.target = "Sex";
    EXPECT_ERROR(kUsage, HasSubstr("is not a column; the nearest name in it is 'sex'"),
                 draft_schema(table, options));
  }
  EXPECT_ERROR(kInput, HasSubstr("--no-header"),
               read_table(folder.write_file("t.csv", "sex\nF\n"), schema));
}

}  // namespace equinoise::table_source_test
