// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/report/alarms.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/tasks/audit/audit.h"

namespace equinoise::cli {

namespace {

void run_audit(const CLI::App&, const AuditRequest& request, const CommonOptions& common) {
  const auto progress = common.make_progress();
  const AuditReport report = audit(request, *progress);
  print_report(report, audit_to_json, audit_document, common, request.verbose);
  // A failed threshold throws, which must not hide that the output was lost.
  common.host.flush();
  if (!request.dry_run) require_limits(report, request.strict);
}

}  // namespace

void add_audit_command(CLI::App& app, CommonOptions& common) {
  add_request_command<AuditRequest>(
      app,
      {"audit",
       "Measure a model or logged predictions on each group, with intervals (NOT PRIVATE without "
       "--private)",
       "equinoise audit --model model --data data/adult/adult.csv.gz --held-out \\\n"
       "    --groups sex,race --groups sex --max-disparity accuracy=0.15\n"
       "  equinoise audit --predictions decisions.csv --target repaid --prediction approved \\\n"
       "    --groups sex --min-ratio selection_rate=0.8 --favourable yes\n"
       "  equinoise audit --model model --data data/adult/adult.csv.gz --held-out --private "
       "--epsilon 1"},
      common, run_audit);
}

}  // namespace equinoise::cli
