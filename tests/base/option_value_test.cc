// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/option_value.h"

#include <limits>

#include "tests/test_support.h"

namespace equinoise::option_value_test {

enum class Side { kLeft, kRight };
constexpr EnumWords<Side, 2> kSides = {{{Side::kLeft, "left"}, {Side::kRight, "right"}}};

struct Config {
  double number = 0.5;
  double infinite = std::numeric_limits<double>::infinity();
  int whole = 3;
  size_t seed = 1;
  std::optional<double> maybe;
  Side side = Side::kLeft;
  std::string text;
  std::vector<size_t> sizes;
  std::vector<double> numbers = {1, 2.5};
  std::vector<std::string> words;
  std::map<std::string, double> named;
  double all = 1;
  std::map<std::string, double> parts;

  friend bool operator==(const Config&, const Config&) = default;
};

using Option = MethodOption<Config>;

template <auto Member>
constexpr auto kField = &field_at<Config, Member>;

const std::vector<Option>& options() {
  static const std::vector<Option> all = {
      {{.name = "number", .help = ""}, kField<&Config::number>},
      {{.name = "infinite", .help = ""}, kField<&Config::infinite>},
      {{.name = "whole", .help = ""}, kField<&Config::whole>},
      {{.name = "seed", .help = ""}, kField<&Config::seed>},
      {{.name = "maybe", .help = "", .depends_on = "side", .on_words = {"right"}},
       kField<&Config::maybe>},
      {{.name = "side", .help = "", .choices = words_of(kSides)},
       word_at<Config, kSides, &Config::side>()},
      {{.name = "text", .help = ""}, kField<&Config::text>},
      {{.name = "sizes", .help = ""}, kField<&Config::sizes>},
      {{.name = "numbers", .help = "", .depends_on = "whole"}, kField<&Config::numbers>},
      {{.name = "words", .help = ""}, kField<&Config::words>},
      {{.name = "named", .help = ""}, kField<&Config::named>},
      {{.name = "share", .help = ""},
       Option::ForEach{kField<&Config::all>, kField<&Config::parts>}},
  };
  return all;
}

Config changed() {
  Config config;
  config.number = 1e-7;
  config.infinite = -2;
  config.whole = 1 << 30;
  config.seed = 5;
  config.maybe = 4;
  config.side = Side::kRight;
  config.text = "a \"b\"";
  config.sizes = {4, 5};
  config.numbers = {};
  config.words = {"x", "y"};
  config.named = {{"a", 1}, {"b", 0.5}};
  config.all = 0.25;
  config.parts = {{"Female", 0.5}};
  return config;
}

TEST(OptionValue, SettingsHoldEveryValueThatThereIs) {
  for (const Config& config : {Config(), changed()}) {
    Config read;
    read.numbers.clear();  // an empty list has no setting
    apply_settings<Config>("here", options(), settings_of<Config>(options(), config), read);
    EXPECT_EQ(read, config);
  }
}

TEST(OptionValue, WhatHasNoValueHasNoSetting) {
  std::vector<std::string> names;
  for (const Setting& setting : settings_of<Config>(options(), Config()))
    names.push_back(setting.name);
  EXPECT_THAT(names, ElementsAre("number", "whole", "seed", "side", "numbers", "share"));
}

TEST(OptionValue, AValueOfAnotherTypeIsRefusedByName) {
  const auto error_with = [](const Setting& setting, ErrorKind kind = ErrorKind::kInput) {
    Config config;
    return error_of(kind, [&] { apply_settings<Config>("here", options(), {{setting}}, config); });
  };
  EXPECT_THAT(error_with({"number", "x"}), HasSubstr("number must be a number"));
  EXPECT_THAT(error_with({"number", true}), HasSubstr("number must be a number"));
  EXPECT_THAT(error_with({"whole", 0.5}), HasSubstr("whole must be a whole number"));
  EXPECT_THAT(error_with({"whole", int64_t{1} << 40}), HasSubstr("whole must be a whole number"));
  EXPECT_THAT(error_with({"seed", int64_t{-1}}), HasSubstr("seed must be a whole number"));
  EXPECT_THAT(error_with({"text", 1.0}), HasSubstr("text must be text"));
  EXPECT_THAT(error_with({"words", std::vector<double>{1}}), HasSubstr("words must be a list"));
  EXPECT_THAT(error_with({"named", 1.0}), HasSubstr("named must be numbers by name"));
  EXPECT_THAT(error_with({"side", std::string("up")}, ErrorKind::kUsage),
              HasSubstr("side must be left or right"));
}

TEST(OptionValue, AnOptionThatDependsOnAnotherOneSaysByWhichWordsItIsUnused) {
  Config config;
  const auto find = [](std::string_view name) {
    return *std::ranges::find_if(options(),
                                 [&](const Option& option) { return option.facts.name == name; });
  };
  const auto unused = [&](std::string_view name) {
    return unused_by<Config>(find(name), options(), config);
  };
  EXPECT_EQ(unused("maybe"), "left");
  EXPECT_EQ(unused("numbers"), "3");
  EXPECT_EQ(unused("number"), std::nullopt);
  config.side = Side::kRight;
  config.whole = 4;
  EXPECT_EQ(unused("maybe"), std::nullopt);
  EXPECT_EQ(unused("numbers"), std::nullopt);
}

}  // namespace equinoise::option_value_test
