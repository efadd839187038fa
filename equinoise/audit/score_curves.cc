// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/score_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/audit/row_weights.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Scored {
  double score = 0;
  bool is_positive = false;
  RowWeight weight;
};

std::vector<RocPoint> roc_of(std::vector<Scored>& records) {
  WeightedCount positives;
  WeightedCount negatives;
  for (const Scored& one : records) (one.is_positive ? positives : negatives).add(one.weight.own);
  if (positives.records == 0 || negatives.records == 0) return {};
  std::ranges::sort(records, std::greater(), &Scored::score);
  std::vector<RocPoint> points;
  WeightedCount found;
  WeightedCount wrong;
  for (size_t i = 0; i < records.size(); ++i) {
    (records[i].is_positive ? found : wrong).add(records[i].weight.own);
    if (i + 1 < records.size() && records[i + 1].score == records[i].score) continue;
    // The last part of a class is all of it, however sums are rounded.
    const auto part = [](const WeightedCount& some, const WeightedCount& all) {
      return some.records == all.records ? 1 : std::fmin(1, some.total / all.total);
    };
    points.push_back({records[i].score, part(wrong, negatives), part(found, positives)});
  }
  if (points.size() <= kMaxRocPoints) return points;
  std::vector<RocPoint> kept;
  for (size_t i = 0; i < kMaxRocPoints; ++i)
    kept.push_back(points[i * (points.size() - 1) / (kMaxRocPoints - 1)]);
  return kept;
}

std::vector<CalibrationBin> bins_of(const std::vector<Scored>& records) {
  struct Sum {
    WeightedCount positives;
    WeightedCount negatives;
    double probabilities = 0;
  };
  constexpr auto kBins = static_cast<double>(kNumCalibrationBins);
  std::vector<Sum> sums(kNumCalibrationBins);
  for (const auto& [probability, is_positive, weight] : records) {
    const double place = std::clamp(std::floor(probability * kBins), 0.0, kBins - 1);
    Sum& sum = sums[static_cast<size_t>(place)];
    (is_positive ? sum.positives : sum.negatives).add(weight.own, weight.of_unit);
    sum.probabilities += weight.own * probability;
  }
  std::vector<CalibrationBin> bins;
  for (size_t i = 0; i < sums.size(); ++i) {
    const Sum& sum = sums[i];
    const WeightedCount all = sum.positives.with(sum.negatives);
    CalibrationBin& bin = bins.emplace_back();
    bin.low = static_cast<double>(i) / kBins;
    bin.high = static_cast<double>(i + 1) / kBins;
    bin.num_records = all.records;
    bin.mean_probability = all.records == 0 ? kNaN : sum.probabilities / all.total;
    bin.share = weighted_share(sum.positives, sum.negatives);
  }
  return bins;
}

/// (num_groups) the curves of one class by its probability, it against the rest.
std::vector<ScoreCurves> curves_of_class(const EncodedTable& table, const Predictions& predictions,
                                         std::span<const GroupId> group_of, size_t num_groups,
                                         size_t of_class, ScoreKind kind) {
  std::vector<std::vector<Scored>> records(num_groups);
  std::vector<bool> is_complete(num_groups, true);
  RowWeights weights(table);
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    const size_t group = index_of(group_of[i]);
    if (!predictions.has_prediction(i)) is_complete[group] = false;
    records[group].push_back({predictions.outputs[predictions.num_outputs * i + of_class],
                              table.labels[i] == of_class, weights.of(i)});
  }
  std::vector<ScoreCurves> curves(num_groups);
  for (size_t group = 0; group < num_groups; ++group) {
    if (!is_complete[group] || records[group].empty()) continue;
    curves[group].roc = roc_of(records[group]);
    if (kind == ScoreKind::kProbabilities) curves[group].calibration = bins_of(records[group]);
  }
  return curves;
}

}  // namespace

std::vector<ScoreCurves> score_curves(const EncodedTable& table, const Predictions& predictions,
                                      std::span<const GroupId> group_of, size_t num_groups,
                                      ScoreKind kind) {
  if (table.classes.size() != 2 || !predictions.has_class_scores(2)) return {};
  return curves_of_class(table, predictions, group_of, num_groups, 1, kind);
}

std::vector<std::vector<ScoreCurves>> class_curves(const EncodedTable& table,
                                                   const Predictions& predictions,
                                                   std::span<const GroupId> group_of,
                                                   size_t num_groups) {
  const size_t num_classes = table.classes.size();
  if (num_classes <= 2 || num_classes > kMaxCountedClasses ||
      !predictions.has_class_scores(num_classes))
    return {};
  std::vector<std::vector<ScoreCurves>> curves;
  for (size_t k = 0; k < num_classes; ++k) {
    curves.push_back(
        curves_of_class(table, predictions, group_of, num_groups, k, ScoreKind::kProbabilities));
  }
  return curves;
}

}  // namespace equinoise
