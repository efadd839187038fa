// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "equinoise/privacy/charge.h"

namespace equinoise {

/// A permit for one draw of `event` outside any batch, for the seeded source.
inline Permit permit_for(const Event& event, Relation relation = Relation::kReplaceOne) {
  return Charge::unpaid({event}, relation, SeededSource(1)).take(0);
}

/// The permit of the first event of the charge's first item, a Poisson batch, once that is drawn.
inline Permit batch_permit_for(Charge& charge, RandomSource& source) {
  BatchPermit batch = charge.next_batch(0);
  std::vector<uint32_t> records;
  batch.draw(10, source, records);
  return batch.take(0);
}

/// The same of a batch of `events`, for the seeded source.
inline Permit batch_permit_for(std::vector<Event> events) {
  SeededSource source(1);
  Charge charge =
      Charge::unpaid({Event::poisson_sampled(0.1, std::move(events))}, Relation::kZeroOut, source);
  return batch_permit_for(charge, source);
}

}  // namespace equinoise
