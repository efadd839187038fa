// SPDX-License-Identifier: Apache-2.0
// Options that the method, the optimizer or the model would leave aside are refused, for free.

#include <algorithm>
#include <map>

#include "equinoise/train/registry.h"
#include "tests/cli/people.h"
#include "tests/trial_values.h"

namespace equinoise::testing::unused_options_test {
namespace {

constexpr const char* kRefusal = "has no effect with";

/// A value that may be given for each flag that some methods follow and others do not.
const std::map<std::string, std::string>& values() {
  static const std::map<std::string, std::string> values = [] {
    TrainingConfig config;
    config.batch_size = 64;
    std::map<std::string, std::string> of_flags;
    for (const TrainingOption& option : training_options())
      of_flags[flag_of(option.facts.name)] =
          on_command_line(trial_values(option, config)[0], "Female");
    // Some are permitted only together with others, or within the budget.
    of_flags["--split"] = "error";
    of_flags["--group-loss-multiplier"] = "1";
    of_flags["--count-noise-multiplier"] = "10";
    of_flags["--histogram-noise-multiplier"] = "9";
    of_flags["--strict-bound"] = "3";
    of_flags["--max-threshold"] = "2";
    of_flags["--optimizer"] = "adam";
    of_flags["--aim"] = "bounded";
    return of_flags;
  }();
  return values;
}

bool follows(const TrainingMethodRow& row, const std::string& flag) {
  const TrainingOptions& options = row.options();
  return std::ranges::any_of(
      options, [&](const TrainingOption& option) { return flag_of(option.facts.name) == flag; });
}

/// What the method needs to be planned at all.
Words plan_of(const TrainingMethodRow& row) {
  const auto method = row.make();
  const std::string schema = method->traits().trains("logistic") ? "people.toml" : "ages.toml";
  Words words = {"plan",     "--schema",           schema, "--ledger", "people.ledger",
                 "--method", std::string(row.name)};
  const bool takes_steps = row.name != "sufficient_statistics" && row.name != "group_statistics" &&
                           method->traits().steps_option.empty();
  if (takes_steps) words = join(words, "--steps 20");
  if (row.status == PrivacyStatus::kPrivate) words = join(words, "--epsilon 1");
  if (method->traits().uses_constraints) words = join(words, "--constraint fnr:0.1");
  return join(words, "--groups sex");
}

void declare_sizes(const Workspace& workspace) {
  const std::string schema = people_schema_with_sizes(134, 266);
  workspace.write("people.toml", schema);
  workspace.write("ages.toml", replaced(schema, "target = \"label\"", "target = \"age\""));
}

TEST(UnusedOptions, AreRefusedByTrainAndPlanBeforeAnythingIsReadOrPaid) {
  const Workspace workspace;
  workspace.open_ledger();
  for (const auto& [words, named] : {
           std::pair{Words("--strict-bound 3"),
                     "--strict-bound has no effect with --method dpsgd (used only by dpsgd_global, "
                     "dpsgd_global_adapt); leave it out"},
           {Words("--threshold 2"), "--threshold has no effect with --method dpsgd"},
           {Words("--max-threshold 2"), "(used only by dpsgd_f);"},
           {Words("--count-noise-multiplier 3"), "(used only by dpsgd_global_adapt, dpsgd_f);"},
           {Words("--thresholds code"), "(used only by dpsgd_f);"},
           {Words("--method dpsgd_f --strict-bound 3"), "with --method dpsgd_f"},
           {Words("--optimizer sgd --momentum 0.9"),
            "--momentum has no effect with --optimizer sgd (used only by momentum); leave it out"},
           {Words("--momentum 0.5"), "with --optimizer sgd"},
           {Words("--optimizer adam --momentum 0.5"), "with --optimizer adam"},
           {Words("--optimizer sgd --beta1 0.5"), "(used only by adam);"},
           {Words("--init-seed 4"),
            "--init-seed has no effect with --model auto (used only by mlp, cnn, lenet); leave it "
            "out"},
           {Words("--model logistic --init-seed 0"), "with --model logistic"},
           {Words("--model mlp --kernel-size 3"), "(used only by cnn);"},
           {Words("--method sgd --max-grad-norm 1"),
            "(used by all but sufficient_statistics, noisy_newton, group_statistics, dpgam, "
            "phased_erm, sgd, gam, group_dro, minimax, dpse_alg5, dpse_alg6); leave it out"},
           {Words("--method dpse --stage1-fraction 0.5"),
            "--stage1-fraction has no effect with --split uniform (used only by error, "
            "error_over_size, root_error); leave it out"},
           {Words("--method dpse --split inverse_size --residual-clip 1"),
            "--residual-clip has no effect with --split inverse_size"},
           {Words("--method dpse --feature-norm-bound 2"),
            "--feature-norm-bound has no effect with --split uniform"},
           {Words("--method dpse --group-loss-bound 0.3"),
            "--group-loss-bound has no effect with --group-loss-multiplier 0 (used only by larger "
            "ones); leave it out"},
           {Words("--method dpse --group-loss-clip 0.3"),
            "--group-loss-clip has no effect with --group-loss-multiplier 0"},
           {Words("--method phased_erm --optimizer adam"), "--optimizer has no effect"},
       }) {
    const Words more = join("--groups sex --epsilon 1", words);
    // Without --batch-size, which not all of them follow.
    const Words train =
        "train --schema people.toml --data people.csv --ledger people.ledger --out model";
    for (const Words& command : {join(train, more), join(join(train, more), "--dry-run"),
                                 join("plan --schema people.toml", more)}) {
      expect_refused(workspace, command, 2, named);
    }
  }
}

TEST(UnusedOptions, OfEveryMethodAreRefusedAndUsedOnesTaken) {
  const Workspace workspace;
  declare_sizes(workspace);
  for (const TrainingMethodRow& row : training_methods()) {
    Words used = plan_of(row);
    std::string first_unused;
    for (const auto& [flag, value] : values()) {
      if (!follows(row, flag)) {
        if (first_unused.empty()) first_unused = flag;
      } else if (flag != "--momentum" && flag != "--mean-runs" && flag != "--group-batch-size" &&
                 flag != "--residual-share" && flag != "--pairs") {
        // These need another optimizer, a choice, no --batch-size, a number to predict, and names
        // of features.
        used = join(used, {flag, value});
      }
    }
    const ToolResult taken = ok(workspace.run(used));
    EXPECT_THAT(taken.err, Not(HasSubstr(kRefusal))) << row.name;
    expect_error(workspace.run(join(plan_of(row), {first_unused, values().at(first_unused)})), 2,
                 {first_unused + " " + kRefusal, std::string(row.name)});
  }
}

/// A batch and a number of steps that are not given follow the records: no method refuses its own.
TEST(UnusedOptions, WithoutThemEveryMethodTakesATableOfFew) {
  const Workspace workspace;
  declare_sizes(workspace);
  for (const TrainingMethodRow& row : training_methods()) {
    Words words = join(plan_of(row), "--json");
    const auto steps = std::ranges::find(words, "--steps");
    if (steps != words.end()) words.erase(steps, steps + 2);
    const Json settings = json_of(ok(workspace.run(words))).at("settings");
    if (row.steps_option.empty()) {
      EXPECT_LE(settings.at("num_steps"), 300) << row.name;
    }
    if (row.follows("batch_size")) {
      EXPECT_EQ(settings.at("batch_size"), 300) << row.name;
    }
  }
}

TEST(UnusedOptions, EachIsRefusedByAMethodThatDoesNotFollowIt) {
  const Workspace workspace;
  declare_sizes(workspace);
  for (const auto& [flag, value] : values()) {
    bool followed = false;
    const TrainingMethodRow* other = nullptr;
    for (const TrainingMethodRow& row : training_methods()) {
      if (follows(row, flag)) followed = true;
      if (!follows(row, flag)) other = &row;
    }
    EXPECT_TRUE(followed) << flag;
    ASSERT_NE(other, nullptr) << flag;
    expect_error(workspace.run(join(plan_of(*other), {flag, value})), 2, flag + " " + kRefusal);
  }
}

}  // namespace
}  // namespace equinoise::testing::unused_options_test
