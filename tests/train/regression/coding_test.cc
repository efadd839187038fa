// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/coding.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/matchers.h"
#include "tests/small_tables.h"

namespace equinoise::coding_test {

/// Three numbers, then categories of which 4 and 9 count the most.
const Eigen::VectorXd kSums{{0, 0, 0, 30, 50, 20, 10, 8, 0.9, 90}};

TEST(Coding, HoldsCategoriesAgainstWhatCountsTheMost) {
  const EncodedTable table = testing::mixed_table(5, 1);
  const Coding coding = coding_of(kSums, 2, table);
  EXPECT_THAT(coding.kept, ElementsAre(0, 1, 2, 3, 5, 6, 7));
  EXPECT_THAT(coding.names,
              ElementsAre("dense0", "dense1", "dense2", "first=0 (against 1)",
                          "first=2 (against 1)", "first=3 (against 1)", "second=0 (against 2)"));
  EXPECT_THAT(coding.references, ElementsAre(-1, -1, -1, 4, 4, 4, 4, 9, 9, 9));
  // Less than one record, without any noise too.
  for (const double stddev : {0.0, 2.0}) {
    const Coding found = coding_of(kSums, stddev, table);
    ASSERT_EQ(found.hidden.size(), 1) << stddev;
    EXPECT_EQ(found.hidden[0].name, "second=1 (against 2)");
    EXPECT_EQ(found.hidden[0].feature, 8);
    EXPECT_EQ(found.hidden[0].reference, 9);
  }
  // Of 3 standard deviations of noise nothing is told.
  EXPECT_EQ(coding_of(kSums, 3, table).hidden.size(), 3);
  const std::vector<Coefficient> rows = rows_of(coding);
  ASSERT_EQ(rows.size(), 9);
  EXPECT_EQ(rows[6].name, "second=0 (against 2)");
  EXPECT_EQ(rows[7].name, "intercept");
  EXPECT_EQ(rows[8].name, "second=1 (against 2)");
}

/// 1 and two numbers of 100 records, the second of which is a part of the first and of something of
/// its own.
Eigen::MatrixXd two_numbers(double own) {
  Eigen::MatrixXd matrix{{25, 10, 5}, {10, 4, 2}, {5, 2, 100}};
  matrix(1, 1) += own;
  return matrix;
}

Coding of_two_numbers() { return {{0, 1}, {"a", "b"}, {}, {-1, -1}}; }

TEST(Coding, LeavesOutWhatNoiseHidesAndNothingElse) {
  const Eigen::MatrixXd exact = Eigen::MatrixXd::Zero(3, 3);
  // Noise of what is left of the second number, with a standard deviation of about .12.
  const Eigen::MatrixXd noisy = Eigen::MatrixXd::Constant(3, 3, 0.01);
  for (const auto& [own, variances] : {std::pair{0.0, exact}, {0.0, noisy}, {0.3, noisy}}) {
    const Coding found = without_hidden(of_two_numbers(), two_numbers(own), variances, 3);
    EXPECT_THAT(found.kept, ElementsAre(0));
    ASSERT_EQ(found.hidden.size(), 1);
    EXPECT_EQ(found.hidden[0].name, "b");
    EXPECT_EQ(found.hidden[0].reference, -1);
  }
  EXPECT_EQ(without_hidden(of_two_numbers(), two_numbers(0.01), exact, 3).kept.size(), 2);
  EXPECT_EQ(without_hidden(of_two_numbers(), two_numbers(0.5), noisy, 3).kept.size(), 2);
  const Coding none = without_hidden(of_two_numbers(), two_numbers(10), 1e6 * noisy, 3);
  EXPECT_TRUE(none.kept.empty());
  EXPECT_EQ(none.hidden.size(), 2);
}

TEST(Coding, TellsEstimatesInTheUnitsOfTheColumns) {
  EncodedTable table = testing::mixed_table(5, 1);
  // An age is 20 + 60 (.5 + .5 x).
  table.scales = {{20, 60, 0.5, 0.5}, {0, 1, 0, 1}, {0, 1, 0, 1}};
  const Coding coding{{0, 3}, {"age", "first=0"}, {}, {}};
  const Eigen::MatrixXd natural = in_units_of_columns(coding, table);
  const Eigen::Vector3d scaled(3, 5, 7);
  const Eigen::Vector3d found = natural * scaled;
  EXPECT_NEAR(found(0), 0.1, 1e-12);
  EXPECT_EQ(found(1), 5);
  // At age 0 the number x is -50 / 30.
  EXPECT_NEAR(found(2), 7 - 3 * 50.0 / 30, 1e-12);
}

}  // namespace equinoise::coding_test
