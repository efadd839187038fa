// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/privacy_profile.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.pld";
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// exp(log_scale + sign x^2 / 2) without the rounding error of the square.
double exp_half_square(double x, double sign, double log_scale) {
  constexpr double kBeyondDouble = 1e100;  // its square leaves nothing of any scale
  if (std::fabs(x) > kBeyondDouble) return sign < 0 ? 0 : kInfinity;
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  return std::exp(log_scale + sign * square / 2) * (1 + sign * rest / 2);
}

/// e^log_scale times the standard normal density, without overflow or underflow of either factor.
double scaled_density(double log_scale, double x) {
  return exp_half_square(x, -1, log_scale) / std::sqrt(2 * M_PI);
}
double normal_density(double x) { return scaled_density(0, x); }
double normal_cdf(double x) { return std::erfc(-x * M_SQRT1_2) / 2; }

/// Mills' ratio normal_cdf(x) / normal_density(x), for x <= kMillsRange.
constexpr double kMillsRange = 6;
double mills(double x) {
  if (x > -35) return std::sqrt(M_PI / 2) * std::erfc(-x * M_SQRT1_2) * exp_half_square(x, 1, 0);
  // The asymptotic series; its eighth term is below 1e-16 here.
  const double inverse = 1 / (x * x);
  double term = 1;
  double sum = 1;
  for (int k = 1; k < 8; ++k) {
    term *= -(2 * k - 1) * inverse;
    sum += term;
  }
  return -sum / x;
}

/// mills(x + width) - mills(x) for 0 < width, x + width <= kMillsRange.
double mills_gap(double x, double width) {
  if (width > 0.01) return mills(x + width) - mills(x);
  // Gauss-Legendre of the derivative 1 + x mills(x): a difference of near values would lose its
  // digits.
  constexpr double kNodes[] = {0.3399810435848563, 0.8611363115940526};
  constexpr double kWeights[] = {0.6521451548625461, 0.3478548451374538};
  const double middle = x + width / 2;
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    for (double sign : {-1.0, 1.0}) {
      const double at = middle + sign * kNodes[i] * width / 2;
      sum += kWeights[i] * (1 + at * mills(at));
    }
  }
  return sum * width / 2;
}

/// The profile of a symmetric pair at epsilon < 0 from that at -epsilon, without cancellation.
double mirrored(const PrivacyProfile& profile, double epsilon) {
  return -std::expm1(epsilon) + std::exp(epsilon) * profile.delta(-epsilon);
}

/// e^log_scale times normal_cdf(x), without overflow or underflow of either factor.
double scaled_cdf(double log_scale, double x) {
  return x > 0 ? std::exp(log_scale) * normal_cdf(x) : scaled_density(log_scale, x) * mills(x);
}

class GaussianProfile final : public PrivacyProfile {
 public:
  explicit GaussianProfile(double noise_multiplier) : shift_(1 / noise_multiplier) {}

  double delta(double epsilon) const override {
    if (epsilon < 0) return mirrored(*this, epsilon);
    const double high = shift_ / 2 - epsilon / shift_;
    const double low = high - shift_;
    if (high > kMillsRange) return normal_cdf(high) - scaled_cdf(epsilon, low);
    return normal_density(high) * mills_gap(low, shift_);
  }

 private:
  double shift_;
};

class LaplaceProfile final : public PrivacyProfile {
 public:
  explicit LaplaceProfile(double noise_multiplier) : largest_(next_up(1 / noise_multiplier)) {}

  double delta(double epsilon) const override {
    if (epsilon >= largest_) return 0;
    return -std::expm1(std::min(epsilon, (epsilon - largest_) / 2));
  }
  double largest_loss() const override { return largest_; }

 private:
  double largest_;
};

class LaplaceGaussianProfile final : public PrivacyProfile {
 public:
  LaplaceGaussianProfile(double laplace_multiplier, double gaussian_multiplier)
      : largest_(1 / laplace_multiplier), half_(1 / gaussian_multiplier / 2) {}

  double delta(double epsilon) const override {
    if (epsilon < 0) return mirrored(*this, epsilon);
    // The integral of the Gaussian profile over a Laplace loss in [-largest, largest] has a closed
    // form: its two ends, each a product of a normal density and a gap of Mills' ratio.
    const double high = (largest_ - epsilon) / (2 * half_);
    const double low = (-largest_ - epsilon) / (2 * half_);
    const double log_scale = (epsilon - largest_ - half_ * half_) / 2;
    const double at_low = scaled_density(log_scale, low) * mills_gap(low - half_, half_);
    if (high + half_ > kMillsRange && high <= 0) {
      return normal_cdf(high + half_) - scaled_cdf(log_scale, high) + at_low;
    }
    if (high + half_ > kMillsRange) {
      const double gap = normal_cdf(-high) - normal_cdf(-high - half_);
      return gap - std::expm1(log_scale) * normal_cdf(high) + at_low;
    }
    return scaled_density(log_scale, high) * mills_gap(high, half_) + at_low;
  }

 private:
  double largest_;
  double half_;  // half the Gaussian's shift
};

class BoundedRangeProfile final : public PrivacyProfile {
 public:
  explicit BoundedRangeProfile(double epsilon) : largest_(epsilon) {}

  /// A mechanism with losses t and t - largest has delta (1 - e^(epsilon - t)) (1 - e^(t -
  /// largest)) / (1 - e^-largest); the best t is the middle of epsilon and largest.
  double delta(double epsilon) const override {
    if (epsilon >= largest_) return 0;
    if (epsilon <= -largest_) return -std::expm1(epsilon);
    const double root = std::expm1((epsilon - largest_) / 2);
    return root * (root / -std::expm1(-largest_));
  }
  double largest_loss() const override { return largest_; }

 private:
  double largest_;
};

class PointMassesProfile final : public PrivacyProfile {
 public:
  PointMassesProfile(std::vector<PointMass> point_masses, double infinite_mass)
      : point_masses_(std::move(point_masses)), infinite_mass_(infinite_mass) {
    if (point_masses_.empty()) throw Error(ErrorKind::kUsage, kWhere, "a profile needs a loss");
    // Whatever rounding the losses have seen, they are not too small.
    for (PointMass& point_mass : point_masses_)
      point_mass.loss += 1e-15 * std::fabs(point_mass.loss);
    std::ranges::sort(point_masses_, {}, &PointMass::loss);
    delta_.resize(point_masses_.size());
    discounted_.resize(point_masses_.size());
    // Extended precision keeps the error of millions of terms below kProfileError.
    long double delta = infinite_mass;
    long double discounted = 0;
    for (size_t i = point_masses_.size(); i-- > 0;) {
      const long double step =
          i + 1 < point_masses_.size()
              ? static_cast<long double>(point_masses_[i + 1].loss) - point_masses_[i].loss
              : 0;
      delta -= std::expm1(-step) * discounted;
      delta_[i] = static_cast<double>(delta);
      discounted = discounted * std::exp(-step) + point_masses_[i].mass;
      discounted_[i] = static_cast<double>(discounted);
    }
  }

  double delta(double epsilon) const override {
    const auto next = std::ranges::upper_bound(point_masses_, epsilon, {}, &PointMass::loss);
    if (next == point_masses_.end()) return infinite_mass_;
    const auto i = static_cast<size_t>(next - point_masses_.begin());
    return std::min(delta_[i] - std::expm1(epsilon - next->loss) * discounted_[i], 1.0);
  }
  double largest_loss() const override { return point_masses_.back().loss; }
  double infinite_mass() const override { return infinite_mass_; }

 private:
  std::vector<PointMass> point_masses_;  // ascending
  std::vector<double> delta_;            // at the epsilon of a point mass
  std::vector<double> discounted_;       // sum over point masses j >= i of mass e^(loss_i - loss_j)
  double infinite_mass_;
};

class PoissonRemovedProfile final : public PrivacyProfile {
 public:
  PoissonRemovedProfile(double sample_rate, ProfilePointer base)
      : rate_(sample_rate), base_(std::move(base)) {}

  double delta(double epsilon) const override {
    const double excess = std::expm1(epsilon);
    if (!(excess > -rate_)) return -excess;
    return rate_ *
           base_->delta(epsilon > 700 ? epsilon - std::log(rate_) : std::log1p(excess / rate_));
  }
  double largest_loss() const override {
    const double loss = base_->largest_loss();
    if (loss > 700) return loss;
    return round_up(std::log1p(rate_ * std::expm1(loss)), 1e-15);
  }
  double infinite_mass() const override { return rate_ * base_->infinite_mass(); }

 private:
  double rate_;
  ProfilePointer base_;
};

class PoissonAddedProfile final : public PrivacyProfile {
 public:
  PoissonAddedProfile(double sample_rate, ProfilePointer base)
      : rate_(sample_rate), base_(std::move(base)) {}

  double delta(double epsilon) const override {
    const double excess = std::expm1(epsilon);
    // 1 - (1 - q) e^epsilon, raised by a bound on its rounding error, which matters where it is
    // small: delta rises with it.
    const double factor = rate_ - (1 - rate_) * excess + 1e-15 * rate_;
    if (!(factor > 0)) return 0;
    return factor * base_->delta(epsilon - std::log(factor / rate_));
  }
  double largest_loss() const override {
    // Q's mass outside P's support has the largest possible loss.
    const double least = base_->infinite_mass() > 0 ? -1 : std::expm1(-base_->largest_loss());
    return round_up(-std::log1p(rate_ * least), 1e-15);
  }

 private:
  double rate_;
  ProfilePointer base_;
};

class FixedSizeProfile final : public PrivacyProfile {
 public:
  FixedSizeProfile(double sample_rate, ProfilePointer base)
      : removed_(sample_rate, std::move(base)) {}

  double delta(double epsilon) const override {
    return epsilon < 0 ? mirrored(*this, epsilon) : removed_.delta(epsilon);
  }
  double largest_loss() const override { return removed_.largest_loss(); }
  double infinite_mass() const override { return removed_.infinite_mass(); }

 private:
  PoissonRemovedProfile removed_;
};

class PoissonReplacedGaussianProfile final : public PrivacyProfile {
 public:
  PoissonReplacedGaussianProfile(double sample_rate, double noise_multiplier)
      : rate_(sample_rate), noise_(noise_multiplier) {}

  double delta(double epsilon) const override {
    if (epsilon < 0) return mirrored(*this, epsilon);
    // The loss exceeds epsilon if y = e^(x / noise^2) is beyond the positive root of c y^2 - (1-q)
    // (e^epsilon - 1) y - e^epsilon c.
    const double variance = noise_ * noise_;
    const double excess = std::expm1(epsilon);
    const double log_c = std::log(rate_) - 1 / (2 * variance);
    const double half = (1 - rate_) * excess / 2;
    const double log_half = epsilon < 700 ? std::log(half) : std::log((1 - rate_) / 2) + epsilon;
    const double log_ratio = log_half - log_c;
    const double most = std::max(log_ratio, epsilon / 2);
    const double ratio = std::exp(log_ratio - most);
    const double log_root =
        most + std::log(ratio + std::sqrt(ratio * ratio + std::exp(epsilon - 2 * most)));
    const double threshold = log_root * variance;
    double sum = rate_ * (normal_cdf((1 - threshold) / noise_) -
                          scaled_cdf(epsilon, (-1 - threshold) / noise_));
    if (rate_ < 1) {
      sum -= (1 - rate_) * (epsilon < 700 ? excess * normal_cdf(-threshold / noise_)
                                          : scaled_cdf(epsilon, -threshold / noise_));
    }
    return std::max(sum, 0.0);
  }
  double absolute_error() const override { return 1e-15 * rate_; }  // each term is at most the rate

 private:
  double rate_;
  double noise_;
};

}  // namespace

ProfilePointer gaussian_profile(double noise_multiplier) {
  return std::make_shared<GaussianProfile>(noise_multiplier);
}

ProfilePointer laplace_profile(double noise_multiplier) {
  return std::make_shared<LaplaceProfile>(noise_multiplier);
}

ProfilePointer laplace_gaussian_profile(double laplace_multiplier, double gaussian_multiplier) {
  return std::make_shared<LaplaceGaussianProfile>(laplace_multiplier, gaussian_multiplier);
}

ProfilePointer bounded_range_profile(double epsilon) {
  if (epsilon == 0) return point_masses_profile({{0, 1}}, 0);
  return std::make_shared<BoundedRangeProfile>(epsilon);
}

ProfilePointer point_masses_profile(std::vector<PointMass> point_masses, double infinite_mass) {
  return std::make_shared<PointMassesProfile>(std::move(point_masses), infinite_mass);
}

double noise_above_discrete_gaussian(double noise_stddev, int64_t shift) {
  const double inverse = 1 / std::sqrt((noise_stddev - 2) * (noise_stddev + 2)) + 1e-33;
  return (1 - 1e-14) / (static_cast<double>(shift) * inverse);
}

ProfilePointer discrete_gaussian_profile(double noise_stddev, int64_t shift) {
  if (noise_stddev >= kWideDiscreteGaussian)
    return gaussian_profile(noise_above_discrete_gaussian(noise_stddev, shift));
  // Beyond `reach` on either side the mass is below 1e-300.
  const double reach = std::ceil(38 * noise_stddev) + 2;
  const double variance = noise_stddev * noise_stddev;
  const auto d = static_cast<double>(shift);
  const auto weight = [&](double x) { return std::exp(-x * x / (2 * variance)); };
  long double total = 0;
  const auto size = static_cast<int64_t>(2 * reach) + 1;
  for (int64_t i = 0; i < size; ++i) total += weight(static_cast<double>(i) - reach);
  const auto normaliser = static_cast<double>(total);
  std::vector<PointMass> point_masses;
  // Noise around 0 against noise around -shift.
  for (int64_t i = 0; i < size; ++i) {
    const double x = static_cast<double>(i) - reach;
    const double mass = weight(x) / normaliser;
    if (mass > 0) point_masses.push_back({(2 * x + d) * d / (2 * variance), mass});
  }
  // Masses fall by e^(-reach / variance) or faster from one to the next at this distance.
  const double outside = 2 * weight(reach) / normaliser / -std::expm1(-reach / variance);
  return point_masses_profile(std::move(point_masses), std::max(outside, 1e-300));
}

ProfilePointer discrete_laplace_profile(double decay, int64_t shift) {
  constexpr int64_t kLongestList = int64_t{1} << 17;
  const auto d = static_cast<double>(shift);
  if (shift > kLongestList) return laplace_profile((1 - 1e-14) / (decay * (d + decay / 4)));
  const double outside = 1 / (1 + std::exp(-decay));  // Pr[x <= 0], and of x >= 0
  std::vector<PointMass> point_masses = {{decay * d, outside},
                                         {-decay * d, outside * std::exp(-decay * d)}};
  const double center = std::tanh(decay / 2);
  for (int64_t x = 1; x < shift; ++x) {
    const auto at = static_cast<double>(x);
    point_masses.push_back({decay * (d - 2 * at), center * std::exp(-decay * at)});
  }
  return point_masses_profile(std::move(point_masses), 0);
}

ProfilePointer randomised_response_profile(double noise_parameter, int64_t buckets) {
  const auto k = static_cast<double>(buckets);
  const double other = noise_parameter / k;
  const double same = 1 - noise_parameter + other;
  const double loss = std::log1p((1 - noise_parameter) / other);
  return point_masses_profile({{loss, same}, {-loss, other}, {0, other * (k - 2)}}, 0);
}

ProfilePointer approx_dp_profile(double epsilon, double delta) {
  const double likely = 1 / (1 + std::exp(-epsilon));
  return point_masses_profile(
      {{epsilon, (1 - delta) * likely}, {-epsilon, (1 - delta) * std::exp(-epsilon) * likely}},
      delta);
}

ProfilePointer poisson_removed_profile(double sample_rate, ProfilePointer base) {
  if (sample_rate == 1) return base;
  return std::make_shared<PoissonRemovedProfile>(sample_rate, std::move(base));
}

ProfilePointer poisson_added_profile(double sample_rate, ProfilePointer base) {
  if (sample_rate == 1) return base;
  return std::make_shared<PoissonAddedProfile>(sample_rate, std::move(base));
}

ProfilePointer fixed_size_profile(double sample_rate, ProfilePointer base) {
  return std::make_shared<FixedSizeProfile>(sample_rate, std::move(base));
}

ProfilePointer poisson_replaced_gaussian_profile(double sample_rate, double noise_multiplier) {
  return std::make_shared<PoissonReplacedGaussianProfile>(sample_rate, noise_multiplier);
}

}  // namespace equinoise
