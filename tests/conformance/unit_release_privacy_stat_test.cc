// SPDX-License-Identifier: Apache-2.0
// People with several rows: how far one of them moves what a release of means or synthetic rows
// asks, with as many extreme rows as count, in one stratum or spread over several; and games in
// which such a person is told from a null one by what is released.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "equinoise/means/registry.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/privacy/unit_events.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/registry.h"
#include "tests/conformance/empirical_privacy.h"
#include "tests/means/simulated_means.h"
#include "tests/synth/coded_tables.h"

namespace equinoise::unit_release_privacy_stat_test {

using testing::coded_table;
using testing::empirical_epsilon;
using testing::EmpiricalPrivacy;
using testing::MadeUpRecords;
using testing::simulate;

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261128;
constexpr double kDelta = 0.01;
constexpr Relation kRelation = Relation::kZeroOut;
constexpr size_t kRows = 4;  // of one person that count
constexpr uint32_t kStrata = 3;

/// Rows of others in three strata, and those of one person, the last ones.
MadeUpRecords records_with(const std::vector<uint32_t>& strata, double number) {
  MadeUpRecords records;
  records.num_strata = kStrata;
  records.columns.resize(1);
  for (uint32_t i = 0; i < 12; ++i) {
    records.strata.push_back(i % kStrata);
    records.columns[0].push_back(20 + i);
  }
  for (const uint32_t stratum : strata) {
    records.strata.push_back(stratum);
    records.columns[0].push_back(number);
  }
  return records;
}

MeansQuestion question_by(std::string_view method, double rho) {
  MeansQuestion question;
  question.columns = {{"hours", 0, 100, 12.0}};
  question.method = method;
  question.config.relation = kRelation;
  question.rho = rho;
  question.num_strata = kStrata;
  question.private_sizes = true;
  return question;
}

/// The change of each stratum's answer, in sensitivities of one row.
std::vector<double> changes(const Query& query, const Answer& a, const Answer& b) {
  const size_t width = a.values.size() / kStrata;
  std::vector<double> result;
  for (size_t k = 0; k < kStrata; ++k) {
    double l1 = 0;
    double squared = 0;
    for (size_t i = k * width; i < (k + 1) * width; ++i) {
      const auto change = static_cast<double>(a.values[i] - b.values[i]);
      l1 += std::fabs(change);
      squared += change * change;
    }
    double sensitivity = 1;
    if (const auto* sum = std::get_if<SumQuery>(&query))
      sensitivity = static_cast<double>(sum->ranges[k].sensitivity(kRelation));
    if (const auto* ball = std::get_if<BallQuery>(&query))
      sensitivity = ball->balls[k].radius > 0 ? ball->balls[k].sensitivity(kRelation) : 1;
    const bool is_ball = std::holds_alternative<BallQuery>(query);
    result.push_back((is_ball ? std::sqrt(squared) : l1) / sensitivity);
  }
  return result;
}

/// The sum of all strata's changes, which is what pure costs add up by, and the root of the sum of
/// squares, by which rho does: at most as many as there are rows, whatever the strata.
TEST(UnitSensitivity, OfMeansIsThatOfAllRowsInOneStratumOrInSeveral) {
  const std::vector<std::vector<uint32_t>> places = {
      {0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, kStrata}, {2, 2, 2, 0}};
  for (const MeanEstimatorRow& row : mean_estimators()) {
    const MeansQuestion question = question_by(row.name, 2);
    const MeansPlan plan = plan_means(question);
    double largest = 0;
    for (const MeansPart& part : plan.parts) {
      const auto estimation = find_mean_estimator(part.method)
                                  .make()
                                  ->start({question.columns,
                                           part.columns,
                                           {8, 8, 8},
                                           part.rho,
                                           question.config,
                                           part.first_item,
                                           *plan.size_noise});
      SeededSource source(3);
      std::vector<Charge> charges;
      for (const std::vector<Event>& events : plan.events)
        charges.push_back(Charge::unpaid(events, kRelation, source));
      while (const std::optional<Query> query = estimation->next()) {
        const auto ask = [&](const MadeUpRecords& records) {
          return answer_queries(records.view(), {&*query, 1}, 1)[0];
        };
        const MadeUpRecords null = records_with(std::vector<uint32_t>(kRows, kStrata), 0);
        for (const std::vector<uint32_t>& strata : places) {
          for (const double number : {-1e300, 1e300, 0.0, 50.0, 100.0, std::nan("")}) {
            const std::vector<double> moved =
                changes(*query, ask(records_with(strata, number)), ask(null));
            const double sum = std::accumulate(moved.begin(), moved.end(), 0.0);
            EXPECT_LE(sum, kRows * (1 + 1e-12)) << row.name;
            EXPECT_LE(std::hypot(moved[0], moved[1], moved[2]), kRows * (1 + 1e-12)) << row.name;
            largest = std::max(largest, *std::ranges::max_element(moved));
          }
        }
        estimation->answer(ask(null), charges, source);
      }
    }
    EXPECT_GT(largest, kRows * (1 - 1e-6)) << row.name;
  }
}

TEST(UnitSensitivity, OfCountsIsTheNumberOfRowsInOneCellAndLessInSeveral) {
  const std::vector<size_t> sizes = {3, 2};
  const CodedTable others = coded_table(sizes, {{0, 0}, {1, 1}, {2, 0}, {2, 1}});
  const auto distance = [&](const nlohmann::json& rows, const AttributeSet& set) {
    nlohmann::json all = {{0, 0}, {1, 1}, {2, 0}, {2, 1}};
    for (const auto& own : rows) all.push_back(own);
    const std::vector<uint32_t> with = count_marginal(coded_table(sizes, all), set);
    const std::vector<uint32_t> without = count_marginal(others, set);
    double l1 = 0;
    double squared = 0;
    for (size_t cell = 0; cell < with.size(); ++cell) {
      const double change = static_cast<double>(with[cell]) - static_cast<double>(without[cell]);
      l1 += std::fabs(change);
      squared += change * change;
    }
    return std::pair(l1, std::sqrt(squared));
  };
  for (const AttributeSet& set : {AttributeSet{0}, AttributeSet{1}, AttributeSet{0, 1}}) {
    const auto [l1, l2] = distance({{1, 0}, {1, 0}, {1, 0}, {1, 0}}, set);
    EXPECT_EQ(l1, kRows);
    EXPECT_EQ(l2, kRows);
  }
  // Four rows in four cells: 4 in L1, but 2 in L2.
  const auto [l1, l2] = distance({{0, 0}, {0, 1}, {1, 0}, {2, 1}}, {0, 1});
  EXPECT_EQ(l1, kRows);
  EXPECT_EQ(l2, 2);
}

TEST(UnitSensitivity, OfScoresIsThatOfAllRowsWhateverTheModelExpects) {
  std::mt19937_64 random(kSeed);
  const MarginalScores scores(1);
  double largest = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<uint32_t> without(1 + random() % 6);
    std::vector<double> expected(without.size());
    for (size_t cell = 0; cell < without.size(); ++cell) {
      without[cell] = static_cast<uint32_t>(random() % 5);
      expected[cell] = static_cast<double>(random() % 100'000) / 7919.0;
    }
    std::vector<uint32_t> with = without;
    for (size_t i = 0; i < kRows; ++i) ++with[trial % 2 == 0 ? 0 : random() % with.size()];
    for (const double weight : {1.0, 0.37}) {
      const auto change = static_cast<double>(scores.score(with, expected, weight, 0.5) -
                                              scores.score(without, expected, weight, 0.5));
      const double of_one = scores.sensitivity_units(weight);
      ASSERT_LE(std::fabs(change), kRows * of_one) << trial;
      largest = std::max(largest, std::fabs(change) / of_one);
    }
  }
  EXPECT_GT(largest, kRows * (1 - 1e-6));
}

// --- games ---------------------------------------------------------------------------------------

/// A score of one release from the table with the person or without; the larger, the more it speaks
/// for the person.
using Release = std::function<double(bool with, uint64_t seed)>;

/// `least`: the share of the claim that the game shows: a weaker one would not notice a fault.
void play(const std::string& name, const Release& release, size_t plays, double claim,
          bool is_caught, double least = 0.05) {
  std::vector<double> with;
  std::vector<double> without;
  for (size_t i = 0; i < plays; ++i) {
    with.push_back(release(true, kSeed + 2 * i));
    without.push_back(release(false, kSeed + 2 * i + 1));
  }
  const EmpiricalPrivacy found = empirical_epsilon(with, without, kDelta, kSignificance);
  std::printf(
      "%s: epsilon at least %.4f, claim %.4f at delta %g; %zu plays, significance %g, seed %llu\n",
      name.c_str(), found.epsilon, claim, kDelta, 2 * plays, kSignificance,
      static_cast<unsigned long long>(kSeed));
  if (is_caught) {
    EXPECT_GT(found.epsilon, claim) << name;
  } else {
    EXPECT_LE(found.epsilon, claim) << name;
    EXPECT_GT(found.epsilon, least * claim) << name;
  }
}

constexpr double kRho = 0.3;                        // that a person pays
constexpr double kRowRho = kRho / (kRows * kRows);  // and one row of it

double claim_of(const std::vector<Event>& events) {
  return smallest_guarantee(kRelation, for_unit(kRows, events), Delta(kDelta)).epsilon.value();
}

/// The noisy sum of hours about the middle of their bounds, and the size, of all strata.
Release release_of_means(const MeansPlan& plan, const std::vector<uint32_t>& strata) {
  return [plan, strata](bool with, uint64_t seed) {
    const MadeUpRecords records =
        records_with(with ? strata : std::vector<uint32_t>(kRows, kStrata), 100);
    const MeansRelease release = simulate(plan, records.view(), seed);
    double score = 0;
    for (size_t k = 0; k < kStrata; ++k)
      score += (release.at(k, 0).mean - 50) / 50 * std::max(release.at(k, 0).size, 1.0);
    return score;
  };
}

TEST(UnitGames, MeansTellAPersonOfManyExtremeRowsNoBetterThanClaimed) {
  constexpr size_t kPlays = 60'000;
  const std::vector<std::string> names = {"a", "b", "c"};
  const std::vector<uint32_t> in_one(kRows, 0);
  const MeansPlan plan = plan_means(question_by("bounded", kRowRho));
  const double claim = claim_of(plan.charged_events("stratum", names));
  play("means, all rows in one stratum", release_of_means(plan, in_one), kPlays, claim, false, 0.2);
  // Rows that are spread over strata tell less, and the claim holds for these as well.
  play("means, rows in all strata", release_of_means(plan, {0, 1, 2, 0}), kPlays, claim, false,
       0.2);
  // What would be drawn if a person were charged as one row is.
  const MeansPlan as_rows = plan_means(question_by("bounded", kRho));
  play("means, charged as one row", release_of_means(as_rows, in_one), kPlays, claim, true);
}

/// What noisy counts of the cells that hold the person's rows have in common, by their noise.
Release release_of_rows(const SynthesizerRow& row, const SynthPlan& plan) {
  return [&row, plan](bool with, uint64_t seed) {
    nlohmann::json rows = {{0, 0}, {0, 1}, {1, 0}};
    for (size_t i = 0; i < kRows && with; ++i) rows.push_back({1, 1});
    SeededSource source(seed);
    TaskProgress silent;
    const SynthOutcome outcome =
        row.make()->run(TableMarginals(coded_table({2, 2}, rows)), plan,
                        Charge::unpaid(plan.events, kRelation, source), source, silent);
    double score = 0;
    for (const SynthMeasurement& measured : outcome.measurements) {
      if (measured.counts.size() > 1 && measured.cell.empty())
        score += measured.counts.back() / (measured.noise_stddev * measured.noise_stddev);
    }
    return score;
  };
}

TEST(UnitGames, SyntheticRowsTellAPersonOfManyRowsNoBetterThanClaimed) {
  constexpr size_t kPlays = 3'000;
  SynthFacts facts;
  facts.domain = Domain({{"a", 2}, {"b", 2}});
  facts.ordered = {false, false};
  for (const char* name : {"aim", "mst"}) {
    const SynthesizerRow& row = find_synthesizer(name);
    const auto plan_at = [&](double rho) {
      SynthConfig config;
      config.relation = kRelation;
      config.rho = rho;
      config.workload = all_marginals(facts.domain, 2);
      return row.make()->plan(config, facts);
    };
    const SynthPlan plan = plan_at(kRowRho);
    const double claim = claim_of(plan.events);
    play(std::string(name) + ", as charged", release_of_rows(row, plan), kPlays, claim, false);
    // What is charged as one row is shows more than the claim only with many more plays: here it
    // is of eight times that.
    play(std::string(name) + ", a person charged an eighth of one row",
         release_of_rows(row, plan_at(8 * kRho)), kPlays, claim, true);
  }
}

}  // namespace equinoise::unit_release_privacy_stat_test
