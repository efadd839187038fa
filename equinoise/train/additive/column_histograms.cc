// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/column_histograms.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/rounding.h"
#include "equinoise/train/additive/additive_descent.h"
#include "equinoise/train/integer_sum.h"

namespace equinoise {

namespace {

/// A record's contribution to the fine cell of a number, relative to 1 for its bin. It is larger
/// because single values are searched among many cells.
constexpr int64_t kFineWeight = 3;

constexpr double kMomentWeight = 2;

/// The units per count handed to the sampler, so that rounding its noise is negligible.
constexpr int64_t kParts = 64;

}  // namespace

ColumnHistograms::ColumnHistograms(const AdditiveModel& model, const EncodedTable& table,
                                   const TargetScale& target)
    : target_(target) {
  size_t at = 0;
  for (size_t c = 0; c < table.num_active; ++c) {
    const uint32_t end = c + 1 < table.num_active ? table.blocks[c + 1] : table.num_features;
    Column& column = columns_.emplace_back();
    column.cells = c < model.cells().size() ? &model.cells()[c] : nullptr;
    column.coarse = at;
    column.num_bins = column.cells != nullptr ? column.cells->num_bins() : end - table.blocks[c];
    at += column.num_bins;
    column.fine = at;
    if (!column.is_finer()) continue;
    at += column.cells->size();
    ++num_finer_;
  }
  size_ = at + (has_moments() ? 2 : 0);
}

std::vector<int64_t> ColumnHistograms::count(const EncodedTable& table, int threads) const {
  return sum_over_rows(table, size_, kRecordsWorthAThread, threads,
                       [&](IndexRange rows, std::span<int64_t> units) { add(table, rows, units); });
}

double ColumnHistograms::sensitivity() const {
  const double squares = static_cast<double>(columns_.size()) +
                         static_cast<double>(num_finer_ * kFineWeight * kFineWeight) +
                         (has_moments() ? 2 * std::pow(kMomentWeight + 0.5 / kParts, 2) : 0);
  return round_up(std::sqrt(squares), 1e-12) * kParts;
}

AdditiveDesign ColumnHistograms::design(std::span<const int64_t> units, double noise_multiplier,
                                        double num_records) const {
  const double noise = noise_multiplier * sensitivity() / kParts;
  const CountNoise of_counts = {noise, noise / kFineWeight};
  const auto counts_of = [&](size_t begin, size_t size, int64_t weight) {
    std::vector<double> counts;
    for (const int64_t unit : units.subspan(begin, size))
      counts.push_back(static_cast<double>(unit) / static_cast<double>(kParts * weight));
    return counts;
  };
  std::vector<ColumnBins> bins;
  std::vector<std::vector<double>> lines;
  for (const Column& column : columns_) {
    const std::vector<double> coarse = counts_of(column.coarse, column.num_bins, 1);
    std::vector<double>& line = lines.emplace_back();
    if (column.cells == nullptr) {
      ColumnBins& categories = bins.emplace_back();
      categories.counts = coarse;
      for (uint32_t k = 0; k < column.num_bins; ++k) categories.of_cell.push_back(k);
      continue;
    }
    const size_t num_fine = column.is_finer() ? column.cells->size() : 0;
    bins.push_back(column_bins(*column.cells, coarse, counts_of(column.fine, num_fine, kFineWeight),
                               of_counts, num_records));
    for (size_t cell = 0; cell < column.cells->size(); ++cell)
      line.push_back(column.cells->position_of(cell));
  }
  return {std::move(bins), std::move(lines), std::max(noise, 1.0)};
}

TargetScale ColumnHistograms::target(std::span<const int64_t> units, double noise_multiplier,
                                     double num_records) const {
  constexpr double kMinSpread = 0.05;  // of what the bounds say
  TargetScale target = target_;
  if (!has_moments()) return target;
  const double unit = 1 / (kParts * kMomentWeight * num_records);
  const double noise = noise_multiplier * sensitivity() * unit;
  const double first = std::clamp(static_cast<double>(units[size_ - 2]) * unit, -1.0, 1.0);
  const double second = std::clamp(static_cast<double>(units[size_ - 1]) * unit, 0.0, 1.0);
  const double middle = (target_.lower + target_.upper) / 2;
  const double half = target_.width() / 2;
  target.middle = middle + half * first;
  // Noise that hides a small variance makes it larger, not 0.
  target.spread = std::clamp(half * std::sqrt(std::max(second - first * first, 0.0) + noise),
                             kMinSpread * target_.spread, target_.spread);
  return target;
}

void ColumnHistograms::add(const EncodedTable& table, IndexRange range,
                           std::span<int64_t> units) const {
  for (size_t i = range.begin; i < range.end; ++i) {
    if (table.contributes[i] == 0) continue;
    const int64_t parts = table.count_of(i) * kParts;
    if (has_moments() && std::isfinite(table.targets[i])) {
      const double place =
          (static_cast<double>(table.targets[i]) - target_.lower) / target_.width();
      const double scaled = std::clamp(2 * place - 1, -1.0, 1.0);
      const auto units_of = [&](double value) {
        return table.count_of(i) * std::llround(kParts * kMomentWeight * value);
      };
      units[size_ - 2] += units_of(scaled);
      units[size_ - 1] += units_of(scaled * scaled);
    }
    const std::span<const uint32_t> active = table.active_row(static_cast<int64_t>(i));
    for (size_t c = 0; c < columns_.size(); ++c) {
      const uint32_t cell = active[c] - table.blocks[c];
      const Column& column = columns_[c];
      units[column.coarse + (column.cells != nullptr ? column.cells->bin_of(cell) : cell)] += parts;
      if (column.is_finer()) units[column.fine + cell] += kFineWeight * parts;
    }
  }
}

}  // namespace equinoise
