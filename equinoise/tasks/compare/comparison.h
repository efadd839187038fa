// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/option_grid.h"

namespace equinoise {

/// What every comparison is asked for, whatever is compared.
struct CompareRequest {
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

class CompareSubject;

/// Runs every method at every point of the grid, epsilon and seed, and compares their errors. A run
/// is under a test seed, the same seeds for all rows, which are paired by them: NOT PRIVATE, and
/// free. Results depend neither on the number of threads nor on which runs were kept. A method that
/// cannot do the task is left out with the reason. Errors: kUsage for options that make no sense or
/// that none of the others follows, and where no method is left; kInput (schema, table, kept runs
/// of something else); kRuntime when the progress says that it was interrupted.
CompareReport compare(const CompareRequest& request, CompareSubject& subject,
                      TrainProgress& progress);

}  // namespace equinoise
