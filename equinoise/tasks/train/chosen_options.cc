// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/chosen_options.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
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
/// noise; measured in docs/evidence/choosing-a-method.md. For more than two classes times their
/// number and the root of that of columns.
constexpr double kLeastOfTwoClasses = 230;
constexpr double kLeastOfNumber = 1600;
constexpr double kLeastOfClasses = 750;

double least_signal(size_t num_classes, size_t num_columns) {
  if (num_classes == 0) return kLeastOfNumber;
  if (num_classes == 2) return kLeastOfTwoClasses;
  return kLeastOfClasses * static_cast<double>(num_classes) *
         std::sqrt(static_cast<double>(num_columns));
}

/// What a method would do for a request; or a refusal, and no setup.
struct Trial {
  std::optional<TrainingSetup> setup = {};
  std::string refusal = {};
};

Trial try_method(const TrainingMethodRow& row,
                 const std::function<bool(std::string_view name)>& is_chosen,
                 TrainRequest request) {
  for (const TrainingOption& option : training_options()) {
    if (is_chosen(option.facts.name) && !row.follows(option.facts.name))
      return {.refusal = fmt::format("{} does not use {}", row.name, flag_of(option.facts.name))};
  }
  request.method = row.name;
  settle_unchosen(is_chosen, request);
  try {
    return {.setup = set_up_training(request)};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return {.refusal = error.problem()};
  }
}

/// The reason against dpgam for a request; "": there is none.
std::string why_not_additive(const std::function<bool(std::string_view name)>& is_chosen,
                             const TrainRequest& request) {
  const auto [setup, refusal] = try_method(find_training_method("dpgam"), is_chosen, request);
  if (!setup) return refusal;
  const double epsilon = setup->plan.privacy->epsilon.value();
  const double least = least_signal(setup->model->num_classes(), setup->plan.facts.columns.size());
  if (static_cast<double>(setup->sizes.train) * epsilon >= least) return "";
  return fmt::format(
      "{} training records at epsilon {} are few for the bins of dpgam, which take a product of {}",
      format_count(setup->sizes.train), format_amount(epsilon),
      format_count(static_cast<int64_t>(std::ceil(least))));
}

/// The method that releases coefficients for this target; where none takes the request, the last of
/// them, which then says why.
std::string_view method_of_coefficients(const std::function<bool(std::string_view name)>& is_chosen,
                                        const TrainRequest& request) {
  std::string_view name;
  for (const TrainingMethodRow& row : training_methods()) {
    if (!row.releases_coefficients) continue;
    name = row.name;
    if (try_method(row, is_chosen, request).setup) break;
  }
  return name;
}

}  // namespace

std::string rule_of_auto() {
  return fmt::format(
      "raco_dp under constraints; mgr_w for --objective worst-group; noisy_newton or "
      "sufficient_statistics for --objective coefficients; else dpgam if training records times "
      "epsilon are at least {:g} for two classes, {:g} for a number, {:g} times the classes times "
      "the root of the number of columns for more classes; else dpsgd",
      kLeastOfTwoClasses, kLeastOfNumber, kLeastOfClasses);
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
  } else if (request.objective == "coefficients") {
    request.method = method_of_coefficients(is_chosen, request);
    why = "it releases coefficients with intervals for such a target";
  } else if (why = why_not_additive(is_chosen, request); why.empty()) {
    request.method = "dpgam";
    why = "the records and the budget are enough for its bins";
  } else {
    request.method = "dpsgd";
  }
  request.why_method = std::move(why);
}

}  // namespace equinoise
