// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/tailoring_options.h"

#include "equinoise/models/registry.h"
#include "equinoise/privacy/random/number_of_runs.h"

namespace equinoise {

namespace {

using Own = TailoringOptions;
constexpr std::string_view kSection = "Budgets of groups";

}  // namespace

bool trains_tailored(std::string_view model) {
  const ModelFacts facts = model_facts(model);
  return facts.is_linear && facts.is_smooth && facts.has_one_score;
}

const TrainingOptions& split_options() {
  static const TrainingOptions options = in_section(
      kSection,
      {
          {{.name = "split",
            .help = "Division of the budget among the groups of the first --groups, or of every "
                    "--groups with --overlapping. uniform and inverse_size depend only on public "
                    "sizes; error, error_over_size and root_error depend on a first stage that "
                    "measures how well one model fits each group",
            .choices = words_of(kSplitRules)},
           kOwnTrainingWord<kSplitRules, &Own::split>},
          {{.name = "max_share",
            .help =
                "Largest share of the budget that a group may have; GROUP=NUMBER, repeatable, for "
                "one group",
            .range = positive(1)},
           TrainingOption::ForEach{kOwnTrainingField<&Own::max_share>,
                                   kOwnTrainingField<&Own::max_shares>}},
          {{.name = "stage1_fraction",
            .help = "Share of the budget for the first stage",
            .range = strictly_between(0, 1),
            .depends_on = "split",
            .on_words = {"error", "error_over_size", "root_error"}},
           kOwnTrainingField<&Own::stage_one_fraction>},
          {{.name = "feature_norm_bound",
            .help = "Largest norm, in the first stage of linear models, of a record's features "
                    "extended by a constant 1, and of its target",
            .range = between(1e-6, 1e6),
            .depends_on = "split",
            .on_words = {"error", "error_over_size", "root_error"}},
           kOwnTrainingField<&Own::feature_norm_bound>},
          {{.name = "residual_clip",
            .help = "Largest residual that counts in the first stage",
            .range = between(1e-6, 1e6),
            .depends_on = "split",
            .on_words = {"error", "error_over_size", "root_error"}},
           kOwnTrainingField<&Own::residual_clip>},
          {{.name = "box",
            .help = "Bound on the size of each parameter, which stays within [-box, box]",
            .range = positive()},
           kOwnTrainingField<&Own::box>},
      });
  return options;
}

const TrainingOptions& group_loss_options() {
  static const TrainingOptions options = in_section(
      kSection,
      {
          {{.name = "group_loss_multiplier",
            .help = "Weight, while the constraint on the losses of groups is not kept, of its "
                    "gradient; "
                    "half of the budget then goes to noisy losses. From a list such as 0,0.5,2 one "
                    "value is chosen privately",
            .range = between(0, 1e6)},
           kOwnTrainingField<&Own::loss_multipliers>},
          {{.name = "group_loss_bound",
            .help = "Bound of the constraint, in units of clipped losses",
            .range = between(0, std::numeric_limits<double>::infinity()),
            .depends_on = "group_loss_multiplier"},
           kOwnTrainingField<&Own::loss_bound>},
          {{.name = "group_constraint",
            .help =
                "What of the losses of groups is to be at most the bound: largest, bounded group "
                "loss; quantile:Q, such as quantile:0.9, the smallest loss that a share Q of the "
                "groups does not exceed; mean, of the groups; population, of all records",
            .depends_on = "group_loss_multiplier"},
           kOwnTrainingField<&Own::loss_constraint>},
          {{.name = "group_objective",
            .help =
                "What of the losses of groups is made small: population, their mean over records; "
                "mean, over groups; a number from 0 to 1, a mean in between; sum, over groups; "
                "largest; or quantile:Q, the smallest loss that a share Q of the groups does not "
                "exceed. From a list such as 0,0.5,1 one value is chosen privately"},
           kOwnTrainingField<&Own::objectives>},
          {{.name = "group_loss_clip",
            .help = "Largest loss that a record can count as",
            .range = between(1e-30, 1e30),
            .depends_on = "group_loss_multiplier",
            .or_several_of = "group_objective",
            .or_words = {"largest", "quantile"}},
           kOwnTrainingField<&Own::loss_clip>},
          {{.name = "mean_runs",
            .help = "Expected number of candidate runs in a private choice; the actual number is "
                    "random and kept secret",
            .range = between(NumberOfRuns::kMinMean, NumberOfRuns::kMaxMean),
            .derived = "2 for each combination"},
           kOwnTrainingField<&Own::mean_runs>},
      });
  return options;
}

}  // namespace equinoise
