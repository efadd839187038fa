// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/synthesis/synthesis_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/reader.h"
#include "equinoise/reproduction/synthesis/synthesis_runs.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/input/run_file.h"

namespace equinoise {

namespace {

constexpr const char* kSynthesizersExample = "[methods.mst]";

/// Reads the printed figures of methods.
void read_values_of_methods(const TomlSection& root, ItemHeader& item) {
  if (!root.has("methods")) return;
  const TomlSection methods = root.section("methods", kSynthesizersExample);
  for_each_section(
      methods, kSynthesizersExample, [&](const TomlSection& section, const std::string& name) {
        section.check_keys({"reason", "published"});
        const auto found =
            std::find_if(item.methods.begin(), item.methods.end(),
                         [&](const ReproductionMethod& method) { return method.name == name; });
        if (found == item.methods.end()) methods.fail(name, "no synthesizer and strata make that");
        read_printed(section, *found);
      });
}

std::vector<std::string> read_metrics(const TomlSection& section, bool has_printed_parity) {
  return required_metrics(section, "metrics = [\"accuracy\"]", [&](std::string_view name) {
    return is_synthesis_metric(name, has_printed_parity);
  });
}

void read_options(const TomlSection& section, ReproductionSynthesis& synthesis) {
  constexpr const char* kExample = "options_of = { gem = { rounds = 100 } }";
  if (!section.has("options_of")) return;
  for_each_section(
      section.section("options_of", kExample), kExample,
      [&](const TomlSection& options, const std::string& name) {
        std::vector<std::string> known;
        const SynthOptions& own = find_synthesizer(name).options();
        for (const SynthOption& option : own) known.emplace_back(option.facts.name);
        options.check_keys(known, " of " + name);
        for (const auto& [key, node] : options.in_file_order()) {
          static_cast<void>(node);
          const std::string option(key->str());
          synthesis.options_of[name].push_back({option, read_option_value(options, option)});
        }
      });
}

void add_methods(const TomlSection& section, ReproductionSynthesis& synthesis, ItemHeader& item) {
  const auto add = [&](const std::string& name, SynthesisMethod made, std::string reference) {
    ReproductionMethod& method = item.methods.emplace_back();
    method.name = name;
    method.method = made.synthesizer;
    method.reference = std::move(reference);
    synthesis.methods.push_back(std::move(made));
  };
  add("records", {}, "");
  const std::vector<std::string> synthesizers =
      section.texts("synthesizers").value_or(std::vector<std::string>());
  if (synthesizers.empty()) section.fail_missing("synthesizers", "synthesizers = [\"mst\"]");
  for (const std::string& name : synthesizers) {
    add(name, {name, {}}, "");
    for (const std::vector<std::string>& division : synthesis.divisions)
      add(fmt::format("{} by {}", name, fmt::join(division, ",")), {name, division}, name);
  }
}

}  // namespace

ReproductionSynthesis read_synthesis_settings(const TomlSection& root, ItemHeader& item) {
  root.check_keys(
      {"schema", "summary", "data", "seeds", "synthesis", "methods", "claims", "charts", "notes"});
  item.data = required_text(root, "data");
  item.seeds = required_count(root, "seeds");
  const TomlSection section = root.section("synthesis", "[synthesis]");
  section.check_keys({"synthesizers", "epsilons", "delta", "degree", "options_of", "bins",
                      "max_model_megabytes", "min_stratum", "test_fraction", "positive",
                      "divisions", "metrics", "printed_parity"});
  ReproductionSynthesis synthesis;
  synthesis.grid = item.name();
  synthesis.epsilons = required_numbers(section, "epsilons", "epsilons = [0.1, 1]");
  synthesis.delta = section.number("delta").value_or(synthesis.delta);
  synthesis.degree = static_cast<int>(section.integer("degree").value_or(synthesis.degree));
  read_options(section, synthesis);
  synthesis.num_bins = static_cast<int>(section.integer("bins").value_or(synthesis.num_bins));
  synthesis.max_model_megabytes =
      section.number("max_model_megabytes").value_or(synthesis.max_model_megabytes);
  synthesis.min_stratum = section.integer("min_stratum").value_or(synthesis.min_stratum);
  synthesis.test_fraction = section.number("test_fraction").value_or(synthesis.test_fraction);
  synthesis.positive = section.text("positive").value_or("");
  synthesis.divisions = read_divisions(section);
  synthesis.has_printed_parity = section.boolean("printed_parity").value_or(false);
  synthesis.metrics = read_metrics(section, synthesis.has_printed_parity);
  add_methods(section, synthesis, item);
  read_values_of_methods(root, item);
  item.charts = read_charts(root);
  item.settings["table"] = table_schema_digest(item.data);
  return synthesis;
}

ReproductionSynthesis read_synthesis_figure(const TomlSection& root, ReproductionSynthesis grid,
                                            ItemHeader& item) {
  root.check_keys(
      {"schema", "summary", "runs", "seeds", "metrics", "methods", "claims", "charts", "notes"});
  for (ReproductionMethod& method : item.methods) {
    method.published.clear();
    method.reason.clear();
  }
  item.seeds = root.integer("seeds").value_or(item.seeds);
  grid.metrics = read_metrics(root, grid.has_printed_parity);
  read_values_of_methods(root, item);
  item.charts = read_charts(root);
  return grid;
}

}  // namespace equinoise
