// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

std::string figure(double value) {
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

std::string figure(const std::optional<double>& value) { return value ? figure(*value) : "-"; }

std::string table_text(const TextTable& table) {
  return table.caption + "\n" + format_table(table.head, table.rows, table.num_left);
}

/// None of a group that has no synthetic rows, which have no mean.
std::optional<double> mean_error(const SynthParity& parity, const ColumnParity& column,
                                 size_t group) {
  if (parity.num_synthetic[group] == 0) return std::nullopt;
  return column.error.relative_errors[group];
}

/// The groups that have real records, but no synthetic rows.
std::vector<GroupLabel> without_rows(const SynthParity& parity) {
  std::vector<GroupLabel> groups;
  for (size_t g = 0; g < parity.groups.size(); ++g)
    if (parity.num_real[g] > 0 && parity.num_synthetic[g] == 0) groups.push_back(parity.groups[g]);
  return groups;
}

Json parity_to_json(const SynthParity& parity) {
  Json groups = Json::array();
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    Json group = {{"group", to_json(parity.groups[g])},
                  {"real_records", parity.num_real[g]},
                  {"synthetic_records", parity.num_synthetic[g]},
                  {"workload_error", number(parity.marginals.groups[g])}};
    if (parity.means) {
      Json errors = Json::object();
      for (const ColumnParity& column : parity.means->columns)
        errors[column.column] = number(mean_error(parity, column, g));
      group["mean_errors"] = std::move(errors);
    }
    groups.push_back(std::move(group));
  }
  Json json = {{"by", parity.by},
               {"groups", std::move(groups)},
               {"marginals",
                {{"parity_error", number(parity.marginals.parity_error)},
                 {"largest_error", number(parity.marginals.largest_group)},
                 {"largest_difference", number(parity.marginals.largest_difference)}}}};
  if (parity.means) {
    const MeansParity& means = *parity.means;
    Json columns = Json::array();
    for (const ColumnParity& column : means.columns) {
      columns.push_back({{"column", column.column},
                         {"parity_error", number(column.error.parity_error)},
                         {"population_error", number(column.error.population_relative_error)},
                         {"largest_error", number(column.error.max_group_error)},
                         {"scale_floor", column.error.scale_floor}});
    }
    const bool has_worst = std::isfinite(means.largest_disparity);
    json["means"] = {
        {"parity_error", number(means.parity_error)},
        {"largest_disparity", number(means.largest_disparity)},
        {"worst_column",
         has_worst ? Json(means.columns[means.worst_column].column) : Json(nullptr)},
        {"worst_group", has_worst ? to_json(parity.groups[means.worst_group]) : Json(nullptr)},
        {"columns", std::move(columns)}};
  }
  return json;
}

Json rates_of(const Metrics& metrics) {
  return {{"records", metrics.num_records},
          {"positives", metrics.num_positives},
          {"accuracy", number(metrics.accuracy.value)},
          {"selection_rate", number(metrics.selection_rate.value)},
          {"false_negative_rate", number(metrics.false_negative_rate.value)}};
}

Json classifier_to_json(const SynthClassifier& classifier, const SynthParity* parity) {
  const DownstreamClassifier& result = classifier.result;
  Json json = {{"target", classifier.target}, {"positive", classifier.positive}};
  json.update(rates_of(result.overall));
  if (parity == nullptr) return json;
  json["demographic_parity_difference"] =
      number(result.selection_rate.difference_between_groups.value);
  json["demographic_parity_ratio"] = number(result.selection_rate.ratio_between_groups);
  json["false_negative_rate_difference"] =
      number(result.false_negative_rate.difference_between_groups.value);
  Json groups = Json::array();
  for (size_t g = 0; g < result.groups.size(); ++g) {
    Json group = {{"group", to_json(parity->groups[g])}};
    group.update(rates_of(result.groups[g]));
    groups.push_back(std::move(group));
  }
  json["groups"] = std::move(groups);
  json["false_negative_rate_left_out"] = Json::array();
  for (const size_t group : result.false_negative_rate.left_out)
    json["false_negative_rate_left_out"].push_back(Json{{"group", to_json(parity->groups[group])}});
  return json;
}

TextTable parity_table(const SynthParity& parity) {
  TextTable table;
  table.caption = fmt::format("By {}", fmt::join(parity.by, ", "));
  table.head = {"group", "real", "synthetic", "workload error"};
  if (parity.means)
    for (const ColumnParity& column : parity.means->columns)
      table.head.push_back("mean of " + column.column);
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {values_of(parity.groups[g]), format_count(parity.num_real[g]),
           format_count(parity.num_synthetic[g]), figure(parity.marginals.groups[g])};
    if (parity.means)
      for (const ColumnParity& column : parity.means->columns)
        row.push_back(figure(mean_error(parity, column, g)));
  }
  return table;
}

TextTable classifier_table(const SynthClassifier& classifier, const SynthParity* parity) {
  TextTable table;
  table.caption = fmt::format("Classifier of {} = {}, trained on the synthetic rows",
                              classifier.target, classifier.positive);
  table.head = {"real records of", "count", "accuracy", "predicted positive",
                "false negative rate"};
  const auto add = [&](const std::string& name, const Metrics& metrics) {
    table.rows.push_back({name, format_count(metrics.num_records), figure(metrics.accuracy.value),
                          figure(metrics.selection_rate.value),
                          figure(metrics.false_negative_rate.value)});
  };
  for (size_t g = 0; parity != nullptr && g < classifier.result.groups.size(); ++g)
    add(values_of(parity->groups[g]), classifier.result.groups[g]);
  add("everybody", classifier.result.overall);
  table.ends_in_total = true;
  return table;
}

/// By what records are weighed; "" without weights.
std::string weights_text(const SynthEvaluateRequest& request, const SynthEvaluateReport& report) {
  if (request.weight_column.empty()) return "";
  return fmt::format(
      "weights: column {}, which is not compared; every figure is of the real records by their "
      "weights and of the synthetic rows {}; counts are of records\n",
      request.weight_column,
      report.synthetic_has_weights ? "by theirs" : "as they are: they have no such column");
}

}  // namespace

Json synth_evaluate_to_json(const SynthEvaluateRequest& request,
                            const SynthEvaluateReport& report) {
  Json json = {
      {"notice",
       std::string(kDoNotPublish) + "every figure compares with the real records without noise"},
      {"notice_of_choice", kDoNotChooseBy},
      {"schema", "equinoise/1"},
      {"status", "not private"},
      {"workload_error", number(report.workload_error)},
      {"marginals", report.num_marginals},
      {"degree", request.degree},
      {"worst", report.worst},
      {"worst_error", number(report.worst_error)},
      {"weights", request.weight_column.empty() ? Json(nullptr) : Json(request.weight_column)},
      {"real_records", report.num_real},
      {"synthetic_records", report.num_synthetic}};
  const SynthParity* parity = report.parity ? &*report.parity : nullptr;
  if (parity != nullptr) json["parity"] = parity_to_json(*parity);
  if (report.classifier) json["classifier"] = classifier_to_json(*report.classifier, parity);
  json["not_private_ingest"] = report.ingest_notes;
  json["seconds"] = report.seconds;
  return json;
}

std::string synth_evaluate_to_text(const SynthEvaluateRequest& request,
                                   const SynthEvaluateReport& report) {
  std::string text =
      weights_text(request, report) +
      fmt::format(
          "workload error {}: half the L1 distance, averaged over {} marginals of {} "
          "columns\nlargest: "
          "{}, {}\n",
          figure(report.workload_error), format_count(report.num_marginals), request.degree,
          report.worst.empty() ? "-" : fmt::format("{}", fmt::join(report.worst, ", ")),
          figure(report.worst_error));
  const SynthParity* parity = report.parity ? &*report.parity : nullptr;
  if (parity != nullptr) {
    text += "\n" + table_text(parity_table(*parity));
    text += fmt::format("parity error of marginals {}, largest difference of groups {}\n",
                        figure(parity->marginals.parity_error),
                        figure(parity->marginals.largest_difference));
    if (parity->means) {
      const MeansParity& means = *parity->means;
      text += fmt::format(
          "parity error of means {}, largest disparity {}{}; relative errors, each divided by the "
          "mean or, if that is larger, by a 20th of the bounds' width\n",
          figure(means.parity_error), figure(means.largest_disparity),
          std::isfinite(means.largest_disparity)
              ? fmt::format(" ({}, {})", means.columns[means.worst_column].column,
                            values_of(parity->groups[means.worst_group]))
              : "");
    }
    if (const std::vector<GroupLabel> groups = without_rows(*parity); !groups.empty()) {
      text += fmt::format(
          "no synthetic rows of {}, so they have no means; parity errors use the overall means for "
          "them\n",
          list_groups(groups));
    }
  }
  if (report.classifier) {
    text += "\n" + table_text(classifier_table(*report.classifier, parity));
    const DownstreamClassifier& result = report.classifier->result;
    if (parity != nullptr) {
      text += fmt::format(
          "demographic parity: difference {}, ratio {}; false negative rates differ by {}\n",
          figure(result.selection_rate.difference_between_groups.value),
          figure(result.selection_rate.ratio_between_groups),
          figure(result.false_negative_rate.difference_between_groups.value));
      if (const auto& left_out = result.false_negative_rate.left_out; !left_out.empty()) {
        text += fmt::format("groups without a false negative rate, left out: {}\n",
                            list_groups(groups_at(parity->groups, left_out)));
      }
    }
  }
  for (const std::string& note : report.ingest_notes) text += "not private: " + note + "\n";
  text += fmt::format(
      "These figures are NOT PRIVATE: they compare with the real records without noise and cost no "
      "budget. Do not publish them.\n{}\n",
      kDoNotChooseBy);
  return text;
}

}  // namespace equinoise
