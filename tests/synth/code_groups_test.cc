// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/code_groups.h"

#include <nlohmann/json.hpp>

#include "tests/matchers.h"
#include "tests/synth/grouped_people.h"
#include "tests/test_support.h"

namespace equinoise::code_groups_test {

/// Their bands and places.
struct People : testing::GroupedPeople {
  std::vector<CodeGroups> groups = code_groups(schema, columns);
};

TEST(CodeGroups, EachCodeIsInOneGroup) {
  const People people;
  ASSERT_EQ(people.groups.size(), 2U);
  const CodeGroups& band = people.groups[0];
  EXPECT_EQ(band.groups, people.schema.group_attributes[0].categories());
  EXPECT_THAT(band.group_of, ElementsAre(0, 0, 0, 1, 1, 2, 2));
  EXPECT_THAT(band.weights(1), ElementsAre(0, 0, 0, 1, 1, 0, 0));
  const CodeGroups& place = people.groups[1];
  EXPECT_EQ(place.column, 1U);
  EXPECT_THAT(place.group_of, ElementsAre(0, 2, 1, 2));
  EXPECT_EQ(place.find("elsewhere"), 2U);
  EXPECT_FALSE(place.find("east"));
}

TEST(CodeGroups, AModelFileKeepsThem) {
  const People people;
  for (const CodeGroups& groups : people.groups) {
    const nlohmann::json json = to_json(groups, people.columns);
    const CodeGroups read = code_groups_from_json(json, people.columns, "model.json");
    EXPECT_EQ(read.name, groups.name);
    EXPECT_EQ(read.column, groups.column);
    EXPECT_EQ(read.groups, groups.groups);
    EXPECT_EQ(read.group_of, groups.group_of);
    for (const auto& [key, value] : std::map<std::string, nlohmann::json>{
             {"column", "wage"}, {"group_of", {0, 1}}, {"groups", {"one"}}}) {
      nlohmann::json damaged = json;
      damaged[key] = value;
      EXPECT_ERROR(kInput, HasSubstr("model.json: does not fit"),
                   code_groups_from_json(damaged, people.columns, "model.json"));
    }
  }
}

}  // namespace equinoise::code_groups_test
