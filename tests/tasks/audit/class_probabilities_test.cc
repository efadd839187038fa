// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/class_probabilities.h"

#include "tests/test_support.h"

namespace equinoise::class_probabilities_test {

using Names = std::vector<std::string>;

ColumnSchema target_of(Names values, Names cells = {}) {
  ColumnSchema target;
  target.name = "y";
  target.values = std::move(values);
  target.cell_texts = std::move(cells);
  return target;
}

TEST(ProbabilityColumns, AreNamedAsPredictNamesThem) {
  const Names header = {"row", "probability of b", "probability of a,c", "probability of "};
  const ProbabilityColumns columns;
  EXPECT_THAT(columns.classes_in(header), ElementsAre("b", "a,c"));
  EXPECT_THAT(columns.columns_of(target_of({"a,c", "b", "d"}), header),
              ElementsAre("probability of a,c", "probability of b", ""));
}

TEST(ProbabilityColumns, ClassesMayBeSpelledOtherwise) {
  const ProbabilityColumns alone({"{}"});
  EXPECT_THAT(alone.classes_in({"0", "1"}), IsEmpty());
  EXPECT_THAT(alone.columns_of(target_of({"0", "1"}), {"0.0", "1.0"}), ElementsAre("0.0", "1.0"));
  EXPECT_THAT(alone.columns_of(target_of({"1"}), {"1.0", "1", "01"}), ElementsAre("1"));
  EXPECT_THAT(alone.columns_of(target_of({"no", "yes"}, {"0", "1"}), {"1", "no"}),
              ElementsAre("no", "1"));
}

TEST(ProbabilityColumns, MayBeNamedOneByOne) {
  const ProbabilityColumns columns({"\"a=1\"=x", "p_{}_q", "b=\"y=z\""});
  const Names header = {"x", "y=z", "p_c_q", "p__q"};
  EXPECT_THAT(columns.classes_in(header), ElementsAre("a=1", "b", "c"));
  EXPECT_THAT(columns.columns_of(target_of({"a=1", "b", "c", "d"}), header),
              ElementsAre("x", "y=z", "p_c_q", ""));
  EXPECT_EQ(columns.expected_name("d"), "p_d_q");
}

TEST(ProbabilityColumns, OtherTextsAreRefused) {
  for (const Names& texts : {Names{"p"}, {"{}", "a{}"}, {"a=x", "a=y"}, {"a=x", "b=x"}})
    EXPECT_THROW(ProbabilityColumns{texts}, Error) << texts[0];
}

}  // namespace equinoise::class_probabilities_test
