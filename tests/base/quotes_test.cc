// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/quotes.h"

#include "tests/matchers.h"

namespace equinoise::quotes_test {

TEST(Quotes, NamesBetweenCommas) {
  EXPECT_THAT(split_names("sex"), ElementsAre("sex"));
  EXPECT_THAT(split_names("sex,race"), ElementsAre("sex", "race"));
  EXPECT_THAT(split_names("sex,,"), ElementsAre("sex", "", ""));
  EXPECT_THAT(split_names("\"age, years\",sex"), ElementsAre("age, years", "sex"));
  EXPECT_THAT(split_names("\"say \"\"x, y\"\"\",b"), ElementsAre("say \"x, y\"", "b"));
}

TEST(Quotes, AQuoteWithoutAnotherIsACharacter) {
  EXPECT_THAT(split_names("6\" pipe,b"), ElementsAre("6\" pipe", "b"));
  EXPECT_EQ(without_quotes("\""), "\"");
  EXPECT_EQ(without_quotes("a\"b\""), "a\"b\"");
  EXPECT_EQ(without_quotes("\"a\"=\"b\""), "\"a\"=\"b\"");
}

TEST(Quotes, PlacesOutsideQuotes) {
  EXPECT_EQ(find_outside_quotes("a=b=c", '='), 1u);
  EXPECT_EQ(rfind_outside_quotes("a=b=c", '='), 3u);
  EXPECT_EQ(find_outside_quotes("\"a=b\"=c", '='), 5u);
  EXPECT_EQ(rfind_outside_quotes("\"a=b\"=\"c=d\"", '='), 5u);
  EXPECT_EQ(rfind_outside_quotes("\"a=b\"", '='), std::string_view::npos);
}

TEST(Quotes, NamesComeBack) {
  for (const std::string name : {"sex", "age, years", "a \"b\"", "\"", "\"a\"", "a=b", ""})
    EXPECT_THAT(split_names(with_quotes(name) + ",x"), ElementsAre(name, "x"));
}

}  // namespace equinoise::quotes_test
