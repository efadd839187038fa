// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "equinoise/train/worst_group/group_losses.h"

namespace equinoise {

/// Bounds on the least possible largest loss of any group, over all parameters of norm at most
/// `radius`. NOT PRIVATE: exact figures of the records.
struct MinimaxCertificate {
  double lower = 0;
  double upper = 0;  ///< attained
  double radius = 0;

  double gap() const { return upper - lower; }
};

/// The certificate at `parameters`, w, with norm at most `radius`, from weights of groups that are
/// at least 0 and add up to 1, up to rounding in double precision. Losses are convex and not
/// negative. So for all u of the ball
///   max_i L_i(u) >= sum_i lambda_i L_i(u) >= sum_i lambda_i L_i(w) + <g, u - w>
///                >= sum_i lambda_i L_i(w) - <g, w> - radius |g|,
/// g = sum_i lambda_i grad L_i(w), for any w and lambda. losses: (groups) at w; gradients: (groups,
/// num_parameters).
MinimaxCertificate certificate_at(std::span<const double> parameters,
                                  std::span<const double> losses, std::span<const double> gradients,
                                  std::span<const double> lambda, double radius);

/// The stopping rule of the search.
struct MinimaxTerms {
  double radius = 0;      ///< of the ball about 0 that holds the parameters
  double tolerance = 0;   ///< a certificate with a gap of at most this is enough
  int64_t max_steps = 0;  ///< of Newton's method, in all
};

/// The parameters with the lowest largest loss that was found, and the best bounds.
struct CertifiedMinimax {
  std::vector<double> parameters;
  MinimaxCertificate certificate;
};

/// Receives the best parameters so far after each step; may throw to stop.
using MinimaxWatcher = std::function<void(std::span<const double> parameters)>;

/// Minimises the largest loss of any group over the ball. It uses Newton's method for regularised
/// maxima with shrinking regularisation, from `start` on, until the gap is at most the tolerance or
/// all steps are taken. The certificate holds at any end.
///
/// The number of steps depends on the records, so it is not for private releases. Errors: kUsage
/// unless radius and tolerance are finite and > 0.
CertifiedMinimax minimise_largest_loss(
    const GroupLosses& losses, const MinimaxTerms& terms, std::vector<double> start,
    const MinimaxWatcher& watch = [](std::span<const double>) {});

}  // namespace equinoise
