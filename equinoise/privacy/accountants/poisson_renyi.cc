// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/poisson_renyi.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/log_moments.h"
#include "equinoise/privacy/accountants/log_space.h"
#include "equinoise/privacy/accountants/rdp_orders.h"

namespace equinoise {

namespace {

using Eigen::ArrayXd;

constexpr std::string_view kWhere = "privacy.poisson_renyi";
constexpr double kRelativeError = 1e-11;      // of one computed divergence, with room
constexpr double kLargestExactFraction = 64;  // beyond it the quadrature has too many points
constexpr double kSmallestOrder = 1.001;      // below it differences lose their digits
constexpr double kSmallOrder = 1.05;          // below it they are formed another way
constexpr double kSmallestRate = 1e-100;      // below it squares of the rate underflow
constexpr double kTinyNoise = 0.01;           // below it sampling hardly lowers a divergence
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// E[(1 - q + q L)^order] - 1 at integer orders, from the moments E[L^k] of the likelihood ratio.
/// Only terms k >= 2 are left, all of them positive.
class IntegerMoments {
 public:
  IntegerMoments(double rate, const std::function<double(double)>& divergence, int64_t largest)
      : excesses_(std::log(rate), std::log1p(-rate), log_excesses(divergence, largest)) {}

  /// (order - 1) times the divergence.
  double log_moment(int64_t order) const { return log1p_exp(excesses_.log_sum(order)); }

 private:
  /// log(E[L^k] - 1) at k.
  static std::vector<double> log_excesses(const std::function<double(double)>& divergence,
                                          int64_t largest) {
    std::vector<double> values(static_cast<size_t>(largest) + 1, -kInfinity);
    for (size_t k = 2; k < values.size(); ++k) {
      const auto order = static_cast<double>(k);
      values[k] = log_expm1((order - 1) * divergence(order));
    }
    return values;
  }

  BinomialSums excesses_;
};

/// The Gaussian divergences at fractional orders. With w = q (L - 1) and E[w] = 0, the moment's
/// excess is E[(1 + w)^order - 1 - order w], a positive integrand, so that even a tiny divergence
/// keeps its digits. All orders share the points and everything else that does not depend on the
/// order.
class GaussianQuadrature {
 public:
  GaussianQuadrature(double rate, double noise, double largest_order)
      : noise_(noise),
        log_rate_(std::log(rate)),
        // 1 + w vanishes at distance pi * variance from the real axis; both factors keep the rule's
        // error below 1e-20.
        step_(std::min(noise / 8, 0.4 * noise * noise)) {
    const double variance = noise * noise;
    const double log_rest = std::log1p(-rate);
    const Eigen::Index count = num_points(largest_order);
    w_.resize(count);
    log_1p_w_.resize(count);
    half_square_ =
        (ArrayXd::LinSpaced(count, 0, static_cast<double>(count - 1)) * step_ + low()).square() /
        (2 * variance);
    weight_ = (-half_square_).exp();
    for (Eigen::Index i = 0; i < count; ++i) {
      const double x = low() + static_cast<double>(i) * step_;
      const double log_ratio = (2 * x - 1) / (2 * variance);
      // Near overflow of the ratio, the part of the integrand that is linear in w is dropped: it is
      // negative.
      const bool is_far = log_ratio > 500;
      w_[i] = is_far ? kInfinity : rate * std::expm1(log_ratio);
      log_1p_w_[i] =
          is_far ? log_rest + log1p_exp(log_rate_ + log_ratio - log_rest) : std::log1p(w_[i]);
    }
  }

  double log_excess(double order) const {
    const Eigen::Index count = std::min<Eigen::Index>(num_points(order), w_.size());
    const double near = 0.1 / order;
    const Eigen::Index small = first_above(-near, count);
    const Eigen::Index large = first_above(near, count);
    const Eigen::Index far = first_above(std::numeric_limits<double>::max(), count);

    const double log_scale =
        std::max(0.0, order * (log_rate_ + (order - 1) / (2 * noise_ * noise_)));
    const double scale = std::exp(-log_scale);
    const auto power = [&](Eigen::Index first, Eigen::Index last) {
      return (order * log_1p_w_.segment(first, last - first) -
              half_square_.segment(first, last - first) - log_scale)
          .exp();
    };
    const auto linear = [&](Eigen::Index first, Eigen::Index last) {
      return (1 + order * w_.segment(first, last - first)) * weight_.segment(first, last - first) *
             scale;
    };
    const auto difference = [&](Eigen::Index first, Eigen::Index last) {
      if (order >= kSmallOrder) return (power(first, last) - linear(first, last)).sum();
      // The same integrand without the parts that cancel: both parts are proportional to order - 1.
      const auto w = w_.segment(first, last - first);
      const auto log_1p_w = log_1p_w_.segment(first, last - first);
      return (((1 + w) * ((order - 1) * log_1p_w).expm1() - (order - 1) * w) *
              weight_.segment(first, last - first))
                 .sum() *
             scale;
    };
    double total = difference(0, small) + difference(large, far) + power(far, count).sum();

    // Near w = 0 the difference is the rest of the binomial series, from its square on.
    constexpr int kTerms = 13;
    double coefficients[kTerms] = {1, order};
    for (int j = 2; j < kTerms; ++j) coefficients[j] = coefficients[j - 1] * (order - j + 1) / j;
    const auto w = w_.segment(small, large - small);
    ArrayXd series = ArrayXd::Constant(large - small, coefficients[kTerms - 1]);
    for (int j = kTerms - 2; j >= 2; --j) series = series * w + coefficients[j];
    total += (series * w.square() * weight_.segment(small, large - small)).sum() * scale;
    if (!(total > 0)) return kInfinity;
    return log_scale + std::log(total * step_ / (noise_ * std::sqrt(2 * M_PI)));
  }

 private:
  double low() const { return -13 * noise_; }
  Eigen::Index num_points(double order) const {
    return static_cast<Eigen::Index>(std::ceil((order + 26 * noise_) / step_)) + 1;
  }
  /// The first point with w > bound; w rises.
  Eigen::Index first_above(double bound, Eigen::Index count) const {
    return std::upper_bound(w_.data(), w_.data() + count, bound) - w_.data();
  }

  double noise_;
  double log_rate_;
  double step_;
  ArrayXd w_;
  ArrayXd log_1p_w_;
  ArrayXd half_square_;
  ArrayXd weight_;
};

void check_arguments(double rate, const std::vector<double>& orders) {
  check_interval(kWhere, "sample_rate", rate, 0, 1);
  for (double order : orders) {
    if (!(order > 1 && order <= kLargestRenyiOrder))
      throw Error(ErrorKind::kUsage, kWhere, "orders must be in (1, 65536]");
  }
}

bool is_integer(double order) { return order == std::floor(order); }

/// divergence_at(order), but never above the divergence without sampling.
std::vector<double> rounded_up(const std::vector<double>& orders,
                               const std::function<double(double)>& divergence_at,
                               const std::function<double(double)>& unsampled) {
  std::vector<double> divergences;
  divergences.reserve(orders.size());
  for (double order : orders) {
    divergences.push_back(std::fmin(round_up(divergence_at(order), kRelativeError),
                                    round_up(unsampled(order), kRelativeError)));
  }
  return divergences;
}

int64_t integer_above(const std::vector<double>& orders) {
  return static_cast<int64_t>(std::ceil(*std::ranges::max_element(orders)));
}

}  // namespace

std::vector<double> poisson_gaussian_renyi(double sample_rate, double noise_multiplier,
                                           const std::vector<double>& orders) {
  check_arguments(sample_rate, orders);
  check_positive(kWhere, "noise_multiplier", noise_multiplier);
  if (orders.empty() || sample_rate == 0) return std::vector<double>(orders.size(), 0.0);
  const auto unsampled = [&](double order) {
    return order / noise_multiplier / noise_multiplier / 2;
  };
  if (sample_rate == 1 || noise_multiplier < kTinyNoise) {
    return rounded_up(orders, unsampled, unsampled);
  }
  const double rate = std::max(sample_rate, kSmallestRate);  // divergences grow with the rate
  const IntegerMoments integers(rate, unsampled, integer_above(orders));

  double largest_fraction = 0;
  for (double order : orders) {
    if (!is_integer(order) && order <= kLargestExactFraction)
      largest_fraction = std::max({largest_fraction, order, kSmallestOrder});
  }
  const GaussianQuadrature quadrature(rate, noise_multiplier, largest_fraction);
  const auto divergence_at = [&](double order) {
    if (is_integer(order) || order > kLargestExactFraction) {
      return interpolated_divergence([&](int64_t k) { return integers.log_moment(k); }, order);
    }
    const double exact_order = std::max(order, kSmallestOrder);  // divergences grow with the order
    return log1p_exp(quadrature.log_excess(exact_order)) / (exact_order - 1);
  };
  return rounded_up(orders, divergence_at, unsampled);
}

std::vector<double> poisson_renyi(double sample_rate,
                                  const std::function<double(double)>& divergence,
                                  const std::vector<double>& orders) {
  check_arguments(sample_rate, orders);
  if (orders.empty() || sample_rate == 0) return std::vector<double>(orders.size(), 0.0);
  if (sample_rate == 1) return rounded_up(orders, divergence, divergence);
  const double rate = std::max(sample_rate, kSmallestRate);
  const int64_t largest = integer_above(orders);
  const IntegerMoments integers(rate, divergence, largest);
  std::vector<double> log_moments(static_cast<size_t>(largest) + 1, -1);
  const auto log_moment = [&](int64_t k) {
    double& value = log_moments[static_cast<size_t>(k)];
    if (value < 0) value = integers.log_moment(k);
    return value;
  };
  return rounded_up(
      orders, [&](double order) { return interpolated_divergence(log_moment, order); }, divergence);
}

}  // namespace equinoise
