// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// Options of methods that follow a workload of marginals.
inline const SynthOptions& workload_options() {
  using Choice = WorkloadChoice;
  static const SynthOptions options = {
      {{.name = "degree",
        .help = "Number of columns of each marginal; the workload has all marginals of this size",
        .range = between(1, 1000)},
       &field_at<SynthConfig, &SynthConfig::workload_choice, &Choice::degree>},
      {{.name = "workload",
        .help = "JSON list of the workload's marginals, instead of all: [{\"columns\": [...], "
                "\"weight\": NUMBER}, ...]"},
       &field_at<SynthConfig, &SynthConfig::workload_choice, &Choice::file>},
      {{.name = "workload_target",
        .help = "Column that every marginal of the workload must contain"},
       &field_at<SynthConfig, &SynthConfig::workload_choice, &Choice::target>},
  };
  return options;
}

/// The share of a round's budget for its measurement; `usual` is the default in words.
inline SynthOption measurement_share_option(std::string usual) {
  return {{.name = "measurement_share",
           .help = "Share of a round's budget for its measurement; the rest is for its choice",
           .range = strictly_between(0, 1),
           .derived = std::move(usual)},
          &field_at<SynthConfig, &SynthConfig::measurement_share>};
}

}  // namespace equinoise
