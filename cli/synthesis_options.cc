// SPDX-License-Identifier: Apache-2.0
#include "cli/synthesis_options.h"

#include <fmt/format.h>

#include "cli/command_tree.h"
#include "cli/method_options.h"
#include "cli/name_options.h"
#include "cli/number_options.h"
#include "cli/schema_options.h"
#include "cli/synth_options.h"
#include "equinoise/synth/private_law.h"
#include "equinoise/synth/registry.h"

namespace equinoise::cli {

namespace {

void add_row_options(CLI::App& command, SynthesisOptions& options) {
  SynthRequest& request = options.request;
  command.add_option_function<int64_t>(
      "--rows", [&request](const int64_t& rows) { request.num_rows = rows; },
      "Number of rows to draw [the public number of the table; under add_remove the measured "
      "number]");
  command
      .add_option("--rows-method", options.rows_method,
                  "Way of drawing rows: round, which meets the model's counts to about one row; "
                  "sample, independent draws")
      ->check(CLI::IsMember({"round", "sample"}))
      ->capture_default_str();
  add_bin_options(command, request.bins,
                  fmt::format("8 to {}, by records and rho; {} with --number-share 0", kMostLawBins,
                              kUsualBins));
  command.add_option_function<double>(
      "--number-share", [&request](const double& share) { request.number_share = share; },
      "Share of rho, at most 0.9, for how numbers are spread between their bounds; 0 spreads them "
      "evenly within bins of equal width [0.02 for each column with several numbers in a bin, at "
      "most 0.1]");
  add_names(
      command, "--quantile-bins", request.quantile_columns,
      "Numeric columns whose bins hold about equal numbers of people, also where bins of equal "
      "width would spread them nearly as well");
  add_missing_option(command, request.schema, {"keep", "fill"});
  command.add_flag("--drop-incomplete", request.drop_incomplete,
                   "Leave out every record of which a cell is missing, where the schema says so or "
                   "--missing does not say otherwise");
}

void add_relation_options(CLI::App& command, SynthesisOptions& options) {
  constexpr const char* kGroup = "Privacy";
  SynthRequest& request = options.request;
  command.add_option("--delta", request.delta, "Failure probability, below 1 / num_records")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--relation", options.relation,
                  "Neighbouring relation: zero_out, where the number of rows is public; "
                  "add_remove, where it is private and measured")
      ->check(CLI::IsMember({"zero_out", "add_remove"}))
      ->capture_default_str()
      ->group(kGroup);
}

void add_model_options(CLI::App& command, SynthRequest& request) {
  constexpr const char* kGroup = "Model";
  add_method_options<SynthConfig>(command, synth_options(), request.config, kGroup,
                                  [](std::string_view) { return true; });
  command
      .add_option("--max-model-size", request.max_model_megabytes,
                  "Largest size of a model, in MB [80; of aim and swift 32 bytes for each public "
                  "record, from 5 to 80, and 20 where the number of records is private]")
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--structural-zeros", [&request](const std::string& path) { request.zeros_path = path; },
          "JSON list of combinations that no record can have: [{\"columns\": [...], "
          "\"impossible\": [[...], ...]}, ...]")
      ->group(kGroup);
}

void add_stratum_options(CLI::App& command, SynthRequest& request) {
  constexpr const char* kGroup = "Strata";
  add_names(command, "--stratify", request.stratify,
            "Columns or group attributes of the schema whose combinations each get a model of "
            "their own")
      ->group(kGroup);
  command
      .add_option("--min-stratum", request.min_stratum,
                  "Public size below which strata measure nothing of their own [the size at which "
                  "noise would hide it]; with --strata independent, share one model [0]")
      ->group(kGroup);
  command
      .add_option_function<std::string>(
          "--strata",
          [&request](const std::string& word) { request.strata = value_of(kStrataForms, word); },
          "Form of the models of strata: shared, which start from one model of the whole table and "
          "differ from it by what the stratum's own columns show beyond noise; independent, each "
          "from its own records alone [shared; independent with gem or without declared sizes]")
      ->check(CLI::IsMember({"shared", "independent"}))
      ->group(kGroup);
  command
      .add_option(
          "--shared-share", request.shared_share,
          "Share of rho for the shared model, of what --number-share leaves; the rest is for the "
          "columns of strata")
      ->capture_default_str()
      ->group(kGroup);
  add_named_numbers(
      command, "--stratum-weight", request.stratum_weights,
      "STRATUM=NUMBER: rows go to strata in proportion to these public numbers; for all "
      "strata or none [public sizes, or the released totals]")
      ->group(kGroup);
}

}  // namespace

void add_synthesis_options(CLI::App& command, SynthesisOptions& options) {
  add_row_options(command, options);
  add_relation_options(command, options);
  add_model_options(command, options.request);
  add_stratum_options(command, options.request);
}

SynthRequest finish_synthesis(const SynthesisOptions& options) {
  SynthRequest request = options.request;
  request.relation = parse_relation(options.relation);
  request.draw = options.rows_method == "round" ? RowDraw::kRound : RowDraw::kSample;
  return request;
}

}  // namespace equinoise::cli
