// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/rdp.h"

#include <algorithm>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/conversion.h"
#include "equinoise/privacy/accountants/rdp_cost.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.rdp";

bool is_zero(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return value == 0; });
}

}  // namespace

RdpAccountant::RdpAccountant(Relation relation, std::vector<double> orders)
    : orders_(std::move(orders)),
      composition_(rdp_composition(relation, orders_)),
      total_(composition_.total()) {
  if (orders_.empty()) throw Error(ErrorKind::kUsage, kWhere, "at least one order is needed");
  for (double order : orders_) {
    check_open_interval(kWhere, "order", order, 1, next_up(kLargestRenyiOrder));
  }
}

void RdpAccountant::compose(const Event& event, int64_t count) {
  composition_.add(event, count);
  total_ = composition_.total();
}

Epsilon RdpAccountant::smallest_epsilon(Delta delta, const std::vector<double>& shares) const {
  const bool is_free = is_zero(total_.divergences);
  return epsilon_beside_failures(kWhere, total_, delta, [&](double usable) {
    if (is_free) return 0.0;
    double least = total_.pure;
    for (size_t i = 0; usable > 0 && i < orders_.size(); ++i) {
      const double epsilon = renyi_epsilon(orders_[i], total_.divergences[i], usable * shares[i]);
      least = std::min(least, epsilon > 0 ? round_up(epsilon, 1e-13) : 0);
    }
    return least;
  });
}

Epsilon RdpAccountant::epsilon(Delta delta) const {
  return smallest_epsilon(delta, std::vector<double>(orders_.size(), 1.0));
}

double RdpAccountant::delta(Epsilon epsilon) const {
  const bool is_free = is_zero(total_.divergences) || epsilon.value() >= total_.pure;
  return delta_beside_failures(
      total_, epsilon, is_free ? 0 : renyi_delta(orders_, total_.divergences, epsilon.value()));
}

Epsilon RdpAccountant::adaptive_epsilon(Delta delta, double favoured_order) const {
  std::vector<double> shares(orders_.size(), 0.5 / static_cast<double>(orders_.size()));
  for (size_t i = 0; i < orders_.size(); ++i) {
    if (orders_[i] == favoured_order) shares[i] = 0.5;
  }
  return smallest_epsilon(delta, shares);
}

double RdpAccountant::optimal_order(Delta delta) const {
  const auto epsilon_at = [&](size_t i) {
    return renyi_epsilon(orders_[i], total_.divergences[i], delta.value());
  };
  size_t best = 0;
  for (size_t i = 1; i < orders_.size(); ++i) {
    if (epsilon_at(i) < epsilon_at(best)) best = i;
  }
  return orders_[best];
}

Epsilon rdp_epsilon(Relation relation, const std::vector<Event>& events, Delta delta) {
  RdpAccountant accountant(relation);
  for (const Event& event : events) accountant.compose(event);
  return accountant.epsilon(delta);
}

}  // namespace equinoise
