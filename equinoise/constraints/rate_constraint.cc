// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/rate_constraint.h"

#include <fmt/format.h>

#include <cmath>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

/// "a" or "a or b".
std::string any_of(const std::vector<size_t>& indices, const std::vector<std::string>& names) {
  std::string text;
  for (const size_t i : indices) text += (text.empty() ? "" : " or ") + names[i];
  return text;
}

std::string to_text(const Conjunction& conjunction, const ConstraintDomain& domain) {
  std::string text;
  const auto add = [&](const std::string& name, const std::vector<size_t>& values,
                       const std::vector<std::string>& names) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, any_of(values, names));
  };
  for (const auto& [attribute, values] : conjunction.attributes)
    add(domain.attributes[attribute].name, values, domain.attributes[attribute].values);
  if (!conjunction.labels.empty()) add("label", conjunction.labels, domain.classes);
  if (!conjunction.predictions.empty()) add("predicted", conjunction.predictions, domain.classes);
  return text;
}

}  // namespace

ConstraintDomain constraint_domain(const Schema& schema) {
  const Refusal fail{ErrorKind::kInput, "constraints"};
  if (schema.target.empty()) fail("constraints need a target; add target = \"COLUMN\"");
  const ColumnSchema& target = schema.column(schema.target);
  ConstraintDomain domain;
  domain.target = schema.target;
  if (target.type == ColumnType::kCategorical) domain.classes = target.categories();
  if (domain.classes.size() < 2) {
    fail(
        "constraints are about predicted classes: the target \"{}\" needs at least "
        "two",
        target.name);
  }
  for (const ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kCategorical && column.name != schema.target)
      domain.attributes.push_back({column.name, column.categories()});
  }
  for (const GroupAttribute& attribute : schema.group_attributes) {
    if (attribute.column != schema.target)
      domain.attributes.push_back({attribute.name, attribute.categories()});
  }
  return domain;
}

std::string to_text(const Rate& rate, const ConstraintDomain& domain) {
  std::string outcome;
  switch (rate.outcome.kind) {
    case Outcome::Kind::kClasses:
      outcome = any_of(rate.outcome.classes, domain.classes);
      break;
    case Outcome::Kind::kLabel:
      outcome = "right";
      break;
    case Outcome::Kind::kNotLabel:
      outcome = "wrong";
      break;
  }
  std::string given;
  for (const Conjunction& conjunction : rate.given) {
    const std::string part = to_text(conjunction, domain);
    if (part.empty()) return fmt::format("P({})", outcome);
    given += fmt::format("{}{}", given.empty() ? "" : "; or ", part);
  }
  return fmt::format("P({} | {})", outcome, given);
}

std::string to_text(const RateConstraint& constraint, const ConstraintDomain& domain) {
  std::string text;
  for (const bool negative : {false, true}) {
    for (const RateTerm& term : constraint.terms) {
      if ((term.coefficient < 0) != negative) continue;
      const double size = std::fabs(term.coefficient);
      text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
      if (size != 1) text += fmt::format("{} ", size);
      text += to_text(term.rate, domain);
    }
  }
  return fmt::format("{} <= {}", text, constraint.slack);
}

}  // namespace equinoise
