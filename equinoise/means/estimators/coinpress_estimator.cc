// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/enum_words.h"
#include "equinoise/base/rounding.h"
#include "equinoise/means/estimator.h"
#include "equinoise/means/estimators/estimators.h"
#include "equinoise/means/estimators/noisy_sum.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "means.coinpress";
constexpr int kMaxSteps = 20;

void check_stddev(const MeanColumn& column) {
  if (!column.stddev) {
    throw Error(ErrorKind::kUsage, kWhere,
                "column '" + column.name +
                    "' needs the public standard deviation of its numbers within a stratum; give "
                    "--stddev " +
                    column.name + "=NUMBER, or use --method bounded");
  }
  check_positive(kWhere, "stddev of column '" + column.name + "'", *column.stddev);
}

/// The budgets and the failure probabilities of the steps.
struct Steps {
  std::vector<double> budgets;
  std::vector<double> failures;

  size_t size() const { return budgets.size(); }
};

/// `rho`: with that for the count of clipped records.
Steps steps_of(double rho, const MeanConfig& config) {
  const auto& own = config.own.of<CoinpressOptions>();
  return {coinpress_budgets(rho * (1 - config.clipped_share), own.num_steps),
          coinpress_failures(own.beta, own.num_steps)};
}

std::vector<Event> step_events(const std::vector<MeanColumn>& columns, double rho,
                               const MeanConfig& config) {
  size_t num_entries = 0;
  for (const MeanColumn& column : columns) {
    check_stddev(column);
    num_entries += column.has_gaps ? 2 : 1;
  }
  std::vector<Event> events;
  for (const double budget : steps_of(rho, config).budgets)
    events.push_back(Event::gaussian(noise_multiplier_of(budget)));
  if (config.clipped_share > 0) events.push_back(clipped_count_event(config.clipped_share * rho));
  events.push_back(sampler_error_event(
      static_cast<size_t>(config.own.of<CoinpressOptions>().num_steps) * num_entries));
  return events;
}

/// The ball of several columns, which is made of one column only for the constants of the authors'
/// programs. `centre`: in standard deviations.
CoinpressBall first_ball(const std::vector<MeanColumn>& columns, std::vector<double> centre,
                         double size, const MeanConfig& config) {
  double squared = 0;
  for (const MeanColumn& column : columns) {
    const double half = (column.upper - column.lower) / 2 / *column.stddev;
    squared += half * half;
  }
  const bool takes_paper = config.own.of<CoinpressOptions>().constants == ConstantsChoice::kPaper;
  return {std::move(centre), std::sqrt(squared), std::max(size, 1.0),
          takes_paper ? CoinpressConstants::kPaper : CoinpressConstants::kCode};
}

/// The standard deviation of a mean that lies at `distance` from the centre of its clip. The noise
/// of a private size, or of the number of values, adds to it.
double with_size_noise(double stddev, double distance, double size_noise, double size) {
  return std::hypot(stddev, distance * size_noise / size);
}

/// One column, an interval in each stratum.
class IntervalEstimation final : public MeanEstimation {
 public:
  explicit IntervalEstimation(MeanTask task)
      : task_(std::move(task)),
        column_(task_.columns[0]),
        stddev_(*column_.stddev),
        steps_(steps_of(task_.rho, task_.config)) {
    for (const double size : task_.sizes) {
      intervals_.emplace_back(column_.lower / stddev_, column_.upper / stddev_,
                              std::max(size, 1.0));
      estimates_.push_back(estimate_of_nothing(column_));
    }
  }

  std::optional<Query> next() const override {
    if (step_ == steps_.size()) return std::nullopt;
    SumQuery query{task_.indices[0], {}, task_.config.clipped_share > 0};
    for (size_t k = 0; k < intervals_.size(); ++k) {
      query.ranges.push_back(range_of(k));
      if (task_.sizes[k] == 0) query.ranges.back().half_units = 0;
    }
    return query;
  }

  void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) override {
    const bool is_last = step_ + 1 == steps_.size();
    for (size_t k = 0; k < intervals_.size(); ++k) {
      if (task_.sizes[k] == 0) continue;
      const ClipRange range = range_of(k);
      MeanEstimate estimate = release_gaussian_sum(
          task_, exact, k, range, charges[k].take(task_.first_item + step_), source);
      const double divisor = std::max(estimate.size, 1.0);
      const double size_noise = column_.has_gaps ? estimate.size_noise : task_.size_noise;
      const double spread = with_size_noise(
          estimate.sum_noise_stddev, std::fabs(estimate.mean - range.centre), size_noise, divisor);
      intervals_[k].advance(estimate.mean / stddev_, spread / stddev_, steps_.failures[step_]);
      if (!is_last) continue;
      estimate.clipped_fraction =
          noisy_clipped_fraction(task_, exact, k, estimate.size, steps_.size(), charges[k], source);
      estimates_[k] = estimate;
    }
    ++step_;
  }

  std::vector<MeanEstimate> estimates() const override { return estimates_; }

 private:
  ClipRange range_of(size_t stratum) const {
    const CoinpressInterval::Clip clip = intervals_[stratum].clip(steps_.failures[step_]);
    return ClipRange::within(clip.lower * stddev_, clip.upper * stddev_,
                             max_units_for_gaussian(noise_multiplier_of(steps_.budgets[step_])));
  }

  MeanTask task_;
  MeanColumn column_;
  double stddev_;
  Steps steps_;
  std::vector<CoinpressInterval> intervals_;
  std::vector<MeanEstimate> estimates_;
  size_t step_ = 0;
};

/// All columns, a ball in each stratum.
class BallEstimation final : public MeanEstimation {
 public:
  explicit BallEstimation(MeanTask task)
      : task_(std::move(task)), steps_(steps_of(task_.rho, task_.config)) {
    for (const MeanColumn& column : task_.columns) {
      stddevs_.push_back(*column.stddev);
      prior_.push_back((column.lower + (column.upper - column.lower) / 2) / *column.stddev);
    }
    for (const double size : task_.sizes) {
      balls_.push_back(first_ball(task_.columns, prior_, size, task_.config));
      prior_radius_ = balls_.back().radius();
      for (const MeanColumn& column : task_.columns)
        estimates_.push_back(estimate_of_nothing(column));
    }
  }

  std::optional<Query> next() const override {
    if (step_ == steps_.size()) return std::nullopt;
    BallQuery query{task_.indices, stddevs_, {}};
    for (size_t k = 0; k < balls_.size(); ++k) {
      query.balls.push_back(ball_of(k));
      if (task_.sizes[k] == 0) query.balls.back().radius = 0;
    }
    return query;
  }

  void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) override {
    const size_t width = stddevs_.size();
    for (size_t k = 0; k < balls_.size(); ++k) {
      const double size = task_.sizes[k];
      if (size == 0) continue;
      const ClipBall ball = ball_of(k);
      const CountedSum sum = counted_gaussian_sum(ball.radius / ball.grid, width, task_.num_gaps(),
                                                  task_.config.relation);
      std::vector<int64_t> entries(
          exact.values.begin() + static_cast<std::ptrdiff_t>(k * width),
          exact.values.begin() + static_cast<std::ptrdiff_t>((k + 1) * width));
      for (size_t j = 0; j < width; ++j) {
        if (task_.columns[j].has_gaps)
          entries.push_back(sum.count_units * exact.num_values[k * width + j]);
      }
      Permit permit = charges[k].take(task_.first_item + step_);
      const double stddev = permit.event().noise_multiplier() * sum.sensitivity;
      add_noise(std::move(permit), sum, task_.config.relation, entries, source);
      std::vector<double> mean = balls_[k].centre();
      double squared = 0;
      double spread = 0;  // of the entry with the most noise
      size_t next_count = width;
      for (size_t j = 0; j < width; ++j) {
        const bool has_gaps = task_.columns[j].has_gaps;
        const std::array<int64_t, 2> noisy = {entries[j], has_gaps ? entries[next_count++] : 0};
        estimates_[k * width + j] = read_entry(
            ball, j, noisy, has_gaps ? sum : CountedSum{sum.sensitivity, 0}, stddev, size);
        const MeanEstimate& estimate = estimates_[k * width + j];
        const double distance = (estimate.mean - ball.centre[j]) / stddevs_[j];
        mean[j] += distance;
        squared += distance * distance;
        if (has_gaps) spread = std::max(spread, estimate.noise_stddev / stddevs_[j]);
      }
      const double of_size =
          with_size_noise(stddev * ball.grid / size, std::sqrt(squared), task_.size_noise, size);
      if (step_ + 1 == steps_.size()) {
        const std::optional<double> share =
            noisy_clipped_fraction(task_, exact, k, size, steps_.size(), charges[k], source);
        for (size_t j = 0; j < width; ++j) estimates_[k * width + j].clipped_fraction = share;
      }
      balls_[k].advance(project_onto_ball(std::move(mean), prior_, prior_radius_),
                        std::max(spread, of_size), steps_.failures[step_]);
    }
    ++step_;
  }

  std::vector<MeanEstimate> estimates() const override { return estimates_; }

 private:
  ClipBall ball_of(size_t stratum) const {
    std::vector<double> centre = balls_[stratum].centre();
    for (size_t j = 0; j < centre.size(); ++j) centre[j] *= stddevs_[j];
    return ClipBall::around(std::move(centre), balls_[stratum].clip_radius(steps_.failures[step_]),
                            max_units_for_gaussian(noise_multiplier_of(steps_.budgets[step_])));
  }

  /// The estimate of one column, in its own units.
  MeanEstimate read_entry(const ClipBall& ball, size_t j, std::span<const int64_t> noisy,
                          const CountedSum& sum, double stddev, double size) const {
    const double unit = ball.grid * stddevs_[j];
    const ClipRange range{ball.centre[j], unit, 0};
    MeanEstimate estimate = read_entries(noisy, range, sum, stddev, size, kNormalQuantile);
    estimate.clip_lower = ball.centre[j] - ball.radius * stddevs_[j];
    estimate.clip_upper = ball.centre[j] + ball.radius * stddevs_[j];
    settle_noise(estimate);
    return estimate;
  }

  MeanTask task_;
  Steps steps_;
  std::vector<double> stddevs_;  // (columns)
  std::vector<double> prior_;    // the middle of the bounds
  double prior_radius_ = 0;
  std::vector<CoinpressBall> balls_;  // (num_strata)
  std::vector<MeanEstimate> estimates_;
  size_t step_ = 0;
};

/// Units in a standard deviation for predictions: as fine as grids are.
constexpr double kUnits = 0x1p30;

/// The expected noise of the last step, if each earlier step ends as expected.
double predicted_interval_noise(const MeanColumn& column, double size, double rho,
                                const MeanConfig& config) {
  const Steps steps = steps_of(rho, config);
  const double stddev = *column.stddev;
  CoinpressInterval interval(column.lower / stddev, column.upper / stddev, std::max(size, 1.0));
  double noise = 0;
  for (size_t j = 0; j < steps.size(); ++j) {
    const CoinpressInterval::Clip clip = interval.clip(steps.failures[j]);
    const double reach = (clip.upper - clip.lower) / 2 * kUnits;
    const CountedSum sum = counted_gaussian_sum(reach, 1, column.has_gaps ? 1 : 0, config.relation);
    noise = sum.sensitivity * sum.widening(reach) / kUnits / std::max(size, 1.0) *
            noise_multiplier_of(steps.budgets[j]);
    interval.advance((interval.lower() + interval.upper()) / 2, noise, steps.failures[j]);
  }
  return noise * stddev;
}

double predicted_ball_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                            double rho, const MeanConfig& config) {
  const Steps steps = steps_of(rho, config);
  const auto num_gaps = static_cast<size_t>(std::ranges::count_if(columns, &MeanColumn::has_gaps));
  CoinpressBall ball = first_ball(columns, std::vector<double>(columns.size()), size, config);
  double noise = 0;
  double of_sum = 0;
  for (size_t j = 0; j < steps.size(); ++j) {
    const double reach = ball.clip_radius(steps.failures[j]) * kUnits;
    const CountedSum sum = counted_gaussian_sum(reach, columns.size(), num_gaps, config.relation);
    of_sum = sum.sensitivity / kUnits / std::max(size, 1.0) * noise_multiplier_of(steps.budgets[j]);
    noise = of_sum * sum.widening(reach);
    ball.advance(ball.centre(), noise, steps.failures[j]);
  }
  return (columns[column].has_gaps ? noise : of_sum) * *columns[column].stddev;
}

/// COINPRESS on one column: estimates the mean of numbers with a known standard deviation within
/// bounds, in steps that each clip to an interval for the mean [BiswasDongKamathUllman2020].
///
/// Relation: replace_one within the stratum or zero_out; sizes are public or paid apart.
/// Sensitivity of each step's sum: the width of its clip, or half of that under zero_out (centred
/// sum); with the number of values of a column with gaps that of counted_gaussian_sum. The mean is
/// that of numbers within the last clip, which is released; nothing bounds its distance to the mean
/// of the unclipped numbers. Cost: num_steps x gaussian(noise_multiplier) of rho_j, which add up to
/// rho: clips follow earlier noisy answers, the noise multiplier of a step does not. Noise is a
/// real Gaussian's, rounded to a grid that follows the clip. Edge cases: with less than one record
/// the size counts as 1; the clip never leaves the bounds by more than its tail, so that noise that
/// points outside does no harm. Deviations from the paper: coinpress.h.
class Coinpress : public MeanEstimator {
 public:
  const MeanOptions& options() const override {
    static const MeanOptions options = {
        {{.name = "steps", .help = "Number of clipping steps", .range = between(1, kMaxSteps)},
         &own_field_at<MeanConfig, &CoinpressOptions::num_steps>},
        {{.name = "beta",
          .help = "Probability that a clip excludes the mean",
          .range = strictly_between(0, 1)},
         &own_field_at<MeanConfig, &CoinpressOptions::beta>},
        {{.name = "constants",
          .help = "Constants of the clipping steps: paper, or code for those of the published code",
          .choices = words_of(kConstantsChoices),
          .derived = "one column: paper, coinpress_joint: code"},
         own_word_at<MeanConfig, kConstantsChoices, &CoinpressOptions::constants>()},
    };
    return options;
  }

  bool needs_stddev() const override { return true; }

  ClipKind clip_kind(const MeanConfig& config) const override {
    return takes_ball(config) ? ClipKind::kReleasedBall : ClipKind::kReleasedInterval;
  }

  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double /*size*/,
                                 double rho, const MeanConfig& config) const override {
    return step_events(columns, rho, config);
  }

  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override {
    check_stddev(columns[column]);
    if (takes_ball(config)) return predicted_ball_noise({columns[column]}, 0, size, rho, config);
    return predicted_interval_noise(columns[column], size, rho, config);
  }

  std::unique_ptr<MeanEstimation> start(MeanTask task) const override {
    check_stddev(task.columns[0]);
    if (takes_ball(task.config)) return std::make_unique<BallEstimation>(std::move(task));
    return std::make_unique<IntervalEstimation>(std::move(task));
  }

 private:
  /// The authors' programs know a ball only.
  static bool takes_ball(const MeanConfig& config) {
    return config.own.of<CoinpressOptions>().constants == ConstantsChoice::kCode;
  }
};

/// COINPRESS on several columns together: all of them in units of their standard deviations, in a
/// ball around the means. Records are clipped by their length, the sum has L2 sensitivity 2 radius,
/// or the radius under zero_out (centred sum). For columns that are nearly independent; all of them
/// together cost as much as one column alone. Deviation: the bounds of the columns are a box; the
/// first ball is the one around it.
class JointCoinpress final : public Coinpress {
 public:
  bool is_joint() const override { return true; }

  ClipKind clip_kind(const MeanConfig& /*config*/) const override {
    return ClipKind::kReleasedBall;
  }

  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override {
    for (const MeanColumn& each : columns) check_stddev(each);
    return predicted_ball_noise(columns, column, size, rho, config);
  }
  std::unique_ptr<MeanEstimation> start(MeanTask task) const override {
    for (const MeanColumn& column : task.columns) check_stddev(column);
    return std::make_unique<BallEstimation>(std::move(task));
  }
};

}  // namespace

std::unique_ptr<MeanEstimator> make_coinpress() { return std::make_unique<Coinpress>(); }
std::unique_ptr<MeanEstimator> make_coinpress_joint() { return std::make_unique<JointCoinpress>(); }

}  // namespace equinoise
