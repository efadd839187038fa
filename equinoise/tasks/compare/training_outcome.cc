// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/training_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/registry.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The variance by weight; 0 without records.
double variance_of(const EncodedTable& test) {
  double count = 0;
  double sum = 0;
  for (size_t i = 0; i < test.targets.size(); ++i) {
    if (test.contributes[i] == 0) continue;
    count += test.weight(i);
    sum += test.weight(i) * static_cast<double>(test.targets[i]);
  }
  if (count == 0) return 0;
  double squares = 0;
  for (size_t i = 0; i < test.targets.size(); ++i) {
    const double offset = static_cast<double>(test.targets[i]) - sum / count;
    if (test.contributes[i] != 0) squares += test.weight(i) * offset * offset;
  }
  return squares / count * test.target_divisor * test.target_divisor;
}

/// The shares by weight; empty without records.
std::vector<double> class_shares_of(const EncodedTable& test) {
  std::vector<double> shares(test.classes.size(), 0);
  double all = 0;
  for (size_t i = 0; i < test.labels.size(); ++i) {
    const double weight = test.contributes[i] * test.weight(i);
    shares[test.labels[i]] += weight;
    all += weight;
  }
  if (all == 0) return {};
  for (double& share : shares) share /= all;
  return shares;
}

/// The loss of predicting the overall class shares as probabilities.
double entropy_of(const std::vector<double>& shares) {
  double entropy = 0;
  for (const double share : shares)
    if (share > 0) entropy -= share * std::log(share);
  return entropy;
}

double figure_of(CompareMetric metric, const Metrics& metrics, bool has_classes,
                 const HeldOutFacts& facts) {
  switch (metric) {
    case CompareMetric::kLoss:
      return metrics.loss.value;
    case CompareMetric::kAuc:
      return 1 - metrics.auc.value;
    case CompareMetric::kError:
      break;
  }
  if (has_classes) return metrics.error.value;
  return facts.target_variance > 0 ? metrics.mean_squared_error.value / facts.target_variance
                                   : kNaN;
}

/// Larger for a worse verdict.
int badness_of(LimitVerdict verdict) {
  switch (verdict) {
    case LimitVerdict::kHolds:
      return 0;
    case LimitVerdict::kUnclear:
      return 1;
    case LimitVerdict::kNotAnswerable:
      return 2;
    case LimitVerdict::kFails:
      break;
  }
  return 3;
}

/// The worst verdict of a private evaluation on the constraints, or "".
std::string worst_verdict(const std::vector<ConstraintReport>& constraints) {
  std::optional<LimitVerdict> worst;
  for (const ConstraintReport& constraint : constraints) {
    if (!constraint.private_check) continue;
    const LimitVerdict verdict = constraint.private_check->verdict();
    if (!worst || badness_of(verdict) > badness_of(*worst)) worst = verdict;
  }
  return worst ? std::string(to_string(*worst)) : "";
}

}  // namespace

void require_metric(CompareMetric metric, const Schema& schema, std::string_view model) {
  constexpr std::string_view kWhere = "tasks.compare";
  if (metric != CompareMetric::kAuc) return;
  const size_t num_classes = schema.column(schema.target).values.size();
  if (num_classes != 2) {
    throw Error(ErrorKind::kUsage, kWhere, "--metric auc is of targets with two classes; {} {}",
                schema.target,
                num_classes == 0 ? "is a number" : fmt::format("has {} classes", num_classes));
  }
  if (!model_facts(model).has_probabilities) {
    throw Error(ErrorKind::kUsage, kWhere,
                "--metric auc needs probabilities, which --model {} does not give", model);
  }
}

std::string metric_in_words(CompareMetric metric, const Schema& schema) {
  const std::string& target = schema.target;
  const std::string judged = "held-out " + schema.units_name();
  switch (metric) {
    case CompareMetric::kLoss:
      return fmt::format("mean loss of the model of {} on {}", target, judged);
    case CompareMetric::kAuc:
      return fmt::format("1 less the AUC of {} on {}", target, judged);
    case CompareMetric::kError:
      break;
  }
  return schema.column(target).values.empty()
             ? fmt::format("mean squared error of {} over that of its held-out mean", target)
             : fmt::format("share of {} with a wrong {}", judged, target);
}

double constant_error(CompareMetric metric, const HeldOutFacts& facts, std::string_view model) {
  const std::vector<double>& shares = facts.class_shares;
  if (shares.empty()) {
    if (!(facts.target_variance > 0)) return kNaN;
    return metric == CompareMetric::kLoss
               ? facts.target_variance / (2 * facts.target_divisor * facts.target_divisor)
               : 1;
  }
  const double wrong = 1 - *std::ranges::max_element(shares);
  switch (metric) {
    case CompareMetric::kLoss:
      return model_facts(model).has_probabilities ? entropy_of(shares) : 2 * wrong;  // hinge
    case CompareMetric::kAuc:
      return wrong > 0 ? 0.5 : kNaN;
    case CompareMetric::kError:
      break;
  }
  return wrong;
}

HeldOutFacts held_out_facts(const Dataset& table, const Schema& schema,
                            std::span<const Grouping> groupings, const GroupFloor& floor,
                            std::vector<uint32_t> held_out) {
  HeldOutFacts facts;
  const UnitRows rows = rows_of_units(table, std::move(held_out));
  EncodedTable test = encode(table, schema, rows);
  weigh_by_units(test);
  for (const Grouping& listed : groupings) {
    const Grouping grouping = group_units_by(table, schema, listed.columns, floor);
    std::vector<double> sizes(grouping.groups.size(), 0);
    for (size_t i = 0; i < rows.rows.size(); ++i) {
      const size_t group = index_of(grouping.group_of[rows.rows[i]]);
      if (group < sizes.size()) sizes[group] += test.contributes[i] * test.weight(i);
    }
    for (const double size : sizes) facts.group_sizes.push_back(std::llround(size));
  }
  facts.target_variance = variance_of(test);
  facts.target_divisor = test.target_divisor;
  facts.class_shares = class_shares_of(test);
  return facts;
}

CompareRun figures_of_run(CompareMetric metric, const TrainingReport& report,
                          const HeldOutFacts& facts) {
  CompareRun run;
  for (const auto& known : kCompareMetrics) {
    RunErrors& errors = run.by_metric[std::string(known.second)];
    const auto figure = [&](const std::optional<Metrics>& metrics) {
      return metrics ? figure_of(known.first, *metrics, !report.classes.empty(), facts) : kNaN;
    };
    errors.overall = figure(report.overall.metrics);
    for (const GroupReport& group : report.groups) errors.groups.push_back(figure(group.metrics));
  }
  const RunErrors& chosen = run.by_metric.at(std::string(word_of(kCompareMetrics, metric)));
  run.overall = chosen.overall;
  run.groups = chosen.groups;
  for (const ConstraintReport& constraint : report.constraints) {
    const double excess =
        constraint.check ? constraint.check->value.value - constraint.slack : kNaN;
    // A constraint without a value leaves the largest violation undefined.
    if (std::isnan(run.violation) || std::isnan(excess) || excess > run.violation)
      run.violation = excess;
    if (std::isnan(excess)) break;
  }
  for (const ConstraintReport& constraint : report.constraints) {
    if (!constraint.check) continue;
    run.violation_low =
        std::fmax(run.violation_low, constraint.check->value.interval.low - constraint.slack);
  }
  run.private_verdict = worst_verdict(report.constraints);
  return run;
}

}  // namespace equinoise
