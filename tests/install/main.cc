// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "equinoise/train/registry.h"

int main() {
  equinoise::TrainingConfig config{.epsilon = 3};
  const equinoise::TrainingPlan plan =
      equinoise::find_training_method("dpsgd").make()->plan(config, {36632, 108});
  std::printf("epsilon %.3f\n", plan.privacy->epsilon.value());
}
