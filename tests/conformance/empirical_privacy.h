// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/check.h"

namespace equinoise::testing {

/// The counts of a distinguishing game. An observer sees a release from a table with a record or
/// from its neighbour without it, and guesses which; the game counts wrong guesses. Plays are
/// independent, and the rule for guessing was fixed before the first.
struct DistinguishingGame {
  int64_t num_with = 0;         ///< plays on the table with the record
  int64_t false_negatives = 0;  ///< of these, guessed to be without
  int64_t num_without = 0;      ///< plays on the table without it
  int64_t false_positives = 0;  ///< of these, guessed to be with
};

namespace empirical_privacy {

inline constexpr std::string_view kEmpiricalPrivacy = "audit.empirical_privacy";

inline void check_count(std::string_view name, int64_t wrong, int64_t plays) {
  if (wrong < 0 || wrong > plays) {
    throw Error(ErrorKind::kUsage, kEmpiricalPrivacy,
                fmt::format("{} must be between 0 and the number of plays, {}, got {}", name, plays,
                            wrong));
  }
}

/// Half of the plays, in ascending order.
inline std::vector<double> sorted_half(std::span<const double> scores, size_t first) {
  std::vector<double> half;
  half.reserve(scores.size() / 2 + 1);
  for (size_t i = first; i < scores.size(); i += 2) {
    if (std::isnan(scores[i])) throw Error(ErrorKind::kUsage, kEmpiricalPrivacy, "a score is NaN");
    half.push_back(scores[i]);
  }
  std::ranges::sort(half);
  return half;
}

inline int64_t count_below(const std::vector<double>& sorted, double threshold) {
  return std::ranges::lower_bound(sorted, threshold) - sorted.begin();
}

inline DistinguishingGame play(const std::vector<double>& with, const std::vector<double>& without,
                               double threshold) {
  const auto num_without = static_cast<int64_t>(without.size());
  return {static_cast<int64_t>(with.size()), count_below(with, threshold), num_without,
          num_without - count_below(without, threshold)};
}

/// Scores at even shares of a list, and further and further out at both of its ends.
inline void add_candidates(const std::vector<double>& sorted, std::vector<double>& thresholds) {
  constexpr size_t kShares = 100;
  for (size_t i = 0; i < kShares; ++i) thresholds.push_back(sorted[sorted.size() * i / kShares]);
  for (size_t place = 0; place < sorted.size(); place += place / 2 + 1) {
    thresholds.push_back(sorted[place]);
    thresholds.push_back(sorted[sorted.size() - 1 - place]);
  }
}

}  // namespace empirical_privacy

/// A lower bound on the epsilon of a mechanism, at `delta`. A mechanism that is (epsilon, delta)-DP
/// for a smaller epsilon gives such counts, or more extreme ones, with probability at most
/// `significance`. 0 if there is no evidence, NaN if there were no plays on one of the tables.
///
/// An (epsilon, delta)-DP mechanism does not allow 1 - FNR > e^epsilon FPR + delta or 1 - FPR >
/// e^epsilon FNR + delta [KairouzOhViswanath2015, Thm. 2.1]. Both rates are bounded from above at
/// half the significance each [ClopperPearson1934; JagielskiUllmanOprea2020]. Errors: kUsage for
/// counts that are negative or do not fit, 0 <= delta < 1, 0 < significance < 1.
inline double empirical_epsilon(const DistinguishingGame& game, double delta, double significance) {
  using namespace empirical_privacy;
  check_count("false_negatives", game.false_negatives, game.num_with);
  check_count("false_positives", game.false_positives, game.num_without);
  check_interval(kEmpiricalPrivacy, "delta", delta, 0, std::nextafter(1.0, 0.0));
  check_open_interval(kEmpiricalPrivacy, "significance", significance, 0, 1);
  if (game.num_with == 0 || game.num_without == 0) return std::numeric_limits<double>::quiet_NaN();
  // The interval leaves half of the significance out on each side.
  const auto largest_rate = [&](int64_t misses, int64_t trials) {
    const auto n = static_cast<double>(trials);
    return beta_interval(static_cast<double>(misses) / n, n, 1 - significance).high;
  };
  const double negatives = largest_rate(game.false_negatives, game.num_with);
  const double positives = largest_rate(game.false_positives, game.num_without);
  const auto bound = [delta](double miss, double alarm) {
    const double hit = 1 - miss - delta;
    return hit > alarm ? std::log(hit / alarm) : 0;
  };
  return std::max(bound(negatives, positives), bound(positives, negatives));
}

/// The result of empirical_epsilon() with scores.
struct EmpiricalPrivacy {
  double epsilon = 0;  ///< lower bound
  double threshold = 0;
  DistinguishingGame game;
};

/// A lower bound from one score for each play; larger scores speak for the record. The guess is
/// "with" from a threshold on. Every other play of each list serves to choose the threshold, the
/// rest to count. Errors: also kUsage for a NaN, or a list of fewer than two.
inline EmpiricalPrivacy empirical_epsilon(std::span<const double> scores_with,
                                          std::span<const double> scores_without, double delta,
                                          double significance) {
  using namespace empirical_privacy;
  if (scores_with.size() < 2 || scores_without.size() < 2) {
    throw Error(ErrorKind::kUsage, kEmpiricalPrivacy,
                "at least two scores of each kind are needed");
  }
  const std::vector<double> with = sorted_half(scores_with, 0);
  const std::vector<double> without = sorted_half(scores_without, 0);
  std::vector<double> thresholds;
  add_candidates(with, thresholds);
  add_candidates(without, thresholds);
  double threshold = 0;
  double best = -1;
  for (double candidate : thresholds) {
    const double bound = empirical_epsilon(play(with, without, candidate), delta, significance);
    if (bound <= best) continue;
    best = bound;
    threshold = candidate;
  }
  const DistinguishingGame game =
      play(sorted_half(scores_with, 1), sorted_half(scores_without, 1), threshold);
  return {empirical_epsilon(game, delta, significance), threshold, game};
}

}  // namespace equinoise::testing
