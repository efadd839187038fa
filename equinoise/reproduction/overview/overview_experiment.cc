// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/kinds.h"
#include "equinoise/reproduction/overview/overview_runs.h"
#include "equinoise/reproduction/reader.h"

namespace equinoise {

namespace {

OverviewLine read_overview_line(const TomlSection& section) {
  section.check_keys({"column", "bins", "reason", "published"});
  OverviewLine line{required_text(section, "column"), {}};
  if (!section.has("bins")) return line;
  constexpr const char* kExample = "bins = [20, 80, 12]";
  const std::vector<double> bins = required_numbers(section, "bins", kExample);
  if (bins.size() != 3 || !(bins[0] < bins[1]) || !(bins[2] >= 1) ||
      bins[2] != std::floor(bins[2]) || !(bins[2] <= 1000))
    section.fail("bins", "bins must be the two ends and how many there are between them");
  line.bins = OverviewBins{bins[0], bins[1], static_cast<size_t>(bins[2])};
  return line;
}

constexpr size_t kOfAll = 2;  ///< the column of all records, after those of both groups

class OverviewExperiment final : public ExperimentOf<ReproductionOverview> {
 public:
  using ExperimentOf::ExperimentOf;

  std::string position() const override { return "value"; }
  std::vector<std::string> columns(const ItemHeader&) const override {
    return {settings_.names[0], settings_.names[1], "all"};
  }
  int64_t revision() const override { return 1; }
  std::string tested() const override { return "one part of the records"; }

  /// The figures of a column. With bins: the share of each group in each. Otherwise: the
  /// correlation with each column, and the target's variation beyond a line by this column.
  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes*) const override {
    const OverviewLine& line = settings_.lines[method];
    std::vector<Figures> all;
    const auto add = [&](std::string metric, size_t point, size_t column) {
      all.push_back(values_of(std::move(metric), runs, [&](const ReproductionOutcome& run) {
        return run.points[point].values[column];
      }));
    };
    for (size_t bin = 0; line.bins && bin < line.bins->count; ++bin) {
      const double low = line.bins->low + static_cast<double>(bin) * line.bins->width();
      for (size_t g = 0; g < settings_.names.size(); ++g) {
        add(fmt::format("{} from {:g}", settings_.names[g], low), bin, g);
        all.back().is_percentage = true;
      }
    }
    if (line.bins) return all;
    const std::vector<size_t> columns = settings_.correlated();
    for (size_t i = 0; i < columns.size(); ++i)
      add(fmt::format("correlation with {}", item.methods[columns[i]].name), i, kOfAll);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (settings_.lines[columns[i]].column != settings_.target) continue;
      all.push_back(values_of("unexplained", runs, [&](const ReproductionOutcome& run) {
        const double correlation = run.points[i].values[kOfAll];
        return 100 * (1 - correlation * correlation);
      }));
      all.back().is_percentage = true;
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader&, int64_t num_seeds) const override {
    return {fmt::format("NOT PRIVATE: figures of the records themselves; means over {} parts that "
                        "have no record in common, so that their spread tells how far figures are "
                        "chance",
                        num_seeds),
            fmt::format("correlation: Pearson's, of categories by the numbers that stand for them; "
                        "unexplained: the share of the variance of {} that is left by a line in "
                        "the column",
                        settings_.target)};
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm&) const override {
    return std::make_shared<OverviewExperiment>(settings_);
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_overview_runs(item, settings_, folder);
  }
};

}  // namespace

std::shared_ptr<const Experiment> read_overview(const TomlSection& root, ItemHeader& item) {
  root.check_keys({"schema", "summary", "data", "groups", "seeds", "overview", "methods", "claims",
                   "charts", "notes"});
  ReproductionOverview overview;
  item.data = required_text(root, "data");
  const std::vector<std::string> values = texts_of(root, "groups");
  if (values.size() != 2) root.fail("groups", "groups must be the two that are compared");
  const TomlSection section = root.section("overview", "[overview]");
  section.check_keys({"target", "group_column", "group_names"});
  overview.target = required_text(section, "target");
  overview.group_column = required_text(section, "group_column");
  overview.names = section.texts("group_names").value_or(values);
  if (overview.names.size() != 2)
    section.fail("group_names", "group_names must be what the two groups are called");
  overview.values = values;
  for_each_section(root, "methods", "[methods.age]",
                   [&](const TomlSection& of_method, const std::string& name) {
                     overview.lines.push_back(read_overview_line(of_method));
                     add_method(of_method, name, "", item);
                   });
  item.settings["table"] = table_schema_digest(item.data);
  return std::make_shared<OverviewExperiment>(std::move(overview));
}

}  // namespace equinoise
