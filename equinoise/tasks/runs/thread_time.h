// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

namespace equinoise {

/// Seconds of processor time used by this thread. Concurrent runs and other programs do not count.
inline double thread_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace equinoise
