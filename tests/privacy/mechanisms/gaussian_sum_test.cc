// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/gaussian_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/random/gaussian.h"
#include "tests/privacy/mechanisms/permits.h"

namespace equinoise::gaussian_sum_test {

Permit permit_for(double noise_multiplier) {
  return batch_permit_for({Event::gaussian(noise_multiplier)});
}

const Sensitivity kSensitivity(1000, Norm::kL2, Relation::kZeroOut);

TEST(GaussianSum, StddevIsTheChargedMultipleOfTheSensitivity) {
  std::vector<int64_t> released(100, 0);
  SeededSource source(5);
  add_gaussian_noise(permit_for(2.5), kSensitivity, released, source);
  std::vector<int64_t> expected(100, 0);
  SeededSource same(5);
  add_rounded_gaussian(2500.0000000000005, expected, same);
  EXPECT_EQ(released, expected);
}

TEST(GaussianSum, APermitServesOnce) {
  std::vector<int64_t> units(3, 0);
  SeededSource source(5);
  Permit permit = permit_for(1);
  add_gaussian_noise(std::move(permit), kSensitivity, units, source);
  EXPECT_THROW(add_gaussian_noise(std::move(permit), kSensitivity, units, source), Error);
}

TEST(GaussianSum, SharedNoiseIsWhatTheMostDemandingGroupNeeds) {
  const auto released = [](double first, double second) {
    std::vector<Permit> permits;
    permits.push_back(permit_for(first));
    permits.push_back(permit_for(second));
    const std::vector<Sensitivity> sensitivities = {
        kSensitivity, Sensitivity(100, Norm::kL2, Relation::kZeroOut)};
    std::vector<int64_t> units(100, 0);
    SeededSource source(5);
    add_shared_gaussian_noise(std::move(permits), sensitivities, units, source);
    return units;
  };
  const auto alone = [](double noise_multiplier, double sensitivity) {
    std::vector<int64_t> units(100, 0);
    SeededSource source(5);
    add_gaussian_noise(permit_for(noise_multiplier),
                       Sensitivity(sensitivity, Norm::kL2, Relation::kZeroOut), units, source);
    return units;
  };
  EXPECT_EQ(released(2.5, 20), alone(2.5, 1000));
  EXPECT_EQ(released(2.5, 30), alone(30, 100));
}

TEST(GaussianSum, SharedNoiseIsPaidForByEveryGroup) {
  SeededSource source(5);
  std::vector<int64_t> units(3, 0);
  const std::vector<Sensitivity> two = {kSensitivity, kSensitivity};
  std::vector<Permit> one;
  one.push_back(permit_for(1));
  EXPECT_THROW(add_shared_gaussian_noise(std::move(one), two, units, source), Error);
  EXPECT_THROW(add_shared_gaussian_noise({}, {}, units, source), Error);
  std::vector<Permit> used;
  used.push_back(permit_for(1));
  used.push_back(permit_for(1));
  const Permit gone = std::move(used[1]);
  EXPECT_THROW(add_shared_gaussian_noise(std::move(used), two, units, source), Error);
  EXPECT_EQ(units, std::vector<int64_t>(3, 0));
}

TEST(GaussianSum, RefusesAnotherNormOrRelation) {
  std::vector<int64_t> units(3, 0);
  SeededSource source(5);
  EXPECT_THROW(add_gaussian_noise(permit_for(1), Sensitivity(1, Norm::kL1, Relation::kZeroOut),
                                  units, source),
               Error);
  EXPECT_THROW(add_gaussian_noise(permit_for(1), Sensitivity(1, Norm::kL2, Relation::kReplaceOne),
                                  units, source),
               Error);
  EXPECT_EQ(units, std::vector<int64_t>(3, 0));
}

}  // namespace equinoise::gaussian_sum_test
