// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equinoise/base/interval.h"

namespace equinoise {

/// A noisy figure, and the variance of its noise.
struct NoisyNumber {
  double value = 0;
  double variance = 0;
};

/// All quotients r for which above - r below can be noise, at z standard deviations; nothing if
/// `below` may be 0 and every r can. covariance: of both noises. [Fieller1954]
std::optional<Interval> quotient_interval(const NoisyNumber& above, const NoisyNumber& below,
                                          double covariance, double z);

/// An estimate with an interval around it.
struct Spread {
  double estimate = 0;
  Interval interval;
};

/// first - second, for independent noises that are about normal: each end is as far away as both
/// ends of the parts together, in squares. [ZouDonner2008]
Spread difference(const Spread& first, const Spread& second);

/// first - second, for intervals that hold together, whatever they are of: between their farthest
/// ends.
Spread farthest_difference(const Spread& first, const Spread& second);

using DifferenceRule = Spread (*)(const Spread& first, const Spread& second);

/// first / second by the difference of the logarithms; nothing unless all ends are positive.
std::optional<Spread> quotient(const Spread& first, const Spread& second, DifferenceRule rule);

/// (figures) The ranks from 1, the lowest, that each may have, given intervals that hold all of
/// them at once: figures whose interval lies below it are below it. [KleinWrightWieczorek2020]
struct Ranks {
  size_t low = 1;
  size_t high = 1;
};
std::vector<Ranks> possible_ranks(std::span<const Interval> intervals);

}  // namespace equinoise
