// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/discrete_laplace.h"

#include <gtest/gtest.h>

#include <vector>

#include "equinoise/privacy/random/discrete_laplace.h"
#include "tests/privacy/mechanisms/permits.h"
#include "tests/test_support.h"

namespace equinoise::discrete_laplace_test {
namespace {

const Event kEvent = Event::discrete_laplace(0.1, 2);
const Sensitivity kSensitivity(2, Norm::kL1, Relation::kReplaceOne);

TEST(DiscreteLaplaceMechanism, AddsTheChargedNoise) {
  std::vector<int64_t> released(100, 7);
  SeededSource source(5);
  add_discrete_laplace_noise(permit_for(kEvent), kSensitivity, released, source);
  std::vector<int64_t> expected(100, 7);
  SeededSource same(5);
  add_discrete_laplace(0.1, expected, same);
  EXPECT_EQ(released, expected);
}

TEST(DiscreteLaplaceMechanism, RefusesWhatWasNotCharged) {
  std::vector<int64_t> units(3, 0);
  SeededSource source(5);
  const auto add = [&](Permit permit, const Sensitivity& sensitivity) {
    add_discrete_laplace_noise(std::move(permit), sensitivity, units, source);
  };
  error_of(ErrorKind::kUsage,
           [&] { add(permit_for(kEvent), Sensitivity(2.5, Norm::kL1, Relation::kReplaceOne)); });
  error_of(ErrorKind::kUsage,
           [&] { add(permit_for(kEvent), Sensitivity(1, Norm::kMax, Relation::kReplaceOne)); });
  error_of(ErrorKind::kRuntime,
           [&] { add(permit_for(kEvent), Sensitivity(1, Norm::kL1, Relation::kZeroOut)); });
  error_of(ErrorKind::kRuntime,
           [&] { add(permit_for(Event::discrete_gaussian(1, 2)), kSensitivity); });
  error_of(ErrorKind::kUsage,
           [&] { add(permit_for(Event::discrete_laplace(1e-300, 2)), kSensitivity); });
  EXPECT_EQ(units, std::vector<int64_t>(3, 0));
}

}  // namespace
}  // namespace equinoise::discrete_laplace_test
