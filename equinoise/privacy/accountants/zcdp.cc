#include "equinoise/privacy/accountants/zcdp.h"

#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.zcdp";
constexpr double kRelativeError = 1e-13;

double rho_of(const Event& event) {
  switch (event.kind()) {
    case Event::Kind::kGaussian:
      return 0.5 / (event.noise_multiplier() * event.noise_multiplier());
    case Event::Kind::kZcdp:
      return event.rho();
    case Event::Kind::kRepeat:
      return static_cast<double>(event.count()) * rho_of(event.events()[0]);
    case Event::Kind::kComposed: {
      double total = 0;
      for (const Event& child : event.events()) total += rho_of(child);
      return total;
    }
    case Event::Kind::kSamplerError:
    case Event::Kind::kPoissonSampled:
      break;
  }
  throw Error(ErrorKind::kUsage, kWhere, "zCDP cannot bound this event: " + event.to_text());
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

Rho zcdp_rho(const Event& event) { return Rho(round_up(rho_of(event), kRelativeError)); }

Epsilon zcdp_epsilon(Rho rho, Delta delta) {
  check_positive(kWhere, "delta", delta.value());
  if (rho.value() == 0) return Epsilon(0);
  const double best = minimum_over_orders([&](double excess) {
    const double alpha = 1 + excess;
    return rho.value() * alpha + std::log1p(-1 / alpha) - std::log(delta.value() * alpha) / excess;
  });
  return Epsilon(best > 0 ? round_up(best, kRelativeError) : 0);
}

Delta zcdp_delta(Rho rho, Epsilon epsilon) {
  if (rho.value() == 0) return Delta(0);
  const double best = minimum_over_orders([&](double excess) {
    const double alpha = 1 + excess;
    return excess * (alpha * rho.value() - epsilon.value()) + alpha * std::log1p(-1 / alpha) -
           std::log(excess);
  });
  const double delta = round_up(std::exp(best), 1e-10);
  if (!(delta < 1)) {
    throw Error(ErrorKind::kUsage, kWhere, "the conversion gives no delta below 1 at this epsilon");
  }
  return Delta(delta);
}

Rho zcdp_rho_for(Epsilon epsilon, Delta delta) {
  check_positive(kWhere, "epsilon", epsilon.value());
  double low = 0;
  double high = 1;
  while (zcdp_epsilon(Rho(high), delta).value() <= epsilon.value()) high *= 2;
  // `low` always satisfies the target: it is what is returned.
  while (high - low > 1e-12 * high) {
    const double middle = low + (high - low) / 2;
    (zcdp_epsilon(Rho(middle), delta).value() <= epsilon.value() ? low : high) = middle;
  }
  return Rho(low);
}

}  // namespace equinoise
