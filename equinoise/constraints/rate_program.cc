// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/rate_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

constexpr size_t kMaxContexts = 65'536;  // as many groups as records can have
constexpr size_t kMaxTriples = size_t{1} << 22;
constexpr size_t kMaxMarks = size_t{1} << 28;  // triples times rates

constexpr Refusal refuse{ErrorKind::kInput, "constraints"};

/// Marks for every triple: whether it is in the condition, and whether the outcome holds as well.
struct Marks {
  std::vector<bool> numerator;
  std::vector<bool> denominator;

  bool operator<(const Marks& other) const {
    return std::tie(numerator, denominator) < std::tie(other.numerator, other.denominator);
  }
};
bool is_nothing_or_contains(const std::vector<size_t>& values, size_t value) {
  return values.empty() || contains(values, value);
}

class Compiler {
 public:
  explicit Compiler(const ConstraintDomain& domain) : domain_(domain) {}

  RateProgram compile(const std::vector<RateConstraint>& constraints,
                      std::vector<std::string>& notes) {
    if (constraints.empty()) refuse("there is no constraint");
    find_contexts(constraints);
    for (size_t i = 0; i < constraints.size(); ++i) add(constraints[i], i, notes);
    if (program_.constraints.empty())
      refuse("no constraint is left: their rates cancel, so they hold for every model");
    make_cells();
    return std::move(program_);
  }

 private:
  /// Finds the attributes that are named, and counts the combinations of their values.
  void find_contexts(const std::vector<RateConstraint>& constraints) {
    std::vector<bool> named(domain_.attributes.size(), false);
    for (const RateConstraint& constraint : constraints) {
      for (const RateTerm& term : constraint.terms) {
        for (const Conjunction& conjunction : term.rate.given)
          for (const auto& [attribute, values] : conjunction.attributes) named[attribute] = true;
      }
    }
    const size_t num_classes = domain_.classes.size();
    program_.num_classes = num_classes;
    for (size_t a = 0; a < named.size(); ++a) {
      if (!named[a]) continue;
      attributes_.push_back(a);
      program_.attributes.push_back(domain_.attributes[a].name);
      program_.num_contexts *= domain_.attributes[a].values.size();
      if (program_.num_contexts > kMaxContexts) break;
    }
    if (program_.num_contexts > kMaxContexts ||
        program_.num_contexts * num_classes * num_classes > kMaxTriples) {
      refuse(
          "the constraints name attributes with more than {} combinations of values, "
          "or more than {} with labels and predictions; name fewer attributes, or "
          "merge values in [groups] of the schema",
          kMaxContexts, kMaxTriples);
    }
  }

  /// Returns whether the values of a context, (attributes_), are among those of the conjunction.
  bool allows(const Conjunction& conjunction, const std::vector<size_t>& context) const {
    return std::ranges::all_of(conjunction.attributes, [&](const auto& allowed) {
      const auto place = std::ranges::find(attributes_, allowed.first);
      return contains(allowed.second, context[static_cast<size_t>(place - attributes_.begin())]);
    });
  }

  bool holds(const Outcome& outcome, size_t label, size_t prediction) const {
    switch (outcome.kind) {
      case Outcome::Kind::kClasses:
        return contains(outcome.classes, prediction);
      case Outcome::Kind::kLabel:
        return prediction == label;
      case Outcome::Kind::kNotLabel:
        return prediction != label;
    }
    return false;
  }

  /// The values of context number `index`.
  std::vector<size_t> context_values(size_t index) const {
    std::vector<size_t> values(attributes_.size());
    for (size_t i = attributes_.size(); i-- > 0;) {
      const size_t num_values = domain_.attributes[attributes_[i]].values.size();
      values[i] = index % num_values;
      index /= num_values;
    }
    return values;
  }

  Marks marks_of(const Rate& rate) const {
    const size_t num_classes = program_.num_classes;
    Marks marks;
    for (size_t c = 0; c < program_.num_contexts; ++c) {
      const std::vector<size_t> values = context_values(c);
      std::vector<const Conjunction*> allowing;
      for (const Conjunction& conjunction : rate.given)
        if (allows(conjunction, values)) allowing.push_back(&conjunction);
      for (size_t y = 0; y < num_classes; ++y) {
        for (size_t k = 0; k < num_classes; ++k) {
          const bool given = std::ranges::any_of(allowing, [&](const Conjunction* conjunction) {
            return is_nothing_or_contains(conjunction->labels, y) &&
                   is_nothing_or_contains(conjunction->predictions, k);
          });
          marks.denominator.push_back(given);
          marks.numerator.push_back(given && holds(rate.outcome, y, k));
        }
      }
    }
    return marks;
  }

  size_t rate_index(const Rate& rate) {
    Marks marks = marks_of(rate);
    const std::string text = to_text(rate, domain_);
    if (!contains(marks.denominator, true))
      refuse("{} applies to no record: none can meet its condition", text);
    const auto found = rate_of_.find(marks);
    if (found != rate_of_.end()) return found->second;
    const size_t index = program_.rates.size();
    if ((index + 1) * marks.denominator.size() > kMaxMarks)
      refuse("the constraints have too many rates over too many groups; name fewer");
    program_.rates.push_back({{}, {}, is_fixed(marks.denominator), text, group_of(rate.given)});
    if (rate.given.size() == 1) program_.rates.back().labels = rate.given[0].labels;
    rate_of_.emplace(std::move(marks), index);
    return index;
  }

  std::optional<GroupLabel> group_of(const Condition& given) const {
    GroupLabel group;
    if (given.size() != 1) return std::nullopt;
    for (const auto& [attribute, values] : given[0].attributes) {
      if (values.size() != 1) return std::nullopt;
      const ConstraintDomain::Attribute& named = domain_.attributes[attribute];
      group.emplace_back(named.name, named.values[values[0]]);
    }
    return group;
  }

  bool is_fixed(const std::vector<bool>& denominator) const {
    const size_t num_classes = program_.num_classes;
    for (size_t t = 0; t < denominator.size(); ++t)
      if (denominator[t] != denominator[t / num_classes * num_classes]) return false;
    return true;
  }

  void add(const RateConstraint& given, size_t place, std::vector<std::string>& notes) {
    std::map<size_t, double> coefficients;
    for (const RateTerm& term : given.terms)
      coefficients[rate_index(term.rate)] += term.coefficient;
    RateProgram::Constraint constraint{given.name, to_text(given, domain_), {}, given.slack, place};
    std::erase_if(coefficients, [](const auto& term) { return term.second == 0; });
    for (const auto& [rate, coefficient] : coefficients)
      constraint.terms.push_back({rate, coefficient});
    if (constraint.terms.empty()) {
      if (given.slack < 0) refuse("\"{}\" cannot hold: its rates cancel", given.name);
      notes.push_back(
          fmt::format("\"{}\" always holds: its rates cancel; it is left out", given.name));
      return;
    }
    std::vector<std::pair<size_t, double>> terms(coefficients.begin(), coefficients.end());
    const auto [known, is_new] =
        constraint_of_.emplace(std::move(terms), program_.constraints.size());
    if (!is_new) {
      RateProgram::Constraint& other = program_.constraints[known->second];
      const bool tighter = constraint.slack < other.slack;
      notes.push_back(fmt::format("\"{}\" follows from \"{}\"; it is left out",
                                  tighter ? other.name : constraint.name,
                                  tighter ? constraint.name : other.name));
      if (tighter) other = std::move(constraint);
      return;
    }
    program_.constraints.push_back(std::move(constraint));
  }

  /// Numbers the signatures of triples. A signature is the set of rates whose numerator or
  /// denominator holds the triple.
  void make_cells() {
    std::vector<const Marks*> marks(program_.rates.size());
    for (const auto& [mark, rate] : rate_of_) marks[rate] = &mark;
    const size_t num_triples = program_.num_contexts * program_.num_classes * program_.num_classes;
    std::map<std::vector<bool>, int32_t> cell_of;
    for (size_t t = 0; t < num_triples; ++t) {
      std::vector<bool> signature;
      for (const Marks* mark : marks) {
        signature.push_back(mark->numerator[t]);
        signature.push_back(mark->denominator[t]);
      }
      if (!contains(signature, true)) {
        program_.cells.push_back(RateProgram::kNoCell);
        continue;
      }
      const auto [cell, is_new] = cell_of.emplace(signature, static_cast<int32_t>(cell_of.size()));
      program_.cells.push_back(cell->second);
      if (!is_new) continue;
      for (size_t r = 0; r < marks.size(); ++r) {
        if (signature[2 * r])
          program_.rates[r].numerator.push_back(static_cast<uint32_t>(cell->second));
        if (signature[2 * r + 1])
          program_.rates[r].denominator.push_back(static_cast<uint32_t>(cell->second));
      }
    }
    program_.num_cells = cell_of.size();
  }

  const ConstraintDomain& domain_;
  std::vector<size_t> attributes_;  // of the domain, that are named
  std::map<Marks, size_t> rate_of_;
  std::map<std::vector<std::pair<size_t, double>>, size_t> constraint_of_;  // by their terms
  RateProgram program_;
};

}  // namespace

RateProgram compile_constraints(const ConstraintDomain& domain,
                                const std::vector<RateConstraint>& constraints,
                                std::vector<std::string>& notes) {
  return Compiler(domain).compile(constraints, notes);
}

}  // namespace equinoise
