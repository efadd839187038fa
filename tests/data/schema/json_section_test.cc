// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/json_section.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::json_section_test {

const JsonSource kSource = {.origin = "list.json",
                            .where = "tests",
                            .kind = "a list of things",
                            .hint = "give another file"};

TEST(JsonSection, ReadsWhatIsThere) {
  const nlohmann::json json = parse_json(
      R"({"a": "x", "b": ["y"], "c": 2.5, "d": [1, 2], "e": true, "f": 7, "g": [{"h": 1}], "i": {}})",
      kSource);
  const JsonSection root(json, "", kSource);
  EXPECT_EQ(root.text("a"), "x");
  EXPECT_EQ(root.texts("b"), std::vector<std::string>{"y"});
  EXPECT_EQ(root.number("c"), 2.5);
  EXPECT_EQ(root.numbers("d"), (std::vector<double>{1, 2}));
  EXPECT_EQ(root.unsigned_integers("d"), (std::vector<size_t>{1, 2}));
  EXPECT_TRUE(root.flag("e"));
  EXPECT_EQ(root.unsigned_integer("f"), 7U);
  EXPECT_EQ(root.sections("g").at(0).number("h"), 1);
  EXPECT_EQ(root.section("i").names(), std::vector<std::string>{});
  EXPECT_EQ(root.names().size(), 8U);
}

TEST(JsonSection, NamesThePlaceOfWhatIsWrong) {
  const nlohmann::json json =
      parse_json(R"({"rows": [{"n": 1}, {"n": "secret"}], "m": -1})", kSource);
  const JsonSection root(json, "", kSource);
  const auto message = [](const auto& call) {
    const std::string text = error_of(ErrorKind::kInput, call);
    EXPECT_THAT(text, HasSubstr("[tests] list.json: "));
    EXPECT_THAT(text, Not(HasSubstr("secret")));
    return text;
  };
  EXPECT_THAT(message([&] { root.sections("rows").at(1).number("n"); }),
              HasSubstr("rows[1].n must be a finite number; the file is damaged or not a list of "
                        "things"));
  EXPECT_THAT(message([&] { root.sections("rows").at(0).text("name"); }),
              HasSubstr("lacks rows[0].name; give another file"));
  EXPECT_THAT(message([&] { root.section("rows"); }), HasSubstr("rows must be an object"));
  EXPECT_THAT(message([&] { root.list("m"); }), HasSubstr("m must be a list"));
  EXPECT_THAT(message([&] { root.flag("m"); }), HasSubstr("m must be true or false"));
  EXPECT_THAT(message([&] { root.unsigned_integer("m"); }), HasSubstr("m must be a whole number"));
  EXPECT_THAT(message([&] { root.texts("rows"); }), HasSubstr("rows must be a list of strings"));
  EXPECT_THAT(message([&] { root.numbers("rows"); }), HasSubstr("a list of finite numbers"));
  EXPECT_THAT(message([&] { root.unsigned_integers("rows"); }), HasSubstr("list of whole numbers"));
}

TEST(JsonSection, RefusesWhatIsNoStrictJson) {
  const auto message = [](std::string_view text) {
    return error_of(ErrorKind::kInput, [&] { parse_json(text, kSource); });
  };
  EXPECT_THAT(message("{\"a\": 1,\n \"b\": NaN}"), HasSubstr("list.json:2:7: is not JSON"));
  EXPECT_THAT(message(""), HasSubstr("list.json:1:1: is not JSON, or was cut short"));
  EXPECT_THAT(message("{\"a\": 1, \"a\": 2}"), HasSubstr("has the same key twice"));
  EXPECT_THAT(message(std::string(20, '[') + std::string(20, ']')), HasSubstr("is not a list of"));
  EXPECT_THAT(message("{\"a\": 1e999}"), HasSubstr("a number that is too large"));
  EXPECT_THAT(error_of(ErrorKind::kInput,
                       [] {
                         const nlohmann::json list = parse_json("[]", kSource);
                         JsonSection section(list, "", kSource);
                       }),
              HasSubstr("the file must be an object"));
}

TEST(JsonSection, ReadsFiles) {
  const TempFolder folder;
  const std::filesystem::path file = folder.write_file("list.json", "{}");
  EXPECT_EQ(read_json_file(file, kSource), "{}");
  EXPECT_ERROR(kInput, HasSubstr("list.json: no such file; give another file"),
               read_json_file(folder.path() / "no", kSource));
  EXPECT_ERROR(kInput, HasSubstr("is not a regular file"), read_json_file(folder.path(), kSource));
}

}  // namespace equinoise::json_section_test
