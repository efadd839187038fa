// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace equinoise {

/// A number with a 95 % interval, for the noise and for the draw of the records.
struct NoisyEstimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::optional<double> standard_error = {};  ///< empty: the interval is not of one
};

struct Coefficient {
  std::string name;                            ///< "age", "race=Black (against White)", "intercept"
  std::optional<NoisyEstimate> estimate = {};  ///< empty: noise is too much to tell
};

/// What targets deviate from the regression, and which part of their variance it tells, adjusted
/// for the number of coefficients. The intervals are for residuals that are about normal.
struct FitFigures {
  std::optional<NoisyEstimate> residual_stddev = {};
  std::optional<NoisyEstimate> r_squared = {};
};

/// What an analyst asks of a linear regression, in the units of the columns. Released.
struct Coefficients {
  std::vector<Coefficient> rows;
  FitFigures fit;
  std::vector<FitFigures> groups = {};  ///< how the same regression fits each, where that is known
};

}  // namespace equinoise
