// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/gradient_sums.h"
#include "equinoise/train/methods/rows.h"

namespace equinoise {

namespace {

/// SGD along one of the two errors of clipping, without the other and without noise: the effect of
/// flat clipping on the length of a batch's gradient g, or on its direction, over a whole run. NOT
/// PRIVATE, only to separate the two errors: its plan is empty, it refuses noise and a guarantee.
/// [EsipovaEtAl2023, Table 1]
///
/// One thread.
class ClippingError : public TrainingMethod {
 public:
  static TrainingOptions declared_options() { return noisy_gradient_options(); }

  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const final {
    TrainingPlan plan = plan_without_guarantee(traits().name, config, facts);
    plan.settings = {{"max_grad_norm", config.max_grad_norm}};
    return plan;
  }

  TrainedModel run(TrainingRun training) const final {
    FlatClip clip(training.plan.config.max_grad_norm);
    GradientSums sums;
    const PlainSum error = [&](std::span<const uint32_t> batch,
                               std::span<const double> parameters) {
      sums = sum_gradients(training.table, 0, training.model, parameters, clip, batch, 1);
      std::vector<double>& along = error_ == Error::kMagnitude ? sums.plain : sums.clipped;
      const double length = norm(error_ == Error::kMagnitude ? sums.clipped : sums.plain);
      const double own_length = norm(along);
      for (double& value : along) value *= own_length > 0 ? length / own_length : 0;
      return std::span<const double>(along);
    };
    return run_plain_loop(std::move(training), clip, error);
  }

 protected:
  enum class Error { kMagnitude, kDirection };
  explicit ClippingError(Error error) : error_(error) {}

 private:
  Error error_;
};

/// |c| / |g| g, c the clipped gradient: no error of direction.
class MagnitudeError : public ClippingError {
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
  MagnitudeError() : ClippingError(Error::kMagnitude) {}
};

/// |g| / |c| c: no error of magnitude.
class DirectionError : public ClippingError {
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
  DirectionError() : ClippingError(Error::kDirection) {}
};

}  // namespace

TrainingMethodRow magnitude_error_row() { return method_row<MagnitudeError>(); }
TrainingMethodRow direction_error_row() { return method_row<DirectionError>(); }

}  // namespace equinoise
