// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

#include "equinoise/audit/empirical_privacy.h"
#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/ledger.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/mechanisms/discrete_laplace.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/mechanisms/laplace_sum.h"
#include "equinoise/tasks/selftest/selftest_checks.h"

namespace equinoise {

namespace {

constexpr const char* kDataset = "selftest";
constexpr const char* kMovers = "movers";
constexpr Relation kRelation = Relation::kReplaceOne;

/// A ledger with one account in a new folder, which goes away with the object.
class TemporaryLedger {
 public:
  explicit TemporaryLedger(double epsilon) {
    std::string name =
        (std::filesystem::temp_directory_path() / "equinoise-selftest-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(ErrorKind::kRuntime, "tasks.selftest",
                  fmt::format("cannot create a folder {}; set TMPDIR to a writable place", name));
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

  /// Whether nothing is left of it.
  bool remove() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    return !std::filesystem::exists(folder_, ignored);
  }

 private:
  std::filesystem::path folder_;
};

/// Changes the last byte of the first place in a file where `text` stands.
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

/// One game with a mechanism: `release` returns a score for each of many releases of an input with
/// or without the record, drawn for the next permit of item 0.
struct Game {
  std::string_view name;
  Event event;
  double delta;
  std::function<std::vector<double>(Charge& charge, bool with, RandomSource& source)> release;
};

std::vector<Game> games() {
  constexpr size_t kPlays = 400'000;
  constexpr int64_t kChange = 1 << 20;
  constexpr int64_t kSmallChange = 4;
  using AddNoise = void (*)(Permit, const Sensitivity&, std::span<int64_t>, RandomSource&);
  // Noise is independent in each entry: every entry is a release of one number of its own.
  const auto game = [](std::string_view name, const Event& event, double delta, int64_t change,
                       Norm norm, AddNoise add_noise) {
    return Game{name, event, delta, [=](Charge& charge, bool with, RandomSource& source) {
                  std::vector<int64_t> units(kPlays, with ? change : 0);
                  const Sensitivity sensitivity(static_cast<double>(change), norm, kRelation);
                  add_noise(charge.take(0), sensitivity, units, source);
                  return std::vector<double>(units.begin(), units.end());
                }};
  };
  return {
      game("Gaussian sum", Event::gaussian(1), 0.01, kChange, Norm::kL2, add_gaussian_noise),
      game("Laplace sum", Event::laplace(1), 0, kChange, Norm::kL1, add_laplace_noise),
      game("discrete Gaussian", Event::discrete_gaussian(4, kSmallChange), 0.01, kSmallChange,
           Norm::kL1, add_discrete_gaussian_noise),
      game("discrete Laplace", Event::discrete_laplace(0.25, kSmallChange), 0, kSmallChange,
           Norm::kL1, add_discrete_laplace_noise),
  };
}

/// The least epsilon that any accountant claims.
double least_claim(const Event& event, double delta) {
  double least = std::numeric_limits<double>::infinity();
  for (const AccountantRow& row : accountant_rows()) {
    try {
      least = std::min(least, row.make(kRelation, {event})->epsilon(Delta(delta)).value());
    } catch (const Error&) {
      // This one has no bound at such a delta.
    }
  }
  return least;
}

}  // namespace

SelfTestFinding check_ledger() {
  constexpr double kBudget = 1;
  const std::string purpose = "made-up numbers of the self-test";
  const std::vector<Event> events = {Event::laplace(2.5)};
  const std::vector<Event> too_much = {Event::laplace(1)};
  // Two groups, of which one pays hardly anything.
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
    // At delta 1e-6 noise that is 0.4-DP is a little better than that.
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
    // Who is in one group first and in the other later pays 1/4 twice.
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

SelfTestFinding check_paid_release() {
  // At so many plays a right mechanism shows more than four fifths of its claim.
  constexpr double kLeastShare = 0.6;
  SelfTestVerdict verdict;
  SecureSource source;
  for (const Game& game : games()) {
    // Enough for any game: the account is made up.
    TemporaryLedger temporary(30);
    Charge charge =
        Ledger(temporary.path())
            .reserve(kDataset, {Event::repeat(2, game.event), Event::sampler_error(1e-30)},
                     kRelation, "made-up numbers of the self-test")
            .charge;
    const std::vector<double> with = game.release(charge, true, source);
    const std::vector<double> without = game.release(charge, false, source);
    const double shown =
        empirical_epsilon(with, without, game.delta, kSelfTestSignificance).epsilon;
    const double claim = least_claim(game.event, game.delta);
    const std::string text = fmt::format(
        "{}: an adversary shows epsilon {:.4g} at delta {} in {} releases; {:.4g} is claimed",
        game.name, shown, game.delta, with.size() + without.size(), claim);
    verdict.require_likely(shown <= claim, text);
    verdict.require_likely(shown >= kLeastShare * claim, text + ", so the noise is too large");
    verdict.add(text);
  }
  return verdict.finding();
}

}  // namespace equinoise
