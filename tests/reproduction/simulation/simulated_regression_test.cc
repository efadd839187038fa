// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/simulated_regression.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/test_support.h"

namespace equinoise::simulated_regression_test {

constexpr uint64_t kSeed = 7;

/// Two groups of slopes -1 and 1, mirrored where sign is -1.
GroupRecords two_groups(double sign) {
  SimulationNoise random(kSeed, 0);
  std::vector<double> features;
  std::vector<double> targets;
  const std::vector<int64_t> sizes = {2000, 100};
  for (size_t k = 0; k < 2; ++k) {
    for (int64_t i = 0; i < sizes[k]; ++i) {
      const double x = random.normal();
      features.push_back(sign * x);
      targets.push_back((k == 0 ? -x : x) + random.normal());
    }
  }
  return GroupRecords::disjoint(1, sizes, features, targets);
}

SimulatedOutcome run(const SimulatedMethod& method, const GroupRecords& records, double rho,
                     const SimulationSettings& settings = {}) {
  SimulationNoise noise(kSeed, 1);
  SimulatedStageOneAnswers stage_one(records, settings.stage_one);
  stage_one.use(noise);
  return run_simulated(method, settings, records, rho, &stage_one, noise);
}

TEST(SimulatedRegression, NamesItsAlgorithms) {
  EXPECT_EQ(parse_tailoring_algorithm("summed"), TailoringAlgorithm::kSummed);
  EXPECT_ERROR(kUsage, HasSubstr("unweighted, summed, printed"),
               parse_tailoring_algorithm("sumed"));
}

/// Slopes 10 and -10 are slopes -10 and 10 of records whose x has the other sign: panels of the
/// paper that differ in that alone differ by chance.
TEST(SimulatedRegression, AMirrorImageIsOne) {
  for (const TailoringAlgorithm algorithm :
       {TailoringAlgorithm::kUnweighted, TailoringAlgorithm::kBalanced,
        TailoringAlgorithm::kGroupLosses, TailoringAlgorithm::kDecoupled}) {
    SimulatedMethod method;
    method.algorithm = algorithm;
    method.is_private = false;
    const SimulatedOutcome one = run(method, two_groups(1), 1);
    const SimulatedOutcome other = run(method, two_groups(-1), 1);
    for (size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(one.parameters[k][0], -other.parameters[k][0], 1e-12);
  }
}

TEST(SimulatedRegression, OnlyADecoupledModelFitsBothGroups) {
  SimulatedMethod method;
  const GroupRecords records = two_groups(1);
  const SimulatedOutcome shared = run(method, records, 2);
  EXPECT_EQ(shared.parameters[0], shared.parameters[1]);
  EXPECT_LT(shared.parameters[0][0], -0.8);
  method.algorithm = TailoringAlgorithm::kBalanced;
  EXPECT_NEAR(run(method, records, 2).parameters[0][0], 0, 0.4);
  method.algorithm = TailoringAlgorithm::kDecoupled;
  const SimulatedOutcome decoupled = run(method, records, 2);
  EXPECT_NEAR(decoupled.parameters[0][0], -1, 0.2);
  EXPECT_NEAR(decoupled.parameters[1][0], 1, 0.4);
}

/// Equal weights are those of all records alike, weights by inverse size those of groups alike.
TEST(SimulatedRegression, WeightsMoveTheModelBetweenGroups) {
  const GroupRecords records = two_groups(1);
  const auto slope = [&](TailoringAlgorithm algorithm, std::optional<SplitRule> weights = {}) {
    SimulatedMethod method;
    method.algorithm = algorithm;
    method.split = weights;
    method.is_private = false;
    return run(method, records, 2).parameters[0][0];
  };
  EXPECT_NEAR(slope(TailoringAlgorithm::kWeighted, SplitRule::kUniform),
              slope(TailoringAlgorithm::kUnweighted), 1e-9);
  EXPECT_NEAR(slope(TailoringAlgorithm::kWeighted, SplitRule::kInverseSize),
              slope(TailoringAlgorithm::kBalanced), 1e-9);
}

/// A split by errors looks at the records first and pays for it.
TEST(SimulatedRegression, SplitsThatLookPayForStageOne) {
  SimulatedMethod method;
  method.algorithm = TailoringAlgorithm::kGroupLosses;
  EXPECT_FALSE(needs_stage_one(method));
  EXPECT_TRUE(run(method, two_groups(1), 2).shares.empty());
  method.split = SplitRule::kUniform;
  EXPECT_FALSE(needs_stage_one(method));
  EXPECT_EQ(run(method, two_groups(1), 2).shares, (std::vector<double>{0.5, 0.5}));
  method.split = SplitRule::kError;
  EXPECT_TRUE(needs_stage_one(method));
  const SimulatedOutcome split = run(method, two_groups(1), 200);
  ASSERT_EQ(split.residuals.size(), 2);
  EXPECT_NEAR(split.residuals[0], 0.9, 0.1);  // of noise 1, clipped to 2
  EXPECT_GT(split.shares[1], 0.6);
  method.algorithm = TailoringAlgorithm::kStageOne;
  EXPECT_TRUE(run(method, two_groups(1), 2).parameters.empty());
}

/// What a record of each group pays, by what its groups' sums let it change.
TEST(SimulatedRegression, KnowsWhatEachGroupPays) {
  using ::testing::DoubleNear;
  const GroupRecords records = two_groups(1);
  const auto costs = [&](TailoringAlgorithm algorithm, std::optional<SplitRule> split = {}) {
    SimulatedMethod method;
    method.algorithm = algorithm;
    method.split = split;
    return run(method, records, 2).group_rho;
  };
  EXPECT_THAT(costs(TailoringAlgorithm::kUnweighted), ElementsAre(2, 2));
  EXPECT_THAT(costs(TailoringAlgorithm::kDecoupled), ElementsAre(2, 2));
  EXPECT_THAT(costs(TailoringAlgorithm::kGroupLosses), ElementsAre(2, 2));
  // 2,000 and 100 records: somebody among many moves a mean of means little.
  EXPECT_THAT(costs(TailoringAlgorithm::kBalanced),
              ElementsAre(DoubleNear(2. / 400, 1e-12), DoubleNear(2, 1e-12)));
  // What counts half as much changes the sum half as much.
  EXPECT_THAT(costs(TailoringAlgorithm::kWeighted, SplitRule::kUniform), ElementsAre(2, 2));
  EXPECT_THAT(costs(TailoringAlgorithm::kWeighted, SplitRule::kInverseSize),
              ElementsAre(DoubleNear(2. / 400, 1e-12), DoubleNear(2, 1e-12)));
  EXPECT_THAT(costs(TailoringAlgorithm::kSummed, SplitRule::kUniform), ElementsAre(1, 1));
  const std::vector<double> printed = costs(TailoringAlgorithm::kPrinted, SplitRule::kUniform);
  EXPECT_NEAR(printed[1], 0.5 / (100 * 100), 1e-12);
  // A fifth for stage one, which everybody pays.
  const std::vector<double> tailored = costs(TailoringAlgorithm::kGroupLosses, SplitRule::kError);
  EXPECT_NEAR(tailored[0] + tailored[1], 2 * 0.4 + 1.6, 1e-12);
  EXPECT_GT(tailored[0], 0.4);
  SimulatedMethod open;
  open.is_private = false;
  EXPECT_TRUE(run(open, records, 2).group_rho.empty());
}

/// A logistic stage one tells which group the common model predicts worst.
TEST(SimulatedRegression, LogisticSplitsFollowBriersScore) {
  SimulationNoise random(kSeed, 0);
  std::vector<double> features;
  std::vector<double> targets;
  const std::vector<int64_t> sizes = {4000, 400};
  for (size_t k = 0; k < 2; ++k) {
    for (int64_t i = 0; i < sizes[k]; ++i) {
      const double x = random.uniform();
      const bool is_one = (random.uniform() + 1) / 2 < 1 / (1 + std::exp(-5 * x));
      features.push_back(x);
      targets.push_back(is_one == (k == 0) ? 1 : -1);
    }
  }
  const GroupRecords records = GroupRecords::disjoint(1, sizes, features, targets);
  SimulationSettings settings;
  settings.model = RegressionModel::kLogistic;
  settings.bounds.max_grad_norm = 1;
  SimulatedMethod method;
  method.algorithm = TailoringAlgorithm::kGroupLosses;
  method.split = SplitRule::kError;
  SimulationNoise noise(kSeed, 1);
  SimulatedStageOneAnswers stage_one(records, settings.stage_one, settings.model);
  stage_one.use(noise);
  const SimulatedOutcome split = run_simulated(method, settings, records, 200, &stage_one, noise);
  // At the larger group's own model a mean square of 0.1 to 0.2; the smaller one's is reversed.
  ASSERT_EQ(split.residuals.size(), 2);
  EXPECT_GT(split.residuals[0], std::sqrt(0.1));
  EXPECT_LT(split.residuals[0], std::sqrt(0.2));
  EXPECT_GT(split.residuals[1], std::sqrt(0.35));
  EXPECT_GT(split.shares[1], 0.65);
  EXPECT_NEAR(split.shares[0] + split.shares[1], 1, 1e-12);
}

/// Algorithm 2 as printed is little more than noise at a budget at which the corrected one is not.
TEST(SimulatedRegression, PrintedNoiseHidesTheRecords) {
  SimulatedMethod method;
  method.split = SplitRule::kUniform;
  const GroupRecords records = two_groups(1);
  double printed = 0;
  double corrected = 0;
  for (int draw = 0; draw < 20; ++draw) {
    SimulationNoise noise(kSeed, static_cast<uint64_t>(2 + draw));
    method.algorithm = TailoringAlgorithm::kPrinted;
    printed += std::fabs(run_simulated(method, {}, records, 8, nullptr, noise).parameters[0][0]);
    method.algorithm = TailoringAlgorithm::kGroupLosses;
    corrected += std::fabs(run_simulated(method, {}, records, 8, nullptr, noise).parameters[0][0]);
  }
  EXPECT_GT(printed / 20, 1);
  EXPECT_LT(corrected / 20, 0.3);
}

}  // namespace equinoise::simulated_regression_test
