// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/stage_one.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/train/tailoring/budget_split.h"
#include "equinoise/train/tailoring/sensitivities.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"
#include "tests/train/tailoring/given_answers.h"
#include "tests/train/tailoring/population_answers.h"
#include "tests/vector_cases.h"

namespace equinoise::stage_one_test {

/// The answers of a case of the vectors, with its noise.
class GivenStageOne final : public StageOneAnswers {
 public:
  GivenStageOne(const nlohmann::json& c, GroupRecords records, const StageOneBounds& bounds)
      : case_(c), records_(std::move(records)), bounds_(bounds) {
    records_.clip(bounds.feature_norm_bound, bounds.target_bound);
  }

  const GroupRecords& records() const { return records_; }
  size_t num_features() const override { return records_.num_features(); }
  std::span<const int64_t> group_sizes() const override { return records_.group_sizes(); }
  StageOneBounds bounds() const override { return bounds_; }

  NoisyMoments moments(MomentRelease, double rho) override {
    testing::expect_close(rho, case_["expected"]["rho_statistics"], case_["tolerance"],
                          case_["id"]);
    NoisyMoments noisy = {records_.xtx(), records_.xty()};
    size_t next = 0;
    for (size_t i = 0; i < num_features(); ++i) {
      for (size_t j = i; j < num_features(); ++j) {
        noisy.xtx[i * num_features() + j] += case_["xtx_noise_upper"][next++].get<double>();
        noisy.xtx[j * num_features() + i] = noisy.xtx[i * num_features() + j];
      }
      noisy.xty[i] += case_["xty_noise"][i].get<double>();
    }
    testing::expect_block(noisy.xtx, case_["expected"]["noisy_xtx"], case_["tolerance"],
                          case_["id"]);
    testing::expect_block(noisy.xty, case_["expected"]["noisy_xty"], case_["tolerance"],
                          case_["id"]);
    return noisy;
  }

  std::vector<double> residual_sums(std::span<const double> coefficients, double rho) override {
    testing::expect_close(rho, case_["expected"]["rho_group"], case_["tolerance"], case_["id"]);
    std::vector<double> sums =
        records_.residual_sums(RegressionModel::kLinear, coefficients, bounds_.residual_clip);
    testing::expect_block(sums, case_["expected"]["residual_sums"], case_["tolerance"],
                          case_["id"]);
    for (size_t k = 0; k < sums.size(); ++k) sums[k] += case_["residual_noise"][k].get<double>();
    return sums;
  }

 private:
  const nlohmann::json& case_;
  GroupRecords records_;
  StageOneBounds bounds_;
};

TEST(StageOne, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/budget_tailoring.json");
  for (const auto& c : testing::cases_with(cases, "kind", "stage1")) {
    const std::string id = c["id"];
    SCOPED_TRACE(id);
    const auto& want = c["expected"];
    const StageOneBounds bounds = {parse_relation(c["relation"].get<std::string>()),
                                   c["feature_norm_bound"], c["target_bound"], c["residual_clip"]};
    GivenStageOne answers(c, testing::records_of(c), bounds);
    EXPECT_EQ(std::vector<int64_t>(answers.group_sizes().begin(), answers.group_sizes().end()),
              want["group_sizes"].get<std::vector<int64_t>>());
    testing::expect_block(answers.records().features(), want["clipped_X"], c["tolerance"], id);
    testing::expect_block(answers.records().targets(), want["clipped_y"], c["tolerance"], id);

    StageOneConfig config;
    config.rho = c["rho"];
    config.max_groups = c["mode"] == "disjoint" ? 1 : answers.group_sizes().size();
    config.release = c["release"] == "joint" ? MomentRelease::kJoint : MomentRelease::kSeparate;
    if (!c["box"].is_null()) config.box = c["box"].get<double>();
    const double part = stage_one_part(config.rho, config.max_groups);
    testing::expect_close(xtx_noise_stddev(bounds, answers.num_features(), config.release, part),
                          want["xtx_noise_stddev"], c["tolerance"], id);
    testing::expect_close(xty_noise_stddev(bounds, config.release, part), want["xty_noise_stddev"],
                          c["tolerance"], id);
    testing::expect_close(
        noise_stddev(residual_sum_sensitivity(bounds.relation, bounds.residual_clip), part),
        want["residual_noise_stddev"], c["tolerance"], id);

    const StageOneResult result = run_stage_one(answers, config);
    testing::expect_close(result.min_eigenvalue, want["min_eigenvalue"], c["tolerance"], id);
    testing::expect_close(result.ridge, want["ridge"], c["tolerance"], id);
    EXPECT_EQ(result.ridge > 0, want["ridged"].get<bool>());
    testing::expect_block(result.coefficients, want["beta"], c["tolerance"], id);
    testing::expect_block(result.noisy_residual_sums, want["noisy_residual_sums"], c["tolerance"],
                          id);
    EXPECT_EQ(result.floored, want["floored"].get<std::vector<bool>>());
    testing::expect_block(result.group_variances, want["group_variance"], c["tolerance"], id);
    for (const auto& [letter, rule] :
         {std::pair("A", SplitRule::kError), std::pair("B", SplitRule::kErrorOverSize),
          std::pair("C", SplitRule::kRootError), std::pair("U", SplitRule::kUniform),
          std::pair("N", SplitRule::kInverseSize)}) {
      const auto split = [&, rule = rule](double min_weight) {
        return split_budget(rule, result.group_variances, answers.group_sizes(), min_weight);
      };
      testing::expect_block(split(0), want["weights"][letter]["uncapped"], c["tolerance"], id);
      testing::expect_block(split(c["min_weight"]), want["weights"][letter]["capped"],
                            c["tolerance"], id);
    }
  }
}

/// 1.1 of the specification: the printed parts are tau / (groups + 1) whatever groups are.
TEST(StageOne, CostsItsBudget) {
  for (const size_t max_groups : {1, 2, 5}) {
    const double part = stage_one_part(0.3, max_groups);
    EXPECT_NEAR(part * (1 + static_cast<double>(max_groups)), 0.3, 1e-15);
  }
}

/// Shares of the majority that noise-free first stages give, sizes 10000 and 500, clip 2.
TEST(StageOne, SplitsAsMeasured) {
  struct Case {
    double first;
    double second;
    std::vector<double> shares;  // by error, error_over_size and root_error
  };
  const std::vector<int64_t> sizes = {10000, 500};
  for (const Case& c : {Case{-10, 10, {.276, .0188, .382}}, Case{-1, 1, {.292, .0202, .391}},
                        Case{10, 1, {.229, .0147, .353}}}) {
    const double slope = (10000 * c.first + 500 * c.second) / 10500;
    const std::vector<double> variances = {
        testing::clipped_square(1 + std::pow(slope - c.first, 2), 4),
        testing::clipped_square(1 + std::pow(slope - c.second, 2), 4)};
    const auto share = [&](SplitRule rule) { return split_budget(rule, variances, sizes, 0)[0]; };
    EXPECT_NEAR(share(SplitRule::kError), c.shares[0], 0.01);
    EXPECT_NEAR(share(SplitRule::kErrorOverSize), c.shares[1], 0.001);
    EXPECT_NEAR(share(SplitRule::kRootError), c.shares[2], 0.01);
  }
}

TEST(StageOne, ReleasesMomentsSeparatelyWhereTargetsAreLong) {
  EXPECT_EQ(best_moment_release({Relation::kZeroOut, 1, 1.4, 1}), MomentRelease::kJoint);
  EXPECT_EQ(best_moment_release({Relation::kZeroOut, 1, 1.5, 1}), MomentRelease::kSeparate);
}

TEST(StageOne, RefusesWhatDoesNotFit) {
  const nlohmann::json none;
  GivenStageOne answers(none, GroupRecords::disjoint(1, std::vector<int64_t>{1, 1}, {1, 1}, {0, 1}),
                        {});
  StageOneConfig config;
  config.rho = std::nan("");
  EXPECT_ERROR(kUsage, HasSubstr("budget"), run_stage_one(answers, config));
  config.rho = 1;
  for (const size_t max_groups : {0, 3}) {
    config.max_groups = max_groups;
    EXPECT_ERROR(kUsage, HasSubstr("a person is in 1 to 2 groups"), run_stage_one(answers, config));
  }
}

}  // namespace equinoise::stage_one_test
