// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/selftest/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "equinoise/base/error.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

const std::vector<SelfTestRow>& selftest_rows() {
  static const std::vector<SelfTestRow> rows = {
      {"arithmetic",
       "The processor has what the build needs; double precision rounds correctly, and exp, log "
       "and log1p are as accurate as the samplers assume",
       check_arithmetic},
      {"random source",
       "Random streams for releases are secure, differ from each other, never repeat a word and "
       "are uniform",
       check_random_source},
      {"fork", "A forked process does not repeat the random words of its parent", check_fork},
      {"known answers", "Every sampler turns known random words into the known results",
       check_known_answers},
      {"rounded Gaussian", "Noise for gradient sums has the stated distribution",
       check_rounded_gaussian_fit},
      {"rounded Laplace", "Noise for counts of a batch has the stated distribution",
       check_rounded_laplace_fit},
      {"discrete Gaussian",
       "Noise for single releases has the stated distribution, with all three samplers",
       check_discrete_gaussian_fit},
      {"discrete Laplace", "Noise for single releases has the stated distribution",
       check_discrete_laplace_fit},
      {"exponential choice", "Candidates are chosen with the stated probabilities",
       check_exponential_choice_fit},
      {"Poisson batches", "Records are drawn independently at the stated rate",
       check_poisson_batch_fit},
      {"accountants",
       "Guarantees lie above the exact values and close to them; what cannot be bounded is refused",
       check_accountants},
      {"ledger",
       "A ledger in a temporary folder records spending, refuses what exceeds the budget or "
       "repeats "
       "a key, and notices that its file was changed",
       check_ledger},
  };
  return rows;
}

bool SelfTestReport::passed() const {
  return !checks.empty() && std::ranges::all_of(checks, &SelfTestCheck::passed);
}

SelfTestReport run_selftest(const std::vector<SelfTestRow>& rows, TaskProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  SelfTestReport report;
  for (const SelfTestRow& row : rows) {
    progress.stage(fmt::format("testing {}", row.name));
    SelfTestCheck check{std::string(row.name), std::string(row.what), {}};
    try {
      check.finding = row.run();
    } catch (const std::exception& error) {
      check.finding = {SelfTestOutcome::kError, error.what()};
    }
    report.checks.push_back(std::move(check));
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

void require_passed(const SelfTestReport& report) {
  if (report.passed()) return;
  std::string names;
  bool only_unlikely = true;
  for (const SelfTestCheck& check : report.checks) {
    if (check.passed()) continue;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", check.name,
                         to_string(check.finding.outcome));
    only_unlikely = only_unlikely && check.finding.outcome == SelfTestOutcome::kUnlikely;
  }
  throw Error(ErrorKind::kRuntime, "tasks.selftest", "not passed: {}; {}", names,
              only_unlikely
                  ? "this happens by chance once in a million tests; run the self-test again, and "
                    "release nothing if it happens a second time"
                  : "release nothing with this build on this machine until the cause is known");
}

}  // namespace equinoise
