// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/data/record_runs.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// Model::add_weighted_sum of records that each stand for several equal ones: the same integers as
/// for these one by one. A pass over the records for each digit that counts have in base 2, so that
/// a kind of model need not know of counts.
void add_counted_sum(const Model& model, const EncodedTable& table, const CountedRecords& records,
                     const PerSample& samples, std::span<const double> weights,
                     const SumScale& scale, std::span<int64_t> units);

}  // namespace equinoise
