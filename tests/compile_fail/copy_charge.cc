// SPDX-License-Identifier: Apache-2.0
// A charge cannot be copied: each event is drawn once.
#include "equinoise/privacy/charge.h"

equinoise::Charge keep(equinoise::Charge& charge) {
#ifdef MUST_COMPILE
  return std::move(charge);
#else
  return charge;
#endif
}
