// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/public_sizes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "tests/schema_text.h"
#include "tests/test_support.h"

namespace equinoise::public_sizes_test {

/// "sex = \"F\"" and a size, as many as there are.
using Sizes = std::vector<std::pair<std::string, int>>;

Schema schema_with(const Sizes& sizes, int num_records = 100) {
  std::string text = schema_head("toy", "", num_records);
  for (const auto& [group, size] : sizes) text += group_size(group, size);
  text += categorical_section("sex", {"F", "M"}) + categorical_section("race", {"a", "b", "c"}) +
          categorical_section("area", {"x", "y"}, "unknown = \"other\"\nmissing = \"category\"\n") +
          numeric_section("age", 0, 100) +
          "[groups.is_a]\ncolumn = \"race\"\nvalues = [\"a\"]\nrest = \"b or c\"\n" +
          band_section("decade", "age", "[20, 40, 60]") + band_section("half", "age", "[40]") +
          band_section("odd", "age", "[30]");
  return parse_schema(text, "toy.toml");
}

std::string contradiction_in(const Sizes& sizes) {
  return error_of(ErrorKind::kInput, [&] { schema_with(sizes); });
}

const Sizes kWholeTable = {
    {"sex = \"F\", race = \"a\"", 30}, {"sex = \"F\", race = \"b\"", 10},
    {"sex = \"F\", race = \"c\"", 5},  {"sex = \"M\", race = \"a\"", 40},
    {"sex = \"M\", race = \"b\"", 15},
};

TEST(PublicSizes, OfMarginalsFollowFromACrossingThatMakesUpTheTable) {
  const Schema schema = schema_with(kWholeTable);
  EXPECT_EQ(schema.public_size({{"sex", "F"}}), 45);
  EXPECT_EQ(schema.public_size({{"sex", "M"}}), 55) << "men of race c are none: the others are all";
  EXPECT_EQ(schema.public_size({{"race", "c"}}), 5);
  EXPECT_EQ(schema.public_size({{"race", "b"}, {"sex", "M"}}), 15) << "declared";
  EXPECT_EQ(schema.public_size({{"is_a", "b or c"}}), 30);
  EXPECT_EQ(schema.public_size({{"sex", "F"}, {"is_a", "b or c"}}), 15);
  EXPECT_EQ(schema.public_size({{"race", "c"}, {"sex", "M"}}), std::nullopt) << "not declared";
  EXPECT_EQ(schema.public_size({{"area", "x"}}), std::nullopt);
}

TEST(PublicSizes, OfMarginalsAreUnknownWhereRecordsMayBeInNoGroup) {
  // Ten records are of no known race, or are not declared; of which sex is not known.
  const Schema schema = schema_with(kWholeTable, 110);
  EXPECT_EQ(schema.public_size({{"sex", "F"}}), std::nullopt);
  EXPECT_EQ(schema.public_size({{"race", "c"}}), std::nullopt);
  EXPECT_EQ(schema.public_size({{"sex", "F"}, {"is_a", "b or c"}}), 15) << "nobody else is in it";
  EXPECT_EQ(schema.public_size({{"sex", "M"}, {"is_a", "b or c"}}), std::nullopt)
      << "men of race c are not declared";
}

TEST(PublicSizes, OfAColumnThatDropsNobodyAddUpInAnyTable) {
  Sizes sizes;
  for (const char* area : {"x", "y", "other", "missing"})
    sizes.emplace_back("sex = \"F\", area = \"" + std::string(area) + "\"", 5);
  EXPECT_EQ(schema_with(sizes).public_size({{"sex", "F"}}), 20);
  EXPECT_EQ(schema_with(sizes).public_size({{"area", "x"}}), std::nullopt);
  sizes.pop_back();
  EXPECT_EQ(schema_with(sizes).public_size({{"sex", "F"}}), std::nullopt);
}

TEST(PublicSizes, OfCoarseBandsFollowFromFineOnes) {
  const Schema schema = schema_with({{"decade = \"below 20\"", 10},
                                     {"decade = \"20 to below 40\"", 20},
                                     {"decade = \"40 to below 60\"", 30},
                                     {"decade = \"60 and above\"", 15}});
  EXPECT_EQ(schema.public_size({{"half", "below 40"}}), 30);
  EXPECT_EQ(schema.public_size({{"half", "40 and above"}}), 45);
  EXPECT_EQ(schema.public_size({{"odd", "below 30"}}), std::nullopt) << "a band lies in both";
  EXPECT_EQ(schema_with({{"half = \"below 40\"", 30}, {"half = \"40 and above\"", 70}})
                .public_size({{"decade", "below 20"}}),
            std::nullopt);
}

TEST(PublicSizes, OfIntersectionsDoNotFollowFromMarginals) {
  const Schema schema = schema_with({{"sex = \"F\"", 40},
                                     {"sex = \"M\"", 60},
                                     {"race = \"a\"", 70},
                                     {"race = \"b\"", 20},
                                     {"race = \"c\"", 10}});
  EXPECT_EQ(schema.public_size({{"sex", "F"}, {"race", "a"}}), std::nullopt);
  EXPECT_EQ(schema.public_size({{"is_a", "b or c"}}), 30);
}

TEST(PublicSizes, ThatContradictOthersAreRefusedAtTheirLine) {
  Sizes sizes = kWholeTable;
  sizes.emplace_back("sex = \"F\"", 45);
  EXPECT_EQ(schema_with(sizes).public_size({{"sex", "F"}}), 45);
  sizes.back().second = 46;
  EXPECT_THAT(contradiction_in(sizes),
              HasAll("toy.toml:23:15: the group sex = F is declared with 46 records, but "
                     "its subgroups by race, sex have 45 together",
                     "or leave this one out: its size follows from theirs"));
  // More than the whole, whoever else may be in it.
  EXPECT_THAT(contradiction_in({{"sex = \"F\"", 9}, {"sex = \"F\", race = \"a\"", 10}}),
              HasSubstr("its subgroups by race, sex have 10 together; correct one of them"));
  EXPECT_NO_THROW(schema_with({{"sex = \"F\"", 11}, {"sex = \"F\", race = \"a\"", 10}}));
  EXPECT_THAT(contradiction_in({{"is_a = \"b or c\"", 5}, {"race = \"b\"", 6}}),
              HasSubstr("the group is_a = b or c is declared with 5 records"));
  // Two crossings that make up the table say different things about what they have in common.
  sizes.back() = {"sex = \"F\", is_a = \"a\"", 31};
  EXPECT_THAT(contradiction_in(sizes), HasSubstr("is declared with 31 records"));
  sizes.back() = {"sex = \"F\", half = \"below 40\"", 44};
  sizes.emplace_back("sex = \"M\", half = \"below 40\"", 56);
  EXPECT_THAT(contradiction_in(sizes), HasSubstr("the groups by half, sex have 44 records of sex = "
                                                 "F together, but those by race, sex have 45"));
}

}  // namespace equinoise::public_sizes_test
