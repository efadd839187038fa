// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/constraints/rate_constraint.h"

namespace equinoise {

/// Constraints as arithmetic on one histogram. [YaghiniEtAl2025, Sec. 3]
///
/// A record is in a context, the combination of its values of the attributes that constraints name,
/// and has a label; with what is predicted that makes a triple (context, label, prediction).
/// Triples that no rate distinguishes share a cell of the histogram, and triples that no rate uses
/// have none, so that a record whose prediction is spread over the classes adds at most 1 in total.
/// Every rate is a quotient of two sums of cells.
struct RateProgram {
  static constexpr int32_t kNoCell = -1;

  /// sum over `numerator` / sum over `denominator`, which hold ascending cells.
  struct CellRate {
    std::vector<uint32_t> numerator;
    std::vector<uint32_t> denominator;
    bool fixed_denominator = true;  ///< the denominator is the same whatever is predicted
    std::string text;               ///< "P(>50K | sex=F)"
    /// The values that its condition names, one of each attribute; {} is everybody. Nothing: it
    /// names several of one, or is of several conjunctions.
    std::optional<GroupLabel> group = {};
    std::vector<size_t> labels = {};  ///< of `group`: those of its condition; empty: any
  };
  struct Term {
    size_t rate = 0;
    double coefficient = 1;
  };
  struct Constraint {
    std::string name;
    std::string text;  ///< "P(>50K | sex=F) - P(>50K | sex=M) <= 0.05"
    std::vector<Term> terms;
    double slack = 0;
    size_t given = 0;   ///< its place among those that were compiled
    double margin = 0;  ///< training aims so far below the slack, see aim_margin.h
  };

  std::vector<std::string> attributes;  ///< named by constraints, in the order of the domain
  size_t num_contexts = 1;              ///< combinations of their values, the last one fastest
  size_t num_classes = 0;
  size_t num_cells = 0;
  std::vector<int32_t> cells;  ///< (num_contexts, labels, predictions), in order of appearance
  std::vector<CellRate> rates;
  std::vector<Constraint> constraints;

  /// Where in `cells` those of a record's predictions begin.
  size_t place_of(size_t context, size_t label) const {
    return (context * num_classes + label) * num_classes;
  }
  /// The cells of a record's predictions, (num_classes).
  std::span<const int32_t> cells_of(size_t context, size_t label) const {
    return {cells.data() + place_of(context, label), num_classes};
  }
};

/// Compiles constraints; each rate and each constraint appears once, and of two with the same terms
/// the one with less slack remains. What was left out is added to `notes`. Errors: kInput if there
/// is no constraint, or none that can be violated, for a rate that applies to no record whatever
/// the data, and for more contexts or cells than can be handled.
RateProgram compile_constraints(const ConstraintDomain& domain,
                                const std::vector<RateConstraint>& constraints,
                                std::vector<std::string>& notes);

}  // namespace equinoise
