// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/composed_loss.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <unsupported/Eigen/FFT>

#include "equinoise/base/check.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.pld";
constexpr double kUnit = 0x1p-52;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNegligible = 1e-6;  // share of delta that may be cut off at a window's end
constexpr size_t kMaxFactors = size_t{1} << 20;
constexpr size_t kBlock = size_t{1} << 12;  // values in the cache
constexpr double kFineUnit = 0x1p-63;
static_assert(std::numeric_limits<long double>::digits >= 64);
constexpr size_t kRun = 32;                    // of frequencies, by one recurrence
constexpr size_t kChunk = 64;                  // terms that are added up first
constexpr size_t kMaxTerms = size_t{1} << 26;  // of sums at single frequencies
constexpr double kTolerable = 1e-3;            // of delta, for round-off, about
constexpr double kMinPower = -41.5;            // of a logarithm: e^this < 1e-18
constexpr double kSums = 1e8;     // times delta: a mass whose round-off in sums does not matter
constexpr double kMinGain = 1e4;  // below it transforms would take too strong a tilt
constexpr double kMinGainAtBest = 10;
constexpr double kHeavy = 1.5;  // ratio of variances that shows a heavy tail
constexpr double kMinTilt = 1e-6;
constexpr double kMaxTilt = 1e6;
constexpr double kStepGrowth = 1.6;
constexpr int kMaxSteps = 60;
constexpr double kMinDelta = 1e-290;
constexpr int kMaxRounds = 4;
constexpr double kMaxWindow = 0x1p21;
constexpr int64_t kBinsPerOctave = 32;  // approximate, in distance from the mean

/// The approximate minimiser in [low, high] of a unimodal function, by golden section in log(x).
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

double norm(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

/// A transform that keeps its factors, for sizes that are small in total.
Eigen::FFT<double>& transform_of(size_t size) {
  thread_local Eigen::FFT<double> kept;
  thread_local size_t num_factors = 0;
  num_factors += size;
  if (num_factors > kMaxFactors) {
    kept = {};
    num_factors = size;
  }
  kept.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  return kept;
}

/// e^(-2 pi i place / n) - 1.
std::complex<long double> turn(int64_t place, int64_t n) {
  if (place > n / 2) place -= n;
  const long double angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(place) /
                            static_cast<long double>(n);
  const long double half = std::sin(angle / 2);
  return {-2 * half * half, std::sin(angle)};
}

/// The lower half of the spectrum.
void spectrum_of(std::vector<double>& values, std::vector<std::complex<double>>& spectrum) {
  transform_of(values.size()).fwd(spectrum, values);
}

using Exact = std::complex<long double>;

Exact product_of(const Exact& a, const Exact& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// e^(-pi i k / m) at m + k, for each power of two m up to `most` and k < m. Keeps those of small
/// sizes.
std::vector<Exact> take_factors(size_t most, std::vector<Exact>& kept) {
  std::vector<Exact> factors = std::move(kept);
  if (factors.size() >= 2 * most) return factors;
  factors.resize(2 * most);
  for (size_t k = 0; k < most; ++k)
    factors[most + k] = 1.0L + turn(static_cast<int64_t>(k), static_cast<int64_t>(2 * most));
  for (size_t m = most / 2; m > 0; m /= 2) {
    for (size_t k = 0; k < m; ++k) factors[m + k] = factors[2 * (m + k)];
  }
  return factors;
}

/// The transform of values in the order of reversed bits; halves that fit the cache come first.
void transform(std::span<Exact> values, const std::vector<Exact>& factors) {
  const size_t size = values.size();
  size_t half = 1;
  if (size > kBlock) {
    half = size / 2;
    transform(values.first(half), factors);
    transform(values.last(half), factors);
  }
  for (; half < size; half *= 2) {
    for (size_t first = 0; first < size; first += 2 * half) {
      for (size_t k = first; k < first + half; ++k) {
        const Exact product = product_of(values[k + half], factors[half + k - first]);
        values[k + half] = values[k] - product;
        values[k] += product;
      }
    }
  }
}

/// The spectrum of 2^k values in long double precision, because Eigen's factors are doubles. Pairs
/// of values are the parts of complex ones.
void spectrum_of(const std::vector<long double>& values, std::vector<Exact>& spectrum) {
  thread_local std::vector<Exact> kept;
  const size_t m = values.size() / 2;
  std::vector<Exact> factors = take_factors(m, kept);
  std::vector<Exact> pairs(m);
  for (size_t i = 0, reversed = 0; i < m; ++i) {
    pairs[reversed] = {values[2 * i], values[2 * i + 1]};
    size_t bit = m / 2;
    for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
    reversed ^= bit;
  }
  transform(pairs, factors);
  spectrum.resize(m + 1);
  for (size_t k = 0; k <= m; ++k) {
    const Exact one = pairs[k % m];
    const Exact other = std::conj(pairs[(m - k) % m]);
    const Exact odd = product_of(factors[m + k % m], one - other) / 2.0L;
    // The factor of k = m is -1.
    const Exact turned = {odd.imag(), -odd.real()};
    spectrum[k] = (one + other) / 2.0L + (k < m ? turned : -turned);
  }
  if (factors.size() <= kMaxFactors) kept = std::move(factors);
}

/// The error of a transform of n values relative to their norm: log2(n) levels of a factor and a
/// butterfly.
template <typename Real>
double transform_error(size_t n) {
  return 5 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
         std::log2(static_cast<double>(n));
}

/// The distribution on the places 0, .., n - 1 that is proportional to `weights`, composed `count`
/// times.
///
/// Its spectrum is 1 plus that of the change from a point mass at 0. The round-off of a transform
/// is relative to the change and is multiplied by the count. Where it is too large in long double
/// precision as well, the relevant frequencies (few for many runs) are added up one by one with a
/// relative error.
class Power {
 public:
  Power(std::vector<double> weights, double count) : weights_(std::move(weights)), count_(count) {
    others_ = std::accumulate(weights_.begin() + 1, weights_.end(), 0.0L);
    all_ = others_ + weights_[0];
    const double norm_of_others = norm(std::span(weights_).subspan(1));
    change_norm_ =
        std::hypot(norm_of_others, static_cast<double>(others_)) / static_cast<double>(all_);
  }

  /// Multiplies by the spectrum. Its error is at most `error` in norm plus, at each frequency, a
  /// part of `relative`; adds to both. `tolerable` is an error that does not matter.
  void multiply(std::vector<std::complex<double>>& product, double tolerable, double& error,
                double& relative) const {
    if (error_of<double>() <= tolerable) {
      multiply_by(change<double>(), product, error, relative);
      return;
    }
    if (error_of<long double>() > tolerable && multiply_by_sums(product, relative)) return;
    multiply_by(change<long double>(), product, error, relative);
  }

 private:
  size_t size() const { return weights_.size(); }

  /// The error of the composed spectrum from the transform.
  template <typename Real>
  double error_of() const {
    return count_ * transform_error<Real>(size()) * change_norm_;
  }

  /// The spectrum of the change.
  template <typename Real>
  std::vector<std::complex<Real>> change() const {
    std::vector<Real> values(weights_.begin(), weights_.end());
    for (Real& value : values) value = static_cast<Real>(value / all_);
    values[0] = static_cast<Real>(-others_ / all_);
    std::vector<std::complex<Real>> spectrum;
    spectrum_of(values, spectrum);
    return spectrum;
  }

  /// The logarithm of the absolute value of the composed spectrum, which is at most 1.
  template <typename Real>
  double log_size(const std::complex<Real>& change) const {
    const Real square = change.real() * change.real() + change.imag() * change.imag();
    // Near 0 log1p keeps digits that the logarithm would lose.
    const Real log_size = square > Real{0.25} ? std::log(std::abs(Real{1} + change))
                                              : std::log1p(2 * change.real() + square) / 2;
    return std::fmin(static_cast<double>(count_ * log_size), 0);
  }

  template <typename Real>
  std::complex<double> power(const std::complex<Real>& change) const {
    const Real angle = count_ * std::atan2(change.imag(), 1 + change.real());
    return std::polar(std::exp(log_size(change)),
                      static_cast<double>(std::remainder(angle, 2 * std::numbers::pi_v<Real>)));
  }

  template <typename Real>
  void multiply_by(const std::vector<std::complex<Real>>& change,
                   std::vector<std::complex<double>>& product, double& error,
                   double& relative) const {
    double largest = 0;
    for (size_t k = 0; k < product.size(); ++k) {
      if (product[k] == 0.0) continue;
      if (log_size(change[k]) < kMinPower) {
        product[k] = 0;
        continue;
      }
      product[k] *= power(change[k]);
      largest = std::fmax(largest, static_cast<double>(std::abs(change[k])));
    }
    const auto unit = static_cast<double>(std::numeric_limits<Real>::epsilon());
    error += error_of<Real>() + 8 * unit * count_ * largest;
    relative += 16 * (kUnit + unit * count_ * largest);
  }

  /// Returns whether few enough terms were needed.
  bool multiply_by_sums(std::vector<std::complex<double>>& product, double& relative) const {
    const std::vector<std::complex<double>> rough = change<double>();
    const double rough_error =
        transform_error<double>(size()) * change_norm_ * std::sqrt(static_cast<double>(size()));
    std::vector<size_t> frequencies;
    for (size_t k = 0; k < product.size(); ++k) {
      if (product[k] == 0.0) continue;
      if (count_ * std::log(std::abs(1.0 + rough[k]) + rough_error) < kMinPower) {
        product[k] = 0;
      } else {
        frequencies.push_back(k);
      }
    }
    std::vector<int64_t> places;
    const double least = 1e-16 * static_cast<double>(all_) / (count_ * static_cast<double>(size()));
    for (size_t place = 1; place < size(); ++place) {
      if (weights_[place] > least) places.push_back(static_cast<int64_t>(place));
    }
    if (places.size() * frequencies.size() > kMaxTerms) return false;
    const std::vector<std::complex<long double>> sums = change_at(frequencies, places);
    double largest = 0;
    for (size_t i = 0; i < sums.size(); ++i) {
      product[frequencies[i]] *= power(sums[i]);
      largest = std::fmax(largest, -static_cast<double>(sums[i].real()));
    }
    // The sum of mass |e^(i angle) - 1| is at most, by Cauchy-Schwarz, sqrt(-2 Re) of the sum of
    // mass (e^(i angle) - 1).
    const double of_first = std::sqrt(2 * std::fmax(rough_error - rough[1].real(), 0));
    const double of_all = std::sqrt(2 * largest);
    const double of_sums =
        (500 + static_cast<double>(places.size()) / kChunk) * of_all + 12'000 * of_first;
    // The error of the logarithm where the power is not negligible.
    const double of_logs = count_ * std::exp(-kMinPower / count_) * kFineUnit * of_sums;
    relative += 16 * kUnit + 4e-16 + of_logs;
    return true;
  }

  /// The spectrum of the change at the `frequencies`, which ascend, from the masses at `places`.
  std::vector<std::complex<long double>> change_at(const std::vector<size_t>& frequencies,
                                                   const std::vector<int64_t>& places) const {
    std::vector<std::complex<long double>> sums(frequencies.size());
    std::vector<std::complex<long double>> of_chunk(frequencies.size());
    const auto n = static_cast<int64_t>(size());
    for (size_t j = 0; j < places.size(); ++j) {
      const long double mass = weights_[static_cast<size_t>(places[j])] / all_;
      const std::complex<long double> step = turn(places[j], n);
      const long double real = step.real();
      const long double imaginary = step.imag();
      std::complex<long double> at = 0;
      for (size_t i = 0; i < frequencies.size(); ++i) {
        if (i % kRun != 0 && frequencies[i] == frequencies[i - 1] + 1) {
          // (1 + a)(1 + b) - 1 = a + b + a b.
          at = {at.real() + (real + at.real() * real - at.imag() * imaginary),
                at.imag() + (imaginary + at.real() * imaginary + at.imag() * real)};
        } else {
          at = turn(static_cast<int64_t>(frequencies[i]) * places[j] % n, n);
        }
        of_chunk[i] += mass * at;
      }
      if ((j + 1) % kChunk == 0 || j + 1 == places.size()) {
        for (size_t i = 0; i < sums.size(); ++i) sums[i] += of_chunk[i];
        std::ranges::fill(of_chunk, 0);
      }
    }
    return sums;
  }

  std::vector<double> weights_;
  long double others_;  // the sum of the weights but that of place 0
  long double all_;
  double change_norm_;
  double count_;
};

/// The position about the mean loss.
int64_t center_of(const LossDistribution& distribution) {
  double total = 0;
  double sum = 0;
  for (size_t i = 0; i < distribution.mass.size(); ++i) {
    total += distribution.mass[i];
    sum += distribution.mass[i] * static_cast<double>(distribution.positions[i]);
  }
  return std::llround(sum / total);
}

int64_t modulo(int64_t value, int64_t divisor) {
  const int64_t rest = value % divisor;
  return rest < 0 ? rest + divisor : rest;
}

/// The smallest 2^k above `least`.
int64_t transform_size(double least) {
  int64_t size = 8;
  while (!(static_cast<double>(size) > least)) size *= 2;
  return size;
}

}  // namespace

/// The tilted sum on a window of the grid: loss l has mass e^(log_scale - tilt l) tilted(l).
class ComposedLoss::Tilted {
 public:
  /// `tolerable`: error of the tilted sum that does not matter.
  Tilted(const ComposedLoss& sum, double tilt, double low, double high, double tolerable)
      : grid_(sum.components_[0].distribution.grid), tilt_(tilt) {
    first_ = static_cast<int64_t>(std::floor(low / grid_));
    const int64_t size = transform_size(high / grid_ - static_cast<double>(first_) + 1);
    compose(sum.components_, size, tolerable);
    above_ = sum.mass_above(loss(size - 1), tilt);
    outside_ = sum.infinite_mass_ + above_;
  }

  double tilt() const { return tilt_; }

  /// Returns whether round-off and the end of the window are a small part of `delta` at `epsilon`.
  bool resolves(double delta, double epsilon) const {
    const double scale = std::exp(log_scale_ - tilt_ * epsilon);
    return scale * round_off_ + above_ <= 4 * kTolerable * delta;
  }

  /// An upper bound of delta(epsilon); 1 below the window, where the sum is not computed.
  double delta(double epsilon) const {
    const double position = std::floor(epsilon / grid_) + 1 - static_cast<double>(first_);
    if (position < 0) return 1;
    const auto next = static_cast<size_t>(std::fmin(position, 1e18));
    if (next >= tail_.size()) return outside_;
    const double scale = std::exp(log_scale_ - tilt_ * loss(static_cast<int64_t>(next)));
    const double sum =
        tail_[next] - std::exp(epsilon - loss(static_cast<int64_t>(next))) * discounted_[next];
    return scale * (sum + round_off_ + sum_error_ * tail_[next]) * std::exp(relative_error_) +
           outside_;
  }

  /// The smallest epsilon >= 0 whose delta by the function above is at most `delta`; infinity if
  /// there is none.
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
    const double scale = std::exp(log_scale_ - tilt_ * loss(high)) * std::exp(relative_error_);
    const double share =
        (tail_[next] * (1 + sum_error_) + round_off_ - (delta - outside_) / scale) /
        discounted_[next];
    const double inside = loss(high) + std::log(share) + 1e-14;
    const bool holds = inside > loss(low) && inside < loss(high) && this->delta(inside) <= delta;
    return holds ? inside : loss(high);
  }

 private:
  double loss(int64_t i) const { return static_cast<double>(first_ + i) * grid_; }

  void compose(const std::vector<Component>& components, int64_t size, double tolerable) {
    const auto n = static_cast<size_t>(size);
    // Turns errors in norm into errors of sums, by Cauchy-Schwarz with the weights
    // e^(-tilt (loss j - loss i)), which are at most 1.
    const double reach =
        std::sqrt(std::fmin(1 / -std::expm1(-2 * tilt_ * grid_), static_cast<double>(n)));
    std::vector<std::complex<double>> product(n / 2 + 1, 1.0);
    double error = 1e-18;  // powers below it are set to 0
    double power_error = 0;
    for (const Component& component : components) {
      Power(tilt_and_wrap(component, n), component.count)
          .multiply(product, tolerable / reach, error, power_error);
    }
    std::vector<double> sum;
    transform_of(n).inv(sum, product, static_cast<Eigen::Index>(n));
    error += (transform_error<double>(n) + std::expm1(power_error)) * norm(sum);

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
    round_off_ = error * reach;
    sum_error_ = 4 * kUnit * std::fmin(static_cast<double>(n), 1 + 1 / (tilt_ * grid_));
  }

  /// The component's masses times e^(tilt loss), scaled to a sum of about 1, each at its position
  /// modulo n.
  std::vector<double> tilt_and_wrap(const Component& component, size_t n) {
    const LossDistribution& distribution = component.distribution;
    const size_t size = distribution.mass.size();
    double largest = -kInfinity;
    for (size_t i = 0; i < size; ++i) {
      if (distribution.mass[i] > 0) {
        largest = std::fmax(largest, std::log(distribution.mass[i]) + tilt_ * distribution.loss(i));
      }
    }
    std::vector<double> tilted(n, 0.0);
    long double total = 0;
    for (size_t i = 0; i < size; ++i) {
      const double weight = distribution.mass[i] * std::exp(tilt_ * distribution.loss(i) - largest);
      const int64_t at = modulo(distribution.positions[i], static_cast<int64_t>(n));
      tilted[static_cast<size_t>(at)] += weight;
      total += weight;
    }
    const auto scale = static_cast<double>(total);
    if (!(scale > 0)) throw Error(ErrorKind::kUsage, kWhere, "losses beyond double precision");
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
  double above_ = 0;    // losses above the window
  double outside_ = 0;  // and infinite ones
};

ComposedLoss::ComposedLoss(std::vector<Component> components) : components_(std::move(components)) {
  double all = 0;
  double rate = 0;
  for (const Component& component : components_) {
    const LossDistribution& distribution = component.distribution;
    const std::vector<double>& mass = distribution.mass;
    const std::vector<int64_t>& positions = distribution.positions;
    const int64_t center = center_of(distribution);
    std::vector<Bin>& bins = bins_.emplace_back();
    double finite = 0;
    for (size_t i = 0; i < mass.size();) {
      const int64_t last = positions[i] + std::abs(positions[i] - center) / kBinsPerOctave;
      const auto end = static_cast<size_t>(
          std::upper_bound(positions.begin() + static_cast<int64_t>(i) + 1, positions.end(), last) -
          positions.begin());
      const auto width = static_cast<double>(positions[end - 1] - positions[i]);
      double sum = mass[i];
      double to_the_end = 0;
      for (size_t j = i + 1; j < end; ++j) {
        sum += mass[j];
        to_the_end += mass[j] * (static_cast<double>(positions[j] - positions[i]) / width);
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

/// The first step in the search for the best tilt beyond `tilt`. With a heavy tail that is far
/// below 1 / the standard deviation.
double ComposedLoss::first_step(double tilt) const {
  return 0.01 / std::sqrt(cumulants(tilt).variance);
}

/// The tilt and window for losses about `epsilon` where delta is about e^log_delta.
std::optional<ComposedLoss::Tilted> ComposedLoss::around(double epsilon, double log_delta) const {
  // The log of the untilted mass that a tilted mass of 1 at epsilon represents. Round-off is
  // multiplied by it.
  const auto log_scale = [&](double tilt) { return cumulants(tilt).value - tilt * epsilon; };
  // The least tilt that keeps the round-off of transforms below about a thousandth of delta, or
  // else that of sums, because with a stronger tilt a heavy tail would dominate. Without such a
  // tail, which raises the variance, the best tilt makes sums unnecessary.
  const double best = minimise(log_scale, kMinTilt, kMaxTilt);
  double tilt = best;
  const double of_transforms = 1e8 / count_;
  for (const double gain : {of_transforms < kMinGain ? kSums : of_transforms, kSums}) {
    const double small_enough = std::fmin(log_delta + std::log(gain), -2);
    if (!(log_scale(best) < small_enough)) continue;
    double low = 0;
    while (tilt - low > 0.01 * tilt && tilt > kMinTilt) {
      const double middle = (low + tilt) / 2;
      (log_scale(middle) < small_enough ? tilt : low) = middle;
    }
    if (of_transforms < kMinGain && of_transforms > kMinGainAtBest &&
        cumulants(best).variance < kHeavy * cumulants(tilt).variance)
      tilt = best;
    break;
  }
  const Cumulants at = cumulants(tilt);
  // Tilted mass beyond the window wraps around to its other end; this is the allowed amount.
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
  if (!((high - low) / components_[0].distribution.grid < kMaxWindow)) return std::nullopt;
  const double tolerable = std::exp(log_delta - log_scale(tilt)) * kTolerable;
  return Tilted(*this, tilt, low, high, tolerable);
}

double ComposedLoss::rough_delta(double epsilon) const {
  const auto log_bound = [&](double tilt) { return cumulants(tilt).value - tilt * epsilon; };
  const double chernoff = std::exp(log_bound(minimise(log_bound, kMinTilt, kMaxTilt)));
  return std::fmin(chernoff * (1 + 1e-9) + infinite_mass_, 1);
}

double ComposedLoss::delta(double epsilon, double known) const {
  double least = rough_delta(epsilon);
  double size = std::fmin(least, known);
  for (int i = 0; i < kMaxRounds && size > 2 * infinite_mass_ + kMinDelta; ++i) {
    const std::optional<Tilted> sum = around(epsilon, std::log(size));
    if (!sum) return 1;
    const double delta = sum->delta(epsilon);
    least = std::fmin(least, delta);
    if (!(delta < size / 2) || (delta > 1e-3 * size && sum->resolves(delta, epsilon))) break;
    size = delta;
  }
  return least;
}

double ComposedLoss::epsilon(double delta) const {
  const double log_delta = std::log(delta);
  const double tilt =
      minimise([&](double t) { return (cumulants(t).value - log_delta) / t; }, kMinTilt, kMaxTilt);
  double epsilon = std::fmax((cumulants(tilt).value - log_delta) / tilt, 0);
  for (int i = 0; i < kMaxRounds; ++i) {
    const std::optional<Tilted> sum = around(epsilon, log_delta);
    if (!sum) return kInfinity;
    const double next = sum->epsilon(delta);
    const bool settled = !(sum->tilt() * (epsilon - next) > 4) || sum->resolves(delta, next);
    epsilon = i == 0 ? next : std::fmin(epsilon, next);
    if (settled) break;
  }
  return epsilon;
}

}  // namespace equinoise
