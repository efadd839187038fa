// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/postprocessing/score_histogram.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace equinoise {

namespace {

constexpr double kBinWidth = 2 * ScoreHistogram::kReach / ScoreHistogram::kBins;

/// The position of a score among the bins, 0 to kBins.
double bin_position(double score) {
  return std::clamp((score + ScoreHistogram::kReach) / kBinWidth, 0.0,
                    static_cast<double>(ScoreHistogram::kBins));
}

/// Moves the values to the nearest ones, in L2, that are not negative and have the sum `total`.
void project_on_simplex(double total, std::span<double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted, std::greater<>());
  double sum = 0;
  double shift = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    const double of_first = (sum - total) / static_cast<double>(i + 1);
    if (i == 0 || sorted[i] > of_first) shift = of_first;
  }
  for (double& value : values) value = std::max(value - shift, 0.0);
}

}  // namespace

ScoreHistogram::ScoreHistogram(size_t num_groups, size_t num_labels, std::span<const double> counts)
    : num_labels_(num_labels) {
  const size_t of_group = num_labels * kBins;
  for (size_t k = 0; k < num_groups; ++k) {
    const std::span<const double> noisy = counts.subspan(k * of_group, of_group);
    std::vector<double> own(noisy.begin(), noisy.end());
    double sum = 0;
    for (const double count : own) sum += count;
    sizes_.push_back(std::max(sum, 0.0));
    project_on_simplex(sizes_.back(), own);
    for (size_t label = 0; label < num_labels; ++label) {
      const size_t begin = above_.size();
      above_.resize(begin + kBins + 1, 0.0);
      for (size_t bin = kBins; bin-- > 0;)
        above_[begin + bin] = above_[begin + bin + 1] + own[label * kBins + bin];
    }
  }
}

double ScoreHistogram::num_above(size_t group, size_t label, double threshold) const {
  const double position = bin_position(threshold);
  const auto bin = std::min(static_cast<size_t>(position), kBins - 1);
  const double* above = above_.data() + begin_of(group, label) + bin;
  return above[0] - (position - static_cast<double>(bin)) * (above[0] - above[1]);
}

std::vector<int64_t> count_scores(const EncodedTable& table, const Model& model,
                                  std::span<const double> parameters, size_t num_groups,
                                  size_t num_labels) {
  std::vector<int64_t> counts(num_groups * num_labels * ScoreHistogram::kBins, 0);
  PerSample samples;
  std::vector<uint32_t> records;
  const auto num_rows = static_cast<size_t>(table.num_records);
  const size_t tile = model.max_tile_records();
  for (size_t begin = 0; begin < num_rows; begin += tile) {
    records.resize(std::min(tile, num_rows - begin));
    std::iota(records.begin(), records.end(), static_cast<uint32_t>(begin));
    model.score({table, records}, parameters, samples);
    for (size_t i = 0; i < records.size(); ++i) {
      const double score = samples.output_gradient[i];
      const size_t group = index_of(table.groups[records[i]]);
      if (table.contributes[records[i]] == 0 || group >= num_groups || !std::isfinite(score))
        continue;
      const size_t label = num_labels == 1 ? 0 : table.labels[records[i]];
      const auto bin =
          std::min(static_cast<size_t>(bin_position(score)), ScoreHistogram::kBins - 1);
      counts[(group * num_labels + label) * ScoreHistogram::kBins + bin] +=
          table.count_of(records[i]);
    }
  }
  return counts;
}

}  // namespace equinoise
