// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/renyi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"

namespace equinoise::renyi_test {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<30>>;

/// The output distributions of one mechanism on two neighbours: their densities at points that
/// together have all but a negligible part of the mass, times the width of a point.
struct Pair {
  std::vector<std::pair<Real, Real>> masses;

  /// By the definition, the larger of the two directions.
  double divergence(double order) const {
    if (log_ratios.empty()) {
      for (const auto& [p, q] : masses) log_ratios.push_back(log(p / q));
    }
    Real forth = 0;
    Real back = 0;
    for (size_t i = 0; i < masses.size(); ++i) {
      forth += masses[i].second * exp(Real(order) * log_ratios[i]);
      back += masses[i].second * exp((1 - Real(order)) * log_ratios[i]);
    }
    return static_cast<double>(log(std::max(forth, back)) / (Real(order) - 1));
  }

  mutable std::vector<Real> log_ratios;
};

Pair continuous(const std::function<Real(Real)>& density, double shift, double low, double high,
                int count) {
  Pair pair;
  const Real step = (Real(high) - Real(low)) / count;
  for (int i = 0; i < count; ++i) {
    const Real x = Real(low) + step * (i + Real(0.5));
    pair.masses.emplace_back(density(x - Real(shift)) * step, density(x) * step);
  }
  return pair;
}

Pair discrete(const std::function<Real(int)>& weight, int shift, int reach) {
  Real total = 0;
  for (int x = -reach; x <= reach; ++x) total += weight(x);
  Pair pair;
  for (int x = -reach; x <= reach; ++x) {
    pair.masses.emplace_back(weight(x - shift) / total, weight(x) / total);
  }
  return pair;
}

const std::vector<double> kOrders = {1.001, 1.5, 2, 3.7, 40};

void expect_bound(double got, double want, double relative, const std::string& what) {
  EXPECT_GE(got, want * (1 - 1e-15)) << what;
  EXPECT_LE(got, want * (1 + relative)) << what;
}

TEST(Renyi, LaplaceAgreesWithItsDefinition) {
  for (double shift : {1e-3, 0.05, 0.5, 2.0, 9.0}) {
    // Outside [0, shift] the log-ratio is constant: two point_masses. Inside, a fine midpoint rule.
    Pair pair = continuous([](const Real& x) { return exp(-abs(x)) / 2; }, shift, 0, shift, 1000);
    const Real outside = Real(1) / 2;
    pair.masses.emplace_back(outside * exp(-Real(shift)), outside);
    pair.masses.emplace_back(outside, outside * exp(-Real(shift)));
    for (double order : kOrders) {
      const double want = pair.divergence(order);
      const double got = laplace_renyi(shift, order);
      EXPECT_NEAR(got, want, want * 1e-3) << shift << " " << order;
    }
  }
}

TEST(Renyi, LaplaceIsExactInThirtyDigits) {
  for (double shift : {1e-9, 1e-5, 1e-3, 0.1, 1.0, 30.0, 900.0}) {
    for (double order : {1.001, 1.1, 2.0, 10.0, 1024.0}) {
      const Real a = order;
      const Real moment =
          a / (2 * a - 1) * exp((a - 1) * shift) + (a - 1) / (2 * a - 1) * exp(-a * shift);
      const auto want = static_cast<double>(log(moment) / (a - 1));
      expect_bound(laplace_renyi(shift, order), want, shift < 1e-3 ? 1e-4 : 1e-9,
                   "laplace " + std::to_string(shift) + " " + std::to_string(order));
    }
  }
}

TEST(Renyi, DiscreteLaplaceAgreesWithItsDefinition) {
  for (const auto& [decay, sensitivity] :
       {std::pair{1.0, 1}, {0.1, 1}, {0.3, 2}, {0.25, 7}, {0.2, 40}, {3.0, 3}, {1.0, 20}}) {
    const double decay_copy = decay;
    const Pair pair = discrete([&](int x) { return exp(-Real(decay_copy) * std::abs(x)); },
                               sensitivity, static_cast<int>(120 / decay) + 2 * sensitivity);
    for (double order : kOrders) {
      // Where the order is large, the mass beyond the reach counts.
      if (order * decay * sensitivity > 2000) continue;
      expect_bound(discrete_laplace_renyi(decay, sensitivity, order), pair.divergence(order), 1e-9,
                   "decay " + std::to_string(decay) + ", sensitivity " +
                       std::to_string(sensitivity) + ", order " + std::to_string(order));
    }
  }
}

/// An L1 change that is split over cells costs at most the same change in one cell.
TEST(Renyi, SplitChangesCostAtMostTheWholeInOneCell) {
  for (double order : kOrders) {
    EXPECT_LE(2 * discrete_laplace_renyi(0.3, 2, order), discrete_laplace_renyi(0.3, 4, order));
    EXPECT_LE(laplace_renyi(0.2, order) + laplace_renyi(0.5, order), laplace_renyi(0.7, order));
  }
}

TEST(Renyi, DiscreteGaussianAgreesWithItsDefinition) {
  for (const auto& [stddev, sensitivity] :
       {std::pair{1.0, 1}, {0.5, 1}, {2.0, 3}, {5.0, 1}, {3.0, 2}}) {
    const double deviation = stddev;
    const Pair pair =
        discrete([&](int x) { return exp(-Real(x) * x / (2 * Real(deviation) * deviation)); },
                 sensitivity, static_cast<int>(40 * stddev) + 70 * sensitivity);
    for (double order : {1.1, 1.5, 2.0, 3.7, 12.0, 40.0}) {
      const double want = pair.divergence(order);
      const double got = renyi_divergence(Event::discrete_gaussian(stddev, sensitivity), order);
      EXPECT_GE(got, want * (1 - 1e-14)) << stddev << " " << order;
      if (order == std::floor(order)) {
        EXPECT_LE(got, want * (1 + 1e-9));
      }
    }
  }
}

TEST(Renyi, GaussianAgreesWithItsDefinition) {
  for (double noise : {0.7, 1.0, 4.0}) {
    const Pair pair = continuous(
        [&](const Real& x) {
          return exp(-x * x / (2 * Real(noise) * noise)) /
                 (noise * sqrt(2 * boost::math::constants::pi<Real>()));
        },
        1, -30 * noise - 15, 30 * noise + 15, 700);
    for (double order : {1.1, 1.5, 2.0, 3.7, 12.0}) {
      expect_bound(renyi_divergence(Event::gaussian(noise), order), pair.divergence(order), 1e-9,
                   "gaussian");
    }
  }
}

TEST(Renyi, RandomisedResponseAgreesWithItsDefinition) {
  for (const auto& [parameter, buckets] :
       {std::pair{0.5, 2}, {0.01, 2}, {0.999, 5}, {0.2, 10}, {1e-9, 3}}) {
    const Real other = Real(parameter) / buckets;
    const Real same = 1 - Real(parameter) + other;
    Pair used{{{same, other}, {other, same}}, {}};
    const Real rest = other * (buckets - 2);
    if (buckets > 2) used.masses.emplace_back(rest, rest);
    for (double order : kOrders) {
      expect_bound(randomised_response_renyi(parameter, buckets, order), used.divergence(order),
                   parameter > 0.9 ? 1e-6 : 1e-9, "randomised response");
    }
  }
  EXPECT_EQ(randomised_response_renyi(1, 4, 3), 0);
}

/// Binary randomised response is the worst epsilon-DP mechanism: no other pair of three outputs
/// within the bound costs more.
TEST(Renyi, PureIsTheWorstOfItsKind) {
  for (double epsilon : {0.01, 0.7, 4.0}) {
    const Real odds = exp(Real(epsilon));
    const Pair worst{{{odds / (1 + odds), 1 / (1 + odds)}, {1 / (1 + odds), odds / (1 + odds)}},
                     {}};
    for (double order : kOrders) {
      const double bound = pure_renyi(epsilon, order);
      expect_bound(bound, worst.divergence(order), 1e-9, "pure");
      EXPECT_LE(laplace_renyi(epsilon, order), bound * (1 + 1e-10));
      EXPECT_LE(discrete_laplace_renyi(epsilon / 3, 3, order), bound * (1 + 1e-10));
      EXPECT_LE(bounded_range_renyi(epsilon, order), bound * (1 + 1e-10));
    }
  }
  EXPECT_EQ(pure_renyi(0, 2), 0);
  EXPECT_LE(pure_renyi(1e300, 2), 1.001e300);
}

/// The worst pair whose log-ratios are t and t - epsilon, t on a fine grid.
TEST(Renyi, BoundedRangeIsTheWorstTwoPointMechanism) {
  for (double epsilon : {0.01, 0.3, 1.0, 6.0}) {
    for (double order : kOrders) {
      double worst = 0;
      for (int i = 1; i < 300; ++i) {
        const Real high = exp(Real(epsilon) * i / 300);
        const Real low = exp(Real(epsilon) * i / 300 - Real(epsilon));
        const Real q = (1 - low) / (high - low);
        const Pair pair{{{q * high, q}, {(1 - q) * low, 1 - q}}, {}};
        worst = std::max(worst, pair.divergence(order));
      }
      expect_bound(bounded_range_renyi(epsilon, order), worst, 2e-4,
                   "bounded range " + std::to_string(epsilon) + " " + std::to_string(order));
      EXPECT_LE(bounded_range_renyi(epsilon, order), order * epsilon * epsilon / 8 * (1 + 1e-11));
    }
  }
}

/// The exponential mechanism itself: weights exp(epsilon u / 2) with scores that change by at most
/// 1, in all directions.
TEST(Renyi, ExponentialMechanismsStayWithinTheirBoundedRange) {
  const double epsilon = 1.3;
  for (int change = 0; change < 81; ++change) {
    Pair pair;
    const double scores[4] = {0, 0.4, 1.7, 2};
    Real total_p = 0;
    Real total_q = 0;
    std::vector<std::pair<Real, Real>> weights;
    int digits = change;
    for (double score : scores) {
      const double moved = score + digits % 3 - 1;
      digits /= 3;
      weights.emplace_back(exp(Real(epsilon) / 2 * moved), exp(Real(epsilon) / 2 * score));
      total_p += weights.back().first;
      total_q += weights.back().second;
    }
    for (const auto& [p, q] : weights) pair.masses.emplace_back(p / total_p, q / total_q);
    for (double order : kOrders) {
      EXPECT_LE(pair.divergence(order),
                renyi_divergence(Event::exponential(epsilon), order) + 1e-14);
    }
  }
}

TEST(Renyi, TreesCostTheirHeight) {
  const double one = renyi_divergence(Event::gaussian(2), 5);
  for (const auto& [steps, height] :
       {std::pair<int64_t, int>{1, 1}, {2, 2}, {3, 2}, {4, 3}, {7, 3}, {8, 4}, {1023, 10}}) {
    EXPECT_NEAR(renyi_divergence(Event::tree_aggregation(2, steps), 5), height * one, 1e-12);
  }
}

TEST(Renyi, MaxDivergences) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(max_divergence(Event::laplace(4)), 0.25, 1e-15);
  EXPECT_NEAR(max_divergence(Event::discrete_laplace(0.1, 3)), 0.3, 1e-15);
  EXPECT_NEAR(max_divergence(Event::randomised_response(0.5, 2)), std::log(3), 1e-14);
  EXPECT_EQ(max_divergence(Event::exponential(0.3)), 0.3);
  EXPECT_EQ(max_divergence(Event::gaussian(4)), infinity);
  EXPECT_THROW(max_divergence(Event::composed({})), Error);
  EXPECT_THROW(renyi_divergence(Event::sampler_error(1e-9), 2), Error);
}

}  // namespace equinoise::renyi_test
