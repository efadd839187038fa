// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/means/means_item.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Reads an experiment about means and fills in the header of its item. Errors: kInput.
ReproductionMeans read_means_settings(const TomlSection& root, ItemHeader& item);

}  // namespace equinoise
