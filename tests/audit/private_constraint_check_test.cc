// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/private_constraint_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/privacy/mechanisms/permits.h"
#include "tests/test_support.h"

namespace equinoise::private_constraint_check_test {

constexpr Relation kRelation = Relation::kZeroOut;
const Delta kDelta(1e-5);
const std::vector<Event> kTraining = {
    Event::repeat(200, Event::poisson_sampled(0.02, {Event::gaussian(1.2), Event::gaussian(4)})),
    Event::sampler_error(1e-30)};

double epsilon_by(const char* accountant, const std::vector<Event>& events) {
  return find_accountant(accountant).make(kRelation, events)->epsilon(kDelta).value();
}

TEST(PrivateConstraintCheck, ARunCostsTheLargerOfItsParts) {
  const double training = epsilon_by("pld", kTraining);
  for (const double noise : {20.0, 2.0}) {
    const double evaluation = epsilon_by("pld", {Event::discrete_gaussian(noise, 1)});
    EXPECT_EQ(evaluation > training, noise == 2.0);
    EXPECT_EQ(epsilon_by("pld", {train_and_evaluate(kTraining, noise, 1, "split")}),
              std::max(training, evaluation));
  }
}

TEST(PrivateConstraintCheck, TheLeastNoiseAddsNothingToWhatTrainingCosts) {
  const Guarantee claimed = smallest_guarantee(kRelation, kTraining, kDelta);
  const Guarantee by_rdp{rdp_epsilon(kRelation, kTraining, kDelta), kDelta, AccountantName::kRdp,
                         kRelation};
  const auto with = [&](const char* accountant, double noise) {
    return epsilon_by(accountant, {train_and_evaluate(kTraining, noise, 1, "split")});
  };
  const double by_pld_alone = min_evaluation_noise(kTraining, 1, claimed, {});
  EXPECT_EQ(with("pld", by_pld_alone), claimed.epsilon.value());
  EXPECT_GT(with("pld", by_pld_alone * 0.999), claimed.epsilon.value());
  const double noise = min_evaluation_noise(kTraining, 1, claimed, by_rdp);
  EXPECT_EQ(with("pld", noise), claimed.epsilon.value());
  EXPECT_EQ(with("rdp", noise), by_rdp.epsilon.value());
  EXPECT_TRUE(with("pld", noise * 0.999) > claimed.epsilon.value() ||
              with("rdp", noise * 0.999) > by_rdp.epsilon.value());
}

/// A record is in a cell of each histogram, so it pays for each.
TEST(PrivateConstraintCheck, EachHistogramIsAReleaseOfItsOwn) {
  const Event run = train_and_evaluate(kTraining, 5, 3, "split");
  EXPECT_EQ(run.events()[1],
            Event::composed(std::vector<Event>(3, Event::discrete_gaussian(5, 1))));
  const Guarantee claimed = smallest_guarantee(kRelation, kTraining, kDelta);
  const double of_one = min_evaluation_noise(kTraining, 1, claimed, {});
  const double of_three = min_evaluation_noise(kTraining, 3, claimed, {});
  EXPECT_NEAR(of_three, std::sqrt(3) * of_one, 0.02 * of_three);
  EXPECT_EQ(epsilon_by("pld", {train_and_evaluate(kTraining, of_three, 3, "split")}),
            claimed.epsilon.value());
}

TEST(PrivateConstraintCheck, EveryRunHasASplitOfItsOwn) {
  SecureSource source;
  EXPECT_NE(unique_split_name(source), unique_split_name(source));
  EXPECT_NE(unique_split_name(source), kPlannedSplit);
}

TEST(PrivateConstraintCheck, CountsAreThoseOfTheRecordsWithTheNoiseOfTheSource) {
  const RateProgram program = testing::compiled("fnr:0.1");
  EncodedTable table;
  table.num_records = 50;
  table.contributes.assign(50, 1);
  table.labels.assign(50, 1);
  Predictions predictions;
  predictions.predicted.assign(50, 0);
  const std::vector<GroupId> contexts(50, GroupId(0));
  const Event event = Event::discrete_gaussian(3, 1);
  SeededSource source(5);
  const auto noisy = noisy_cell_counts(permit_for(event, kRelation), program, table, contexts,
                                       predictions, source);
  SeededSource same(5);
  std::vector<int64_t> noise(program.num_cells, 0);
  add_discrete_gaussian_noise(permit_for(event, kRelation), Sensitivity(1, Norm::kL1, kRelation),
                              noise, same);
  const auto exact = count_cells(program, table, contexts, predictions);
  EXPECT_EQ(exact[program.rates[0].numerator[0]], 50);
  for (size_t c = 0; c < noisy.size(); ++c) EXPECT_EQ(noisy[c], exact[c] + noise[c]);

  for (const Event& other : {Event::discrete_laplace(0.3, 1), Event::gaussian(3)}) {
    error_of(ErrorKind::kRuntime, [&] {
      noisy_cell_counts(permit_for(other, kRelation), program, table, contexts, predictions,
                        source);
    });
  }
  error_of(ErrorKind::kRuntime, [&] {
    noisy_cell_counts(permit_for(event, Relation::kReplaceOne), program, table, contexts,
                      predictions, source);
  });
  SecureSource secure;
  error_of(ErrorKind::kRuntime, [&] {
    noisy_cell_counts(permit_for(event, kRelation), program, table, contexts, predictions, secure);
  });
}

}  // namespace equinoise::private_constraint_check_test
