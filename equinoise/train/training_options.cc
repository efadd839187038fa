// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/training_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/optimizer.h"

namespace equinoise {

namespace {

using Config = TrainingConfig;
constexpr double kLargestLearningRate = 1e6;
// A decay of 1 would never forget.
constexpr double kMaxMemory = 1 - 1e-9;

/// "sgd 0.7, momentum 0.1, adam 0.01; lower where noise would decide the model, or a regression
/// without noise swing out"
std::string learning_rates() {
  std::string text;
  for (const OptimizerRow& row : optimizers()) {
    text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", row.name, row.default_learning_rate);
  }
  return text +
         "; lower where noise would decide the model, or a regression without noise swing out";
}

std::vector<std::string_view> optimizer_names() {
  std::vector<std::string_view> names;
  for (const OptimizerRow& row : optimizers()) names.push_back(row.name);
  return names;
}

}  // namespace

TrainingOptions all_of(std::initializer_list<TrainingOptions> lists) {
  TrainingOptions all;
  for (const TrainingOptions& list : lists) append(all, list);
  return all;
}

TrainingOptions named(const TrainingOptions& options,
                      std::initializer_list<std::string_view> names) {
  TrainingOptions found;
  for (const std::string_view name : names) {
    const auto is_named = [&](const TrainingOption& option) { return option.facts.name == name; };
    const auto option = std::ranges::find_if(options, is_named);
    if (option == options.end())
      throw Error(ErrorKind::kRuntime, "train.options", "there is no option {}", name);
    found.push_back(*option);
  }
  return found;
}

TrainingOptions in_section(std::string_view section, TrainingOptions options) {
  for (TrainingOption& option : options) option.facts.section = section;
  return options;
}

const TrainingOptions& shared_options() {
  static const TrainingOptions options = {
      {{.name = "epsilon",
        .is_common = true,
        .help = "Largest privacy loss of the run",
        .range = positive()},
       kTrainingField<&Config::epsilon>},
      {{.name = "noise_multiplier",
        .help = "Standard deviation of the noise over the largest gradient norm, instead of "
                "--epsilon"},
       kTrainingField<&Config::noise_multiplier>},
      {{.name = "delta",
        .is_common = true,
        .help = "Failure probability, below 1 / num_records",
        .range = strictly_between(0, 1)},
       kTrainingField<&Config::delta>},
      {{.name = "relation", .help = "Neighbouring relation", .choices = words_of(kRelations)},
       kTrainingWord<kRelations, &Config::relation>},
      {{.name = "steps",
        .help = "Number of steps",
        .range = between(1, 1e9),
        .derived =
            fmt::format("{}, or the number of training records where that is less", kDefaultSteps)},
       kTrainingField<&Config::num_steps>},
  };
  return options;
}

const TrainingOptions& batch_options() {
  static const TrainingOptions options = {
      {{.name = "batch_size",
        .help = "Expected number of records in a Poisson batch",
        .range = positive(),
        .derived =
            fmt::format("{:g}, or all training records if there are fewer", kDefaultBatchSize)},
       kTrainingField<&Config::batch_size>},
  };
  return options;
}

const TrainingOptions& learning_rate_options() {
  static const TrainingOptions options = {
      {{.name = "learning_rate",
        .help = "First learning rate",
        .range = positive(kLargestLearningRate),
        .derived = learning_rates()},
       kTrainingField<&Config::learning_rate>},
  };
  return options;
}

const TrainingOptions& step_options() {
  static const TrainingOptions options =
      all_of({{{{.name = "optimizer", .help = "Optimizer", .choices = optimizer_names()},
                kTrainingField<&Config::optimizer, &OptimizerConfig::name>},
               {{.name = "momentum",
                 .help = "Momentum coefficient, with --optimizer momentum",
                 .range = between(0, kMaxMemory),
                 .depends_on = "optimizer",
                 .on_words = {"momentum"}},
                kTrainingField<&Config::optimizer, &OptimizerConfig::momentum>},
               {{.name = "beta1",
                 .help = "Decay of the first moment, with --optimizer adam",
                 .range = between(0, kMaxMemory),
                 .depends_on = "optimizer",
                 .on_words = {"adam"}},
                kTrainingField<&Config::optimizer, &OptimizerConfig::beta1>},
               {{.name = "beta2",
                 .help = "Decay of the second moment, with --optimizer adam",
                 .range = between(0, kMaxMemory),
                 .depends_on = "optimizer",
                 .on_words = {"adam"}},
                kTrainingField<&Config::optimizer, &OptimizerConfig::beta2>},
               {{.name = "adam_epsilon",
                 .help = "Number added to the root of the second moment, with --optimizer adam",
                 .range = between(1e-300, 1e300),
                 .depends_on = "optimizer",
                 .on_words = {"adam"}},
                kTrainingField<&Config::optimizer, &OptimizerConfig::adam_epsilon>}},
              learning_rate_options(),
              {{{.name = "final_learning_rate",
                 .help = "Last learning rate, reached linearly over the steps",
                 .range = between(0, kLargestLearningRate),
                 .derived = "a tenth of the first"},
                kTrainingField<&Config::final_learning_rate>},
               {{.name = "tail_average",
                 .help = "Share of the last iterates whose mean is the model; 0: the last one",
                 .range = between(0, 1),
                 .derived = fmt::format("{:g}, under constraints {:g}", kTailAverage,
                                        kTailAverageOfConstraints)},
                kTrainingField<&Config::tail_average>}}});
  return options;
}

const TrainingOptions& clip_options() {
  // Within these limits squares and quotients by the grid stay far from the ends of double
  // precision.
  static const TrainingOptions options = {
      {{.name = "max_grad_norm",
        .help = "Largest norm of a record's gradient; longer ones are clipped",
        .range = between(1e-30, 1e30),
        .derived = "half to all of the typical norm of (features, 1), by what noise allows; 1 for "
                   "networks, without noise, and with dpsgd_global and dpsgd_f"},
       kTrainingField<&Config::max_grad_norm>},
  };
  return options;
}

const TrainingOptions& noisy_gradient_options() {
  static const TrainingOptions options = all_of({batch_options(), step_options(), clip_options()});
  return options;
}

const TrainingOptions& count_options() {
  static const TrainingOptions options = {
      {{.name = "count_noise_multiplier",
        .help = "Standard deviation of the noise on the count of long gradients, in records",
        .range = between(kSmallestNoiseMultiplier, largest_side_noise(Event::Kind::kGaussian)),
        .derived = fmt::format(
            "{:g} times the noise multiplier of gradients, up to the largest that can be drawn",
            kSideNoiseRatio)},
       kOwnTrainingField<&CountOptions::count_noise_multiplier>},
  };
  return options;
}

const TrainingOptions& strict_bound_options() {
  static const TrainingOptions options = {
      {{.name = "strict_bound",
        .help = "Norm up to which all gradients are scaled equally; at least max_grad_norm",
        .range = between(1e-30, kLargestStrictBound),
        .derived = "10 max_grad_norm"},
       kOwnTrainingField<&StrictBoundOptions::strict_bound>},
  };
  return options;
}

}  // namespace equinoise
