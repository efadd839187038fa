// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/means/registry.h"

namespace equinoise {

namespace {

/// Half of a typical stratum's interval: the root mean square over strata. Where sizes are not
/// known it is that of a stratum with one record, which compares candidates equally well.
double typical_half_width(const MeansPlan& plan, size_t column) {
  const MeansQuestion& question = plan.question;
  const double stddevs =
      find_mean_estimator(plan.part_of(column).method).make()->half_width_in_stddevs();
  const std::vector<double>& sizes = question.predicted_sizes();
  if (sizes.empty()) return stddevs * plan.predicted_noise(column, 1);
  double total = 0;
  double count = 0;
  for (const double size : sizes) {
    if (size == 0) continue;
    const double half = stddevs * plan.predicted_noise(column, size);
    total += half * half;
    count += 1;
  }
  return std::sqrt(total / count);
}

struct Candidate {
  MeansPlan plan;
  std::vector<double> half_widths;  ///< (columns)
  double logarithm = 0;             ///< of their product
};

}  // namespace

MeansPlan choose_plan(const MeansQuestion& question,
                      const std::function<double(const std::string& method)>& rho_of) {
  std::vector<Candidate> candidates;
  std::optional<Error> refusal;
  for (const MeanEstimatorRow& row : mean_estimators()) {
    if (!row.is_candidate) continue;
    try {
      MeansQuestion asked = question;
      asked.method = row.name;
      asked.rho = rho_of(asked.method);
      Candidate candidate{plan_means(asked), {}};
      for (size_t j = 0; j < question.columns.size(); ++j) {
        candidate.half_widths.push_back(typical_half_width(candidate.plan, j));
        candidate.logarithm += std::log(candidate.half_widths.back());
      }
      candidates.push_back(std::move(candidate));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      if (!refusal) refusal = error;
    }
  }
  if (candidates.empty()) throw *refusal;
  // A tie goes to the earlier row, the simpler one.
  const auto best = std::ranges::min_element(candidates, {}, &Candidate::logarithm);
  for (MeansPart& part : best->plan.parts) {
    const size_t j = part.columns[0];
    std::string others;
    for (auto other = candidates.begin(); other != candidates.end(); ++other) {
      if (other == best) continue;
      others += fmt::format("{}{:.3g} by {}", others.empty() ? "" : ", ", other->half_widths[j],
                            other->plan.question.method);
    }
    part.reason = fmt::format("predicted noise of +-{:.3g}{}{}", best->half_widths[j],
                              question.predicted_sizes().empty() ? ", divided by a stratum's size"
                                                                 : " in a typical stratum",
                              others.empty() ? "" : ", " + others);
  }
  return std::move(best->plan);
}

}  // namespace equinoise
