// SPDX-License-Identifier: Apache-2.0
#include "cli/means_options.h"

#include <fmt/format.h>

#include "cli/method_options.h"
#include "cli/name_options.h"
#include "cli/number_options.h"
#include "cli/schema_options.h"
#include "cli/table_option.h"
#include "cli/weight_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/means/registry.h"

namespace equinoise::cli {

void add_means_options(CLI::App& command, MeansOptions& options, const CommonOptions& common) {
  MeansRequest& request = options.request;
  add_schema_options(command, request.schema);
  add_missing_option(command, request.schema, {"leave-out", "fill"});
  command.add_flag("--public-data", request.public_data,
                   "Accept an unreviewed schema because the table itself is public; the result "
                   "counts as NOT PRIVATE");
  add_names(command, "--columns", request.columns, "Numeric columns whose means are released")
      ->required();
  add_names(command, "--by", request.by,
            "Columns, or [groups.NAME] of the schema, whose intersections are the strata");
  add_group_floor_options(command, options.groups);
  add_weight_option(command, request.weight_column,
                    "; weights outside the column's bounds count as these. Means are weighted, and "
                    "the sum of weights is released with noise, together with the weighted sum");
  command.add_option("--delta", request.delta, "Failure probability, below 1 / num_records")
      ->capture_default_str();
  command.add_option("--relation", options.relation,
                     "Neighbouring relation: replace_one or zero_out [that of the ledger's "
                     "account; without one, replace_one, "
                     "or zero_out where a person may have several rows]");
  add_named_numbers(
      command, "--stratum-size", request.stratum_sizes,
      "STRATUM=NUMBER, e.g. \"Female,White=13027\": public size of a stratum [from the schema]");
  command
      .add_option("--overall-share", request.overall_share,
                  "Share of the budget for one sum over all strata, for columns with the method "
                  "bounded; it makes the overall mean much more precise than the strata alone do")
      ->capture_default_str();
  add_named_numbers(
      command, "--weights", request.weights.given,
      "STRATUM=NUMBER: public weight of a stratum in the overall mean [its share of the records]");
  command.add_option_function<std::string>(
      "--weights-file", [&request](const std::string& path) { request.weights.json_path = path; },
      "JSON file with the public weights of all strata, {\"STRATUM\": NUMBER, ...}");
  add_table(
      command, "--weights-from", request.weights.table,
      "Table whose shares of the strata are the weights; it needs only the columns of --by. The "
      "shares are exact and cost nothing because nothing protects the table's records: they must "
      "be public, or belong to other people than those in --data",
      common);
}

void add_means_budget(CLI::App& command, MeansRequest& request) {
  command.add_option("--rho", request.rho,
                     "Budget of the members of each stratum, in zero-concentrated DP");
  command.add_option("--epsilon", request.epsilon,
                     "Budget as epsilon at --delta, instead of --rho");
}

void add_means_release_options(CLI::App& command, MeansOptions& options) {
  MeansRequest& request = options.request;
  CLI::Option* private_sizes = command.add_flag("--private-sizes", request.private_sizes,
                                                "Treat the sizes of strata as private: noisy "
                                                "sizes are released and paid for; needs zero_out");
  command.add_option("--size-share", request.size_share, "Share of the budget for the noisy sizes")
      ->capture_default_str()
      ->needs(private_sizes);
  command.add_flag("--no-shrink", options.no_shrink,
                   "Report the strata's figures as they were released, without moving them "
                   "towards their mean as far as noise explains their differences");
}

void add_mean_estimation_options(CLI::App& command, MeansOptions& options) {
  constexpr const char* kGroup = "Estimation";
  MeansRequest& request = options.request;
  command
      .add_option("--bounds", options.bounds,
                  "COLUMN=LOWER:UPPER: bounds of a column; numbers outside count as the nearer "
                  "bound [from the schema]")
      ->allow_extra_args(false)
      ->group(kGroup);
  add_named_numbers(command, "--stddev", request.stddevs,
                    "COLUMN=NUMBER: public standard deviation of a column within a stratum [that "
                    "of scale = \"standard\" in the schema]")
      ->group(kGroup);
  add_method_options<MeanConfig>(command, mean_options(), request.config, kGroup,
                                 [](std::string_view) { return true; });
}

MeansRequest finish_means_request(const MeansOptions& options) {
  MeansRequest request = options.request;
  if (!options.relation.empty()) request.relation = parse_relation(options.relation);
  for (const std::string& text : options.bounds) {
    const size_t equals = rfind_outside_quotes(text, '=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::kUsage, "cli.means",
                  fmt::format("--bounds needs COLUMN=LOWER:UPPER, got \"{}\"", text));
    }
    if (!request.bounds.emplace(without_quotes(text.substr(0, equals)), text.substr(equals + 1))
             .second) {
      throw Error(ErrorKind::kUsage, "cli.means",
                  fmt::format("--bounds for {} are given twice", text.substr(0, equals)));
    }
  }
  request.group_floor = options.groups.floor();
  request.shrink = !options.no_shrink;
  return request;
}

}  // namespace equinoise::cli
