// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/group_weight_clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "equinoise/base/error.h"

namespace equinoise::group_weight_clip_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(GroupWeightClip, WeighsAndClipsEachGroupItsOwnWay) {
  const GroupWeightClip clip({2, 0.5}, {1, 4});
  EXPECT_EQ(clip.bound(), 2);
  EXPECT_EQ(std::vector<double>(clip.group_bounds().begin(), clip.group_bounds().end()),
            (std::vector<double>{2, 2}));
  const std::vector<double> squared = {0.25, 0.25, 100, 100, 0, std::nan(""), kInfinity};
  const std::vector<GroupId> groups = {GroupId(0), GroupId(1), GroupId(0), GroupId(1),
                                       GroupId(0), GroupId(1), GroupId(1)};
  std::vector<double> weights(squared.size());
  clip.weights({squared, groups}, weights);
  EXPECT_EQ(weights, (std::vector<double>{2, 0.5, 0.2, 0.2, 2, 0, 0}));
}

TEST(GroupWeightClip, NoWeightedGradientIsLongerThanItsGroupsBound) {
  const std::vector<double> weights_of_groups = {0.3, 1, 7.7};
  const std::vector<double> clips = {0.9, 1.1, 0.013};
  const GroupWeightClip clip(weights_of_groups, clips);
  for (uint32_t k = 0; k < 3; ++k) {
    EXPECT_EQ(clip.group_bounds()[k], weights_of_groups[k] * clips[k]);
    for (double norm = 1e-6; norm < 1e6; norm *= 1.37) {
      std::vector<double> weight(1);
      const std::vector<double> squared = {norm * norm};
      const std::vector<GroupId> group = {GroupId(k)};
      clip.weights({squared, group}, weight);
      EXPECT_LE(weight[0] * norm, clip.group_bounds()[k] * (1 + 1e-15));
    }
  }
}

TEST(GroupWeightClip, RefusesWhatIsNoWeightOrClip) {
  EXPECT_THROW(GroupWeightClip({}, {}), Error);
  EXPECT_THROW(GroupWeightClip({1}, {1, 1}), Error);
  for (const double wrong : {0.0, -1.0, kInfinity, std::nan("")}) {
    EXPECT_THROW(GroupWeightClip({1, wrong}, {1, 1}), Error) << wrong;
    EXPECT_THROW(GroupWeightClip({1, 1}, {wrong, 1}), Error) << wrong;
  }
}

}  // namespace equinoise::group_weight_clip_test
