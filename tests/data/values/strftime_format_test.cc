// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/strftime_format.h"

#include <gtest/gtest.h>

namespace equinoise::strftime_format_test {

TEST(StrftimeFormat, OfAFormatGivesItBack) {
  for (const char* text : {"YYYY-MM-DD", "YYYY-MM-DDThh:mm", "YYYY-MM-DD hh:mm:ss",
                           "YYYY-MM-DDThh:mm:ss.ffffff", "YYYY-MM-DD hh:mm:ssZ"}) {
    // A date alone is the default, which has no text of its own.
    const TimeFormat expected = parse_time_format(text).value_or(TimeFormat());
    EXPECT_EQ(time_format_of_strftime(strftime_format(expected)), expected) << text;
  }
  EXPECT_EQ(strftime_format(*parse_time_format("YYYY-MM-DDThh:mm:ss.ffffff")),
            "%Y-%m-%dT%H:%M:%S.%f");
  EXPECT_EQ(time_format_of_strftime("%Y-%m-%dT%H:%M:%SZ"),
            parse_time_format("YYYY-MM-DDThh:mm:ssZ"));
}

TEST(StrftimeFormat, OtherFormsAreNone) {
  for (const char* text : {"", "%d.%m.%Y", "%Y-%m", "%Y%m%d", "any", "Z", "%Y-%m-%d %H"})
    EXPECT_FALSE(time_format_of_strftime(text)) << text;
}

}  // namespace equinoise::strftime_format_test
