// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/count_plan.h"

#include <cmath>
#include <limits>
#include <string>

#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/schema/schema.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::count_plan_test {

using ::testing::Key;
using ::testing::Pair;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Schema schema_of(const std::string& columns, const std::string& top = "") {
  return parse_schema(schema_head("toy", "", 10, "public_bins = 4\n" + top) + columns, "toy.toml");
}

CountedColumn only_column(const std::string& column, const std::string& top = "") {
  return count_plan(schema_of("[columns.x]\n" + column, top)).columns.at(0);
}

TEST(CountPlan, IsOfTheColumnsThatAreRead) {
  const CountPlan plan = count_plan(schema_of(ignored_section("id") + numeric_section("age", 0, 8) +
                                              categorical_section("sex", {"F", "M"})));
  ASSERT_EQ(plan.columns.size(), 2U);
  EXPECT_EQ(plan.columns[0].name, "age");
  EXPECT_EQ(plan.columns[1].name, "sex");
  EXPECT_EQ(plan.count_column, "equinoise_count_bins4");
  EXPECT_EQ(plan.num_records, 10);
}

TEST(CountPlan, BinsBeginWhereNumbersAreReadAsTheirEdge) {
  const CountedColumn column = only_column("type = \"numeric\"\nbounds = [0, 0.4]");
  ASSERT_EQ(column.edges.size(), 7U);  // 0 and the upper bound are bins, too
  EXPECT_EQ(column.edges[2], 0.1);
  EXPECT_EQ(column.edges.back(), std::nextafter(0.4, kInfinity));
  EXPECT_EQ(column.cells.size(), 6U);
  // 0.1f is above 0.1, but read as 0.1; the one before it is read as 0.099999994.
  EXPECT_EQ(column.single_edges[2], 0.1F);
  EXPECT_EQ(column.single_edges.back(), std::nextafter(0.4F, 1.0F));
  EXPECT_EQ(column.below, "-inf");
  EXPECT_EQ(column.above, "inf");
}

TEST(CountPlan, EdgesBeyondSinglePrecisionAreInfinite) {
  const CountedColumn column =
      only_column("type = \"numeric\"\nbounds = [0.0, 3.4028234663852886e38]");
  EXPECT_EQ(column.single_edges.back(), std::numeric_limits<float>::infinity());
}

TEST(CountPlan, TimesOutsideTheBoundsAreTheNextOnes) {
  const CountedColumn column = only_column("type = \"date\"\nbounds = [2000-01-01, 2000-01-31]");
  EXPECT_EQ(column.below, "1999-12-31");
  EXPECT_EQ(column.above, "2000-02-01");
  EXPECT_EQ(column.edges.back() - column.edges.front(), 31);
}

TEST(CountPlan, MarksAreTextsAndNumbers) {
  const CountedColumn column = only_column("type = \"numeric\"\nbounds = [0, 1]\n",
                                           "missing_values = [\"?\", \"0.1\", \"-inf\"]\n");
  EXPECT_THAT(column.values.texts,
              UnorderedElementsAre(Pair("?", CellCode::kMissing), Pair("0.1", CellCode::kMissing),
                                   Pair("-inf", CellCode::kMissing)));
  EXPECT_THAT(column.values.numbers, ElementsAre(Pair("0.1", CellCode::kMissing)));
  EXPECT_THAT(column.values.doubles, ElementsAre(Key(-kInfinity), Key(0.1)));
  EXPECT_THAT(column.values.singles, ElementsAre(Key(-kInfinity), Key(0.1F)));
  EXPECT_EQ(column.below, "-1");  // what is below the bounds must not be read as missing
}

TEST(CountPlan, WhatIsOutsideIsNoMarkInAnySpelling) {
  const CountedColumn column = only_column("type = \"numeric\"\nbounds = [0, 1]\n",
                                           "missing_values = [\"Infinity\", \"-INF\", \"-1.0\"]\n");
  EXPECT_EQ(column.above, "2");
  EXPECT_EQ(column.below, "-2");
  EXPECT_THAT(column.values.doubles, ElementsAre(Key(-kInfinity), Key(-1.0), Key(kInfinity)));
}

TEST(CountPlan, CategoriesThatAreNumbersAreComparedAsSuch) {
  const CountedColumn column =
      only_column("type = \"categorical\"\nvalues = [\"1\", \"2\", \"2.0\"]");
  EXPECT_THAT(column.values.numbers, ElementsAre(Pair("1", 0)));  // 2 is not one category
  EXPECT_THAT(column.values.doubles, ElementsAre(Pair(1.0, 0), Pair(2.0, 2)));
  EXPECT_EQ(column.neither, "(not listed)");
}

TEST(CountPlan, TruthValuesAreReadInAllSpellings) {
  const CountedColumn column = only_column("type = \"categorical\"\nvalues = [\"no\", \"yes\"]");
  EXPECT_THAT(column.values.texts, Contains(Pair("TRUE", 1)));
  EXPECT_THAT(column.values.texts, Contains(Pair("fAlse", 0)));
  EXPECT_THAT(column.values.texts, Contains(Pair("0", 0)));
  EXPECT_THAT(column.values.numbers, ElementsAre(Pair("0", 0), Pair("1", 1)));
  EXPECT_THAT(column.values.doubles, ElementsAre(Pair(0.0, 0), Pair(1.0, 1)));
  EXPECT_THAT(only_column("type = \"categorical\"\nvalues = [\"N\", \"T\"]").values.texts,
              Not(Contains(Key("true"))));
}

TEST(CountPlan, LabelsAreReadNextToWhatCellsHold) {
  const CountedColumn column = only_column(
      "type = \"categorical\"\nvalues = [\"1\", \"2\"]\nlabels = { \"1\" = \"F\", \"2\" = \"M\" }");
  EXPECT_THAT(column.cells, ElementsAre("1", "2"));
  EXPECT_THAT(column.values.texts, Contains(Pair("M", 1)));
}

TEST(CountPlan, ACellThatIsNothingIsNoCategory) {
  EXPECT_EQ(only_column("type = \"categorical\"\nvalues = [\"listed\", \"(not listed)\"]").neither,
            "(not listed).");
}

TEST(CountPlan, RowsOfUnitsAreNotCounted) {
  const Schema schema = parse_schema(units_head("toy", "", 10, "who", 2) + ignored_section("who") +
                                         categorical_section("sex", {"F", "M"}),
                                     "toy.toml");
  EXPECT_ERROR(kInput, HasSubstr("who"), count_plan(schema));
}

}  // namespace equinoise::count_plan_test
