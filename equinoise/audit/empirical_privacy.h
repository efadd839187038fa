// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace equinoise {

/// The count of a distinguishing game: releases from a table with a record and from its neighbour
/// without it, and how often an observer of one release is wrong in guessing which table it came
/// from. Plays are independent, and the rule for guessing was fixed before the first.
struct DistinguishingGame {
  int64_t num_with = 0;         ///< plays on the table with the record
  int64_t false_negatives = 0;  ///< of these, guessed to be without
  int64_t num_without = 0;      ///< plays on the table without it
  int64_t false_positives = 0;  ///< of these, guessed to be with
};

/// A lower bound on the epsilon of a mechanism, at `delta`: one that is (epsilon, delta)-DP for a
/// smaller epsilon shows such counts, or more telling ones, with probability at most
/// `significance`. 0 if nothing can be shown, NaN if there were no plays on one of the tables.
///
/// An (epsilon, delta)-DP mechanism does not allow 1 - FNR > e^epsilon FPR + delta or 1 - FPR >
/// e^epsilon FNR + delta [KairouzOhViswanath2015, Thm. 2.1]. Both rates are bounded from above at
/// half the significance each [ClopperPearson1934; JagielskiUllmanOprea2020]. Errors: kUsage for
/// counts that are negative or do not fit, 0 <= delta < 1, 0 < significance < 1.
double empirical_epsilon(const DistinguishingGame& game, double delta, double significance);

/// What empirical_epsilon() found with scores.
struct EmpiricalPrivacy {
  double epsilon = 0;  ///< lower bound
  double threshold = 0;
  DistinguishingGame game;
};

/// The same from one score for each play, the larger the more it speaks for the record: "with" is
/// guessed from a threshold on. Every other play of each list serves to choose the threshold, the
/// rest to count. Errors: also kUsage for a NaN, or a list of fewer than two.
EmpiricalPrivacy empirical_epsilon(std::span<const double> scores_with,
                                   std::span<const double> scores_without, double delta,
                                   double significance);

}  // namespace equinoise
