// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/progress.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// The --epsilon of a run, from which its noise follows.
struct AskedEpsilon {
  double epsilon = 0;
  std::function<std::vector<Event>(double)> events_at;  ///< charged at another; kUsage: none
  std::string suffix = {};  ///< what the command line needs as well, after the number
};

/// The releases of one run that a command pays for with a ledger.
struct Purchase {
  std::string dataset;
  ProtectedUnit unit;  ///< whom the run protects
  std::vector<Event> events;
  Relation relation = Relation::kZeroOut;
  Delta delta;          ///< at which the run is planned and printed
  std::string purpose;  ///< in the ledger: "train dpsgd for income"
  std::filesystem::path ledger_path;
  std::string key;                         ///< "": none
  std::optional<AskedEpsilon> asked = {};  ///< none: another option sets the noise
  bool resumable = false;                  ///< the run keeps states

  Neighbours neighbours() const { return {relation, unit.name}; }
};

/// The answer of a ledger to a purchase before it is made.
struct Offer {
  LedgerStatement statement;     ///< the account before and after
  std::optional<Error> refusal;  ///< the error that a reservation would throw now; empty: none

  /// The statement for a run. Errors: the refusal.
  LedgerStatement accepted() const;
};

/// Warns if the account has another delta than the purchase. A refusal for the budget ends with the
/// largest --epsilon, of three digits, whose charge the ledger would accept now, if there is one.
/// Spends nothing. Errors: those of Ledger::quote.
Offer ask_ledger(const Ledger& ledger, const Purchase& purchase,
                 std::vector<std::string>& warnings);

/// The warning of a plan that a run would be refused.
std::string refusal_warning(const Error& refusal);

/// The account before and after a planned run; nothing without a ledger. Warns if there is none,
/// and of a refusal.
std::optional<LedgerStatement> planned_account(const std::optional<Ledger>& ledger,
                                               const Purchase& purchase,
                                               std::vector<std::string>& warnings);

/// The ledger of a plan, if there is one.
std::optional<Ledger> existing_ledger(const std::filesystem::path& path);

/// The source of a run's randomness, and the right to draw from it.
struct PaidRun {
  std::unique_ptr<RandomSource> source;
  Charge charge;
  std::optional<Guarantee> spent;  ///< of the account, including this run; empty: not paid for
  int64_t entry = 0;               ///< in the ledger
  std::string entry_hash;
};

/// A run under a test seed: NOT PRIVATE, and free.
PaidRun unpaid_run(uint64_t seed, std::vector<Event> events, Relation relation);

/// A run that was paid for before, or that is free.
PaidRun resumed_run(Charge charge);

/// Prints the cost, `epsilon` in this run alone, then `more`, and a notice if the schema does not
/// state that a row is one person. Allows a last interruption of the run without cost, then
/// reserves. Errors: those of stop_if_interrupted() and Ledger::reserve.
PaidRun pay_for_run(Ledger& ledger, const Purchase& purchase, Epsilon epsilon,
                    const std::vector<std::string>& more, TaskProgress& progress);

/// The entry of a run that was paid for, and the account after it.
void add_payment(const PaidRun& run, std::optional<LedgerStatement>& ledger);

}  // namespace equinoise
