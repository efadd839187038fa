// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/reproduction/item_header.h"
#include "equinoise/reproduction/training/training_item.h"

namespace equinoise {

class TomlSection;  // its header is heavy

/// Reads a table.
ReproductionTraining read_training_settings(const TomlSection& root, ItemHeader& item);

/// Reads a figure that shows the runs of `table`, with the header `item`.
ReproductionTraining read_training_figure(const TomlSection& root, ReproductionTraining table,
                                          ItemHeader& item);

/// Reads a table that differs from another one in its model only.
ReproductionTraining read_other_model(const TomlSection& root, ReproductionTraining table,
                                      const ItemHeader& item);

}  // namespace equinoise
