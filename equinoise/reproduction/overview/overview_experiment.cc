// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/overview/overview_experiment.h"

#include <fmt/format.h>

#include <utility>

#include "equinoise/reproduction/overview/overview_item.h"
#include "equinoise/reproduction/overview/overview_reader.h"
#include "equinoise/reproduction/overview/overview_runs.h"

namespace equinoise {

namespace {

constexpr size_t kOfAll = 2;  ///< the column of all records, after those of both groups

class OverviewExperiment final : public Experiment {
 public:
  explicit OverviewExperiment(ReproductionOverview overview) : overview_(std::move(overview)) {}

  std::string position() const override { return "value"; }
  std::vector<std::string> columns(const ItemHeader&) const override {
    return {overview_.names[0], overview_.names[1], "all"};
  }
  bool has_short_runs() const override { return true; }
  int64_t revision() const override { return 1; }
  std::string tested() const override { return "one part of the records"; }

  /// The figures of a column. With bins: the share of each group in each. Otherwise: the
  /// correlation with each column, and the target's variation beyond a line by this column.
  std::vector<Figures> figures(const ItemHeader& item, size_t method, const Outcomes& runs,
                               const Outcomes*) const override {
    const OverviewLine& line = overview_.lines[method];
    std::vector<Figures> all;
    const auto add = [&](std::string metric, size_t point, size_t column) {
      all.push_back(values_of(std::move(metric), runs, [&](const ReproductionOutcome& run) {
        return run.points[point].values[column];
      }));
    };
    for (size_t bin = 0; line.bins && bin < line.bins->count; ++bin) {
      const double low = line.bins->low + static_cast<double>(bin) * line.bins->width();
      for (size_t g = 0; g < overview_.names.size(); ++g) {
        add(fmt::format("{} from {:g}", overview_.names[g], low), bin, g);
        all.back().is_percentage = true;
      }
    }
    if (line.bins) return all;
    const std::vector<size_t> columns = overview_.correlated();
    for (size_t i = 0; i < columns.size(); ++i)
      add(fmt::format("correlation with {}", item.methods[columns[i]].name), i, kOfAll);
    for (size_t i = 0; i < columns.size(); ++i) {
      if (overview_.lines[columns[i]].column != overview_.target) continue;
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
                        overview_.target)};
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm&) const override {
    return std::make_shared<OverviewExperiment>(overview_);
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return open_overview_runs(item, overview_, folder);
  }

 private:
  ReproductionOverview overview_;
};

}  // namespace

std::shared_ptr<const Experiment> read_overview(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<OverviewExperiment>(read_overview_settings(root, item));
}

}  // namespace equinoise
