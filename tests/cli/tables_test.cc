// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/cli/people.h"
#include "tests/schema_text.h"

namespace equinoise::testing::tables_test {
namespace {

const Words kTables = "tables --schema people.toml --data people.csv --json";
const Words kAll =
    "--by sex,city --count --mean age --total age --median age --quantiles age=0.1,0.9 --share "
    "label --histogram age --bins age=4";

class TablesWorkspace : public Workspace {
 public:
  TablesWorkspace() { ok(run("ledger init --dataset people --epsilon 20 --relation zero_out")); }

  Json tables(const Words& words) const { return json_of(ok(run(join(kTables, words)))); }
};

const Json& figure_of(const Json& report, const std::string& statistic, const Json& group) {
  for (const Json& figure : report.at("figures"))
    if (figure.at("statistic") == statistic && figure.at("group") == group) return figure;
  ADD_FAILURE() << "no " << statistic << " of " << group;
  return report;
}

/// Counts, mean, total, three quantiles, two shares, four cells and one of no value in 1 + 2 + 3 +
/// 6 groups.
TEST(Tables, HaveAFigureForEachGroupUnderOneCharge) {
  const TablesWorkspace workspace;
  const Json report = workspace.tables(join(kAll, "--epsilon 5"));
  EXPECT_EQ(report.at("figures").size(), (1U + 1 + 1 + 3 + 2 + 5) * 12);
  for (const Json& figure : report.at("figures")) {
    expect_keys(figure, {"statistic", "group", "estimate", "interval"});
    ASSERT_EQ(figure.at("interval").size(), 2U) << figure;
    EXPECT_LE(figure.at("interval")[0], figure.at("interval")[1]);
    if (figure.at("estimate").is_null()) continue;
    EXPECT_LE(figure.at("interval")[0], figure.at("estimate")) << figure;
    EXPECT_GE(figure.at("interval")[1], figure.at("estimate")) << figure;
  }
  const Json ledger = json_of(ok(workspace.run("ledger show --json")));
  EXPECT_EQ(ledger.at("entries").size(), 1U);
  EXPECT_LE(report.at("privacy").at("epsilon").get<double>(), 5);
  EXPECT_GT(report.at("privacy").at("epsilon").get<double>(), 4.99);
}

TEST(Tables, APlanSpendsNothingAndPredictsTheRelease) {
  const TablesWorkspace workspace;

  const Words sizes =
      "--stratum-size Female,south=54 --stratum-size Female,east=53 --stratum-size Male,north=53 "
      "--stratum-size Male,south=107 --stratum-size Male,east=106 --stratum-size Female,north=27";
  Json plan;
  {
    const NothingChanges nothing(workspace);
    plan = workspace.tables(join(join(kAll, sizes), "--epsilon 5 --dry-run"));
    nothing.check("tables --dry-run");
  }
  const Json report = workspace.tables(join(join(kAll, sizes), "--epsilon 5"));
  EXPECT_EQ(plan.at("privacy"), report.at("privacy"));
  for (const char* statistic : {"count", "mean", "total", "quantile"}) {
    for (const Json& group : {Json::object(), Json{{"sex", "Female"}}}) {
      const Json& planned = figure_of(plan, statistic, group);
      const Json& released = figure_of(report, statistic, group);
      EXPECT_EQ(planned.at("predicted_half_width"), released.at("predicted_half_width"));
      EXPECT_GT(planned.at("predicted_half_width").get<double>(), 0);
    }
  }
  const Json& count = figure_of(report, "count", {{"sex", "Female"}});
  const double half =
      (count.at("interval")[1].get<double>() - count.at("interval")[0].get<double>()) / 2;
  EXPECT_NEAR(half, count.at("predicted_half_width").get<double>(), 1e-6);
}

/// What the schema declares is public and not released again.
TEST(Tables, DeclaredSizesAreNotReleased) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, kNumPeople - 134));
  ok(workspace.run("ledger init --dataset people --epsilon 20"));
  const Json report =
      json_of(ok(workspace.run(join(kTables, "--by sex --count --mean age --epsilon 1"))));
  const Json& count = figure_of(report, "count", {{"sex", "Female"}});
  EXPECT_EQ(count.at("estimate"), 134);
  EXPECT_TRUE(count.at("interval").is_null());
  EXPECT_FALSE(report.at("private_sizes"));
  EXPECT_EQ(report.at("statistics")[0].at("budget_share"), 0);
  expect_error(workspace.run(join(kTables, "--by sex --count --epsilon 1")), 2,
               {"public", "another statistic"});
}

/// The smallest stratum decides; half of the tolerance costs about four times the budget.
TEST(Tables, AToleranceDecidesTheBudget) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, kNumPeople - 134));
  const auto plan = [&](const std::string& words) -> Json {
    return json_of(ok(
        workspace.run(join(kTables, Words(("--by sex --dry-run --tolerance " + words).c_str())))));
  };
  const auto half_of = [](const Json& of, const std::string& statistic) {
    return figure_of(of, statistic, {{"sex", "Female"}}).at("predicted_half_width").get<double>();
  };
  EXPECT_NEAR(half_of(plan("age=1 --mean age"), "mean"), 1, 1e-3);
  EXPECT_NEAR(half_of(plan("age=5% --mean age"), "mean"), 0.05 * 73, 1e-3);
  EXPECT_NEAR(half_of(plan("age=5% --median age"), "quantile"), 0.05, 1e-4);
  // The harder of two decides.
  EXPECT_NEAR(half_of(plan("age=5% --mean age --median age"), "quantile"), 0.05, 1e-4);
  EXPECT_LT(half_of(plan("age=5% --mean age --median age"), "mean"), 0.05 * 73);
  EXPECT_NEAR(plan("age=2% --mean age").at("rho").get<double>() /
                  plan("age=4% --mean age").at("rho").get<double>(),
              4, 1e-3);
  expect_error(
      workspace.run(join(kTables, "--by sex --count --mean age --tolerance count=5 --dry-run")), 2,
      {"public"});
  expect_error(workspace.run(join(kTables, "--by city --count --tolerance count=5 --dry-run")), 2,
               {"--stratum-size"});
  expect_error(
      workspace.run(join(kTables, "--by city --share label --tolerance count=5 --dry-run")), 2,
      {"--count"});
  expect_error(workspace.run(join(kTables, "--by sex --mean age --tolerance agee=5 --dry-run")), 2,
               {"age"});
  expect_error(workspace.run(join(kTables, "--mean age --tolerance age=1 --epsilon 1 --dry-run")),
               2, {"--tolerance", "--epsilon"});
}

/// The rule reads sizes that are declared or expected: two tables hide the same figures.
TEST(Tables, FiguresAreHiddenByPublicFacts) {
  const TablesWorkspace workspace;
  const Words words =
      "--by sex --mean age --share label --hide-wider-than 0.1 --epsilon 0.5 --stratum-size "
      "Female=20 --stratum-size Male=380 --compare sex";
  const Json plan = workspace.tables(join(words, "--dry-run"));
  const auto hidden = [](const Json& report) {
    std::vector<Json> groups;
    for (const Json& figure : report.at("figures")) {
      if (figure.at("state") != "hidden") continue;
      groups.push_back({figure.at("group"), figure.at("statistic")});
      if (figure.contains("estimate")) {
        EXPECT_TRUE(figure.at("estimate").is_null() && figure.at("interval").is_null()) << figure;
      }
    }
    return groups;
  };
  const Json report = workspace.tables(words);
  EXPECT_EQ(hidden(plan), hidden(report));
  EXPECT_EQ(hidden(report).size(), 2U) << "of women";
  EXPECT_TRUE(report.at("comparisons").empty()) << "they would tell the hidden figure";
  // Other records hide the same.
  std::string others = people_csv();
  for (size_t at = others.find(",Male"); at != std::string::npos; at = others.find(",Male", at))
    others.replace(at, 5, ",Female");
  workspace.write("people.csv", others);
  EXPECT_EQ(hidden(plan), hidden(workspace.tables(words)));
  expect_error(workspace.run(join(kTables, "--by sex --mean age --hide-wider-than 1 --epsilon 1")),
               2, {"--stratum-size"});
}

TEST(Tables, GroupsAreCompared) {
  const TablesWorkspace workspace;
  const Json report =
      workspace.tables("--by sex,city --mean age --median age --compare sex,city --epsilon 15");
  // Sexes overall and in three cities; two of three cities overall and in two sexes; two
  // statistics.
  EXPECT_EQ(report.at("comparisons").size(), 2U * (4 + 2 * 3));
  for (const Json& row : report.at("comparisons")) {
    EXPECT_LE(row.at("interval")[0], row.at("difference"));
    EXPECT_GE(row.at("interval")[1], row.at("difference"));
    const double first = figure_of(report, row.at("statistic"),
                                   [&] {
                                     Json group = row.at("group");
                                     group[row.at("between").get<std::string>()] = row.at("first");
                                     return group;
                                   }())
                             .at("estimate");
    EXPECT_GT(first, 0);
  }
  EXPECT_EQ(report.at("ranks").size(), 2U * 3 * 3) << "of cities";
  for (const Json& rank : report.at("ranks"))
    EXPECT_LE(rank.at("lowest_rank"), rank.at("highest_rank"));
}

TEST(Tables, AFolderHasAllFormsAndItsPageCanBeMadeAgain) {
  const TablesWorkspace workspace;
  ok(workspace.run(join(join(Words("tables --schema people.toml --data people.csv"), kAll),
                        "--compare sex --epsilon 5 --out tables")));
  const std::string page = read_bytes(workspace.path("tables/report.html"));
  EXPECT_THAT(page, HasSubstr("mean of age"));
  const std::string csv = read_bytes(workspace.path("tables/tables.csv"));
  EXPECT_GE(std::ranges::count(csv, '\n'), 1 + 13 * 12 + 24) << "figures and differences";
  EXPECT_THAT(csv, HasSubstr("Female - Male,,difference of mean,age"));
  EXPECT_THAT(csv, HasSubstr("sex,city,statistic,"));
  EXPECT_EQ(csv.find("nan"), std::string::npos);
  EXPECT_THAT(read_bytes(workspace.path("tables/tables_card.md")), HasSubstr("median of age"));
  ok(workspace.run("report tables"));
  EXPECT_EQ(read_bytes(workspace.path("tables/report.html")), page);
}

TEST(Tables, MistakesAreToldBeforeAnythingIsSpent) {
  const TablesWorkspace workspace;
  const NothingChanges nothing(workspace);
  const auto refused = [&](const std::string& words, const Texts& texts) {
    expect_error(workspace.run(join(kTables, Words((words + " --epsilon 1").c_str()))), 2, texts);
  };
  refused("--by sex", {"--count", "--mean"});
  refused("--share age", {"--histogram"});
  refused("--median city", {"categorical", "numeric"});
  refused("--count --by sex --compare sex", {"--compare", "means"});
  refused("--mean city", {"numeric"});
  refused("--quantiles age=0.5,1", {"below 1", "age=0.1,0.9"});
  refused("--count --by sex --compare city", {"--compare", "--by"});
  refused("--histogram age --bins age=0", {"--bins"});
  refused("--histogram age --bins city=3", {"--bins"});
  refused("--mean age --split agee=3", {"age"});
  refused("--mean note", {"note"});
  nothing.check("refused tables");
}

/// A schema's promise that each record has an age is not relied on where records are counted.
TEST(Tables, StrayMissingCellsChangeNoCount) {
  const Workspace workspace;
  workspace.write("people.toml", replaced(people_schema(), "bounds = [17, 90]",
                                          "bounds = [17, 90]\nmissing = \"none\""));
  std::string csv = people_csv();
  for (size_t row = csv.find('\n') + 1; row < csv.size(); row = csv.find('\n', row) + 1)
    if (csv[row] == '5') csv.erase(row, 2);
  workspace.write("people.csv", csv);
  const Json report = json_of(ok(workspace.run(
      join(kTables, "--by sex --count --median age --epsilon 100 --insecure-test-rng --seed 1"))));
  const Json& count = figure_of(report, "count", {{"sex", "Female"}});
  EXPECT_NEAR(count.at("estimate").get<double>(), 134, 3);
}

/// Whoever may have several rows pays for all of them, and how many rows there are is private.
TEST(Tables, RowsOfPeopleArePaidForTogether) {
  const Workspace workspace;
  std::string csv = "person,age,sex\n";
  for (int i = 0; i < 300; ++i) {
    for (int visit = 0; visit <= i % 3; ++visit) {
      csv += std::to_string(i) + "," + std::to_string(20 + i % 50) + (i % 2 == 0 ? ",f\n" : ",m\n");
    }
  }
  workspace.write("people.csv", csv);
  workspace.write("people.toml", units_head("visits", "", 300, "person", 2) +
                                     ignored_section("person") + numeric_section("age", 0, 100) +
                                     categorical_section("sex", {"f", "m"}));
  ok(workspace.run("ledger init --dataset visits --epsilon 20 --unit person"));
  const Json report =
      json_of(ok(workspace.run(join(kTables, "--by sex --count --mean age --epsilon 4"))));
  EXPECT_TRUE(report.at("private_sizes"));
  EXPECT_EQ(report.at("unit"), "person");
  EXPECT_LE(report.at("privacy").at("epsilon").get<double>(), 4);
  // 300 first rows and 200 second ones.
  const Json& count = figure_of(report, "count", Json::object());
  EXPECT_NEAR(count.at("estimate").get<double>(), 500, 60);
}

}  // namespace
}  // namespace equinoise::testing::tables_test
