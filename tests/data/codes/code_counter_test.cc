// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/code_counter.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/schema_text.h"

namespace equinoise::code_counter_test {

using Rows = std::map<std::vector<int32_t>, int64_t>;

Schema schema_of(int num_columns) {
  std::string text = schema_head("toy", "", 9, "public_bins = 100\n");
  for (int i = 0; i < num_columns; ++i) text += numeric_section("x" + std::to_string(i), 0, 1);
  return parse_schema(text, "toy.toml");
}

Rows rows_of(const CountedCodes& counted) {
  Rows rows;
  for (size_t i = 0; i < counted.num_rows(); ++i) {
    const auto row = counted.row(i);
    EXPECT_TRUE(
        rows.emplace(std::vector<int32_t>(row.begin(), row.end()), counted.counts[i]).second);
  }
  return rows;
}

/// One column has few possible rows, six have too many for a count of each.
TEST(CodeCounter, CountsEqualRowsAndBeginsAnewWhenTheyAreTaken) {
  for (const int num_columns : {1, 6}) {
    const Schema schema = schema_of(num_columns);
    CodeCounter counter(column_codings(schema));
    std::mt19937 random(7);
    for (int times = 0; times < 2; ++times) {
      Rows expected;
      for (int i = 0; i < 5000; ++i) {
        std::vector<int32_t> codes;
        for (int j = 0; j < num_columns; ++j)
          codes.push_back(CellCode::kAside + static_cast<int32_t>(random() % (j == 0 ? 110 : 3)));
        counter.add(codes, 1 + i % 3);
        expected[codes] += 1 + i % 3;
      }
      EXPECT_EQ(counter.num_kept(), num_columns == 1 ? 0 : expected.size());
      EXPECT_EQ(rows_of(counter.take()), expected) << num_columns;
      EXPECT_EQ(counter.num_kept(), 0U);
    }
  }
}

TEST(CodeCounter, CountsTheColumnsThatItIsAskedFor) {
  const Schema schema = schema_of(3);
  const std::vector<size_t> columns = {2, 0};
  CodeCounter counter(column_codings(schema), columns);
  counter.add(std::vector<int32_t>{CellCode::kMissing, 1, 5});
  counter.add(std::vector<int32_t>{CellCode::kMissing, 2, 5});
  EXPECT_EQ(rows_of(counter.take()), (Rows{{{5, CellCode::kMissing}, 2}}));
}

}  // namespace equinoise::code_counter_test
