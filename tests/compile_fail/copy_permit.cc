// SPDX-License-Identifier: Apache-2.0
// A permit cannot be copied: it is for one draw.
#include "equinoise/privacy/charge.h"

equinoise::Permit keep(equinoise::Permit& permit) {
#ifdef MUST_COMPILE
  return std::move(permit);
#else
  return permit;
#endif
}
