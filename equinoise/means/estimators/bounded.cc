// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <tuple>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/means/estimator.h"
#include "equinoise/means/estimators/estimators.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/privacy/random/discrete_laplace.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

namespace {

/// The share of the sampler's range for rounded Gaussian noise that a stratum uses. One sum over
/// all strata has more noise and needs the rest.
constexpr double kRoomForLessBudget = 1.0 / 32;

/// The parts that differ between kinds of noise.
struct Terms {
  std::pair<double, double> clip;
  ClipRange range;  ///< narrower than the clip by less than a unit
  CountedSum sum;
  std::vector<Event> events;  ///< of the sum; the second one, if any, is the sampler's error
  double noise_stddev;        ///< of the sum, in units
};

/// Noise is exact and discrete with a public divisor. Otherwise it is rounded Gaussian noise, which
/// needs L2 lengths.
Terms gaussian_terms(const MeanColumn& column, double /*size*/, double rho,
                     const MeanConfig& config) {
  const double multiplier = noise_multiplier_of(rho);
  const double most =
      column.has_noisy_divisor()
          ? std::max(1.0, (config.has_shared_sums ? kRoomForLessBudget : 1) *
                              max_units_for_gaussian(multiplier))
          : std::clamp(0.25 * kMaxDiscreteGaussianStddev / multiplier, 1.0, kMaxUnits);
  const ClipRange range = ClipRange::within(column.lower, column.upper, most);
  if (column.has_noisy_divisor()) {
    const CountedSum sum =
        counted_gaussian_sum(static_cast<double>(range.half_units), 1, 1, config.relation);
    return {{column.lower, column.upper},
            range,
            sum,
            {Event::gaussian(multiplier), sampler_error_event(2)},
            multiply_up(multiplier, sum.sensitivity)};
  }
  const int64_t sensitivity = range.sensitivity(config.relation);
  const double stddev = multiply_up(multiplier, static_cast<double>(sensitivity));
  return {{column.lower, column.upper},
          range,
          {static_cast<double>(sensitivity), 0},
          {Event::discrete_gaussian(stddev, sensitivity)},
          stddev};
}

std::pair<double, double> laplace_clip(const MeanColumn& column, double size,
                                       const MeanConfig& config) {
  double margin = 0;
  if (config.own.of<LaplaceOptions>().gamma > 0) {
    if (!column.stddev) {
      throw Error(ErrorKind::kUsage, "means.laplace",
                  "gamma widens the bounds of the mean by standard deviations: column '" +
                      column.name + "' needs a standard deviation");
    }
    margin = *column.stddev * laplace_margin(size, config.own.of<LaplaceOptions>().gamma);
  }
  return {column.lower - margin, column.upper + margin};
}

/// The decay of noise which costs at most rho at an L1 sensitivity.
double laplace_decay(double rho, double sensitivity) {
  return next_down(std::sqrt(2 * rho) * (1 - 1e-12) / sensitivity);
}

Terms laplace_terms(const MeanColumn& column, double size, double rho, const MeanConfig& config) {
  check_positive("means.laplace", "rho", rho);
  const auto [lower, upper] = laplace_clip(column, size, config);
  // Half of the sampler's range is left to rounding.
  const double most =
      std::clamp(0.25 * std::sqrt(2 * rho) / kMinDiscreteLaplaceDecay, 1.0, kMaxUnits);
  const ClipRange range = ClipRange::within(lower, upper, most);
  const CountedSum sum =
      column.has_noisy_divisor()
          ? counted_laplace_sum(range.half_units, config.relation)
          : CountedSum{static_cast<double>(range.sensitivity(config.relation)), 0};
  const double decay = laplace_decay(rho, sum.sensitivity);
  return {{lower, upper},
          range,
          sum,
          {Event::discrete_laplace(decay, static_cast<int64_t>(sum.sensitivity))},
          std::sqrt(2.0) / decay};
}

using TermsOf = Terms (*)(const MeanColumn&, double, double, const MeanConfig&);

class Estimation final : public MeanEstimation {
 public:
  Estimation(MeanTask task, TermsOf terms_of, double half_width_in_stddevs)
      : task_(std::move(task)), half_width_in_stddevs_(half_width_in_stddevs) {
    for (const double size : task_.sizes) {
      terms_.push_back(terms_of(task_.columns[0], std::max(size, 1.0),
                                task_.rho * (1 - task_.config.clipped_share), task_.config));
      estimates_.push_back(estimate_of_nothing(task_.columns[0]));
      if (size == 0) terms_.back().range.half_units = 0;
    }
  }

  std::optional<Query> next() const override {
    if (is_done_) return std::nullopt;
    if (is_weighted()) {
      WeightedSumQuery query{task_.indices[0], {}, {}};
      for (const Terms& terms : terms_) {
        query.ranges.push_back(terms.range);
        query.units.push_back(terms.sum.count_units);
      }
      return query;
    }
    SumQuery query{task_.indices[0], {}, task_.config.clipped_share > 0};
    for (const Terms& terms : terms_) query.ranges.push_back(terms.range);
    return query;
  }

  void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) override {
    for (size_t k = 0; k < terms_.size(); ++k) {
      const double size = task_.sizes[k];
      if (size == 0) continue;
      const Terms& terms = terms_[k];
      std::vector<int64_t> entries = entries_of(exact, k, terms.sum);
      add_noise(charges[k].take(task_.first_item), terms.sum, task_.config.relation, entries,
                source);
      estimates_[k] = read_entries(entries, terms.range, terms.sum, terms.noise_stddev, size,
                                   half_width_in_stddevs_, is_weighted());
      std::tie(estimates_[k].clip_lower, estimates_[k].clip_upper) = terms.clip;
      estimates_[k].clipped_fraction =
          noisy_clipped_fraction(task_, exact, k, estimates_[k].size, 1, charges[k], source);
    }
    is_done_ = true;
  }

  std::vector<MeanEstimate> estimates() const override { return estimates_; }

 private:
  bool is_weighted() const { return task_.columns[0].usual_weight.has_value(); }

  MeanTask task_;
  std::vector<Terms> terms_;
  std::vector<MeanEstimate> estimates_;
  double half_width_in_stddevs_;
  bool is_done_ = false;
};

/// The estimator for both kinds of noise.
class Bounded : public MeanEstimator {
 public:
  explicit Bounded(TermsOf terms_of) : terms_of_(terms_of) {}

  /// The noise at the point where the noise of the divisor matters most.
  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override {
    const Terms terms = terms_of_(columns[column], size, rho * (1 - config.clipped_share), config);
    return terms.noise_stddev * terms.range.grid /
           (size * columns[column].usual_weight.value_or(1)) *
           terms.sum.widening(static_cast<double>(terms.range.half_units));
  }

  std::unique_ptr<MeanEstimation> start(MeanTask task) const override {
    return std::make_unique<Estimation>(std::move(task), terms_of_,
                                        half_width_in_stddevs(kIntervalFailure));
  }

 protected:
  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size, double rho,
                                 const MeanConfig& config) const override {
    std::vector<Event> events =
        terms_of_(columns[0], size, rho * (1 - config.clipped_share), config).events;
    if (config.clipped_share > 0)
      events.insert(events.begin() + 1, clipped_count_event(config.clipped_share * rho));
    return events;
  }

 private:
  TermsOf terms_of_;
};

/// The sum of numbers clipped to public bounds, as integers on a public grid around the middle of
/// the bounds, with exact discrete noise, divided by the size of the stratum.
///
/// Relation: replace_one within the stratum or zero_out; sizes are public or paid apart.
/// Sensitivity of the sum: upper - lower, or half of that under zero_out, where a record that
/// becomes null removes its distance to the middle. Cost: discrete_gaussian(noise_stddev,
/// sensitivity), which is rho. Guarantee: exact. A column with gaps: sum and number of values as
/// one vector, L2 sensitivity of counted_gaussian_sum, cost gaussian(noise_multiplier) and
/// sampler_error; the mean is their quotient. Records that count by weights: the weighted sum and
/// the sum of weights in the same way, at the same sensitivity and cost (CountedSum). Edge cases:
/// NaN counts as the lower bound; more or fewer records than the stratum's size change the answer,
/// never the noise.
class BoundedGaussian final : public Bounded {
 public:
  BoundedGaussian() : Bounded(gaussian_terms) {}

  const MeanOptions& options() const override {
    static const MeanOptions options;
    return options;
  }

  std::optional<std::pair<double, double>> public_clip(
      const MeanColumn& column, double /*size*/, const MeanConfig& /*config*/) const override {
    return std::pair(column.lower, column.upper);
  }

  /// The shared sum has the grid, sensitivity and mechanism of a stratum's sum.

  std::optional<SharedSum> shared_sum(const MeanColumn& column, double stratum_rho, double rho,
                                      const MeanConfig& config) const override {
    const Terms of_stratum =
        gaussian_terms(column, 1, stratum_rho * (1 - config.clipped_share), config);
    const double multiplier = noise_multiplier_of(rho);
    const double sensitivity = of_stratum.sum.sensitivity;
    const double stddev = multiply_up(multiplier, sensitivity);
    if (!(stddev <= (column.has_noisy_divisor() ? kMaxGaussianStddev : kMaxDiscreteGaussianStddev)))
      return std::nullopt;
    std::vector<Event> events =
        column.has_noisy_divisor()
            ? std::vector{Event::gaussian(multiplier), sampler_error_event(2)}
            : std::vector{Event::discrete_gaussian(stddev, static_cast<int64_t>(sensitivity))};
    return SharedSum{of_stratum.range, std::move(events), stddev * of_stratum.range.grid,
                     sensitivity, of_stratum.sum.count_units};
  }
};

/// BoundedGaussian with discrete Laplace noise of epsilon = sqrt(2 rho): epsilon-DP, without a
/// delta.
///
/// With gamma the bounds are those of the mean alone. Numbers are clipped to them widened by
/// sqrt(2 ln(2 n / gamma)) standard deviations, so that none of n normal numbers is clipped except
/// with probability gamma. Cost: discrete_laplace(decay, sensitivity), also for a column with gaps,
/// whose number of values is drawn too, and by weights (counted_laplace_sum). Source:
/// [DworkRoth2014, 3.3]; clip: [RosenblattStoyanovichMusco2024, Sec. 4]. Deviation: the printed
/// clip is [R - sqrt(ln(n / gamma)), R + sqrt(ln(n / gamma))], which maps 0 away from itself and
/// clips some of most tables (docs/theory/published-mistakes.md).
class BoundedLaplace final : public Bounded {
 public:
  BoundedLaplace() : Bounded(laplace_terms) {}

  const MeanOptions& options() const override {
    static const MeanOptions options = {
        {{.name = "gamma",
          .help = "Probability that at least one number is clipped, if --bounds are bounds of the "
                  "mean; 0 means that they are bounds of the numbers",
          .range = {.low = 0, .high = 1, .takes_high = false}},
         &own_field_at<MeanConfig, &LaplaceOptions::gamma>},
    };
    return options;
  }

  std::optional<std::pair<double, double>> public_clip(const MeanColumn& column, double size,
                                                       const MeanConfig& config) const override {
    return laplace_clip(column, size, config);
  }

  Event size_event(double rho) const override {
    return Event::discrete_laplace(laplace_decay(rho, 1), 1);
  }
  double half_width_in_stddevs(double failure) const override {
    return -std::log(failure) / std::sqrt(2.0);
  }
};

}  // namespace

double laplace_margin(double size, double gamma) {
  return std::sqrt(2 * std::log(2 * size / gamma));
}

std::unique_ptr<MeanEstimator> make_bounded() { return std::make_unique<BoundedGaussian>(); }
std::unique_ptr<MeanEstimator> make_laplace() { return std::make_unique<BoundedLaplace>(); }

}  // namespace equinoise
