// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/registry.h"

#include <algorithm>
#include <array>

#include "equinoise/data/schema/toml_section.h"
#include "equinoise/reproduction/means/means_experiment.h"
#include "equinoise/reproduction/overview/overview_experiment.h"
#include "equinoise/reproduction/simulation/simulation_experiment.h"
#include "equinoise/reproduction/sweep/sweep_experiment.h"
#include "equinoise/reproduction/synthesis/synthesis_experiment.h"
#include "equinoise/reproduction/training/training_experiment.h"
#include "equinoise/reproduction/worst_group/worst_group_experiment.h"

namespace equinoise {

namespace {

/// The first row with a key that the item has decides; the last one takes all others.
constexpr std::array kKinds = {
    ExperimentKindRow{"sweep", read_sweep},
    ExperimentKindRow{"simulation", read_simulation},
    ExperimentKindRow{"worst_group", read_worst_group},
    ExperimentKindRow{"means", read_means},
    ExperimentKindRow{"synthesis", read_synthesis},
    ExperimentKindRow{"overview", read_overview},
    ExperimentKindRow{"", read_training},
};

}  // namespace

const ExperimentKindRow& find_experiment_kind(const TomlSection& root) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const ExperimentKindRow& row) {
    return row.key.empty() || root.has(row.key);
  });
}

}  // namespace equinoise
