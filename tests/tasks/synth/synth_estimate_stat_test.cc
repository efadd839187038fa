// SPDX-License-Identifier: Apache-2.0
// How often intervals hold the figures of the records, over releases.

#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <functional>
#include <map>
#include <string>

#include "tests/tasks/synth/estimate_cases.h"

namespace equinoise::synth_estimate_stat_test {

using testing::made_up_people;
using testing::Person;
using testing::release_of;
using testing::ReleaseSpec;

constexpr int kRuns = 400;
constexpr double kLevel = 0.8;
constexpr double kSignificance = 1e-6;

double max_missed(int runs) {
  return boost::math::quantile(
      boost::math::complement(boost::math::binomial(runs, 1 - kLevel), kSignificance));
}

/// A question and what is true of the figures that it gives, in their order.
struct Asked {
  std::string name;
  SynthEstimateRequest request;
  std::vector<double> truth;
};

double share(
    const std::vector<Person>& people, const std::function<bool(const Person&)>& is_in,
    const std::function<bool(const Person&)>& is_of = [](const Person&) { return true; }) {
  double v = 0;
  double w = 0;
  for (const Person& person : people) {
    if (!is_of(person)) continue;
    ++w;
    if (is_in(person)) ++v;
  }
  return v / w;
}

double mean_age(const std::vector<Person>& people,
                const std::function<bool(const Person&)>& is_of) {
  double sum = 0;
  double count = 0;
  for (const Person& person : people) {
    if (!person.age || !is_of(person)) continue;
    sum += *person.age;
    ++count;
  }
  return sum / count;
}

std::vector<Asked> questions(const std::vector<Person>& people) {
  const auto n = static_cast<double>(people.size());
  const auto all = [](const Person&) { return true; };
  std::vector<Asked> asked;
  Asked& table = asked.emplace_back(Asked{"table", {.question = {.table = {"sex", "rich"}}}, {}});
  for (uint32_t sex = 0; sex < 2; ++sex) {
    for (uint32_t rich = 0; rich < 2; ++rich) {
      const double own =
          share(people, [&](const Person& p) { return p.sex == sex && p.rich == rich; });
      table.truth.insert(table.truth.end(), {own * n, own});
    }
  }
  const auto add_share = [&](const std::string& name, const std::vector<std::string>& words,
                             const std::function<bool(const Person&)>& is_in) {
    const double own = share(people, is_in);
    asked.push_back({name, {.question = {.share = words}}, {own * n, own}});
  };
  add_share("share of bins", {"age=20..49"},
            [](const Person& p) { return p.age && *p.age >= 20 && *p.age < 50; });
  add_share("share that cuts a bin", {"age=25..49", "rich=1"},
            [](const Person& p) { return p.rich == 1 && p.age && *p.age >= 25 && *p.age < 50; });
  asked.push_back({"mean", {.question = {.mean = "age"}}, {mean_age(people, all)}});
  Asked& means =
      asked.emplace_back(Asked{"mean by group", {.question = {.mean = "age", .by = {"rich"}}}, {}});
  for (uint32_t rich = 0; rich < 2; ++rich)
    means.truth.push_back(mean_age(people, [&](const Person& p) { return p.rich == rich; }));
  Asked shares{"share by group", {.question = {.share = {"rich=1"}, .by = {"sex"}}}, {}};
  for (uint32_t sex = 0; sex < 2; ++sex) {
    shares.truth.push_back(share(
        people, [](const Person& p) { return p.rich == 1; },
        [&](const Person& p) { return p.sex == sex; }));
  }
  asked.push_back(shares);
  // Of numbers that have a bin each, so that noise alone makes the interval.
  asked.push_back(
      {"mean of 0 and 1 by group", {.question = {.mean = "rich", .by = {"sex"}}}, shares.truth});
  for (Asked& one : asked) one.request.level = kLevel;
  return asked;
}

/// Of each question how often intervals were there and missed, of one figure a release in turn.
/// With `claimed` the file says that noise is so many times what it was.
struct Count {
  int answered = 0;
  int missed = 0;
};

std::map<std::string, Count> count_misses(const ReleaseSpec& spec, double claimed) {
  const std::vector<Person> people = made_up_people(1500);
  const std::vector<Asked> asked = questions(people);
  std::map<std::string, Count> counts;
  for (int run = 0; run < kRuns; ++run) {
    SynthFile file = release_of(people, spec, 1000 + run);
    file.columns[3].values.clear();
    file.columns[3].edges = {0, 1, 2};
    file.columns[3].whole = true;
    const auto claim = [&](MeasuredFacts& measured) {
      for (MeasuredFacts::Marginal& marginal : measured.marginals) marginal.noise_stddev *= claimed;
    };
    claim(file.released->everybody);
    for (ReleasedFacts::Stratum& stratum : file.released->strata) claim(stratum.measured);
    for (const Asked& one : asked) {
      const SynthEstimateReport report = estimate_from_model(file, "model.json", one.request);
      EXPECT_EQ(report.figures.size(), one.truth.size());
      const size_t figure = static_cast<size_t>(run) % one.truth.size();
      const EstimatedFigure& told = report.figures[figure];
      if (!told.lower) continue;
      Count& count = counts[one.name];
      ++count.answered;
      // Rounding of the truth is no miss.
      const double slack = 1e-9 * (1 + one.truth[figure]);
      if (one.truth[figure] < *told.lower - slack || one.truth[figure] > *told.upper + slack)
        ++count.missed;
    }
  }
  return counts;
}

void expect_coverage(const ReleaseSpec& spec, const std::vector<std::string>& answered) {
  std::map<std::string, Count> counts = count_misses(spec, 1);
  for (const auto& [name, count] : counts) {
    EXPECT_LE(count.missed, max_missed(count.answered))
        << name << ", seeds from 1000, " << count.answered << " releases";
    ::testing::Test::RecordProperty("missed_of_" + std::to_string(count.answered) + "_" + name,
                                    count.missed);
  }
  for (const std::string& name : answered) EXPECT_GT(counts[name].answered, kRuns / 2) << name;
}

TEST(SynthEstimateCoverage, OfAdaptiveReleases) {
  expect_coverage({.method = "aim"},
                  {"table", "share of bins", "mean", "share by group", "mean of 0 and 1 by group"});
}

TEST(SynthEstimateCoverage, OfTrees) {
  expect_coverage({.method = "mst"},
                  {"share of bins", "mean", "share by group", "mean of 0 and 1 by group"});
}

TEST(SynthEstimateCoverage, WhereTheNumberOfRecordsIsPrivate) {
  expect_coverage({.method = "mst", .relation = Relation::kAddRemove},
                  {"share of bins", "mean", "share by group", "mean of 0 and 1 by group"});
}

TEST(SynthEstimateCoverage, OfIndependentStrata) {
  expect_coverage({.method = "aim", .has_strata = true},
                  {"table", "share of bins", "mean", "share by group", "mean of 0 and 1 by group"});
}

TEST(SynthEstimateCoverage, OfStrataThatShareAModel) {
  expect_coverage({.method = "mst", .has_strata = true, .are_shared = true},
                  {"table", "share of bins", "mean", "share by group", "mean of 0 and 1 by group"});
}

/// The same test finds noise that is larger than the file says, in questions of one measurement:
/// several then contradict each other, and the interval becomes wide.
TEST(SynthEstimateCoverage, FailsWhereNoiseIsLargerThanItSays) {
  std::map<std::string, Count> counts = count_misses({.method = "aim", .rho = 0.02}, 0.3);
  for (const char* name : {"table", "mean of 0 and 1 by group"})
    EXPECT_GT(counts[name].missed, max_missed(counts[name].answered)) << name;
}

}  // namespace equinoise::synth_estimate_stat_test
