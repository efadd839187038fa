// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/chosen_options.h"

#include "equinoise/train/optimizer.h"

namespace equinoise {

void settle_unchosen(const std::function<bool(std::string_view name)>& is_chosen,
                     TrainRequest& request) {
  TrainingConfig& config = request.config;
  if (is_chosen("batch_size")) request.batch_size = config.batch_size;
  if (is_chosen("steps")) request.num_steps = config.num_steps;
  const bool chooses_last_rate = is_chosen("final_learning_rate");
  if (!is_chosen("learning_rate")) {
    config.learning_rate = default_learning_rate(config.optimizer);
    request.settles_learning_rate = !chooses_last_rate;
  }
  request.settles_clip = !is_chosen("max_grad_norm");
  if (!chooses_last_rate) config.final_learning_rate = config.learning_rate / 10;
}

}  // namespace equinoise
