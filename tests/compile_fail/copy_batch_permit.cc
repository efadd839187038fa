// SPDX-License-Identifier: Apache-2.0
// A batch permit cannot be copied: it is for one batch.
#include "equinoise/privacy/charge.h"

equinoise::BatchPermit keep(equinoise::BatchPermit& permit) {
#ifdef MUST_COMPILE
  return std::move(permit);
#else
  return permit;
#endif
}
