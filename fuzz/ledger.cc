// SPDX-License-Identifier: Apache-2.0
// Ledger files. An input that begins with "{" is the body of a record that is added with the right
// hash; of any other, each three bytes are a place (two bytes, the higher one first) and a byte
// that is written there, in a real ledger.

#include "equinoise/privacy/ledger.h"

#include <sqlite3.h>

#include <nlohmann/json.hpp>

#include "equinoise/base/sha256.h"
#include "equinoise/privacy/ledger_file.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {
namespace {

constexpr const char* kDataset = "d";

/// A ledger with a few entries, as bytes, and what it has spent.
struct Original {
  std::string bytes;
  std::string last_hash;
  int64_t num_records = 0;
  double spent = 0;
};

Original make_original() {
  const InputFile file("original");
  const std::filesystem::path path = file.write("");
  std::filesystem::remove(path);
  Budget budget{Epsilon(50), Delta(1e-6), Relation::kZeroOut};
  budget.group_caps = {{"sex", "Female", Epsilon(40)}};
  budget.fixed_groups = true;
  Ledger::open_account(path, kDataset, budget);
  Ledger ledger(path);
  const Event by_sex =
      Event::parallel("sex", {"Female", "Male"}, {Event::gaussian(2), Event::gaussian(3)});
  ledger.reserve(kDataset, {Event::gaussian(2)}, Relation::kZeroOut, "first", false, "key");
  ledger.reserve(kDataset, {Event::repeat(9, Event::gaussian(4)), by_sex}, Relation::kZeroOut,
                 "second", true);
  ledger.record_progress(kDataset, 3, {}, {4, "state"});
  ledger.reserve(kDataset, {Event::zcdp(0.2)}, Relation::kZeroOut, "third");
  Original original;
  original.last_hash = ledger.last_hash();
  original.num_records = static_cast<int64_t>(ledger.records().size());
  original.spent = ledger.account(kDataset).spent.epsilon.value();
  std::ifstream stream(path, std::ios::binary);
  original.bytes = {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return original;
}

/// Everything that a command does with a ledger. Of what opens at all nothing may be missing.
void use(const std::filesystem::path& path, const Original& original) {
  error_of([&] {
    Ledger ledger(path);
    const std::vector<LedgerRecord> records = ledger.records();
    require(static_cast<int64_t>(records.size()) >= original.num_records &&
                records[static_cast<size_t>(original.num_records) - 1].hash == original.last_hash,
            "all records are there or the file is refused");
    const LedgerAccount account = ledger.account(kDataset);
    require(account.spent.epsilon.value() >= original.spent, "nothing that was spent vanishes");
    for (const GroupSpending& group : account.groups) {
      require(group.spent.epsilon.value() >= 0, "a group's spending is a number");
    }
    error_of([&] { ledger.verify(); });
    const Reservation paid = ledger.reserve(kDataset, {Event::gaussian(50)}, Relation::kZeroOut,
                                            "after", false, "another key");
    require(ledger.records().back().hash == paid.hash, "what was paid for is in the file");
    require(ledger.account(kDataset).spent.epsilon.value() >= account.spent.epsilon.value(),
            "a spend never lowers what is spent");
  });
}

/// Puts a body behind the last record, as somebody who knows the format would.
void add_record(const std::filesystem::path& path, const Original& original,
                const std::string& body) {
  sqlite3* connection = nullptr;
  require(sqlite3_open(path.c_str(), &connection) == SQLITE_OK, "SQLite opens the original");
  sqlite3_exec(connection, "PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
  const std::string hash = sha256_hex(original.last_hash + "\n" + body);
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(connection, "INSERT INTO entries VALUES (?1, ?2, ?3)", -1, &statement,
                     nullptr);
  sqlite3_bind_int64(statement, 1, original.num_records + 1);
  sqlite3_bind_text(statement, 2, body.data(), static_cast<int>(body.size()), SQLITE_STATIC);
  sqlite3_bind_text(statement, 3, hash.data(), static_cast<int>(hash.size()), SQLITE_STATIC);
  require(sqlite3_step(statement) == SQLITE_DONE, "the record is added");
  sqlite3_finalize(statement);
  sqlite3_close(connection);
}

}  // namespace
}  // namespace equinoise::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  static const fuzz::Original original = fuzz::make_original();
  static const fuzz::InputFile file("ledger");
  if (size > 0 && data[0] == '{') {
    const std::filesystem::path& path = file.write(original.bytes);
    fuzz::add_record(path, original, std::string(fuzz::as_text(data, size)));
    fuzz::use(path, original);
    return 0;
  }
  std::string bytes = original.bytes;
  for (size_t i = 0; i + 2 < size; i += 3) {
    bytes[(size_t{data[i]} * 256 + data[i + 1]) % bytes.size()] = static_cast<char>(data[i + 2]);
  }
  fuzz::use(file.write(bytes), original);
  return 0;
}
