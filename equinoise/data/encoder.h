// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/dataset.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/units.h"

namespace equinoise {

/// The meaning of a feature's numbers: offset + divisor * number in the column's own units.
struct NumberScale {
  double offset = 0;
  double divisor = 1;
  /// Middle of the encoded range and half of its width, if only bounds are known. A standardised
  /// column has the encoded mean and standard deviation, 0 and 1.
  double middle = 0;
  double half_width = 1;
};

/// Records as a model sees them: numeric features stored densely, one-hot features as the index of
/// the one that is set.
///
/// A record's feature vector has num_features entries: the num_dense numeric ones first, then the
/// one-hot blocks. Its non-zero entries are dense[r] and 1 at each of active[r]: 13 numbers instead
/// of 107 on Adult, which saves memory traffic in a training step. For a table of images the dense
/// features are the pixels / 255, in (channel, row, column) order, and there are no others. The
/// mapping depends on the schema only. Numbers are scaled in double precision and then rounded to
/// single, so that a column keeps 24 bits of its scaled range whatever its offset.
///
/// For counted rows `num_records` is the number of rows, as in Dataset.
struct EncodedTable {
  int64_t num_records = 0;
  uint32_t num_dense = 0;        ///< numeric features, or pixels
  uint32_t num_active = 0;       ///< one-hot blocks, so the number of ones per record
  uint32_t num_features = 0;     ///< num_dense + the widths of all one-hot blocks
  std::vector<float> dense;      ///< (num_rows, num_dense)
  std::vector<uint32_t> active;  ///< (num_rows, num_active), values in [num_dense, num_features)
  /// (num_records) the row of each record; empty: as many rows as records, in the same order.
  std::vector<uint32_t> rows = {};
  /// (num_records) of counted rows: the number of records that each represents. Empty: 1 each.
  std::vector<uint32_t> row_counts = {};
  std::vector<uint16_t> labels;      ///< (num_records), codes into `classes`; a categorical target
  std::vector<float> targets;        ///< (num_records), scaled like a feature; a numeric target
  std::vector<uint8_t> contributes;  ///< (num_records), 0: the null record
  /// (num_units + 1) as Dataset::unit_begin, for the encoded rows; empty: each row is a unit.
  std::vector<uint32_t> unit_begin = {};
  /// (num_records) weights of records in evaluation, above 0 for those that contribute; empty: 1
  /// each. Not used in training.
  std::vector<double> weights;
  std::vector<GroupId> groups;  ///< (num_records) for methods that use groups, else empty; a group
                                ///< unknown to the method does not contribute
  std::vector<NumberScale> scales;         ///< (num_dense), or empty: numbers in their own units
  std::vector<uint32_t> blocks;            ///< (num_active) the first feature of each one-hot block
  std::vector<std::string> feature_names;  ///< (num_features): "age", "sex=Female", "pixel 0,3,17"
  std::vector<std::string> classes;        ///< for a categorical target, in the schema's order
  double target_offset = 0;   ///< a numeric target is target_offset + target_divisor * scaled
  double target_divisor = 1;  ///< in its own units
  double target_lower = -std::numeric_limits<double>::infinity();  ///< public bounds of a numeric
  double target_upper = std::numeric_limits<double>::infinity();   ///< target, in its own units

  int64_t count_of(size_t row) const { return row_counts.empty() ? 1 : row_counts[row]; }

  /// The number of records. A counted row may represent several.
  int64_t total_records() const;

  /// The number of units, which are records unless `unit_begin` is set.
  int64_t num_units() const {
    return unit_begin.empty() ? total_records() : static_cast<int64_t>(unit_begin.size()) - 1;
  }

  size_t row_of(int64_t record) const {
    const auto place = static_cast<size_t>(record);
    return rows.empty() ? place : rows[place];
  }

  double weight(size_t record) const { return weights.empty() ? 1 : weights[record]; }

  std::span<const float> dense_row(int64_t record) const {
    return {dense.data() + row_of(record) * num_dense, num_dense};
  }
  std::span<const uint32_t> active_row(int64_t record) const {
    return {active.data() + row_of(record) * num_active, num_active};
  }

  /// The scale of a feature. A one-hot feature has that of a number in its own units.
  NumberScale scale_of(size_t feature) const {
    return feature < scales.size() ? scales[feature] : NumberScale{};
  }

  /// Prefetches a row further on, as the rows of a batch lie anywhere in memory. Must be called for
  /// each i in turn before the row of records[i] is used.
  void prefetch_row(std::span<const uint32_t> records, size_t i) const {
    constexpr size_t kAhead = 12;
    if (i + kAhead >= records.size()) return;
    const size_t row = row_of(records[i + kAhead]);
    __builtin_prefetch(dense.data() + row * num_dense);
    __builtin_prefetch(active.data() + row * num_active);
  }
};

/// A number of that column as `encode` makes it: clamped to the bounds, scaled and rounded.
/// Monotone: never falls when the number grows.
float scaled_number(const ColumnSchema& column, double value);

/// The columns that `encode` makes features of, from the schema alone.
struct EncodedColumns {
  std::vector<std::string> names;  ///< numeric ones, then categorical ones
  std::vector<uint32_t> blocks;    ///< EncodedTable::blocks of the categorical ones
};
EncodedColumns encoded_columns(const Schema& schema);

/// The names of the features that `encode` makes, (num_features); from the schema alone.
std::vector<std::string> encoded_feature_names(const Schema& schema);

/// The root of the mean squared norm of (features, 1), from the schema's scales. Each standardised
/// column and each one-hot block adds 1 to the mean. A value of which only bounds are known counts
/// as uniform between them.
double typical_row_norm(const Schema& schema);

/// A feature as the schema suggests it.
struct TypicalFeature {
  /// The mean square that the other features of its column leave of it, in the scale of
  /// typical_row_norm; 0 for the category that the others of the column are compared with.
  double rest = 0;
  bool is_category = false;
};

/// (num_features) The features that `encode` makes. Numbers as in typical_row_norm; the k-th most
/// frequent category of a column is assumed to be a k-th as frequent as the first.
std::vector<TypicalFeature> typical_features(const Schema& schema);

/// The schema's facts about a numeric target, on its encoded scale. If only bounds are known: their
/// middle, and a quarter of the range as the usual deviation of targets from it.
struct TargetScale {
  double middle = 0;
  double spread = 1;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool has_mean = true;  ///< false: only bounds are known

  /// The largest distance from the middle.
  double reach() const { return std::max(upper - middle, middle - lower); }
  double width() const { return upper - lower; }
};
TargetScale target_scale(const ColumnSchema& target);

/// Whether the target is encoded as well.
enum class TargetUse { kRequired, kNone };

/// Encodes the rows `records` of the dataset, in that order: every feature column of the schema (in
/// its order; numeric first) and the target. A row of a counted table may be repeated, once for
/// each of its records; its features are then kept once. Errors: kInput if the schema has no target
/// and one is required.
EncodedTable encode(const Dataset& dataset, const Schema& schema, std::span<const uint32_t> records,
                    TargetUse target = TargetUse::kRequired);

/// The same for the rows of some units, unit by unit.
EncodedTable encode(const Dataset& dataset, const Schema& schema, const UnitRows& rows,
                    TargetUse target = TargetUse::kRequired);

/// The same for all rows, and their units.
EncodedTable encode(const Dataset& dataset, const Schema& schema,
                    TargetUse target = TargetUse::kRequired);

/// Gives each unit the total weight 1 in evaluation if units have several rows. Divides it equally
/// among the unit's rows that contribute.
void weigh_by_units(EncodedTable& table);

}  // namespace equinoise
