// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

inline Guarantee sample_guarantee() {
  return {Epsilon(2.99961), Delta(1e-6), AccountantName::kRdp, Relation::kZeroOut};
}

/// Metrics of a model with two classes.
inline Metrics sample_metrics(int64_t num_records, Estimate accuracy, Estimate loss) {
  Metrics metrics;
  metrics.num_records = num_records;
  metrics.accuracy = accuracy;
  metrics.loss = loss;
  metrics.selection_rate = {0.25, {0.125, 0.4375}};
  metrics.true_positive_rate = {0.5, {0.25, 0.75}};
  metrics.false_positive_rate = {0.125, {0.0625, 0.25}};
  return metrics;
}

/// A private run with two groups, a reference, a curve and a ledger.
inline TrainingReport sample_report() {
  TrainingReport report;
  report.version = "0.1.0";
  report.dataset = "people";
  report.method = "dpsgd";
  report.source = "AbadiCGMMTZ2016";
  report.status = PrivacyStatus::kPrivate;
  report.target = "income";
  report.classes = {"low", "high"};
  report.model = "logistic";
  report.features = {{"age", "numeric, within 17 to 90"}, {"job", "5 categories"}};
  report.test_fraction = 0.25;
  report.split_seed = 18446744073709551615U;
  report.settings = {{"num_steps", 3000}, {"learning_rate", 0.7}};
  report.costs = {{"noisy gradient sums", Event::repeat(3000, Event::gaussian(1.5))}};
  report.privacy = sample_guarantee();
  report.command = "equinoise train --groups sex,race";
  report.parameters = {{"bias", 0.25}};
  report.schema_text = "target = \"income\"\n";
  const Guarantee before{Epsilon(0.5), Delta(1e-6), AccountantName::kRdp, Relation::kZeroOut};
  report.ledger = LedgerStatement{
      "people.ledger", "people", Budget{Epsilon(8), Delta(1e-6), Relation::kZeroOut}, before,
      Guarantee{Epsilon(3.25), Delta(1e-6), AccountantName::kRdp, Relation::kZeroOut}};
  LedgerEntry entry;
  entry.sequence = 2;
  entry.time = "2026-11-20T10:12:01Z";
  entry.purpose = "train dpsgd for income";
  entry.events = {Event::gaussian(9.5)};
  report.ledger_entries = {entry};
  entry.sequence = 3;
  entry.time = "2026-11-21T11:29:09Z";
  entry.events = {Event::gaussian(1.5)};
  report.ledger_entries.push_back(entry);

  report.overall.privacy = report.privacy;
  report.overall.public_size = 48842;
  report.overall.metrics = sample_metrics(40, {0.875, {0.75, 0.95}}, {0.31, {0.25, 0.37}});
  report.overall.reference = sample_metrics(40, {0.9, {0.8, 0.96}}, {0.3, {0.24, 0.36}});
  report.overall.cost = Cost{{0.025, {-0.01, 0.06}}, {0.01, {0.004, 0.016}}, 40};
  GroupReport group;
  group.group = {{"sex", "Female"}, {"race", "Black"}};
  group.public_size = 2308;
  group.privacy = report.privacy;
  group.noise_stddev = 1.5;
  group.relative_noise = 0.0607;
  group.metrics = sample_metrics(10, {0.625, {0.4, 0.8}}, {0.5, {0.3, 0.7}});
  group.reference = sample_metrics(10, {0.7, {0.5, 0.9}}, {0.45, {0.3, 0.6}});
  group.cost = Cost{{0.075, {-0.02, 0.17}}, {0.05, {0.01, 0.09}}, 10};
  GroupReport nobody;
  nobody.group = {{"sex", "Male"}, {"race", "Black"}};
  nobody.privacy = report.privacy;
  nobody.metrics = Metrics();
  nobody.reference = Metrics();
  nobody.cost = Cost();
  report.groups = {group, nobody};
  report.curve = {{0, 0.69}, {1500, 0.4}, {3000, 0.31}};
  report.reference_curve = {{0, 0.69}, {1500, 0.38}, {3000, 0.3}};
  report.ingest_notes = {"missing cells: age 3"};
  report.seconds = 1.25;
  report.files = {"model/model.json"};
  return report;
}

/// The same with a numeric target.
inline TrainingReport sample_regression() {
  TrainingReport report = sample_report();
  report.classes.clear();
  report.model = "linear";
  report.target = "grade";
  const auto numeric = [](GroupReport& group) {
    if (group.metrics->num_records == 0) return;
    Metrics metrics;
    metrics.num_records = group.metrics->num_records;
    metrics.loss = group.metrics->loss;
    metrics.rmse = {2.5, {2.25, 2.75}};
    metrics.mean_error = {-0.5, {-0.75, -0.25}};
    group.metrics = metrics;
    metrics.rmse.value = 2.375;
    group.reference = metrics;
    group.cost->accuracy = Estimate();
  };
  numeric(report.overall);
  for (GroupReport& group : report.groups) numeric(group);
  return report;
}

/// A limit on the difference between groups by sex and race, and how it came out.
inline AuditLimit limit_on(std::string metric, double limit, const Estimate& found,
                           LimitVerdict verdict) {
  AuditLimit result{false, std::move(metric), "", {"sex", "race"}, limit, {}};
  result.check.num_known = 2;
  result.check.value = found.value;
  result.check.interval = found.interval;
  result.check.verdict = verdict;
  return result;
}

/// An audit of two groups against a reference, with one limit that holds and one that does not.
inline AuditReport sample_audit() {
  const TrainingReport trained = sample_report();
  AuditReport report;
  report.version = trained.version;
  report.dataset = trained.dataset;
  report.model_path = "model";
  report.model = trained.model;
  report.method = trained.method;
  report.status = trained.status;
  report.privacy = trained.privacy;
  report.target = trained.target;
  report.classes = trained.classes;
  report.data_path = "people.csv";
  report.held_out_only = true;
  report.reference_path = "reference";
  const auto figures_of = [](const GroupReport& group) {
    return AuditedRecords{*group.metrics, group.reference, group.cost, {}, {}};
  };
  report.overall = figures_of(trained.overall);
  AuditGrouping grouping;
  grouping.columns = {"sex", "race"};
  for (const GroupReport& group : trained.groups) {
    grouping.groups.push_back(group.group);
    grouping.figures.push_back(figures_of(group));
  }
  grouping.figures[1].metrics = sample_metrics(30, {0.96, {0.9, 0.99}}, {0.25, {0.2, 0.3}});
  Disparity disparity;
  disparity.metric = "accuracy";
  disparity.lowest = 0;
  disparity.highest = 1;
  disparity.difference_between_groups = {0.335, {0.15, 0.56}};
  disparity.difference_to_overall = 0.25;
  disparity.ratio_between_groups = 0.651;
  grouping.disparities = {disparity};
  report.groupings = {grouping};
  report.thresholds = {limit_on("accuracy", 0.05, {0.335, {0.15, 0.56}}, LimitVerdict::kFails),
                       limit_on("loss", 0.5, {0.25, {0.1, 0.4}}, LimitVerdict::kHolds)};
  report.ingest_notes = {"missing cells: age 3"};
  report.warnings = {"records of training may be among them"};
  report.command = "equinoise audit --model model --data people.csv";
  report.seconds = 0.5;
  report.files = {"audit/report.json"};
  return report;
}

/// A report whose every non-private figure is 7317317 and whose every non-private text is CANARY.
inline TrainingReport report_with_canaries(TrainingReport report = sample_report()) {
  constexpr double kFigure = 7317317;
  const Estimate estimate{kFigure, {kFigure, kFigure}};
  const auto fill = [&](GroupReport& group) {
    Metrics metrics;
    metrics.num_records = static_cast<int64_t>(kFigure);
    for (const MetricRow& row : metric_rows()) metrics.*row.estimate = estimate;
    group.metrics = metrics;
    group.reference = metrics;
    group.cost = Cost{estimate, estimate, metrics.num_records};
    group.realised = RealisedGuarantee{kFigure, kFigure, sample_guarantee()};
  };
  fill(report.overall);
  for (GroupReport& group : report.groups) fill(group);
  for (ConstraintReport& constraint : report.constraints) {
    constraint.check = constraint.reference = ConstraintCheck{estimate, constraint.slack};
  }
  report.curve = {{static_cast<int64_t>(kFigure), kFigure}};
  report.reference_curve = report.curve;
  report.reference_method = "CANARY";
  report.largest_loss = LargestLoss{kFigure, kFigure, kFigure, kFigure};
  report.realised_shares = {{"CANARY", kFigure}};
  RiskPoint look;
  look.risk.groups.resize(1);
  look.risk.groups[0].num_records = static_cast<int64_t>(kFigure);
  report.explained_groups = {{{"sex", "CANARY"}}};
  report.explanations = {look};
  report.ingest_notes = {"CANARY"};
  report.seconds = kFigure;
  return report;
}

/// The terms of an additive model: a curve with a slope and a jump, a column that is mostly 0, and
/// categories.
inline std::vector<TermReport> sample_terms() {
  return {{{"job"},
           0.5,
           {{{"clerk"}, {}, {}, 0.75, {0.25}},
            {{"<b>boss & owner</b>"}, {}, {}, 0.125, {1.5}},
            {{"none"}, {}, {}, 0.125, {-3}}}},
          {{"age"},
           0.25,
           {{{"17 to 24"}, 17, 25, 0.25, {-0.5}, {-0.75}, {-0.25}},
            {{"25 to 90"}, 25, 91, 0.75, {0.125}}}},
          {{"gain"},
           0.125,
           {{{"0"}, 0, 1, 0.875, {-0.125}}, {{"1 to 99999"}, 1, 100'000, 0.125, {0.875}}}},
          {{"city"}, 0, {{{"all"}, {}, {}, 1, {0}}}}};
}

}  // namespace equinoise
