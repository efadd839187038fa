// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/composition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "equinoise/base/error.h"

namespace equinoise::composition_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Costs are told apart by the rho of zcdp events; pure events are refused, 0.5 is no number.
Composition composition(Relation relation = Relation::kZeroOut) {
  return Composition("test", relation, 1, [](const Event& event) -> PrivacyCost {
    if (event.kind() != Event::Kind::kZcdp) throw Error(ErrorKind::kUsage, "test", "refused");
    if (event.rho() == 0.5) return {{std::nan("")}, kInfinity, 0, 0};
    return {{event.rho()}, kInfinity, event.rho() / 8, 0};
  });
}

TEST(Composition, AddsRepeatsAndLists) {
  Composition sum = composition();
  sum.add(Event::repeat(3, Event::composed({Event::zcdp(0.25), Event::zcdp(1)})), 2);
  sum.add(Event::repeat(2, Event::sampler_error(1e-9)));
  const PrivacyCost total = sum.total();
  EXPECT_NEAR(total.divergences[0], 7.5, 1e-12);
  EXPECT_GE(total.divergences[0], 7.5);
  EXPECT_NEAR(total.delta, 7.5 / 8, 1e-12);
  EXPECT_NEAR(total.sampler_error, 2e-9, 1e-20);
  EXPECT_EQ(total.pure, kInfinity);
}

TEST(Composition, NothingCostsNothing) {
  const PrivacyCost total = composition().total();
  EXPECT_EQ(total.divergences[0], 0);
  EXPECT_EQ(total.pure, 0);
}

TEST(Composition, TakesTheMaximumOverGroupsAtTheEnd) {
  Composition sum = composition();
  sum.add(Event::parallel("sex", {"f", "m"}, {Event::zcdp(1), Event::zcdp(2)}));
  const Event women = Event::parallel("sex", {"f", "m"}, {Event::zcdp(1), Event::composed({})});
  sum.add(Event::repeat(3, women));
  EXPECT_NEAR(sum.total().divergences[0], 4, 1e-12);
  sum.add(Event::parallel("age", {"old"}, {Event::zcdp(0.25)}));
  EXPECT_NEAR(sum.total().divergences[0], 4.25, 1e-12);
}

TEST(Composition, RefusalsChangeNothing) {
  Composition sum = composition();
  sum.add(Event::zcdp(1));
  sum.add(Event::parallel("sex", {"women", "men"}, {Event::composed({}), Event::composed({})}));
  const Event groups = Event::parallel("sex", {"f", "m"}, {Event::zcdp(3), Event::pure(1)});
  for (const Event& event :
       {Event::composed({Event::zcdp(1), Event::pure(1)}), groups, Event::zcdp(0.5),
        Event::randomised_response(0.5, 2),
        Event::repeat(int64_t{1} << 40, Event::repeat(int64_t{1} << 40, Event::zcdp(1)))}) {
    EXPECT_THROW(sum.add(event), Error) << event.to_text();
    EXPECT_EQ(sum.total().divergences[0], 1);
  }
  EXPECT_THROW(sum.add(Event::zcdp(1), 0), Error);
  EXPECT_THROW(sum.add(Event::zcdp(1), -1), Error);
}

TEST(Composition, FailuresAreTakenFromDelta) {
  const PrivacyCost cost{{1}, kInfinity, 1e-7, 1e-8};
  // An epsilon that doubles where half of delta is gone.
  const auto epsilon_at = [](double usable) { return usable < 5e-7 ? 2.0 : 1.0; };
  EXPECT_NEAR(epsilon_beside_failures("test", cost, Delta(1e-6), epsilon_at).value(), 1, 1e-9);
  EXPECT_NEAR(epsilon_beside_failures("test", cost, Delta(4e-7), epsilon_at).value(), 2, 1e-9);
  EXPECT_THROW(epsilon_beside_failures("test", cost, Delta(1e-7), epsilon_at), Error);
  EXPECT_THROW(epsilon_beside_failures("test", cost, Delta(1e-6), [](double) { return kInfinity; }),
               Error);
  EXPECT_NEAR(delta_beside_failures(cost, Epsilon(1), 2e-7), 3e-7 + 1e-8 * (1 + std::exp(1)),
              1e-18);
  EXPECT_EQ(delta_beside_failures(cost, Epsilon(20), 0), 1);
  EXPECT_EQ(delta_beside_failures(cost, Epsilon(2000), 0), 1);
}

}  // namespace equinoise::composition_test
