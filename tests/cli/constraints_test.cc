// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/people.h"
#include "tests/matchers.h"

namespace equinoise::testing::constraints_test {
namespace {

Words raco(const Words& more) { return join("--method raco_dp --epsilon 2", more); }

TEST(Constraints, ThePlanSaysWhatTheyAreAndWhatTheirHistogramsCost) {
  const Workspace workspace;
  const Words constraint = "--constraint demographic_parity:sex:0.05";
  const ToolResult text = ok(workspace.run(join(Workspace::plan_words(), raco(constraint))));
  EXPECT_THAT(text.out, HasSubstr("P(yes | sex=Female) - P(yes | sex=Male) <= 0.05"));
  EXPECT_THAT(text.out, HasSubstr("noisy gradient sums and histograms"));
  const auto plan = [&](const Words& more) {
    return json_of(
        workspace.run(join(Workspace::plan_words(), join(raco(constraint), join("--json", more)))));
  };
  const Json json = plan({});
  ASSERT_EQ(json.at("constraints").size(), 2U);
  EXPECT_EQ(json.at("constraints")[0].at("slack"), 0.05);
  EXPECT_FALSE(json.at("constraints")[0].contains("value"));
  const Json& settings = json.at("settings");
  EXPECT_EQ(settings.at("num_cells"), 4);
  EXPECT_NEAR(settings.at("histogram_noise_multiplier").get<double>(),
              2 * settings.at("noise_multiplier").get<double>(), 1e-12);
  const Json& batch = json.at("events").at(0).at("event").at("event").at("events");
  ASSERT_EQ(batch.size(), 2U);
  EXPECT_EQ(batch[1].at("type"), "gaussian");
  const Json laplace = plan("--histogram-noise laplace");
  EXPECT_EQ(laplace.at("events").at(0).at("event").at("event").at("events")[1].at("type"),
            "laplace");
  EXPECT_LE(laplace.at("privacy").at("epsilon"), 2);
}

TEST(Constraints, ARunIsPaidForAndToldByConstraint) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("rules.toml",
                  "[[constraint]]\ntype = \"group_error\"\nattr = \"city\"\nmax = 0.4\n");
  const ToolResult trained = workspace.train(
      raco("--constraint demographic_parity:sex:0.5 --constraints rules.toml --reference --verbose "
           "--out model"));
  ASSERT_THAT(trained.exit_code, AnyOf(0, 5)) << trained;
  EXPECT_THAT(trained.out,
              HasAll("P(wrong | city=north) <= 0.4", "verdict", "Constraints (NOT PRIVATE)"));
  EXPECT_THAT(trained.err, HasSubstr("training the non-private reference (method sgda)"));
  EXPECT_GT(workspace.spent(), 1);

  const Json report = workspace.json("model/report.json");
  ASSERT_EQ(report.at("constraints").size(), 5U);
  for (const Json& constraint : report.at("constraints")) {
    expect_keys(constraint, {"name", "text", "slack", "value", "value_interval", "verdict", "holds",
                             "reference", "private_evaluation"});
    // The interval decides.
    const double slack = constraint.at("slack");
    const Json& interval = constraint.at("value_interval");
    const bool holds = interval.at(1) <= slack;
    const bool fails = interval.at(0) > slack;
    EXPECT_EQ(constraint.at("verdict"), holds ? "holds" : fails ? "fails" : "unclear");
    EXPECT_EQ(constraint.at("holds"), holds ? Json(true) : fails ? Json(false) : Json(nullptr));
  }
  // What is published says what the constraints were and how the model keeps them by counts with
  // noise, not by exact ones.
  const Json card = workspace.json("model/model_card.json");
  ASSERT_EQ(card.at("constraints").size(), 5U);
  for (const Json& constraint : card.at("constraints")) {
    EXPECT_EQ(constraint.size(), 4U);
    expect_keys(constraint, {"name", "text", "slack", "private_evaluation"});
    expect_keys(constraint.at("private_evaluation"),
                {"value", "value_interval", "verdict", "holds"});
  }
  EXPECT_THAT(workspace.text("model/model_card.md"),
              HasAll("## Constraints in training", "P(wrong \\| city=north)"));
  const Json model = workspace.json("model/model.json");
  ASSERT_EQ(model.at("constraints").size(), 5U);
  for (const Json& constraint : model.at("constraints"))
    expect_keys(constraint, {"name", "terms", "slack"});
  EXPECT_THAT(workspace.text("model/report.html"), HasSubstr("P(wrong | city=north) &lt;= 0.4"));
}

TEST(Constraints, APrivateEvaluationIsPublishedBesideTheExactOne) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words words = raco("--constraint demographic_parity:sex:0.3");
  const ToolResult plan = ok(workspace.run(join(Workspace::plan_words(), words)));
  EXPECT_THAT(plan.out,
              HasAll("evaluation_noise_stddev", "on held-out records only", "it may be published",
                     "The private evaluation costs nothing: the account comes to epsilon"));
  const ToolResult trained = workspace.train(join(words, "--out model"));
  ASSERT_THAT(trained.exit_code, AnyOf(0, 5)) << trained;
  EXPECT_THAT(trained.out, HasSubstr("Private evaluation (publishable)"));
  EXPECT_LE(workspace.spent(), 2);

  const Json card = workspace.json("model/model_card.json");
  EXPECT_THAT(card.at("private_evaluation").get<std::string>(), HasSubstr("part of the guarantee"));
  EXPECT_GT(card.at("settings").at("evaluation_noise_stddev").get<double>(), 0);
  EXPECT_EQ(card.at("events").size(), 3U);
  const Json report = workspace.json("model/report.json");
  ASSERT_EQ(card.at("constraints").size(), 2U);
  for (size_t j = 0; j < 2; ++j) {
    const Json& published = card.at("constraints")[j];
    EXPECT_EQ(published.size(), 4U) << "no exact value";
    expect_keys(published.at("private_evaluation"),
                {"value", "value_interval", "verdict", "holds"});
    EXPECT_EQ(report.at("constraints")[j].at("private_evaluation"),
              published.at("private_evaluation"));
    expect_keys(report.at("constraints")[j], {"value", "value_interval", "verdict", "holds"});
  }
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr("## Private evaluation"));
  EXPECT_THAT(workspace.text("model/model.json"), Not(HasSubstr("\"holds\"")));
  EXPECT_THAT(workspace.text("model/report.html"),
              HasSubstr("Private evaluation of the constraints"));
  ok(workspace.run("ledger verify --ledger people.ledger"));
  EXPECT_THAT(workspace.run("ledger explain --ledger people.ledger").out,
              HasSubstr("in parallel ["));
}

/// The model is there all the same.
TEST(Constraints, ARunEndsWithCode5WhereOneFailsAndStrictlyUnlessAllHold) {
  const Workspace workspace;
  workspace.open_ledger();
  const auto code_of = [&](const std::string& constraint, const Words& more) {
    return workspace
        .train(join({"--method", "sgda", "--constraint", constraint, "--out", "model", "--force",
                     "--insecure-test-rng", "--seed", "1"},
                    more))
        .exit_code;
  };
  EXPECT_EQ(code_of("group_error:city:0.001", {}), 5);
  EXPECT_TRUE(workspace.has("model/model.json"));
  EXPECT_EQ(code_of("demographic_parity:sex:1", "--strict"), 0);
  EXPECT_EQ(code_of("demographic_parity:sex:0.001", {}), 0);  // nobody knows
  EXPECT_EQ(code_of("demographic_parity:sex:0.001", "--strict"), 5);
  expect_error(workspace.train("--strict --out other"), 2);
  EXPECT_FALSE(workspace.has("other"));
}

/// Labels that follow from nothing: whoever finds more of the positive ones is wrong about as many
/// of the others. No bound shows that before the run.
TEST(Constraints, WhatTurnsOutToBeImpossibleIsTold) {
  const Workspace workspace;
  std::string table = "age,city,sex,note,label\n";
  for (int i = 0; i < kNumPeople; ++i) {
    table += i % 3 == 0 ? "20,north" : "60,south";
    table += i % 5 < 2 ? ",Female,," : ",Male,,";
    table += i / 2 % 2 == 0 ? "yes\n" : "no\n";
  }
  workspace.write("people.csv", table);
  const auto report = [&](const Words& method) {
    const Words words = join(method,
                             "--constraint fnr:0.1 --constraint fpr:0.1 --max-multiplier 1 "
                             "--dual-learning-rate 0.5 --force --out model --json");
    return json_of(workspace.run(with_option(Workspace::train_words(words), "--steps", "200")));
  };
  const std::string telling = "of 2 constraints while their multipliers were at the limit of 1";
  workspace.open_ledger("9");
  const Json noisy = report("--method raco_dp --epsilon 8");
  EXPECT_THAT(noisy.at("warnings").dump(), HasSubstr(telling));
  EXPECT_THAT(workspace.text("model/model_card.md"), HasSubstr(telling));
  const Json exact = report("--method sgda --insecure-test-rng --seed 3");
  EXPECT_THAT(exact.at("ingest").dump(), HasSubstr(telling));
  EXPECT_THAT(exact.at("warnings").dump(), Not(HasSubstr(telling)));
  const std::string card = workspace.text("model/model_card.md");
  EXPECT_THAT(card, AllOf(Not(HasSubstr(telling)), Not(HasSubstr("estimate"))));
}

TEST(Constraints, AnAuditChecksThoseOfTheTrainingAndOthers) {
  const Workspace workspace;
  ok(
      workspace.train("--method sgda --constraint demographic_parity:sex:0.5 --insecure-test-rng "
                      "--seed 1 --out model"));
  const Words words = "audit --model model --data people.csv --held-out";
  const ToolResult plain = ok(workspace.run(words));
  EXPECT_THAT(plain.out,
              HasAll("P(yes | sex=Female) - P(yes | sex=Male) <= 0.5", "training", "NOT PRIVATE"));
  // The same figures as after training.
  const Json report = workspace.json("model/report.json");
  const Json audited = json_of(workspace.run(join(words, "--json"))).at("constraints");
  ASSERT_EQ(audited.size(), 2U);
  for (size_t j = 0; j < 2; ++j)
    EXPECT_EQ(audited[j].at("value"), report.at("constraints")[j].at("value"));
  // One that fails is told.
  const ToolResult more = workspace.run(join(words, "--constraint fnr:0 --json"));
  EXPECT_EQ(more.exit_code, 5) << more;
  EXPECT_EQ(json_of(more).at("constraints").size(), 3U);
  EXPECT_EQ(json_of(more).at("constraints")[2].at("origin"), "audit");
  expect_error(workspace.run(join(words, "--constraint demographic_parity:sx:0.1")), 2,
               "did you mean 'sex'?");
  workspace.write("none.toml", "[[constraint]]\n");
  EXPECT_EQ(workspace.run(join(words, "--constraints none.toml")).exit_code, 3);
}

/// A state belongs to its constraints: with others it would be another run.
TEST(Constraints, ACheckpointGoesOnUnderItsConstraintsAlone) {
  const Workspace workspace;
  workspace.open_ledger();
  const Words long_run = with_option(
      Workspace::train_words(
          raco("--constraint fnr:0.1 --checkpoint state --checkpoint-every 500 --out model")),
      "--steps", "60000");
  ToolProcess process(long_run, workspace.here());
  ASSERT_TRUE(workspace.wait_for_file("state"));
  process.send(SIGINT);
  ASSERT_EQ(process.finish().exit_code, 1);
  const double paid = workspace.spent();
  Words other = with_option(long_run, "--constraint", "fnr:0.2");
  other.emplace_back("--resume");
  EXPECT_NE(workspace.run(other).exit_code, 0);
  Words same = long_run;
  same.emplace_back("--resume");
  ok(workspace.run(same));
  EXPECT_EQ(workspace.spent(), paid);
}

TEST(Constraints, WhatIsWrongIsNamedBeforeAnythingHappens) {
  const Workspace workspace;
  workspace.open_ledger();
  workspace.write("bad.toml",
                  "[[constraint]]\ntype = \"group_error\"\nattr = \"town\"\nmax = 0.4\n");
  workspace.write("bad.json", "{\"constraint\": [");
  const std::vector<Refusal> refusals = {
      {raco({}), 2, "the method needs constraints; give --constraint"},
      {raco("--constraint demographic_parity:sx:0.1"), 2, "did you mean 'sex'?"},
      {raco("--constraint demographic_parity:sex:1.5"), 2, "must be within 0 to 1"},
      {raco("--constraint demographic_parity:label:0.1"), 2, "no attribute \"label\""},
      {raco("--constraint fnr:sex=Woman:0.1"), 2, "there is no value \"Woman\""},
      {raco("--constraints bad.toml"), 3, "bad.toml:3:8: there is no attribute \"town\""},
      {raco("--constraints bad.json"), 3, "bad.json:1: not valid JSON"},
      {raco("--constraints none.toml"), 3, "none.toml: no such file"},
      {raco("--constraint fnr:0.1 --histogram firm"), 2,
       "--histogram: must be hard or soft, got firm"},
      {raco("--constraint fnr:0.1 --no-private-evaluation --private-evaluation"), 2,
       "--no-private-evaluation"},
      {raco("--constraint fnr:0.1 --groups sex --explain-every 5"), 2,
       "--explain-every explains steps along the gradient of the loss alone"},
      {"--method dpsgd --epsilon 1 --constraint fnr:0.1", 2,
       "dpsgd does not support constraints; use raco_dp"},
      {"--method sgda --epsilon 1 --constraint fnr:0.1", 2, "use raco_dp for a private model"}};
  expect_refusals(workspace, refusals, [](const Words& words) {
    return Workspace::train_words(join(words, "--out model"));
  });
}

TEST(Constraints, AGroupThatIsSmallForTheNoiseIsWarnedAbout) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(20, 380));
  const ToolResult result = ok(workspace.run(
      join(Workspace::plan_words(), raco("--constraint demographic_parity:sex:0.05 --steps 50"))));
  EXPECT_THAT(result.out, AllOf(HasSubstr("P(yes | sex=Female): about 3.2 such records are in"),
                                Not(HasSubstr("P(yes | sex=Male): about"))));
}

TEST(Constraints, ATargetThatIsANumberHasNone) {
  const Workspace workspace;
  workspace.write("people.toml",
                  replaced(people_schema(), "target = \"label\"", "target = \"age\""));
  expect_error(workspace.run(join(Workspace::plan_words(), raco("--constraint fnr:0.1"))), 3,
               "constraints are about predicted classes");
}

TEST(Constraints, WhatNoModelCanKeepIsRefused) {
  const Workspace workspace;
  workspace.write("both.toml",
                  "[[constraint]]\ntype = \"rate_bound\"\nmetric = \"fnr\"\nmax = 0.1\n"
                  "[[constraint]]\ntype = \"rate_bound\"\nmetric = \"tpr\"\nmax = 0.5\n");
  expect_error(workspace.run(join(Workspace::plan_words(), raco("--constraints both.toml"))), 2,
               {"no model can keep all constraints", "allow more slack or leave a constraint out"});
}

TEST(Constraints, AThresholdForEachGroupIsPaidForAndPredictedBy) {
  const Workspace workspace;
  workspace.write("people.toml", people_schema_with_sizes(134, 266));
  workspace.open_ledger("99");
  const Words words = {"--method", "dp_postprocess", "--epsilon",
                       "20",       "--constraint",   "demographic_parity:sex:0.01"};
  const ToolResult trained =
      workspace.train(join(words, {"--reference", "--groups", "city", "--out", "model", "--json"}));
  ASSERT_THAT(trained.exit_code, AnyOf(0, 5)) << trained;
  const Json report = json_of(trained);
  const Json& settings = report.at("settings");
  EXPECT_EQ(settings.at("groups_at_common_threshold"), 0);
  EXPECT_NE(settings.at("threshold Female"), settings.at("threshold Male"));
  const Json model = Json::parse(read_bytes(workspace.path("model/model.json")));
  EXPECT_EQ(model.at("model_per_group"), true);
  EXPECT_EQ(model.at("method_groups"), Json::array({"sex"}));
  const Json& parameters = model.at("parameters");
  const size_t size = parameters.size() / 2;
  for (size_t j = 0; j < size; ++j)
    EXPECT_EQ(parameters[j].at("value") == parameters[size + j].at("value"), j + 1 < size) << j;
  const ToolResult audited =
      workspace.run({"audit", "--model", "model", "--data", "people.csv", "--held-out", "--json"});
  ASSERT_THAT(audited.exit_code, AnyOf(0, 5)) << audited;
  EXPECT_EQ(json_of(audited).at("overall").at("accuracy"), report.at("overall").at("accuracy"));

  for (const auto& [more, named] :
       {std::pair{Words{"--checkpoint", "state"}, "cannot be checkpointed"},
        {Words{"--model", "mlp"}, "dp_postprocess trains linear models"}})
    expect_error(workspace.train(join(words, join(more, "--out other"))), 2, named);
}

/// The demo's table: with thousands of held-out records of each group the noise is small.
TEST(Constraints, APrivateEvaluationOfAdultIsNearTheExactOne) {
  const std::string adult = EQUINOISE_SOURCE_DIR "/data/adult/";
  const Workspace workspace;
  ok(workspace.run("ledger init --ledger adult.ledger --dataset adult --epsilon 3 --delta 1e-6"));
  const ToolResult trained = workspace.run(
      {"train", "--schema", adult + "schema.toml", "--data", adult + "adult.csv.gz", "--ledger",
       "adult.ledger", "--method", "raco_dp", "--constraint", "demographic_parity:sex:0.05",
       "--epsilon", "1", "--delta", "1e-6", "--steps", "60", "--json"});
  ASSERT_THAT(trained.exit_code, AnyOf(0, 5)) << trained;
  const Json report = json_of(trained);
  const double noise = report.at("settings").at("evaluation_noise_stddev").get<double>();
  ASSERT_EQ(report.at("constraints").size(), 2U);
  for (const Json& constraint : report.at("constraints")) {
    // A quarter of 16,192 women and more men are held out, 3,700 at the very least. Noise z on each
    // of its counts moves a rate of n records by at most z / (n - 2 z), and the noise of none of
    // the four counts exceeds 7 standard deviations but with a probability below 1e-10.
    const double most = 7 * noise / (3700 - 2 * 7 * noise);
    EXPECT_NEAR(constraint.at("private_evaluation").at("value").get<double>(),
                constraint.at("value").get<double>(), 2 * most);
  }
}

}  // namespace
}  // namespace equinoise::testing::constraints_test
