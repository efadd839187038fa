// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/worst_group/printed_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/calibration.h"
#include "equinoise/privacy/accountants/pld.h"
#include "tests/test_support.h"

namespace equinoise::printed_noise_test {

/// Of the noisy gradients alone: what losses cost comes on top.
double gradient_delta(const PrintedTerms& terms) {
  return PldAccountant(Relation::kZeroOut, {printed_events(terms)[0]})
      .delta(Epsilon(terms.epsilon));
}

/// One record of 10,000 in one step: whatever the constant below 1e5, the one that is drawn is
/// seen, and that is m / n, ten times the delta that is claimed.
TEST(PrintedNoise, TheoremNineIsFalseWithoutAConditionOnBatches) {
  for (const double constant : {1.0, 4.0, 8.0, 64.0, 1024.0}) {
    PrintedTerms terms;
    terms.constant = constant;
    terms.group_size = 10'000;
    const double delta = gradient_delta(terms);
    EXPECT_NEAR(delta, 1e-4, 1e-6) << constant;
    EXPECT_GT(delta, terms.delta);
  }
  PrintedTerms one_step;
  one_step.constant = 8;
  one_step.group_size = 10'000;
  EXPECT_NEAR(printed_noise(one_step).gradient, 0.0033, 0.00005);
}

/// The lower bound without any accountant: the record moves the released gradient by 1 / 0.0033
/// standard deviations when it is drawn, so that "further than half of that" tells the tables
/// apart.
TEST(PrintedNoise, TheCounterExampleNeedsNoAccountant) {
  PrintedTerms terms;
  terms.constant = 8;
  terms.group_size = 10'000;
  const double deviations = 1 / printed_noise(terms).gradient;
  const double missed = std::erfc(deviations / 2 / std::sqrt(2.0)) / 2;
  const double with_record =
      terms.batch_size / static_cast<double>(terms.group_size) * (1 - missed);
  EXPECT_GT(with_record - std::exp(terms.epsilon) * missed, 9 * terms.delta);
}

TEST(PrintedNoise, IsTooLittleForSmallBatchesAndTooMuchForLargeOnes) {
  PrintedTerms terms;
  terms.num_steps = 1000;
  terms.group_size = 10'000;
  EXPECT_GT(gradient_delta(terms), 10 * terms.delta) << "m = 1";

  terms.batch_size = 100;
  const double printed = printed_noise(terms).gradient;
  EXPECT_NEAR(printed, 9.2, 0.05);
  EXPECT_LT(PldAccountant(Relation::kZeroOut, printed_events(terms)).delta(Epsilon(terms.epsilon)),
            terms.delta);
  const double needed = smallest_noise_multiplier(
      {Relation::kZeroOut, Epsilon(terms.epsilon), Delta(terms.delta), "pld"}, [&](double noise) {
        return std::vector{
            Event::repeat(terms.num_steps, Event::poisson_sampled(0.01, {Event::gaussian(noise)}))};
      });
  EXPECT_NEAR(needed, 1.42, 0.01);
  EXPECT_NEAR(printed / needed, 6.5, 0.1);
}

/// With all records in every batch there is nothing to amplify, and c = 4 is enough where a record
/// is replaced.
TEST(PrintedNoise, HoldsForFullBatches) {
  for (const double epsilon : {0.1, 1.0, 8.0}) {
    PrintedTerms terms;
    terms.epsilon = epsilon;
    terms.num_steps = 100;
    terms.group_size = 1000;
    terms.batch_size = 1000;
    const PrintedNoise noise = printed_noise(terms);
    // Another record changes the sum by twice what one adds, and the loss by as much as one adds.
    const std::vector<Event> events = {
        Event::repeat(terms.num_steps, Event::gaussian(noise.gradient / 2)),
        Event::repeat(terms.num_steps, Event::laplace(noise.loss))};
    EXPECT_LE(smallest_guarantee(Relation::kReplaceOne, events, Delta(terms.delta)).epsilon.value(),
              epsilon);
  }
}

TEST(PrintedNoise, RefusesTermsOutOfRange) {
  PrintedTerms terms;
  terms.batch_size = 2;
  EXPECT_NE(error_of(ErrorKind::kUsage, [&] { printed_noise(terms); }).find("batch_size"),
            std::string::npos);
}

}  // namespace equinoise::printed_noise_test
