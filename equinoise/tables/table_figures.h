// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/interval.h"
#include "equinoise/base/normal_quantile.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/means/release.h"
#include "equinoise/tables/intervals.h"
#include "equinoise/tables/tree_fit.h"

namespace equinoise {

/// The kind of a figure of a table.
enum class Statistic { kCount, kTotal, kMean, kShare, kHistogram, kQuantile };

template <>
inline constexpr EnumWords<Statistic, 6> words_for<Statistic> = {
    {{Statistic::kCount, "count"},
     {Statistic::kTotal, "total"},
     {Statistic::kMean, "mean"},
     {Statistic::kShare, "share"},
     {Statistic::kHistogram, "histogram"},
     {Statistic::kQuantile, "quantile"}}};

/// Whether it is of a column's sum.
constexpr bool is_sum(Statistic statistic) {
  return statistic == Statistic::kMean || statistic == Statistic::kTotal;
}

/// Whether groups of more records have larger figures; others can be compared.
constexpr bool grows_with_size(Statistic statistic) {
  return statistic == Statistic::kCount || statistic == Statistic::kTotal ||
         statistic == Statistic::kHistogram;
}

/// A statistic that is asked for. Public facts.
struct TableStatistic {
  Statistic statistic = Statistic::kCount;
  std::string column = {};
  size_t index = 0;  ///< of kTotal and kMean: in the question's columns; of others in `counted`
  double level = 0;  ///< of kQuantile, in (0, 1)
  std::vector<std::string> values = {};  ///< of kShare and kHistogram: the names of cells
  double rounding = 0;                   ///< how far numbers were moved at most when they were read
  bool is_whole = false;                 ///< of kQuantile: values are whole numbers
};

/// A stratum, or strata together: those that share the values of some of their columns.
struct TableGroup {
  GroupLabel label;            ///< empty: all strata
  std::vector<size_t> strata;  ///< of the grouping; a public size of 0 is left out
};

/// All strata, then the values of each column, of each pair of columns, and so on; strata last. A
/// grouping without columns: all records.
std::vector<TableGroup> table_groups(const Grouping& grouping, const MeansPlan& plan);

/// A released figure of a group. Post-processing.
struct FigureOfGroup {
  size_t cell = 0;                   ///< of kShare and kHistogram
  std::optional<double> estimate;    ///< empty: noise may be all of what it is divided by
  std::optional<Interval> interval;  ///< empty: the figure is public
  double noise_stddev = 0;           ///< 0 of quantiles
  /// Figure of kMean or kShare before it is moved into its bounds: differences follow from it.
  std::optional<Spread> unbounded = std::nullopt;
};

/// The noise of each kind of figure, from a plan alone, and figures from what was released.
///
/// Counts are fitted by least squares: sizes, numbers of values and the sums of all cells of a
/// column are counts of the same records, and the figures of each stratum agree on them. Figures of
/// a group of strata follow from sums over these, so that margins add up. Before they are rounded
/// to whole numbers, counts and totals are unbiased. Intervals hold the figure of clipped numbers
/// in 95 % of releases at z = kNormalQuantile: they are of noise alone. Other z for intervals that
/// hold together.
class TableFigures {
 public:
  /// Pre: the method of all parts of the plan is `bounded`. Public facts. most_records: that any
  /// group can have. largest_weight: if the plan is by weights; a
  /// count is then the sum of the weights of records, not a whole number.
  explicit TableFigures(const MeansPlan& plan,
                        double most_records = std::numeric_limits<double>::infinity(),
                        double largest_weight = 1);

  /// Half of the interval of 95 % that noise will leave of a figure of a group with `size` records
  /// in `num_strata` strata. In units of the figure; of a quantile, of its rank, as a share of the
  /// records. About: for the worst values within the bounds, if every record has a value. The
  /// interval of a quantile is often half as much wider again.
  double predicted_half_width(const TableStatistic& statistic, double size,
                              size_t num_strata) const;

  /// The same in widths of the column's bounds (mean), sizes of the group (counts), both (total),
  /// or as it is (share, rank).
  double relative_half_width(const TableStatistic& statistic, double size, size_t num_strata) const;

  /// The noise of what is drawn for a part of the budget, divided by the standard deviation that
  /// one record's value may have: of a number the declared one, or a sixth of its bounds; of being
  /// in a cell a half; of a quantile that of ranks, for normal values near the median. part:
  /// columns, then counted ones.
  double relative_noise(size_t part) const;

  /// Fits the released numbers of each stratum. Must be called before figures().
  void fit(const MeansRelease& release);

  /// The fitted numbers of a group: sums over its strata.
  struct GroupSums {
    double num_strata = 0;
    std::vector<double> totals;              ///< (universes)
    double num_whole = 0;                    ///< the first of them, rounded in each stratum
    std::vector<double> sums;                ///< (columns) of distances to the middle of the bounds
    std::vector<double> roundings;           ///< (columns) that weighted sums can miss by
    std::vector<std::vector<double>> cells;  ///< (counted)
    std::vector<std::vector<double>> whole;  ///< (counted) whole numbers with the same sum
  };

  /// Pre: the group has strata.
  GroupSums sums_of(const TableGroup& group) const;

  /// One figure, or one for each cell.
  std::vector<FigureOfGroup> figures(const TableStatistic& statistic, const GroupSums& group,
                                     double z = kNormalQuantile) const;

  /// The same at the level at which differences of two groups hold (difference_of).
  std::vector<FigureOfGroup> comparable_figures(const TableStatistic& statistic,
                                                const GroupSums& group) const;

 private:
  /// Records that several releases count: all of them, or those with a value of a column.
  struct Universe {
    std::string column;           ///< "": all records
    std::vector<size_t> columns;  ///< whose numbers of values count them
    std::vector<size_t> trees;    ///< whose cells do
    double precision = 0;         ///< of all together
    bool is_public = false;
    double variance() const { return is_public ? 0 : 1 / precision; }
  };

  /// Standard deviations of what is drawn for a column in each stratum.
  struct SumNoise {
    double sum = 0;     ///< in units of the column
    double values = 0;  ///< of the number of values; 0: it is not drawn
  };

  /// The universe of a column's values; a new one for the first of them.
  size_t universe_for(const std::string& column, bool has_gaps);
  const Universe& universe_of(const TableStatistic& statistic) const;
  const Universe& universe_of(const CellColumn& column) const;
  size_t index_of_universe(const std::string& column) const;
  size_t index_of_universe(const Universe& universe) const {
    return static_cast<size_t>(&universe - universes_.data());
  }
  double middle_of(size_t column) const;
  double width_of(size_t column) const;
  /// Half of the interval to expect, in records or largest weights, of a group of `size` of these.
  double half_width(const TableStatistic& statistic, double size, size_t num_strata) const;
  double expected_total(double num_records) const {
    return std::max(num_records, 1.0) * question_.usual_weight.value_or(1);
  }
  /// The variance of a sum in a quotient: roundings of weighted sums can miss by as much more.
  double sum_variance(size_t column, const GroupSums& group, double z) const;
  /// The variance of a count in a quotient: roundings can miss by as much more.
  double count_variance(double variance, double z) const;
  /// Moves `cells` to whole numbers, where records count alike.
  std::vector<double> rounded(const std::vector<double>& cells, double total) const;
  FigureOfGroup count_figure(double value, double whole, double variance, double z) const;
  FigureOfGroup quotient_figure(NoisyNumber above, NoisyNumber below, double covariance,
                                double offset, double rounding, const Interval& bounds,
                                double z) const;
  /// Counts and totals in largest weights.
  std::vector<FigureOfGroup> unscaled_figures(const TableStatistic& statistic,
                                              const GroupSums& group, double z) const;
  double fit_total(const Universe& universe, const MeansRelease& release, size_t stratum) const;
  FigureOfGroup total_figure(const TableStatistic& statistic, const GroupSums& group,
                             double z) const;
  FigureOfGroup quantile_figure(const TableStatistic& statistic, const GroupSums& group,
                                double z) const;

  /// The variances of a cell's count and of the number of values, and their covariance.
  struct ShareNoise {
    double cell = 0;
    double values = 0;
    double covariance = 0;
  };
  ShareNoise share_noise(const TableStatistic& statistic) const;

  MeansQuestion question_;
  double most_records_;
  double largest_weight_;
  double half_unit_;  ///< that roundings of counts can miss by, in records or largest weights
  double size_variance_ = 0;
  std::vector<SumNoise> sums_;  ///< (columns)
  std::vector<TreeFit> trees_;  ///< (counted)
  /// (counted) of cells alone: one cell, those with values, and both added; of a tree: the first 0,
  /// 1, ... cells.
  std::vector<std::vector<TreeFit::Sum>> cells_;
  std::vector<Universe> universes_;
  std::vector<GroupSums> strata_;
  std::vector<double> rounding_;  ///< (columns) of means, by the grid
};

/// first - second, by figures of comparable_figures(); nothing if one has no estimate. The interval
/// holds in 95 % of releases. The ends of a quantile's interval are no standard deviations, so it
/// is between the farthest ends of two that hold together. largest: that a difference can be.
std::optional<Spread> difference_of(Statistic statistic, const FigureOfGroup& first,
                                    const FigureOfGroup& second, double largest);

/// first / second likewise; nothing unless both are about four standard deviations above 0, because
/// ratios that noise alone makes positive do not hold.
std::optional<Spread> ratio_of(Statistic statistic, const FigureOfGroup& first,
                               const FigureOfGroup& second);

/// The level, in standard deviations, at which intervals of `num_groups` groups hold together in
/// 95 % of releases: noises of groups are independent.
double joint_stddevs(size_t num_groups);

}  // namespace equinoise
