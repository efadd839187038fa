// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/experiment.h"

#include <nlohmann/json.hpp>

#include "equinoise/data/schema/toml_section.h"
#include "equinoise/reproduction/data/tables.h"

namespace equinoise {

const ReproductionFiles* Experiment::files(const ItemHeader& item) const {
  return item.is_drawn() ? nullptr : &find_reproduction_table(item.data).files;
}

nlohmann::ordered_json Experiment::identity(const ItemHeader& item) const {
  return {{"item", item.name()}, {"revision", revision()}, {"settings", item.settings}};
}

std::shared_ptr<const Experiment> Experiment::read_figure(const TomlSection& root,
                                                          ItemHeader&) const {
  root.fail("runs", "runs must name a table");
}

std::shared_ptr<const Experiment> Experiment::read_variant(const TomlSection& root,
                                                           ItemHeader&) const {
  root.fail("like", "like must name a table");
}

}  // namespace equinoise
