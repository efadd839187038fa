// SPDX-License-Identifier: Apache-2.0
// Writes sample pages of every kind of chart into a folder, for pages_test.mjs: sample_pages FOLDER
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/means/means_report.h"
#include "equinoise/report/page/chart.h"
#include "equinoise/report/page/html_page.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "equinoise/report/synth/synth_report.h"
#include "equinoise/report/training/training_report.h"
#include "tests/report/compare/sample_comparison.h"
#include "tests/report/means/sample_means.h"
#include "tests/report/sample_reports.h"
#include "tests/report/synth/sample_evaluation.h"

namespace equinoise {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Many groups, one with a name that would break out of any markup.
TrainingReport many_groups() {
  TrainingReport report = sample_report();
  const GroupReport pattern = report.groups[0];
  report.groups.clear();
  for (int i = 0; i < 70; ++i) {
    GroupReport group = pattern;
    group.group = {{"ward", fmt::format("ward {}", i)}};
    group.public_size = 1000 + i * 389 % 700;
    const double cost = (i * 37 % 70 - 20) / 1000.0;
    group.cost->accuracy = {cost, {cost - 0.01 - i / 4000.0, cost + 0.02}};
    report.groups.push_back(group);
  }
  report.groups[2].group = {
      {"ward", "</script><script>window.injected = 1</script><img src=x onerror=alert(1)>"}};
  report.groups[2].cost->accuracy = {0.5, {0.4, 0.6}};
  report.groups[3].group = {{"ward", "a name that is a good deal longer than a telephone is wide"}};
  return report;
}

/// Few groups, and curves of many points.
TrainingReport few_groups() {
  TrainingReport report = sample_report();
  report.curve.clear();
  report.reference_curve.clear();
  for (int step = 0; step <= 3000; step += 100) {
    report.curve.push_back({step, 0.31 + 0.4 * std::exp(-step / 900.0)});
    report.reference_curve.push_back({step, 0.27 + 0.42 * std::exp(-step / 500.0)});
  }
  return report;
}

/// Curves and categories of an additive model.
TrainingReport additive_model() {
  TrainingReport report = sample_report();
  report.terms = sample_terms();
  TermReport& hours = report.terms.emplace_back(TermReport{{"hours"}, 0.1, {}});
  for (int i = 0; i < 33; ++i) {
    const double at = std::sin(i / 5.0) / 3;
    hours.parts.push_back({{fmt::format("{} to {}", 3 * i, 3 * i + 2)},
                           3.0 * i,
                           3.0 * i + 3,
                           std::exp(-(i - 13) * (i - 13) / 18.0) / 7.5,
                           {at},
                           {at - 0.02},
                           {at + 0.02}});
  }
  std::swap(report.terms[0], report.terms[4]);
  std::swap(report.terms[3], report.terms[4]);
  return report;
}

/// What the other pages have none of: errors with ticks, a logarithmic axis, lines that rise.
std::string other_charts() {
  const auto row = [](std::string name, double error, double yardstick) {
    return DotRow{std::move(name), "", {.value = error}, yardstick};
  };
  const DotChart errors{.id = "errors",
                        .title = "Errors of single columns",
                        .metric = "error",
                        .axis_label = "total variation distance",
                        .name_head = "column",
                        .size_head = "",
                        .rows = {row("age", 0.021, 0.008), row("sex", 0.004, 0.003),
                                 row("income", kNone, kNone), row("hours", 0.034, 0.01)},
                        .total = row("mean of all columns", 0.0197, 0.007),
                        .compares_with_zero = true,
                        .kind = DotKind::kErrors};
  LineChart budgets{"budgets",
                    "Error over budgets",
                    "Errors of three methods.",
                    "epsilon",
                    {{"dpsgd", {{0.01, 0.4}, {0.1, 0.3}, {1, 0.2}, {10, 0.18}}},
                     {"mgr", {{0.01, 0.41}, {1, 0.22}, {10, 0.17}}},
                     {"sgd", {{0.01, 0.15}, {10, 0.15}}}},
                    true,
                    true};
  LineChart roc{
      .id = "roc",
      .title = "Receiver operating characteristic",
      .description = "True positive rates by false positive rates",
      .axis_label = "false positive rate",
      // Two places differ by less than a pixel can show.
      .lines = {{"overall", {{0, 0}, {0, 0.4}, {0.2, 0.7}, {0.2, 0.8}, {1 - 1e-12, 1}, {1, 1}}}},
      .up_label = "true positive rate"};
  return html_page("Other charts", html_section("Charts", Fence::kNotPrivate,
                                                dot_chart(errors, {1, 1, 1, 1}, "") +
                                                    line_chart(budgets) + line_chart(roc)));
}

/// Rows with drawings of two columns, in a stratum each.
std::string rows_page() {
  RowsCard card;
  card.dataset = "visits";
  card.method = "aim";
  card.version = "1.2.3";
  card.status = PrivacyStatus::kPrivate;
  card.rows = {1000};
  card.num_records = 1000;
  card.privacy = RowsPrivacy{{Epsilon(1), Delta(1e-6), AccountantName::kZcdp, Relation::kZeroOut},
                             "person",
                             2,
                             {},
                             {"Protected: one person."}};
  card.privacy_line = "epsilon 1, delta 1e-06 (zcdp, zero_out)";
  card.rho = 0.04;
  card.columns = {{.name = "sex", .kind = "categories", .num_categories = 2, .gaps = "none"}};
  CardMarginal& marginal = card.measured.emplace_back();
  marginal.columns = {"sex"};
  marginal.noise_stddev = 20;
  card.limits = {"Rows have no order."};
  card.how_to_quote = {"Say that figures are of synthetic rows."};
  card.released = {{"sex", 20, {{"Female", 310}, {"Male", 690}}},
                   {"age", 20, {{"17 to below 50", -4}, {"50 to 90", 800}}}};
  SynthReport report;
  report.version = card.version;
  report.command = "equinoise synth --schema visits.toml --data visits.csv --epsilon 1";
  report.rounds.emplace_back().columns = {"sex", "age"};
  return to_page(synth_page(report, card));
}

int write_pages(const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const std::string& page) {
    std::ofstream(folder / name, std::ios::binary) << page;
  };
  write("training.html", to_page(training_document(few_groups())));
  write("many_groups.html", to_page(training_document(many_groups())));
  write("additive.html", to_page(training_document(additive_model())));
  write("audit.html", to_page(audit_document(sample_audit())));
  write("other_charts.html", other_charts());
  write("comparison.html", to_page(compare_document(sample_comparison())));
  write("means.html", to_page(means_document(sample_explained_means())));
  write("rows.html", rows_page());
  write("evaluation.html", to_page(evaluation_document(testing::sample_evaluation())));
  return 0;
}

}  // namespace
}  // namespace equinoise

int main(int argc, char** argv) { return argc == 2 ? equinoise::write_pages(argv[1]) : 2; }
