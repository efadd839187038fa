// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/simulation/simulated_regression.h"

namespace equinoise {

/// Groups of records: drawn anew for every seed, or those of a table.
struct SimulationPanel {
  std::vector<int64_t> sizes;  ///< (groups)
  /// (groups) y = slope x + noise, x standard normal. A logistic model has as many features as
  /// groups, normal and scaled down into the unit ball, and the log odds are slopes[k] x_k.
  std::vector<double> slopes;
  std::vector<double> noise;        ///< (groups) its standard deviation
  std::string group_column;         ///< of a table, instead
  std::vector<std::string> groups;  ///< the categories of that column that are compared
};

/// A method, and the records that it runs on.
struct SimulationLine {
  SimulatedMethod method;
  size_t panel = 0;
};

/// Two-stage regression of groups, for one value of a parameter after another.
struct ReproductionSimulation {
  /// "rho", "size" of every group, "groups": the number of leading groups, or "steps" of descent.
  std::string parameter;
  std::vector<double> values;
  double rho = 1;                    ///< if it is not the parameter
  std::vector<std::string> metrics;  ///< is_simulation_metric()
  std::string reference;             ///< the method that others of a panel are compared with, or ""
  SimulationSettings settings;
  std::vector<SimulationPanel> panels;
  std::vector<SimulationLine> lines;  ///< (methods)

  /// Returns whether runs of the method depend on the parameter: without noise they do not depend
  /// on rho.
  bool is_followed_by(const SimulatedMethod& method) const {
    return parameter != "rho" || method.is_private;
  }
};

/// Returns whether a simulated run has this metric:
/// - "MSPE largest", "MSPE smallest": mean squared prediction errors of the model for groups of the
///   largest or smallest size. For drawn records they are those of the distribution, for a table
///   those of held-out records.
/// - "error largest", "error smallest", "error 1": the same for a logistic model, as expected
///   shares of wrong predictions for targets drawn anew.
/// - "MSPE 1", "residual 1", "standard error 1", "share 1": of the first group, and so on.
///   "residual" is the root of stage one's mean squared residual, "standard error" that over the
///   root of the size, and "share" that of the second stage's budget.
/// - "rho 1": the cost of all of it for a record of the first group, and so on.
bool is_simulation_metric(std::string_view name);

/// Regression of groups with records that are drawn from a distribution or a table. Pre: the
/// arguments outlive it. Errors: kInput (files, a group that the table does not have).
std::unique_ptr<ExperimentRuns> open_simulation_runs(const ItemHeader& item,
                                                     const ReproductionSimulation& simulation,
                                                     const std::filesystem::path& folder);

}  // namespace equinoise
