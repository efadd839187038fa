// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/time_format.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace equinoise::time_format_test {

TimeFormat format_of(const std::string& text) {
  const std::optional<TimeFormat> format = parse_time_format(text);
  EXPECT_TRUE(format) << text;
  return format.value_or(TimeFormat());
}

TEST(TimeFormatTest, DatesAreDaysSince1970) {
  const std::vector<std::pair<std::string, double>> days = {
      {"1970-01-01", 0},     {"1970-01-02", 1},       {"1969-12-31", -1},     {"2000-02-29", 11016},
      {"2024-03-01", 19783}, {"0001-01-01", -719162}, {"9999-12-31", 2932896}};
  for (const auto& [text, day] : days) {
    EXPECT_EQ(parse_time(text, TimeFormat()), day) << text;
    EXPECT_EQ(print_time(day, TimeFormat()), text);
  }
}

TEST(TimeFormatTest, ATimeWhoseYearHasNoTextInTheZoneIsNone) {
  const TimeFormat west = format_of("YYYY-MM-DDThh:mm-05:00");
  const TimeFormat east = format_of("YYYY-MM-DDThh:mm+14:00");
  EXPECT_FALSE(parse_time("0001-01-01T04:59Z", west));
  EXPECT_EQ(print_time(parse_time("0001-01-01T05:00Z", west).value(), west),
            "0001-01-01T00:00-05:00");
  EXPECT_FALSE(parse_time("9999-12-31T10:00Z", east));
  EXPECT_EQ(print_time(parse_time("9999-12-31T09:59Z", east).value(), east),
            "9999-12-31T23:59+14:00");
  EXPECT_FALSE(parse_time("0001-01-02T00:00+23:00", format_of("YYYY-MM-DDThh:mm-23:00")));
}

TEST(TimeFormatTest, WhatDoesNotExistIsNoTime) {
  for (const std::string text : {"",
                                 "2024-02-30",
                                 "2023-02-29",
                                 "1900-02-29",
                                 "0000-01-01",
                                 "2024-13-01",
                                 "2024-00-10",
                                 "2024-01-00",
                                 "2024-1-1",
                                 "24-01-01",
                                 "20240101",
                                 "2024/01/01",
                                 "01.03.2024",
                                 "2024-03-01T",
                                 "2024-03-01T24:00",
                                 "2024-03-01T10",
                                 "2024-03-01T10:60",
                                 "2024-03-01T10:20:60",
                                 "2024-03-01T10:20:30.",
                                 "2024-03-01T10:20:30+",
                                 "2024-03-01x",
                                 "2024-03-01T10:20:30+25:00",
                                 "2024-03-01T10:20:30+02:0",
                                 "2024-03-01T10:20:30+02:000",
                                 "2024-03-01  10:20",
                                 "-2024-03-01",
                                 "infinity",
                                 "2024-03-01 (BC)",
                                 "12024-03-01"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(TimeFormatTest, TimesAreWholeUnitsAndComeBackAsTheyWere) {
  for (const std::string layout :
       {"YYYY-MM-DDThh:mm", "YYYY-MM-DD hh:mm:ss", "YYYY-MM-DDThh:mm:ss.fff",
        "YYYY-MM-DD hh:mm:ss.ffffff", "YYYY-MM-DDThh:mm:ssZ", "YYYY-MM-DDThh:mm:ss+02:00",
        "YYYY-MM-DD hh:mm:ss.fff-09:30"}) {
    const TimeFormat format = format_of(layout);
    EXPECT_EQ(to_string(format), layout);
    for (const double day : {-400000.0, -1.0, 0.0, 19783.0}) {
      const double units = units_per_day(format.unit);
      for (const double unit : {0.0, 1.0, 12345.0, units - 1}) {
        const double number = day * units + (unit < units ? unit : 7);
        EXPECT_EQ(parse_time(print_time(number, format), format), number)
            << layout << " " << print_time(number, format);
      }
    }
  }
  EXPECT_EQ(print_time(0, format_of("YYYY-MM-DDThh:mm:ss.fff+02:00")),
            "1970-01-01T00:00:00.000+02:00");
}

TEST(TimeFormatTest, WhatIsFinerIsCutOffDownwards) {
  const TimeFormat minutes = format_of("YYYY-MM-DDThh:mm");
  EXPECT_EQ(parse_time("1970-01-01T00:01:59.999", minutes), 1);
  EXPECT_EQ(parse_time("1969-12-31T23:59:59.999", minutes), -1);
  EXPECT_EQ(parse_time("1970-01-01T00:00:00.1234567891", format_of("YYYY-MM-DDThh:mm:ss.ffffff")),
            123456);
  EXPECT_EQ(parse_time("1970-01-01 00:00:00,5", format_of("YYYY-MM-DDThh:mm:ss.fff")), 500);
}

TEST(TimeFormatTest, WhatIsFinerIsSeen) {
  const auto is_finer_than = [](const char* text, const char* format) {
    return is_finer(*parse_time(text), format_of(format));
  };
  EXPECT_TRUE(is_finer_than("1970-01-01T00:01:30", "YYYY-MM-DDThh:mm"));
  EXPECT_FALSE(is_finer_than("1970-01-01T00:01:00.000", "YYYY-MM-DDThh:mm"));
  EXPECT_TRUE(is_finer_than("1970-01-01T00:00:00.001", "YYYY-MM-DDThh:mm:ss"));
  const char* const microseconds = "YYYY-MM-DDThh:mm:ss.ffffff";
  EXPECT_TRUE(is_finer_than("1970-01-01T00:00:00.000000001", microseconds));
  EXPECT_FALSE(is_finer_than("1970-01-01T00:00:00.123456000", microseconds));
  EXPECT_FALSE(is_finer_than("1970-01-01", microseconds));
}

TEST(TimeFormatTest, ZonesAreBroughtToThatOfTheColumnAndNeverGuessed) {
  const TimeFormat utc = format_of("YYYY-MM-DDThh:mmZ");
  EXPECT_EQ(parse_time("1970-01-01T02:00+02:00", utc), 0);
  EXPECT_EQ(parse_time("1970-01-01T02:00+02", utc), 0);
  EXPECT_EQ(parse_time("1969-12-31T14:30-0930", utc), 0);
  EXPECT_EQ(parse_time("1970-01-01 00:01z", utc), 1);
  EXPECT_EQ(parse_time("1970-01-01T00:00Z", format_of("YYYY-MM-DDThh:mm+02:00")), 120);
  EXPECT_EQ(parse_time("1970-01-01T02:00", utc), std::nullopt);
  EXPECT_EQ(parse_time("1970-01-01T02:00Z", format_of("YYYY-MM-DDThh:mm")), std::nullopt);
  EXPECT_EQ(parse_time("1970-01-02", utc), 24 * 60);
}

TEST(TimeFormatTest, ADateHasNoTimeButMidnight) {
  EXPECT_EQ(parse_time("1970-01-02 00:00:00", TimeFormat()), 1);
  EXPECT_EQ(parse_time("1970-01-02T00:00", TimeFormat()), 1);
  EXPECT_EQ(parse_time("1970-01-02T00:00:00.000001", TimeFormat()), std::nullopt);
  EXPECT_EQ(parse_time("1970-01-02T00:00:00Z", TimeFormat()), std::nullopt);
}

TEST(TimeFormatTest, OtherFormatsAreRefused) {
  for (const std::string text :
       {"", "YYYY", "YYYY-MM-DDT", "YYYY-MM-DD hh", "YYYY-MM-DD hh:mm:ss.f", "YYYY-MM-DD_hh:mm",
        "YYYY-MM-DDThh:mm+", "DD.MM.YYYY", "YYYY-MM-DDThh:mmZZ", "YYYY-MM-DDThh:mm:ss+2:00"}) {
    EXPECT_FALSE(parse_time_format(text)) << text;
  }
}

TEST(TimeFormatTest, MonthsBeginWhereTheyBegin) {
  EXPECT_EQ(first_day_of(1970, 1), 0);
  EXPECT_EQ(first_day_of(2024, 3), 19783);
  EXPECT_EQ(month_of(19783).month, 3);
  EXPECT_EQ(month_of(19782).month, 2);
  EXPECT_EQ(month_of(-1).year, 1969);
}

}  // namespace equinoise::time_format_test
