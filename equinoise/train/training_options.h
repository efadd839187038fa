// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "equinoise/base/method_option.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// An option of training methods, declared next to the code that follows it.
using TrainingOption = MethodOption<TrainingConfig>;
using TrainingOptions = std::vector<TrainingOption>;

/// The field of a training configuration at the end of a path of members.
template <auto... Path>
constexpr auto kTrainingField = &field_at<TrainingConfig, Path...>;

/// The same for a field that holds an enumeration, by its words.
template <const auto& words, auto... Path>
constexpr TrainingOption::Word kTrainingWord = word_at<TrainingConfig, words, Path...>();

/// The field of a struct that belongs to one method:
/// kOwnTrainingField<&FairLensOptions::boundary_penalty>.
template <auto member>
constexpr auto kOwnTrainingField = &own_field_at<TrainingConfig, member>;

/// The same for a field that holds an enumeration, by its words.
template <const auto& words, auto member>
constexpr TrainingOption::Word kOwnTrainingWord = own_word_at<TrainingConfig, words, member>();

/// Several lists as one.
TrainingOptions all_of(std::initializer_list<TrainingOptions> lists);

/// The options of these names, in their order. Errors: kRuntime for a name that is not in the list.
TrainingOptions named(const TrainingOptions& options,
                      std::initializer_list<std::string_view> names);

/// The options under that heading of help.
TrainingOptions in_section(std::string_view section, TrainingOptions options);

/// Budget, relation and number of steps, for every method; a method without a guarantee ignores the
/// budget.
const TrainingOptions& shared_options();

/// Options of methods that draw Poisson batches.
const TrainingOptions& batch_options();

/// Options of methods that step from one model to the next (Iterates).
const TrainingOptions& step_options();

/// Options of methods that clip each record's gradient.
const TrainingOptions& clip_options();

/// batch_options, step_options and clip_options: for methods that use run_noisy_loop.
const TrainingOptions& noisy_gradient_options();

/// The first learning rate, also for methods whose steps have no other options.
const TrainingOptions& learning_rate_options();

/// Options of methods that count records of a batch with noise.
struct CountOptions {
  std::optional<double> count_noise_multiplier;  ///< [kSideNoiseRatio times that of gradients]
};

/// Options of methods that count the records of a batch with noise.
const TrainingOptions& count_options();

/// Options of methods with a strict bound on gradients.
struct StrictBoundOptions {
  std::optional<double> strict_bound;  ///< [10 max_grad_norm]
};

const TrainingOptions& strict_bound_options();

}  // namespace equinoise
