// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/means/means_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "equinoise/privacy/failure_events.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/json.h"
#include "equinoise/report/ledger/ledger_json.h"
#include "equinoise/report/means/means_text.h"
#include "equinoise/report/page/fence.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

/// JSON knows neither infinity nor NaN.
Json finite_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json optional_number(const std::optional<double>& value) {
  return value ? finite_number(*value) : Json(nullptr);
}

Json interval(const MeanInterval& interval) {
  return Json::array({interval.lower, interval.upper});
}

Json optional_interval(const std::optional<MeanInterval>& given) {
  return given ? interval(*given) : Json(nullptr);
}

/// Sizes that are not noisy are whole.
Json size(const std::optional<double>& records, bool is_noisy) {
  if (!records) return nullptr;
  return is_noisy ? finite_number(*records) : Json(static_cast<int64_t>(*records));
}

void add_weight(const std::optional<NoisyWeight>& weight, Json& json) {
  if (!weight) return;
  json["weight"] = finite_number(weight->sum);
  json["weight_noise_stddev"] = finite_number(weight->noise_stddev);
}

std::string mean_of(const MeanColumnReport& column) {
  if (!column.has_gaps) return "everybody";
  return column.fill ? "those who have a value or a missing cell" : "those who have a value";
}

Json rounding_or_null(const std::optional<NumberRounding>& rounding) {
  if (!rounding) return nullptr;
  return {{"num_bins", rounding->num_bins}, {"most", rounding->most}};
}

Json columns_of(const MeansReport& report) {
  Json json = Json::array();
  for (size_t j = 0; j < report.columns.size(); ++j) {
    const MeanColumnReport& column = report.columns[j];
    json.push_back(
        {{"column", column.name},
         {"method", column.method},
         {"reason", column.reason},
         {"bounds", {column.lower, column.upper}},
         {"mean_of", mean_of(column)},
         {"by_weight", report.record_weights.has_value()},
         {"missing_counts_as", optional_number(column.fill)},
         {"rounding", rounding_or_null(column.rounding)},
         {"interval_of", column.interval_of},
         {"weights", weights_of(report, j)},
         {"stddev", optional_number(column.stddev)},
         {"has_overall_sum", column.has_overall_sum},
         {"predicted_noise_stddev", finite_number(column.stratified_noise)},
         {"predicted_unstratified_noise_stddev", finite_number(column.unstratified_noise)}});
  }
  return json;
}

Json header(const MeansReport& report) {
  Json json = {{"schema", "equinoise/1"},
               {"version", report.version},
               {"dataset", report.dataset},
               {"status", to_string(report.status)},
               {"by", report.strata},
               {"weights", report.weights},
               {"record_weights", record_weights_to_json(report.record_weights)},
               {"rho", report.rho},
               {"privacy", guarantee_or_null(report.privacy)},
               {"privacy_in_words", explain(report.protection)},
               {"attack_bounds", attack_or_null(report.protection)},
               {"columns", columns_of(report)}};
  if (report.held_out) json["held_out"] = to_json(*report.held_out);
  if (report.units) {
    json["unit"] = report.units->unit;
    json["max_records_per_unit"] = report.units->max_records;
  }
  json["events"] = Json::array();
  for (const Event& event : report.events) json["events"].emplace_back(event.to_json());
  return json;
}

/// Rho bounds what may not fail.
std::optional<double> rho_of_everything(const MeansReport& report) {
  const SplitEvents split = split_failures(report.events);
  return split.sampler_error > 0 || split.delta > 0 ? std::nullopt : std::optional(report.rho);
}

Json deployment_of_means(const MeansReport& report) {
  std::vector<std::string> names;
  std::vector<std::string> methods;
  for (const MeanColumnReport& column : report.columns) {
    names.push_back(column.name);
    if (std::find(methods.begin(), methods.end(), column.method) == methods.end())
      methods.push_back(column.method);
  }
  Deployment deployment;
  deployment.product = DataProduct::kMeans;
  deployment.dataset = report.dataset;
  deployment.description = fmt::format(
      "Means of {}{}{}.", fmt::join(names, ", "),
      report.strata.empty() ? "" : fmt::format(" by {}", fmt::join(report.strata, ", ")),
      report.units ? fmt::format(" over rows, at most {} of each {}", report.units->max_records,
                                 report.units->unit)
                   : "");
  deployment.version = report.version;
  deployment.method = fmt::format("{}", fmt::join(methods, ", "));
  deployment.status = report.status;
  deployment.privacy = report.pure ? report.pure : report.privacy;
  deployment.protection = report.protection;
  if (!report.pure) deployment.rho = rho_of_everything(report);
  deployment.groups_differ =
      std::any_of(report.rows.begin(), report.rows.end(), [&](const StratumMeanReport& row) {
        return !row.is_empty && row.privacy && report.privacy &&
               row.privacy->epsilon.value() != report.privacy->epsilon.value();
      });
  // Of strata it is the number of those who are in one.
  if (report.strata.empty() && !report.has_private_sizes && !report.rows.empty() &&
      report.rows[0].num_records)
    deployment.num_records = static_cast<int64_t>(*report.rows[0].num_records);
  if (report.held_out) {
    deployment.unprotected =
        fmt::format("Shares of strata among {} held-out records, which are not protected.",
                    report.held_out->num_records);
  }
  for (const Event& event : report.events) deployment.mechanisms.push_back(mechanism_of(event));
  deployment.post_processing =
      "Means are clamped to the bounds of their columns, and intervals are cut to where a mean can "
      "be.";
  if (report.is_shrunk) {
    deployment.post_processing +=
        " Means of strata are moved towards what they have in common, by as much as noise explains "
        "their differences.";
  }
  deployment.ledger = report.ledger;
  return deployment_to_json(deployment);
}

Json explanation_of(const MeansReport& report) {
  const MeansExplanation& explanation = *report.explanation;
  Json columns = Json::array();
  for (size_t j = 0; j < explanation.columns.size(); ++j) {
    const MeansExplanation::Column& column = explanation.columns[j];
    Json exact = Json::array();
    for (const double mean : column.exact_strata) exact.push_back(finite_number(mean));
    columns.push_back({{"column", column.name},
                       {"exact_overall", finite_number(column.exact_overall)},
                       {"exact_strata", exact},
                       {"num_values", column.num_values},
                       {"missing_counts_as", optional_number(report.columns[j].fill)},
                       {"parity_error", finite_number(column.parity_error)},
                       {"parity_error_raw", finite_number(column.raw_parity_error)},
                       {"parity_error_of_overall_mean", finite_number(column.overall_parity_error)},
                       {"largest_group_error", finite_number(column.largest_group_error)},
                       {"largest_absolute_error", finite_number(column.largest_absolute_error)},
                       {"scale_floor", column.scale_floor}});
  }
  return {{"notice", std::string(kDoNotPublish) + "computed from records without noise"},
          {"columns", columns},
          {"num_records", explanation.num_records},
          {"num_without_stratum", explanation.num_without_stratum},
          {"dirichlet",
           {{"alpha_moments", optional_number(explanation.alpha_moments)},
            {"alpha_likelihood", optional_number(explanation.alpha_likelihood)},
            {"sum_log", optional_number(explanation.sum_log)},
            {"expected_sum_log", optional_number(explanation.expected_sum_log)},
            {"equal_sum_log", optional_number(explanation.equal_sum_log)}}},
          {"notes", explanation.notes},
          {"seconds", report.seconds}};
}

}  // namespace

nlohmann::ordered_json to_json(const HeldOutRecords& held_out) {
  return {{"file", held_out.file}, {"num_records", held_out.num_records}, {"is_protected", false}};
}

nlohmann::ordered_json record_weights_to_json(const std::optional<RecordWeights>& weights) {
  if (!weights) return nullptr;
  Json json = {{"column", weights->column},
               {"largest", weights->largest},
               {"expected_mean", weights->usual_share * weights->largest}};
  if (weights->rounding) json["rounding"] = rounding_or_null(weights->rounding);
  return json;
}

nlohmann::ordered_json means_plan_to_json(const MeansReport& report) {
  Json json = header(report);
  json["groups"] = Json::array();
  for (const StratumMeanReport& row : report.rows) {
    json["groups"].push_back({{"group", to_json(row.stratum)},
                              {"column", row.column},
                              {"num_records", size(row.num_records, report.has_private_sizes)},
                              {"privacy", guarantee_or_null(row.privacy)},
                              {"noise_stddev", optional_number(row.predicted_noise)}});
  }
  json["ledger_after"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["warnings"] = report.warnings;
  return json;
}

nlohmann::ordered_json means_to_json(const MeansReport& report) {
  Json json = header(report);
  json["shrunk"] = report.is_shrunk;
  json["overall"] = Json::array();
  for (size_t j = 0; j < report.overall.size(); ++j) {
    const OverallMeanReport& overall = report.overall[j];
    const auto told = [&](const Json& value) { return overall.is_hidden ? Json(nullptr) : value; };
    json["overall"].push_back({{"column", overall.column},
                               {"mean", told(overall.mean)},
                               {"ci", told(interval(overall.interval))},
                               {"interval_of", report.columns[j].interval_of},
                               {"population_ci", optional_interval(overall.population)},
                               {"noise_stddev", told(overall.noise_stddev)}});
    if (overall.num_values) json["overall"].back()["num_values"] = *overall.num_values;
    add_weight(overall.weight, json["overall"].back());
  }
  json["strata"] = Json::array();
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const StratumMeanReport& row = report.rows[i];
    const auto told = [&](const Json& value) { return row.has_figure() ? value : Json(nullptr); };
    json["strata"].push_back(
        {{"stratum", to_json(row.stratum)},
         {"column", row.column},
         {"num_records", size(row.num_records, report.has_private_sizes)},
         {"mean", told(row.mean)},
         {"ci", told(interval(row.interval))},
         {"interval_of", report.columns[i % report.columns.size()].interval_of},
         {"clip", told(interval(row.clip))},
         {"privacy", guarantee_or_null(row.privacy)},
         {"raw_mean", told(row.raw_mean)},
         {"noise_stddev", told(row.noise_stddev)},
         {"population_ci", optional_interval(row.population)}});
    if (row.num_values) json["strata"].back()["num_values"] = *row.num_values;
    add_weight(row.weight, json["strata"].back());
    if (row.clipped_fraction) json["strata"].back()["clipped_fraction"] = *row.clipped_fraction;
    if (!row.note.empty()) json["strata"].back()["note"] = row.note;
  }
  json["ledger"] = report.ledger ? to_json(*report.ledger) : Json(nullptr);
  json["deployment"] = deployment_of_means(report);
  json["warnings"] = report.warnings;
  json["command"] = report.command;
  json["files"] = report.files;
  if (report.explanation) json["not_private"] = explanation_of(report);
  return json;
}

}  // namespace equinoise
