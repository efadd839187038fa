// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/number_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "equinoise/data/encoder.h"

namespace equinoise {

namespace {

constexpr double kMaxWholeCells = 4096;
constexpr int kEqualCells = 4096;
constexpr double kMaxWholeBins = 32;
constexpr double kEqualBins = 64;

/// A cell [lower, next lower); `above`: without the value `lower` itself.
struct FineCell {
  double lower = 0;
  bool above = false;
  double middle = 0;
};

/// The value near which most of a skewed column must lie, by its public mean: the mean is within a
/// standard deviation of it, and the bounds go much further.
std::optional<double> anchor_of(const ColumnSchema& column) {
  constexpr double kFar = 4;
  if (column.scale != NumericScale::kStandard) return std::nullopt;
  const double anchor = column.lower < 0 && column.upper > 0 ? 0 : column.lower;
  if (std::fabs(column.mean - anchor) <= column.stddev * (1 + 1e-9) &&
      column.upper - anchor > kFar * column.stddev)
    return anchor;
  return std::nullopt;
}

/// Distances from the anchor where cells begin: 1 .. 255, then 8 significant bits.
std::vector<double> distances(double unit, double farthest) {
  std::vector<double> all;
  for (double step = 1, from = 1; from * unit <= farthest; step *= 2, from = 128 * step)
    for (double at = from; at < 256 * step && at * unit <= farthest; at += step)
      all.push_back(at * unit);
  return all;
}

std::vector<FineCell> cells_around(const ColumnSchema& column, double anchor) {
  constexpr double kPartOfDeviation = 4096;
  const double unit = column.whole ? 1 : column.stddev / kPartOfDeviation;
  std::vector<FineCell> cells;
  const std::vector<double> below = distances(unit, anchor - column.lower);
  if (column.lower < anchor) {
    double upper = anchor;
    for (const double distance : below) {
      const double lower = anchor - distance;
      cells.push_back({lower, false, (lower + upper - (column.whole ? 1 : 0)) / 2});
      upper = lower;
    }
    if (upper > column.lower) cells.push_back({column.lower, false, (column.lower + upper) / 2});
    std::ranges::reverse(cells);
  }
  cells.push_back({anchor, false, anchor});
  const std::vector<double> above = distances(unit, column.upper - anchor);
  if (!column.whole) cells.push_back({anchor, true, anchor + unit / 2});
  for (size_t i = 0; i < above.size(); ++i) {
    const double lower = anchor + above[i];
    const double width = (i + 1 < above.size() ? anchor + above[i + 1] : column.upper) - lower;
    cells.push_back({lower, false, lower + (column.whole ? std::max(0.0, width - 1) : width) / 2});
  }
  return cells;
}

std::vector<FineCell> cells_of(const ColumnSchema& column, const std::optional<double>& anchor) {
  const double range = column.upper - column.lower;
  std::vector<FineCell> cells;
  if (column.whole && range <= kMaxWholeCells) {
    for (double at = std::ceil(column.lower); at <= column.upper; ++at)
      cells.push_back({at, false, at});
    return cells;
  }
  if (anchor) return cells_around(column, *anchor);
  const double width = range / kEqualCells;
  for (int i = 0; i < kEqualCells; ++i) {
    const double lower = column.lower + i * width;
    cells.push_back({lower, false, lower + width / 2});
  }
  return cells;
}

/// Cells of one key are one bin.
double key_of(const ColumnSchema& column, const std::optional<double>& anchor, double value) {
  if (column.whole && column.upper - column.lower <= kMaxWholeBins) return value;
  if (anchor) {
    constexpr double kPartOfDeviation = 64;
    const double distance = std::fabs(value - *anchor) / (column.stddev / kPartOfDeviation);
    if (distance == 0) return 0;
    const double octave = distance < 1 ? 1 : 2 + std::floor(2 * std::log2(distance));
    return value < *anchor ? -octave : octave;
  }
  if (column.scale == NumericScale::kStandard) {
    constexpr double kParts = 4;
    return std::clamp(std::floor(kParts * (value - column.mean) / column.stddev), -12.0, 16.0);
  }
  return std::floor(kEqualBins * (value - column.lower) / (column.upper - column.lower));
}

}  // namespace

NumberCells::NumberCells(const ColumnSchema& column) : column_(column) {
  const std::optional<double> anchor = anchor_of(column);
  const bool is_standard = column.scale == NumericScale::kStandard;
  const double range = column.upper - column.lower;
  const double center = is_standard ? column.mean : column.lower + range / 2;
  const double spread = is_standard ? column.stddev : range / 4;
  const std::vector<FineCell> cells = cells_of(column, anchor);
  double key = std::numeric_limits<double>::quiet_NaN();
  for (const FineCell& cell : cells) {
    float lower = scaled_number(column, cell.lower);
    if (cell.above) lower = std::nextafter(lower, std::numeric_limits<float>::infinity());
    // Numbers that single precision does not tell apart are one cell.
    if (!lower_.empty() && !(lower > lower_.back())) continue;
    lower_.push_back(lower);
    const double own = key_of(column, anchor, cell.middle);
    if (own != key) ++num_bins_;
    key = own;
    bins_.push_back(static_cast<uint32_t>(num_bins_ - 1));
    positions_.push_back((cell.middle - center) / spread);
    starts_.push_back(cell.lower);
  }
  starts_.push_back(column.whole && !column.time ? std::floor(column.upper) + 1 : column.upper);
}

NumberRange NumberCells::range_of(size_t first, size_t last) const {
  NumberRange range{starts_[first], starts_[last + 1], ""};
  if (column_.time) {
    range.text = fmt::format("{} to {}", column_.text_of(std::floor(range.from)),
                             column_.text_of(std::floor(range.to)));
    return range;
  }
  // A cell of a column with a wide range may be too narrow for a whole number.
  if (const double least = std::ceil(range.from), beyond = std::ceil(range.to);
      column_.whole && least < beyond) {
    range.from = least;
    range.to = beyond;
    range.text = beyond - least > 1 ? fmt::format("{:.15g} to {:.15g}", least, beyond - 1)
                                    : fmt::format("{:.15g}", least);
  } else if (range.from == range.to) {
    range.text = fmt::format("{:.6g}", range.from);
  } else {
    const bool is_above = first > 0 && starts_[first] == starts_[first - 1];
    range.text = fmt::format("{}{:.6g} to {:.6g}", is_above ? "above " : "", range.from, range.to);
  }
  return range;
}

size_t NumberCells::cell_of(float scaled) const {
  const auto after = std::ranges::upper_bound(lower_, scaled);
  return after == lower_.begin() ? 0 : static_cast<size_t>(after - lower_.begin()) - 1;
}

std::vector<NumberCells> number_cells(const Schema& schema) {
  std::vector<NumberCells> cells;
  if (schema.image) return cells;
  for (const ColumnSchema& column : schema.columns) {
    if (column.feature && column.name != schema.target && column.type == ColumnType::kNumeric)
      cells.emplace_back(column);
  }
  return cells;
}

}  // namespace equinoise
