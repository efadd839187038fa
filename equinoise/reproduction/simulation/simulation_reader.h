// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/simulation/simulation_item.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Reads a simulation and fills in the header of its item. Every method runs on the records of
/// every panel; if there are several panels, its name begins with the panel's. Errors: kInput.
ReproductionSimulation read_simulation_settings(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
