// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/group_metrics.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// How many standard deviations to either side hold `confidence` of a standard normal.
double normal_quantile(double confidence) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(1 - confidence);
}

/// Running count, mean and sum of squared deviations.
struct Moments {
  int64_t count = 0;
  double mean = 0;
  double squares = 0;

  void add(double value) {
    ++count;
    const double step = value - mean;
    mean += step / static_cast<double>(count);
    squares += step * (value - mean);
  }

  /// The mean with its normal interval, for which it takes two values.
  Estimate estimate() const {
    if (count == 0) return {};
    if (count == 1) return {mean, {kNaN, kNaN}};
    const auto n = static_cast<double>(count);
    const double half = normal_quantile(kConfidence) * std::sqrt(squares / (n - 1) / n);
    return {mean, {mean - half, mean + half}};
  }
};

/// The mean of something that is never negative.
Estimate non_negative(const Moments& moments) {
  Estimate estimate = moments.estimate();
  if (estimate.interval.low < 0) estimate.interval.low = 0;
  return estimate;
}

Estimate root(const Estimate& estimate) {
  return {std::sqrt(estimate.value),
          {std::sqrt(estimate.interval.low), std::sqrt(estimate.interval.high)}};
}

/// NaN without trials.
Estimate proportion(int64_t successes, int64_t trials) {
  if (trials == 0) return {};
  return {static_cast<double>(successes) / static_cast<double>(trials),
          score_interval(successes, trials)};
}

/// The values' ranks, from 1, those of ties their mean.
std::vector<double> mid_ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

/// NaN unless there are both; no interval where a class has one record, or where no pair is in the
/// wrong order, so that nothing is seen of how much the share varies.
Estimate area_under_curve(const std::vector<double>& positives,
                          const std::vector<double>& negatives) {
  if (positives.empty() || negatives.empty()) return {};
  std::vector<double> all = positives;
  all.insert(all.end(), negatives.begin(), negatives.end());
  const std::vector<double> ranks = mid_ranks(all);
  // For each record the share of the other class that is on its right side: its rank among all less
  // that among its own.
  const auto shares_of = [&](const std::vector<double>& own, size_t offset, size_t num_others) {
    const std::vector<double> own_ranks = mid_ranks(own);
    Moments shares;
    for (size_t i = 0; i < own.size(); ++i)
      shares.add((ranks[offset + i] - own_ranks[i]) / static_cast<double>(num_others));
    return shares;
  };
  const Moments of_positives = shares_of(positives, 0, negatives.size());
  const Moments of_negatives = shares_of(negatives, positives.size(), positives.size());
  const auto variance = [](const Moments& shares) {
    const auto n = static_cast<double>(shares.count);
    return shares.squares / (n - 1) / n;
  };
  const double value = of_positives.mean;
  const double half =
      normal_quantile(kConfidence) * std::sqrt(variance(of_positives) + variance(of_negatives));
  if (!(half > 0)) return {value, {kNaN, kNaN}};
  return {value, {std::fmax(0, value - half), std::fmin(1, value + half)}};
}

/// Of (error, target), with the interval of the quotient to first order.
Estimate part_told(const std::vector<std::pair<double, double>>& records) {
  Moments targets;
  Moments squares;
  for (const auto& [error, target] : records) {
    targets.add(target);
    squares.add(error * error);
  }
  const double variance = targets.squares / static_cast<double>(targets.count);
  if (!(variance > 0)) return {};
  const double ratio = squares.mean / variance;
  Moments influence;
  for (const auto& [error, target] : records)
    influence.add((ratio * std::pow(target - targets.mean, 2) - error * error) / variance);
  Estimate estimate = influence.estimate();
  const double half = estimate.interval.high - estimate.value;
  return {1 - ratio, {1 - ratio - half, 1 - ratio + half}};
}

/// The rates of a class, of as many records as `metrics` says.
void add_rates(const ClassCounts& counts, Metrics& metrics) {
  const int64_t negatives = metrics.num_records - counts.positives;
  metrics.num_positives = counts.positives;
  metrics.num_selected = counts.predicted;
  metrics.selection_rate = proportion(counts.predicted, metrics.num_records);
  metrics.true_positive_rate = proportion(counts.true_positives, counts.positives);
  metrics.false_positive_rate = proportion(counts.predicted - counts.true_positives, negatives);
  metrics.false_negative_rate =
      proportion(counts.positives - counts.true_positives, counts.positives);
  metrics.precision = proportion(counts.true_positives, counts.predicted);
}

/// What is counted of one group.
struct Tally {
  int64_t count = 0;
  bool all_are_predicted = true;
  int64_t hits = 0;
  int64_t positives = 0;
  int64_t predicted_positives = 0;
  int64_t true_positives = 0;
  std::vector<ClassCounts> classes;  // of several
  Moments loss;
  Moments error;
  Moments absolute_error;
  Moments squared_error;
  Moments calibration;
  std::vector<double> of_positives;  // their probabilities, where the model gives some
  std::vector<double> of_negatives;
  std::vector<std::pair<double, double>> errors;  // and targets

  void add_classified(uint16_t predicted, uint16_t label) {
    hits += predicted == label ? 1 : 0;
    positives += label == 1 ? 1 : 0;
    predicted_positives += predicted == 1 ? 1 : 0;
    true_positives += predicted == 1 && label == 1 ? 1 : 0;
    if (classes.empty()) return;
    ++classes[label].positives;
    ++classes[predicted].predicted;
    classes[label].true_positives += predicted == label ? 1 : 0;
  }

  void add_score(double score, uint16_t label, ScoreKind kind) {
    if (kind == ScoreKind::kProbabilities) calibration.add(score - (label == 1 ? 1 : 0));
    (label == 1 ? of_positives : of_negatives).push_back(score);
  }

  void add_error(double value, double target) {
    errors.emplace_back(value, target);
    error.add(value);
    absolute_error.add(std::fabs(value));
    squared_error.add(value * value);
  }

  /// num_classes: 0 for a numeric target.
  Metrics metrics(size_t num_classes) const {
    Metrics metrics;
    metrics.num_records = count;
    if (count == 0 || !all_are_predicted) return metrics;
    metrics.loss = non_negative(loss);
    if (num_classes == 0) {
      metrics.mean_squared_error = non_negative(squared_error);
      metrics.rmse = root(metrics.mean_squared_error);
      metrics.mean_absolute_error = non_negative(absolute_error);
      metrics.mean_error = error.estimate();
      metrics.r_squared = part_told(errors);
      return metrics;
    }
    metrics.accuracy = proportion(hits, count);
    metrics.error = proportion(count - hits, count);
    metrics.classes = classes;
    if (num_classes != 2) return metrics;
    add_rates({positives, predicted_positives, true_positives}, metrics);
    metrics.auc = area_under_curve(of_positives, of_negatives);
    metrics.calibration_gap = calibration.estimate();
    return metrics;
  }
};

void check_predictions(const EncodedTable& table, const Predictions& predictions) {
  const auto num_records = static_cast<size_t>(table.num_records);
  const bool numeric = table.classes.empty();
  const size_t num_targets = numeric ? table.targets.size() : table.labels.size();
  const size_t num_predicted = numeric ? predictions.outputs.size() : predictions.predicted.size();
  if (num_targets != num_records || num_predicted != num_records ||
      predictions.loss.size() != num_records) {
    throw Error(ErrorKind::kUsage, "audit.group_metrics",
                "metrics need a table with its target, and predictions for it");
  }
}

/// Everybody in one group.
std::vector<GroupId> one_group(const EncodedTable& table) {
  return std::vector<GroupId>(static_cast<size_t>(table.num_records), GroupId{0});
}

}  // namespace

Interval score_interval(int64_t successes, int64_t trials, double confidence) {
  if (trials == 0) return {kNaN, kNaN};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double quantile = normal_quantile(confidence);
  const double squared = quantile * quantile;
  const double centre = (share + squared / (2 * n)) / (1 + squared / n);
  const double half =
      quantile / (1 + squared / n) * std::sqrt(share * (1 - share) / n + squared / (4 * n * n));
  // Ends that are 0 and 1 are so whatever rounding does.
  return {successes == 0 ? 0 : std::fmax(0, centre - half),
          successes == trials ? 1 : std::fmin(1, centre + half)};
}

Interval exact_interval(int64_t successes, int64_t trials, double confidence) {
  if (trials == 0) return {kNaN, kNaN};
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  const double tail = (1 - confidence) / 2;
  return {successes == 0 ? 0 : boost::math::ibeta_inv(hits, misses + 1, tail),
          successes == trials ? 1 : boost::math::ibetac_inv(hits + 1, misses, tail)};
}

std::vector<Metrics> group_metrics(const EncodedTable& table, const Predictions& predictions,
                                   std::span<const GroupId> group_of, size_t num_groups,
                                   ScoreKind kind) {
  check_predictions(table, predictions);
  const bool numeric = table.classes.empty();
  std::vector<Tally> tallies(num_groups);
  if (table.classes.size() > 2 && table.classes.size() <= kMaxCountedClasses)
    for (Tally& tally : tallies) tally.classes.resize(table.classes.size());
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    Tally& tally = tallies[index_of(group_of[i])];
    ++tally.count;
    if (!predictions.has_prediction(i)) {
      tally.all_are_predicted = false;
      continue;
    }
    tally.loss.add(predictions.loss[i]);
    if (numeric) {
      const double scaled_error = predictions.outputs[i] - static_cast<double>(table.targets[i]);
      tally.add_error(table.target_divisor * scaled_error,
                      table.target_divisor * static_cast<double>(table.targets[i]));
    } else {
      tally.add_classified(predictions.predicted[i], table.labels[i]);
      if (table.classes.size() == 2 && predictions.has_probabilities &&
          !predictions.outputs.empty())
        tally.add_score(predictions.outputs[2 * i + 1], table.labels[i], kind);
    }
  }
  std::vector<Metrics> metrics;
  metrics.reserve(num_groups);
  for (const Tally& tally : tallies) metrics.push_back(tally.metrics(table.classes.size()));
  return metrics;
}

Metrics overall_metrics(const EncodedTable& table, const Predictions& predictions, ScoreKind kind) {
  return group_metrics(table, predictions, one_group(table), 1, kind)[0];
}

Metrics class_metrics(const Metrics& metrics, size_t class_index) {
  Metrics result;
  result.num_records = metrics.num_records;
  if (class_index < metrics.classes.size()) add_rates(metrics.classes[class_index], result);
  return result;
}

Estimate paired_difference(int64_t only_first, int64_t only_second, int64_t pairs) {
  if (pairs == 0) return {};
  // Half a pair is added to each of the four outcomes.
  const double n = static_cast<double>(pairs) + 2;
  const double first = static_cast<double>(only_first) + 0.5;
  const double second = static_cast<double>(only_second) + 0.5;
  const double centre = (first - second) / n;
  const double half = normal_quantile(kConfidence) *
                      std::sqrt((first + second) / n - centre * centre) / std::sqrt(n);
  const double value = static_cast<double>(only_first - only_second) / static_cast<double>(pairs);
  return {value, {std::fmax(-1, centre - half), std::fmin(1, centre + half)}};
}

std::vector<Cost> group_cost(const EncodedTable& table, const Predictions& released,
                             const Predictions& reference, std::span<const GroupId> group_of,
                             size_t num_groups) {
  check_predictions(table, released);
  check_predictions(table, reference);
  struct Pairs {
    int64_t only_reference = 0;
    int64_t only_released = 0;
    int64_t count = 0;
    bool all_are_predicted = true;
    Moments loss;
  };
  const bool numeric = table.classes.empty();
  std::vector<Pairs> pairs(num_groups);
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    Pairs& group = pairs[index_of(group_of[i])];
    ++group.count;
    if (!released.has_prediction(i) || !reference.has_prediction(i)) {
      group.all_are_predicted = false;
      continue;
    }
    group.loss.add(released.loss[i] - reference.loss[i]);
    if (numeric) continue;
    const bool by_reference = reference.predicted[i] == table.labels[i];
    const bool by_released = released.predicted[i] == table.labels[i];
    group.only_reference += by_reference && !by_released ? 1 : 0;
    group.only_released += by_released && !by_reference ? 1 : 0;
  }
  std::vector<Cost> costs;
  costs.reserve(num_groups);
  for (const Pairs& group : pairs) {
    Cost& cost = costs.emplace_back();
    cost.num_records = group.count;
    if (!group.all_are_predicted) continue;
    cost.loss = group.loss.estimate();
    if (!numeric)
      cost.accuracy = paired_difference(group.only_reference, group.only_released, group.count);
  }
  return costs;
}

Cost overall_cost(const EncodedTable& table, const Predictions& released,
                  const Predictions& reference) {
  return group_cost(table, released, reference, one_group(table), 1)[0];
}

}  // namespace equinoise
