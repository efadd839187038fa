// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/zcdp.h"

#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/renyi.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.zcdp";
constexpr double kRelativeError = 1e-13;

PrivacyCost zcdp_cost_of(const Event& event) {
  switch (event.kind()) {
    case Event::Kind::kApproxDp:
    case Event::Kind::kPoissonSampled:
    case Event::Kind::kSampledWithoutReplacement:
    case Event::Kind::kRepeatAndSelect:
      throw Error(ErrorKind::kUsage, kWhere, "zCDP cannot bound this event: " + event.to_text());
    default:
      break;
  }
  const double pure = max_divergence(event);
  const double part = event.kind() == Event::Kind::kExponential ? 8 : 2;
  const double of_pure = pure == 0 ? 0 : round_up(pure * pure / part, kRelativeError);
  return {{std::fmin(gaussian_rho(event), of_pure)}, pure, 0, 0};
}

/// The minimum over orders alpha = 1 + exp(u) of a bound that is unimodal in u; golden section. Any
/// order gives a valid bound.
template <typename Bound>
double minimum_over_orders(Bound bound) {
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = -30;
  double high = 60;
  double left = high - ratio * (high - low);
  double right = low + ratio * (high - low);
  double at_left = bound(std::exp(left));
  double at_right = bound(std::exp(right));
  while (high - low > 1e-9) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - ratio * (high - low);
      at_left = bound(std::exp(left));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + ratio * (high - low);
      at_right = bound(std::exp(right));
    }
  }
  return std::fmin(at_left, at_right);
}

}  // namespace

ZcdpAccountant::ZcdpAccountant(Relation relation)
    : composition_(kWhere, relation, 1, zcdp_cost_of), total_(composition_.total()) {}

void ZcdpAccountant::compose(const Event& event, int64_t count) {
  composition_.add(event, count);
  total_ = composition_.total();
}

Epsilon ZcdpAccountant::epsilon(Delta delta) const {
  return epsilon_beside_failures(kWhere, total_, delta, [&](double usable) {
    if (rho() == 0) return 0.0;
    if (usable == 0 || std::isinf(rho())) return total_.pure;
    return std::fmin(total_.pure, zcdp_epsilon(Rho(rho()), Delta(usable)).value());
  });
}

double ZcdpAccountant::delta(Epsilon epsilon) const {
  double ideal = 1;
  if (rho() == 0 || epsilon.value() >= total_.pure) {
    ideal = 0;
  } else if (!std::isinf(rho())) {
    ideal = zcdp_delta(Rho(rho()), epsilon);
  }
  return delta_beside_failures(total_, epsilon, ideal);
}

Epsilon zcdp_epsilon(Rho rho, Delta delta) {
  check_positive(kWhere, "delta", delta.value());
  if (rho.value() == 0) return Epsilon(0);
  const double best = minimum_over_orders([&](double excess) {
    const double alpha = 1 + excess;
    return rho.value() * alpha + std::log1p(-1 / alpha) - std::log(delta.value() * alpha) / excess;
  });
  return Epsilon(best > 0 ? round_up(best, kRelativeError) : 0);
}

double zcdp_delta(Rho rho, Epsilon epsilon) {
  if (rho.value() == 0) return 0;
  const double best = minimum_over_orders([&](double excess) {
    const double alpha = 1 + excess;
    return excess * (alpha * rho.value() - epsilon.value()) + excess * std::log(excess) -
           alpha * std::log1p(excess);
  });
  return std::fmin(round_up(std::exp(best), 1e-10), 1);
}

Rho zcdp_rho_for(Epsilon epsilon, Delta delta) {
  check_positive(kWhere, "epsilon", epsilon.value());
  double low = 0;
  double high = 1;
  while (zcdp_epsilon(Rho(high), delta).value() <= epsilon.value()) high *= 2;
  // `low` always satisfies the target and is returned.
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    if (middle == low) break;  // no number lies between them
    (zcdp_epsilon(Rho(middle), delta).value() <= epsilon.value() ? low : high) = middle;
  }
  return Rho(low);
}

}  // namespace equinoise
