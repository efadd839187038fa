// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/base/counted_records.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The bounds on one record's part of sums, and the public powers of two that these are multiples
/// of.
struct GroupSumScales {
  double max_grad_norm = 1;
  double gradient_grid = 1;
  double loss_bound = 1;
  double loss_grid = 1;
};

/// Sums of clipped gradients and clamped losses over records of groups. NOT PRIVATE before noise.
///
/// Relation: zero_out. Sensitivity: of the gradients' sum (max_grad_norm + Model::sum_error) /
/// gradient_grid in L2, of the losses' sums loss_bound / loss_grid, both in L1 and L2, since a
/// record is in one group. They are exact, because every record's part is truncated towards zero on
/// the grid and integers add without rounding, except the rounding of the whole sum that sum_error
/// covers. Losses may have any shape: a record's gradient is clipped and its loss clamped, and both
/// follow from the record and the parameters alone. Edge cases: null records, unknown groups and
/// values that are not finite add nothing. Equal for any number of threads.
class GroupSums {
 public:
  /// Pre: table and model outlive this. Errors: kRuntime for a table without groups.
  GroupSums(const EncodedTable& table, const Model& model, size_t num_groups,
            const GroupSumScales& scales, int threads);

  /// gradients, (num_parameters): sum of factors[group] * clipped gradient, factors <= 1, public.
  /// losses, (groups). Either may be empty and is then not computed.
  void compute(const CountedRecords& records, std::span<const double> parameters,
               std::span<const double> factors, std::span<int64_t> gradients,
               std::span<int64_t> losses) const;

  /// The records among `records` that are in the group.
  CountedBatch of_group(size_t group, const CountedRecords& records) const;

  const GroupSumScales& scales() const { return scales_; }

 private:
  bool takes_part(uint32_t record) const;

  const EncodedTable& table_;
  const Model& model_;
  size_t num_groups_;
  GroupSumScales scales_;
  int threads_;
};

}  // namespace equinoise
