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
/// The context of a record is the combination of its values of the attributes that constraints
/// name. The context, the label and the prediction form a triple. Triples that no rate
/// distinguishes share a cell of the histogram, and triples that no rate uses have none. So a
/// record whose prediction is spread over the classes adds at most 1 in total. Every rate is a
/// quotient of two sums of cells.
struct RateProgram {
  static constexpr int32_t kNoCell = -1;

  /// sum over `numerator` / sum over `denominator`, which hold ascending cells.
  struct CellRate {
    std::vector<uint32_t> numerator;
    std::vector<uint32_t> denominator;
    bool fixed_denominator = true;  ///< the denominator does not depend on predictions
    std::string text;               ///< "P(>50K | sex=F)"
    /// The values that its condition names, one of each attribute; {} means all records. Empty if
    /// it names several values of one attribute, or consists of several conjunctions.
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
    size_t given = 0;   ///< its position among the constraints that were compiled
    double margin = 0;  ///< the distance below the slack that training aims for, see aim_margin.h
  };

  std::vector<std::string> attributes;  ///< named by constraints, in the order of the domain
  size_t num_contexts = 1;              ///< combinations of their values, the last one fastest
  size_t num_classes = 0;
  size_t num_cells = 0;
  std::vector<int32_t> cells;  ///< (num_contexts, labels, predictions), in order of appearance
  std::vector<CellRate> rates;
  std::vector<Constraint> constraints;

  /// The position in `cells` where those of a record's predictions begin.
  size_t place_of(size_t context, size_t label) const {
    return (context * num_classes + label) * num_classes;
  }
  /// The cells of a record's predictions, (num_classes).
  std::span<const int32_t> cells_of(size_t context, size_t label) const {
    return {cells.data() + place_of(context, label), num_classes};
  }
};

/// Compiles constraints. Each rate and each constraint appears once; of two with the same terms the
/// one with less slack remains. Constraints that are left out are added to `notes`. Errors: kInput
/// if there is no constraint, or none that can be violated, for a rate that applies to no record on
/// any data, and for more contexts or cells than can be handled.
RateProgram compile_constraints(const ConstraintDomain& domain,
                                const std::vector<RateConstraint>& constraints,
                                std::vector<std::string>& notes);

}  // namespace equinoise
