// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/group_options.h"
#include "equinoise/tasks/means/means.h"

namespace equinoise::cli {

/// What a release of means and a plan of it are asked for alike.
struct MeansOptions {
  MeansRequest request;
  GroupOptions groups;
  std::string relation;
  std::vector<std::string> bounds;
};

/// Schema, columns, strata with their sizes and weights, budget. `options` must outlive the
/// parsing.
void add_means_options(CLI::App& command, MeansOptions& options);

/// Bounds, standard deviations and settings of estimators.
void add_mean_estimation_options(CLI::App& command, MeansOptions& options);

/// The request with what these options say. Errors: kUsage.
MeansRequest finish_means_request(const MeansOptions& options);

}  // namespace equinoise::cli
