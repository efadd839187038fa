// SPDX-License-Identifier: Apache-2.0
// What an account promises and how it is told: policies, explain, export, recomputing.

#include <sqlite3.h>

#include <functional>
#include <sstream>

#include "equinoise/base/sha256.h"
#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/group_events.h"
#include "equinoise/privacy/ledger.h"
#include "tests/cli/people.h"

namespace equinoise::testing::ledger_policy_test {
namespace {

const Words kLedger = "--ledger people.ledger";

Words ledger_words(const std::string& command, const Words& more = {}) {
  return join(join({"ledger", command}, kLedger), more);
}

Words init_words(const Words& more = {}) {
  return ledger_words("init", join("--dataset people --epsilon 3 --delta 1e-5", more));
}

/// Spends on behalf of the tool: half of it on all, half by sex.
void spend(const Workspace& workspace, const std::string& key = "") {
  const Event by_sex =
      Event::parallel("sex", {"Female", "Male"}, {Event::gaussian(20), Event::gaussian(10)});
  Ledger(workspace.path("people.ledger"))
      .reserve("people", {Event::gaussian(15), by_sex}, Relation::kZeroOut, "means, by \"sex\"",
               false, key);
}

TEST(LedgerPolicy, IsFixedByInitAndShown) {
  const Workspace workspace;
  const ToolResult opened = ok(workspace.run(
      init_words({"--accountant", "zcdp", "--group-cap", "sex=Female:1.5", "--group-cap",
                  "city=north, east:2", "--fixed-groups", "--relation", "add_remove"})));
  EXPECT_THAT(opened.out, HasAll("accounting by zcdp", "sex=Female: epsilon 1.5",
                                 "city=north, east: epsilon 2"));
  const Json shown = workspace.ledger();
  EXPECT_EQ(shown.at("budget").at("accountant"), "zcdp");
  EXPECT_EQ(shown.at("budget").at("relation"), "add_remove");
  EXPECT_EQ(shown.at("budget").at("fixed_groups"), true);
  ASSERT_EQ(shown.at("groups").size(), 2U);
  EXPECT_EQ(shown.at("groups")[0].at("partition"), "sex");
  EXPECT_EQ(shown.at("groups")[0].at("group"), "Female");
  EXPECT_EQ(shown.at("groups")[0].at("cap").at("epsilon"), 1.5);
  EXPECT_EQ(shown.at("groups")[0].at("spent").at("epsilon"), 0);
  EXPECT_EQ(shown.at("groups")[1].at("remaining").at("epsilon"), 2);
  EXPECT_THAT(workspace.run(ledger_words("show")).out,
              HasSubstr("cap        sex=Female: epsilon 0 of 1.5"));
}

TEST(LedgerPolicy, TheUnitIsFixedAndToldAndOthersAreRefused) {
  const Workspace workspace;
  const ToolResult opened = ok(workspace.run(init_words("--unit person_id")));
  EXPECT_THAT(opened.out, HasSubstr("at delta 1e-05 per person_id"));
  EXPECT_EQ(workspace.ledger().at("budget").at("unit"), "person_id");
  EXPECT_THAT(workspace.run(ledger_words("show")).out, HasSubstr("per person_id"));
  EXPECT_THAT(workspace.run(ledger_words("verify")).out, HasSubstr("per person_id"));
  EXPECT_THAT(workspace.run(ledger_words("explain")).out, HasSubstr("all rows of one unit"));
  const ToolResult refused = workspace.run(Workspace::train_words("--epsilon 1"));
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasAll("protects units of person_id", "unit = \"person_id\""));
  EXPECT_THAT(workspace.ledger().at("entries"), IsEmpty());
}

TEST(LedgerPolicy, OneThatIsNoneIsNamedAndNoFileMade) {
  const Workspace workspace;
  const std::vector<Refusal> refusals = {
      {"--accountant zcd", 2, "did you mean \"zcdp\""},
      {"--group-cap sex=Female", 2, "PARTITION=GROUP:EPSILON"},
      {"--group-cap sex=Female:nan", 2, "the cap of sex=Female"},
      {"--group-cap sex=Female:0", 2, "the cap of sex=Female"},
      {"--group-cap sex=F:1", 2, "state it with --fixed-groups"},
      {"--group-cap sex=F:1 --group-cap sex=F:2", 2, "two caps for group sex=F"}};
  expect_refusals(workspace, refusals, init_words);
}

TEST(LedgerPolicy, ExplainSaysWhatWasSpentOnWhatAndWhatIsLeft) {
  const Workspace workspace;
  ok(workspace.run(
      init_words("--group-cap sex=Female:1.5 --group-cap sex=Femal:1 --fixed-groups")));
  spend(workspace, "monday");
  spend(workspace);
  const ToolResult result = ok(workspace.run(ledger_words("explain")));
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out,
              HasAll("epsilon 3 at delta 1e-05 under zero_out", "20.09 times", "by 2 entries",
                     "means, by \"sex\"", "key \"monday\": cannot be used again",
                     "paid for Gaussian, noise multiplier 15", "by itself",
                     "sex=Female: spent epsilon", "older copy"));
  // The cap of a group that is spelt like no group.
  EXPECT_THAT(result.out, HasSubstr("no entry names this group"));

  const Json json = json_of(workspace.run(ledger_words("explain", "--json")));
  EXPECT_GT(json.at("entries")[0].at("cost_alone"), 0);
  EXPECT_LT(json.at("entries")[0].at("cost_alone"), json.at("spent").at("epsilon"));
  EXPECT_EQ(json.at("entries")[0].at("key"), "monday");
  EXPECT_EQ(json.at("groups")[0].at("named"), true);
  EXPECT_EQ(json.at("groups")[1].at("named"), false);
  EXPECT_LT(json.at("groups")[0].at("spent").at("epsilon"), json.at("spent").at("epsilon"));
  EXPECT_EQ(json.at("groups")[1].at("spent").at("epsilon"), json.at("spent").at("epsilon"));
}

TEST(LedgerPolicy, ShowHasALineForEachEntryWithItsCostAlone) {
  const Workspace workspace;
  ok(workspace.run(init_words("--fixed-groups")));
  Ledger ledger(workspace.path("people.ledger"));
  const Event by_sex = Event::parallel(
      "sex", {"Female", "Male"},
      {Event::gaussian(15), Event::composed({Event::gaussian(20), Event::gaussian(25)})});
  ledger.reserve("people", {by_sex, Event::gaussian(30)}, Relation::kZeroOut, "rows");
  ledger.reserve("people", {Event::gaussian(10)}, Relation::kZeroOut, "means");
  const std::string text = workspace.run(ledger_words("show")).out;
  const Json explained = json_of(workspace.run(ledger_words("explain", "--json")));
  std::istringstream lines(text.substr(text.find("epsilon alone")));
  std::string line;
  std::getline(lines, line);
  std::getline(lines, line);
  for (const Json& entry : explained.at("entries")) {
    std::getline(lines, line);
    EXPECT_THAT(line, HasSubstr(entry.at("purpose").get<std::string>()));
    const double alone = std::stod(line.substr(line.rfind(' ')));
    EXPECT_NEAR(alone, entry.at("cost_alone").get<double>(), 1e-3);
  }
  std::getline(lines, line);
  EXPECT_EQ(line, "");
}

TEST(LedgerPolicy, ShowRecomputesByAnotherAccountantWithItsCaveat) {
  const Workspace workspace;
  ok(workspace.run(init_words()));
  Ledger ledger(workspace.path("people.ledger"));
  ledger.reserve("people", {Event::gaussian(15)}, Relation::kZeroOut, "a");
  ledger.reserve("people", {Event::gaussian(10)}, Relation::kZeroOut, "b");
  const ToolResult text = workspace.run(ledger_words("show", "--accountant zcdp"));
  EXPECT_THAT(text.out, HasAll("By zcdp: epsilon", "as if all entries"));
  const Json json = json_of(workspace.run(ledger_words("show", "--accountant zcdp --json")));
  EXPECT_EQ(json.at("recomputed").at("accountant"), "zcdp");
  EXPECT_THAT(json.at("recomputed").at("caveat").get<std::string>(), HasSubstr("no guarantee"));
  EXPECT_LT(json.at("recomputed").at("epsilon"), json.at("spent").at("epsilon"));
  expect_error(workspace.run(ledger_words("show", "--accountant prv")), 2);
}

TEST(LedgerPolicy, ExportHoldsWhatAnotherToolNeedsToCheckTheChain) {
  const Workspace workspace;
  ok(workspace.run(init_words("--group-cap sex=Female:2 --fixed-groups")));
  spend(workspace, "monday");
  ok(workspace.train("--epsilon 1"));
  const Json exported = json_of(workspace.run(ledger_words("export")));
  std::string hash;
  for (const Json& record : exported.at("records")) {
    hash = sha256_hex(hash + "\n" + record.at("body").get<std::string>());
    EXPECT_EQ(record.at("hash"), hash);
  }
  EXPECT_EQ(exported.at("records").size(), 3U);
  EXPECT_EQ(exported.at("last_hash"), hash);
  EXPECT_EQ(exported.at("accounts")[0], [&] {
    Json account = workspace.ledger();
    for (const char* key : {"schema", "kind"}) account.erase(key);
    for (Json& entry : account["entries"]) entry.erase("cost_alone");
    for (Json& group : account["groups"]) group.erase("named");
    return account;
  }());
  const Json spent = Json::parse(exported.at("records")[1].at("body").get<std::string>());
  EXPECT_EQ(Event::from_json(spent.at("events")[0]), Event::gaussian(15));

  const ToolResult csv = ok(workspace.run(ledger_words("export", "--csv")));
  EXPECT_THAT(csv.out, HasAll("sequence,time,dataset", "\"means, by \"\"sex\"\"\"",
                              ",monday,zero_out,1e-05,rdp,", hash));
  EXPECT_EQ(workspace.run(ledger_words("export", "--csv --json")).exit_code, 2);
}

TEST(LedgerPolicy, ACapRefusesATrainingRunByName) {
  const Workspace workspace;
  ok(workspace.run(init_words("--group-cap sex=Female:0.5 --fixed-groups")));
  const Words dear = Workspace::train_words("--epsilon 1");
  expect_refused(workspace, dear, 4, "group sex=Female, above its cap of 0.5");
  EXPECT_THAT(workspace.run(dear).err, Not(HasSubstr("reading")));
  ok(workspace.train("--epsilon 0.4"));
}

/// What the person has paid who was in that entry's costliest group each time, and what the account
/// says with and without the statement that there is none.
class LedgerGroups : public ::testing::Test {
 protected:
  static double cost_of_path(const Json& ledger) {
    Spends path;
    for (const Json& entry : ledger.at("entries")) {
      std::vector<Event> costliest;
      double most = -1;
      for (const Json& item : entry.at("events")) {
        const Event event = Event::from_json(item);
        if (event.kind() != Event::Kind::kParallel) continue;
        for (const std::string& group : event.group_names()) {
          const std::vector<Event> seen = events_of_group({event}, event.partition(), group);
          const double cost = account_guarantee(kBudget, {seen}).epsilon.value();
          if (cost > most) costliest = seen;
          most = std::max(most, cost);
        }
      }
      EXPECT_GT(most, 0);
      path.push_back(costliest);
    }
    return account_guarantee(kBudget, path).epsilon.value();
  }

  /// Runs `spend` on a ledger of each kind and compares what they hold.
  static void check(const Workspace& workspace, const std::string& relation,
                    const std::function<void()>& spend) {
    std::vector<double> spent;
    double path = 0;
    for (const Words& statement : {Words{}, Words("--fixed-groups")}) {
      std::filesystem::remove(workspace.path("people.ledger"));
      workspace.open_ledger("20", join(statement, {"--relation", relation}));
      spend();
      const Json ledger = workspace.ledger();
      ASSERT_EQ(ledger.at("entries").size(), 2U);
      spent.push_back(ledger.at("spent").at("epsilon").get<double>());
      path = cost_of_path(ledger);
    }
    EXPECT_GE(spent[0], path * (1 - 1e-9));
    EXPECT_LT(spent[1], 0.9 * path) << "the statement is what makes groups parallel";
  }

  static const Budget kBudget;
};
const Budget LedgerGroups::kBudget{Epsilon(20), Delta(1e-5), Relation::kZeroOut};

TEST_F(LedgerGroups, MeansOfALaterTableInWhichEverybodyIsInTheOtherGroup) {
  const Workspace workspace;
  check(workspace, "replace_one", [&] {
    for (const std::string empty : {"Female", "Male"}) {
      const std::string other = empty == "Male" ? "Female" : "Male";
      ok(workspace.run({"means", "--schema", "people.toml", "--data", "people.csv", "--ledger",
                        "people.ledger", "--columns", "age", "--by", "sex", "--stratum-size",
                        empty + "=0", "--stratum-size", other + "=400", "--rho", "0.5", "--delta",
                        "1e-5"}));
    }
  });
}

TEST_F(LedgerGroups, WeightsThatTurnAroundBetweenARunAndTheNext) {
  const Workspace workspace;
  check(workspace, "zero_out", [&] {
    for (const std::string light : {"Female", "Male"}) {
      ok(workspace.train({"--method", "group_weighted", "--groups", "sex", "--epsilon", "2",
                          "--group-epsilon", light + "=0.2"}));
    }
  });
}

/// "1" in a CSV is "1.0" in JSON: the format alone moves people to another group.
TEST_F(LedgerGroups, AFileFormatThatWritesGroupsInAnotherWay) {
  const Workspace workspace;
  std::string csv = "code,label\n";
  std::string json = "[";
  for (int i = 0; i < kNumPeople; ++i) {
    csv += i % 2 == 0 ? "1,yes\n" : "0,no\n";
    json += std::string(i == 0 ? "" : ",") + (i % 2 == 0 ? "{\"code\": 1.0, \"label\": \"yes\"}"
                                                         : "{\"code\": 0.0, \"label\": \"no\"}");
  }
  workspace.write("people.csv", csv);
  workspace.write("people.json", json + "]");
  workspace.write("people.toml",
                  schema_head("people", "label", 400) +
                      categorical_section("code", {"0", "1"}, "unknown = \"other\"\n") +
                      categorical_section("label", {"no", "yes"}));
  check(workspace, "zero_out", [&] {
    for (const auto& [file, light] :
         {std::pair{"people.csv", "other"}, std::pair{"people.json", "1"}}) {
      ok(workspace.run(
          with_option(Workspace::train_words({"--method", "group_weighted", "--groups", "code",
                                              "--epsilon", "2", "--group-epsilon", "0=0.2",
                                              "--group-epsilon", std::string(light) + "=0.2"}),
                      "--data", file)));
    }
  });
}

TEST_F(LedgerGroups, TheStatementStandsOnWhateverRestsOnIt) {
  const Workspace workspace;
  workspace.open_ledger("3", "--fixed-groups");
  const std::string statement = "relies on a statement";
  EXPECT_THAT(workspace.run(ledger_words("show")).out, HasSubstr("stated to be fixed"));
  EXPECT_THAT(workspace.run(ledger_words("explain")).out, HasSubstr(statement));
  ok(workspace.train("--epsilon 1 --out model"));
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr(statement));
  EXPECT_THAT(workspace.text("model/report.html"), HasSubstr(statement));
  EXPECT_EQ(workspace.json("model/model_card.json").at("ledger").at("budget").at("fixed_groups"),
            true);
  std::filesystem::remove(workspace.path("people.ledger"));
  workspace.open_ledger();
  EXPECT_THAT(workspace.run(ledger_words("show")).out, HasSubstr("costliest group"));
  EXPECT_THAT(workspace.run(ledger_words("explain")).out,
              AllOf(HasSubstr("costliest group"), Not(HasSubstr(statement))));
}

TEST(LedgerPolicy, VerifySaysWhatItCheckedAndNamesABrokenEntry) {
  const Workspace workspace;
  ok(workspace.run(init_words()));
  spend(workspace);
  const ToolResult whole = ok(workspace.run(ledger_words("verify")));
  EXPECT_THAT(whole.out,
              HasAll("OK", "hashes of 2 records", "each of 1 entries fitted within its budget"));
  workspace.write("people.ledger", replaced(workspace.ledger_bytes(), "\"noise_multiplier\":15.0",
                                            "\"noise_multiplier\":95.0"));
  const ToolResult broken = workspace.run(ledger_words("verify", "--json"));
  EXPECT_EQ(broken.exit_code, 6) << broken;
  EXPECT_THAT(broken.err, HasSubstr("entry 2 does not fit the hash chain"));
  EXPECT_THAT(broken.out, Not(HasSubstr("ok")));
}

TEST(LedgerPolicy, AKeyPaysForOneTrainingRun) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words keyed = "--epsilon 0.5 --ledger-key nightly";
  ok(workspace.train(join(keyed, "--out model")));
  const ToolResult again = workspace.train(join(keyed, "--out again"));
  EXPECT_EQ(again.exit_code, 2) << again;
  EXPECT_THAT(again.err, HasSubstr("already paid"));
  EXPECT_THAT(again.err, Not(HasSubstr("reading")));
  EXPECT_EQ(workspace.ledger().at("entries").size(), 1U);
}

}  // namespace
}  // namespace equinoise::testing::ledger_policy_test
