// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"

namespace equinoise::testing::dpse_test {
namespace {

/// Words of a command without a batch size, which full batches do not take.
Words without_batch_size(Words words) {
  const auto found = std::ranges::find(words, "--batch-size");
  words.erase(found, found + 2);
  return words;
}

Words train_words(const Words& more) {
  return join(without_batch_size(Workspace::train_words()),
              join("--method dpse --groups sex --epsilon 1", more));
}

void declare_sizes(const Workspace& workspace) {
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
}

double epsilon_of(const Json& group) { return group.at("privacy").at("epsilon"); }

/// What a run came to follows its outputs: on a card it would read like a promise.
void expect_nothing_realised_is_publishable(const Workspace& workspace) {
  for (const char* file : {"model/model_card.md", "model/model_card.json", "model/model.json"}) {
    const std::string text = workspace.text(file);
    EXPECT_THAT(text, AllOf(Not(HasSubstr("realised")), Not(HasSubstr("output-dependent"))))
        << file;
  }
}

TEST(Dpse, TellsWhatWasChargedAndWhatWasRealised) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger();
  const Json report = json_of(ok(workspace.run(train_words("--split error --out model --json"))));
  double shares = 0;
  for (const Json& group : report.at("groups")) {
    EXPECT_NEAR(epsilon_of(group), 1, 1e-3);
    const Json& realised = group.at("realised_output_dependent");
    shares += realised.at("share").get<double>();
    EXPECT_LT(epsilon_of(realised), epsilon_of(group));
    EXPECT_GT(realised.at("rho"), 0);
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_NEAR(workspace.spent(), 1, 1e-3) << "what was reserved stays spent";
  EXPECT_THAT(report.at("ingest").dump(), HasSubstr("is not a guarantee"));
  expect_nothing_realised_is_publishable(workspace);
}

TEST(Dpse, PublicSplitsAreChargedToEachGroupAsTheyAre) {
  const Workspace workspace;
  declare_sizes(workspace);
  const auto plan = [&](const Words& more) {
    const ToolResult result =
        ok(workspace.run(join(join(without_batch_size(Workspace::plan_words()),
                                   "--method dpse --groups sex --epsilon 1 --json"),
                              more)));
    return json_of(result);
  };
  const Json uniform = plan({});
  EXPECT_FALSE(uniform.at("settings").contains("batch_size"));  // every step uses all records
  EXPECT_EQ(epsilon_of(uniform.at("groups")[0]), epsilon_of(uniform.at("groups")[1]));
  const Json inverse = plan("--split inverse_size");
  EXPECT_NEAR(epsilon_of(inverse.at("groups")[0]), 1, 1e-3);
  EXPECT_LT(epsilon_of(inverse.at("groups")[1]), 0.8);
  EXPECT_THAT(inverse.at("warnings").dump(),
              HasSubstr("the weakest is that of members of Female (sex)"));
  // Whose training costs less pays no more for a private evaluation.
  const Json evaluated = plan("--split inverse_size --private-evaluation");
  for (size_t k = 0; k < 2; ++k)
    EXPECT_EQ(epsilon_of(evaluated.at("groups")[k]), epsilon_of(inverse.at("groups")[k]));
  const Json dear = plan("--split inverse_size --private-evaluation --evaluation-noise 4.5");
  EXPECT_GT(epsilon_of(dear.at("groups")[1]), epsilon_of(inverse.at("groups")[1]))
      << "what is asked for is told";
  // Losses cost half of the budget.
  const Json bounded = plan("--group-loss-multiplier 2");
  EXPECT_NEAR(bounded.at("groups")[0].at("noise_stddev").get<double>(),
              std::sqrt(2.0) * uniform.at("groups")[0].at("noise_stddev").get<double>(), 0.05);
}

TEST(Dpse, ChoosesAMultiplierPrivately) {
  const Workspace workspace;
  declare_sizes(workspace);
  workspace.open_ledger();
  const Words choice = "--group-loss-multiplier 0,0.5,2 --mean-runs 4";
  const Json plan =
      json_of(ok(workspace.run(join(join(without_batch_size(Workspace::plan_words()),
                                         "--method dpse --groups sex --epsilon 1 --json"),
                                    choice))));
  EXPECT_THAT(plan.at("events").dump(), HasSubstr("repeat_and_select"));
  EXPECT_EQ(plan.at("settings").at("mean_runs"), 4);
  ok(workspace.run(join(with_option(join(without_batch_size(Workspace::plan_words()),
                                         "--method dpse --groups sex --epsilon 8"),
                                    "--delta", "1e-12"),
                        choice)));
  EXPECT_THAT(plan.at("warnings").dump(), HasSubstr("this number must stay secret"));
  const ToolResult result = ok(workspace.run(train_words(join("--out model --json", choice))));
  const Json report = json_of(result);
  EXPECT_NEAR(workspace.spent(), 1, 1e-3);
  const double chosen = report.at("settings").at("chosen_group_loss_multiplier");
  EXPECT_TRUE(chosen == 0 || chosen == 0.5 || chosen == 2) << chosen;
  EXPECT_TRUE(report.at("curve").empty());
  // How many runs there were, and so how long they took, is told nobody.
  EXPECT_TRUE(report.at("seconds").is_null());
  EXPECT_THAT(result.err, Not(HasSubstr("steps")));
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr("chosen_group_loss_multiplier"));
  const Json card = workspace.json("model/model_card.json");
  EXPECT_THAT(card.at("deployment").at("entry").at("privacy_loss").dump(),
              HasSubstr("this number must stay secret"));
  expect_error(workspace.run(train_words(join("--out other --checkpoint run.state", choice))), 2,
               "private selection cannot be checkpointed");
  EXPECT_NEAR(workspace.spent(), 1, 1e-3);
}

void declare_overlapping_sizes(const Workspace& workspace, bool with_intersections) {
  workspace.write("people.toml", people_schema_with_overlapping_sizes(with_intersections));
}

/// Everybody is in a sex and in a city: they pay for both, before the run as after it.
TEST(Dpse, OverlappingGroupsArePaidForTogether) {
  const Workspace workspace;
  declare_overlapping_sizes(workspace, true);
  workspace.open_ledger("9");
  const Words groups = "--method dpse --groups sex --groups city --epsilon 1 --overlapping --json";
  const auto plan = [&](const Words& more) {
    const ToolResult result = ok(workspace.run(
        join(join(without_batch_size(Workspace::plan_words()), "--steps 50"), join(groups, more))));
    return json_of(result);
  };
  const Json inverse = plan("--split inverse_size");
  // Six intersections, two sexes, three cities.
  ASSERT_EQ(inverse.at("groups").size(), 11U);
  const auto epsilon = [&](size_t i) { return epsilon_of(inverse.at("groups")[i]); };
  EXPECT_NEAR(epsilon(0), 1, 1e-3) << "women in the north";
  EXPECT_LT(epsilon(1), 0.9) << "women in the south";
  EXPECT_LT(epsilon(4), 0.7) << "men in the south";
  EXPECT_EQ(epsilon(6), epsilon(0)) << "women: those in the north";
  EXPECT_EQ(epsilon(7), epsilon(3)) << "men: those in the north";
  EXPECT_EQ(epsilon(9), epsilon(1)) << "south: its women";
  // What pays for shares of women and of the north is their sum.
  const Json& settings = inverse.at("settings");
  double sum = 0;
  for (const char* group : {"Female", "Male", "north", "south", "east"})
    sum += settings.at(std::string("share ") + group).get<double>();
  EXPECT_NEAR(sum, 1, 1e-12);

  for (const Words& more : {Words("--split inverse_size"), Words("--split error"),
                            Words("--split error --max-share Male=0.1 --max-share north=0.2 "
                                  "--group-loss-multiplier 0,1")}) {
    const Json planned = plan(more);
    const double spent = workspace.spent();
    const ToolResult result = ok(workspace.run(join(train_words(join("--force --out model", more)),
                                                    "--groups city --overlapping --json")));
    EXPECT_GT(workspace.spent(), spent);
    const Json entries = workspace.ledger().at("entries");
    EXPECT_TRUE(entries.back().at("events")[0] == planned.at("events")[0].at("event"));
    const Json report = json_of(result);
    for (size_t i = 0; i < 11; ++i) {
      const Json& group = report.at("groups")[i];
      EXPECT_EQ(epsilon_of(group), epsilon_of(planned.at("groups")[i]));
      if (more[1] == "inverse_size") continue;
      const Json& realised = group.at("realised_output_dependent");
      EXPECT_LE(epsilon_of(realised), epsilon_of(group));
    }
    if (more.size() > 2) {
      EXPECT_LE(report.at("realised_shares_output_dependent").at("Male"), 0.1);
      EXPECT_LE(report.at("realised_shares_output_dependent").at("north"), 0.2);
    }
    if (more[1] == "inverse_size") continue;
    // A group's cost in the end is that of its intersection that paid most.
    const auto rho = [&](size_t i) {
      return report.at("groups")[i].at("realised_output_dependent").at("rho").get<double>();
    };
    EXPECT_EQ(rho(6), std::max({rho(0), rho(1), rho(2)}));
    EXPECT_EQ(rho(9), std::max(rho(1), rho(4)));
  }
}

TEST(Dpse, NoiseOfOverlappingGroupsIsToldWhereSizesOfIntersectionsAre) {
  const Workspace workspace;
  const auto plan = [&] {
    const ToolResult result =
        ok(workspace.run(join(without_batch_size(Workspace::plan_words()),
                              "--method dpse --groups sex --groups city --epsilon 1 "
                              "--group-objective mean --overlapping --json")));
    return json_of(result);
  };
  declare_overlapping_sizes(workspace, false);
  const Json without_intersections = plan();
  for (const Json& group : without_intersections.at("groups"))
    EXPECT_FALSE(group.contains("noise_per_expected_member_in_clips"));
  declare_overlapping_sizes(workspace, true);
  const Json report = plan();
  // Somebody counts as much as the means of their groups let them: a fifth for each of these.
  const double women_north = 27. * (1 / 134. + 1 / 80.) / 5;
  const double women = 27. * (1 / 134. + 1 / 80.) / 5 + 54. * (1 / 134. + 1 / 160.) / 5 +
                       53. * (1 / 134. + 1 / 160.) / 5;
  const auto noise = [&](size_t i) {
    return report.at("groups")[i].at("noise_per_expected_member_in_clips").get<double>();
  };
  EXPECT_NEAR(noise(0) / noise(6), women / women_north, 0.02);
}

}  // namespace
}  // namespace equinoise::testing::dpse_test
