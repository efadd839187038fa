#include "equinoise/means/estimators/bounded.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/mechanisms/discrete_laplace.h"
#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/privacy/random/discrete_laplace.h"

namespace equinoise {

namespace {

constexpr double kLog20 = 2.995732273553991;  // a Laplace number is below that, but for 5 %

/// What differs between the two kinds of noise.
struct Terms {
  ClipRange range;
  Event event;
  double noise_stddev;  ///< of the sum, in its own units
  double half_width;    ///< of an interval that holds the noise with a probability of 95 %
};

Terms gaussian_terms(const MeanColumn& column, double /*size*/, double rho,
                     const MeanConfig& config) {
  const double multiplier = noise_multiplier_of(rho);
  const double most = std::clamp(0.25 * kMaxDiscreteGaussianStddev / multiplier, 1.0, kMostUnits);
  const ClipRange range = ClipRange::within(column.lower, column.upper, most);
  const int64_t sensitivity = range.sensitivity(config.relation);
  const double stddev = multiply_up(multiplier, static_cast<double>(sensitivity));
  const double in_units = stddev * range.grid;
  return {range, Event::discrete_gaussian(stddev, sensitivity), in_units,
          kNormalQuantile * in_units};
}

std::pair<double, double> laplace_clip(const MeanColumn& column, double size,
                                       const MeanConfig& config) {
  double margin = 0;
  if (config.gamma > 0) {
    if (!column.stddev) {
      throw Error(ErrorKind::kUsage, "means.laplace",
                  "gamma widens the bounds of the mean by standard deviations: column '" +
                      column.name + "' needs one");
    }
    margin = *column.stddev * laplace_margin(size, config.gamma);
  }
  return {column.lower - margin, column.upper + margin};
}

Terms laplace_terms(const MeanColumn& column, double size, double rho, const MeanConfig& config) {
  check_positive("means.laplace", "rho", rho);
  const auto [lower, upper] = laplace_clip(column, size, config);
  // Half of what the sampler takes is left to rounding.
  const double most =
      std::clamp(0.25 * std::sqrt(2 * rho) / kMinDiscreteLaplaceDecay, 1.0, kMostUnits);
  const ClipRange range = ClipRange::within(lower, upper, most);
  const int64_t sensitivity = range.sensitivity(config.relation);
  const double decay =
      next_down(std::sqrt(2 * rho) * (1 - 1e-12) / static_cast<double>(sensitivity));
  const double scale = range.grid / decay;
  return {range, Event::discrete_laplace(decay, sensitivity), std::sqrt(2.0) * scale,
          kLog20 * scale};
}

using TermsOf = Terms (*)(const MeanColumn&, double, double, const MeanConfig&);

std::vector<Event> events_of(const Terms& terms, double rho, const MeanConfig& config) {
  std::vector<Event> events = {terms.event};
  if (config.clipped_share > 0) events.push_back(clipped_count_event(config.clipped_share * rho));
  return events;
}

class Estimation final : public MeanEstimation {
 public:
  Estimation(MeanTask task, TermsOf terms_of) : task_(std::move(task)) {
    for (const double size : task_.sizes) {
      terms_.push_back(terms_of(task_.columns[0], std::max(size, 1.0),
                                task_.rho * (1 - task_.config.clipped_share), task_.config));
      estimates_.push_back(estimate_of_nothing(task_.columns[0]));
      if (size == 0) terms_.back().range.half_units = 0;
    }
  }

  std::optional<Query> next() const override {
    if (is_done_) return std::nullopt;
    SumQuery query{task_.indices[0], {}, task_.config.clipped_share > 0};
    for (const Terms& terms : terms_) query.ranges.push_back(terms.range);
    return query;
  }

  void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) override {
    for (size_t k = 0; k < terms_.size(); ++k) {
      const double size = task_.sizes[k];
      if (size == 0) continue;
      const ClipRange& range = terms_[k].range;
      int64_t units = exact.values[k];
      const Sensitivity sensitivity(static_cast<double>(range.sensitivity(task_.config.relation)),
                                    Norm::kL1, task_.config.relation);
      Permit permit = charges[k].take(task_.first_item);
      if (terms_[k].event.kind() == Event::Kind::kDiscreteGaussian) {
        add_discrete_gaussian_noise(std::move(permit), sensitivity, {&units, 1}, source);
      } else {
        add_discrete_laplace_noise(std::move(permit), sensitivity, {&units, 1}, source);
      }
      estimates_[k] = {range.centre + static_cast<double>(units) * range.grid / size,
                       terms_[k].noise_stddev / size,
                       terms_[k].half_width / size,
                       range.centre - range.half_width(),
                       range.centre + range.half_width(),
                       {}};
      if (task_.config.clipped_share > 0) {
        estimates_[k].clipped_fraction =
            noisy_clipped_fraction(charges[k].take(task_.first_item + 1), exact.num_clipped[k],
                                   size, task_.config, source);
      }
    }
    is_done_ = true;
  }

  std::vector<MeanEstimate> estimates() const override { return estimates_; }

 private:
  MeanTask task_;
  std::vector<Terms> terms_;
  std::vector<MeanEstimate> estimates_;
  bool is_done_ = false;
};

}  // namespace

double laplace_margin(double size, double gamma) {
  return std::sqrt(2 * std::log(2 * size / gamma));
}

std::optional<std::pair<double, double>> BoundedGaussian::public_clip(
    const MeanColumn& column, double /*size*/, const MeanConfig& /*config*/) const {
  return std::pair(column.lower, column.upper);
}

std::optional<SharedSum> BoundedGaussian::shared_sum(const MeanColumn& column, double stratum_rho,
                                                     double rho, const MeanConfig& config) const {
  const ClipRange range =
      gaussian_terms(column, 1, stratum_rho * (1 - config.clipped_share), config).range;
  const int64_t sensitivity = range.sensitivity(config.relation);
  const double stddev = multiply_up(noise_multiplier_of(rho), static_cast<double>(sensitivity));
  if (!(stddev <= kMaxDiscreteGaussianStddev)) return std::nullopt;
  return SharedSum{range, Event::discrete_gaussian(stddev, sensitivity), stddev * range.grid};
}

std::vector<Event> BoundedGaussian::events(const std::vector<MeanColumn>& columns, double size,
                                           double rho, const MeanConfig& config) const {
  return events_of(gaussian_terms(columns[0], size, rho * (1 - config.clipped_share), config), rho,
                   config);
}

double BoundedGaussian::predicted_noise(const std::vector<MeanColumn>& columns, size_t column,
                                        double size, double rho, const MeanConfig& config) const {
  return gaussian_terms(columns[column], size, rho * (1 - config.clipped_share), config)
             .noise_stddev /
         size;
}

std::unique_ptr<MeanEstimation> BoundedGaussian::start(MeanTask task) const {
  return std::make_unique<Estimation>(std::move(task), gaussian_terms);
}

std::optional<std::pair<double, double>> BoundedLaplace::public_clip(
    const MeanColumn& column, double size, const MeanConfig& config) const {
  return laplace_clip(column, size, config);
}

std::vector<Event> BoundedLaplace::events(const std::vector<MeanColumn>& columns, double size,
                                          double rho, const MeanConfig& config) const {
  return events_of(laplace_terms(columns[0], size, rho * (1 - config.clipped_share), config), rho,
                   config);
}

double BoundedLaplace::predicted_noise(const std::vector<MeanColumn>& columns, size_t column,
                                       double size, double rho, const MeanConfig& config) const {
  return laplace_terms(columns[column], size, rho * (1 - config.clipped_share), config)
             .noise_stddev /
         size;
}

double BoundedLaplace::half_width_in_stddevs() const { return kLog20 / std::sqrt(2.0); }

std::unique_ptr<MeanEstimation> BoundedLaplace::start(MeanTask task) const {
  return std::make_unique<Estimation>(std::move(task), laplace_terms);
}

}  // namespace equinoise
