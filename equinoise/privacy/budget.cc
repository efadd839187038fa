// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/budget.h"

#include <fmt/format.h>

#include <charconv>

#include "equinoise/base/check.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/privacy/account_cost.h"

namespace equinoise {

namespace {
constexpr std::string_view kWhere = "privacy.budget";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr size_t kMaxOrders = 10'000;

void check_orders(const std::vector<double>& orders) {
  if (orders.empty() || orders.size() > kMaxOrders)
    refuse("there must be 1 to {} RDP orders", kMaxOrders);
  double last = 1;
  for (const double order : orders) {
    if (!(order > last && order <= kLargestRenyiOrder))
      refuse("RDP orders must ascend within (1, {:g}]", kLargestRenyiOrder);
    last = order;
  }
}

}  // namespace

GroupCap parse_group_cap(const std::string& text) {
  const size_t equals = text.find('=');
  const size_t colon = text.rfind(':');
  if (equals != text.npos && colon != text.npos && equals > 0 && colon > equals + 1) {
    double epsilon = 0;
    const char* end = text.data() + text.size();
    const auto [rest, status] = std::from_chars(text.data() + colon + 1, end, epsilon);
    if (status == std::errc() && rest == end) {
      check_positive(kWhere, fmt::format("the cap of {}", text.substr(0, colon)), epsilon);
      return {text.substr(0, equals), text.substr(equals + 1, colon - equals - 1),
              Epsilon(epsilon)};
    }
  }
  refuse("write a group's cap as PARTITION=GROUP:EPSILON, e.g. sex=Female:1.5; got \"{}\"", text);
}

void check_budget(const Budget& budget) {
  check_positive(kWhere, "epsilon", budget.epsilon.value());
  check_positive(kWhere, "delta", budget.delta.value());
  const std::vector<std::string_view>& rules = account_rules();
  if (!contains(rules, budget.accountant)) {
    const std::string nearest =
        nearest_name(budget.accountant, std::vector<std::string>(rules.begin(), rules.end()));
    refuse("an account can be kept by {}, not by \"{}\"{}", fmt::join(rules, ", "),
           budget.accountant,
           nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest));
  }
  check_orders(budget.rdp_orders);
  if (budget.unit.empty())
    refuse(
        "an account protects a unit: {}, or the name of the column that says "
        "whose a row is",
        kRowUnit);
  for (size_t i = 0; i < budget.group_caps.size(); ++i) {
    const GroupCap& cap = budget.group_caps[i];
    if (cap.partition.empty() || cap.group.empty()) {
      refuse("a group's cap needs a partition and a group");
    }
    const std::string name = fmt::format("{}={}", cap.partition, cap.group);
    check_positive(kWhere, "the cap of " + name, cap.epsilon.value());
    for (size_t j = 0; j < i; ++j) {
      const GroupCap& other = budget.group_caps[j];
      if (other.partition == cap.partition && other.group == cap.group) {
        refuse("two caps for group " + name);
      }
    }
  }
}

}  // namespace equinoise
