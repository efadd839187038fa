// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options of dpgam and gam.
struct GamOptions {
  std::optional<double> rounds;               ///< [50, for more than two classes 100]
  double histogram_share = 0.2;               ///< of the budget, as precision
  std::vector<std::string> pairs = {"auto"};  ///< or "none", or columns as "age*sex"
};

/// A generalised additive model (AdditiveModel). Noisy histograms of the columns decide bins and
/// scales; then full-batch descent along noisy gradients, with the coefficients of a column shrunk
/// by the part that noise explains (descend_additive). After two thirds of the rounds noisy sums
/// choose pairs of columns, whose terms the other rounds fit to what single columns leave.
///
/// Relation: zero_out. Sensitivity in L2 of the histograms: ColumnHistograms; of the sums that
/// choose pairs: the public length to which a record's are shortened (PairScreening); of a round's
/// gradient: the public length to which residuals are shortened (AdditiveGradients). Cost: one
/// Gaussian for all histograms as one vector, one for the choice of pairs, and one for each round,
/// on full data; bins, scales, pairs, lengths, steps and shrinkage are post-processing of earlier
/// releases. Source: [NoriEtAl2021] for additive models of noisy bins.
///
/// Monotone columns are projections of the same releases (keep_monotone), and in no pair.
///
/// Deviations: gradients of all columns at once instead of one column after the other; cells that
/// many records have alike are separate bins; coefficients are shrunk [JamesStein1961]; pairs are
/// chosen by products of functions of the columns instead of the best cuts [LouEtAl2013].
class DpGam : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpgam",
      .status = PrivacyStatus::kPrivate,
      .source = "NoriEtAl2021",
      .summary =
          "an additive model of bins that noisy histograms decide, by descent along noisy "
          "gradients of all records",
      .is_stepwise = false,
      .takes_full_batches = true,
      .keeps_monotone = true,
      .clips_otherwise = true,
      .steps_option = "rounds",
      .trains = [](std::string_view model) { return model == "additive"; },
      .other_models = "trains additive models, got {}; leave --model out",
      .own_model = "additive",
      .reference = "gam",
      .purpose =
          "for relations that are not straight lines in the numbers: on the 14 tasks of bench/zoo "
          "its loss was 0.76 to 1.03 times that of dpsgd at epsilon 1, and 0.90 to 1.17 times at "
          "0.3",
      .needs_numeric_feature = true,
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

/// The same without noise: the NON-PRIVATE reference. Residuals are shortened only at a hundred
/// times their usual size, and there is no shrinkage for noise.
class Gam : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "gam",
      .status = PrivacyStatus::kNotPrivate,
      .source = "NoriEtAl2021",
      .summary = "dpgam without noise, its non-private reference",
      .is_stepwise = false,
      .takes_full_batches = true,
      .keeps_monotone = true,
      .steps_option = "rounds",
      .trains = [](std::string_view model) { return model == "additive"; },
      .other_models = "trains additive models, got {}; leave --model out",
      .own_model = "additive",
      .reference = "gam",
      .private_form = "dpgam",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
