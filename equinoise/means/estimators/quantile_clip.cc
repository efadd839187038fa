// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/means/estimator.h"
#include "equinoise/means/estimators/estimators.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/privacy/mechanisms/exponential.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "means.quantile";
constexpr double kQuantileShare = 0.5;  // of the budget, for both quantiles
constexpr double kFailure = 1e-4;       // that a quantile falls into empty cells
constexpr double kMaxCells = 65'536;
constexpr double kLargestRankShare = 0.4;

/// The budgets of the parts.
struct Parts {
  double epsilon;     ///< of each quantile
  double multiplier;  ///< of the noise of the sum
};

Parts parts_of(double rho, const MeanConfig& config) {
  const double main = rho * (1 - config.clipped_share);
  check_positive(kWhere, "rho", main);
  return {std::sqrt(8 * main * kQuantileShare / 2) * (1 - 1e-12),
          noise_multiplier_of(main * (1 - kQuantileShare))};
}

/// The rank of the quantiles from each end. Closer to the end, the choice would often fall into the
/// empty cells outside the records.
double rank_of(double size, const Parts& parts, const MeanConfig& config) {
  const double safe = std::ceil(
      2 / parts.epsilon *
      std::log(static_cast<double>(config.own.of<QuantileOptions>().num_cells) / kFailure));
  return std::min(safe, std::floor(kLargestRankShare * size));
}

class QuantileEstimation final : public MeanEstimation {
 public:
  explicit QuantileEstimation(MeanTask task)
      : task_(std::move(task)),
        column_(task_.columns[0]),
        parts_(parts_of(task_.rho, task_.config)),
        ranges_(task_.sizes.size()),
        estimates_(task_.sizes.size(), estimate_of_nothing(column_)) {}

  std::optional<Query> next() const override {
    if (step_ == 0) {
      return HistogramQuery{task_.indices[0], column_.lower, column_.upper,
                            task_.config.own.of<QuantileOptions>().num_cells};
    }
    if (step_ == 1) return SumQuery{task_.indices[0], ranges_, task_.config.clipped_share > 0};
    return std::nullopt;
  }

  void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) override {
    for (size_t k = 0; k < ranges_.size(); ++k) {
      if (task_.sizes[k] == 0) continue;
      if (step_ == 0) {
        const size_t width = task_.config.own.of<QuantileOptions>().num_cells;
        choose_range(k, {exact.values.data() + k * width, width}, charges[k], source);
      } else {
        release_sum(k, exact, charges[k], source);
      }
    }
    ++step_;
  }

  std::vector<MeanEstimate> estimates() const override { return estimates_; }

 private:
  size_t choose_cell(std::span<const int64_t> counts, double target, Permit permit,
                     RandomSource& source) const {
    std::vector<int64_t> scores;
    for (const double score : quantile_scores(counts, target))
      scores.push_back(static_cast<int64_t>(score));
    return choose_exponentially(std::move(permit), {1, Norm::kMax, task_.config.relation}, scores,
                                source);
  }

  void choose_range(size_t stratum, std::span<const int64_t> counts, Charge& charge,
                    RandomSource& source) {
    const double size = std::round(task_.sizes[stratum]);
    const double rank = rank_of(size, parts_, task_.config);
    const size_t first = choose_cell(counts, rank, charge.take(task_.first_item), source);
    // Counts from above, so that the number of values, which is unknown, does not matter.
    const std::vector<int64_t> reversed(counts.rbegin(), counts.rend());
    const size_t last =
        counts.size() - 1 - choose_cell(reversed, rank, charge.take(task_.first_item + 1), source);
    const double cell = (column_.upper - column_.lower) /
                        static_cast<double>(task_.config.own.of<QuantileOptions>().num_cells);
    const double lower = column_.lower + cell * static_cast<double>(std::min(first, last));
    const double upper = column_.lower + cell * static_cast<double>(std::max(first, last) + 1);
    ranges_[stratum] = ClipRange::within(lower, upper, max_units_for_gaussian(parts_.multiplier));
  }

  void release_sum(size_t stratum, const Answer& exact, Charge& charge, RandomSource& source) {
    MeanEstimate& estimate = estimates_[stratum];
    estimate = release_gaussian_sum(task_, exact, stratum, ranges_[stratum],
                                    charge.take(task_.first_item + 2), source);
    estimate.clipped_fraction =
        noisy_clipped_fraction(task_, exact, stratum, estimate.size, 3, charge, source);
  }

  MeanTask task_;
  MeanColumn column_;
  Parts parts_;
  std::vector<ClipRange> ranges_;  // (num_strata)
  std::vector<MeanEstimate> estimates_;
  int step_ = 0;
};

/// Two quantiles by the exponential mechanism on a public grid, then the sum of numbers clipped to
/// them: for numbers of unknown scale.
///
/// Relation: replace_one within the stratum or zero_out; sizes are public or paid apart.
/// Sensitivity: 1 for each score; for the sum the width of the clip, half of it under zero_out,
/// with the number of values of a column with gaps that of counted_gaussian_sum. Cost: two
/// exponential(epsilon), each a quarter of rho (epsilon^2 / 8), and gaussian(noise_multiplier) of
/// the other half. Edge cases: quantiles in the wrong order leave one cell between them. The ranks
/// are as many from each end as the choice may miss by, so that many records are clipped on
/// purpose. The mean is that of numbers within the released clip, and for skewed columns it differs
/// from that of the unclipped numbers. Source: [McSherryTalwar2007; Smith2011; HuangLiangYi2021].
/// Deviation: cells of a public grid instead of the gaps between records, so that one pass over the
/// table suffices and no length depends on a record.
class QuantileClip final : public MeanEstimator {
 public:
  const MeanOptions& options() const override {
    static const MeanOptions options = {
        {{.name = "quantile_cells",
          .help = "Number of parts into which the bounds are divided to choose quantiles",
          .range = between(2, kMaxCells)},
         &own_field_at<MeanConfig, &QuantileOptions::num_cells>},
    };
    return options;
  }

  ClipKind clip_kind(const MeanConfig& /*config*/) const override {
    return ClipKind::kReleasedInterval;
  }

  size_t num_counts(const MeanConfig& config) const override {
    return config.own.of<QuantileOptions>().num_cells;
  }

  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double /*size*/,
                                 double rho, const MeanConfig& config) const override {
    const Parts parts = parts_of(rho, config);
    std::vector<Event> events = {Event::exponential(parts.epsilon),
                                 Event::exponential(parts.epsilon),
                                 Event::gaussian(parts.multiplier)};
    if (config.clipped_share > 0) events.push_back(clipped_count_event(config.clipped_share * rho));
    events.push_back(sampler_error_event(columns[0].has_gaps ? 2 : 1));
    return events;
  }

  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override {
    const MeanColumn& facts = columns[column];
    const Parts parts = parts_of(rho, config);
    const double rank = rank_of(size, parts, config);
    const bool is_safe = rank > 0 && rank < std::floor(kLargestRankShare * size);
    if (!facts.stddev && is_safe) return std::numeric_limits<double>::infinity();
    double width = facts.upper - facts.lower;
    if (is_safe) {
      const double reach = boost::math::quantile(boost::math::normal(), 1 - rank / size);
      width = std::min(
          width, 2 * reach * *facts.stddev +
                     2 * width / static_cast<double>(config.own.of<QuantileOptions>().num_cells));
    }
    const double reach = kMaxUnits;
    const CountedSum sum = counted_gaussian_sum(reach, 1, facts.has_gaps ? 1 : 0, config.relation);
    return width / 2 / size * parts.multiplier * sum.sensitivity / reach * sum.widening(reach);
  }
  std::unique_ptr<MeanEstimation> start(MeanTask task) const override {
    return std::make_unique<QuantileEstimation>(std::move(task));
  }
};

}  // namespace

std::vector<double> quantile_scores(std::span<const int64_t> counts, double target) {
  std::vector<double> scores;
  scores.reserve(counts.size());
  int64_t before = 0;
  for (const int64_t count : counts) {
    const double missed = std::max(static_cast<double>(before) - target,
                                   target - static_cast<double>(before + count));
    scores.push_back(std::min(-missed, 0.0));
    before += count;
  }
  return scores;
}

std::unique_ptr<MeanEstimator> make_quantile() { return std::make_unique<QuantileClip>(); }

}  // namespace equinoise
