// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/report/protection.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What a command pays for with a ledger: the releases of one run.
struct Purchase {
  std::string dataset;
  ProtectedUnit unit;  ///< whom the run protects
  std::vector<Event> events;
  Relation relation = Relation::kZeroOut;
  Delta delta;          ///< at which the run is planned and printed
  std::string purpose;  ///< as the ledger keeps it: "train dpsgd for income"
  std::filesystem::path ledger_path;
  std::string key;         ///< "": none
  bool resumable = false;  ///< the run keeps states

  Neighbours neighbours() const { return {relation, unit.name}; }
};

/// The account before and after the purchase, and a warning where it is kept at another delta.
LedgerStatement ledger_statement(const Ledger& ledger, const Purchase& purchase,
                                 std::vector<std::string>& warnings);

/// Errors: those of the ledger's reserve(). Spends nothing.
void require_affordable(const Ledger& ledger, const Purchase& purchase);

/// Of a plan: a warning where the ledger would refuse the purchase.
void warn_of_refusal(const Ledger& ledger, const Purchase& purchase,
                     std::vector<std::string>& warnings);

/// The source of a run's randomness, and the right to draw from it.
struct PaidRun {
  std::unique_ptr<RandomSource> source;
  Charge charge;
  std::optional<Guarantee> spent;  ///< of the account, with this run; nothing: it was not paid for
  int64_t entry = 0;               ///< of the ledger
  std::string entry_hash;
};

/// A run under a test seed: NOT PRIVATE, and free.
PaidRun unpaid_run(uint64_t seed, std::vector<Event> events, Relation relation);

/// A run that was paid for before, or that needs nothing paid.
PaidRun resumed_run(Charge charge);

/// Prints the cost, which is `epsilon` by itself, `more`, and a notice where nobody stated that a
/// row is one person, lets an interruption stop the run for
/// the last time without cost, and reserves. Errors: kRuntime, by `where`, if interrupted; those of
/// Ledger::reserve.
PaidRun pay_for_run(std::string_view where, Ledger& ledger, const Purchase& purchase,
                    Epsilon epsilon, const std::vector<std::string>& more, TaskProgress& progress);

}  // namespace equinoise
