// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/mechanisms/exponential.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/privacy/mechanisms/permits.h"
#include "tests/test_support.h"

namespace equinoise::exponential_test {
namespace {

const Event kEvent = Event::exponential(2);
const Sensitivity kSensitivity(10, Norm::kMax, Relation::kReplaceOne);

TEST(ExponentialMechanism, KnownAnswer) {
  SeededSource source(1);
  const std::vector<int64_t> scores = {10, 20, 30, 20, 10};
  std::vector<size_t> chosen;
  for (int i = 0; i < 12; ++i) {
    chosen.push_back(choose_exponentially(permit_for(kEvent), kSensitivity, scores, source));
  }
  EXPECT_EQ(chosen, (std::vector<size_t>{0, 2, 2, 3, 2, 2, 2, 2, 2, 4, 1, 2}));
}

TEST(ExponentialMechanism, OneCandidateIsChosenForCertain) {
  SeededSource source(1);
  const std::vector<int64_t> scores = {-5};
  EXPECT_EQ(choose_exponentially(permit_for(kEvent), kSensitivity, scores, source), 0U);
}

TEST(ExponentialMechanism, ManyCandidatesAndOneBest) {
  SeededSource source(1);
  std::vector<int64_t> scores(300'000, 0);
  scores[123'456] = 1'000;
  EXPECT_EQ(choose_exponentially(permit_for(kEvent), kSensitivity, scores, source), 123'456U);
}

TEST(ExponentialMechanism, RefusesWhatWasNotCharged) {
  SeededSource source(5);
  const std::vector<int64_t> scores = {1, 2};
  error_of(ErrorKind::kUsage, [&] {
    choose_exponentially(permit_for(kEvent), Sensitivity(1, Norm::kL1, Relation::kReplaceOne),
                         scores, source);
  });
  error_of(ErrorKind::kRuntime, [&] {
    choose_exponentially(permit_for(kEvent), Sensitivity(1, Norm::kMax, Relation::kZeroOut), scores,
                         source);
  });
  error_of(ErrorKind::kRuntime,
           [&] { choose_exponentially(permit_for(Event::pure(2)), kSensitivity, scores, source); });
  const std::string message = error_of(ErrorKind::kUsage, [&] {
    choose_exponentially(permit_for(kEvent), kSensitivity, {}, source);
  });
  EXPECT_NE(message.find("scores"), std::string::npos) << message;
}

}  // namespace
}  // namespace equinoise::exponential_test
