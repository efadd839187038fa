// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/number_problem.h"

#include "tests/matchers.h"

namespace equinoise::number_problem_test {

std::string problem(const std::string& cell, char decimal_mark = '.', char thousands = '\0',
                    const std::string& unit = "") {
  ColumnSchema column;
  column.type = ColumnType::kNumeric;
  column.thousands = thousands;
  column.number_unit = unit;
  return problem_of_number(cell, decimal_mark, column);
}

TEST(NumberProblem, NamesTheKeyThatReadsIt) {
  EXPECT_EQ(problem("1.234,56", ','),
            "has marks between thousands: write thousands = \".\" in the schema");
  EXPECT_THAT(problem("+1 234"), HasSubstr("write thousands = \" \""));
  EXPECT_EQ(problem("45 %"), "has a unit: write unit = \"%\" in the schema");
  EXPECT_THAT(problem("$1,200.50"),
              HasSubstr("write thousands = \",\" and unit = \"$\" in the schema"));
  EXPECT_EQ(problem("0,25"),
            "has a decimal comma: write decimal_comma = true under [table] (or give "
            "--decimal-comma) in the schema");
  EXPECT_THAT(problem("1.234,56"), HasSubstr("--decimal-comma) and thousands = \".\""));
  EXPECT_THAT(problem("0.25", ','), HasSubstr("--decimal-point"));
  EXPECT_THAT(problem("1234.5", ',', '.'), HasSubstr("has a decimal point"));
}

TEST(NumberProblem, AnUnclearMarkIsSaidToBeOne) {
  EXPECT_THAT(problem("1,234"), HasSubstr("if the comma stands before decimals, decimal_comma"));
  EXPECT_THAT(problem("1.234", ','), HasSubstr("if the point stands before decimals"));
  EXPECT_THAT(problem("1,234,567"), Not(HasSubstr("stands before decimals")));
}

TEST(NumberProblem, WhatNoKeyReadsIsToBeWrittenInAnotherWay) {
  EXPECT_THAT(problem("(1,234.50)"), HasSubstr("is in brackets"));
  EXPECT_THAT(problem("( 5 )"), HasSubstr("is in brackets"));
  EXPECT_THAT(problem("12-"), HasSubstr("minus behind"));
  EXPECT_THAT(problem("\u22125.5"), HasSubstr("typographic minus"));
  EXPECT_THAT(problem("5 lb", '.', '\0', "kg"), HasSubstr("in one way"));
  EXPECT_THAT(problem("1 234", '.', ','), HasSubstr("in one way"));
}

TEST(NumberProblem, WordsOfAUnitAreNotShown) {
  for (const char* cell : {"12 Zoe", "EUR 12", "3.5zoe"}) {
    EXPECT_THAT(problem(cell), HasSubstr("unit = \"UNIT\"")) << cell;
    EXPECT_THAT(problem(cell), Not(AnyOf(HasSubstr("oe"), HasSubstr("EUR")))) << cell;
  }
}

TEST(NumberProblem, OtherTextsHaveNone) {
  for (const char* cell : {"", "?", "n.a.", "-", "()", "(x)", "nan", "A12", "2024-03-01", "12:30",
                           "1,2,3", "10-20", "+", "Zoe-"})
    EXPECT_EQ(problem(cell), "") << cell;
}

}  // namespace equinoise::number_problem_test
