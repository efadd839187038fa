#include "equinoise/privacy/accountants/log_moments.h"

namespace equinoise {

std::vector<double> log_factorials(int64_t largest) {
  std::vector<double> logs(static_cast<size_t>(largest) + 1, 0.0);
  double lost = 0;  // Kahan's correction
  for (size_t k = 2; k < logs.size(); ++k) {
    const double term = std::log(static_cast<double>(k)) - lost;
    logs[k] = logs[k - 1] + term;
    lost = (logs[k] - logs[k - 1]) - term;
  }
  return logs;
}

double interpolated_divergence(const std::function<double(int64_t)>& log_moment, double order) {
  const double below = std::floor(order);
  const auto integer = static_cast<int64_t>(below);
  const auto at = [&](int64_t k) { return k == 1 ? 0 : log_moment(k); };
  if (order == below) return at(integer) / (order - 1);
  const double part = order - below;
  return ((1 - part) * at(integer) + part * at(integer + 1)) / (order - 1);
}

}  // namespace equinoise
