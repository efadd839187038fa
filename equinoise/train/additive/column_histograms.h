// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/parallel.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/additive.h"
#include "equinoise/train/additive/additive_design.h"

namespace equinoise {

/// The histograms of all columns as one vector: the bins or categories of each column; for a number
/// with finer cells, these cells after the bins; for a target of which only bounds are known, its
/// first two moments.
///
/// A record adds 1 to one bin of each column, kFineWeight to one cell of each number with finer
/// cells, and kMomentWeight times t and t^2 to the moments, where t is the target on the scale from
/// -1 to 1 of its bounds; all in units of 1 / kParts.
class ColumnHistograms {
 public:
  /// table: the model's cells (AdditiveModel::in_cells).
  ColumnHistograms(const AdditiveModel& model, const EncodedTable& table,
                   const TargetScale& target);

  /// NOT PRIVATE.
  std::vector<int64_t> count(const EncodedTable& table, int threads) const;

  /// The L2 norm of the largest change by one record, in units.
  double sensitivity() const;

  /// The design for descent, from counts with noise of that multiplier.
  AdditiveDesign design(std::span<const int64_t> units, double noise_multiplier,
                        double num_records) const;

  /// The target with the released mean as its middle and the released spread, at most the public
  /// one; without moments the public target.
  TargetScale target(std::span<const int64_t> units, double noise_multiplier,
                     double num_records) const;

 private:
  struct Column {
    const NumberCells* cells = nullptr;  // null: categories
    size_t coarse = 0;
    size_t fine = 0;
    size_t num_bins = 0;

    bool is_finer() const { return cells != nullptr && cells->are_finer_than_bins(); }
  };

  /// Adds the counts of some records.
  void add(const EncodedTable& table, IndexRange range, std::span<int64_t> units) const;

  bool has_moments() const { return !target_.has_mean && std::isfinite(target_.width()); }

  TargetScale target_;
  std::vector<Column> columns_;
  size_t num_finer_ = 0;
  size_t size_ = 0;
};

}  // namespace equinoise
