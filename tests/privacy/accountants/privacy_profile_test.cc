// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/privacy_profile.h"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <functional>

namespace equinoise::privacy_profile_test {

using Density = std::function<long double(long double)>;

long double normal(long double x, long double mean, long double stddev) {
  const long double z = (x - mean) / stddev;
  return std::exp(-z * z / 2) / (stddev * std::sqrt(2 * M_PIl));
}

long double laplace(long double x, long double mean, long double scale) {
  return std::exp(-std::fabs(x - mean) / scale) / (2 * scale);
}

/// The definition: the integral of (P - e^epsilon Q) where that is positive.
double hockey_stick(const Density& p, const Density& q, double epsilon, long double low,
                    long double high, int panels = 20'000) {
  long double sum = 0;
  const long double factor = std::exp(static_cast<long double>(epsilon));
  const auto integrand = [&](long double x) { return std::max(p(x) - factor * q(x), 0.0L); };
  for (int i = 0; i < panels; ++i) {
    const long double a = low + (high - low) * i / panels;
    const long double b = low + (high - low) * (i + 1) / panels;
    sum += boost::math::quadrature::gauss<long double, 7>::integrate(integrand, a, b);
  }
  return static_cast<double>(sum);
}

constexpr double kEpsilons[] = {-5, -1, -0.3, -0.01, 0, 0.003, 0.05, 0.3, 1, 2.5, 6};

void expect_agrees(const ProfilePointer& profile, const Density& p, const Density& q,
                   long double low, long double high) {
  for (double epsilon : kEpsilons) {
    const double want = hockey_stick(p, q, epsilon, low, high);
    EXPECT_NEAR(profile->delta(epsilon), want, 1e-6 * want + 1e-15) << epsilon;
  }
}

TEST(PrivacyProfile, GaussianIsTheDefinition) {
  for (double noise : {0.3, 1.0, 4.0, 30.0}) {
    expect_agrees(
        gaussian_profile(noise), [&](long double x) { return normal(x, 1, noise); },
        [&](long double x) { return normal(x, 0, noise); }, -12 * noise, 12 * noise + 1);
  }
}

TEST(PrivacyProfile, LaplaceIsTheDefinition) {
  for (double scale : {0.3, 1.0, 5.0}) {
    expect_agrees(
        laplace_profile(scale), [&](long double x) { return laplace(x, 1, scale); },
        [&](long double x) { return laplace(x, 0, scale); }, -40 * scale, 40 * scale + 1);
    EXPECT_LT(laplace_profile(scale)->delta(1 / scale), 1e-15);
  }
}

TEST(PrivacyProfile, PoissonSamplingIsTheDefinitionInBothDirections) {
  for (double rate : {0.001, 0.1, 0.7, 1.0}) {
    for (double noise : {0.5, 2.0}) {
      const Density without = [&](long double x) { return normal(x, 0, noise); };
      const Density with = [&](long double x) {
        return (1 - rate) * normal(x, 0, noise) + rate * normal(x, 1, noise);
      };
      const ProfilePointer base = gaussian_profile(noise);
      expect_agrees(poisson_removed_profile(rate, base), with, without, -26, 27);
      expect_agrees(poisson_added_profile(rate, base), without, with, -26, 27);
      const Density other = [&](long double x) {
        return (1 - rate) * normal(x, 0, noise) + rate * normal(x, -1, noise);
      };
      expect_agrees(poisson_replaced_gaussian_profile(rate, noise), with, other, -27, 27);
    }
  }
}

TEST(PrivacyProfile, LaplaceTimesGaussianIsTheIntegralOverTheLaplaceLoss) {
  for (double scale : {0.2, 0.5, 2.0, 20.0}) {
    for (double noise : {0.5, 1.0, 3.0, 40.0}) {
      const ProfilePointer joint = laplace_gaussian_profile(scale, noise);
      const ProfilePointer gaussian = gaussian_profile(noise);
      for (double epsilon : kEpsilons) {
        // Of Laplace(1) against Laplace(0): beyond the two centers the loss is constant.
        double want = gaussian->delta(epsilon - 1 / scale) / 2 +
                      std::exp(-1 / scale) / 2 * gaussian->delta(epsilon + 1 / scale);
        const int panels = 400;
        for (int i = 0; i < panels; ++i) {
          want += boost::math::quadrature::gauss<double, 15>::integrate(
              [&](double x) {
                return std::exp(-x / scale) / (2 * scale) *
                       gaussian->delta(epsilon - (1 - 2 * x) / scale);
              },
              static_cast<double>(i) / panels, (i + 1.0) / panels);
        }
        EXPECT_NEAR(joint->delta(epsilon), want, kProfileError * want + 1e-300)
            << scale << " " << noise << " " << epsilon;
      }
    }
  }
}

/// The definition over integers.
double discrete_hockey_stick(const Density& mass, int64_t shift, double epsilon, int64_t reach) {
  long double sum = 0;
  for (int64_t x = -reach; x <= reach; ++x) {
    const long double p = mass(static_cast<long double>(x - shift));
    const long double q = mass(static_cast<long double>(x));
    sum += std::max(p - std::exp(static_cast<long double>(epsilon)) * q, 0.0L);
  }
  return static_cast<double>(sum);
}

TEST(PrivacyProfile, DiscreteNoiseIsTheDefinition) {
  for (int64_t shift : {1, 2, 7}) {
    for (double stddev : {0.4, 3.0, 20.0}) {
      long double total = 0;
      for (int x = -2000; x <= 2000; ++x) total += std::exp(-x * x / (2.0L * stddev * stddev));
      const Density mass = [&](long double x) {
        return std::exp(-x * x / (2.0L * stddev * stddev)) / total;
      };
      for (double epsilon : kEpsilons) {
        const double want = discrete_hockey_stick(mass, shift, epsilon, 2000);
        EXPECT_NEAR(discrete_gaussian_profile(stddev, shift)->delta(epsilon), want,
                    1e-11 * want + 1e-250)
            << stddev << " " << shift << " " << epsilon;
      }
    }
    for (double decay : {0.05, 0.5, 3.0}) {
      const Density mass = [&](long double x) {
        return std::tanh(decay / 2.0L) * std::exp(-decay * std::fabs(x));
      };
      for (double epsilon : kEpsilons) {
        const double want = discrete_hockey_stick(mass, shift, epsilon, 2000);
        EXPECT_NEAR(discrete_laplace_profile(decay, shift)->delta(epsilon), want,
                    1e-11 * want + 1e-14)
            << decay << " " << shift << " " << epsilon;
      }
    }
  }
}

/// Against the definition, for epsilons at its losses and between them, where it lies highest.
void expect_just_above_discrete_gaussian(const PrivacyProfile& profile, double stddev,
                                         int64_t shift) {
  const long double variance = static_cast<long double>(stddev) * stddev;
  const auto d = static_cast<long double>(shift);
  const auto loss_at = [&](long double x) { return (2 * x + d) * d / (2 * variance); };
  const ProfilePointer less =
      gaussian_profile(stddev / static_cast<double>(shift) * (1 - 4 / (stddev * stddev)));
  const auto reach = static_cast<int64_t>(38 * stddev);
  std::vector<long double> mass;
  long double total = 0;
  for (int64_t x = -reach; x <= reach; ++x)
    total += mass.emplace_back(std::exp(-static_cast<long double>(x * x) / (2 * variance)));
  for (int64_t x = -shift / 2 - reach / 38; x < reach; x += std::max<int64_t>(reach / 40, 1)) {
    for (const long double part : {0.0L, 0.5L}) {
      const auto epsilon = static_cast<double>(loss_at(static_cast<long double>(x) + part));
      long double sum = 0;
      for (int64_t y = std::max(x, -reach); y <= reach; ++y) {
        const long double above = loss_at(static_cast<long double>(y)) - epsilon;
        if (above > 0) sum -= mass[static_cast<size_t>(y + reach)] * std::expm1(-above);
      }
      const auto want = static_cast<double>(sum / total);
      EXPECT_GE(profile.delta(epsilon), want * (1 - kProfileError)) << stddev << " " << shift;
      EXPECT_LE(profile.delta(epsilon), less->delta(epsilon) * (1 + kProfileError) + 1e-300);
    }
  }
}

TEST(PrivacyProfile, AGaussianWithALittleLessNoiseLiesAboveADiscreteOne) {
  for (const double stddev : {2.1, 2.5, 4.0, 40.0, 200.7}) {
    for (const int64_t shift : {1, 2, 10, 41, 300}) {
      if (static_cast<double>(shift) > 30 * stddev) continue;
      expect_just_above_discrete_gaussian(
          *gaussian_profile(noise_above_discrete_gaussian(stddev, shift)), stddev, shift);
    }
  }
  for (const int64_t shift : {1, 100, 3000, 20'000}) {
    const double stddev = kWideDiscreteGaussian;
    expect_just_above_discrete_gaussian(*discrete_gaussian_profile(stddev, shift), stddev, shift);
  }
  // However wide, and however little of it there is.
  EXPECT_NEAR(noise_above_discrete_gaussian(0x1p40, int64_t{1} << 38) / 4, 1, 1e-13);
  EXPECT_GT(noise_above_discrete_gaussian(1e300, 1), 1e30);
  EXPECT_EQ(discrete_gaussian_profile(2, int64_t{1} << 40)->delta(1), 1);
}

TEST(PrivacyProfile, LaplaceNoiseLiesAboveWideDiscreteOne) {
  const int64_t shift = (int64_t{1} << 17) + 1;
  for (const double loss : {0.3, 1.0, 10.0}) {
    const double decay = loss / static_cast<double>(shift);
    const ProfilePointer profile = discrete_laplace_profile(decay, shift);
    for (const double epsilon : {-1.0, 0.0, 0.1, 0.9999, 5.0}) {
      // Noise around 0 against noise around `shift`: up to 0 and from `shift` on the loss stays.
      const long double outside = 1 / -std::expm1(-static_cast<long double>(decay));
      long double sum = outside * std::max(-std::expm1(epsilon - loss), 0.0) +
                        outside * std::exp(-loss) * std::max(-std::expm1(epsilon + loss), 0.0);
      for (int64_t x = 1; x < shift; ++x) {
        const auto at = static_cast<long double>(x);
        const long double above = loss - 2 * decay * at - epsilon;
        if (above > 0) sum -= std::exp(-decay * at) * std::expm1(-above);
      }
      const auto want = static_cast<double>(sum * std::tanh(decay / 2.0L));
      EXPECT_GE(profile->delta(epsilon), want * (1 - kProfileError)) << loss << " " << epsilon;
      EXPECT_LE(profile->delta(epsilon), want * (1 + 1e-6) + 1e-15) << loss << " " << epsilon;
    }
  }
}

TEST(PrivacyProfile, BoundedRangeIsTheWorstMechanismWithTwoOutputs) {
  for (double width : {0.1, 1.0, 4.0}) {
    const ProfilePointer profile = bounded_range_profile(width);
    for (double epsilon : kEpsilons) {
      double worst = 0;
      for (int i = 0; i <= 4000; ++i) {
        // Losses t and t - width; Q's mass at t follows from both being distributions.
        const double t = width * i / 4000;
        const double q = std::expm1(width - t) / std::expm1(width);
        const double delta = std::max(q * (std::exp(t) - std::exp(epsilon)), 0.0) +
                             std::max((1 - q) * (std::exp(t - width) - std::exp(epsilon)), 0.0);
        EXPECT_LE(delta, profile->delta(epsilon) + 1e-14);
        worst = std::max(worst, delta);
      }
      EXPECT_NEAR(profile->delta(epsilon), worst, 1e-6);
    }
    EXPECT_EQ(profile->delta(width), 0);
  }
}

TEST(PrivacyProfile, FixedSizeIsAmplifiedOnBothSidesOfZero) {
  const ProfilePointer base = gaussian_profile(1);
  const ProfilePointer profile = fixed_size_profile(0.1, base);
  EXPECT_DOUBLE_EQ(profile->delta(0.5), 0.1 * base->delta(std::log1p(std::expm1(0.5) / 0.1)));
  EXPECT_DOUBLE_EQ(profile->delta(-0.5), 1 - std::exp(-0.5) + std::exp(-0.5) * profile->delta(0.5));
}

TEST(PrivacyProfile, ApproximateDpIsTightAtItsOwnEpsilon) {
  const ProfilePointer profile = approx_dp_profile(0.7, 1e-4);
  EXPECT_NEAR(profile->delta(0.7), 1e-4, 1e-14);
  EXPECT_DOUBLE_EQ(profile->delta(9), 1e-4);
  EXPECT_NEAR(profile->delta(0), 1e-4 + (1 - 1e-4) * std::tanh(0.35), 1e-15);
}

/// Beyond e^709 products of an infinite and a vanishing factor must not become "no cost".
TEST(PrivacyProfile, HugeLossesStayNumbers) {
  const ProfilePointer little_noise = gaussian_profile(0.01);
  const ProfilePointer profiles[] = {
      little_noise,
      gaussian_profile(1e-160),
      gaussian_profile(1e160),
      laplace_profile(1e-4),
      laplace_gaussian_profile(1, 0.01),
      laplace_gaussian_profile(1e-4, 1),
      laplace_gaussian_profile(1e-3, 0.02),
      poisson_removed_profile(0.5, little_noise),
      poisson_removed_profile(0.5, laplace_gaussian_profile(1, 0.01)),
      poisson_added_profile(0.5, little_noise),
      poisson_added_profile(1, little_noise),
      poisson_replaced_gaussian_profile(0.5, 0.02),
      poisson_replaced_gaussian_profile(1, 0.02),
      fixed_size_profile(0.5, little_noise),
      point_masses_profile({{5000, 0.5}, {-5000, 0.5}}, 0)};
  for (const ProfilePointer& profile : profiles) {
    double before = 1;
    for (double epsilon = -20'000; epsilon < 20'000; epsilon += 7.3) {
      const double delta = profile->delta(epsilon);
      ASSERT_GE(delta, 0) << epsilon;
      ASSERT_LE(delta, before * (1 + 1e-9) + profile->absolute_error()) << epsilon;
      before = delta;
    }
  }
  EXPECT_NEAR(little_noise->delta(1000), 1, 1e-12);
  EXPECT_NEAR(little_noise->delta(5000), 0.5, 0.01);
  EXPECT_NEAR(poisson_removed_profile(0.5, little_noise)->delta(1000), 0.5, 1e-12);
  EXPECT_NEAR(laplace_gaussian_profile(1, 0.01)->delta(5000), 0.5, 0.01);
  EXPECT_NEAR(poisson_replaced_gaussian_profile(0.5, 0.02)->delta(1250), 0.25, 0.01);
}

TEST(PrivacyProfile, TinyDeltasKeepTheirDigits) {
  // 60-digit values of the closed form.
  EXPECT_NEAR(gaussian_profile(5)->delta(4) / 2.01457150637e-90, 1, 1e-10);
  EXPECT_NEAR(gaussian_profile(20)->delta(1) / 1.12903322711e-91, 1, 1e-10);
}

}  // namespace equinoise::privacy_profile_test
