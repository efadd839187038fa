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

/// The first learning rate, which is also of methods whose steps have no other options.
const TrainingOptions& learning_rate_options();

/// Of methods that count the records of a batch with noise.
const TrainingOptions& count_options();

/// Of methods with a strict bound on gradients.
const TrainingOptions& strict_bound_options();

}  // namespace equinoise
