// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace equinoise {

/// The privacy profile of a pair of output distributions P, Q that dominates a mechanism in one
/// direction: delta(epsilon) = sup over sets A of P(A) - e^epsilon Q(A), for every real epsilon.
/// Any function above the true profile of the mechanism is valid, too: composition is monotone in
/// it [ZhuDongWang2022, Thm. 10 and Prop. 8].
class PrivacyProfile {
 public:
  virtual ~PrivacyProfile() = default;

  /// The delta at `epsilon`, with a relative error of at most kProfileError in addition to
  /// absolute_error().
  virtual double delta(double epsilon) const = 0;
  virtual double absolute_error() const { return 0; }

  /// The supremum of the privacy loss if it is finite and attained; otherwise infinity.
  virtual double largest_loss() const { return std::numeric_limits<double>::infinity(); }

  /// P's mass outside Q's support: the limit of delta(epsilon).
  virtual double infinite_mass() const { return 0; }
};

inline constexpr double kProfileError = 1e-9;

using ProfilePointer = std::shared_ptr<const PrivacyProfile>;

/// P's mass at one value of the privacy loss log(P / Q).
struct PointMass {
  double loss;
  double mass;
};

/// N(1, s^2) against N(0, s^2), s = noise_multiplier. Symmetric. [BalleWang2018, Thm. 8]
ProfilePointer gaussian_profile(double noise_multiplier);

/// Laplace(1, b) against Laplace(0, b), b = noise_multiplier. Symmetric. Covers any change of
/// that L1 norm: docs/theory/accountants.md.
ProfilePointer laplace_profile(double noise_multiplier);

/// The product of the two above: both noises on one record's change. Symmetric; closed form, see
/// docs/theory/accountants.md.
ProfilePointer laplace_gaussian_profile(double laplace_multiplier, double gaussian_multiplier);

/// The pointwise supremum of the profiles of all mechanisms whose log-ratios lie in an interval of
/// width `epsilon`. Symmetric. [DongDurfeeRogers2020, Lemma 3.2 for the two-point mechanisms]
ProfilePointer bounded_range_profile(double epsilon);

/// A finite list of losses (any order) and mass at infinity; together they may exceed 1 a little.
/// Errors: kUsage for an empty list.
ProfilePointer point_masses_profile(std::vector<PointMass> point_masses, double infinite_mass);

/// The integers with Pr[x] ~ exp(-x^2 / (2 stddev^2)) shifted by `shift`. Symmetric. A list of
/// losses or, from kWideDiscreteGaussian on, the Gaussian below.
ProfilePointer discrete_gaussian_profile(double noise_stddev, int64_t shift);
inline constexpr double kWideDiscreteGaussian = 0x1p10;

/// The noise multiplier of a Gaussian whose profile is nowhere below that of the discrete Gaussian.
/// docs/theory/accountants.md has the proof. Pre: noise_stddev > 2.
double noise_above_discrete_gaussian(double noise_stddev, int64_t shift);

/// The integers with Pr[x] ~ exp(-decay |x|) shifted by `shift`. Symmetric. A list of losses, or if
/// that would be long, a Laplace profile that is nowhere below theirs.
ProfilePointer discrete_laplace_profile(double decay, int64_t shift);

/// Randomised response: a value is kept with probability 1 - noise_parameter, otherwise replaced by
/// a uniform one of `buckets`. Symmetric.
ProfilePointer randomised_response_profile(double noise_parameter, int64_t buckets);

/// Any (epsilon, delta)-DP mechanism. Symmetric. [KairouzOhViswanath2015, Thm. 3.3]
ProfilePointer approx_dp_profile(double epsilon, double delta);

/// Poisson sampling of a mechanism with the symmetric profile `base`: (1-q) Q + q P against Q
/// ("removed": the table with the record against the one without), and Q against (1-q) Q + q P
/// ("added"). [ZhuDongWang2022, Thm. 11]
ProfilePointer poisson_removed_profile(double sample_rate, ProfilePointer base);
ProfilePointer poisson_added_profile(double sample_rate, ProfilePointer base);

/// A uniform batch of fixed size, a share `sample_rate` of the records, when a record is replaced
/// by another one. Symmetric. [BalleBartheGaboardi2018, Thm. 9]
ProfilePointer fixed_size_profile(double sample_rate, ProfilePointer base);

/// Poisson sampling of the Gaussian mechanism when a record is replaced by another one: (1-q) N(0)
/// + q N(1) against (1-q) N(0) + q N(-1), noise_multiplier = stddev / largest norm of one record's
/// contribution. Symmetric. [SchuchardtStoianKosmalaGuennemann2024]
ProfilePointer poisson_replaced_gaussian_profile(double sample_rate, double noise_multiplier);

}  // namespace equinoise
