#include "equinoise/privacy/charge.h"

#include <gtest/gtest.h>

#include "equinoise/base/error.h"

namespace equinoise {
namespace {

Charge unpaid(std::vector<Event> events) {
  return Charge::unpaid(std::move(events), Relation::kZeroOut, SeededSource(1));
}

TEST(Charge, GivesAsManyBatchesAsWereCharged) {
  Charge charge = unpaid({Event::repeat(2, Event::poisson_sampled(0.1, {Event::gaussian(1)}))});
  EXPECT_EQ(charge.next_batch(0).sample_rate(), 0.1);
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

TEST(BatchPermit, GivesEachEventOnce) {
  Charge charge = unpaid({Event::poisson_sampled(0.1, {Event::gaussian(1), Event::gaussian(2)})});
  BatchPermit batch = charge.next_batch(0);
  EXPECT_EQ(batch.take(1).event(), Event::gaussian(2));
  EXPECT_EQ(batch.take(0).event(), Event::gaussian(1));
  EXPECT_THROW(batch.take(0), Error);
  EXPECT_THROW(batch.take(2), Error);
}

TEST(Permit, OutlivesItsCharge) {
  const Permit permit = [] {
    Charge charge = unpaid({Event::poisson_sampled(0.1, {Event::gaussian(3)})});
    return charge.next_batch(0).take(0);
  }();
  EXPECT_EQ(permit.event(), Event::gaussian(3));
}

TEST(Permit, IsForOneKindAndOneRelation) {
  SeededSource source(1);
  Charge charge = unpaid({Event::poisson_sampled(0.1, {Event::gaussian(3)})});
  const Permit permit = charge.next_batch(0).take(0);
  EXPECT_NO_THROW(permit.require(Event::Kind::kGaussian, Relation::kZeroOut, source));
  EXPECT_THROW(permit.require(Event::Kind::kZcdp, Relation::kZeroOut, source), Error);
  EXPECT_THROW(permit.require(Event::Kind::kGaussian, Relation::kReplaceOne, source), Error);
}

TEST(Permit, UnpaidDoesNotServeASecureRelease) {
  SecureSource source;
  Charge charge = unpaid({Event::poisson_sampled(0.1, {Event::gaussian(3)})});
  const Permit permit = charge.next_batch(0).take(0);
  EXPECT_THROW(permit.require(Event::Kind::kGaussian, Relation::kZeroOut, source), Error);
}

}  // namespace
}  // namespace equinoise
