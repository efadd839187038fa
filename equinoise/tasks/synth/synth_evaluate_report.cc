// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_report.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/tasks/synth/synth_evaluate_tables.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

std::string table_text(const TextTable& table) {
  return table.caption + "\n" + format_table(table.head, table.rows, table.num_left);
}

/// The errors of the marginals of single columns and the largest ones.
void add_marginals(Json& json, const SynthEvaluateReport& report, const MarginalErrors& errors) {
  Json columns = Json::array();
  for (const MarginalError& error : errors.columns) {
    columns.push_back({{"column", columns_of(report, error).front()},
                       {"error", number(error.error)},
                       {"bootstrap", number(error.bootstrap)},
                       {"second_half", number(error.second_half)}});
  }
  Json degrees = Json::array();
  for (const DegreeErrors& degree : errors.degrees) {
    degrees.push_back({{"columns", degree.degree},
                       {"marginals", degree.num_marginals},
                       {"error", number(degree.error)},
                       {"bootstrap", number(degree.bootstrap)},
                       {"second_half", number(degree.second_half)}});
  }
  Json largest = Json::array();
  for (const MarginalError& error : errors.largest) {
    largest.push_back({{"columns", columns_of(report, error)},
                       {"error", number(error.error)},
                       {"bootstrap", number(error.bootstrap)},
                       {"second_half", number(error.second_half)}});
  }
  json["degrees"] = std::move(degrees);
  json["single_columns"] = std::move(columns);
  json["largest_errors"] = std::move(largest);
}

Json parity_to_json(const SynthEvaluateReport& report) {
  const SynthParity& parity = *report.parity;
  Json groups = Json::array();
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    Json group = {{"group", to_json(parity.groups[g])},
                  {"real_records", parity.num_real[g]},
                  {"synthetic_records", parity.num_synthetic[g]}};
    const std::optional<MarginalErrors>& marginals = parity.errors[g];
    group["workload_error"] = marginals ? number(marginals->workload_error) : Json(nullptr);
    group["bootstrap"] = marginals ? number(marginals->bootstrap) : Json(nullptr);
    group["second_half"] = marginals ? number(marginals->second_half) : Json(nullptr);
    if (marginals) add_marginals(group, report, *marginals);
    if (parity.means) {
      Json real = Json::object();
      Json synthetic = Json::object();
      Json real_values = Json::object();
      Json synthetic_values = Json::object();
      Json errors = Json::object();
      Json bootstrap = Json::object();
      Json second_half = Json::object();
      for (size_t i = 0; i < parity.means->columns.size(); ++i) {
        const std::string& name = parity.means->columns[i].column;
        real[name] = number(parity.real_means[i].means[g]);
        synthetic[name] = number(parity.synthetic_means[i].means[g]);
        real_values[name] = parity.real_means[i].num_records[g];
        synthetic_values[name] = parity.synthetic_means[i].num_records[g];
        errors[name] = number(mean_error(parity, i, g));
        bootstrap[name] = number(parity.mean_yardsticks[i].bootstrap[g]);
        second_half[name] = number(parity.mean_yardsticks[i].second_half[g]);
      }
      group["real_means"] = std::move(real);
      group["synthetic_means"] = std::move(synthetic);
      group["real_values"] = std::move(real_values);
      group["synthetic_values"] = std::move(synthetic_values);
      group["mean_errors"] = std::move(errors);
      group["mean_errors_of_bootstrap"] = std::move(bootstrap);
      group["mean_errors_of_second_half"] = std::move(second_half);
    }
    groups.push_back(std::move(group));
  }
  Json json = {{"by", parity.by},
               {"groups", std::move(groups)},
               {"marginals",
                {{"parity_error", number(parity.marginals.parity_error)},
                 {"largest_error", number(parity.marginals.largest_group)},
                 {"largest_difference", number(parity.marginals.largest_difference)}}}};
  if (parity.omega) {
    json["omega"] = *parity.omega;
    json["marginals"]["printed_parity_error"] = number(parity.marginals.printed.at(*parity.omega));
  }
  if (parity.means) {
    const MeansParity& means = *parity.means;
    Json columns = Json::array();
    for (size_t i = 0; i < means.columns.size(); ++i) {
      const ColumnParity& column = means.columns[i];
      columns.push_back({{"column", column.column},
                         {"real_mean", number(parity.real_means[i].overall)},
                         {"synthetic_mean", number(parity.synthetic_means[i].overall)},
                         {"real_values", num_values(parity.real_means[i])},
                         {"synthetic_values", num_values(parity.synthetic_means[i])},
                         {"parity_error", number(column.error.parity_error)},
                         {"population_error", number(overall_mean_error(parity, i))},
                         {"bootstrap", number(parity.mean_yardsticks[i].bootstrap.back())},
                         {"second_half", number(parity.mean_yardsticks[i].second_half.back())},
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
    if (parity.omega)
      json["means"]["printed_parity_error"] = number(printed_parity_of_means(parity));
  }
  return json;
}

/// How many are judged: records, or units where these may have several.
const char* judged_key(const ProtectedUnit& unit) { return unit.is_row() ? "records" : "units"; }

Json rates_of(const Metrics& metrics, const ProtectedUnit& unit) {
  return {{judged_key(unit), metrics.num_records},
          {unit.is_row() ? "positives" : "positive_rows", metrics.num_positives},
          {"accuracy", number(metrics.accuracy.value)},
          {"selection_rate", number(metrics.selection_rate.value)},
          {"false_negative_rate", number(metrics.false_negative_rate.value)}};
}

Json errors_of_numbers(const Metrics& metrics, const ProtectedUnit& unit) {
  return {{judged_key(unit), metrics.num_records},
          {"rmse", number(metrics.rmse.value)},
          {"mean_error", number(metrics.mean_error.value)},
          {"r_squared", number(metrics.r_squared.value)}};
}

/// Figures of everybody and of groups, if any.
template <typename Learnt, typename Figures>
Json learnt_to_json(const Learnt& learnt, const Figures& figures,
                    const SynthEvaluateReport& report) {
  Json json = figures(learnt.overall, report.unit);
  if (!report.parity) return json;
  Json groups = Json::array();
  for (size_t g = 0; g < learnt.groups.size(); ++g) {
    Json group = {{"group", to_json(report.parity->groups[g])}};
    group.update(figures(learnt.groups[g], report.unit));
    groups.push_back(std::move(group));
  }
  json["groups"] = std::move(groups);
  return json;
}

void add_records(const LearntRecords& records, Json& json) {
  json["trained_on"] = records.num_trained;
  json["missing_features_count_as"] = Json::object();
  for (const auto& [column, text] : records.fills) json["missing_features_count_as"][column] = text;
}

Json regression_to_json(const SynthEvaluateReport& report) {
  const SynthRegression& regression = *report.regression;
  Json json = {{"target", regression.target},
               {"unit", regression.unit.empty() ? Json(nullptr) : Json(regression.unit)}};
  add_records(regression.records, json);
  const auto& results = regression.results;
  json.update(learnt_to_json(results.synthetic, errors_of_numbers, report));
  json["bootstrap"] = learnt_to_json(results.bootstrap, errors_of_numbers, report);
  json["second_half"] = learnt_to_json(results.second_half, errors_of_numbers, report);
  return json;
}

Json correlations_to_json(const SynthEvaluateReport& report) {
  const SynthCorrelations& correlations = *report.correlations;
  const auto names_of_pair = [&](size_t place) {
    const auto [first, second] = correlations.pair(place);
    return std::vector<std::string>{first, second};
  };
  const auto count = [](const std::optional<int64_t>& records) {
    return records ? Json(*records) : Json(nullptr);
  };
  const auto errors_of = [&](const SynthCorrelations::Errors& errors) {
    const CorrelationError& synthetic = errors.synthetic;
    return Json{{"pairs", synthetic.num_pairs},
                {"pairs_constant_in_rows", synthetic.num_undefined},
                {"fewest_real_records", count(errors.fewest_records)},
                {"mean_difference", number(synthetic.mean)},
                {"largest_difference", number(synthetic.largest)},
                {"worst_pair", synthetic.num_pairs > 0 ? Json(names_of_pair(synthetic.worst_pair))
                                                       : Json(nullptr)},
                {"bootstrap",
                 {{"mean_difference", number(errors.bootstrap_mean)},
                  {"largest_difference", number(errors.bootstrap_largest)}}},
                {"second_half",
                 {{"mean_difference", number(errors.second_half.mean)},
                  {"largest_difference", number(errors.second_half.largest)}}}};
  };
  Json json = {{"kind", "pearson"}, {"columns", correlations.columns}};
  json.update(errors_of(correlations.everybody));
  Json pairs = Json::array();
  for (size_t i = 0; i < correlations.real.values.size(); ++i) {
    pairs.push_back({{"columns", names_of_pair(i)},
                     {"real", number(correlations.real.values[i])},
                     {"synthetic", number(correlations.synthetic.values[i])},
                     {"real_records", correlations.real.num_records[i]},
                     {"synthetic_records", correlations.synthetic.num_records[i]}});
  }
  json["of_pairs"] = std::move(pairs);
  if (!report.parity) return json;
  json["groups"] = Json::array();
  for (size_t g = 0; g < correlations.groups.size(); ++g) {
    Json group = {{"group", to_json(report.parity->groups[g])}};
    group.update(errors_of(correlations.groups[g]));
    json["groups"].push_back(std::move(group));
  }
  return json;
}

Json classifier_to_json(const SynthEvaluateReport& report) {
  const SynthClassifier& classifier = *report.classifier;
  const DownstreamClassifier& result = classifier.results.synthetic;
  Json json = {{"target", classifier.target}, {"positive", classifier.positive}};
  add_records(classifier.records, json);
  json.update(learnt_to_json(result, rates_of, report));
  json["bootstrap"] = learnt_to_json(classifier.results.bootstrap, rates_of, report);
  json["second_half"] = learnt_to_json(classifier.results.second_half, rates_of, report);
  if (!report.parity) return json;
  json["demographic_parity_difference"] =
      number(result.selection_rate.difference_between_groups.value);
  json["demographic_parity_ratio"] = number(result.selection_rate.ratio_between_groups);
  json["false_negative_rate_difference"] =
      number(result.false_negative_rate.difference_between_groups.value);
  json["false_negative_rate_left_out"] = Json::array();
  for (const size_t group : result.false_negative_rate.left_out)
    json["false_negative_rate_left_out"].push_back(
        Json{{"group", to_json(report.parity->groups[group])}});
  return json;
}

}  // namespace

Json synth_evaluate_to_json(const SynthEvaluateRequest& request,
                            const SynthEvaluateReport& report) {
  const std::vector<MarginalError>& largest = report.errors.largest;
  Json json = {
      {"notice",
       std::string(kDoNotPublish) + "every figure compares with the real records without noise"},
      {"notice_of_choice", kDoNotChooseBy},
      {"schema", "equinoise/1"},
      {"report", "synth evaluate"},
      {"status", "not private"},
      {"workload_error", number(report.errors.workload_error)},
      {"bootstrap", number(report.errors.bootstrap)},
      {"second_half", number(report.errors.second_half)},
      {"bootstrap_draws", kNumBootstraps},
      {"marginals", report.num_marginals},
      {"degree", report.degree},
      {"worst", largest.empty() ? std::vector<std::string>() : columns_of(report, largest.front())},
      {"worst_error", largest.empty() ? Json(nullptr) : number(largest.front().error)},
      {"weights", request.weight_column.empty() ? Json(nullptr) : Json(request.weight_column)},
      {"unit", report.unit.name},
      {"real_records", report.num_real},
      {"complete_real_records", report.num_complete},
      {"synthetic_records", report.num_synthetic}};
  if (!report.unit.is_row()) json["max_records_per_unit"] = report.unit.max_records;
  add_marginals(json, report, report.errors);
  if (report.parity) json["parity"] = parity_to_json(report);
  if (report.correlations) json["correlations"] = correlations_to_json(report);
  if (report.classifier) json["classifier"] = classifier_to_json(report);
  if (report.regression) json["regression"] = regression_to_json(report);
  json["not_private_ingest"] = report.ingest_notes;
  json["seconds"] = report.seconds;
  json["files"] = report.files;
  return json;
}

std::string synth_evaluate_to_text(const SynthEvaluateRequest& request,
                                   const SynthEvaluateReport& report) {
  const MarginalErrors& errors = report.errors;
  std::string text;
  for (const std::string& line : {weights_line(request, report), units_line(report)})
    if (!line.empty()) text += line + "\n";
  text += fmt::format(
      "workload error {} (a bootstrap of the real rows {}): half the L1 distance, averaged over {} "
      "marginals of {} columns{}\n",
      error_figure(errors.workload_error), error_figure(errors.bootstrap),
      format_count(report.num_marginals), report.degree, complete_cases(report));
  if (errors.largest.empty()) {
    text += "largest: -\n";
  } else {
    const MarginalError& largest = errors.largest.front();
    text += fmt::format("largest: {}, {} (a bootstrap of the real rows {})\n",
                        columns_of(columns_of(report, largest)), error_figure(largest.error),
                        error_figure(largest.bootstrap));
  }
  text += "\n" + table_text(degrees_table(report));
  text += "\n" + table_text(columns_table(report)) + how_to_read_marginals() + "\n";
  const SynthParity* parity = report.parity ? &*report.parity : nullptr;
  if (parity != nullptr) {
    text += "\n" + table_text(parity_table(*parity, true)) + lines_of(parity_lines(*parity));
    if (parity->means) text += std::string(kHowToReadMeans) + "\n";
  }
  if (report.correlations)
    text += "\n" + table_text(correlations_table(report)) + kHowToReadCorrelations + "\n";
  if (report.classifier) {
    for (const LearntFigure& figure : figures_of(*report.classifier))
      text += "\n" + table_text(learnt_table(*report.classifier, figure, parity));
    text += std::string(kHowToReadLearnt) + "\n" +
            lines_of(records_lines(report.classifier->target, report.classifier->records,
                                   report.classifier->results.synthetic.overall.num_records)) +
            lines_of(classifier_lines(*report.classifier, parity));
  }
  if (report.regression) {
    for (const LearntFigure& figure : figures_of(*report.regression))
      text += "\n" + table_text(learnt_table(*report.regression, figure, parity));
    text += std::string(kHowToReadLearnt) + "\n" +
            lines_of(records_lines(report.regression->target, report.regression->records,
                                   report.regression->results.synthetic.overall.num_records));
  }
  text += fmt::format(
      "These figures are NOT PRIVATE: they compare with the real records without noise and cost no "
      "budget. Do not publish them.\n{}\n",
      kDoNotChooseBy);
  return text + closing_lines(report.ingest_notes, {}, report.files);
}

}  // namespace equinoise
