// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/charge.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/privacy/unit_events.h"
#include "tests/privacy/mechanisms/permits.h"

namespace equinoise::charge_test {

Charge unpaid(std::vector<Event> events) {
  return Charge::unpaid(std::move(events), Relation::kZeroOut, SeededSource(1));
}

TEST(Charge, GivesAsManyBatchesAsWereCharged) {
  Charge charge = unpaid({Event::repeat(2, Event::poisson_sampled(0.1, {Event::gaussian(1)}))});
  charge.next_batch(0);
  charge.next_batch(0);
  EXPECT_THROW(charge.next_batch(0), Error);
}

TEST(Charge, HasBatchesOnlyWhereItemsAreBatches) {
  Charge charge = unpaid({Event::gaussian(1)});
  EXPECT_THROW(charge.next_batch(0), Error);
  EXPECT_THROW(charge.next_batch(5), Error);
  EXPECT_THROW(Charge::nothing(Relation::kZeroOut).next_batch(0), Error);
}

TEST(Charge, GivesAsManyDrawsAsWereCharged) {
  Charge charge =
      unpaid({Event::discrete_laplace(0.5, 1), Event::repeat(2, Event::exponential(1))});
  EXPECT_EQ(charge.take(1).event(), Event::exponential(1));
  charge.take(1);
  EXPECT_THROW(charge.take(1), Error);
  EXPECT_EQ(charge.take(0).event(), Event::discrete_laplace(0.5, 1));
  EXPECT_THROW(charge.take(0), Error);
  EXPECT_THROW(charge.take(2), Error);
}

TEST(Charge, GivesSingleDrawsOnlyOfPrimitiveEvents) {
  Charge charge = unpaid({Event::poisson_sampled(0.1, {Event::laplace(1)}),
                          Event::repeat(3, Event::poisson_sampled(0.1, {Event::laplace(1)})),
                          Event::composed({Event::laplace(1)}), Event::composed({}),
                          Event::repeat(2, Event::repeat(2, Event::laplace(1))),
                          Event::sampled_without_replacement(0.1, {Event::laplace(1)}),
                          Event::repeat_and_select(5, 1, Event::laplace(1)),
                          Event::parallel("sex", {"a"}, {Event::laplace(1)})});
  for (size_t item = 0; item < charge.events().size(); ++item) {
    EXPECT_THROW(charge.take(item), Error) << item;
  }
  EXPECT_NO_THROW(charge.next_batch(1)) << "a refusal takes nothing";
  EXPECT_THROW(Charge::nothing(Relation::kZeroOut).take(0), Error);
}

const Event kRun =
    Event::composed({Event::repeat(2, Event::poisson_sampled(1, {Event::gaussian(1)})),
                     Event::gaussian(3), Event::sampler_error(1e-6)});

/// As many charges of one run as the distribution gives, once; groups make the same runs.
TEST(Charge, GivesTheRunsOfASelection) {
  const Event selection = Event::repeat_and_select(4, 0, kRun);
  double total = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    SeededSource source(seed);
    Charge charge =
        Charge::unpaid({selection, Event::sampler_error(1e-12)}, Relation::kZeroOut, source);
    std::vector<Charge> runs = charge.take_runs(0, source);
    ASSERT_GE(runs.size(), 1U);
    total += static_cast<double>(runs.size());
    for (Charge& run : runs) {
      EXPECT_EQ(run.events(), kRun.events());
      run.next_batch(0);
      run.next_batch(0);
      EXPECT_THROW(run.next_batch(0), Error);
      EXPECT_EQ(run.take(1).event(), Event::gaussian(3));
    }
    EXPECT_THROW(charge.take_runs(0, source), Error) << "what was paid for is drawn once";
  }
  // 400 seeds of a distribution with mean 4 and variance below 25: 6 standard errors are 1.5.
  EXPECT_NEAR(total / 400, 4, 1.5);

  SeededSource source(3);
  const Event other = Event::repeat_and_select(4, 0, Event::gaussian(2));
  Charge groups = Charge::unpaid({Event::parallel("sex", {"a", "b"}, {selection, other})},
                                 Relation::kZeroOut, source);
  for (const Charge& run : groups.take_runs(0, source)) {
    EXPECT_EQ(run.events(),
              (std::vector{Event::parallel("sex", {"a", "b"}, {kRun, Event::gaussian(2)})}));
  }
  Charge unequal = Charge::unpaid(
      {Event::parallel("sex", {"a", "b"},
                       {selection, Event::repeat_and_select(5, 0, Event::gaussian(2))})},
      Relation::kZeroOut, source);
  EXPECT_THROW(unequal.take_runs(0, source), Error);
  EXPECT_THROW(unpaid({Event::gaussian(1)}).take_runs(0, source), Error);
  EXPECT_THROW(unpaid({selection}).take_runs(1, source), Error);
}

TEST(Charge, ABudgetPaysForDrawsThatAreChosenLater) {
  Charge charge = unpaid({Event::zcdp(1)});
  EXPECT_EQ(charge.rho_left(0), 1);
  // 1 / (2 * 1^2) and 2^2 / 8.
  EXPECT_EQ(charge.take_within(0, Event::discrete_gaussian(1, 1)).event(),
            Event::discrete_gaussian(1, 1));
  EXPECT_NEAR(charge.rho_left(0), 0.5, 1e-12);
  EXPECT_LE(charge.rho_left(0), 0.5);
  EXPECT_FALSE(charge.is_used_up(0));
  EXPECT_THROW(charge.take_within(0, Event::exponential(2.001)), Error);
  EXPECT_NO_THROW(charge.take_within(0, Event::exponential(1.99)));
  EXPECT_THROW(charge.take_within(0, Event::gaussian(1)), Error) << "a refusal takes nothing";
  EXPECT_NO_THROW(charge.take_within(0, Event::gaussian(1000)));
  EXPECT_THROW(charge.take(0), Error) << "what was begun cannot be taken whole";
}

TEST(Charge, ABudgetIsNeverExceededByManySmallDraws) {
  Charge charge = unpaid({Event::zcdp(0.3)});
  double spent = 0;
  int num_draws = 0;
  for (double epsilon = 0.2;; epsilon *= 0.999, ++num_draws) {
    const Event event = Event::exponential(epsilon);
    ZcdpAccountant accountant(Relation::kZeroOut);
    accountant.compose(event);
    if (accountant.rho() > charge.rho_left(0)) break;
    charge.take_within(0, event);
    spent += accountant.rho();
    ASSERT_LE(charge.rho_left(0), 0.3 - spent + 1e-15);
  }
  EXPECT_GT(num_draws, 50);
  EXPECT_LE(spent, 0.3);
}

TEST(Charge, ABudgetPaysForNothingElse) {
  Charge charge = unpaid({Event::zcdp(1), Event::gaussian(1), Event::repeat(2, Event::zcdp(1))});
  EXPECT_THROW(charge.take_within(1, Event::gaussian(5)), Error);
  EXPECT_THROW(charge.take_within(2, Event::gaussian(5)), Error);
  EXPECT_THROW(charge.take_within(3, Event::gaussian(5)), Error);
  EXPECT_EQ(charge.rho_left(1), 0);
  EXPECT_EQ(charge.rho_left(3), 0);
  for (const Event& event :
       {Event::zcdp(0.1), Event::pure(0.1), Event::sampler_error(1e-12),
        Event::approx_dp(0.1, 1e-9), Event::repeat(2, Event::gaussian(10)),
        Event::poisson_sampled(0.1, {Event::gaussian(10)}), Event::composed({})}) {
    EXPECT_THROW(charge.take_within(0, event), Error) << event.to_text();
  }
  charge.take(0);
  EXPECT_EQ(charge.rho_left(0), 0);
  EXPECT_THROW(charge.take_within(0, Event::gaussian(100)), Error);
}

TEST(Charge, AMechanismAcceptsAPermitOfABudget) {
  SeededSource source(1);
  Charge charge = Charge::unpaid({Event::zcdp(1)}, Relation::kZeroOut, source);
  std::vector<int64_t> units = {5, 5};
  add_discrete_gaussian_noise(charge.take_within(0, Event::discrete_gaussian(3, 1)),
                              Sensitivity(1, Norm::kL1, Relation::kZeroOut), units, source);
  EXPECT_THROW(
      add_discrete_gaussian_noise(charge.take_within(0, Event::discrete_gaussian(3, 1)),
                                  Sensitivity(1, Norm::kL1, Relation::kAddRemove), units, source),
      Error);
  EXPECT_THROW(
      add_discrete_gaussian_noise(charge.take_within(0, Event::discrete_gaussian(3, 1)),
                                  Sensitivity(2, Norm::kL1, Relation::kZeroOut), units, source),
      Error);
}

const Event kInParallel = Event::parallel(
    "split", {"a", "b"},
    {Event::composed(
         {Event::repeat(2, Event::poisson_sampled(0.1, {Event::gaussian(1)})), Event::laplace(3)}),
     Event::discrete_gaussian(4, 1)});

TEST(Charge, GroupsInParallelHaveChargesOfTheirOwn) {
  Charge charge = unpaid({kInParallel});
  EXPECT_THROW(charge.take(0), Error);
  EXPECT_THROW(charge.next_batch(0), Error);
  std::vector<Charge> groups = charge.take_groups();
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].events(), kInParallel.events()[0].events());
  EXPECT_EQ(groups[1].events(), std::vector<Event>{Event::discrete_gaussian(4, 1)});
  groups[0].next_batch(0);
  groups[0].next_batch(0);
  EXPECT_THROW(groups[0].next_batch(0), Error);
  EXPECT_EQ(groups[0].take(1).event(), Event::laplace(3));
  EXPECT_FALSE(groups[1].is_used_up(0));
  EXPECT_EQ(groups[1].take(0).event(), Event::discrete_gaussian(4, 1));
  EXPECT_TRUE(groups[1].is_used_up(0));
  EXPECT_THROW(groups[1].take(0), Error);
}

TEST(Charge, GroupsAreTakenOnceAndOfAChargeForThemAlone) {
  Charge charge = unpaid({kInParallel});
  charge.take_groups();
  EXPECT_THROW(charge.take_groups(), Error);
  Charge given = unpaid({kInParallel});
  const Charge taken = std::move(given);
  EXPECT_THROW(given.take_groups(), Error);
  EXPECT_THROW(unpaid({kInParallel, Event::laplace(1)}).take_groups(), Error);
  EXPECT_THROW(unpaid({Event::laplace(1)}).take_groups(), Error);
  EXPECT_THROW(Charge::nothing(Relation::kZeroOut).take_groups(), Error);
}

TEST(Charge, APartIsTakenOnceAndHoldsItsOwnEventsAlone) {
  const Event shared = Event::composed({Event::zcdp(0.5), Event::laplace(3)});
  Charge charge = unpaid({shared, kInParallel, Event::laplace(1)});
  Charge part = charge.take_part(0);
  EXPECT_EQ(part.events(), shared.events());
  EXPECT_EQ(part.rho_left(0), 0.5);
  part.take(1);
  EXPECT_THROW(part.take(1), Error);
  std::vector<Charge> groups = charge.take_part(1).take_groups();
  ASSERT_EQ(groups.size(), 2);
  groups[1].take(0);
  EXPECT_THROW(charge.take_part(0), Error);
  EXPECT_THROW(charge.take_part(1), Error);
  EXPECT_THROW(charge.take_part(2), Error) << "a single draw is no part";
  EXPECT_THROW(charge.take_part(3), Error);
  EXPECT_TRUE(charge.is_used_up(0) && charge.is_used_up(1));
  EXPECT_FALSE(charge.is_used_up(2));
  // A step is drawn as a step or as a part, and groups are taken once, whichever way.
  Charge step = unpaid({shared, Event::laplace(1)});
  step.take_part(0);
  EXPECT_THROW(step.next_step(0), Error);
  // Draws of all groups at once are not drawn a second time as a part.
  Charge alone =
      unpaid({Event::parallel("split", {"a", "b"}, {Event::laplace(1), Event::laplace(2)})});
  alone.take_each(0);
  EXPECT_THROW(alone.take_part(0), Error);
  EXPECT_EQ(alone.take_groups().size(), 2);
}

const Event kTogether = Event::parallel(
    "sex", {"a", "b"},
    {Event::composed({Event::repeat(2, Event::poisson_sampled(0.5, {Event::gaussian(1)})),
                      Event::sampler_error(1e-12)}),
     Event::composed({Event::repeat(2, Event::poisson_sampled(0.5, {Event::gaussian(3)})),
                      Event::sampler_error(1e-12)})});

/// Draws beside the batches, of which the groups share one or make one each.
TEST(Charge, GroupsHaveAPermitForEachOfASingleDraw) {
  const auto of_group = [](double noise_multiplier) {
    return Event::composed({Event::repeat(2, Event::poisson_sampled(1, {Event::gaussian(1)})),
                            Event::gaussian(noise_multiplier),
                            Event::repeat(2, Event::laplace(noise_multiplier))});
  };
  Charge charge = unpaid({Event::parallel("sex", {"a", "b"}, {of_group(3), of_group(4)})});
  const std::vector<Permit> permits = charge.take_each(1);
  ASSERT_EQ(permits.size(), 2);
  EXPECT_EQ(permits[0].event(), Event::gaussian(3));
  EXPECT_EQ(permits[1].event(), Event::gaussian(4));
  EXPECT_THROW(charge.take_each(1), Error);
  EXPECT_THROW(charge.take_each(0), Error) << "a batch";
  EXPECT_THROW(charge.take_each(3), Error);
  EXPECT_EQ(charge.take_each(2)[1].event(), Event::laplace(4));
  EXPECT_NO_THROW(charge.take_each(2));
  EXPECT_THROW(charge.take_each(2), Error);
  EXPECT_EQ(charge.next_batches(0).size(), 2);
  Charge single = unpaid({Event::gaussian(5)});
  EXPECT_EQ(single.take_each(0).size(), 1);
  EXPECT_THROW(single.take_each(0), Error);
}

TEST(Charge, GroupsThatStepTogetherHaveABatchForEach) {
  Charge charge = unpaid({kTogether});
  SeededSource source(1);
  std::vector<uint32_t> records;
  for (int step = 0; step < 2; ++step) {
    std::vector<BatchPermit> batches = charge.next_batches(0);
    ASSERT_EQ(batches.size(), 2);
    BatchPermit::draw_together(batches, 1000, source, records);
    EXPECT_NEAR(static_cast<double>(records.size()), 500, 100);
    EXPECT_EQ(batches[0].take(0).event(), Event::gaussian(1));
    EXPECT_EQ(batches[1].take(0).event(), Event::gaussian(3));
    EXPECT_THROW(batches[1].take(0), Error);
    EXPECT_THROW(BatchPermit::draw_together(batches, 1000, source, records), Error);
  }
  EXPECT_THROW(charge.next_batches(0), Error);
  EXPECT_THROW(unpaid({kTogether, Event::laplace(1)}).next_batches(0), Error);
}

TEST(Charge, WithoutGroupsThereIsOneBatch) {
  Charge charge = unpaid({Event::poisson_sampled(0.5, {Event::gaussian(1)})});
  EXPECT_EQ(charge.next_batches(0).size(), 1);
  EXPECT_THROW(charge.next_batches(0), Error);
}

TEST(StepPermit, DrawsEachOfItsEventsOnce) {
  const Event step =
      Event::composed({Event::poisson_sampled(0.5, {Event::gaussian(1)}), Event::laplace(2)});
  Charge charge = unpaid({Event::repeat(2, step)});
  StepPermit first = charge.next_step(0);
  EXPECT_EQ(first.take(1).event(), Event::laplace(2));
  EXPECT_THROW(first.take(1), Error);
  BatchPermit batch = first.batch(0);
  EXPECT_THROW(first.batch(0), Error);
  EXPECT_THROW(first.take(2), Error);
  SeededSource source(1);
  std::vector<uint32_t> records;
  batch.draw(10, source, records);
  EXPECT_EQ(batch.take(0).event(), Event::gaussian(1));

  StepPermit second = charge.next_step(0);
  EXPECT_THROW(second.take(0), Error) << "a batch is no single draw";
  EXPECT_THROW(second.batch(1), Error) << "a single draw is no batch";
  EXPECT_THROW(charge.next_step(0), Error) << "both runs are used";
  EXPECT_THROW(charge.next_batch(0), Error);
  EXPECT_THROW(unpaid({Event::laplace(1)}).next_step(0), Error);
  StepPermit moved = std::move(second);
  EXPECT_THROW(second.take(1), Error);  // NOLINT(bugprone-use-after-move)
}

/// What a step draws is paid for as the whole is: not from the secure source here.
TEST(StepPermit, OfAnUnpaidChargeIsNotForTheSecureSource) {
  Charge charge = unpaid({Event::composed({Event::laplace(2)})});
  const Permit permit = charge.next_step(0).take(0);
  SecureSource secure;
  EXPECT_THROW(permit.require(Event::Kind::kLaplace, Relation::kZeroOut, secure), Error);
}

TEST(BatchPermit, ASharedBatchHasOneRate) {
  Charge slow = unpaid({Event::poisson_sampled(0.1, {Event::gaussian(1)})});
  Charge fast = unpaid({Event::poisson_sampled(0.5, {Event::gaussian(1)})});
  std::vector<BatchPermit> batches;
  batches.push_back(slow.next_batch(0));
  batches.push_back(fast.next_batch(0));
  SeededSource source(1);
  std::vector<uint32_t> records;
  EXPECT_THROW(BatchPermit::draw_together(batches, 10, source, records), Error);
  EXPECT_THROW(batches[0].take(0), Error) << "nothing was drawn";
  EXPECT_THROW(BatchPermit::draw_together({}, 10, source, records), Error);
}

/// Drawn as one they would be fully correlated, and cost more than was paid.
TEST(BatchPermit, TwoBatchesOfOneChargeAreNotShared) {
  Charge charge = unpaid({Event::repeat(2, Event::poisson_sampled(0.1, {Event::gaussian(1)}))});
  std::vector<BatchPermit> batches;
  batches.push_back(charge.next_batch(0));
  batches.push_back(charge.next_batch(0));
  SeededSource source(1);
  std::vector<uint32_t> records;
  EXPECT_THROW(BatchPermit::draw_together(batches, 10, source, records), Error);
}

TEST(Charge, RunsAreThoseOfTheFirstEventThatIsDrawn) {
  EXPECT_EQ(num_runs({}), 0);
  EXPECT_EQ(num_runs({Event::laplace(1), Event::repeat(7, Event::laplace(1))}), 1);
  EXPECT_EQ(num_runs({Event::repeat(7, Event::laplace(1)), Event::laplace(1)}), 7);
  EXPECT_EQ(num_runs({kInParallel}), 2);
  EXPECT_EQ(num_runs({Event::parallel("p", {"a"}, {Event::composed({})})}), 0);
  EXPECT_EQ(num_runs({Event::parallel("p", {"a"}, {kInParallel})}), 2);
}

TEST(Charge, OfRowsOfAUnitIsThatOfRows) {
  Charge groups = unpaid(for_unit(5, {kInParallel}));
  EXPECT_EQ(groups.events(), std::vector<Event>{kInParallel});
  std::vector<Charge> taken = groups.take_groups();
  ASSERT_EQ(taken.size(), 2);
  EXPECT_EQ(taken[1].take(0).event(), Event::discrete_gaussian(4, 1));
  EXPECT_TRUE(groups.is_used_up(0));

  const std::vector<Event> list = {Event::repeat(2, Event::laplace(1)), Event::zcdp(0.5),
                                   Event::composed({Event::laplace(3)})};
  Charge charge = unpaid(for_unit(5, list));
  EXPECT_EQ(charge.events(), list);
  EXPECT_EQ(num_runs(for_unit(5, list)), 2);
  EXPECT_EQ(num_runs(for_unit(5, {kInParallel})), 2);
  charge.take(0);
  charge.take(0);
  EXPECT_THROW(charge.take(0), Error);
  EXPECT_EQ(charge.rho_left(1), 0.5) << "a budget is one of rows";
  charge.take_within(1, Event::gaussian(2));
  EXPECT_EQ(charge.take_part(2).take(0).event(), Event::laplace(3));

  Charge items = unpaid({Event::laplace(1), Event::rows_of_unit(5, Event::laplace(2)),
                         Event::rows_of_unit(5, kInParallel)});
  EXPECT_EQ(items.take(1).event(), Event::laplace(2));
  EXPECT_EQ(items.take_part(2).take_groups().size(), 2);
}

TEST(BatchPermit, GivesEachEventOnce) {
  Charge charge = unpaid({Event::poisson_sampled(0.1, {Event::gaussian(1), Event::gaussian(2)})});
  BatchPermit batch = charge.next_batch(0);
  SeededSource source(1);
  std::vector<uint32_t> records;
  batch.draw(10, source, records);
  EXPECT_EQ(batch.take(1).event(), Event::gaussian(2));
  EXPECT_EQ(batch.take(0).event(), Event::gaussian(1));
  EXPECT_THROW(batch.take(0), Error);
  EXPECT_THROW(batch.take(2), Error);
}

TEST(BatchPermit, DrawsItsBatchOnceAndBeforeAnythingOnIt) {
  Charge charge = unpaid({Event::poisson_sampled(0.3, {Event::gaussian(1)})});
  BatchPermit batch = charge.next_batch(0);
  EXPECT_THROW(batch.take(0), Error);
  SeededSource source(4);
  std::vector<uint32_t> records;
  batch.draw(1000, source, records);
  SeededSource same(4);
  std::vector<uint32_t> expected;
  poisson_sample(0.3, 1000, same, expected);
  EXPECT_EQ(records, expected);
  EXPECT_THROW(batch.draw(1000, source, records), Error);
  EXPECT_EQ(batch.take(0).event(), Event::gaussian(1));
}

TEST(BatchPermit, UnpaidDoesNotServeTheSecureSourceAndMovedFromServesNobody) {
  Charge charge = unpaid({Event::repeat(2, Event::poisson_sampled(0.3, {Event::gaussian(1)}))});
  SecureSource secure;
  std::vector<uint32_t> records;
  EXPECT_THROW(charge.next_batch(0).draw(1000, secure, records), Error);
  BatchPermit first = charge.next_batch(0);
  BatchPermit batch = std::move(first);
  SeededSource source(4);
  EXPECT_THROW(first.draw(1000, source, records), Error);
  EXPECT_THROW(first.take(0), Error);
}

TEST(BatchPermit, ADrawThatIsRefusedOpensNothing) {
  SeededSource source(4);
  std::vector<uint32_t> records;
  for (const int64_t num_records : {int64_t{-1}, int64_t{1} << 40, INT64_MIN}) {
    Charge charge = unpaid({Event::poisson_sampled(0.3, {Event::gaussian(1)})});
    BatchPermit batch = charge.next_batch(0);
    EXPECT_THROW(batch.draw(num_records, source, records), Error);
    EXPECT_THROW(batch.take(0), Error);
  }
  Charge charge = unpaid({Event::poisson_sampled(1e-12, {Event::gaussian(1)})});
  BatchPermit batch = charge.next_batch(0);
  EXPECT_THROW(batch.draw(1000, source, records), Error);
  EXPECT_THROW(batch.take(0), Error);
}

TEST(Permit, SamplerErrorsAreNumbersOfAPermitThatIsThere) {
  Charge charge = unpaid({Event::repeat(3, Event::laplace(1))});
  const Permit permit = charge.take(0);
  EXPECT_NO_THROW(permit.use_sampler_error(0));
  EXPECT_THROW(permit.use_sampler_error(-1), Error);
  EXPECT_THROW(permit.use_sampler_error(std::nan("")), Error);
  Permit first = charge.take(0);
  const Permit second = std::move(first);
  EXPECT_THROW(first.use_sampler_error(0), Error);
}

TEST(Permit, OutlivesItsCharge) {
  const Permit permit = batch_permit_for({Event::gaussian(3)});
  EXPECT_EQ(permit.event(), Event::gaussian(3));
}

TEST(Permit, IsForOneKindAndOneRelation) {
  SeededSource source(1);
  const Permit permit = batch_permit_for({Event::gaussian(3)});
  EXPECT_NO_THROW(permit.require(Event::Kind::kGaussian, Relation::kZeroOut, source));
  EXPECT_THROW(permit.require(Event::Kind::kZcdp, Relation::kZeroOut, source), Error);
  EXPECT_THROW(permit.require(Event::Kind::kGaussian, Relation::kReplaceOne, source), Error);
}

TEST(Permit, UnpaidDoesNotServeASecureRelease) {
  SecureSource source;
  const Permit permit = batch_permit_for({Event::gaussian(3)});
  EXPECT_THROW(permit.require(Event::Kind::kGaussian, Relation::kZeroOut, source), Error);
}

}  // namespace equinoise::charge_test
