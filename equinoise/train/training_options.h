// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <vector>

#include "equinoise/base/method_option.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// An option of training methods. Each is declared where the code is that follows it.
using TrainingOption = MethodOption<TrainingConfig>;
using TrainingOptions = std::vector<TrainingOption>;

/// The field of a training configuration at the end of a path of members.
template <auto... Path>
constexpr auto kTrainingField = &field_at<TrainingConfig, Path...>;

/// The same of a field that holds an enumeration, by its words.
template <const auto& words, auto... Path>
constexpr TrainingOption::Word kTrainingWord = word_at<TrainingConfig, words, Path...>();

/// The field of a struct of a method's own: kOwnTrainingField<&FairLensOptions::boundary_penalty>.
template <auto member>
constexpr auto kOwnTrainingField = &own_field_at<TrainingConfig, member>;

/// The same of a field that holds an enumeration, by its words.
template <const auto& words, auto member>
constexpr TrainingOption::Word kOwnTrainingWord = own_word_at<TrainingConfig, words, member>();

/// Several lists as one.
TrainingOptions all_of(std::initializer_list<TrainingOptions> lists);

/// Budget, relation and number of steps, of every method; a method without a guarantee ignores the
/// budget.
const TrainingOptions& shared_options();

/// Of methods that draw Poisson batches.
const TrainingOptions& batch_options();

/// Of methods that step from one model to the next (Iterates).
const TrainingOptions& step_options();

/// Of methods that clip each record's gradient.
const TrainingOptions& clip_options();

/// batch_options, step_options and clip_options: of methods that take run_noisy_loop.
const TrainingOptions& noisy_gradient_options();

/// The first learning rate, which is also of methods whose steps have no other options.
const TrainingOptions& learning_rate_options();

/// What methods that count records of a batch with noise have of their own.
struct CountOptions {
  std::optional<double> count_noise_multiplier;  ///< [kSideNoiseRatio times that of gradients]
};

/// Of methods that count the records of a batch with noise.
const TrainingOptions& count_options();

/// What methods with a strict bound on gradients have of their own.
struct StrictBoundOptions {
  std::optional<double> strict_bound;  ///< [10 max_grad_norm]
};

/// Of methods with a strict bound on gradients.
const TrainingOptions& strict_bound_options();

}  // namespace equinoise
