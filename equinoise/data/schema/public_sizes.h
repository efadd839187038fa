// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The public sizes of groups: those that a schema declares, and those that follow from them.
/// Refers to the schema, which must outlive it.
///
/// The size of a group is the sum over other declared groups, by the same columns or by more of
/// them, if these lie within it and no other records can be in it. No other records can be in it in
/// two cases:
/// - these are all groups within it, and no rule drops records for a column that the group itself
///   does not have; or
/// - the declared groups by these columns add up to the table.
///
/// For units with several rows only declared sizes hold. Each unit is in the group of most of its
/// rows, which for other columns may be other rows.
class PublicSizes {
 public:
  /// `knows_columns`: for can_hold_somebody, even if no sizes are declared.
  explicit PublicSizes(const Schema& schema, bool knows_columns = false);

  /// The size of a group (in any order of columns): declared, or following from others.
  std::optional<int64_t> of(GroupLabel group) const;

  /// Whether a group can have members, by the categories and bands of its columns alone. It cannot
  /// if two parts on the same column have nothing in common.
  bool can_hold_somebody(const GroupLabel& group) const;

  struct Contradiction {
    GroupLabel group;  ///< a declared group
    std::string problem;
  };
  /// A declared size that contradicts those of other groups, if there is one.
  std::optional<Contradiction> find_contradiction() const;

 private:
  using Names = std::vector<std::string>;
  /// A set of values of a column: places of its categories, or of intervals between all cuts of its
  /// bands.
  using PointMasses = std::vector<uint32_t>;
  using Cell = std::map<std::string, PointMasses>;

  struct Sum {
    int64_t declared = 0;   ///< the sum over declared groups within
    bool is_exact = false;  ///< whether these contain all records
  };

  const std::string& column_of(const std::string& name) const;
  const std::vector<std::string>& categories_of(const std::string& name) const;
  PointMasses point_masses_of(const std::string& name, size_t category) const;
  Cell cell_of(const GroupLabel& group) const;
  /// The categories of an attribute or column that have something in common with `cell`.
  std::vector<size_t> categories_within(const std::string& name, const Cell& cell) const;
  /// Nothing if groups by these names determine nothing about the group.
  std::optional<Sum> sum_by(const Names& names, const GroupLabel& group) const;
  std::string problem_of_size(const GroupLabel& group, const Names& names) const;
  std::string problem_of_sums(const GroupLabel& common, const Names& a, const Names& b) const;

  const Schema& schema_;
  std::map<Names, int64_t> totals_;  ///< sums over the declared groups, by their columns
  std::map<std::string, std::vector<std::string>> categories_;
  std::map<std::string, std::vector<double>> cuts_;  ///< for numeric columns, from all their bands
};

}  // namespace equinoise
