// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/reproduction/experiment.h"

namespace equinoise {

/// Reads a simulation of two-stage regression: prediction errors of groups for one value of a
/// parameter after another. Errors: kInput.
std::shared_ptr<const Experiment> read_simulation(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
