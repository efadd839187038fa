// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/group_metrics.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "equinoise/audit/row_weights.h"
#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr double kConfidence = 0.95;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The number of standard deviations to either side that hold `confidence` of a standard normal.
double normal_quantile(double confidence) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(1 - confidence);
}

/// Running count, mean and sums of squared deviations, by weight. The rows of a unit, which come
/// one after another, are one value, their mean, with the weight of all of them.
class Moments {
 public:
  /// all: the weight of all values together, if records have weights; 0: each value has weight 1.
  explicit Moments(double all = 0) : all_(all) {}

  void add(double value, const RowWeight& row) {
    if (!row.unit) return add(value, row.own);
    if (row.unit != unit_) close();
    unit_ = row.unit;
    of_unit_.add(value, row.own);
  }

  /// Call it after the last row.
  void close() {
    if (unit_ && of_unit_.weight > 0) add(of_unit_.mean, of_unit_.weight);
    unit_.reset();
    of_unit_ = {};
  }

  void add(double value, double weight = 1) {
    ++count_;
    total_.add(value, weight);
    if (all_ == 0) return;
    // Without this value the mean would change by `lost` times the value's distance from it.
    const double lost = weight / (all_ - weight);
    moved_.add(value, lost * lost);
  }

  double mean() const { return total_.mean; }

  /// The mean squared deviation.
  double spread() const { return total_.squares / total_.weight; }

  /// The variance of the mean, which needs two values; with weights by the jackknife.
  double variance() const {
    const auto n = static_cast<double>(count_);
    if (all_ == 0) return total_.squares / (n - 1) / n;
    const double distance = moved_.mean - total_.mean;
    return (n - 1) / n * (moved_.squares + moved_.weight * distance * distance);
  }

  /// The mean with its normal interval, which is unknown if one record has nearly all weight.
  Estimate estimate() const {
    if (count_ == 0) return {};
    const double half = normal_quantile(kConfidence) * std::sqrt(variance());
    if (count_ == 1 || !std::isfinite(half)) return {mean(), {kNaN, kNaN}};
    return {mean(), {mean() - half, mean() + half}};
  }

 private:
  struct Sums {
    double weight = 0;
    double mean = 0;
    double squares = 0;

    void add(double value, double by) {
      if (!(by > 0)) return;
      weight += by;
      const double step = value - mean;
      mean += step * by / weight;
      squares += by * step * (value - mean);
    }
  };

  double all_;
  int64_t count_ = 0;
  Sums total_;
  Sums moved_;
  std::optional<size_t> unit_;  // the unit of the current rows
  Sums of_unit_;
};

/// The mean of values that are never negative.
Estimate non_negative(const Moments& moments) {
  Estimate estimate = moments.estimate();
  if (estimate.interval.low < 0) estimate.interval.low = 0;
  return estimate;
}

Estimate root(const Estimate& estimate) {
  return {std::sqrt(estimate.value),
          {std::sqrt(estimate.interval.low), std::sqrt(estimate.interval.high)}};
}

/// A number of a record, and its weight.
struct Weighed {
  double value = 0;
  RowWeight weight;
};

double total_of(const std::vector<Weighed>& records) {
  double total = 0;
  for (const Weighed& record : records) total += record.weight.own;
  return total;
}

/// NaN unless both classes have records. There is no interval if a class has one record, or if no
/// pair is in the wrong order, because the variation of the share is then unknown. A unit may have
/// rows of both classes: the standard deviations of the two parts then add up at most.
Estimate area_under_curve(const std::vector<Weighed>& positives,
                          const std::vector<Weighed>& negatives, bool is_weighted) {
  if (positives.empty() || negatives.empty()) return {};
  // Shares of the other class below each record, with ties counted as half.
  const auto shares_of = [&](const std::vector<Weighed>& own, std::vector<Weighed> others) {
    const auto is_below = [](const Weighed& a, const Weighed& b) { return a.value < b.value; };
    std::ranges::sort(others, is_below);
    std::vector<double> below = {0};
    for (const Weighed& other : others) below.push_back(below.back() + other.weight.own);
    Moments shares(is_weighted ? total_of(own) : 0);
    for (const Weighed& record : own) {
      const auto [first, last] = std::equal_range(others.begin(), others.end(), record, is_below);
      const double least = below[static_cast<size_t>(first - others.begin())];
      const double most = below[static_cast<size_t>(last - others.begin())];
      shares.add((least + most) / 2 / below.back(), record.weight);
    }
    shares.close();
    return shares;
  };
  const Moments of_positives = shares_of(positives, negatives);
  const Moments of_negatives = shares_of(negatives, positives);
  const double value = of_positives.mean();
  const double by_positives = of_positives.variance();
  const double by_negatives = of_negatives.variance();
  const double stddev = positives.front().weight.unit
                            ? std::sqrt(by_positives) + std::sqrt(by_negatives)
                            : std::sqrt(by_positives + by_negatives);
  const double half = normal_quantile(kConfidence) * stddev;
  if (!(half > 0 && std::isfinite(half))) return {value, {kNaN, kNaN}};
  return {value, {std::fmax(0, value - half), std::fmin(1, value + half)}};
}

/// A record's error and target.
struct Erring {
  double error = 0;
  double target = 0;
  RowWeight weight;
};

/// The part of the targets' variance that predictions explain, with the interval of the quotient to
/// first order. all: as of Moments.
Estimate part_told(const std::vector<Erring>& records, double all) {
  Moments targets(all);
  Moments squares(all);
  for (const auto& [error, target, weight] : records) {
    targets.add(target, weight.own);
    squares.add(error * error, weight.own);
  }
  const double variance = targets.spread();
  if (!(variance > 0)) return {};
  const double ratio = squares.mean() / variance;
  Moments influence(all);
  for (const auto& [error, target, weight] : records) {
    const double squared = std::pow(target - targets.mean(), 2);
    influence.add((ratio * squared - error * error) / variance, weight);
  }
  influence.close();
  Estimate estimate = influence.estimate();
  const double half = estimate.interval.high - estimate.value;
  return {1 - ratio, {1 - ratio - half, 1 - ratio + half}};
}

/// The rates of a class.
void add_rates(const ClassCounts& counts, Metrics& metrics) {
  const auto& [hits, false_alarms, missed, rejected] = counts;
  metrics.num_positives = hits.records + missed.records;
  metrics.num_selected = hits.records + false_alarms.records;
  metrics.selection_rate = weighted_share(hits.with(false_alarms), missed.with(rejected));
  metrics.true_positive_rate = weighted_share(hits, missed);
  metrics.false_positive_rate = weighted_share(false_alarms, rejected);
  metrics.false_negative_rate = weighted_share(missed, hits);
  metrics.precision = weighted_share(hits, false_alarms);
}

/// The scores of a class, and its members.
struct ScoreTally {
  explicit ScoreTally(double all_weight) : weight(all_weight), calibration(all_weight) {}

  double weight;
  Moments calibration;
  std::vector<Weighed> of_positives;
  std::vector<Weighed> of_negatives;

  void add(double score, bool is_positive, const RowWeight& by, ScoreKind kind) {
    if (kind == ScoreKind::kProbabilities) calibration.add(score - (is_positive ? 1 : 0), by);
    (is_positive ? of_positives : of_negatives).push_back({score, by});
  }

  /// Call it after the last row.
  ClassScores scores() {
    calibration.close();
    return {area_under_curve(of_positives, of_negatives, weight > 0), calibration.estimate()};
  }
};

/// The counts of one group.
struct Tally {
  /// weight: of the group's records together, as of Moments.
  explicit Tally(double weight)
      : all_weight(weight),
        loss(weight),
        error(weight),
        absolute_error(weight),
        squared_error(weight),
        scores(weight) {}

  double all_weight;
  WeightedCount all;
  int64_t num_units = 0;  // or rows, if each is a unit
  std::optional<size_t> last_unit;
  bool all_are_predicted = true;
  WeightedCount hits;
  ClassCounts positive;              // of two classes
  std::vector<ClassCounts> classes;  // of several
  Moments loss;
  Moments error;
  Moments absolute_error;
  Moments squared_error;
  ScoreTally scores;  // of two classes, if the model has scores
  std::vector<Erring> errors;

  void add_row(const RowWeight& row) {
    all.add(row.own, row.of_unit);
    if (!row.unit || row.unit != last_unit) ++num_units;
    last_unit = row.unit;
  }

  void add_classified(uint16_t predicted, uint16_t label, const RowWeight& row) {
    if (predicted == label) hits.add(row.own, row.of_unit);
    (label == 1       ? predicted == 1 ? positive.true_positives : positive.false_negatives
     : predicted == 1 ? positive.false_positives
                      : positive.true_negatives)
        .add(row.own, row.of_unit);
    if (classes.empty()) return;
    if (predicted == label) {
      classes[label].true_positives.add(row.own, row.of_unit);
    } else {
      classes[label].false_negatives.add(row.own, row.of_unit);
      classes[predicted].false_positives.add(row.own, row.of_unit);
    }
  }

  void add_error(double value, double target, const RowWeight& weight) {
    errors.push_back({value, target, weight});
    error.add(value, weight);
    absolute_error.add(std::fabs(value), weight);
    squared_error.add(value * value, weight);
  }

  /// num_classes: 0 for a numeric target. Call it after the last row.
  Metrics metrics(size_t num_classes) {
    for (Moments* moments : {&loss, &error, &absolute_error, &squared_error}) moments->close();
    Metrics metrics;
    metrics.num_records = num_units;
    metrics.weight = all.total;
    if (all.records == 0) return metrics;
    metrics.effective_records = all.total / (all.squares / all.total);
    if (!all_are_predicted) return metrics;
    metrics.loss = non_negative(loss);
    if (num_classes == 0) {
      metrics.mean_squared_error = non_negative(squared_error);
      metrics.rmse = root(metrics.mean_squared_error);
      metrics.mean_absolute_error = non_negative(absolute_error);
      metrics.mean_error = error.estimate();
      metrics.r_squared = part_told(errors, all_weight);
      return metrics;
    }
    const WeightedCount misses = all.without(hits);
    metrics.accuracy = weighted_share(hits, misses);
    metrics.error = weighted_share(misses, hits);
    metrics.classes = classes;
    for (ClassCounts& counts : metrics.classes) {
      counts.true_negatives = all.without(
          counts.true_positives.with(counts.false_positives).with(counts.false_negatives));
    }
    if (num_classes != 2) return metrics;
    add_rates(positive, metrics);
    const auto [auc, calibration_gap] = scores.scores();
    metrics.auc = auc;
    metrics.calibration_gap = calibration_gap;
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

/// (num_groups) The weight of the contributing records of each, if they have weights; else 0.
std::vector<double> weights_of_groups(const EncodedTable& table, std::span<const GroupId> group_of,
                                      size_t num_groups) {
  std::vector<double> weights(num_groups, 0.0);
  for (size_t i = 0; i < group_of.size() && !table.weights.empty(); ++i)
    if (table.contributes[i] != 0) weights[index_of(group_of[i])] += table.weights[i];
  return weights;
}

std::vector<Tally> tallies_of(const EncodedTable& table, std::span<const GroupId> group_of,
                              size_t num_groups) {
  std::vector<Tally> tallies;
  for (const double weight : weights_of_groups(table, group_of, num_groups))
    tallies.emplace_back(weight);
  return tallies;
}

/// Adds the scores of several classes for groups in which every record has a prediction. It handles
/// one class after another, so that only the scores of one are in memory at a time.
void add_class_scores(const EncodedTable& table, const Predictions& predictions,
                      std::span<const GroupId> group_of, const std::vector<Tally>& tallies,
                      std::vector<Metrics>& metrics) {
  const size_t num_classes = table.classes.size();
  if (!predictions.has_class_scores(num_classes)) return;
  const auto is_counted = [&](size_t group) { return !metrics[group].classes.empty(); };
  for (size_t k = 0; k < num_classes; ++k) {
    std::vector<ScoreTally> groups;
    for (const Tally& tally : tallies) groups.emplace_back(tally.all_weight);
    RowWeights weights(table);
    for (size_t i = 0; i < group_of.size(); ++i) {
      const size_t group = index_of(group_of[i]);
      if (table.contributes[i] == 0 || !is_counted(group)) continue;
      groups[group].add(predictions.outputs[num_classes * i + k], table.labels[i] == k,
                        weights.of(i), ScoreKind::kProbabilities);
    }
    for (size_t group = 0; group < groups.size(); ++group)
      if (is_counted(group)) metrics[group].class_scores.push_back(groups[group].scores());
  }
}

}  // namespace

std::vector<GroupId> one_group(const EncodedTable& table) {
  return std::vector<GroupId>(static_cast<size_t>(table.num_records), GroupId{0});
}

Interval score_interval(double share, double n, double confidence) {
  if (!(n > 0)) return {kNaN, kNaN};
  const double quantile = normal_quantile(confidence);
  const double squared = quantile * quantile;
  const double centre = (share + squared / (2 * n)) / (1 + squared / n);
  const double half =
      quantile / (1 + squared / n) * std::sqrt(share * (1 - share) / n + squared / (4 * n * n));
  // Ends of 0 and 1 are exact despite rounding.
  return {share == 0 ? 0 : std::fmax(0, centre - half),
          share == 1 ? 1 : std::fmin(1, centre + half)};
}

Interval beta_interval(double share, double trials, double confidence) {
  if (!(trials > 0)) return {kNaN, kNaN};
  const double successes = share * trials;
  const double failures = (1 - share) * trials;
  const double tail = (1 - confidence) / 2;
  return {successes == 0 ? 0 : boost::math::ibeta_inv(successes, failures + 1, tail),
          failures == 0 ? 1 : boost::math::ibetac_inv(successes + 1, failures, tail)};
}

Interval interval_at(const Estimate& estimate, double confidence) {
  const auto& [value, interval, num_effective] = estimate;
  if (num_effective > 0) return score_interval(value, num_effective, confidence);
  const double factor = normal_quantile(confidence) / normal_quantile(kConfidence);
  return {value - factor * (value - interval.low), value + factor * (interval.high - value)};
}

Estimate weighted_share(const WeightedCount& successes, const WeightedCount& failures) {
  const double total = successes.total + failures.total;
  if (!(total > 0)) return {};
  const std::array outcomes = {WeightedOutcome{1, successes}, WeightedOutcome{0, failures}};
  const double num_effective = total / weight_that_counts(outcomes);
  const double share = successes.total / total;
  return {share, score_interval(share, num_effective, kConfidence), num_effective};
}

std::vector<Metrics> group_metrics(const EncodedTable& table, const Predictions& predictions,
                                   std::span<const GroupId> group_of, size_t num_groups,
                                   ScoreKind kind) {
  check_predictions(table, predictions);
  const bool numeric = table.classes.empty();
  std::vector<Tally> tallies = tallies_of(table, group_of, num_groups);
  if (table.classes.size() > 2 && table.classes.size() <= kMaxCountedClasses)
    for (Tally& tally : tallies) tally.classes.resize(table.classes.size());
  RowWeights weights(table);
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    Tally& tally = tallies[index_of(group_of[i])];
    const RowWeight weight = weights.of(i);
    tally.add_row(weight);
    if (!predictions.has_prediction(i)) {
      tally.all_are_predicted = false;
      continue;
    }
    tally.loss.add(predictions.loss[i], weight);
    if (numeric) {
      const double scaled_error = predictions.outputs[i] - static_cast<double>(table.targets[i]);
      tally.add_error(table.target_divisor * scaled_error,
                      table.target_divisor * static_cast<double>(table.targets[i]), weight);
    } else {
      tally.add_classified(predictions.predicted[i], table.labels[i], weight);
      if (table.classes.size() == 2 && predictions.has_class_scores(2))
        tally.scores.add(predictions.outputs[2 * i + 1], table.labels[i] == 1, weight, kind);
    }
  }
  std::vector<Metrics> metrics;
  metrics.reserve(num_groups);
  for (Tally& tally : tallies) metrics.push_back(tally.metrics(table.classes.size()));
  add_class_scores(table, predictions, group_of, tallies, metrics);
  return metrics;
}

Metrics overall_metrics(const EncodedTable& table, const Predictions& predictions, ScoreKind kind) {
  return group_metrics(table, predictions, one_group(table), 1, kind)[0];
}

Metrics class_metrics(const Metrics& metrics, size_t class_index) {
  Metrics result;
  result.num_records = metrics.num_records;
  if (class_index < metrics.classes.size()) add_rates(metrics.classes[class_index], result);
  if (class_index < metrics.class_scores.size()) {
    result.auc = metrics.class_scores[class_index].auc;
    result.calibration_gap = metrics.class_scores[class_index].calibration_gap;
  }
  return result;
}

Estimate paired_difference(const WeightedCount& only_first, const WeightedCount& only_second,
                           const WeightedCount& alike) {
  const double total = only_first.total + only_second.total + alike.total;
  if (!(total > 0)) return {};
  const std::array outcomes = {WeightedOutcome{1, only_first}, WeightedOutcome{-1, only_second},
                               WeightedOutcome{0, alike}};
  const double weight = weight_that_counts(outcomes);
  // Half a pair is added to each of the four outcomes.
  const double n = total / weight + 2;
  const double first = only_first.total / weight + 0.5;
  const double second = only_second.total / weight + 0.5;
  const double centre = (first - second) / n;
  const double half = normal_quantile(kConfidence) *
                      std::sqrt((first + second) / n - centre * centre) / std::sqrt(n);
  const double value = (only_first.total - only_second.total) / total;
  return {value, {std::fmax(-1, centre - half), std::fmin(1, centre + half)}};
}

std::vector<Cost> group_cost(const EncodedTable& table, const Predictions& released,
                             const Predictions& reference, std::span<const GroupId> group_of,
                             size_t num_groups) {
  check_predictions(table, released);
  check_predictions(table, reference);
  struct Pairs {
    WeightedCount only_reference;
    WeightedCount only_released;
    WeightedCount alike;
    int64_t num_records = 0;
    std::optional<size_t> last_unit;
    bool all_are_predicted = true;
    Moments loss;
  };
  const bool numeric = table.classes.empty();
  std::vector<Pairs> pairs;
  for (const double weight : weights_of_groups(table, group_of, num_groups))
    pairs.emplace_back().loss = Moments(weight);
  RowWeights weights(table);
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    Pairs& group = pairs[index_of(group_of[i])];
    const RowWeight weight = weights.of(i);
    if (!weight.unit || weight.unit != group.last_unit) ++group.num_records;
    group.last_unit = weight.unit;
    if (!released.has_prediction(i) || !reference.has_prediction(i)) {
      group.all_are_predicted = false;
      continue;
    }
    group.loss.add(released.loss[i] - reference.loss[i], weight);
    if (numeric) continue;
    const bool by_reference = reference.predicted[i] == table.labels[i];
    const bool by_released = released.predicted[i] == table.labels[i];
    (by_reference == by_released ? group.alike
     : by_reference              ? group.only_reference
                                 : group.only_released)
        .add(weight.own, weight.of_unit);
  }
  std::vector<Cost> costs;
  costs.reserve(num_groups);
  for (Pairs& group : pairs) {
    group.loss.close();
    Cost& cost = costs.emplace_back();
    cost.num_records = group.num_records;
    if (!group.all_are_predicted) continue;
    cost.loss = group.loss.estimate();
    if (!numeric)
      cost.accuracy = paired_difference(group.only_reference, group.only_released, group.alike);
  }
  return costs;
}

Cost overall_cost(const EncodedTable& table, const Predictions& released,
                  const Predictions& reference) {
  return group_cost(table, released, reference, one_group(table), 1)[0];
}

}  // namespace equinoise
