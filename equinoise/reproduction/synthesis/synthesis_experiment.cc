// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/synthesis/synthesis_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "equinoise/report/json.h"
#include "equinoise/reproduction/synthesis/synthesis_item.h"
#include "equinoise/reproduction/synthesis/synthesis_reader.h"
#include "equinoise/reproduction/synthesis/synthesis_runs.h"
#include "equinoise/synth/registry.h"

namespace equinoise {

namespace {

/// "degree 3, rounds 100"
std::string options_text(const std::vector<Setting>& options) {
  std::vector<std::string> texts;
  for (const Setting& option : options)
    texts.push_back(fmt::format("{} {}", option.name, option_to_json(option.value).dump()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

class SynthesisExperiment final : public Experiment {
 public:
  explicit SynthesisExperiment(ReproductionSynthesis synthesis)
      : synthesis_(std::move(synthesis)) {}

  std::string position() const override { return "epsilon"; }
  std::vector<std::string> columns(const ItemHeader&) const override {
    return synthesis_columns(synthesis_);
  }

  bool is_built(const ReproductionMethod& method) const override {
    const auto rows = synthesizers();
    return method.method.empty() ||
           std::any_of(rows.begin(), rows.end(),
                       [&](const SynthesizerRow& row) { return row.name == method.method; });
  }

  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes* reference) const override {
    const std::vector<std::string> columns = synthesis_columns(synthesis_);
    std::vector<Figures> all;
    for (const std::string& metric : synthesis_.metrics) {
      const Outcomes* beside = metric == "accuracy" ? reference : nullptr;
      for (const std::string& name :
           columns_of_metric(synthesis_, synthesis_.methods[method], metric)) {
        const auto column =
            static_cast<size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
        add_column(name, column, method, item.methods[method].reference, runs, beside, all);
      }
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader&, int64_t num_seeds) const override {
    std::string others;
    for (const auto& [name, options] : synthesis_.options_of)
      others += fmt::format(" ({}: {})", name, options_text(options));
    std::vector<std::string> notes = {
        fmt::format(
            "NOT PRIVATE: {} seeds of an insecure random source; each seed is a split of the "
            "table, new noise and new rows. Delta {:g}, zero_out; workloads of marginals of {} "
            "columns{}, {} bins for numbers, models of at most {:g} MB; {:g} % of the records test "
            "classifiers, the others are those that rows are made from and compared with",
            num_seeds, synthesis_.delta, synthesis_.degree, others, synthesis_.num_bins,
            synthesis_.max_model_megabytes, 100 * synthesis_.test_fraction),
        "means: those of all columns, with codes as numbers; a group's error is divided by the "
        "mean, or by a 20th of the column's width if that is larger; parity is the mean over the "
        "groups and all records"};
    if (synthesis_.has_printed_parity) {
      notes.push_back(
          "printed: parity error as the paper prints it, the population's error divided by the "
          "number of groups plus the sum of the groups' errors, which grows with their number; of "
          "means divided by the mean without a floor");
    }
    if (synthesis_.min_stratum > 0) {
      notes.push_back(
          fmt::format("strata with fewer than {} records share one model and count as one group",
                      synthesis_.min_stratum));
    }
    return notes;
  }

  /// Figures share runs, and another synthesizer leaves those of the first as they are.
  int64_t revision() const override { return 1; }
  nlohmann::ordered_json identity(const ItemHeader& item) const override {
    auto options_of = nlohmann::ordered_json::object();
    for (const auto& [name, options] : synthesis_.options_of) options_of[name] = to_json(options);
    return {{"item", synthesis_.grid},
            {"revision", revision()},
            {"data", item.data},
            {"table", item.settings.at("table")},
            {"epsilons", synthesis_.epsilons},
            {"delta", synthesis_.delta},
            {"degree", synthesis_.degree},
            {"options_of", std::move(options_of)},
            {"bins", synthesis_.num_bins},
            {"max_model_megabytes", synthesis_.max_model_megabytes},
            {"min_stratum", synthesis_.min_stratum},
            {"test_fraction", synthesis_.test_fraction},
            {"positive", synthesis_.positive},
            {"columns", synthesis_columns(synthesis_)}};
  }

  std::shared_ptr<const Experiment> read_figure(const TomlSection& root,
                                                ItemHeader& item) const override {
    return std::make_shared<SynthesisExperiment>(read_synthesis_figure(root, synthesis_, item));
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionSynthesis synthesis = synthesis_;
    // Fits of mixtures take seconds for any number of records.
    ShortForm::cut(synthesis.epsilons, 1);
    synthesis.degree = std::min(synthesis.degree, 2);
    synthesis.options_of.clear();
    // Small enough for a few strata.
    synthesis.min_stratum = std::min(synthesis.min_stratum, form.num_records / 4);
    return std::make_shared<SynthesisExperiment>(std::move(synthesis));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_synthesis_runs(item, synthesis_, folder);
  }

 private:
  /// A column at every epsilon, and its increase from the first to the last; next to a reference
  /// also its distance below that one's.
  void add_column(const std::string& name, size_t column, size_t method,
                  const std::string& reference, const Outcomes& runs, const Outcomes* beside,
                  std::vector<Figures>& all) const {
    const bool follows = !synthesis_.methods[method].synthesizer.empty();
    for (size_t point = 0; point < (follows ? synthesis_.epsilons.size() : 1); ++point) {
      const std::string place = follows ? fmt::format(" at {:g}", synthesis_.epsilons[point]) : "";
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

  ReproductionSynthesis synthesis_;
};

}  // namespace

std::shared_ptr<const Experiment> read_synthesis(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<SynthesisExperiment>(read_synthesis_settings(root, item));
}

}  // namespace equinoise
