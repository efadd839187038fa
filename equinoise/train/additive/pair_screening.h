// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/additive.h"
#include "equinoise/train/additive/additive_descent.h"
#include "equinoise/train/additive/additive_design.h"

namespace equinoise {

/// Functions of a column, (functions, cells): at most two, which over the shares of its cells have
/// mean 0, variance 1 and no correlation before they are cut off at 3.
using ColumnFunctions = std::vector<std::vector<double>>;

/// (values) Their indices, from the largest value; equal ones in their order.
std::vector<size_t> largest_first(std::span<const double> values);

/// Functions of a number: its rank, and the square of its rank. shares: (cells).
ColumnFunctions functions_of_number(std::span<const double> shares);

/// Functions of categories: their fitted effects, and the most frequent ones against the others.
/// shares, effects: (categories).
ColumnFunctions functions_of_categories(std::span<const double> shares,
                                        std::span<const double> effects);

/// The test for pairs of columns: sums over all records of the residuals times the products of two
/// columns' functions, as one vector for all pairs, to which each record adds at most a public
/// length.
///
/// A number's residual is cut off at three times the usual size. A record's vector (residuals times
/// products, then residuals squared) is shortened to 1.3 times the usual length, by a factor that
/// does not depend on its class, and cut towards 0 on a grid. Integer sums are exact, for any
/// number of threads. Source: the statistic of
/// [LouEtAl2013] is the drop in squared error; this one is linear in the records.
class PairScreening {
 public:
  /// The most sums for products that screened_functions leads to.
  static constexpr size_t kMaxSums = 4000;

  /// table: the model's cells (AdditiveModel::in_cells). functions: (columns) those of the screened
  /// columns, empty for the others. config: target, scores, threads, and the usual residual of a
  /// number.
  PairScreening(const EncodedTable& table, std::vector<ColumnFunctions> functions,
                const AdditiveDescentConfig& config, double noise_multiplier);

  size_t num_pairs() const { return pairs_.size(); }

  /// residuals: (records, scores). NOT PRIVATE.
  std::vector<int64_t> sum_up(std::span<const double> residuals) const;

  /// The L2 sensitivity of the sums to one record, in units.
  double sensitivity() const;

  struct Choice {
    std::vector<std::array<size_t, 2>> pairs;  ///< columns; the strongest first
    double mean_square = 0;  ///< of a residual, estimated, and a standard deviation of the noise
  };

  /// The pairs whose sums are larger than noise and sampling explain. Where single columns explain
  /// the target, about one run in twenty chooses a pair; more do if residuals of a number are
  /// skewed and their spread depends on two columns. units: sums with the noise of that multiplier.
  Choice choose(std::span<const int64_t> units, double num_records, size_t max_pairs) const;

 private:
  struct Pair {
    std::array<size_t, 2> columns;
    size_t first;  // of its products
    size_t size;
  };

  const EncodedTable& table_;
  std::vector<ColumnFunctions> functions_;
  AdditiveTarget target_;
  size_t num_scores_;
  double usual_residual_;
  double noise_multiplier_;
  int threads_;
  std::vector<Pair> pairs_;
  size_t num_products_ = 0;
  double length_ = 0;
  double grid_ = 0;
};

/// (columns) The functions of all columns, or of those whose terms differ most among records.
/// parameters: of the terms so far (AdditiveDesign::parameters).
std::vector<ColumnFunctions> screened_functions(const AdditiveModel& model,
                                                const AdditiveDesign& design,
                                                std::span<const double> parameters);

}  // namespace equinoise
