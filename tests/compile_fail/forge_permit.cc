// SPDX-License-Identifier: Apache-2.0
// A permit cannot be made without a charge.
#include "equinoise/privacy/charge.h"

equinoise::Permit make(equinoise::Charge& charge) {
#ifdef MUST_COMPILE
  return charge.take(0);
#else
  static_cast<void>(charge);
  return equinoise::Permit(
      std::make_shared<const equinoise::Event>(equinoise::Event::exponential(1)),
      equinoise::Relation::kZeroOut, true);
#endif
}
