// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/methods/raco_dp.h"

#include <gtest/gtest.h>

#include "tests/train/seeded_run.h"

namespace equinoise::raco_dp_test {

TEST(RacoDp, GoesSlowerByItsOwnRatesOnly) {
  const RateOptions usual;
  TrainingConfig config;
  config.learning_rate = 0.8;
  const TrainingConfig slower = testing::method_of("raco_dp").slower(config, {}, 0.25);
  const auto& own = slower.own.of<RateOptions>();
  EXPECT_DOUBLE_EQ(slower.learning_rate, 0.2);
  EXPECT_DOUBLE_EQ(own.dual_learning_rate, usual.dual_learning_rate / 2) << "by the root";
  EXPECT_NEAR(1 - own.histogram_decay, (1 - usual.histogram_decay) / 4, 1e-15)
      << "a mean over four times as many steps";
  config.own.of<RateOptions>().dual_learning_rate = 0.3;
  config.own.of<RateOptions>().histogram_decay = 0.5;
  const TrainingConfig chosen = testing::method_of("raco_dp").slower(config, {}, 0.25);
  EXPECT_EQ(chosen.own.of<RateOptions>().dual_learning_rate, 0.3);
  EXPECT_EQ(chosen.own.of<RateOptions>().histogram_decay, 0.5);
}

}  // namespace equinoise::raco_dp_test
