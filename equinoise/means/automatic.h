#pragma once

#include <string>
#include <vector>

#include "equinoise/means/estimator.h"

namespace equinoise {

/// Which estimator a column gets, and why.
struct MeanChoice {
  std::string method;
  std::string reason;
};

/// The candidate of the registry for one column with the least predicted noise in strata of these
/// sizes, by public facts alone: sizes, bounds, declared standard deviation, budget. sizes: of
/// those asked about.
MeanChoice choose_mean_estimator(const MeanColumn& column, const std::vector<double>& sizes,
                                 double rho, const MeanConfig& config);

/// The same where sizes are private: the first candidate that needs no standard deviation.
MeanChoice choose_without_sizes();

}  // namespace equinoise
