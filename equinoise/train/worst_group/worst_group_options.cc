// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/worst_group_options.h"

#include <fmt/format.h>

#include "equinoise/train/noise_reach.h"

namespace equinoise {

namespace {

using Own = WorstGroupOptions;

}  // namespace

const TrainingOptions& worst_group_options() {
  static const TrainingOptions options = in_section(
      "Worst group",
      {
          {{.name = "loss_bound",
            .help = "Largest loss that a record can count as in the weights of groups",
            .range = between(1e-6, 1e6),
            .derived =
                "2; of a regression, the loss of a residual of six spreads of the target, or of "
                "its range where that is less"},
           kOwnTrainingField<&Own::loss_bound>},
          {{.name = "group_learning_rate",
            .help = "Learning rate of the weights of groups",
            .range = between(1e-9, 1e6),
            .derived = "sqrt(8 ln(groups) / steps) / loss_bound"},
           kOwnTrainingField<&Own::group_learning_rate>},
          {{.name = "loss_share",
            .help = "Share of the budget for the noisy losses, or for the choices, of groups",
            .range = strictly_between(0, 1)},
           kOwnTrainingField<&Own::loss_share>},
          {{.name = "group_batch_size",
            .help = "Expected number of records of the smallest group in a batch, instead of "
                    "--batch-size",
            .range = positive(),
            .excludes = {"batch_size"}},
           kOwnTrainingField<&Own::group_batch_size>},
          {{.name = "pool_below",
            .help =
                "Public size below which groups are trained as one group; they are still reported "
                "one by one",
            .range = between(0, 1e15),
            .derived = fmt::format("0, or what lets noise slow training no more than {:g} times, "
                                   "linear regression {:.2g}",
                                   1 / kMinOfRate, 1 / kMinOfRateOfNumbers)},
           kOwnTrainingField<&Own::pool_below>},
          {{.name = "radius",
            .help = "Radius of the ball that holds the parameters",
            .range = positive(),
            .derived = "no ball; minimax 1000"},
           kOwnTrainingField<&Own::radius>},
          {{.name = "selection",
            .help = "Rule for choosing a group: gumbel, the exponential mechanism; laplace, the "
                    "largest noisy loss, as in the paper, which costs more",
            .choices = words_of(kGroupSelections)},
           kOwnTrainingWord<kGroupSelections, &Own::selection>},
      });
  return options;
}

}  // namespace equinoise
