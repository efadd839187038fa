// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/column_sets.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::column_sets_test {

TEST(ColumnSets, SaysWhereDifferentRowsMayNotFit) {
  const auto schema_of_records = [](int64_t num_records) {
    std::string text = schema_head("toy", "", num_records, "public_bins = 1024\n");
    for (int i = 0; i < 900; ++i) text += numeric_section("x" + std::to_string(i), 0, 1);
    return parse_schema(text, "toy.toml");
  };
  const Schema large = schema_of_records(4'000'000'000);
  EXPECT_THAT(why_rows_may_not_fit(large, {}), HasAll("4e+09 rows may differ", "public_bins"));
  EXPECT_EQ(why_rows_may_not_fit(schema_of_records(1000), {}), "");
}

}  // namespace equinoise::column_sets_test
