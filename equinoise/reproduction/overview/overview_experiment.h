// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/reproduction/experiment.h"

namespace equinoise {

/// Reads an overview of a table: correlations of its columns, and their distributions in two
/// groups. Errors: kInput.
std::shared_ptr<const Experiment> read_overview(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
