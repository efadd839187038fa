#include "equinoise/means/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "equinoise/base/error.h"
#include "equinoise/means/registry.h"

namespace equinoise {

namespace {

/// The root of the mean square over strata; none counts for more than the width of the bounds,
/// beyond which an answer says nothing.
double typical_noise(const MeanEstimator& estimator, const MeanColumn& column,
                     const std::vector<double>& sizes, double rho, const MeanConfig& config) {
  double total = 0;
  for (const double size : sizes) {
    const double noise = std::min(estimator.predicted_noise({column}, 0, size, rho, config),
                                  column.upper - column.lower);
    total += noise * noise / static_cast<double>(sizes.size());
  }
  return std::sqrt(total);
}

}  // namespace

MeanChoice choose_mean_estimator(const MeanColumn& column, const std::vector<double>& sizes,
                                 double rho, const MeanConfig& config) {
  // A tie goes to the earlier row, the simpler one. Quantiles are no candidate: they clip on
  // purpose, so that their error has a part that no public fact predicts.
  const MeanEstimatorRow* best = nullptr;
  double least = 0;
  std::string others;
  const auto name_other = [&](const MeanEstimatorRow& row, double noise) {
    others += fmt::format("{}{:.3g} of {}", others.empty() ? "" : ", ", noise, row.name);
  };
  for (const MeanEstimatorRow& row : mean_estimators()) {
    const std::unique_ptr<MeanEstimator> estimator = row.make();
    if (!row.is_candidate || (estimator->needs_stddev() && !column.stddev)) continue;
    const double noise = typical_noise(*estimator, column, sizes, rho, config);
    if (best != nullptr && noise >= least) {
      name_other(row, noise);
      continue;
    }
    if (best != nullptr) name_other(*best, least);
    best = &row;
    least = noise;
  }
  if (best == nullptr) throw Error(ErrorKind::kRuntime, "means.automatic", "no candidates");
  if (!column.stddev) {
    return {std::string(best->name),
            fmt::format("no standard deviation is declared, so that the noise of others cannot be "
                        "predicted; its own is {:.3g} in a typical stratum",
                        least)};
  }
  return {std::string(best->name),
          fmt::format("the bounds are {:.3g} standard deviations apart: predicted noise {:.3g} in "
                      "a typical stratum, {}",
                      (column.upper - column.lower) / *column.stddev, least, others)};
}

MeanChoice choose_without_sizes() {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    if (!row.is_candidate || row.make()->needs_stddev()) continue;
    return {std::string(row.name),
            "sizes are private, so that the noise of others cannot be predicted"};
  }
  throw Error(ErrorKind::kRuntime, "means.automatic", "no candidate does without public facts");
}

}  // namespace equinoise
