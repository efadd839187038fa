#include "equinoise/privacy/accountants/rdp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.rdp";
constexpr double kRelativeError = 1e-11;  // of one computed divergence, with room
constexpr double kLargestOrder = 1e4;     // below it the raise covers the sums of an integer order
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log(exp(a) + exp(b)).
double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (high == -kInfinity) return high;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

/// log(exp(a) - 1) for a > 0.
double log_expm1(double a) {
  return a > 30 ? a + std::log1p(-std::exp(-a)) : std::log(std::expm1(a));
}

/// log(1 + exp(a)).
double log1p_exp(double a) {
  return a > 30 ? a + std::log1p(std::exp(-a)) : std::log1p(std::exp(a));
}

/// log of E[(1 - q + q L)^order] - 1 at an integer order: only terms k >= 2 are left, all of them
/// positive.
double log_moment_excess_integer(double rate, double noise, int64_t order) {
  const double log_rate = std::log(rate);
  const double log_rest = std::log1p(-rate);
  double log_binomial = 0;
  double total = -kInfinity;
  for (int64_t k = 1; k <= order; ++k) {
    log_binomial += std::log(static_cast<double>(order - k + 1)) - std::log(static_cast<double>(k));
    if (k == 1) continue;
    const auto kd = static_cast<double>(k);
    const double log_weight =
        log_binomial + kd * log_rate + (order == k ? 0 : static_cast<double>(order - k) * log_rest);
    total = log_add(total, log_weight + log_expm1(kd * (kd - 1) / (2 * noise * noise)));
  }
  return total;
}

/// log((1 + w)^order - 1 - order w) for w > -1, where log_1p_w = log(1 + w). The difference is >= 0
/// by convexity.
double log_convexity_gap(double w, double log_1p_w, double order) {
  if (std::fabs(w) * order < 0.05) {
    double term = order * (order - 1) / 2;
    double sum = 0;
    double power = 1;
    for (int j = 2; j < 16; ++j) {
      sum += term * power;
      power *= w;
      term *= (order - j) / (j + 1);
    }
    return 2 * std::log(std::fabs(w)) + std::log(sum);
  }
  const double exponent = order * log_1p_w;
  if (exponent > 30) return exponent + std::log1p(-(1 + order * w) * std::exp(-exponent));
  return std::log(std::expm1(exponent) - order * w);
}

/// The same at a fractional order. With w = q (L - 1) and E[w] = 0, the moment's excess is E[(1 +
/// w)^order - 1 - order w], a positive integrand, so that even a tiny divergence keeps its digits.
double log_moment_excess_fractional(double rate, double noise, double order) {
  const double variance = noise * noise;
  // 1 + w vanishes at distance pi * variance from the real axis; both factors keep the rule's error
  // below 1e-20.
  const double step = std::min(noise / 8, 0.4 * variance);
  const double low = -13 * noise;
  const auto count = static_cast<int64_t>(std::ceil((order + 26 * noise) / step));
  const double log_rate = std::log(rate);
  const double log_rest = std::log1p(-rate);
  double total = -kInfinity;
  for (int64_t i = 0; i <= count; ++i) {
    const double x = low + static_cast<double>(i) * step;
    const double log_ratio = (2 * x - 1) / (2 * variance);
    double w = kInfinity;
    double log_1p_w = 0;
    if (log_ratio < 500) {
      w = rate * std::expm1(log_ratio);
      log_1p_w = std::log1p(w);
    } else {
      log_1p_w = log_rest + log1p_exp(log_rate + log_ratio - log_rest);
    }
    if (w == 0) continue;
    // Beyond 500 the subtracted linear part is below e^(-500 (order - 1)) of the whole: dropping it
    // rounds up.
    const double log_gap = std::isinf(w) ? order * log_1p_w : log_convexity_gap(w, log_1p_w, order);
    total = log_add(total, log_gap - x * x / (2 * variance));
  }
  return total + std::log(step / (noise * std::sqrt(2 * M_PI)));
}

/// 1 / noise_multiplier^2 of Gaussian events on one batch; they compose to a single Gaussian.
double precision_of(const Event& event) {
  switch (event.kind()) {
    case Event::Kind::kGaussian:
      return 1 / (event.noise_multiplier() * event.noise_multiplier());
    case Event::Kind::kRepeat:
      return static_cast<double>(event.count()) * precision_of(event.events()[0]);
    case Event::Kind::kComposed: {
      double total = 0;
      for (const Event& child : event.events()) total += precision_of(child);
      return total;
    }
    default:
      throw Error(ErrorKind::kUsage, kWhere,
                  "RDP cannot bound this event on a Poisson batch: " + event.to_text());
  }
}

struct Cost {
  std::vector<double> rdp;
  double sampler_error = 0;
};

Cost cost_of(const Event& event, Relation relation, const std::vector<double>& orders) {
  Cost cost{std::vector<double>(orders.size(), 0.0), 0};
  switch (event.kind()) {
    case Event::Kind::kGaussian:
    case Event::Kind::kZcdp: {
      const double rho = event.kind() == Event::Kind::kZcdp ? event.rho() : precision_of(event) / 2;
      for (size_t i = 0; i < orders.size(); ++i)
        cost.rdp[i] = round_up(rho * orders[i], kRelativeError);
      return cost;
    }
    case Event::Kind::kSamplerError:
      cost.sampler_error = event.delta();
      return cost;
    case Event::Kind::kRepeat: {
      cost = cost_of(event.events()[0], relation, orders);
      const auto count = static_cast<double>(event.count());
      for (double& value : cost.rdp) value = multiply_up(value, count);
      cost.sampler_error = multiply_up(cost.sampler_error, count);
      return cost;
    }
    case Event::Kind::kComposed:
      for (const Event& child : event.events()) {
        const Cost part = cost_of(child, relation, orders);
        for (size_t i = 0; i < orders.size(); ++i) cost.rdp[i] = add_up(cost.rdp[i], part.rdp[i]);
        cost.sampler_error = add_up(cost.sampler_error, part.sampler_error);
      }
      return cost;
    case Event::Kind::kPoissonSampled: {
      if (relation == Relation::kReplaceOne) {
        throw Error(ErrorKind::kUsage, kWhere,
                    "RDP cannot bound a Poisson batch under replace_one: " + event.to_text());
      }
      double precision = 0;
      for (const Event& child : event.events()) precision += precision_of(child);
      // A smaller noise multiplier is the pessimistic side of this rounding.
      const double noise = next_down(1 / std::sqrt(precision) * (1 - kRelativeError));
      for (size_t i = 0; i < orders.size(); ++i) {
        cost.rdp[i] = subsampled_gaussian_rdp(event.sample_rate(), noise, orders[i]);
      }
      return cost;
    }
  }
  throw Error(ErrorKind::kRuntime, kWhere, "not an event");
}

}  // namespace

const std::vector<double>& default_rdp_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> values;
    for (int tenths = 11; tenths < 110; ++tenths) values.push_back(tenths / 10.0);
    for (int order = 11; order < 64; ++order) values.push_back(order);
    for (double order : {128.0, 256.0, 512.0, 1024.0}) values.push_back(order);
    return values;
  }();
  return orders;
}

double subsampled_gaussian_rdp(double sample_rate, double noise_multiplier, double order) {
  check_interval(kWhere, "sample_rate", sample_rate, 0, 1);
  check_positive(kWhere, "noise_multiplier", noise_multiplier);
  check_open_interval(kWhere, "order", order, 1, kLargestOrder);
  if (sample_rate == 0) return 0;
  // Sampling never raises a divergence, and with so little noise it hardly lowers it.
  constexpr double kTinyNoise = 0.01;
  double divergence = order / (2 * noise_multiplier * noise_multiplier);
  if (sample_rate < 1 && noise_multiplier > kTinyNoise) {
    const bool integer = order == std::floor(order);
    const double log_excess =
        integer
            ? log_moment_excess_integer(sample_rate, noise_multiplier, static_cast<int64_t>(order))
            : log_moment_excess_fractional(sample_rate, noise_multiplier, order);
    divergence = log1p_exp(log_excess) / (order - 1);
  }
  return round_up(divergence, kRelativeError);
}

RdpAccountant::RdpAccountant(Relation relation, std::vector<double> orders)
    : relation_(relation), orders_(std::move(orders)), rdp_(orders_.size(), 0.0) {
  if (orders_.empty()) throw Error(ErrorKind::kUsage, kWhere, "at least one order is needed");
  for (double order : orders_) check_open_interval(kWhere, "order", order, 1, kLargestOrder);
}

void RdpAccountant::compose(const Event& event, int64_t count) {
  const Cost cost = cost_of(count == 1 ? event : Event::repeat(count, event), relation_, orders_);
  for (size_t i = 0; i < orders_.size(); ++i) rdp_[i] = add_up(rdp_[i], cost.rdp[i]);
  sampler_error_ = add_up(sampler_error_, cost.sampler_error);
}

namespace {

double converted_epsilon(double rdp, double order, double delta) {
  return rdp + std::log1p(-1 / order) - std::log(delta * order) / (order - 1);
}

}  // namespace

Epsilon RdpAccountant::smallest_epsilon(Delta delta, const std::vector<double>& shares) const {
  const bool nothing =
      std::all_of(rdp_.begin(), rdp_.end(), [](double value) { return value == 0; });
  // With a larger epsilon the sampler errors take more of delta, so the first fixed point from
  // below is the answer.
  double epsilon = 0;
  for (;;) {
    const double taken =
        sampler_error_ == 0 ? 0 : multiply_up(1 + std::exp(epsilon), sampler_error_);
    const double usable = taken == 0 ? delta.value() : next_down(delta.value() - taken);
    if (!(usable > 0)) {
      throw Error(ErrorKind::kUsage, kWhere,
                  fmt::format("at epsilon {:.4g} the samplers' own error takes all of delta {}; "
                              "use more noise or a "
                              "larger delta",
                              epsilon, delta.value()));
    }
    double next = kInfinity;
    for (size_t i = 0; i < orders_.size(); ++i) {
      next = std::min(next, converted_epsilon(rdp_[i], orders_[i], usable * shares[i]));
    }
    next = nothing || next < 0 ? 0 : next;
    if (!(next <= std::numeric_limits<double>::max())) {
      throw Error(ErrorKind::kUsage, kWhere, "RDP gives no finite epsilon");
    }
    if (next <= epsilon) return Epsilon(epsilon);
    epsilon = round_up(next, 1e-13);
  }
}

Epsilon RdpAccountant::epsilon(Delta delta) const {
  return smallest_epsilon(delta, std::vector<double>(orders_.size(), 1.0));
}

Epsilon RdpAccountant::adaptive_epsilon(Delta delta, double favoured_order) const {
  std::vector<double> shares(orders_.size(), 0.5 / static_cast<double>(orders_.size()));
  for (size_t i = 0; i < orders_.size(); ++i) {
    if (orders_[i] == favoured_order) shares[i] = 0.5;
  }
  return smallest_epsilon(delta, shares);
}

double RdpAccountant::optimal_order(Delta delta) const {
  size_t best = 0;
  for (size_t i = 1; i < orders_.size(); ++i) {
    if (converted_epsilon(rdp_[i], orders_[i], delta.value()) <
        converted_epsilon(rdp_[best], orders_[best], delta.value())) {
      best = i;
    }
  }
  return orders_[best];
}

Epsilon rdp_epsilon(Relation relation, const std::vector<Event>& events, Delta delta) {
  RdpAccountant accountant(relation);
  for (const Event& event : events) accountant.compose(event);
  return accountant.epsilon(delta);
}

}  // namespace equinoise
