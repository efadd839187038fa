// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/composed_loss.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <unsupported/Eigen/FFT>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.pld";
constexpr double kUnit = 0x1p-52;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNegligible = 1e-6;  // of delta, for what is cut off at a window's end
constexpr double kLeastTilt = 1e-6;
constexpr double kMostTilt = 1e6;
constexpr double kStepGrowth = 1.6;
constexpr int kMaxSteps = 60;
constexpr double kLeastDelta = 1e-290;
constexpr int kMaxRounds = 4;
constexpr double kMaxWindow = 0x1p22;
constexpr size_t kBinsPerOctave = 32;  // about, of the distance from the mean

/// Where a unimodal function of x in [low, high] is about least; golden section in log(x).
template <typename Function>
double minimise(Function function, double low, double high) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  const auto between = [&](double share) { return low * std::pow(high / low, share); };
  double left = between(1 - ratio);
  double right = between(ratio);
  double at_left = function(left);
  double at_right = function(right);
  while (high > 1.02 * low) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = between(1 - ratio);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = between(ratio);
      at_right = function(right);
    }
  }
  return std::sqrt(low * high);
}

double norm(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// The loss with the mean number.
size_t center_of(const LossDistribution& distribution) {
  double total = 0;
  double sum = 0;
  for (size_t i = 0; i < distribution.mass.size(); ++i) {
    total += distribution.mass[i];
    sum += distribution.mass[i] * static_cast<double>(i);
  }
  return static_cast<size_t>(sum / total);
}

int64_t modulo(int64_t value, int64_t divisor) {
  const int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/// The smallest 2^k, 5/4 2^k or 3/2 2^k above `least`: sizes that the transform is good at.
int64_t transform_size(double least) {
  for (int64_t power = 8;; power *= 2) {
    for (const int64_t size : {power, power / 4 * 5, power / 2 * 3}) {
      if (static_cast<double>(size) > least) return size;
    }
  }
}

}  // namespace

/// The tilted sum on a window of the grid: loss l has mass e^(log_scale - tilt l) tilted(l).
class ComposedLoss::Tilted {
 public:
  Tilted(const ComposedLoss& sum, double tilt, double low, double high)
      : grid_(sum.components_[0].distribution.grid), tilt_(tilt) {
    first_ = static_cast<int64_t>(std::floor(low / grid_));
    const int64_t size = transform_size(high / grid_ - static_cast<double>(first_) + 1);
    compose(sum.components_, size);
    outside_ = sum.infinite_mass_ + sum.mass_above(loss(size - 1), tilt);
  }

  double tilt() const { return tilt_; }

  /// An upper bound of delta(epsilon); 1 below the window, where nothing is known.
  double delta(double epsilon) const {
    const double position = std::floor(epsilon / grid_) + 1 - static_cast<double>(first_);
    if (position < 0) return 1;
    const auto next = static_cast<size_t>(std::fmin(position, 1e18));
    if (next >= tail_.size()) return outside_;
    const double scale = std::exp(log_scale_ - tilt_ * loss(static_cast<int64_t>(next)));
    const double sum =
        tail_[next] - std::exp(epsilon - loss(static_cast<int64_t>(next))) * discounted_[next];
    return scale * (sum + round_off_ + sum_error_ * tail_[next]) * (1 + relative_error_) + outside_;
  }

  /// The smallest epsilon >= 0 whose delta, as above, is at most `delta`; infinity if there is
  /// none.
  double epsilon(double delta) const {
    if (!(outside_ <= delta)) return kInfinity;
    // delta(loss(low)) is too large, delta(loss(high)) is small enough.
    int64_t low = std::max<int64_t>(-first_, 0);
    int64_t high = static_cast<int64_t>(tail_.size());
    if (low >= high || this->delta(loss(low)) <= delta) return std::fmax(loss(low), 0);
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      (this->delta(loss(middle)) <= delta ? high : low) = middle;
    }
    if (high == static_cast<int64_t>(tail_.size())) return loss(high);
    // Between two losses delta is linear in e^epsilon.
    const auto next = static_cast<size_t>(high);
    const double scale = std::exp(log_scale_ - tilt_ * loss(high)) * (1 + relative_error_);
    const double share =
        (tail_[next] * (1 + sum_error_) + round_off_ - (delta - outside_) / scale) /
        discounted_[next];
    const double inside = loss(high) + std::log(share) + 1e-14;
    const bool holds = inside > loss(low) && inside < loss(high) && this->delta(inside) <= delta;
    return holds ? inside : loss(high);
  }

 private:
  double loss(int64_t i) const { return static_cast<double>(first_ + i) * grid_; }

  void compose(const std::vector<Component>& components, int64_t size) {
    const auto n = static_cast<size_t>(size);
    Eigen::FFT<double> transform;
    transform.SetFlag(Eigen::FFT<double>::HalfSpectrum);
    std::vector<std::complex<double>> product(n / 2 + 1, 1.0);
    std::vector<std::complex<double>> spectrum;
    // Of a transform, relative to the norm: log2(n) levels of a twiddle factor and a butterfly.
    const double transform_error = 5 * kUnit * std::log2(static_cast<double>(n));
    double error = 1e-18;  // what is set to 0 below
    double power_error = 0;
    for (const Component& component : components) {
      const std::vector<double> tilted = tilt_and_wrap(component, n);
      transform.fwd(spectrum, tilted);
      const double count = component.count;
      const double negligible = std::exp(-83 / count);  // its power is below 1e-18
      for (size_t k = 0; k < product.size(); ++k) {
        if (product[k] == 0.0) continue;
        const double square = std::norm(spectrum[k]);
        if (count == 1) {
          product[k] *= spectrum[k];
        } else if (square < negligible) {
          product[k] = 0;
        } else {
          product[k] *= std::polar(std::exp(count / 2 * std::log(square)),
                                   std::remainder(count * std::arg(spectrum[k]), 2 * M_PI));
        }
      }
      error += count * transform_error * norm(tilted);
      power_error += 16 * kUnit * count;
    }
    std::vector<double> sum;
    transform.inv(sum, product, static_cast<Eigen::Index>(n));
    error += (transform_error + power_error) * norm(sum);

    // Sums over the window's losses from i on, relative to loss i, with and without the factor
    // e^(loss i - loss j).
    tail_.resize(n);
    discounted_.resize(n);
    const double fall = std::exp(-tilt_ * grid_);
    const double steeper = std::exp(-(tilt_ + 1) * grid_);
    double tail = 0;
    double discounted = 0;
    for (size_t i = n; i-- > 0;) {
      const double mass = sum[static_cast<size_t>(modulo(first_ + static_cast<int64_t>(i), size))];
      tail = tail * fall + mass;
      discounted = discounted * steeper + mass;
      tail_[i] = tail;
      discounted_[i] = discounted;
    }
    // Cauchy-Schwarz with the weights e^(-tilt (loss j - loss i)), which are at most 1.
    const double weights = std::fmin(1 / -std::expm1(-2 * tilt_ * grid_), static_cast<double>(n));
    round_off_ = error * std::sqrt(weights);
    sum_error_ = 4 * kUnit * std::fmin(static_cast<double>(n), 1 + 1 / (tilt_ * grid_));
  }

  /// The component's masses times e^(tilt loss), scaled to a sum of 1, each at its loss modulo n.
  std::vector<double> tilt_and_wrap(const Component& component, size_t n) {
    const LossDistribution& distribution = component.distribution;
    const size_t size = distribution.mass.size();
    double largest = -kInfinity;
    for (size_t i = 0; i < size; i += 64) {
      const size_t end = std::min(i + 64, size);
      const double mass =
          std::accumulate(distribution.mass.begin() + static_cast<int64_t>(i),
                          distribution.mass.begin() + static_cast<int64_t>(end), 0.0);
      if (mass > 0)
        largest = std::fmax(largest, std::log(mass) + tilt_ * distribution.loss(end - 1));
    }
    std::vector<double> tilted(n, 0.0);
    int64_t at = modulo(distribution.first, static_cast<int64_t>(n));
    long double total = 0;
    for (size_t i = 0; i < size; ++i) {
      const double weight = distribution.mass[i] * std::exp(tilt_ * distribution.loss(i) - largest);
      tilted[static_cast<size_t>(at)] += weight;
      total += weight;
      if (++at == static_cast<int64_t>(n)) at = 0;
    }
    const auto scale = static_cast<double>(total);
    if (!(scale > 0)) throw Error(ErrorKind::kUsage, kWhere, "losses beyond double precision");
    for (double& value : tilted) value /= scale;
    log_scale_ += component.count * (std::log(scale) + largest);
    const double reach =
        tilt_ * std::fmax(std::fabs(distribution.loss(0)), std::fabs(distribution.loss(size - 1)));
    relative_error_ += component.count * kUnit * (16 + 4 * reach + std::fabs(largest));
    return tilted;
  }

  double grid_;
  double tilt_;
  int64_t first_ = 0;  // the window's first loss is first_ * grid_
  double log_scale_ = 0;
  std::vector<double> tail_;        // sum over j >= i of tilted(j) e^(-tilt (loss j - loss i))
  std::vector<double> discounted_;  // the same with tilt + 1
  double round_off_ = 0;            // of tail_ and of its differences with discounted_
  double sum_error_ = 0;            // of the sums over losses, relative to tail_
  double relative_error_ = 0;
  double outside_ = 0;  // infinite losses and those above the window
};

ComposedLoss::ComposedLoss(std::vector<Component> components) : components_(std::move(components)) {
  double all = 0;
  double rate = 0;
  for (const Component& component : components_) {
    const LossDistribution& distribution = component.distribution;
    const std::vector<double>& mass = distribution.mass;
    const size_t center = center_of(distribution);
    std::vector<Bin>& bins = bins_.emplace_back();
    double finite = 0;
    for (size_t i = 0; i < mass.size();) {
      const size_t distance = i < center ? center - i : i - center;
      const size_t end = std::min(i + 1 + distance / kBinsPerOctave, mass.size());
      double sum = 0;
      double to_the_end = 0;
      for (size_t j = i; j < end; ++j) {
        sum += mass[j];
        if (j > i)
          to_the_end += mass[j] * (static_cast<double>(j - i) / static_cast<double>(end - 1 - i));
      }
      finite += sum;
      const auto push = [&](size_t at, double part) {
        if (part > 0) bins.push_back({distribution.loss(at), std::log(part)});
      };
      push(i, sum - to_the_end);
      push(end - 1, to_the_end);
      i = end;
    }
    if (bins.empty()) throw Error(ErrorKind::kUsage, kWhere, "a mechanism has no finite loss");
    count_ += component.count;
    lowest_ += component.count * distribution.loss(0);
    highest_ += component.count * distribution.loss(mass.size() - 1);
    all += component.count * std::log(finite + distribution.infinite_mass);
    rate += component.count * distribution.infinite_mass / (finite + distribution.infinite_mass);
  }
  infinite_mass_ = rate * std::exp(all) * (1 + 1e-6);
}

ComposedLoss::Cumulants ComposedLoss::cumulants(double tilt) const {
  Cumulants sum{0, 0, 0};
  for (size_t c = 0; c < components_.size(); ++c) {
    double largest = -kInfinity;
    for (const Bin& bin : bins_[c]) largest = std::fmax(largest, bin.log_mass + tilt * bin.loss);
    double total = 0;
    double first = 0;
    double second = 0;
    for (const Bin& bin : bins_[c]) {
      const double weight = std::exp(bin.log_mass + tilt * bin.loss - largest);
      total += weight;
      first += weight * bin.loss;
      second += weight * bin.loss * bin.loss;
    }
    const double mean = first / total;
    const double reach =
        std::fmax(std::fabs(bins_[c].front().loss), std::fabs(bins_[c].back().loss));
    const double grid = components_[c].distribution.grid;
    sum.value += components_[c].count *
                 (largest + std::log(total) + 1e-12 + 1e-15 * std::fabs(tilt) * reach);
    sum.mean += components_[c].count * mean;
    sum.variance += components_[c].count * std::fmax(second / total - mean * mean, grid * grid);
  }
  return sum;
}

double ComposedLoss::mass_above(double loss, double tilt) const {
  if (loss >= highest_) return 0;
  double least = std::fmin(cumulants(tilt).value - tilt * loss, 0);  // the log of a probability
  double step = first_step(tilt);
  for (int i = 0; i < kMaxSteps; ++i, step *= kStepGrowth) {
    const double next = cumulants(tilt + step).value - (tilt + step) * loss;
    if (next > least + 100) break;
    least = std::fmin(least, next);
  }
  return std::exp(least) * (1 + 1e-6);
}

/// Where to begin when looking for the best tilt beyond `tilt`: with a heavy tail that is far below
/// 1 / the standard deviation.
double ComposedLoss::first_step(double tilt) const {
  return 0.01 / std::sqrt(cumulants(tilt).variance);
}

/// The tilt and window for losses about `epsilon` where delta is about e^log_delta.
ComposedLoss::Tilted ComposedLoss::around(double epsilon, double log_delta) const {
  // log of what a tilted mass of 1 at epsilon is without the tilt: round-off is multiplied by it.
  const auto log_scale = [&](double tilt) { return cumulants(tilt).value - tilt * epsilon; };
  // The least tilt that keeps round-off below about a thousandth of delta: a heavy tail would
  // dominate a stronger one.
  double tilt = minimise(log_scale, kLeastTilt, kMostTilt);
  const double small_enough = std::fmin(log_delta + std::log(1e10 / count_), -2);
  if (log_scale(tilt) < small_enough) {
    double low = 0;
    while (tilt - low > 0.01 * tilt && tilt > kLeastTilt) {
      const double middle = (low + tilt) / 2;
      (log_scale(middle) < small_enough ? tilt : low) = middle;
    }
  }
  const Cumulants at = cumulants(tilt);
  // Tilted mass beyond the window wraps around to its other end; this much may.
  const double log_mass = std::fmin(log_delta - log_scale(tilt), 0) + std::log(kNegligible);
  double low = -kInfinity;
  double high = kInfinity;
  double step = first_step(tilt);
  for (int i = 0; i < kMaxSteps; ++i, step *= kStepGrowth) {
    const double log_below = cumulants(tilt - step).value - at.value;
    const double log_above = cumulants(tilt + step).value - at.value;
    low = std::fmax(low, (log_mass - log_below) / step);
    high = std::fmin(high, (log_above - log_mass) / step);
    if (log_below > -log_mass && log_above > -log_mass) break;
  }
  low = std::fmax(low, lowest_);
  high = std::fmax(std::fmin(high, highest_), low);
  if (!((high - low) / components_[0].distribution.grid < kMaxWindow)) {
    throw Error(ErrorKind::kUsage, kWhere,
                "PLD needs too fine a grid for this many compositions; use rdp");
  }
  return {*this, tilt, low, high};
}

double ComposedLoss::delta(double epsilon) const {
  // Chernoff's bound first, which may be far too large; then what that gives.
  const double tilt =
      minimise([&](double t) { return cumulants(t).value - t * epsilon; }, kLeastTilt, kMostTilt);
  const double chernoff = std::exp(cumulants(tilt).value - tilt * epsilon);
  double delta = std::fmin(chernoff * (1 + 1e-9) + infinite_mass_, 1);
  for (int i = 0; i < kMaxRounds && delta > 2 * infinite_mass_ + kLeastDelta; ++i) {
    const double next = around(epsilon, std::log(delta)).delta(epsilon);
    const bool settled = !(next < delta / 2);
    delta = std::fmin(delta, next);
    if (settled) break;
  }
  return delta;
}

double ComposedLoss::epsilon(double delta) const {
  const double log_delta = std::log(delta);
  const double tilt = minimise([&](double t) { return (cumulants(t).value - log_delta) / t; },
                               kLeastTilt, kMostTilt);
  double epsilon = std::fmax((cumulants(tilt).value - log_delta) / tilt, 0);
  for (int i = 0; i < kMaxRounds; ++i) {
    const Tilted sum = around(epsilon, log_delta);
    const double next = sum.epsilon(delta);
    const bool settled = !(sum.tilt() * (epsilon - next) > 4);
    epsilon = i == 0 ? next : std::fmin(epsilon, next);
    if (settled) break;
  }
  return epsilon;
}

}  // namespace equinoise
