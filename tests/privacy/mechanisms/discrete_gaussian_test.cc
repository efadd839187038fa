// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"

#include <gtest/gtest.h>

#include <vector>

#include "equinoise/privacy/random/discrete_gaussian.h"
#include "tests/privacy/mechanisms/permits.h"
#include "tests/test_support.h"

namespace equinoise::discrete_gaussian_test {
namespace {

const Event kEvent = Event::discrete_gaussian(20.5, 3);
const Sensitivity kSensitivity(3, Norm::kL1, Relation::kReplaceOne);

TEST(DiscreteGaussianMechanism, AddsTheChargedNoise) {
  std::vector<int64_t> released(100, 7);
  SeededSource source(5);
  add_discrete_gaussian_noise(permit_for(kEvent), kSensitivity, released, source);
  std::vector<int64_t> expected(100, 7);
  SeededSource same(5);
  add_discrete_gaussian(20.5, expected, same);
  EXPECT_EQ(released, expected);
}

TEST(DiscreteGaussianMechanism, TableAndScanAddTheirNoise) {
  const DiscreteGaussianTable table(20.5);
  const DiscreteGaussianScan scan(20.5);
  std::vector<int64_t> released(100, 7);
  std::vector<int64_t> expected(100, 7);
  SeededSource source(5);
  add_discrete_gaussian_noise(permit_for(kEvent), kSensitivity, table, released, source);
  add_discrete_gaussian_noise(permit_for(kEvent), kSensitivity, scan, released, source);
  SeededSource same(5);
  table.add_noise(expected, same);
  scan.add_noise(expected, same);
  EXPECT_EQ(released, expected);
}

TEST(DiscreteGaussianMechanism, ASamplerForAnotherStddevIsRefused) {
  std::vector<int64_t> units(3, 0);
  SeededSource source(5);
  for (double stddev : {20.0, 21.0}) {
    const std::string of_table = error_of(ErrorKind::kUsage, [&] {
      add_discrete_gaussian_noise(permit_for(kEvent), kSensitivity, DiscreteGaussianTable(stddev),
                                  units, source);
    });
    EXPECT_NE(of_table.find("noise_stddev"), std::string::npos) << of_table;
    error_of(ErrorKind::kUsage, [&] {
      add_discrete_gaussian_noise(permit_for(kEvent), kSensitivity, DiscreteGaussianScan(stddev),
                                  units, source);
    });
  }
  EXPECT_EQ(units, std::vector<int64_t>(3, 0));
}

TEST(DiscreteGaussianMechanism, RefusesWhatWasNotCharged) {
  std::vector<int64_t> units(3, 0);
  SeededSource source(5);
  const auto add = [&](Permit permit, const Sensitivity& sensitivity) {
    add_discrete_gaussian_noise(std::move(permit), sensitivity, units, source);
  };
  error_of(ErrorKind::kUsage,
           [&] { add(permit_for(kEvent), Sensitivity(3.5, Norm::kL1, Relation::kReplaceOne)); });
  error_of(ErrorKind::kUsage,
           [&] { add(permit_for(kEvent), Sensitivity(1, Norm::kL2, Relation::kReplaceOne)); });
  error_of(ErrorKind::kRuntime,
           [&] { add(permit_for(kEvent), Sensitivity(1, Norm::kL1, Relation::kZeroOut)); });
  error_of(ErrorKind::kRuntime,
           [&] { add(permit_for(Event::discrete_laplace(1, 3)), kSensitivity); });
  error_of(ErrorKind::kUsage,
           [&] { add(permit_for(Event::discrete_gaussian(1e300, 3)), kSensitivity); });
  EXPECT_EQ(units, std::vector<int64_t>(3, 0));
}

TEST(SharedDiscreteGaussianMechanism, DrawsOnceForAllGroupsThatPaidForTheSame) {
  const Event event = Event::discrete_gaussian(8, 3);
  const Sensitivity sensitivity(3, Norm::kL1, Relation::kReplaceOne);
  const auto permits_of = [](const std::vector<Event>& events) {
    std::vector<Permit> permits;
    for (const Event& one : events) permits.push_back(permit_for(one));
    return permits;
  };
  SeededSource source(5);
  std::vector<int64_t> shared = {100, -7};
  add_shared_discrete_gaussian_noise(permits_of({event, event, event}), sensitivity, shared,
                                     source);
  SeededSource same(5);
  std::vector<int64_t> single = {100, -7};
  add_discrete_gaussian_noise(permit_for(event), sensitivity, single, same);
  EXPECT_EQ(shared, single);
  error_of(ErrorKind::kUsage,
           [&] { add_shared_discrete_gaussian_noise({}, sensitivity, shared, source); });
  error_of(ErrorKind::kUsage, [&] {
    add_shared_discrete_gaussian_noise(permits_of({event, Event::discrete_gaussian(9, 3)}),
                                       sensitivity, shared, source);
  });
  const Sensitivity larger(4, Norm::kL1, Relation::kReplaceOne);
  error_of(ErrorKind::kUsage, [&] {
    add_shared_discrete_gaussian_noise(permits_of({event, event}), larger, shared, source);
  });
}

}  // namespace
}  // namespace equinoise::discrete_gaussian_test
