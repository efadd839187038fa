// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/training_outcome.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/data/encoder.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// 0 of nobody.
double variance_of(const EncodedTable& test) {
  double count = 0;
  double sum = 0;
  for (size_t i = 0; i < test.targets.size(); ++i) {
    if (test.contributes[i] == 0) continue;
    count += 1;
    sum += static_cast<double>(test.targets[i]);
  }
  if (count == 0) return 0;
  double squares = 0;
  for (size_t i = 0; i < test.targets.size(); ++i) {
    const double offset = static_cast<double>(test.targets[i]) - sum / count;
    if (test.contributes[i] != 0) squares += offset * offset;
  }
  return squares / count * test.target_divisor * test.target_divisor;
}

/// 1 less the share of the most frequent class.
double constant_error_of(const EncodedTable& test) {
  std::vector<double> counts(test.classes.size(), 0);
  double all = 0;
  for (size_t i = 0; i < test.labels.size(); ++i) {
    counts[test.labels[i]] += test.contributes[i];
    all += test.contributes[i];
  }
  return all > 0 ? 1 - *std::max_element(counts.begin(), counts.end()) / all : kNaN;
}

double error_of_metrics(const Metrics& metrics, bool has_classes, const HeldOutFacts& facts) {
  if (has_classes) return metrics.error.value;
  return facts.target_variance > 0 ? metrics.mean_squared_error.value / facts.target_variance
                                   : kNaN;
}

}  // namespace

HeldOutFacts held_out_facts(const Dataset& table, const Schema& schema,
                            std::span<const Grouping> groupings, const GroupFloor& floor,
                            const Split& split) {
  HeldOutFacts facts;
  const EncodedTable test = encode(table, schema, split.test);
  for (const Grouping& listed : groupings) {
    const Grouping grouping = group_by(table, schema, listed.columns, floor);
    std::vector<int64_t> sizes(grouping.groups.size(), 0);
    for (size_t i = 0; i < split.test.size(); ++i) {
      const size_t group = index_of(grouping.group_of[split.test[i]]);
      if (group < sizes.size()) sizes[group] += test.contributes[i];
    }
    facts.group_sizes.insert(facts.group_sizes.end(), sizes.begin(), sizes.end());
  }
  facts.target_variance = variance_of(test);
  facts.constant_error = !test.classes.empty()       ? constant_error_of(test)
                         : facts.target_variance > 0 ? 1
                                                     : kNaN;
  return facts;
}

CompareRun figures_of_run(const TrainingReport& report, const HeldOutFacts& facts) {
  CompareRun run;
  const bool has_classes = !report.classes.empty();
  if (report.overall.metrics)
    run.overall = error_of_metrics(*report.overall.metrics, has_classes, facts);
  for (const GroupReport& group : report.groups)
    run.groups.push_back(group.metrics ? error_of_metrics(*group.metrics, has_classes, facts)
                                       : kNaN);
  for (const ConstraintReport& constraint : report.constraints) {
    const double excess =
        constraint.check ? constraint.check->value.value - constraint.slack : kNaN;
    // One that is not answerable leaves the largest one open.
    if (std::isnan(run.violation) || std::isnan(excess) || excess > run.violation)
      run.violation = excess;
    if (std::isnan(excess)) break;
  }
  return run;
}

}  // namespace equinoise
