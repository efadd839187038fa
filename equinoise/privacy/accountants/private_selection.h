// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "equinoise/privacy/accountants/composition.h"
#include "equinoise/privacy/accountants/privacy_profile.h"

namespace equinoise {

/// log(1 / gamma) of the truncated negative binomial distribution with `shape` > -1 and mean
/// `mean` > 1, rounded up. Errors: kUsage, naming `where`, for a mean that no such distribution
/// has.
double log_inverse_gamma(std::string_view where, double shape, double mean);

/// (orders) The cost of the best of a random number of runs that each cost `run`. The number does
/// not depend on the data and has the truncated negative binomial distribution with `shape`
/// (infinite: Poisson) and `mean`. See Event::Kind::kRepeatAndSelect.
///
/// An infinite mean represents an unknown one: only a pure bound is left. `where` names the
/// accountant in errors. Errors: kUsage for runs with a delta, a mean below 1 unless Poisson, an
/// infinite mean where there is no pure bound. [PapernotSteinke2022, Theorems 2 and 6;
/// LiuTalwar2019] Deviation: no run at all is an output too, of probability e^-mean in the Poisson
/// case, which Theorem 6 leaves out.
PrivacyCost best_of_runs(std::string_view where, const PrivacyCost& run, double mean, double shape,
                         const std::vector<double>& orders);

/// A profile above that of the best of a random number of runs with the profile `run`, in both
/// directions: delta(e) = mean * run(e - s), where the shift s follows from the number of runs, and
/// below 0 what the other direction leaves. Symmetric if `run` is. The number of runs is as above;
/// its mean is finite. docs/theory/accountants.md has the proof.
ProfilePointer best_of_runs_profile(std::string_view where, const PrivacyProfile& run, double mean,
                                    double shape);

}  // namespace equinoise
