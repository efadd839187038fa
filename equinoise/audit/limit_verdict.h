// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// Whether what was asked for is kept. If a deciding figure has no records to count, the limit is
/// neither kept nor missed, and does not pass. A limit on a ratio is judged by an interval: it may
/// be unclear, which does not pass either, or undefined.
enum class LimitVerdict { kHolds, kFails, kNotAnswerable, kUnclear, kUndefined };

/// "holds", "fails", "not answerable", "unclear", "undefined".
constexpr std::string_view to_string(LimitVerdict verdict) {
  switch (verdict) {
    case LimitVerdict::kHolds:
      return "holds";
    case LimitVerdict::kFails:
      return "fails";
    case LimitVerdict::kUnclear:
      return "unclear";
    case LimitVerdict::kUndefined:
      return "undefined";
    case LimitVerdict::kNotAnswerable:
      break;
  }
  return "not answerable";
}

}  // namespace equinoise
