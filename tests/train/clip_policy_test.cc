// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/clip_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "equinoise/base/error.h"
#include "tests/shared_vectors.h"
#include "tests/vector_cases.h"

namespace equinoise::clip_policy_test {

TEST(FlatClip, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/clip_policies.json");
  for (const auto& c : testing::cases_with(cases, "policy", "flat")) {
    std::vector<double> squared;
    for (const auto& norm : c["norms"]) squared.push_back(norm.get<double>() * norm.get<double>());
    std::vector<double> weights(squared.size());
    const FlatClip clip(c["max_grad_norm"].get<double>());
    clip.weights({squared}, weights);
    for (size_t i = 0; i < weights.size(); ++i) {
      testing::expect_close(weights[i], c["expected"]["weights"][i], c["tolerance"], c["id"]);
    }
    testing::expect_close(c["noise_multiplier"].get<double>() * clip.bound(),
                          c["expected"]["noise_stddev"], c["tolerance"], c["id"]);
  }
}

/// A policy that clips nothing and counts everybody twice over.
class Unbounded final : public ClipPolicy {
 public:
  Unbounded(double weight, std::vector<double> group_bounds = {})
      : weight_(weight), group_bounds_(std::move(group_bounds)) {}
  double bound() const override { return 2; }
  std::span<const double> group_bounds() const override { return group_bounds_; }
  double weight(double, GroupId, double) const override { return weight_; }
  size_t num_counts() const override { return 2; }
  std::optional<size_t> count_of(double norm, GroupId) const override { return norm < 1 ? 1 : 2; }

 private:
  double weight_;
  std::vector<double> group_bounds_;
};

/// Whatever a policy says, weight times norm is at most the bound, and who was cut is counted.
TEST(ClipPolicy, WeightsBeyondTheBoundAreCutAndCounted) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> squared = {0, 1e-320, 0.25, 1, 4, 9, 1e12, 1e308, kInfinity, std::nan("")};
  for (int i = 1; i < 300; ++i) squared.push_back(i / 7.0);
  std::vector<GroupId> groups;
  for (uint32_t i = 0; i < squared.size(); ++i) groups.push_back(GroupId(i % 2));
  std::vector<double> weights(squared.size());
  for (const double given : {3.0, -3.0, 0.5, 1e300, kInfinity, -kInfinity, std::nan("")}) {
    for (const std::vector<double>& bounds : {std::vector<double>(), std::vector{5.0, 0.3}}) {
      const int64_t num_cut = Unbounded(given, bounds).weights({squared, groups}, weights);
      int64_t num_beyond = 0;
      for (size_t i = 0; i < squared.size(); ++i) {
        const double norm = std::sqrt(squared[i]);
        const double bound = bounds.empty() ? 2 : std::min(2.0, bounds[i % 2]);
        ASSERT_TRUE(std::isfinite(weights[i]));
        if (!(norm < kInfinity)) {
          EXPECT_EQ(weights[i], 0);
          continue;
        }
        EXPECT_TRUE(norm == 0 || std::fabs(weights[i]) <= bound / norm);
        const bool is_beyond = !(std::fabs(given) * norm <= bound) || std::fabs(given) > 1e100;
        num_beyond += is_beyond;
        if (!is_beyond) {
          EXPECT_EQ(weights[i], given);
        } else if (std::isfinite(given) && norm > 1e-3) {
          EXPECT_EQ(weights[i], std::copysign(bound / norm, given));
        }
      }
      EXPECT_EQ(num_cut, num_beyond) << given;
    }
  }
  // A count that there is not is none.
  std::vector<int64_t> counts(2, 0);
  const std::vector<uint32_t> of_records = {5, 3, 2};
  const std::vector<double> three = {0.25, 4, std::nan("")};
  Unbounded(1).add_counts({three, {}, of_records}, counts);
  EXPECT_EQ(counts, (std::vector<int64_t>{0, 5}));
}

std::vector<double> squares_of(const nlohmann::json& norms) {
  std::vector<double> squared;
  for (const auto& norm : norms) squared.push_back(norm.get<double>() * norm.get<double>());
  return squared;
}

TEST(GlobalClip, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/clip_policies.json");
  for (const auto& c : testing::cases_with(cases, "policy", "global")) {
    const std::vector<double> squared = squares_of(c["norms"]);
    std::vector<double> weights(squared.size());
    const GlobalClip clip(c["max_grad_norm"].get<double>(), c["strict_bound"].get<double>());
    clip.weights({squared}, weights);
    for (size_t i = 0; i < weights.size(); ++i) {
      testing::expect_close(weights[i], c["expected"]["weights"][i], c["tolerance"], c["id"]);
    }
    EXPECT_EQ(std::ranges::count(weights, 0.0), c["expected"]["num_dropped"]);
    testing::expect_close(c["noise_multiplier"].get<double>() * clip.bound(),
                          c["expected"]["noise_stddev"], c["tolerance"], c["id"]);
  }
}

TEST(GlobalAdaptClip, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/clip_policies.json");
  for (const auto& c : testing::cases_with(cases, "policy", "global_adapt")) {
    GlobalAdaptClip clip(c["max_grad_norm"].get<double>(),
                         {c["strict_bound"], c["threshold"], c["strict_bound_learning_rate"],
                          c["expected_batch_size"].get<double>()});
    for (size_t t = 0; t < c["steps"].size(); ++t) {
      const auto& expected = c["expected"]["steps"][t];
      const std::vector<double> squared = squares_of(c["steps"][t]["norms"]);
      std::vector<double> weights(squared.size());
      clip.weights({squared}, weights);
      for (size_t i = 0; i < weights.size(); ++i) {
        testing::expect_close(weights[i], expected["weights"][i], c["tolerance"], c["id"]);
      }
      std::vector<int64_t> counts(clip.num_counts(), 0);
      clip.add_counts({squared}, counts);
      EXPECT_EQ(counts[0], expected["count"]);
      const double noise = c["steps"][t]["count_noise"];
      clip.take_counts(std::vector<double>{static_cast<double>(counts[0]) + noise});
      testing::expect_close(clip.strict_bound(), expected["next_strict_bound"], c["tolerance"],
                            c["id"]);
    }
    testing::expect_close(c["noise_multiplier"].get<double>() * clip.bound(),
                          c["expected"]["noise_stddev"], c["tolerance"], c["id"]);
  }
}

const double kNoNorms[] = {std::nan(""), std::numeric_limits<double>::infinity()};

TEST(GlobalClips, GiveWeightZeroToWhatIsNoNormAndDoNotCountIt) {
  std::vector<double> weights(2);
  GlobalClip(1, 2).weights({kNoNorms}, weights);
  EXPECT_EQ(weights, std::vector<double>(2, 0));
  const GlobalAdaptClip adapt(1, {2, 1, 0.1, 10});
  adapt.weights({kNoNorms}, weights);
  EXPECT_EQ(weights, std::vector<double>(2, 0));
  std::vector<int64_t> counts(1, 0);
  adapt.add_counts({kNoNorms}, counts);
  EXPECT_EQ(counts[0], 0);
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

TEST(GroupClip, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/clip_policies.json");
  for (const auto& c : testing::cases_with(cases, "policy", "dpsgd_f")) {
    const size_t num_groups = c["num_groups"];
    GroupClip clip(c["max_grad_norm"], num_groups,
                   value_of(kThresholdRules, c["thresholds"].get<std::string>()).value(), kNoLimit);
    const std::vector<double> squared = squares_of(c["norms"]);
    std::vector<GroupId> groups;
    for (const auto& group : c["group"]) groups.emplace_back(GroupId(group.get<uint32_t>()));
    std::vector<int64_t> counts(clip.num_counts(), 0);
    clip.add_counts({squared, groups}, counts);
    std::vector<double> noisy;
    for (size_t k = 0; k < 2 * num_groups; ++k) {
      const bool above = k < num_groups;
      const size_t group = above ? k : k - num_groups;
      EXPECT_EQ(counts[k], c["expected"][above ? "above" : "below"][group]) << c["id"];
      noisy.push_back(static_cast<double>(counts[k]) +
                      c[above ? "above_noise" : "below_noise"][group].get<double>());
    }
    clip.take_counts(noisy);
    for (size_t k = 0; k < num_groups; ++k) {
      testing::expect_close(clip.thresholds()[k], c["expected"]["group_thresholds"][k],
                            c["tolerance"], c["id"]);
    }
    std::vector<double> weights(squared.size());
    clip.weights({squared, groups}, weights);
    for (size_t i = 0; i < weights.size(); ++i) {
      testing::expect_close(weights[i], c["expected"]["weights"][i], c["tolerance"], c["id"]);
    }
    testing::expect_close(c["noise_multiplier"].get<double>() * clip.bound(),
                          c["expected"]["noise_stddev"], c["tolerance"], c["id"]);
  }
}

/// The bound, by which noise is drawn, follows from noisy counts alone: who is in the batch changes
/// nothing, nor whether a group is.
TEST(GroupClip, BoundsByTheCountsOfAllGroups) {
  GroupClip clip(1, 3, ThresholdRule::kPaper, kNoLimit);
  EXPECT_EQ(clip.bound(), 2);
  // r = 10 / 40; shares 0.8, 0, 0.1.
  clip.take_counts(std::vector<double>{8, 0, 2, 2, 10, 18});
  EXPECT_NEAR(clip.bound(), 1 + 0.8 / 0.25, 1e-12);
  const double squared[] = {100, 0.25};
  const GroupId groups[] = {GroupId(2), GroupId(1)};
  std::vector<double> weights(2);
  clip.weights({squared, groups}, weights);
  EXPECT_NEAR(weights[0] * 10, 1 + 0.1 / 0.25, 1e-12);
  EXPECT_EQ(weights[1], 1);
  EXPECT_NEAR(clip.bound(), 1 + 0.8 / 0.25, 1e-12);
}

TEST(GroupClip, KeepsToThePublicLimitWhateverTheCounts) {
  GroupClip clip(1, 2, ThresholdRule::kPaper, 4);
  clip.take_counts(std::vector<double>{1, 0, 0, 999});
  EXPECT_EQ(clip.bound(), 4);
  clip.take_counts(std::vector<double>{-7, -3, -1, -0.5});
  EXPECT_EQ(clip.bound(), 2);
  EXPECT_EQ(GroupClip(1, 2, ThresholdRule::kCode, 1).bound(), 1);
}

TEST(GroupClip, CountsAndWeighsNothingWithoutANorm) {
  const GroupClip clip(1, 1, ThresholdRule::kPaper, kNoLimit);
  const GroupId groups[] = {GroupId(0), GroupId(0)};
  std::vector<int64_t> counts(2, 0);
  clip.add_counts({kNoNorms, groups}, counts);
  EXPECT_EQ(counts, std::vector<int64_t>(2, 0));
  std::vector<double> weights(2, 1);
  clip.weights({kNoNorms, groups}, weights);
  EXPECT_EQ(weights, std::vector<double>(2, 0));
}

TEST(GroupClip, RefusesWhatIsNoBound) {
  EXPECT_THROW(GroupClip(0, 2, ThresholdRule::kPaper, 1), Error);
  EXPECT_THROW(GroupClip(1, 0, ThresholdRule::kPaper, 1), Error);
  EXPECT_THROW(GroupClip(1, 2, ThresholdRule::kPaper, 0.5), Error);
  EXPECT_THROW(GroupClip(1, 2, ThresholdRule::kPaper, std::nan("")), Error);
}

/// Over the whole range no weighted norm exceeds the bound.
TEST(GlobalClips, KeepEveryGradientWithinTheBound) {
  const GlobalClip global(0.3, 4);
  const GlobalAdaptClip adapt(0.3, {4, 1, 0.1, 10});
  for (const ClipPolicy* clip :
       {static_cast<const ClipPolicy*>(&global), static_cast<const ClipPolicy*>(&adapt)}) {
    for (double norm = 1e-9; norm < 1e9; norm *= 1.01) {
      const double squared = norm * norm;
      double weight = 0;
      clip->weights({{&squared, 1}}, {&weight, 1});
      EXPECT_LE(weight * norm, 0.3 * (1 + 1e-15)) << norm;
    }
  }
}

/// Noise may be anything: the strict bound stays above the clip and a number.
TEST(GlobalAdaptClip, SurvivesAnyNoise) {
  GlobalAdaptClip clip(0.5, {1, 1, 0.1, 0.01});
  for (const double count : {1e9, 1e300, -1e300, -3.0}) {
    clip.take_counts(std::vector<double>{count});
    EXPECT_GE(clip.strict_bound(), 0.5);
    EXPECT_LE(clip.strict_bound(), 1e150);
  }
}

TEST(GlobalAdaptClip, GoesOnFromItsState) {
  GlobalAdaptClip clip(0.5, {3, 1, 0.1, 10});
  clip.take_counts(std::vector<double>{4});
  GlobalAdaptClip again(0.5, {3, 1, 0.1, 10});
  again.restore(clip.state());
  EXPECT_EQ(again.strict_bound(), clip.strict_bound());
  for (const std::vector<double>& state : {std::vector<double>{}, {0.4}, {std::nan("")}, {1, 1}}) {
    EXPECT_THROW(again.restore(state), Error);
  }
  EXPECT_THROW(FlatClip(1).restore(clip.state()), Error);
}

TEST(GlobalClips, RefuseBoundsThatAreNone) {
  for (double bound : {0.0, -1.0, 0.9, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(GlobalClip(1, bound), Error) << bound;
    EXPECT_THROW(GlobalAdaptClip(1, {bound, 1, 0.1, 10}), Error) << bound;
  }
  EXPECT_THROW(GlobalAdaptClip(1, {2, 0, 0.1, 10}), Error);
  EXPECT_THROW(GlobalAdaptClip(1, {2, 1, 0, 10}), Error);
}

TEST(FlatClip, GivesWeightZeroToWhatIsNoNorm) {
  const std::vector<double> squared = {std::nan(""), std::numeric_limits<double>::infinity(), 1e300,
                                       0};
  std::vector<double> weights(squared.size());
  FlatClip(1).weights({squared}, weights);
  EXPECT_EQ(weights[0], 0);
  EXPECT_EQ(weights[1], 0);
  EXPECT_GT(weights[2], 0);
  EXPECT_EQ(weights[3], 1);
}

TEST(FlatClip, RefusesABoundThatIsNoBound) {
  for (double bound : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(FlatClip{bound}, Error) << bound;
  }
}

TEST(NoClip, LeavesFiniteGradientsAlone) {
  const std::vector<double> squared = {4, std::nan(""), 0};
  std::vector<double> weights(squared.size());
  NoClip().weights({squared}, weights);
  EXPECT_EQ(weights, (std::vector<double>{1, 0, 1}));
}

}  // namespace equinoise::clip_policy_test
