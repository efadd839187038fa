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
#include "equinoise/tasks/input/shared_options.h"
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
  bool dry_run = false;  ///< the tool plans alone
  std::optional<uint64_t> insecure_seed;
};

inline RequestOptions options_of(GroupSizesRequest& request) {
  return joined(
      {{{{.name = "schema",
          .help = "Schema file (TOML): what is publicly known about the table",
          .is_required = true},
         &request.schema.path}},
       layout_options(request.schema.table),
       {{{.name = "data",
          .help = std::string(kTableHelp) + ", or images",
          .required_without = "dry_run"},
         RequestOption::Table{&request.table.data, &request.schema.table}}},
       label_options(request.table.labels),
       {{{.name = "groups",
          .help = "Columns, or [groups.NAME] of the schema, whose intersections are the groups",
          .is_required = true},
         RequestOption::Names{.names = &request.groups, .is_one_question = true}},
        {{.name = "epsilon",
          .help = "Price of the sizes: each count has noise of standard deviation about 1.4 / "
                  "epsilon",
          .is_required = true},
         &request.epsilon}},
       ledger_options(request.ledger_path, request.ledger_key, "release"),
       {{{.name = "out",
          .help = "File for the schema with the sizes, without its comments; it holds nothing that "
                  "is not private"},
         &request.out_path},
        {{.name = "force", .help = "Replace an existing --out"}, &request.force},
        {{.name = "dry_run",
          .help = "Only print what the release will cost and how much noise to expect"},
         &request.dry_run}},
       seed_options(request.insecure_seed)});
}

/// The cost of a release, and its noise. Reads the schema alone, and spends nothing. Errors: kInput
/// (schema), kUsage (request), kLedger (a ledger that exists and is broken).
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
