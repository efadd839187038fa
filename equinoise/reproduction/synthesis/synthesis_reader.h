// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/synthesis/synthesis_item.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Reads an experiment about synthetic rows and fills in the header of its item. Methods are the
/// records themselves, and every synthesizer, overall and by each division. Errors: kInput.
ReproductionSynthesis read_synthesis_settings(const TomlSection& root, ItemHeader& item);

/// Reads an item that shows some metrics of the runs of `grid`, with the header `item`.
ReproductionSynthesis read_synthesis_figure(const TomlSection& root, ReproductionSynthesis grid,
                                            ItemHeader& item);

}  // namespace equinoise
