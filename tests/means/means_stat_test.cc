// SPDX-License-Identifier: Apache-2.0
// Errors of estimators against figures of a prototype with other noise, and of intervals against
// what they promise. Seeds are fixed; each test prints seed, sample size and what it allows.

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "equinoise/means/estimators/estimators.h"
#include "equinoise/means/summary.h"
#include "tests/means/simulated_means.h"

namespace equinoise::means_stat_test {

using testing::MadeUpRecords;
using testing::make_up;
using testing::RootMeanSquare;
using testing::simulate;

constexpr uint64_t kSeed = 20261122;
constexpr double kSignificance = 1e-6;
constexpr double kAllowed = 4;  // standard errors, of both simulations together

/// Of a root of a mean square over that many runs.
double error_of_published(double value, int runs) { return value / std::sqrt(2.0 * runs); }

void report(const std::string& name, int runs, double value, double error, double published,
            double error_of_it) {
  std::printf("%s: seed %llu, n %d, %.4g +- %.2g, published %.4g +- %.2g, allowed %g of both\n",
              name.c_str(), static_cast<unsigned long long>(kSeed), runs, value, error, published,
              error_of_it, kAllowed);
}

void expect_same(const std::string& name, int runs, double value, double error, double published,
                 double error_of_it) {
  report(name, runs, value, error, published, error_of_it);
  EXPECT_LE(std::fabs(value - published), kAllowed * std::hypot(error, error_of_it)) << name;
}

MeansQuestion one_column(double lower, double upper, std::optional<double> stddev,
                         std::string_view method, double rho, std::vector<double> sizes) {
  MeansQuestion question;
  question.columns = {{"x", lower, upper, stddev}};
  question.method = method;
  question.rho = rho;
  question.num_strata = sizes.size();
  question.sizes = std::move(sizes);
  return question;
}

/// The published error of N(3, 1) within [-100, 100] against 3, over 2,000 runs.
struct OneDimension {
  size_t size;
  double rho;
  const char* method;
  int num_steps;
  const char* constants;
  double published;
};

TEST(MeansStatistics, OneDimensionHasTheErrorsOfThePrototype) {
  const std::vector<OneDimension> cases = {
      {1000, .5, "coinpress", 1, "paper", .215},   {1000, .5, "coinpress", 2, "paper", .0349},
      {1000, .5, "coinpress", 3, "paper", .0339},  {1000, .5, "coinpress", 4, "paper", .0334},
      {1000, .5, "coinpress", 2, "code", .0336},   {1000, .5, "coinpress", 3, "code", .0327},
      {1000, .5, "laplace", 3, "auto", .295},      {1000, .005, "coinpress", 1, "paper", 2.10},
      {1000, .005, "coinpress", 2, "paper", .476}, {1000, .005, "coinpress", 3, "paper", .264},
      {1000, .005, "coinpress", 4, "paper", .216}, {1000, .005, "laplace", 3, "auto", 3.01},
      {10000, .5, "coinpress", 1, "paper", .0238}, {10000, .5, "coinpress", 3, "paper", .0103},
      {100, .5, "coinpress", 2, "paper", .481},    {100, .5, "coinpress", 3, "paper", .269},
      {100, .5, "coinpress", 4, "paper", .231}};
  constexpr int kPublishedRuns = 2000;
  uint64_t seed = kSeed;
  for (const OneDimension& one : cases) {
    const int runs = one.size > 1000 ? 400 : 1500;
    MeansQuestion question =
        one_column(-100, 100, 1.0, one.method, one.rho, {static_cast<double>(one.size)});
    question.config.own.of<CoinpressOptions>().num_steps = one.num_steps;
    question.config.own.of<CoinpressOptions>().constants =
        value_of(kConstantsChoices, one.constants).value();
    question.config.own.of<LaplaceOptions>().gamma = 0.01;
    const MeansPlan plan = plan_means(question);
    std::mt19937_64 random(++seed);
    std::normal_distribution<double> normal;
    RootMeanSquare error;
    for (int i = 0; i < runs; ++i) {
      const MadeUpRecords records = make_up({one.size}, [&](size_t) { return 3 + normal(random); });
      const double mean = simulate(plan, records.view(), seed * 10'000 + i).at(0, 0).mean;
      error.add(std::clamp(mean, -100.0, 100.0) - 3);
    }
    expect_same(std::string(one.method) + " " + one.constants + ", " + std::to_string(one.size) +
                    " records, rho " + std::to_string(one.rho) + ", steps " +
                    std::to_string(one.num_steps),
                runs, error.value(), error.standard_error(), one.published,
                error_of_published(one.published, kPublishedRuns));
  }
}

const std::vector<size_t> kSizes = {6000, 2500, 1000, 400, 100};
const std::vector<double> kMeans = {-2, 0, 1, 3, 5};

/// RMSE of strata, then of the overall mean, against the records' own.
std::vector<RootMeanSquare> stratified_errors(const MeansQuestion& question, int runs) {
  const MeansPlan plan = plan_means(question);
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal;
  std::vector<RootMeanSquare> errors(kSizes.size() + 1);
  for (int i = 0; i < runs; ++i) {
    const MadeUpRecords records =
        make_up(kSizes, [&](size_t k) { return kMeans[k] + normal(random); });
    const MeansRelease release = simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
    for (size_t k = 0; k < kSizes.size(); ++k)
      errors[k].add(release.at(k, 0).mean - records.mean(0, k));
    errors.back().add(summarise_column(plan, release, 0, {}, {false, {}}).overall.mean -
                      records.mean(0, kSizes.size()));
  }
  return errors;
}

std::vector<double> sizes_of_strata() { return {kSizes.begin(), kSizes.end()}; }

TEST(MeansStatistics, StratifiedLaplaceHasTheErrorsOfTheory) {
  MeansQuestion question = one_column(-10, 10, 1.0, "laplace", 0.5, sizes_of_strata());
  question.config.own.of<LaplaceOptions>().gamma = 0.01;
  constexpr int kRuns = 1500;
  const std::vector<RootMeanSquare> errors = stratified_errors(question, kRuns);
  const std::vector<double> published = {.00721, .01711, .0423, .1043, .4087, .00943};
  for (size_t i = 0; i < published.size(); ++i) {
    // By theory: what is published is rounded to 1 in the last digit.
    expect_same("stratified laplace " + std::to_string(i), kRuns, errors[i].value(),
                errors[i].standard_error(), published[i], 0);
  }
}

TEST(MeansStatistics, StratifiedCoinpressHasTheErrorsOfThePrototype) {
  constexpr int kRuns = 800;
  constexpr int kPublishedRuns = 1000;  // .00356 +- .00008
  for (const Relation relation : {Relation::kReplaceOne, Relation::kZeroOut}) {
    MeansQuestion question = one_column(-100, 100, 1.0, "coinpress", 0.5, sizes_of_strata());
    question.config.relation = relation;
    const std::vector<RootMeanSquare> errors = stratified_errors(question, kRuns);
    const bool swaps = relation == Relation::kReplaceOne;
    const std::vector<double> published =
        swaps ? std::vector<double>{.00216, .00513, .01235, .0321, .252, .00356}
              : std::vector<double>{.00109, .00258, .00612, .0157, .0723};
    for (size_t i = 0; i < published.size(); ++i) {
      expect_same(
          "stratified coinpress " + std::string(to_string(relation)) + " " + std::to_string(i),
          kRuns, errors[i].value(), errors[i].standard_error(), published[i],
          error_of_published(published[i], kPublishedRuns));
    }
  }
}

/// What estimators do on four kinds of records; a bound where ours is another algorithm.
struct Alternative {
  std::string name;
  std::function<double(std::mt19937_64&)> draw;
  double lower;
  double upper;
  double stddev;
  size_t size;
  double rho;
  const char* method;
  double published;
  bool is_bound;
};

TEST(MeansStatistics, AlternativesHaveTheErrorsOfThePrototypeOrLess) {
  constexpr int kPublishedRuns = 300;
  const auto normal = [](std::mt19937_64& random) {
    return 3 + std::normal_distribution<double>()(random);
  };
  const auto lognormal = [](std::mt19937_64& random) {
    return std::min(2e6, std::exp(10 + std::normal_distribution<double>()(random)));
  };
  const auto whole = [](std::mt19937_64& random) { return static_cast<double>(random() % 21); };
  const auto heavy = [](std::mt19937_64& random) {
    return std::clamp(50 + std::student_t_distribution<double>(3)(random), 0.0, 1000.0);
  };
  const std::vector<Alternative> cases = {
      {"normal", normal, -100, 100, 1, 1000, .5, "bounded", .184, false},
      {"normal", normal, -100, 100, 1, 1000, .5, "coinpress", .0132, false},
      {"normal", normal, -100, 100, 1, 1000, .5, "quantile", .0068, true},
      {"normal", normal, -100, 100, 1, 100, .5, "bounded", 2.06, false},
      {"normal", normal, -100, 100, 1, 100, .5, "coinpress", .255, false},
      {"normal", normal, -100, 100, 1, 100, .5, "quantile", .075, true},
      {"normal", normal, -100, 100, 1, 100, .125, "bounded", 4.12, false},
      {"normal", normal, -100, 100, 1, 100, .125, "coinpress", 1.25, false},
      {"normal", normal, -100, 100, 1, 100, .125, "quantile", 3.1, true},
      {"lognormal", lognormal, 0, 2e6, 5e4, 1000, .5, "bounded", 1842, false},
      {"lognormal", lognormal, 0, 2e6, 5e4, 1000, .5, "coinpress", 986, false},
      {"lognormal", lognormal, 0, 2e6, 5e4, 1000, .5, "quantile", 2906, true},
      {"lognormal", lognormal, 0, 2e6, 5e4, 10000, .5, "bounded", 195, false},
      {"lognormal", lognormal, 0, 2e6, 5e4, 10000, .5, "coinpress", 523, false},
      {"lognormal", lognormal, 0, 2e6, 5e4, 10000, .5, "quantile", 508, true},
      {"whole", whole, 0, 20, std::sqrt(440 / 12.0), 1000, .5, "bounded", .0195, false},
      {"whole", whole, 0, 20, std::sqrt(440 / 12.0), 1000, .5, "coinpress", .0773, false},
      {"whole", whole, 0, 20, std::sqrt(440 / 12.0), 1000, .5, "quantile", .032, true},
      {"heavy", heavy, 0, 1000, 2, 1000, .5, "bounded", .923, false},
      {"heavy", heavy, 0, 1000, 2, 1000, .5, "coinpress", .030, false},
      {"heavy", heavy, 0, 1000, 2, 1000, .5, "quantile", .082, true}};
  uint64_t seed = kSeed + 500;
  for (const Alternative& one : cases) {
    const int runs = one.size > 1000 ? 150 : 500;
    const MeansPlan plan = plan_means(one_column(one.lower, one.upper, one.stddev, one.method,
                                                 one.rho, {static_cast<double>(one.size)}));
    std::mt19937_64 random(++seed);
    RootMeanSquare error;
    for (int i = 0; i < runs; ++i) {
      const MadeUpRecords records = make_up({one.size}, [&](size_t) { return one.draw(random); });
      const double mean = simulate(plan, records.view(), seed * 10'000 + i).at(0, 0).mean;
      error.add(std::clamp(mean, one.lower, one.upper) - records.mean(0, 1));
    }
    const double of_published = error_of_published(one.published, kPublishedRuns);
    const std::string name = one.name + ", " + std::to_string(one.size) + " records, " + one.method;
    if (one.is_bound) {
      report(name, runs, error.value(), error.standard_error(), one.published, of_published);
      EXPECT_LE(error.value(),
                one.published + kAllowed * std::hypot(error.standard_error(), of_published))
          << name;
    } else {
      expect_same(name, runs, error.value(), error.standard_error(), one.published, of_published);
    }
  }
}

struct ManyDimensions {
  int num_steps;
  const char* constants;
  double published;
  double error;
};

/// Lengths of errors against the mean that records were drawn around, 0.
std::vector<double> joint_errors(size_t dimension, size_t size, const ManyDimensions& one,
                                 int runs) {
  MeansQuestion question;
  for (size_t j = 0; j < dimension; ++j)
    question.columns.push_back({"x" + std::to_string(j), -10, 10, 1.0});
  question.method = "coinpress_joint";
  question.rho = 0.5;
  question.sizes = {static_cast<double>(size)};
  question.config.own.of<CoinpressOptions>().num_steps = one.num_steps;
  question.config.own.of<CoinpressOptions>().constants =
      value_of(kConstantsChoices, one.constants).value();
  const MeansPlan plan = plan_means(question);
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal;
  std::vector<double> errors;
  for (int i = 0; i < runs; ++i) {
    MadeUpRecords records;
    records.columns.resize(dimension);
    for (std::vector<double>& column : records.columns)
      for (size_t r = 0; r < size; ++r) column.push_back(normal(random));
    records.strata.assign(size, 0);
    const MeansRelease release = simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
    double squared = 0;
    for (size_t j = 0; j < dimension; ++j) squared += release.at(0, j).mean * release.at(0, j).mean;
    errors.push_back(std::sqrt(squared));
  }
  return errors;
}

/// The mean without the smallest and the largest `trimmed` of the values, and its standard error.
std::pair<double, double> trimmed_mean(std::vector<double> values, double trimmed) {
  std::ranges::sort(values);
  const auto cut = static_cast<size_t>(trimmed * static_cast<double>(values.size()));
  double sum = 0;
  double squares = 0;
  const auto kept = static_cast<double>(values.size() - 2 * cut);
  for (size_t i = cut; i < values.size() - cut; ++i) sum += values[i];
  for (size_t i = 0; i < values.size(); ++i) {
    const double winsorised = std::clamp(values[i], values[cut], values[values.size() - cut - 1]);
    squares += std::pow(winsorised - sum / kept, 2);
  }
  const auto all = static_cast<double>(values.size());
  return {sum / kept, std::sqrt(squares / all) / (kept / all) / std::sqrt(all)};
}

TEST(MeansStatistics, FiftyDimensionsHaveTheStoredErrorsOfTheAuthors) {
  constexpr int kRuns = 80;
  const std::vector<ManyDimensions> cases = {{1, "code", 1.065, .008},   {2, "code", .2791, .002},
                                             {3, "code", .2720, .002},   {4, "code", .2690, .002},
                                             {2, "paper", .3196, .0025}, {3, "paper", .2934, .0025},
                                             {4, "paper", .2951, .0025}};
  for (const ManyDimensions& one : cases) {
    const auto [value, error] = trimmed_mean(joint_errors(50, 1000, one, kRuns), 0.1);
    expect_same(
        "50 dimensions, " + std::string(one.constants) + ", steps " + std::to_string(one.num_steps),
        kRuns, value, error, one.published, one.error);
  }
}

TEST(MeansStatistics, TenDimensionsHaveTheErrorsOfThePrototype) {
  constexpr int kRuns = 300;
  const std::vector<ManyDimensions> cases = {{1, "code", .7435, .009},  {2, "code", .2501, .003},
                                             {3, "code", .2359, .003},  {4, "code", .2318, .003},
                                             {2, "paper", .3096, .004}, {3, "paper", .2730, .0035}};
  for (const ManyDimensions& one : cases) {
    const auto [value, error] = trimmed_mean(joint_errors(10, 300, one, kRuns), 0);
    expect_same(
        "10 dimensions, " + std::string(one.constants) + ", steps " + std::to_string(one.num_steps),
        kRuns, value, error, one.published, one.error);
  }
}

/// Intervals of noise hold the mean of the records at least as often as a binomial with 95 % would
/// at the significance, and those of noise and sampling that of the population.
TEST(MeansStatistics, IntervalsHoldWhatTheyPromise) {
  constexpr int kRuns = 3000;
  const std::vector<size_t> sizes = {400, 150, 60};
  const double least = boost::math::quantile(boost::math::binomial(kRuns, 0.95), kSignificance);
  for (const char* method : {"bounded", "laplace", "coinpress", "coinpress_joint", "quantile"}) {
    for (const bool private_sizes : {false, true}) {
      MeansQuestion question = one_column(0, 100, 10.0, method, 0.5, {400, 150, 60});
      question.overall_share = kDefaultOverallShare;
      if (private_sizes) {
        question.sizes.clear();
        question.private_sizes = true;
        question.config.relation = Relation::kZeroOut;
      }
      const MeansPlan plan = plan_means(question);
      std::mt19937_64 random(kSeed);
      std::normal_distribution<double> normal;
      std::vector<int> held(sizes.size(), 0);
      int overall_held = 0;
      int population_held = 0;
      for (int i = 0; i < kRuns; ++i) {
        const MadeUpRecords records = make_up(sizes, [&](size_t k) {
          return std::clamp(40 + 8 * static_cast<double>(k) + 10 * normal(random), 0.0, 100.0);
        });
        const MeansRelease release =
            simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
        for (size_t k = 0; k < sizes.size(); ++k) {
          const MeanEstimate& estimate = release.at(k, 0);
          // Of the records as clipped.
          double clipped = 0;
          for (size_t r = 0; r < records.strata.size(); ++r) {
            if (records.strata[r] != k) continue;
            clipped += std::clamp(static_cast<double>(records.columns[0][r]), estimate.clip_lower,
                                  estimate.clip_upper);
          }
          clipped /= static_cast<double>(sizes[k]);
          // A ball is no interval for one column: of one column it is, up to rounding.
          held[k] += std::fabs(estimate.mean - clipped) <= estimate.half_width ? 1 : 0;
        }
        const ColumnSummary summary = summarise_column(plan, release, 0, {}, {true, {}});
        const double truth = records.mean(0, sizes.size());
        const bool clips =
            std::string(method) == "quantile";  // its overall mean is of clipped ones
        overall_held +=
            clips || std::fabs(summary.overall.mean - truth) <= summary.overall.half_width ? 1 : 0;
        const std::optional<double> half = summary.populations[0];
        population_held += !half || std::fabs(release.at(0, 0).mean - 40) <= *half ? 1 : 0;
      }
      std::printf("%s%s: seed %llu, n %d, held %d %d %d, overall %d, population %d, at least %g\n",
                  method, private_sizes ? ", private sizes" : "",
                  static_cast<unsigned long long>(kSeed), kRuns, held[0], held[1], held[2],
                  overall_held, population_held, least);
      for (size_t k = 0; k < sizes.size(); ++k) EXPECT_GE(held[k], least) << method << " " << k;
      EXPECT_GE(overall_held, least) << method;
      EXPECT_GE(population_held, least) << method;
    }
  }
}

/// Sizes that are noise to a few percent or more, and a large stratum far from the others, by which
/// every noisy size moves the overall mean.
TEST(MeansStatistics, IntervalsHoldWithPrivateSizes) {
  constexpr int kRuns = 2000;
  const double least = boost::math::quantile(boost::math::binomial(kRuns, 0.95), kSignificance);
  const std::vector<std::vector<size_t>> tables = {
      {30'000, 200, 200, 200, 200, 200, 200, 200, 200, 200}, {500, 150, 60, 40, 25, 10}};
  for (size_t t = 0; t < 2 * tables.size(); ++t) {
    const std::vector<size_t>& sizes = tables[t / 2];
    const char* method = t % 2 == 0 ? "bounded" : "laplace";
    const auto num_strata = static_cast<double>(sizes.size());
    MeansQuestion question = one_column(0, 1, {}, method, 0.05, {});
    question.num_strata = sizes.size();
    question.private_sizes = true;
    question.config.relation = Relation::kZeroOut;
    const MeansPlan plan = plan_means(question);
    const MadeUpRecords records = make_up(sizes, [&](size_t k) {
      return k == 0 ? 0.95 : sizes[0] > 1000 ? 0.5 : 0.1;
    });
    const std::vector<double> equal(sizes.size(), 1 / num_strata);
    double truth_of_equal = 0;
    for (size_t k = 0; k < sizes.size(); ++k) truth_of_equal += records.mean(0, k) / num_strata;
    const double truth = records.mean(0, sizes.size());
    std::vector<int> held(sizes.size(), 0);
    int overall = 0;
    int weighted = 0;
    for (int i = 0; i < kRuns; ++i) {
      const MeansRelease release = simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
      for (size_t k = 0; k < sizes.size(); ++k) {
        const MeanEstimate& estimate = release.at(k, 0);
        held[k] += std::fabs(estimate.mean - records.mean(0, k)) <= estimate.half_width ? 1 : 0;
      }
      // The figure is cut to the bounds, which hold the truth.
      const NoisyMean by_size = summarise_column(plan, release, 0, {}, {false, {}}).overall;
      const NoisyMean by_weight = summarise_column(plan, release, 0, equal, {false, {}}).overall;
      overall += std::fabs(by_size.mean - truth) <= by_size.half_width ? 1 : 0;
      weighted += std::fabs(by_weight.mean - truth_of_equal) <= by_weight.half_width ? 1 : 0;
    }
    std::printf("%s, private sizes: seed %llu, n %d, overall %d, equal weights %d, strata", method,
                static_cast<unsigned long long>(kSeed), kRuns, overall, weighted);
    for (const int count : held) std::printf(" %d", count);
    std::printf(", at least %g at %g\n", least, kSignificance);
    EXPECT_GE(overall, least);
    EXPECT_GE(weighted, least);
    for (const int count : held) EXPECT_GE(count, least);
  }
}

/// Noise of a few whole numbers, where a mean at 0.95 of the half range moves with each.
TEST(MeansStatistics, IntervalsHoldWithSizesOfLittleNoise) {
  constexpr int kRuns = 4000;
  const double least = boost::math::quantile(boost::math::binomial(kRuns, 0.95), kSignificance);
  const MadeUpRecords records = make_up({50}, [](size_t) { return 0.975; });
  for (const char* method : {"bounded", "laplace"}) {
    for (const double rho : {5.0, 12.0, 25.0, 40.0}) {
      MeansQuestion question = one_column(0, 1, {}, method, rho, {});
      question.num_strata = 1;
      question.private_sizes = true;
      question.config.relation = Relation::kZeroOut;
      const MeansPlan plan = plan_means(question);
      int held = 0;
      for (int i = 0; i < kRuns; ++i) {
        const MeanEstimate estimate =
            simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i)).at(0, 0);
        held += std::fabs(estimate.mean - records.mean(0, 0)) <= estimate.half_width ? 1 : 0;
      }
      std::printf("%s, rho %g, private sizes: seed %llu, n %d, held %d, at least %g at %g\n",
                  method, rho, static_cast<unsigned long long>(kSeed), kRuns, held, least,
                  kSignificance);
      EXPECT_GE(held, least) << method << " " << rho;
    }
  }
}

/// Far from the middle of the bounds the noise of a size moves a mean by more than that of the sum:
/// the clip of the last step must still hold the records, but with probability beta.
TEST(MeansStatistics, ClipsHoldTheRecordsWithPrivateSizes) {
  constexpr int kRuns = 2000;
  std::mt19937_64 random(kSeed);
  std::normal_distribution<double> normal(90, 1);
  const MadeUpRecords records = make_up({300}, [&](size_t) { return normal(random); });
  const auto [least, largest] = std::ranges::minmax_element(records.columns[0]);
  for (const char* method : {"coinpress", "coinpress_joint"}) {
    MeansQuestion question = one_column(-100, 100, 1.0, method, 0.125, {});
    question.num_strata = 1;
    question.private_sizes = true;
    question.size_share = 0.02;
    question.config.relation = Relation::kZeroOut;
    question.config.own.of<CoinpressOptions>().constants = ConstantsChoice::kPaper;
    const MeansPlan plan = plan_means(question);
    int lost = 0;
    for (int i = 0; i < kRuns; ++i) {
      const MeansRelease release = simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
      const MeanEstimate& estimate = release.at(0, 0);
      lost += estimate.clip_lower > static_cast<double>(*least) ||
                      estimate.clip_upper < static_cast<double>(*largest)
                  ? 1
                  : 0;
    }
    const double most = boost::math::quantile(boost::math::complement(
        boost::math::binomial(kRuns, question.config.own.of<CoinpressOptions>().beta),
        kSignificance));
    std::printf("%s, private sizes: seed %llu, n %d, records lost %d, at most %g at %g\n", method,
                static_cast<unsigned long long>(kSeed), kRuns, lost, most, kSignificance);
    EXPECT_LE(lost, most) << method;
  }
}

/// The sum of squares of independent draws has a chi-square distribution; both tails at the
/// significance.
TEST(MeansStatistics, NoiseHasThePlannedVariance) {
  constexpr int kRuns = 20'000;
  const MadeUpRecords records = make_up({50, 20}, [](size_t k) { return k == 0 ? 30.0 : 50.0; });
  MeansQuestion question = one_column(0, 100, {}, "bounded", 0.3, {50, 20});
  question.overall_share = 0.2;
  const MeansPlan plan = plan_means(question);
  double of_stratum = 0;
  double of_overall = 0;
  double product = 0;
  for (int i = 0; i < kRuns; ++i) {
    const MeansRelease release = simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
    const double a = (release.at(0, 0).mean - records.mean(0, 0)) / plan.predicted_noise(0, 50);
    const double b =
        (release.overall[0]->mean - records.mean(0, 2)) / release.overall[0]->noise_stddev;
    of_stratum += a * a;
    of_overall += b * b;
    product += a * b;
  }
  const boost::math::chi_squared distribution(kRuns);
  const double low = boost::math::quantile(distribution, kSignificance / 2);
  const double high =
      boost::math::quantile(boost::math::complement(distribution, kSignificance / 2));
  std::printf("noise: seed %llu, n %d, squares %.5g and %.5g, within %.5g and %.5g at %g\n",
              static_cast<unsigned long long>(kSeed), kRuns, of_stratum, of_overall, low, high,
              kSignificance);
  for (const double squares : {of_stratum, of_overall}) {
    EXPECT_GT(squares, low);
    EXPECT_LT(squares, high);
  }
  // Draws of their own: the product of two independent normals has variance 1.
  EXPECT_LT(std::fabs(product) / std::sqrt(static_cast<double>(kRuns)), 5.5);
}

/// Overall figures and parity on strata that differ by levels of two columns: what shrinking takes
/// for granted. It must not lose to figures as they came out, and where noise is large must win.
TEST(MeansStatistics, ShrinkingHelps) {
  constexpr int kRuns = 300;
  std::vector<size_t> sizes;
  std::vector<std::vector<size_t>> levels;
  for (size_t a = 0; a < 4; ++a) {
    for (size_t b = 0; b < 5; ++b) {
      sizes.push_back(20 + 100 * ((a * 7 + b * 3) % 5));
      levels.push_back({a, b});
    }
  }
  const auto truth = [&](size_t k) {
    return 40 + 4.0 * static_cast<double>(levels[k][0]) - 3.0 * static_cast<double>(levels[k][1]) +
           static_cast<double>((k * 5) % 3);
  };
  for (const double rho : {0.002, 0.1, 10.0}) {
    const MeansPlan plan = plan_means(
        one_column(0, 100, {}, "bounded", rho, std::vector<double>(sizes.begin(), sizes.end())));
    const MadeUpRecords records = make_up(sizes, truth);
    RootMeanSquare raw;
    RootMeanSquare to_mean;
    RootMeanSquare crossed;
    for (int i = 0; i < kRuns; ++i) {
      const MeansRelease release = simulate(plan, records.view(), kSeed + static_cast<uint64_t>(i));
      const auto strata = [&](const Shrinking& shrinking) {
        return summarise_column(plan, release, 0, {}, shrinking).strata;
      };
      const std::vector<double> of_raw = strata({false, {}});
      const std::vector<double> of_mean = strata({true, {}});
      const std::vector<double> of_crossed = strata({true, levels});
      for (size_t k = 0; k < sizes.size(); ++k) {
        raw.add(of_raw[k] - truth(k));
        to_mean.add(of_mean[k] - truth(k));
        crossed.add(of_crossed[k] - truth(k));
      }
    }
    std::printf("shrinking at rho %g: seed %llu, n %d, raw %.4g, to the mean %.4g, crossed %.4g\n",
                rho, static_cast<unsigned long long>(kSeed), kRuns, raw.value(), to_mean.value(),
                crossed.value());
    EXPECT_LT(to_mean.value(), raw.value() * 1.02) << rho;
    EXPECT_LT(crossed.value(), to_mean.value() * 1.02) << rho;
    if (rho < 1) {
      EXPECT_LT(crossed.value(), 0.8 * raw.value()) << rho;
    }
  }
}

}  // namespace equinoise::means_stat_test
