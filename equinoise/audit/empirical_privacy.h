// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// The counts of a distinguishing game. An observer sees a release from a table with a record or
/// from its neighbour without it, and guesses which; the game counts wrong guesses. Plays are
/// independent, and the rule for guessing was fixed before the first.
struct DistinguishingGame {
  int64_t num_with = 0;         ///< plays on the table with the record
  int64_t false_negatives = 0;  ///< of these, guessed to be without
  int64_t num_without = 0;      ///< plays on the table without it
  int64_t false_positives = 0;  ///< of these, guessed to be with
};

/// A lower bound on the epsilon of a mechanism, at `delta`. A mechanism that is (epsilon, delta)-DP
/// for a smaller epsilon gives such counts, or more extreme ones, with probability at most
/// `significance`. 0 if there is no evidence, NaN if there were no plays on one of the tables.
///
/// An (epsilon, delta)-DP mechanism does not allow 1 - FNR > e^epsilon FPR + delta or 1 - FPR >
/// e^epsilon FNR + delta [KairouzOhViswanath2015, Thm. 2.1]. Both rates are bounded from above at
/// half the significance each [ClopperPearson1934; JagielskiUllmanOprea2020]. Errors: kUsage for
/// counts that are negative or do not fit, 0 <= delta < 1, 0 < significance < 1.
double empirical_epsilon(const DistinguishingGame& game, double delta, double significance);

/// The result of empirical_epsilon() with scores.
struct EmpiricalPrivacy {
  double epsilon = 0;  ///< lower bound
  double threshold = 0;
  DistinguishingGame game;
};

/// A lower bound from one score for each play; larger scores speak for the record. The guess is
/// "with" from a threshold on. Every other play of each list serves to choose the threshold, the
/// rest to count. Errors: also kUsage for a NaN, or a list of fewer than two.
EmpiricalPrivacy empirical_epsilon(std::span<const double> scores_with,
                                   std::span<const double> scores_without, double delta,
                                   double significance);

}  // namespace equinoise
