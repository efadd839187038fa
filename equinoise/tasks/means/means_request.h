// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/means/registry.h"
#include "equinoise/means/release.h"
#include "equinoise/privacy/delta.h"
#include "equinoise/tasks/input/shared_options.h"
#include "equinoise/tasks/means/stratum_weights.h"

namespace equinoise {

/// The request of `equinoise means`.
struct MeansRequest {
  SchemaFile schema;
  bool public_data = false;  ///< let a schema pass that was drafted from the data; NOT PRIVATE
  TableSource data;
  std::vector<std::string> columns;
  std::vector<std::string> by;  ///< columns whose intersections are the strata; none: no strata
  /// The weight of each record, from 0 to the upper bound of that column; "": 1 each.
  std::string weight_column;
  GroupFloor group_floor;
  std::string method = "auto";
  MeanConfig config;
  std::optional<Relation> relation;  ///< [the ledger account's; else replace_one, or zero_out]
  std::optional<double> rho;         ///< or epsilon at delta
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
  /// A folder for the report or, with an ending, a file for the figures (JSON); "": write nothing
  std::filesystem::path out_path;
  bool force = false;
  bool dry_run = false;  ///< the tool plans alone
  bool verbose = false;  ///< the tool prints all that the page has
  std::optional<uint64_t> insecure_seed;
  int threads = 1;
  std::string command;
};

inline RequestOptions options_of(MeansRequest& request) {
  using Option = RequestOption;
  constexpr const char* kEstimation = "Estimation";
  return joined(
      {schema_options(request.schema),
       missing_options(request.schema, {MissingUse::kLeaveOut, MissingUse::kFill}),
       {{{.name = "public_data",
          .help =
              "Accept an unreviewed schema because the table is public; the result is NOT PRIVATE"},
         &request.public_data},
        {{.name = "columns",
          .help = "Numeric columns whose means are released",
          .is_required = true},
         Option::Names{&request.columns}},
        {{.name = "by",
          .is_common = true,
          .help = "Columns, or [groups.NAME] of the schema, whose intersections are the strata"},
         Option::Names{.names = &request.by, .is_one_question = true}}},
       floor_options(request.group_floor),
       weight_options(request.weight_column, "; those outside its bounds are clipped"),
       {{{.name = "delta", .is_common = true, .help = "Failure probability, below 1 / num_records"},
         &request.delta},
        {{.name = "relation",
          .help = "Neighbouring relation: replace_one or zero_out",
          .derived = "that of the ledger's account; without one, replace_one, or zero_out where a "
                     "person may have several rows or sizes are private"},
         Option::Text{
             [&request](const std::string& text) { request.relation = parse_relation(text); }}},
        {{.name = "stratum_size",
          .help = "STRATUM=NUMBER, e.g. \"Female,White=13027\": public size of a stratum",
          .derived = "from the schema"},
         &request.stratum_sizes},
        {{.name = "overall_share",
          .help = "Share of the budget for one sum over all strata, with the method bounded"},
         &request.overall_share},
        {{.name = "weights",
          .help = "STRATUM=NUMBER: public weight of a stratum in the overall mean",
          .derived = "its share of the records"},
         &request.weights.given},
        {{.name = "weights_file",
          .help = "JSON file with the public weights of all strata, {\"STRATUM\": NUMBER, ...}"},
         &request.weights.json_path},
        {{.name = "weights_from",
          .help =
              "Public table, or one of other people, whose exact strata shares are the weights"},
         RequestOption::Table{&request.weights.table}},
        {{.name = "rho",
          .is_common = true,
          .help = "Budget of the members of each stratum, in zero-concentrated DP"},
         &request.rho},
        {{.name = "epsilon",
          .is_common = true,
          .help = "Budget as epsilon at --delta, instead of --rho"},
         &request.epsilon},
        {{.name = "data", .help = kTableHelp, .required_without = "dry_run"},
         Option::Table{&request.data, &request.schema.table}},
        {{.name = "private_sizes",
          .is_common = true,
          .help =
              "Treat sizes of strata as private: release noisy ones, which cost; needs zero_out"},
         &request.private_sizes},
        {{.name = "size_share",
          .help = "Share of the precision, rho, for the noisy sizes",
          .needs = "private_sizes"},
         &request.size_share},
        {{.name = "no_shrink",
          .help = "Report the strata's figures as released, not moved towards their mean"},
         Option::Flag{[&request] { request.shrink = false; }}},
        {{.name = "explain",
          .is_common = true,
          .help = "Also print exact figures, errors and parity: NOT PRIVATE"},
         &request.explain},
        {{.name = "method",
          .is_common = true,
          .help = mean_method_help(),
          .choices = names_in(mean_estimators(), {"auto"}),
          .section = kEstimation},
         &request.method}},
       under(kEstimation,
             joined({{{{.name = "bounds",
                        .help = "COLUMN=LOWER:UPPER: bounds of a column; numbers outside count as "
                                "the nearer bound",
                        .derived = "from the schema"},
                       text_by_name("--bounds", "COLUMN=LOWER:UPPER",
                                    [&request](std::string column, std::string bounds) {
                                      return request.bounds
                                          .emplace(std::move(column), std::move(bounds))
                                          .second;
                                    })},
                      {{.name = "stddev",
                        .help = "COLUMN=NUMBER: public standard deviation of a column within a "
                                "stratum",
                        .derived = "that of scale = \"standard\" in the schema"},
                       &request.stddevs}},
                     bound<MeanConfig>(mean_options(), request.config),
                     {{{.name = "clipped_share",
                        .help = "Share of the budget for a noisy count of the clipped records"},
                       &request.config.clipped_share}}})),
       ledger_options(request.ledger_path, request.ledger_key, "release"),
       {{{.name = "out",
          .is_common = true,
          .help = "Folder for report, card and CSV; or a file, NAME.json or NAME.csv, for the "
                  "figures alone",
          .is_of_one_run = true},
         &request.out_path},
        {{.name = "force", .help = "Replace an existing --out", .is_of_one_run = true},
         &request.force}},
       verbose_options(request.verbose),
       {{{.name = "dry_run",
          .is_common = true,
          .help = "Only print what the release will cost and how much noise to expect",
          .is_of_one_run = true},
         &request.dry_run}},
       seed_options(request.insecure_seed)});
}

}  // namespace equinoise
