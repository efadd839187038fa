// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/synth/graph/estimation.h"

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

/// How well the model fits.
struct InferFit {
  double loss = 0;
  double gap_bound = 0;
  int iterations = 0;
  bool interrupted = false;
};

/// The result of `equinoise infer`.
struct InferReport {
  std::optional<InferFit> fit;  ///< none of a dry run
  double total = 0;
  double num_cells = 0;
  double megabytes = 0;  ///< of the model's tables
  size_t num_cliques = 0;
  std::string largest_clique;  ///< "age, sex"
  double largest_clique_cells = 0;
  double seconds = 0;
  std::vector<std::string> files;
};

/// Finds the graphical model that fits noisy marginals best, and writes it (model.json) and the
/// asked marginals (marginals.json).
///
/// Post-processing: reads no records. Whether the measurements are private depends on how they were
/// made. Ctrl-C ends the estimation with what there is. Errors: kInput (the files), kUsage (the
/// model is too large, out_path exists), kRuntime (disk).
InferReport infer(const InferRequest& request, TaskProgress& progress);

}  // namespace equinoise
