#include "equinoise/train/methods/decoupled.h"

#include "equinoise/base/error.h"

namespace equinoise {

TrainingPlan Decoupled::plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  if (facts.num_groups == 0) {
    throw Error(ErrorKind::kUsage, "train.decoupled",
                "the method needs groups; give --groups, e.g. --groups sex");
  }
  return plan_noisy_gradients("decoupled", config, facts);
}

}  // namespace equinoise
