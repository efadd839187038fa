// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/normal_quantile.h"

namespace equinoise {

/// A number with a 95 % interval, for the noise and for the draw of the records; infinite if noise
/// leaves any value possible.
struct NoisyEstimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::optional<double> standard_error = {};  ///< empty: the interval is not of one
};

inline NoisyEstimate with_interval(double value, double standard_error) {
  const double half = kNormalQuantile * standard_error;
  return {value, value - half, value + half, standard_error};
}

struct Coefficient {
  std::string name;                            ///< "age", "race=Black (against White)", "intercept"
  std::optional<NoisyEstimate> estimate = {};  ///< empty: noise hides it
  /// The reason for no estimate, or for an interval without ends: "noise hides it: joins White",
  /// "nearly the same as age".
  std::string why = {};
};

/// The standard deviation of residuals and the explained part of the variance of targets, adjusted
/// for the number of coefficients. The intervals assume approximately normal residuals.
struct FitFigures {
  std::optional<NoisyEstimate> residual_stddev = {};
  std::optional<NoisyEstimate> r_squared = {};
};

/// The results of a regression, in the units of the columns. Released.
struct Coefficients {
  std::vector<Coefficient> rows;
  std::string log_odds_of = {};  ///< the class whose log odds they add to; "": a numeric target
  FitFigures fit = {};
  std::vector<FitFigures> groups = {};  ///< the fit of this regression to each group, if known
};

}  // namespace equinoise
