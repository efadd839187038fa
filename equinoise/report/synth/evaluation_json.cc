// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/yardsticks.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/synth/evaluation_figures.h"
#include "equinoise/report/synth/evaluation_report.h"

namespace equinoise {

void complete(MarginalErrors& errors) {
  if (errors.degrees.empty()) errors.degrees.emplace_back();
}

Disparity SynthLearner::disparity(std::string_view metric) const {
  std::vector<Metrics> metrics;
  for (const LearntResult& group : synthetic.groups) metrics.push_back(group.metrics);
  return disparity_in(find_metric(metric), metrics, synthetic.metrics);
}

namespace evaluation_keys {

namespace {

const char* records_key(bool counts_units) { return counts_units ? "units" : "records"; }

const char* positives_key(bool counts_units) {
  return counts_units ? "positive_rows" : "positives";
}

const char* learner_key(bool is_classifier) { return is_classifier ? "classifier" : "regression"; }

/// Calls `use(key, figure)` for each figure of a mean.
template <typename Mean, typename Use>
void for_figures(Mean& mean, const Use& use) {
  use("real_means", mean.real);
  use("synthetic_means", mean.synthetic);
  use("real_values", mean.num_real);
  use("synthetic_values", mean.num_synthetic);
  use("mean_errors", mean.error.rows);
  use("mean_errors_of_bootstrap", mean.error.bootstrap);
  use("mean_errors_of_second_half", mean.error.second_half);
}

/// The facts that the members of a learner depend on.
Scope scope_of_learner(const Report& report, bool is_classifier) {
  return {.num_classes = is_classifier ? 2U : 0U, .counts_units = !report.unit.is_row()};
}

}  // namespace

void write_workload(const MarginalErrors& errors, const Scope&, Json& object) {
  const ComparedFigure& error = errors.workload().error;
  object["workload_error"] = number_or_null(error.rows);
  object["bootstrap"] = number_or_null(error.bootstrap);
  object["second_half"] = number_or_null(error.second_half);
}

void write_singles(const MarginalErrors& errors, const Scope& scope, Json& object) {
  Json& singles = object["single_columns"] = Json::array();
  for (const MarginalError& single : errors.columns) {
    Json& json = singles.emplace_back(Json{{"column", single.columns.front()}});
    add_members(json, single.error, scope);
  }
}

void read_singles(const Section& section, const Scope& scope, MarginalErrors& errors) {
  for (const Section& single : section.sections("single_columns"))
    errors.columns.push_back({{single.text("column")}, read_fields<ComparedFigure>(single, scope)});
}

void write_means(const EvaluatedGroup& group, const Scope& scope, Json& object) {
  for (const EvaluatedMean& mean : group.means) {
    for_figures(mean, [&](const char* key, const auto& figure) {
      object[key][mean.column] = json_of(figure, scope);
    });
  }
}

void read_means(const Section& section, const Scope& scope, EvaluatedGroup& group) {
  if (!section.has("real_means")) return;
  const std::vector<std::string> columns = section.section("real_means").names();
  for (const std::string& column : columns) {
    EvaluatedMean& mean = group.means.emplace_back();
    mean.column = column;
    for_figures(mean, [&](const char* key, auto& figure) {
      figure = read_value<std::decay_t<decltype(figure)>>(section.section(key), column, scope);
    });
  }
}

void write_differences(const EvaluatedCorrelations& errors, const Scope&, Json& object) {
  const auto write = [&](double ComparedFigure::*figure, Json& differences) {
    differences["mean_difference"] = number_or_null(errors.mean.*figure);
    differences["largest_difference"] = number_or_null(errors.largest.*figure);
  };
  write(&ComparedFigure::rows, object);
  write(&ComparedFigure::bootstrap, object["bootstrap"]);
  write(&ComparedFigure::second_half, object["second_half"]);
}

void read_differences(const Section& section, const Scope&, EvaluatedCorrelations& errors) {
  const auto read = [&](double ComparedFigure::*figure, const Section& differences) {
    errors.mean.*figure = read_number(differences, "mean_difference");
    errors.largest.*figure = read_number(differences, "largest_difference");
  };
  read(&ComparedFigure::rows, section);
  read(&ComparedFigure::bootstrap, section.section("bootstrap"));
  read(&ComparedFigure::second_half, section.section("second_half"));
}

void write_metrics(const LearntResult& result, const Scope& scope, Json& object) {
  const bool is_classifier = scope.num_classes > 0;
  object[records_key(scope.counts_units)] = result.metrics.num_records;
  if (is_classifier) object[positives_key(scope.counts_units)] = result.metrics.num_positives;
  for (const std::string_view metric : learnt_metrics(is_classifier))
    add_estimate(object, std::string(metric), estimate_of(result.metrics, metric));
}

void read_metrics(const Section& section, const Scope& scope, LearntResult& result) {
  const bool is_classifier = scope.num_classes > 0;
  result.metrics.num_records = read_count(section, records_key(scope.counts_units));
  if (is_classifier)
    result.metrics.num_positives = read_count(section, positives_key(scope.counts_units));
  for (const std::string_view metric : learnt_metrics(is_classifier))
    result.metrics.*find_metric(metric).estimate = read_estimate(section, std::string(metric));
}

void write_disparities(const SynthLearner& learner, const Scope&, Json& object) {
  if (!learner.is_classifier() || learner.synthetic.groups.empty()) return;
  const Disparity selected = learner.disparity("selection_rate");
  const Disparity missed = learner.disparity("false_negative_rate");
  object["demographic_parity_difference"] =
      number_or_null(selected.difference_between_groups.value);
  object["demographic_parity_ratio"] = number_or_null(selected.ratio_between_groups);
  object["false_negative_rate_difference"] = number_or_null(missed.difference_between_groups.value);
  Json& left_out = object["false_negative_rate_left_out"] = Json::array();
  for (const size_t group : missed.left_out)
    left_out.push_back({{"group", to_json(learner.synthetic.groups[group].group)}});
}

void write_target(const SynthLearner& learner, const Scope&, Json& object) {
  if (learner.is_classifier()) {
    object["positive"] = learner.positive;
  } else {
    object["unit"] = learner.unit.empty() ? Json(nullptr) : Json(learner.unit);
  }
}

void read_target(const Section& section, const Scope& scope, SynthLearner& learner) {
  if (scope.num_classes > 0) {
    learner.positive = section.text("positive");
  } else if (!section.member("unit").is_null()) {
    learner.unit = section.text("unit");
  }
}

void write_worst(const Report& report, const Scope&, Json& object) {
  const std::vector<MarginalError>& largest = report.errors.largest;
  object["bootstrap_draws"] = kNumBootstraps;
  object["marginals"] = report.errors.workload().num_marginals;
  object["degree"] = report.errors.workload().degree;
  object["worst"] = largest.empty() ? std::vector<std::string>() : largest.front().columns;
  object["worst_error"] =
      largest.empty() ? Json(nullptr) : number_or_null(largest.front().error.rows);
}

void write_unit(const Report& report, const Scope&, Json& object) {
  object["unit"] = report.unit.name;
  if (!report.unit.is_row()) object["max_records_per_unit"] = report.unit.max_records;
}

void read_unit(const Section& root, const Scope&, Report& report) {
  if (root.has("max_records_per_unit"))
    report.unit = {root.text("unit"), read_count(root, "max_records_per_unit")};
}

void write_learner(const Report& report, const Scope&, Json& object) {
  if (!report.learner) return;
  const bool is_classifier = report.learner->is_classifier();
  object[learner_key(is_classifier)] =
      json_of(*report.learner, scope_of_learner(report, is_classifier));
}

void read_learner(const Section& root, const Scope&, Report& report) {
  for (const bool is_classifier : {true, false}) {
    if (!root.has(learner_key(is_classifier))) continue;
    report.learner = read_fields<SynthLearner>(root.section(learner_key(is_classifier)),
                                               scope_of_learner(report, is_classifier));
  }
}

}  // namespace evaluation_keys

namespace {

/// Refuses lists of groups or of means that do not go together.
void require_whole(const SynthEvaluateReport& report, const OrderedJsonSection& root) {
  const size_t num_groups = report.parity ? report.parity->groups.size() : 0;
  const size_t num_means =
      report.parity && report.parity->means ? report.parity->means->columns.size() : 0;
  bool is_whole = true;
  for (size_t g = 0; g < num_groups; ++g)
    is_whole = is_whole && report.parity->groups[g].means.size() == num_means;
  if (report.correlations) is_whole = is_whole && report.correlations->groups.size() == num_groups;
  if (report.learner)
    for (const LearntResult* result :
         {&report.learner->synthetic, &report.learner->bootstrap, &report.learner->second_half})
      is_whole = is_whole && result->groups.size() == num_groups;
  if (!is_whole) root.wrong("parity", "the groups and the means of the rest of the report");
}

}  // namespace

nlohmann::ordered_json evaluation_to_json(const SynthEvaluateReport& report) {
  return document_of(
      "synth evaluate", report, {},
      confidential_notices("every figure compares with the real records without noise"));
}

SynthEvaluateReport evaluation_from_json(std::string_view text, std::string_view origin) {
  return read_document({"synth evaluate", origin, "report.synth"}, text, [](const auto& root) {
    const auto report = read_fields<SynthEvaluateReport>(root, {});
    require_whole(report, root);
    return report;
  });
}

}  // namespace equinoise
