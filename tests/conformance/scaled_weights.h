// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/train/registry.h"

namespace equinoise::testing {

/// DP-SGD whose clip policy weighs gradients by `factor` times what they may count.
class ScaledWeights final : public NoisyGradientMethod {
 public:
  explicit ScaledWeights(double factor) : factor_(factor) {}

 private:
  class Clip final : public ClipPolicy {
   public:
    Clip(double max_grad_norm, double factor) : flat_(max_grad_norm), factor_(factor) {}
    double bound() const override { return flat_.bound(); }
    double weight(double norm, GroupId group, double bound) const override {
      return factor_ * flat_.weight(norm, group, bound);
    }

   private:
    FlatClip flat_;
    double factor_;
  };

  const MethodTraits& traits() const override { return find_training_method("dpsgd"); }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    return plan_noisy_gradients("dpsgd", config, facts);
  }
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts&) const override {
    return std::make_unique<Clip>(config.max_grad_norm, factor_);
  }

  double factor_;
};

}  // namespace equinoise::testing
