// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/field_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/test_support.h"

namespace equinoise::field_json_test {

struct Part {
  double share = 0;
};

struct Whole {
  std::string name;
  std::string reason;
  std::optional<double> figure;
  std::vector<Part> parts;
  std::optional<Part> own;
  Estimate error;
  bool is_secret = false;
  PrivacyStatus status = PrivacyStatus::kPrivate;
};

}  // namespace equinoise::field_json_test

namespace equinoise {

template <>
inline constexpr auto fields_of<field_json_test::Part> =
    std::tuple(field("share", &field_json_test::Part::share, "A share"));

template <>
inline constexpr auto fields_of<field_json_test::Whole> = [] {
  using Whole = field_json_test::Whole;
  return std::tuple(field("name", &Whole::name, "Its name").publishable(),
                    field("reason", &Whole::reason, "Why").or_null(),
                    field("figure", &Whole::figure, "A figure").or_nothing(),
                    field("parts", &Whole::parts, "Its parts"),
                    members(&Whole::own, "A part of its own"),
                    field("error", &Whole::error, "An error"),
                    field("secret", &Whole::is_secret, "Not for cards").formerly("hidden"),
                    field("status", &Whole::status, "Whether it is private"));
}();

}  // namespace equinoise

namespace equinoise::field_json_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr FieldScope kReport = {Documents::kReport};

Json written(const Whole& whole, const FieldScope& scope = kReport) {
  Json json = Json::object();
  write_fields(whole, scope, json);
  return json;
}

Whole read(const Json& json) {
  const JsonSource source = {.origin = "file", .where = "test", .kind = "a test", .hint = ""};
  return read_fields<Whole>(OrderedJsonSection(json, "", source), kReport);
}

TEST(FieldJson, WhatIsWrittenIsReadAgain) {
  Whole whole{"a",        "because",   0.5,  {{1}, {std::nan("")}},
              Part{0.25}, {1, {0, 2}}, true, PrivacyStatus::kInsecureRng};
  EXPECT_EQ(written(whole).dump(),
            R"({"name":"a","reason":"because","figure":0.5,"parts":[{"share":1.0},{"share":null}],)"
            R"("share":0.25,"error":1.0,"error_interval":[0.0,2.0],"secret":true,)"
            R"("status":"insecure rng"})");
  EXPECT_EQ(written(read(written(whole))), written(whole));
  EXPECT_TRUE(std::isnan(read(written(whole)).parts[1].share));
}

TEST(FieldJson, WhatIsEmptyIsNullOrLeftOut) {
  const Json json = written({});
  EXPECT_TRUE(json.at("reason").is_null());
  EXPECT_FALSE(json.contains("figure"));
  EXPECT_FALSE(json.contains("share"));
  EXPECT_EQ(json.at("name"), "");
  EXPECT_EQ(json.at("parts"), Json::array());
  EXPECT_EQ(written(read(json)), json);
}

TEST(FieldJson, ADocumentTellsItsFieldsOnly) {
  EXPECT_FALSE(written({}, {Documents::kCard}).contains("secret"));
  EXPECT_TRUE(written({}, {Documents::kCard}).contains("name"));
}

TEST(FieldJson, ReadsTheKeyOfEarlierVersions) {
  Json json = written({});
  json.erase("secret");
  json["hidden"] = true;
  EXPECT_TRUE(read(json).is_secret);
}

TEST(FieldJson, RefusesNamingTheMember) {
  const auto refusal = [](auto change) {
    Whole whole;
    whole.parts = {{1}};
    Json json = written(whole);
    change(json);
    return error_of(ErrorKind::kInput, [&] { read(json); });
  };
  EXPECT_THAT(refusal([](Json& json) { json.erase("secret"); }), HasSubstr("file: lacks secret"));
  EXPECT_THAT(refusal([](Json& json) { json["parts"][0]["share"] = "x"; }),
              HasSubstr("parts[0].share must be"));
  EXPECT_THAT(refusal([](Json& json) { json["status"] = "hidden"; }),
              HasSubstr("status must be one of"));
}

}  // namespace
}  // namespace equinoise::field_json_test
