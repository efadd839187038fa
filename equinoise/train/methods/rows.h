// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/train/registry.h"

namespace equinoise {

/// A method as the registry makes it, with its own `kTraits` and `declared_options`.
template <typename Method>
class Registered final : public Method {
 public:
  const MethodTraits& traits() const override { return Method::kTraits; }
  const TrainingOptions& options() const override {
    static const TrainingOptions options = Method::declared_options();
    return options;
  }
};

template <typename Method>
TrainingMethodRow method_row() {
  return {Method::kTraits, []() -> std::unique_ptr<TrainingMethod> {
            return std::make_unique<Registered<Method>>();
          }};
}

/// The rows of the registry, each defined in the source of its method.
TrainingMethodRow ags_row();
TrainingMethodRow balanced_row();
TrainingMethodRow decoupled_row();
TrainingMethodRow direction_error_row();
TrainingMethodRow dp_fermi_row();
TrainingMethodRow dp_lagrangian_row();
TrainingMethodRow dp_postprocess_row();
TrainingMethodRow dpgam_row();
TrainingMethodRow dpnose_row();
TrainingMethodRow dpse_row();
TrainingMethodRow dpse_alg3_row();
TrainingMethodRow dpse_alg5_row();
TrainingMethodRow dpse_alg6_row();
TrainingMethodRow dpse_printed_alg2_row();
TrainingMethodRow dpsgd_row();
TrainingMethodRow dpsgd_f_row();
TrainingMethodRow dpsgd_global_row();
TrainingMethodRow dpsgd_global_adapt_row();
TrainingMethodRow fairlens_row();
TrainingMethodRow gam_row();
TrainingMethodRow group_dro_row();
TrainingMethodRow group_statistics_row();
TrainingMethodRow group_weighted_row();
TrainingMethodRow magnitude_error_row();
TrainingMethodRow mgr_row();
TrainingMethodRow mgr_w_row();
TrainingMethodRow minimax_row();
TrainingMethodRow noisy_newton_row();
TrainingMethodRow oco_exp3_row();
TrainingMethodRow phased_erm_row();
TrainingMethodRow raco_clipping_row();
TrainingMethodRow raco_dp_row();
TrainingMethodRow sgd_row();
TrainingMethodRow sgda_row();
TrainingMethodRow sufficient_statistics_row();
TrainingMethodRow two_stage_row();

}  // namespace equinoise
