// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/counted_rows.h"

#include "tests/test_support.h"

namespace equinoise::counted_rows_test {

TEST(CountedRows, CountsAreWholeNumbersExactly) {
  for (const auto& [cell, count] : std::vector<std::pair<std::string_view, int64_t>>{
           {"0", 0},
           {"12", 12},
           {" 12\t", 12},
           {"12.0", 12},
           {"007.000", 7},
           {"9007199254740993", 9'007'199'254'740'993}}) {
    EXPECT_EQ(parse_count(cell), count) << cell;
  }
  EXPECT_EQ(parse_count("12,0", ','), 12);
  for (const std::string_view cell :
       {"", " ", "-1", "-0", "1.5", "1.", ".0", "12,0", "1e3", "1 000", "+1", "nan", "inf", "0x10",
        "12.00000000000000000000000001", "99999999999999999999"}) {
    EXPECT_EQ(parse_count(cell), std::nullopt) << cell;
  }
}

TEST(CountedRows, EachRecordGetsARowOfItsOwnInOrder) {
  Dataset dataset;
  dataset.num_records = 3;
  dataset.numeric = {{"x", {1, 2, 3}, {0, 1, 0}, {0, 0, 1}}};
  dataset.categorical = {{"c", {"a", "b"}, {1, 0, 1}, {}}};
  dataset.contributes = {1, 1, 0};
  dataset.row_counts = {2, 1, 3};
  EXPECT_EQ(dataset.total_records(), 6);
  EXPECT_EQ(expanded_bytes(dataset), 6 * (8 + 1 + 1 + 2 + 1));
  expand_rows(dataset);
  EXPECT_EQ(dataset.num_records, 6);
  EXPECT_EQ(dataset.total_records(), 6);
  EXPECT_THAT(dataset.row_counts, IsEmpty());
  EXPECT_THAT(dataset.numeric[0].values, ElementsAre(1, 1, 2, 3, 3, 3));
  EXPECT_THAT(dataset.numeric[0].missing, ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THAT(dataset.numeric[0].dropped, ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(dataset.categorical[0].codes, ElementsAre(1, 1, 0, 1, 1, 1));
  EXPECT_THAT(dataset.categorical[0].dropped, IsEmpty());
  EXPECT_THAT(dataset.contributes, ElementsAre(1, 1, 1, 0, 0, 0));
}

TEST(CountedRows, RecordsAreTakenOneByOneWhereTheyAreKnownAndFit) {
  constexpr int64_t kExabyte = 1'000'000'000'000'000'000;
  Dataset dataset;
  dataset.num_records = 2;
  EXPECT_NO_THROW(require_records(dataset, "t.csv", "training", kExabyte));  // they are there
  dataset.row_counts = {4, 3};
  EXPECT_NO_THROW(require_records(dataset, "t.csv", "training", 17));
  EXPECT_ERROR(kInput, HasAll("t.csv", "7 records", "7e+09 GB", "a table of fewer records"),
               require_records(dataset, "t.csv", "training", kExabyte));
  dataset.num_counted_units = 3;
  EXPECT_ERROR(kInput, HasAll("t.csv", "whose they are", "a file of all records"),
               require_records(dataset, "t.csv", "training", 17));
}

}  // namespace equinoise::counted_rows_test
