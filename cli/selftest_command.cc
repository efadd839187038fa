// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/base/error.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/tasks/selftest/machine_facts.h"
#include "equinoise/tasks/selftest/selftest.h"

namespace equinoise::cli {

namespace {

std::string report_to_text(const SelfTestReport& report) {
  std::string text;
  for (const SelfTestCheck& check : report.checks) {
    text +=
        fmt::format("{:<8}  {}: {}\n", to_string(check.finding.outcome), check.name, check.what);
    text += "          ";
    for (size_t i = 0; i < check.finding.detail.size(); ++i) {
      const bool next_item = check.finding.detail.compare(i, 2, "; ") == 0;
      if (next_item) ++i;
      text += next_item ? "\n          " : std::string(1, check.finding.detail[i]);
    }
    text += "\n";
  }
  TextTable facts{"", {"machine", ""}, {}, 2};
  for (const auto& [name, value] : machine_facts()) facts.rows.push_back({name, value});
  text += "\n" + to_text(facts);
  const auto num_passed = std::ranges::count_if(report.checks, &SelfTestCheck::passed);
  text += fmt::format("\n{} of {} checks passed in {:.1f} s\n", num_passed, report.checks.size(),
                      report.seconds);
  return text;
}

void run_checks(const CommonOptions& common) {
  const auto progress = common.make_progress();
  const SelfTestReport report = run_selftest(selftest_rows(), *progress);
  print_report(report, report_to_text(report), common);
  // A failed check ends the command, and must not hide that its output got lost.
  common.host.flush();
  require_passed(report);
}

}  // namespace

void add_selftest_command(CLI::App& app, CommonOptions& common) {
  add_command(app,
              {"selftest", "Check the random numbers, accountants and ledger on this machine",
               "equinoise selftest --json"},
              common, [&common](const CLI::App&) { run_checks(common); });
}

}  // namespace equinoise::cli
