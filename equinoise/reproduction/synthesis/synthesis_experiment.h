// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/reproduction/experiment.h"

namespace equinoise {

/// Reads an experiment about synthetic rows: their errors for one epsilon after another. Errors:
/// kInput.
std::shared_ptr<const Experiment> read_synthesis(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
