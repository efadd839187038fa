// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "equinoise/models/additive.h"
#include "equinoise/train/additive/additive_descent.h"
#include "equinoise/train/additive/additive_design.h"

namespace equinoise {

/// Terms for chosen pairs of columns, fitted to the residuals of the terms for single columns.
///
/// The parts of a column are merged from neighbouring parts of its term (numbers) or from the
/// rarest categories until they have about equal shares by the released histogram. A pair's cells
/// are then one categorical column of a design of their own, whose expected counts are products of
/// shares. If one side is a number and there is one score, that column has a line: the product of
/// the positions of both parts, which are ranks of numbers and contributions of categories. A slope
/// that depends on the other column is then one coefficient, with less noise than its cells.
class PairTerms {
 public:
  static constexpr size_t kMaxParts = 8;  ///< of a column

  /// columns: of each pair. table: the run's. design: of the single columns, with the model's
  /// parameters from them.
  PairTerms(const AdditiveModel& model, const EncodedTable& table, const AdditiveDesign& design,
            std::span<const double> of_columns, std::span<const std::array<size_t, 2>> columns,
            double min_count, size_t max_parts = kMaxParts);

  /// The model with these pairs.
  std::shared_ptr<const AdditiveModel> model() const { return model_; }

  /// The cells of pairs alone, as a table for AdditiveGradients.
  const EncodedTable& table() const { return table_; }
  const AdditiveDesign& design() const { return *design_; }

  /// The terms of pairs, whose shares are products of those of both columns.
  std::vector<AdditiveTerm> terms() const;

  /// The model's parameters, from those of single columns and of pairs (AdditiveDesign). Means over
  /// the parts of one column move from a pair's term to that column's, so that a pair has only what
  /// single columns have not.
  std::vector<double> parameters(std::span<const double> of_columns,
                                 std::span<const double> of_pairs, size_t num_scores) const;

 private:
  std::shared_ptr<const AdditiveModel> model_;
  std::vector<std::array<std::vector<double>, 2>> shares_;  // (pairs) of the parts of each side
  std::vector<size_t> first_cell_;                          // (columns) of all cells of single ones
  size_t num_column_cells_ = 0;
  EncodedTable table_;
  std::unique_ptr<AdditiveDesign> design_;
};

}  // namespace equinoise
