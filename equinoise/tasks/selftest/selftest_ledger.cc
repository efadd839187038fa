// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

namespace {

constexpr const char* kDataset = "selftest";
constexpr const char* kMovers = "movers";
constexpr Relation kRelation = Relation::kReplaceOne;

/// A ledger with one account in a new folder, which is removed with the object.
class TemporaryLedger {
 public:
  explicit TemporaryLedger(double epsilon) {
    std::string name =
        (std::filesystem::temp_directory_path() / "equinoise-selftest-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(ErrorKind::kRuntime, "tasks.selftest",
                  "cannot create a folder {}; set TMPDIR to a writable place", name);
    }
    folder_ = name;
    try {
      Ledger::open_account(path(), kDataset, {Epsilon(epsilon), Delta(1e-6), kRelation});
    } catch (...) {
      remove();
      throw;
    }
  }
  ~TemporaryLedger() { remove(); }
  TemporaryLedger(const TemporaryLedger&) = delete;
  TemporaryLedger& operator=(const TemporaryLedger&) = delete;

  std::filesystem::path path() const { return folder_ / "selftest.ledger"; }

  /// Whether its files are completely removed.
  bool remove() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    return !std::filesystem::exists(folder_, ignored);
  }

 private:
  std::filesystem::path folder_;
};

/// Changes the last byte of the first occurrence of `text` in a file.
void change_file(const std::filesystem::path& path, const std::string& text) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t place = bytes.find(text);
  file.clear();
  file.seekp(static_cast<std::streamoff>(place + text.size() - 1));
  file.put('#');
  if (place == std::string::npos || !file.flush()) {
    throw Error(ErrorKind::kRuntime, "tasks.selftest", "the temporary ledger cannot be changed");
  }
}

}  // namespace

SelfTestFinding check_ledger() {
  constexpr double kBudget = 1;
  const std::string purpose = "made-up numbers of the self-test";
  const std::vector<Event> events = {Event::laplace(2.5)};
  const std::vector<Event> too_much = {Event::laplace(1)};
  // Two groups; the one with the larger scale pays almost nothing.
  const auto by_group = [](double first, double second) {
    return std::vector<Event>{Event::parallel("group", {"first", "second"},
                                              {Event::laplace(first), Event::laplace(second)})};
  };
  SelfTestVerdict verdict;
  TemporaryLedger temporary(kBudget);
  {
    Ledger ledger(temporary.path());
    const auto spent = [&] { return ledger.account(kDataset).spent.epsilon.value(); };
    verdict.require(spent() == 0, "a new account has spent something");
    Reservation first = ledger.reserve(kDataset, events, kRelation, purpose, false, "once");
    // Noise that is 0.4-DP costs slightly less than 0.4 at delta 1e-6.
    verdict.require(spent() >= 0.3999 && spent() <= kBudget,
                    "a spend of epsilon 0.4 is not counted");
    verdict.require(
        refused(ErrorKind::kUsage,
                [&] { ledger.reserve(kDataset, events, kRelation, purpose, false, "once"); }),
        "a key is taken twice");
    const std::string before = ledger.last_hash();
    verdict.require(refused(ErrorKind::kBudget,
                            [&] { ledger.reserve(kDataset, too_much, kRelation, purpose); }),
                    "a spend beyond the budget is not refused");
    verdict.require(ledger.last_hash() == before && ledger.account(kDataset).entries.size() == 1,
                    "a refused spend changed the ledger");
    std::vector<int64_t> units(1, 0);
    SeededSource seeded(1);
    verdict.require(
        refused(ErrorKind::kRuntime,
                [&] { first.charge.take(0).require(Event::Kind::kLaplace, kRelation, seeded); }),
        "a paid charge is drawn from the source for tests");
    verdict.require(refused(ErrorKind::kRuntime, [&] { static_cast<void>(first.charge.take(0)); }),
                    "a charge is drawn twice");
    verdict.require(ledger.verify().num_records == 2, "the ledger does not hold what was written");
    // A person who moves from one group to the other pays 1/4 twice.
    Ledger::open_account(temporary.path(), kMovers, {Epsilon(kBudget), Delta(1e-6), kRelation});
    ledger.reserve(kMovers, by_group(4, 4000), kRelation, purpose);
    ledger.reserve(kMovers, by_group(4000, 4), kRelation, purpose);
    const double of_movers = ledger.account(kMovers).spent.epsilon.value();
    verdict.require(of_movers >= 0.499, "people who change groups between entries are not counted");
  }
  {
    Ledger again(temporary.path());
    verdict.require(again.account(kDataset).entries.size() == 1,
                    "an entry is gone when the ledger is opened again");
  }
  change_file(temporary.path(), purpose);
  verdict.require(refused(ErrorKind::kLedger, [&] { Ledger(temporary.path()).verify(); }),
                  "a changed entry is not noticed");
  const std::string place = temporary.path().string();
  verdict.require(temporary.remove(), fmt::format("{} cannot be removed", place));
  verdict.add(fmt::format("opened, spent, refused and damaged {}, removed", place));
  return verdict.finding();
}

}  // namespace equinoise
