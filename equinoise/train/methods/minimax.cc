// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <utility>

#include "equinoise/models/registry.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/methods/rows.h"
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

/// The smallest possible largest mean loss of any group over all records, to within a certificate:
/// the NON-PRIVATE optimum that the methods of [ZhouBassily2024] approach. For convex losses only,
/// with parameters in a ball. Without a ball the minimum may not be attained, for example with
/// groups that a model can separate. [ZhouBassily2024, Alg. 1 without noise]
///
/// Deviation: all records in each phase instead of a chunk, regularisation terms that shrink until
/// bounds meet, and bounds for the ball (certificate_at).
class Minimax : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "minimax",
      .status = PrivacyStatus::kNotPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "the least largest loss of any group of all records, with bounds that certify it, of "
          "models with convex losses",
      .min_groups = 2,
      .compares_groups = true,
      .is_stepwise = false,
      .takes_full_batches = true,
      .steps_option = "iterations",
      .trains =
          [](std::string_view model) {
            const ModelFacts facts = model_facts(model);
            return facts.is_convex && facts.is_smooth;
          },
      .other_models =
          "certifies logistic, softmax, linear and additive models, whose losses are smooth and "
          "convex in the parameters, got {}; use group_dro, which lowers the same loss without a "
          "certificate",
      .reference = "group_dro",
      .private_form = "mgr_w",
  };
  static TrainingOptions declared_options() {
    return all_of(
        {named(worst_group_options(), {"radius"}),
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
  }

  /// Errors: kUsage if epsilon or a noise multiplier is given, there are fewer than two groups, or
  /// the model cannot be certified.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override {
    TrainingPlan plan = plan_full_batches(kWhereMinimax, "minimax", config, facts,
                                          config.own.of<MinimaxOptions>().iterations);
    plan.settings = {{"tolerance", config.own.of<MinimaxOptions>().tolerance},
                     {"radius", radius_of(config)}};
    return plan;
  }

  TrainedModel run(TrainingRun training) const override {
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
};

}  // namespace

TrainingMethodRow minimax_row() { return method_row<Minimax>(); }

}  // namespace equinoise
