// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <memory>
#include <thread>

#include "cli/commands.h"
#include "cli/constraint_options.h"
#include "cli/group_options.h"
#include "cli/progress_bar.h"
#include "cli/schema_options.h"
#include "cli/standard_output.h"
#include "equinoise/base/error.h"
#include "equinoise/report/audit/audit_json.h"
#include "equinoise/report/audit/audit_text.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/tasks/audit/audit.h"

namespace equinoise::cli {

namespace {

struct AuditOptions {
  AuditRequest request;
  GroupOptions groups;
  std::vector<std::string> limits;
};

/// "accuracy=0.1"
DisparityLimit parse_limit(const std::string& text) {
  const size_t sign = text.find('=');
  DisparityLimit limit{text.substr(0, sign), 0};
  const char* begin = text.data() + (sign == std::string::npos ? text.size() : sign + 1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, limit.max_disparity);
  if (error != std::errc() || stop != end) {
    throw Error(
        ErrorKind::kUsage, "cli.audit",
        fmt::format("--max-disparity takes METRIC=NUMBER, as in accuracy=0.1, got {}", text));
  }
  return limit;
}

void run_audit(AuditOptions& options, const CommonOptions& common) {
  AuditRequest request = options.request;
  request.groupings = options.groups.groupings();
  request.floor = options.groups.floor();
  for (const std::string& limit : options.limits) request.limits.push_back(parse_limit(limit));
  request.command = common.command_line;
  request.threads = common.threads > 0
                        ? common.threads
                        : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  ProgressBar progress(common.quiet, isatty(STDERR_FILENO) == 1);
  const AuditReport report = audit(request, progress);
  if (common.json) {
    fmt::print("{}", to_text(audit_to_json(report)));
  } else {
    fmt::print("{}", audit_to_text(report));
  }
  // A limit that does not hold ends the command, and must not hide that its output got lost.
  flush_output();
  require_limits(report);
}

}  // namespace

void add_audit_command(CLI::App& app, CommonOptions& common) {
  CLI::App* command = add_command(
      app, "audit", "Measure a trained model on each group, with intervals (NOT PRIVATE)",
      "equinoise audit --model model --data data/adult/adult.csv.gz --held-out \\\n"
      "    --groups sex,race --groups sex --max-disparity accuracy=0.15",
      common);
  auto options = std::make_shared<AuditOptions>();
  AuditRequest& request = options->request;
  command
      ->add_option("--model", request.model_path,
                   "Folder written by equinoise train, or the model.json in it")
      ->required();
  command
      ->add_option("--data", request.data_path,
                   "Table with the model's columns and its target (CSV, ARFF, JSON, Parquet), or "
                   "images (idx file, folder of JPEG files)")
      ->required();
  add_table_options(*command, request.table);
  add_labels_option(*command, request.labels_path);
  add_group_options(*command, options->groups);
  command->add_flag("--held-out", request.held_out_only,
                    "Audit only the records that the model's split held out of the training table");
  command->add_option("--reference", request.reference_path,
                      "Model of the same target to compare with; the report shows what the audited "
                      "model loses against it");
  command->add_option("--schema", request.schema_path,
                      "Schema to use in place of the model's own, for example with more "
                      "[groups.NAME]; it must encode records in the same way");
  command->add_option("--max-disparity", options->limits,
                      "METRIC=NUMBER: largest difference allowed between groups; if it is exceeded "
                      "or not answerable, the exit code is 5; repeatable");
  add_constraint_options(*command, request.constraints, request.constraints_path);
  CLI::Option* explain = command->add_flag(
      "--explain", request.explain,
      "Also show why groups lose: the effect of one training step on each group's loss through "
      "clipping (length, direction) and noise, with gradients and curvature");
  command
      ->add_option("--explain-directions", request.explain_directions,
                   "Number of random directions for the estimates of curvature")
      ->needs(explain)
      ->capture_default_str();
  command->add_option("--out", request.out_path, "Folder for report.json and report.html");
  command->add_flag("--force", request.force, "Replace files in an existing --out");
  command->callback([options, &common] { run_audit(*options, common); });
}

}  // namespace equinoise::cli
