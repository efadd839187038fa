// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/group_path.h"

#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise::group_path_test {

using Values = std::vector<double>;

TEST(GroupPath, PointsAreMeansOfTheStepsBefore) {
  GroupPath path(2, 300, {});
  for (int step = 0; step < 300; ++step) {
    const double weight = step % 3 / 2.0;
    path.add(Values{weight, 1 - weight}, Values{static_cast<double>(step), 1});
  }
  ASSERT_EQ(path.points().size(), 100U);
  EXPECT_EQ(path.points()[0].step, 3);
  EXPECT_EQ(path.points()[0].weights, (Values{0.5, 0.5}));
  EXPECT_EQ(path.points()[99].losses, (Values{298, 1}));
}

TEST(GroupPath, GoesOnFromWhatItKept) {
  for (const bool with_losses : {false, true}) {
    const auto losses = [&](double value) { return with_losses ? Values{value, 1} : Values{}; };
    GroupPath whole(2, 250, {});
    GroupPath part(2, 250, {});
    for (int step = 0; step < 250; ++step) {
      const Values weights = {step / 250.0, 1 - step / 250.0};
      whole.add(weights, losses(step));
      part.add(weights, losses(step));
      part = GroupPath(2, 250, part.state());
    }
    EXPECT_EQ(part.state(), whole.state());
    ASSERT_EQ(part.points().size(), 83U);
    EXPECT_EQ(part.points().back().losses.empty(), !with_losses);
  }
  error_of(ErrorKind::kRuntime, [] { GroupPath path(2, 250, Values{1, 2, 3}); });
}

}  // namespace equinoise::group_path_test
