// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/option_value.h"
#include "equinoise/train/method.h"
#include "equinoise/train/rate_clip.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// The entries of a histogram of predictions under constraints.
enum class HistogramOf { kPredictedClasses, kProbabilities };
inline constexpr EnumWords<HistogramOf, 2> kHistogramsOf = {
    {{HistogramOf::kPredictedClasses, "hard"}, {HistogramOf::kProbabilities, "soft"}}};

/// The noise on that histogram.
enum class HistogramNoise { kGaussian, kLaplace };
inline constexpr EnumWords<HistogramNoise, 2> kHistogramNoises = {
    {{HistogramNoise::kGaussian, "gaussian"}, {HistogramNoise::kLaplace, "laplace"}}};

/// The input of the multipliers of constraints: each step's own histogram, or the mean over steps.
enum class MultiplierRule { kStep, kMean };
inline constexpr EnumWords<MultiplierRule, 2> kMultiplierRules = {
    {{MultiplierRule::kStep, "step"}, {MultiplierRule::kMean, "mean"}}};

/// Options of methods under rate constraints; the last three are for methods with noise.
struct RateOptions {
  double dual_learning_rate = 0.05;  ///< for the constraints' multipliers
  double max_multiplier = 20;
  double inverse_temperature = 1;  ///< of soft predictions
  HistogramOf histogram = HistogramOf::kPredictedClasses;
  double histogram_decay = 0.97;  ///< for the mean over steps; 0: the last step only
  MultiplierRule multipliers = MultiplierRule::kStep;
  double clip_allowance = 1.5;   ///< for the constraints' part of gradients, see RateClip
  double push_limit = 2;         ///< of that part, in clip bounds, see RateLagrangian
  double clip_widening = 3;      ///< of the clip, for constraints between groups
  std::optional<double> margin;  ///< distance below slacks that training aims at [aim_margin.h]
  HistogramNoise histogram_noise = HistogramNoise::kGaussian;
  double histogram_noise_ratio = 2;  ///< ratio of its standard deviation to that of gradients
  std::optional<double> histogram_noise_multiplier;  ///< its scale [by the ratio]
};

/// RaCO-DP: DP-SGD under rate constraints by stochastic gradient descent-ascent on the Lagrangian.
/// Each batch releases a histogram of its predictions, which determines multipliers and the
/// constraints' part of every record's gradient, then the sum of the clipped gradients. Relation
/// and cost: run_noisy_loop; sensitivity: that of RateLagrangian for the histogram, the bound of
/// RateClip for the sum. [YaghiniEtAl2025, Alg. 1]
///
/// Deviations: those of RateLagrangian; both releases of a batch are charged as one event of that
/// batch, with Gaussian noise on the histogram unless Laplace is requested; the clip bound follows
/// the constraints; the model is the mean of the last iterates, never a checkpoint chosen by data.
class RacoDp : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "raco_dp",
      .status = PrivacyStatus::kPrivate,
      .source = "YaghiniEtAl2025",
      .summary =
          "dpsgd under rate constraints, evaluated on a noisy histogram of each batch's "
          "predictions",
      .uses_constraints = true,
      .reference = "sgda",
      .unexplained = "gradients of the loss alone, but the steps of {} also follow constraints",
  };
  static TrainingOptions declared_options();
  /// Errors: kUsage without constraints.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  /// Multipliers slow down by the root of the factor, because they must get as far in the same
  /// number of steps. The mean covers more steps in proportion to the smaller rate, which steadies
  /// it.
  TrainingConfig slower(TrainingConfig config, const TrainingFacts& facts,
                        double factor) const override;
  /// The clip of a step that constraints do not change, if there are none, as in an audit that
  /// explains a step along the loss gradient.
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;

 protected:
  /// The number of steps with the same multipliers.
  virtual int64_t dual_interval(const TrainingConfig& /*config*/) const { return 1; }
};

/// Options of methods under rate constraints: multipliers and their effect on gradients; and
/// others, among which each method has its own by name.
const TrainingOptions& multiplier_options();
const TrainingOptions& rate_options();

/// The Lagrangian of a configuration. Errors: kUsage, naming `where` and the field, also without
/// constraints.
RateLagrangian make_rate_lagrangian(std::string_view where, const TrainingConfig& config,
                                    const TrainingFacts& facts, int64_t dual_interval = 1);

/// Errors: kUsage, naming `where`, without constraints.
void check_constraints_given(std::string_view where, const TrainingConfig& config);

/// The settings of rate constraints that a plan reports.
NamedFigures rate_settings(const TrainingConfig& config);

}  // namespace equinoise
