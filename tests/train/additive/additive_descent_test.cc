// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/additive_descent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "equinoise/models/additive.h"
#include "tests/models/model_cases.h"
#include "tests/vector_maths.h"

namespace equinoise::additive_descent_test {
namespace {

/// A table in cells, and a design of its exact counts.
struct Example {
  EncodedTable numbers;
  std::unique_ptr<Model> model = {};
  EncodedTable cells = {};
  AdditiveDescentConfig config = {};

  const AdditiveModel& additive() const { return dynamic_cast<const AdditiveModel&>(*model); }
};

Example example_of(size_t num_classes, int64_t num_records, uint64_t seed) {
  const testing::ModelCase kind = {"additive", num_classes};
  Example made{testing::table_for(kind, num_records, seed)};
  made.model = testing::make_model(kind, made.numbers);
  made.cells = made.additive().in_cells(made.numbers);
  made.config.target = num_classes == 0   ? AdditiveTarget::kNumber
                       : num_classes == 2 ? AdditiveTarget::kTwoClasses
                                          : AdditiveTarget::kClasses;
  made.config.num_scores = made.model->num_outputs();
  made.config.num_rounds = 20;
  return made;
}

AdditiveDesign design_of(const Example& example) {
  std::vector<ColumnBins> columns;
  std::vector<std::vector<double>> lines;
  for (size_t c = 0; c < example.cells.num_active; ++c) {
    const uint32_t end =
        c + 1 < example.cells.num_active ? example.cells.blocks[c + 1] : example.cells.num_features;
    ColumnBins& column = columns.emplace_back();
    std::vector<double>& line = lines.emplace_back();
    for (uint32_t cell = 0; cell < end - example.cells.blocks[c]; ++cell) {
      column.of_cell.push_back(c < 3 ? cell / 8 : cell);  // four of each number
      if (c < 3) line.push_back(example.additive().cells()[c].position_of(cell));
    }
    column.counts.assign(column.of_cell.back() + 1, 0.0);
    for (int64_t i = 0; i < example.cells.num_records; ++i)
      column.counts[column.of_cell[example.cells.active_row(i)[c] - example.cells.blocks[c]]] += 1;
  }
  return {std::move(columns), std::move(lines), 1};
}

/// What the model's gradient is along the coefficients, by its own parameters.
TEST(AdditiveGradients, AreThoseOfTheModelAlongTheDesign) {
  for (const size_t num_classes : {0U, 2U, 3U}) {
    const Example example = example_of(num_classes, 200, 3);
    const AdditiveDesign design = design_of(example);
    const double length = additive_length(design, example.config);
    const AdditiveGradients gradients(example.cells, design, example.config, length);
    const size_t size = design.num_features() * example.config.num_scores;
    std::vector<double> coefficients(size);
    for (size_t k = 0; k < size; ++k) coefficients[k] = 0.2 * std::sin(static_cast<double>(k));
    std::vector<int64_t> units;
    gradients.sum_up(coefficients, units);
    const auto loss = [&](const std::vector<double>& at) {
      const Predictions predicted =
          example.model->predict(example.numbers, design.parameters(at, example.config.num_scores));
      return testing::total(predicted.loss);
    };
    for (size_t k = 0; k < size; ++k) {
      EXPECT_NEAR(static_cast<double>(units[k]) * gradients.grid(),
                  -testing::partial(loss, coefficients, k, 1e-5), 1e-3)
          << num_classes << " classes, " << k;
    }
  }
}

TEST(AdditiveGradients, AreTheSameOnAnyNumberOfThreads) {
  for (const size_t num_classes : {0U, 2U, 3U}) {
    Example example = example_of(num_classes, 3 * kRecordsWorthAThread + 77, 4);
    const AdditiveDesign design = design_of(example);
    const std::vector<double> coefficients(design.num_features() * example.config.num_scores, 0.1);
    std::vector<std::vector<int64_t>> found;
    for (const int threads : {1, 2, 3, 7}) {
      example.config.threads = threads;
      const AdditiveGradients gradients(example.cells, design, example.config, 1.0);
      gradients.sum_up(coefficients, found.emplace_back());
      EXPECT_EQ(found.back(), found.front()) << threads << " threads";
    }
  }
}

/// One record becomes null, or one that was null has whatever values: the sums change by no more
/// than the sensitivity, which is attained.
TEST(AdditiveGradients, ARecordChangesTheSumsByNoMoreThanTheSensitivity) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal;
  for (const size_t num_classes : {0U, 2U, 3U}) {
    double largest = 0;
    for (int trial = 0; trial < 60; ++trial) {
      Example example = example_of(num_classes, 60, static_cast<uint64_t>(trial));
      AdditiveDesign design = design_of(example);
      if (trial % 2 == 1) {
        std::vector<bool> hidden(design.parts().back() + 1);
        for (size_t part = 0; part + 1 < hidden.size(); ++part) hidden[part] = generator() % 2 == 0;
        design = design.without(hidden);
      }
      AdditiveDescentConfig config = example.config;
      config.noise = std::pow(10, normal(generator));
      const double length = std::pow(10, normal(generator) - 1);
      if (num_classes == 0 && trial % 3 == 0) example.cells.targets[5] = 1e30F;
      const size_t size = design.num_features() * config.num_scores;
      std::vector<double> coefficients(size);
      for (double& coefficient : coefficients) coefficient = 2 * normal(generator);
      std::vector<int64_t> with;
      const AdditiveGradients gradients(example.cells, design, config, length);
      gradients.sum_up(coefficients, with);
      EncodedTable neighbour = example.cells;
      neighbour.contributes[5] = 0;
      std::vector<int64_t> without;
      AdditiveGradients(neighbour, design, config, length).sum_up(coefficients, without);
      const double change = testing::distance(with, without);
      EXPECT_LE(change, gradients.sensitivity());
      largest = std::max(largest, change / gradients.sensitivity());
    }
    EXPECT_GT(largest, 0.98) << "no record came near the bound, which then proves little";
  }
}

/// A line is one coefficient, the bins of a column are many.
TEST(AdditiveRates, FollowWhatNoiseLeavesToTell) {
  const Example example = example_of(2, 400, 3);
  const AdditiveDesign design = design_of(example);
  AdditiveDescentConfig config = example.config;
  config.noise = 10;
  const std::vector<double> rates = additive_rates(design, config);
  config.noise = 40;
  const std::vector<double> slower = additive_rates(design, config);
  config.noise = 0;
  const std::vector<double> most = additive_rates(design, config);
  ASSERT_EQ(rates.size(), 5 + 3 + 1);  // columns, lines, the constant
  for (size_t part = 0; part < rates.size(); ++part) {
    const bool has_bins = part < 5;
    EXPECT_NEAR(rates[part] / slower[part], has_bins ? 2 : 4, 1e-9) << part;
    EXPECT_LT(rates[part], most[part]) << part;
    EXPECT_EQ(most[part], 4) << part;
  }
  config.target = AdditiveTarget::kNumber;
  EXPECT_EQ(additive_rates(design, config)[0], 1);
}

/// A hundred columns that say the same: steps that suit each of them would swing out together.
/// Numbers at one end of their bounds have lines that are nearly constant.
TEST(AdditiveDescent, IsStableWhereAllColumnsSayTheSame) {
  const std::vector<double> no_line;
  const std::vector<double> at_one_end = {-2, -1.9, -1.8, -1.7};
  for (const size_t kind : {0U, 2U, 3U, 8U, 10U, 12U, 13U}) {
    const size_t num_classes = kind % 10;
    const std::vector<double>& line = kind < 10 ? no_line : at_one_end;
    Example example = example_of(num_classes, 300, 5);
    EncodedTable& cells = example.cells;
    const std::vector<uint32_t> once = cells.active;
    constexpr uint32_t kCopies = 100;
    std::vector<ColumnBins> columns(kCopies, ColumnBins{{0, 1, 2, 3}, std::vector<double>(4, 0.0)});
    cells.active.clear();
    cells.blocks.clear();
    for (uint32_t c = 0; c < kCopies; ++c) cells.blocks.push_back(4 * c);
    for (size_t i = 0; i < 300; ++i) {
      const uint32_t category = once[5 * i + 3] - 99;
      for (uint32_t c = 0; c < kCopies; ++c) {
        cells.active.push_back(4 * c + category);
        columns[c].counts[category] += 1;
      }
    }
    cells.num_active = kCopies;
    cells.num_features = 4 * kCopies;
    const AdditiveDesign design(columns, std::vector<std::vector<double>>(kCopies, line), 1);
    example.config.num_rounds = 200;
    const double length = additive_length(design, example.config);
    const AdditiveGradients gradients(cells, design, example.config, length);
    const AdditiveState found = descend_additive(
        gradients, [](int64_t, std::vector<int64_t>&) {}, [](int64_t, auto) { return true; });
    for (const double coefficient : found.coefficients)
      EXPECT_LT(std::fabs(coefficient), 3) << num_classes;
  }
}

/// Each column of the example's training records adds 0 on average, up to numbers within their
/// bins.
TEST(AdditiveDesign, ParametersAreDifferencesToTheMean) {
  for (const size_t num_classes : {0U, 2U, 3U}) {
    const Example example = example_of(num_classes, 200, 3);
    const AdditiveDesign design = design_of(example);
    const size_t scores = example.config.num_scores;
    std::vector<double> coefficients(design.num_features() * scores);
    for (size_t k = 0; k < coefficients.size(); ++k)
      coefficients[k] = 0.2 * std::sin(static_cast<double>(k));
    const std::vector<double> parameters = design.parameters(coefficients, scores);
    for (size_t s = 0; s < scores; ++s) {
      for (size_t c = 3; c < example.cells.num_active; ++c) {  // categories
        double sum = 0;
        for (int64_t i = 0; i < example.cells.num_records; ++i)
          sum += parameters[example.cells.active_row(i)[c] * scores + s];
        EXPECT_NEAR(sum, 0, 0.05) << num_classes << " classes, column " << c;
      }
    }
  }
}

TEST(AdditiveDescent, LowersTheLossAndLeavesAloneWhatNoiseHides) {
  for (const size_t num_classes : {0U, 2U, 3U}) {
    Example example = example_of(num_classes, 400, 8);
    const AdditiveDesign design = design_of(example);
    const auto loss_after = [&](double noise) {
      AdditiveDescentConfig config = example.config;
      config.noise = noise;
      const double length = additive_length(design, config);
      const AdditiveGradients gradients(example.cells, design, config, length);
      int64_t rounds = 0;
      // The noise that is allowed for is not drawn: signals stay as they are.
      const std::vector<double> found =
          descend_additive(
              gradients, [](int64_t, std::vector<int64_t>&) {},
              [&](int64_t, std::span<const double>) { return ++rounds > 0; })
              .coefficients;
      EXPECT_EQ(rounds, config.num_rounds);
      if (noise > 100) {
        EXPECT_EQ(found, std::vector<double>(found.size(), 0.0));
      }
      const Predictions predicted =
          example.model->predict(example.numbers, design.parameters(found, config.num_scores));
      return testing::total(predicted.loss);
    };
    const double nothing = loss_after(1e6);
    EXPECT_LT(loss_after(0), 0.99 * nothing) << num_classes;
    EXPECT_LT(loss_after(0), loss_after(3) + 1e-9) << num_classes;
  }
}

/// The features of hidden parts are 0, the others stay.
TEST(AdditiveDesign, WithoutSomePartsHasTheOthers) {
  const Example example = example_of(2, 200, 3);
  const AdditiveDesign design = design_of(example);
  std::vector<bool> hidden(design.parts().back() + 1);
  hidden[1] = hidden[3] = true;  // the bins of a number, categories
  hidden[5] = true;              // the line of the first number
  const AdditiveDesign left = design.without(hidden);
  const std::vector<int64_t> of_cells(design.num_cells(), 7);
  std::vector<double> before(design.num_features());
  std::vector<double> after(before.size());
  design.feature_sums(of_cells, 90, before);
  left.feature_sums(of_cells, 90, after);
  for (size_t j = 0; j < before.size(); ++j) {
    const bool is_hidden = hidden[design.parts()[j]];
    EXPECT_EQ(after[j], is_hidden ? 0 : before[j]) << j;
    EXPECT_EQ(left.squares()[j], is_hidden ? 0 : design.squares()[j]) << j;
  }
  std::vector<uint32_t> cells;
  for (size_t c = 0; c < 5; ++c)
    cells.push_back(example.cells.active_row(0)[c] - example.cells.blocks[c]);
  EXPECT_LT(left.squared_norm(cells), design.squared_norm(cells));
  EXPECT_EQ(design.without(std::vector<bool>(hidden.size(), false)).squared_norm(cells),
            design.squared_norm(cells));
}

/// Sums of two parts stand out; the length that the others gave up makes noise smaller.
TEST(AdditiveDescent, GoesOnWithoutPartsThatNoiseHides) {
  const Example example = example_of(3, 200, 3);
  const AdditiveDesign design = design_of(example);
  AdditiveDescentConfig config = example.config;
  config.noise = 2;
  const AdditiveGradients gradients(example.cells, design, config, 1.5);
  const size_t size = design.num_features();
  const size_t num_parts = design.parts().back() + size_t{1};
  const double noise_of_sum = 1.5 * config.noise * std::sqrt(20 * 4);  // 4 of 20 rounds
  const auto left_of = [&](const std::vector<size_t>& strong, AdditiveState& state) {
    state.num_rounds = 4;
    state.coefficients.assign(size * config.num_scores, 0.25);
    state.sum.clear();
    for (size_t k = 0; k < state.coefficients.size(); ++k) {
      const bool is_strong = std::ranges::find(strong, design.parts()[k % size]) != strong.end();
      state.sum.push_back((is_strong ? 1.1 : 0.9) * noise_of_sum);
    }
    return without_hidden_parts(gradients, state);
  };
  AdditiveState state;
  const AdditiveDesign left = left_of({1, 6}, state);
  for (size_t k = 0; k < state.coefficients.size(); ++k) {
    const uint32_t part = design.parts()[k % size];
    const bool stays = part == 1 || part == 6 || part + 1 == num_parts;
    EXPECT_EQ(left.squares()[k % size] > 0, stays) << k;
    EXPECT_EQ(state.coefficients[k], stays ? 0.25 : 0) << k;
  }
  EXPECT_LT(additive_length(left, config), additive_length(design, config));

  // With most parts in sight all stay, and keep what they have.
  const AdditiveDesign all = left_of({0, 1, 2, 3}, state);
  EXPECT_TRUE(std::ranges::equal(all.squares(), design.squares()));
  for (const double coefficient : state.coefficients) EXPECT_EQ(coefficient, 0.25);
}

}  // namespace
}  // namespace equinoise::additive_descent_test
