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
/// more. Errors: kUsage that says what to declare; kInput for one that the schema does not have.
const ColumnSchema& weight_column(const Schema& schema, const std::string& name);

/// Gives a record without a weight no weight, in a column with missing = "allowed".
void leave_out_unweighed(Schema& schema, const std::string& name);

/// Refuses a weight column that is named for another use: as one of `columns`, or as one that
/// groups are made of. Errors: kUsage.
void require_only_weights(const Schema& schema, const std::string& name,
                          std::span<const std::string> columns,
                          std::span<const std::vector<std::string>> groupings);

/// What the records of a table weigh, where they are judged. NOT PRIVATE.
struct Weighting {
  std::string column;
  std::vector<double> weights;  ///< (rows) of each record, in units; 0: left out
  double unit = 0;              ///< a power of two near the largest weight; 0: no record has any
  int64_t num_weightless = 0;   ///< records of weight 0, which count for nothing
  int64_t num_unknown = 0;      ///< records whose weight is missing, which are left out
};

/// The weights of contributing records, in a unit by which sums of their squares stay finite and
/// nothing is rounded. A record of weight 0, or whose weight is missing or no number, contributes
/// nothing any more. contributes: (rows); row_counts: as Dataset. Pre: no number is below 0.
Weighting weigh_records(const NumericColumn& column, std::vector<uint8_t>& contributes,
                        std::span<const uint32_t> row_counts = {});

/// What the report says of records that weights leave out, a sentence each.
std::vector<std::string> weighting_notes(const Weighting& weighting);

}  // namespace equinoise
