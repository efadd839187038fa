// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "equinoise/data/dataset.h"

namespace equinoise {

/// What a cell of a count column says, exactly: a whole number from 0, with blanks around it or
/// zeros as decimals (12.0, as frames write it); nothing where it says anything else.
std::optional<int64_t> parse_count(std::string_view cell, char decimal_mark = '.');

/// How much memory the records of counted rows would take as rows of their own, at least.
int64_t expanded_bytes(const Dataset& dataset);

/// Half of the machine's memory, in bytes: the most that a task may take.
int64_t half_of_memory();

/// "takes ... GB, more than half of this machine's memory (... GB)", or "" where it takes less.
/// What is made of counted rows for each of their records may not take more.
std::string why_no_room(int64_t bytes);

/// That `task` ("an audit"), which keeps so many bytes for each record, can take the table `name`.
/// Errors: kInput for counted rows of units, which do not say whose they are, and for those that
/// stand for more records than there is room for.
void require_records(const Dataset& dataset, std::string_view name, std::string_view task,
                     int64_t bytes_of_record);

/// Gives each record a row of its own, in the order of the counted rows. Pre: not of units.
void expand_rows(Dataset& dataset);

}  // namespace equinoise
