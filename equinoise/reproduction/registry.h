// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/item_header.h"

namespace equinoise {

/// One kind of experiment.
struct ExperimentKindRow {
  std::string_view key;  ///< of the section that items of the kind have; "": items without one
  /// Reads an item of the kind and fills in its header. Errors: kInput, naming the place.
  std::shared_ptr<const Experiment> (*read)(const TomlSection& root, ItemHeader& item);
};

/// The kind of the item.
const ExperimentKindRow& find_experiment_kind(const TomlSection& root);

}  // namespace equinoise
