// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/row_file.h"

#include "equinoise/data/open_table.h"
#include "tests/data/records.h"
#include "tests/test_support.h"

namespace equinoise::row_file_test {

using testing::Cells;

/// A column of values, the last of which is a missing cell if `may_miss`.
ColumnCodes column_of(const std::string& name, std::vector<std::string> values, bool may_miss) {
  ColumnCodes codes;
  codes.name = name;
  codes.values = std::move(values);
  if (may_miss) {
    codes.values.emplace_back("missing");
    codes.missing_text = "";
  }
  return codes;
}

/// Rows that are there already.
class GivenRows final : public RowStream {
 public:
  explicit GivenRows(CodedRows rows) : rows_(std::move(rows)) {}
  CodedRows next(size_t num_rows) override {
    EXPECT_EQ(num_rows, rows_.num_rows);
    return rows_;
  }

 private:
  CodedRows rows_;
};

std::vector<Cells> read_back(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                             RowFormat format) {
  const TempFolder folder;
  SeededSource source(1);
  GivenRows stream(rows);
  std::string file;
  write_rows(stream, static_cast<int64_t>(rows.num_rows), columns, format, source,
             [&](std::string_view piece) { file += piece; });
  const auto reader = open_table(folder.write_file("rows", file));
  return testing::all_records(*reader);
}

// Text would come back as it was written.
TEST(RowFile, TrueAndFalseAreTruthValuesOfParquet) {
  std::vector<ColumnCodes> columns = {
      column_of("a", {"TRUE", "FALSE"}, false), column_of("b", {"False", "True"}, true),
      column_of("c", {"no", "yes"}, false), column_of("d", {"TRUE", "FALSE", "other"}, false)};
  columns.push_back(column_of("e", {"off", "on"}, false));
  columns.back().cell_texts = {"False", "True"};
  const CodedRows rows = {2, {{0, 1}, {0, 2}, {0, 1}, {0, 2}, {0, 1}}};
  EXPECT_THAT(read_back(rows, columns, RowFormat::kParquet),
              ElementsAre(Cells{"true", "false", "no", "TRUE", "false"},
                          Cells{"false", std::nullopt, "yes", "other", "true"}));
  EXPECT_THAT(read_back(rows, columns, RowFormat::kCsv),
              ElementsAre(Cells{"TRUE", "False", "no", "TRUE", "False"},
                          Cells{"FALSE", "", "yes", "other", "True"}));
}

TEST(RowFile, ARowOfOneMissingCellIsARow) {
  const std::vector<ColumnCodes> columns = {column_of("a", {"x"}, true)};
  EXPECT_THAT(read_back({3, {{1, 0, 1}}}, columns, RowFormat::kCsv),
              ElementsAre(Cells{""}, Cells{"x"}, Cells{""}));
}

}  // namespace equinoise::row_file_test
