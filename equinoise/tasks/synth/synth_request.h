// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"
#include "equinoise/synth/registry.h"
#include "equinoise/synth/synth_choices.h"
#include "equinoise/tasks/input/shared_options.h"
#include "equinoise/tasks/synth/bin_options.h"

namespace equinoise {

/// A request of `equinoise synth`.
struct SynthRequest : SynthChoices {
  SchemaFile schema;         ///< its `missing`: kFill, kKeep or nothing
  bool public_data = false;  ///< let a schema pass that was drafted from the data; NOT PRIVATE
  TableSource data;
  bool drop_incomplete = false;  ///< rows may lack people of whom a cell is missing
  RowDraw draw = RowDraw::kRound;
  std::string ledger_path = "equinoise.ledger";
  std::string ledger_key;
  std::filesystem::path out_path;
  bool force = false;
  bool dry_run = false;  ///< the tool plans alone
  bool verbose = false;  ///< the tool prints the rounds, too
  std::optional<uint64_t> insecure_seed;
  std::string command;
  std::vector<Setting> asked;  ///< the same by names of options, for the run file
};

inline RequestOptions options_of(SynthRequest& request) {
  using Option = RequestOption;
  const RequestOptions privacy = joined(
      {{{{.name = "delta", .is_common = true, .help = "Failure probability, below 1 / num_records"},
         &request.delta},
        {{.name = "relation",
          .help = "zero_out, where the number of rows is public; add_remove, where it is measured",
          .choices = {"zero_out", "add_remove"}},
         Option::Text{
             [&request](const std::string& text) { request.relation = parse_relation(text); },
             std::string(to_string(request.relation))}},
        {{.name = "epsilon", .help = "Privacy loss of the whole run", .is_required = true},
         &request.epsilon}},
       ledger_options(request.ledger_path, request.ledger_key, "run"),
       {{{.name = "max_table_size",
          .help = "Memory for records, in MB; a larger table is read block by block"},
         &request.max_table_megabytes},
        {{.name = "public_data",
          .help = "Accept a schema that was drafted from the data; NOT PRIVATE"},
         &request.public_data}},
       seed_options(request.insecure_seed)});
  const RequestOptions model = joined(
      {bound<SynthConfig>(synth_options(), request.config),
       {{{.name = "max_model_size",
          .help = "Largest size of a model, in MB",
          .derived = "80; of aim and swift 32 bytes for each public record, from 5 to 80, and 20 "
                     "where the number of records is private"},
         &request.max_model_megabytes},
        {{.name = "structural_zeros",
          .help = "JSON list of combinations that no record can have: [{\"columns\": [...], "
                  "\"impossible\": [[...], ...]}, ...]"},
         &request.zeros_path},
        {{.name = "method",
          .is_common = true,
          .help = "Method (see equinoise methods)",
          .choices = names_in(synthesizers())},
         &request.method}}});
  const RequestOptions strata = {
      {{.name = "stratify",
        .is_common = true,
        .help = "Columns or group attributes whose combinations each get a model of their own"},
       Option::Names{.names = &request.stratify, .is_one_question = true}},
      {{.name = "min_stratum",
        .help = "Public size below which strata measure nothing of their own, or share a model",
        .derived = "where noise would hide it; with --strata independent, 0"},
       &request.min_stratum},
      {{.name = "strata",
        .help = "Models of strata: shared, from one of all records; independent, each by itself",
        .choices = words_of(kStrataForms),
        .derived = "shared; independent with gem or without declared sizes"},
       word_field<kStrataForms>(request.strata)},
      {{.name = "shared_share",
        .help = "Share of rho for the shared model, of what --number-share leaves"},
       &request.shared_share},
      {{.name = "stratum_weight",
        .help = "STRATUM=NUMBER: public weight of a stratum's rows; for all strata or none",
        .derived = "public sizes, or the released totals"},
       &request.stratum_weights}};
  return joined(
      {domain_options(request.schema),
       {{{.name = "data", .help = kTableHelp, .required_without = "dry_run"},
         Option::Table{&request.data, &request.schema.table}},
        {{.name = "out",
          .help = "Folder for rows, model and report",
          .required_without = "dry_run",
          .is_of_one_run = true},
         &request.out_path},
        {{.name = "force", .help = "Replace files in an existing --out", .is_of_one_run = true},
         &request.force},
        {{.name = "format",
          .is_common = true,
          .help = "Format of the rows: csv (rows.csv) or parquet (rows.parquet)",
          .choices = words_of(kRowFormats)},
         word_field<kRowFormats>(request.format)},
        {{.name = "dry_run",
          .is_common = true,
          .help = "Only print what the run will cost and how large its model is",
          .is_of_one_run = true},
         &request.dry_run}},
       verbose_options(request.verbose),
       {{{.name = "rows",
          .is_common = true,
          .help = "Number of rows to draw",
          .derived = "the public number of the table; under add_remove the measured number"},
         &request.num_rows}},
       draw_options(request.draw),
       bin_options(request.bins,
                   fmt::format("8 to {}, by records and rho; {} with --number-share 0",
                               kMaxDistributionBins, kUsualBins)),
       {{{.name = "number_share",
          .help = "Share of rho for how numbers spread between bounds; 0: evenly within bins",
          .derived = "0.02 for each column with several numbers in a bin, at most 0.1"},
         &request.number_share},
        {{.name = "quantile_bins",
          .help = "Numeric columns whose bins shall hold about equal numbers of records"},
         Option::Names{&request.quantile_columns}}},
       missing_options(request.schema, {MissingUse::kKeep, MissingUse::kFill}),
       {{{.name = "drop_incomplete",
          .is_common = true,
          .help = "Leave out records with a missing cell, unless --missing says otherwise"},
         &request.drop_incomplete}},
       under("Privacy", privacy),
       under("Model", model),
       under("Strata", strata)});
}

}  // namespace equinoise
