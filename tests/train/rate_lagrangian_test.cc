// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/rate_lagrangian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "equinoise/constraints/constraint_reader.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/rate_clip.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/shared_vectors.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"

namespace equinoise::rate_lagrangian_test {

using testing::expect_close;
using testing::shared_program;

std::shared_ptr<const RateProgram> program_of(const std::vector<RateConstraint>& constraints,
                                              const ConstraintDomain& domain) {
  return std::make_shared<const RateProgram>(testing::compiled(constraints, domain));
}

std::vector<uint32_t> places_of(const RateLagrangian& rates, const EncodedTable& table,
                                const std::vector<uint32_t>& records) {
  const std::vector<uint32_t> all = rates.places(table);
  std::vector<uint32_t> places;
  for (const uint32_t record : records) places.push_back(all[record]);
  return places;
}

/// A case of raco_step.json as our objects. Its parameters are (classes, features + 1), ours the
/// other way round.
struct Case {
  explicit Case(const nlohmann::json& c)
      : domain(testing::domain_of(c)),
        program(program_of(
            parse_constraints_json(testing::constraint_file(c["constraints"]), "vectors", domain),
            domain)),
        table(testing::dense_table(c["X"], c["y"], c["num_features"])),
        num_outputs(c["kind"] == "logistic" ? 1 : domain.classes.size()) {
    table.classes = domain.classes;
    const bool has_contexts = program->num_contexts == c["cells"].size();
    for (const nlohmann::json& context : c["attribute_combo"])
      table.groups.push_back(GroupId(has_contexts ? context.get<uint32_t>() : 0));
    if (num_outputs == 1) {
      model = std::make_unique<LogisticModel>(table.feature_names, table.classes);
    } else {
      model = std::make_unique<SoftmaxModel>(table.feature_names, table.classes);
    }
    batch_size = c["sample_rate"].get<double>() * c["num_records"].get<double>();
  }

  RateClip clip(const nlohmann::json& c) const {
    RateLagrangianConfig config;
    config.batch_size = batch_size;
    config.num_outputs = num_outputs;
    config.dual_learning_rate = c["dual_learning_rate"];
    config.max_multiplier = c["lambda_max"];
    config.inverse_temperature = c["tau"];
    config.hard_histogram = c["histogram"] == "hard";
    config.histogram_decay = c["ema_decay"];
    config.mean_moves_multipliers = true;  // the rule of the vectors
    RateLagrangian rates(program, config);
    std::vector<double> state = {c["step"]};
    for (const double value : c["lambda"].get<std::vector<double>>()) state.push_back(value);
    for (const double value : c["ema_state"].get<std::vector<double>>()) state.push_back(value);
    // Nothing is averaged so far; in all steps together are so many that no group has too few.
    state.resize(3 * state.size() - 2 - program->num_cells, 0.0);
    state.resize(state.size() + program->num_cells, 1e9);
    rates.restore(state);
    const nlohmann::json& rule = c["clip"];
    const double allowance = rule["rule"] == "adaptive"
                                 ? rule["kappa"].get<double>() * rule["feature_norm"].get<double>()
                                 : 0;
    return {rule["max_grad_norm"], allowance, std::move(rates)};
  }

  std::vector<double> flat(const nlohmann::json& values) const {
    if (num_outputs == 1) return values;
    std::vector<double> result;
    for (size_t j = 0; j < values[0].size(); ++j) {
      for (const nlohmann::json& row : values) result.push_back(row[j]);
    }
    return result;
  }

  ConstraintDomain domain;
  std::shared_ptr<const RateProgram> program;
  EncodedTable table;
  size_t num_outputs;
  std::unique_ptr<Model> model;
  double batch_size = 0;
};

void expect_all(std::span<const double> got, const std::vector<double>& want,
                const nlohmann::json& tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t j = 0; j < got.size(); ++j)
    expect_close(got[j], want[j], tolerance, what + " " + std::to_string(j));
}

TEST(RateLagrangian, StepsAreThoseOfTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/raco_step.json");
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c["id"].get<std::string>());
    const Case given(c);
    RateClip clip = given.clip(c);
    RateLagrangian& rates = *clip.term();
    std::vector<double> theta = given.flat(c["theta"]);
    for (size_t t = 0; t < c["steps"].size(); ++t) {
      const nlohmann::json& want = c["expected"]["steps"][t];
      const std::vector<uint32_t> batch = c["steps"][t]["batch"];
      PerSample samples;
      std::vector<double> shares;
      given.model->score({given.table, batch}, theta, samples);
      rates.predict(samples.output_gradient, shares);
      std::vector<int64_t> units(rates.num_sums(), 0);
      rates.add_sums(places_of(rates, given.table, batch), shares, {}, units);
      // Each record's shares are truncated.
      for (size_t cell = 0; cell < units.size(); ++cell) {
        EXPECT_NEAR(std::ldexp(static_cast<double>(units[cell]), -RateLagrangian::kUnitBits),
                    want["histogram"][cell].get<double>(),
                    1e-6 * static_cast<double>(batch.size()));
      }

      rates.take_sums(want["noisy_histogram"].get<std::vector<double>>());
      expect_all(rates.cell_weights(), want["cell_weights"], c["tolerance_double"], "weight");
      expect_all(rates.multipliers(), want["lambda_next"], c["tolerance_double"], "multiplier");
      // The vectors' rule takes the largest push, ours the mean: the same where there is one.
      if (c["clip"]["rule"] == "fixed" || rates.num_sums() == 2) {
        expect_close(clip.bound(), want["clip_norm"], c["tolerance_double"], "clip bound");
      } else {
        EXPECT_LT(clip.bound(), want["clip_norm"]);
        EXPECT_GT(clip.bound(), c["clip"]["max_grad_norm"]);
      }
      std::vector<double> added;
      rates.gradient(places_of(rates, given.table, batch), shares, added);
      given.model->differentiate({given.table, batch}, added, samples);
      std::vector<double> weights(batch.size());
      const std::vector<GroupId> groups(batch.size(), GroupId(0));
      FlatClip(want["clip_norm"]).weights({samples.squared_norm, groups}, weights);
      std::vector<double> sum(theta.size(), 0.0);
      given.model->add_weighted_sum({given.table, batch}, samples, weights, sum);
      for (size_t i = 0; i < batch.size(); ++i) {
        expect_close(std::sqrt(samples.squared_norm[i]), want["grad_norm"][i], c["tolerance"],
                     "norm");
        expect_close(weights[i], want["clip_weight"][i], c["tolerance"], "clip weight");
        std::vector<double> one(batch.size(), 0.0);
        one[i] = 1;
        std::vector<double> gradient(theta.size(), 0.0);
        given.model->add_weighted_sum({given.table, batch}, samples, one, gradient);
        expect_all(gradient, given.flat(want["per_sample_gradient"][i]), c["tolerance"],
                   "gradient");
      }
      expect_all(sum, given.flat(want["clipped_sum"]), c["tolerance"], "sum");
      const std::vector<double> noise = given.flat(c["steps"][t]["gradient_noise"]);
      for (size_t j = 0; j < theta.size(); ++j) {
        theta[j] -= c["learning_rate"].get<double>() * (sum[j] + noise[j]) / given.batch_size;
      }
      expect_all(theta, given.flat(want["theta_next"]), c["tolerance"], "parameter");
    }
  }
}

/// Neighbours under zero_out: one record becomes the null record. Whatever the constraints and the
/// predictions, the histogram changes by at most one record, in L1.
TEST(RateLagrangian, ARecordChangesTheHistogramByAtMostOne) {
  EncodedTable table = testing::mixed_table(200, 3);
  for (size_t i = 0; i < table.labels.size(); ++i)
    table.groups.push_back(GroupId(static_cast<uint32_t>(i % 6)));
  const LogisticModel model(table.feature_names, table.classes);
  std::vector<double> theta(model.num_parameters(), 0.0);
  for (size_t j = 0; j < theta.size(); ++j) theta[j] = std::sin(static_cast<double>(j));
  const ConstraintDomain domain = testing::sex_and_race();
  std::vector<RateConstraint> constraints;
  for (const char* line : {"equalized_odds:sex,race:0.1", "precision:sex=F:0.7", "fnr:0.1"}) {
    for (RateConstraint& constraint : parse_constraint(line, domain))
      constraints.push_back(std::move(constraint));
  }
  const auto program = program_of(constraints, domain);
  ASSERT_EQ(program->num_contexts, 6);
  const std::vector<uint32_t> records = testing::all_records(table);
  for (const bool hard : {true, false}) {
    RateLagrangianConfig config;
    config.hard_histogram = hard;
    const RateLagrangian rates(program, config);
    PerSample samples;
    std::vector<double> shares;
    model.score({table, records}, theta, samples);
    rates.predict(samples.output_gradient, shares);
    const auto histogram = [&] {
      std::vector<int64_t> units(rates.num_sums(), 0);
      rates.add_sums(rates.places(table), shares, {}, units);
      return units;
    };
    const std::vector<int64_t> whole = histogram();
    int64_t largest = 0;
    for (const uint32_t record : records) {
      table.contributes[record] = 0;
      const std::vector<int64_t> without = histogram();
      table.contributes[record] = 1;
      int64_t change = 0;
      for (size_t cell = 0; cell < whole.size(); ++cell)
        change += std::abs(whole[cell] - without[cell]);
      largest = std::max(largest, change);
    }
    constexpr int64_t kOne = int64_t{1} << RateLagrangian::kUnitBits;
    EXPECT_LE(largest, kOne);
    EXPECT_GE(largest, kOne - 2);  // attained, but for truncation
  }
}

TEST(RateLagrangian, WhatIsNotThereIsNotCounted) {
  EncodedTable table = testing::mixed_table(4, 3);
  table.groups = {GroupId(0), GroupId(1), GroupId(7), GroupId(0)};
  table.contributes[0] = 0;
  const RateLagrangian rates(shared_program("demographic_parity:sex:0.05"), {});
  const std::vector<uint32_t> records = testing::all_records(table);
  std::vector<double> shares;
  rates.predict(std::vector<double>{1, 2, 3, std::nan("")}, shares);
  std::vector<int64_t> units(rates.num_sums(), 0);
  rates.add_sums(rates.places(table), shares, {}, units);
  EXPECT_EQ(units, (std::vector<int64_t>{0, 0, 0, int64_t{1} << RateLagrangian::kUnitBits}));
}

/// The slope of sum_j multiplier_j * constraint_j at each score, by central differences, times the
/// records of the batch.
TEST(RateLagrangian, GradientsAreThoseOfTheConstraints) {
  for (const size_t num_classes : {size_t{2}, size_t{3}}) {
    SCOPED_TRACE(num_classes);
    EncodedTable table = testing::mixed_table(40, 3);
    ConstraintDomain domain = testing::sex_and_race();
    if (num_classes == 3) {
      domain.classes.emplace_back("other");
      for (size_t i = 0; i < table.labels.size(); i += 3) table.labels[i] = 2;
    }
    for (size_t i = 0; i < table.labels.size(); ++i)
      table.groups.push_back(GroupId(static_cast<uint32_t>(i % 2)));
    const auto program = shared_program("equalized_odds:sex:0.01", domain);
    RateLagrangianConfig config;
    config.batch_size = 40;
    config.num_outputs = num_classes == 2 ? 1 : 3;
    config.inverse_temperature = 1.7;
    config.hard_histogram = false;
    config.histogram_decay = 0;
    std::vector<double> scores(40 * config.num_outputs);
    for (size_t i = 0; i < scores.size(); ++i) scores[i] = std::sin(static_cast<double>(3 * i));
    const std::vector<uint32_t> records = testing::all_records(table);
    const auto histogram_at = [&](const RateLagrangian& rates, std::vector<double>& shares) {
      rates.predict(scores, shares);
      std::vector<double> histogram(rates.num_sums(), 0.0);
      for (size_t i = 0; i < 40; ++i) {
        const auto cells = program->cells_of(index_of(table.groups[i]), table.labels[i]);
        for (size_t k = 0; k < num_classes; ++k) {
          if (cells[k] != RateProgram::kNoCell)
            histogram[static_cast<size_t>(cells[k])] += shares[i * num_classes + k];
        }
      }
      return histogram;
    };
    RateLagrangian rates(program, config);
    std::vector<double> shares;
    rates.take_sums(histogram_at(rates, shares));  // now some multipliers are not 0
    const std::vector<double> multipliers(rates.multipliers().begin(), rates.multipliers().end());
    ASSERT_GT(*std::ranges::max_element(multipliers), 0);
    RateLagrangian next = rates;
    next.take_sums(histogram_at(rates, shares));
    std::vector<double> added;
    next.gradient(next.places(table), shares, added);
    double largest = 0;
    for (size_t s = 0; s < scores.size(); ++s) {
      const double at = scores[s];
      const auto value = [&](double score) {
        scores[s] = score;
        std::vector<double> ignored;
        const RateValues values = rate_values(*program, histogram_at(rates, ignored), 1);
        double sum = 0;
        for (size_t j = 0; j < multipliers.size(); ++j)
          sum += multipliers[j] * values.constraints[j];
        return sum;
      };
      const double slope = 40 * (value(at + 1e-4) - value(at - 1e-4)) / 2e-4;
      scores[s] = at;
      EXPECT_NEAR(added[s], slope, 1e-6);
    }
    for (size_t i = 0; i < 40; ++i) {
      double squared = 0;
      for (size_t k = 0; k < config.num_outputs; ++k)
        squared += std::pow(added[i * config.num_outputs + k], 2);
      largest = std::max(largest, std::sqrt(squared));
    }
    EXPECT_GT(largest, 0.2 * next.typical_gradient());
    EXPECT_LT(largest, 5 * next.typical_gradient());
  }
}

/// Cells that several labels or values of attributes share count once.
TEST(RateLagrangian, TheTypicalGradientIsTheMeanOverRecords) {
  const ConstraintDomain domain = testing::sex_and_race();
  std::vector<RateConstraint> constraints =
      parse_constraint("pred_rate:sex=F,race=White:0.1", domain);
  constraints.push_back(parse_constraint("pred_rate:sex=M:0.1", domain)[0]);
  RateLagrangianConfig config;
  config.batch_size = 512;
  RateLagrangian rates(program_of(constraints, domain), config);
  ASSERT_EQ(rates.num_sums(), 4);
  // 10 white women and 400 men, half of both predicted positive.
  const std::vector<double> histogram = {5, 5, 200, 200};
  rates.take_sums(histogram);
  rates.take_sums(histogram);
  // Multipliers 0.05 * 0.4; a group's push is 512 * multiplier / its records.
  EXPECT_NEAR(rates.typical_gradient(), 512 * (0.02 + 0.02) / 410 / 4, 1e-12);
}

/// Of 4 and 508 records, whatever the multiplier says, nobody is pushed by more than the limit, and
/// the push of both groups together stays balanced; where the limit is far nothing changes.
TEST(RateLagrangian, NobodyIsPushedBeyondTheLimit) {
  const auto program = shared_program("demographic_parity:sex:0.05");
  RateLagrangianConfig config;
  config.batch_size = 512;
  config.dual_learning_rate = 10;
  config.clip_allowance = 0.75;
  const auto weights_of = [&](double push_limit, const std::vector<double>& histogram) {
    config.push_limit = push_limit;
    RateLagrangian rates(program, config);
    for (int step = 0; step < 3; ++step) rates.take_sums(histogram);
    EXPECT_GT(*std::ranges::max_element(rates.multipliers()), 5);
    return std::vector<double>(rates.cell_weights().begin(), rates.cell_weights().end());
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> few = {4, 0, 254, 254};
  const std::vector<double> free = weights_of(infinity, few);
  const std::vector<double> held = weights_of(2, few);
  // Push at a logit, of a record of each sex: a quarter of the range of its cells' weights.
  const auto push = [](const std::vector<double>& weights, size_t group) {
    return 512 * std::fabs(weights[2 * group + 1] - weights[2 * group]) / 4;
  };
  EXPECT_GT(push(free, 0), 150);
  // The bound is 1 + 0.75 m where m is the mean push: that of 4 records and of 508.
  const double mean = (4 * push(held, 0) + 508 * push(held, 1)) / 512;
  EXPECT_NEAR(push(held, 0), 2 * (1 + 0.75 * mean), 0.01);
  EXPECT_NEAR(push(held, 1) / push(held, 0), 4.0 / 508, 1e-9);
  EXPECT_NEAR(push(free, 1) / push(free, 0), 4.0 / 508, 1e-9);

  const std::vector<double> many = {200, 56, 100, 156};
  EXPECT_EQ(weights_of(100, many), weights_of(infinity, many));
}

/// What is added up is the step's own numerators over the denominators of the mean, with which the
/// rule of the vectors has the mean's numerators as well.
TEST(RateLagrangian, MultipliersFollowTheUnsmoothedViolation) {
  const auto program = shared_program("pred_rate:0.25");
  ASSERT_EQ(program->num_cells, 2);
  const uint32_t positive = program->rates[0].numerator[0];
  RateLagrangianConfig config;
  config.histogram_decay = 0.5;
  config.dual_learning_rate = 1;
  const auto multiplier_after = [&](bool by_mean) {
    config.mean_moves_multipliers = by_mean;
    RateLagrangian rates(program, config);
    const auto take = [&](double num_positive, double num_records) {
      std::vector<double> histogram(2, num_records - num_positive);
      histogram[positive] = num_positive;
      rates.take_sums(histogram);
    };
    take(8, 10);
    take(9, 22);
    return rates.multipliers()[0];
  };
  // First both are 0.8 of 10. Then the mean is (8 + 2 * 9) / 3 of (10 + 2 * 22) / 3 = 18.
  EXPECT_NEAR(multiplier_after(false), (0.8 - 0.25) + (9.0 / 18 - 0.25), 1e-12);
  EXPECT_NEAR(multiplier_after(true), (0.8 - 0.25) + (26.0 / 54 - 0.25), 1e-12);
}

/// A denominator of nobody counts as one record, so noise would move a multiplier by all of itself.
TEST(RateLagrangian, ACellOfNobodyMovesMultipliersByARateAtMost) {
  const auto program = shared_program("precision:sex=F:0.7");
  const uint32_t right = program->rates[0].numerator[0];
  RateLagrangianConfig config;
  config.dual_learning_rate = 1;
  config.max_multiplier = 100;
  RateLagrangian rates(program, config);
  ASSERT_EQ(program->num_cells, 2);
  std::vector<double> histogram(2, 0.0);
  rates.take_sums(histogram);
  for (const double noise : {50.0, -50.0, 50.0, -50.0}) {
    const double before = rates.multipliers()[0];
    histogram[right] = noise;
    histogram[1 - right] = -noise;
    rates.take_sums(histogram);
    EXPECT_EQ(rates.values().denominators[0], 1);
    const double smoothed = rates.values().rates[0];
    EXPECT_NEAR(rates.multipliers()[0],
                std::max(before - smoothed - (noise > 0 ? 1 : -1) + 0.7, 0.0), 1e-12);
  }
}

/// Every fourth batch has one, every second one of whom is predicted positive.
TEST(RateLagrangian, AGroupOfLessThanARecordHasItsOwnRate) {
  const auto program = shared_program("pred_rate:sex=F:0.4");
  ASSERT_EQ(program->num_cells, 2);
  const uint32_t positive = program->rates[0].numerator[0];
  RateLagrangianConfig config;
  config.dual_learning_rate = 1e-3;
  RateLagrangian rates(program, config);
  for (int step = 0; step < 4000; ++step) {
    std::vector<double> histogram(2, 0.0);
    if (step % 4 == 3) histogram[step % 8 == 3 ? positive : 1 - positive] = 1;
    rates.take_sums(histogram);
  }
  EXPECT_NEAR(rates.values().denominators[0], 0.25, 1e-12);
  EXPECT_NEAR(rates.values().rates[0], 0.5, 0.1);
  // Taken for a record in each batch, one in eight would be positive, and nothing amiss.
  EXPECT_NEAR(rates.multipliers()[0], 4000 * 1e-3 * (0.5 - 0.4), 0.05);
}

/// The steps after the first two alone.
TEST(RateLagrangian, TracesAreOfTheStepsThatAreAveraged) {
  RateLagrangianConfig config;
  config.histogram_decay = 0;
  config.first_averaged_step = 2;
  config.dual_learning_rate = 1;
  config.max_multiplier = 1;
  RateLagrangian rates(shared_program("pred_rate:0.25"), config);
  ASSERT_EQ(rates.num_sums(), 2);
  const auto take = [&](double positive) {
    std::vector<double> histogram(2, 10 - positive);
    const auto cell = rates.program().rates[0].numerator[0];
    histogram[cell] = positive;
    rates.take_sums(histogram);
  };
  take(10);
  take(10);
  EXPECT_TRUE(rates.traces(1).empty());
  take(0);
  take(5);
  const std::vector<ConstraintTrace> traces = rates.traces(2);
  ASSERT_EQ(traces.size(), 1);
  // Of a mean of 2.5 among 10 records. Multipliers: 0.75, 1, then 0.75 and 1 again.
  EXPECT_NEAR(traces[0].mean, 0.25, 1e-12);
  EXPECT_NEAR(traces[0].spread, 0.25, 1e-12);
  EXPECT_TRUE(traces[0].at_limit);
  // Slopes 0.075 and -0.025; variances of two steps' mean, and of each from it.
  const double variance = std::pow(0.075, 2) * (4 + 2.5) / 2 + std::pow(0.025, 2) * (4 + 7.5) / 2;
  EXPECT_NEAR(traces[0].mean_stddev, std::sqrt(variance), 1e-12);
  EXPECT_NEAR(traces[0].explained, std::sqrt(variance), 1e-12);
  EXPECT_GT(traces[0].limit, traces[0].explained);
}

/// A rate whose denominator holds less than one record of a batch is no figure of the constraint.
TEST(RateLagrangian, OfHardlyAnybodyThereIsNoTrace) {
  const RateLagrangianConfig config;
  RateLagrangian rates(shared_program("pred_rate:0.25"), config);
  rates.take_sums(std::vector<double>{0.25, 0.5});
  const ConstraintTrace trace = rates.traces(0).at(0);
  for (const double figure :
       {trace.mean, trace.mean_stddev, trace.spread, trace.explained, trace.limit})
    EXPECT_TRUE(std::isnan(figure));
}

/// What traces say of chance is what chance does to a model that stands still: the error of the
/// mean, the spread, and how rarely that is beyond its limit.
TEST(RateLagrangian, TracesOfAModelThatStandsStillAreAsTheySay) {
  constexpr uint64_t kSeed = 20261203;
  constexpr int kRuns = 4000;
  constexpr int kSteps = 60;
  constexpr double kNoise = 5;
  // Of kRuns trials of probability 1e-3 more succeed with a probability below 1e-6.
  constexpr int kMaxBeyond = 16;
  const auto program = shared_program("demographic_parity:sex:0.1");
  const std::vector<double> expected = {150, 50, 80, 120};
  for (const auto& [decay, first] :
       std::vector<std::pair<double, int64_t>>{{0, 30}, {0.9, 59}, {0.97, 30}, {0.97, 0}}) {
    RateLagrangianConfig config;
    config.histogram_decay = decay;
    config.first_averaged_step = first;
    std::mt19937_64 random(kSeed);
    std::normal_distribution<double> noise(0, kNoise);
    double sum = 0;
    double sum_of_squares = 0;
    double told = 0;
    double spread = 0;
    double explained = 0;
    int num_beyond = 0;
    for (int run = 0; run < kRuns; ++run) {
      RateLagrangian rates(program, config);
      for (int step = 0; step < kSteps; ++step) {
        std::vector<double> histogram;
        for (const double mean : expected) {
          std::poisson_distribution<int> count(mean);
          histogram.push_back(count(random) + noise(random));
        }
        rates.take_sums(histogram);
      }
      const ConstraintTrace trace = rates.traces(kNoise)[0];
      sum += trace.mean;
      sum_of_squares += trace.mean * trace.mean;
      told += trace.mean_stddev;
      spread += trace.spread * trace.spread;
      explained += trace.explained * trace.explained;
      if (trace.spread > trace.limit) ++num_beyond;
    }
    const double mean = sum / kRuns;
    const double stddev = std::sqrt(sum_of_squares / kRuns - mean * mean);
    std::printf(
        "decay %g, first %d: scatter %.5f, told %.5f; spread %.5f, explained %.5f; %d beyond, at "
        "most %d; seed %llu, %d runs\n",
        decay, static_cast<int>(first), stddev, told / kRuns, std::sqrt(spread / kRuns),
        std::sqrt(explained / kRuns), num_beyond, kMaxBeyond,
        static_cast<unsigned long long>(kSeed), kRuns);
    // The standard deviation of kRuns values errs by 1 in sqrt(2 kRuns); at significance 1e-6 that
    // is 4.9 times, and a little for what is left out beyond the first order. A run's spread is one
    // of few independent values, so a mean square errs by less than sqrt(2 / kRuns) of itself.
    EXPECT_NEAR(told / kRuns / stddev, 1, 4.9 / std::sqrt(2.0 * kRuns) + 0.01);
    if (first == kSteps - 1) {
      EXPECT_NEAR(explained, 0, 1e-12);
    } else {
      EXPECT_NEAR(spread / explained, 1, 4.9 * std::sqrt(2.0 / kRuns) + 0.02);
    }
    EXPECT_LE(num_beyond, kMaxBeyond);
  }
}

/// Steps of an interval have the same multipliers and weights, which their mean moves at its end.
TEST(RateLagrangian, MovesAtTheEndOfAnInterval) {
  const auto program = shared_program("fnr:0.1");
  RateLagrangianConfig config;
  config.dual_interval = 3;
  config.histogram_decay = 0;
  RateLagrangian rates(program, config);
  for (const std::vector<double>& histogram : {std::vector<double>{20, 10}, {30, 20}, {10, 30}}) {
    EXPECT_EQ(rates.multipliers()[0], 0);
    EXPECT_EQ(rates.cell_weights()[0], 0);
    rates.take_sums(histogram);
  }
  // A false negative rate of a half in the mean, three steps' worth of what is missed.
  EXPECT_NEAR(rates.multipliers()[0], 3 * 0.05 * (0.5 - 0.1), 1e-15);
  // Already with the multipliers that this has made.
  EXPECT_NEAR(rates.cell_weights()[0], rates.multipliers()[0] / 40, 1e-15);
  EXPECT_EQ(rates.traces(1).size(), 1);
  EXPECT_NEAR(rates.traces(1)[0].mean, 0.5, 1e-15);
  // The noise of a mean of three.
  EXPECT_NEAR(rates.smoothed_stddev(6), 6 / std::sqrt(3), 1e-15);
}

TEST(RateLagrangian, GoesOnWithinAnInterval) {
  const auto program = shared_program("fnr:0.1");
  RateLagrangianConfig config;
  config.dual_interval = 2;
  RateLagrangian one(program, config);
  RateLagrangian other(program, config);
  for (int step = 0; step < 5; ++step) {
    one.take_sums(std::vector<double>{9, 4.0 + step});
    other.restore(one.state());
    EXPECT_EQ(one.state(), other.state()) << step;
    EXPECT_EQ(one.cell_weights()[0], other.cell_weights()[0]) << step;
    EXPECT_EQ(one.typical_gradient(), other.typical_gradient()) << step;
  }
}

/// Of a group with less than a record in a batch the steps so far are asked: those that the last
/// move has seen, wherever within the next interval a run is resumed.
TEST(RateLagrangian, GoesOnWithinAnIntervalOfAGroupOfFew) {
  const auto program = shared_program("fnr:0.1");
  RateLagrangianConfig config;
  config.dual_interval = 3;
  config.histogram_decay = 0;
  RateLagrangian one(program, config);
  for (int step = 0; step < 8; ++step) {
    one.take_sums(std::vector<double>{0.1 * (step % 4), 0.3});
    RateLagrangian other(program, config);
    other.restore(one.state());
    EXPECT_EQ(one.cell_weights()[0], other.cell_weights()[0]) << step;
    EXPECT_EQ(one.typical_gradient(), other.typical_gradient()) << step;
    EXPECT_EQ(one.widened(1), other.widened(1)) << step;
  }
  EXPECT_NE(one.cell_weights()[0], 0);
}

TEST(RateLagrangian, GoesOnFromItsState) {
  const auto program = shared_program("demographic_parity:sex:0.05");
  RateLagrangian one(program, {});
  one.take_sums(std::vector<double>{9, 4, 2, 7});
  RateLagrangian other(program, {});
  other.restore(one.state());
  for (RateLagrangian* rates : {&one, &other}) rates->take_sums(std::vector<double>{3, 4, 2, 5});
  EXPECT_EQ(one.state(), other.state());
  EXPECT_EQ(one.traces(1)[0].mean, other.traces(1)[0].mean);
  EXPECT_EQ(one.traces(1)[0].spread, other.traces(1)[0].spread);
  EXPECT_EQ(one.typical_gradient(), other.typical_gradient());
  EXPECT_ERROR(kRuntime, HasSubstr("does not belong to these constraints"),
               one.restore(std::vector<double>{1, 2}));
  std::vector<double> wrong = one.state();
  wrong[1] = 21;  // beyond the largest multiplier
  EXPECT_ERROR(kRuntime, HasSubstr("does not belong to these constraints"), one.restore(wrong));
}

}  // namespace equinoise::rate_lagrangian_test
