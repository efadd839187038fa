// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

/// Plain SGD on Poisson batches: the NON-PRIVATE reference. Its plan is empty, because it has no
/// private release.
class Sgd : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "sgd",
      .status = PrivacyStatus::kNotPrivate,
      .source = "RobbinsMonro1951",
      .summary = "plain SGD on Poisson batches, the non-private reference",
      .supports_units = true,
      .private_form = "dpsgd",
  };
  static TrainingOptions declared_options() { return all_of({batch_options(), step_options()}); }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_without_guarantee("sgd", config, facts);
  }

  TrainedModel run(TrainingRun training) const override {
    NoClip clip;
    return run_plain_loop(std::move(training), clip);
  }
};

}  // namespace

TrainingMethodRow sgd_row() { return method_row<Sgd>(); }

}  // namespace equinoise
