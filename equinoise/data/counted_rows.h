// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "equinoise/data/dataset.h"

namespace equinoise {

/// The exact value of a cell of a count column: a whole number from 0, with blanks around it or
/// zeros as decimals (12.0, as data frames write it); nothing for other texts.
std::optional<int64_t> parse_count(std::string_view cell, char decimal_mark = '.');

/// A lower bound of the memory that the records of counted rows would take as rows of their own.
int64_t expanded_bytes(const Dataset& dataset);

/// Half of the machine's memory, in bytes: the most that a task may take.
int64_t half_of_memory();

/// "takes ... GB, more than half of this machine's memory (... GB)", or "" if `bytes` is less. The
/// limit for anything that a task keeps for each record of counted rows.
std::string why_no_room(int64_t bytes);

/// Checks that `task` ("an audit"), which keeps `bytes_of_record` for each record, can take the
/// table `name`. Errors: kInput for counted rows of units, whose owners are not known, and for
/// counted rows that represent more records than there is room for.
void require_records(const Dataset& dataset, std::string_view name, std::string_view task,
                     int64_t bytes_of_record);

/// Replaces the rows of a dataset by these of them, in this order; a row may come more than once.
/// Sets num_records and num_dropped. Pre: no counted rows.
void take_rows(std::span<const uint32_t> rows, Dataset& dataset);

/// Gives each record a row of its own, in the order of the counted rows. Pre: not counted rows of
/// units.
void expand_rows(Dataset& dataset);

}  // namespace equinoise
