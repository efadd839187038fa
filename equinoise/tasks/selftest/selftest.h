// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/progress.h"

namespace equinoise {

/// How a check ended.
enum class SelfTestOutcome {
  kPassed,
  kFailed,    ///< something is wrong for certain: an answer differs from the known one
  kUnlikely,  ///< a statistical test failed: chance, with the probability that it states, or a
              ///< fault
  kError,     ///< the check could not be carried out
};

std::string_view to_string(SelfTestOutcome outcome);  ///< "passed", "failed", "unlikely", "error"

struct SelfTestFinding {
  SelfTestOutcome outcome = SelfTestOutcome::kPassed;
  std::string detail;  ///< what was compared, with figures
};

/// One row of the table of checks.
struct SelfTestRow {
  std::string_view name;
  std::string_view what;  ///< what it shows when it passes
  /// An exception is reported as SelfTestOutcome::kError.
  SelfTestFinding (*run)();
};

const std::vector<SelfTestRow>& selftest_rows();

struct SelfTestCheck {
  std::string name;
  std::string what;
  SelfTestFinding finding;

  bool passed() const { return finding.outcome == SelfTestOutcome::kPassed; }
};

struct SelfTestReport {
  std::vector<SelfTestCheck> checks;
  double seconds = 0;

  bool passed() const;
};

/// Runs the checks one after another, all of them, whatever they find. They use made-up numbers and
/// a ledger of their own in a temporary folder; no file of the user is opened.
SelfTestReport run_selftest(const std::vector<SelfTestRow>& rows, TaskProgress& progress);

/// Throws a run-time error that names the checks that did not pass and says what that means, if
/// there are any.
void require_passed(const SelfTestReport& report);

}  // namespace equinoise
