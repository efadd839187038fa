// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace equinoise {

/// What is asked of an engine that counts a table. Tables that are read here are read as a whole.
struct EngineOptions {
  /// The columns whose values are looked at, by name; none: all. Values of the others are not told
  /// apart, so that fewer rows differ; which of their cells hold none, or one outside the bounds,
  /// is told as ever, and with it what becomes of the record.
  std::vector<std::string> columns = {};
  /// Asked ten times a second, from another thread: whether to give up.
  std::function<bool()> interrupted = {};
};

}  // namespace equinoise
