#include "equinoise/privacy/accountants/rdp_orders.h"

#include <cmath>

namespace equinoise {

namespace {

constexpr double kSmallest = 1.005;
constexpr double kGrowth = 1.02;
constexpr double kWholeFrom = 64;

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
    std::vector<double> values = {kSmallest};
    std::vector<double> milestones = usual_rdp_orders();
    milestones.push_back(kLargestRenyiOrder);
    for (const double next : milestones) {
      while (true) {
        const double grown = 1 + (values.back() - 1) * kGrowth;
        const double order = grown < kWholeFrom ? grown : std::floor(grown);
        if (order >= next) break;
        values.push_back(order);
      }
      values.push_back(next);
    }
    return values;
  }();
  return orders;
}

}  // namespace equinoise
