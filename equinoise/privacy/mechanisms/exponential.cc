// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/exponential.h"

#include "equinoise/base/error.h"
#include "equinoise/privacy/random/exponential_choice.h"

namespace equinoise {

size_t choose_exponentially(Permit permit, const Sensitivity& sensitivity,
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
