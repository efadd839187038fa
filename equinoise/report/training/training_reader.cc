// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/training/training_reader.h"

#include <algorithm>
#include <utility>

#include "equinoise/audit/disparity.h"
#include "equinoise/report/json.h"
#include "equinoise/report/json_reader.h"

namespace equinoise {

namespace {

using Section = OrderedJsonSection;

void read_run(const Section& root, TrainingReport& report) {
  report.version = root.text("version");
  report.dataset = root.text("dataset");
  report.method = root.text("method");
  report.source = root.text("source");
  report.status = read_word(root, "status", kPrivacyStatuses);
  report.schema_reviewed = root.flag("schema_reviewed");
  report.model = root.text("model");
  if (root.has("optimizer")) report.optimizer = root.text("optimizer");
  report.target = root.text("target");
  report.classes = root.texts("classes");
  report.unit = root.text("unit");
  report.unit_stated = root.has("unit_stated") && root.flag("unit_stated");
  if (report.unit != "row") report.max_records_per_unit = read_count(root, "max_records_per_unit");
  const Section split = root.section("split");
  report.test_fraction = split.number("test_fraction");
  report.split_seed = split.unsigned_integer("split_seed");
  const Section settings = root.section("settings");
  for (const std::string& name : settings.names())
    report.settings.emplace_back(name, read_number(settings, name));
  report.command = root.text("command");
  report.warnings = root.texts("warnings");
  report.ingest_notes = root.texts("ingest");
  report.seconds = read_optional_number(root, "seconds");
  report.files = root.texts("files");
  report.run_file = read_optional_text(root, "run_file");
}

void read_privacy(const Section& root, TrainingReport& report) {
  report.privacy = read_guarantee(root, "privacy");
  report.by_rdp = read_guarantee(root, "privacy_by_rdp");
  for (const Section& event : root.sections("events"))
    report.costs.push_back({event.text("label"), read_event(event, "event")});
  if (!root.has("public_groups")) return;
  if (!report.privacy) root.wrong("privacy", "a guarantee, because public_groups are told");
  report.protection = Protection{report.privacy->relation,
                                 {report.unit, report.max_records_per_unit, report.unit_stated},
                                 root.texts("public_groups"),
                                 {}};
  const nlohmann::ordered_json& attack = root.member("attack_bounds");
  if (attack.is_null()) return;
  report.protection->attack = attack_bounds_from_json(attack);
  if (!report.protection->attack)
    root.wrong("attack_bounds", "true_positive_rate and advantage, from 0 to 1");
}

std::optional<Metrics> read_metrics(const Section& section, size_t num_classes) {
  if (!section.has("num_records")) return std::nullopt;
  Metrics metrics;
  metrics.num_records = read_count(section, "num_records");
  for (const MetricRow& row : metric_rows())
    if (row.fits(num_classes))
      metrics.*row.estimate = read_estimate(section, std::string(row.name));
  return metrics;
}

/// A row of the table of groups, with what the reference has of it.
class RowReader {
 public:
  explicit RowReader(size_t num_classes) : num_classes_(num_classes) {}

  GroupReport read(const Section& section) const {
    GroupReport row;
    if (section.has("group")) row.group = read_group(section, "group");
    if (!section.member("public_size").is_null())
      row.public_size = read_count(section, "public_size");
    row.privacy = read_guarantee(section, "privacy");
    row.noise_stddev = read_optional_number(section, "noise_stddev");
    row.relative_noise = read_optional_number(section, "noise_per_expected_member_in_clips");
    row.metrics = read_metrics(section, num_classes_);
    if (section.has("loss_cost")) {
      Cost& cost = row.cost.emplace();
      if (num_classes_ > 0) cost.accuracy = read_estimate(section, "accuracy_cost");
      cost.loss = read_estimate(section, "loss_cost");
      // Of the same records.
      if (row.metrics) cost.num_records = row.metrics->num_records;
    }
    return row;
  }

  std::optional<Metrics> read_reference(const Section& section) const {
    return read_metrics(section, num_classes_);
  }

  PrivateRates read_rates(const Section& section) const {
    PrivateRates rates;
    rates.accuracy = read_estimate(section, "accuracy");
    if (num_classes_ != 2) return rates;
    rates.false_positive_rate = read_estimate(section, "false_positive_rate");
    rates.false_negative_rate = read_estimate(section, "false_negative_rate");
    return rates;
  }

 private:
  size_t num_classes_;
};

std::vector<CurvePoint> read_curve(const Section& section) {
  std::vector<CurvePoint> curve;
  for (const Section& point : section.sections("curve"))
    curve.push_back({read_count(point, "step"), read_number(point, "loss")});
  return curve;
}

/// Objects that must be as many as the groups.
std::vector<Section> of_groups(const Section& section, const std::vector<GroupReport>& groups) {
  std::vector<Section> sections = section.sections("groups");
  if (sections.size() != groups.size())
    section.wrong("groups", fmt::format("a list of {} groups", groups.size()));
  return sections;
}

void read_rows(const Section& root, TrainingReport& report) {
  const RowReader rows(report.classes.size());
  report.overall = rows.read(root.section("overall"));
  for (const Section& group : root.sections("groups")) report.groups.push_back(rows.read(group));
  report.curve = read_curve(root);
  if (!root.member("reference").is_null()) {
    const Section reference = root.section("reference");
    report.reference_method = reference.text("method");
    report.overall.reference = rows.read_reference(reference.section("overall"));
    const std::vector<Section> groups = of_groups(reference, report.groups);
    for (size_t k = 0; k < groups.size(); ++k)
      report.groups[k].reference = rows.read_reference(groups[k]);
    report.reference_curve = read_curve(reference);
  }
  if (!root.has("private_rates")) return;
  const Section rates = root.section("private_rates");
  report.overall.private_rates = rows.read_rates(rates.section("overall"));
  const std::vector<Section> groups = of_groups(rates, report.groups);
  for (size_t k = 0; k < groups.size(); ++k)
    report.groups[k].private_rates = rows.read_rates(groups[k]);
}

ConstraintCheck read_check(const Section& section, double slack) {
  ConstraintCheck check;
  check.value.value = read_number(section, "value");
  check.value.interval = read_interval(section, "interval");
  check.slack = slack;
  return check;
}

void read_constraints(const Section& root, TrainingReport& report) {
  for (const Section& section : root.sections("constraints")) {
    ConstraintReport& row = report.constraints.emplace_back();
    row.name = section.text("name");
    row.text = section.text("text");
    row.slack = section.number("slack");
    if (section.has("value")) row.check = read_check(section, row.slack);
    if (section.has("reference"))
      row.reference = read_check(section.section("reference"), row.slack);
    if (!section.member("private_evaluation").is_null())
      row.private_check = read_check(section.section("private_evaluation"), row.slack);
  }
  report.evaluates_groups = root.flag("evaluates_groups");
  report.evaluation_noise_stddev = read_optional_number(root, "evaluation_noise_stddev");
  report.why_not_evaluated = read_optional_text(root, "why_not_evaluated");
  if (!root.has("private_evaluation_cost")) return;
  const Section cost = root.section("private_evaluation_cost");
  report.evaluation_cost =
      EvaluationCost{read_epsilon(cost, "epsilon_with"), read_epsilon(cost, "epsilon_without"),
                     read_epsilon(cost, "epsilon_before")};
}

void read_group_path(const Section& root, TrainingReport& report) {
  if (!root.has("group_path")) return;
  for (const Section& group : root.sections("trained_groups"))
    report.trained_groups.push_back(read_label(group));
  const auto read = [&](const Section& section, const std::string& key) {
    std::vector<double> values = section.numbers(key);
    if (values.size() != report.trained_groups.size())
      section.wrong(key, fmt::format("a list of {} numbers", report.trained_groups.size()));
    return values;
  };
  for (const Section& row : root.sections("group_path")) {
    GroupPathRow& point = report.group_path.emplace_back();
    point.step = read_count(row, "step");
    point.weights = read(row, "weights");
    if (row.has("noisy_losses")) point.losses = read(row, "noisy_losses");
  }
}

RegressionFigure read_figure(const Section& section) {
  RegressionFigure figure{section.text("name")};
  figure.estimate = read_optional_number(section, "estimate");
  figure.standard_error = read_optional_number(section, "standard_error");
  if (!section.member("interval").is_null()) figure.interval = read_interval(section, "interval");
  return figure;
}

void read_regression(const Section& root, TrainingReport& report) {
  if (!root.has("regression")) return;
  const Section section = root.section("regression");
  RegressionReport& regression = report.regression.emplace();
  for (const Section& figure : section.sections("coefficients"))
    regression.coefficients.push_back(read_figure(figure));
  regression.log_odds_of = read_optional_text(section, "log_odds_of");
  if (!regression.log_odds_of.empty()) return;
  const auto read_fit = [](const Section& told, RegressionFit& fit) {
    fit.residual_stddev = read_figure(told.section("residual_stddev"));
    fit.r_squared = read_figure(told.section("r_squared"));
  };
  read_fit(section, regression.fit);
  if (!section.has("groups")) return;
  for (const Section& group : section.sections("groups")) {
    RegressionFit& fit = regression.groups.emplace_back();
    fit.group = read_group(group, "group");
    read_fit(group, fit);
  }
}

void read_largest_loss(const Section& root, TrainingReport& report) {
  if (root.member("largest_training_loss").is_null()) return;
  const Section section = root.section("largest_training_loss");
  report.largest_loss = LargestLoss{read_number(section, "loss"), section.number("least_lower"),
                                    section.number("least_upper"), section.number("radius")};
}

GroupRisk read_risk(const Section& section) {
  GroupRisk risk;
  risk.num_records = read_count(section, "num_records");
  for (const auto& [key, value] :
       {std::pair("loss", &GroupRisk::loss), std::pair("clip", &GroupRisk::clip),
        std::pair("non_private_change", &GroupRisk::non_private_change),
        std::pair("magnitude", &GroupRisk::magnitude),
        std::pair("direction", &GroupRisk::direction),
        std::pair("direction_first", &GroupRisk::direction_first),
        std::pair("magnitude_last", &GroupRisk::magnitude_last),
        std::pair("noise", &GroupRisk::noise),
        std::pair("gradient_norm", &GroupRisk::gradient_norm),
        std::pair("cos_unclipped", &GroupRisk::cos_unclipped),
        std::pair("cos_clipped", &GroupRisk::cos_clipped)})
    risk.*value = read_number(section, key);
  risk.hessian_trace = {read_number(section, "hessian_trace"),
                        read_number(section, "hessian_trace_standard_error")};
  risk.eigenvalues.largest = read_number(section, "hessian_largest_eigenvalue");
  risk.eigenvalues.smallest = read_number(section, "hessian_smallest_eigenvalue");
  return risk;
}

void read_explanations(const Section& root, TrainingReport& report) {
  for (const Section& look : root.sections("explanations")) {
    RiskPoint point;
    point.step = read_count(look, "step");
    point.learning_rate = look.number("learning_rate");
    point.risk.gradient_norm = read_number(look, "gradient_norm");
    point.risk.clipped_gradient_norm = read_number(look, "clipped_gradient_norm");
    std::vector<GroupLabel> groups;
    for (const Section& group : look.sections("groups")) {
      groups.push_back(read_group(group, "group"));
      point.risk.groups.push_back(read_risk(group));
    }
    if (groups.empty() || (!report.explanations.empty() && groups != report.explained_groups))
      look.wrong("groups", "the same groups in every look");
    report.explained_groups = std::move(groups);
    report.explanations.push_back(std::move(point));
  }
}

void read_ledger(const Section& root, TrainingReport& report) {
  for (const Section& section : root.sections("ledger_entries")) {
    LedgerEntry& entry = report.ledger_entries.emplace_back();
    entry.sequence = read_count(section, "sequence");
    entry.time = section.text("time");
    entry.purpose = section.text("purpose");
    entry.events = read_events(section, "events");
    entry.hash = section.text("hash");
    entry.key = read_optional_text(section, "key");
    if (!section.has("progress")) continue;
    const Section progress = section.section("progress");
    entry.progress = RunProgress{read_count(progress, "num_done"), progress.text("state")};
  }
  report.num_earlier_entries = read_count(root, "num_earlier_entries");
  if (root.member("ledger").is_null()) return;
  const Section ledger = root.section("ledger");
  const Section budget = ledger.section("budget");
  const double delta = budget.number("delta");
  if (!(delta >= 0 && delta < 1)) budget.wrong("delta", "at least 0 and below 1");
  const auto spent = [&](const char* key) {
    const std::optional<Guarantee> guarantee = read_guarantee(ledger, key);
    if (!guarantee) ledger.wrong(key, "a guarantee");
    return *guarantee;
  };
  const Guarantee before = spent("spent_before");
  report.ledger =
      LedgerStatement{ledger.text("path"), ledger.text("dataset"),
                      Budget{read_epsilon(budget, "epsilon"), Delta(delta), before.relation},
                      before, spent("spent")};
  report.ledger->budget.fixed_groups = budget.flag("fixed_groups");
}

}  // namespace

TrainingReport training_report_from_json(std::string_view text, std::string_view origin) {
  const JsonSource source = {
      .origin = std::string(origin),
      .where = "report.training",
      .kind = "a report.json of equinoise train of this version",
      .hint = "give a folder that equinoise train of this version wrote with --out"};
  const auto json = parse_json<nlohmann::ordered_json>(text, source);
  const Section root(json, "", source);
  if (root.text("report") != "train") root.wrong("report", "\"train\"");
  TrainingReport report;
  read_run(root, report);
  read_privacy(root, report);
  read_rows(root, report);
  read_constraints(root, report);
  read_group_path(root, report);
  read_regression(root, report);
  read_largest_loss(root, report);
  read_explanations(root, report);
  read_ledger(root, report);
  return report;
}

}  // namespace equinoise
