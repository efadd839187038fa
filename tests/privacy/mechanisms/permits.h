#pragma once

#include "equinoise/privacy/charge.h"

namespace equinoise {

/// A permit for one draw of `event` outside any batch, for the seeded source.
inline Permit permit_for(const Event& event, Relation relation = Relation::kReplaceOne) {
  return Charge::unpaid({event}, relation, SeededSource(1)).take(0);
}

}  // namespace equinoise
