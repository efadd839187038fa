// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/chosen_options.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/tasks/train/trait_refusals.h"
#include "equinoise/train/optimizer.h"

namespace equinoise {

namespace {

/// The least products of training records and epsilon at which the bins of dpgam are worth their
/// noise, for two classes and for a number; measured in docs/evidence/choosing-a-method.md.
constexpr double kMinSignalOfClasses = 750;
constexpr double kMinSignalOfNumber = 5000;

/// The reason against dpgam for a request; "": there is none.
std::string why_not_additive(const std::function<bool(std::string_view name)>& is_chosen,
                             TrainRequest request) {
  const TrainingMethodRow& row = find_training_method("dpgam");
  for (const TrainingOption& option : training_options()) {
    if (is_chosen(option.facts.name) && !row.follows(option.facts.name))
      return fmt::format("dpgam does not use {}", flag_of(option.facts.name));
  }
  request.method = row.name;
  settle_unchosen(is_chosen, request);
  try {
    const TrainingSetup setup = set_up_training(request);
    const size_t num_classes = setup.model->num_classes();
    if (num_classes > 2) return "it is usually better than dpgam with more than two classes";
    const double epsilon = setup.plan.privacy->epsilon.value();
    const double least = num_classes == 0 ? kMinSignalOfNumber : kMinSignalOfClasses;
    if (static_cast<double>(setup.sizes.train) * epsilon >= least) return "";
    return fmt::format(
        "{} training records at epsilon {} are few for the bins of dpgam, which take a product of "
        "{}",
        format_count(setup.sizes.train), format_amount(epsilon),
        format_count(static_cast<int64_t>(least)));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return error.problem();
  }
}

}  // namespace

std::string rule_of_auto() {
  return fmt::format(
      "raco_dp under constraints and mgr_w for --objective worst-group; else dpgam if training "
      "records times epsilon are at least {} for two classes, {} for a number; else dpsgd",
      format_count(static_cast<int64_t>(kMinSignalOfClasses)),
      format_count(static_cast<int64_t>(kMinSignalOfNumber)));
}

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

void settle_method(const std::function<bool(std::string_view name)>& is_chosen,
                   TrainRequest& request) {
  if (request.method != "auto") return;
  std::string why;
  if (has_constraints(request)) {
    request.method = "raco_dp";
    why = "it trains under constraints";
  } else if (request.objective == "worst-group") {
    request.method = "mgr_w";
    why = "it lowers the largest loss of any group";
  } else if (why = why_not_additive(is_chosen, request); why.empty()) {
    request.method = "dpgam";
    why = "the records and the budget are enough for its bins";
  } else {
    request.method = "dpsgd";
  }
  request.why_method = std::move(why);
}

}  // namespace equinoise
