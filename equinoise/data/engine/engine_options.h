// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace equinoise {

using ColumnSets = std::vector<std::vector<std::string>>;

/// What is asked of an engine that counts a table. Tables that are read here are read as a whole.
struct EngineOptions {
  /// Sets of columns, by name, whose values are looked at together; none: all columns in one set.
  /// What two sets share must be in all of them. The rows then agree with the table in each set
  /// alone: which values of two sets are in one row means nothing, so there are no more rows than
  /// the sets have different ones together. Values in no set are not told apart, but which of those
  /// cells hold none, or one outside the bounds, is counted column by column.
  ColumnSets sets = {};
  /// Asked ten times a second, from another thread: whether to give up.
  std::function<bool()> interrupted = {};
};

}  // namespace equinoise
