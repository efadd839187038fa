// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/privacy/accountants/zcdp.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise::testing {

/// The public facts of a table of codes, whose columns are categories.
inline SynthFacts facts_of(const CodedTable& table) {
  std::vector<Attribute> attributes;
  for (size_t i = 0; i < table.columns.size(); ++i)
    attributes.push_back({"c" + std::to_string(i), static_cast<int>(table.columns[i].num_values)});
  SynthFacts facts;
  facts.ordered.assign(attributes.size(), false);
  facts.domain = Domain(std::move(attributes));
  facts.num_records = static_cast<int64_t>(table.num_records);
  return facts;
}

inline double rho_of(const std::vector<Event>& events, Relation relation = Relation::kZeroOut) {
  ZcdpAccountant accountant(relation);
  for (const Event& event : events) accountant.compose(event);
  return accountant.rho();
}

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
