// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/tasks/train/step_watcher.h"
#include "equinoise/tasks/train/training_evaluation.h"
#include "equinoise/train/quiet_plan.h"
#include "equinoise/train/worst_group/worst_group_plan.h"

namespace equinoise {

namespace {

std::unique_ptr<RandomSource> make_source(const TrainRequest& request) {
  if (request.insecure_seed) return std::make_unique<SeededSource>(*request.insecure_seed);
  return std::make_unique<SecureSource>();
}

const TrainingMethodRow& reference_row(const TrainRequest& request, const TrainingSetup& setup) {
  return find_training_method(request.reference_method.empty() ? setup.row->reference
                                                               : request.reference_method);
}

TrainingConfig reference_config(const TrainRequest& request, const TrainingSetup& setup,
                                const TrainingMethodRow& row) {
  TrainingConfig config = setup.plan.config;
  // Without noise no rates have to be lowered, nor those of groups and multipliers.
  config.own = request.config.own;
  // The reference takes steps, whether or not the method does.
  if (!setup.row->is_stepwise) {
    const TrainingConfig usual = config_for(request, setup.plan.facts.num_records);
    config.num_steps = usual.num_steps;
    config.batch_size = usual.batch_size;
  }
  config = row.followed(std::move(config));
  config.epsilon.reset();
  config.noise_multiplier.reset();
  config.learning_rate = request.config.learning_rate;
  config.final_learning_rate = request.config.final_learning_rate;
  if (request.settles_learning_rate) {
    const double rate = std::min(config.learning_rate, stable_rate(config, setup.plan.facts));
    config.final_learning_rate *= rate / config.learning_rate;
    config.learning_rate = rate;
  }
  return config;
}

}  // namespace

void check_reference(const TrainRequest& request, const TrainingSetup& setup) {
  if (!request.reference || request.reference_method.empty()) return;
  const TrainingMethodRow& row = reference_row(request, setup);
  const auto refuse = [&](std::string_view problem) {
    throw Error(ErrorKind::kUsage, "tasks.train", "--reference {}: {}", row.name, problem);
  };
  if (row.status == PrivacyStatus::kPrivate)
    refuse("a reference is trained without privacy, and this method has a guarantee; use sgd");
  if (setup.schema.has_unit_column() && !row.supports_units)
    refuse("it takes each row as a unit, and a unit of this schema has several; use sgd");
  if (row.uses_constraints && setup.plan.config.constraints == nullptr)
    refuse("there are no constraints that the model is trained under");
  if (row.uses_groups() && !setup.row->uses_groups()) {
    refuse(
        fmt::format("it is trained on the groups that the model is trained on, and {} uses "
                    "none; use --reference sgd, or a --method that uses groups, as mgr_w",
                    setup.row->name));
  }
  if (row.uses_groups() && setup.overlapping)
    refuse("it compares disjoint groups, and those of --overlapping are not; use --reference sgd");
  try {
    static_cast<void>(row.make()->plan(reference_config(request, setup, row), setup.plan.facts));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kUsage) throw;
    refuse(error.what());
  }
}

TrainedModel train_reference(const EncodedParts& parts, const TrainingSetup& setup,
                             const TrainRequest& request, TrainProgress& progress,
                             TrainingReport& report) {
  constexpr int kMaxAttempts = 12;
  const TrainingMethodRow& row = reference_row(request, setup);
  report.reference_method = row.name;
  progress.stage(fmt::format("training the non-private reference (method {})", row.name));
  const std::unique_ptr<TrainingMethod> method = row.make();
  TrainingConfig config = reference_config(request, setup, row);
  const bool has_rate = row.follows("learning_rate");
  const double first_rate = config.learning_rate;
  for (int attempt = 1;; ++attempt) {
    const TrainingPlan plan = method->plan(config, setup.plan.facts);
    const std::unique_ptr<RandomSource> source = make_source(request);
    TrainingCurve curve(parts.curve, *setup.model, plan.config);
    StepWatcher watcher(progress, curve,
                        request.resume ? "nothing was written; the checkpoint is unchanged"
                                       : "nothing was written and nothing was spent");
    progress.start_training(0, plan.config.num_steps, nullptr);
    TrainedModel trained = method->run(
        {parts.train, *setup.model, plan,
         TrainingState::start(setup.model->initial_parameters(request.network.init_seed)),
         Charge::nothing(config.relation), *source, watcher});
    progress.finish_training();
    report.reference_curve = std::move(curve).points();
    if (!has_rate || attempt == kMaxAttempts || !has_diverged(trained, parts, *setup.model)) {
      if (attempt > 1) {
        report.ingest_notes.push_back(fmt::format(
            "the reference diverged at learning rate {:g} and was trained again at {:g}",
            first_rate, config.learning_rate));
      }
      return trained;
    }
    config.learning_rate /= 4;
    config.final_learning_rate /= 4;
    progress.stage(
        fmt::format("not private: the reference diverged; training it again at learning rate {:g}",
                    config.learning_rate));
  }
}

}  // namespace equinoise
