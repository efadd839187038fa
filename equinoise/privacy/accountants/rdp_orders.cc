// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/rdp_orders.h"

#include <cmath>

namespace equinoise {

namespace {

constexpr double kWholeFrom = 64;

/// Appends orders up to `next`: each order - 1 is `growth` times the one before it, or less.
void grow_to(double next, double growth, std::vector<double>& orders) {
  while (true) {
    const double grown = 1 + (orders.back() - 1) * growth;
    const double order = grown < kWholeFrom ? grown : std::floor(grown);
    if (order >= next) break;
    orders.push_back(order);
  }
  orders.push_back(next);
}

}  // namespace

const std::vector<double>& usual_rdp_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> values;
    for (int tenths = 11; tenths < 110; ++tenths) values.push_back(tenths / 10.0);
    for (int order = 11; order < 64; ++order) values.push_back(order);
    for (double order : {128.0, 256.0, 512.0, 1024.0}) values.push_back(order);
    return values;
  }();
  return orders;
}

const std::vector<double>& dense_rdp_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> values = {1.005};
    for (const double next : usual_rdp_orders()) grow_to(next, 1.02, values);
    grow_to(kLargestRenyiOrder, 1.02, values);
    return values;
  }();
  return orders;
}

const std::vector<double>& account_rdp_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> values = {1.1};
    grow_to(kLargestRenyiOrder, 1.12, values);
    return values;
  }();
  return orders;
}

}  // namespace equinoise
