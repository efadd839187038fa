// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/synth_progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "equinoise/base/error.h"
#include "equinoise/synth/released_facts.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

void check_interrupted(const TaskProgress& progress) {
  if (!progress.interrupted()) return;
  throw Error(
      ErrorKind::kRuntime, "synth",
      "interrupted: nothing was written; what the ledger reserved for this run stays spent");
}

void report_stage(const SynthPlan& plan, const std::string& text, TaskProgress& progress) {
  progress.stage(plan.stratum.empty() ? text : plan.stratum + ": " + text);
}

void report_round(const SynthPlan& plan, const std::vector<SynthRound>& rounds,
                  TaskProgress& progress) {
  const SynthRound& round = rounds.back();
  report_stage(plan,
               fmt::format("round {}: ({}), noise {:.3g}, {:.0f} % of rho", rounds.size(),
                           fmt::join(names_of(plan.facts.domain, round.chosen), ", "),
                           round.noise_stddev, 100 * round.rho_spent / plan.config.rho),
               progress);
}

}  // namespace equinoise
