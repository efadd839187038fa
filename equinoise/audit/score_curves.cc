// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/score_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A record's score and whether it is positive.
using Scored = std::pair<double, bool>;

std::vector<RocPoint> roc_of(std::vector<Scored>& records) {
  const auto num_positives =
      std::count_if(records.begin(), records.end(), [](const Scored& one) { return one.second; });
  const auto num_negatives = std::ssize(records) - num_positives;
  if (num_positives == 0 || num_negatives == 0) return {};
  std::sort(records.begin(), records.end(),
            [](const Scored& a, const Scored& b) { return a.first > b.first; });
  std::vector<RocPoint> points;
  int64_t found = 0;
  int64_t wrong = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    ++(records[i].second ? found : wrong);
    if (i + 1 < records.size() && records[i + 1].first == records[i].first) continue;
    points.push_back({records[i].first,
                      static_cast<double>(wrong) / static_cast<double>(num_negatives),
                      static_cast<double>(found) / static_cast<double>(num_positives)});
  }
  if (points.size() <= kMaxRocPoints) return points;
  std::vector<RocPoint> kept;
  for (size_t i = 0; i < kMaxRocPoints; ++i)
    kept.push_back(points[i * (points.size() - 1) / (kMaxRocPoints - 1)]);
  return kept;
}

std::vector<CalibrationBin> bins_of(const std::vector<Scored>& records) {
  struct Sum {
    int64_t count = 0;
    int64_t positives = 0;
    double probabilities = 0;
  };
  constexpr auto kBins = static_cast<double>(kNumCalibrationBins);
  std::vector<Sum> sums(kNumCalibrationBins);
  for (const auto& [probability, positive] : records) {
    const double place = std::clamp(std::floor(probability * kBins), 0.0, kBins - 1);
    Sum& sum = sums[static_cast<size_t>(place)];
    ++sum.count;
    sum.positives += positive ? 1 : 0;
    sum.probabilities += probability;
  }
  std::vector<CalibrationBin> bins;
  for (size_t i = 0; i < sums.size(); ++i) {
    const Sum& sum = sums[i];
    const auto count = static_cast<double>(sum.count);
    CalibrationBin& bin = bins.emplace_back();
    bin.low = static_cast<double>(i) / kBins;
    bin.high = static_cast<double>(i + 1) / kBins;
    bin.num_records = sum.count;
    bin.mean_probability = sum.count == 0 ? kNaN : sum.probabilities / count;
    if (sum.count > 0) {
      bin.share = {static_cast<double>(sum.positives) / count,
                   score_interval(sum.positives, sum.count)};
    }
  }
  return bins;
}

}  // namespace

std::vector<ScoreCurves> score_curves(const EncodedTable& table, const Predictions& predictions,
                                      std::span<const GroupId> group_of, size_t num_groups,
                                      ScoreKind kind) {
  if (table.classes.size() != 2 || !predictions.has_probabilities || predictions.outputs.empty())
    return {};
  std::vector<std::vector<Scored>> records(num_groups);
  std::vector<bool> is_complete(num_groups, true);
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    const size_t group = index_of(group_of[i]);
    if (!predictions.has_prediction(i)) is_complete[group] = false;
    records[group].emplace_back(predictions.outputs[2 * i + 1], table.labels[i] == 1);
  }
  std::vector<ScoreCurves> curves(num_groups);
  for (size_t group = 0; group < num_groups; ++group) {
    if (!is_complete[group] || records[group].empty()) continue;
    curves[group].roc = roc_of(records[group]);
    if (kind == ScoreKind::kProbabilities) curves[group].calibration = bins_of(records[group]);
  }
  return curves;
}

std::vector<ScoreCurves> overall_curves(const EncodedTable& table, const Predictions& predictions,
                                        ScoreKind kind) {
  const std::vector<GroupId> everybody(static_cast<size_t>(table.num_records), GroupId{0});
  return score_curves(table, predictions, everybody, 1, kind);
}

}  // namespace equinoise
