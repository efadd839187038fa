// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Errors: kUsage if the schema could not read a counted table in CSV: a schema of tables without a
/// header, in another encoding than UTF-8, or without a text for missing cells.
void check_counted_csv(const Schema& schema);

/// Writes counted records as CSV in the schema's layout. Pre: check_counted_csv().
void write_counted_csv(RecordReader& records, const Schema& schema,
                       const std::function<void(std::string_view)>& write);

/// The same as a Parquet file: cells as texts, counts as whole numbers. Errors: kUsage for names of
/// columns that Parquet cannot hold.
void write_counted_parquet(RecordReader& records,
                           const std::function<void(std::string_view)>& write);

}  // namespace equinoise
