// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/constraint_writer.h"

#include <nlohmann/json.hpp>

namespace equinoise {

namespace {

using Json = nlohmann::ordered_json;

Json words(const std::vector<size_t>& indices, const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const size_t i : indices) list.push_back(names[i]);
  return list;
}

Json to_json(const Outcome& outcome, const ConstraintDomain& domain) {
  switch (outcome.kind) {
    case Outcome::Kind::kLabel:
      return "label";
    case Outcome::Kind::kNotLabel:
      return "!label";
    case Outcome::Kind::kClasses:
      break;
  }
  return words(outcome.classes, domain.classes);
}

Json to_json(const Conjunction& conjunction, const ConstraintDomain& domain) {
  Json json = Json::object();
  for (const auto& [attribute, values] : conjunction.attributes) {
    const ConstraintDomain::Attribute& named = domain.attributes[attribute];
    json[named.name] = words(values, named.values);
  }
  if (!conjunction.labels.empty()) json["label"] = words(conjunction.labels, domain.classes);
  if (!conjunction.predictions.empty())
    json["pred"] = words(conjunction.predictions, domain.classes);
  return json;
}

Json to_json(const Condition& condition, const ConstraintDomain& domain) {
  if (condition.size() == 1) return to_json(condition[0], domain);
  Json any = Json::array();
  for (const Conjunction& conjunction : condition) any.push_back(to_json(conjunction, domain));
  return Json::object({{"any", std::move(any)}});
}

}  // namespace

std::string constraints_to_json(std::span<const RateConstraint> constraints,
                                const ConstraintDomain& domain) {
  Json list = Json::array();
  for (const RateConstraint& constraint : constraints) {
    Json terms = Json::array();
    for (const RateTerm& term : constraint.terms) {
      terms.push_back(Json::object({{"coef", term.coefficient},
                                    {"pred", to_json(term.rate.outcome, domain)},
                                    {"given", to_json(term.rate.given, domain)}}));
    }
    list.push_back(Json::object(
        {{"name", constraint.name}, {"terms", std::move(terms)}, {"slack", constraint.slack}}));
  }
  return Json::object({{"constraint", std::move(list)}}).dump();
}

}  // namespace equinoise
