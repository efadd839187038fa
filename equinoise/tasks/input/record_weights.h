// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The option that names a column of survey weights, in every command that takes one.
inline constexpr const char* kWeightOption = "--weight-column";

/// The column of that name, whose numbers can be weights of records: numeric, with bounds of 0 or
/// more. Errors: kUsage, with the declaration to add; kInput for a column that is not in the
/// schema.
const ColumnSchema& weight_column(const Schema& schema, const std::string& name);

/// Leaves out records with a missing weight, if the column has missing = "allowed".
void leave_out_unweighed(Schema& schema, const std::string& name);

/// Refuses a weight column that has another use: as one of `columns`, or as a source of groups.
/// Errors: kUsage.
void require_only_weights(const Schema& schema, const std::string& name,
                          std::span<const std::string> columns,
                          std::span<const std::vector<std::string>> groupings);

/// The weights of a table's records in an evaluation. NOT PRIVATE.
struct Weighting {
  std::string column;
  std::vector<double> weights;  ///< (rows) of each record, in units; 0: left out
  double unit = 0;              ///< a power of two near the largest weight; 0: all weights are 0
  int64_t num_weightless = 0;   ///< records of weight 0, which contribute nothing
  int64_t num_unknown = 0;      ///< records with a missing weight, which are left out
};

/// The weights of contributing records, in a unit in which sums of squares stay finite and nothing
/// is rounded. A record whose weight is 0, missing or not a number contributes nothing any more.
/// contributes: (rows); row_counts: as Dataset. Pre: no number is below 0.
Weighting weigh_records(const NumericColumn& column, std::vector<uint8_t>& contributes,
                        std::span<const uint32_t> row_counts = {});

/// The report's notes on records that weights leave out, a sentence each.
std::vector<std::string> weighting_notes(const Weighting& weighting);

}  // namespace equinoise
