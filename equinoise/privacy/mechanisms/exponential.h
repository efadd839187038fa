// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "equinoise/base/error.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/exponential_choice.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The exponential mechanism: chooses an index with Pr[i] ~ exp(epsilon scores[i] / (2
/// sensitivity)), epsilon as charged; the higher a score, the likelier. Scores are integers on a
/// grid.
///
/// Relation: that of `sensitivity`, which must be the permit's. Sensitivity: Norm::kMax, the
/// largest change of any one score, in grid units (the caller proves it for the integers); or half
/// the width of an interval that holds the changes of all scores, such as half the largest change
/// if at most one score changes. The number of candidates is public. Cost: the permit's event,
/// exponential(epsilon).
///
/// Guarantee: bounded range [DongDurfeeRogers2020]. Between neighbours
/// log(Pr[i] / Pr'[i]) = epsilon (scores[i] - scores'[i]) / (2 sensitivity) + log(Z' / Z). The
/// first term lies within +-epsilon/2 for every i, or in another interval of width epsilon, and the
/// second does not depend on i. So all log-ratios lie in one interval of width epsilon, which
/// therefore holds 0, and the choice is also epsilon-DP. Exact: the sampler has no error.
///
/// Edge cases: equal scores are equally likely; one candidate is chosen for certain; differences of
/// scores up to 2^64 - 1. There are about as many trials as candidates, or fewer; their number
/// depends on the scores and so does the time. Source: [McSherryTalwar2007]. Errors: kRuntime if
/// the permit is not for this; kUsage for another norm or if there are no candidates.
inline size_t choose_exponentially(Permit permit, const Sensitivity& sensitivity,
                                   std::span<const int64_t> scores, RandomSource& source) {
  permit.require(Event::Kind::kExponential, sensitivity.relation(), source);
  if (sensitivity.norm() != Norm::kMax) {
    throw Error(ErrorKind::kUsage, "privacy.exponential",
                "the exponential mechanism needs the largest change of any one score");
  }
  if (scores.empty()) {
    throw Error(ErrorKind::kUsage, "privacy.exponential", "scores must hold at least one");
  }
  const ExponentialChoice choice(scores, permit.event().epsilon(), sensitivity.value());
  const auto next_word = [&source] { return source.next(); };
  ExactTrials<decltype(next_word)> trials(next_word);
  return choice.draw(trials);
}

}  // namespace equinoise
