// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/train/plan.h"

namespace equinoise {

inline constexpr const char* kSlackParameter = "slack";

/// The parameter that a method's runs vary.
struct SweptMethod {
  std::string parameter;  ///< kSlackParameter of the constraint, or an option of training methods
  std::vector<double> values;
  std::vector<TrainingConfig> configs;  ///< (values); a varied slack is in the constraint instead
};

/// Runs that are evaluated by a constraint, for one value of a parameter after another.
struct ReproductionSweep {
  std::string model;       ///< models/registry.h
  double batch_size = 0;   ///< on average
  std::string parameter;   ///< of methods that name no parameter
  std::string constraint;  ///< as on the command line; {} is replaced by a varied slack
  double test_fraction = 0.25;
  std::vector<std::string> metrics;  ///< is_sweep_metric()
  std::vector<double> levels;        ///< of disparity, at which trade-off curves are read
  std::vector<SweptMethod> methods;
};

/// Returns whether a run under constraints has this metric:
/// - "error": of the test records, in percent
/// - "value": the largest value of the constraints, without slack, on the test records; constraints
///   with a rate without records do not count
/// - "training value": the same on the training records
/// - "all value": the same on both together, for small groups
/// - "time": of a step, in milliseconds, on one thread, disturbed by other programs
bool is_sweep_metric(std::string_view name);

/// Returns whether runs of the method depend on a parameter: a slack if it obeys constraints, else
/// an option that it has. The others have one run.
bool follows_parameter(const ReproductionMethod& method, const std::string& parameter);

/// Training that constraints evaluate. Pre: the arguments outlive it. Errors: kInput (files, a
/// constraint that does not fit the table).
std::unique_ptr<ExperimentRuns> open_sweep_runs(const ItemHeader& item,
                                                const ReproductionSweep& sweep,
                                                const std::filesystem::path& folder);

}  // namespace equinoise
