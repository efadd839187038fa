// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tables/table_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "equinoise/base/lists.h"
#include "equinoise/means/estimators/noisy_sum.h"

namespace equinoise {

namespace {

/// Rounded noise has this much more variance, and misses by half a unit more.
constexpr double kRoundingVariance = 1.0 / 12;
constexpr double kHalfUnit = 0.5;

/// The error of rounding the weights of all records, at most, in largest weights: each by half of a
/// unit, in a number and in the one that it is compared with. Sums have at least a quarter of the
/// units that their noise allows.
double rounding_of_weights(const MeansPlan& plan, const std::vector<Event>& events,
                           double most_records) {
  double units = kMaxUnits;
  for (const MeansPart& part : plan.parts)
    units = std::min(units, max_units_for_gaussian(events[part.first_item].noise_multiplier()) / 4);
  for (const CountsPart& part : plan.counts) units = std::min(units, part.units());
  return std::min(most_records, static_cast<double>(kMaxRecords)) / units;
}

/// Whole numbers near `cells` that add up to the whole number nearest to their sum: those with the
/// largest remainders are rounded up.
std::vector<double> to_whole(const std::vector<double>& cells, double total) {
  std::vector<double> whole;
  std::vector<size_t> order = numbers_below(cells.size());
  for (const double cell : cells) whole.push_back(std::floor(cell));
  const double missing = std::round(total) - std::accumulate(whole.begin(), whole.end(), 0.0);
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t i) { return cells[i] - whole[i]; });
  const auto num_up =
      static_cast<size_t>(std::clamp(missing, 0.0, static_cast<double>(cells.size())));
  for (size_t i = 0; i < num_up; ++i) whole[order[i]] += 1;
  return whole;
}

void add_to(std::vector<double>& sums, const std::vector<double>& parts) {
  sums.resize(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) sums[i] += parts[i];
}

/// Numbers that never fall (pool adjacent violators): the nearest such ones in squares.
std::vector<double> made_ascending(std::vector<double> numbers) {
  struct Pool {
    double sum = 0;
    size_t size = 0;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Pool> pools;
  for (const double number : numbers) {
    pools.push_back({number, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().size += last.size;
    }
  }
  numbers.clear();
  for (const Pool& pool : pools) numbers.insert(numbers.end(), pool.size, pool.mean());
  return numbers;
}

}  // namespace

std::vector<TableGroup> table_groups(const Grouping& grouping, const MeansPlan& plan) {
  const size_t num_columns = grouping.columns.size();
  // Sets of columns by their number, in the order of the columns.
  std::vector<std::vector<size_t>> sets = {{}};
  for (size_t first = 0; first < sets.size(); ++first) {
    for (size_t c = sets[first].empty() ? 0 : sets[first].back() + 1; c < num_columns; ++c) {
      sets.push_back(sets[first]);
      sets.back().push_back(c);
    }
  }
  std::vector<TableGroup> groups;
  for (const std::vector<size_t>& set : sets) {
    std::map<GroupLabel, size_t> places;
    for (size_t k = 0; k < grouping.groups.size(); ++k) {
      GroupLabel label;
      for (const size_t c : set) label.push_back(grouping.groups[k][c]);
      const auto [place, is_new] = places.emplace(label, groups.size());
      if (is_new) groups.push_back({std::move(label), {}});
      if (plan.question.private_sizes || plan.question.sizes[k] > 0)
        groups[place->second].strata.push_back(k);
    }
  }
  return groups;
}

TableFigures::TableFigures(const MeansPlan& plan, double most_records, double largest_weight)
    : question_(plan.question),
      most_records_(most_records),
      largest_weight_(largest_weight),
      half_unit_(kHalfUnit) {
  if (plan.size_noise) size_variance_ = *plan.size_noise * *plan.size_noise;
  universes_.push_back({"",
                        {},
                        {},
                        size_variance_ > 0 ? 1 / size_variance_ : 0,
                        !question_.private_sizes && !question_.usual_weight});
  const auto asked = std::ranges::find_if(
      plan.events, [](const std::vector<Event>& events) { return !events.empty(); });
  if (question_.usual_weight) half_unit_ = rounding_of_weights(plan, *asked, most_records);
  const bool is_replaced = question_.config.relation == Relation::kReplaceOne;
  for (size_t j = 0; j < question_.columns.size(); ++j) {
    const MeanColumn& column = question_.columns[j];
    const Event& event = (*asked)[plan.parts[j].first_item];
    const double reach = width_of(j) / 2;
    SumNoise noise;
    if (column.has_noisy_divisor()) {
      const double units = kMaxUnits;
      const CountedSum sum = counted_gaussian_sum(units, 1, 1, question_.config.relation);
      noise.sum = event.noise_multiplier() * sum.sensitivity / units * reach;
      noise.values =
          event.noise_multiplier() * sum.sensitivity / static_cast<double>(sum.count_units);
      Universe& values = universes_[universe_for(column.name, column.has_gaps)];
      values.columns.push_back(j);
      values.precision += 1 / (noise.values * noise.values);
    } else {
      noise.sum = event.noise_stddev() / static_cast<double>(event.sensitivity()) *
                  (is_replaced ? 2 : 1) * reach;
    }
    sums_.push_back(noise);
  }
  for (size_t i = 0; i < question_.counted.size(); ++i) {
    const CellColumn& column = question_.counted[i];
    const CountsPart& part = plan.counts[i];
    trees_.emplace_back(
        column.tree, std::pow(part.noise_stddev, 2) + kRoundingVariance / std::pow(part.units(), 2),
        part.units());
    Universe& counted =
        universes_[universe_for(column.name, column.has_gaps && column.tree.branching > 0)];
    counted.trees.push_back(i);
    counted.precision += 1 / trees_[i].total_variance();
    std::vector<double> weights(column.tree.num_cells);
    std::vector<TreeFit::Sum>& sums = cells_.emplace_back();
    if (column.tree.branching == 0) {
      weights[0] = 1;
      sums.push_back(trees_[i].sum_of(weights));
      std::fill_n(weights.begin(), column.num_value_cells(), 1);
      sums.push_back(trees_[i].sum_of(weights));
      weights[0] = 2;
      sums.push_back(trees_[i].sum_of(weights));
      continue;
    }
    for (size_t edge = 0; edge <= column.tree.num_cells; ++edge) {
      if (edge > 0) weights[edge - 1] = 1;
      sums.push_back(trees_[i].sum_of(weights));
    }
  }
}

size_t TableFigures::universe_for(const std::string& column, bool has_gaps) {
  if (!has_gaps) return 0;
  for (size_t u = 1; u < universes_.size(); ++u)
    if (universes_[u].column == column) return u;
  universes_.push_back({column, {}, {}, 0, false});
  return universes_.size() - 1;
}

const TableFigures::Universe& TableFigures::universe_of(const TableStatistic& statistic) const {
  if (statistic.statistic == Statistic::kQuantile)
    return universe_of(question_.counted[statistic.index]);
  const bool has_own = is_sum(statistic.statistic) && question_.columns[statistic.index].has_gaps;
  return universes_[has_own ? index_of_universe(statistic.column) : 0];
}

const TableFigures::Universe& TableFigures::universe_of(const CellColumn& column) const {
  return universes_[column.has_gaps && column.tree.branching > 0 ? index_of_universe(column.name)
                                                                 : 0];
}

size_t TableFigures::index_of_universe(const std::string& column) const {
  return static_cast<size_t>(std::ranges::find(universes_, column, &Universe::column) -
                             universes_.begin());
}

double TableFigures::middle_of(size_t column) const {
  return question_.columns[column].lower + width_of(column) / 2;
}

double TableFigures::width_of(size_t column) const {
  return question_.columns[column].upper - question_.columns[column].lower;
}

double TableFigures::predicted_half_width(const TableStatistic& statistic, double size,
                                          size_t num_strata) const {
  return half_width(statistic, expected_total(size), num_strata) *
         (grows_with_size(statistic.statistic) ? largest_weight_ : 1);
}

double TableFigures::half_width(const TableStatistic& statistic, double size,
                                size_t num_strata) const {
  const double total = universe_of(statistic).variance();
  double variance = 0;
  switch (statistic.statistic) {
    case Statistic::kCount:
      variance = total;
      break;
    case Statistic::kTotal:
      variance = std::pow(sums_[statistic.index].sum, 2) +
                 std::pow(middle_of(statistic.index), 2) * count_variance(total, kNormalQuantile);
      break;
    case Statistic::kMean:
      variance = std::pow(sums_[statistic.index].sum, 2) +
                 std::pow(width_of(statistic.index) / 2, 2) * total;
      break;
    case Statistic::kShare: {
      const ShareNoise noise = share_noise(statistic);
      variance = std::max(noise.cell, noise.cell + noise.values - 2 * noise.covariance);
      break;
    }
    case Statistic::kHistogram:
      variance = share_noise(statistic).cell;
      break;
    case Statistic::kQuantile:
      for (const TreeFit::Sum& below : cells_[statistic.index]) {
        variance =
            std::max(variance, below.variance + std::pow(below.slope - statistic.level, 2) * total);
      }
      break;
  }
  if (variance == 0) return 0;
  const double half = kNormalQuantile * std::sqrt(variance * static_cast<double>(num_strata));
  const bool is_count =
      statistic.statistic == Statistic::kCount || statistic.statistic == Statistic::kHistogram;
  if (is_count) return half + half_unit_;
  if (statistic.statistic == Statistic::kTotal) return half;
  const double range = statistic.statistic == Statistic::kMean ? width_of(statistic.index) : 1;
  return std::min(half / size, range / 2);
}

double TableFigures::relative_half_width(const TableStatistic& statistic, double size,
                                         size_t num_strata) const {
  const double total = expected_total(size);
  const double half = half_width(statistic, total, num_strata);
  switch (statistic.statistic) {
    case Statistic::kCount:
    case Statistic::kHistogram:
      return half / total;
    case Statistic::kTotal:
      return half / (total * std::max(std::fabs(question_.columns[statistic.index].lower),
                                      std::fabs(question_.columns[statistic.index].upper)));
    case Statistic::kMean:
      return half / width_of(statistic.index);
    default:
      return half;
  }
}

double TableFigures::relative_noise(size_t part) const {
  if (part < sums_.size())
    return sums_[part].sum / question_.columns[part].stddev.value_or(width_of(part) / 6);
  const TreeFit& tree = trees_[part - sums_.size()];
  if (tree.tree().branching == 0)
    return 2 * std::sqrt(tree.total_variance() / static_cast<double>(tree.tree().num_cells));
  double variance = 0;
  for (const TreeFit::Sum& sum : cells_[part - sums_.size()])
    variance = std::max(variance, sum.variance);
  return std::sqrt(2 * std::numbers::pi * variance);
}

TableFigures::ShareNoise TableFigures::share_noise(const TableStatistic& statistic) const {
  const double total = universe_of(statistic).variance();
  const auto variance = [&](const TreeFit::Sum& sum) {
    return sum.variance + sum.slope * sum.slope * total;
  };
  const std::vector<TreeFit::Sum>& sums = cells_[statistic.index];
  const double cell = variance(sums[0]);
  const double values = variance(sums[1]);
  return {cell, values, (variance(sums[2]) - cell - values) / 2};
}

double TableFigures::fit_total(const Universe& universe, const MeansRelease& release,
                               size_t stratum) const {
  if (universe.is_public) return question_.sizes[stratum];
  double weighted = 0;
  if (universe.column.empty() && question_.draws_sizes())
    weighted = release.noisy_sizes[stratum] / size_variance_;
  for (const size_t j : universe.columns)
    weighted += release.at(stratum, j).size / (sums_[j].values * sums_[j].values);
  for (const size_t i : universe.trees) {
    weighted +=
        trees_[i].total(release.counts[stratum * trees_.size() + i]) / trees_[i].total_variance();
  }
  return weighted / universe.precision;
}

void TableFigures::fit(const MeansRelease& release) {
  strata_.clear();
  rounding_.assign(question_.columns.size(), 0);
  for (size_t k = 0; k < question_.num_strata; ++k) {
    GroupSums& stratum = strata_.emplace_back();
    if (!question_.private_sizes && question_.sizes[k] == 0) continue;
    for (const Universe& universe : universes_)
      stratum.totals.push_back(fit_total(universe, release, k));
    for (size_t j = 0; j < question_.columns.size(); ++j) {
      const MeanEstimate& estimate = release.at(k, j);
      const double divisor = question_.columns[j].has_noisy_divisor() ? std::max(estimate.size, 1.0)
                                                                      : release.sizes[k];
      stratum.sums.push_back((estimate.mean - middle_of(j)) * divisor);
      stratum.roundings.push_back(estimate.weighted_rounding);
      const MeanColumn& column = question_.columns[j];
      rounding_[j] = std::max(
          rounding_[j], question_.usual_weight
                            ? 0x1p-52 * std::max(std::fabs(column.lower), std::fabs(column.upper))
                            : estimate.rounding);
    }
    for (size_t i = 0; i < trees_.size(); ++i) {
      const CellColumn& column = question_.counted[i];
      const double total = stratum.totals[index_of_universe(universe_of(column))];
      stratum.cells.push_back(trees_[i].cells(release.counts[k * trees_.size() + i], total));
      stratum.whole.push_back(column.tree.branching == 0 ? rounded(stratum.cells.back(), total)
                                                         : std::vector<double>());
    }
  }
}

TableFigures::GroupSums TableFigures::sums_of(const TableGroup& group) const {
  GroupSums all;
  all.num_strata = static_cast<double>(group.strata.size());
  all.cells.resize(trees_.size());
  all.whole.resize(trees_.size());
  for (const size_t k : group.strata) {
    add_to(all.totals, strata_[k].totals);
    add_to(all.sums, strata_[k].sums);
    // Private sizes are bounds of all strata together.
    all.roundings.resize(sums_.size());
    for (size_t j = 0; j < sums_.size(); ++j) {
      const double of_stratum = strata_[k].roundings[j];
      all.roundings[j] = question_.private_sizes ? std::max(all.roundings[j], of_stratum)
                                                 : all.roundings[j] + of_stratum;
    }
    const double total = strata_[k].totals[0];
    all.num_whole += question_.usual_weight ? total : std::round(total);
    for (size_t i = 0; i < trees_.size(); ++i) {
      add_to(all.cells[i], strata_[k].cells[i]);
      add_to(all.whole[i], strata_[k].whole[i]);
    }
  }
  return all;
}

namespace {

/// The interval of a figure that was moved into its bounds keeps its width from there, so that it
/// is never a single point; others are as they are.
Interval within_bounds(const Interval& interval, double value, double told,
                       const Interval& bounds) {
  const double low = std::min(interval.low, told - (value - interval.low));
  const double high = std::max(interval.high, told + (interval.high - value));
  return {std::clamp(low, bounds.low, told), std::clamp(high, told, bounds.high)};
}

}  // namespace

double TableFigures::count_variance(double variance, double z) const {
  if (variance == 0) return 0;
  const double stddev = std::sqrt(variance) + half_unit_ / z;
  return stddev * stddev;
}

std::vector<double> TableFigures::rounded(const std::vector<double>& cells, double total) const {
  return question_.usual_weight ? cells : to_whole(cells, total);
}

/// A count is 0 or more, and its interval ends at most_records_ unless the count is larger: counts
/// that are cut there would be too low on average. `whole` is rounded with others.
FigureOfGroup TableFigures::count_figure(double value, double whole, double variance,
                                         double z) const {
  if (variance == 0) return {0, whole, {}, 0};
  const double estimate = std::max(whole, 0.0);
  const double half = z * std::sqrt(variance) + half_unit_;
  return {0, estimate,
          within_bounds({value - half, value + half}, whole, estimate,
                        {0, std::max(most_records_, estimate)}),
          std::sqrt(variance)};
}

/// A quotient within bounds; without a figure if its divisor does not stand out of its noise.
FigureOfGroup TableFigures::quotient_figure(NoisyNumber above, NoisyNumber below, double covariance,
                                            double offset, double rounding, const Interval& bounds,
                                            double z) const {
  below.variance = count_variance(below.variance, z);
  const std::optional<Interval> interval = quotient_interval(above, below, covariance, z);
  if (!interval || !(below.value > 0) || below.value < kWeightStandsOut * std::sqrt(below.variance))
    return {0, std::nullopt, bounds, 0};
  const double quotient = offset + above.value / below.value;
  const double slope = quotient - offset;
  const double variance = above.variance - 2 * slope * covariance + slope * slope * below.variance;
  const double estimate = std::clamp(quotient, bounds.low, bounds.high);
  const Spread unbounded = {
      quotient, {offset + interval->low - rounding, offset + interval->high + rounding}};
  const Interval told = within_bounds(unbounded.interval, quotient, estimate, bounds);
  return {0, estimate, told, std::sqrt(std::max(variance, 0.0)) / below.value, unbounded};
}

double TableFigures::sum_variance(size_t column, const GroupSums& all, double z) const {
  const double variance = all.num_strata * std::pow(sums_[column].sum, 2);
  if (all.roundings[column] == 0) return variance;
  return std::pow(std::sqrt(variance) + all.roundings[column] / z, 2);
}

FigureOfGroup TableFigures::total_figure(const TableStatistic& statistic, const GroupSums& all,
                                         double z) const {
  const double m = all.num_strata;
  const MeanColumn& column = question_.columns[statistic.index];
  const Universe& universe = universe_of(statistic);
  const double count = all.totals[index_of_universe(universe)];
  const double middle = middle_of(statistic.index);
  const double estimate = all.sums[statistic.index] + middle * count;
  const double stddev = std::sqrt(m * (std::pow(sums_[statistic.index].sum, 2)) +
                                  middle * middle * count_variance(m * universe.variance(), z));
  const double half = z * stddev + all.roundings[statistic.index] +
                      std::max(count, 1.0) * (rounding_[statistic.index] + statistic.rounding);
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  const Interval bounds = {column.lower >= 0 ? 0 : -kNoLimit, column.upper <= 0 ? 0 : kNoLimit};
  const double told = std::clamp(estimate, bounds.low, bounds.high);
  return {0, told, within_bounds({estimate - half, estimate + half}, estimate, told, bounds),
          stddev};
}

FigureOfGroup TableFigures::quantile_figure(const TableStatistic& statistic, const GroupSums& all,
                                            double z) const {
  const double m = all.num_strata;
  const CellColumn& column = question_.counted[statistic.index];
  const Universe& universe = universe_of(statistic);
  const double count = all.totals[index_of_universe(universe)];
  const std::vector<TreeFit::Sum>& prefixes = cells_[statistic.index];
  const size_t num_cells = column.tree.num_cells;
  const double cell = (column.upper - column.lower) / static_cast<double>(num_cells);
  // The value is in cell i if the number below its lower edge falls short of the rank, and that
  // below its upper edge does not.
  std::vector<double> below = {0};
  for (const double values : all.cells[statistic.index]) below.push_back(below.back() + values);
  const double rank = statistic.level * count;
  const auto reach = [&](size_t edge) {
    const double variance =
        m * (prefixes[edge].variance +
             std::pow(prefixes[edge].slope - statistic.level, 2) * universe.variance());
    return z * std::sqrt(variance) + (edge == 0 || edge == num_cells ? 0 : half_unit_);
  };
  size_t first = num_cells;
  size_t last = 0;
  for (size_t i = 0; i < num_cells; ++i) {
    const bool is_above = below[i + 1] + reach(i + 1) < rank;
    const bool is_below = below[i] - reach(i) >= rank;
    if (is_above || is_below) continue;
    first = std::min(first, i);
    last = i;
  }
  const auto edge = [&](double place) { return column.lower + cell * place; };
  const double noise = std::sqrt(m * universe.variance());
  if (first > last || !(count > 0) || count < kWeightStandsOut * noise ||
      (first == 0 && last + 1 == num_cells))
    return {0, std::nullopt, Interval{column.lower, column.upper}, 0};
  const std::vector<double> ascending = made_ascending(std::move(below));
  const auto found = std::ranges::find_if(ascending, [&](double number) { return number >= rank; });
  const auto up = static_cast<size_t>(found - ascending.begin());
  double place = static_cast<double>(std::min(up, num_cells));
  if (up > 0 && up <= num_cells) {
    const double step = ascending[up] - ascending[up - 1];
    place -= step > 0 ? (ascending[up] - rank) / step : 0.5;
  }
  const double estimate = edge(place);
  const Interval interval = {
      std::max(std::min(edge(static_cast<double>(first)) - statistic.rounding, estimate),
               column.lower),
      std::min(std::max(edge(static_cast<double>(last) + 1) + statistic.rounding, estimate),
               column.upper)};
  if (!statistic.is_whole) return {0, estimate, interval, 0};
  // A whole number that is in the interval is so between these ends.
  const Interval whole = {std::ceil(interval.low), std::floor(interval.high)};
  if (!(whole.low <= whole.high)) return {0, estimate, interval, 0};
  return {0, std::clamp(std::round(estimate), whole.low, whole.high), whole, 0};
}

std::vector<FigureOfGroup> TableFigures::figures(const TableStatistic& statistic,
                                                 const GroupSums& all, double z) const {
  std::vector<FigureOfGroup> figures = unscaled_figures(statistic, all, z);
  if (!grows_with_size(statistic.statistic)) return figures;
  for (FigureOfGroup& figure : figures) {
    *figure.estimate *= largest_weight_;
    figure.noise_stddev *= largest_weight_;
    if (figure.interval)
      figure.interval =
          Interval{figure.interval->low * largest_weight_, figure.interval->high * largest_weight_};
  }
  return figures;
}

std::vector<FigureOfGroup> TableFigures::unscaled_figures(const TableStatistic& statistic,
                                                          const GroupSums& all, double z) const {
  const double m = all.num_strata;
  const Universe& universe = universe_of(statistic);
  const NoisyNumber count = {all.totals[index_of_universe(universe)], m * universe.variance()};
  switch (statistic.statistic) {
    case Statistic::kCount:
      return {count_figure(count.value, all.num_whole, count.variance, z)};
    case Statistic::kTotal:
      return {total_figure(statistic, all, z)};
    case Statistic::kMean: {
      const MeanColumn& column = question_.columns[statistic.index];
      return {quotient_figure({all.sums[statistic.index], sum_variance(statistic.index, all, z)},
                              count, 0, middle_of(statistic.index),
                              rounding_[statistic.index] + statistic.rounding,
                              {column.lower, column.upper}, z)};
    }
    case Statistic::kQuantile:
      return {quantile_figure(statistic, all, z)};
    default:
      break;
  }
  std::vector<FigureOfGroup> figures;
  const CellColumn& column = question_.counted[statistic.index];
  const std::vector<double>& cells = all.cells[statistic.index];
  const ShareNoise noise = share_noise(statistic);
  const NoisyNumber values = {
      std::accumulate(cells.begin(),
                      cells.begin() + static_cast<std::ptrdiff_t>(column.num_value_cells()), 0.0),
      m * noise.values};
  for (size_t cell = 0; cell < statistic.values.size(); ++cell) {
    figures.push_back(
        statistic.statistic == Statistic::kHistogram
            ? count_figure(cells[cell], all.whole[statistic.index][cell], m * noise.cell, z)
            : quotient_figure({cells[cell], count_variance(m * noise.cell, z)}, values,
                              m * noise.covariance, 0, 0, {0, 1}, z));
    figures.back().cell = cell;
  }
  return figures;
}

std::vector<FigureOfGroup> TableFigures::comparable_figures(const TableStatistic& statistic,
                                                            const GroupSums& group) const {
  return figures(statistic, group,
                 statistic.statistic == Statistic::kQuantile ? joint_stddevs(2) : kNormalQuantile);
}

namespace {

Spread spread_of(const FigureOfGroup& figure) {
  return figure.unbounded.value_or(Spread{*figure.estimate, *figure.interval});
}

DifferenceRule rule_for(Statistic statistic) {
  return statistic == Statistic::kQuantile ? farthest_difference : difference;
}

}  // namespace

std::optional<Spread> difference_of(Statistic statistic, const FigureOfGroup& first,
                                    const FigureOfGroup& second, double largest) {
  if (!first.estimate || !second.estimate) return std::nullopt;
  const Spread apart = rule_for(statistic)(spread_of(first), spread_of(second));
  const double told = std::clamp(*first.estimate - *second.estimate, -largest, largest);
  return Spread{told, within_bounds(apart.interval, apart.estimate, told, {-largest, largest})};
}

std::optional<Spread> ratio_of(Statistic statistic, const FigureOfGroup& first,
                               const FigureOfGroup& second) {
  if (!first.estimate || !second.estimate) return std::nullopt;
  const Spread above = spread_of(first);
  const Spread below = spread_of(second);
  // About four standard deviations above 0.
  if (2 * above.interval.low < above.estimate || 2 * below.interval.low < below.estimate)
    return std::nullopt;
  return quotient(above, below, rule_for(statistic));
}

double joint_stddevs(size_t num_groups) {
  return normal_half_width(1 - std::pow(1 - kIntervalFailure, 1 / static_cast<double>(num_groups)));
}

}  // namespace equinoise
