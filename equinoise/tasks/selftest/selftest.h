// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/progress.h"
#include "equinoise/report/fields.h"
#include "equinoise/tasks/selftest/machine_facts.h"

namespace equinoise {

/// The outcome of a check.
enum class SelfTestOutcome {
  kPassed,
  kFailed,    ///< certainly wrong: an answer differs from the known one
  kUnlikely,  ///< a statistical test failed: by chance, with the stated probability, or by a fault
  kError,     ///< the check could not be carried out
};

template <>
inline constexpr EnumWords<SelfTestOutcome, 4> words_for<SelfTestOutcome> = {
    {{SelfTestOutcome::kPassed, "passed"},
     {SelfTestOutcome::kFailed, "failed"},
     {SelfTestOutcome::kUnlikely, "unlikely"},
     {SelfTestOutcome::kError, "error"}}};
constexpr std::string_view to_string(SelfTestOutcome outcome) {
  return word_of(words_for<SelfTestOutcome>, outcome);
}

struct SelfTestFinding {
  SelfTestOutcome outcome = SelfTestOutcome::kPassed;
  std::string detail;  ///< the comparison, with figures
};

/// One row of the table of checks.
struct SelfTestRow {
  std::string_view name;
  std::string_view what;  ///< the property that the check shows when it passes
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

template <>
inline constexpr auto fields_of<SelfTestCheck> = std::tuple(
    field("name", &SelfTestCheck::name, "Of the check"),
    field("what", &SelfTestCheck::what, "Property that it shows when it passes"),
    computed(
        "passed", +[](const SelfTestCheck& check) { return check.passed(); }, "Whether it passed"),
    computed(
        "outcome", +[](const SelfTestCheck& check) { return check.finding.outcome; }, "Outcome"),
    computed(
        "detail", +[](const SelfTestCheck& check) { return check.finding.detail; },
        "Comparison, with figures"));
template <>
inline constexpr auto fields_of<SelfTestReport> =
    std::tuple(computed(
                   "passed", +[](const SelfTestReport& report) { return report.passed(); },
                   "Whether all checks passed"),
               field("checks", &SelfTestReport::checks, "Checks"),
               computed(
                   "machine", +[](const SelfTestReport&) { return machine_facts(); },
                   "Facts about build and machine"),
               field("seconds", &SelfTestReport::seconds, "Time"));

/// Runs all checks in order, whatever their outcomes. They use made-up numbers and a ledger in a
/// temporary folder, and open no file of the user.
SelfTestReport run_selftest(const std::vector<SelfTestRow>& rows, TaskProgress& progress);

/// Throws a run-time error that names the checks that did not pass, if any, and explains the
/// consequence.
void require_passed(const SelfTestReport& report);

}  // namespace equinoise
