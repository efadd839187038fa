// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/minimax.h"

#include <utility>

#include "equinoise/train/run_check.h"
#include "equinoise/train/worst_group/certified_minimax.h"
#include "equinoise/train/worst_group/table_losses.h"
#include "equinoise/train/worst_group/worst_group_options.h"

namespace equinoise {

namespace {

constexpr const char* kWhereMinimax = "train.minimax";
constexpr double kUsualRadius = 1000;

double radius_of(const TrainingConfig& config) {
  return config.own.of<WorstGroupOptions>().radius.value_or(kUsualRadius);
}

}  // namespace

TrainingPlan Minimax::make_plan(const TrainingConfig& config, const TrainingFacts& facts) const {
  TrainingPlan plan{"minimax", config, facts};
  plan.config.num_steps = config.own.of<MinimaxOptions>().iterations;
  plan.config.batch_size = static_cast<double>(facts.num_records);
  check_training_config(kWhereMinimax, plan.config, facts);
  plan.sample_rate = 1;
  plan.settings = {{"tolerance", config.own.of<MinimaxOptions>().tolerance},
                   {"radius", radius_of(config)}};
  return plan;
}

TrainedModel Minimax::run(TrainingRun training) const {
  check_run(kWhereMinimax, training.table, training.model, training.plan, training.charge);
  const TrainingConfig& config = training.plan.config;
  const TableLosses losses(training.table, training.model, training.plan.facts.num_groups);
  const MinimaxTerms terms = {radius_of(config), config.own.of<MinimaxOptions>().tolerance,
                              config.num_steps};
  CertifiedMinimax found = minimise_largest_loss(
      losses, terms, training.start.parameters, [&](std::span<const double> parameters) {
        step_to({parameters.begin(), parameters.end()}, training);
      });
  TrainedModel trained{std::move(found.parameters)};
  trained.certificate = found.certificate;
  return trained;
}

const TrainingOptions& Minimax::options() const {
  static const TrainingOptions options =
      all_of({radius_options(),
              TrainingOptions{
                  {{.name = "tolerance",
                    .help = "Largest gap between the bounds on the least possible largest loss of "
                            "any group, in units of the loss",
                    .range = between(1e-8, 1e6),
                    .section = "Worst group"},
                   kOwnTrainingField<&MinimaxOptions::tolerance>},
                  {{.name = "iterations",
                    .help = "Largest number of Newton steps; the bounds hold even where they end "
                            "further apart than --tolerance",
                    .range = between(1, 1e6),
                    .section = "Worst group"},
                   kOwnTrainingField<&MinimaxOptions::iterations>}}});
  return options;
}

}  // namespace equinoise
