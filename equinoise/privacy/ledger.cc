// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "equinoise/base/check.h"
#include "equinoise/base/dataset_name.h"
#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/privacy/ledger_file.h"
#include "equinoise/privacy/ledger_state.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.ledger";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr size_t kLongestKey = 200;
// The relative tolerance for a recorded spend that fitted: a later version may round the same bound
// a little differently.
constexpr double kRoundingOfVersions = 1e-9;

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

/// "adult, people"
std::string names_of(const LedgerState& state) {
  std::string names;
  for (const auto& [name, account] : state.accounts) names += (names.empty() ? "" : ", ") + name;
  return names;
}

const AccountState& find_account(const LedgerFile& file, const LedgerState& state,
                                 const std::string& dataset) {
  const auto found = state.accounts.find(dataset);
  if (found != state.accounts.end()) return found->second;
  const std::string known = names_of(state);
  file.refuse_file(fmt::format(
      "has no account for dataset \"{}\" (datasets in it: {}); open one with equinoise ledger init",
      dataset, known.empty() ? "none" : known));
}

const LedgerEntry& find_entry(const LedgerFile& file, const LedgerState& state,
                              const std::string& dataset, int64_t sequence) {
  const LedgerEntry* entry = find_account(file, state, dataset).find(sequence);
  if (entry == nullptr) {
    file.refuse_file(fmt::format("dataset \"{}\" has no entry {}", dataset, sequence));
  }
  return *entry;
}

/// "units of person_id", or "single rows".
std::string protected_by(const std::string& unit) {
  return unit == kRowUnit ? "single rows" : "units of " + unit;
}

/// The change to the schema that lets a run protect the account's unit.
std::string way_to_unit(const Budget& budget) {
  if (budget.protects_rows()) return "take unit out of the schema";
  return fmt::format("write unit = \"{}\" and max_records_per_unit in the schema", budget.unit);
}

void require_neighbours(const LedgerFile& file, const std::string& dataset, const Budget& budget,
                        const Neighbours& neighbours) {
  if (budget.unit != neighbours.unit) {
    refuse(
        "{}: the account of dataset \"{}\" protects {} and cannot hold the cost "
        "of a run that protects {}. Nothing was spent. To spend from this "
        "account, {}; or open one in another ledger with: equinoise ledger init "
        "--unit {} (what was spent here says nothing of {})",
        file.path().string(), dataset, protected_by(budget.unit), protected_by(neighbours.unit),
        way_to_unit(budget), neighbours.unit, protected_by(neighbours.unit));
  }
  if (budget.relation == neighbours.relation) return;
  refuse("this account uses {} and cannot hold a cost under {}", to_string(budget.relation),
         to_string(neighbours.relation));
}

std::vector<GroupSpending> group_spendings(const Budget& budget, const Spends& spends) {
  std::vector<GroupSpending> groups;
  for (const GroupCap& cap : budget.group_caps) {
    groups.push_back({cap, group_guarantee(budget, cap, spends)});
  }
  return groups;
}

/// The budget of an account in the form of the version before groups_apart().
Budget budget_by_name(const AccountState& account) {
  Budget budget = account.budget;
  budget.fixed_groups = true;
  return budget;
}

/// Empty if a partition is divided in two ways.
std::optional<Guarantee> spent_by_name(const AccountState& account, const Spends& spends) {
  try {
    return account_guarantee(budget_by_name(account), spends);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Errors: kLedger, naming the entry, if one cannot be bounded.
LedgerAccount account_of(const LedgerFile& file, const std::string& dataset,
                         const AccountState& account) {
  const Spends spends = account.spends();
  try {
    LedgerAccount found{dataset, account.budget, account_guarantee(account.budget, spends),
                        account.entries, group_spendings(account.budget, spends)};
    found.opened_by_name = account.opened_by_name;
    if (account.opened_by_name) found.spent_by_name = spent_by_name(account, spends);
    return found;
  } catch (const Error& error) {
    for (size_t i = 0; i < spends.size(); ++i) {
      try {
        account_guarantee(
            account.budget,
            Spends(spends.begin(), spends.begin() + static_cast<std::ptrdiff_t>(i) + 1));
      } catch (const Error& of_entry) {
        file.refuse_record(account.entries[i].sequence,
                           fmt::format("cannot be accounted for ({})", of_entry.what()));
      }
    }
    file.refuse_file(fmt::format("cannot be accounted for ({})", error.what()));
  }
}

Spends with_added(const AccountState& account, const std::vector<Event>& events) {
  Spends spends = account.spends();
  if (!events.empty()) spends.push_back(events);
  return spends;
}

/// The limit that a spend exceeds ("": none), and what helps.
struct Excess {
  std::string limit;
  std::string advice = "ask for a smaller epsilon, and use the ledger's delta";
};

/// `spent`: the total of `spends`. `tolerance` is relative.
Excess excess_of(const Budget& budget, const Spends& spends, const Guarantee& spent,
                 double tolerance = 0) {
  const auto fits = [&](Epsilon cost, Epsilon limit) {
    return cost.value() <= limit.value() * (1 + tolerance);
  };
  if (!fits(spent.epsilon, budget.epsilon)) {
    return {fmt::format("epsilon {:.6g} at delta {:.3g}, above its budget of {:.6g}",
                        spent.epsilon.value(), budget.delta.value(), budget.epsilon.value())};
  }
  for (const GroupCap& cap : budget.group_caps) {
    const Epsilon group = group_guarantee(budget, cap, spends).epsilon;
    if (fits(group, cap.epsilon)) continue;
    return {fmt::format(
        "epsilon {:.6g} at delta {:.3g} for group {}={}, above its cap of "
        "{:.6g}",
        group.value(), budget.delta.value(), cap.partition, cap.group, cap.epsilon.value())};
  }
  const FailureExcess failures = failures_exceed_share(budget, spends);
  return {failures.excess.empty() ? "" : "a state in which " + failures.excess, failures.advice};
}

std::string limit_exceeded(const Budget& budget, const Spends& spends) {
  return excess_of(budget, spends, account_guarantee(budget, spends), kRoundingOfVersions).limit;
}

/// The limit that entries exceed by every rule under which they may have been admitted; "" if none.
std::string fit_when_added(const AccountState& account, const Spends& spends) {
  std::string excess = limit_exceeded(account.budget, spends);
  if (excess.empty() || !account.opened_by_name) return excess;
  try {
    return limit_exceeded(budget_by_name(account), spends);
  } catch (const Error&) {
    return excess;
  }
}

/// Why reserve() refuses a spend after which the account has paid `after`, if it does.
std::optional<Error> refusal_of(const LedgerFile& file, const AccountState& account,
                                const LedgerAccount& now, const Guarantee& after,
                                const std::vector<Event>& events, const std::string& key) {
  if (events.empty()) {
    return Error(ErrorKind::kUsage, kWhere, "there is no event to pay for; nothing was recorded");
  }
  if (key.size() > kLongestKey) {
    return Error(ErrorKind::kUsage, kWhere, "a key has at most {} bytes, got {}", kLongestKey,
                 key.size());
  }
  if (const LedgerEntry* paid = account.find_key(key)) {
    const std::string way_on =
        paid->resumable ? "resume from its checkpoint, or " : "use what it wrote, or ";
    return Error(ErrorKind::kUsage, kWhere,
                 "{}: already paid for and run: entry {} of dataset \"{}\" has the key "
                 "\"{}\" ({}, {}). What an entry paid for can be drawn only once. "
                 "Nothing was spent now; {}pay again with another key",
                 file.path().string(), paid->sequence, now.dataset, key, paid->time, paid->purpose,
                 way_on);
  }
  if (const std::string reason = closed_because(now); !reason.empty()) {
    return Error(ErrorKind::kBudget, kWhere, "{}: nothing more can be spent on dataset \"{}\": {}",
                 file.path().string(), now.dataset, reason);
  }
  const Excess excess = excess_of(account.budget, with_added(account, events), after);
  if (excess.limit.empty()) return std::nullopt;
  return Error(ErrorKind::kBudget, kWhere,
               "{}: this would bring dataset \"{}\" to {} ({:.6g} is spent so far). Nothing "
               "was spent; {}",
               file.path().string(), now.dataset, excess.limit, now.spent.epsilon.value(),
               excess.advice);
}

LedgerQuote quote_of(const LedgerFile& file, const LedgerState& state, const std::string& dataset,
                     const std::vector<Event>& events, const Neighbours& neighbours,
                     const std::string& key) {
  const AccountState& account = find_account(file, state, dataset);
  require_neighbours(file, dataset, account.budget, neighbours);
  LedgerQuote quote{account_of(file, dataset, account),
                    account_guarantee(account.budget, with_added(account, events)), std::nullopt};
  quote.refusal = refusal_of(file, account, quote.account, quote.after, events, key);
  return quote;
}

}  // namespace

bool rests_on_names(const LedgerAccount& account) {
  return account.opened_by_name &&
         std::ranges::any_of(account.entries, [](const LedgerEntry& entry) {
           return groups_pay_apart(entry.events);
         });
}

std::string closed_because(const LedgerAccount& account) {
  const Budget& budget = account.budget;
  const double spent = account.spent.epsilon.value();
  const std::string way_out =
      "begin another ledger for what may still be spent (the epsilons and deltas of both add up)";
  if (account.opened_by_name && spent > budget.epsilon.value()) {
    return fmt::format(
        "epsilon {:.6g} is spent, above its budget of {:.6g}. An older version added up the costs "
        "of groups by name, which holds only if nobody changed groups between entries. To spend "
        "more, {}",
        spent, budget.epsilon.value(), way_out);
  }
  if (!budget.group_caps.empty() && !budget.fixed_groups) {
    return fmt::format(
        "its caps of groups hold only if nobody changes groups between entries, which this account "
        "does not state. If that is the case, {} and open the account there with --fixed-groups; "
        "otherwise open it without caps",
        way_out);
  }
  return "";
}

std::string no_ledger_warning(const std::filesystem::path& path, std::string_view dataset,
                              const Neighbours& neighbours) {
  return fmt::format("there is no ledger {} yet; create one with: {}", path.string(),
                     how_to_open_account(path, dataset, neighbours));
}

void Ledger::open_account(const std::filesystem::path& path, const std::string& dataset,
                          const Budget& budget) {
  check_budget(budget);
  if (!budget.group_caps.empty() && !budget.fixed_groups) {
    refuse(
        "a group's cap holds only if nobody changes groups between entries; if that is the "
        "case, state it with --fixed-groups (docs/theory/threat-model.md explains what that "
        "means), otherwise leave the caps out");
  }
  if (!is_dataset_name(dataset)) {
    refuse("the name of a dataset {}, as in its schema", kDatasetNameRule);
  }
  LedgerFile file(path, true);
  LedgerTransaction transaction(file);
  LedgerState state;
  if (!file.init()) state = load_state(file);
  if (state.accounts.count(dataset) > 0) {
    file.refuse_file(
        fmt::format("already has an account for dataset \"{}\" (datasets in it: {}); a budget "
                    "cannot be changed once it is opened",
                    dataset, names_of(state)));
  }
  file.append(state.last, open_body(dataset, budget, utc_now()));
  transaction.commit();
  file.confirm(state.last);
}

Ledger::Ledger(const std::filesystem::path& path, std::string_view dataset,
               const std::optional<Neighbours>& neighbours) {
  file_ = std::make_unique<LedgerFile>(
      path, false, "; create one with: " + how_to_open_account(path, dataset, neighbours));
  load_state(*file_);
}

Ledger::~Ledger() = default;
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;

std::vector<std::string> Ledger::datasets() const {
  std::vector<std::string> names;
  const LedgerState state = load_state(*file_);
  for (const auto& [name, account] : state.accounts) names.push_back(name);
  return names;
}

std::string Ledger::last_hash() const { return load_state(*file_).last.hash; }

std::vector<LedgerRecord> Ledger::records() const { return file_->read(); }

LedgerAccount Ledger::account(const std::string& dataset) const {
  const LedgerState state = load_state(*file_);
  return account_of(*file_, dataset, find_account(*file_, state, dataset));
}

LedgerVerification Ledger::verify() const {
  const LedgerState state = load_state(*file_);
  LedgerVerification verified{state.last.sequence, state.last.hash, {}};
  for (const auto& [dataset, account] : state.accounts) {
    verified.accounts.push_back(account_of(*file_, dataset, account));
    const Spends spends = account.spends();
    // Costs never fall: if everything fits, every entry fitted when it was added.
    if (fit_when_added(account, spends).empty()) continue;
    for (size_t i = 0; i < spends.size(); ++i) {
      const Spends until(spends.begin(), spends.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      const std::string excess = fit_when_added(account, until);
      if (excess.empty()) continue;
      file_->refuse_file(
          fmt::format("entry {} brings dataset \"{}\" to {}, which no version writes. The file was "
                      "made by hand; do not spend from it",
                      account.entries[i].sequence, dataset, excess));
    }
  }
  return verified;
}

LedgerQuote Ledger::quote(const std::string& dataset, const std::vector<Event>& events,
                          const Neighbours& neighbours, const std::string& key) const {
  return quote_of(*file_, load_state(*file_), dataset, events, neighbours, key);
}

std::optional<LedgerEntry> Ledger::find_key(const std::string& dataset,
                                            const std::string& key) const {
  const LedgerState state = load_state(*file_);
  const LedgerEntry* entry = find_account(*file_, state, dataset).find_key(key);
  return entry == nullptr ? std::nullopt : std::optional<LedgerEntry>(*entry);
}

Reservation Ledger::reserve(const std::string& dataset, const std::vector<Event>& events,
                            const Neighbours& neighbours, const std::string& purpose,
                            bool resumable, const std::string& key) {
  LedgerTransaction transaction(*file_);
  LedgerState state = load_state(*file_);
  const LedgerQuote quote = quote_of(*file_, state, dataset, events, neighbours, key);
  if (quote.refusal) throw *quote.refusal;
  LedgerEntry entry;
  entry.time = utc_now();
  entry.purpose = purpose;
  entry.events = events;
  entry.resumable = resumable;
  entry.key = key;
  file_->append(state.last, spend_body(dataset, entry));
  transaction.commit();
  file_->confirm(state.last);
  const Guarantee& before = quote.account.spent;
  return {Charge(events, neighbours.relation, true), state.last.sequence, state.last.hash,
          quote.after.epsilon.value() < before.epsilon.value() ? before : quote.after};
}

void Ledger::record_progress(const std::string& dataset, int64_t entry,
                             const std::optional<RunProgress>& before, const RunProgress& now) {
  LedgerTransaction transaction(*file_);
  LedgerState state = load_state(*file_);
  const LedgerEntry& found = find_entry(*file_, state, dataset, entry);
  if (!found.resumable) {
    file_->refuse_file(fmt::format("entry {} does not belong to a run that can be resumed", entry));
  }
  if (found.progress != before) {
    file_->refuse_file(
        fmt::format("entry {} has been continued by another process; anything that this process "
                    "has drawn since then must not be released",
                    entry));
  }
  if (!continues(found, now)) {
    refuse("progress {} of entry {} must be above {} and at most {}", now.num_done, entry,
           before ? before->num_done : -1, num_runs(found));
  }
  file_->append(state.last, progress_body(dataset, entry, now, utc_now()));
  transaction.commit();
  file_->confirm(state.last);
}

Charge Ledger::resume(const std::string& dataset, int64_t entry, const RunProgress& at) {
  const LedgerState state = load_state(*file_);
  const LedgerEntry& found = find_entry(*file_, state, dataset, entry);
  if (!found.progress) {
    file_->refuse_file(fmt::format("entry {} has no recorded progress to resume from", entry));
  }
  if (*found.progress != at) {
    file_->refuse_file(fmt::format(
        "the run of entry {} has continued from this state, to step {}; only its newest state can "
        "be resumed, because otherwise noise that was paid for once would be drawn twice",
        entry, found.progress->num_done));
  }
  Charge charge(found.events, find_account(*file_, state, dataset).budget.relation, true);
  charge.keep_rest_of_first(at.num_done);
  return charge;
}

}  // namespace equinoise
