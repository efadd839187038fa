// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace equinoise {

/// Record indices, ascending.
struct Split {
  std::vector<uint32_t> train;
  std::vector<uint32_t> test;
};

/// The number of records in either part.
struct SplitSizes {
  int64_t train = 0;
  int64_t test = 0;
};

/// The sizes of the parts that split_records makes, without making them. Errors: as split_records.
SplitSizes split_sizes(int64_t num_records, double test_fraction,
                       std::string_view counted = "records");

/// Splits 0 .. num_records-1 into floor(num_records * test_fraction) test records and the rest, by
/// a hash of (seed, index). It uses only positions, so both sizes and the membership of each
/// position are public. `counted`: the name of the records in messages. Errors: kUsage unless 0 <=
/// test_fraction < 1 and both requested parts are non-empty.
Split split_records(int64_t num_records, double test_fraction, uint64_t split_seed,
                    std::string_view counted = "records");

/// The positions 0 .. num_records-1 in the order of a hash of (seed, index): as good as shuffled,
/// and public.
std::vector<uint32_t> public_order(int64_t num_records, uint64_t seed);

}  // namespace equinoise
