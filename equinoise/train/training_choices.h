// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/base/enum_words.h"

namespace equinoise {

/// How dpsgd_f makes thresholds from r_k, the share of long gradients of group k.
enum class ThresholdRule {
  kPaper,  ///< C0 (1 + r_k / r), r the share among all records of the batch
  kCode,   ///< C0 (1 + r_k / mean of all r_k): of the published code; groups count alike
};
inline constexpr EnumWords<ThresholdRule, 2> kThresholdRules = {
    {{ThresholdRule::kPaper, "paper"}, {ThresholdRule::kCode, "code"}}};

/// What a histogram of predictions under constraints counts.
enum class HistogramOf { kPredictedClasses, kProbabilities };
inline constexpr EnumWords<HistogramOf, 2> kHistogramsOf = {
    {{HistogramOf::kPredictedClasses, "hard"}, {HistogramOf::kProbabilities, "soft"}}};

/// The noise on that histogram.
enum class HistogramNoise { kGaussian, kLaplace };
inline constexpr EnumWords<HistogramNoise, 2> kHistogramNoises = {
    {{HistogramNoise::kGaussian, "gaussian"}, {HistogramNoise::kLaplace, "laplace"}}};

/// What multipliers of constraints follow: each step's own histogram, or the mean over steps.
enum class MultiplierRule { kStep, kMean };
inline constexpr EnumWords<MultiplierRule, 2> kMultiplierRules = {
    {{MultiplierRule::kStep, "step"}, {MultiplierRule::kMean, "mean"}}};

}  // namespace equinoise
