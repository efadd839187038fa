// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/protection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "equinoise/base/error.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

bool is_of_rows(const Protection& protection) { return protection.unit.is_row(); }

/// "row", or "unit (person_id)".
std::string one_of(const Protection& protection) {
  const std::string& name = protection.unit.name;
  return is_of_rows(protection) ? name : fmt::format("unit ({})", name);
}

/// The two tables that cannot be told apart, if all rows of a unit change.
std::string alternatives_of_rows(const Protection& protection) {
  const int64_t most = protection.unit.max_records;
  const std::string its_rows =
      fmt::format("its own rows, of which at most {} count{},", most, most == 1 ? "s" : "");
  const char* of_group = protection.public_groups.empty() ? "" : " of the same group";
  switch (protection.relation) {
    case Relation::kZeroOut:
      return fmt::format(
          "was in the table with {} or each of them had been replaced by an empty record{} that "
          "contributes nothing",
          its_rows, of_group);
    case Relation::kAddRemove:
      return fmt::format("was in the table with {} or with none", its_rows);
    case Relation::kReplaceOne:
      return fmt::format("was in the table with {} or with as many other rows{}", its_rows,
                         of_group);
  }
  throw Error(ErrorKind::kRuntime, "report.protection", "not a relation");
}

/// The two tables that cannot be told apart, if one of `unit` changes.
std::string alternatives(const Protection& protection) {
  if (!is_of_rows(protection)) return alternatives_of_rows(protection);
  const char* of_group = protection.public_groups.empty() ? "" : " of the same group";
  switch (protection.relation) {
    case Relation::kZeroOut:
      return fmt::format(
          "was in the table with its own values or had been replaced by an empty record{} that "
          "contributes nothing",
          of_group);
    case Relation::kAddRemove:
      return "was in the table or was not";
    case Relation::kReplaceOne:
      return fmt::format("was in the table with its own values or with those of any other record{}",
                         of_group);
  }
  throw Error(ErrorKind::kRuntime, "report.protection", "not a relation");
}

/// A share in per cent, rounded up to two digits: "6.4".
std::string at_most(double share) {
  const double percent = 100 * share;
  if (!(percent > 0)) return "0";
  const double step = std::pow(10, std::floor(std::log10(percent)) - 1);
  return fmt::format("{:g}", std::min(100.0, std::ceil(percent / step) * step));
}

/// A bound on an attacker's success in telling them apart.
std::string risk(const Protection& protection, const AttackBounds& attack) {
  return fmt::format(
      "Risk: an attacker who knows every other record and accepts {:g} % false alarms detects {} "
      "with a probability of at most {} %. Detection never exceeds the false-alarm rate by more "
      "than {} points.",
      100 * kFalsePositiveRate,
      protection.relation == Relation::kReplaceOne ? "which values a participant has"
                                                   : "a participant",
      at_most(attack.true_positive_rate), at_most(attack.advantage));
}

}  // namespace

std::string ProtectedUnit::plural() const {
  return is_row() ? "records" : fmt::format("units ({})", name);
}

std::string_view ProtectedUnit::whose_row() const {
  return is_stated ? "the owner states that no person has two rows"
                   : "nobody has said whose rows these are";
}

std::string what_is_protected(const Protection& protection) {
  return fmt::format(
      "Protected ({}): an attacker who sees everything that is released cannot tell, beyond what "
      "epsilon and delta allow, whether any one {} {}.",
      to_string(protection.relation),
      is_of_rows(protection) ? fmt::format("row ({})", protection.unit.whose_row())
                             : one_of(protection),
      alternatives(protection));
}

std::string what_is_public(const Protection& protection) {
  const bool has_public_size = protection.relation != Relation::kAddRemove;
  const bool has_group_sizes = has_public_size && !protection.pays_for_sizes;
  const std::string number = "the number of " + protection.unit.plural();
  std::string known = fmt::format(
      "{}everything that the schema declares (columns, bounds, categories, groups{}) and every "
      "option{}{}",
      has_public_size ? number + ", " : "", has_group_sizes ? " and their sizes" : "",
      has_public_size ? "" : ", but not " + number,
      is_of_rows(protection) ? ""
      : has_public_size      ? ", but not how many rows a unit has"
                             : ", nor how many rows a unit has");
  if (!protection.public_groups.empty())
    known += fmt::format("; and which group by {} each {} is in",
                         fmt::join(protection.public_groups, ", "), one_of(protection));
  return fmt::format("Treated as public, so not protected: {}.", known);
}

std::string likelihood_factor(const Epsilon& epsilon) {
  const double factor = std::exp(epsilon.value());
  return std::isfinite(factor) ? format_up(factor, 3) : "more than 1e308";
}

std::string strength_in_words(const Guarantee& guarantee, const ProtectedUnit& unit,
                              std::string_view subject) {
  const std::string one = unit.is_row() ? "any one record" : fmt::format("any one {}", unit.name);
  return fmt::format(
      "{}: every result is at most {} times as likely with {} as {} (epsilon {}){}.", subject,
      likelihood_factor(guarantee.epsilon), one,
      guarantee.relation == Relation::kReplaceOne ? "with another in its place" : "without it",
      format_epsilon(guarantee.epsilon),
      guarantee.delta.value() > 0
          ? fmt::format(", up to a probability of {}", guarantee.delta.value())
          : "");
}

std::vector<std::string> explain(const std::optional<Protection>& protection) {
  if (!protection) return {};
  std::vector<std::string> sentences = {what_is_protected(*protection)};
  if (protection->attack) sentences.push_back(risk(*protection, *protection->attack));
  sentences.push_back(what_is_public(*protection));
  return sentences;
}

}  // namespace equinoise
