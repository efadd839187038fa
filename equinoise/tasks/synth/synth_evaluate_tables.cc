// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "equinoise/report/format.h"

namespace equinoise {

namespace {

constexpr const char* kErrorHead = "error (0 to 1)";
constexpr const char* kBootstrapHead = "bootstrap (0 to 1)";

/// The groups that have real records, but no synthetic rows.
std::vector<GroupLabel> without_rows(const SynthParity& parity) {
  std::vector<GroupLabel> groups;
  for (size_t g = 0; g < parity.groups.size(); ++g)
    if (parity.num_real[g] > 0 && parity.num_synthetic[g] == 0) groups.push_back(parity.groups[g]);
  return groups;
}

std::string mean_text(double mean) { return std::isfinite(mean) ? format_amount(mean) : "-"; }

}  // namespace

std::string how_to_read_marginals() {
  return fmt::format(
      "Errors of marginals are half the L1 distance of the normalised counts: 0 where they are the "
      "same, 1 where they share nothing. A bootstrap is the same error of as many records, drawn "
      "from the real ones with replacement (mean of {} draws): what chance alone makes of so many "
      "records. What is well above it comes from the synthesis, its noise and its model, or from "
      "rows that are fewer than the records.",
      kNumBootstraps);
}

std::string error_figure(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{:.4f}", *value) : "-";
}

std::vector<std::string> columns_of(const SynthEvaluateReport& report, const MarginalError& error) {
  std::vector<std::string> names;
  for (const int column : error.columns)
    names.push_back(report.columns[static_cast<size_t>(column)]);
  return names;
}

std::optional<double> mean_error(const SynthParity& parity, size_t column, size_t group) {
  if (parity.synthetic_means[column].num_records[group] == 0) return std::nullopt;
  return parity.means->columns[column].error.relative_errors[group];
}

std::optional<double> overall_mean_error(const SynthParity& parity, size_t column) {
  if (!std::isfinite(parity.synthetic_means[column].overall) ||
      !std::isfinite(parity.real_means[column].overall))
    return std::nullopt;
  return parity.means->columns[column].error.population_relative_error;
}

std::string weights_line(const SynthEvaluateRequest& request, const SynthEvaluateReport& report) {
  if (request.weight_column.empty()) return "";
  return fmt::format(
      "weights: column {}, which is not compared; every figure is of the real records by their "
      "weights and of the synthetic rows {}; counts are of records; a bootstrap draws records, "
      "which keep their weights",
      request.weight_column,
      report.synthetic_has_weights ? "by theirs" : "as they are: they have no such column");
}

TextTable columns_table(const SynthEvaluateReport& report) {
  TextTable table;
  table.caption = "Single columns";
  table.head = {"column", kErrorHead, kBootstrapHead};
  for (const MarginalError& error : report.errors.columns) {
    table.rows.push_back({columns_of(report, error).front(), error_figure(error.error),
                          error_figure(error.bootstrap)});
  }
  return table;
}

TextTable largest_table(const SynthEvaluateRequest& request, const SynthEvaluateReport& report) {
  TextTable table;
  table.caption = fmt::format("Largest errors of {} marginals of {} columns",
                              format_count(report.num_marginals), request.degree);
  table.head = {"columns", kErrorHead, kBootstrapHead};
  for (const MarginalError& error : report.errors.largest) {
    table.rows.push_back({columns_of(columns_of(report, error)), error_figure(error.error),
                          error_figure(error.bootstrap)});
  }
  return table;
}

TextTable parity_table(const SynthParity& parity, bool with_means) {
  TextTable table;
  table.caption = fmt::format("By {}", columns_of(parity.by));
  table.head = {"group", "real", "synthetic", "workload error (0 to 1)", kBootstrapHead};
  const size_t num_means = with_means && parity.means ? parity.means->columns.size() : 0;
  for (size_t i = 0; i < num_means; ++i)
    table.head.push_back(fmt::format("mean of {}, relative", parity.means->columns[i].column));
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    const std::optional<MarginalErrors>& errors = parity.errors[g];
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {values_of(parity.groups[g]), format_count(parity.num_real[g]),
           format_count(parity.num_synthetic[g]),
           errors ? error_figure(errors->workload_error) : "-",
           errors ? error_figure(errors->bootstrap) : "-"};
    for (size_t i = 0; i < num_means; ++i) row.push_back(error_figure(mean_error(parity, i, g)));
  }
  return table;
}

TextTable group_columns_table(const SynthEvaluateReport& report) {
  const SynthParity& parity = *report.parity;
  TextTable table;
  table.caption = "Single columns by group: error, in brackets the bootstrap (each 0 to 1)";
  table.head = {"group"};
  table.head.insert(table.head.end(), report.columns.begin(), report.columns.end());
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {values_of(parity.groups[g])};
    for (size_t i = 0; i < report.columns.size(); ++i) {
      if (!parity.errors[g]) {
        row.push_back("-");
        continue;
      }
      const MarginalError& error = parity.errors[g]->columns[i];
      row.push_back(
          fmt::format("{} ({})", error_figure(error.error), error_figure(error.bootstrap)));
    }
  }
  return table;
}

TextTable group_largest_table(const SynthEvaluateReport& report) {
  const SynthParity& parity = *report.parity;
  TextTable table;
  table.caption = "The largest error of each group";
  table.head = {"group", "columns", kErrorHead, kBootstrapHead};
  table.num_left = 2;
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    if (!parity.errors[g]) continue;
    const MarginalError& error = parity.errors[g]->largest.front();
    table.rows.push_back({values_of(parity.groups[g]), columns_of(columns_of(report, error)),
                          error_figure(error.error), error_figure(error.bootstrap)});
  }
  return table;
}

TextTable means_table(const SynthParity& parity, size_t column) {
  const GroupMeans& real = parity.real_means[column];
  const GroupMeans& synthetic = parity.synthetic_means[column];
  TextTable table;
  table.caption = fmt::format("Mean of {}", parity.means->columns[column].column);
  table.head = {"group", "real records with a value", "real mean", "synthetic mean",
                "relative error"};
  int64_t num_records = 0;
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    num_records += real.num_records[g];
    table.rows.push_back({values_of(parity.groups[g]), format_count(real.num_records[g]),
                          mean_text(real.means[g]), mean_text(synthetic.means[g]),
                          error_figure(mean_error(parity, column, g))});
  }
  table.rows.push_back({"everybody", format_count(num_records), mean_text(real.overall),
                        mean_text(synthetic.overall),
                        error_figure(overall_mean_error(parity, column))});
  table.ends_in_total = true;
  return table;
}

TextTable classifier_table(const SynthClassifier& classifier, const SynthParity* parity) {
  TextTable table;
  table.caption = fmt::format("Classifier of {} = {}, trained on the synthetic rows",
                              classifier.target, classifier.positive);
  table.head = {"real records of", "count", "accuracy", "predicted positive",
                "false negative rate"};
  const auto add = [&](const std::string& name, const Metrics& metrics) {
    table.rows.push_back({name, format_count(metrics.num_records),
                          error_figure(metrics.accuracy.value),
                          error_figure(metrics.selection_rate.value),
                          error_figure(metrics.false_negative_rate.value)});
  };
  for (size_t g = 0; parity != nullptr && g < classifier.result.groups.size(); ++g)
    add(values_of(parity->groups[g]), classifier.result.groups[g]);
  add("everybody", classifier.result.overall);
  table.ends_in_total = true;
  return table;
}

std::vector<std::string> parity_lines(const SynthParity& parity) {
  std::vector<std::string> lines = {
      fmt::format("parity error of marginals {}, largest difference of groups {}",
                  error_figure(parity.marginals.parity_error),
                  error_figure(parity.marginals.largest_difference))};
  if (parity.means) {
    const MeansParity& means = *parity.means;
    lines.push_back(
        fmt::format("parity error of means {}, largest disparity {}{}",
                    error_figure(means.parity_error), error_figure(means.largest_disparity),
                    std::isfinite(means.largest_disparity)
                        ? fmt::format(" ({}, {})", means.columns[means.worst_column].column,
                                      values_of(parity.groups[means.worst_group]))
                        : ""));
  }
  if (const std::vector<GroupLabel> groups = without_rows(parity); !groups.empty()) {
    lines.push_back(
        fmt::format("no synthetic rows of {}, so they have no means; parity errors use the overall "
                    "means for them",
                    list_groups(groups)));
  }
  return lines;
}

std::vector<std::string> classifier_lines(const SynthClassifier& classifier,
                                          const SynthParity* parity) {
  if (parity == nullptr) return {};
  const DownstreamClassifier& result = classifier.result;
  std::vector<std::string> lines = {
      fmt::format("demographic parity: difference {}, ratio {}; false negative rates differ by {}",
                  error_figure(result.selection_rate.difference_between_groups.value),
                  error_figure(result.selection_rate.ratio_between_groups),
                  error_figure(result.false_negative_rate.difference_between_groups.value))};
  if (const auto& left_out = result.false_negative_rate.left_out; !left_out.empty()) {
    lines.push_back(fmt::format("groups without a false negative rate, left out: {}",
                                list_groups(groups_at(parity->groups, left_out))));
  }
  return lines;
}

}  // namespace equinoise
