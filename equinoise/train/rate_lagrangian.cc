// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/rate_lagrangian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/train/soft_predictions.h"

namespace equinoise {

namespace {

/// The floor of denominators: a batch is not informative about a group with less than one record in
/// it.
constexpr double kMinDenominator = 1;

/// |p (w - <p, w>)| for weights w of range 1 is largest for two classes of probability 1/2: a
/// quarter at a logit, sqrt(2) times that at two scores.
double gradient_of_range(size_t num_outputs) { return num_outputs == 1 ? 0.25 : std::sqrt(2) / 4; }

/// The limit, for a constraint between groups, on its largest push on a gradient over its mean push
/// on scores. Beyond it clips are not widened. For two rates of disjoint groups, the smaller with a
/// share s of the records, the quotient is row_norm / (2 s). Chosen on bench/zoo among 15, 25 and
/// no limit.
constexpr double kMaxUneven = 25;

/// A multiplier held at its limit does not swing below this part of it.
constexpr double kNearLimit = 0.95;

/// Statistics of the decayed means after steps first .. end - 1, for independent histograms of
/// variance 1.
struct SmoothedNoise {
  double of_mean = 0;       ///< variance of their mean
  double spread = 0;        ///< expected mean square of their differences from it
  double squared_norm = 0;  ///< at least the sum of squared eigenvalues of that square
  double largest = 0;       ///< at least the largest of these eigenvalues
};

SmoothedNoise smoothed_noise(double decay, int64_t first, int64_t end) {
  const auto size = static_cast<size_t>(end - first);
  const auto count = static_cast<double>(size);
  // The covariance of steps s <= t is stationary * decay^(t - s) * earlier(s) / later(t).
  const double stationary = (1 - decay) / (1 + decay);
  const auto power = [&](size_t i) {
    return std::pow(decay, static_cast<double>(first + static_cast<int64_t>(i) + 1));
  };
  std::vector<double> row_sums(size);
  double sum_of_variances = 0;
  double sum_of_squares = 0;
  double before = 0;          // sum over s < t of decay^(t - s) * earlier(s)
  double squares_before = 0;  // of the squares
  for (size_t t = 0; t < size; ++t) {
    const double earlier = 1 + power(t);
    const double later = 1 - power(t);
    const double variance = stationary * earlier / later;
    sum_of_variances += variance;
    sum_of_squares += variance * variance + 2 * std::pow(stationary / later, 2) * squares_before;
    row_sums[t] = variance + stationary * before / later;
    before = decay * (before + earlier);
    squares_before = decay * decay * (squares_before + earlier * earlier);
  }
  double after = 0;  // sum over t > s of decay^(t - s) / later(t)
  double sum = 0;
  double largest = 0;
  for (size_t s = size; s-- > 0;) {
    row_sums[s] += stationary * (1 + power(s)) * after;
    after = decay * (after + 1 / (1 - power(s)));
    sum += row_sums[s];
    largest = std::max(largest, row_sums[s]);
  }
  const double of_mean = sum / (count * count);
  return {of_mean, std::max(sum_of_variances / count - of_mean, 0.0),
          sum_of_squares / (count * count), largest / count};
}

}  // namespace

RateLagrangian::RateLagrangian(std::shared_ptr<const RateProgram> program,
                               const RateLagrangianConfig& config)
    : program_(std::move(program)),
      config_(config),
      multipliers_(program_->constraints.size(), 0.0),
      mean_(program_->num_cells, 0.0),
      sum_of_values_(program_->constraints.size(), 0.0),
      sum_of_squares_(program_->constraints.size(), 0.0),
      sum_of_means_(program_->num_cells, 0.0),
      sum_of_steps_(program_->num_cells, 0.0),
      interval_mean_(config.dual_interval > 1 ? program_->num_cells : 0, 0.0),
      cell_weights_(program_->num_cells, 0.0),
      share_of_triple_(program_->num_cells, 0.0),
      push_(program_->cells.size(), 0.0) {
  for (const int32_t cell : program_->cells)
    if (cell != RateProgram::kNoCell) share_of_triple_[cell] += 1;
  for (double& share : share_of_triple_) share = 1 / share;
}

void RateLagrangian::predict(std::span<const double> scores, std::vector<double>& shares) const {
  soft_predictions(scores, config_.num_outputs, program_->num_classes, config_.inverse_temperature,
                   shares);
}

std::vector<uint32_t> RateLagrangian::places(const EncodedTable& table) const {
  std::vector<uint32_t> places(static_cast<size_t>(table.num_records), kNoPlace);
  for (size_t i = 0; i < places.size(); ++i) {
    const size_t context = index_of(table.groups[i]);
    if (table.contributes[i] == 0 || context >= program_->num_contexts) continue;
    places[i] = static_cast<uint32_t>(program_->place_of(context, table.labels[i]));
  }
  return places;
}

void RateLagrangian::add_sums(std::span<const uint32_t> places, std::span<const double> shares,
                              std::span<const uint32_t> counts, std::span<int64_t> units) const {
  constexpr double kOne = int64_t{1} << kUnitBits;
  const size_t num_classes = program_->num_classes;
  for (size_t i = 0; i < places.size(); ++i) {
    const double* row = shares.data() + i * num_classes;
    // The shares of a record are all finite or all not.
    if (places[i] == kNoPlace || !std::isfinite(row[0])) continue;
    const int32_t* cells = program_->cells.data() + places[i];
    const int64_t count = counts.empty() ? 1 : counts[i];
    if (config_.hard_histogram) {
      // Two classes without a branch, which would often be mispredicted.
      const size_t predicted =
          num_classes == 2 ? static_cast<size_t>(row[1] > row[0])
                           : static_cast<size_t>(std::max_element(row, row + num_classes) - row);
      const int32_t cell = cells[predicted];
      if (cell != RateProgram::kNoCell) units[cell] += count << kUnitBits;
      continue;
    }
    // Truncated shares of a record add up to at most 2^kUnitBits: their sum exceeds 1 by rounding
    // alone, which is less than a unit for fewer than 2^16 classes.
    for (size_t k = 0; k < num_classes; ++k)
      if (cells[k] != RateProgram::kNoCell)
        units[cells[k]] += count * static_cast<int64_t>(row[k] * kOne);
  }
}

std::vector<RateLagrangian::Push> RateLagrangian::pushes(std::span<const double> histogram) const {
  double mass = 0;
  for (const double count : histogram) mass += std::max(count, 0.0);
  mass = std::max(mass, kMinDenominator);
  const double push_of_all =
      gradient_of_range(config_.num_outputs) * config_.inverse_temperature * config_.batch_size;
  std::vector<Push> pushes;
  for (const RateProgram::Constraint& constraint : program_->constraints) {
    double share = 0;
    double sum = 0;
    double least = 0;
    double most = 0;
    for (const RateProgram::Term& term : constraint.terms) {
      share = std::max(share, std::fabs(term.coefficient) / values_.denominators[term.rate]);
      sum += std::fabs(term.coefficient);
      least = std::min(least, term.coefficient);
      most = std::max(most, term.coefficient);
    }
    pushes.push_back({push_of_all * share, push_of_all * sum / mass, least < 0 && most > 0});
  }
  return pushes;
}

std::vector<double> RateLagrangian::follow_multipliers(std::span<const double> histogram) {
  const std::vector<Push> pushes = this->pushes(histogram);
  std::vector<double> followed = multipliers_;
  const auto look_at_opposed = [&] {
    opposed_push_ = 0;
    for (size_t j = 0; j < followed.size(); ++j)
      if (pushes[j].is_opposed)
        opposed_push_ = std::max(opposed_push_, followed[j] * pushes[j].largest);
    for (const Push& push : pushes)
      if (push.is_opposed && config_.row_norm * push.largest > kMaxUneven * push.mean)
        opposed_push_ = 0;
  };
  const auto bound = [&] {
    double sum = 0;
    for (size_t j = 0; j < followed.size(); ++j)
      if (followed[j] > 0) sum += followed[j] * pushes[j].mean;
    look_at_opposed();
    return widened(config_.max_grad_norm + config_.clip_allowance * sum);
  };
  // A fixed point, from above: the followed multipliers determine the bound that limits them.
  constexpr int kMaxRounds = 100;
  double before = bound();
  for (int round = 0; round < kMaxRounds && !std::isinf(config_.push_limit); ++round) {
    bool is_held = false;
    for (size_t j = 0; j < followed.size(); ++j) {
      if (followed[j] == 0) continue;
      const double most = config_.push_limit * before / pushes[j].largest;
      is_held = is_held || most < followed[j];
      followed[j] = std::min(followed[j], most);
    }
    if (!is_held) break;
    const double after = bound();
    if (after > 0.999 * before) break;
    before = after;
  }
  return followed;
}

std::vector<double> RateLagrangian::denominators(std::span<const double> histogram) const {
  std::vector<double> denominators;
  for (const RateProgram::CellRate& rate : program_->rates) {
    double of_histogram = 0;
    double of_all_steps = 0;
    for (const uint32_t cell : rate.denominator) {
      of_histogram += histogram[cell];
      of_all_steps += sum_of_steps_[cell] / num_moved_steps();
    }
    const bool is_small = rate.fixed_denominator && of_all_steps < kMinDenominator;
    denominators.push_back(is_small ? std::max(of_all_steps, 1 / num_moved_steps())
                                    : std::max(of_histogram, kMinDenominator));
  }
  return denominators;
}

double RateLagrangian::widened(double bound) const {
  return std::max(bound, std::min(config_.clip_widening * bound, config_.row_norm * opposed_push_));
}

double RateLagrangian::num_moves() const {
  return std::floor(num_steps_ / static_cast<double>(config_.dual_interval));
}

double RateLagrangian::num_moved_steps() const {
  return num_moves() * static_cast<double>(config_.dual_interval);
}

std::vector<double> RateLagrangian::smoothed() const {
  const double scale = 1 - std::pow(config_.histogram_decay, num_moves());
  std::vector<double> smoothed;
  for (const double count : mean_) smoothed.push_back(count / scale);
  return smoothed;
}

double RateLagrangian::smoothed_stddev(double noise_stddev) const {
  const double decay = config_.histogram_decay;
  return noise_stddev *
         std::sqrt((1 - decay) / (1 + decay) / static_cast<double>(config_.dual_interval));
}

void RateLagrangian::take_sums(std::span<const double> histogram) {
  num_steps_ += 1;
  const bool has_interval = config_.dual_interval > 1;
  if (has_interval) {
    for (size_t c = 0; c < histogram.size(); ++c)
      interval_mean_[c] += histogram[c] / static_cast<double>(config_.dual_interval);
    if (num_moved_steps() < num_steps_) return;
    histogram = interval_mean_;
  }
  const double decay = config_.histogram_decay;
  for (size_t c = 0; c < histogram.size(); ++c) {
    mean_[c] = decay * mean_[c] + (1 - decay) * histogram[c];
    sum_of_steps_[c] += histogram[c] * static_cast<double>(config_.dual_interval);
  }
  const std::vector<double> smoothed = this->smoothed();
  // A step uses the multipliers before its own histogram moves them.
  weigh(smoothed);
  move_multipliers(histogram, smoothed);
  if (has_interval) {
    weigh(smoothed);
    std::ranges::fill(interval_mean_, 0.0);
  }
}

void RateLagrangian::move_multipliers(std::span<const double> histogram,
                                      std::span<const double> smoothed) {
  // Deviation: the published rule has no mean, hence no such distinction.
  const std::vector<double> seen = config_.mean_moves_multipliers
                                       ? values_.constraints
                                       : step_constraints(*program_, histogram, smoothed, values_);
  const double rate = config_.dual_learning_rate * static_cast<double>(config_.dual_interval);
  for (size_t j = 0; j < multipliers_.size(); ++j) {
    const RateProgram::Constraint& constraint = program_->constraints[j];
    const double aim = constraint.slack - config_.margin.value_or(constraint.margin);
    multipliers_[j] =
        std::clamp(multipliers_[j] + rate * (seen[j] - aim), 0.0, config_.max_multiplier);
  }
  if (num_steps_ <= static_cast<double>(config_.first_averaged_step)) return;
  for (size_t j = 0; j < multipliers_.size(); ++j) {
    sum_of_values_[j] += values_.constraints[j];
    sum_of_squares_[j] += values_.constraints[j] * values_.constraints[j];
  }
  for (size_t c = 0; c < smoothed.size(); ++c) sum_of_means_[c] += smoothed[c];
}

void RateLagrangian::weigh(std::span<const double> smoothed) {
  values_ = rate_values(*program_, smoothed, denominators(smoothed));
  std::ranges::fill(cell_weights_, 0.0);
  add_cell_weights(*program_, smoothed, follow_multipliers(smoothed), values_, cell_weights_);
  const size_t num_classes = program_->num_classes;
  double sum_of_ranges = 0;
  double mass = 0;
  for (size_t begin = 0; begin < program_->cells.size(); begin += num_classes) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    double share = 0;
    for (size_t k = 0; k < num_classes; ++k) {
      const int32_t cell = program_->cells[begin + k];
      const double weight = cell == RateProgram::kNoCell ? 0 : cell_weights_[cell];
      if (cell != RateProgram::kNoCell)
        share += share_of_triple_[cell] * std::max(smoothed[cell], 0.0);
      push_[begin + k] = config_.batch_size * config_.inverse_temperature * weight;
      least = std::min(least, push_[begin + k]);
      most = std::max(most, push_[begin + k]);
    }
    sum_of_ranges += share * (most - least);
    mass += share;
  }
  typical_gradient_ = mass > 0 ? gradient_of_range(config_.num_outputs) * sum_of_ranges / mass : 0;
}

void RateLagrangian::gradient(std::span<const uint32_t> places, std::span<const double> shares,
                              std::vector<double>& added) const {
  const size_t num_classes = program_->num_classes;
  const size_t num_outputs = config_.num_outputs;
  added.assign(places.size() * num_outputs, 0.0);
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == kNoPlace) continue;
    push_scores(std::span(push_).subspan(places[i], num_classes),
                shares.subspan(i * num_classes, num_classes),
                std::span(added).subspan(i * num_outputs, num_outputs));
  }
}

std::vector<ConstraintTrace> RateLagrangian::traces(double noise_stddev) const {
  const auto num_moves = static_cast<int64_t>(this->num_moves());
  const int64_t first_averaged = config_.first_averaged_step / config_.dual_interval;
  if (num_moves <= first_averaged) return {};
  const auto num_averaged = static_cast<double>(num_moves - first_averaged);
  const SmoothedNoise noise = smoothed_noise(config_.histogram_decay, first_averaged, num_moves);
  // A sum of squares of Gaussians with weights w exceeds sum(w) + 2 sqrt(sum(w^2) x) + 2 max(w) x
  // with a probability of at most exp(-x).
  const double x = std::log(static_cast<double>(multipliers_.size()) / kChanceBeyondLimit);
  const double limit = noise.spread + 2 * std::sqrt(noise.squared_norm * x) + 2 * noise.largest * x;
  std::vector<double> histogram(sum_of_means_);
  std::vector<double> variances;
  for (double& count : histogram) {
    count /= num_averaged;
    // The number of a cell's records in a Poisson batch varies by no more than its mean.
    variances.push_back((noise_stddev * noise_stddev + std::max(count, 0.0)) /
                        static_cast<double>(config_.dual_interval));
  }
  const RateValues values = rate_values(*program_, histogram, kMinDenominator);
  const std::vector<double> of_step =
      constraint_variances(*program_, histogram, kMinDenominator, variances);
  // Variances of the mean over steps, as the denominators are of that mean.
  for (double& variance : variances) variance *= noise.of_mean;
  const std::vector<bool> known =
      known_constraints(*program_, histogram, kMinDenominator, variances);
  std::vector<ConstraintTrace> traces;
  for (size_t j = 0; j < multipliers_.size(); ++j) {
    constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
    ConstraintTrace& trace = traces.emplace_back(
        ConstraintTrace{kUndefined, kUndefined, kUndefined, kUndefined, kUndefined});
    trace.multiplier = multipliers_[j];
    trace.at_limit = multipliers_[j] >= kNearLimit * config_.max_multiplier;
    if (!known[j]) continue;
    const double mean = sum_of_values_[j] / num_averaged;
    trace.mean = values.constraints[j];
    trace.mean_stddev = std::sqrt(of_step[j] * noise.of_mean);
    trace.spread = std::sqrt(std::max(sum_of_squares_[j] / num_averaged - mean * mean, 0.0));
    trace.explained = std::sqrt(of_step[j] * noise.spread);
    trace.limit = std::sqrt(of_step[j] * limit);
  }
  return traces;
}

std::vector<double> RateLagrangian::state() const {
  std::vector<double> state = {num_steps_};
  for (const std::vector<double>* part : {&multipliers_, &mean_, &sum_of_values_, &sum_of_squares_,
                                          &sum_of_means_, &sum_of_steps_, &interval_mean_})
    state.insert(state.end(), part->begin(), part->end());
  return state;
}

void RateLagrangian::restore(std::span<const double> state) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const auto is_multiplier = [&](double value) {
    return value >= 0 && value <= config_.max_multiplier;
  };
  if (state.size() != 1 + 3 * multipliers_.size() + 3 * mean_.size() + interval_mean_.size() ||
      !std::ranges::all_of(state, is_finite) || !(state[0] >= 0) ||
      !std::all_of(state.begin() + 1, state.begin() + 1 + std::ssize(multipliers_),
                   is_multiplier)) {
    throw Error(ErrorKind::kRuntime, "train.rate_lagrangian",
                "the state does not belong to these constraints");
  }
  num_steps_ = state[0];
  auto next = state.begin() + 1;
  for (std::vector<double>* part : {&multipliers_, &mean_, &sum_of_values_, &sum_of_squares_,
                                    &sum_of_means_, &sum_of_steps_, &interval_mean_}) {
    std::copy_n(next, part->size(), part->begin());
    next += std::ssize(*part);
  }
  // The weights of a single step follow its own histogram.
  if (!interval_mean_.empty() && num_moves() > 0) weigh(smoothed());
}

}  // namespace equinoise
