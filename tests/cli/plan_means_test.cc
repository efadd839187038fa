// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/cli/people.h"

namespace equinoise::testing::plan_means_test {
namespace {

constexpr double kBounds = 73;  // 17 to 90
constexpr double kQuantile = 1.959963984540054;
constexpr int kNumWomen = 134;

/// Sizes are declared and, if asked, that everybody has an age.
std::string schema_for(bool has_gaps) {
  const std::string schema = people_schema_with_sizes(kNumWomen, kNumPeople - kNumWomen);
  return has_gaps ? schema
                  : replaced(schema, "bounds = [17, 90]", "bounds = [17, 90]\nmissing = \"none\"");
}

/// There is no table and no ledger.
class PlanMeansWorkspace : public Workspace {
 public:
  PlanMeansWorkspace() {
    write("people.toml", schema_for(false));
    std::filesystem::remove(path("people.csv"));
  }

  Json plan(const Words& words) const {
    const ToolResult result =
        ok(run(join("plan means --schema people.toml --columns age --json", words)));
    return json_of(result);
  }
};

const Json& method_of(const Json& plan, const std::string& name) {
  for (const Json& row : plan.at("methods"))
    if (row.at("method") == name) return row;
  ADD_FAILURE() << "no method " << name;
  return plan;
}

const Json& column_of(const Json& plan, const std::string& method) {
  return method_of(plan, method).at("columns")[0];
}

TEST(PlanMeans, TellsWidthsOfEveryMethodThatCanBeUsed) {
  const PlanMeansWorkspace workspace;
  const NothingChanges nothing(workspace);
  const Json plan = workspace.plan("--by sex --rho 0.1 --overall-share 0");
  const double noise = kBounds / std::sqrt(2 * 0.1);
  const Json& bounded = column_of(plan, "bounded");
  EXPECT_NEAR(bounded.at("strata")[0].at("width").get<double>(), 2 * kQuantile * noise / kNumWomen,
              1e-5);
  EXPECT_NEAR(bounded.at("overall_width").get<double>(),
              2 * kQuantile * std::sqrt(2.0) * noise / kNumPeople, 1e-5);
  EXPECT_NEAR(column_of(plan, "laplace").at("strata")[0].at("width").get<double>(),
              2 * std::log(20.0) * noise / kNumWomen, 1e-5);
  EXPECT_EQ(column_of(plan, "auto").at("estimator"), "bounded");
  EXPECT_EQ(column_of(plan, "auto").at("strata"), bounded.at("strata"));
  EXPECT_THAT(method_of(plan, "coinpress").at("problem").get<std::string>(),
              HasSubstr("--stddev age=NUMBER"));
  const Json told = workspace.plan("--by sex --rho 0.1 --stddev age=20");
  EXPECT_FALSE(method_of(told, "coinpress").contains("problem"));
  EXPECT_TRUE(bounded.at("overall_sampling_width").is_null());
  // Bernstein's bound for numbers of a deviation of 20.
  const auto sampling = [](double size) {
    const double logarithm = std::log(2 / 0.05);
    const double linear = kBounds * logarithm / 3 / size;
    return 2 * (linear + std::sqrt(linear * linear + 2 * 400 * logarithm / size));
  };
  const Json& sampled = column_of(told, "bounded");
  EXPECT_NEAR(sampled.at("strata")[0].at("sampling_width").get<double>(), sampling(kNumWomen),
              1e-9);
  EXPECT_NEAR(sampled.at("overall_sampling_width").get<double>(), sampling(kNumPeople), 1e-9);
  nothing.check("plan means");
}

TEST(PlanMeans, AutoGivesEachMethodWhatEpsilonAllows) {
  const PlanMeansWorkspace workspace;
  // Pure noise, whose rho is larger.
  const Json one = workspace.plan("--by sex --epsilon 1 --delta 1e-5");
  EXPECT_EQ(column_of(one, "auto").at("estimator"), "laplace");
  EXPECT_EQ(method_of(one, "auto").at("rho"), method_of(one, "laplace").at("rho"));
  EXPECT_GT(method_of(one, "laplace").at("rho").get<double>(),
            10 * method_of(one, "bounded").at("rho").get<double>());
  for (const Json& row : one.at("methods")) {
    if (row.contains("privacy")) {
      EXPECT_LE(row.at("privacy").at("epsilon").get<double>(), 1) << row;
    }
  }
  // Where widths are wanted it is the method with the smallest guarantee.
  const Json wanted = workspace.plan("--by sex --interval-width age=5");
  EXPECT_EQ(column_of(wanted, "auto").at("estimator"), "laplace");
  EXPECT_LT(method_of(wanted, "auto").at("privacy").at("epsilon").get<double>(),
            method_of(wanted, "bounded").at("privacy").at("epsilon").get<double>());
}

TEST(PlanMeans, WidthsAreThoseOfTheRelease) {
  const Workspace workspace;
  workspace.write("people.toml", schema_for(false));
  const Words same = "--schema people.toml --columns age --by sex --rho 0.5 --json";
  const Json plan = json_of(workspace.run(join({"plan", "means"}, same)));
  const auto width = [](const Json& row) {
    return row.at("ci")[1].get<double>() - row.at("ci")[0].get<double>();
  };
  for (const std::string method : {"bounded", "laplace"}) {
    const Json release = json_of(workspace.run(
        join(join({"means", "--data", "people.csv", "--method", method, "--no-shrink"}, same),
             "--insecure-test-rng --seed 1")));
    const Json& column = column_of(plan, method);
    // But for the grid of numbers, which released intervals allow for.
    EXPECT_NEAR(width(release.at("overall")[0]), column.at("overall_width").get<double>(), 1e-6);
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(width(release.at("strata")[k]), column.at("strata")[k].at("width").get<double>(),
                  1e-6);
    }
  }
}

TEST(PlanMeans, TellsTheBudgetThatWantedWidthsNeed) {
  const PlanMeansWorkspace workspace;
  const Words by = "--by sex --overall-share 0";
  // 2 z * 73 / 134 / sqrt(2 rho) <= 5 for the smaller stratum.
  const Json strata = workspace.plan(join(by, "--interval-width age=5"));
  const double of_strata = std::pow(2 * kQuantile * kBounds / kNumWomen / 5, 2) / 2;
  const double rho = method_of(strata, "bounded").at("rho").get<double>();
  EXPECT_NEAR(rho / of_strata, 1, 2e-5);
  EXPECT_LE(column_of(strata, "bounded").at("strata")[0].at("width").get<double>(), 5);
  // That budget, the other way round.
  const Json again = workspace.plan(join(by, {"--rho", std::to_string(rho)}));
  EXPECT_NEAR(column_of(again, "bounded").at("strata")[0].at("width").get<double>(), 5, 1e-3);
  // sqrt(2) times the noise of a stratum's sum, over 400; the tails of Laplace's distribution.
  const Json overall = workspace.plan(join(by, "--overall-width age=1"));
  EXPECT_NEAR(method_of(overall, "bounded").at("rho").get<double>() /
                  std::pow(2 * kQuantile * kBounds / kNumPeople, 2),
              1, 2e-5);
  EXPECT_NEAR(method_of(overall, "laplace").at("rho").get<double>() /
                  std::pow(2 * std::log(20.0) * kBounds / kNumPeople, 2),
              1, 2e-5);
  // Both: the dearer one.
  const Json both = workspace.plan(join(by, "--interval-width age=5 --overall-width age=1"));
  EXPECT_NEAR(method_of(both, "bounded").at("rho").get<double>(),
              std::max(rho, method_of(overall, "bounded").at("rho").get<double>()), 1e-5);
  EXPECT_THAT(method_of(both, "quantile").at("problem").get<std::string>(), HasSubstr("--stddev"));
}

TEST(PlanMeans, IsReadByPeopleToo) {
  const PlanMeansWorkspace workspace;
  workspace.write("others.csv", "sex\nFemale\nMale\n");
  const ToolResult result =
      ok(workspace.run("plan means --schema people.toml --columns age --by sex --epsilon 1 --delta "
                       "1e-5 --weights-from others.csv"));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("Female"), HasSubstr("overall, by shares of held-out records"),
                    HasSubstr("bounded"), HasSubstr("coinpress: "), HasSubstr("NOTHING PROTECTS"),
                    Not(HasSubstr("[means"))));
}

TEST(PlanMeans, MistakesAreRefusedWithTheFix) {
  const PlanMeansWorkspace workspace;
  const std::vector<Refusal> refusals = {
      {{}, 2, "--interval-width"},
      {"--rho 1 --interval-width age=5", 2, "either a budget"},
      {"--rho 1 --epsilon 1", 2, "--rho, or --epsilon"},
      {"--interval-width age=0", 2, "above 0"},
      {"--interval-width age=nan", 2, "above 0"},
      {"--interval-width age=73", 2, "less than 73"},
      {"--overall-width agee=1", 2, "did you mean \"age\""},
      {"--overall-width age", 2, "--overall-width"},
  };
  expect_refusals(workspace, refusals, [](const Words& words) {
    return join("plan means --schema people.toml --columns age", words);
  });
}

TEST(PlanMeans, WidthsCountWhatNoisySizesCost) {
  const PlanMeansWorkspace workspace;
  const Words words = "--by sex --rho 0.1 --relation zero_out --private-sizes --size-share 0.2";
  const Json plan = workspace.plan(words);
  EXPECT_EQ(plan.at("private_sizes"), true);
  EXPECT_EQ(plan.at("weights"), "noisy sizes");
  // A record moves the sum by half of the bounds, as a size does at an end of them.
  const double noise = kBounds / 2 * std::hypot(1 / std::sqrt(2 * 0.08), 1 / std::sqrt(2 * 0.02));
  EXPECT_NEAR(column_of(plan, "bounded").at("strata")[0].at("width").get<double>(),
              2 * kQuantile * noise / kNumWomen, 1e-5);
  // A guess is as good as a declared size.
  const Json guess = workspace.plan(join(words, "--stratum-size Female=100"));
  EXPECT_NEAR(column_of(guess, "bounded").at("strata")[0].at("width").get<double>(),
              2 * kQuantile * noise / 100, 1e-5);
  // A dry run of the release predicts the same noise.
  const Json dry = json_of(ok(workspace.run(
      join("means --schema people.toml --columns age --dry-run --method bounded --json", words))));
  EXPECT_NEAR(dry.at("groups")[0].at("noise_stddev").get<double>(), noise / kNumWomen, 1e-5);
}

TEST(PlanMeans, WidthsCountWhatANumberOfValuesCosts) {
  const PlanMeansWorkspace workspace;
  const Words words = {"--by", "sex", "--rho", "0.1", "--overall-share", "0"};
  const Json without = workspace.plan(words);
  workspace.write("people.toml", schema_for(true));
  const Json plan = workspace.plan(words);
  // At an end of the bounds, by what noise of the number moves the mean there.
  for (const auto& [method, squared] : {std::pair("bounded", 4 / 3.0), std::pair("laplace", 2.0)}) {
    for (size_t k = 0; k < 2; ++k) {
      const auto width = [&, method = method](const Json& of) {
        return column_of(of, method).at("strata")[k].at("width").get<double>();
      };
      EXPECT_NEAR(width(plan), std::sqrt(squared) * width(without), 1e-5) << method;
    }
    EXPECT_EQ(method_of(plan, method).at("rho"), method_of(without, method).at("rho"));
  }
}

}  // namespace
}  // namespace equinoise::testing::plan_means_test
