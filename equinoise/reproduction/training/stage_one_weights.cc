// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/stage_one_weights.h"

#include <algorithm>
#include <cmath>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/reproduction/training/unpaid_run.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/registry.h"

namespace equinoise {

namespace {

/// The noise of the Brier sums, to which a record adds at most 1. It is small next to the training,
/// and next to sums over hundreds of records.
constexpr double kSumNoise = 10;
constexpr uint64_t kSumStream = 7;

Event brier_sums(const PublicGroups& groups) {
  return Event::parallel(groups.partition, groups.names,
                         std::vector<Event>(groups.names.size(), Event::gaussian(kSumNoise)));
}

}  // namespace

StageOneWeights choose_weights(const StageOneChoice& choice, const TrainingConfig& second,
                               const PublicGroups& groups, const EncodedTable& train, uint64_t seed,
                               const std::function<void()>& after_step) {
  const LogisticModel model(train.feature_names, train.classes);
  const auto dpsgd = find_training_method("dpsgd").make();
  TrainingConfig config = second;
  config.own.of<GroupCostOptions>().weights.clear();
  config.epsilon.reset();
  const TrainingFacts facts = facts_of(train, model);
  const auto plan_with = [&](double noise_multiplier) {
    config.noise_multiplier = noise_multiplier;
    return dpsgd->plan(config, facts);
  };
  const double sample_rate = config.batch_size / static_cast<double>(train.num_records);
  const double noise_multiplier = smallest_noise_multiplier(
      {config.relation, Epsilon(choice.epsilon), Delta(config.delta), "pld"},
      [&](double noise) -> std::vector<Event> {
        return {Event::repeat(config.num_steps,
                              Event::poisson_sampled(sample_rate, {Event::gaussian(noise)})),
                brier_sums(groups)};
      });
  const TrainingPlan plan = plan_with(noise_multiplier);
  StepCounter counter(after_step);
  // Uses separate batches and noise from the second stage.
  const TrainedModel trained = run_unpaid(*dpsgd, plan, train, model, ~seed, counter);

  const size_t num_groups = groups.names.size();
  const Predictions predictions = model.predict(train, trained.parameters);
  std::vector<double> sums(num_groups, 0.0);
  std::vector<int64_t> sizes(num_groups, 0);
  for (size_t i = 0; i < train.labels.size(); ++i) {
    const double observed = train.labels[i];
    const size_t group = index_of(train.groups[i]);
    sums[group] += std::pow(observed - predictions.outputs[2 * i + 1], 2);
    ++sizes[group];
  }
  SimulationNoise noise(seed, kSumStream);
  std::vector<double> variances;
  for (size_t k = 0; k < num_groups; ++k) {
    const double noisy = sums[k] + kSumNoise * noise.normal();
    variances.push_back(std::max(noisy, kSumNoise) / static_cast<double>(sizes[k]));
  }
  const std::vector<double> shares =
      split_budget(choice.rule, variances, sizes, default_min_weight(num_groups));
  const std::vector<double> weights = weights_of_shares(shares, sizes);
  StageOneWeights result;
  for (size_t k = 0; k < num_groups; ++k) result.weights[groups.names[k]] = weights[k];
  result.events = plan.events();
  result.events.push_back(brier_sums(groups));
  return result;
}

}  // namespace equinoise
