// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/overview/overview_item.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Reads an overview and fills in the header of its item. Errors: kInput.
ReproductionOverview read_overview_settings(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
