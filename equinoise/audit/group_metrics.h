#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// A two-sided 95 % confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
};

/// An estimate with its interval.
struct Estimate {
  double value = 0;
  Interval interval;
};

/// How a model does on some records. Not private. Intervals speak of the choice of these records,
/// not of the noise in training.
struct Metrics {
  int64_t num_records = 0;  ///< records that contribute; with 0 the estimates are NaN
  Estimate accuracy;        ///< score interval without continuity correction [Wilson1927]
  Estimate loss;            ///< mean and normal interval
};

/// What a model predicts and loses on every record of a table: (num_records) each.
struct Predictions {
  std::vector<uint16_t> predicted;
  std::vector<double> loss;
};

Predictions predict_all(const Model& model, const EncodedTable& table,
                        std::span<const double> parameters);

/// The score interval for `successes` of `trials` at 95 %. NaN without trials.
Interval score_interval(int64_t successes, int64_t trials);

/// (only_first - only_second) / pairs, for proportions seen on the same records, at 95 %. NaN
/// without pairs.
Estimate paired_difference(int64_t only_first, int64_t only_second, int64_t pairs);

/// Metrics of the contributing records, overall.
Metrics overall_metrics(const EncodedTable& table, const Predictions& predictions);

/// Metrics of each group; `group_of` has one entry per record of `table`. Result: (num_groups).
std::vector<Metrics> group_metrics(const EncodedTable& table, const Predictions& predictions,
                                   std::span<const GroupId> group_of, size_t num_groups);

/// Accuracy of `reference` minus accuracy of `released` on the same records, with the adjusted
/// interval for paired proportions, which is never of width 0. [AgrestiMin2005]
Estimate overall_accuracy_cost(const EncodedTable& table, const Predictions& released,
                               const Predictions& reference);

/// The same for each group. Result: (num_groups).
std::vector<Estimate> group_accuracy_cost(const EncodedTable& table, const Predictions& released,
                                          const Predictions& reference,
                                          std::span<const GroupId> group_of, size_t num_groups);

}  // namespace equinoise
