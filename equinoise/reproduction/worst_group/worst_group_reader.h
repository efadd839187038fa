// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/worst_group/worst_group_item.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Reads an experiment on worst-group risk and fills in the header of its item. Errors: kInput.
ReproductionWorstGroup read_worst_group_settings(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
