// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/unit_bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <random>

#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/accountants/attack_bounds.h"
#include "equinoise/privacy/accountants/pld.h"
#include "equinoise/privacy/accountants/rdp.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "tests/test_support.h"

namespace equinoise::unit_bounds_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kOrders = {1.5, 2, 3, 5, 9, 17};

Event only_bound(const Event& event) {
  const std::vector<Event> bounds = unit_bounds("test", event);
  EXPECT_EQ(bounds.size(), 1U) << event.to_text();
  return bounds[0];
}

Event by_stratum(std::vector<Event> events) {
  std::vector<std::string> names;
  for (size_t i = 0; i < events.size(); ++i) names.push_back(std::to_string(i));
  return Event::parallel("stratum", names, std::move(events));
}

double rho_of(const Event& event) {
  ZcdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(event);
  return accountant.rho();
}

double pure_of(const Event& event) {
  ZcdpAccountant accountant(Relation::kZeroOut);
  accountant.compose(event);
  return accountant.cost().pure;
}

std::vector<double> rdp_of(const Event& event) {
  RdpAccountant accountant(Relation::kZeroOut, kOrders);
  accountant.compose(event);
  return accountant.rdp();
}

/// "at least `exact`, and hardly above it"
void expect_just_above(double value, double exact) {
  EXPECT_GE(value, exact);
  EXPECT_LE(value, exact * (1 + 1e-12));
}

TEST(UnitBounds, AreThoseOfGroupPrivacy) {
  constexpr int64_t k = 3;
  const auto bound = [](const Event& event) { return only_bound(Event::rows_of_unit(k, event)); };
  EXPECT_LE(bound(Event::gaussian(0.7)).noise_multiplier(), 0.7 / k);
  EXPECT_NEAR(bound(Event::gaussian(0.7)).noise_multiplier(), 0.7 / k, 1e-15);
  EXPECT_LE(bound(Event::laplace(0.7)).noise_multiplier(), 0.7 / k);
  EXPECT_NEAR(bound(Event::laplace(0.7)).noise_multiplier(), 0.7 / k, 1e-15);
  EXPECT_EQ(bound(Event::discrete_gaussian(5, 2)), Event::discrete_gaussian(5, 6));
  EXPECT_EQ(bound(Event::discrete_laplace(0.1, 2)), Event::discrete_laplace(0.1, 6));
  expect_just_above(bound(Event::exponential(0.1)).epsilon(), static_cast<double>(0.1L * k));
  EXPECT_EQ(bound(Event::exponential(0.1)).kind(), Event::Kind::kExponential);
  expect_just_above(bound(Event::pure(0.1)).epsilon(), static_cast<double>(0.1L * k));
  expect_just_above(bound(Event::zcdp(0.1)).rho(), static_cast<double>(0.1L * k * k));
  EXPECT_EQ(bound(Event::sampler_error(1e-20)), Event::sampler_error(1e-20));
  EXPECT_EQ(bound(Event::repeat(
                4, Event::composed({Event::discrete_laplace(1, 1), Event::sampler_error(0.5)}))),
            Event::repeat(
                4, Event::composed({Event::discrete_laplace(1, 3), Event::sampler_error(0.5)})));
}

TEST(UnitBounds, AccountantsUseThem) {
  const Event wrapped = Event::rows_of_unit(
      4, Event::composed({Event::gaussian(8), Event::laplace(16), Event::exponential(0.25)}));
  // Costs of one row by formula: 1 / (2 z^2), 1 / (2 b^2), e^2 / 8.
  const double of_row = 1.0 / 128 + 1.0 / 512 + 1.0 / 128;
  expect_just_above(rho_of(wrapped), 16 * of_row);
  EXPECT_NEAR(rho_of(wrapped), 16 * of_row, 1e-10);
  expect_just_above(rho_of(Event::repeat(5, wrapped)), 5 * rho_of(wrapped));
  expect_just_above(pure_of(Event::rows_of_unit(4, Event::laplace(16))), 0.25);
  EXPECT_EQ(rdp_of(wrapped), rdp_of(only_bound(wrapped)));
  const AttackBounds row = attack_bounds(Relation::kZeroOut, wrapped.events());
  const AttackBounds unit = attack_bounds(Relation::kZeroOut, {wrapped});
  EXPECT_GT(unit.advantage, 2 * row.advantage);
  EXPECT_GT(unit.true_positive_rate, row.true_positive_rate);
}

TEST(UnitBounds, TheProfileOfGaussianNoiseIsThatOfItsShare) {
  for (const int64_t k : {2, 5, 20}) {
    const PldAccountant unit(Relation::kZeroOut, {Event::rows_of_unit(k, Event::gaussian(30))});
    const PldAccountant share(Relation::kZeroOut, {Event::gaussian(30 / static_cast<double>(k))});
    for (const double delta : {1e-3, 1e-6, 1e-9}) {
      const double epsilon = share.epsilon(Delta(delta)).value();
      EXPECT_NEAR(unit.epsilon(Delta(delta)).value(), epsilon, 1e-9 * epsilon) << k;
    }
  }
}

TEST(UnitBounds, RefuseByNameWhatTheyDoNotCover) {
  const std::vector<Event> refused = {Event::approx_dp(1, 1e-6),
                                      Event::randomised_response(0.5, 2),
                                      Event::tree_aggregation(1, 8),
                                      Event::poisson_sampled(0.1, {Event::gaussian(1)}),
                                      Event::sampled_without_replacement(0.1, {Event::gaussian(1)}),
                                      Event::repeat_and_select(5, 1, Event::pure(0.1)),
                                      Event::rows_of_unit(2, Event::gaussian(1))};
  for (const Event& event : refused) {
    for (const Event& place :
         {event, Event::repeat(2, event), Event::composed({Event::gaussian(1), event}),
          by_stratum({event, Event::gaussian(1)}), by_stratum({event, event})}) {
      const Event wrapped = Event::rows_of_unit(3, place);
      EXPECT_ERROR(kUsage, HasAll("rows of one unit", event.to_text()),
                   unit_bounds("test", wrapped));
      for (const AccountantRow& row : accountant_rows())
        EXPECT_THROW(row.make(Relation::kReplaceOne, {wrapped}), Error) << row.name;
    }
  }
}

TEST(UnitBounds, RefuseWhatNoNumberHolds) {
  for (const Event& event :
       {Event::discrete_gaussian(1, int64_t{1} << 52), Event::discrete_laplace(1, int64_t{1} << 52),
        Event::zcdp(1e300), Event::pure(1e304), Event::gaussian(5e-324)}) {
    EXPECT_THROW(unit_bounds("test", Event::rows_of_unit(1'000'000, event)), Error)
        << event.to_text();
  }
}

TEST(UnitBounds, ABatchOfUnitsIsNotAmplifiedForTheirRows) {
  const Event event =
      Event::poisson_sampled(0.1, {Event::rows_of_unit(3, Event::discrete_gaussian(9, 1))});
  for (const AccountantRow& row : accountant_rows())
    EXPECT_THROW(row.make(Relation::kZeroOut, {event}), Error) << row.name;
}

TEST(UnitBounds, OfUnitsInGroupsTheCostliestGroupPays) {
  // Units are divided here, and a unit's rows are all in its group.
  const Event event = by_stratum(
      {Event::rows_of_unit(2, Event::gaussian(8)), Event::rows_of_unit(2, Event::gaussian(16))});
  EXPECT_EQ(rho_of(event), rho_of(Event::rows_of_unit(2, Event::gaussian(8))));
  EXPECT_EQ(PldAccountant(Relation::kZeroOut, {event}).delta(Epsilon(1)),
            PldAccountant(Relation::kZeroOut, {Event::rows_of_unit(2, Event::gaussian(8))})
                .delta(Epsilon(1)));
}

// --- Groups in parallel ---

TEST(UnitBounds, GroupsThatDrawTheSameAreCellsOfOneVector) {
  const Event draws = Event::composed(
      {Event::discrete_gaussian(10, 1), Event::laplace(30), Event::sampler_error(0x1p-60)});
  const Event bound =
      only_bound(Event::rows_of_unit(5, by_stratum({draws, Event::composed({}), draws, draws})));
  EXPECT_EQ(bound, Event::composed({only_bound(Event::rows_of_unit(5, draws)),
                                    Event::sampler_error(next_up(2 * 0x1p-60))}));
  // Fewer rows than groups: so many groups can be touched.
  EXPECT_EQ(only_bound(Event::rows_of_unit(2, by_stratum({draws, draws, draws}))).events()[1],
            Event::sampler_error(next_up(0x1p-60)));
  EXPECT_EQ(only_bound(Event::rows_of_unit(2, by_stratum({Event::composed({})}))),
            Event::composed({}));
}

TEST(UnitBounds, OtherGroupsAreBoundByEpsilonOrByRho) {
  const Event event = Event::rows_of_unit(
      3, by_stratum({Event::repeat(40, Event::laplace(20)), Event::laplace(1)}));
  const std::vector<Event> bounds = unit_bounds("test", event);
  ASSERT_EQ(bounds.size(), 2U);
  ASSERT_EQ(bounds[0].events()[0].kind(), Event::Kind::kPure);
  EXPECT_GE(bounds[0].events()[0].epsilon(), 3 * 2.0);
  EXPECT_NEAR(bounds[0].events()[0].epsilon(), 3 * 2.0, 1e-9);
  ASSERT_EQ(bounds[1].events()[0].kind(), Event::Kind::kZcdp);
  EXPECT_GE(bounds[1].events()[0].rho(), 9 * 0.5);
  EXPECT_NEAR(bounds[1].events()[0].rho(), 9 * 0.5, 1e-9);
  // Each accountant has the better of both in each figure.
  EXPECT_NEAR(rho_of(event), 4.5, 1e-9);
  EXPECT_NEAR(pure_of(event), 6, 1e-9);
  EXPECT_NEAR(PldAccountant(Relation::kZeroOut, {event}).epsilon(Delta(0)).value(), 6, 1e-9);
}

TEST(UnitBounds, ByLossDistributionsOnlyGroupsThatArePureOrAlike) {
  const auto pld = [](std::vector<Event> groups) {
    return PldAccountant(Relation::kZeroOut,
                         {Event::rows_of_unit(2, by_stratum(std::move(groups)))});
  };
  EXPECT_NO_THROW(pld({Event::gaussian(4), Event::gaussian(4)}));
  EXPECT_NO_THROW(pld({Event::pure(1), Event::laplace(4)}));
  EXPECT_ERROR(kUsage, HasAll("use rdp", "up to 2 rows of a unit"),
               pld({Event::gaussian(4), Event::gaussian(5)}));
}

TEST(UnitBounds, SamplerErrorsOfAllGroupsThatMayBeTouchedAddUp) {
  const Event event = Event::rows_of_unit(
      2, by_stratum({Event::composed({Event::gaussian(1), Event::sampler_error(1e-20)}),
                     Event::composed({Event::gaussian(2), Event::sampler_error(3e-20)}),
                     Event::gaussian(9)}));
  for (const Event& bound : unit_bounds("test", event)) {
    expect_just_above(bound.events()[1].delta(), 2 * 3e-20);
  }
}

TEST(UnitBounds, GroupsInGroupsCostWhatThePathThroughOneRowAfterAnotherCosts) {
  const Event by_age = Event::parallel(
      "age", {"young", "old"}, {Event::exponential(0.3), Event::repeat(2, Event::pure(0.1))});
  const Event nested = by_stratum({Event::composed({by_age, Event::laplace(9)}), by_age,
                                   Event::composed({Event::zcdp(0.001), Event::laplace(30)})});
  for (const int64_t k : {2, 7}) {
    const Event unit = Event::rows_of_unit(k, nested);
    const auto rows = static_cast<double>(k);
    expect_just_above(rho_of(unit), rows * rows * (0.3 * 0.3 / 8 + 1.0 / 162));
    EXPECT_EQ(pure_of(unit), kInfinity);
    const Event pure = Event::rows_of_unit(k, by_stratum({nested.events()[0], by_age}));
    expect_just_above(pure_of(pure), rows * (0.3 + 1.0 / 9));
    EXPECT_NEAR(PldAccountant(Relation::kZeroOut, {pure}).epsilon(Delta(0)).value(),
                rows * (0.3 + 1.0 / 9), 1e-9);
  }
}

// --- An adversary: every split of k rows, every choice of what the groups draw ---

/// What of the k rows is in each group.
using Split = std::vector<int>;

void for_each_split(int rows, size_t num_groups, const std::function<void(const Split&)>& call,
                    Split split = {}) {
  if (split.size() + 1 == num_groups) {
    split.push_back(rows);
    call(split);
    return;
  }
  split.push_back(0);
  for (split.back() = 0; split.back() <= rows; ++split.back())
    for_each_split(rows - split.back(), num_groups, call, split);
}

/// The exact divergence of order `order` of one draw whose input moved as far as `rows` rows move
/// it; of the exponential mechanism the largest over inputs, for two candidates.
double exact_renyi(const Event& draw, int rows, double order) {
  const double a = order;
  switch (draw.kind()) {
    case Event::Kind::kGaussian:
      return a * rows * rows / (2 * draw.noise_multiplier() * draw.noise_multiplier());
    case Event::Kind::kLaplace: {
      const double t = rows / draw.noise_multiplier();
      return std::log(a / (2 * a - 1) * std::exp((a - 1) * t) +
                      (a - 1) / (2 * a - 1) * std::exp(-a * t)) /
             (a - 1);
    }
    default: {
      double largest = 0;
      const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
      for (double from = -8; from <= 8; from += 0.05) {
        const double to = from + rows * draw.epsilon();
        const double moment = std::pow(logistic(from), a) * std::pow(logistic(to), 1 - a) +
                              std::pow(logistic(-from), a) * std::pow(logistic(-to), 1 - a);
        largest = std::max(largest, std::log(moment) / (a - 1));
      }
      return largest;
    }
  }
}

double exact_pure(const Event& draw, int rows) {
  switch (draw.kind()) {
    case Event::Kind::kGaussian:
      return rows == 0 ? 0 : kInfinity;
    case Event::Kind::kLaplace:
      return rows / draw.noise_multiplier();
    default:
      return rows * draw.epsilon();
  }
}

Event random_draw(std::mt19937_64& random) {
  std::uniform_real_distribution<double> scale(1, 6);
  switch (random() % 3) {
    case 0:
      return Event::gaussian(scale(random));
    case 1:
      return Event::laplace(scale(random));
    default:
      return Event::exponential(1 / scale(random));
  }
}

std::vector<std::vector<Event>> random_groups(std::mt19937_64& random, bool alike) {
  std::vector<std::vector<Event>> groups(1 + random() % 3);
  for (std::vector<Event>& group : groups)
    for (uint64_t left = 1 + random() % 3; left > 0; --left) group.push_back(random_draw(random));
  if (alike) std::ranges::fill(groups, groups[0]);
  return groups;
}

Event wrapped(int rows, const std::vector<std::vector<Event>>& groups) {
  std::vector<Event> lists;
  for (const std::vector<Event>& group : groups) lists.push_back(Event::composed(group));
  return Event::rows_of_unit(rows, by_stratum(std::move(lists)));
}

TEST(UnitBounds, NoSplitOfTheRowsCostsMoreThanIsStated) {
  std::mt19937_64 random(41);
  double closest = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const std::vector<std::vector<Event>> groups = random_groups(random, trial % 3 == 0);
    for (int rows = 2; rows <= 4; ++rows) {
      const Event event = wrapped(rows, groups);
      const double rho = rho_of(event);
      const std::vector<double> rdp = rdp_of(event);
      const double pure = pure_of(event);
      for_each_split(rows, groups.size(), [&](const Split& split) {
        double exact = 0;
        for (size_t g = 0; g < groups.size(); ++g)
          for (const Event& draw : groups[g]) exact += exact_pure(draw, split[g]);
        EXPECT_LE(exact, pure * (1 + 1e-12)) << event.to_text();
        for (size_t i = 0; i < kOrders.size(); ++i) {
          double divergence = 0;
          for (size_t g = 0; g < groups.size(); ++g)
            for (const Event& draw : groups[g])
              divergence += exact_renyi(draw, split[g], kOrders[i]);
          EXPECT_LE(divergence, rdp[i] * (1 + 1e-12)) << event.to_text();
          EXPECT_LE(divergence, rho * kOrders[i] * (1 + 1e-12)) << event.to_text();
          closest = std::max(closest, divergence / rdp[i]);
        }
      });
    }
  }
  EXPECT_GT(closest, 0.99) << "the search comes near what is stated";
}

/// Draws of groups in turn, each read as yes or no, and asked a question that depends on all
/// answers before: the distribution of the answers on both tables, enumerated.
class AdaptiveQuestions {
 public:
  AdaptiveQuestions(std::vector<std::pair<size_t, Event>> draws, const Split& split, uint64_t seed)
      : draws_(std::move(draws)), split_(split), random_(seed) {
    ask(0, 1, 1);
  }

  /// Of the distribution on one table from that on the other.
  double renyi(double order, bool reversed) const {
    double moment = 0;
    for (const auto& [p, q] : distributions_) {
      const double loss = reversed ? std::log(q / p) : std::log(p / q);
      moment += (reversed ? p : q) * std::exp(order * loss);
    }
    return std::log(moment) / (order - 1);
  }
  double pure() const {
    double largest = 0;
    for (const auto& [p, q] : distributions_)
      largest = std::max(largest, std::fabs(std::log(p / q)));
    return largest;
  }
  double delta(double epsilon) const {
    double forth = 0;
    double back = 0;
    for (const auto& [p, q] : distributions_) {
      forth += std::max(0.0, p - std::exp(epsilon) * q);
      back += std::max(0.0, q - std::exp(epsilon) * p);
    }
    return std::max(forth, back);
  }

 private:
  static double yes(const Event& draw, double question, double shift) {
    const double x = question + shift;
    switch (draw.kind()) {
      case Event::Kind::kGaussian:
        return std::erfc(-x / draw.noise_multiplier() / std::sqrt(2.0)) / 2;
      case Event::Kind::kLaplace: {
        const double tail = std::exp(-std::fabs(x) / draw.noise_multiplier()) / 2;
        return x > 0 ? 1 - tail : tail;
      }
      default:
        return 1 / (1 + std::exp(-x * draw.epsilon()));
    }
  }

  void ask(size_t place, double p, double q) {
    if (place == draws_.size()) {
      distributions_.emplace_back(p, q);
      return;
    }
    const auto& [group, draw] = draws_[place];
    const double question = std::uniform_real_distribution<double>(-6, 6)(random_);
    // As far as the group's rows can move it, either way.
    const double shift = (random_() % 2 == 0 ? 1 : -1) * split_[group];
    ask(place + 1, p * yes(draw, question, 0), q * yes(draw, question, shift));
    ask(place + 1, p * yes(draw, -question, 0), q * yes(draw, -question, -shift));
  }

  std::vector<std::pair<size_t, Event>> draws_;
  Split split_;
  std::mt19937_64 random_;
  std::vector<std::pair<double, double>> distributions_;
};

TEST(UnitBounds, NoQuestionsThatFollowAnswersCostMoreThanIsStated) {
  std::mt19937_64 random(42);
  for (int trial = 0; trial < 60; ++trial) {
    const std::vector<std::vector<Event>> groups = random_groups(random, trial % 3 == 0);
    std::vector<std::pair<size_t, Event>> draws;
    for (size_t g = 0; g < groups.size(); ++g)
      for (const Event& draw : groups[g]) draws.emplace_back(g, draw);
    std::shuffle(draws.begin(), draws.end(), random);
    for (int rows = 2; rows <= 4; ++rows) {
      const Event event = wrapped(rows, groups);
      const double rho = rho_of(event);
      const double pure = pure_of(event);
      const std::vector<double> rdp = rdp_of(event);
      const std::unique_ptr<Accountant> smallest =
          find_accountant(kSmallest).make(Relation::kZeroOut, {event});
      const double delta_at_one = smallest->delta(Epsilon(1));
      for_each_split(rows, groups.size(), [&](const Split& split) {
        for (uint64_t policy = 0; policy < 8; ++policy) {
          const AdaptiveQuestions exact(draws, split, 1000 * random() + policy);
          EXPECT_LE(exact.pure(), pure * (1 + 1e-9)) << event.to_text();
          EXPECT_LE(exact.delta(1), delta_at_one + 1e-12) << event.to_text();
          for (size_t i = 0; i < kOrders.size(); ++i) {
            for (const bool reversed : {false, true}) {
              const double divergence = exact.renyi(kOrders[i], reversed);
              EXPECT_LE(divergence, rdp[i] * (1 + 1e-9)) << event.to_text();
              EXPECT_LE(divergence, rho * kOrders[i] * (1 + 1e-9)) << event.to_text();
            }
          }
        }
      });
    }
  }
}

/// Pr[x] of discrete noise, x = -reach .. reach.
std::vector<double> masses(const std::function<double(double)>& exponent, int reach) {
  std::vector<double> mass;
  double total = 0;
  for (int x = -reach; x <= reach; ++x) {
    mass.push_back(std::exp(exponent(x)));
    total += mass.back();
  }
  for (double& value : mass) value /= total;
  return mass;
}

/// The exact delta of three cells that move by what is in `split`.
double delta_of_cells(const std::vector<double>& mass, const Split& split, double epsilon) {
  const int n = static_cast<int>(mass.size());
  const auto at = [&](int i) { return i < 0 || i >= n ? 0.0 : mass[static_cast<size_t>(i)]; };
  double delta = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < n; ++l)
        delta += std::max(0.0, at(i) * at(j) * at(l) - std::exp(epsilon) * at(i - split[0]) *
                                                           at(j - split[1]) * at(l - split[2]));
  return delta;
}

TEST(UnitBounds, NoSplitOfDiscreteNoiseIsSeenMoreThanIsStated) {
  constexpr int k = 3;
  constexpr double kSigma = 2.5;
  constexpr double kDecay = 0.5;
  const std::vector<std::pair<Event, std::vector<double>>> noises = {
      {Event::discrete_gaussian(kSigma, 1),
       masses([](double x) { return -x * x / (2 * kSigma * kSigma); }, 22)},
      {Event::discrete_laplace(kDecay, 1),
       masses([](double x) { return -kDecay * std::fabs(x); }, 40)}};
  for (const auto& [noise, mass] : noises) {
    const Event event = Event::rows_of_unit(k, by_stratum({noise, noise, noise}));
    const Event one_vector = Event::rows_of_unit(k, noise);
    for (const double epsilon : {0.2, 0.7, 1.2}) {
      for (const AccountantRow& row : accountant_rows()) {
        const double of_groups = row.make(Relation::kZeroOut, {event})->delta(Epsilon(epsilon));
        const double of_vector =
            row.make(Relation::kZeroOut, {one_vector})->delta(Epsilon(epsilon));
        for (const Split& split : {Split{3, 0, 0}, Split{2, 1, 0}, Split{1, 1, 1}}) {
          const double exact = delta_of_cells(mass, split, epsilon);
          EXPECT_LE(exact, of_groups + 1e-8) << row.name << " " << event.to_text();
          EXPECT_LE(exact, of_vector + 1e-8) << row.name << " " << event.to_text();
        }
      }
    }
  }
}

}  // namespace equinoise::unit_bounds_test
