// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// The public bounds that determine the sensitivity of the minimiser of a regularised maximum over
/// groups.
struct PhaseBounds {
  Relation relation = Relation::kZeroOut;
  double lipschitz = 1;  ///< of each record's loss
  /// The bound on losses under zero_out. Under replace_one it is their range, or the bound itself
  /// if a record may vanish as well (TableLosses).
  double loss_bound = 1;
  double mu_w = 1;             ///< regularised_maximum.h
  double mu_lambda = 1;        ///< the same
  int64_t smallest_group = 1;  ///< records of the smallest group of the phase
};

/// The L2 sensitivity of the exact minimiser to one record of one group.
///
/// With a = |dw|, b = |dlambda|_1, n the size of the group: the saddle point's operator is strongly
/// monotone, mu_w in w and (by Pinsker's inequality) mu_lambda in lambda. So under zero_out mu_w
/// a^2 + mu_lambda b^2 <= (L / n) a + (B / n) |dlambda_j| with |dlambda_j| <= b / 2, hence with
/// X = L / mu_w, Y^2 = B^2 / (mu_w mu_lambda): a <= (X + sqrt(X^2 + Y^2 / 4)) / (2 n). Under
/// replace_one the record's gradient changes by 2 L and its loss by the range:
/// a <= (X + sqrt(X^2 + Y^2 / 16)) / n. The result is the least of that and of
/// X (1 + B / (2 mu_lambda)) / n, under replace_one X (2 + B / (2 mu_lambda)) / n.
///
/// Deviation: the paper's 3 / n (X + Y) holds, too, and is up to 4 times larger. Errors: kUsage for
/// bounds that are not finite and > 0, and for add_remove, under which sizes would be private.
double phase_sensitivity(const PhaseBounds& bounds);

/// Bounds on logistic losses: features of norm <= feature_bound, a minimiser within L / mu_w of the
/// centre, L = feature_bound.
struct LogisticReach {
  double lipschitz = 0;
  double radius = 0;      ///< of a ball about 0 that holds the minimiser of every table
  double loss_bound = 0;  ///< of losses on that ball
  double loss_range = 0;  ///< the largest less the least
};
LogisticReach logistic_reach(double feature_bound, double center_norm, double mu_w);

/// Bounds on log losses of `num_outputs` scores that are linear in features of
/// norm <= feature_bound. Two outputs mean the logistic loss with one score, more mean softmax. The
/// radius is the lesser of two. At the centre no loss is above b = largest loss on
/// |w| <= center_norm, so Phi there is at most b + mu_lambda log p, and Phi is at least
/// mu_w / 2 |w - center|^2. So the minimiser is also within sqrt(2 (b + mu_lambda log p) / mu_w),
/// which for long steps is much less than L / mu_w.
LogisticReach class_reach(size_t num_outputs, double feature_bound, double center_norm, double mu_w,
                          double mu_lambda, size_t num_groups);

/// The public facts of phased_erm before its first phase.
struct PhaseFacts {
  double phase_step = 1;       ///< eta
  int64_t num_phases = 1;      ///< of the run
  int64_t smallest_group = 1;  ///< records of the smallest group, in all phases
  size_t num_groups = 2;
  size_t num_outputs = 1;    ///< as class_reach
  double feature_bound = 1;  ///< the same
};

/// The terms of phase `phase`, from 0 on, of phased_erm.
struct PhaseTerms {
  double mu_w = 0;
  double mu_lambda = 0;
  double sensitivity = 0;  ///< of the exact minimiser
  LogisticReach reach;
};

/// center_norm: that of the previous release. The sensitivity is that under replace_one: one record
/// less in a group with more records than its share of the chunk changes a mean by as much as a
/// replaced record (TableLosses). Errors: kUsage as phase_sensitivity and class_reach.
PhaseTerms phase_terms(const PhaseFacts& facts, int64_t phase, double center_norm);

}  // namespace equinoise
