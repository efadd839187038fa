// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/worst_group_runs.h"

#include <cmath>
#include <string>

#include "equinoise/reproduction/embedded_items.h"
#include "equinoise/reproduction/item.h"
#include "tests/reproduction/constrained_tables.h"
#include "tests/reproduction/reproduced.h"
#include "tests/test_support.h"

namespace equinoise::worst_group_runs_test {

using testing::reproduced;

/// A small drawn problem, with every way to find parameters.
std::string item_text(const std::string& last_method) {
  return R"(schema = "equinoise/1"
summary = "small"
seeds = 2
[worst_group]
metrics = ["excess", "test loss", "epsilon"]
learning_rates = [3]
group_learning_rates = [0.3]
phase_steps = [0.01]
online_rates = [1]
online_group_rates = [1]
tuning_draws = 1
steps = 60
[problems]
groups = [5]
records = [4000]
features = [3]
epsilons = [8]
[methods.average]
kind = "average"
[methods.minimax]
kind = "minimax"
[methods.mgr_w]
training = "mgr_w"
[methods.mgr]
training = "mgr"
[methods.printed]
kind = "printed"
[methods.ags]
training = "ags"
selection = "laplace"
[methods.phased_erm]
training = "phased_erm"
[methods.last]
)" + last_method;
}

TEST(WorstGroupRuns, TrainByRegisteredMethods) {
  const std::string text = item_text("training = \"oco_exp3\"\n");
  const ReproductionItem item = parse_reproduction_item({"9/small", text});
  const auto& settings =
      dynamic_cast<const ExperimentOf<ReproductionWorstGroup>&>(*item.experiment).settings();
  const auto runs = open_worst_group_runs(item, settings, "");
  const auto nothing = [] {};
  const auto values = [&](size_t method, uint64_t seed) {
    return runs->run(method, seed, {nothing, nothing}).points.at(0).values;
  };
  const double average = values(0, 1)[0];
  EXPECT_GT(average, 0.05);
  EXPECT_NEAR(values(1, 1)[0], 0, 1e-9);
  for (size_t method = 2; method < settings.methods.size(); ++method) {
    SCOPED_TRACE(settings.methods[method].training);
    const std::vector<double> found = values(method, 1);
    EXPECT_GT(found[0], 0);
    EXPECT_EQ(values(method, 1), found);
    EXPECT_NE(values(method, 2), found);
    const bool is_printed = settings.methods[method].kind == WorstGroupMethod::Kind::kPrinted;
    // The printed noise is for this epsilon; what it costs in truth is another number.
    if (is_printed)
      EXPECT_GT(std::abs(found[2] - 8), 0.1);
    else
      EXPECT_NEAR(found[2], 8, 1e-3);
  }
  EXPECT_LT(values(2, 1)[0], average / 2) << "mgr_w lowers the largest loss";
  EXPECT_NE(values(3, 1)[0], values(4, 1)[0]);
}

/// The records of a short form may leave a group empty.
TEST(WorstGroupRuns, LeaveOutGroupsOfNobody) {
  const TempFolder folder;
  testing::write_heart_table(folder, 400);
  std::string text = item_text("training = \"oco_exp3\"\n");
  const size_t begin = text.find("[problems]");
  text.erase(begin, text.find("[methods.average]") - begin);
  text.insert(text.find("[worst_group]"), "data = \"heart\"\n");
  // Everybody in the table is active.
  text.insert(text.find("metrics"), "groups = [\"Sex\", \"PhysActivity\"]\nepsilons = [8]\n");
  const ReproductionReport report =
      reproduced(parse_reproduction_item({"9/small", text}),
                 {.data_directory = folder.path(), .methods = {"mgr_w"}});
  ASSERT_FALSE(report.curves.empty());
  for (const ReproductionCurve& curve : report.curves)
    for (const double value : curve.points.at(0).values) EXPECT_TRUE(std::isfinite(value));
}

TEST(WorstGroupRuns, RefuseAMethodThatIsNotRegistered) {
  const std::string text = item_text("training = \"mgr_laplace\"\n");
  EXPECT_ERROR(kUsage, HasSubstr("mgr_laplace"), parse_reproduction_item({"9/small", text}));
}

}  // namespace equinoise::worst_group_runs_test
