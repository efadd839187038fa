// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/rdp_cost.h"

#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/poisson_renyi.h"
#include "equinoise/privacy/accountants/private_selection.h"
#include "equinoise/privacy/accountants/renyi.h"
#include "equinoise/privacy/accountants/without_replacement_renyi.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.rdp";
constexpr double kRelativeError = 1e-11;
constexpr double kLargestWhole = 0x1p53;

[[noreturn]] void refuse(const std::string& reason, const Event& event) {
  throw Error(ErrorKind::kUsage, kWhere, reason + ": " + event.to_text());
}

bool has_gaussian_noise(const Event& event) { return event.kind() == Event::Kind::kGaussian; }

bool has_symmetric_noise(const Event& event) {
  switch (event.kind()) {
    case Event::Kind::kGaussian:
    case Event::Kind::kDiscreteGaussian:
    case Event::Kind::kLaplace:
    case Event::Kind::kDiscreteLaplace:
      return true;
    default:
      return false;
  }
}

/// All mechanisms that see one batch, with their counts.
struct Batch {
  std::vector<std::pair<Event, double>> mechanisms;

  bool is_gaussian() const {
    for (const auto& [mechanism, count] : mechanisms) {
      if (!has_gaussian_noise(mechanism)) return false;
    }
    return true;
  }

  /// The divergence without sampling.
  double divergence(double order) const {
    double total = 0;
    for (const auto& [mechanism, count] : mechanisms) {
      total = add_up(total, multiply_up(renyi_divergence(mechanism, order), count));
    }
    return total;
  }

  double pure() const {
    double total = 0;
    for (const auto& [mechanism, count] : mechanisms) {
      total = add_up(total, multiply_up(max_divergence(mechanism), count));
    }
    return total;
  }

  /// Gaussian mechanisms on one batch are one Gaussian; a smaller multiplier is the pessimistic
  /// side of rounding.
  double noise_multiplier(const Event& event) const {
    double precision = 0;
    for (const auto& [mechanism, count] : mechanisms)
      precision += 2 * gaussian_rho(mechanism) * count;
    const double noise = next_down(1 / std::sqrt(precision) * (1 - kRelativeError));
    if (!(noise > 0)) refuse("there is hardly any noise", event);
    return noise;
  }
};

void add_to_batch(Batch& batch, const Event& event, double count,
                  bool (*is_bounded)(const Event&)) {
  if (count > kLargestWhole) refuse("nested repetitions add up to more than 2^53 runs", event);
  if (event.kind() == Event::Kind::kRepeat) {
    add_to_batch(batch, event.events()[0], count * static_cast<double>(event.count()), is_bounded);
  } else if (event.kind() == Event::Kind::kComposed) {
    for (const Event& child : event.events()) add_to_batch(batch, child, count, is_bounded);
  } else if (is_bounded(event)) {
    batch.mechanisms.emplace_back(event, count);
  } else {
    refuse("RDP cannot bound this event on a batch", event);
  }
}

Batch batch_of(const Event& event, bool (*is_bounded)(const Event&)) {
  Batch batch;
  for (const Event& child : event.events()) add_to_batch(batch, child, 1, is_bounded);
  return batch;
}

PrivacyCost poisson_cost(const Event& event, Relation relation, const std::vector<double>& orders) {
  if (relation == Relation::kReplaceOne) {
    refuse("RDP cannot bound a Poisson batch under replace_one", event);
  }
  const Batch batch = batch_of(event, has_symmetric_noise);
  const double rate = event.sample_rate();
  PrivacyCost cost;
  cost.pure = batch.pure();
  if (batch.mechanisms.empty()) {
    cost.divergences.assign(orders.size(), 0.0);
  } else if (batch.is_gaussian()) {
    cost.divergences = poisson_gaussian_renyi(rate, batch.noise_multiplier(event), orders);
  } else {
    const auto divergence = [&](double order) { return batch.divergence(order); };
    cost.divergences = poisson_renyi(rate, divergence, orders);
    if (cost.pure < 700) {
      cost.pure =
          std::fmin(cost.pure, round_up(std::log1p(rate * std::expm1(cost.pure)), kRelativeError));
    }
  }
  return cost;
}

/// The bound [docs/theory/accountants.md] compares batches of different records, whatever the
/// relation, so under zero_out it takes twice the sensitivity.
PrivacyCost without_replacement_cost(const Event& event, Relation relation,
                                     const std::vector<double>& orders) {
  const Batch batch = batch_of(event, has_gaussian_noise);
  PrivacyCost cost{std::vector<double>(orders.size(), 0.0), 0, 0, 0};
  if (batch.mechanisms.empty()) return cost;
  const double change = relation == Relation::kReplaceOne ? 1 : 2;
  cost.pure = std::numeric_limits<double>::infinity();
  cost.divergences = without_replacement_gaussian_renyi(
      event.sample_rate(), batch.noise_multiplier(event) / change, orders);
  return cost;
}

/// Caches the costs of batches, which take milliseconds each, because a ledger needs those of all
/// its entries each time. All threads share one cache; when it is full it starts again.
class BatchCosts {
 public:
  template <typename Compute>
  PrivacyCost find(const Event& event, Relation relation, const std::vector<double>& orders,
                   Compute compute) {
    const Key batch{event.to_json().dump(), relation};
    {
      const std::lock_guard lock(mutex_);
      const auto of_orders = costs_.find(orders);
      if (of_orders != costs_.end()) {
        const auto known = of_orders->second.find(batch);
        if (known != of_orders->second.end()) return known->second;
      }
    }
    const PrivacyCost cost = compute();
    const std::lock_guard lock(mutex_);
    if (num_costs_ >= kCapacity) {
      costs_.clear();
      num_costs_ = 0;
    }
    if (costs_[orders].emplace(batch, cost).second) ++num_costs_;
    return cost;
  }

 private:
  using Key = std::pair<std::string, Relation>;
  static constexpr size_t kCapacity = 1000;

  std::mutex mutex_;
  size_t num_costs_ = 0;
  std::map<std::vector<double>, std::map<Key, PrivacyCost>> costs_;
};

PrivacyCost batch_cost(const Event& event, Relation relation, const std::vector<double>& orders) {
  static BatchCosts costs;
  return costs.find(event, relation, orders, [&] {
    return event.kind() == Event::Kind::kPoissonSampled
               ? poisson_cost(event, relation, orders)
               : without_replacement_cost(event, relation, orders);
  });
}

PrivacyCost cost_of(const Event& event, Relation relation, const std::vector<double>& orders) {
  switch (event.kind()) {
    case Event::Kind::kPoissonSampled:
    case Event::Kind::kSampledWithoutReplacement:
      return batch_cost(event, relation, orders);
    case Event::Kind::kRepeatAndSelect: {
      Composition run = rdp_composition(relation, orders);
      run.add(event.events()[0]);
      try {
        return best_of_runs(kWhere, run.total(), event.mean(), event.shape(), orders);
      } catch (const Error& error) {
        throw Error(error.kind(), kWhere, std::string(error.what()) + ": " + event.to_text());
      }
    }
    default:
      break;
  }
  PrivacyCost cost{{}, max_divergence(event), 0, 0};
  for (double order : orders) cost.divergences.push_back(renyi_divergence(event, order));
  if (event.kind() == Event::Kind::kApproxDp) cost.delta = event.delta();
  return cost;
}

}  // namespace

Composition rdp_composition(Relation relation, const std::vector<double>& orders) {
  return Composition(kWhere, relation, orders.size(), [relation, orders](const Event& event) {
    return cost_of(event, relation, orders);
  });
}

}  // namespace equinoise
