// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// The progress of the run that an entry paid for: a state that may have been seen.
struct RunProgress {
  int64_t num_done = 0;    ///< runs of the entry's first event that are behind the state
  std::string state_hash;  ///< of the state, so that no other one is taken for it

  friend bool operator==(const RunProgress&, const RunProgress&) = default;
};

/// One recorded spend.
struct LedgerEntry {
  int64_t sequence = 0;
  std::string time;     ///< UTC, ISO 8601
  std::string purpose;  ///< the purpose of the run, from public facts
  std::vector<Event> events;
  std::string hash;                     ///< of this entry and everything before it
  bool resumable = false;               ///< the run records its progress before outputs can be seen
  std::optional<RunProgress> progress;  ///< the newest that was recorded, if any
  std::string key = {};                 ///< the key it was reserved with; "": none
};

/// The number of draws of an entry's first event (num_runs of its events, charge.h).
int64_t num_runs(const LedgerEntry& entry);

/// Returns whether `now` continues the recorded progress of `entry`.
bool continues(const LedgerEntry& entry, const RunProgress& now);

}  // namespace equinoise
