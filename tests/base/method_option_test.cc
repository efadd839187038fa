// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/method_option.h"

#include "tests/test_support.h"

namespace equinoise::method_option_test {

struct Inner {
  std::string word = "left";
  std::map<std::string, double> named;
};

struct Config {
  double number = 0.5;
  std::optional<double> maybe;
  std::vector<double> several = {1, 2};
  double all = 1;
  double limit = 5;
  Inner inner;
};

template <auto... Path>
constexpr auto kField = &field_at<Config, Path...>;

using Option = MethodOption<Config>;

const std::vector<Option>& options() {
  static const std::vector<Option> all = {
      {{.name = "number", .help = "A number", .range = positive(1)}, kField<&Config::number>},
      {{.name = "maybe_number", .help = "Perhaps one", .range = between(0, 1), .derived = "half"},
       kField<&Config::maybe>},
      {{.name = "several", .help = "Numbers", .range = strictly_between(0, 3)},
       kField<&Config::several>},
      {{.name = "word", .help = "A word", .choices = {"left", "right"}},
       kField<&Config::inner, &Inner::word>},
      {{.name = "share", .help = "A share", .range = positive(1)},
       Option::ForEach{kField<&Config::all>, kField<&Config::inner, &Inner::named>}},
      {{.name = "limit", .help = "A limit", .range = {.low = 4, .takes_low = false}},
       kField<&Config::limit>},
  };
  return all;
}

TEST(MethodOption, TellsItsDefaultAndWhatItTakes) {
  std::vector<std::string> defaults;
  std::vector<std::string> ranges;
  for (const Option& option : options()) {
    defaults.push_back(default_text(option));
    ranges.push_back(to_text(option.facts.range));
  }
  EXPECT_THAT(defaults, ElementsAre("0.5", "half", "1,2", "left", "1", "5"));
  EXPECT_THAT(ranges, ElementsAre("above 0, at most 1", "0 to 1", "above 0, below 3", "",
                                  "above 0, at most 1", "above 4"));
  EXPECT_EQ(to_text(positive()), "above 0");
  EXPECT_EQ(flag_of("maybe_number"), "--maybe-number");
}

TEST(MethodOption, EveryValueIsChecked) {
  const auto error_with = [](auto change) {
    Config config;
    change(config);
    return error_of(ErrorKind::kUsage, [&] { check_options<Config>("here", options(), config); });
  };
  check_options<Config>("here", options(), Config());
  EXPECT_THAT(error_with([](Config& c) { c.number = 0; }),
              HasSubstr("number must be above 0, at most 1, got 0"));
  EXPECT_THAT(error_with([](Config& c) { c.number = 1.5; }),
              HasSubstr("number must be above 0, at most 1"));
  EXPECT_THAT(error_with([](Config& c) { c.number = NAN; }), HasSubstr("number must"));
  EXPECT_THAT(error_with([](Config& c) { c.maybe = -1; }), HasSubstr("maybe_number must lie"));
  EXPECT_THAT(error_with([](Config& c) {
                c.several = {1, 3};
              }),
              HasSubstr("several must be above 0, below 3, got 3"));
  EXPECT_THAT(error_with([](Config& c) { c.limit = 4; }),
              HasSubstr("limit must be above 4, got 4"));
  EXPECT_THAT(error_with([](Config& c) { c.number = std::numeric_limits<double>::infinity(); }),
              HasSubstr("number must"));
  EXPECT_THAT(error_with([](Config& c) { c.inner.word = "up"; }),
              HasSubstr("word must be left or right, got \"up\""));
  EXPECT_THAT(error_with([](Config& c) { c.all = 2; }), HasSubstr("share must"));
  EXPECT_THAT(error_with([](Config& c) { c.inner.named = {{"a", 0}}; }), HasSubstr("share must"));
}

TEST(MethodOption, WhatChangedIsWrittenAsFlags) {
  Config config;
  EXPECT_EQ(changed_flags<Config>(options(), config, Config()), "");
  config.maybe = 1234567.125;  // all digits, not rounded ones
  config.several = {2};
  config.inner = {"right", {{"a b", 0.5}, {"c", 0.25}}};
  EXPECT_EQ(changed_flags<Config>(options(), config, Config()),
            " --maybe-number 1234567.125 --several 2 --word right --share \"a b=0.5\" --share "
            "\"c=0.25\"");
}

TEST(MethodOption, RowsOfARegistryHaveEachOnce) {
  struct Row {
    const std::vector<Option>& (*options)();
  };
  const Row rows[] = {{options}, {options}};
  EXPECT_EQ(options_of_rows<Config>(rows).size(), options().size());
  EXPECT_TRUE(has_option<Config>(options(), "share"));
  EXPECT_FALSE(has_option<Config>(options(), "--share"));
}

}  // namespace equinoise::method_option_test
