// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "equinoise/base/error.h"
#include "equinoise/means/parity.h"
#include "equinoise/means/release.h"
#include "equinoise/means/stratified.h"
#include "equinoise/means/summary.h"
#include "equinoise/reproduction/data/tables.h"
#include "equinoise/reproduction/means/means_runs.h"
#include "equinoise/reproduction/means/published_means.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"

namespace equinoise {

namespace {

/// Reported means, and the figures that they are compared with.
struct ToldMeans {
  std::vector<double> sizes;
  std::vector<double> exact;  ///< (num_strata)
  std::vector<double> told;   ///< (num_strata)
  double exact_overall = 0;
  double told_overall = 0;
};

/// The authors' figures: with strata the figure of each and their sum by size, otherwise one mean
/// for all.
ToldMeans published_figures(const PublishedStratification& published, bool is_stratified) {
  ToldMeans told{published.sizes, published.exact, published.private_means, published.exact_overall,
                 published.private_overall};
  if (!is_stratified) {
    std::ranges::fill(told.told, published.private_overall);
    return told;
  }
  // Strata that are too small are not in the table: the sum is compared with that of the strata in
  // it.
  const std::vector<double> weights = weights_of_sizes(published.sizes);
  const auto mean_of = [&](const std::vector<double>& means) {
    return std::inner_product(weights.begin(), weights.end(), means.begin(), 0.0);
  };
  told.exact_overall = mean_of(published.exact);
  told.told_overall = mean_of(published.private_means);
  return told;
}

/// Records that are made to have approximately these means.
struct MadeRecords {
  std::vector<double> values;
  std::vector<uint32_t> strata;
  std::vector<double> exact;  ///< (num_strata) of these very records
  double exact_overall = 0;
};

MadeRecords make_records(const PublishedStratification& published, const MeansRecordsConfig& config,
                         SimulationNoise& random) {
  MadeRecords records;
  double total = 0;
  for (size_t k = 0; k < published.sizes.size(); ++k) {
    double sum = 0;
    for (int64_t i = 0; i < std::llround(published.sizes[k]); ++i) {
      const double number = config.is_exponential
                                ? -published.exact[k] * std::log((random.uniform() + 1) / 2)
                                : published.exact[k] + config.stddev * random.normal();
      records.values.push_back(std::clamp(number, config.lower, config.upper));
      records.strata.push_back(static_cast<uint32_t>(k));
      sum += static_cast<double>(records.values.back());
    }
    records.exact.push_back(sum / published.sizes[k]);
    total += sum;
  }
  records.exact_overall = total / static_cast<double>(records.values.size());
  return records;
}

/// One release as `equinoise means` makes it, with seeded noise, not paid for.
ToldMeans release_figures(const MeansLine& line, const MeansRecordsConfig& config, double rho,
                          const PublishedStratification& published, const MadeRecords& records,
                          SeededSource& source) {
  const bool is_stratified = line.strata == MeansStrata::kAll;
  MeansQuestion question;
  question.columns = {{"x", config.lower, config.upper, line.stddev}};
  question.method = line.estimator;
  question.rho = rho;
  question.overall_share = line.overall_share;
  question.num_strata = is_stratified ? published.sizes.size() : 1;
  question.sizes = is_stratified ? published.sizes
                                 : std::vector<double>{static_cast<double>(records.values.size())};
  const MeansPlan plan = plan_means(question);
  const std::vector<uint32_t> one(is_stratified ? 0 : records.strata.size(), 0U);
  const MeansRelease release =
      release_unpaid(plan, records.values, is_stratified ? records.strata : one, source);
  const ColumnSummary summary = summarise_column(
      plan, release, 0, {},
      {line.shrinks, is_stratified ? published.levels : std::vector<std::vector<size_t>>()});
  ToldMeans told{published.sizes, records.exact, summary.strata, records.exact_overall,
                 summary.overall.mean};
  if (!is_stratified) told.told.assign(published.sizes.size(), summary.overall.mean);
  return told;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double value_of(std::string_view metric, const ToldMeans& told, const MeansRecordsConfig& config) {
  const auto num_strata = static_cast<double>(told.sizes.size());
  if (metric == kBeyondBounds) {
    const auto count = std::ranges::count_if(
        told.told, [&](double mean) { return mean < config.lower || mean > config.upper; });
    return 100 * static_cast<double>(count) / num_strata;
  }
  const ParityError error = parity_error({told.sizes, told.exact, told.told, told.exact_overall,
                                          told.told_overall, config.lower, config.upper});
  if (metric == "global error") return 100 * error.population_relative_error;
  if (metric == "parity error") return 100 * error.parity_error;
  std::vector<double> errors;
  for (const std::optional<double>& of_stratum : error.relative_errors)
    errors.push_back(of_stratum.value_or(0));
  return metric == kTypicalError
             ? 100 * median(errors)
             : 100 * std::accumulate(errors.begin(), errors.end(), 0.0) / num_strata;
}

/// The stratifications of the published table, by their number of strata.
class PublishedMeansRuns final : public ExperimentRuns {
 public:
  PublishedMeansRuns(const ItemHeader& item, const ReproductionMeans& means,
                     const std::filesystem::path& folder)
      : means_(means),
        published_(
            read_published_means(folder / find_reproduction_table(item.data).files.files.front(),
                                 means_.records.column)) {
    double least = 0;
    for (const double most : means_.values) {
      const bool is_any = std::ranges::any_of(published_, [&](const auto& published) {
        const auto num_strata = static_cast<double>(published.sizes.size());
        return num_strata > least && num_strata <= most;
      });
      if (!is_any) {
        throw Error(ErrorKind::kInput, "tasks.reproduce",
                    "no published stratification has more than {} and at most {} "
                    "strata; change the values of the item",
                    least, most);
      }
      least = most;
    }
  }

  int64_t num_steps(size_t, uint64_t) const override { return std::ssize(published_); }

  ReproductionOutcome run(size_t method, uint64_t seed,
                          const RunCallbacks& callbacks) const override {
    ReproductionOutcome outcome;
    for (const double value : means_.values) {
      ReproductionPoint& point = outcome.points.emplace_back();
      point.position = value;
      point.values.assign(means_.metrics.size(), 0.0);
    }
    std::vector<double> counts(means_.values.size(), 0.0);
    for (size_t i = 0; i < published_.size(); ++i) {
      const auto num_strata = static_cast<double>(published_[i].sizes.size());
      const auto range = std::ranges::lower_bound(means_.values, num_strata);
      if (range != means_.values.end()) {
        const auto v = static_cast<size_t>(range - means_.values.begin());
        const ToldMeans told = told_means(means_.lines[method], published_[i], seed, 2 * i);
        for (size_t m = 0; m < means_.metrics.size(); ++m)
          outcome.points[v].values[m] += value_of(means_.metrics[m], told, means_.records);
        ++counts[v];
      }
      callbacks.after_step();
    }
    for (size_t v = 0; v < counts.size(); ++v)
      for (double& value : outcome.points[v].values) value /= counts[v];
    return outcome;
  }

 private:
  ToldMeans told_means(const MeansLine& line, const PublishedStratification& published,
                       uint64_t seed, uint64_t stream) const {
    if (line.curve == kPublishedCurve)
      return published_figures(published, line.strata == MeansStrata::kAll);
    SimulationNoise random(seed, stream);
    const MadeRecords records = make_records(published, means_.records, random);
    SeededSource source(seed);
    source.start_step(stream + 1);
    return release_figures(line, means_.records, means_.rho, published, records, source);
  }

  const ReproductionMeans& means_;
  std::vector<PublishedStratification> published_;
};

}  // namespace

std::unique_ptr<ExperimentRuns> open_published_means_runs(const ItemHeader& item,
                                                          const ReproductionMeans& means,
                                                          const std::filesystem::path& folder) {
  return std::make_unique<PublishedMeansRuns>(item, means, folder);
}

}  // namespace equinoise
