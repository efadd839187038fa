// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/means/release.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/tasks/means/stratum_weights.h"

namespace equinoise {

/// The request of `equinoise means`.
struct MeansRequest {
  SchemaFile schema;
  bool public_data = false;  ///< let a schema pass that was drafted from the data; NOT PRIVATE
  TableSource data;
  std::vector<std::string> columns;
  std::vector<std::string> by;  ///< columns whose intersections are the strata; none: no strata
  /// What each record counts for, from 0 to the upper bound of that column; "": 1 each.
  std::string weight_column;
  GroupFloor group_floor;
  std::string method = "auto";
  MeanConfig config;
  std::optional<Relation>
      relation;               ///< [the ledger account's; else replace_one, of units zero_out]
  std::optional<double> rho;  ///< or epsilon at delta
  std::optional<double> epsilon;
  double delta = kDefaultDelta;
  std::map<std::string, std::string> bounds;    ///< by column, "LOWER:UPPER" [the schema's]
  std::map<std::string, double> stddevs;        ///< by column [the schema's]
  std::map<std::string, double> stratum_sizes;  ///< by stratum [the schema's]
  bool private_sizes = false;
  double size_share = 0.1;
  double overall_share = kDefaultOverallShare;  ///< see MeansQuestion
  StratumWeightsRequest weights;                ///< public ones, in the overall mean [by sizes]
  bool shrink = true;
  bool explain = false;  ///< report exact figures as well; NOT PRIVATE
  std::string ledger_path = "equinoise.ledger";
  std::string ledger_key;
  std::filesystem::path out_path;  ///< "": write nothing
  bool force = false;
  std::optional<uint64_t> insecure_seed;
  int threads = 1;
  std::string command;
};

/// The cost and the noise to be expected, from the schema and from weights: of the table whose
/// means are asked for nothing is read, nothing is spent. Errors: kInput (schema), kUsage
/// (request), kLedger (a ledger that exists and is broken).
MeansReport plan_means_task(const MeansRequest& request);

/// Reads, plans, reserves the whole cost in the ledger, releases.
///
/// A record counts for a column if its stratum is known and it has a value there, or a missing cell
/// that the schema fills, whatever rules of other columns say; with a column of weights by its
/// weight, and for nothing where that is missing. Guarantee: everything in the report but
/// `explanation` and `seconds` is a release that the ledger's entry pays for, or public. Strata
/// that contradict the records (more, fewer or no records of a stratum than declared, records of a
/// stratum of size 0) follow the rule of MeansQuestion and are reported only in the explanation.
/// Nothing is spent before everything that can be checked has been. Errors: as plan_means_task;
/// kInput for the table; kBudget.
MeansReport release_means_task(const MeansRequest& request, TaskProgress& progress);

struct MeansSetup;
struct MeanRecords;

/// The report of a request that is set up, as far as public facts go.
MeansReport begin_means_report(const MeansSetup& setup, const MeansRequest& request);

/// What release_means_task() does of records in memory, under the request's test seed: nothing is
/// written or spent. NOT PRIVATE.
MeansReport release_unpaid_means(const MeansRequest& request, const MeansSetup& setup,
                                 const MeanRecords& records);

}  // namespace equinoise
