// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/common_constraints.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

/// A value of each attribute.
using Values = std::vector<size_t>;

/// Every combination, the last attribute fastest.
std::vector<Values> combinations(const ConstraintDomain& domain,
                                 const std::vector<size_t>& attributes) {
  std::vector<Values> all = {{}};
  for (const size_t attribute : attributes) {
    std::vector<Values> longer;
    for (const Values& values : all) {
      for (size_t v = 0; v < domain.attributes[attribute].values.size(); ++v) {
        longer.push_back(values);
        longer.back().push_back(v);
      }
    }
    all = std::move(longer);
  }
  return all;
}

Conjunction group_of(const std::vector<size_t>& attributes, const Values& values) {
  Conjunction group;
  for (size_t i = 0; i < attributes.size(); ++i)
    group.attributes.push_back({attributes[i], {values[i]}});
  std::ranges::sort(group.attributes);
  return group;
}

/// The records with a different value of at least one of the attributes.
Condition rest_of(const ConstraintDomain& domain, const Conjunction& group) {
  Condition rest;
  for (const auto& [attribute, values] : group.attributes) {
    std::vector<size_t> others;
    for (size_t v = 0; v < domain.attributes[attribute].values.size(); ++v)
      if (v != values[0]) others.push_back(v);
    if (!others.empty()) rest.push_back({{{attribute, others}}});
  }
  return rest;
}

std::string name_of(const ConstraintDomain& domain, const Conjunction& group) {
  std::string name;
  for (const auto& [attribute, values] : group.attributes) {
    const ConstraintDomain::Attribute& named = domain.attributes[attribute];
    name += fmt::format("{}{}={}", name.empty() ? "" : ", ", named.name, named.values[values[0]]);
  }
  return name;
}

/// A group and the records that it is compared with, which are named.
struct Comparison {
  Conjunction group;
  Condition others;
  std::string others_name;
};

std::vector<Comparison> comparisons(const ConstraintDomain& domain, const ParityGroups& groups) {
  const std::vector<Values> all = combinations(domain, groups.attributes);
  std::vector<Comparison> compared;
  for (const Values& values : all) {
    // Each of two groups is the other's rest, so one comparison is enough.
    if (groups.versus.kind == Versus::Kind::kRest && all.size() == 2 && !compared.empty()) break;
    const Conjunction group = group_of(groups.attributes, values);
    switch (groups.versus.kind) {
      case Versus::Kind::kRest:
        compared.push_back({group, rest_of(domain, group), "the rest"});
        break;
      case Versus::Kind::kOverall:
        compared.push_back({group, {{}}, "everybody"});
        break;
      case Versus::Kind::kPairwise:
        for (const Values& other : all) {
          if (values < other) {
            const Conjunction second = group_of(groups.attributes, other);
            compared.push_back({group, {second}, name_of(domain, second)});
          }
        }
        break;
      case Versus::Kind::kReference:
        if (values != groups.versus.reference) {
          const Conjunction reference = group_of(groups.attributes, groups.versus.reference);
          compared.push_back({group, {reference}, name_of(domain, reference)});
        }
        break;
    }
  }
  return compared;
}

/// Adds |P(k | group) - P(k | others)| <= slack as two constraints, one for each sign.
void add_parity(const ConstraintDomain& domain, const Comparison& compared, size_t k,
                const std::vector<size_t>& labels, double slack, const std::string& name,
                std::vector<RateConstraint>& constraints) {
  const auto rate = [&](Condition given) {
    for (Conjunction& conjunction : given) conjunction.labels = labels;
    return Rate{{Outcome::Kind::kClasses, {k}}, std::move(given)};
  };
  std::string about = name_of(domain, compared.group);
  for (const double sign : {1.0, -1.0}) {
    RateConstraint& constraint = constraints.emplace_back();
    constraint.name = fmt::format("{}: {} {} {}, {}{}", name, about, sign > 0 ? "above" : "below",
                                  compared.others_name, domain.classes[k],
                                  labels.empty() ? "" : " where " + domain.classes[labels[0]]);
    constraint.terms = {{sign, rate({compared.group})}, {-sign, rate(compared.others)}};
    constraint.slack = slack;
  }
}

}  // namespace

std::vector<RateConstraint> demographic_parity(const ConstraintDomain& domain,
                                               const ParityGroups& groups,
                                               const std::vector<size_t>& classes, double slack,
                                               const std::string& name) {
  std::vector<RateConstraint> constraints;
  for (const Comparison& compared : comparisons(domain, groups)) {
    for (const size_t k : classes) add_parity(domain, compared, k, {}, slack, name, constraints);
  }
  return constraints;
}

std::vector<RateConstraint> equalized_odds(const ConstraintDomain& domain,
                                           const ParityGroups& groups,
                                           const std::vector<size_t>& classes,
                                           const std::vector<size_t>& labels, double slack,
                                           const std::string& name) {
  std::vector<RateConstraint> constraints;
  for (const size_t label : labels) {
    for (const Comparison& compared : comparisons(domain, groups)) {
      for (const size_t k : classes)
        add_parity(domain, compared, k, {label}, slack, name, constraints);
    }
  }
  return constraints;
}

const std::vector<std::string>& rate_metric_names() {
  static const std::vector<std::string> names = {"fnr", "fpr",       "tpr",
                                                 "tnr", "pred_rate", "precision"};
  return names;
}

Rate make_rate(const ConstraintDomain& domain, RateMetric metric, size_t positive,
               const Conjunction& where) {
  std::vector<size_t> others;
  for (size_t k = 0; k < domain.classes.size(); ++k)
    if (k != positive) others.push_back(k);
  const auto of_labels = [&](std::vector<size_t> labels, std::vector<size_t> predicted) {
    Conjunction given = where;
    given.labels = std::move(labels);
    return Rate{{Outcome::Kind::kClasses, std::move(predicted)}, {given}};
  };
  switch (metric) {
    case RateMetric::kFalseNegativeRate:
      return of_labels({positive}, others);
    case RateMetric::kFalsePositiveRate:
      return of_labels(others, {positive});
    case RateMetric::kTruePositiveRate:
      return of_labels({positive}, {positive});
    case RateMetric::kTrueNegativeRate:
      return of_labels(others, others);
    case RateMetric::kPredictionRate:
      return of_labels({}, {positive});
    case RateMetric::kPrecision:
      break;
  }
  Conjunction given = where;
  given.predictions = {positive};
  return {{Outcome::Kind::kLabel, {}}, {given}};
}

std::vector<RateConstraint> rate_bounds(const Rate& rate, std::optional<double> max,
                                        std::optional<double> min, const std::string& name) {
  std::vector<RateConstraint> constraints;
  if (max) constraints.push_back({fmt::format("{} <= {:g}", name, *max), {{1, rate}}, *max});
  if (min) constraints.push_back({fmt::format("{} >= {:g}", name, *min), {{-1, rate}}, -*min});
  return constraints;
}

std::vector<RateConstraint> group_error(const ConstraintDomain& domain,
                                        const std::vector<size_t>& attributes, double max,
                                        const std::string& name) {
  std::vector<RateConstraint> constraints;
  for (const Values& values : combinations(domain, attributes)) {
    const Conjunction group = group_of(attributes, values);
    const Rate wrong{{Outcome::Kind::kNotLabel, {}}, {group}};
    append(constraints, rate_bounds(wrong, max, std::nullopt,
                                    fmt::format("{} of {}", name, name_of(domain, group))));
  }
  return constraints;
}

}  // namespace equinoise
