// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/joint_marginals.h"

#include "equinoise/synth/marginal_counts.h"
#include "tests/matchers.h"
#include "tests/synth/coded_tables.h"

namespace equinoise::joint_marginals_test {

using testing::random_table;

using Sets = std::vector<std::vector<int>>;

TEST(JointMarginals, SmallMarginalsAreOneTable) {
  const std::vector<size_t> sizes = {2, 3, 4, 1000};
  const Sets sets = {{0, 1}, {2, 0}, {1, 2}, {3, 0}, {}};
  const auto joints = join_marginals(sizes, sets, 24 * 8);
  ASSERT_EQ(joints.size(), 2U);
  EXPECT_THAT(joints[0].columns, ElementsAre(0, 1, 2));
  EXPECT_EQ(joints[0].cells, 24U);
  EXPECT_THAT(joints[0].sets, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(joints[1].columns, ElementsAre(3, 0));
  EXPECT_EQ(joints[1].cells, 2000U);
  EXPECT_THAT(joints[1].sets, ElementsAre(3));
}

TEST(JointMarginals, TablesThatWouldBeLargeForTheRecordsStayApart) {
  const Sets sets = {{0, 1}, {2, 0}, {1, 2}};
  EXPECT_EQ(join_marginals({2, 3, 4}, sets, 24 * 8 - 1).size(), 3U);
  EXPECT_EQ(join_marginals({2, 3, 4}, sets, 0).size(), 3U);
  EXPECT_THAT(join_marginals({2, 3, 4}, {}, 1000), IsEmpty());
}

TEST(JointMarginals, EachSetIsInOne) {
  const std::vector<size_t> sizes = {2, 9, 5, 300, 16, 7, 1, 2, 40, 15};
  const Sets sets = sets_of_degree(10, 3);
  for (const size_t num_records : {size_t{0}, size_t{1000}, size_t{50'000}, size_t{10'000'000}}) {
    std::vector<int> found(sets.size());
    const auto joints = join_marginals(sizes, sets, num_records);
    for (const JointMarginal& joint : joints) {
      size_t cells = 1;
      for (const int column : joint.columns) cells *= sizes[static_cast<size_t>(column)];
      EXPECT_EQ(joint.cells, cells);
      for (const size_t index : joint.sets) {
        ++found[index];
        for (const int column : sets[index]) EXPECT_THAT(joint.columns, Contains(column)) << index;
      }
    }
    EXPECT_THAT(found, Each(1));
    const size_t most = num_records >= 50'000 ? sets.size() / 2 : sets.size();
    EXPECT_LE(joints.size(), most);
  }
}

TEST(JointMarginals, SummedOutTheyAreTheMarginals) {
  const CodedTable table = random_table({3, 2, 5, 4}, 500, 1);
  const std::vector<int> joint = {0, 1, 2, 3};
  const std::vector<uint32_t> joint_counts = count_marginal(table, joint);
  std::vector<uint32_t> counts;
  for (const std::vector<int>& set : Sets{{}, {1}, {3, 0}, {2, 1, 3}, {3, 2, 1, 0}, joint}) {
    sum_out(table.sizes(), joint, joint_counts, set, counts);
    EXPECT_EQ(counts, count_marginal(table, set));
  }
}

}  // namespace equinoise::joint_marginals_test
