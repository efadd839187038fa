// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/counted_rows.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/table.h"
#include "fuzz/contract.h"

namespace equinoise::fuzz {

/// The schema of the tables in fuzz/corpus.
inline const Schema& people_schema() {
  static const Schema schema = parse_schema(R"(
schema = "equinoise/1"
dataset = "people"
reviewed = true
target = "income"
[public]
num_records = 3
[columns.age]
type = "numeric"
bounds = [17, 90]
missing = "fill"
fill = 38
[columns.sex]
type = "categorical"
values = ["Female", "Male"]
unknown = "other"
missing = "category"
[columns.zip]
type = "ignored"
[columns.income]
type = "categorical"
values = ["high", "low"]
)",
                                            "schema.toml");
  return schema;
}

/// Reads and encodes a table; the message of the Error, "" if there is none.
inline std::string read_people(const std::filesystem::path& path, TableUse use) {
  return error_of([&] {
    Dataset dataset = read_table(path, people_schema(), use, CountedRows::kKept);
    // A few bytes may count more records than memory holds.
    constexpr int64_t kMaxExpanded = 100'000;
    const int64_t num_counted = dataset.total_records();
    if (num_counted > kMaxExpanded) return;
    expand_rows(dataset);
    require(dataset.num_records == num_counted, "every record has a row");
    const bool with_target = dataset.find_categorical("income") != nullptr;
    const EncodedTable table =
        encode(dataset, people_schema(), with_target ? TargetUse::kRequired : TargetUse::kNone);
    require(table.num_records == dataset.num_records, "every record is encoded");
    require(use != TableUse::kDescribed || table.num_records == people_schema().num_records,
            "the table has the public number of records");
  });
}

}  // namespace equinoise::fuzz
