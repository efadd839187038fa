// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/checkpoint.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>

#include "equinoise/base/error.h"
#include "equinoise/base/sha256.h"
#include "equinoise/files/write_file.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kWhere = "tasks.checkpoint";
constexpr const char* kKind = "equinoise/1 checkpoint";

[[noreturn]] void fail(ErrorKind kind, const std::filesystem::path& path,
                       std::string_view problem) {
  throw Error(kind, kWhere, fmt::format("{}: {}", path.string(), problem));
}

/// JSON has no NaN or infinity: the state of a run that has diverged has a null, which is read as
/// NaN.
std::vector<double> numbers_of(const Json& list) {
  std::vector<double> numbers;
  numbers.reserve(list.size());
  for (const Json& value : list) {
    numbers.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
  }
  return numbers;
}

/// A setting as the user gave it: 3000, not 3000.0.
std::string text_of(const Json& value) {
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

}  // namespace

struct Checkpoint::Content {
  int64_t entry = 0;
  std::string entry_hash;
  RunProgress progress;
  TrainingState state;
  Json run;
  Json table;
};

Checkpoint::Checkpoint(std::filesystem::path path, Json run, Ledger* ledger, std::string dataset)
    : path_(std::move(path)),
      beside_(path_.string() + ".new"),
      lock_(path_, "--checkpoint"),
      run_(std::move(run)),
      ledger_(ledger),
      dataset_(std::move(dataset)) {}

void Checkpoint::require_new(int64_t bytes) const {
  for (const std::filesystem::path& path : {path_, beside_}) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
      fail(ErrorKind::kUsage, path,
           "exists; add --resume to resume from this checkpoint, or, to start again, remove it or "
           "give another --checkpoint");
    }
  }
  reserve_space(beside_, bytes);
  std::filesystem::remove(beside_);
}

void Checkpoint::begin(int64_t entry, const std::string& entry_hash) {
  entry_ = entry;
  entry_hash_ = entry_hash;
}

std::optional<Checkpoint::Content> Checkpoint::read(const std::filesystem::path& path) const {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream stream;
  stream << file.rdbuf();
  const std::string text = std::move(stream).str();
  try {
    const Json json = Json::parse(text);
    if (json.at("kind") != kKind) throw Error(ErrorKind::kInput, kWhere, "a different format");
    return Content{json.at("entry"),
                   json.at("entry_hash"),
                   {json.at("num_steps_done"), sha256_hex(text)},
                   {json.at("num_steps_done"), numbers_of(json.at("parameters")),
                    numbers_of(json.at("average")), numbers_of(json.at("clip")),
                    numbers_of(json.at("optimizer"))},
                   json.at("run"),
                   json.at("table")};
  } catch (const std::exception&) {
    fail(ErrorKind::kInput, path, "is not a complete checkpoint of this version");
  }
}

LedgerEntry Checkpoint::find_entry(int64_t entry) const {
  for (const LedgerEntry& known : ledger_->account(dataset_).entries) {
    if (known.sequence == entry) return known;
  }
  return {};
}

/// Whether the content is the newest state of its run. Errors: kLedger for a run that another
/// ledger paid for.
bool Checkpoint::is_newest(const Content& content) const {
  const LedgerEntry entry = find_entry(content.entry);
  if (entry.hash != content.entry_hash) {
    fail(ErrorKind::kLedger, path_, "is the checkpoint of a run that another ledger has paid for");
  }
  return entry.progress == content.progress;
}

void Checkpoint::require_same_run(const Json& run) const {
  if (run == run_) return;
  for (const auto& [name, value] : run_.items()) {
    if (run.contains(name) && run[name] == value) continue;
    // Long texts, such as that of the events, are named without their values.
    const std::string there = run.contains(name) ? text_of(run[name]) : "absent";
    const std::string here = text_of(value);
    const bool is_short = there.size() + here.size() < 120;
    fail(ErrorKind::kUsage, path_,
         fmt::format("is the checkpoint of another run: its {} {}; give the options of that run",
                     name, is_short ? fmt::format("is {}, not {}", there, here) : "differs"));
  }
  fail(ErrorKind::kUsage, path_, "is the checkpoint of another run");
}

/// Before the last move, a crash leaves either the newest state in the file beside it, or a state
/// that must not be read. Only files that certainly belong to this run are touched.
void Checkpoint::settle_unrecorded() const {
  std::error_code ignored;
  const bool has_older = std::filesystem::exists(path_, ignored);
  std::optional<Content> content;
  try {
    content = read(beside_);
  } catch (const Error&) {
    if (!has_older) {
      fail(ErrorKind::kInput, beside_,
           "is not a complete state, and there is no earlier one, so this run cannot be resumed. "
           "Remove the file to start again; what the run has spent stays spent");
    }
    // An incomplete copy of the state that was to replace the complete one.
    std::filesystem::remove(beside_, ignored);
    return;
  }
  if (!content) return;
  require_same_run(content->run);
  const bool wanted = ledger_ == nullptr ? !has_older : is_newest(*content);
  if (wanted) {
    move_file(beside_, path_);
  } else {
    std::filesystem::remove(beside_, ignored);
  }
}

TrainingState Checkpoint::load() {
  const std::optional<Content> older = read(path_);
  if (older) require_same_run(older->run);
  settle_unrecorded();
  const std::optional<Content> content = read(path_);
  if (!content) {
    fail(ErrorKind::kUsage, path_,
         "there is no such checkpoint to resume (a run that finishes removes its own); without "
         "--resume a new run starts and is paid for");
  }
  entry_ = content->entry;
  entry_hash_ = content->entry_hash;
  progress_ = content->progress;
  table_ = content->table;
  if (ledger_ != nullptr && !is_newest(*content)) {
    static_cast<void>(resume_charge());  // throws the reason if not
  }
  return content->state;
}

void Checkpoint::hold_to(const TableFiles& files) {
  if (!progress_) {
    SecureSource source;
    const uint64_t first = source.next();
    const std::string salt = fmt::format("{:016x}{:016x}", first, source.next());
    table_ = {{"salt", salt}, {"hash", hash_of_files(files, salt)}};
  } else if (table_.is_null()) {
    fail(ErrorKind::kUsage, path_,
         "was saved by a version that did not make sure that every record stays in its group: this "
         "run cannot be resumed");
  } else if (table_.at("hash") != hash_of_files(files, table_.at("salt"))) {
    fail(ErrorKind::kUsage, path_,
         "is the checkpoint of a run on another table; its charges for groups, or for a private "
         "evaluation, hold only if every record stays in its place, so give the same files, byte "
         "for byte");
  }
}

void Checkpoint::require_unchanged(const TableFiles& files) const {
  if (table_.at("hash") == hash_of_files(files, table_.at("salt"))) return;
  fail(ErrorKind::kInput, files.data.name(),
       "changed while it was read; nothing was drawn. Start again when nothing writes to it");
}

Charge Checkpoint::resume_charge() { return ledger_->resume(dataset_, entry_, *progress_); }

void Checkpoint::save(const TrainingState& state) {
  if (progress_ && progress_->num_done == state.num_steps_done) return;
  const Json json = {{"kind", kKind},
                     {"run", run_},
                     {"table", table_},
                     {"entry", entry_},
                     {"entry_hash", entry_hash_},
                     {"num_steps_done", state.num_steps_done},
                     {"parameters", state.parameters},
                     {"average", state.average},
                     {"clip", state.clip},
                     {"optimizer", state.optimizer}};
  const std::string text = json.dump();
  const RunProgress now{state.num_steps_done, sha256_hex(text)};
  try {
    write_file(beside_, text, Audience::kOwner);
    if (ledger_ != nullptr) ledger_->record_progress(dataset_, entry_, progress_, now);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(beside_, ignored);
    throw;
  }
  progress_ = now;
  move_file(beside_, path_);
}

void Checkpoint::remove() const {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace equinoise
