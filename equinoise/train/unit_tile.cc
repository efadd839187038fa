// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/unit_tile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace equinoise {

namespace {

constexpr double kNoUnitNorm = std::numeric_limits<double>::quiet_NaN();

/// The largest norm, in bounds, of a weighted row that is added as a record.
constexpr double kRoomToCancel = 16;

/// The margin of a squared norm over that of the integers for another weight.
constexpr double kRoomToTruncate = 1 + 0x1p-10;

/// More than the roundings of two norms that are compared.
constexpr double kRoomToCompare = 1 + 0x1p-48;

/// The most times that a norm is raised.
constexpr int kMaxRaises = 3;

/// The squared norm, raised as the header says.
double raised_squared_norm(std::span<const double> values) {
  // Several sums at once; a single one would wait for each addition.
  constexpr size_t kLanes = 16;
  std::array<double, kLanes> sums = {};
  size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += values[i + lane] * values[i + lane];
  double squared = std::numeric_limits<double>::min();
  for (; i < values.size(); ++i) squared += values[i] * values[i];
  for (const double sum : sums) squared += sum;
  return squared * (1 + (static_cast<double>(values.size()) + 32) * 0x1p-52);
}

/// Adds factor * gradient, truncated towards zero where sums are integers.
template <typename Sum>
void add_scaled(const GradientSum& gradient, double factor, std::span<Sum> sum) {
  if (gradient.indices.empty()) {
    for (size_t j = 0; j < gradient.values.size(); ++j)
      sum[j] += static_cast<Sum>(factor * gradient.values[j]);
  } else {
    for (size_t i = 0; i < gradient.values.size(); ++i)
      sum[gradient.indices[i]] += static_cast<Sum>(factor * gradient.values[i]);
  }
}

}  // namespace

template <typename Sum>
SumScale UnitTile<Sum>::scale_of(const Model& model, double bound, double grid) {
  const double row_bound = kRoomToCancel * bound;
  return {model.exact_grid({grid, row_bound}), row_bound};
}

template <typename Sum>
std::vector<CountedRecords> UnitTile<Sum>::cut(const EncodedTable& table, const Model& model,
                                               const CountedRecords& batch) {
  std::vector<CountedRecords> tiles;
  for (size_t begin = 0; begin < batch.size();) {
    size_t end = begin;
    size_t num_rows = 0;
    for (; end < batch.size(); ++end) {
      const uint32_t unit = batch.records[end];
      num_rows += table.unit_begin[unit + 1] - table.unit_begin[unit];
      if (num_rows > model.max_tile_records() && end > begin) break;
    }
    tiles.push_back(batch.subspan(begin, end - begin));
    begin = end;
  }
  return tiles;
}

template <typename Sum>
void UnitTile<Sum>::fill(const CountedRecords& units, std::span<const double> parameters,
                         Scratch& scratch) {
  rows_.clear();
  units_.clear();
  for (const uint32_t unit : units.records) {
    const size_t begin = rows_.size();
    for (uint32_t row = table_->unit_begin[unit]; row < table_->unit_begin[unit + 1]; ++row)
      if (table_->contributes[row] != 0) rows_.push_back(row);
    if (rows_.size() == begin) continue;
    const GroupId group = clip_->num_groups() > 0 ? table_->groups[rows_[begin]] : GroupId(0);
    units_.push_back({begin, rows_.size(), Way::kSummed, kNoUnitNorm, group});
  }
  if (rows_.empty() || is_long()) return;
  model_->per_sample({*table_, rows_}, parameters, samples_);
  for (Unit& unit : units_) look_at(unit, scratch);
}

template <typename Sum>
void UnitTile<Sum>::look_at(Unit& unit, Scratch& scratch) const {
  size_t num_gradients = 0;
  double sum_of_norms = 0;
  for (size_t row = unit.begin; row < unit.end; ++row) {
    if (!has_gradient(row)) continue;
    ++num_gradients;
    unit.squared_norm = samples_.squared_norm[row];
    sum_of_norms += std::sqrt(samples_.squared_norm[row]);
  }
  if (num_gradients <= 1) {
    unit.way = num_gradients == 0 ? Way::kNone : Way::kAsRecord;
  } else if (std::is_same_v<Sum, int64_t> && model_->has_sum_norms()) {
    unit.way = Way::kAsRecords;
    // A weight at which no row is longer than the scale's bound, whatever the rows.
    const SumScale scale = scale_of(*model_, 1, 1);
    const double weight = scale.bound / sum_of_norms;
    const double norm = norm_as_records(unit, weight, scale, scratch) / weight;
    unit.squared_norm = norm * norm * kRoomToTruncate;
  }
}

template <typename Sum>
void UnitTile<Sum>::count(std::span<const double> parameters, Scratch& scratch,
                          std::span<int64_t> counts) {
  for_each(parameters, scratch, [&](const Unit& unit, double squared_norm) {
    clip_->add_counts(norms_of(squared_norm, unit.group), counts);
  });
}

template <typename Sum>
void UnitTile<Sum>::add(std::span<const double> parameters, const SumScale& scale, Scratch& scratch,
                        std::span<int64_t> counts, std::span<Sum> sum) {
  scratch.weights.assign(rows_.size(), 0.0);
  bool has_records = false;
  for_each(parameters, scratch, [&](const Unit& unit, double squared_norm) {
    if (!counts.empty()) clip_->add_counts(norms_of(squared_norm, unit.group), counts);
    std::optional<double> weight;
    scratch.is_cut = false;
    if (unit.way == Way::kAsRecord) weight = weight_of(squared_norm, unit.group, scratch);
    if (unit.way == Way::kAsRecords) {
      weight = weight_as_records(unit, scale, scratch);
      if (!weight) squared_norm = sum_gradients(unit, scratch);
    }
    if (weight) {
      has_records = has_records || *weight != 0;
      for (size_t row = unit.begin; row < unit.end; ++row)
        if (has_gradient(row)) scratch.weights[row] = *weight;
    } else {
      // The grid is a power of two, so the quotient is exact.
      const double factor = weight_of(squared_norm, unit.group, scratch) / scale.grid;
      if (factor != 0) add_scaled<Sum>(scratch.gradient, factor, sum);
    }
    scratch.num_cut += scratch.is_cut;
  });
  if (!has_records) return;
  if constexpr (std::is_same_v<Sum, int64_t>) {
    model_->add_weighted_sum({*table_, rows_}, samples_, scratch.weights, scale, sum);
  } else {
    model_->add_weighted_sum({*table_, rows_}, samples_, scratch.weights, sum);
  }
}

template <typename Sum>
template <typename Use>
void UnitTile<Sum>::for_each(std::span<const double> parameters, Scratch& scratch, const Use& use) {
  for (const Unit& unit : units_) {
    if (unit.way == Way::kNone) continue;
    if (clip_->num_groups() > 0 && index_of(unit.group) >= clip_->num_groups()) continue;
    double squared_norm = unit.squared_norm;
    if (unit.way == Way::kSummed) {
      squared_norm = is_long() ? sum_long_unit(parameters, scratch) : sum_gradients(unit, scratch);
    }
    use(unit, squared_norm);
  }
}

template <typename Sum>
bool UnitTile<Sum>::has_gradient(size_t row) const {
  return std::isfinite(samples_.squared_norm[row]);
}

template <typename Sum>
double UnitTile<Sum>::sum_gradients(const Unit& unit, Scratch& scratch) const {
  scratch.unit_weights.clear();
  for (size_t row = unit.begin; row < unit.end; ++row)
    scratch.unit_weights.push_back(has_gradient(row) ? 1 : 0);
  model_->sum_gradients({*table_, rows_of(unit)}, samples_, unit.begin, scratch.unit_weights,
                        scratch.gradient);
  return raised_squared_norm(scratch.gradient.values);
}

template <typename Sum>
double UnitTile<Sum>::sum_long_unit(std::span<const double> parameters, Scratch& scratch) {
  scratch.gradient.indices.clear();
  scratch.gradient.values.assign(model_->num_parameters(), 0.0);
  bool is_null = true;
  for (std::span<const uint32_t> rest = rows_; !rest.empty();) {
    const auto tile = rest.first(std::min(rest.size(), model_->max_tile_records()));
    model_->per_sample({*table_, tile}, parameters, samples_);
    scratch.unit_weights.clear();
    for (size_t row = 0; row < tile.size(); ++row) {
      scratch.unit_weights.push_back(has_gradient(row) ? 1 : 0);
      is_null = is_null && !has_gradient(row);
    }
    model_->add_weighted_sum({*table_, tile}, samples_, scratch.unit_weights,
                             scratch.gradient.values);
    rest = rest.subspan(tile.size());
  }
  return is_null ? kNoUnitNorm : raised_squared_norm(scratch.gradient.values);
}

template <typename Sum>
GradientNorms UnitTile<Sum>::norms_of(const double& squared_norm, const GroupId& group) const {
  if (clip_->num_groups() == 0) return {{&squared_norm, 1}};
  return {{&squared_norm, 1}, {&group, 1}};
}

template <typename Sum>
double UnitTile<Sum>::weight_of(double squared_norm, GroupId group, Scratch& scratch) const {
  double weight = 0;
  const int64_t num_cut = clip_->weights(norms_of(squared_norm, group), {&weight, 1});
  scratch.is_cut = scratch.is_cut || num_cut > 0;
  return weight;
}

template <typename Sum>
std::optional<double> UnitTile<Sum>::weight_as_records(const Unit& unit, const SumScale& scale,
                                                       Scratch& scratch) const {
  double longest = 0;  // row
  for (size_t row = unit.begin; row < unit.end; ++row)
    if (has_gradient(row)) longest = std::max(longest, std::sqrt(samples_.squared_norm[row]));
  double squared_norm = unit.squared_norm;
  for (int raise = 0; raise <= kMaxRaises; ++raise) {
    const double weight = weight_of(squared_norm, unit.group, scratch);
    if (weight == 0) return 0;
    if (!(weight * longest <= scale.bound)) return std::nullopt;
    const double norm = norm_as_records(unit, weight, scale, scratch);
    if (norm * kRoomToCompare <= weight * std::sqrt(squared_norm)) return weight;
    squared_norm = norm / weight * (norm / weight) * kRoomToTruncate;
  }
  return std::nullopt;
}

template <typename Sum>
double UnitTile<Sum>::norm_as_records(const Unit& unit, double weight, const SumScale& scale,
                                      Scratch& scratch) const {
  scratch.unit_weights.clear();
  for (size_t row = unit.begin; row < unit.end; ++row)
    scratch.unit_weights.push_back(has_gradient(row) ? weight : 0);
  return scale.grid * std::sqrt(model_->squared_sum_norm({*table_, rows_of(unit)}, samples_,
                                                         unit.begin, scratch.unit_weights, scale));
}

template class UnitTile<int64_t>;
template class UnitTile<double>;

}  // namespace equinoise
