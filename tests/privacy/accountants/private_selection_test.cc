// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/private_selection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/log_space.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/accountants/renyi.h"

namespace equinoise::private_selection_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The distribution of the number of runs with parameters `shape` and gamma, k = 1 .. (from 0:
/// Poisson).
std::vector<double> run_probabilities(double shape, double gamma) {
  std::vector<double> weights = {0, 1};
  double total = 1;
  for (int k = 1; k < 1500; ++k) {
    weights.push_back(weights.back() * (1 - gamma) * (k + shape) / (k + 1));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

std::vector<double> poisson_probabilities(double mean) {
  std::vector<double> weights = {std::exp(-mean)};
  for (int k = 1; k < 400; ++k) weights.push_back(weights.back() * mean / k);
  return weights;
}

/// The distribution of the best of a random number of runs by its definition, no run at all first:
/// outputs are ranked, and the best is y with the probability that all are at most y less that all
/// are below.
std::vector<double> distribution_of_best(const std::vector<double>& counts,
                                         const std::vector<double>& run) {
  std::vector<double> distribution = {counts[0]};
  double below = 0;
  for (double mass : run) {
    double probability = 0;
    for (size_t k = 1; k < counts.size(); ++k) {
      const auto runs = static_cast<double>(k);
      probability += counts[k] * (std::pow(below + mass, runs) - std::pow(below, runs));
    }
    below += mass;
    distribution.push_back(probability);
  }
  return distribution;
}

double divergence(const std::vector<double>& p, const std::vector<double>& q, double order) {
  double log_moment = -kInfinity;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0 && q[i] > 0)
      log_moment = log_add(log_moment, std::log(p[i]) + (order - 1) * std::log(p[i] / q[i]));
  }
  return log_moment / (order - 1);
}

/// Randomised response over three ranked outputs, the true one first or last.
TEST(PrivateSelection, BoundsTheBestOfRandomisedResponses) {
  for (double epsilon : {0.1, 1.0}) {
    const double odds = std::exp(epsilon);
    const std::vector<double> p = {odds / (odds + 2), 1 / (odds + 2), 1 / (odds + 2)};
    const std::vector<double> q = {1 / (odds + 2), 1 / (odds + 2), odds / (odds + 2)};
    const std::vector<double>& orders = dense_rdp_orders();
    PrivacyCost run{{}, kInfinity, 0, 0};
    PrivacyCost pure_run{{}, epsilon, 0, 0};
    for (double order : orders) {
      run.divergences.push_back(pure_renyi(epsilon, order));
      pure_run.divergences.push_back(run.divergences.back());
    }
    for (double shape : {-0.5, 0.0, 1.0, 3.0, kInfinity}) {
      for (double gamma : {0.02, 0.3, 0.9}) {
        const std::vector<double> counts = std::isinf(shape)
                                               ? poisson_probabilities(std::fmin(1 / gamma, 8))
                                               : run_probabilities(shape, gamma);
        double mean = 0;
        for (size_t k = 0; k < counts.size(); ++k) mean += static_cast<double>(k) * counts[k];
        const std::vector<double> of_p = distribution_of_best(counts, p);
        const std::vector<double> of_q = distribution_of_best(counts, q);
        for (const PrivacyCost& cost : {run, pure_run}) {
          const PrivacyCost best = best_of_runs("test", cost, mean * (1 - 1e-9), shape, orders);
          for (size_t i = 0; i < orders.size(); i += 10) {
            const double want =
                std::max(divergence(of_p, of_q, orders[i]), divergence(of_q, of_p, orders[i]));
            EXPECT_GE(best.divergences[i] * (1 + 1e-6), want)
                << epsilon << " " << shape << " " << gamma << " " << orders[i];
          }
        }
      }
    }
  }
}

TEST(PrivateSelection, FewPoissonRunsStillHaveADivergence) {
  const PrivacyCost run{{0.5}, kInfinity, 0, 0};
  EXPECT_GE(best_of_runs("test", run, 1e-3, kInfinity, {2}).divergences[0], 0);
}

TEST(PrivateSelection, OneRunIsOneRun) {
  const PrivacyCost run{{0.5}, 0.7, 0, 1e-9};
  const PrivacyCost best = best_of_runs("test", run, 1, 2, {2});
  EXPECT_EQ(best.divergences, run.divergences);
  EXPECT_EQ(best.pure, run.pure);
}

TEST(PrivateSelection, PureRunsCostTwoAndTheShapeTimesTheirEpsilon) {
  const PrivacyCost run{{pure_renyi(0.5, 4)}, 0.5, 0, 0};
  const PrivacyCost unknown = best_of_runs("test", run, kInfinity, 1, {4});
  EXPECT_NEAR(unknown.pure, 1.5, 1e-12);
  EXPECT_NEAR(unknown.divergences[0], pure_renyi(1.5, 4), 1e-9);
  EXPECT_LE(best_of_runs("test", run, 3, 1, {4}).divergences[0], unknown.divergences[0]);
}

TEST(PrivateSelection, SamplerErrorsCountOncePerExpectedRun) {
  const PrivacyCost run{{0.5}, kInfinity, 0, 1e-9};
  EXPECT_NEAR(best_of_runs("test", run, 30, 1, {2}).sampler_error, 3e-8, 1e-20);
}

TEST(PrivateSelection, RefusesWhatHasNoBound) {
  const PrivacyCost run{{0.5}, kInfinity, 0, 0};
  const PrivacyCost pure{{0.5}, 0.5, 0, 0};
  const PrivacyCost failing{{0.5}, 0.5, 1e-9, 0};
  EXPECT_THROW(best_of_runs("test", run, kInfinity, 1, {2}), Error);
  EXPECT_THROW(best_of_runs("test", pure, kInfinity, kInfinity, {2}), Error);
  EXPECT_THROW(best_of_runs("test", run, 0.9, 1, {2}), Error);
  EXPECT_THROW(best_of_runs("test", failing, 10, 1, {2}), Error);
}

/// Of two distributions on the same outputs, in the worse direction.
class FiniteProfile final : public PrivacyProfile {
 public:
  FiniteProfile(std::vector<double> p, std::vector<double> q)
      : p_(std::move(p)), q_(std::move(q)) {}
  double delta(double epsilon) const override {
    return std::max(advantage(p_, q_, epsilon), advantage(q_, p_, epsilon));
  }
  static double advantage(const std::vector<double>& p, const std::vector<double>& q,
                          double epsilon) {
    double sum = 0;
    for (size_t i = 0; i < p.size(); ++i) sum += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
    return sum;
  }
  double infinite_mass() const override { return delta(700); }

 private:
  std::vector<double> p_;
  std::vector<double> q_;
};

/// By the definition of the best run, for runs of six outputs drawn at random.
TEST(BestOfRunsProfile, IsAboveTheExactOne) {
  std::mt19937_64 source(5);
  const auto draw = [&] {
    std::vector<double> masses(6);
    double total = 0;
    for (double& mass : masses) {
      mass = std::exp(std::normal_distribution<double>(0, 1)(source));
      if (std::uniform_real_distribution<double>(0, 1)(source) < 0.1) mass = 0;
      total += mass;
    }
    for (double& mass : masses) mass /= total;
    return masses;
  };
  for (int i = 0; i < 40; ++i) {
    const std::vector<double> p = draw();
    const std::vector<double> q = draw();
    const FiniteProfile run(p, q);
    for (const double shape : {-0.5, 0.0, 1.0, kInfinity}) {
      const double gamma = 0.2;
      const std::vector<double> counts =
          std::isinf(shape) ? poisson_probabilities(4) : run_probabilities(shape, gamma);
      double mean = 0;
      for (size_t k = 0; k < counts.size(); ++k) mean += static_cast<double>(k) * counts[k];
      const ProfilePointer best = best_of_runs_profile("test", run, mean, shape);
      const std::vector<double> best_p = distribution_of_best(counts, p);
      const std::vector<double> best_q = distribution_of_best(counts, q);
      for (double epsilon = -4; epsilon <= 6; epsilon += 0.25) {
        const double exact = std::max(FiniteProfile::advantage(best_p, best_q, epsilon),
                                      FiniteProfile::advantage(best_q, best_p, epsilon));
        EXPECT_LE(exact, best->delta(epsilon) + 1e-9)
            << "shape " << shape << ", epsilon " << epsilon;
      }
    }
  }
}

/// Figures of the design, for runs of (1, 1e-5) or (3, 1e-5) Gaussian DP: the account by Renyi DP,
/// the bound here, and the best possible one, which the bound must not undercut.
TEST(BestOfRunsProfile, CostsLessThanByRenyiDp) {
  struct Row {
    double noise, shape, mean, by_renyi, here, least;
  };
  for (const Row& row : {Row{1 / 0.26805, 1, 3, 1.88, 1.30, 1.26},
                         {1 / 0.26805, 1, 10, 2.31, 1.63, 1.54},
                         {1 / 0.26805, 1, 30, 2.62, 1.91, 1.79},
                         {1 / 0.71912, 1, 10, 6.18, 4.64, 4.47}}) {
    const ProfilePointer best =
        best_of_runs_profile("test", *gaussian_profile(row.noise), row.mean, row.shape);
    double low = 0;
    double high = 20;
    while (high - low > 1e-6) {
      const double middle = (low + high) / 2;
      (best->delta(middle) <= 1e-5 ? high : low) = middle;
    }
    EXPECT_NEAR(high, row.here, 0.006);
    EXPECT_LT(high, 0.8 * row.by_renyi);
    EXPECT_GT(high, row.least - 0.006);
  }
}

}  // namespace equinoise::private_selection_test
