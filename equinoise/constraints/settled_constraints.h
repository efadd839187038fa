// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/split.h"

namespace equinoise {

/// Constraints that a model can be trained under and judged by.
struct SettledConstraints {
  std::shared_ptr<const RateProgram> program;
  std::string json;                ///< as constraint_reader reads it
  std::vector<std::string> notes;  ///< what was left out
  std::string outlook;             ///< what so few records cannot show; "": nothing
};

/// Compiles the constraints of a file ("": none) and of lines: without those on groups that the
/// schema declares to be empty, with margins by the sampling of so many training records. Errors:
/// kUsage where none is left, or where they contradict each other.
SettledConstraints settle_constraints(const Schema& schema, const SplitSizes& sizes,
                                      const std::filesystem::path& file,
                                      const std::vector<std::string>& lines);

}  // namespace equinoise
