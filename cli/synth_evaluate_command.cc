#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <memory>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/synth_options.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/tasks/synth_evaluate.h"

namespace equinoise::cli {

namespace {

void run_evaluate(const SynthEvaluateRequest& request, const CommonOptions& common) {
  ProgressBar progress(common.quiet, isatty(STDERR_FILENO) == 1);
  const SynthEvaluateReport report = evaluate_synthetic(request, progress);
  if (common.json) {
    fmt::print("{}", to_text(nlohmann::ordered_json({{"schema", "equinoise/1"},
                                                     {"status", "not private"},
                                                     {"workload_error", report.workload_error},
                                                     {"marginals", report.num_marginals},
                                                     {"degree", request.degree},
                                                     {"worst", report.worst},
                                                     {"worst_error", report.worst_error},
                                                     {"real_records", report.num_real},
                                                     {"synthetic_records", report.num_synthetic},
                                                     {"not_private_ingest", report.ingest_notes},
                                                     {"seconds", report.seconds}})));
    return;
  }
  fmt::print(
      "workload error {:.4f}: the mean over {} marginals of {} columns of half the L1 "
      "distance\nfarthest: {}, {:.4f}\n",
      report.workload_error, format_count(report.num_marginals), request.degree,
      fmt::join(report.worst, ", "), report.worst_error);
  for (const std::string& note : report.ingest_notes) fmt::print("not private: {}\n", note);
  fmt::print(
      "These figures are NOT PRIVATE: they compare with the real records and cost no budget. Do "
      "not publish them.\n");
}

}  // namespace

void add_synth_evaluate_command(CLI::App& synth, CommonOptions& common) {
  CLI::App* command =
      add_command(synth, "evaluate",
                  "Compare all marginals of a synthetic table with the real one; NOT PRIVATE",
                  "equinoise synth evaluate --real adult.csv --synthetic synthetic/rows.csv \\\n"
                  "    --domain adult-domain.json --degree 3",
                  common);
  auto request = std::make_shared<SynthEvaluateRequest>();
  add_domain_options(*command, request->schema);
  add_bin_options(*command, request->bins);
  // Through a string: CLI11 would cut a path at its first blank.
  command
      ->add_option_function<std::string>(
          "--real", [request](const std::string& path) { request->real_path = path; },
          "The real table (CSV, JSON, Parquet)")
      ->required();
  command
      ->add_option_function<std::string>(
          "--synthetic", [request](const std::string& path) { request->synthetic_path = path; },
          "The synthetic table")
      ->required();
  command->add_option("--degree", request->degree, "Columns of each marginal")
      ->capture_default_str();
  command->callback([request, &common] {
    require_domain(request->schema);
    request->threads = num_threads(common.threads);
    run_evaluate(*request, common);
  });
}

}  // namespace equinoise::cli
