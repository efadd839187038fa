// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/synth/synthesizer.h"
#include "tests/synth/coded_tables.h"

namespace equinoise::testing {

/// One run with noise of that seed, which nobody has paid for.
inline SynthOutcome run_unpaid(const Synthesizer& method, const CodedTable& table,
                               const SynthPlan& plan, uint64_t seed, TaskProgress& progress) {
  SeededSource source(seed);
  return method.run(TableMarginals(table), plan,
                    Charge::unpaid(plan.events, plan.config.relation, source), source, progress);
}

inline SynthOutcome run_unpaid(const Synthesizer& method, const CodedTable& table,
                               const SynthPlan& plan, uint64_t seed) {
  TaskProgress silent;
  return run_unpaid(method, table, plan, seed, silent);
}

}  // namespace equinoise::testing
