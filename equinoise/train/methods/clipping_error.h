// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// SGD along one of the two errors of clipping, without the other and without noise: the effect of
/// flat clipping on the length of a batch's gradient g, or on its direction, over a whole run. NOT
/// PRIVATE, only to separate the two errors: its plan is empty, it refuses noise and a guarantee.
/// [EsipovaEtAl2023, Table 1]
///
/// One thread.
class ClippingError : public TrainingMethod {
 public:
  const TrainingOptions& options() const override { return noisy_gradient_options(); }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const final;
  TrainedModel run(TrainingRun training) const final;

 protected:
  enum class Error { kMagnitude, kDirection };
  explicit ClippingError(Error error) : error_(error) {}

 private:
  Error error_;
};

/// |c| / |g| g, c the clipped gradient: no error of direction.
class MagnitudeError final : public ClippingError {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "magnitude_error",
      .status = PrivacyStatus::kNotPrivate,
      .source = "EsipovaEtAl2023",
      .summary =
          "plain SGD with the length of a batch's gradient after clipping; for comparison only",
      .private_form = "dpsgd",
      .unexplained = "both errors of clipping, but a step of {} has only one of them",
  };
  const MethodTraits& traits() const override { return kTraits; }
  MagnitudeError() : ClippingError(Error::kMagnitude) {}
};

/// |g| / |c| c: no error of magnitude.
class DirectionError final : public ClippingError {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "direction_error",
      .status = PrivacyStatus::kNotPrivate,
      .source = "EsipovaEtAl2023",
      .summary =
          "plain SGD with the direction of a batch's gradient after clipping; for comparison only",
      .private_form = "dpsgd",
      .unexplained = "both errors of clipping, but a step of {} has only one of them",
  };
  const MethodTraits& traits() const override { return kTraits; }
  DirectionError() : ClippingError(Error::kDirection) {}
};

}  // namespace equinoise
