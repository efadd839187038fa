// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/synth_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/report/compare/compare_json.h"
#include "equinoise/report/compare/compare_page.h"
#include "equinoise/report/json.h"

namespace equinoise::cli {

namespace {

/// "max_grad_norm=0.5,1"
GridOption read_grid(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw Error(
        ErrorKind::kUsage, "cli.compare",
        fmt::format("--grid takes OPTION=VALUE,VALUE..., e.g. max_grad_norm=0.5,1, got {}", text));
  }
  std::string name = text.substr(0, equals);
  // As flags and as run files spell it.
  std::replace(name.begin(), name.end(), '-', '_');
  return {std::move(name), split_names(text.substr(equals + 1))};
}

}  // namespace

void add_compare_options(CLI::App& command, CompareOptions& options, const std::string& what) {
  CompareRequest& request = options.request;
  command
      .add_option("--methods", options.methods,
                  what +
                      ", separated by commas (see equinoise methods), or all that can do the "
                      "task [all]")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--epsilon", request.epsilons,
                  "Largest privacy loss of a run, or several, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option("--seeds", request.num_seeds,
                  "Number of seeds; each has noise of its own and, of models, a split of its own, "
                  "the same for all methods")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      .add_option("--grid", options.grid,
                  "OPTION=VALUE,VALUE...: values of an option to try with every method that "
                  "follows it; may be repeated for every combination")
      ->allow_extra_args(false);
}

void add_compare_files(CLI::App& command, CompareOptions& options) {
  CompareRequest& request = options.request;
  command.add_option_function<std::string>(
      "--runs", [&request](const std::string& path) { request.runs_path = path; },
      "File that keeps every finished run, so that the same command resumes after Ctrl-C, and so "
      "that more methods, epsilons or seeds can be added");
  command.add_option(
      "--out", request.out_path,
      "Folder for report.html, a page of the comparison, compare.json and compare.csv, with a "
      "line for each run and group");
  command.add_flag("--force", request.force, "Replace files in an existing --out");
}

CompareRequest finish_compare_request(const CompareOptions& options, const CommonOptions& common) {
  CompareRequest request = options.request;
  if (options.methods != std::vector<std::string>{"all"}) request.methods = options.methods;
  if (std::count(request.methods.begin(), request.methods.end(), "all") > 0)
    throw Error(ErrorKind::kUsage, "cli.compare", "--methods all stands alone");
  for (const std::string& text : options.grid) request.grid.push_back(read_grid(text));
  request.threads = num_threads(common.threads);
  return request;
}

void print_comparison(const CompareReport& report, const CommonOptions& common) {
  if (common.json) {
    common.print("{}", to_text(compare_to_json(report)));
  } else {
    common.print("\n{}", to_screen(compare_document(report)));
  }
}

}  // namespace equinoise::cli
