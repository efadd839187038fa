#include "equinoise/privacy/mechanisms/gaussian_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/privacy/random/gaussian.h"
#include "tests/privacy/mechanisms/permits.h"

namespace equinoise {
namespace {

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

}  // namespace
}  // namespace equinoise
