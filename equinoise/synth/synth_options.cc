// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_options.h"

#include <utility>

namespace equinoise {

const SynthOptions& workload_options() {
  using Choice = WorkloadChoice;
  static const SynthOptions options = {
      {{.name = "degree",
        .help = "Number of columns of each marginal; the workload has all marginals of this size",
        .range = between(1, 1000)},
       kSynthField<&SynthConfig::workload_choice, &Choice::degree>},
      {{.name = "workload",
        .help = "JSON list of the workload's marginals, instead of all: [{\"columns\": [...], "
                "\"weight\": NUMBER}, ...]"},
       kSynthField<&SynthConfig::workload_choice, &Choice::file>},
      {{.name = "workload_target",
        .help = "Column that every marginal of the workload must contain"},
       kSynthField<&SynthConfig::workload_choice, &Choice::target>},
  };
  return options;
}

SynthOption measurement_share_option(std::string usual) {
  return {{.name = "measurement_share",
           .help = "Share of a round's budget for its measurement; the rest is for its choice",
           .range = strictly_between(0, 1),
           .derived = std::move(usual)},
          kSynthField<&SynthConfig::measurement_share>};
}

}  // namespace equinoise
