// SPDX-License-Identifier: Apache-2.0

#include "tests/cli/people.h"

namespace equinoise::testing::means_test {
namespace {

/// 400 people: i % 3 == 0 are women, 134 of them.
constexpr int kNumWomen = 134;

/// With the sizes of both sexes and a ledger.
class MeansWorkspace : public Workspace {
 public:
  explicit MeansWorkspace(const std::string& relation = "replace_one") {
    write("people.toml", people_schema_with_sizes(kNumWomen, kNumPeople - kNumWomen));
    ok(run({"ledger", "init", "--ledger", "people.ledger", "--dataset", "people", "--epsilon", "5",
            "--delta", "1e-5", "--relation", relation}));
  }
};

Words means_words(const Words& more = {}) {
  return join(
      "means --schema people.toml --data people.csv --ledger people.ledger --columns age --delta "
      "1e-5",
      more);
}

TEST(Means, ReplaceNeitherTheTableNorTheLedger) {
  const MeansWorkspace workspace;
  const NothingChanges nothing(workspace);
  for (const char* out : {"people.csv", "people.ledger"}) {
    const std::string bytes = workspace.text(out);
    expect_error(
        workspace.run(means_words({"--by", "sex", "--rho", "0.1", "--out", out, "--force"})), 2);
    EXPECT_EQ(workspace.text(out), bytes) << out;
    nothing.check(out);
  }
}

TEST(Means, ReleaseAndTellWhatTheContractSays) {
  const MeansWorkspace workspace;
  const ToolResult result = ok(workspace.run(means_words("--by sex --rho 0.1 --json --quiet")));
  EXPECT_THAT(result.err, IsEmpty());
  const Json json = json_of(result);
  expect_keys(json, {"overall", "strata", "privacy", "rho", "events", "columns", "ledger"});
  expect_keys(json.at("privacy"), {"epsilon", "delta", "accountant", "relation"});
  EXPECT_EQ(json.at("privacy").at("relation"), "replace_one");
  ASSERT_EQ(json.at("overall").size(), 1U);
  expect_keys(json.at("overall")[0], {"column", "mean", "ci"});
  ASSERT_EQ(json.at("strata").size(), 2U);
  for (const Json& row : json.at("strata"))
    expect_keys(row, {"stratum", "column", "num_records", "mean", "ci", "privacy"});
  EXPECT_EQ(json.at("strata")[0].at("stratum"), Json({{"sex", "Female"}}));
  EXPECT_EQ(json.at("strata")[0].at("num_records"), kNumWomen);
  EXPECT_FALSE(json.contains("not_private"));
  const Json& ci = json.at("overall")[0].at("ci");
  EXPECT_LE(ci[0], json.at("overall")[0].at("mean"));
  EXPECT_GE(ci[1], json.at("overall")[0].at("mean"));
  // The ledger holds one entry: the strata in parallel.
  const Json ledger = workspace.ledger();
  ASSERT_EQ(ledger.at("entries").size(), 1U);
  EXPECT_EQ(ledger.at("entries")[0].at("events"), json.at("events"));
  EXPECT_EQ(json.at("events")[0].at("type"), "parallel");
  EXPECT_EQ(json.at("ledger").at("spent").at("epsilon"), workspace.spent());
}

TEST(Means, DryRunSaysTheCostAndTheNoiseAndChangesNothing) {
  const MeansWorkspace workspace;
  std::filesystem::remove(workspace.path("people.csv"));
  const NothingChanges nothing(workspace);
  const Json json = json_of(workspace.run(means_words("--by sex --rho 0.1 --json --dry-run")));
  expect_keys(json, {"events", "privacy", "groups", "ledger_after"});
  ASSERT_EQ(json.at("groups").size(), 2U);
  for (const Json& group : json.at("groups")) {
    expect_keys(group, {"group", "privacy", "noise_stddev"});
    EXPECT_EQ(group.at("privacy"), json.at("privacy"));
  }
  // Bounds 17 to 90, 134 women, rho 0.1 less the twentieth for one sum of all: 73 / 134 /
  // sqrt(0.19); for the number of those who have an age, at an end of the bounds, sqrt(4 / 3).
  EXPECT_NEAR(json.at("groups")[0].at("noise_stddev").get<double>(),
              73 / 134.0 / std::sqrt(0.19) * std::sqrt(4 / 3.0), 1e-5);
  EXPECT_EQ(json.at("ledger_after").at("spent").at("epsilon"), json.at("privacy").at("epsilon"));
  nothing.check("dry run");
}

TEST(Means, EpsilonIsKept) {
  const MeansWorkspace workspace;
  const Json json = json_of(workspace.run(means_words("--by sex --epsilon 1 --json")));
  EXPECT_LE(json.at("privacy").at("epsilon").get<double>(), 1);
  EXPECT_GT(json.at("privacy").at("epsilon").get<double>(), 0.999);
  EXPECT_EQ(workspace.spent(), json.at("privacy").at("epsilon").get<double>());
}

TEST(Means, ASeededRunIsReproducibleSpendsNothingAndSaysSo) {
  const MeansWorkspace workspace;
  const NothingChanges nothing(workspace);
  const Words words = means_words(
      "--by sex --rho 0.1 --method coinpress --stddev age=20 --insecure-test-rng --seed 7");
  const ToolResult once = ok(workspace.run(words));
  EXPECT_THAT(once.out, HasSubstr("Guarantee: NONE"));
  const Json json = json_of(workspace.run(join(words, "--json --threads 1")));
  EXPECT_EQ(json.at("status"), "insecure rng");
  EXPECT_TRUE(json.at("privacy").is_null());
  const Json again = json_of(workspace.run(join(words, "--json --threads 3")));
  EXPECT_EQ(json.at("strata"), again.at("strata"));
  nothing.check("seeded");
}

TEST(Means, ExplainIsFenced) {
  const MeansWorkspace workspace;
  const Words words = means_words("--by sex --rho 0.1 --explain --out m.json");
  const ToolResult result = ok(workspace.run(words));
  EXPECT_THAT(result.out, HasAll("Exact figures (NOT PRIVATE)", "do not publish"));
  // The file holds what may be published.
  EXPECT_THAT(workspace.text("m.json"), AllOf(HasSubstr("\"overall\""), Not(HasSubstr("exact")),
                                              Not(HasSubstr("not_private"))));
  const Json json = json_of(workspace.run(means_words("--by sex --rho 0.1 --explain --json")));
  expect_keys(json.at("not_private"), {"notice", "columns", "num_records", "dirichlet", "notes"});
  for (const auto& [key, value] : json.at("not_private").at("dirichlet").items())
    EXPECT_TRUE(value.is_number()) << key;
}

TEST(Means, WriteAFolderOfWhichOnlyTheReportIsFenced) {
  const MeansWorkspace workspace;
  ok(workspace.run(means_words("--by sex --rho 0.1 --explain --out released")));
  const std::string page = workspace.text("released/report.html");
  EXPECT_THAT(page, HasAll("Exact figures", "Mean of age by sex"));
  for (const char* open : {"released/means_card.md", "released/means.csv"})
    EXPECT_THAT(workspace.text(open), Not(HasSubstr("xact"))) << open;
  // The page is made of the JSON alone, and nothing is paid for it.
  std::filesystem::remove(workspace.path("released/report.html"));
  const double spent = workspace.spent();
  ok(workspace.run({"report", "released"}));
  EXPECT_EQ(workspace.text("released/report.html"), page);
  EXPECT_EQ(workspace.spent(), spent);
}

TEST(Means, SizesOfOneStratumHaveNoDistribution) {
  const MeansWorkspace workspace;
  const Json json = json_of(workspace.run(means_words("--rho 0.1 --explain --json")));
  EXPECT_EQ(json.at("not_private").at("dirichlet").size(), 5U);
  for (const auto& [key, value] : json.at("not_private").at("dirichlet").items())
    EXPECT_TRUE(value.is_null()) << key;
}

TEST(Means, AnExistingOutputIsKeptAndNothingIsSpent) {
  const MeansWorkspace workspace;
  workspace.write("m.json", "mine");
  const NothingChanges nothing(workspace);
  const Words words = means_words("--rho 0.1 --out m.json");
  EXPECT_EQ(workspace.run(words).exit_code, 2);
  nothing.check("existing output");
  ok(workspace.run(join(words, "--force")));
}

TEST(Means, StrataThatContradictTheRecordsAreNoError) {
  // Sizes exchanged, one stratum declared empty, one declared but not there: the exit code, the
  // cost and the shape of the answer do not tell.
  for (const auto& [women, men] : {std::pair(kNumPeople - kNumWomen, kNumWomen),
                                   std::pair(0, kNumPeople), std::pair(kNumPeople, 0)}) {
    const MeansWorkspace workspace;
    workspace.write("people.toml", people_schema_with_sizes(women, men));
    const Json json =
        json_of(ok(workspace.run(means_words("--by sex --rho 0.1 --explain --json"))));
    EXPECT_EQ(json.at("strata").size(), 2U);
    EXPECT_FALSE(json.at("not_private").at("notes").empty());
  }
}

TEST(Means, WeightsAndSizesMayBeGiven) {
  const MeansWorkspace workspace;
  workspace.write("people.toml", people_schema());
  const Words sizes = "--by sex --stratum-size Female=134 --stratum-size Male=266";
  workspace.write("weights.json", R"({"Female": 0.25, "Male": 0.75})");
  const Words inline_weights = "--weights Female=0.25 --weights Male=0.75";
  const Words seed = "--insecure-test-rng --seed 3 --rho 0.1 --json";
  const Json by_file =
      json_of(workspace.run(means_words(join(join(sizes, seed), "--weights-file weights.json"))));
  const Json by_words =
      json_of(workspace.run(means_words(join(join(sizes, seed), inline_weights))));
  const Json by_size = json_of(workspace.run(means_words(join(sizes, seed))));
  EXPECT_EQ(by_file.at("overall"), by_words.at("overall"));
  EXPECT_NE(by_size.at("overall"), by_words.at("overall"));
  EXPECT_EQ(by_file.at("weights"), "public weights");
  const Json& strata = by_file.at("strata");
  EXPECT_NEAR(
      by_file.at("overall")[0].at("mean").get<double>(),
      0.25 * strata[0].at("raw_mean").get<double>() + 0.75 * strata[1].at("raw_mean").get<double>(),
      1e-9);
}

TEST(Means, WeightsAreSharesOfAnotherTableWhichNothingProtects) {
  const MeansWorkspace workspace;
  workspace.write("others.csv", "sex\nFemale\nMale\nMale\nMale\n");
  const Words by = "--by sex --rho 0.1 --weights-from others.csv";
  const Words seed =
      "--by sex --rho 0.1 --insecure-test-rng --seed 3 --json --weights Female=0.25 --weights "
      "Male=0.75";
  const Json by_words = json_of(workspace.run(means_words(seed)));
  const Json by_table =
      json_of(workspace.run(means_words(join(by, "--insecure-test-rng --seed 3 --json"))));
  EXPECT_EQ(by_table.at("overall"), by_words.at("overall"));
  EXPECT_EQ(by_table.at("weights"), "shares of held-out records");
  EXPECT_EQ(by_table.at("held_out"),
            Json({{"file", "others.csv"}, {"num_records", 4}, {"is_protected", false}}));
  EXPECT_FALSE(by_words.contains("held_out"));
  // The plan says so before, the release costs what it would without.
  EXPECT_THAT(workspace.run(means_words(join(by, "--dry-run"))).out, HasSubstr("NOTHING PROTECTS"));
  const ToolResult result = ok(workspace.run(means_words(by)));
  EXPECT_THAT(result.out, HasSubstr("the 4 records of others.csv"));
  const Json paid = workspace.ledger().at("entries")[0].at("events");
  EXPECT_EQ(paid, by_words.at("events"));
}

TEST(Means, PrivateSizesArePaidFor) {
  const MeansWorkspace workspace("zero_out");
  workspace.write("people.toml", people_schema());
  const Json json =
      json_of(workspace.run(means_words("--by sex --rho 0.5 --private-sizes --json")));
  EXPECT_EQ(json.at("weights"), "noisy sizes");
  EXPECT_NEAR(json.at("strata")[0].at("num_records").get<double>(), kNumWomen, 60);
  // A standard deviation of 1 / sqrt(2 x .05), which ends 7 whole numbers away.
  const Json& row = json.at("strata")[0];
  const double size = row.at("num_records").get<double>();
  EXPECT_EQ(row.at("num_records_ci"), Json({size - 7, size + 7}));
  // Declared sizes that cannot be those of the table are not needed.
  workspace.write("people.toml", people_schema_with_sizes(0, 0));
  ok(workspace.run(means_words("--by sex --rho 0.001 --private-sizes --json")));
  EXPECT_THAT(json.at("privacy_in_words").back().get<std::string>(), Not(HasSubstr("sizes")));
}

/// Laplace's noise needs no delta, until noise of another kind is added.
TEST(Means, PureNoiseIsDeclaredAsSuch) {
  const MeansWorkspace workspace("zero_out");
  const auto parameters_of = [&](const Words& more) {
    const Words words = join("--by sex --rho 0.5 --method laplace --json", more);
    return json_of(workspace.run(means_words(words)))
        .at("deployment")
        .at("entry")
        .at("privacy_loss")
        .at("privacy_parameters");
  };
  const Json pure = parameters_of({});
  EXPECT_EQ(pure.at("delta"), 0);
  EXPECT_NEAR(pure.at("epsilon").get<double>(), 1, 1e-6) << "the root of 2 rho";
  EXPECT_GT(parameters_of("--clipped-share 0.1 --bounds age=20:60").at("delta"), 0);
}

/// Every fifth of 10,000 people is 10 years old and has no income, all others are 40 and have
/// 50,000.
class GapsWorkspace : public Workspace {
 public:
  /// missing: the line of the schema about missing incomes; of_sex: that about missing sexes, of
  /// which then the first two of ten people have none.
  explicit GapsWorkspace(const std::string& missing, const std::string& of_sex = "") {
    std::string table = "sex,age,income\n";
    for (int i = 0; i < 10'000; ++i) {
      table += of_sex.empty() || i % 10 > 1 ? i % 2 == 0 ? "F" : "M" : "";
      table += i % 5 == 0 ? ",10,\n" : ",40,50000\n";
    }
    write("gaps.csv", table);
    const int64_t size = of_sex.empty() ? 5000 : 4000;
    write("gaps.toml",
          schema_head("gaps", "", 10'000) + group_sizes("sex", {{"F", size}, {"M", size}}) +
              numeric_section("income", 0, 800'000, missing) +
              numeric_section("age", 0, 120, "scale = \"standard\"\nmean = 34\nstddev = 12\n") +
              categorical_section("sex", {"F", "M"}, of_sex));
  }

  Json release(const Words& more) const {
    const ToolResult result =
        ok(run(join("means --schema gaps.toml --data gaps.csv --columns income,age --by sex --json "
                    "--insecure-test-rng --seed 5",
                    more)));
    return json_of(result);
  }
};

/// Of strata and overall.
Json rows_of(const Json& json) {
  Json rows = json.at("strata");
  for (const Json& row : json.at("overall")) rows.push_back(row);
  return rows;
}

void expect_near(const Json& row, double truth, double allowed) {
  EXPECT_NEAR(row.at("mean").get<double>(), truth, allowed) << row;
  EXPECT_LE(row.at("ci")[0], truth) << row;
  EXPECT_GE(row.at("ci")[1], truth) << row;
}

/// What is missing in one column changes nothing in another, by every method and relation, and no
/// rule of the schema that keeps it missing makes a number of it.
TEST(Means, AreOfThoseWhoHaveAValue) {
  const std::vector<std::string> rules = {"", "missing = \"drop\"\n",
                                          "missing = \"category\"\nfeature = false\n"};
  const std::vector<Words> options = {"--epsilon 3",
                                      "--rho 20 --relation zero_out",
                                      "--rho 20 --relation zero_out --private-sizes",
                                      "--rho 20 --overall-share 0.3 --clipped-share 0.1 --bounds "
                                      "income=0:400000 --bounds age=0:100",
                                      "--rho 20 --method laplace",
                                      "--rho 20 --method coinpress --stddev income=50000",
                                      "--rho 20 --method coinpress_joint --stddev income=50000",
                                      "--rho 20 --method quantile"};
  for (const std::string& rule : rules) {
    const GapsWorkspace workspace(rule);
    for (const Words& words : options) {
      SCOPED_TRACE(rule + ::testing::PrintToString(words));
      const Json json = workspace.release(words);
      for (const Json& row : rows_of(json)) {
        const bool is_income = row.at("column") == "income";
        // Of ages a quantile clips nobody: there are two.
        expect_near(row, is_income ? 50'000 : 34, is_income ? 4'000 : 1);
        EXPECT_TRUE(row.contains("num_values")) << row;
      }
      EXPECT_EQ(json.at("columns")[0].at("mean_of"), "those who have a value");
      EXPECT_TRUE(json.at("columns")[0].at("missing_counts_as").is_null());
    }
  }
}

/// Whatever else is paid for: numbers of values, sizes, clipped records, one sum over all strata.
TEST(Means, EveryMethodKeepsWithinTheEpsilonThatIsAskedFor) {
  const GapsWorkspace workspace("");
  const std::vector<Words> budgets = {"--epsilon 0.01 --delta 1e-9", "--epsilon 1",
                                      "--epsilon 8 --delta 1e-5"};
  const std::vector<Words> options = {
      {},
      "--relation zero_out --private-sizes --size-share 0.3",
      "--clipped-share 0.2 --bounds income=0:1000 --bounds age=0:90"};
  for (const Words& budget : budgets) {
    for (const Words& option : options) {
      for (const std::string method :
           {"auto", "bounded", "laplace", "coinpress", "coinpress_joint", "quantile"}) {
        const Words words =
            join({"means", "--schema", "gaps.toml", "--columns", "income,age", "--by", "sex",
                  "--stddev", "income=50000", "--method", method, "--dry-run", "--json"},
                 join(budget, option));
        const ToolResult result = ok(workspace.run(words));
        const double epsilon = json_of(result).at("privacy").at("epsilon").get<double>();
        EXPECT_LE(epsilon, std::stod(budget[1])) << ::testing::PrintToString(words);
        EXPECT_GT(epsilon, 0.99 * std::stod(budget[1])) << ::testing::PrintToString(words);
      }
    }
  }
}

TEST(Means, SayWhatAMissingCellCountsAs) {
  const GapsWorkspace workspace("missing = \"fill\"\nfill = 10000\n");
  const Json json = workspace.release("--epsilon 3 --explain");
  EXPECT_EQ(json.at("columns")[0].at("missing_counts_as"), 10'000);
  EXPECT_EQ(json.at("columns")[0].at("mean_of"), "all records");
  expect_near(json.at("strata")[0], 42'000, 2'000);
  EXPECT_EQ(json.at("not_private").at("columns")[0].at("exact_strata")[0], 42'000);
  // With a public promise that there is none a missing cell counts as the middle, and is told.
  const GapsWorkspace broken("missing = \"none\"\n");
  const Json told = broken.release("--epsilon 3 --explain");
  expect_near(told.at("strata")[0], 120'000, 2'000);
  EXPECT_FALSE(told.at("strata")[0].contains("num_values"));
  EXPECT_EQ(told.at("not_private").at("columns")[0].at("exact_strata")[0], 50'000);
  EXPECT_THAT(told.at("not_private").at("notes").dump(), HasSubstr("missing cells: income 2,000"));
}

/// A schema that only says that cells may be missing: means leave them out, bit for bit as with the
/// old rule that drops, and fill them where they are asked to.
TEST(Means, LeaveOutMissingCellsUnlessTheyAreToFillThem) {
  const Words budget = "--epsilon 3";
  const Words filling = "--epsilon 3 --missing fill";
  const GapsWorkspace allowed("missing = \"allowed\"\nfill = 10000\n");
  const GapsWorkspace dropped("missing = \"drop\"\n");
  const GapsWorkspace filled("missing = \"fill\"\nfill = 10000\n");
  const Json left_out = allowed.release(budget);
  for (const Json& row : rows_of(left_out))
    if (row.at("column") == "income") expect_near(row, 50'000, 4'000);
  EXPECT_EQ(rows_of(left_out), rows_of(dropped.release(budget)));
  EXPECT_EQ(rows_of(allowed.release(filling)), rows_of(filled.release(budget)));
  // Only the old rule is a surprise.
  const auto warning_of = [](const GapsWorkspace& workspace, const Words& words) {
    return workspace
        .run(join("means --schema gaps.toml --data gaps.csv --columns income,age "
                  "--insecure-test-rng --seed 5",
                  words))
        .err;
  };
  const std::string averaged = "missing cells are averaged in, income as 10000";
  EXPECT_THAT(warning_of(filled, budget), HasSubstr(averaged));
  EXPECT_THAT(warning_of(allowed, filling), Not(HasSubstr(averaged)));
  EXPECT_THAT(warning_of(allowed, budget), Not(HasSubstr(averaged)));
}

/// Half of the women and a sixth of the men have no income: a drafted schema brings the two means
/// no closer together.
TEST(Means, OfADraftedSchemaKeepTheDifferenceBetweenGroups) {
  const Workspace workspace;
  std::string table = "sex,income\n";
  for (int i = 0; i < 12'000; ++i) {
    const bool is_woman = i % 2 == 0;
    const bool lacks = i / 2 % 6 < (is_woman ? 3 : 1);
    table += is_woman ? "F," : "M,";
    table += lacks ? "\n" : std::to_string((is_woman ? 30'000 : 60'000) + i % 977) + "\n";
  }
  workspace.write("t.csv", table);
  const std::string draft = workspace.run("schema draft --data t.csv --groups sex").out;
  workspace.write("t.toml", replaced(draft, "reviewed = false", "reviewed = true"));
  const Json strata =
      json_of(ok(workspace.run("means --schema t.toml --data t.csv --columns income --by sex "
                               "--epsilon 5 --json --insecure-test-rng --seed 1")))
          .at("strata");
  EXPECT_NEAR(strata[1].at("mean").get<double>() / strata[0].at("mean").get<double>(), 60.5 / 30.5,
              0.02)
      << draft;
}

/// A sentence about those who have a value is true of a column that the schema fills, too.
TEST(Means, SayThatFilledCellsAreAmongTheValues) {
  const auto text_of = [](const GapsWorkspace& workspace) {
    return workspace
        .run(
            "means --schema gaps.toml --data gaps.csv --columns income --by sex --rho 1 --explain "
            "--insecure-test-rng --seed 5 --verbose")
        .out;
  };
  EXPECT_THAT(text_of(GapsWorkspace("missing = \"fill\"\nfill = 10000\n")),
              HasAll("are among the values of columns that are filled: income as 10000",
                     "the stratum's own numbers, and of what fills the missing ones"));
  EXPECT_THAT(text_of(GapsWorkspace("")),
              AllOf(Not(HasSubstr("fills")), HasSubstr("own numbers, over the records that have "
                                                       "one;")));
  const GapsWorkspace both("missing = \"fill\"\nfill = 10000\nmalformed = \"drop\"\n");
  EXPECT_THAT(text_of(both), HasSubstr("a value, or a missing cell, which counts as one: their"));
  EXPECT_EQ(both.release("--rho 1").at("columns")[0].at("mean_of"),
            "those who have a value or a missing cell");
}

/// The mean of numbers within bounds is within them, whatever a method clips to.
TEST(Means, IntervalsEndAtTheBoundsOfTheSchema) {
  const GapsWorkspace workspace("");
  for (const Words& method : {Words{"bounded"}, Words{"laplace"}, Words{"quantile"},
                              Words{"coinpress"}, Words("coinpress --constants code")}) {
    const Json json = workspace.release(join("--rho 1e-7 --stddev income=50000 --method", method));
    for (const Json& row : rows_of(json)) {
      SCOPED_TRACE(::testing::PrintToString(method) + row.dump());
      EXPECT_GE(row.at("ci")[0], 0);
      EXPECT_LE(row.at("ci")[1], row.at("column") == "age" ? 120 : 800'000);
    }
  }
  // Not at narrower ones, which coinpress begins with but does not clip to: ages are 34 on average.
  const Json wide =
      workspace.release("--rho 20 --method coinpress --bounds age=0:20 --stddev income=50000");
  EXPECT_GT(wide.at("strata")[1].at("ci")[1], 33);
}

/// People whose stratum is not known are in none, and count for no column.
TEST(Means, LeaveOutPeopleOfNoStratum) {
  const GapsWorkspace workspace("", "missing = \"drop\"\n");
  const Json json = workspace.release("--epsilon 3 --explain");
  // 4,000 of each sex: of ten people the first two have none, one of whom is 10 years old.
  const Json& age = json.at("not_private").at("columns")[1];
  expect_near(json.at("strata")[1], age.at("exact_strata")[0].get<double>(), 1);
  EXPECT_EQ(json.at("not_private").at("num_records"), Json({4000, 4000}));
  EXPECT_EQ(json.at("not_private").at("num_without_stratum"), 2000);
}

TEST(Means, IntervalsSayWhatTheyAreOf) {
  const GapsWorkspace workspace("");
  const auto said = [&](const std::string& method) {
    return workspace
        .run({"means", "--schema", "gaps.toml", "--data", "gaps.csv", "--columns", "age", "--by",
              "sex", "--rho", "1", "--method", method, "--insecure-test-rng", "--seed", "5",
              "--verbose"})
        .out;
  };
  EXPECT_THAT(said("bounded"), AllOf(HasSubstr("outside the bounds count as the nearer bound"),
                                     HasSubstr("the second interval: the mean of the population"),
                                     Not(HasSubstr("clipped to"))));
  for (const std::string method : {"coinpress", "coinpress_joint", "quantile"}) {
    EXPECT_THAT(
        said(method),
        AllOf(HasSubstr("clipped to"), HasSubstr("was chosen with noise"), HasSubstr("no interval"),
              Not(HasSubstr("the second interval: the mean of the population"))))
        << method;
    const Json json =
        workspace.release({"--rho", "1", "--method", method, "--stddev", "income=50000"});
    for (const Json& row : json.at("strata")) {
      EXPECT_EQ(row.at("interval_of"), method == "coinpress_joint" ? "mean_within_released_ball"
                                                                   : "mean_within_released_clip");
      EXPECT_LT(row.at("clip")[0], row.at("clip")[1]);
      EXPECT_TRUE(row.at("population_ci").is_null());
    }
  }
}

/// Nobody has no mean.
TEST(Means, AnEmptyStratumHasNoFigure) {
  const MeansWorkspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(0, kNumPeople));
  const Json json = json_of(workspace.run(means_words("--by sex --rho 0.1 --json")));
  for (const char* figure : {"mean", "raw_mean", "ci", "noise_stddev", "population_ci", "clip"})
    EXPECT_TRUE(json.at("strata")[0].at(figure).is_null()) << figure;
  EXPECT_FALSE(json.at("strata")[1].at("mean").is_null());
  // Weights may count them: their mean could be anything.
  const Json weighted = json_of(workspace.run(
      means_words("--by sex --rho 0.1 --json --weights Female=0.5 --weights Male=0.5")));
  const Json& ci = weighted.at("overall")[0].at("ci");
  EXPECT_GE(ci[1].get<double>() - ci[0].get<double>(), 73 / 2.0);
  EXPECT_THAT(weighted.at("warnings").dump(), HasSubstr("Female is empty but has a weight"));
}

/// People with sizes, of which that of women is not exact.
std::string inexact_schema() {
  return people_schema() + group_sizes("sex", {{"Male", 266}, {"Female", 134}}) + "exact = false\n";
}

TEST(Means, SizesThatAreNotExactAreTakenWhereTheyDivideNothing) {
  const MeansWorkspace workspace;
  const std::string full =
      replaced(inexact_schema(), "bounds = [17, 90]", "bounds = [17, 90]\nmissing = \"none\"");
  workspace.write("gaps.toml", inexact_schema());
  workspace.write("full.toml", full);
  const Words by = "--by sex --rho 0.1 --dry-run";
  ok(workspace.run(with_option(means_words(by), "--schema", "gaps.toml")));
  ok(workspace.run(
      with_option(means_words(join(by, "--stratum-size Female=134")), "--schema", "full.toml")));
  ok(workspace.run("plan means --schema full.toml --columns age --by sex --rho 0.1"));
  expect_error(workspace.run(with_option(means_words(by), "--schema", "full.toml")), 2,
               {"size of stratum Female", "exact = false"});
}

TEST(Means, BadInputIsRefusedWithTheFixAndCostsNothing) {
  const MeansWorkspace workspace;
  workspace.write("no_bounds.toml", replaced(people_schema(), "bounds = [17, 90]\n", ""));
  workspace.write("reversed.toml",
                  replaced(people_schema(), "bounds = [17, 90]", "bounds = [90, 17]"));
  workspace.write("no_sizes.toml", people_schema());
  workspace.write("weights.json", R"({"Female": 1})");
  workspace.write("list.json", "[1, 2]");
  workspace.write("women.csv", "sex\nFemale\n");
  const Words rho = "--rho 0.1";
  const Words by = "--by sex --rho 0.1";
  const std::vector<Refusal> refusals = {
      {with_option(means_words(rho), "--schema", "no_bounds.toml"), 3, "bounds"},
      {with_option(means_words(rho), "--schema", "reversed.toml"), 3, "bounds"},
      {means_words(join(rho, "--bounds age=90:17")), 2, "reversed"},
      {means_words(join(rho, "--bounds age=0")), 2, "LOWER:UPPER"},
      {means_words(join(rho, "--bounds age=20:80 --bounds age=30:80")), 2, "given twice"},
      {means_words(join(rho, "--method bounded --steps 3")), 2,
       "--steps has no effect with --method bounded"},
      {means_words(join(rho, "--bounds size=0:1")), 2, "no such name"},
      {means_words(join(rho, "--bounds age=0:90")), 2, "must be within [17, 90]"},
      {means_words(join(rho, "--bounds age=-1e308:1e308")), 2, "must be within [17, 90]"},
      {means_words(join(rho, "--method laplace --stddev age=10 --gamma 0.01")), 2,
       "gamma clips column 'age'"},
      {means_words(join(rho, "--method laplace --stddev age=1 --gamma 1e9")), 2, "gamma"},
      {means_words(join(rho, "--clipped-share 0.1")), 2, {"no number of age", "narrower --bounds"}},
      {means_words("--by sex --by city --rho 1"),
       2,
       {"--by is given twice", "write --by sex,city"}},
      {means_words({"--rho", "1", "--by", "\"a,b\"", "--by=sex"}), 2, "write --by \"a,b\",sex"},
      {means_words("--rho 1e9 --bounds age=20:80 --clipped-share 0.5"), 2, "no sampler can draw"},
      {with_option(means_words(rho), "--columns", "city"), 2, "'city' is categorical"},
      {with_option(means_words(rho), "--columns", "note"), 2, "'note' is ignored"},
      {with_option(means_words(rho), "--columns", "agee"), 3, "agee"},
      {with_option(means_words(rho), "--columns", "age,age"), 2, "named twice"},
      {means_words(join(by, "--weights Female=0.5 --weights Male=0.6")), 2, "add up to 1"},
      {means_words(join(by, "--weights Female=1")), 2, "no public weight: Male"},
      {means_words(join(by, "--weights-file weights.json")), 2, "no public weight: Male"},
      {means_words(join(by, "--weights-file list.json")), 3, "JSON object"},
      {means_words(join(by, "--weights-file there-is-none.json")), 3, "cannot be read"},
      {means_words(join(by, "--weights Femal=1")), 2, "did you mean \"Female\""},
      {means_words(join(by, "--weights-from people.csv")), 2, "the table of --data itself"},
      {means_words(join(by, "--weights-from women.csv")), 2, "no record of these strata: Male"},
      {means_words(join(by, "--weights-from there-is-none.csv")), 3, "there-is-none.csv"},
      {means_words(join(rho, "--weights-from women.csv")), 2, "needs --by"},
      {means_words("--rho 0"), 2, "rho"},
      {means_words("--epsilon 0"), 2, "epsilon"},
      {means_words("--rho nan"), 2, "rho"},
      {means_words({}), 2, "--rho or --epsilon"},
      {means_words("--rho 1 --epsilon 1"), 2, "--rho or --epsilon"},
      {with_option(means_words(by), "--schema", "no_sizes.toml"), 2, "Female; Male"},
      {means_words(join(by, "--private-sizes --stratum-size Male=1")), 2, "has no effect"},
      {means_words(join(by, "--stratum-size Female=300")), 2, "more than the 400 records"},
      {means_words(join(by, "--stratum-size Female=1.5")), 2, "whole number"},
      {means_words(join(by, "--stratum-size Other=1")), 2, "there is no such name"},
      {means_words(join(rho, "--stratum-size everybody=100")), 2, "needs --by"},
      {means_words(join(rho, "--method coinpress")), 2, "--stddev age=NUMBER"},
      {means_words("--epsilon 1 --method coinpress"), 2, "] column 'age' needs"},
      {means_words(join(rho, "--method bounde")), 2, "did you mean \"bounded\""},
      {means_words(join(by, "--private-sizes")), 2, "zero_out"},
      {means_words(join(rho, "--relation add_remove")), 2, "add_remove"},
      {means_words(join(rho, "--relation zero_out")), 2, "replace_one"},
      {means_words(join(rho, "--seed 1")), 2, "--insecure-test-rng"},
      {means_words("--epsilon 50"), 4, "above its budget"},
  };
  expect_refusals(workspace, refusals, [](const Words& words) { return words; });
}

}  // namespace
}  // namespace equinoise::testing::means_test
