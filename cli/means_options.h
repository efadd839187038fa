// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/group_options.h"
#include "equinoise/tasks/means/means.h"

namespace equinoise::cli {

/// Options that a release of means and its plan have in common.
struct MeansOptions {
  MeansRequest request;
  GroupOptions groups;
  std::string relation;
  std::vector<std::string> bounds;
  bool no_shrink = false;
};

/// Adds schema, columns, strata with their sizes and weights, delta and relation. `options` must
/// outlive parsing.
void add_means_options(CLI::App& command, MeansOptions& options, const CommonOptions& common);

/// Adds --rho and --epsilon.
void add_means_budget(CLI::App& command, MeansRequest& request);

/// Adds --private-sizes, --size-share and --no-shrink.
void add_means_release_options(CLI::App& command, MeansOptions& options);

/// Adds bounds, standard deviations and settings of estimators.
void add_mean_estimation_options(CLI::App& command, MeansOptions& options);

/// The request that these options describe. Errors: kUsage.
MeansRequest finish_means_request(const MeansOptions& options);

}  // namespace equinoise::cli
