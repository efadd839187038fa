// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/dataset.h"
#include "equinoise/groups/grouping.h"

namespace equinoise {

/// The contexts of a constraints' program that `records` are in, (records).
inline std::vector<GroupId> rate_contexts(const Dataset& dataset, const Schema& schema,
                                          const RateProgram& program,
                                          std::span<const uint32_t> records) {
  if (program.attributes.empty()) return std::vector<GroupId>(records.size(), GroupId(0));
  const Grouping grouping = group_by(dataset, schema, program.attributes);
  std::vector<GroupId> contexts;
  contexts.reserve(records.size());
  for (const uint32_t record : records) contexts.push_back(grouping.group_of[record]);
  return contexts;
}

}  // namespace equinoise
