// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/data/number_cells.h"
#include "equinoise/models/generalised_linear.h"

namespace equinoise {

/// Two columns of an additive model with a term for both values together. A column is a numeric
/// feature or, after all of these, a one-hot block.
struct AdditivePair {
  std::array<size_t, 2> columns;
  /// (cells or categories of each column) The part of the column that each belongs to; parts are
  /// numbered from 0, and those of a number are of cells in a row.
  std::array<std::vector<uint32_t>, 2> parts;

  size_t num_parts(size_t side) const;
  size_t num_cells() const { return num_parts(0) * num_parts(1); }
};

/// A generalised additive model: a score is the sum over the columns of a term for the column's
/// value, and over pairs of columns of a term for the parts that both values lie in. Numbers use
/// the term of the cell that they lie in. Two classes have one logit, more classes a score each,
/// and a number is fitted by squared error.
///
/// Parameters: (cells of the numeric features in turn, one-hot features, cells of the pairs in
/// turn, bias) times the scores, as in a linear model whose records hold cells instead of numbers.
/// `dpgam` is the method made for it; gradient methods can train it too, but treat each cell
/// separately.
class AdditiveModel final : public Model {
 public:
  /// The model for a target with these classes, or for a number if there are none. A number is
  /// predicted as `start` before training. `cells` are those of the numeric features, which come
  /// first in `feature_names`.
  AdditiveModel(std::vector<std::string> feature_names, std::vector<std::string> classes,
                std::vector<NumberCells> cells, double start);

  /// The same model with terms for pairs, and no other ones. blocks: EncodedTable::blocks of its
  /// tables. Errors: kRuntime if a pair does not fit the columns.
  std::unique_ptr<AdditiveModel> with_pairs(std::vector<AdditivePair> pairs,
                                            std::span<const uint32_t> blocks) const;

  std::string name() const override { return "additive"; }
  size_t num_features() const override { return feature_names_.size(); }
  size_t num_classes() const override { return base_->num_classes(); }
  size_t num_parameters() const override { return base_->num_parameters(); }
  size_t num_outputs() const override { return base_->num_outputs(); }
  std::vector<std::string> parameter_names() const override { return base_->parameter_names(); }
  size_t max_tile_records() const override { return base_->max_tile_records(); }
  std::vector<double> initial_parameters(uint64_t seed) const override {
    return base_->initial_parameters(seed);
  }

  void score(const TableRows& rows, std::span<const double> parameters,
             PerSample& out) const override;
  void losses(const TableRows& rows, const PerSample& scored,
              std::span<double> losses) const override;
  void differentiate(const TableRows& rows, std::span<const double> added,
                     PerSample& out) const override;
  using Model::add_weighted_sum;
  void add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                       const PerSample& samples, std::span<const double> weights,
                       const SumScale& scale, std::span<int64_t> units) const override;
  void add_weighted_sum(const TableRows& rows, const PerSample& samples,
                        std::span<const double> weights, std::span<double> sum) const override;
  void sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                     std::span<const double> weights, GradientSum& sum) const override;
  void add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                            std::span<const double> weights, std::span<const double> directions,
                            std::span<double> products) const override;
  void directional_derivatives(const TableRows& rows, const PerSample& samples,
                               std::span<const double> direction,
                               std::span<double> derivatives) const override;
  void add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                             std::span<const double> coefficients,
                             std::span<double> sum) const override;
  Predictions predict(const EncodedTable& table, std::span<const double> parameters,
                      int threads = 1) const override;
  EncodedTable table_of_parts(const EncodedTable& table) const override { return in_cells(table); }
  std::vector<ScorePart> parts(const EncodedTable& table, uint32_t record,
                               std::span<const double> parameters) const override {
    return base_->parts(table, record, parameters);
  }

  std::span<const NumberCells> cells() const { return cells_; }
  std::span<const AdditivePair> pairs() const { return pairs_; }

  /// The names of the parts of one of a pair's columns: "age=17 to 25", "job=clerk or 3 others".
  std::vector<std::string> part_names(const AdditivePair& pair, size_t side,
                                      std::span<const uint32_t> blocks) const;

  /// All records of the table with cells instead of numbers, and cells of pairs: a table of one-hot
  /// blocks alone. A record with a number that is not finite contributes nothing.
  EncodedTable in_cells(const EncodedTable& table) const;

 private:
  /// The same table for some records, in their order.
  EncodedTable in_cells(const TableRows& rows) const;

  /// Such a table and all of its records.
  struct CellRows {
    EncodedTable table;
    std::vector<uint32_t> records = numbers_below<uint32_t>(static_cast<size_t>(table.num_records));
    TableRows rows() const { return {table, records}; }
  };
  CellRows cell_rows(const TableRows& rows) const { return {in_cells(rows)}; }

  /// The linear model of cells, one-hot features and cells of these pairs.
  std::unique_ptr<GeneralisedLinearModel> linear_model(std::span<const AdditivePair> pairs,
                                                       std::span<const uint32_t> blocks) const;

  std::vector<std::string> feature_names_;
  std::vector<std::string> classes_;
  std::vector<NumberCells> cells_;
  double start_;
  std::vector<AdditivePair> pairs_;
  std::unique_ptr<GeneralisedLinearModel> base_;
};

}  // namespace equinoise
