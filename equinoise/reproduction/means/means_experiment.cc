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
  return {fmt::format("NOT PRIVATE: {} seeds of an insecure random source; rho {:g}, sizes of "
                      "strata are taken to be public; replace_one",
                      num_seeds, means.rho),
          fmt::format("{} within {:g} to {:g}. Published figures are compared with the exact means "
                      "beside them, of other records than can be had. Ours are of records made for "
                      "every seed, as many in each stratum as there: {}, cut to the bounds, and "
                      "are compared with these records' own means",
                      records.column, records.lower, records.upper,
                      records.is_exponential
                          ? std::string("exponential with the published mean")
                          : fmt::format("normal about the published mean with deviation {:g}",
                                        records.stddev)),
          "at 12: over the stratifications into more strata than the number before, and at most "
          "12. global error: of the overall mean, in percent; group error: the mean over strata of "
          "how far off is what each is told, typical error: the median; errors are divided by the "
          "mean or a 20th of the bounds' width at least; beyond bounds: strata, in percent, that "
          "are told a mean outside the bounds"};
}

std::vector<std::string> notes_on_records(const MeansRecordsConfig& records, bool is_drawn,
                                          int64_t num_seeds) {
  return {fmt::format("NOT PRIVATE: {} seeds of an insecure random source, sizes of groups are "
                      "taken to be public; replace_one; errors are relative to the means of the "
                      "records, in percent",
                      num_seeds),
          is_drawn
              ? fmt::format("records: groups by Dirichlet shares, means of groups normal about "
                            "{:g} with deviation {:g}, numbers within {:g} of theirs, bounds {:g} "
                            "to {:g}",
                            records.centre, records.spread, records.stddev, records.lower,
                            records.upper)
              : fmt::format("records: all of the table's; seeds are of noise alone; {} within {:g} "
                            "to {:g}",
                            records.column, records.lower, records.upper),
          "group error: the mean over groups of how far off is what each is told; parity error: "
          "over groups and everybody; errors are divided by the mean or a 20th of the bounds' "
          "width at least"};
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
        fmt::format("E sum ln |G_i|, of which the noise of stratified means grows; {} groups "
                    "of {} records in all; drawn: {} seeds",
                    means_.records.num_groups, means_.records.num_records, num_seeds)};
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
