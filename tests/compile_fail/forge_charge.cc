// SPDX-License-Identifier: Apache-2.0
// A charge cannot be made without a ledger.
#include "equinoise/privacy/charge.h"

equinoise::Charge make() {
#ifdef MUST_COMPILE
  return equinoise::Charge::nothing(equinoise::Relation::kZeroOut);
#else
  return equinoise::Charge({equinoise::Event::gaussian(1)}, equinoise::Relation::kZeroOut, true);
#endif
}
