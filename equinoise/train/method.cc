// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/method.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

/// Errors: kUsage for a configuration or facts that the traits exclude.
void check_traits(const MethodTraits& traits, const TrainingConfig& config,
                  const TrainingFacts& facts) {
  const std::string where = fmt::format("train.{}", traits.name);
  const Refusal refuse{ErrorKind::kUsage, where};
  if (!traits.private_form.empty() && (config.epsilon || config.noise_multiplier)) {
    refuse(
        "{} is not private and takes neither --epsilon nor --noise-multiplier; use {} "
        "for a private model",
        traits.name, traits.private_form);
  }
  if (!traits.trains(facts.model)) {
    refuse("{} {}", traits.name, fmt::format(fmt::runtime(traits.other_models), facts.model));
  }
  if (facts.num_groups >= traits.min_groups) return;
  refuse("the method needs {}; give --groups, e.g. --groups sex",
         traits.min_groups == 1 ? "groups"
                                : fmt::format("at least two groups, got {}", facts.num_groups));
}

}  // namespace

std::unique_ptr<ClipPolicy> TrainingMethod::make_clip(const TrainingConfig& config,
                                                      const TrainingFacts&) const {
  if (has_option<TrainingConfig>(options(), "max_grad_norm"))
    return std::make_unique<FlatClip>(config.max_grad_norm);
  if (traits().status == PrivacyStatus::kPrivate) {
    throw Error(ErrorKind::kRuntime, fmt::format("train.{}", traits().name),
                "a private method declares max_grad_norm or makes a clip of its own");
  }
  return std::make_unique<NoClip>();
}

TrainingPlan TrainingMethod::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  check_options<TrainingConfig>("train", shared_options(), config);
  check_options<TrainingConfig>("train", options(), config);
  check_traits(traits(), config, facts);
  TrainingPlan plan = make_plan(config, facts);
  note_unspent(config, plan);
  return plan;
}

}  // namespace equinoise
