// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/sweep/sweep_item.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Reads a sweep and fills in the header of its item. Errors: kInput.
ReproductionSweep read_sweep_settings(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
