// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/quotes.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/synth/synth_evaluate_tables.h"

namespace equinoise {

namespace {

/// One line of the file.
struct FigureLine {
  std::string_view kind;
  std::vector<std::string> columns = {};
  GroupLabel group = {};
  std::string_view unit;
  std::optional<double> real = {};
  std::optional<double> synthetic = {};
  std::optional<double> error = {};
  std::optional<double> bootstrap = {};
  int64_t num_real = 0;
};

constexpr std::string_view kHalfL1 = "half L1 distance (0 to 1)";

std::string figure_cell(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string names_cell(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + with_quotes(name);
  return csv_cell(text);
}

std::string label_cell(const GroupLabel& group) {
  std::string text;
  for (const auto& [column, value] : group)
    text += (text.empty() ? "" : ",") + with_quotes(column) + "=" + with_quotes(value);
  return csv_cell(text);
}

/// The lines of a report, in order.
class FigureLines {
 public:
  FigureLines(const SynthEvaluateRequest& request, const SynthEvaluateReport& report)
      : request_(request), report_(report) {}

  void add(FigureLine line) {
    text_ += fmt::format("{},{},{},{},{},{},{},{},{}\n", line.kind, names_cell(line.columns),
                         label_cell(line.group), line.unit, figure_cell(line.real),
                         figure_cell(line.synthetic), figure_cell(line.error),
                         figure_cell(line.bootstrap), line.num_real);
  }

  /// Without `errors` they are undefined.
  void add_marginals(const GroupLabel& group, const MarginalErrors* errors, int64_t num_real) {
    FigureLine line{.kind = "workload", .group = group, .unit = kHalfL1, .num_real = num_real};
    const auto add_error = [&](std::string_view kind, std::vector<std::string> columns,
                               std::optional<double> error, std::optional<double> bootstrap) {
      line.kind = kind;
      line.columns = std::move(columns);
      line.error = error;
      line.bootstrap = bootstrap;
      add(line);
    };
    if (errors == nullptr) {
      add_error("workload", {}, {}, {});
      for (const std::string& column : report_.columns) add_error("single", {column}, {}, {});
      return;
    }
    add_error("workload", {}, errors->workload_error, errors->bootstrap);
    for (const MarginalError& error : errors->columns)
      add_error("single", columns_of(report_, error), error.error, error.bootstrap);
    if (request_.degree == 1) return;  // the same as those
    for (const MarginalError& error : errors->largest)
      add_error("largest", columns_of(report_, error), error.error, error.bootstrap);
  }

  void add_mean(const SynthParity& parity, size_t column) {
    const GroupMeans& real = parity.real_means[column];
    const GroupMeans& synthetic = parity.synthetic_means[column];
    FigureLine line{.kind = "mean",
                    .columns = {parity.means->columns[column].column},
                    .unit = "relative to the real mean",
                    .real = real.overall,
                    .synthetic = synthetic.overall,
                    .error = overall_mean_error(parity, column)};
    for (const int64_t num : real.num_records) line.num_real += num;
    add(line);
    for (size_t g = 0; g < parity.groups.size(); ++g) {
      line.group = parity.groups[g];
      line.real = real.means[g];
      line.synthetic = synthetic.means[g];
      line.error = mean_error(parity, column, g);
      line.num_real = real.num_records[g];
      add(line);
    }
  }

  void add_classifier(const SynthClassifier& classifier, const Metrics& metrics,
                      const GroupLabel& group) {
    for (const std::string_view kind : {"accuracy", "selection_rate", "false_negative_rate"}) {
      add({.kind = kind,
           .columns = {classifier.target},
           .group = group,
           .unit = "share of real records",
           .synthetic = estimate_of(metrics, kind).value,
           .num_real = metrics.num_records});
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  const SynthEvaluateRequest& request_;
  const SynthEvaluateReport& report_;
  std::string text_ = "kind,columns,group,unit,real,synthetic,error,bootstrap,real_records\n";
};

}  // namespace

std::string synth_evaluate_to_csv(const SynthEvaluateRequest& request,
                                  const SynthEvaluateReport& report) {
  FigureLines lines(request, report);
  lines.add_marginals({}, &report.errors, report.num_real);
  const SynthParity* parity = report.parity ? &*report.parity : nullptr;
  const size_t num_groups = parity != nullptr ? parity->groups.size() : 0;
  for (size_t g = 0; g < num_groups; ++g) {
    const std::optional<MarginalErrors>& errors = parity->errors[g];
    lines.add_marginals(parity->groups[g], errors ? &*errors : nullptr, parity->num_real[g]);
  }
  if (parity != nullptr && parity->means)
    for (size_t i = 0; i < parity->means->columns.size(); ++i) lines.add_mean(*parity, i);
  if (report.classifier) {
    const SynthClassifier& classifier = *report.classifier;
    lines.add_classifier(classifier, classifier.result.overall, {});
    for (size_t g = 0; g < num_groups; ++g)
      lines.add_classifier(classifier, classifier.result.groups[g], parity->groups[g]);
  }
  return std::move(lines).text();
}

}  // namespace equinoise
