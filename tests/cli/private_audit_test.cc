// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::private_audit_test {
namespace {

/// A workspace with a private model of people of declared sizes in the folder "model".
class PrivateAuditCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    workspace_.write("people.toml", people_schema_with_sizes(134, 266));
    workspace_.open_ledger("70");
    ok(workspace_.train("--method dpsgd --epsilon 1 --split-seed 5 --out model"));
  }

  /// The audit of held-out records; "--epsilon" is the last word but for `more`.
  static Words words(const Words& more) {
    return join(
        "audit --model model --data people.csv --ledger people.ledger --held-out "
        "--private --delta 1e-5",
        more);
  }

  Json audit(const Words& more) const {
    return json_of(ok(workspace_.run(join(words(more), "--json"))));
  }

  Workspace workspace_;
};

TEST_F(PrivateAuditCommand, IsPaidForAndPublishable) {
  const double before = workspace_.spent();
  const Json json = audit("--groups sex --epsilon 20 --out published");
  EXPECT_EQ(json.at("kind"), "audit --private");
  EXPECT_EQ(json.at("status"), "private");
  EXPECT_LE(json.at("privacy").at("epsilon").get<double>(), 20);
  EXPECT_GT(workspace_.spent(), before);
  EXPECT_EQ(json.at("ledger").at("spent").at("epsilon").get<double>(), workspace_.spent());
  ASSERT_EQ(json.at("groups").size(), 2U);
  for (const Json& group : json.at("groups")) {
    const double accuracy = group.at("accuracy");
    EXPECT_GE(accuracy, group.at("accuracy_interval")[0].get<double>());
    EXPECT_LE(accuracy, group.at("accuracy_interval")[1].get<double>());
    // What is counted exactly is in no part of it.
    for (const char* key : {"num_records", "loss", "weight"}) EXPECT_FALSE(group.contains(key));
  }
  const std::string page = workspace_.text("published/report.html");
  EXPECT_EQ(page.find("NOT PRIVATE"), std::string::npos);
  EXPECT_EQ(page.find(workspace_.path("").string()), std::string::npos);
  Json written = workspace_.json("published/report.json");
  EXPECT_EQ(written.at("groups"), json.at("groups"));
  EXPECT_FALSE(written.contains("ingest"));
}

/// At this budget the noise is below a record, so rates are nearly those of the records.
TEST_F(PrivateAuditCommand, NoiseAloneSetsItApartFromTheExactAudit) {
  const Json exact = json_of(
      ok(workspace_.run("audit --model model --data people.csv --held-out --groups sex --json")));
  const Json noisy = audit("--groups sex --groups sex,city --epsilon 25");
  for (size_t k = 0; k < 2; ++k) {
    for (const char* rate : {"accuracy", "selection_rate"}) {
      const double truth = exact.at("groups")[k].at(rate);
      EXPECT_NEAR(noisy.at("groups")[k].at(rate).get<double>(), truth, 0.1) << rate;
    }
  }
  EXPECT_NEAR(noisy.at("overall").at("accuracy").get<double>(),
              exact.at("overall").at("accuracy").get<double>(), 0.04);
}

TEST_F(PrivateAuditCommand, GroupingsWithinAnotherCostNothing) {
  const std::string once = "--epsilon 1 --dry-run";
  const Json of_cities = audit(join("--groups sex,city", once.c_str()));
  const Json of_both = audit(join("--groups sex --groups sex,city", once.c_str()));
  EXPECT_EQ(of_both.at("noise_stddev"), of_cities.at("noise_stddev"));
  EXPECT_EQ(audit(join("--groups sex --groups city", once.c_str())).at("noise_stddev").size(), 2U);
}

TEST_F(PrivateAuditCommand, APlanSpendsNothing) {
  const std::string ledger = workspace_.ledger_bytes();
  const Json plan = audit("--groups sex --epsilon 1 --dry-run");
  EXPECT_EQ(plan.at("kind"), "audit --private --dry-run");
  EXPECT_EQ(plan.at("ledger_after").at("fits"), true);
  EXPECT_FALSE(plan.contains("groups"));
  EXPECT_EQ(workspace_.ledger_bytes(), ledger);
}

TEST_F(PrivateAuditCommand, LimitsAreJudgedByWhatIsReleased) {
  const Words by = "--groups sex --epsilon 8";
  EXPECT_EQ(workspace_.run(words(join(by, "--max-disparity accuracy=1"))).exit_code, 0);
  const ToolResult fails = workspace_.run(words(join(by, "--min-ratio accuracy=1 --strict")));
  EXPECT_EQ(fails.exit_code, 5) << fails;
  EXPECT_EQ(fails.err.find("exact figures"), std::string::npos);
  // Noise as large as a group says nothing.
  const ToolResult unclear =
      workspace_.run(words("--groups sex --epsilon 0.05 --max-disparity accuracy=0.01 --strict"));
  EXPECT_EQ(unclear.exit_code, 5);
  EXPECT_THAT(unclear.out, HasAll("NOT ANSWERABLE", "noise hides it"));
}

TEST_F(PrivateAuditCommand, RefusesWhatNoNoiseProtectsAndSpendsNothing) {
  ok(workspace_.train("--method sgd --split-seed 5 --insecure-test-rng --seed 1 --out plain"));
  workspace_.write("decisions.csv", "sex,label,prediction\nFemale,no,no\nMale,yes,yes\n");
  const std::string ledger = workspace_.ledger_bytes();
  const std::vector<Refusal> refusals = {
      {words("--groups sex"), 2, "--epsilon"},
      {words("--groups sex --epsilon -1"), 2, "epsilon"},
      {words("--groups sex --epsilon 1 --explain"), 2, {"--private", "--explain"}},
      {words("--groups sex --epsilon 1 --reference plain"), 2, {"--private", "--reference"}},
      {with_option(words("--groups sex --epsilon 1"), "--model", "plain"), 2,
       "without a guarantee"},
      {"audit --model model --data people.csv --groups sex --epsilon 1", 2, "--private"},
      {words("--groups sex --epsilon 1 --out model --force"), 2, "holds a model"},
      {"audit --predictions decisions.csv --target label --groups sex --private --epsilon 1 "
       "--positive yes",
       2, "--private needs --schema"}};
  for (const Refusal& refusal : refusals)
    expect_refused(workspace_, refusal.words, refusal.exit_code, refusal.texts);
  EXPECT_EQ(workspace_.ledger_bytes(), ledger);
}

TEST_F(PrivateAuditCommand, JudgesPredictionsOfATable) {
  ok(workspace_.run(
      "predict --model model --data people.csv --out predicted.csv --keep sex,label"));
  const Json json = json_of(ok(workspace_.run(
      "audit --predictions predicted.csv --schema people.toml --groups sex --private --epsilon 10 "
      "--delta 1e-5 --ledger people.ledger --json")));
  EXPECT_EQ(json.at("groups").size(), 2U);
  EXPECT_TRUE(json.at("method").is_null());
  EXPECT_THAT(json.at("warnings").dump(), HasSubstr("depends on its own record alone"));
}

}  // namespace
}  // namespace equinoise::testing::private_audit_test
