// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/paid_run.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "equinoise/data/values/parse_number.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

/// "" if no epsilon is known to fit.
std::string largest_epsilon(const Ledger& ledger, const Purchase& purchase) {
  constexpr int kHalvings = 14;  // of the logarithm of 1024, to a thousandth
  double low = purchase.asked->epsilon / 1024;
  double high = purchase.asked->epsilon;
  std::string largest;
  for (int i = 0; i < kHalvings; ++i) {
    const std::string text = fmt::format("{:.3g}", std::sqrt(low * high));
    const double epsilon = parse_number(text).value();
    try {
      const LedgerQuote quote = ledger.quote(purchase.dataset, purchase.asked->events_at(epsilon),
                                             purchase.neighbours(), purchase.key);
      (quote.refusal ? high : low) = epsilon;
      if (!quote.refusal) largest = text;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      low = epsilon;  // too small for a plan, or for one that the account can bound
    }
  }
  return largest;
}

}  // namespace

Offer ask_ledger(const Ledger& ledger, const Purchase& purchase,
                 std::vector<std::string>& warnings) {
  LedgerQuote quote =
      ledger.quote(purchase.dataset, purchase.events, purchase.neighbours(), purchase.key);
  const Budget& budget = quote.account.budget;
  if (budget.delta.value() != purchase.delta.value()) {
    warnings.push_back(fmt::format(
        "the ledger uses delta {} but this run is planned at delta {}; its epsilon in the ledger "
        "will differ",
        budget.delta.value(), purchase.delta.value()));
  }
  std::optional<double> largest;
  if (quote.refusal && quote.refusal->kind() == ErrorKind::kBudget && purchase.asked) {
    const std::string epsilon = largest_epsilon(ledger, purchase);
    if (!epsilon.empty()) {
      largest = parse_number(epsilon);
      quote.refusal = Error(ErrorKind::kBudget, "privacy.ledger",
                            "{}; the largest that still fits is --epsilon {}{}",
                            quote.refusal->problem(), epsilon, purchase.asked->suffix);
    }
  }
  return {{purchase.ledger_path.filename().string(), purchase.dataset, budget, quote.account.spent,
           quote.after, std::nullopt, !quote.refusal, largest},
          std::move(quote.refusal)};
}

LedgerStatement Offer::accepted() const {
  if (refusal) throw *refusal;
  return statement;
}

std::string refusal_warning(const Error& refusal) {
  return fmt::format("the ledger will refuse this run: {}", refusal.what());
}

std::optional<LedgerStatement> planned_account(const std::optional<Ledger>& ledger,
                                               const Purchase& purchase,
                                               std::vector<std::string>& warnings) {
  if (!ledger) {
    warnings.push_back(
        no_ledger_warning(purchase.ledger_path, purchase.dataset, purchase.neighbours()));
    return std::nullopt;
  }
  Offer offer = ask_ledger(*ledger, purchase, warnings);
  if (offer.refusal) warnings.push_back(refusal_warning(*offer.refusal));
  return std::move(offer.statement);
}

std::optional<Ledger> existing_ledger(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found)
    return std::nullopt;
  return std::make_optional<Ledger>(path);
}

PaidRun unpaid_run(uint64_t seed, std::vector<Event> events, Relation relation) {
  auto source = std::make_unique<SeededSource>(seed);
  Charge charge = Charge::unpaid(std::move(events), relation, *source);
  return {std::move(source), std::move(charge), std::nullopt, 0, ""};
}

PaidRun resumed_run(Charge charge) {
  return {std::make_unique<SecureSource>(), std::move(charge), std::nullopt, 0, ""};
}

PaidRun pay_for_run(Ledger& ledger, const Purchase& purchase, Epsilon epsilon,
                    const std::vector<std::string>& more, TaskProgress& progress) {
  progress.stage(fmt::format("reserving epsilon {} at delta {} in {}", format_epsilon(epsilon),
                             purchase.delta.value(), purchase.ledger_path.string()));
  for (const std::string& line : more) progress.stage(line);
  if (!purchase.unit.is_stated)
    progress.stage(
        "warning: nobody has said whose rows these are, so each row is protected by itself; write "
        "unit = \"row\" in the schema if no person has two rows, as where rows are not about "
        "people, or unit = \"COLUMN\"");
  stop_if_interrupted(&progress);
  Reservation reservation = ledger.reserve(purchase.dataset, purchase.events, purchase.neighbours(),
                                           purchase.purpose, purchase.resumable, purchase.key);
  return {std::make_unique<SecureSource>(), std::move(reservation.charge), reservation.spent,
          reservation.entry, reservation.hash};
}

void add_payment(const PaidRun& run, std::optional<LedgerStatement>& ledger) {
  if (!run.spent) return;
  ledger->spent_after = *run.spent;
  ledger->entry = run.entry;
  ledger->fits.reset();
}

}  // namespace equinoise
