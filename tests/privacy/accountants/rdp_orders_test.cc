// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/rdp_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/privacy/account_cost.h"
#include "equinoise/privacy/accountants/rdp.h"

namespace equinoise::rdp_orders_test {

TEST(RdpOrders, AreTheUsualOnesAndDenseBesides) {
  const std::vector<double>& dense = dense_rdp_orders();
  EXPECT_EQ(usual_rdp_orders().size(), 156);
  EXPECT_TRUE(std::ranges::is_sorted(dense));
  EXPECT_TRUE(std::includes(dense.begin(), dense.end(), usual_rdp_orders().begin(),
                            usual_rdp_orders().end()));
  EXPECT_EQ(dense.back(), kLargestRenyiOrder);
  for (size_t i = 1; i < dense.size(); ++i) {
    EXPECT_GT(dense[i], dense[i - 1]);
    EXPECT_LE((dense[i] - 1) / (dense[i - 1] - 1), 1.02 + 1e-9) << dense[i];
    EXPECT_TRUE(dense[i] < 64 || dense[i] == std::floor(dense[i])) << dense[i];
  }
}

/// They share delta, so more of them would tell more, fewer miss the best one.
TEST(RdpOrders, ThoseOfAnAccountTellHardlyMoreThanTheUsualOnesAndLessAtTheEnds) {
  const auto training = [](double noise) {
    return Event::repeat(3000, Event::poisson_sampled(0.014, {Event::gaussian(noise)}));
  };
  const auto ratio = [](const Spends& spends) {
    Budget budget{Epsilon(60), Delta(1e-6), Relation::kZeroOut};
    const double own = account_guarantee(budget, spends).epsilon.value();
    budget.rdp_orders = usual_rdp_orders();
    return own / account_guarantee(budget, spends).epsilon.value();
  };
  const Event large = training(0.8);
  const Event small = training(4);
  const Event means = Event::zcdp(0.02);
  for (const Spends& spends :
       {Spends{{small}, {small}, {small}}, Spends{{large}, {means}}, Spends{{means}, {large}},
        Spends{{small}, {large}}, Spends{{means}, {means}, {means}, {means}}})
    EXPECT_LT(ratio(spends), 1.03);
  EXPECT_LT(ratio({{Event::zcdp(1e-8)}, {Event::zcdp(1e-8)}}), 0.5);
}

/// The plans of bench/accountants.py.
TEST(RdpOrders, NoPlanIsBeyondTwoPercentOfAFineGrid) {
  std::vector<double> fine;
  for (double order = 1.001; order < kLargestRenyiOrder; order = 1 + (order - 1) * 1.01)
    fine.push_back(order < 64 ? order : std::floor(order));
  fine.erase(std::unique(fine.begin(), fine.end()), fine.end());
  double usual_is_worst_by = 1;
  for (const double rate : {0.0003, 0.005, 0.1}) {
    for (const double noise : {0.5, 5.0, 50.0}) {
      const Event batch = Event::poisson_sampled(rate, {Event::gaussian(noise)});
      for (const int64_t steps : {100, 10'000, 1'000'000, 10'000'000}) {
        const auto account = [&](const std::vector<double>& orders) {
          RdpAccountant accountant(Relation::kZeroOut, orders);
          accountant.compose(batch, steps);
          return accountant;
        };
        const RdpAccountant of_fine = account(fine);
        const RdpAccountant of_dense = account(dense_rdp_orders());
        const RdpAccountant of_usual = account(usual_rdp_orders());
        for (const double delta : {1e-5, 1e-10, 1e-15}) {
          const double least = of_fine.epsilon(Delta(delta)).value();
          EXPECT_LE(of_dense.epsilon(Delta(delta)).value(), 1.02 * least)
              << rate << " " << noise << " " << steps << " " << delta;
          usual_is_worst_by =
              std::max(usual_is_worst_by, of_usual.epsilon(Delta(delta)).value() / least);
        }
      }
    }
  }
  EXPECT_GT(usual_is_worst_by, 2);
}

}  // namespace equinoise::rdp_orders_test
