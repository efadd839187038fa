// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/means/means_experiment.h"

#include <fmt/format.h>

#include <utility>

#include "equinoise/reproduction/means/means_item.h"
#include "equinoise/reproduction/means/means_reader.h"
#include "equinoise/reproduction/means/means_runs.h"
#include "equinoise/reproduction/means/published_means_runs.h"

namespace equinoise {

namespace {

std::vector<std::string> published_notes(const ReproductionMeans& means, int64_t num_seeds) {
  const MeansRecordsConfig& records = means.records;
  return {
      fmt::format("NOT PRIVATE: {} seeds of an insecure random source; rho {:g}, sizes of strata "
                  "treated as public, replace_one",
                  num_seeds, means.rho),
      fmt::format(
          "{} within {:g} to {:g}. Published figures are compared with the exact means published "
          "next to them, which are those of records that cannot be obtained. Ours are for records "
          "simulated for every seed, as many in each stratum as in the paper: {}, cut to the "
          "bounds; they are compared with the means of these records",
          records.column, records.lower, records.upper,
          records.is_exponential
              ? std::string("exponential with the published mean")
              : fmt::format("normal around the published mean with standard deviation {:g}",
                            records.stddev)),
      "at 12: over the stratifications with at most 12 strata, and more than the previous number. "
      "global error: relative error of the overall mean, in percent; group error: the mean over "
      "strata of the relative error of each stratum's mean, typical error: their median; errors "
      "are divided by the mean, or by a 20th of the bounds' width if that is larger; beyond "
      "bounds: percentage of strata whose released mean lies outside the bounds"};
}

std::vector<std::string> notes_on_records(const MeansRecordsConfig& records, bool is_drawn,
                                          int64_t num_seeds) {
  return {fmt::format(
              "NOT PRIVATE: {} seeds of an insecure random source, sizes of groups treated as "
              "public, replace_one; errors are relative to the means of the records, in percent",
              num_seeds),
          is_drawn ? fmt::format("records: group sizes from Dirichlet shares, group means normal "
                                 "around {:g} with standard deviation {:g}, numbers with standard "
                                 "deviation {:g} around their group's mean, bounds {:g} to {:g}",
                                 records.centre, records.spread, records.stddev, records.lower,
                                 records.upper)
                   : fmt::format("records: all those of the table, so that seeds only change the "
                                 "noise; {} within {:g} to {:g}",
                                 records.column, records.lower, records.upper),
          "group error: the mean over groups of the relative error of each group's mean; parity "
          "error: the mean over the groups and the overall mean; errors are divided by the mean, "
          "or by a 20th of the bounds' width if that is larger"};
}

class MeansExperiment final : public Experiment {
 public:
  explicit MeansExperiment(ReproductionMeans means) : means_(std::move(means)) {}

  std::string position() const override { return means_.parameter; }
  std::vector<std::string> columns(const ItemHeader&) const override { return means_.metrics; }
  bool has_short_runs() const override { return true; }
  int64_t revision() const override { return 1; }

  /// Every metric at every value of the parameter.
  std::vector<Figures> figures(const ItemHeader&, size_t, const Outcomes& runs,
                               const Outcomes*) const override {
    std::vector<Figures> all;
    for (size_t c = 0; c < means_.metrics.size(); ++c) {
      for (size_t point = 0; point < means_.values.size(); ++point) {
        all.push_back(
            values_of(fmt::format("{} at {:g}", means_.metrics[c], means_.values[point]), runs,
                      [&](const ReproductionOutcome& run) { return run.points[point].values[c]; }));
        all.back().is_percentage = means_.metrics[c] != "sum of logarithms";
      }
    }
    return all;
  }

  std::vector<std::string> notes(const ItemHeader& item, int64_t num_seeds) const override {
    if (means_.is_published()) return published_notes(means_, num_seeds);
    if (means_.lines.front().curve.empty())
      return notes_on_records(means_.records, item.is_drawn(), num_seeds);
    return {
        fmt::format("E sum ln |G_i|, on which the noise of stratified means depends; {} groups of "
                    "{} records in total; simulated with {} seeds",
                    means_.records.num_groups, means_.records.num_records, num_seeds)};
  }

  std::shared_ptr<const Experiment> shortened(const ShortForm& form) const override {
    ReproductionMeans means = means_;
    ShortForm::cut(means.values, form.num_values);
    return std::make_shared<MeansExperiment>(std::move(means));
  }

  std::unique_ptr<ExperimentRuns> open(const ItemHeader& item, const std::filesystem::path& folder,
                                       TaskProgress&) const override {
    return means_.is_published() ? open_published_means_runs(item, means_, folder)
                                 : open_means_runs(item, means_, folder);
  }

 private:
  ReproductionMeans means_;
};

}  // namespace

std::shared_ptr<const Experiment> read_means(const TomlSection& root, ItemHeader& item) {
  return std::make_shared<MeansExperiment>(read_means_settings(root, item));
}

}  // namespace equinoise
