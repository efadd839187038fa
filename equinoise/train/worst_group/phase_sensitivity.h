// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// What the minimiser of a regularised maximum over groups may depend on; public.
struct PhaseBounds {
  Relation relation = Relation::kZeroOut;
  double lipschitz = 1;  ///< of each record's loss
  /// Of losses under zero_out; under replace_one their range, but the bound itself where a record
  /// may vanish as well (TableLosses).
  double loss_bound = 1;
  double mu_w = 1;             ///< regularised_maximum.h
  double mu_lambda = 1;        ///< the same
  int64_t smallest_group = 1;  ///< records of the smallest group of the phase
};

/// What the exact minimiser moves by in L2 when one record of one group changes.
///
/// With a = |dw|, b = |dlambda|_1, n the size of the group: the saddle point's operator is strongly
/// monotone, mu_w in w and (by Pinsker's inequality) mu_lambda in lambda, so under zero_out mu_w
/// a^2 + mu_lambda b^2 <= (L / n) a + (B / n) |dlambda_j| with |dlambda_j| <= b / 2, hence with X =
/// L / mu_w, Y^2 = B^2 / (mu_w mu_lambda): a <= (X + sqrt(X^2 + Y^2 / 4)) / (2 n). Under
/// replace_one the record's gradient changes by 2 L and its loss by the range: a <= (X + sqrt(X^2 +
/// Y^2 / 16)) / n. The least of that and of X (1 + B / (2 mu_lambda)) / n, replace_one X (2 + B /
/// (2 mu_lambda)) / n.
///
/// Deviation: the paper's 3 / n (X + Y) holds, too, and is up to 4 times larger. Errors: kUsage for
/// bounds that are not finite and > 0, and for add_remove, under which sizes would be private.
double phase_sensitivity(const PhaseBounds& bounds);

/// How far logistic losses reach: features of norm <= feature_bound, a minimiser that lies within L
/// / mu_w of the centre, L = feature_bound.
struct LogisticReach {
  double lipschitz = 0;
  double radius = 0;      ///< of a ball about 0 that holds the minimiser of every table
  double loss_bound = 0;  ///< of losses on that ball
  double loss_range = 0;  ///< the largest less the least
};
LogisticReach logistic_reach(double feature_bound, double center_norm, double mu_w);

/// The same for log losses of `num_outputs` scores that are linear in features of norm <=
/// feature_bound, 2: logistic with one score, else softmax; and with the lesser of two radii. At
/// the centre no loss is above b = largest loss on |w| <= center_norm, so Phi there is at most b +
/// mu_lambda log p, and Phi is at least mu_w / 2 |w - center|^2: the minimiser is within sqrt(2 (b
/// + mu_lambda log p) / mu_w), too, which for long steps is much less than L / mu_w.
LogisticReach class_reach(size_t num_outputs, double feature_bound, double center_norm, double mu_w,
                          double mu_lambda, size_t num_groups);

/// What phased_erm knows before its first phase; public.
struct PhaseFacts {
  double phase_step = 1;       ///< eta
  int64_t num_phases = 1;      ///< of the run
  int64_t smallest_group = 1;  ///< records of the smallest group, of all phases
  size_t num_groups = 2;
  size_t num_outputs = 1;    ///< as class_reach
  double feature_bound = 1;  ///< the same
};

/// What phase `phase`, from 0 on, of phased_erm does.
struct PhaseTerms {
  double mu_w = 0;
  double mu_lambda = 0;
  double sensitivity = 0;  ///< of the exact minimiser
  LogisticReach reach;
};

/// center_norm: of what was released before. The sensitivity is that under replace_one: a record
/// less of a group that has more than its share of the chunk changes a mean, by as much as one that
/// is replaced (TableLosses). Errors: kUsage as phase_sensitivity and class_reach.
PhaseTerms phase_terms(const PhaseFacts& facts, int64_t phase, double center_norm);

}  // namespace equinoise
