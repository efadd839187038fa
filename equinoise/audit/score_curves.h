// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// The rates of those who are predicted positive from a threshold on.
struct RocPoint {
  double threshold = 0;
  double false_positive_rate = 0;
  double true_positive_rate = 0;
};

/// The records whose predicted probability is within [low, high), or 1 in the last bin.
struct CalibrationBin {
  double low = 0;
  double high = 0;
  int64_t num_records = 0;
  double mean_probability = 0;  ///< NaN without records
  Estimate share;               ///< of the positive among them; NaN without records
};

/// How the scores of some records order and measure them, by weight where the table has weights;
/// where it has units of several rows shares have intervals as of Metrics, and counts are of rows.
/// Not private. Both are empty where the area under the curve is undefined for lack of scores.
struct ScoreCurves {
  /// From the highest threshold down, the point (0, 0) of none left out; the last is (1, 1). Each
  /// is exact; of more than kMaxRocPoints distinct scores only so many are listed. Empty where a
  /// class has no records.
  std::vector<RocPoint> roc;
  std::vector<CalibrationBin> calibration;  ///< kNumCalibrationBins, of probabilities; else empty
};

inline constexpr size_t kMaxRocPoints = 100;
inline constexpr size_t kNumCalibrationBins = 10;

/// The curves of each group of contributing records of a table with two classes; `group_of` has one
/// entry per record. Result: (num_groups), or empty where there are no scores: another number of
/// classes, or predictions without probabilities. As of Metrics, a group some records of which have
/// no prediction has none.
std::vector<ScoreCurves> score_curves(const EncodedTable& table, const Predictions& predictions,
                                      std::span<const GroupId> group_of, size_t num_groups,
                                      ScoreKind kind = ScoreKind::kProbabilities);

/// Those of all records: (1), or empty as above.
std::vector<ScoreCurves> overall_curves(const EncodedTable& table, const Predictions& predictions,
                                        ScoreKind kind = ScoreKind::kProbabilities);

/// The curves of each of several classes, up to kMaxCountedClasses, by its own probability, it
/// against the rest: (num_classes) of (num_groups), or empty as above.
std::vector<std::vector<ScoreCurves>> class_curves(const EncodedTable& table,
                                                   const Predictions& predictions,
                                                   std::span<const GroupId> group_of,
                                                   size_t num_groups);

/// Those of all records: (num_classes), or empty as above.
std::vector<ScoreCurves> overall_class_curves(const EncodedTable& table,
                                              const Predictions& predictions);

}  // namespace equinoise
