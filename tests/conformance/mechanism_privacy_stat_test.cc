// SPDX-License-Identifier: Apache-2.0
// Distinguishing games with every mechanism: what an adversary who knows all but one record can
// show must stay below what the accountants claim, and must exceed it for broken mechanisms.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/mechanisms/discrete_laplace.h"
#include "equinoise/privacy/mechanisms/exponential.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"
#include "equinoise/privacy/mechanisms/laplace_sum.h"
#include "tests/conformance/empirical_privacy.h"

namespace equinoise::mechanism_privacy_stat_test {

using testing::empirical_epsilon;
using testing::EmpiricalPrivacy;

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261125;
constexpr Relation kRelation = Relation::kReplaceOne;

/// A mechanism with two neighbouring inputs that are as far apart as its event allows.
struct Case {
  std::string name;
  Event event;   ///< what it is charged for
  Event halved;  ///< the same with half the noise
  double delta;  ///< at which epsilon is claimed
  size_t plays;
  /// `plays` independent releases of the input with or without the record, drawn for `event`.
  std::function<std::vector<double>(const Event& event, bool with, size_t plays,
                                    RandomSource& source)>
      release;
  /// A score from releases of two runs, of which the second one's input has no record.
  std::function<double(double first, double second)> compare;
  bool same_words_for_every_input = true;  ///< a draw takes as many whatever the input is
};

/// Test names show this instead of bytes.
void PrintTo(const Case& mechanism, std::ostream* stream) { *stream << mechanism.name; }

Permit permit_for(const Event& event, const SeededSource& unpaid_source) {
  return Charge::unpaid({event}, kRelation, unpaid_source).take(0);
}

/// For mechanisms that add noise to each entry of a vector independently: every entry is a release
/// of one number, 0 or `change`, of its own.
Case of_noise(std::string name, const Event& event, const Event& halved, double delta, size_t plays,
              int64_t change,
              const std::function<void(Permit, std::span<int64_t>, RandomSource&)>& add_noise) {
  const auto release = [=](const Event& drawn, bool with, size_t count, RandomSource& source) {
    std::vector<int64_t> units(count, with ? change : 0);
    add_noise(permit_for(drawn, SeededSource(0)), units, source);
    return std::vector<double>(units.begin(), units.end());
  };
  return {std::move(name), event, halved, delta, plays, release, [](double first, double second) {
            return first - second;
          }};
}

std::vector<Case> cases() {
  constexpr int64_t kChange = int64_t{1} << 30;
  const Sensitivity l2(static_cast<double>(kChange), Norm::kL2, kRelation);
  const Sensitivity l1(static_cast<double>(kChange), Norm::kL1, kRelation);
  const Sensitivity small(4, Norm::kL1, kRelation);
  std::vector<Case> all;
  all.push_back(of_noise("gaussian_sum", Event::gaussian(1), Event::gaussian(0.5), 0.01, 1'000'000,
                         kChange, [l2](Permit permit, std::span<int64_t> units, RandomSource& s) {
                           add_gaussian_noise(std::move(permit), l2, units, s);
                         }));
  all.push_back(of_noise("laplace_sum", Event::laplace(1), Event::laplace(0.5), 0, 1'000'000,
                         kChange, [l1](Permit permit, std::span<int64_t> units, RandomSource& s) {
                           add_laplace_noise(std::move(permit), l1, units, s);
                         }));
  all.push_back(of_noise("discrete_gaussian", Event::discrete_gaussian(4, 4),
                         Event::discrete_gaussian(2, 4), 0.01, 1'000'000, 4,
                         [small](Permit permit, std::span<int64_t> units, RandomSource& s) {
                           add_discrete_gaussian_noise(std::move(permit), small, units, s);
                         }));
  all.push_back(of_noise("discrete_gaussian_table", Event::discrete_gaussian(4, 4),
                         Event::discrete_gaussian(2, 4), 0.01, 1'000'000, 4,
                         [small](Permit permit, std::span<int64_t> units, RandomSource& s) {
                           const DiscreteGaussianTable table(permit.event().noise_stddev());
                           add_discrete_gaussian_noise(std::move(permit), small, table, units, s);
                         }));
  all.push_back(of_noise("discrete_gaussian_scan", Event::discrete_gaussian(4, 4),
                         Event::discrete_gaussian(2, 4), 0.01, 1'000'000, 4,
                         [small](Permit permit, std::span<int64_t> units, RandomSource& s) {
                           const DiscreteGaussianScan scan(permit.event().noise_stddev());
                           add_discrete_gaussian_noise(std::move(permit), small, scan, units, s);
                         }));
  all.push_back(of_noise("discrete_laplace", Event::discrete_laplace(0.25, 4),
                         Event::discrete_laplace(0.5, 4), 0, 1'000'000, 4,
                         [small](Permit permit, std::span<int64_t> units, RandomSource& s) {
                           add_discrete_laplace_noise(std::move(permit), small, units, s);
                         }));
  // Bounded range is attained when one score rises while all others fall.
  const auto choose = [](const Event& event, bool with, size_t plays, RandomSource& source) {
    constexpr int64_t kScoreChange = 7;
    std::vector<int64_t> scores(31, with ? 0 : kScoreChange);
    scores[0] = with ? kScoreChange : 0;
    const Sensitivity sensitivity(kScoreChange, Norm::kMax, kRelation);
    Charge charge = Charge::unpaid({Event::repeat(static_cast<int64_t>(plays), event)}, kRelation,
                                   SeededSource(0));
    std::vector<double> chosen(plays);
    for (double& index : chosen) {
      // Negative, so that larger scores speak for candidate 0.
      index =
          -static_cast<double>(choose_exponentially(charge.take(0), sensitivity, scores, source));
    }
    return chosen;
  };
  all.push_back({"exponential", Event::exponential(1), Event::exponential(2), 0, 400'000, choose,
                 [](double first, double second) { return first == second ? 0.0 : 1.0; }, false});
  return all;
}

/// The least epsilon at `delta` that any accountant claims for `events`.
double min_claim(const std::vector<Event>& events, double delta) {
  double least = std::numeric_limits<double>::infinity();
  for (const AccountantRow& row : accountant_rows()) {
    try {
      least = std::min(least, row.make(kRelation, events)->epsilon(Delta(delta)).value());
    } catch (const Error&) {
      // This accountant has no bound at such a delta.
    }
  }
  return least;
}

class MechanismPrivacy : public ::testing::TestWithParam<Case> {
 protected:
  /// Draws for `event` what is claimed to be `event` of the parameter.
  EmpiricalPrivacy play(const Event& event, uint64_t seed) const {
    SeededSource source(seed);
    const Case& mechanism = GetParam();
    const auto with = mechanism.release(event, true, mechanism.plays, source);
    const auto without = mechanism.release(event, false, mechanism.plays, source);
    return empirical_epsilon(with, without, mechanism.delta, kSignificance);
  }

  /// Two releases of each play, the second one of a query that the record does not change. With
  /// `reuse` it is drawn from the words of the first.
  EmpiricalPrivacy play_twice(bool reuse, uint64_t seed) const {
    const Case& mechanism = GetParam();
    const size_t at_once = mechanism.same_words_for_every_input ? 200'000 : 1;
    const uint64_t num_draws = mechanism.same_words_for_every_input ? 1 : 4'000;
    SeededSource source(seed);
    std::vector<double> scores[2];
    for (uint64_t draw = 0; draw < 2 * num_draws; ++draw) {
      const bool with = draw % 2 == 0;
      source.start_step(2 * draw);
      const auto first = mechanism.release(mechanism.event, with, at_once, source);
      source.start_step(reuse ? 2 * draw : 2 * draw + 1);
      const auto second = mechanism.release(mechanism.event, false, at_once, source);
      for (size_t i = 0; i < at_once; ++i) {
        scores[draw % 2].push_back(mechanism.compare(first[i], second[i]));
      }
    }
    return empirical_epsilon(scores[0], scores[1], mechanism.delta, kSignificance);
  }

  void tell(const char* what, const EmpiricalPrivacy& found, double claim) const {
    std::printf(
        "%s, %s: epsilon at least %.4f, claim %.4f at delta %g; %lld plays, fnr %.4g, "
        "fpr %.4g, significance %g, seed %llu\n",
        GetParam().name.c_str(), what, found.epsilon, claim, GetParam().delta,
        static_cast<long long>(found.game.num_with + found.game.num_without),
        static_cast<double>(found.game.false_negatives) / static_cast<double>(found.game.num_with),
        static_cast<double>(found.game.false_positives) /
            static_cast<double>(found.game.num_without),
        kSignificance, static_cast<unsigned long long>(kSeed));
  }

  double claim(std::vector<Event> events) const { return min_claim(events, GetParam().delta); }
};

/// The lower bound is also near the claim: a game that shows little would not notice a fault.
TEST_P(MechanismPrivacy, StaysBelowItsClaim) {
  const double claimed = claim({GetParam().event});
  const EmpiricalPrivacy found = play(GetParam().event, kSeed);
  tell("as it is", found, claimed);
  EXPECT_LE(found.epsilon, claimed);
  EXPECT_GE(found.epsilon, 0.8 * claimed);
}

TEST_P(MechanismPrivacy, HalfTheNoiseIsCaught) {
  const double claimed = claim({GetParam().event});
  const EmpiricalPrivacy found = play(GetParam().halved, kSeed + 1);
  tell("half the noise", found, claimed);
  EXPECT_GT(found.epsilon, 1.3 * claimed);
}

TEST_P(MechanismPrivacy, TwoReleasesStayBelowTheirClaim) {
  const double claimed = claim({GetParam().event, GetParam().event});
  const EmpiricalPrivacy found = play_twice(false, kSeed + 2);
  tell("two releases", found, claimed);
  EXPECT_LE(found.epsilon, claimed);
}

TEST_P(MechanismPrivacy, NoiseThatIsUsedTwiceIsCaught) {
  const double claimed = claim({GetParam().event, GetParam().event});
  const EmpiricalPrivacy found = play_twice(true, kSeed + 3);
  tell("noise used twice", found, claimed);
  EXPECT_GT(found.epsilon, 1.3 * claimed);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, MechanismPrivacy, ::testing::ValuesIn(cases()),
                         [](const auto& mechanism) { return mechanism.param.name; });

}  // namespace equinoise::mechanism_privacy_stat_test
