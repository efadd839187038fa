// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/unit_bounds.h"

#include <algorithm>
#include <limits>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/zcdp.h"

namespace equinoise {

namespace {

/// Returns whether the event draws only noise, with the same distribution for each cell of a
/// vector.
bool draws_noise_only(const Event& event) {
  switch (event.kind()) {
    case Event::Kind::kGaussian:
    case Event::Kind::kLaplace:
    case Event::Kind::kDiscreteGaussian:
    case Event::Kind::kDiscreteLaplace:
    case Event::Kind::kSamplerError:
      return true;
    case Event::Kind::kRepeat:
    case Event::Kind::kComposed:
      return std::ranges::all_of(event.events(), draws_noise_only);
    default:
      return false;
  }
}

PrivacyCost zcdp_cost_of_bound(const Event& event) {
  ZcdpAccountant accountant(Relation::kZeroOut);  // the remaining kinds depend on no relation
  accountant.compose(event);
  return accountant.cost();
}

/// Bounds events for units of up to `rows` rows.
class UnitBound {
 public:
  /// The bound that is used for groups with different noise.
  enum class Groups { kByEpsilon, kByRho };

  UnitBound(std::string_view where, int64_t rows, Groups groups)
      : where_(where), rows_(static_cast<double>(rows)), groups_(groups) {}

  Event of(const Event& event) const {
    switch (event.kind()) {
      case Event::Kind::kGaussian:
        return Event::gaussian(next_down(event.noise_multiplier() / rows_));
      case Event::Kind::kLaplace:
        return Event::laplace(next_down(event.noise_multiplier() / rows_));
      case Event::Kind::kDiscreteGaussian:
        return Event::discrete_gaussian(event.noise_stddev(), sensitivity_of(event));
      case Event::Kind::kDiscreteLaplace:
        return Event::discrete_laplace(event.decay(), sensitivity_of(event));
      case Event::Kind::kExponential:
        return Event::exponential(multiply_up(event.epsilon(), rows_));
      case Event::Kind::kPure:
        return Event::pure(multiply_up(event.epsilon(), rows_));
      case Event::Kind::kZcdp:
        return Event::zcdp(multiply_up(multiply_up(event.rho(), rows_), rows_));
      case Event::Kind::kSamplerError:
        return event;
      case Event::Kind::kRepeat:
      case Event::Kind::kComposed: {
        std::vector<Event> bounds;
        for (const Event& child : event.events()) bounds.push_back(of(child));
        return event.with_events(std::move(bounds));
      }
      case Event::Kind::kParallel:
        return of_groups(event);
      default:
        refuse("several rows of one unit cannot be bounded in this event", event);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& reason, const Event& event) const {
    throw Error(ErrorKind::kUsage, where_, reason + ": " + event.to_text());
  }

  int64_t sensitivity_of(const Event& event) const {
    const double sensitivity = rows_ * static_cast<double>(event.sensitivity());
    if (!(sensitivity <= 0x1p53))
      refuse("the rows of a unit change more than 2^53 units of", event);
    return static_cast<int64_t>(sensitivity);
  }

  Event of_groups(const Event& event) const {
    double num_groups = 0;
    double sampler_error = 0;
    double epsilon = 0;
    double rho = 0;
    const Event* first = nullptr;
    bool is_one_vector = true;
    for (const Event& group : event.events()) {
      const PrivacyCost cost = zcdp_cost_of_bound(of(group));  // as if all rows were in this group
      sampler_error = std::max(sampler_error, cost.sampler_error);
      epsilon = std::max(epsilon, cost.pure);
      rho = std::max(rho, cost.divergences[0]);
      if (group == Event::composed({})) continue;
      ++num_groups;
      if (first == nullptr) first = &group;
      is_one_vector = is_one_vector && group == *first && draws_noise_only(group);
    }
    if (first == nullptr) return Event::composed({});
    std::vector<Event> bounds;
    double num_more_errors = std::min(num_groups, rows_);
    if (is_one_vector) {
      bounds.push_back(of(*first));
      --num_more_errors;  // one is in it
    } else {
      const bool by_epsilon =
          groups_ == Groups::kByEpsilon && epsilon < std::numeric_limits<double>::infinity();
      bounds.push_back(by_epsilon ? Event::pure(epsilon) : Event::zcdp(rho));
    }
    sampler_error = multiply_up(sampler_error, num_more_errors);
    if (sampler_error > 0) bounds.push_back(Event::sampler_error(sampler_error));
    return Event::composed(std::move(bounds));
  }

  std::string_view where_;
  double rows_;
  Groups groups_;
};

}  // namespace

std::vector<Event> unit_bounds(std::string_view where, const Event& event) {
  const auto bound = [&](UnitBound::Groups groups) {
    return UnitBound(where, event.rows(), groups).of(event.events()[0]);
  };
  std::vector<Event> bounds = {bound(UnitBound::Groups::kByEpsilon)};
  Event by_rho = bound(UnitBound::Groups::kByRho);
  if (by_rho != bounds[0]) bounds.push_back(std::move(by_rho));
  return bounds;
}

}  // namespace equinoise
