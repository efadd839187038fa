// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/schema/domain_schema.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "equinoise/data/table.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::domain_schema_test {

SchemaFile facts(int64_t num_records = 100) {
  return {.path = "dir/toy-domain.json", .num_records = num_records};
}

Schema parse(std::string_view json, const SchemaFile& file = facts()) {
  return parse_schema(domain_to_toml(json, file), "toy");
}

std::string input_error(std::string_view json) {
  return error_of(ErrorKind::kInput, [&] { domain_to_toml(json, facts()); });
}

TEST(DomainSchemaTest, EveryColumnHoldsTheCodesBelowItsNumber) {
  const Schema schema = parse(R"({"sex": 2, "income>50K": 3, "a": 1})");
  EXPECT_EQ(schema.dataset, "toy");
  EXPECT_TRUE(schema.reviewed);
  EXPECT_EQ(schema.num_records, 100);
  EXPECT_EQ(schema.target, "");
  ASSERT_EQ(schema.columns.size(), 3u);
  EXPECT_EQ(schema.columns[0].name, "sex");
  EXPECT_THAT(schema.columns[0].categories(), ElementsAre("0", "1"));
  EXPECT_EQ(schema.columns[1].name, "income>50K");
  EXPECT_THAT(schema.columns[1].categories(), ElementsAre("0", "1", "2"));
  EXPECT_THAT(schema.columns[2].categories(), ElementsAre("0"));
}

TEST(DomainSchemaTest, FactsThatADomainDoesNotSay) {
  SchemaFile file = facts();
  file.target = "b";
  file.dataset = "other.name";
  const Schema schema = parse(R"({"a": 2, "b": 3})", file);
  EXPECT_EQ(schema.target, "b");
  EXPECT_FALSE(schema.column("b").feature);
  EXPECT_EQ(schema.dataset, "other.name");
}

TEST(DomainSchemaTest, NamesOfColumnsComeOutAsTheyAre) {
  const std::vector<std::string> names = {"a b",
                                          "a.b",
                                          "\"quoted\"",
                                          "back\\slash",
                                          "tab\there",
                                          "line\nend",
                                          "\xc3\xa4\xe2\x82\xac",
                                          "[x]",
                                          "a=1 # no",
                                          "\x7f\x01",
                                          "'",
                                          "-"};
  nlohmann::ordered_json domain;
  for (const std::string& name : names) domain[name] = 2;
  const Schema schema = parse(domain.dump());
  ASSERT_EQ(schema.columns.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(schema.columns[i].name, names[i]);
}

TEST(DomainSchemaTest, TheLargestDomain) {
  EXPECT_EQ(parse(R"({"a": 65000})").columns[0].values.size(), 65000u);
}

TEST(DomainSchemaTest, JsonErrorsNameTheirPlaceAndQuoteNothing) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ":1:1: is not JSON"},
      {"{", ":1:2: is not JSON"},
      {"{\"a\": 2,\n \"canary\": canary}", ":2:12: is not JSON"},
      {"{\"a\": 2} canary", ":1:10: is not JSON"},
      {"{\"a\": 2x}", ":1:8: is not JSON"},
      {"{\"\xff\": 2}", ":1:3: is not JSON"},
      {"{\"a\": 2", ":1:8: is not JSON"},
      {std::string("{\"a\": 2\0}", 9), ":1:8: is not JSON"},
  };
  for (const auto& [json, message] : cases) {
    SCOPED_TRACE(json);
    EXPECT_THAT(input_error(json), AllOf(StartsWith("[data.schema] dir/toy-domain.json"),
                                         HasSubstr(message), Not(HasSubstr("canary"))));
  }
}

TEST(DomainSchemaTest, JsonThatIsNoDomain) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{}", "declares no column"},
      {"[]", "must be one JSON object, {\"COLUMN\": NUMBER OF CODES, ...}"},
      {"3", "must be one JSON object"},
      {"null", "must be one JSON object"},
      {R"({"": 2})", "a column needs a name"},
      {R"({"a": 2, "b": 3, "a": 2})", "has the same key twice in one object"},
      {R"({"a": 0})", "number of codes of column 'a' must be a whole number from 1 to 65000"},
      {R"({"a": -1})", "column 'a' must be a whole number"},
      {R"({"a": 65001})", "column 'a' must be a whole number from 1 to 65000"},
      {R"({"a": 2.0})", "column 'a' must be a whole number"},
      {R"({"a": 1e999})", "contains a number that is too large"},
      {R"({"a": 18446744073709551615})", "column 'a' must be a whole number"},
      {R"({"a": 18446744073709551617})", "column 'a' must be a whole number"},
      {R"({"a": "2"})", "column 'a' must be a whole number"},
      {R"({"a": null})", "column 'a' must be a whole number"},
      {R"({"a": true})", "column 'a' must be a whole number"},
      {R"({"b": 1, "a": [1, 2]})", "column 'a' must be a whole number"},
      {R"({"a": {"b": 2}})", "column 'a' must be a whole number"},
  };
  for (const auto& [json, message] : cases) {
    SCOPED_TRACE(json);
    EXPECT_THAT(input_error(json),
                AllOf(StartsWith("[data.schema] dir/toy-domain.json:"), HasSubstr(message)));
  }
  EXPECT_THAT(input_error(std::string(1'000'000, '[')), HasSubstr("must be one JSON object"));
}

TEST(DomainSchemaTest, AFewBytesMustNotFillTheMemory) {
  std::string json = "{\"a\": 1";
  for (int i = 0; i < 16; ++i) json += ", \"c" + std::to_string(i) + "\": 65000";
  EXPECT_THAT(input_error(json + "}"), HasSubstr("declares more than 1000000 codes"));
}

TEST(DomainSchemaTest, FactsThatAreMissingOrImpossible) {
  const auto message = [](const SchemaFile& file) {
    return error_of(ErrorKind::kUsage, [&] { domain_to_toml(R"({"age": 9, "sex": 2})", file); });
  };
  EXPECT_THAT(message({.path = "x.json"}), HasSubstr("x.json: a domain does not say how many "
                                                     "records the table has; give --num-records"));
  EXPECT_THAT(message(facts(0)), HasSubstr("--num-records must lie between 1 and 4294967294"));
  EXPECT_THAT(message(facts(-5)), HasSubstr("got -5"));
  EXPECT_THAT(message(facts(4294967295)), HasSubstr("--num-records must lie between"));
  SchemaFile file = facts();
  file.target = "sexx";
  EXPECT_THAT(message(file), HasSubstr("--target sexx is not a column; did you mean 'sex'?"));
  file = facts();
  file.dataset = "a b";
  EXPECT_THAT(message(file), HasSubstr("--dataset must consist of letters"));
}

TEST(DomainSchemaTest, LoadTellsADomainByItsExtension) {
  const TempFolder folder;
  const std::filesystem::path path = folder.write_file("toy_domain.json", R"({"sex": 2})");
  const Schema schema = load_schema({.path = path, .num_records = 7, .target = "sex"});
  EXPECT_EQ(schema.dataset, "toy");
  EXPECT_EQ(schema.num_records, 7);
  EXPECT_NO_THROW(require_reviewed(schema, "domain.json"));
  // Models keep the text and read it again without the facts.
  const Schema again = parse_schema(schema.source_text, "model.json");
  EXPECT_EQ(again.num_records, 7);
  EXPECT_EQ(again.target, "sex");
  EXPECT_ERROR(kUsage, HasSubstr("give --num-records"), load_schema({.path = path}));
}

TEST(DomainSchemaTest, TheTableOfPrivatePgmFitsItsDomain) {
  const auto shared = testing::shared_folder();
  if (!shared && std::getenv("EQUINOISE_REQUIRE_SHARED") != nullptr) FAIL() << "no shared material";
  if (!shared) GTEST_SKIP() << "no shared material";
  const Schema schema = load_schema({.path = *shared / "data/adult_pgm_domain.json",
                                     .num_records = 48842,
                                     .target = "income>50K"});
  EXPECT_EQ(schema.dataset, "adult_pgm");
  const Dataset table = read_table(*shared / "data/adult_pgm.csv.gz", schema);
  EXPECT_EQ(table.num_dropped, 0);
}

}  // namespace equinoise::domain_schema_test
