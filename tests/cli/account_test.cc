// SPDX-License-Identifier: Apache-2.0
// The calculator: events from flags and files, answers, and what it says of bad input.

#include "tests/cli/people.h"

namespace equinoise::testing::account_test {
namespace {

const Words kDpsgd = "--gaussian 1.1 --sample-rate 0.01 --steps 1000";

Words account(const std::string& what, const Words& more) { return join({"account", what}, more); }

TEST(AccountCommand, FilesAndFlagsMeanTheSame) {
  const Workspace workspace;
  workspace.write("events.json", R"([{"type": "repeat", "count": 1000, "event":
      {"type": "poisson_sampled", "q": 0.01, "events":
        [{"type": "gaussian", "noise_multiplier": 1.1, "note": "gradients"}]}}])");
  const Words more = "--delta 1e-6 --json";
  EXPECT_EQ(workspace.run(account("epsilon", join("--events events.json", more))).out,
            workspace.run(account("epsilon", join(kDpsgd, more))).out);
}

TEST(AccountCommand, SolvesForNoiseAndSteps) {
  const Workspace workspace;
  const Words target = "--epsilon 1 --delta 1e-6 --json";
  const Json noise = json_of(
      workspace.run(account("noise", join("--gaussian ? --sample-rate 0.01 --steps 200", target))));
  EXPECT_LE(noise.at("epsilon").get<double>(), 1);
  const Json steps =
      json_of(workspace.run(account("steps", join({"--gaussian", noise.at("noise").dump(),
                                                   "--sample-rate", "0.01", "--steps", "?"},
                                                  target))));
  EXPECT_EQ(steps.at("steps"), 200);
}

TEST(AccountCommand, ComparesSideBySide) {
  const Workspace workspace;
  const ToolResult result = ok(workspace.run(account("compare", join(kDpsgd, "--delta 1e-6"))));
  EXPECT_THAT(result.out, HasAll("zCDP cannot bound", "rdp", "pld"));
}

TEST(AccountCommand, BadInputNamesTheFieldAndThePlace) {
  const Workspace workspace;
  workspace.write("broken.json", "[{\"type\": \"gaussian\",\n  \"noise_multiplier\" 1}]");
  workspace.write("typo.json", R"([{"type": "gaussian", "noise_multiplyer": 1}])");
  workspace.write("nested.json", R"([{"type": "composed", "events": [{"type": "pure"}]}])");
  const std::vector<Refusal> refusals = {
      {"--events broken.json", 3, "broken.json: line 2, column 22"},
      {"--events missing.json", 3, "missing.json: cannot be read"},
      {"--events typo.json", 2, "did you mean \"noise_multiplier\"?"},
      {"--events nested.json", 2, "events[0].events[0] (pure): \"epsilon\" is missing"},
      {"--events typo.json --gaussian 1", 2, "not both"},
      {"--gaussian 0", 2, "noise_multiplier must be finite and > 0, got 0"},
      {"--gaussian nan", 2, "noise_multiplier"},
      {"--gaussian x", 2, "--gaussian takes a number"},
      {"--gaussian 1 --sample-rate 0", 2, "q must be in (0, 1], got 0"},
      {"--gaussian 1 --sample-rate 1.01", 2, "q must be in (0, 1]"},
      {"--gaussian 1 --steps -3", 2, "count must be a whole number >= 1, got -3"},
      {"--gaussian 1 --steps 1e400", 2, "--steps takes a number"},
      {"--gaussian 1 --relation both", 2, "both"},
      {"--gaussian 1 --accountant pdl", 2, "choose one of smallest, zcdp, rdp, pld"},
      {{}, 2, "no events given; use --events FILE"},
  };
  expect_refusals(workspace, refusals, [](const Words& words) {
    return account("epsilon", join(words, "--delta 1e-6"));
  });
  for (const char* delta : {"1", "-0.1", "nan"})
    expect_refused(workspace, account("epsilon", {"--gaussian", "1", "--delta", delta}), 2,
                   "delta");
}

TEST(AccountCommand, RefusesWhatItCannotBoundByName) {
  const Workspace workspace;
  const Words zcdp = {"--event", R"({"type": "zcdp", "rho": 0.1})", "--delta", "1e-6"};
  expect_error(workspace.run(account("epsilon", join(zcdp, "--accountant pld"))), 2,
               "zCDP, rho 0.1");
  // Another one can, and says so.
  const Json answer = json_of(workspace.run(account("epsilon", join(zcdp, "--json"))));
  EXPECT_EQ(answer.at("accountant"), "zcdp");
  expect_error(workspace.run(account("epsilon", join(zcdp, "--sample-rate 0.1"))), 2,
               "zCDP, rho 0.1");
}

}  // namespace
}  // namespace equinoise::testing::account_test
