// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/dialect.h"

#include <string>

#include "tests/test_support.h"

namespace equinoise::dialect_test {

TEST(Dialect, QuotesNames) {
  EXPECT_EQ(quoted_name(Dialect::kPostgres, "a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quoted_name(Dialect::kSpark, "a`b\\"), "`a``b\\`");
  EXPECT_ERROR(kInput, HasSubstr("view"), quoted_name(Dialect::kDuckDb, "a\nb"));
}

TEST(Dialect, DividesNamesOfTables) {
  EXPECT_THAT(parts_of_table("people"), ElementsAre("people"));
  EXPECT_THAT(parts_of_table("visits.people"), ElementsAre("visits", "people"));
  EXPECT_THAT(parts_of_table("\"a.b\".\"c \"\"d\"\"\""), ElementsAre("a.b", "c \"d\""));
  EXPECT_EQ(quoted_table(Dialect::kDuckDb, {"visits", "Peo\"ple"}), "\"visits\".\"Peo\"\"ple\"");
}

TEST(Dialect, TakesNoExpressionForATable) {
  for (const char* table :
       {"", ".", "people.", ".people", "a..b", "people; DROP TABLE people", "(SELECT 1)",
        "people p", "f(1)", "\"people", "\"a\"b", "people--x y", "a,b", "people\n", "'x'"}) {
    EXPECT_ERROR(kUsage, HasSubstr("table"), parts_of_table(table)) << table;
  }
}

TEST(Dialect, WritesTextsOnOneLine) {
  const std::string text = "it's \\ a\nb";
  EXPECT_EQ(text_literal(Dialect::kPostgres, text), "E'it''s \\\\ a\\nb'");
  EXPECT_EQ(text_literal(Dialect::kDuckDb, text), "E'it''s \\\\ a\\nb'");
  EXPECT_EQ(text_literal(Dialect::kSpark, text), "'it\\'s \\\\ a\\nb'");
}

TEST(Dialect, WritesNumbersExactly) {
  EXPECT_EQ(decimal_literal("-16.95"), "-16.95");
  EXPECT_EQ(decimal_literal("-infinity"), "CAST('-infinity' AS NUMERIC)");
  EXPECT_EQ(double_literal(Dialect::kPostgres, 0.1), "CAST('0.1' AS DOUBLE PRECISION)");
  EXPECT_EQ(double_literal(Dialect::kSpark, -0.5), "CAST('-0.5' AS DOUBLE)");
}

}  // namespace equinoise::dialect_test
