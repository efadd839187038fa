// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options of dpgam and gam.
struct GamOptions {
  int64_t rounds = 50;
  double histogram_share = 0.2;  ///< of the budget, as precision
};

/// A generalised additive model (AdditiveModel) from noisy histograms of the columns, which decide
/// the bins and the scale of each, and then full-batch descent along noisy gradients with the
/// coefficients of a column shrunk by what noise explains (descend_additive).
///
/// Relation: zero_out. Sensitivity: of the histograms, of which a record adds 1 to one bin of each
/// column and kFineWeight to one cell of each number that has finer cells, sqrt(columns + finer
/// kFineWeight^2) in L2; of a round's gradient the public length that residuals are shortened to
/// (AdditiveGradients). Cost: one Gaussian for all histograms as one vector, and one for each
/// round, on full data; bins, scales, lengths, steps and shrinkage are post-processing of what was
/// released before. Source: [NoriEtAl2021] for additive models of noisy bins.
///
/// Deviations: gradients of all columns at once instead of one column after the other; cells that
/// many records have alike are bins of their own; coefficients are shrunk [JamesStein1961].
class DpGam final : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  bool is_stepwise() const override { return false; }
  bool takes_full_batches() const override { return true; }
  bool clips_otherwise() const override { return true; }
  bool trains(std::string_view model) const override { return model == "additive"; }
  std::string_view own_model() const override { return "additive"; }
  std::string_view steps_option() const override { return "rounds"; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

/// The same without noise: the NON-PRIVATE reference. Only residuals that are a hundred times what
/// is usual are shortened, and nothing is shrunk for noise.
class Gam final : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  bool is_stepwise() const override { return false; }
  bool takes_full_batches() const override { return true; }
  bool trains(std::string_view model) const override { return model == "additive"; }
  std::string_view own_model() const override { return "additive"; }
  std::string_view steps_option() const override { return "rounds"; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
