// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/means/estimator.h"

namespace equinoise {

/// Options of laplace only.
struct LaplaceOptions {
  double gamma = 0;  ///< > 0: clip at mean bound + sqrt(2 ln(2 n / gamma)) stddev
};

/// The number of standard deviations by which gamma widens the bounds of a mean:
/// sqrt(2 ln(2 n / gamma)).
double laplace_margin(double size, double gamma);

/// The source of the constants of the clipping steps.
enum class ConstantsChoice {
  kOfEstimator,  ///< one column: the paper's, several together: the code's
  kPaper,
  kCode,
};
inline constexpr EnumWords<ConstantsChoice, 3> kConstantsChoices = {
    {{ConstantsChoice::kOfEstimator, "auto"},
     {ConstantsChoice::kPaper, "paper"},
     {ConstantsChoice::kCode, "code"}}};

/// Options of coinpress and coinpress_joint.
struct CoinpressOptions {
  int num_steps = 3;
  double beta = 0.01;  ///< its failure probability
  ConstantsChoice constants = ConstantsChoice::kOfEstimator;
};

/// The scores of the cells of a histogram as the place of rank `target`: minus the number of ranks
/// by which the cell misses it. A record that is replaced or becomes null changes each score by at
/// most 1, because it changes the number of records before a cell, and that before its end, by at
/// most 1. counts: (num_cells).
std::vector<double> quantile_scores(std::span<const int64_t> counts, double target);

/// Options of quantile only.
struct QuantileOptions {
  size_t num_cells = 4096;  ///< from which quantiles are chosen
};

/// The estimators of the registry, each defined in a source of its own.
std::unique_ptr<MeanEstimator> make_bounded();
std::unique_ptr<MeanEstimator> make_laplace();
std::unique_ptr<MeanEstimator> make_coinpress();
std::unique_ptr<MeanEstimator> make_coinpress_joint();
std::unique_ptr<MeanEstimator> make_quantile();

}  // namespace equinoise
