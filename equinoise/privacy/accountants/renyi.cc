// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/renyi.h"

#include <bit>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/log_space.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.renyi";
constexpr double kRelativeError = 1e-12;  // of one closed form, with room
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log(up e^((order - 1) shift) + down e^(-order shift)) for weights that add up to 1 and a sum of
/// at least 1, rounded up. (The rounding of a small difference is added to it.)
double two_point_log_moment(double up, double down, double shift, double order) {
  const double exponent = (order - 1) * shift;
  if (exponent > 30) {
    return exponent + std::log(up) + std::log1p(down / up * std::exp(-(2 * order - 1) * shift));
  }
  const double gain = up * std::expm1(exponent);
  const double loss = -down * std::expm1(-order * shift);
  return std::log1p(std::fmax(gain - loss, 0) + 64 * kEpsilon * (gain + loss));
}

/// A divergence from its log moment, for a mechanism that is also epsilon-DP. Then it is at most
/// epsilon, and at most order epsilon^2 / 2 [BunSteinke2016, Prop. 3.3], the better figure if
/// rounding hides the first.
double divergence_of(double log_moment, double epsilon, double order) {
  const double divergence =
      std::fmin(log_moment / (order - 1), std::fmin(epsilon, order * epsilon / 2 * epsilon));
  return round_up(divergence, kRelativeError);
}

/// The log moment of the discrete Laplace pair. With r = (2 order - 1) decay / 2 the sum over all
/// integers is two_point_log_moment with the weights
///   up = sinh(order decay) / (2 cosh(decay / 2) sinh(r)),
///   down = sinh((order - 1) decay) / (2 cosh(decay / 2) sinh(r)).
double discrete_laplace_log_moment(double decay, double shift, double order) {
  const double denominator = -(1 + std::exp(-decay)) * std::expm1(-(2 * order - 1) * decay);
  const double up = -std::expm1(-2 * order * decay) / denominator;
  const double down = -std::exp(-decay) * std::expm1(-2 * (order - 1) * decay) / denominator;
  return two_point_log_moment(up, down, shift, order);
}

/// log(sinh(y) / y) for y >= 0.
double log_sinhc(double y) {
  if (y >= 1) return y + std::log1p(-std::exp(-2 * y)) - std::log(2 * y);
  const double s = y * y;
  double series = 0;
  for (int j = 9; j >= 1; --j) series = s / (2 * j * (2 * j + 1)) * (1 + series);
  return std::log1p(series);
}

/// log of the ratio between the probabilities of the true and of any other bucket.
double randomised_response_epsilon(double noise_parameter, int64_t buckets) {
  if (noise_parameter == 1) return 0;
  return round_up(
      std::log1p(static_cast<double>(buckets) * (1 - noise_parameter) / noise_parameter), 1e-15);
}

[[noreturn]] void refuse_kind(const Event& event) {
  throw Error(ErrorKind::kRuntime, kWhere, "not a single mechanism: " + event.to_text());
}

}  // namespace

double pure_renyi(double epsilon, double order) {
  if (epsilon == 0) return 0;
  return divergence_of(discrete_laplace_log_moment(epsilon, epsilon, order), epsilon, order);
}

double laplace_renyi(double shift, double order) {
  const double up = order / (2 * order - 1);
  const double down = (order - 1) / (2 * order - 1);
  return divergence_of(two_point_log_moment(up, down, shift, order), shift, order);
}

double discrete_laplace_renyi(double decay, int64_t sensitivity, double order) {
  const double shift = multiply_up(decay, static_cast<double>(sensitivity));
  return divergence_of(discrete_laplace_log_moment(decay, shift, order), shift, order);
}

double bounded_range_renyi(double epsilon, double order) {
  if (epsilon == 0) return 0;
  const double high = order * log_sinhc(order * epsilon / 2);
  const double low = (order - 1) * log_sinhc((order - 1) * epsilon / 2) + log_sinhc(epsilon / 2);
  const double exact = (high - low + 16 * kEpsilon * high) / (order - 1);
  return round_up(std::fmin(exact, std::fmin(epsilon, order * epsilon / 8 * epsilon)),
                  kRelativeError);
}

double randomised_response_renyi(double noise_parameter, int64_t buckets, double order) {
  const double epsilon = randomised_response_epsilon(noise_parameter, buckets);
  if (epsilon == 0) return 0;
  // All other buckets have the same probability under both inputs.
  const double differing =
      std::fmin(1, 1 - noise_parameter + 2 * noise_parameter / static_cast<double>(buckets));
  const double binary = discrete_laplace_log_moment(epsilon, epsilon, order);
  const double log_moment = binary > 30 ? log1p_exp(std::log(differing) + binary)
                                        : std::log1p(differing * std::expm1(binary));
  return divergence_of(log_moment, epsilon, order);
}

double gaussian_rho(const Event& mechanism) {
  const auto half_square = [](double ratio) { return round_up(ratio * ratio / 2, kRelativeError); };
  switch (mechanism.kind()) {
    case Event::Kind::kGaussian:
      return half_square(1 / mechanism.noise_multiplier());
    case Event::Kind::kDiscreteGaussian:
      // The L2 norm of an integer vector is at most its L1 norm.
      return half_square(static_cast<double>(mechanism.sensitivity()) / mechanism.noise_stddev());
    case Event::Kind::kTreeAggregation: {
      // A leaf has as many nodes above it, itself included, as `steps` has binary digits.
      const auto height = std::bit_width(static_cast<uint64_t>(mechanism.steps()));
      return multiply_up(half_square(1 / mechanism.noise_multiplier()),
                         static_cast<double>(height));
    }
    case Event::Kind::kZcdp:
      return mechanism.rho();
    default:
      return kInfinity;
  }
}

double renyi_divergence(const Event& mechanism, double order) {
  switch (mechanism.kind()) {
    case Event::Kind::kLaplace:
      return laplace_renyi(max_divergence(mechanism), order);
    case Event::Kind::kDiscreteLaplace:
      return discrete_laplace_renyi(mechanism.decay(), mechanism.sensitivity(), order);
    case Event::Kind::kExponential:
      return bounded_range_renyi(mechanism.epsilon(), order);
    case Event::Kind::kRandomisedResponse:
      return randomised_response_renyi(mechanism.noise_parameter(), mechanism.buckets(), order);
    case Event::Kind::kPure:
    case Event::Kind::kApproxDp:
      return pure_renyi(mechanism.epsilon(), order);
    case Event::Kind::kGaussian:
    case Event::Kind::kDiscreteGaussian:
    case Event::Kind::kTreeAggregation:
    case Event::Kind::kZcdp:
      return multiply_up(gaussian_rho(mechanism), order);
    default:
      refuse_kind(mechanism);
  }
}

double max_divergence(const Event& mechanism) {
  switch (mechanism.kind()) {
    case Event::Kind::kLaplace:
      return next_up(1 / mechanism.noise_multiplier());
    case Event::Kind::kDiscreteLaplace:
      return multiply_up(mechanism.decay(), static_cast<double>(mechanism.sensitivity()));
    case Event::Kind::kRandomisedResponse:
      return randomised_response_epsilon(mechanism.noise_parameter(), mechanism.buckets());
    case Event::Kind::kExponential:
    case Event::Kind::kPure:
    case Event::Kind::kApproxDp:
      return mechanism.epsilon();
    case Event::Kind::kGaussian:
    case Event::Kind::kDiscreteGaussian:
    case Event::Kind::kTreeAggregation:
    case Event::Kind::kZcdp:
      return kInfinity;
    default:
      refuse_kind(mechanism);
  }
}

}  // namespace equinoise
