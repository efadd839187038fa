#include "equinoise/privacy/ledger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "equinoise/base/check.h"
#include "equinoise/base/sha256.h"
#include "equinoise/privacy/accountants/rdp.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.ledger";
constexpr int kWaitMilliseconds = 10'000;
constexpr int kApplicationId = 0x45514e4c;  // "EQNL"

constexpr const char* kCreate = R"sql(
CREATE TABLE entries (
  sequence INTEGER PRIMARY KEY,
  body TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE
) STRICT;
CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entries_are_in_sequence BEFORE INSERT ON entries
  WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM entries)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
)sql";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& message) {
  throw Error(ErrorKind::kLedger, kWhere, fmt::format("{}: {}", path.string(), message));
}

std::string chain_hash(const std::string& previous, const std::string& body) {
  return sha256_hex(previous + "\n" + body);
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

struct AccountState {
  Budget budget;
  std::vector<LedgerEntry> entries;
};

/// The entry of that number, or nullptr.
template <typename Entries>
auto* find_sequence(Entries& entries, int64_t sequence) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.sequence == sequence; });
  return found == entries.end() ? nullptr : &*found;
}

/// How often the first event of an entry is drawn.
int64_t num_runs(const LedgerEntry& entry) {
  if (entry.events.empty()) return 0;
  const Event& first = entry.events[0];
  return first.kind() == Event::Kind::kRepeat ? first.count() : 1;
}

/// Whether `now` continues what was recorded of `entry`.
bool continues(const LedgerEntry& entry, const RunProgress& now) {
  const int64_t least = entry.progress ? entry.progress->num_done + 1 : 0;
  return entry.resumable && now.num_done >= least && now.num_done <= num_runs(entry);
}

struct LedgerState {
  std::map<std::string, AccountState> accounts;
  int64_t last_sequence = 0;
  std::string last_hash;
};

/// What all entries cost together, with `added` as a further one if it is not empty.
///
/// Each entry may have been chosen after the outputs of those before were seen. One entry is one
/// plan; from the second on the account is adaptive, favouring the best order of the first one,
/// which was fixed before any output.
Epsilon account_epsilon(const AccountState& account, const std::vector<Event>& added) {
  std::vector<const std::vector<Event>*> spends;
  for (const LedgerEntry& entry : account.entries) spends.push_back(&entry.events);
  if (!added.empty()) spends.push_back(&added);
  RdpAccountant accountant(account.budget.relation);
  double favoured_order = 0;
  for (size_t i = 0; i < spends.size(); ++i) {
    for (const Event& event : *spends[i]) accountant.compose(event);
    if (i == 0) favoured_order = accountant.optimal_order(account.budget.delta);
  }
  return spends.size() < 2 ? accountant.epsilon(account.budget.delta)
                           : accountant.adaptive_epsilon(account.budget.delta, favoured_order);
}

}  // namespace

/// The SQLite side: one connection, statements with error messages, the verified content.
class Ledger::File {
 public:
  File(const std::filesystem::path& path, bool create) : path_(path) {
    std::error_code error;
    const std::filesystem::file_type type = std::filesystem::status(path, error).type();
    if (!create && type == std::filesystem::file_type::not_found) {
      refuse(path_, "there is no such ledger; create one with: equinoise ledger init --ledger " +
                        path.string() + " --dataset NAME --epsilon E --delta D");
    }
    if (type == std::filesystem::file_type::directory)
      refuse(path_, "is a directory, not a ledger");
    const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    const int status = sqlite3_open_v2(path.c_str(), &connection_, flags, nullptr);
    if (status != SQLITE_OK) {
      const std::string reason = explain(status);
      sqlite3_close(connection_);
      refuse(path_, reason);
    }
    try {
      sqlite3_busy_timeout(connection_, kWaitMilliseconds);
      execute("PRAGMA journal_mode=DELETE");
      execute("PRAGMA synchronous=EXTRA");
      execute("PRAGMA trusted_schema=OFF");
    } catch (...) {
      sqlite3_close(connection_);
      throw;
    }
  }
  ~File() { sqlite3_close(connection_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool read_only() const { return sqlite3_db_readonly(connection_, "main") == 1; }

  void execute(const std::string& sql) {
    const int status = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
    if (status != SQLITE_OK) refuse(path_, explain(status));
  }

  int number(const std::string& sql) {
    int value = 0;
    run(sql, {}, [&](sqlite3_stmt* row) { value = sqlite3_column_int(row, 0); });
    return value;
  }

  int pragma(const char* name) { return number(fmt::format("PRAGMA {}", name)); }

  void append(LedgerState& state, const nlohmann::json& body) {
    const std::string text = body.dump();
    const std::string hash = chain_hash(state.last_hash, text);
    ++state.last_sequence;
    run(fmt::format("INSERT INTO entries VALUES ({}, ?1, ?2)", state.last_sequence), {text, hash},
        nullptr);
    state.last_hash = hash;
  }

  /// Reads everything and checks form, order and chain.
  LedgerState load() {
    if (pragma("application_id") != kApplicationId) {
      refuse(path_, "is not an Equinoise ledger; give the right file with --ledger");
    }
    LedgerState state;
    run("SELECT sequence, body, hash FROM entries ORDER BY sequence", {}, [&](sqlite3_stmt* row) {
      const int64_t sequence = sqlite3_column_int64(row, 0);
      const std::string body = reinterpret_cast<const char*>(sqlite3_column_text(row, 1));
      const std::string hash = reinterpret_cast<const char*>(sqlite3_column_text(row, 2));
      if (sequence != state.last_sequence + 1 || hash != chain_hash(state.last_hash, body))
        broken(sequence);
      state.last_sequence = sequence;
      state.last_hash = hash;
      try {
        add_entry(state, nlohmann::json::parse(body), hash);
      } catch (const std::exception&) {
        broken(sequence);
      }
    });
    return state;
  }

  const AccountState& find(const LedgerState& state, const std::string& dataset) const {
    const auto found = state.accounts.find(dataset);
    if (found != state.accounts.end()) return found->second;
    std::string known;
    for (const auto& [name, account] : state.accounts) known += (known.empty() ? "" : ", ") + name;
    refuse(
        path_,
        fmt::format(
            "has no account for dataset \"{}\" (it has: {}); open one with equinoise ledger init",
            dataset, known.empty() ? "none" : known));
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void broken(int64_t sequence) const {
    refuse(path_,
           fmt::format(
               "entry {} does not fit the hash chain: the file was edited or damaged. Restore the "
               "newest "
               "backup and count everything released since as spent; do not start an empty ledger",
               sequence));
  }

  static void add_entry(LedgerState& state, const nlohmann::json& body, const std::string& hash) {
    const std::string dataset = body.at("dataset");
    if (body.at("kind") == "open") {
      const Budget budget{Epsilon(body.at("epsilon").get<double>()),
                          Delta(body.at("delta").get<double>()),
                          parse_relation(body.at("relation").get<std::string>())};
      if (!state.accounts.emplace(dataset, AccountState{budget, {}}).second) {
        throw Error(ErrorKind::kLedger, kWhere, "account opened twice");
      }
      return;
    }
    AccountState& account = state.accounts.at(dataset);
    if (body.at("kind") == "spend") {
      LedgerEntry entry{state.last_sequence, body.at("time"), body.at("purpose"), {}, hash, {}, {}};
      entry.resumable = body.value("resumable", false);
      for (const auto& event : body.at("events")) entry.events.push_back(Event::from_json(event));
      account.entries.push_back(std::move(entry));
      return;
    }
    const RunProgress now{body.at("num_done"), body.at("state")};
    LedgerEntry* entry = find_sequence(account.entries, body.at("entry"));
    if (body.at("kind") != "progress" || entry == nullptr || !continues(*entry, now)) {
      throw Error(ErrorKind::kLedger, kWhere, "an entry of no known kind or in no possible place");
    }
    entry->progress = now;
  }

  std::string explain(int status) const {
    switch (status & 0xff) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        return fmt::format(
            "locked by another process for more than {} seconds; nothing was recorded, try again "
            "when it has finished",
            kWaitMilliseconds / 1000);
      case SQLITE_READONLY:
        return "is read-only; nothing was recorded. Make the file and its folder writable";
      case SQLITE_CANTOPEN:
      case SQLITE_PERM:
      case SQLITE_AUTH:
        return "cannot be opened; check that the folder exists and that you may read and write it";
      case SQLITE_FULL:
      case SQLITE_IOERR:
        return "cannot be written (disk full, a quota, or a broken disk); nothing was recorded. "
               "Free some space and try again";
      case SQLITE_NOTADB:
      case SQLITE_CORRUPT:
        return "is not a ledger or is damaged. Restore the newest backup and count everything "
               "released since as "
               "spent; do not start an empty ledger";
      default:
        return fmt::format("SQLite says: {}", sqlite3_errstr(status));
    }
  }

  template <typename OnRow>
  void run(const std::string& sql, const std::vector<std::string>& values, OnRow on_row) {
    sqlite3_stmt* statement = nullptr;
    int status = sqlite3_prepare_v2(connection_, sql.c_str(), -1, &statement, nullptr);
    if (status != SQLITE_OK) refuse(path_, explain(status));
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard(statement, sqlite3_finalize);
    for (size_t i = 0; i < values.size(); ++i) {
      sqlite3_bind_text(statement, static_cast<int>(i + 1), values[i].c_str(), -1,
                        SQLITE_TRANSIENT);
    }
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
      if constexpr (!std::is_same_v<OnRow, std::nullptr_t>) on_row(statement);
    }
    if (status != SQLITE_DONE) refuse(path_, explain(status));
  }

  std::filesystem::path path_;
  sqlite3* connection_ = nullptr;
};

namespace {

/// Holds the write lock; rolls back unless committed.
template <typename File>
class Transaction {
 public:
  explicit Transaction(File& file) : file_(file) {
    if (file_.read_only())
      refuse(file_.path(),
             "is read-only; nothing was recorded. Make the file and its folder writable");
    file_.execute("BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (committed_) return;
    try {
      file_.execute("ROLLBACK");
    } catch (const Error&) {
      // SQLite rolls back by itself when the connection closes or the file is opened again.
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() {
    file_.execute("COMMIT");
    committed_ = true;
  }

 private:
  File& file_;
  bool committed_ = false;
};

void require_relation(const AccountState& account, Relation relation) {
  if (account.budget.relation == relation) return;
  throw Error(ErrorKind::kUsage, kWhere,
              fmt::format("this account is kept under {} and cannot hold a cost under {}",
                          to_string(account.budget.relation), to_string(relation)));
}

template <typename File>
const LedgerEntry& find_entry(const File& file, const LedgerState& state,
                              const std::string& dataset, int64_t sequence) {
  const LedgerEntry* entry = find_sequence(file.find(state, dataset).entries, sequence);
  if (entry == nullptr) {
    refuse(file.path(), fmt::format("dataset \"{}\" has no entry {}", dataset, sequence));
  }
  return *entry;
}

}  // namespace

void Ledger::open_account(const std::filesystem::path& path, const std::string& dataset,
                          const Budget& budget) {
  check_positive(kWhere, "epsilon", budget.epsilon.value());
  check_positive(kWhere, "delta", budget.delta.value());
  if (dataset.empty()) throw Error(ErrorKind::kUsage, kWhere, "the dataset needs a name");
  File file(path, true);
  Transaction transaction(file);
  // A database that holds nothing is a new file; anything else must be a ledger already.
  const bool fresh =
      file.pragma("application_id") == 0 && file.number("SELECT count(*) FROM sqlite_master") == 0;
  if (fresh) {
    file.execute(fmt::format("PRAGMA application_id={}", kApplicationId));
    file.execute(kCreate);
  }
  LedgerState state = file.load();
  if (state.accounts.count(dataset) > 0) {
    refuse(path,
           fmt::format(
               "already has an account for dataset \"{}\"; a budget is fixed once it is opened",
               dataset));
  }
  file.append(state, {{"kind", "open"},
                      {"dataset", dataset},
                      {"time", utc_now()},
                      {"epsilon", budget.epsilon.value()},
                      {"delta", budget.delta.value()},
                      {"relation", to_string(budget.relation)}});
  transaction.commit();
}

Ledger::Ledger(const std::filesystem::path& path) : file_(std::make_unique<File>(path, false)) {
  file_->load();
}

Ledger::~Ledger() = default;
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;

std::vector<std::string> Ledger::datasets() const {
  std::vector<std::string> names;
  const LedgerState state = file_->load();
  for (const auto& [name, account] : state.accounts) names.push_back(name);
  return names;
}

std::string Ledger::last_hash() const { return file_->load().last_hash; }

LedgerAccount Ledger::account(const std::string& dataset) const {
  const LedgerState state = file_->load();
  const AccountState& account = file_->find(state, dataset);
  const Guarantee spent{account_epsilon(account, {}), account.budget.delta, "rdp",
                        account.budget.relation};
  return {dataset, account.budget, spent, account.entries};
}

Guarantee Ledger::spent_with(const std::string& dataset, const std::vector<Event>& events,
                             Relation relation) const {
  const LedgerState state = file_->load();
  const AccountState& account = file_->find(state, dataset);
  require_relation(account, relation);
  return {account_epsilon(account, events), account.budget.delta, "rdp", relation};
}

Reservation Ledger::reserve(const std::string& dataset, const std::vector<Event>& events,
                            Relation relation, const std::string& purpose, bool resumable) {
  Transaction transaction(*file_);
  LedgerState state = file_->load();
  const AccountState& account = file_->find(state, dataset);
  require_relation(account, relation);
  const double before = account_epsilon(account, {}).value();
  const double after = account_epsilon(account, events).value();
  if (!(after <= account.budget.epsilon.value())) {
    throw Error(ErrorKind::kBudget, kWhere,
                fmt::format("{}: this would bring dataset \"{}\" to epsilon {:.6g} at delta "
                            "{:.3g}, above its budget of {:.6g} "
                            "({:.6g} is spent); nothing was spent. Ask for a smaller epsilon, and "
                            "plan at the ledger's delta",
                            file_->path().string(), dataset, after, account.budget.delta.value(),
                            account.budget.epsilon.value(), before));
  }
  nlohmann::json list = nlohmann::json::array();
  for (const Event& event : events) list.push_back(event.to_json());
  file_->append(state, {{"kind", "spend"},
                        {"dataset", dataset},
                        {"time", utc_now()},
                        {"purpose", purpose},
                        {"resumable", resumable},
                        {"events", std::move(list)}});
  transaction.commit();
  return {Charge(events, relation, true),
          state.last_sequence,
          state.last_hash,
          {Epsilon(after), account.budget.delta, "rdp", relation}};
}

void Ledger::record_progress(const std::string& dataset, int64_t entry,
                             const std::optional<RunProgress>& before, const RunProgress& now) {
  Transaction transaction(*file_);
  LedgerState state = file_->load();
  const LedgerEntry& found = find_entry(*file_, state, dataset, entry);
  if (!found.resumable) {
    refuse(file_->path(), fmt::format("entry {} was not made for a run that can go on", entry));
  }
  if (found.progress != before) {
    refuse(file_->path(),
           fmt::format("entry {} has been continued by another process; what this one has drawn "
                       "since must not be released",
                       entry));
  }
  if (!continues(found, now)) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("progress {} of entry {} is not behind {} and at most {}", now.num_done,
                            entry, before ? before->num_done : -1, num_runs(found)));
  }
  file_->append(state, {{"kind", "progress"},
                        {"dataset", dataset},
                        {"time", utc_now()},
                        {"entry", entry},
                        {"num_done", now.num_done},
                        {"state", now.state_hash}});
  transaction.commit();
}

Charge Ledger::resume(const std::string& dataset, int64_t entry, const RunProgress& at) {
  const LedgerState state = file_->load();
  const LedgerEntry& found = find_entry(*file_, state, dataset, entry);
  if (!found.progress) {
    refuse(file_->path(), fmt::format("entry {} has no recorded progress to go on from", entry));
  }
  if (*found.progress != at) {
    refuse(file_->path(),
           fmt::format("the run of entry {} went on from this state, to step {}: only its newest "
                       "state can be resumed, or its noise would be paid once and drawn twice",
                       entry, found.progress->num_done));
  }
  Charge charge(found.events, file_->find(state, dataset).budget.relation, true);
  charge.keep_rest_of_first(at.num_done);
  return charge;
}

}  // namespace equinoise
