// SPDX-License-Identifier: Apache-2.0
#include "cli/means_options.h"

#include <fmt/format.h>

#include "cli/method_options.h"
#include "cli/number_options.h"
#include "cli/run_file_options.h"
#include "cli/schema_options.h"
#include "equinoise/base/error.h"
#include "equinoise/means/registry.h"

namespace equinoise::cli {

void add_means_options(CLI::App& command, MeansOptions& options) {
  MeansRequest& request = options.request;
  add_config_option(command);
  add_schema_options(command, request.schema);
  command.add_flag("--public-data", request.public_data,
                   "The table is public anyway: let an unreviewed schema pass; the result counts "
                   "as NOT PRIVATE");
  command.add_option("--columns", request.columns, "Numeric columns whose means are asked for")
      ->required()
      ->delimiter(',');
  command
      .add_option("--by", request.by,
                  "Columns, or [groups.NAME] of the schema, whose intersections are the strata")
      ->delimiter(',');
  add_group_floor_options(command, options.groups);
  command.add_option("--rho", request.rho,
                     "Zero-concentrated DP that members of each stratum may pay");
  command.add_option("--epsilon", request.epsilon, "The same as epsilon at --delta, instead");
  command.add_option("--delta", request.delta, "Failure probability, below 1 / num_records")
      ->capture_default_str();
  command.add_option("--relation", options.relation,
                     "replace_one or zero_out [the ledger account's; without one replace_one]");
  add_named_numbers(command, "--stratum-size", request.stratum_sizes,
                    "STRATUM=NUMBER, e.g. \"Female,White=13027\": public size [the schema's]");
  command
      .add_option("--overall-share", request.overall_share,
                  "Share of the budget for one sum over all strata, of columns with the method "
                  "bounded: it makes the overall mean much more precise than strata alone do")
      ->capture_default_str();
  add_named_numbers(command, "--weights", request.weights.given,
                    "STRATUM=NUMBER: public weight in the overall mean [its share of the records]");
  command.add_option_function<std::string>(
      "--weights-file", [&request](const std::string& path) { request.weights.json_path = path; },
      "The same for all strata, a JSON object {\"STRATUM\": NUMBER, ...}");
  command.add_option_function<std::string>(
      "--weights-from", [&request](const std::string& path) { request.weights.table_path = path; },
      "Weights are the shares of strata in this table, which needs the columns of --by alone. They "
      "are exact, and free: nothing protects its records, which must be public or of other people "
      "than those of --data");
}

void add_mean_estimation_options(CLI::App& command, MeansOptions& options) {
  constexpr const char* kGroup = "Estimation";
  MeansRequest& request = options.request;
  command
      .add_option("--bounds", options.bounds,
                  "COLUMN=LOWER:UPPER: numbers outside count as the nearest [the schema's]")
      ->allow_extra_args(false)
      ->group(kGroup);
  add_named_numbers(command, "--stddev", request.stddevs,
                    "COLUMN=NUMBER: standard deviation within a stratum, a public figure [that of "
                    "scale = \"standard\" in the schema]")
      ->group(kGroup);
  add_method_options<MeanConfig>(command, mean_options(), request.config, kGroup,
                                 [](std::string_view) { return true; });
}

MeansRequest finish_means_request(const MeansOptions& options) {
  MeansRequest request = options.request;
  if (!options.relation.empty()) request.relation = parse_relation(options.relation);
  for (const std::string& text : options.bounds) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::kUsage, "cli.means",
                  fmt::format("--bounds has the form COLUMN=LOWER:UPPER, got \"{}\"", text));
    }
    if (!request.bounds.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      throw Error(ErrorKind::kUsage, "cli.means",
                  fmt::format("--bounds of {} are given twice", text.substr(0, equals)));
    }
  }
  request.group_floor = options.groups.floor();
  return request;
}

}  // namespace equinoise::cli
