// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/report/means/group_sizes_report.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

/// The request of `equinoise schema sizes`.
struct GroupSizesRequest {
  SchemaFile schema;
  TableFiles table;
  std::vector<std::string> groups;  ///< columns whose intersections are the groups
  double epsilon = 0;
  std::string ledger_path = "equinoise.ledger";
  std::string ledger_key;
  std::filesystem::path out_path;  ///< of the schema with the sizes; "": write nothing
  bool force = false;
  std::optional<uint64_t> insecure_seed;
};

/// What it will cost, and how much noise there will be. Reads the schema alone, and spends nothing.
/// Errors: kInput (schema), kUsage (request), kLedger (a ledger that exists and is broken).
GroupSizesReport plan_group_sizes(const GroupSizesRequest& request);

/// Counts, reserves the cost in the ledger, releases noisy sizes of groups that the schema does not
/// declare, and writes the schema with them declared: other commands then use them as public facts,
/// which they are.
///
/// Guarantee: release_sizes(). Nothing is spent before everything that can be checked has been,
/// also that the schema can be written with such entries. Errors: as plan_group_sizes; kInput for
/// the table; kBudget.
GroupSizesReport release_group_sizes(const GroupSizesRequest& request, TaskProgress& progress);

}  // namespace equinoise
