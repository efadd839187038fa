// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "equinoise/means/stratified_records.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The map from a number to an integer of bounded size: round((x - centre) / grid), clamped to
/// [-half_units, half_units]. `grid` is a power of two. half_units = 0: it contributes nothing.
///
/// For any x the integer is within the clamp, and sensitivity needs only that: infinite numbers are
/// its ends, NaN its lower one. Accuracy: x - centre is rounded to double once, by at most 2^-53 of
/// itself; the grid and the clamp's ends follow.
struct ClipRange {
  double centre = 0;
  double grid = 1;
  int64_t half_units = 0;

  /// The finest grid for numbers within [lower, upper] on which half of the width is at most
  /// `max_units`, which must be in [1, kMaxUnits]. Never wider than requested. Errors: kUsage for
  /// an interval that is invalid or not finite.
  static ClipRange within(double lower, double upper, double max_units);

  bool operator==(const ClipRange&) const = default;

  double half_width() const { return grid * static_cast<double>(half_units); }

  /// The largest change of a sum of such integers between neighbours, at least 1: 2 half_units for
  /// a record that is replaced by another, half_units for one that becomes null, or that may come
  /// or go when sizes are private.
  int64_t sensitivity(Relation relation) const;
};

/// The largest half width: 2^32 such integers add up within 64 bits.
inline constexpr double kMaxUnits = 0x1p30;

/// The map from a vector to integers of bounded length: (x - centre) in standard deviations of its
/// columns, scaled down to length `radius` if it is longer, each entry truncated towards zero on
/// `grid`, which is a power of two.
struct ClipBall {
  std::vector<double> centre;  ///< in the columns' own units: far from 0 it needs all digits
  double grid = 1;
  double radius = 0;  ///< in standard deviations; 0: it contributes nothing

  static ClipBall around(std::vector<double> centre, double radius, double max_units);

  /// The largest change in L2 norm, in units of the grid, of a sum of such vectors.
  double sensitivity(Relation relation) const;
};

/// Sums of a column's clipped numbers, one for each stratum.
struct SumQuery {
  size_t column = 0;
  std::vector<ClipRange> ranges;  ///< (num_strata)
  bool counts_clipped = false;    ///< also how many records the bounds have changed
};

/// Sums for records that count by their weights, with the sums of these weights. Each record adds
/// the integers (u q / units, truncated towards zero, and q), where u is the clipped number in
/// [-half_units, half_units] and q the weight in 0 to `units`. So for any record and weight the
/// pair is in the triangle of (0, 0), (-half_units, units) and (half_units, units).
struct WeightedSumQuery {
  size_t column = 0;
  std::vector<ClipRange> ranges;  ///< (num_strata)
  std::vector<int64_t> units;     ///< (num_strata) a weight of 1, at most kMaxWeightUnits
};

/// Products with kMaxUnits fit into 64 bits, and so do sums of 2^32 of them.
inline constexpr int64_t kMaxWeightUnits = (int64_t{1} << 31) - 1;

/// Sums of clipped vectors of some columns: for each stratum one integer a column.
struct BallQuery {
  std::vector<size_t> columns;
  std::vector<double> stddevs;  ///< (columns): distances to the centre are divided by these
  std::vector<ClipBall> balls;  ///< (num_strata)
};

/// The number of values of a column in each of `num_cells` equal parts of [lower, upper], for each
/// stratum. Values outside count in the nearest part.
struct HistogramQuery {
  size_t column = 0;
  double lower = 0;
  double upper = 1;
  size_t num_cells = 1;
  bool has_cell_of_gaps = false;  ///< a further, last cell is of records without a value
  /// The number that a weight of 1 adds, at most kMaxWeightUnits; a smaller weight adds its part,
  /// rounded. 0: each record adds 1, whatever its weight.
  int64_t weight_units = 0;
};

/// The number of records in each stratum.
struct CountQuery {};

using Query = std::variant<SumQuery, WeightedSumQuery, BallQuery, HistogramQuery, CountQuery>;

/// Exact integers, without noise.
struct Answer {
  std::vector<int64_t> values;       ///< (num_strata, width)
  std::vector<int64_t> num_clipped;  ///< (num_strata) of sums, where counted, and of balls
  /// (num_strata, columns) The number of records with a value; filled by answer_about_values only.
  std::vector<int64_t> num_values = {};
  std::vector<int64_t> weights = {};  ///< (num_strata) of weighted sums, in their units
};

/// Answers all queries in one pass over the records, in exact integers. A row that represents
/// several records adds as often as these would, so the answer is the same as for those records one
/// by one. Every record of a stratum has a value of each column, except that ball queries use 0 for
/// records without one. Integers add up exactly, in any order: the answers do not depend on
/// `threads`.
std::vector<Answer> answer_queries(const StratifiedRecords& records, std::span<const Query> queries,
                                   int threads);

/// The answer to a query about columns with missing values: the sums over the records with a value
/// of each column, and the number of these records.
Answer answer_about_values(const StratifiedRecords& records, const Query& query, int threads);

}  // namespace equinoise
