#include "equinoise/privacy/accountants/accountant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/test_support.h"

namespace equinoise {
namespace {

using ::testing::HasSubstr;

TEST(Accountants, AreFoundByNameAndTheErrorNamesThem) {
  for (const AccountantRow& row : accountant_rows()) {
    EXPECT_EQ(find_accountant(row.name).name, row.name);
    EXPECT_EQ(row.make(Relation::kZeroOut, {})->epsilon(Delta(1e-6)).value(), 0);
  }
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { find_accountant("prv"); }),
              HasSubstr("there is no accountant \"prv\"; there are zcdp, rdp, pld"));
}

Guarantee smallest_of(const Event& event, Relation relation = Relation::kZeroOut) {
  const Guarantee smallest = smallest_guarantee(relation, {event}, Delta(1e-6));
  EXPECT_EQ(
      smallest.epsilon.value(),
      find_accountant(smallest.accountant).make(relation, {event})->epsilon(Delta(1e-6)).value());
  return smallest;
}

TEST(SmallestGuarantee, IsMostlyThatOfLossDistributions) {
  const Event run = Event::repeat(1000, Event::poisson_sampled(0.01, {Event::gaussian(1)}));
  const Guarantee smallest = smallest_of(run);
  EXPECT_EQ(smallest.accountant, "pld");
  EXPECT_LT(
      smallest.epsilon.value(),
      0.95 * find_accountant("rdp").make(Relation::kZeroOut, {run})->epsilon(Delta(1e-6)).value());
}

TEST(SmallestGuarantee, IsThatOfRenyiDpWhereNoGridIsFineEnough) {
  const Event run = Event::repeat(10'000'000, Event::poisson_sampled(1e-6, {Event::gaussian(10)}));
  EXPECT_EQ(smallest_of(run).accountant, "rdp");
}

TEST(SmallestGuarantee, IsThatOfZcdpWhereTheBestOrderIsBeyondThoseOfRenyiDp) {
  const Event tiny = Event::zcdp(1e-7);
  const Guarantee smallest = smallest_of(tiny);
  EXPECT_EQ(smallest.accountant, "zcdp");
  EXPECT_LT(
      smallest.epsilon.value(),
      0.9 * find_accountant("rdp").make(Relation::kZeroOut, {tiny})->epsilon(Delta(1e-6)).value());
}

TEST(SmallestGuarantee, IsThatOfTheOneThatHasABound) {
  EXPECT_NE(smallest_of(Event::zcdp(0.1)).accountant, "pld");
  EXPECT_EQ(smallest_of(Event::poisson_sampled(0.01, {Event::gaussian(1)}), Relation::kReplaceOne)
                .accountant,
            "pld");
  EXPECT_THAT(error_of(ErrorKind::kUsage,
                       [] {
                         smallest_guarantee(Relation::kZeroOut,
                                            {Event::poisson_sampled(0.1, {Event::zcdp(1)})},
                                            Delta(1e-6));
                       }),
              HasSubstr("zCDP"));
}

}  // namespace
}  // namespace equinoise
