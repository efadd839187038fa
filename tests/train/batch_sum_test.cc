// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/batch_sum.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <set>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/models/mlp.h"
#include "equinoise/models/per_group_model.h"
#include "equinoise/models/registry.h"
#include "equinoise/train/group_weight_clip.h"
#include "tests/small_tables.h"

namespace equinoise::batch_sum_test {

constexpr uint32_t kSide = 16;  // of images

/// Every kind of model, and one model for each group.
const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const ModelRow& row : model_kinds()) names.emplace_back(row.name);
    names.emplace_back("per group");
    return names;
  }();
  return all;
}

/// A table of so many rows, in groups of three, that the model can learn.
EncodedTable table_for(const std::string& kind, int64_t num_rows, uint64_t seed) {
  const bool needs_image = kind == "cnn" || kind == "lenet";
  EncodedTable table = needs_image ? testing::image_table(num_rows, kSide, seed)
                                   : testing::mixed_table(num_rows, seed);
  if (kind == "softmax") {
    table.classes.emplace_back("maybe");
    for (size_t i = 0; i < table.labels.size(); i += 4) table.labels[i] = 2;
  } else if (kind == "linear") {
    for (size_t i = 0; i < table.labels.size(); ++i)
      table.targets.push_back(0.25F * static_cast<float>(i % 3) + table.labels[i]);
    table.labels.clear();
    table.classes.clear();
  }
  table.groups.assign(static_cast<size_t>(num_rows), GroupId{0});
  return table;
}

std::unique_ptr<Model> make_model(const std::string& kind, const EncodedTable& table) {
  const NetworkOptions small = {{6, 5}, ActivationKind::kTanh, {3}, 3, PoolingKind::kAverage};
  for (const ModelRow& row : model_kinds()) {
    if (row.name != (kind == "per group" ? "logistic" : kind)) continue;
    std::unique_ptr<Model> model =
        row.make({table.feature_names, table.classes, ImageShape{1, kSide, kSide}, 0,
                  testing::mixed_cells()},
                 row.settle != nullptr ? row.settle(small) : small);
    if (kind != "per group") return model;
    return make_per_group(std::move(model), {"a", "b", "c"});
  }
  return nullptr;
}

/// Every clip policy with that clip, of three groups where it has some.
std::vector<std::unique_ptr<ClipPolicy>> policies(double clip) {
  std::vector<std::unique_ptr<ClipPolicy>> all;
  all.push_back(std::make_unique<FlatClip>(clip));
  all.push_back(std::make_unique<GlobalClip>(clip, 3 * clip));
  all.push_back(std::make_unique<GlobalAdaptClip>(clip, StrictBoundConfig{3 * clip, 1, 0.1, 5}));
  all.push_back(std::make_unique<GroupClip>(clip, 3, ThresholdRule::kPaper, 4 * clip));
  all.push_back(std::make_unique<GroupWeightClip>(std::vector{0.7, 1.0, 2.5},
                                                  std::vector{clip, clip / 3, clip * 1.7}));
  return all;
}

/// Rows of units: `sizes[u]` of unit u, whose group is u % 3.
EncodedTable with_units(EncodedTable table, std::span<const uint32_t> sizes) {
  table.unit_begin.assign(1, 0);
  for (size_t u = 0; u < sizes.size(); ++u) {
    for (uint32_t i = 0; i < sizes[u]; ++i)
      table.groups[table.unit_begin.back() + i] = GroupId{static_cast<uint32_t>(u % 3)};
    table.unit_begin.push_back(table.unit_begin.back() + sizes[u]);
  }
  return table;
}

/// Makes the rows of a unit what an adversary might choose: the same again with another target, so
/// that gradients cancel, values that are huge, tiny or no numbers, null rows, or all alike.
void make_extreme(std::mt19937& random, uint32_t unit, EncodedTable& table) {
  const auto of = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const uint32_t begin = table.unit_begin[unit];
  const uint32_t end = table.unit_begin[unit + 1];
  const uint32_t kind = of(6);
  const float scale = std::array{1e-30F, 1.0F, 1e3F, 1e9F, 1e18F, 3e38F}[of(6)];
  for (uint32_t row = begin; row < end; ++row) {
    float* dense = table.dense.data() + size_t{row} * table.num_dense;
    const float* first = table.dense.data() + size_t{begin} * table.num_dense;
    if (kind <= 2) std::copy_n(first, table.num_dense, dense);  // alike, but for what follows
    if (kind <= 1 && !table.labels.empty())
      table.labels[row] = static_cast<uint16_t>((row - begin) % table.classes.size());
    if (kind <= 1 && !table.targets.empty())
      table.targets[row] = (row - begin) % 2 == 0 ? scale : -scale;
    if (kind == 1 && row + 1 == end) dense[0] += 1e-7F;  // next to nothing is left
    if (kind >= 2 || row == begin)
      for (uint32_t j = 0; j < table.num_dense; ++j) dense[j] *= scale;
    if (kind == 4 && of(2) == 0) dense[of(table.num_dense)] = std::nanf("");
    if (kind == 5 && of(2) == 0) table.contributes[row] = 0;
  }
}

using Squares = long double;

/// Makes the table's eight rows one unit of rows that nearly cancel. Clipped to these shares of its
/// norm it is as long as the clip, nearly, and never longer.
void expect_cancelling_rows_within_bound(const EncodedTable& others, const Model& model,
                                         const std::vector<double>& parameters,
                                         const std::vector<double>& shares) {
  const std::vector<uint32_t> unit = {0};
  for (const float change : {0.3F, 0.1F, 0.03F, 0.01F, 1e-3F, 1e-5F}) {
    EncodedTable table = with_units(others, std::vector<uint32_t>{8});
    for (uint32_t row = 1; row < 8; ++row) {
      const float factor = row % 2 == 1 ? 1 + change * static_cast<float>(row) : 1;
      for (uint32_t j = 0; j < table.num_dense; ++j)
        table.dense[row * table.num_dense + j] = factor * table.dense[j];
      std::copy_n(table.active.data(), table.num_active,
                  table.active.data() + size_t{row} * table.num_active);
    }
    for (uint32_t row = 0; row < 8 && !table.labels.empty(); ++row)
      table.labels[row] = static_cast<uint16_t>(row % 2);
    for (uint32_t row = 0; row < 8 && !table.targets.empty(); ++row)
      table.targets[row] = row % 2 == 0 ? 1 : -1;
    const NoClip none;
    const auto plain = make_batch_sum<double>(table, model, none, 1);
    double norm = 0;
    for (const double entry : plain->compute({unit}, parameters, 0)) norm += entry * entry;
    norm = std::sqrt(norm);
    if (norm == 0) continue;  // of bins alone
    for (const double share : shares) {
      const FlatClip clip(share * norm);
      const auto sums = make_batch_sum<int64_t>(table, model, clip, 1);
      const double grid = power_of_two_below(clip.bound()) * 0x1p-57;
      __int128 squared = 0;
      for (const int64_t entry : sums->compute({unit}, parameters, grid))
        squared += static_cast<__int128>(entry) * entry;
      const auto limit = static_cast<__int128>(clip.bound() / grid);
      ASSERT_TRUE(squared <= limit * limit) << change << " " << share;
      EXPECT_GT(std::sqrt(static_cast<double>(squared)) * grid, 0.98 * clip.bound())
          << change << " " << share;
    }
  }
}

class BatchSumOfUnits : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, BatchSumOfUnits, ::testing::ValuesIn(kinds()),
                         [](const auto& name) {
                           return name.param == "per group" ? "PerGroup" : name.param;
                         });

/// A search for the worst unit. Where all its rows go, or become null, the sum changes by what the
/// unit adds alone, whoever else is in the batch, which is at most the bound, in exact arithmetic.
/// The fine grid is so fine that truncation hides no rounding error; on the other one networks
/// round the sum of the batch.
TEST_P(BatchSumOfUnits, AUnitOfAnyRowsChangesTheSumByAtMostTheBound) {
  constexpr uint32_t kUnits = 6;
  constexpr uint32_t kChanged = 2;
  std::mt19937 random(41);
  double closest = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<uint32_t> sizes;
    for (uint32_t u = 0; u < kUnits; ++u) sizes.push_back(random() % 4);
    sizes[kChanged] = 1 + static_cast<uint32_t>(random() % 7);
    int64_t num_rows = 0;
    for (const uint32_t size : sizes) num_rows += size;
    EncodedTable table =
        with_units(table_for(GetParam(), num_rows, static_cast<uint64_t>(trial)), sizes);
    make_extreme(random, kChanged, table);
    const std::unique_ptr<Model> model = make_model(GetParam(), table);
    std::vector<double> parameters = model->initial_parameters(static_cast<uint64_t>(trial));
    const double spread = std::array{0.0, 0.3, 5.0}[trial % 3];
    for (size_t j = 0; j < parameters.size(); ++j)
      parameters[j] += spread * std::sin(3 * static_cast<double>(j) + 1);
    EncodedTable null_unit = table;
    std::fill(null_unit.contributes.begin() + table.unit_begin[kChanged],
              null_unit.contributes.begin() + table.unit_begin[kChanged + 1], uint8_t{0});
    EncodedTable without = table;
    {
      // The same without the unit's rows, so that all others stand elsewhere in a tile.
      std::vector<uint32_t> fewer = sizes;
      fewer[kChanged] = 0;
      EncodedTable cut = table;
      for (uint32_t row = table.unit_begin[kChanged + 1]; row-- > table.unit_begin[kChanged];)
        cut = testing::without_record(std::move(cut), row);
      without = with_units(std::move(cut), fewer);
    }
    for (const double clip : {1e-20, 0.7, 1.7320508075688772}) {
      for (const auto& policy : policies(clip)) {
        const double bound = policy->bound();
        const double grid = power_of_two_below(bound) * 0x1p-57;
        const auto sum_on = [&](double grid_of_sum, const EncodedTable& of,
                                std::vector<uint32_t> units) {
          const auto sums = make_batch_sum<int64_t>(of, *model, *policy, 1);
          const std::span<const int64_t> found = sums->compute({units}, parameters, grid_of_sum);
          return std::vector<int64_t>(found.begin(), found.end());
        };
        const auto sum = [&](const EncodedTable& of, std::vector<uint32_t> units) {
          return sum_on(grid, of, std::move(units));
        };
        const std::vector<uint32_t> everybody = {0, 1, 2, 3, 4, 5};
        const std::vector<int64_t> with = sum(table, everybody);
        const std::vector<int64_t> alone = sum(table, {kChanged});
        const std::vector<int64_t> nobody = sum(null_unit, everybody);
        ASSERT_EQ(nobody, sum(without, everybody));
        const auto limit = static_cast<__int128>(bound / grid);
        __int128 squared = 0;
        for (size_t j = 0; j < with.size(); ++j) {
          ASSERT_EQ(with[j] - nobody[j], alone[j]) << j;
          squared += static_cast<__int128>(alone[j]) * alone[j];
        }
        ASSERT_TRUE(squared <= limit * limit) << "trial " << trial << " clip " << clip;
        closest = std::max(closest, std::sqrt(static_cast<double>(squared)) * grid / bound);
        const double coarse = power_of_two_below(bound) * 0x1p-20;
        const std::vector<int64_t> coarse_with = sum_on(coarse, table, everybody);
        const std::vector<int64_t> coarse_without = sum_on(coarse, null_unit, everybody);
        double moved = 0;
        for (size_t j = 0; j < with.size(); ++j)
          moved += std::pow(static_cast<double>(coarse_with[j] - coarse_without[j]), 2);
        ASSERT_LE(std::sqrt(moved) * coarse, bound + model->sum_error(coarse));
      }
    }
  }
  // The search has found units that are clipped.
  EXPECT_GT(closest, 0.999);
}

/// Rows that cancel, of which more and more is truncated next to what is left of their sum; and
/// which are longer than any row that is added as a record, if next to nothing is left.
TEST_P(BatchSumOfUnits, RowsThatCancelStayWithinTheBound) {
  const EncodedTable table = table_for(GetParam(), 8, 4);
  const std::unique_ptr<Model> model = make_model(GetParam(), table);
  std::vector<double> parameters = model->initial_parameters(5);
  const std::vector<std::string> names = model->parameter_names();
  const std::string last = names.back().substr(0, names.back().find(' '));
  for (size_t j = 0; j < names.size(); ++j)
    if (names[j].starts_with(last)) parameters[j] *= 1e-3;  // predictions are nearly alike
  expect_cancelling_rows_within_bound(table, *model, parameters, {0.01, 0.4, 0.999, 1.0});
}

/// Where all neurons are alike, so are their values and what truncation takes from these.
TEST(BatchSum, RowsThatCancelInWideLayersOfLikeNeuronsStayWithinTheBound) {
  const EncodedTable table = table_for("mlp", 8, 4);
  const auto model =
      make_mlp(table.feature_names, make_softmax_loss(2), {{128, 128}, ActivationKind::kTanh});
  std::vector<double> parameters;
  for (const std::string& name : model->parameter_names())
    parameters.push_back(name.starts_with("layer3") && name.ends_with("-> 1") ? -0.02 : 0.02);
  std::vector<double> shares;
  for (int i = 1; i <= 60; ++i) shares.push_back(i / 61.0);
  expect_cancelling_rows_within_bound(table, *model, parameters, shares);
}

/// The sum over a unit is that of its rows' gradients, however long it is.
TEST_P(BatchSumOfUnits, AUnitsGradientIsTheSumOfItsRows) {
  const std::vector<uint32_t> sizes = {3, 1, 400, 0, 5};
  const EncodedTable table = with_units(table_for(GetParam(), 409, 8), sizes);
  const std::unique_ptr<Model> model = make_model(GetParam(), table);
  const std::vector<double> parameters = model->initial_parameters(3);
  std::vector<double> expected(model->num_parameters(), 0.0);
  PerSample samples;
  for (const uint32_t row : testing::all_records(table)) {
    const std::vector<uint32_t> one = {row};
    model->per_sample({table, one}, parameters, samples);
    model->add_weighted_sum({table, one}, samples, std::vector{1.0}, expected);
  }
  const NoClip clip;
  const auto sums = make_batch_sum<double>(table, *model, clip, 1);
  const std::vector<uint32_t> units = {0, 1, 2, 3, 4};
  const std::span<const double> found = sums->compute({units}, parameters, 0);
  for (size_t j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(found[j], expected[j], 1e-9 * (1 + std::fabs(expected[j]))) << j;
}

/// Whatever the way in which a unit is added: of one row, of several that pull alike, of some that
/// nearly cancel, of more than a tile.
TEST_P(BatchSumOfUnits, IntegersAreThoseOfTheClippedGradientUpToTruncation) {
  EncodedTable table =
      with_units(table_for(GetParam(), 2412, 8), std::vector<uint32_t>{1, 4, 2, 5, 2400});
  for (const uint32_t row : {6, 8, 9, 10, 11}) {
    // As the row before, but for the target.
    std::copy_n(table.dense.data() + size_t{row - 1} * table.num_dense, table.num_dense,
                table.dense.data() + size_t{row} * table.num_dense);
    std::copy_n(table.active.data() + size_t{row - 1} * table.num_active, table.num_active,
                table.active.data() + size_t{row} * table.num_active);
    if (!table.labels.empty()) table.labels[row] = table.labels[row - 1] == 0 ? 1 : 0;
  }
  table.dense[size_t{6} * table.num_dense] += 1e-3F;
  const std::unique_ptr<Model> model = make_model(GetParam(), table);
  const std::vector<double> parameters = model->initial_parameters(3);
  for (const double clip : {0.02, 0.7, 40.0}) {
    const FlatClip policy(clip);
    const auto sums = make_batch_sum<int64_t>(table, *model, policy, 1);
    const auto exact = make_batch_sum<double>(table, *model, policy, 1);
    for (uint32_t unit = 0; unit < 5; ++unit) {
      const std::vector<uint32_t> one = {unit};
      const double grid = power_of_two_below(clip) * 0x1p-34;
      const std::span<const int64_t> found = sums->compute({one}, parameters, grid);
      const std::span<const double> expected = exact->compute({one}, parameters, 0);
      double squared = 0;
      for (size_t j = 0; j < found.size(); ++j)
        squared += std::pow(grid * static_cast<double>(found[j]) - expected[j], 2);
      EXPECT_LE(std::sqrt(squared), clip * 0x1p-9) << "unit " << unit << " clip " << clip;
    }
  }
}

TEST_P(BatchSumOfUnits, GradientSumsStandOnceAndDoNotDependOnTheirPlace) {
  const EncodedTable table = with_units(table_for(GetParam(), 24, 5), std::vector<uint32_t>(3, 8));
  const std::unique_ptr<Model> model = make_model(GetParam(), table);
  const std::vector<double> parameters = model->initial_parameters(3);
  const std::vector<uint32_t> all = testing::all_records(table);
  const std::vector<double> weights = {1, 0, 0.5, 1};
  const auto sum_at = [&](size_t first) {
    // Rows 10 to 13, in a batch that begins with another row.
    PerSample samples;
    const auto batch = std::span(all).subspan(first, std::min<size_t>(all.size(), 16) - first);
    model->per_sample({table, batch}, parameters, samples);
    GradientSum sum;
    for (int again = 0; again < 2; ++again)
      model->sum_gradients({table, batch.subspan(10 - first, 4)}, samples, 10 - first, weights,
                           sum);
    return sum;
  };
  const GradientSum whole = sum_at(0);
  for (const size_t first : {1, 3, 10}) {
    const GradientSum part = sum_at(first);
    EXPECT_EQ(part.indices, whole.indices) << first;
    EXPECT_EQ(part.values, whole.values) << first;
  }
  EXPECT_EQ(std::set(whole.indices.begin(), whole.indices.end()).size(), whole.indices.size());
  for (const double zero : whole.scratch) EXPECT_EQ(zero, 0);
  std::vector<double> expected(model->num_parameters(), 0.0);
  PerSample samples;
  model->per_sample({table, std::span(all).subspan(10, 4)}, parameters, samples);
  model->add_weighted_sum({table, std::span(all).subspan(10, 4)}, samples, weights, expected);
  std::vector<double> found(model->num_parameters(), 0.0);
  for (size_t i = 0; i < whole.values.size(); ++i)
    found[whole.indices.empty() ? i : whole.indices[i]] = whole.values[i];
  for (size_t j = 0; j < found.size(); ++j) EXPECT_NEAR(found[j], expected[j], 1e-12) << j;
}

TEST_P(BatchSumOfUnits, ThreadsChangeNothing) {
  const EncodedTable table =
      with_units(table_for(GetParam(), 1000, 6), std::vector<uint32_t>(500, 2));
  const std::unique_ptr<Model> model = make_model(GetParam(), table);
  const std::vector<double> parameters = model->initial_parameters(3);
  std::vector<uint32_t> units(500);
  std::iota(units.begin(), units.end(), 0U);
  const GlobalAdaptClip clip(0.5, {1, 0.5, 0.1, 500});
  const auto one = make_batch_sum<int64_t>(table, *model, clip, 1);
  const auto one_plain = make_batch_sum<double>(table, *model, clip, 1);
  const std::span<const int64_t> sum = one->compute({units}, parameters, 0x1p-30);
  const std::span<const double> plain = one_plain->compute({units}, parameters, 0);
  for (const int threads : {2, 3}) {
    const auto several = make_batch_sum<int64_t>(table, *model, clip, threads);
    EXPECT_TRUE(std::ranges::equal(several->compute({units}, parameters, 0x1p-30), sum));
    EXPECT_EQ(several->counts()[0], one->counts()[0]);
    const auto several_plain = make_batch_sum<double>(table, *model, clip, threads);
    EXPECT_TRUE(std::ranges::equal(several_plain->compute({units}, parameters, 0), plain));
  }
}

/// One count for a unit of a long gradient, whatever its rows; none for one without a gradient.
TEST(BatchSum, PoliciesCountUnits) {
  EncodedTable table = with_units(table_for("logistic", 12, 2), std::vector<uint32_t>{5, 3, 0, 4});
  for (size_t row = 0; row < 5; ++row) {
    table.labels[row] = 1;
    table.dense[3 * row] = 100;
  }
  for (size_t row = 5; row < 8; ++row) table.dense[3 * row] = std::nanf("");
  const std::unique_ptr<Model> model = make_model("logistic", table);
  const std::vector<double> parameters(model->num_parameters(), 0.0);
  const std::vector<uint32_t> units = {0, 1, 2, 3};
  const GlobalAdaptClip adapts(1, {20, 1, 0.1, 4});
  const auto adapted = make_batch_sum<int64_t>(table, *model, adapts, 1);
  adapted->compute({units}, parameters, 0x1p-30);
  EXPECT_EQ(adapted->counts()[0], 1);
  const GroupClip groups(20, 3, ThresholdRule::kPaper, 40);
  const auto grouped = make_batch_sum<int64_t>(table, *model, groups, 1);
  const std::span<const int64_t> counts = grouped->count({units}, parameters);
  // Units 0 and 3 are of group 0; unit 1 has no gradient, unit 2 no rows.
  EXPECT_EQ(std::vector<int64_t>(counts.begin(), counts.end()),
            (std::vector<int64_t>{1, 0, 0, 1, 0, 0}));
}

/// What the passes of a first look gave is used: in all tiles, or the first ones of many.
TEST(BatchSum, SumsAreTheSameAfterACount) {
  for (const std::string kind : {"logistic", "mlp"}) {
    const EncodedTable table = with_units(table_for(kind, 3000, 6), std::vector<uint32_t>(1000, 3));
    const std::unique_ptr<Model> model = make_model(kind, table);
    const std::vector<double> parameters = model->initial_parameters(3);
    std::vector<uint32_t> units(1000);
    std::iota(units.begin(), units.end(), 0U);
    const GroupClip clip(0.5, 3, ThresholdRule::kPaper, 2);
    const auto sums = make_batch_sum<int64_t>(table, *model, clip, 2);
    const std::span<const int64_t> sum = sums->compute({units}, parameters, 0x1p-30);
    const std::vector<int64_t> expected(sum.begin(), sum.end());
    sums->count({units}, parameters);
    EXPECT_TRUE(std::ranges::equal(sums->compute({units}, parameters, 0x1p-30), expected));
    sums->count({units}, parameters);
    units.pop_back();
    EXPECT_THROW(sums->compute({units}, parameters, 0x1p-30), Error);
  }
}

TEST(BatchSum, AUnitOfAnUnknownGroupAddsNothing) {
  EncodedTable table = with_units(table_for("logistic", 6, 2), std::vector<uint32_t>{3, 3});
  for (size_t row = 3; row < 6; ++row) table.groups[row] = GroupId{3};
  const std::unique_ptr<Model> model = make_model("logistic", table);
  const std::vector<double> parameters(model->num_parameters(), 0.0);
  const GroupWeightClip clip({1, 1, 1}, {1, 1, 1});
  const auto sums = make_batch_sum<int64_t>(table, *model, clip, 1);
  const std::vector<uint32_t> unknown = {1};
  for (const int64_t entry : sums->compute({unknown}, parameters, 0x1p-30)) EXPECT_EQ(entry, 0);
}

}  // namespace equinoise::batch_sum_test
