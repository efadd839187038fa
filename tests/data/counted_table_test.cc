// SPDX-License-Identifier: Apache-2.0
// Tables of counted rows, and numbers that are read by public bins.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "equinoise/data/draft/schema_draft.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/table.h"
#include "tests/data/table_files.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::counted_table_test {

/// Columns with every rule for cells. `head`: lines at the top.
std::string schema_text(const std::string& head, int64_t num_records) {
  const bool has_units = head.find("unit =") != head.npos;
  return schema_head("people", "", num_records, head + "\n",
                     has_units ? "num_units" : "num_records") +
         numeric_section("age", 0, 100, "whole = true\nmalformed = \"drop\"\n") +
         numeric_section("income", 0, 10, "missing = \"fill\"\nfill = 2.5\n") +
         numeric_section("bmi", 10, 50, "missing = \"category\"\nfeature = false\n") +
         categorical_section("sex", {"F", "M"}) +
         categorical_section("race", {"a", "b"}, "unknown = \"other\"\nmissing = \"category\"\n") +
         ignored_section("note") + ignored_section("pid");
}

Schema schema_of(int64_t num_records, const std::string& head = "") {
  return parse_schema(schema_text(head, num_records), "people.toml");
}

const std::string kHeader = "age,income,bmi,sex,race,";

/// Rows, and what follows each of them in a counted table.
struct CountedRow {
  std::string cells;
  std::string count;
};
const std::vector<CountedRow> kRows = {
    {"30,5,20,F,a,", "3"},   {"-5,,?,M,z,", "2"},   {"30,5,20,M,a,", "0"},
    {"101,11,60,F,?,", "1"}, {"x,1,20,F,a,", "2"},  {"40,1,20,X,a,", " 2 "},
    {"50,?,20,M,b,", "4.0"}, {"30,5,20,F,a,", "1"}, {",1,20,M,b,", "1"},
};
constexpr int64_t kTotal = 16;

std::string counted_csv(const std::string& name = "equinoise_count") {
  std::string text = kHeader + name + "\n";
  for (const CountedRow& row : kRows) text += row.cells + row.count + "\n";
  return text;
}

std::string expanded_csv() {
  std::string text = kHeader + "note,pid\n";
  for (const CountedRow& row : kRows)
    for (int i = 0; i < std::stoi(row.count); ++i) text += row.cells + "n,p\n";
  return text;
}

/// All of a dataset but where cells stand.
std::string text_of(const Dataset& dataset) {
  std::string text =
      fmt::format("{} {} {}\n", dataset.num_records, dataset.num_dropped, dataset.num_read());
  for (size_t i = 0; i < dataset.contributes.size(); ++i) {
    text += fmt::format("{}:", dataset.contributes[i]);
    const auto flag = [&](const std::vector<uint8_t>& flags) {
      text += flags.empty() ? "" : flags[i] == 0 ? "." : "!";
    };
    for (const NumericColumn& column : dataset.numeric) {
      text += fmt::format(" {}", column.values[i]);
      flag(column.missing);
      flag(column.dropped);
    }
    for (const CategoricalColumn& column : dataset.categorical) {
      text += fmt::format(" {}", column.codes[i]);
      flag(column.dropped);
    }
    text += "\n";
  }
  for (const ColumnIngestCounts& counts : dataset.counts) {
    text += fmt::format("{} {} {} {} {} {} {}\n", counts.name, counts.missing, counts.malformed,
                        counts.unknown, counts.clamped, counts.rounded, counts.cut);
    for (const auto& form : counts.other_forms) text += fmt::format("{}\n", form.count);
  }
  return text;
}

class CountedTable : public ::testing::Test {
 protected:
  Dataset read(const std::string& content, const Schema& schema,
               TableUse use = TableUse::kDescribed, CountedRows counted = CountedRows::kExpanded) {
    return read_table(folder_.write_file("table.csv", content), schema, use, counted);
  }
  std::string error(const std::string& content, const Schema& schema,
                    TableUse use = TableUse::kDescribed,
                    CountedRows counted = CountedRows::kExpanded) {
    return error_of(ErrorKind::kInput, [&] { read(content, schema, use, counted); });
  }
  /// The message about a table with one other count.
  std::string error_of_count(const std::string& cell) {
    return error(kHeader + "equinoise_count\n30,5,20,F,a,1\n30,5,20,F,a," + cell + "\n",
                 schema_of(1));
  }

  TempFolder folder_;
};

TEST_F(CountedTable, IsTheTableWhoseRowsItCounts) {
  const Schema schema = schema_of(kTotal);
  for (const TableUse use :
       {TableUse::kDescribed, TableUse::kOther, TableUse::kPrivateSize, TableUse::kFeaturesOnly}) {
    const std::string expanded = text_of(read(expanded_csv(), schema, use));
    for (const char* name : {"equinoise_count", "EQUINOISE_COUNT", "Equinoise_Count"})
      EXPECT_EQ(text_of(read(counted_csv(name), schema, use)), expanded);
    EXPECT_THAT(read(counted_csv(), schema, use).row_counts, IsEmpty());
  }
}

TEST_F(CountedTable, KeepsItsCountsForWhoAsks) {
  const Dataset dataset =
      read(counted_csv(), schema_of(kTotal), TableUse::kDescribed, CountedRows::kKept);
  EXPECT_EQ(dataset.num_records, 8);
  EXPECT_THAT(dataset.row_counts, ElementsAre(3, 2, 1, 2, 2, 4, 1, 1));
  EXPECT_EQ(dataset.total_records(), kTotal);
  EXPECT_EQ(dataset.num_units(), kTotal);
  EXPECT_EQ(dataset.num_read(), kTotal);
  EXPECT_EQ(dataset.num_dropped, 5);
  // A table without counts has none.
  EXPECT_THAT(
      read(expanded_csv(), schema_of(kTotal), TableUse::kDescribed, CountedRows::kKept).row_counts,
      IsEmpty());
}

TEST_F(CountedTable, ItsSizeIsTheSumOfItsCounts) {
  EXPECT_THAT(error(counted_csv(), schema_of(kTotal + 1)),
              HasSubstr("has 16 records, but the schema says num_records = 17"));
  EXPECT_THAT(error(kHeader + "equinoise_count\n30,5,20,F,a,0\n", schema_of(1)),
              HasSubstr("no row that stands for anybody"));
  EXPECT_EQ(read(kHeader + "equinoise_count\n30,5,20,F,a,0\n", schema_of(1), TableUse::kPrivateSize)
                .num_records,
            0);
}

TEST_F(CountedTable, CountsThatAreNoneAreRefusedWithTheirPlace) {
  for (const std::string cell :
       {"", "-1", "1.5", "lots", "1e3", "9007199254740993", "12345678901234567890"}) {
    EXPECT_THAT(error_of_count(cell),
                AllOf(HasSubstr("row 2 (line 3) column 'equinoise_count' holds no whole number"),
                      HasSubstr("count the table again"), Not(HasSubstr("lots"))))
        << cell;
  }
  for (const std::string cell : {"4294967295", "4294967294"}) {
    EXPECT_THAT(error_of_count(cell),
                HasAll("row 2 (line 3) column 'equinoise_count' makes the counts more",
                       "give a table of fewer records"));
  }
}

TEST_F(CountedTable, MoreRowsThanTheMachineHoldsAreNotExpanded) {
  const std::string text = kHeader + "equinoise_count\n30,5,20,F,a,4294967294\n";
  const Schema schema = schema_of(4'294'967'294);
  EXPECT_EQ(read(text, schema, TableUse::kDescribed, CountedRows::kKept).total_records(),
            4'294'967'294);
  EXPECT_THAT(error(text, schema),
              HasAll("4294967294 records", "more than half of this machine's"));
}

TEST_F(CountedTable, ATableThatWasCountedOtherwiseIsRefused) {
  const Schema schema = schema_of(kTotal);
  EXPECT_THAT(error(counted_csv("equinoise_count_bins8"), schema),
              HasSubstr("counted by a schema with public_bins = 8, but this one has no"));
  EXPECT_THAT(error(counted_csv(), schema_of(kTotal, "public_bins = 8")),
              HasSubstr("no public_bins, but this one has public_bins = 8"));
  EXPECT_THAT(error(counted_csv("equinoise_count_units9_rows2"), schema),
              HasSubstr("a column of units, but this one says unit = \"row\""));
  EXPECT_THAT(error(counted_csv("equinoise_counts"), schema),
              HasAll(".csv", "'equinoise_counts'", "rename it"));
  EXPECT_THAT(error(counted_csv("EQUINOISE_COUNTS"), schema),
              HasAll("'EQUINOISE_COUNTS'", "rename it"));
  EXPECT_THAT(error(counted_csv("EQUINOISE_COUNT_BINS8"), schema),
              HasSubstr("counted by a schema with public_bins = 8"));
  EXPECT_THAT(error(kHeader + "equinoise_count,equinoise_count_bins8\n", schema),
              HasSubstr("'equinoise_count' and 'equinoise_count_bins8'; leave one of them out"));
  EXPECT_THAT(error(kHeader + "equinoise_count,equinoise_count\n", schema),
              HasSubstr("'equinoise_count' and 'equinoise_count'; leave one of them out"));
}

TEST_F(CountedTable, RowsOfUnitsDoNotSayWhoseTheyAre) {
  const std::string head = "unit = \"pid\"\nmax_records_per_unit = 2";
  const Schema schema = schema_of(9, head);
  const std::string counted = counted_csv("equinoise_count_units9_rows2");
  const Dataset dataset = read(counted, schema, TableUse::kDescribed, CountedRows::kKept);
  EXPECT_EQ(dataset.num_units(), 9);
  EXPECT_EQ(dataset.total_records(), kTotal);
  EXPECT_THAT(error(counted, schema), HasSubstr("do not say whose they are"));
  EXPECT_THAT(error(counted_csv(), schema), HasSubstr("do not say whose they are"));
  EXPECT_THAT(error(counted, schema_of(9, "unit = \"pid\"\nmax_records_per_unit = 3")),
              HasSubstr("max_records_per_unit = 2, but the schema has 3"));
  EXPECT_THAT(error(counted, schema_of(10, head), TableUse::kDescribed, CountedRows::kKept),
              HasSubstr("has 9 units (pid), but the schema says num_units = 10"));
  for (const int units : {7, 17})  // with at most 2 rows of each
    EXPECT_THAT(error(counted_csv(fmt::format("equinoise_count_units{}_rows2", units)),
                      schema_of(units, head), TableUse::kDescribed, CountedRows::kKept),
                HasSubstr("not those of as many units"));
  // Where rows are taken one by one, each is a unit.
  EXPECT_EQ(read(counted, schema, TableUse::kOther).num_units(), kTotal);
}

TEST_F(CountedTable, BlocksGiveItToWhoTakesCounts) {
  const Schema schema = schema_of(kTotal);
  const std::filesystem::path path = folder_.write_file("table.csv", counted_csv());
  const std::unique_ptr<RecordReader> records = open_described(path, schema);
  EXPECT_ERROR(kInput, HasSubstr("records one by one"),
               TableBlocks blocks(*records, schema, TableUse::kFeaturesOnly));
  TableBlocks blocks(*records, schema, TableUse::kOther, {.takes_counts = true});
  EXPECT_THAT(blocks.next(3).row_counts, ElementsAre(3, 2, 1));
  EXPECT_THAT(blocks.next(3).row_counts, ElementsAre(2, 2, 4));
}

TEST_F(CountedTable, ASchemaHasNoSuchColumn) {
  EXPECT_ERROR(kInput, HasSubstr("columns.equinoise_count has a name of the column of counts"),
               parse_schema(schema_text("", 1) + "[columns.equinoise_count]\ntype = \"ignored\"\n",
                            "people.toml"));
  EXPECT_ERROR(kInput, HasSubstr("draft one from a file of the records"),
               draft_schema(folder_.write_file("table.csv", counted_csv()), {}));
}

TEST_F(CountedTable, NumbersAreReadByPublicBins) {
  const Schema schema = schema_of(kTotal, "public_bins = 10");
  const Dataset dataset = read(expanded_csv(), schema);
  EXPECT_EQ(dataset.numeric[0].values[0], 34);   // of 30 to 39
  EXPECT_EQ(dataset.numeric[1].values[0], 5.5);  // of 5 to below 6
  EXPECT_EQ(dataset.numeric[1].values[3], 2.5);  // what fills a gap is kept
  EXPECT_EQ(dataset.numeric[2].values[0], 20);   // of 18 to below 22
  // What was read so is read again as it is.
  std::string again = kHeader + "note,pid\n";
  for (size_t i = 0; i < kTotal; ++i)
    again += fmt::format("{},{},{},F,a,n,p\n", dataset.numeric[0].values[i],
                         dataset.numeric[1].values[i], dataset.numeric[2].values[i]);
  const Dataset twice = read(again, schema);
  for (size_t i = 0; i < kTotal; ++i) {
    if (dataset.contributes[i] == 0) continue;
    for (size_t j = 0; j < 2; ++j)
      EXPECT_EQ(twice.numeric[j].values[i], dataset.numeric[j].values[i]) << i;
  }
}

TEST_F(CountedTable, NumbersThatAreNotWholeHaveNoBinOfWholeOnes) {
  const std::string csv = kHeader + "note,pid\n30,5,20,F,a,,\n30.5,5,20,F,a,,\n101.5,5,20,F,a,,\n";
  const Dataset kept = read(csv, schema_of(3));
  EXPECT_EQ(kept.counts[0].malformed, 0);
  const Dataset dataset = read(csv, schema_of(3, "public_bins = 4096"));
  EXPECT_EQ(dataset.counts[0].malformed, 1);
  EXPECT_EQ(dataset.counts[0].clamped, 1);
  EXPECT_EQ(dataset.counts[0].first_malformed, "row 2 (line 3)");
  ASSERT_EQ(dataset.counts[0].other_forms.size(), 1U);
  EXPECT_THAT(dataset.counts[0].other_forms[0].problem, HasSubstr("is not a whole number"));
  EXPECT_THAT(dataset.contributes, ElementsAre(1, 0, 1));
  EXPECT_THAT(dataset.numeric[0].values, ElementsAre(30, 0, 100));
}

}  // namespace equinoise::counted_table_test
