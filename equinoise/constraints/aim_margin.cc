// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/aim_margin.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

namespace {

/// The share of the table's records in a conjunction.
double share_of(const Conjunction& conjunction, const ConstraintDomain& domain,
                double num_records_of_table, const PublicSizeOf& size_of) {
  // Every combination of the values in the conjunction, one attribute after another.
  std::vector<GroupLabel> groups = {{}};
  double equal_share = 1;
  for (const auto& [attribute, values] : conjunction.attributes) {
    const ConstraintDomain::Attribute& known = domain.attributes[attribute];
    equal_share /= static_cast<double>(known.values.size());
    std::vector<GroupLabel> longer;
    for (const GroupLabel& group : groups) {
      for (const size_t value : values) {
        longer.push_back(group);
        longer.back().emplace_back(known.name, known.values[value]);
      }
    }
    groups = std::move(longer);
  }
  const auto public_share = [&](const GroupLabel& group) -> std::optional<double> {
    const std::optional<int64_t> size = group.empty() ? std::nullopt : size_of(group);
    if (!size) return std::nullopt;
    return static_cast<double>(*size) / num_records_of_table;
  };
  double share = 0;
  for (const GroupLabel& group : groups) {
    const double all = std::min(1.0, public_share(group).value_or(equal_share));
    if (conjunction.labels.empty()) share += all;
    for (const size_t label : conjunction.labels) {
      GroupLabel of_label = group;
      of_label.emplace_back(domain.target, domain.classes[label]);
      share += public_share(of_label).value_or(all / static_cast<double>(domain.classes.size()));
    }
  }
  return std::min(share, 1.0);
}

/// The share of the table's records in a rate's condition.
double share_of(const Rate& rate, const ConstraintDomain& domain, double num_records_of_table,
                const PublicSizeOf& size_of) {
  double share = 0;
  for (const Conjunction& conjunction : rate.given)
    share += share_of(conjunction, domain, num_records_of_table, size_of);
  return std::min(share, 1.0);
}

}  // namespace

bool is_about_nobody(const RateConstraint& constraint, const ConstraintDomain& domain,
                     const PublicSizeOf& size_of) {
  return std::ranges::any_of(constraint.terms, [&](const RateTerm& term) {
    return share_of(term.rate, domain, 1, size_of) == 0;
  });
}

double sampling_stddev(const RateConstraint& constraint, const ConstraintDomain& domain,
                       double num_records, double num_records_of_table,
                       const PublicSizeOf& size_of) {
  constexpr double kLargestVariance = 0.25;  // of one record: that of a rate of a half
  double variance = 0;
  for (const RateTerm& term : constraint.terms) {
    const double share = share_of(term.rate, domain, num_records_of_table, size_of);
    const double records = std::max(1.0, share * num_records);
    variance += term.coefficient * term.coefficient * kLargestVariance / records;
  }
  return std::sqrt(variance);
}

double aim_margin(double slack, double sampling_stddev) {
  if (!(slack > 0)) return 0;
  return std::min(sampling_stddev, slack / 2);
}

}  // namespace equinoise
