// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/run_outcome.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "equinoise/data/encoder.h"
#include "equinoise/report/json.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double number_or_nan(const Json& json) { return json.is_null() ? kNaN : json.get<double>(); }

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

HeldOutFacts held_out_facts(const Dataset& table, const TrainingSetup& setup,
                            const GroupFloor& floor, const Split& split) {
  HeldOutFacts facts;
  const EncodedTable test = encode(table, setup.schema, split.test);
  for (const Grouping& listed : setup.groupings) {
    const Grouping grouping = group_by(table, setup.schema, listed.columns, floor);
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

CompareRun figures_of_run(const TrainingReport& report, const HeldOutFacts& facts, double seconds) {
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
  run.seconds = seconds;
  return run;
}

void set_group_figures(std::span<const CompareGroup> groups, CompareRun& run) {
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    int count = 0;
    bool is_open = false;  // some error is undefined
  };
  std::map<std::string, Range> ranges;  // by grouping
  for (size_t k = 0; k < groups.size(); ++k) {
    if (!groups[k].is_counted) continue;
    Range& range = ranges[groups[k].columns];
    range.least = std::min(range.least, run.groups[k]);
    range.most = std::max(range.most, run.groups[k]);
    range.is_open = range.is_open || std::isnan(run.groups[k]);
    ++range.count;
  }
  run.worst_group = kNaN;
  run.gap = kNaN;
  const bool is_open = std::any_of(ranges.begin(), ranges.end(),
                                   [](const auto& range) { return range.second.is_open; });
  if (is_open) return;
  for (const auto& [columns, range] : ranges) {
    if (!(run.worst_group >= range.most)) run.worst_group = range.most;
    if (range.count > 1 && !(run.gap >= range.most - range.least))
      run.gap = range.most - range.least;
  }
}

Json run_to_json(const CompareRun& run) {
  Json groups = Json::array();
  for (const double error : run.groups) groups.push_back(number_or_null(error));
  return {{"overall", number_or_null(run.overall)},
          {"groups", groups},
          {"violation", number_or_null(run.violation)},
          {"seconds", number_or_null(run.seconds)}};
}

CompareRun run_from_json(const Json& json) {
  CompareRun run;
  run.overall = number_or_nan(json.at("overall"));
  for (const Json& error : json.at("groups")) run.groups.push_back(number_or_nan(error));
  run.violation = number_or_nan(json.at("violation"));
  run.seconds = number_or_nan(json.at("seconds"));
  return run;
}

}  // namespace equinoise
