// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/embedded_items.h"
#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/item_header.h"

namespace equinoise {

/// A table or a figure of a paper.
struct ReproductionItem : ItemHeader {
  std::shared_ptr<const Experiment> experiment;  ///< nullptr if the item is made of parts
};

/// Errors: kInput, naming the place.
ReproductionItem parse_reproduction_item(const EmbeddedItem& embedded);

/// The files below repro/ that describe items.
std::vector<EmbeddedItem> reproduction_items();

/// The item of that name. Errors: kUsage that proposes the nearest one.
ReproductionItem find_reproduction_item(std::string_view name);

}  // namespace equinoise
