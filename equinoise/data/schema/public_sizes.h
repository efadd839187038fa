// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The public sizes of groups: those that a schema declares, and what follows from them. A group is
/// made of smaller ones where other declared groups, by the same columns or by more of them, lie
/// within it: its size is the sum of theirs if no other records can be in it. That is so if these
/// are all groups within it and every record is in one of them, by rules that drop nobody for a
/// column that the group itself does not have or because the declared groups make up the table.
/// Of units with several rows nothing follows but from what is declared of the group itself: each
/// is in the group of most of its rows, which for other columns may be other rows. Refers to the
/// schema, which must outlive it.
class PublicSizes {
 public:
  /// `knows_columns`: also where no sizes are declared, for can_hold_somebody.
  explicit PublicSizes(const Schema& schema, bool knows_columns = false);

  /// The declared size of a group (in any order of columns), else the one that follows.
  std::optional<int64_t> of(GroupLabel group) const;

  /// Whether somebody can be in a group, by the categories and bands of its columns alone: nobody
  /// is in those of one column that have nothing in common.
  bool can_hold_somebody(const GroupLabel& group) const;

  struct Contradiction {
    GroupLabel group;  ///< a declared one
    std::string problem;
  };
  /// A declared size that contradicts those of other groups, if there is one.
  std::optional<Contradiction> find_contradiction() const;

 private:
  using Names = std::vector<std::string>;
  /// Of a column: its categories by position, or the intervals between all cuts of its bands.
  using Atoms = std::vector<uint32_t>;
  using Cell = std::map<std::string, Atoms>;

  struct Sum {
    int64_t declared = 0;   ///< of groups within
    bool is_exact = false;  ///< whether these are everybody
  };

  const std::string& column_of(const std::string& name) const;
  const std::vector<std::string>& categories_of(const std::string& name) const;
  Atoms atoms_of(const std::string& name, size_t category) const;
  Cell cell_of(const GroupLabel& group) const;
  /// Of an attribute or column those categories that have something in common with `cell`.
  std::vector<size_t> categories_within(const std::string& name, const Cell& cell) const;
  /// Nothing if these names say nothing about the group.
  std::optional<Sum> sum_by(const Names& names, const GroupLabel& group) const;
  std::string problem_of_size(const GroupLabel& group, const Names& names) const;
  std::string problem_of_sums(const GroupLabel& common, const Names& a, const Names& b) const;

  const Schema& schema_;
  std::map<Names, int64_t> totals_;  ///< of the declared groups, by their columns
  std::map<std::string, std::vector<std::string>> categories_;
  std::map<std::string, std::vector<double>> cuts_;  ///< of numeric columns, from all their bands
};

}  // namespace equinoise
