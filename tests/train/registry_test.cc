#include "equinoise/train/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "equinoise/train/optimizer.h"
#include "equinoise/train/optimizers.h"
#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::HasSubstr;

TEST(TrainingRegistry, ARowFollowsItsFlags) {
  const TrainingMethodRow& row = find_training_method("dpsgd_global");
  for (const char* flag : {"--batch-size", "--optimizer", "--max-grad-norm", "--strict-bound"})
    EXPECT_TRUE(row.follows(flag)) << flag;
  for (const char* flag : {"--threshold", "--strict", "strict-bound", "--epsilon", ""})
    EXPECT_FALSE(row.follows(flag)) << flag;
}

TEST(TrainingRegistry, WhoLooksAtAllRecordsFollowsNoBatchSize) {
  for (const TrainingMethodRow& row : training_methods()) {
    const auto method = row.make();
    if (method->takes_full_batches() || !method->is_stepwise()) {
      EXPECT_FALSE(row.follows("--batch-size")) << row.name;
    }
  }
}

TEST(TrainingRegistry, AnUnknownNameIsRefusedWithTheNearest) {
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { find_training_method("dpsdg"); }),
              HasSubstr("did you mean \"dpsgd\"?"));
}

/// What is told of a rule in reports is what can be chosen of it.
TEST(Optimizers, FollowTheFlagsOfTheirSettings) {
  for (const OptimizerRow& row : optimizers()) {
    OptimizerConfig config;
    config.name = row.name;
    size_t num_flags = 0;
    for (const char* flag : {"--momentum", "--beta1", "--beta2", "--adam-epsilon"})
      num_flags += row.follows(flag) ? 1 : 0;
    const auto settings = optimizer_settings(config);
    EXPECT_EQ(num_flags, settings.size()) << row.name;
    for (auto [name, value] : settings) {
      for (char& c : name) c = c == '_' ? '-' : c;
      EXPECT_TRUE(row.follows("--" + name)) << row.name << " " << name;
    }
    EXPECT_EQ(optimizer_state_size(config, 10), 10 * row.numbers_per_parameter);
    EXPECT_EQ(default_learning_rate(config), row.default_learning_rate);
  }
}

}  // namespace
}  // namespace equinoise
