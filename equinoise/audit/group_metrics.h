// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "equinoise/audit/weighted_count.h"
#include "equinoise/base/interval.h"
#include "equinoise/data/encoder.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// An estimate with its interval. NaN if there is none.
struct Estimate {
  double value = std::numeric_limits<double>::quiet_NaN();
  Interval interval{value, value};
  /// The number of records of equal weight, each a unit by itself, with the same certainty, for a
  /// rate.
  double num_effective = std::numeric_limits<double>::quiet_NaN();
};

/// The counts of one class: its records and others, predicted to be of it or not.
struct ClassCounts {
  WeightedCount true_positives;
  WeightedCount false_positives;
  WeightedCount false_negatives;
  WeightedCount true_negatives;
};

/// The quality of one class's probabilities, as in Metrics for a positive class.
struct ClassScores {
  Estimate auc;
  Estimate calibration_gap;
};

/// The largest number of classes whose rates are counted one by one.
inline constexpr size_t kMaxCountedClasses = 100;

/// The kind of a two-class prediction's numbers. For scores only their order counts.
enum class ScoreKind { kProbabilities, kScores };

/// The performance of a model on some records. Not private. Intervals cover the choice of these
/// records, not the noise in training. Figures that do not apply to the model are NaN, and so is a
/// rate without records. If some records have no prediction (Predictions::has_prediction), all
/// figures are NaN.
///
/// If the table has units of several rows (EncodedTable::unit_begin), units are the independent
/// observations, and each counts by the weights of its rows, usually as one. Means have the
/// interval of the means of units. Rates have that of as many records as their denominator weighs
/// in units. It is at least as wide, since a unit's mean varies no more than one row would
/// (weight_that_counts()). num_records is then a number of units; num_positives and num_selected
/// are of rows.
///
/// If the table has weights (EncodedTable::weights), every figure is of the records by their
/// weights; counts are of records. Intervals are those of the number of equally weighted records
/// with the same certainty: for a rate by its design effect (weight_that_counts()), for means by
/// the jackknife [EfronStein1981], which leaves out one record at a time. With equal weights both
/// equal the unweighted intervals.
struct Metrics {
  int64_t num_records = 0;  ///< that contribute; if 0, all estimates are NaN
  double weight = 0;        ///< of these together
  /// (sum of weights)^2 / sum of their squares [Kish1992]: the number of equally weighted records
  /// with the same certainty, if weights and outcomes were unrelated.
  double effective_records = 0;
  Estimate loss;  ///< mean and normal interval
  // A categorical target. Proportions have the score interval without continuity correction
  // [Wilson1927].
  Estimate accuracy;
  Estimate error;  ///< 1 - accuracy
  // Figures of a target with two classes; the second one is the positive one. Deviation: a rate
  // with an empty denominator is NaN, which fairlearn calls 0 (docs/pitfalls.md).
  int64_t num_positives = 0;     ///< records of the positive class
  int64_t num_selected = 0;      ///< records predicted positive
  Estimate selection_rate;       ///< predicted positive
  Estimate true_positive_rate;   ///< predicted positive among the positive
  Estimate false_positive_rate;  ///< predicted positive among the negative
  Estimate false_negative_rate;  ///< predicted negative among the positive
  Estimate precision;            ///< positive among the predicted positive
  /// The share of pairs of a positive and a negative record in which the positive one has the
  /// higher probability, half of ties counted, with the interval of [DeLongEtAl1988]; without
  /// probabilities NaN.
  Estimate auc;
  /// Mean predicted probability minus the share of positives; without probabilities NaN.
  Estimate calibration_gap;
  /// (num_classes) for a target with more than two classes, up to kMaxCountedClasses; else empty.
  std::vector<ClassCounts> classes;
  std::vector<ClassScores> class_scores;  ///< (num_classes) likewise; empty without probabilities
  // A numeric target, in its own units. Means have the normal interval.
  Estimate rmse;  ///< root of the mean squared error and of the ends of its interval
  Estimate mean_squared_error;
  Estimate mean_absolute_error;
  Estimate mean_error;  ///< mean of prediction - target
  Estimate r_squared;   ///< 1 - mean squared error / variance of the targets of these records
};

/// The score interval for a share of `trials` records, which need not be whole [Wilson1927]. NaN
/// without trials.
Interval score_interval(double share, double trials, double confidence = 0.95);

/// The exact interval for such a share. For weighted records `trials` is their effective size
/// [KornGraubard1998], with which it covers approximately.
Interval beta_interval(double share, double trials, double confidence = 0.95);

/// The interval of an estimate at another confidence: for a rate the score interval, else with each
/// end's distance multiplied by the quotient of the normal quantiles.
Interval interval_at(const Estimate& estimate, double confidence);

/// The share of `successes` among these and `failures`, by weight, with its score interval. NaN
/// without records.
Estimate weighted_share(const WeightedCount& successes, const WeightedCount& failures);

/// (only_first - only_second) / all, by weight, for proportions of the same records, at 95 %. NaN
/// without records. alike: the records of which both or neither succeeded.
Estimate paired_difference(const WeightedCount& only_first, const WeightedCount& only_second,
                           const WeightedCount& alike);

/// (records) All in group 0.
std::vector<GroupId> one_group(const EncodedTable& table);

/// Metrics of the contributing records, overall. Scores have no calibration gap. Errors: kUsage
/// unless `table` holds the target and `predictions` are of its records.
Metrics overall_metrics(const EncodedTable& table, const Predictions& predictions,
                        ScoreKind kind = ScoreKind::kProbabilities);

/// Metrics of each group; `group_of` has one entry per record of `table`. Result: (num_groups).
/// Errors: as overall_metrics.
std::vector<Metrics> group_metrics(const EncodedTable& table, const Predictions& predictions,
                                   std::span<const GroupId> group_of, size_t num_groups,
                                   ScoreKind kind = ScoreKind::kProbabilities);

/// The rates of one class of several as those of two classes, it and the rest: its counts in
/// `metrics`, with the rates of a positive class, and the quality of its probabilities. All other
/// figures are NaN; without counts all are NaN. Pre: the class is one of the target's.
Metrics class_metrics(const Metrics& metrics, size_t class_index);

/// The loss of a released model against a reference on the same records; NaN if one of them has no
/// prediction for some of these.
struct Cost {
  /// Accuracy of the reference minus that of the released model, with the adjusted interval for
  /// paired proportions, which is never of width 0 [AgrestiMin2005]. NaN for a numeric target.
  Estimate accuracy;
  /// Mean loss of the released model minus that of the reference, with the paired normal interval.
  Estimate loss;
  int64_t num_records = 0;
};

/// The cost over the contributing records. Errors: as overall_metrics.
Cost overall_cost(const EncodedTable& table, const Predictions& released,
                  const Predictions& reference);

/// The cost for each group. Result: (num_groups).
std::vector<Cost> group_cost(const EncodedTable& table, const Predictions& released,
                             const Predictions& reference, std::span<const GroupId> group_of,
                             size_t num_groups);

}  // namespace equinoise
