// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/group_rows.h"

#include "tests/matchers.h"
#include "tests/synth/grouped_people.h"

namespace equinoise::group_rows_test {

TEST(GroupRows, StrataAreOfGroupsThatAreAllDeclared) {
  Schema schema = testing::GroupedPeople().schema;
  const GroupRows town{{{"town", "north"}}, 20, 2};
  const GroupRows both{{{"band", "below 25"}, {"town", "north"}}, 10, 1};
  schema.public_group_sizes = {{town.group, 20}};
  EXPECT_THAT(strata_for({town}, schema, {}), IsEmpty()) << "sizes of other towns are not declared";
  schema.public_group_sizes[{{"town", "south"}}] = 80;
  EXPECT_THAT(strata_for({town}, schema, {}), ElementsAre("town"));
  EXPECT_THAT(strata_for({town, both}, schema, {}), ElementsAre("town"));
  EXPECT_THAT(strata_for({both}, schema, {"town"}), IsEmpty());
  schema.public_group_sizes[both.group] = 100;
  EXPECT_THAT(strata_for({town, both}, schema, {}), ElementsAre("band", "town"));
  EXPECT_THAT(strata_for({both}, schema, {"town"}), ElementsAre("band", "town"));
  EXPECT_THAT(strata_for({both}, schema, {"band", "town"}), IsEmpty());
}

}  // namespace equinoise::group_rows_test
