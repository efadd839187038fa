// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/report/json.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/kinds.h"
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
        const auto found = std::ranges::find(item.methods, name, &ReproductionMethod::name);
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
        for (const std::string& option : keys_of(options)) {
          synthesis.options_of[name].push_back({option, read_option_value(options, option)});
        }
      });
}

void read_spent(const TomlSection& section, ReproductionSynthesis& synthesis) {
  constexpr const char* kExample = "spent = { gem = [0.4, 75] }";
  if (!section.has("spent")) return;
  const TomlSection spent = section.section("spent", kExample);
  spent.check_keys(texts_of(section, "synthesizers"));
  for (const std::string& name : keys_of(spent)) {
    std::vector<double>& epsilons = synthesis.spent[name];
    epsilons = required_numbers(spent, name, kExample);
    if (epsilons.size() != synthesis.epsilons.size() || !(std::ranges::min(epsilons) > 0))
      spent.fail(name, "spent must have a value above 0 for each of the epsilons");
  }
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
  const std::vector<std::string> synthesizers = texts_of(section, "synthesizers");
  if (synthesizers.empty()) section.fail_missing("synthesizers", "synthesizers = [\"mst\"]");
  for (const std::string& name : synthesizers) {
    add(name, {name, {}}, "");
    for (const std::vector<std::string>& division : synthesis.divisions)
      add(fmt::format("{} by {}", name, fmt::join(division, ",")), {name, division}, name);
  }
}

ReproductionSynthesis read_synthesis_figure(const TomlSection& root, ReproductionSynthesis grid,
                                            ItemHeader& item) {
  root.check_keys(
      {"schema", "summary", "runs", "seeds", "metrics", "methods", "claims", "charts", "notes"});
  for (ReproductionMethod& method : item.methods) {
    method.published.clear();
    method.reason.clear();
  }
  grid.metrics = read_metrics(root, grid.has_printed_parity);
  read_values_of_methods(root, item);
  return grid;
}

/// "degree 3, rounds 100"
std::string options_text(const std::vector<Setting>& options) {
  std::vector<std::string> texts;
  for (const Setting& option : options)
    texts.push_back(fmt::format("{} {}", option.name, option_to_json(option.value).dump()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

class SynthesisExperiment final : public ExperimentOf<ReproductionSynthesis> {
 public:
  using ExperimentOf::ExperimentOf;

  std::string position() const override { return "epsilon"; }
  std::vector<std::string> columns(const ItemHeader&) const override {
    return synthesis_columns(settings_);
  }

  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override {
    const std::vector<std::string> columns = synthesis_columns(settings_);
    std::vector<Figures> all;
    for (const std::string& metric : settings_.metrics) {
      const Outcomes* beside = metric == "accuracy" ? reference : nullptr;
      for (const std::string& name :
           columns_of_metric(settings_, settings_.methods[method], metric)) {
        const auto column = static_cast<size_t>(std::ranges::find(columns, name) - columns.begin());
        add_column(name, column, method, item.methods[method].reference, runs, beside, all);
      }
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader&, int64_t num_seeds) const override {
    std::string others;
    for (const auto& [name, options] : settings_.options_of)
      others += fmt::format(" ({}: {})", name, options_text(options));
    std::vector<std::string> notes = {
        fmt::format(
            "NOT PRIVATE: {} seeds of an insecure random source; each seed is a split of the "
            "table, new noise and new rows. Delta {:g}, zero_out; workloads of marginals of {} "
            "columns{}, {} bins for numbers, models of at most {:g} MB; {:g} % of the records test "
            "classifiers, the others are those that rows are made from and compared with",
            num_seeds, settings_.delta, settings_.degree, others, settings_.num_bins,
            settings_.max_model_megabytes, 100 * settings_.test_fraction),
        "means: those of all columns, with codes as numbers; a group's error is divided by the "
        "mean, or by a 20th of the column's width if that is larger; parity is the mean over the "
        "groups and all records"};
    for (const auto& [name, epsilons] : settings_.spent)
      notes.push_back(fmt::format("{} spends epsilon {:g}, not {:g}", name,
                                  fmt::join(epsilons, ", "), fmt::join(settings_.epsilons, ", ")));
    if (settings_.has_printed_parity) {
      notes.push_back(
          "printed: parity error as the paper prints it, the population's error divided by the "
          "number of groups plus the sum of the groups' errors, which grows with their number; of "
          "means divided by the mean without a floor");
    }
    if (settings_.min_stratum > 0) {
      notes.push_back(
          fmt::format("strata with fewer than {} records share one model and count as one group",
                      settings_.min_stratum));
    }
    return notes;
  }

  /// Figures share runs, and another synthesizer leaves those of the first as they are.
  int64_t revision() const override { return 1; }
  nlohmann::ordered_json identity(const ItemHeader& item) const override {
    auto options_of = nlohmann::ordered_json::object();
    for (const auto& [name, options] : settings_.options_of) options_of[name] = to_json(options);
    nlohmann::ordered_json identity = {{"item", settings_.grid},
                                       {"revision", revision()},
                                       {"data", item.data},
                                       {"table", item.settings.at("table")},
                                       {"epsilons", settings_.epsilons},
                                       {"delta", settings_.delta},
                                       {"degree", settings_.degree},
                                       {"options_of", std::move(options_of)},
                                       {"bins", settings_.num_bins},
                                       {"max_model_megabytes", settings_.max_model_megabytes},
                                       {"min_stratum", settings_.min_stratum},
                                       {"test_fraction", settings_.test_fraction},
                                       {"positive", settings_.positive},
                                       {"columns", synthesis_columns(settings_)}};
    if (!settings_.spent.empty()) identity["spent"] = settings_.spent;
    return identity;
  }

  std::shared_ptr<const Experiment> read_figure(const TomlSection& root,
                                                ItemHeader& item) const override {
    return std::make_shared<SynthesisExperiment>(read_synthesis_figure(root, settings_, item));
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionSynthesis synthesis = settings_;
    // Fits of mixtures take seconds for any number of records.
    ShortForm::cut(synthesis.epsilons, 1);
    synthesis.degree = std::min(synthesis.degree, 2);
    synthesis.options_of.clear();
    synthesis.spent.clear();
    // Small enough for a few strata.
    synthesis.min_stratum = std::min(synthesis.min_stratum, form.num_records / 4);
    return std::make_shared<SynthesisExperiment>(std::move(synthesis));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_synthesis_runs(item, settings_, folder);
  }

 private:
  /// A column at every epsilon, and its increase from the first to the last; next to a reference
  /// also its distance below that one's.
  void add_column(const std::string& name, size_t column, size_t method,
                  const std::string& reference, const Outcomes& runs, const Outcomes* beside,
                  std::vector<Figures>& all) const {
    const bool follows = !settings_.methods[method].synthesizer.empty();
    for (size_t point = 0; point < (follows ? settings_.epsilons.size() : 1); ++point) {
      const std::string place = follows ? fmt::format(" at {:g}", settings_.epsilons[point]) : "";
      const auto value = [&](const ReproductionOutcome& run) {
        return run.points[point].values[column];
      };
      all.push_back(values_of(name + place, runs, value));
      if (beside == nullptr) continue;
      all.push_back(
          values_beside(fmt::format("{} below {}{}", name, reference, place), runs, *beside,
                        [&](const ReproductionOutcome& run, const ReproductionOutcome& other) {
                          return 100 * (value(other) - value(run));
                        }));
      all.back().is_percentage = true;
    }
    if (!follows) return;
    all.push_back(values_of(name + " change", runs, [&](const ReproductionOutcome& run) {
      return run.points.back().values[column] - run.points.front().values[column];
    }));
  }
};

}  // namespace

std::shared_ptr<const Experiment> read_synthesis(const TomlSection& root, ItemHeader& item) {
  root.check_keys(
      {"schema", "summary", "data", "seeds", "synthesis", "methods", "claims", "charts", "notes"});
  item.data = required_text(root, "data");
  const TomlSection section = root.section("synthesis", "[synthesis]");
  section.check_keys({"synthesizers", "epsilons", "delta", "degree", "options_of", "bins",
                      "max_model_megabytes", "min_stratum", "test_fraction", "positive",
                      "divisions", "metrics", "printed_parity", "spent"});
  ReproductionSynthesis synthesis;
  synthesis.grid = item.name();
  synthesis.epsilons = required_numbers(section, "epsilons", "epsilons = [0.1, 1]");
  read_spent(section, synthesis);
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
  item.settings["table"] = table_schema_digest(item.data);
  return std::make_shared<SynthesisExperiment>(std::move(synthesis));
}

}  // namespace equinoise
