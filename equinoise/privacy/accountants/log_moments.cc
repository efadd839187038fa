// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/log_moments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/privacy/accountants/rdp_orders.h"

namespace equinoise {

namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kNegligibleLog = 42;  // 2^16 terms below e^-42 are less than 1e-13 of the largest

}  // namespace

const ArrayXd& log_factorials() {
  static const ArrayXd table = [] {
    ArrayXd logs = ArrayXd::Zero(static_cast<Index>(kLargestRenyiOrder) + 2);
    double lost = 0;  // Kahan's correction
    for (Index k = 2; k < logs.size(); ++k) {
      const double term = std::log(static_cast<double>(k)) - lost;
      logs[k] = logs[k - 1] + term;
      lost = (logs[k] - logs[k - 1]) - term;
    }
    return logs;
  }();
  return table;
}

BinomialSums::BinomialSums(double log_rate, double log_rest, const std::vector<double>& log_values)
    : log_rate_(log_rate),
      log_rest_(log_rest),
      log_values_(
          Eigen::Map<const ArrayXd>(log_values.data(), static_cast<Index>(log_values.size()))) {
  for (Index first = 0; first < log_values_.size(); first += kBlock) {
    const Index from = std::max<Index>(first, 2);
    const Index size = std::min(first + kBlock, log_values_.size()) - from;
    largest_values_.push_back(size > 0 ? log_values_.segment(from, size).maxCoeff()
                                       : -std::numeric_limits<double>::infinity());
  }
}

double BinomialSums::log_weight(int64_t n, int64_t k) const {
  const ArrayXd& log_factorial = log_factorials();
  return log_factorial[n] - log_factorial[k] - log_factorial[n - k] +
         static_cast<double>(k) * log_rate_ + static_cast<double>(n - k) * log_rest_;
}

ArrayXd BinomialSums::terms(int64_t n, Index first, Index last) const {
  const ArrayXd& log_factorial = log_factorials();
  const Index count = last - first;
  const ArrayXd k =
      ArrayXd::LinSpaced(count, static_cast<double>(first), static_cast<double>(first + count - 1));
  const ArrayXd weight = k * log_rate_ + (static_cast<double>(n) - k) * log_rest_;
  const auto values = log_values_.segment(first, count);
  const ArrayXd term = log_factorial[n] - log_factorial.segment(first, count) -
                       log_factorial.segment(n - last + 1, count).reverse() + weight + values;
  return term + 2e-15 * (log_factorial[n] - weight + values.max(-1e300).abs());
}

double BinomialSums::log_sum(int64_t n) const {
  const double growth = std::exp(log_rate_ - log_rest_);
  const double peak = std::floor(static_cast<double>(n + 1) * growth / (1 + growth));
  const auto num_blocks = static_cast<size_t>(n / kBlock + 1);
  std::vector<double> bounds(num_blocks);
  const auto first_of = [](size_t block) {
    return std::max<Index>(static_cast<Index>(block) * kBlock, 2);
  };
  const auto last_of = [&](size_t block) {
    return std::min<Index>(static_cast<Index>(block + 1) * kBlock, n + 1);
  };
  for (size_t block = 0; block < num_blocks; ++block) {
    const double nearest = std::clamp(peak, static_cast<double>(first_of(block)),
                                      static_cast<double>(last_of(block) - 1));
    bounds[block] = log_weight(n, static_cast<int64_t>(nearest)) + largest_values_[block];
  }
  // Begins with the likeliest block, so that most others can be skipped.
  const auto likeliest = static_cast<size_t>(std::ranges::max_element(bounds) - bounds.begin());
  double scale = terms(n, first_of(likeliest), last_of(likeliest)).maxCoeff();
  if (std::isinf(scale)) return bounds[likeliest];
  for (size_t block = 0; block < num_blocks; ++block) {
    if (block == likeliest || bounds[block] <= scale) continue;
    scale = std::max(scale, terms(n, first_of(block), last_of(block)).maxCoeff());
  }
  if (std::isinf(scale)) return scale;
  double total = 0;
  for (size_t block = 0; block < num_blocks; ++block) {
    const Index first = first_of(block);
    const Index last = last_of(block);
    if (bounds[block] < scale - kNegligibleLog) {
      total += static_cast<double>(last - first) * std::exp(bounds[block] - scale);
    } else {
      total += (terms(n, first, last) - scale).exp().sum();
    }
  }
  return scale + std::log(total);
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
