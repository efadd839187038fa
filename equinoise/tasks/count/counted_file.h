// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Errors: kUsage if a counted table in CSV could not be read by the schema: one of tables without
/// a header, in another encoding than UTF-8, or that does not say how a missing cell is written.
void check_counted_csv(const Schema& schema);

/// Writes counted records as CSV, laid out as the schema says. Pre: check_counted_csv().
void write_counted_csv(RecordReader& records, const Schema& schema,
                       const std::function<void(std::string_view)>& write);

/// The same as a Parquet file: cells as texts, counts as whole numbers. Errors: kUsage for names of
/// columns that Parquet cannot hold.
void write_counted_parquet(RecordReader& records,
                           const std::function<void(std::string_view)>& write);

}  // namespace equinoise
