// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/group_statistics.h"

namespace equinoise {

TrainingPlan GroupStatistics::make_plan(const TrainingConfig& config,
                                        const TrainingFacts& facts) const {
  TrainingPlan plan = plan_moments(config, facts);
  plan.method = traits().name;
  return plan;
}

const TrainingOptions& GroupStatistics::options() const {
  static const TrainingOptions options =
      all_of({moment_options(),
              TrainingOptions{
                  {{.name = "aim",
                    .help = "Whose losses the model makes small: population, those of all records "
                            "alike; mean, of all groups alike; worst, the largest of any group; "
                            "bounded, of all records with no group above --loss-limit",
                    .choices = words_of(kGroupAims),
                    .section = "Regression"},
                   kOwnTrainingWord<kGroupAims, &MomentOptions::aim>},
                  {{.name = "loss_limit",
                    .help = "Limit on the mean loss of each group, half the squared residual on "
                            "the scale of the schema, with --aim bounded",
                    .range = positive(1e6),
                    .section = "Regression",
                    .depends_on = "aim",
                    .on_words = {word_of(kGroupAims, GroupAim::kBounded)}},
                   kOwnTrainingField<&MomentOptions::loss_limit>}}});
  return options;
}

}  // namespace equinoise
