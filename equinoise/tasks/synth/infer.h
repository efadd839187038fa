// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/report/synth/infer_report.h"
#include "equinoise/synth/graph/estimation.h"
#include "equinoise/tasks/input/request_option.h"

namespace equinoise {

/// The request of `equinoise infer`.
struct InferRequest {
  std::filesystem::path domain_path;  ///< schema in TOML, or domain.json of private-pgm
  std::filesystem::path measurements_path;
  std::filesystem::path zeros_path;                   ///< structural zeros; may be empty
  std::vector<std::filesystem::path> marginal_paths;  ///< lists of marginals to write
  std::filesystem::path out_path;                     ///< folder to write; may be empty
  bool force = false;
  bool dry_run = false;      ///< how large the model would be, and nothing else
  double max_megabytes = 0;  ///< of the model's tables; 0: as many as the library allows
  double gap_tolerance = EstimationOptions().gap_tolerance;
  double relative_gap_tolerance = EstimationOptions().relative_gap_tolerance;
  double stall_tolerance = EstimationOptions().stall_tolerance;
  int max_iterations = EstimationOptions().max_iterations;
  int threads = 1;
};

inline RequestOptions options_of(InferRequest& request) {
  return {
      {{.name = "domain",
        .help =
            "domain.json of private-pgm ({\"COLUMN\": NUMBER OF CODES}), or a schema (TOML), of "
            "which only the categorical columns are used",
        .is_required = true},
       &request.domain_path},
      {{.name = "measurements",
        .help = "JSON file of noisy marginals; \"total\", the number of records, is optional",
        .is_required = true},
       &request.measurements_path},
      {{.name = "structural_zeros",
        .help = "JSON file of impossible combinations: {\"zeros\": [{\"clique\": [\"age\", "
                "\"married\"], \"cells\": [[0, 1]]}]}"},
       &request.zeros_path},
      {{.name = "marginals",
        .help = "JSON file that lists the marginals to write, possibly of columns that were not "
                "measured together: {\"marginals\": [{\"clique\": [\"age\", \"race\"]}]}"},
       RequestOption::Text{
           .read =
               [&request](const std::string& path) { request.marginal_paths.emplace_back(path); },
           .is_repeatable = true}},
      {{.name = "out", .help = "Folder for model.json and marginals.json"}, &request.out_path},
      {{.name = "force", .help = "Replace files in an existing --out"}, &request.force},
      {{.name = "dry_run", .help = "Only print how large the model would be"}, &request.dry_run},
      {{.name = "max_megabytes",
        .help = "Largest size of the model's tables, in MB; a larger model is refused",
        .range = between(1e-6, 8000),
        .derived = "8,000"},
       &request.max_megabytes},
      {{.name = "max_iterations", .help = "Largest number of iterations", .range = between(1, 1e8)},
       &request.max_iterations},
      {{.name = "gap",
        .help =
            "Absolute accuracy: fitting ends once the loss is shown to be at most this far above "
            "the least possible",
        .range = between(0, 1e300)},
       &request.gap_tolerance},
      {{.name = "relative_gap",
        .help = "Relative accuracy: the same, as a fraction of the loss",
        .range = between(0, 1)},
       &request.relative_gap_tolerance},
      {{.name = "stall",
        .help = "Stall limit: fitting ends once 50 iterations lower the loss by less than this "
                "fraction; 0 turns it off",
        .range = between(0, 1)},
       &request.stall_tolerance}};
}

/// Finds the graphical model that fits noisy marginals best, and writes it (model.json) and the
/// asked marginals (marginals.json).
///
/// Post-processing: reads no records. Whether the measurements are private depends on how they were
/// made. Ctrl-C ends the estimation with what there is. Errors: kInput (the files), kUsage (the
/// model is too large, out_path exists), kRuntime (disk).
InferReport infer(const InferRequest& request, TaskProgress& progress);

}  // namespace equinoise
