// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/means/means_explanation.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "equinoise/means/dirichlet.h"
#include "equinoise/means/parity.h"
#include "equinoise/report/format.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/tasks/input/ingest_notes.h"

namespace equinoise {

MeansExplanation explain_means(const MeansSetup& setup, const MeansRelease& release,
                               const Dataset& dataset, const MeanRecords& columns,
                               const MeansReport& report) {
  MeansExplanation result;
  result.notice = std::string(kDoNotPublish) + "computed from records without noise";
  const size_t num_strata = setup.names.size();
  const std::span<const uint32_t> strata = columns.strata;
  result.num_records.assign(num_strata, 0);
  for (size_t i = 0; i < strata.size(); ++i) {
    const uint32_t k = strata[i];
    (k < num_strata ? result.num_records[k] : result.num_without_stratum) += dataset.count_of(i);
  }
  std::vector<double> found(result.num_records.begin(), result.num_records.end());
  for (size_t j = 0; j < release.num_columns; ++j) {
    const MeanColumn& column = setup.plan.question.columns[j];
    ExactColumn row;
    row.name = column.name;
    const ExactMeans exact = exact_means(columns, j);
    row.overall = exact.overall;
    row.strata = exact.strata;
    row.num_values = exact.num_values;
    row.fill = report.columns[j].fill;
    const double overall = report.overall[j].mean;
    std::vector<double> released;
    std::vector<double> raw;
    for (size_t k = 0; k < num_strata; ++k) {
      // Whoever has no figure of a stratum takes that of all.
      const StratumMeanReport& told = report.rows[k * release.num_columns + j];
      released.push_back(told.has_figure() ? told.mean : overall);
      raw.push_back(told.has_figure() ? told.raw_mean : overall);
    }
    const auto judge = [&](const std::vector<double>& estimates) {
      return parity_error({exact.sizes,
                           row.strata,
                           estimates,
                           row.overall,
                           overall,
                           column.lower,
                           column.upper,
                           {}});
    };
    const ParityError parity = judge(released);
    row.parity_error = parity.parity_error;
    // No error is the largest where noise hides what a stratum would take.
    const bool is_known = std::isfinite(parity.parity_error);
    row.largest_group_error = is_known ? parity.max_group_error : std::nan("");
    row.largest_absolute_error = is_known ? parity.max_absolute_error : std::nan("");
    row.scale_floor = parity.scale_floor;
    row.raw_parity_error = judge(raw).parity_error;
    row.overall_parity_error = judge(std::vector<double>(num_strata, overall)).parity_error;
    result.columns.push_back(std::move(row));
  }
  const double num_found = std::accumulate(found.begin(), found.end(), 0.0);
  if (num_strata > 1 && num_found > static_cast<double>(num_strata)) {
    const DirichletFit fit = fit_dirichlet(found);
    result.sizes.alpha_moments = fit.alpha_moments;
    result.sizes.alpha_likelihood = fit.alpha_likelihood;
    result.sizes.sum_log = fit.realised_sum_log;
    if (fit.alpha_moments) {
      const ExpectedSumLog expected =
          expected_sum_log(static_cast<int>(num_strata), num_found, *fit.alpha_moments);
      result.sizes.expected_sum_log = expected.expected_floored;
      result.sizes.equal_sum_log = expected.upper_bound;
    }
  }
  result.notes = misfits(dataset);
  for (std::string& note : ingest_notes(dataset.counts)) result.notes.push_back(std::move(note));
  for (size_t k = 0; k < num_strata && !setup.plan.question.private_sizes; ++k) {
    const auto declared = static_cast<int64_t>(setup.plan.question.sizes[k]);
    if (declared == result.num_records[k]) continue;
    result.notes.push_back(fmt::format("stratum {}: {} records contribute, but {} are declared",
                                       setup.names[k], format_count(result.num_records[k]),
                                       format_count(declared)));
  }
  int64_t num_weightless = 0;
  for (size_t i = 0; i < columns.weights.size(); ++i)
    if (columns.weights[i] == 0) num_weightless += dataset.count_of(i);
  if (num_weightless > 0) {
    result.notes.push_back(
        fmt::format("{} records contribute nothing: their weight is 0 or missing",
                    format_count(num_weightless)));
  }
  if (result.num_without_stratum > 0) {
    result.notes.push_back(
        fmt::format("{} records contribute nothing: they are in a stratum of size 0, or lack a "
                    "cell that gives their stratum",
                    format_count(result.num_without_stratum)));
  }
  return result;
}

}  // namespace equinoise
