// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_options.h"

#include <utility>

namespace equinoise {

const SynthOptions& workload_options() {
  using Choice = WorkloadChoice;
  static const SynthOptions options = {
      {{.name = "degree",
        .help = "Number of columns of the workload's marginals, which are all of that many",
        .range = between(1, 1000)},
       kSynthField<&SynthConfig::workload_choice, &Choice::degree>},
      {{.name = "workload",
        .help = "JSON list of marginals instead: [{\"columns\": [...], \"weight\": NUMBER}, ...]"},
       kSynthField<&SynthConfig::workload_choice, &Choice::file>},
      {{.name = "workload_target",
        .help = "Column that the workload is about: only marginals with it are kept"},
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
