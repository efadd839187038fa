// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// What is true of the held-out records of one split, whatever the method.
struct HeldOutFacts {
  std::vector<int64_t> group_sizes;  ///< (groups of all groupings) records that contribute
  double target_variance = 0;        ///< of a numeric target, about its mean; in its own units
  double constant_error = 0;         ///< of the best constant prediction; NaN where undefined
};

/// Pre: the setup's groupings are lists.
HeldOutFacts held_out_facts(const Dataset& table, const TrainingSetup& setup,
                            const GroupFloor& floor, const Split& split);

/// The errors of a run and how it keeps constraints: of a CompareRun all but its seed and what
/// follows from which groups are counted. `seconds`: of one core.
CompareRun figures_of_run(const TrainingReport& report, const HeldOutFacts& facts, double seconds);

/// Sets what a run has of the worst group and of the gap between groups.
void set_group_figures(std::span<const CompareGroup> groups, CompareRun& run);

/// What is kept of a run.
nlohmann::ordered_json run_to_json(const CompareRun& run);

/// The reverse, without what set_group_figures sets. Errors: nlohmann's exception.
CompareRun run_from_json(const nlohmann::ordered_json& json);

}  // namespace equinoise
