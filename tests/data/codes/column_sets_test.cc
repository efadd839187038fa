// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/column_sets.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/test_support.h"

namespace equinoise::column_sets_test {

TEST(ColumnSets, SaysWhereDifferentRowsMayNotFit) {
  const auto schema_of_records = [](const std::string& num_records, const std::string& bins) {
    std::string text = "schema = \"equinoise/1\"\ndataset = \"toy\"\npublic_bins = " + bins +
                       "\n[public]\nnum_records = " + num_records + "\n";
    for (int i = 0; i < 900; ++i)
      text += "[columns.x" + std::to_string(i) + "]\ntype = \"numeric\"\nbounds = [0, 1]\n";
    return parse_schema(text, "toy.toml");
  };
  const Schema large = schema_of_records("4000000000", "1024");
  EXPECT_THAT(why_rows_may_not_fit(large, {}), HasAll("4e+09 rows may differ", "public_bins"));
  EXPECT_EQ(why_rows_may_not_fit(schema_of_records("1000", "1024"), {}), "");
}

}  // namespace equinoise::column_sets_test
