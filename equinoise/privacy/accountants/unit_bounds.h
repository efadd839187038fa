// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// The cost of a release from rows where neighbours differ in up to k rows of one unit. `event` is
/// a kRowsOfUnit; each returned event bounds it by itself and contains no kRowsOfUnit. Relation:
/// any; from one neighbour to the other the rows change one by one, each as the relation lets one
/// row change, so that every divergence is that of a path of k steps.
///
/// - Gaussian and Laplace noise, real or discrete: by the triangle inequality the noised values
///   change by k times the sensitivity.
/// - Pure DP and bounded range: log-ratios add up along the path, k epsilon.
/// - zCDP: k^2 rho [BunSteinke2016, Prop. 27].
/// - Repeats, lists: the bounds of their events, which hold whatever was seen before.
/// - Sampler errors: hold for each table, so they stay.
/// - Groups in parallel: the rows may be in several groups. If all groups draw the same noise they
///   are cells of one vector, which changes by k times the sensitivity of a cell. Otherwise the
///   largest k epsilon of any group (the first bound, where there is one) or the largest k^2 rho
///   (the second) holds, since k_1 + .. + k_s <= k. In both bounds the sampler errors of as many
///   groups as there may be rows in add up.
///
/// docs/theory/units.md has the proofs. Errors: kUsage by `where`, naming the event, for sampled
/// events, selections, trees, randomised response, approximate DP, or a nested kRowsOfUnit, and for
/// numbers beyond double precision.
std::vector<Event> unit_bounds(std::string_view where, const Event& event);

}  // namespace equinoise
