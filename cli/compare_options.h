// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "equinoise/base/method_option.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/tasks/compare/comparison.h"

namespace equinoise::cli {

/// Options of every comparison.
struct CompareOptions {
  CompareRequest request;
  std::vector<std::string> methods;
  std::vector<std::string> grid;
};

/// Adds methods, epsilons, seeds and the grid. `what`: "Training methods". `options` must outlive
/// parsing.
void add_compare_options(CLI::App& command, CompareOptions& options, const std::string& what);

/// Adds --runs, --out and --force.
void add_compare_files(CLI::App& command, CompareOptions& options);

/// The request that these options describe, without public_data and command. Errors: kUsage.
CompareRequest finish_compare_request(const CompareOptions& options, const CommonOptions& common);

/// The names of those options of methods that were given.
template <typename Config>
std::vector<std::string> given_options(const CLI::App& command,
                                       const std::vector<MethodOption<Config>>& options) {
  std::vector<std::string> given;
  for (const MethodOption<Config>& option : options)
    if (command.count(flag_of(option.facts.name)) > 0) given.emplace_back(option.facts.name);
  return given;
}

void print_comparison(const CompareReport& report, const CommonOptions& common);

}  // namespace equinoise::cli
