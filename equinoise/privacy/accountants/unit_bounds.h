// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// Events without a kRowsOfUnit, each of which bounds `event`, which is one, by itself: what a
/// release from rows costs where neighbours differ in up to k rows of one unit.
///
/// Relation: any; from one neighbour to the other the rows change one by one, each as the relation
/// lets one row change, so that every divergence is that of a path of k steps.
/// - Gaussian and Laplace noise, real or discrete: by the triangle inequality what it is added to
///   changes by k times the sensitivity.
/// - Pure DP and bounded range: log-ratios add up along the path, k epsilon.
/// - zCDP: k^2 rho [BunSteinke2016, Prop. 27].
/// - Repeats, lists: what bounds their events; the bounds hold whatever was seen before.
/// - Sampler errors: hold for each table, so they stay.
/// - Groups in parallel: the rows may be in several groups. Where all of them draw the same noise
///   they are cells of one vector, which changes by k times the sensitivity of a cell. Otherwise by
///   the largest k epsilon of any group (the first bound, where there is one) or the largest
///   k^2 rho (the second), since k_1 + .. + k_s <= k. In both the sampler errors of as many groups
///   as there may be rows in add up.
///
/// docs/theory/units.md has the proofs. Errors: kUsage by `where`, naming the event, for
/// sampled events, selections, trees, randomised response, approximate DP, or one kRowsOfUnit in
/// another; for what is beyond double precision.
std::vector<Event> unit_bounds(std::string_view where, const Event& event);

}  // namespace equinoise
