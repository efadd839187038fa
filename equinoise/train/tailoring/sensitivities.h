// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "equinoise/privacy/relation.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The L2 sensitivities of regression statistics of groups. Under zero_out one record of a group
/// becomes the null record, under replace_one another record of the same group. Group sizes are
/// public and fixed. Pre: rows were clipped to feature_norm_bound and targets to target_bound.
/// [AlabiWiggins2024, Lemmas C.1-C.3 and D.1]
///
/// Deviation: the paper declares replace_one and has the sensitivities of zero_out, with one bound
/// for rows and targets that nothing enforces; its rho is then 2 times too small for X^T X and 4
/// times for X^T Y and gradients. Errors of all: kUsage for a bound that is not finite and > 0, no
/// features, an empty group, or add_remove, under which sizes would be private.

/// X^T X as its upper triangle with the diagonal: every entry once.
Sensitivity xtx_sensitivity(Relation relation, double feature_norm_bound, size_t num_features);

/// X^T Y.
Sensitivity xty_sensitivity(Relation relation, double feature_norm_bound, double target_bound);

/// Both at once, as one vector.
Sensitivity joint_moment_sensitivity(Relation relation, double feature_norm_bound,
                                     double target_bound);

/// The sum over a group of min(r^2, residual_clip^2).
Sensitivity residual_sum_sensitivity(Relation relation, double residual_clip);

/// A sum of gradients, each clipped to norm max_grad_norm.
Sensitivity gradient_sum_sensitivity(Relation relation, double max_grad_norm);

/// The mean over a group of such gradients.
///
/// Deviation: Algorithm 2 has max_grad_norm for any size of the group.
Sensitivity gradient_mean_sensitivity(Relation relation, double max_grad_norm, int64_t group_size);

/// The mean over a group of losses clipped to [0, loss_clip].
Sensitivity loss_mean_sensitivity(Relation relation, double loss_clip, int64_t group_size);

/// The standard deviation of Gaussian noise on every entry whose release costs rho: S / sqrt(2
/// rho), 0 for infinite rho, which is not private. Errors: kUsage unless rho > 0.
double noise_stddev(const Sensitivity& sensitivity, double rho);

}  // namespace equinoise
