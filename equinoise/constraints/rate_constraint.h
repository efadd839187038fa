// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The public names that constraints can refer to: the classes of the target and the categories of
/// every attribute. An attribute is a categorical column or a group attribute of the schema.
struct ConstraintDomain {
  struct Attribute {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<Attribute> attributes;
  std::vector<std::string> classes;
  std::string target = {};  ///< the target of these classes
};

/// Errors: kInput for a target that is missing or numeric, or has one class.
ConstraintDomain constraint_domain(const Schema& schema);

/// Records that match every named set; a set that is left out allows any value. Sets of attributes'
/// values, labels and predicted classes are ascending indices into the domain.
struct Conjunction {
  std::vector<std::pair<size_t, std::vector<size_t>>> attributes;
  std::vector<size_t> labels = {};       ///< empty: any
  std::vector<size_t> predictions = {};  ///< empty: any

  bool operator==(const Conjunction&) const = default;
};

/// Records for which one of the conjunctions holds: {{}} means all records.
using Condition = std::vector<Conjunction>;

/// A prediction for a record: one of some classes, its label, or anything but its label.
struct Outcome {
  enum class Kind { kClasses, kLabel, kNotLabel };
  Kind kind = Kind::kClasses;
  std::vector<size_t> classes = {};  ///< for kClasses: ascending

  bool operator==(const Outcome&) const = default;
};

/// The share of records with that outcome among the records of a condition.
struct Rate {
  Outcome outcome;
  Condition given;
};

struct RateTerm {
  double coefficient = 1;
  Rate rate;
};

/// A constraint: sum of coefficient * rate <= slack. [YaghiniEtAl2025, Def. 3.1, in terms of rates]
struct RateConstraint {
  std::string name;
  std::vector<RateTerm> terms;
  double slack = 0;
};

/// "P(>50K | sex=F)"
std::string to_text(const Rate& rate, const ConstraintDomain& domain);

/// "P(>50K | sex=F) - P(>50K | sex=M) <= 0.05"
std::string to_text(const RateConstraint& constraint, const ConstraintDomain& domain);

}  // namespace equinoise
