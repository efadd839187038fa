// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// The rates if records are predicted positive from a threshold on.
struct RocPoint {
  double threshold = 0;
  double false_positive_rate = 0;
  double true_positive_rate = 0;
};

/// The records with a predicted probability within [low, high), or 1 in the last bin.
struct CalibrationBin {
  double low = 0;
  double high = 0;
  int64_t num_records = 0;
  double mean_probability = 0;  ///< NaN without records
  Estimate share;               ///< of the positive among them; NaN without records
};

/// Curves of the scores of some records, by weight if the table has weights. If it has units of
/// several rows, shares have intervals as in Metrics, and counts are of rows. Not private. Both
/// curves are empty if the area under the curve is undefined for lack of scores.
struct ScoreCurves {
  /// Points from the highest threshold down, without (0, 0); the last one is (1, 1). Each is exact;
  /// of more than kMaxRocPoints distinct scores only that many are listed. Empty if a class has no
  /// records.
  std::vector<RocPoint> roc;
  std::vector<CalibrationBin> calibration;  ///< kNumCalibrationBins, for probabilities; else empty
};

inline constexpr size_t kMaxRocPoints = 100;
inline constexpr size_t kNumCalibrationBins = 10;

/// The curves of each group of contributing records of a table with two classes; `group_of` has one
/// entry per record. Result: (num_groups). It is empty if there are no scores, because of another
/// number of classes or predictions without probabilities. As in Metrics, a group in which some
/// record has no prediction has no curves.
std::vector<ScoreCurves> score_curves(const EncodedTable& table, const Predictions& predictions,
                                      std::span<const GroupId> group_of, size_t num_groups,
                                      ScoreKind kind = ScoreKind::kProbabilities);

/// The curves of each of several classes, up to kMaxCountedClasses, by its own probability, one
/// class against the rest: (num_classes) of (num_groups), or empty as above.
std::vector<std::vector<ScoreCurves>> class_curves(const EncodedTable& table,
                                                   const Predictions& predictions,
                                                   std::span<const GroupId> group_of,
                                                   size_t num_groups);

}  // namespace equinoise
