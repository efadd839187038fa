// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/additive_design.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace equinoise {

namespace {

constexpr double kPower = -0.25;
constexpr double kLine = 0.5;        // of a position
constexpr double kFarthest = 2;      // standard deviations
constexpr double kMinSquare = 0.02;  // the least mean square of a line that is assumed
constexpr double kMin = 50;          // the least number of records that is assumed

double mean_of(std::span<const double> values, std::span<const double> shares) {
  return std::inner_product(values.begin(), values.end(), shares.begin(), 0.0);
}

}  // namespace

AdditiveDesign::AdditiveDesign(std::vector<ColumnBins> columns,
                               std::vector<std::vector<double>> lines, double min_count)
    : columns_(std::move(columns)) {
  for (const ColumnBins& column : columns_) {
    first_bin_.push_back(num_bins_);
    num_bins_ += column.counts.size();
    num_cells_ += column.of_cell.size();
    num_records_ += std::accumulate(column.counts.begin(), column.counts.end(), 0.0) /
                    static_cast<double>(columns_.size());
  }
  num_records_ = std::max(num_records_, kMin);
  uint32_t part = 0;
  for (const ColumnBins& column : columns_) {
    std::vector<double> shares;
    for (const double count : column.counts) shares.push_back(std::max(count, min_count));
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    double mean_square = 0;
    for (double& share : shares) {
      share /= all;
      mean_square += std::pow(share, 1 + 2 * kPower);
    }
    // A single bin carries no information.
    const double scale = shares.size() < 2 ? 0 : 1 / std::sqrt(mean_square);
    double squares_of_means = 0;
    for (const double share : shares) {
      const double weight = scale * std::pow(share, kPower);
      weights_.push_back(weight);
      means_.push_back(weight * share);
      shares_.push_back(share);
      squares_of_means += weight * share * weight * share;
      squares_.push_back(weight * weight * share * (1 - share) * num_records_);
      ridge_.push_back(weight * weight);
      parts_.push_back(part);
    }
    squares_of_means_.push_back(squares_of_means);
    ++part;
  }
  static_assert(kLine * kFarthest <= kLineGrid * kMaxLineUnits);
  size_t feature = num_bins_;
  for (size_t c = 0; c < lines.size(); ++c) {
    std::vector<int32_t>& units = line_units_.emplace_back();
    line_feature_.push_back(feature);
    if (lines[c].empty()) continue;
    const std::vector<double> of_cells = cell_shares(c);
    const double mean = mean_of(lines[c], of_cells);
    std::vector<double> squares;
    for (const double position : lines[c]) {
      const double value = kLine * std::clamp(position - mean, -kFarthest, kFarthest);
      units.push_back(static_cast<int32_t>(std::lround(value / kLineGrid)));
      squares.push_back(value * value);
    }
    squares_.push_back(std::max(mean_of(squares, of_cells), kMinSquare) * num_records_);
    ridge_.push_back(0);
    parts_.push_back(part++);
    ++feature;
  }
  squares_.push_back(num_records_);
  ridge_.push_back(0);
  parts_.push_back(part);
  num_features_ = squares_.size();
}

AdditiveDesign AdditiveDesign::without(const std::vector<bool>& hidden) const {
  AdditiveDesign left = *this;
  for (size_t b = 0; b < num_bins_; ++b)
    if (hidden[parts_[b]]) left.weights_[b] = left.means_[b] = 0;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (hidden[parts_[first_bin_[c]]]) left.squares_of_means_[c] = 0;
    if (!line_units_[c].empty() && hidden[parts_[line_feature_[c]]])
      std::ranges::fill(left.line_units_[c], 0);
  }
  for (size_t j = 0; j < num_features_; ++j)
    if (hidden[parts_[j]]) left.squares_[j] = 0;
  return left;
}

std::vector<double> AdditiveDesign::cell_shares(size_t column) const {
  const std::vector<uint32_t>& bins = columns_[column].of_cell;
  std::vector<double> sizes(columns_[column].counts.size());
  for (const uint32_t bin : bins) sizes[bin] += 1;
  std::vector<double> shares;
  for (const uint32_t bin : bins) shares.push_back(shares_of(column)[bin] / sizes[bin]);
  return shares;
}

double AdditiveDesign::squared_norm(std::span<const uint32_t> cells) const {
  double square = 1;
  for (size_t c = 0; c < columns_.size(); ++c) {
    const size_t bin = first_bin_[c] + columns_[c].of_cell[cells[c]];
    // (w - w p)^2 at its own bin, and the means of the others.
    square +=
        weights_[bin] * weights_[bin] - 2 * weights_[bin] * means_[bin] + squares_of_means_[c];
    const double line = kLineGrid * line_units(c, cells[c]);
    square += line * line;
  }
  return square;
}

void AdditiveDesign::feature_sums(std::span<const int64_t> of_cells, int64_t of_all,
                                  std::span<double> sums) const {
  const auto all = static_cast<double>(of_all);
  std::vector<int64_t> of_bins(num_bins_, 0);
  size_t at = 0;
  for (size_t c = 0; c < columns_.size(); ++c) {
    int64_t of_line = 0;
    for (uint32_t cell = 0; cell < columns_[c].of_cell.size(); ++cell, ++at) {
      of_bins[first_bin_[c] + columns_[c].of_cell[cell]] += of_cells[at];
      of_line += of_cells[at] * line_units(c, cell);
    }
    if (!line_units_[c].empty()) sums[line_feature_[c]] = kLineGrid * static_cast<double>(of_line);
  }
  for (size_t b = 0; b < num_bins_; ++b)
    sums[b] = weights_[b] * static_cast<double>(of_bins[b]) - means_[b] * all;
  sums[num_features_ - 1] = all;
}

std::vector<double> AdditiveDesign::parameters(std::span<const double> coefficients,
                                               size_t num_scores) const {
  std::vector<double> parameters((num_cells_ + 1) * num_scores);
  for (size_t s = 0; s < num_scores; ++s) {
    const std::span<const double> of_score = coefficients.subspan(s * num_features_, num_features_);
    double constant = of_score[num_features_ - 1];
    for (size_t b = 0; b < num_bins_; ++b) constant -= means_[b] * of_score[b];
    size_t at = s;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const double of_unit = line_units_[c].empty() ? 0 : kLineGrid * of_score[line_feature_[c]];
      std::vector<double> terms;
      for (uint32_t cell = 0; cell < columns_[c].of_cell.size(); ++cell) {
        const size_t bin = first_bin_[c] + columns_[c].of_cell[cell];
        terms.push_back(weights_[bin] * of_score[bin] + line_units(c, cell) * of_unit);
      }
      const double mean = mean_of(terms, cell_shares(c));
      constant += mean;
      for (const double term : terms) {
        parameters[at] = term - mean;
        at += num_scores;
      }
    }
    parameters[at] = constant;
  }
  return parameters;
}

std::vector<AdditiveTerm> AdditiveDesign::terms() const {
  std::vector<AdditiveTerm> terms;
  size_t first_cell = 0;
  for (size_t c = 0; c < columns_.size(); ++c) {
    AdditiveTerm& term = terms.emplace_back(AdditiveTerm{{c}, first_cell, cell_shares(c), {}});
    const std::vector<uint32_t>& bins = columns_[c].of_cell;
    const auto is_cut_off = [&](uint32_t cell) {
      return std::abs(line_units(c, cell)) == kMaxLineUnits;
    };
    uint32_t part = 0;
    for (uint32_t cell = 0; cell < bins.size(); ++cell) {
      if (cell > 0 && (bins[cell] != bins[cell - 1] || is_cut_off(cell) != is_cut_off(cell - 1)))
        ++part;
      term.parts.push_back(part);
    }
    first_cell += bins.size();
  }
  return terms;
}

}  // namespace equinoise
