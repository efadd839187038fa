// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/constraints/rate_program.h"
#include "equinoise/data/dataset.h"
#include "equinoise/groups/grouping.h"

namespace equinoise {

/// The contexts of a constraints' program that `records` are in, (records).
std::vector<GroupId> rate_contexts(const Dataset& dataset, const Schema& schema,
                                   const RateProgram& program, std::span<const uint32_t> records);

}  // namespace equinoise
