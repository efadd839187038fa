// SPDX-License-Identifier: Apache-2.0
// An unpaid charge exists for the seeded source only.
#include "equinoise/privacy/charge.h"

equinoise::Charge make(equinoise::SecureSource& secure, equinoise::SeededSource& seeded) {
#ifdef MUST_COMPILE
  static_cast<void>(secure);
  return equinoise::Charge::unpaid({}, equinoise::Relation::kZeroOut, seeded);
#else
  static_cast<void>(seeded);
  return equinoise::Charge::unpaid({}, equinoise::Relation::kZeroOut, secure);
#endif
}
