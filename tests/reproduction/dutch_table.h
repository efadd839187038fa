// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/test_support.h"

namespace equinoise::testing {

/// A made-up table in the form of the Dutch census: the occupation follows the education.
inline void write_dutch_table(const TempFolder& folder, int num_records) {
  std::string text =
      "sex,age,household_position,household_size,prev_residence_place,citizenship,country_birth,"
      "edu_level,economic_status,cur_eco_activity,marital_status,occupation\n";
  for (int i = 0; i < num_records; ++i) {
    text += fmt::format("{},{},1110,{},{},1,1,{},111,13{},{},{}\n", 1 + i % 2, 4 + i % 7,
                        111 + i % 3, 1 + i % 5 % 2, i % 6, i % 4, 1 + i % 3, i % 6 > 2 ? 1 : 0);
  }
  folder.write_file("dutch_census_2001.csv.gz", text);
}

}  // namespace equinoise::testing
