// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/option_grid.h"
#include "equinoise/tasks/input/request_option.h"

namespace equinoise {

/// The options of every comparison, whatever the task.
struct CompareRequest {
  std::vector<std::string> given;    ///< names of the methods' options that the user gave
  std::vector<std::string> methods;  ///< empty: all
  std::vector<double> epsilons;
  std::vector<GridOption> grid;  ///< every combination is a point
  int64_t num_seeds = 5;
  int threads = 1;
  std::filesystem::path runs_path;  ///< "": finished runs are not kept
  std::string out_path;             ///< "": write nothing
  bool force = false;               ///< replace files in out_path
};

/// The options of every comparison. `methods`: "Training methods"
inline RequestOptions comparison_options(CompareRequest& request, const std::string& methods) {
  return {
      {{.name = "methods",
        .is_common = true,
        .help = methods + ", separated by commas (see equinoise methods), or all that can do the "
                          "task",
        .derived = "all"},
       RequestOption::Names{&request.methods}},
      {{.name = "epsilon",
        .is_common = true,
        .help = "Largest privacy loss of a run, or several, separated by commas"},
       &request.epsilons},
      {{.name = "seeds",
        .is_common = true,
        .help = "Number of seeds: each its own noise and split, alike for all methods",
        .range = between(1, 1000)},
       &request.num_seeds},
      {{.name = "grid",
        .is_common = true,
        .help = "OPTION=VALUE,VALUE...: values to try with every method that has the option; "
                "repeatable"},
       RequestOption::Text{.read =
                               [&request](const std::string& text) {
                                 request.grid.push_back(parse_grid_option(text));
                               },
                           .is_repeatable = true}},
      {{.name = "runs",
        .help = "File that keeps finished runs, to resume or to add methods, epsilons or seeds"},
       &request.runs_path},
      {{.name = "out",
        .is_common = true,
        .help = "Folder for report.html, compare.json and compare.csv"},
       &request.out_path},
      {{.name = "force", .help = "Replace files in an existing --out"}, &request.force}};
}

/// Help for the table of a comparison, instead of that of a release.
inline constexpr const char* kPublicDataHelp =
    "Recommend a method, because the table itself is public; also accepts an unreviewed schema";

class CompareSubject;

/// Runs every method at every point of the grid, epsilon and seed, and compares their errors. A run
/// uses a test seed, the same seeds for all rows, so that rows are paired: NOT PRIVATE, and free.
/// Results depend neither on the number of threads nor on kept runs. A method that cannot do the
/// task is left out, with the reason. Errors: kUsage for an invalid combination of options, for
/// options that no remaining method follows, and if no method remains; kInput (schema, table, kept
/// runs of another comparison); kRuntime if the progress reports an interruption.
CompareReport compare(const CompareRequest& request, CompareSubject& subject,
                      TrainProgress& progress);

}  // namespace equinoise
