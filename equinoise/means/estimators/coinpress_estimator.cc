#include "equinoise/means/estimators/coinpress_estimator.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "means.coinpress";
constexpr int kMostSteps = 20;

void check_column(const MeanColumn& column) {
  if (!column.stddev) {
    throw Error(ErrorKind::kUsage, kWhere,
                "column '" + column.name +
                    "' needs the standard deviation of its numbers within a stratum, a public "
                    "figure: give --stddev " +
                    column.name + "=NUMBER, or use --method bounded");
  }
  check_positive(kWhere, "stddev of column '" + column.name + "'", *column.stddev);
}

/// What the steps may cost, without the count of clipped records.
std::vector<double> step_budgets(double rho, const MeanConfig& config) {
  check_interval(kWhere, "num_steps", config.num_steps, 1, kMostSteps);
  check_open_interval(kWhere, "beta", config.beta, 0, 1);
  return coinpress_budgets(rho * (1 - config.clipped_share), config.num_steps);
}

std::vector<Event> step_events(const std::vector<MeanColumn>& columns, double rho,
                               const MeanConfig& config) {
  for (const MeanColumn& column : columns) check_column(column);
  std::vector<Event> events;
  for (const double budget : step_budgets(rho, config))
    events.push_back(Event::gaussian(noise_multiplier_of(budget)));
  if (config.clipped_share > 0) events.push_back(clipped_count_event(config.clipped_share * rho));
  events.push_back(sampler_error_event(static_cast<size_t>(config.num_steps) * columns.size()));
  return events;
}

/// Whether the constants of the authors' programs are meant.
bool takes_code_constants(const MeanConfig& config, bool by_default) {
  if (config.constants == "auto") return by_default;
  if (config.constants == "code") return true;
  if (config.constants == "paper") return false;
  throw Error(ErrorKind::kUsage, kWhere,
              "constants must be paper or code, got \"" + config.constants + "\"");
}

/// The standard deviation of a mean that lies at `distance` from the centre of its clip: the noise
/// of a private size moves it as well.
double with_size_noise(double stddev, double distance, const MeanTask& task, double size) {
  return std::hypot(stddev, distance * task.size_noise / size);
}

/// One column, an interval in each stratum.
class IntervalEstimation final : public MeanEstimation {
 public:
  explicit IntervalEstimation(MeanTask task)
      : task_(std::move(task)),
        column_(task_.columns[0]),
        stddev_(*column_.stddev),
        budgets_(step_budgets(task_.rho, task_.config)),
        failures_(coinpress_failures(task_.config.beta, task_.config.num_steps)) {
    for (const double size : task_.sizes) {
      intervals_.emplace_back(column_.lower / stddev_, column_.upper / stddev_,
                              std::max(size, 1.0));
      estimates_.push_back(estimate_of_nothing(column_));
    }
  }

  std::optional<Query> next() const override {
    if (step_ == budgets_.size()) return std::nullopt;
    SumQuery query{task_.indices[0], {}, task_.config.clipped_share > 0};
    for (size_t k = 0; k < intervals_.size(); ++k) {
      query.ranges.push_back(range_of(k));
      if (task_.sizes[k] == 0) query.ranges.back().half_units = 0;
    }
    return query;
  }

  void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) override {
    const bool is_last = step_ + 1 == budgets_.size();
    for (size_t k = 0; k < intervals_.size(); ++k) {
      const double size = task_.sizes[k];
      if (size == 0) continue;
      const ClipRange range = range_of(k);
      const auto sensitivity = static_cast<double>(range.sensitivity(task_.config.relation));
      int64_t units = exact.values[k];
      Permit permit = charges[k].take(task_.first_item + step_);
      const double stddev = permit.event().noise_multiplier() * sensitivity * range.grid / size;
      add_gaussian_noise(std::move(permit), {sensitivity, Norm::kL2, task_.config.relation},
                         {&units, 1}, source);
      const double mean = range.centre + static_cast<double>(units) * range.grid / size;
      const double spread = with_size_noise(stddev, std::fabs(mean - range.centre), task_, size);
      intervals_[k].advance(mean / stddev_, spread / stddev_, failures_[step_]);
      if (!is_last) continue;
      estimates_[k] = {mean,
                       stddev,
                       kNormalQuantile * stddev,
                       range.centre - range.half_width(),
                       range.centre + range.half_width(),
                       {}};
      if (task_.config.clipped_share > 0) {
        estimates_[k].clipped_fraction =
            noisy_clipped_fraction(charges[k].take(task_.first_item + budgets_.size()),
                                   exact.num_clipped[k], size, task_.config, source);
      }
    }
    ++step_;
  }

  std::vector<MeanEstimate> estimates() const override { return estimates_; }

 private:
  ClipRange range_of(size_t stratum) const {
    const CoinpressInterval::Clip clip = intervals_[stratum].clip(failures_[step_]);
    return ClipRange::within(clip.lower * stddev_, clip.upper * stddev_,
                             most_units_for_gaussian(noise_multiplier_of(budgets_[step_])));
  }

  MeanTask task_;
  MeanColumn column_;
  double stddev_;
  std::vector<double> budgets_;
  std::vector<double> failures_;
  std::vector<CoinpressInterval> intervals_;
  std::vector<MeanEstimate> estimates_;
  size_t step_ = 0;
};

/// All columns, a ball in each stratum.
class BallEstimation final : public MeanEstimation {
 public:
  explicit BallEstimation(MeanTask task)
      : task_(std::move(task)),
        budgets_(step_budgets(task_.rho, task_.config)),
        failures_(coinpress_failures(task_.config.beta, task_.config.num_steps)) {
    double squared = 0;
    for (const MeanColumn& column : task_.columns) {
      stddevs_.push_back(*column.stddev);
      prior_.push_back((column.lower + (column.upper - column.lower) / 2) / *column.stddev);
      const double half = (column.upper - column.lower) / 2 / *column.stddev;
      squared += half * half;
    }
    prior_radius_ = std::sqrt(squared);
    const CoinpressConstants constants = takes_code_constants(task_.config, true)
                                             ? CoinpressConstants::kCode
                                             : CoinpressConstants::kPaper;
    for (const double size : task_.sizes) {
      balls_.emplace_back(prior_, prior_radius_, std::max(size, 1.0), constants);
      for (const MeanColumn& column : task_.columns)
        estimates_.push_back(estimate_of_nothing(column));
    }
  }

  std::optional<Query> next() const override {
    if (step_ == budgets_.size()) return std::nullopt;
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
      const double sensitivity = ball.sensitivity(task_.config.relation);
      std::vector<int64_t> units(
          exact.values.begin() + static_cast<std::ptrdiff_t>(k * width),
          exact.values.begin() + static_cast<std::ptrdiff_t>((k + 1) * width));
      Permit permit = charges[k].take(task_.first_item + step_);
      const double stddev = permit.event().noise_multiplier() * sensitivity * ball.grid / size;
      add_gaussian_noise(std::move(permit), {sensitivity, Norm::kL2, task_.config.relation}, units,
                         source);
      std::vector<double> mean = balls_[k].centre();
      std::vector<double> distances(width);
      double squared = 0;
      for (size_t j = 0; j < width; ++j) {
        distances[j] = static_cast<double>(units[j]) * ball.grid / size;
        mean[j] += distances[j];
        squared += distances[j] * distances[j];
      }
      if (step_ + 1 == budgets_.size()) finish(k, ball, distances, stddev, exact, charges, source);
      balls_[k].advance(project_onto_ball(std::move(mean), prior_, prior_radius_),
                        with_size_noise(stddev, std::sqrt(squared), task_, size), failures_[step_]);
    }
    ++step_;
  }

  std::vector<MeanEstimate> estimates() const override { return estimates_; }

 private:
  ClipBall ball_of(size_t stratum) const {
    std::vector<double> centre = balls_[stratum].centre();
    for (size_t j = 0; j < centre.size(); ++j) centre[j] *= stddevs_[j];
    return ClipBall::around(std::move(centre), balls_[stratum].clip_radius(failures_[step_]),
                            most_units_for_gaussian(noise_multiplier_of(budgets_[step_])));
  }

  /// distances: (columns) of the mean to the centre, in standard deviations.
  void finish(size_t stratum, const ClipBall& ball, const std::vector<double>& distances,
              double stddev, const Answer& exact, std::span<Charge> charges, RandomSource& source) {
    const size_t width = stddevs_.size();
    std::optional<double> clipped;
    if (task_.config.clipped_share > 0) {
      clipped = noisy_clipped_fraction(charges[stratum].take(task_.first_item + budgets_.size()),
                                       exact.num_clipped[stratum], task_.sizes[stratum],
                                       task_.config, source);
    }
    for (size_t j = 0; j < width; ++j) {
      estimates_[stratum * width + j] = {
          ball.centre[j] + distances[j] * stddevs_[j], stddev * stddevs_[j],
          kNormalQuantile * stddev * stddevs_[j],      ball.centre[j] - ball.radius * stddevs_[j],
          ball.centre[j] + ball.radius * stddevs_[j],  clipped};
    }
  }

  MeanTask task_;
  std::vector<double> budgets_;
  std::vector<double> failures_;
  std::vector<double> stddevs_;  // (columns)
  std::vector<double> prior_;    // the middle of the bounds
  double prior_radius_ = 0;
  std::vector<CoinpressBall> balls_;  // (num_strata)
  std::vector<MeanEstimate> estimates_;
  size_t step_ = 0;
};

/// The noise of the last step where each step ends where it may be expected to.
double predicted_interval_noise(const MeanColumn& column, double size, double rho,
                                const MeanConfig& config) {
  const std::vector<double> budgets = step_budgets(rho, config);
  const std::vector<double> failures = coinpress_failures(config.beta, config.num_steps);
  const double stddev = *column.stddev;
  CoinpressInterval interval(column.lower / stddev, column.upper / stddev, std::max(size, 1.0));
  double noise = 0;
  for (size_t j = 0; j < budgets.size(); ++j) {
    const CoinpressInterval::Clip clip = interval.clip(failures[j]);
    noise = interval.sensitivity(clip, config.relation) * noise_multiplier_of(budgets[j]);
    interval.advance((interval.lower() + interval.upper()) / 2, noise, failures[j]);
  }
  return noise * stddev;
}

double predicted_ball_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                            double rho, const MeanConfig& config) {
  const std::vector<double> budgets = step_budgets(rho, config);
  const std::vector<double> failures = coinpress_failures(config.beta, config.num_steps);
  double squared = 0;
  for (const MeanColumn& each : columns) {
    const double half = (each.upper - each.lower) / 2 / *each.stddev;
    squared += half * half;
  }
  const CoinpressConstants constants =
      takes_code_constants(config, true) ? CoinpressConstants::kCode : CoinpressConstants::kPaper;
  CoinpressBall ball(std::vector<double>(columns.size(), 0.0), std::sqrt(squared),
                     std::max(size, 1.0), constants);
  double noise = 0;
  for (size_t j = 0; j < budgets.size(); ++j) {
    noise = ball.sensitivity(ball.clip_radius(failures[j]), config.relation) *
            noise_multiplier_of(budgets[j]);
    ball.advance(ball.centre(), noise, failures[j]);
  }
  return noise * *columns[column].stddev;
}

}  // namespace

std::vector<Event> Coinpress::events(const std::vector<MeanColumn>& columns, double /*size*/,
                                     double rho, const MeanConfig& config) const {
  static_cast<void>(takes_code_constants(config, false));
  return step_events(columns, rho, config);
}

double Coinpress::predicted_noise(const std::vector<MeanColumn>& columns, size_t column,
                                  double size, double rho, const MeanConfig& config) const {
  check_column(columns[column]);
  if (takes_code_constants(config, false))
    return predicted_ball_noise({columns[column]}, 0, size, rho, config);
  return predicted_interval_noise(columns[column], size, rho, config);
}

std::unique_ptr<MeanEstimation> Coinpress::start(MeanTask task) const {
  check_column(task.columns[0]);
  if (takes_code_constants(task.config, false))
    return std::make_unique<BallEstimation>(std::move(task));
  return std::make_unique<IntervalEstimation>(std::move(task));
}

std::vector<Event> JointCoinpress::events(const std::vector<MeanColumn>& columns, double /*size*/,
                                          double rho, const MeanConfig& config) const {
  static_cast<void>(takes_code_constants(config, true));
  return step_events(columns, rho, config);
}

double JointCoinpress::predicted_noise(const std::vector<MeanColumn>& columns, size_t column,
                                       double size, double rho, const MeanConfig& config) const {
  for (const MeanColumn& each : columns) check_column(each);
  return predicted_ball_noise(columns, column, size, rho, config);
}

std::unique_ptr<MeanEstimation> JointCoinpress::start(MeanTask task) const {
  for (const MeanColumn& column : task.columns) check_column(column);
  return std::make_unique<BallEstimation>(std::move(task));
}

}  // namespace equinoise
