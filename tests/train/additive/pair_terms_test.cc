// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/additive/pair_terms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/train/additive/column_histograms.h"
#include "tests/models/model_cases.h"
#include "tests/vector_maths.h"

namespace equinoise::pair_terms_test {
namespace {

struct Example {
  explicit Example(size_t num_classes)
      : numbers(testing::table_for({"additive", num_classes}, 600, 3)),
        made(testing::make_model({"additive", num_classes}, numbers)),
        model(dynamic_cast<const AdditiveModel&>(*made)),
        cells(model.in_cells(numbers)),
        histograms(model, cells, {}),
        design(histograms.design(histograms.count(cells, 1), 0, 600)) {
    config.num_scores = model.num_outputs();
    config.target = num_classes == 0   ? AdditiveTarget::kNumber
                    : num_classes == 2 ? AdditiveTarget::kTwoClasses
                                       : AdditiveTarget::kClasses;
  }

  EncodedTable numbers;
  std::unique_ptr<Model> made;
  const AdditiveModel& model;
  EncodedTable cells;
  ColumnHistograms histograms;
  AdditiveDesign design;
  AdditiveDescentConfig config;
};

std::vector<double> wavy(size_t size) {
  std::vector<double> values(size);
  for (size_t j = 0; j < size; ++j) values[j] = std::sin(3 * static_cast<double>(j) + 1);
  return values;
}

/// Scores in training, with those of single columns as offsets, are the model's, although parts of
/// a pair's term have moved to its columns.
TEST(PairTerms, TheModelScoresAsTrainingDid) {
  for (const size_t num_classes : {0U, 2U, 3U}) {
    const Example example(num_classes);
    const std::vector<std::array<size_t, 2>> columns = {{0, 3}, {1, 2}, {3, 4}};
    const size_t num_scores = example.config.num_scores;
    const std::vector<double> of_columns = wavy(example.design.num_features() * num_scores);
    const std::vector<double> column_parameters = example.design.parameters(of_columns, num_scores);
    const PairTerms terms(example.model, example.numbers, example.design, column_parameters,
                          columns, 1);
    EXPECT_EQ(terms.design().parts().back(), num_scores == 1 ? 5 : 3) << "two lines";
    const AdditiveGradients single(example.cells, example.design, example.config, 1);
    const AdditiveGradients both(terms.table(), terms.design(), example.config, 1,
                                 single.scores(column_parameters));
    const std::vector<double> of_pairs = wavy(terms.design().num_features() * num_scores);
    const std::vector<double> expected =
        both.scores(terms.design().parameters(of_pairs, num_scores));

    const std::vector<double> parameters = terms.parameters(
        column_parameters, terms.design().parameters(of_pairs, num_scores), num_scores);
    ASSERT_EQ(parameters.size(), terms.model()->num_parameters());
    const EncodedTable all = terms.model()->in_cells(example.numbers);
    for (size_t i = 0; i < 600; ++i) {
      for (size_t s = 0; s < num_scores; ++s) {
        double score = parameters[parameters.size() - num_scores + s];
        for (const uint32_t cell : all.active_row(static_cast<int64_t>(i)))
          score += parameters[cell * num_scores + s];
        EXPECT_NEAR(score, expected[i * num_scores + s], 1e-9);
      }
    }
  }
}

TEST(PairTerms, HaveOnlyWhatSingleColumnsHaveNot) {
  const Example example(2);
  const std::vector<std::array<size_t, 2>> columns = {{0, 3}};
  const PairTerms terms(example.model, example.numbers, example.design, {}, columns, 1, 4);
  const AdditivePair& pair = terms.model()->pairs()[0];
  EXPECT_EQ(pair.num_parts(0), 4);
  EXPECT_EQ(pair.num_parts(1), 4);
  const std::vector<double> parameters = terms.parameters(
      example.design.parameters(std::vector<double>(example.design.num_features(), 0.0), 1),
      terms.design().parameters(wavy(terms.design().num_features()), 1), 1);
  const std::vector<double> shares = example.design.cell_shares(3);
  const size_t first = parameters.size() - 1 - 16;
  double all = 0;
  for (size_t a = 0; a < 4; ++a) {
    double mean = 0;
    for (size_t cell = 0; cell < 4; ++cell)
      mean += shares[cell] * parameters[first + 4 * a + pair.parts[1][cell]];
    EXPECT_NEAR(mean, 0, 1e-12);
    all += std::fabs(parameters[first + 4 * a]);
  }
  EXPECT_GT(all, 0.1);
}

/// A line is the product of both positions: along the parts of a number it changes by one step for
/// each category, in opposite directions.
TEST(PairTerms, ALineIsASlopeThatDependsOnACategory) {
  const Example example(2);
  const std::vector<std::array<size_t, 2>> columns = {{0, 3}, {3, 4}};
  std::vector<double> of_columns(example.design.num_cells() + 1, 0.0);
  const std::vector<AdditiveTerm> single = example.design.terms();
  of_columns[single[3].first_cell] = 1;
  const PairTerms terms(example.model, example.numbers, example.design, of_columns, columns, 1, 4);
  const AdditiveDesign& design = terms.design();
  ASSERT_EQ(design.parts().back(), 3) << "no line for categories alone";
  std::vector<double> coefficients(design.num_features(), 0.0);
  coefficients[design.num_features() - 2] = 1;
  const std::vector<double> added = design.parameters(coefficients, 1);
  const auto slope = [&](size_t category, size_t part) {
    return added[4 * (part + 1) + category] - added[4 * part + category];
  };
  for (size_t part = 0; part < 3; ++part) {
    EXPECT_GT(std::fabs(slope(0, part)), 0.1);
    for (const size_t category : {1U, 2U, 3U}) {
      EXPECT_LT(slope(0, part) * slope(category, part), 0);
      EXPECT_NEAR(slope(category, part), slope(1, part), 1e-3);
    }
  }
  const PairTerms unknown(example.model, example.numbers, example.design, {}, columns, 1, 4);
  EXPECT_EQ(unknown.design().parts().back(), 2);
}

/// Lines of pairs count for the length of a record.
TEST(PairTerms, ARecordChangesTheSumsByNoMoreThanTheSensitivity) {
  const Example example(2);
  const std::vector<std::array<size_t, 2>> columns = {{0, 3}, {1, 2}};
  const std::vector<double> of_columns = wavy(example.design.num_cells() + 1);
  const PairTerms terms(example.model, example.numbers, example.design, of_columns, columns, 1);
  ASSERT_EQ(terms.design().parts().back(), 4) << "two lines";
  const std::vector<double> coefficients = wavy(terms.design().num_features());
  const AdditiveGradients gradients(terms.table(), terms.design(), example.config, 0.1);
  std::vector<int64_t> with;
  gradients.sum_up(coefficients, with);
  double largest = 0;
  for (size_t record = 0; record < 600; ++record) {
    EncodedTable neighbour = terms.table();
    neighbour.contributes[record] = 0;
    std::vector<int64_t> without;
    AdditiveGradients(neighbour, terms.design(), example.config, 0.1).sum_up(coefficients, without);
    const double change = testing::distance(with, without);
    EXPECT_LE(change, gradients.sensitivity());
    largest = std::max(largest, change / gradients.sensitivity());
  }
  EXPECT_GT(largest, 0.98) << "no record came near the bound, which then proves little";
}

TEST(PairTerms, PartsOfANumberAreNeighboursAndRareCategoriesAreOnePart) {
  const Example example(2);
  const std::vector<std::array<size_t, 2>> columns = {{2, 3}};
  const PairTerms terms(example.model, example.numbers, example.design, {}, columns, 1, 3);
  const AdditivePair& pair = terms.model()->pairs()[0];
  EXPECT_TRUE(std::is_sorted(pair.parts[0].begin(), pair.parts[0].end()));
  EXPECT_EQ(pair.num_parts(0), 3);
  EXPECT_EQ(pair.num_parts(1), 3);
  const std::vector<std::string> names = terms.model()->parameter_names();
  EXPECT_EQ(names[names.size() - 10].substr(0, 11), "dense2=0 to");
}

}  // namespace
}  // namespace equinoise::pair_terms_test
