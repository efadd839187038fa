// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/constraint_reader.h"

#include <gtest/gtest.h>

#include "tests/constraints/constraint_cases.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::constraint_reader_test {

using testing::sex_and_race;

std::vector<std::string> texts(const std::vector<RateConstraint>& constraints,
                               const ConstraintDomain& domain) {
  std::vector<std::string> texts;
  for (const RateConstraint& constraint : constraints) texts.push_back(to_text(constraint, domain));
  return texts;
}

std::vector<std::string> read(std::string_view text) {
  const ConstraintDomain domain = sex_and_race();
  return texts(parse_constraints_toml(text, "c.toml", domain), domain);
}

std::vector<std::string> read_line(std::string_view text) {
  const ConstraintDomain domain = sex_and_race();
  return texts(parse_constraint(text, domain), domain);
}

std::string complaint(std::string_view text) {
  return error_of(ErrorKind::kInput, [&] { read(text); });
}

using Texts = std::vector<std::string>;

/// What expands to what, in every case of the vectors that has both.
TEST(ConstraintReader, CommonConstraintsAreThoseOfTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/raco_step.json");
  int compared = 0;
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c["id"].get<std::string>());
    const ConstraintDomain domain = testing::domain_of(c);
    const auto core =
        parse_constraints_json(testing::constraint_file(c["constraints"]), "core", domain);
    ASSERT_EQ(core.size(), c["constraints"].size());
    if (!c.contains("sugar")) continue;
    ++compared;
    EXPECT_EQ(texts(parse_constraints_json(testing::constraint_file(c["sugar"]), "sugar", domain),
                    domain),
              texts(core, domain));
  }
  EXPECT_GE(compared, 6);
}

TEST(ConstraintReader, ParityComparesWithTheRestEverybodyEveryPairOrOneGroup) {
  const std::string head = "[[constraint]]\ntype = \"demographic_parity\"\nslack = 0.05\n";
  const Texts rest = read(head + "attr = \"sex\"");
  EXPECT_EQ(rest, (Texts{"P(pos | sex=F) - P(pos | sex=M) <= 0.05",
                         "P(pos | sex=M) - P(pos | sex=F) <= 0.05"}));
  EXPECT_EQ(read(head + "attr = \"sex\"\nversus = \"overall\"").size(), 4);
  EXPECT_EQ(read(head + "attr = \"sex\"\nversus = \"overall\"")[0],
            "P(pos | sex=F) - P(pos) <= 0.05");
  EXPECT_EQ(read(head + "attr = \"race\"\nversus = \"pairwise\"").size(), 6);
  EXPECT_EQ(read(head + "attr = \"race\"\nversus = \"reference:White\"").size(), 4);
  EXPECT_EQ(read(head + "attr = \"race\"").size(), 6);
  const Texts both = read(head + "attr = [\"sex\", \"race\"]");
  EXPECT_EQ(both.size(), 12);
  EXPECT_EQ(both[0], "P(pos | sex=F, race=White) - P(pos | sex=M; or race=Black or Other) <= 0.05");
  EXPECT_EQ(read(head + "attr = [\"sex\", \"race\"]\nversus = \"reference:M,Black\"").size(), 10);
  EXPECT_EQ(read(head + "attr = \"sex\"\npred = [\"neg\", \"pos\"]").size(), 4);
}

TEST(ConstraintReader, OddsAndOpportunityLookAtLabels) {
  const std::string tail = "\nattr = \"sex\"\nslack = 0.1";
  EXPECT_EQ(read("[[constraint]]\ntype = \"equalized_odds\"" + tail).size(), 4);
  EXPECT_EQ(read("[[constraint]]\ntype = \"equal_opportunity\"" + tail),
            (Texts{"P(pos | sex=F, label=pos) - P(pos | sex=M, label=pos) <= 0.1",
                   "P(pos | sex=M, label=pos) - P(pos | sex=F, label=pos) <= 0.1"}));
}

TEST(ConstraintReader, RatesAreBoundedFromAboveAndBelow) {
  const auto bound = [](const std::string& metric, const std::string& rest) {
    return read("[[constraint]]\ntype = \"rate_bound\"\nmetric = \"" + metric + "\"\n" + rest);
  };
  EXPECT_EQ(bound("fnr", "max = 0.1"), Texts{"P(neg | label=pos) <= 0.1"});
  EXPECT_EQ(bound("fpr", "max = 0.1"), Texts{"P(pos | label=neg) <= 0.1"});
  EXPECT_EQ(bound("tpr", "min = 0.8"), Texts{"-P(pos | label=pos) <= -0.8"});
  EXPECT_EQ(bound("tnr", "min = 0.8\nwhere = {race = [\"Black\", \"Other\"]}"),
            Texts{"-P(neg | race=Black or Other, label=neg) <= -0.8"});
  EXPECT_EQ(bound("pred_rate", "min = 0.2\nmax = 0.3"),
            (Texts{"P(pos) <= 0.3", "-P(pos) <= -0.2"}));
  EXPECT_EQ(bound("precision", "min = 0.7\npositive = \"neg\""),
            Texts{"-P(right | predicted=neg) <= -0.7"});
}

TEST(ConstraintReader, LinearConstraintsSayEverything) {
  EXPECT_EQ(read(R"([[constraint]]
name = "custom"
slack = 0.02
sense = "abs<="
terms = [
  {coef = 1.0, pred = ["pos"], given = {sex = "F", label = ["neg"]}},
  {coef = -0.5, pred = "label", given = {any = [{sex = "M"}, {race = "Black"}]}}
]
)"),
            (Texts{"P(pos | sex=F, label=neg) - 0.5 P(right | sex=M; or race=Black) <= 0.02",
                   "0.5 P(right | sex=M; or race=Black) - P(pos | sex=F, label=neg) <= 0.02"}));
  EXPECT_EQ(read("[[constraint]]\nsense = \">=\"\nslack = 0.6\n"
                 "terms = [{coef = 1, pred = \"label\", given = {}}]"),
            Texts{"-P(right) <= -0.6"});
}

TEST(ConstraintReader, ALineIsEnoughForCommonOnes) {
  EXPECT_EQ(read_line("demographic_parity:sex:0.05"),
            read("[[constraint]]\ntype = \"demographic_parity\"\nattr = \"sex\"\nslack = 0.05"));
  EXPECT_EQ(read_line("equalized_odds:sex,race:0.1").size(), 24);
  EXPECT_EQ(read_line("group_error:race:0.2").size(), 3);
  EXPECT_EQ(read_line("fnr:0.1"), Texts{"P(neg | label=pos) <= 0.1"});
  EXPECT_EQ(read_line("fnr:sex=F,race=Other:0.1"),
            Texts{"P(neg | sex=F, race=Other, label=pos) <= 0.1"});
  EXPECT_EQ(read_line("tpr:0.8"), Texts{"-P(pos | label=pos) <= -0.8"});
}

TEST(ConstraintReader, LinesThatSayNothingAreUsageErrors) {
  const ConstraintDomain domain = sex_and_race();
  for (const auto& [line, part] : std::vector<std::pair<std::string, std::string>>{
           {"fnr", "too few parts (in a shell, quote constraints with < or >"},
           {"fnr:", "a part is empty (in a shell, quote constraints with < or >"},
           {"demographic_parity:0.05", "too few parts"},
           {"demographic_parity:sex:much", "\"much\" is not a number"},
           {"demographic_parity:sx:0.05", "there is no attribute \"sx\" to group by; did you mean"},
           {"demographic_parity:sex:1.05", "constraint.slack must be within 0 to 1, got 1.05"},
           {"demographic_parity:sex:nan", "is not a number"},
           {"demographic_parity:sex:inf", "constraint.slack must be a finite number"},
           {"parity:sex:0.05", "there is no constraint type \"parity\""},
           {"fnr:sex:0.1", "there is no class \"sex\""},
           {"fnr:sex=F,sex=M:0.1", "sex is named twice"},
           {"demographic_parity:sex,sex:0.1", "lists \"sex\" twice"},
           {"fnr:sex=G:0.1", "there is no value \"G\""}}) {
    SCOPED_TRACE(line);
    EXPECT_THAT(error_of(ErrorKind::kUsage, [&, line = line] { parse_constraint(line, domain); }),
                HasSubstr(part));
  }
}

TEST(ConstraintReader, ErrorsNameThePlaceAndWhatToWrite) {
  EXPECT_THAT(complaint("[[constraint]]\ntype = \"demographic_parity\"\nattr = \"sx\"\nslack=0.1"),
              HasSubstr("c.toml:3:8: there is no attribute \"sx\" to group by; did you "
                        "mean 'sex'?"));
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"x = 1", "x is not a key"},
           {"", "constraint is missing; write [[constraint]]"},
           {"[[constraint]]", "constraint[0].terms is missing; write type = "},
           {"classes = [\"pos\", \"neg\"]", "the schema's classes are [\"neg\", \"pos\"]"},
           {"[attributes]\nsex = [\"M\", \"F\"]", "the schema's values are [\"F\", \"M\"]"},
           {"[attributes]\nage = [\"old\"]", "there is no attribute \"age\""},
           {"[[constraint]]\ntype = \"demographic_parity\"\nslack = 0.1", "attr is missing"},
           {"[[constraint]]\ntype = \"demographic_parity\"\nattr = \"sex\"", "slack is missing"},
           {"[[constraint]]\ntype = \"demographic_parity\"\nattr = \"sex\"\nslack = 0.1\n"
            "versus = \"reference:X\"",
            "\"X\" is not a value of sex"},
           {"[[constraint]]\ntype = \"rate_bound\"\nmetric = \"auc\"", "there is no rate \"auc\""},
           {"[[constraint]]\ntype = \"rate_bound\"\nmetric = \"fnr\"", "max is missing"},
           {"[[constraint]]\ntype = \"rate_bound\"\nmetric = \"fnr\"\nmax = 0.1\n"
            "positive = \"poss\"",
            "there is no class \"poss\"; did you mean 'pos'?"},
           {"[[constraint]]\nslack = 0.1\nterms = [{coef = 1, pred = [\"pos\"]}]",
            "given is missing"},
           {"[[constraint]]\nslack = 0.1\nterms = [{coef = 1, pred = [\"pos\"], given = {any = "
            "[]}}]",
            "any is empty"}}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(complaint(text), HasSubstr(part));
  }
}

/// In a condition the word is a label, predictions or several conditions: what is read here could
/// not be written down again.
TEST(ConstraintReader, AttributesThatAreCalledLikeWordsOfConditionsAreRefused) {
  for (const std::string& name : {std::string("label"), std::string("pred"), std::string("any")}) {
    ConstraintDomain domain = sex_and_race();
    domain.attributes.push_back({name, {"a", "b"}});
    EXPECT_ERROR(kUsage, HasSubstr("\"" + name + "\" has another meaning in conditions"),
                 parse_constraint("demographic_parity:" + name + ":0.1", domain));
    EXPECT_EQ(parse_constraint("demographic_parity:sex:0.1", domain).size(), 2);
  }
  ConstraintDomain domain = sex_and_race();
  domain.attributes.push_back({"any", {"a", "b"}});
  EXPECT_ERROR(kUsage, HasSubstr("has another meaning"), parse_constraint("fnr:any=a:0.1", domain));
}

/// Rates of a target with more than two classes are of each, unless one is named.
TEST(ConstraintReader, OfSeveralClassesEachIsBoundedOrOneByName) {
  ConstraintDomain domain = sex_and_race();
  domain.classes = {"no", "may=be", "yes"};
  const auto line = [&](std::string_view text) { return parse_constraint(text, domain); };
  const std::vector<RateConstraint> each = line("fnr:0.1");
  EXPECT_EQ(texts(each, domain),
            (Texts{"P(may=be or yes | label=no) <= 0.1", "P(no or yes | label=may=be) <= 0.1",
                   "P(no or may=be | label=yes) <= 0.1"}));
  EXPECT_EQ(each[2].name, "fnr of yes <= 0.1");
  EXPECT_EQ(texts(line("fnr:yes:0.1"), domain), Texts{"P(no or may=be | label=yes) <= 0.1"});
  EXPECT_EQ(texts(line("tpr:\"may=be\",sex=F:0.7"), domain),
            Texts{"-P(may=be | sex=F, label=may=be) <= -0.7"});
  EXPECT_EQ(line("tpr:yes,sex=F:0.7")[0].name, "tpr of yes where sex=F >= 0.7");
  EXPECT_EQ(line("equal_opportunity:sex:0.05").size(), 6);
  const auto file = [&](const std::string& rest) {
    return parse_constraints_toml(
        "[[constraint]]\ntype = \"rate_bound\"\nmetric = \"fnr\"\nmax = 0.1\n" + rest, "c.toml",
        domain);
  };
  EXPECT_EQ(texts(file(""), domain), texts(each, domain));
  EXPECT_EQ(file("name = \"missed\"")[1].name, "missed of may=be <= 0.1");
  EXPECT_EQ(file("name = \"missed\"\npositive = \"yes\"")[0].name, "missed <= 0.1");
  EXPECT_ERROR(kUsage, HasSubstr("\"no\" is a second class"), line("fnr:yes,no:0.1"));
  EXPECT_ERROR(kUsage, HasSubstr("linear is a type for files"), line("linear:sex:0.1"));
}

TEST(ConstraintReader, TheFileComesBeforeTheLines) {
  const ConstraintDomain domain = sex_and_race();
  const TempFolder folder;
  const std::filesystem::path path = folder.write_file(
      "c.toml", "[[constraint]]\ntype = \"rate_bound\"\nmetric = \"fpr\"\nmax = 0.3\n");
  EXPECT_EQ(texts(gather_constraints(path, {"fnr:0.1"}, domain), domain),
            (Texts{"P(pos | label=neg) <= 0.3", "P(neg | label=pos) <= 0.1"}));
  EXPECT_TRUE(gather_constraints("", {}, domain).empty());
}

TEST(ConstraintReader, JsonSaysTheSame) {
  const ConstraintDomain domain = sex_and_race();
  EXPECT_EQ(texts(parse_constraints_json(R"({"constraint": [{"type": "group_error",
                                             "attr": ["race"], "max": 0.2}]})",
                                         "c.json", domain),
                  domain),
            read_line("group_error:race:0.2"));
  const auto refuses = [&](const std::string& text, const std::string& part) {
    EXPECT_ERROR(kInput, HasSubstr(part), parse_constraints_json(text, "c.json", domain));
  };
  refuses("{\n\"constraint\": [", "c.json:2: not valid JSON");
  refuses(R"({"constraint": [{"type": "group_error", "attr": "race", "max": 1e999}]})",
          "c.json: contains a number that is too large");
  refuses("[]", "write an object");
  refuses(R"({"constraint": null})", "null is not allowed here");
  refuses(R"({"constraint": [{"type": "group_error", "attr": "rase", "max": 0.2}]})",
          "c.json: there is no attribute \"rase\"");
  refuses(std::string(100, '[') + std::string(100, ']'), "write an object");
  refuses("{\"a\": " + std::string(100, '[') + std::string(100, ']') + "}", "nested too deeply");
}

}  // namespace equinoise::constraint_reader_test
