// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/public_bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/number_bins.h"

namespace equinoise {

namespace {

std::vector<double> usual_edges(const ColumnSchema& column, int num_bins) {
  return column.whole ? whole_edges(column.lower, column.upper, num_bins)
                      : even_edges(column.lower, column.upper, num_bins);
}

/// The least and the largest number of a bin.
std::pair<double, double> ends_of(double edge, double next, bool whole) {
  if (!whole) return {edge, next_down(next)};
  const double first = std::ceil(edge);
  return {first, std::max(first, std::ceil(next) - 1)};
}

/// Numbers that many records hold in most tables: 0, and the bounds, to which others are clamped.
std::vector<double> usual_numbers(const ColumnSchema& column) {
  const double lower = column.whole ? std::ceil(column.lower) : column.lower;
  const double upper = column.whole ? std::floor(column.upper) : column.upper;
  std::vector<double> numbers = {lower};
  if (lower < 0 && upper > 0) numbers.push_back(0);
  numbers.push_back(upper);
  return numbers;
}

/// Widens the bin of 0, if it is an edge, to a tiny width relative to the bounds. A statement would
/// need hundreds of digits for the next double above 0.
std::vector<double> with_wider_zero(std::vector<double> edges, const ColumnSchema& column) {
  const double size = std::max(std::fabs(column.lower), std::fabs(column.upper));
  const double tiny = power_of_two_below(size) * 0x1p-40;
  if (column.whole || column.lower > 0 || column.upper <= tiny) return edges;
  std::erase_if(edges, [&](double edge) { return edge > 0 && edge < tiny; });
  return with_edges(std::move(edges), {&tiny, 1});
}

double whole_numbers_within(const ColumnSchema& column) {
  return std::floor(column.upper) - std::ceil(column.lower) + 1;
}

}  // namespace

PublicBins::PublicBins(const Schema& schema, const ColumnSchema& column, int num_bins) {
  std::vector<double> needed = own_edges(schema, column);
  if (column.num_bins) needed = with_edges(needed, usual_edges(column, *column.num_bins));
  append(needed, column.bin_edges);
  needed = with_edges(needed, edges_around(usual_numbers(column), column.whole));
  edges_ = with_wider_zero(with_edges(usual_edges(column, num_bins), needed), column);
  for (size_t b = 0; b + 1 < edges_.size(); ++b) {
    const auto [first, last] = ends_of(edges_[b], edges_[b + 1], column.whole);
    const double middle = first == 0 && !column.whole ? 0 : first + (last - first) / 2;
    values_.push_back(column.whole ? std::floor(middle) : middle);
    const double away = std::max(values_[b] - first, last - values_[b]);
    if (away > 0) max_rounding_ = std::max(max_rounding_, next_up(away));
  }
  // Bounds of a whole column need not be whole, and numbers beyond them are clamped to the bounds.
  const double beyond = std::max(values_.front() - column.lower, column.upper - values_.back());
  if (beyond > max_rounding_) max_rounding_ = next_up(beyond);
  cells_per_unit_ = static_cast<double>(values_.size()) / (edges_.back() - edges_.front());
  first_edge_.assign(values_.size() + 1, static_cast<uint32_t>(edges_.size() - 1));
  for (size_t edge = edges_.size() - 1; edge-- > 1;)
    first_edge_[cell_of(edges_[edge])] = static_cast<uint32_t>(edge);
  for (size_t cell = values_.size(); cell-- > 0;)
    first_edge_[cell] = std::min(first_edge_[cell], first_edge_[cell + 1]);
}

/// Monotone in the number, whatever the rounding, so that edges of other cells are on one side.
size_t PublicBins::cell_of(double number) const {
  const double cell = (number - edges_.front()) * cells_per_unit_;
  return cell > 0 ? static_cast<size_t>(std::min(cell, static_cast<double>(values_.size() - 1)))
                  : 0;
}

uint32_t PublicBins::bin_of(double number) const {
  const size_t cell = cell_of(number);
  uint32_t edge = first_edge_[cell];
  const uint32_t end = first_edge_[cell + 1];
  // Most cells have one edge, with numbers on either side: a branch would often be mispredicted.
  const auto is_passed = [&] { return (edge < end) & (edges_[edge] <= number); };
  edge += static_cast<uint32_t>(is_passed());
  if (is_passed()) {
    const auto next = std::upper_bound(edges_.begin() + edge, edges_.begin() + end, number);
    edge = static_cast<uint32_t>(next - edges_.begin());
  }
  return edge - 1;
}

int num_public_bins(const Schema& schema, const ColumnSchema& column) {
  if (schema.public_bins) return *schema.public_bins;
  const double most = double{kMaxBins};
  if (column.whole && whole_numbers_within(column) <= most) return static_cast<int>(kMaxBins);
  throw Error(ErrorKind::kInput, "data.public_bins",
              "column '{}' is counted by public bins of its numbers, and the schema does not "
              "say how many; write public_bins = 1024 at its top: each number is then read as "
              "what stands for its bin, from every kind of table{}",
              column.name,
              column.whole
                  ? fmt::format(" (whole numbers need none if they are at most {})", kMaxBins)
                  : "");
}

}  // namespace equinoise
