// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/chosen_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

constexpr std::string_view kAdditive = "dpgam";
constexpr std::string_view kUsual = "dpsgd";

/// The first chosen option that dpgam follows and dpsgd does not; null: none.
const TrainingOption* additive_option(const std::function<bool(std::string_view name)>& is_chosen) {
  for (const TrainingOption& option : training_options()) {
    const std::string_view name = option.facts.name;
    if (is_chosen(name) && find_training_method(kAdditive).follows(name) &&
        !find_training_method(kUsual).follows(name))
      return &option;
  }
  return nullptr;
}

/// The reason for dpsgd instead of dpgam; "": there is none.
std::string why_not_additive(const std::function<bool(std::string_view name)>& is_chosen,
                             TrainRequest request) {
  for (const TrainingOption& option : training_options()) {
    if (is_chosen(option.facts.name) && !find_training_method(kAdditive).follows(option.facts.name))
      return fmt::format("{} does not use {}", kAdditive, flag_of(option.facts.name));
  }
  request.method = kAdditive;
  settle_unchosen(is_chosen, request);
  try {
    const TrainingSetup setup = set_up_training(request);
    const double epsilon = setup.plan.privacy->epsilon.value();
    const double least = least_signal(setup.model->num_classes(), setup.plan.facts.columns.size());
    if (static_cast<double>(setup.sizes.train) * epsilon >= least) return "";
    return fmt::format(
        "{} training records at epsilon {} are few for the bins of {}, which take a product of {}",
        format_count(setup.sizes.train), format_amount(epsilon), kAdditive,
        format_count(static_cast<int64_t>(std::ceil(least))));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    return error.problem().substr(0, error.problem().find("; "));  // without the proposal
  }
}

bool predicts_a_number(const TrainRequest& request) {
  const Schema schema = load_schema(request.schema);
  return std::ranges::any_of(schema.columns, [&](const ColumnSchema& column) {
    return column.name == schema.target && column.type == ColumnType::kNumeric;
  });
}

}  // namespace

std::string rule_of_auto() {
  return fmt::format(
      "raco_dp under constraints; mgr_w for --objective worst-group; noisy_newton or "
      "sufficient_statistics for --objective coefficients; else dpgam for monotone columns, or if "
      "training records times epsilon are at least {:g} for two classes, {:g} for a number, {:g} "
      "times the classes times "
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
    request.method = predicts_a_number(request) ? "sufficient_statistics" : "noisy_newton";
    why = "it is the method for coefficients of such a target";
  } else if (const TrainingOption* own = additive_option(is_chosen)) {
    request.method = kAdditive;
    why = flag_of(own->facts.name) + " is its option";
  } else if (load_schema(request.schema).has_monotone()) {
    request.method = kAdditive;
    why = "it keeps columns monotone";
  } else if (request.model == "additive") {
    request.method = kAdditive;
    why = "it is made for that model";
  } else if (why = why_not_additive(is_chosen, request); why.empty()) {
    request.method = kAdditive;
    why = "the records and the budget are enough for its bins";
  } else {
    request.method = kUsual;
  }
  request.why_method = std::move(why);
}

}  // namespace equinoise
