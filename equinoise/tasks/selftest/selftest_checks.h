// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "equinoise/audit/goodness_of_fit.h"
#include "equinoise/base/error.h"
#include "equinoise/tasks/selftest/selftest.h"

namespace equinoise {

// The checks of selftest_rows(), which describes them.

SelfTestFinding check_arithmetic();
SelfTestFinding check_random_source();
SelfTestFinding check_fork();
SelfTestFinding check_known_answers();
SelfTestFinding check_rounded_gaussian_fit();
SelfTestFinding check_rounded_laplace_fit();
SelfTestFinding check_discrete_gaussian_fit();
SelfTestFinding check_discrete_laplace_fit();
SelfTestFinding check_exponential_choice_fit();
SelfTestFinding check_poisson_batch_fit();
SelfTestFinding check_accountants();
SelfTestFinding check_ledger();

/// The probability with which each statistical test of a check fails by chance.
inline constexpr double kSelfTestSignificance = 1e-6;

/// Whether `call` is refused by an error of that kind.
template <typename Call>
bool refused(ErrorKind kind, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind() == kind;
  }
  return false;
}

/// Collects what a check finds: the worst outcome so far, and its description.
class SelfTestVerdict {
 public:
  /// A certain fact: `what` is reported if it does not hold.
  void require(bool holds, std::string_view what) {
    if (!holds) fail(SelfTestOutcome::kFailed, what);
  }

  /// A statistical test of `count` draws.
  void require_fit(std::string_view name, const GoodnessOfFit& fit, size_t count) {
    const std::string text = fmt::format("{}: {:.4g}, at most {:.4g} allowed, {} draws", name,
                                         fit.statistic, fit.critical, count);
    if (fit.fits()) {
      add(text);
    } else {
      fail(SelfTestOutcome::kUnlikely,
           fmt::format("{}: the probability of this by chance is at most {}", text,
                       kSelfTestSignificance));
    }
  }

  /// The same for any test at kSelfTestSignificance.
  void require_likely(bool likely, std::string_view what) {
    if (!likely) {
      fail(SelfTestOutcome::kUnlikely,
           fmt::format("{}: the probability of this by chance is at most {}", what,
                       kSelfTestSignificance));
    }
  }

  void add(std::string_view text) { append(found_, text); }

  /// The finding with the failures, or otherwise with the comparisons.
  SelfTestFinding finding() const {
    return {outcome_, outcome_ == SelfTestOutcome::kPassed ? found_ : wrong_};
  }

 private:
  static void append(std::string& list, std::string_view text) {
    if (!list.empty()) list += "; ";
    list += text;
  }

  void fail(SelfTestOutcome outcome, std::string_view what) {
    append(wrong_, what);
    // A certain failure outweighs one that may be chance.
    if (outcome_ != SelfTestOutcome::kFailed) outcome_ = outcome;
  }

  SelfTestOutcome outcome_ = SelfTestOutcome::kPassed;
  std::string found_;
  std::string wrong_;
};

}  // namespace equinoise
