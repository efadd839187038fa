// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "equinoise/tables/table_figures.h"
#include "tests/means/simulated_means.h"

namespace equinoise::testing {

/// A table by region and sex: income, skewed, and a category of three, each with gaps if asked for.
/// Its columns are those of the plan: the sum of incomes, their tree and ten cells of them, codes.
struct MadeUpTable {
  MadeUpRecords records;
  Grouping grouping;
  std::vector<TableGroup> groups;
  MeansPlan plan;
  std::vector<TableStatistic> statistics;

  TableFigures figures() const {
    return TableFigures(plan, static_cast<double>(records.strata.size()));
  }

  /// The figure without noise; nothing of a group without values.
  std::optional<double> exact(const TableStatistic& asked, const TableGroup& group,
                              size_t cell) const {
    const size_t first_counted = plan.question.columns.size();
    const bool is_sum = asked.statistic == Statistic::kMean || asked.statistic == Statistic::kTotal;
    const size_t column = asked.column.empty() ? 0 : asked.index + (is_sum ? 0 : first_counted);
    const StratifiedRecords view = records.view();
    std::vector<std::pair<double, double>> values;  // with their weights
    double n = 0;
    for (size_t i = 0; i < records.strata.size(); ++i) {
      const uint32_t stratum =
          asked.column.empty() ? records.strata[i] : view.strata_for(column)[i];
      if (std::ranges::count(group.strata, stratum) == 0) continue;
      values.emplace_back(records.columns[column][i],
                          records.weights.empty() ? 1 : records.weights[i]);
      n += values.back().second;
    }
    if (asked.statistic == Statistic::kCount) return n;
    double sum = 0;
    double in_cell = 0;
    const CellColumn* counted = is_sum ? nullptr : &plan.question.counted[asked.index];
    for (const auto& [value, weight] : values) {
      sum += weight * value;
      if (counted == nullptr) continue;
      const double width =
          (counted->upper - counted->lower) / static_cast<double>(counted->num_value_cells());
      const double place = std::floor((value - counted->lower) / width);
      if (std::clamp(place, 0.0, static_cast<double>(counted->num_value_cells() - 1)) ==
          static_cast<double>(cell))
        in_cell += weight;
    }
    if (asked.statistic == Statistic::kTotal) return sum;
    if (asked.statistic == Statistic::kHistogram) return in_cell;
    if (values.empty()) return std::nullopt;
    if (asked.statistic == Statistic::kMean) return sum / n;
    if (asked.statistic == Statistic::kShare) return in_cell / n;
    std::ranges::sort(values);
    double below = 0;
    for (const auto& [value, weight] : values) {
      below += weight;
      if (below >= asked.level * n) return value;
    }
    return values.back().first;
  }
};

struct TableSetting {
  bool private_sizes = true;
  bool has_gaps = false;
  double rho = 0.5;
  std::vector<size_t> sizes = {3000, 300, 300, 30};  ///< of two regions by two sexes
  std::function<double(std::mt19937_64&, size_t stratum)> draw = nullptr;
  bool by_weight = false;  ///< skewed ones, of a fifth of the largest on average
};

inline MadeUpTable make_up_table(const TableSetting& setting, uint64_t seed) {
  constexpr double kUpper = 1000;
  std::mt19937_64 random(seed);
  MadeUpTable table;
  table.records = make_up(setting.sizes, [&](size_t k) {
    const double drawn =
        setting.draw
            ? setting.draw(random, k)
            : 100 * std::exp(std::normal_distribution<>(0.3 * static_cast<double>(k))(random));
    return std::clamp(drawn, 0.0, kUpper);
  });
  std::vector<std::vector<double>>& columns = table.records.columns;
  std::vector<double> codes;
  for (const double value : columns[0]) codes.push_back(value < 100 ? 0 : value < 400 ? 1 : 2);
  columns = {columns[0], columns[0], columns[0], codes};
  for (size_t i = 0; setting.has_gaps && i < codes.size(); ++i) {
    if (std::uniform_real_distribution<>()(random) > (codes[i] > 0 ? 0.4 : 0.1)) continue;
    for (size_t j = 0; j < columns.size(); ++j) table.records.make_missing(j, i);
  }
  if (!setting.has_gaps) table.records.strata_of_values.clear();
  for (size_t i = 0; setting.by_weight && i < codes.size(); ++i)
    table.records.weights.push_back(std::min(std::exponential_distribution<>(5)(random), 1.0));

  table.grouping.columns = {"region", "sex"};
  for (const char* region : {"north", "south"})
    for (const char* sex : {"f", "m"})
      table.grouping.groups.push_back({{"region", region}, {"sex", sex}});
  MeansQuestion question;
  const bool gaps = setting.has_gaps;
  question.columns = {{"income", 0, kUpper, {}, gaps}};
  const size_t gap_cell = gaps ? 1 : 0;
  question.counted = {{"income", 0, kUpper, {256, 4}, gaps},
                      {"income", 0, kUpper, {10 + gap_cell, 0}, gaps},
                      {"class", 0, 3, {3 + gap_cell, 0}, gaps}};
  if (setting.by_weight) {
    question.usual_weight = 0.2;
    question.config.has_shared_sums = false;
    question.columns[0].usual_weight = 0.2;
    question.counted.push_back({"", 0, 1, {1, 0}});
    columns.push_back(table.records.weights);
    if (gaps) table.records.strata_of_values.resize(columns.size());
  }
  question.method = "bounded";
  question.rho = setting.rho;
  question.num_strata = setting.sizes.size();
  question.private_sizes = setting.private_sizes;
  question.config.relation = setting.private_sizes ? Relation::kZeroOut : Relation::kReplaceOne;
  if (!setting.private_sizes)
    question.sizes = table.records.sizes();
  else if (setting.by_weight)
    question.sizes.assign(question.num_strata, static_cast<double>(codes.size()));
  table.plan = plan_means(question);
  table.groups = table_groups(table.grouping, table.plan);
  table.statistics = {{Statistic::kCount, "", 3},
                      {Statistic::kMean, "income", 0},
                      {Statistic::kTotal, "income", 0},
                      {Statistic::kQuantile, "income", 0, 0.5},
                      {Statistic::kQuantile, "income", 0, 0.9},
                      {Statistic::kHistogram, "income", 1, 0, std::vector<std::string>(10)},
                      {Statistic::kShare, "class", 2, 0, std::vector<std::string>(3)}};
  return table;
}

}  // namespace equinoise::testing
