// SPDX-License-Identifier: Apache-2.0
// What every estimator of the registry must do.

#include "equinoise/means/estimators/estimators.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/registry.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "tests/means/simulated_means.h"
#include "tests/test_support.h"
#include "tests/trial_values.h"

namespace equinoise::estimators_test {

using testing::MadeUpRecords;
using testing::simulate;

constexpr std::array kRelations = {Relation::kReplaceOne, Relation::kZeroOut};

/// Two columns, three strata of 40, 7 and 1 records, one null record.
MadeUpRecords small_records(uint64_t seed, double offset = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  MadeUpRecords records;
  records.num_strata = 3;
  records.columns.resize(2);
  for (size_t i = 0; i < 49; ++i) {
    records.strata.push_back(i < 40 ? 0 : i < 47 ? 1 : i < 48 ? 2 : 3);
    records.columns[0].push_back(offset + 30 + 12 * normal(random));
    records.columns[1].push_back(offset - 2 + 3 * normal(random));
  }
  return records;
}

MeansQuestion small_question(std::string_view method, Relation relation, double offset = 0) {
  MeansQuestion question;
  question.columns = {{"hours", offset, offset + 100, 12.0},
                      {"score", offset - 10, offset + 10, 3.0}};
  question.method = method;
  question.config.relation = relation;
  question.config.clipped_share = 0.1;
  question.rho = 0.3;
  question.num_strata = 3;
  question.sizes = {40, 7, 1};
  return question;
}

/// The same with columns whose cells may be missing.
MeansQuestion question_with_gaps(std::string_view method, Relation relation) {
  MeansQuestion question = small_question(method, relation);
  for (MeanColumn& column : question.columns) column.has_gaps = true;
  return question;
}

/// The same of sums that are released together with their numbers of values.
double relative_change_with_gaps(const Query& query, const Answer& a, const Answer& b,
                                 Relation relation, bool is_laplace) {
  if (const auto* sum = std::get_if<SumQuery>(&query))
    return testing::relative_change_of_counted(a, b, sum->ranges, relation, is_laplace);
  double largest = 0;
  if (const auto* ball = std::get_if<BallQuery>(&query)) {
    const size_t width = ball->columns.size();
    for (size_t k = 0; k < ball->balls.size(); ++k) {
      const CountedSum counted =
          counted_gaussian_sum(ball->balls[k].radius / ball->balls[k].grid, width, width, relation);
      double squared = 0;
      for (size_t i = k * width; i < (k + 1) * width; ++i) {
        squared += std::pow(static_cast<double>(a.values[i] - b.values[i]), 2);
        squared += std::pow(
            static_cast<double>(counted.count_units * (a.num_values[i] - b.num_values[i])), 2);
      }
      largest = std::max(largest, std::sqrt(squared) / counted.sensitivity);
    }
  }
  return largest;
}

/// The distance between two answers to the query in the norm of its mechanism, relative to the
/// sensitivity that the query is charged for.
double relative_change(const Query& query, const Answer& a, const Answer& b, Relation relation) {
  double largest = 0;
  if (const auto* sum = std::get_if<SumQuery>(&query)) {
    for (size_t k = 0; k < a.values.size(); ++k) {
      const auto change = static_cast<double>(std::abs(a.values[k] - b.values[k]));
      largest =
          std::max(largest, change / static_cast<double>(sum->ranges[k].sensitivity(relation)));
    }
  } else if (const auto* ball = std::get_if<BallQuery>(&query)) {
    const size_t width = ball->columns.size();
    for (size_t k = 0; k < ball->balls.size(); ++k) {
      double squared = 0;
      for (size_t j = 0; j < width; ++j) {
        squared +=
            std::pow(static_cast<double>(a.values[k * width + j] - b.values[k * width + j]), 2);
      }
      if (ball->balls[k].radius > 0)
        largest = std::max(largest, std::sqrt(squared) / ball->balls[k].sensitivity(relation));
    }
  } else if (const auto* histogram = std::get_if<HistogramQuery>(&query)) {
    for (size_t k = 0; k * histogram->num_cells < a.values.size(); ++k) {
      for (const double target : {0.0, 3.0, 17.5}) {
        const std::span<const int64_t> in_a(a.values.data() + k * histogram->num_cells,
                                            histogram->num_cells);
        const std::span<const int64_t> in_b(b.values.data() + k * histogram->num_cells,
                                            histogram->num_cells);
        const std::vector<double> scores_a = quantile_scores(in_a, target);
        const std::vector<double> scores_b = quantile_scores(in_b, target);
        for (size_t i = 0; i < scores_a.size(); ++i)
          largest = std::max(largest, std::fabs(scores_a[i] - scores_b[i]));
      }
    }
  }
  for (size_t k = 0; k < a.num_clipped.size(); ++k)
    largest = std::max(largest, static_cast<double>(std::abs(a.num_clipped[k] - b.num_clipped[k])));
  return largest;
}

/// Numbers that push a sum as far as they can, and those that are no numbers.
const std::vector<double> kExtremes = {-1e300,
                                       1e300,
                                       -1e30,
                                       1e30,
                                       0,
                                       50,
                                       -3,
                                       std::numeric_limits<double>::infinity(),
                                       -std::numeric_limits<double>::infinity(),
                                       std::numeric_limits<double>::quiet_NaN()};

/// The largest relative change over steps of an estimation and neighbours of the records: each
/// record in turn is replaced by extreme ones, or becomes null.
double worst_change(std::string_view method, Relation relation, double offset,
                    const OwnOptions& own = {}) {
  MeansQuestion question = small_question(method, relation, offset);
  question.config.own = own;
  const MadeUpRecords records = small_records(7, offset);
  double worst = 0;
  const auto answer = [](const MadeUpRecords& of, const Query& query) {
    return answer_queries(of.view(), {&query, 1}, 1)[0];
  };
  const auto try_neighbours = [&](const Query& query) {
    // First records at the ends, so that the bound can be attained.
    for (const double first : {-1e30, 1e30, 20.0 + offset}) {
      for (const size_t place : {size_t{0}, size_t{40}, size_t{47}}) {
        MadeUpRecords one = records;
        for (std::vector<double>& column : one.columns) column[place] = first;
        const Answer before = answer(one, query);
        for (const double other : kExtremes) {
          MadeUpRecords neighbour = one;
          for (std::vector<double>& column : neighbour.columns) column[place] = other;
          if (relation == Relation::kZeroOut) neighbour.strata[place] = 3;
          worst =
              std::max(worst, relative_change(query, before, answer(neighbour, query), relation));
        }
      }
    }
  };
  testing::follow_estimations(plan_means(question), try_neighbours,
                              [&](const Query& query) { return answer(records, query); });
  return worst;
}

TEST(MeanEstimators, NeighboursStayWithinTheSensitivityAndAttainIt) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const Relation relation : kRelations) {
      // The last one leaves the narrower column 15 bits.
      for (const double offset : {0.0, 1.7e9, -0x1p41}) {
        const double worst = worst_change(row.name, relation, offset);
        EXPECT_LE(worst, 1) << row.name << " " << to_string(relation) << " " << offset;
        EXPECT_GT(worst, 1 - 1e-6) << row.name << " " << to_string(relation) << " " << offset;
      }
    }
  }
}

/// What is beyond the range of an option is refused by its name.
TEST(MeanEstimators, RangesOfOptionsAreKeptToAndNeighboursToTheSensitivityAtTheirEnds) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const MeanOption& option : row.options()) {
      const auto with = [&](const OptionValue& value) {
        MeanConfig config;
        apply_settings<MeanConfig>("test", {&option, 1},
                                   {{{std::string(option.facts.name), value}}}, config);
        return config;
      };
      for (const double number : testing::numbers_outside(option.facts.range)) {
        for (const OptionValue& value : testing::values_of_number(option, number)) {
          MeansQuestion question = small_question(row.name, Relation::kZeroOut);
          question.config.own = with(value).own;
          EXPECT_ERROR(kUsage, HasSubstr(std::string(option.facts.name) + " must"),
                       plan_means(question))
              << row.name << " " << number;
        }
      }
      for (const double number : testing::ends_of(option.facts.range)) {
        for (const OptionValue& value : testing::values_of_number(option, number)) {
          for (const Relation relation : kRelations)
            EXPECT_LE(worst_change(row.name, relation, 0, with(value).own), 1)
                << row.name << " " << option.facts.name << " " << number;
        }
      }
    }
  }
}

/// A number that is added to a column and to its bounds is added to the mean, and that is all:
/// seconds since 1970, dates, coordinates. Records are on a grid that doubles hold at any of them.
TEST(MeanEstimators, AnOffsetOfAllNumbersChangesNothingElse) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  MadeUpRecords records;
  records.num_strata = 2;
  records.columns.resize(2);
  for (size_t i = 0; i < 2'000; ++i) {
    records.strata.push_back(static_cast<uint32_t>(i % 2));
    for (std::vector<double>& column : records.columns)
      column.push_back(std::round(64 * (30 + 5 * normal(random))) / 64);
  }
  MeansQuestion question;
  question.columns = {{"a", 0, 60, 5.0}, {"b", 0, 60, 5.0}};
  question.rho = 0.5;
  question.num_strata = 2;
  question.sizes = {1'000, 1'000};
  for (const MeanEstimatorRow& row : mean_estimators()) {
    question.method = row.name;
    const MeansRelease plain = simulate(plan_means(question), records.view(), 6);
    for (const double offset : {16777216.0, 20240101.0, 1.7e9, -5e11}) {
      MadeUpRecords moved = records;
      for (std::vector<double>& column : moved.columns)
        for (double& number : column) number += offset;
      MeansQuestion of_moved = question;
      for (MeanColumn& column : of_moved.columns) {
        column.lower += offset;
        column.upper += offset;
      }
      const MeansRelease release = simulate(plan_means(of_moved), moved.view(), 6);
      // Clips of later steps follow rounded figures.
      const double tolerance = 4 * 0x1p-52 * std::fabs(offset);
      for (size_t i = 0; i < release.estimates.size(); ++i) {
        EXPECT_NEAR(release.estimates[i].mean - offset, plain.estimates[i].mean, tolerance)
            << row.name << " " << offset;
        EXPECT_NEAR(release.estimates[i].noise_stddev, plain.estimates[i].noise_stddev, tolerance)
            << row.name << " " << offset;
      }
    }
  }
}

/// The same where records may lack values: a neighbour may also have a value where the record had
/// none, or the other way round, in each column by itself.
double worst_change_with_gaps(std::string_view method, Relation relation) {
  const MeansQuestion question = question_with_gaps(method, relation);
  const MadeUpRecords records = small_records(7);
  double worst = 0;
  const auto try_neighbours = [&](const Query& query) {
    // One of few records, with any of three numbers and any of four sets of values that it has; its
    // neighbours are all others, or the null record.
    std::vector<Answer> answers;
    if (relation == Relation::kZeroOut) {
      MadeUpRecords without = records;
      without.strata[40] = 3;
      answers.push_back(answer_about_values(without.view(), query, 1));
    }
    for (const double number : {-1e30, 1e30, 20.0}) {
      for (const unsigned lacks : {0U, 1U, 2U, 3U}) {
        MadeUpRecords one = records;
        for (size_t j = 0; j < 2; ++j) {
          one.columns[j][40] = number;
          if ((lacks >> j & 1U) != 0) one.make_missing(j, 40);
        }
        const Answer answer = answer_about_values(one.view(), query, 1);
        for (const Answer& other : answers) {
          const double change =
              std::holds_alternative<HistogramQuery>(query)
                  ? relative_change(query, answer, other, relation)
                  : relative_change_with_gaps(query, answer, other, relation, method == "laplace");
          worst = std::max(worst, change);
        }
        if (relation == Relation::kReplaceOne) answers.push_back(answer);
      }
    }
  };
  testing::follow_estimations(plan_means(question), try_neighbours, [&](const Query& query) {
    return answer_about_values(records.view(), query, 1);
  });
  return worst;
}

TEST(MeanEstimators, NeighboursWithAndWithoutAValueStayWithinTheSensitivityAndAttainIt) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const Relation relation : kRelations) {
      const double worst = worst_change_with_gaps(row.name, relation);
      EXPECT_LE(worst, 1) << row.name << " " << to_string(relation);
      // Of several columns under replace_one squares of the farthest vectors and of all numbers add
      // up, which no two records attain at once.
      if (row.name == "coinpress_joint" && relation == Relation::kReplaceOne) continue;
      EXPECT_GT(worst, 1 - 1e-6) << row.name << " " << to_string(relation);
    }
  }
}

TEST(MeanEstimators, DrawExactlyWhatWasPlannedAndCharged) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const auto& [share, has_gaps] :
         {std::pair(0.0, false), std::pair(0.1, false), std::pair(0.1, true)}) {
      MeansQuestion question = small_question(row.name, Relation::kReplaceOne);
      if (has_gaps) question = question_with_gaps(row.name, Relation::kReplaceOne);
      question.config.clipped_share = share;
      const MeansPlan plan = plan_means(question);
      SeededSource source(3);
      std::vector<Charge> charges;
      for (const std::vector<Event>& events : plan.events)
        charges.push_back(Charge::unpaid(events, Relation::kReplaceOne, source));
      const MadeUpRecords records = small_records(1);
      const MeansRelease release = release_means(plan, records.view(), charges, source, 1);
      for (size_t k = 0; k < charges.size(); ++k) {
        for (size_t item = 0; item < plan.events[k].size(); ++item) {
          if (plan.events[k][item].kind() == Event::Kind::kSamplerError) continue;
          EXPECT_TRUE(charges[k].is_used_up(item)) << row.name << " stratum " << k << " " << item;
        }
      }
      EXPECT_EQ(release.at(0, 1).clipped_fraction.has_value(), share > 0) << row.name;
    }
  }
}

TEST(MeanEstimators, CostTheRhoThatTheyAreGivenOrLess) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const double rho : {1e-4, 0.005, 0.5, 30.0}) {
      for (MeansQuestion question : {small_question(row.name, Relation::kReplaceOne),
                                     question_with_gaps(row.name, Relation::kReplaceOne)}) {
        question.rho = rho;
        const MeansPlan plan = plan_means(question);
        for (const std::vector<Event>& events : plan.events) {
          ZcdpAccountant accountant(Relation::kReplaceOne);
          for (const Event& event : events) accountant.compose(event);
          EXPECT_LE(accountant.rho(), rho) << row.name;
          EXPECT_GT(accountant.rho(), 0.999999 * rho) << row.name;
        }
      }
    }
  }
}

TEST(MeanEstimators, NoNoiseFollowsTheRecords) {
  // Other records, none at all, and all in one stratum: the same draws of the same scale.
  for (const MeanEstimatorRow& row : mean_estimators()) {
    if (row.name == "coinpress" || row.name == "coinpress_joint" || row.name == "quantile")
      continue;  // their scale follows noisy answers, which follow records
    const MeansPlan plan = plan_means(small_question(row.name, Relation::kReplaceOne));
    MadeUpRecords nobody = small_records(1);
    nobody.strata.assign(nobody.strata.size(), 3);
    MadeUpRecords crowd = small_records(2);
    crowd.strata.assign(crowd.strata.size(), 2);
    const MeansRelease a = simulate(plan, small_records(1).view(), 5);
    const MeansRelease b = simulate(plan, nobody.view(), 5);
    const MeansRelease c = simulate(plan, crowd.view(), 5);
    for (size_t i = 0; i < a.estimates.size(); ++i) {
      EXPECT_EQ(a.estimates[i].noise_stddev, b.estimates[i].noise_stddev) << row.name;
      EXPECT_EQ(a.estimates[i].noise_stddev, c.estimates[i].noise_stddev) << row.name;
    }
  }
}

TEST(MeanEstimators, ThreadsAndOrderDoNotChangeTheResult) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  MadeUpRecords records;
  records.num_strata = 3;
  records.columns.resize(2);
  for (size_t i = 0; i < 300'000; ++i) {
    records.strata.push_back(static_cast<uint32_t>(random() % 4));
    for (std::vector<double>& column : records.columns) column.push_back(5 + 4 * normal(random));
  }
  MadeUpRecords reversed = records;
  std::ranges::reverse(reversed.strata);
  for (std::vector<double>& column : reversed.columns) std::ranges::reverse(column);
  for (const MeanEstimatorRow& row : mean_estimators()) {
    MeansQuestion question = small_question(row.name, Relation::kZeroOut);
    question.sizes = {75'000, 75'000, 75'000};
    const MeansPlan plan = plan_means(question);
    const MeansRelease one = simulate(plan, records.view(), 21, 1);
    const MeansRelease many = simulate(plan, records.view(), 21, 4);
    const MeansRelease other_order = simulate(plan, reversed.view(), 21, 3);
    for (size_t i = 0; i < one.estimates.size(); ++i) {
      EXPECT_EQ(one.estimates[i].mean, many.estimates[i].mean) << row.name;
      EXPECT_EQ(one.estimates[i].mean, other_order.estimates[i].mean) << row.name;
    }
  }
}

TEST(MeanEstimators, SumsAreTheSameOnEveryWayThroughThePass) {
  // One range for all strata, with and without counting what is clipped, and ranges of their own.
  const MadeUpRecords records = small_records(5);
  const ClipRange range = ClipRange::within(10, 40, 1000);
  const ClipRange none = {0, 1, 0};
  const auto ask = [&](const SumQuery& query) {
    const Query question = query;
    return answer_queries(records.view(), {&question, 1}, 1)[0];
  };
  const Answer common = ask({0, {range, range, range}});
  EXPECT_EQ(common.values, ask({0, {range, range, range}, true}).values);
  const Answer partly = ask({0, {range, none, range}});
  EXPECT_EQ(partly.values[0], common.values[0]);
  EXPECT_EQ(partly.values[1], 0);
  const Answer own = ask({0, {range, ClipRange::within(0, 1, 10), range}});
  EXPECT_EQ(own.values[0], common.values[0]);
  EXPECT_EQ(own.values[2], common.values[2]);
  // By definition.
  int64_t expected = 0;
  for (size_t i = 0; i < 40; ++i) {
    const double units = (static_cast<double>(records.columns[0][i]) - range.centre) / range.grid;
    expected += std::clamp(std::llround(units), -static_cast<long long>(range.half_units),
                           static_cast<long long>(range.half_units));
  }
  EXPECT_EQ(common.values[0], expected);
}

TEST(MeanEstimators, WithLittleNoiseFindTheMean) {
  const MadeUpRecords records = [] {
    std::mt19937_64 random(4);
    std::normal_distribution<double> normal;
    MadeUpRecords made;
    made.num_strata = 2;
    made.columns.resize(2);
    for (size_t i = 0; i < 40'000; ++i) {
      const auto k = static_cast<uint32_t>(i % 4 == 0);
      made.strata.push_back(k);
      made.columns[0].push_back((k == 0 ? 30 : 50) + 3 * normal(random));
      made.columns[1].push_back((k == 0 ? -1 : -2) + 0.5 * normal(random));
    }
    return made;
  }();
  for (const MeanEstimatorRow& row : mean_estimators()) {
    MeansQuestion question;
    question.columns = {{"a", 0, 100, 3.0}, {"b", -10, 10, 0.5}};
    question.method = row.name;
    question.rho = 1e4;
    question.num_strata = 2;
    question.sizes = {30'000, 10'000};
    const MeansRelease release = simulate(plan_means(question), records.view(), 2);
    for (size_t k = 0; k < 2; ++k) {
      for (size_t j = 0; j < 2; ++j)
        EXPECT_NEAR(release.at(k, j).mean, records.mean(j, k), 0.01) << row.name;
    }
  }
}

TEST(MeanEstimators, StrataWithoutAPublicSizeAreLeftAlone) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    MeansQuestion question = small_question(row.name, Relation::kReplaceOne);
    question.sizes = {40, 0, 1};
    const MeansPlan plan = plan_means(question);
    EXPECT_TRUE(plan.events[1].empty());
    const MeansRelease release = simulate(plan, small_records(3).view(), 8);
    EXPECT_EQ(release.at(1, 0).mean, 50) << row.name;
    EXPECT_EQ(release.at(1, 0).half_width, 50) << row.name;
    EXPECT_EQ(release.at(1, 1).mean, 0) << row.name;
  }
}

TEST(MeanEstimators, PrivateSizesArePaidForAndNeedARelationWithoutPublicOnes) {
  MeansQuestion question = small_question("bounded", Relation::kZeroOut);
  question.sizes.clear();
  question.private_sizes = true;
  question.size_share = 0.2;
  const MeansPlan plan = plan_means(question);
  ASSERT_EQ(plan.events[0][0].kind(), Event::Kind::kDiscreteGaussian);
  EXPECT_EQ(plan.events[0][0].sensitivity(), 1);
  const MeansRelease release = simulate(plan, small_records(3).view(), 8);
  for (const double size : release.sizes) EXPECT_GE(size, 1);
  // Pure noise of sums leaves no delta to sizes.
  question.method = "laplace";
  question.config.clipped_share = 0;
  const MeansPlan pure = plan_means(question);
  for (const Event& event : pure.events[0]) EXPECT_EQ(event.kind(), Event::Kind::kDiscreteLaplace);
  question.config.relation = Relation::kReplaceOne;
  EXPECT_ERROR(kUsage, HasSubstr("zero_out"), plan_means(question));
}

TEST(MeanEstimators, RefuseWhatTheyCannotDo) {
  const auto refused = [](auto&& change) {
    MeansQuestion question = small_question("coinpress", Relation::kReplaceOne);
    change(question);
    return error_of(ErrorKind::kUsage, [&] { plan_means(question); });
  };
  EXPECT_THAT(refused([](MeansQuestion& q) { q.columns[1].stddev.reset(); }),
              HasSubstr("'score' needs"));
  EXPECT_THAT(refused([](MeansQuestion& q) { q.rho = 0; }), HasSubstr("rho"));
  EXPECT_THAT(refused([](MeansQuestion& q) { q.rho = std::nan(""); }), HasSubstr("rho"));
  EXPECT_THAT(refused([](MeansQuestion& q) { q.columns[0].upper = -1; }), HasSubstr("ascending"));
  EXPECT_THAT(refused([](MeansQuestion& q) { q.config.own.of<CoinpressOptions>().num_steps = 0; }),
              HasSubstr("steps must lie between"));
  EXPECT_THAT(refused([](MeansQuestion& q) { q.method = "coinpres"; }), HasSubstr("did you mean"));
  EXPECT_THAT(refused([](MeansQuestion& q) {
                q.sizes = {0, 0, 0};
              }),
              HasSubstr("nothing to release"));
  EXPECT_THAT(refused([](MeansQuestion& q) { q.config.relation = Relation::kAddRemove; }),
              HasSubstr("add_remove"));
}

/// What would have no sensitivity, or no sampler, is refused before anything is paid for.
TEST(MeanEstimators, RefuseClipsWithoutASensitivityAndNoiseThatNoSamplerDraws) {
  const auto refused = [](std::string_view method, auto&& change) {
    MeansQuestion question = small_question(method, Relation::kReplaceOne);
    change(question);
    return error_of(ErrorKind::kUsage, [&] { plan_means(question); });
  };
  using Q = MeansQuestion;
  for (const MeanEstimatorRow& row : mean_estimators()) {
    const std::vector<std::pair<std::string, std::function<void(Q&)>>> cases = {
        {"within", [](Q& q) { q.columns[0].lower = -1e308, q.columns[0].upper = 1e308; }},
        {"apart", [](Q& q) { q.columns[0].lower = 1e9, q.columns[0].upper = 1e9 + 1e-4; }},
        {"stddev", [](Q& q) { q.columns[0].stddev = 1e300; }},
        {"stddev", [](Q& q) { q.columns[0].stddev = 1e-300; }},
        {"gamma", [](Q& q) { q.config.own.of<LaplaceOptions>().gamma = 100; }},
        {"beta", [](Q& q) { q.config.own.of<CoinpressOptions>().beta = 1e-307; }},
        {"no sampler", [](Q& q) { q.config.clipped_share = 0.5, q.rho = 1e9; }}};
    for (const auto& [named, change] : cases)
      EXPECT_THAT(refused(row.name, change), HasSubstr(named)) << row.name << named;
  }
  EXPECT_THAT(refused("quantile",
                      [](Q& q) { q.config.own.of<QuantileOptions>().num_cells = size_t{1} << 24; }),
              HasSubstr("counts"));
  error_of(ErrorKind::kUsage, [] { ClipRange::within(-1e308, 1e308, kMaxUnits); });
  error_of(ErrorKind::kUsage, [] { ClipRange::within(0, std::nan(""), kMaxUnits); });
}

/// On a grid that does not divide the bounds.
TEST(MeanEstimators, NumbersOnTheBoundsAreNotClipped) {
  const std::vector<double> numbers = {0, 7, 14, -1, 16, NAN};
  const std::vector<uint32_t> strata(numbers.size(), 0);
  const StratifiedRecords records{numbers.size(), {numbers}, strata, 1};
  for (const double most : {100.0, 1000.0, kMaxUnits}) {
    const ClipRange range = ClipRange::within(0, 14, most);
    const std::array<Query, 1> queries = {SumQuery{0, {range}, true}};
    EXPECT_EQ(answer_queries(records, queries, 1)[0].num_clipped[0], 3) << most;
  }
}

/// However far noise points outside.
TEST(MeanEstimators, BallsStayWhereTheMeanMayBe) {
  MeansQuestion question = small_question("coinpress_joint", Relation::kReplaceOne);
  question.rho = 1e-3;
  const MeansPlan plan = plan_means(question);
  const double prior_radius = std::hypot(50 / 12.0, 10 / 3.0);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const MeansRelease release = simulate(plan, small_records(3).view(), seed);
    for (size_t k = 0; k < 3; ++k) {
      double squared = 0;
      for (size_t j = 0; j < 2; ++j) {
        const MeanEstimate& estimate = release.at(k, j);
        const MeanColumn& column = question.columns[j];
        const double centre = (estimate.clip_lower + estimate.clip_upper) / 2;
        squared += std::pow((centre - (column.lower + column.upper) / 2) / *column.stddev, 2);
      }
      EXPECT_LE(std::sqrt(squared), prior_radius * (1 + 1e-9)) << k;
    }
  }
}

/// A plan is one that can be drawn, however small its budget.
TEST(MeanEstimators, SmallBudgetsAreDrawn) {
  for (const MeanEstimatorRow& row : mean_estimators()) {
    for (const double rho : {1e-3, 1e-6, 1e-9}) {
      MeansQuestion question = small_question(row.name, Relation::kReplaceOne);
      question.rho = rho;
      question.config.clipped_share = 0.1;
      EXPECT_NO_THROW(simulate(plan_means(question), small_records(3).view(), 8))
          << row.name << " " << rho;
    }
  }
}

TEST(MeanEstimators, ChargesOfOtherEventsAreRefused) {
  const MeansPlan plan = plan_means(small_question("bounded", Relation::kReplaceOne));
  SeededSource source(1);
  std::vector<Charge> charges;
  for (size_t k = 0; k < 3; ++k)
    charges.push_back(Charge::unpaid({Event::gaussian(1)}, Relation::kReplaceOne, source));
  const MadeUpRecords records = small_records(1);
  error_of(ErrorKind::kRuntime, [&] { release_means(plan, records.view(), charges, source, 1); });
}

/// Columns of which every record has a value share a pass, others have one of their own.
TEST(MeanEstimators, ValuesAreCountedTheSameWhetherOrNotAnyIsMissing) {
  const MadeUpRecords together = small_records(6);
  MadeUpRecords apart = together;
  apart.strata_of_values.assign(2, together.strata);
  for (const MeanEstimatorRow& row : mean_estimators()) {
    MeansQuestion question = question_with_gaps(row.name, Relation::kReplaceOne);
    question.columns[1].has_gaps = false;
    question.overall_share = 0.1;
    const MeansPlan plan = plan_means(question);
    const MeansRelease a = simulate(plan, together.view(), 4);
    const MeansRelease b = simulate(plan, apart.view(), 4);
    for (size_t i = 0; i < a.estimates.size(); ++i) {
      EXPECT_EQ(a.estimates[i].mean, b.estimates[i].mean) << row.name;
      EXPECT_EQ(a.estimates[i].size, b.estimates[i].size) << row.name;
      EXPECT_EQ(a.estimates[i].size_noise > 0, i % 2 == 0) << row.name;
    }
  }
}

/// Where there is next to no noise what rounding does is in the interval.
TEST(MeanEstimators, RoundingIsInTheInterval) {
  const MadeUpRecords records =
      testing::make_up({1000, 17}, [](size_t k) { return k == 0 ? 33.3 : 100.0; });
  for (const MeanEstimatorRow& row : mean_estimators()) {
    MeansQuestion question = small_question(row.name, Relation::kReplaceOne);
    question.columns = {{"x", 0, 100, 30.0}};
    question.num_strata = 2;
    question.sizes = {1000, 17};
    question.rho = 1e15;
    question.config.clipped_share = 0;
    for (const bool has_gaps : {false, true}) {
      question.columns[0].has_gaps = has_gaps;
      const MeansRelease release = simulate(plan_means(question), records.view(), 4);
      for (size_t k = 0; k < 2; ++k) {
        const MeanEstimate& estimate = release.at(k, 0);
        EXPECT_LE(std::fabs(estimate.mean - records.mean(0, k)), estimate.half_width)
            << row.name << " " << k;
        EXPECT_LT(estimate.half_width, 1e-3) << row.name;
      }
    }
  }
}

/// Under replace_one gaps cost nothing further, and a fine grid costs nothing.
TEST(MeanEstimators, ColumnsWithAndWithoutGapsHaveTheSameBudget) {
  for (const std::string_view method : {"bounded", "laplace"}) {
    const auto budget = [&](const MeansQuestion& asked) {
      return affordable_rho(Relation::kReplaceOne, Epsilon(1), Delta(1e-6), [&](double rho) {
        MeansQuestion question = asked;
        question.config.clipped_share = 0;
        question.rho = rho;
        return plan_means(question).events[0];
      });
    };
    const double without = budget(small_question(method, Relation::kReplaceOne));
    const double with = budget(question_with_gaps(method, Relation::kReplaceOne));
    EXPECT_NEAR(without / with, 1, 1e-4) << method;
  }
}

TEST(AutomaticMeans, TakesNoEstimatorThatClipsToWhatNoiseChooses) {
  MeansQuestion question = small_question("auto", Relation::kReplaceOne);
  question.columns = {
      {"narrow", 0, 100, 12.0}, {"wide", -1000, 1000, 1.0}, {"unknown", 0, 1e6, {}}};
  question.sizes = {1000, 2000, 500};
  const MeansPlan plan = plan_means(question);
  for (const MeansPart& part : plan.parts) {
    EXPECT_EQ(part.method, "bounded");  // at one rho
    EXPECT_FALSE(part.reason.empty());
  }
  for (const MeanEstimatorRow& row : mean_estimators()) {
    EXPECT_EQ(row.is_candidate, row.make()->clip_kind(MeanConfig()) == ClipKind::kPublic)
        << row.name;
  }
}

/// By hand: 4 trace steps of the specification, with widths that ignore the noise.
TEST(Coinpress, HasTheSpecifiedSensitivitiesAndNoise) {
  struct Step {
    double tail;
    double sensitivity;
    double noise;
    double width;
  };
  const std::vector<std::pair<double, std::vector<Step>>> cases = {
      {100,
       {{4.89549, 2.0979099, 5.9337852, 45.593266},
        {4.89549, .5538425, 1.5665033, 12.059287},
        {4.7518, .2156288, .2489867, 1.962151}}},
      {1000,
       {{5.34519, .2106904, .5959224, 4.584664},
        {5.34519, .015275, .0432043, .411331},
        {5.2139, .0108391, .0125159, .248705}}},
      {10000,
       {{5.75988, .021152, .0598268, .466001},
        {5.75988, .0011986, .0033901, .08112},
        {5.63825, .0011358, .0013115, .073754}}}};
  for (const auto& [size, steps] : cases) {
    CoinpressInterval interval(-100, 100, size);
    const std::vector<double> budgets = coinpress_budgets(0.5, 3);
    const std::vector<double> failures = coinpress_failures(0.01, 3);
    for (size_t j = 0; j < 3; ++j) {
      const CoinpressInterval::Clip clip = interval.clip(failures[j]);
      EXPECT_NEAR(clip.tail, steps[j].tail, 1e-5);
      const double sensitivity = interval.sensitivity(clip, Relation::kReplaceOne);
      EXPECT_NEAR(sensitivity, steps[j].sensitivity, 1e-7);
      EXPECT_EQ(interval.sensitivity(clip, Relation::kZeroOut), sensitivity / 2);
      const double noise = sensitivity / std::sqrt(2 * budgets[j]);
      EXPECT_NEAR(noise, steps[j].noise, 1e-7);
      interval.advance(0, noise, failures[j]);
      EXPECT_NEAR(interval.upper() - interval.lower(), steps[j].width, 1e-6);
    }
  }
}

TEST(Coinpress, StaysWithinThePriorWhateverTheNoise) {
  CoinpressInterval interval(-1, 1, 10);
  interval.advance(1e6, 3, 0.01);
  EXPECT_EQ(interval.lower(), 1);
  EXPECT_EQ(interval.upper(), 1);
  CoinpressBall ball({0, 0}, 2, 5, CoinpressConstants::kPaper);
  ball.advance({50, 50}, 100, 0.01);
  EXPECT_EQ(ball.radius(), 2);
  const std::vector<double> nearest = project_onto_ball({30, 40}, {0, 0}, 2);
  EXPECT_NEAR(std::hypot(nearest[0], nearest[1]), 2, 1e-12);
}

}  // namespace equinoise::estimators_test
