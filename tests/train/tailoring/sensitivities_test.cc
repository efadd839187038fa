// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/sensitivities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/reproduction/simulation/group_records.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"
#include "tests/vector_cases.h"

namespace equinoise::sensitivities_test {

TEST(TailoringSensitivities, AgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/budget_tailoring.json");
  for (const auto& c : testing::cases_with(cases, "kind", "sensitivities")) {
    const Relation relation = parse_relation(c["relation"].get<std::string>());
    const double a = c["feature_norm_bound"];
    const double b = c["target_bound"];
    const double rho = c["rho"];
    const auto check = [&](const Sensitivity& got, const nlohmann::json& name, int group = -1) {
      auto want = c["expected"]["sensitivity"][name.get<std::string>()];
      auto stddev = c["expected"]["noise_stddev"][name.get<std::string>()];
      if (group >= 0) {
        want = want[group];
        stddev = stddev[group];
      }
      testing::expect_close(got.value(), want, c["tolerance"], c["id"]);
      testing::expect_close(noise_stddev(got, rho), stddev, c["tolerance"], c["id"]);
      EXPECT_EQ(got.norm(), Norm::kL2);
      EXPECT_EQ(got.relation(), relation);
    };
    check(xtx_sensitivity(relation, a, c["num_features"]), "xtx");
    check(xty_sensitivity(relation, a, b), "xty");
    check(joint_moment_sensitivity(relation, a, b), "joint");
    check(residual_sum_sensitivity(relation, c["residual_clip"]), "residual_sum");
    check(gradient_sum_sensitivity(relation, c["max_grad_norm"]), "gradient_sum");
    for (size_t k = 0; k < c["group_sizes"].size(); ++k) {
      const int64_t size = c["group_sizes"][k];
      const auto group = static_cast<int>(k);
      check(gradient_mean_sensitivity(relation, c["max_grad_norm"], size), "gradient_mean", group);
      check(loss_mean_sensitivity(relation, c["loss_clip"], size), "loss_mean", group);
    }
  }
}

/// Two records, (x, y) and (x', y'), as one vector; the second may be the null record.
struct Pair {
  std::vector<double> x, other_x;
  double y = 0;
  double other_y = 0;
};

/// Hill climbing from random pairs and from those at the edges: the largest distance found.
class Adversary {
 public:
  Adversary(Relation relation, double a, double b, size_t num_features)
      : relation_(relation), a_(a), b_(b), num_features_(num_features) {}

  double largest(const std::function<double(const Pair&)>& distance) {
    double best = 0;
    for (int start = 0; start < 30; ++start) {
      Pair pair = random_pair();
      double found = distance(pair);
      for (int step = 0; step < 1500; ++step) {
        const Pair next = moved(pair, step < 700 ? 0.4 : 0.03);
        const double there = distance(next);
        if (there <= found) continue;
        found = there;
        pair = next;
      }
      best = std::max(best, found);
    }
    return best;
  }

 private:
  double normal() { return normal_(random_); }

  void into_bounds(Pair& pair) {
    for (std::vector<double>* x : {&pair.x, &pair.other_x}) {
      double square = 0;
      for (const double value : *x) square += value * value;
      if (square > a_ * a_)
        for (double& value : *x) value *= a_ / std::sqrt(square);
    }
    pair.y = std::clamp(pair.y, -b_, b_);
    pair.other_y = std::clamp(pair.other_y, -b_, b_);
    if (relation_ == Relation::kReplaceOne) return;
    std::ranges::fill(pair.other_x, 0.0);
    pair.other_y = 0;
  }

  Pair random_pair() {
    Pair pair;
    for (size_t j = 0; j < num_features_; ++j) {
      pair.x.push_back(2 * a_ * normal());
      pair.other_x.push_back(2 * a_ * normal());
    }
    pair.y = 2 * b_ * normal();
    pair.other_y = 2 * b_ * normal();
    into_bounds(pair);
    return pair;
  }

  Pair moved(Pair pair, double step) {
    for (size_t j = 0; j < num_features_; ++j) {
      pair.x[j] += step * a_ * normal();
      pair.other_x[j] += step * a_ * normal();
    }
    pair.y += step * b_ * normal();
    pair.other_y += step * b_ * normal();
    into_bounds(pair);
    return pair;
  }

  Relation relation_;
  double a_;
  double b_;
  size_t num_features_;
  std::mt19937_64 random_{20261122};
  std::normal_distribution<double> normal_;
};

double xtx_square(const Pair& pair) {
  double square = 0;
  for (size_t i = 0; i < pair.x.size(); ++i)
    for (size_t j = i; j < pair.x.size(); ++j)
      square += std::pow(pair.x[i] * pair.x[j] - pair.other_x[i] * pair.other_x[j], 2);
  return square;
}

double xty_square(const Pair& pair) {
  double square = 0;
  for (size_t i = 0; i < pair.x.size(); ++i)
    square += std::pow(pair.x[i] * pair.y - pair.other_x[i] * pair.other_y, 2);
  return square;
}

/// No pair of records is further apart than declared, and some are within 3 %.
TEST(TailoringSensitivities, NoPairOfRecordsIsFurtherApart) {
  for (const Relation relation : {Relation::kZeroOut, Relation::kReplaceOne}) {
    for (const size_t num_features : {1, 2, 3, 5}) {
      for (const double b : {0.5, 1.2, 4.0}) {
        SCOPED_TRACE(::testing::Message()
                     << to_string(relation) << ", P = " << num_features << ", b = " << b);
        constexpr double kA = 1.5;
        Adversary adversary(relation, kA, b, num_features);
        const auto check = [&](const Sensitivity& declared, double found, bool tight) {
          EXPECT_LE(found, declared.value() * (1 + 1e-12));
          if (tight) {
            EXPECT_GE(found, 0.97 * declared.value());
          }
        };
        check(xtx_sensitivity(relation, kA, num_features),
              adversary.largest([](const Pair& pair) { return std::sqrt(xtx_square(pair)); }),
              true);
        check(xty_sensitivity(relation, kA, b),
              adversary.largest([](const Pair& pair) { return std::sqrt(xty_square(pair)); }),
              true);
        // Of one feature rows have no angle, and the declared value is an upper bound alone.
        check(joint_moment_sensitivity(relation, kA, b), adversary.largest([](const Pair& pair) {
          return std::sqrt(xtx_square(pair) + xty_square(pair));
        }),
              num_features > 1 || relation == Relation::kZeroOut);
      }
    }
  }
}

/// The same of what GroupRecords computes for groups of three records, one of which changes.
TEST(TailoringSensitivities, HoldForSumsOfGroups) {
  constexpr double kClip = 1.3;
  constexpr double kLossClip = 2.5;
  for (const Relation relation : {Relation::kZeroOut, Relation::kReplaceOne}) {
    for (const RegressionModel model : {RegressionModel::kLinear, RegressionModel::kLogistic}) {
      for (const size_t num_features : {1, 2, 3, 5}) {
        SCOPED_TRACE(::testing::Message() << to_string(relation) << ", P = " << num_features);
        const bool is_linear = model == RegressionModel::kLinear;
        std::vector<double> parameters(num_features, 0.3);
        parameters[0] = -0.7;
        // Near 0 logistic gradients are long either way.
        const std::vector<double> near(num_features, 0.01);
        const std::vector<int64_t> sizes = {3};
        const auto records_with = [&](const std::vector<double>& x, double y) {
          std::vector<double> features = x;
          std::vector<double> targets = {is_linear ? y : (y < 0 ? -1.0 : 1.0), 1, -1};
          for (size_t j = 0; j < num_features; ++j)
            features.push_back(1.0 + static_cast<double>(j));
          for (size_t j = 0; j < num_features; ++j) features.push_back(-0.5);
          return GroupRecords::disjoint(num_features, sizes, features, targets);
        };
        const auto gradient = [&](const std::vector<double>& x, double y, bool is_null) {
          std::vector<double> sum(num_features);
          // The null record adds nothing, as a row of zeros does to gradients.
          records_with(is_null ? std::vector<double>(num_features, 0.0) : x, y)
              .gradient_sum(model, 0, is_linear ? parameters : near, kClip, sum);
          return sum;
        };
        const bool is_zero_out = relation == Relation::kZeroOut;
        Adversary adversary(relation, 20, 20, num_features);
        const double gradients = adversary.largest([&](const Pair& pair) {
          const std::vector<double> one = gradient(pair.x, pair.y, false);
          const std::vector<double> other = gradient(pair.other_x, pair.other_y, is_zero_out);
          double square = 0;
          for (size_t j = 0; j < num_features; ++j) square += std::pow(one[j] - other[j], 2);
          return std::sqrt(square);
        });
        const double declared = gradient_sum_sensitivity(relation, kClip).value();
        EXPECT_LE(gradients, declared * (1 + 1e-9));
        EXPECT_GE(gradients, 0.97 * declared);
        EXPECT_DOUBLE_EQ(gradient_mean_sensitivity(relation, kClip, 3).value(), declared / 3);

        const double losses = adversary.largest([&](const Pair& pair) {
          const double one = records_with(pair.x, pair.y).loss_sum(model, 0, parameters, kLossClip);
          const double other =
              is_zero_out
                  ? records_with(pair.other_x, 0).loss_sum(model, 0, parameters, kLossClip) -
                        (is_linear ? 0 : std::log(2.0))
                  : records_with(pair.other_x, pair.other_y)
                        .loss_sum(model, 0, parameters, kLossClip);
          return std::fabs(one - other);
        });
        EXPECT_LE(losses, kLossClip * (1 + 1e-9));
        EXPECT_GE(losses, 0.97 * kLossClip);
        EXPECT_DOUBLE_EQ(loss_mean_sensitivity(relation, kLossClip, 3).value(), kLossClip / 3);
      }
    }
  }
}

/// What the printed noise, of one bound U for everything, really costs under replace_one.
TEST(TailoringSensitivities, ThePrintedOnesCostMoreUnderReplaceOne) {
  const auto cost = [](const Sensitivity& sensitivity, double printed) {
    return std::pow(sensitivity.value() / printed, 2);
  };
  const Relation swap = Relation::kReplaceOne;
  EXPECT_NEAR(cost(xtx_sensitivity(swap, 3, 2), 9), 2, 1e-12);
  EXPECT_NEAR(cost(xty_sensitivity(swap, 3, 3), 9), 4, 1e-12);
  EXPECT_NEAR(cost(residual_sum_sensitivity(swap, 2), 4), 1, 1e-12);
  EXPECT_NEAR(cost(gradient_sum_sensitivity(swap, 2), 2), 4, 1e-12);
  // One release of both for the budget of two.
  EXPECT_NEAR(joint_moment_sensitivity(Relation::kZeroOut, 1, 1).value(), 1.414, 5e-4);
  EXPECT_NEAR(joint_moment_sensitivity(swap, 1, 1).value(), 2.12, 5e-3);
}

TEST(TailoringSensitivities, RefuseWhatHasNone) {
  EXPECT_ERROR(kUsage, HasSubstr("group sizes are public"),
               gradient_sum_sensitivity(Relation::kAddRemove, 1));
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    error_of(ErrorKind::kUsage, [&] { xtx_sensitivity(Relation::kZeroOut, bad, 2); });
    error_of(ErrorKind::kUsage, [&] { xty_sensitivity(Relation::kZeroOut, 1, bad); });
    error_of(ErrorKind::kUsage, [&] { joint_moment_sensitivity(Relation::kZeroOut, bad, 1); });
    error_of(ErrorKind::kUsage, [&] { residual_sum_sensitivity(Relation::kZeroOut, bad); });
    error_of(ErrorKind::kUsage, [&] { gradient_sum_sensitivity(Relation::kZeroOut, bad); });
    error_of(ErrorKind::kUsage, [&] { loss_mean_sensitivity(Relation::kZeroOut, bad, 1); });
  }
  error_of(ErrorKind::kUsage, [] { xtx_sensitivity(Relation::kZeroOut, 1, 0); });
  error_of(ErrorKind::kUsage, [] { gradient_mean_sensitivity(Relation::kZeroOut, 1, 0); });
  const Sensitivity one = gradient_sum_sensitivity(Relation::kZeroOut, 1);
  error_of(ErrorKind::kUsage, [&] { noise_stddev(one, 0); });
  error_of(ErrorKind::kUsage, [&] { noise_stddev(one, std::nan("")); });
  EXPECT_EQ(noise_stddev(one, HUGE_VAL), 0);
}

}  // namespace equinoise::sensitivities_test
