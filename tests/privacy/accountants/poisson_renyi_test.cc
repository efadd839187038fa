// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/poisson_renyi.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <tuple>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/renyi.h"

namespace equinoise::poisson_renyi_test {

double poisson_gaussian(double rate, double noise, double order) {
  return poisson_gaussian_renyi(rate, noise, {order})[0];
}

/// An independent evaluation: E[(1 - q + q e^((2x-1)/(2 s^2)))^a] by a fine midpoint rule in
/// 40-digit arithmetic.
TEST(PoissonRenyi, FractionalOrdersAgreeWithHighPrecisionQuadrature) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<40>>;
  struct Case {
    double rate, noise, order;
  };
  for (const Case& c :
       {Case{0.01, 1, 1.1}, Case{0.2, 5, 1.3}, Case{1e-4, 2, 1.5}, Case{0.3, 0.5, 2.7},
        Case{0.5, 1, 10.9}, Case{1e-3, 10, 4.5}, Case{0.05, 0.8, 10}, Case{0.9, 2, 33},
        Case{0.05, 2, 40.5}, Case{1e-9, 1, 2.5}, Case{0.1, 0.5, 1.001}, Case{0.01, 1, 1.005},
        Case{0.3, 5, 1.02}, Case{1e-4, 0.7, 1.049}, Case{1e-3, 30, 1.01}}) {
    const Real noise = c.noise;
    const Real low = -14 * noise;
    const int count = 1500;
    const Real step = (Real(c.order) + 28 * noise) / count;
    Real moment = 0;
    for (int i = 0; i < count; ++i) {
      const Real x = low + step * (i + Real(0.5));
      const Real ratio = 1 - Real(c.rate) + Real(c.rate) * exp((2 * x - 1) / (2 * noise * noise));
      moment += pow(ratio, Real(c.order)) * exp(-x * x / (2 * noise * noise));
    }
    moment *= step / (noise * sqrt(2 * boost::math::constants::pi<Real>()));
    const auto want = static_cast<double>(log(moment) / (Real(c.order) - 1));
    const double got = poisson_gaussian(c.rate, c.noise, c.order);
    EXPECT_GE(got, want) << c.rate << " " << c.noise << " " << c.order;
    EXPECT_LE(got, want * (1 + 1e-9)) << c.rate << " " << c.noise << " " << c.order;
  }
}

TEST(PoissonRenyi, SamplingNeverCostsMoreThanNoSampling) {
  for (double noise : {0.005, 0.02, 0.5, 3.0}) {
    for (double order : {1.1, 2.0, 7.3, 64.0}) {
      EXPECT_LE(poisson_gaussian(0.3, noise, order), order / (2 * noise * noise) * (1 + 1e-10));
    }
  }
}

/// The binomial sum in 60-digit arithmetic.
TEST(PoissonRenyi, IntegerOrdersAgreeWithTheExactSum) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<60>>;
  for (double rate : {1e-90, 1e-7, 0.01, 0.4, 0.999}) {
    for (double noise : {0.3, 1.0, 40.0}) {
      for (int order : {2, 3, 17, 63, 256, 1024}) {
        Real excess = 0;
        Real binomial = 1;
        for (int k = 1; k <= order; ++k) {
          binomial *= Real(order - k + 1) / k;
          excess += binomial * pow(Real(rate), k) * pow(1 - Real(rate), order - k) *
                    (exp(Real(k) * (k - 1) / (2 * Real(noise) * noise)) - 1);
        }
        const auto want = static_cast<double>(log(1 + excess) / (order - 1));
        const double got = poisson_gaussian(rate, noise, order);
        EXPECT_GE(got, want) << rate << " " << noise << " " << order;
        if (want > 1e-150) {
          EXPECT_LE(got, want * (1 + 1e-8)) << rate << " " << noise << " " << order;
        }
      }
    }
  }
}

/// Quadrature of the definition over Laplace x Gaussian outputs, both directions, for a batch that
/// feeds both.
struct JointMoments {
  double forth;  ///< ((1 - q) Q + q P || Q)
  double back;
};

JointMoments joint_divergences(double rate, double shift, double noise, double order) {
  const int gaussian_points = 150;
  const int laplace_points = 1000;
  const double low = -12 * noise;
  const double step = (order + 24 * noise) / gaussian_points;
  double forth = 0;
  double back = 0;
  const auto add = [&](double mass, double log_ratio) {
    const double mixture = 1 - rate + rate * std::exp(log_ratio);
    forth += mass * std::pow(mixture, order);
    back += mass * std::pow(mixture, 1 - order);
  };
  for (int i = 0; i < gaussian_points; ++i) {
    const double x = low + step * (i + 0.5);
    const double density =
        std::exp(-x * x / (2 * noise * noise)) / (noise * std::sqrt(2 * M_PI)) * step;
    const double log_ratio = (2 * x - 1) / (2 * noise * noise);
    // The Laplace log-ratio is -shift below 0, shift above `shift`, linear between.
    add(density / 2, log_ratio - shift);
    add(density / 2 * std::exp(-shift), log_ratio + shift);
    for (int j = 0; j < laplace_points; ++j) {
      const double y = shift * (j + 0.5) / laplace_points;
      add(density * std::exp(-y) / 2 * shift / laplace_points, log_ratio + 2 * y - shift);
    }
  }
  return {std::log(forth) / (order - 1), std::log(back) / (order - 1)};
}

TEST(PoissonRenyi, JointBatchesAgreeWithQuadratureAndTheOtherDirectionIsSmaller) {
  for (const auto& [rate, shift, noise] :
       {std::tuple{0.02, 0.5, 3.0}, {0.3, 2.0, 1.0}, {0.9, 0.2, 5.0}, {0.5, 4.0, 2.0}}) {
    const double laplace_shift = shift;
    const double gaussian_noise = noise;
    const auto divergence = [&](double order) {
      return laplace_renyi(laplace_shift, order) + order / (2 * gaussian_noise * gaussian_noise);
    };
    for (double order : {2.0, 3.0, 5.0, 8.0, 1.3, 2.5, 6.9}) {
      const JointMoments want = joint_divergences(rate, shift, noise, order);
      const double got = poisson_renyi(rate, divergence, {order})[0];
      EXPECT_GE(got, want.forth * (1 - 5e-5)) << rate << " " << shift << " " << order;
      EXPECT_LE(want.back, want.forth * (1 + 1e-9));
      if (order == std::floor(order)) {
        EXPECT_LE(got, want.forth * (1 + 5e-5));
      }
      if (order > 2) {
        EXPECT_LE(got, want.forth * 1.2);
      }
    }
  }
}

/// The discrete pair itself, both directions: at integer orders the formula of the continuous one
/// is exact, at others a bound.
TEST(PoissonRenyi, DiscreteNoiseAgreesWithItsSum) {
  const double rate = 0.2;
  const double stddev = 1.5;
  const double decay = 0.4;
  const int sensitivity = 2;
  for (bool is_laplace : {false, true}) {
    const Event event = is_laplace ? Event::discrete_laplace(decay, sensitivity)
                                   : Event::discrete_gaussian(stddev, sensitivity);
    const auto log_weight = [&](int x) {
      return is_laplace ? -decay * std::abs(x) : -x * x / (2 * stddev * stddev);
    };
    double total = 0;
    for (int x = -400; x <= 400; ++x) total += std::exp(log_weight(x));
    for (double order : {1.4, 2.0, 3.3, 6.0, 11.0}) {
      double forth = 0;
      double back = 0;
      for (int x = -400; x <= 400; ++x) {
        const double mass = std::exp(log_weight(x)) / total;
        if (mass == 0) continue;
        const double mixture =
            1 - rate + rate * std::exp(log_weight(x - sensitivity) - log_weight(x));
        forth += mass * std::pow(mixture, order);
        back += mass * std::pow(mixture, 1 - order);
      }
      const double want = std::log(forth) / (order - 1);
      EXPECT_LE(std::log(back) / (order - 1), want);
      const double got =
          poisson_renyi(rate, [&](double a) { return renyi_divergence(event, a); }, {order})[0];
      EXPECT_GE(got, want * (1 - 1e-12));
      if (order == std::floor(order)) {
        EXPECT_LE(got, want * (1 + 1e-9));
      }
    }
  }
}

TEST(PoissonRenyi, GaussiansAgreeOnBothWays) {
  const std::vector<double> orders = {1.02, 1.3, 2, 3, 4.5, 7, 63, 64.5, 200, 200.3};
  for (double rate : {1e-6, 0.01, 0.5, 0.999}) {
    for (double noise : {0.4, 1.0, 6.0}) {
      const std::vector<double> exact = poisson_gaussian_renyi(rate, noise, orders);
      const std::vector<double> general = poisson_renyi(
          rate, [&](double a) { return a / (2 * noise * noise); }, orders);
      for (size_t i = 0; i < orders.size(); ++i) {
        EXPECT_GT(exact[i], 0);
        EXPECT_LE(exact[i], general[i] * (1 + 1e-9)) << rate << " " << noise << " " << orders[i];
        if (i > 0) {
          EXPECT_GE(exact[i], exact[i - 1] * (1 - 1e-9));
        }
      }
      EXPECT_NEAR(exact[3], general[3], general[3] * 1e-9);
      EXPECT_NEAR(exact[9], general[9], general[9] * 1e-9);
    }
  }
}

TEST(PoissonRenyi, OrdersDoNotInfluenceOneAnother) {
  const std::vector<double> orders = {1.5, 2, 3.2, 10.9, 64, 1024};
  const std::vector<double> together = poisson_gaussian_renyi(0.03, 1.1, orders);
  for (size_t i = 0; i < orders.size(); ++i) {
    EXPECT_NEAR(together[i], poisson_gaussian(0.03, 1.1, orders[i]), together[i] * 1e-11);
  }
}

TEST(PoissonRenyi, TinyRatesDoNotVanish) {
  for (double rate : {1e-20, 1e-99, 1e-150, 1e-300}) {
    for (double order : {1.5, 2.0, 17.0, 90.5}) EXPECT_GT(poisson_gaussian(rate, 1, order), 0);
  }
  EXPECT_EQ(poisson_gaussian(0, 1, 2), 0);
}

TEST(PoissonRenyi, RefusesWhatIsNone) {
  const double nan = std::nan("");
  EXPECT_THROW(poisson_gaussian(nan, 1, 2), Error);
  EXPECT_THROW(poisson_gaussian(1.1, 1, 2), Error);
  EXPECT_THROW(poisson_gaussian(0.1, nan, 2), Error);
  EXPECT_THROW(poisson_gaussian(0.1, 0, 2), Error);
  EXPECT_THROW(poisson_gaussian(0.1, 1, 1), Error);
  EXPECT_THROW(poisson_gaussian(0.1, 1, nan), Error);
  EXPECT_THROW(poisson_gaussian(0.1, 1, 1e5), Error);
}

}  // namespace equinoise::poisson_renyi_test
