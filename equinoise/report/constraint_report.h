// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/audit/constraint_check.h"
#include "equinoise/report/fields.h"

namespace equinoise {

/// Whether a limit holds; empty if that is unclear or not answerable.
inline std::optional<bool> holds_of(LimitVerdict verdict) {
  if (verdict != LimitVerdict::kHolds && verdict != LimitVerdict::kFails) return {};
  return verdict == LimitVerdict::kHolds;
}

/// A check without its slack.
template <>
inline constexpr auto fields_of<ConstraintCheck> = publishable(
    field("value", &ConstraintCheck::value, "Sum of coefficient * rate"),
    computed(
        "verdict", +[](const ConstraintCheck& check) { return to_string(check.verdict()); },
        "Holds, fails, unclear or not answerable"),
    computed(
        "holds", +[](const ConstraintCheck& check) { return holds_of(check.verdict()); },
        "Null where that is unclear or not answerable"));

/// A constraint of training or of an audit, and its values for a model.
struct ConstraintReport {
  std::string name;
  std::string text;
  double slack = 0;
  std::string origin = {};
  std::optional<ConstraintCheck> check = {};          ///< not private
  std::optional<ConstraintCheck> reference = {};      ///< not private
  std::optional<ConstraintCheck> private_check = {};  ///< publishable
};

template <>
inline constexpr auto fields_of<ConstraintReport> = std::tuple_cat(
    publishable(
        field("name", &ConstraintReport::name, "Its name in the constraint file"),
        field("text", &ConstraintReport::text, "\"P(>50K | sex=F) - P(>50K | sex=M) <= 0.05\""),
        field("origin", &ConstraintReport::origin, "Of an audit: training or audit").or_nothing(),
        field("slack", &ConstraintReport::slack, "Largest value that keeps it")),
    std::tuple(members(&ConstraintReport::check, "How the model keeps it"),
               field("reference", &ConstraintReport::reference, "How the reference keeps it")
                   .or_nothing()),
    publishable(field("private_evaluation", &ConstraintReport::private_check,
                      "How the model keeps it by counts with noise that the run paid for")));

/// A check has no slack in documents; the constraint has it.
inline void complete(ConstraintReport& row) {
  for (std::optional<ConstraintCheck>* check : {&row.check, &row.reference, &row.private_check})
    if (*check) (*check)->slack = row.slack;
}

}  // namespace equinoise
