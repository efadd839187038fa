// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/coding.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "tests/matchers.h"
#include "tests/small_tables.h"

namespace equinoise::coding_test {

/// Three numbers, then categories of which 4 and 9 count the most.
const Eigen::VectorXd kSums{{0, 0, 0, 30, 50, 20, 10, 8, 0.9, 90}};

/// Moments of these and a constant, whose counts have such noise.
NoisyMatrix moments_with(double stddev) {
  NoisyMatrix moments{Eigen::MatrixXd::Zero(11, 11),
                      {Eigen::MatrixXd::Zero(11, 11), Eigen::VectorXd::Zero(11)}};
  moments.matrix.diagonal().head(10) = kSums;
  moments.noise.shared.head(10).setConstant(stddev * stddev);
  return moments;
}

/// Two releases of each count become one, and no record is in two categories of a column.
TEST(Coding, KnowsWhatIsPublicAboutCategories) {
  const EncodedTable table = testing::mixed_table(5, 1);
  NoisyMatrix moments{Eigen::MatrixXd::Constant(11, 11, 7),
                      {Eigen::MatrixXd::Constant(11, 11, 4), Eigen::VectorXd::Zero(11)}};
  moments.matrix(4, 4) = 20;
  moments.matrix(4, 10) = moments.matrix(10, 4) = 15;
  moments.noise.variances(4, 10) = moments.noise.variances(10, 4) = 1;
  const NoisyMatrix found = with_known_categories(moments, table);
  EXPECT_DOUBLE_EQ(found.matrix(4, 4), 16);
  EXPECT_DOUBLE_EQ(found.matrix(4, 10), 16);
  EXPECT_DOUBLE_EQ(found.noise.shared(4), 0.8);
  EXPECT_EQ(found.noise.variances(4, 4), 0);
  EXPECT_EQ(found.noise.variances(10, 4), 0);
  // Of one column, of two, and of numbers.
  EXPECT_EQ(found.matrix(4, 5), 0);
  EXPECT_EQ(found.noise.variances(4, 5), 0);
  for (const Eigen::Index other : {2, 7, 9}) {
    EXPECT_EQ(found.matrix(4, other), 7);
    EXPECT_EQ(found.noise.variances(4, other), 4);
  }
  EXPECT_EQ(found.noise.variances(1, 1), 4);
  EXPECT_EQ(found.noise.shared(1), 0);
  EXPECT_EQ(found.noise.variances(10, 10), 4);
}

TEST(Coding, HoldsCategoriesAgainstWhatCountsTheMost) {
  const EncodedTable table = testing::mixed_table(5, 1);
  const Coding coding = coding_of(moments_with(2), table, 4);
  EXPECT_THAT(coding.kept, ElementsAre(0, 1, 2, 3, 5, 6, 7));
  EXPECT_THAT(coding.names,
              ElementsAre("dense0", "dense1", "dense2", "first=0 (against 1)",
                          "first=2 (against 1)", "first=3 (against 1)", "second=0 (against 2)"));
  EXPECT_THAT(coding.references, ElementsAre(-1, -1, -1, 4, 4, 4, 4, 9, 9, 9));
  // Less than one record, without any noise too.
  for (const double stddev : {0.0, 2.0}) {
    const Coding found = coding_of(moments_with(stddev), table, 4);
    ASSERT_EQ(found.hidden.size(), 1) << stddev;
    EXPECT_EQ(found.hidden[0].name, "second=1 (against 2)");
    EXPECT_EQ(found.hidden[0].feature, 8);
    EXPECT_EQ(found.hidden[0].reference, 9);
    EXPECT_EQ(found.hidden[0].why, "noise hides it: joins 2");
  }
  // Of 3 standard deviations of noise nothing is told.
  EXPECT_EQ(coding_of(moments_with(3), table, 4).hidden.size(), 3);
  const std::vector<Coefficient> rows = rows_of(coding);
  ASSERT_EQ(rows.size(), 9);
  EXPECT_EQ(rows[6].name, "second=0 (against 2)");
  EXPECT_EQ(rows[7].name, "intercept");
  EXPECT_EQ(rows[8].name, "second=1 (against 2)");
  EXPECT_EQ(rows[8].why, "noise hides it: joins 2");
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
  const auto with_noise = [](double own, double variance) {
    return NoisyMatrix{two_numbers(own),
                       {Eigen::MatrixXd::Constant(3, 3, variance), Eigen::VectorXd::Zero(3)}};
  };
  // Noise of what is left of the second number, with a standard deviation of about .12.
  for (const auto& [own, variance] : {std::pair{0.0, 0.0}, {0.0, 0.01}, {0.3, 0.01}}) {
    const Coding found = without_hidden(of_two_numbers(), with_noise(own, variance), 3);
    EXPECT_THAT(found.kept, ElementsAre(0));
    ASSERT_EQ(found.hidden.size(), 1);
    EXPECT_EQ(found.hidden[0].name, "b");
    EXPECT_EQ(found.hidden[0].reference, -1);
    EXPECT_EQ(found.hidden[0].why, "nearly the same as a");
  }
  EXPECT_EQ(without_hidden(of_two_numbers(), with_noise(0.01, 0), 3).kept.size(), 2);
  EXPECT_EQ(without_hidden(of_two_numbers(), with_noise(0.5, 0.01), 3).kept.size(), 2);
  // More than a quarter of it is left, and then all of it is less than noise.
  for (const auto& [own, variance, why] :
       {std::tuple{3.0, 1.0, "noise hides what the other columns leave of it"},
        {0.0, 4.0, "noise hides how it varies"}}) {
    const Coding found = without_hidden(of_two_numbers(), with_noise(own, variance), 3);
    ASSERT_EQ(found.hidden.size(), 1) << own;
    EXPECT_EQ(found.hidden[0].why, why);
  }
  const Coding none = without_hidden(of_two_numbers(), with_noise(10, 1e4), 3);
  EXPECT_TRUE(none.kept.empty());
  EXPECT_EQ(none.hidden.size(), 2);
}

/// The last number is the mean of the others, of which each explains a part only.
TEST(Coding, NamesAColumnOnlyIfThatOneExplainsTheHiddenOne) {
  for (const Eigen::Index size : {1, 2, 4, 8}) {
    const auto share = 1 / static_cast<double>(size);
    Eigen::MatrixXd second = 100 * Eigen::MatrixXd::Identity(size + 2, size + 2);
    second.row(size).head(size).setConstant(100 * share);
    second.col(size).head(size).setConstant(100 * share);
    second(size, size) = 100 * share;
    Coding coding;
    coding.references.assign(static_cast<size_t>(size + 1), -1);
    for (Eigen::Index k = 0; k <= size; ++k) {
      coding.kept.push_back(k);
      coding.names.push_back(std::string(1, static_cast<char>('a' + k)));
    }
    const NoisyMatrix moments{
        second,
        {Eigen::MatrixXd::Constant(size + 2, size + 2, 0.01), Eigen::VectorXd::Zero(size + 2)}};
    const Coding found = without_hidden(coding, moments, 3);
    ASSERT_EQ(found.hidden.size(), 1) << size;
    EXPECT_EQ(found.hidden[0].why,
              size == 1 ? "nearly the same as a" : "other columns together are nearly the same");
  }
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
