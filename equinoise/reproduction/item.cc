// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/data/schema/toml_section.h"
#include "equinoise/reproduction/kinds.h"
#include "equinoise/reproduction/reader.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.reproduce";

/// The prefix of the schemas of tables, see data/tables.h.
constexpr std::string_view kTables = "tables/";

void read_parts(const TomlSection& root, ReproductionItem& item) {
  root.check_keys({"schema", "summary", "parts"});
  item.parts = texts_of(root, "parts");
  for (const std::string& part : item.parts) {
    if (!item.data.empty()) item.data += ", ";
    item.data += find_reproduction_item(part).data;
  }
}

/// Reads an item that is based on another one, which the key names; `read` does it.
void read_from(const TomlSection& root, std::string_view key,
               std::shared_ptr<const Experiment> (Experiment::*read)(const TomlSection& root,
                                                                     ItemHeader& item) const,
               ReproductionItem& item) {
  ReproductionItem other = find_reproduction_item(required_text(root, key));
  if (other.experiment == nullptr) root.fail(key, fmt::format("{} must name a table", key));
  other.paper = std::move(item.paper);
  other.item = std::move(item.item);
  item = std::move(other);
  item.seeds = root.integer("seeds").value_or(item.seeds);
  item.experiment = ((*item.experiment).*read)(root, item);
}

/// One kind of experiment.
struct ExperimentKindRow {
  std::string_view key;  ///< of the section that items of the kind have; "": items without one
  std::shared_ptr<const Experiment> (*read)(const TomlSection& root, ItemHeader& item);
};

/// The first row with a key that the item has decides; the last one takes all others.
constexpr std::array kKinds = {
    ExperimentKindRow{"sweep", read_sweep},
    ExperimentKindRow{"simulation", read_simulation},
    ExperimentKindRow{"worst_group", read_worst_group},
    ExperimentKindRow{"means", read_means},
    ExperimentKindRow{"synthesis", read_synthesis},
    ExperimentKindRow{"overview", read_overview},
    ExperimentKindRow{"", read_training},
};

}  // namespace

ReproductionItem parse_reproduction_item(const EmbeddedItem& embedded) {
  const std::string origin = fmt::format("repro/{}.toml", embedded.name);
  const toml::table document = parse_toml(embedded.text, origin, kWhere);
  const TomlSection root(document, "", origin);
  ReproductionItem item;
  const size_t slash = embedded.name.find('/');
  item.paper = embedded.name.substr(0, slash);
  item.item = embedded.name.substr(slash + 1);
  const bool is_figure_of_runs = root.has("runs");
  const bool is_variant = root.has("like");
  if (root.has("parts")) {
    read_parts(root, item);
  } else if (is_variant) {
    read_from(root, "like", &Experiment::read_variant, item);
  } else if (is_figure_of_runs) {
    read_from(root, "runs", &Experiment::read_figure, item);
  } else {
    const auto kind = std::ranges::find_if(
        kKinds, [&](const ExperimentKindRow& row) { return row.key.empty() || root.has(row.key); });
    item.experiment = kind->read(root, item);
    item.seeds = required_count(root, "seeds");
  }
  // A figure shows the runs of another item, which has their settings.
  if (!is_figure_of_runs) read_settings(document, item.settings);
  item.summary = required_text(root, "summary");
  item.notes = texts_of(root, "notes");
  if (!is_variant) {
    item.claims = read_claims(root);
    item.charts = read_charts(root);
  }
  if (root.has("target_seeds")) {
    const int64_t num_runs = required_count(root, "target_seeds");
    for (ReproductionMethod& method : item.methods)
      for (auto& [metric, value] : method.target)
        if (value.num_runs == 0) value.num_runs = num_runs;
  }
  return item;
}

std::vector<EmbeddedItem> reproduction_items() {
  std::vector<EmbeddedItem> items;
  for (const EmbeddedItem& embedded : embedded_items())
    if (!embedded.name.starts_with(kTables)) items.push_back(embedded);
  return items;
}

ReproductionItem find_reproduction_item(std::string_view name) {
  return parse_reproduction_item(find_row(reproduction_items(), kWhere, "item", name,
                                          "equinoise reproduce --list lists them"));
}

}  // namespace equinoise
