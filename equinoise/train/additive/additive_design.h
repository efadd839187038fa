// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/train/additive/additive_terms.h"
#include "equinoise/train/additive/column_bins.h"

namespace equinoise {

/// The features of an additive model in training, from noisy counts of bins; a record has one bin
/// of each column.
///
/// A column's features are w_j (1 at the record's bin j) - w_j p_j, with p the bins' shares and
/// w_j = p_j^(-1/4) times the factor that makes their mean square 1. So bins with few records have
/// more weight than their share, and features have about mean 0. A column with positions
/// also has a line: half of the difference between the record's position and the mean one, cut off
/// at 2. The last feature is 1.
class AdditiveDesign {
 public:
  /// columns: their bins. lines: (columns) the position of each cell, (cells); empty: no line.
  /// min_count: the least count of a bin.
  AdditiveDesign(std::vector<ColumnBins> columns, std::vector<std::vector<double>> lines,
                 double min_count);

  /// The same design with the features of these parts all 0; hidden: (parts).
  AdditiveDesign without(const std::vector<bool>& hidden) const;

  size_t num_features() const { return num_features_; }
  size_t num_columns() const { return columns_.size(); }

  /// The approximate number of records: the mean over columns of the sum of their bins.
  double num_records() const { return num_records_; }

  /// (num_features) the expected sum of squares of each feature over the records.
  std::span<const double> squares() const { return squares_; }

  /// (num_features) The weight of each coefficient in a ridge of 1: w^2 for bins, else 0.
  std::span<const double> ridge() const { return ridge_; }

  /// (num_features) The part of each feature: the bins of a column, a line, the constant.
  std::span<const uint32_t> parts() const { return parts_; }

  /// The squared norm of a record's features; cells: (columns).
  double squared_norm(std::span<const uint32_t> cells) const;

  /// (cells of the column) Their shares of the records; cells of a bin have equal ones.
  std::vector<double> cell_shares(size_t column) const;

  /// The number of cells of all columns together.
  size_t num_cells() const { return num_cells_; }

  /// Positions of cells on lines are whole multiples of this, at most kMaxLineUnits of it.
  static constexpr double kLineGrid = 0x1p-12;
  static constexpr int32_t kMaxLineUnits = 1 << 12;

  /// (num_features) Sums over records of a quantity times each feature. They follow from the sums
  /// of the quantity over the records of each cell, (cells of all columns in turn), and over all
  /// records. Sums times kMaxLineUnits must stay within 64 bits.
  void feature_sums(std::span<const int64_t> of_cells, int64_t of_all,
                    std::span<double> sums) const;

  /// (cells of all columns in turn, then the constant; scores) The addition of each to each score
  /// by these coefficients, (scores, num_features): the parameters of an AdditiveModel. Additions
  /// of a column have mean 0 over the shares of its bins; cells of a bin have equal shares.
  std::vector<double> parameters(std::span<const double> coefficients, size_t num_scores) const;

  /// The terms of the columns in turn. Cells of a bin have equal shares.
  std::vector<AdditiveTerm> terms() const;

 private:
  /// (bins of the column) Their shares.
  std::span<const double> shares_of(size_t column) const {
    return std::span(shares_).subspan(first_bin_[column], columns_[column].counts.size());
  }

  /// The position of a cell on its line, in units of kLineGrid.
  int32_t line_units(size_t column, uint32_t cell) const {
    return line_units_[column].empty() ? 0 : line_units_[column][cell];
  }

  std::vector<ColumnBins> columns_;
  std::vector<std::vector<int32_t>> line_units_;  // (columns) of (cells); empty for categories
  std::vector<size_t> first_bin_;
  std::vector<size_t> line_feature_;      // (columns) num_features: none
  std::vector<double> weights_;           // (bins) w
  std::vector<double> means_;             // (bins) w p
  std::vector<double> shares_;            // (bins) p
  std::vector<double> squares_of_means_;  // (columns)
  std::vector<double> squares_;
  std::vector<double> ridge_;
  std::vector<uint32_t> parts_;
  size_t num_bins_ = 0;
  size_t num_cells_ = 0;
  size_t num_features_ = 0;
  double num_records_ = 0;
};

}  // namespace equinoise
