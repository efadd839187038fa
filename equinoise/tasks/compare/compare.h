// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// An option of methods with the values to be tried, as they are typed.
struct GridOption {
  std::string name;
  std::vector<std::string> values;
};

/// What `equinoise compare` is asked for.
struct CompareRequest {
  /// What all runs share: schema, data, groups, constraints, model, and in its configuration the
  /// options that were given. Method, epsilon, seeds, threads and ledger are not used.
  TrainRequest training;
  std::vector<std::string> given;    ///< names of the options of methods that were given
  std::vector<std::string> methods;  ///< empty: all
  std::vector<double> epsilons;
  std::vector<GridOption> grid;  ///< every combination is a point
  int64_t num_seeds = 5;
  int threads = 1;
  std::filesystem::path runs_path;  ///< "": finished runs are not kept
  std::string out_path;             ///< "": write nothing
  bool force = false;               ///< replace files in out_path
};

/// Trains every method at every point of the grid, epsilon and seed, and compares their errors on
/// held-out records. A run is what train() does under a test seed, which decides both split and
/// noise, so that rows are paired by seeds: NOT PRIVATE, and free. Results depend neither on the
/// number of threads nor on which runs were kept. A method that cannot do the task is left out with
/// the reason. Errors: kUsage for options that make no sense or that none of the others follows,
/// and where no method is left; kInput (schema, table, kept runs of something else); kRuntime when
/// the progress says that it was interrupted.
CompareReport compare(const CompareRequest& request, TrainProgress& progress);

}  // namespace equinoise
