// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/laplace_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "equinoise/privacy/random/rounded_laplace.h"
#include "tests/privacy/mechanisms/permits.h"
#include "tests/test_support.h"

namespace equinoise::laplace_sum_test {

Permit of_batch(const Event& event) { return batch_permit_for({event, Event::gaussian(1)}); }

const Sensitivity kSensitivity(1000, Norm::kL1, Relation::kZeroOut);

TEST(LaplaceSum, ScaleIsTheChargedMultipleOfTheSensitivity) {
  std::vector<int64_t> released(100, 0);
  SeededSource source(5);
  add_laplace_noise(of_batch(Event::laplace(2.5)), kSensitivity, released, source);
  std::vector<int64_t> expected(100, 0);
  SeededSource same(5);
  add_rounded_laplace(2500.0000000000005, expected, same);
  EXPECT_EQ(released, expected);
}

TEST(LaplaceSum, RefusesWhatWasNotCharged) {
  std::vector<int64_t> units(3, 0);
  SeededSource source(5);
  const auto add = [&](Permit permit, const Sensitivity& sensitivity) {
    add_laplace_noise(std::move(permit), sensitivity, units, source);
  };
  error_of(ErrorKind::kUsage, [&] {
    add(of_batch(Event::laplace(1)), Sensitivity(1, Norm::kL2, Relation::kZeroOut));
  });
  error_of(ErrorKind::kRuntime, [&] {
    add(of_batch(Event::laplace(1)), Sensitivity(1, Norm::kL1, Relation::kAddRemove));
  });
  error_of(ErrorKind::kRuntime, [&] { add(of_batch(Event::gaussian(1)), kSensitivity); });
  error_of(ErrorKind::kUsage, [&] { add(of_batch(Event::laplace(1e300)), kSensitivity); });
  EXPECT_EQ(units, std::vector<int64_t>(3, 0));
}

}  // namespace equinoise::laplace_sum_test
