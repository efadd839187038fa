// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/report/format.h"
#include "equinoise/tasks/input/ingest_notes.h"

namespace equinoise {

namespace {

constexpr const char* kErrorHead = "error (0 to 1)";
constexpr const char* kBootstrapHead = "bootstrap (0 to 1)";
constexpr const char* kHalfHead = "second half (0 to 1)";
constexpr size_t kMostPairs = 20;

/// The groups that have real records, but no synthetic rows.
std::vector<GroupLabel> without_rows(const SynthParity& parity) {
  std::vector<GroupLabel> groups;
  for (size_t g = 0; g < parity.groups.size(); ++g)
    if (parity.num_real[g] > 0 && parity.num_synthetic[g] == 0) groups.push_back(parity.groups[g]);
  return groups;
}

std::string mean_text(double mean) { return std::isfinite(mean) ? format_amount(mean) : "-"; }

/// The groups' names, if there are groups, and last everybody's.
std::vector<std::string> names_of_all(const SynthParity* parity) {
  std::vector<std::string> names;
  for (size_t g = 0; parity != nullptr && g < parity->groups.size(); ++g)
    names.push_back(values_of(parity->groups[g]));
  names.emplace_back("everybody");
  return names;
}

/// Of how many records the means of a column with gaps are, and which groups have no value in rows;
/// "" without gaps.
std::string values_line(const SynthParity& parity, size_t column) {
  const auto total = [](const std::vector<int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), int64_t{0});
  };
  const GroupMeans& real = parity.real_means[column];
  const GroupMeans& synthetic = parity.synthetic_means[column];
  const int64_t num_real = total(parity.num_real);
  const int64_t num_synthetic = total(parity.num_synthetic);
  if (num_values(real) == num_real && num_values(synthetic) == num_synthetic) return "";
  std::vector<GroupLabel> without;
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    if (real.num_records[g] > 0 && synthetic.num_records[g] == 0 && parity.num_synthetic[g] > 0)
      without.push_back(parity.groups[g]);
  }
  return fmt::format(
      "means of {} are of the {} of {} real records and the {} of {} synthetic rows that have a "
      "value{}",
      parity.means->columns[column].column, format_count(num_values(real)), format_count(num_real),
      format_count(num_values(synthetic)), format_count(num_synthetic),
      without.empty() ? ""
                      : fmt::format("; no row of {} has one, and parity errors use the overall "
                                    "mean for them",
                                    list_groups(without)));
}

template <typename Learnt>
TextTable learnt_figures(const LearntFrom<Learnt>& results, std::string caption,
                         const LearntFigure& figure, const SynthParity* parity) {
  TextTable table;
  table.caption = std::move(caption);
  const std::string unit = figure.unit.empty() ? "" : fmt::format(" ({})", figure.unit);
  table.head = {"real records of", "count", "synthetic rows" + unit, "bootstrap" + unit,
                "second half" + unit};
  const auto figure_of = [&](const Metrics& metrics) {
    const double value = estimate_of(metrics, figure.metric).value;
    return is_share(figure.metric) || figure.metric == "r_squared" ? error_figure(value)
                                                                   : mean_text(value);
  };
  const std::vector<std::string> names = names_of_all(parity);
  for (size_t g = 0; g < names.size(); ++g) {
    const auto metrics_of = [&](const Learnt& learnt) -> const Metrics& {
      return g + 1 < names.size() ? learnt.groups[g] : learnt.overall;
    };
    table.rows.push_back({names[g], format_count(metrics_of(results.synthetic).num_records),
                          figure_of(metrics_of(results.synthetic)),
                          figure_of(metrics_of(results.bootstrap)),
                          figure_of(metrics_of(results.second_half))});
  }
  table.ends_in_total = true;
  return table;
}

}  // namespace

std::string how_to_read_marginals() {
  return fmt::format(
      "Errors of marginals are half the L1 distance of the normalised counts: 0 where they are the "
      "same, 1 where they share nothing. A bootstrap is the same error of as many records, drawn "
      "from the real ones with replacement (mean of {} draws): what chance alone makes of so many "
      "records. What is well above it comes from the synthesis, its noise and its model, or from "
      "rows that are fewer than the records. A second half is the error of one random half of the "
      "real rows next to the other: both are half as large, so mostly about twice a bootstrap.",
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

int64_t num_values(const GroupMeans& means) {
  return std::accumulate(means.num_records.begin(), means.num_records.end(), int64_t{0});
}

std::string unit_of_mean_error(double real_mean, double floor) {
  if (!std::isfinite(real_mean)) return "relative";
  return std::abs(real_mean) >= floor
             ? "relative to the real mean"
             : fmt::format("relative to {} (a 20th of the bounds' width)", floor);
}

std::string units_line(const SynthEvaluateReport& report) {
  if (report.unit.is_row()) return "";
  return fmt::format(
      "units: figures are of the rows that count, at most {0} of a {1}; a bootstrap draws each {1} "
      "with all of these, and so is a half made; intervals take each {1} as drawn independently, "
      "and where something is learnt the numbers of real records are those of a {1} with any",
      format_count(report.unit.max_records), report.unit.name);
}

std::string complete_cases(const SynthEvaluateReport& report) {
  if (report.num_complete == report.num_read) return "";
  return fmt::format("; {} are complete",
                     count_and_share(report.num_complete, report.num_read, "real records"));
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
  table.head = {"column", kErrorHead, kBootstrapHead, kHalfHead};
  for (const MarginalError& error : report.errors.columns) {
    table.rows.push_back({columns_of(report, error).front(), error_figure(error.error),
                          error_figure(error.bootstrap), error_figure(error.second_half)});
  }
  return table;
}

TextTable degrees_table(const SynthEvaluateReport& report) {
  TextTable table;
  table.caption = "All marginals of so many columns, on average";
  table.head = {"group", "columns", "marginals", kErrorHead, kBootstrapHead, kHalfHead};
  const auto add = [&](const std::string& name, const MarginalErrors& errors) {
    for (const DegreeErrors& degree : errors.degrees) {
      table.rows.push_back({name, std::to_string(degree.degree), format_count(degree.num_marginals),
                            error_figure(degree.error), error_figure(degree.bootstrap),
                            error_figure(degree.second_half)});
    }
  };
  for (size_t g = 0; report.parity && g < report.parity->groups.size(); ++g) {
    const std::optional<MarginalErrors>& errors = report.parity->errors[g];
    if (errors) add(values_of(report.parity->groups[g]), *errors);
  }
  add("everybody", report.errors);
  return table;
}

TextTable correlations_table(const SynthEvaluateReport& report) {
  const SynthCorrelations& correlations = *report.correlations;
  TextTable table;
  table.caption = fmt::format("Correlations of {} numeric columns", correlations.columns.size());
  table.head = {"group",
                "pairs",
                "fewest records",
                "mean difference (0 to 2)",
                "bootstrap",
                "second half",
                "largest difference (0 to 2)",
                "bootstrap",
                "second half",
                "pair of the largest"};
  const auto add = [&](const std::string& name, const SynthCorrelations::Errors& errors) {
    const CorrelationError& synthetic = errors.synthetic;
    std::string where = "-";
    if (synthetic.num_pairs > 0) {
      const auto [first, second] = correlations.pair(synthetic.worst_pair);
      where = first + ", " + second;
    }
    table.rows.push_back({name, std::to_string(synthetic.num_pairs),
                          errors.fewest_records ? format_count(*errors.fewest_records) : "-",
                          error_figure(synthetic.mean), error_figure(errors.bootstrap_mean),
                          error_figure(errors.second_half.mean), error_figure(synthetic.largest),
                          error_figure(errors.bootstrap_largest),
                          error_figure(errors.second_half.largest), where});
  };
  for (size_t g = 0; g < correlations.groups.size(); ++g)
    add(values_of(report.parity->groups[g]), correlations.groups[g]);
  add("everybody", correlations.everybody);
  table.ends_in_total = true;
  return table;
}

TextTable largest_correlations_table(const SynthCorrelations& correlations) {
  TextTable table;
  table.caption = "Pairs with the largest differences of correlations";
  table.head = {"columns", "real records with both", "real", "synthetic", "difference"};
  std::vector<std::pair<double, size_t>> order;
  const std::vector<double>& real = correlations.real.values;
  const std::vector<double>& synthetic = correlations.synthetic.values;
  for (size_t i = 0; i < real.size(); ++i) {
    if (std::isfinite(real[i]) && std::isfinite(synthetic[i]))
      order.emplace_back(-std::abs(synthetic[i] - real[i]), i);
  }
  std::sort(order.begin(), order.end());
  if (order.size() > kMostPairs) order.resize(kMostPairs);
  for (const auto& [difference, i] : order) {
    const auto [first, second] = correlations.pair(i);
    table.rows.push_back({first + ", " + second, format_count(correlations.real.num_records[i]),
                          error_figure(real[i]), error_figure(synthetic[i]),
                          error_figure(synthetic[i] - real[i])});
  }
  return table;
}

TextTable largest_table(const SynthEvaluateReport& report) {
  TextTable table;
  table.caption = fmt::format("Largest errors of {} marginals of {} columns",
                              format_count(report.num_marginals), report.degree);
  table.head = {"columns", kErrorHead, kBootstrapHead, kHalfHead};
  for (const MarginalError& error : report.errors.largest) {
    table.rows.push_back({columns_of(columns_of(report, error)), error_figure(error.error),
                          error_figure(error.bootstrap), error_figure(error.second_half)});
  }
  return table;
}

TextTable parity_table(const SynthParity& parity, bool with_means) {
  TextTable table;
  table.caption = fmt::format("By {}", columns_of(parity.by));
  table.head = {"group", "real", "synthetic", "workload error (0 to 1)", kBootstrapHead, kHalfHead};
  const size_t num_means = with_means && parity.means ? parity.means->columns.size() : 0;
  for (size_t i = 0; i < num_means; ++i)
    table.head.push_back(fmt::format("mean of {}, relative", parity.means->columns[i].column));
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    const std::optional<MarginalErrors>& errors = parity.errors[g];
    std::vector<std::string>& row = table.rows.emplace_back();
    row = {values_of(parity.groups[g]),
           format_count(parity.num_real[g]),
           format_count(parity.num_synthetic[g]),
           errors ? error_figure(errors->workload_error) : "-",
           errors ? error_figure(errors->bootstrap) : "-",
           errors ? error_figure(errors->second_half) : "-"};
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
  table.head = {"group",
                "real records with a value",
                "real mean",
                "synthetic mean",
                "relative error",
                "bootstrap (relative)",
                "second half (relative)"};
  const MeanYardsticks& yardsticks = parity.mean_yardsticks[column];
  for (size_t g = 0; g < parity.groups.size(); ++g) {
    table.rows.push_back(
        {values_of(parity.groups[g]), format_count(real.num_records[g]), mean_text(real.means[g]),
         mean_text(synthetic.means[g]), error_figure(mean_error(parity, column, g)),
         error_figure(yardsticks.bootstrap[g]), error_figure(yardsticks.second_half[g])});
  }
  table.rows.push_back(
      {"everybody", format_count(num_values(real)), mean_text(real.overall),
       mean_text(synthetic.overall), error_figure(overall_mean_error(parity, column)),
       error_figure(yardsticks.bootstrap.back()), error_figure(yardsticks.second_half.back())});
  table.ends_in_total = true;
  return table;
}

std::vector<LearntFigure> figures_of(const SynthClassifier&) {
  return {{"accuracy", "accuracy", "share of records"},
          {"selection_rate", "predicted positive", "share of records"},
          {"false_negative_rate", "false negative rate", "share of the positive"}};
}

std::vector<LearntFigure> figures_of(const SynthRegression& regression) {
  const std::string unit =
      regression.unit.empty() ? "units of " + regression.target : regression.unit;
  return {{"rmse", "root mean squared error", unit},
          {"mean_error", "mean of prediction - target", unit},
          {"r_squared", "R squared", ""}};
}

TextTable learnt_table(const SynthClassifier& classifier, const LearntFigure& figure,
                       const SynthParity* parity) {
  return learnt_figures(classifier.results,
                        fmt::format("Classifier of {} = {}: {}", classifier.target,
                                    classifier.positive, figure.title),
                        figure, parity);
}

TextTable learnt_table(const SynthRegression& regression, const LearntFigure& figure,
                       const SynthParity* parity) {
  return learnt_figures(regression.results,
                        fmt::format("Regression of {}: {}", regression.target, figure.title),
                        figure, parity);
}

std::optional<double> printed_parity_of_means(const SynthParity& parity) {
  if (!parity.omega || !parity.means || !parity.means->printed) return std::nullopt;
  return parity.means->printed->at(*parity.omega);
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
  if (parity.omega) {
    lines.push_back(fmt::format(
        "parity error as printed, omega {:g}: of marginals {}{}", *parity.omega,
        error_figure(parity.marginals.printed.at(*parity.omega)),
        parity.means ? fmt::format(", of means {}", error_figure(printed_parity_of_means(parity)))
                     : ""));
  }
  if (const std::vector<GroupLabel> groups = without_rows(parity); !groups.empty()) {
    lines.push_back(
        fmt::format("no synthetic rows of {}, so they have no means; parity errors use the overall "
                    "means for them",
                    list_groups(groups)));
  }
  for (size_t i = 0; parity.means && i < parity.means->columns.size(); ++i) {
    const std::string line = values_line(parity, i);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> records_lines(const std::string& target, const LearntRecords& records,
                                       int64_t num_tested) {
  std::vector<std::string> lines;
  if (records.has_gaps) {
    lines.push_back(fmt::format(
        "trained on the {} synthetic rows and tested on the {} real records that have a value of "
        "{}",
        format_count(records.num_trained), format_count(num_tested), target));
  }
  if (!records.fills.empty()) {
    std::string fills;
    for (const auto& [column, text] : records.fills)
      fills += fmt::format("{}{} as {}", fills.empty() ? "" : ", ", column, text);
    lines.push_back("missing cells of features count as numbers, as a model takes them: " + fills);
  }
  return lines;
}

std::vector<std::string> classifier_lines(const SynthClassifier& classifier,
                                          const SynthParity* parity) {
  if (parity == nullptr) return {};
  const DownstreamClassifier& result = classifier.results.synthetic;
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
