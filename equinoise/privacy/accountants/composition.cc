// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/unit_bounds.h"

namespace equinoise {

namespace {

constexpr double kLargestCount = 0x1p53;

void add(PrivacyCost& into, const PrivacyCost& cost, double count) {
  const auto added = [&](double a, double b) {
    return add_up(a, count == 1 ? b : multiply_up(b, count));
  };
  for (size_t i = 0; i < into.divergences.size(); ++i) {
    into.divergences[i] = added(into.divergences[i], cost.divergences[i]);
  }
  into.pure = added(into.pure, cost.pure);
  into.delta = added(into.delta, cost.delta);
  into.sampler_error = added(into.sampler_error, cost.sampler_error);
}

/// Replaces every part of `into` by `choose` of both parts.
template <typename Choose>
void choose_parts(PrivacyCost& into, const PrivacyCost& cost, Choose choose) {
  for (size_t i = 0; i < into.divergences.size(); ++i) {
    into.divergences[i] = choose(into.divergences[i], cost.divergences[i]);
  }
  into.pure = choose(into.pure, cost.pure);
  into.delta = choose(into.delta, cost.delta);
  into.sampler_error = choose(into.sampler_error, cost.sampler_error);
}

void raise_to(PrivacyCost& into, const PrivacyCost& cost) {
  choose_parts(into, cost, [](double a, double b) { return std::max(a, b); });
}

void lower_to(PrivacyCost& into, const PrivacyCost& cost) {
  choose_parts(into, cost, [](double a, double b) { return std::min(a, b); });
}

/// The part of delta that failures take at `epsilon`.
double failure_probability(const PrivacyCost& cost, double epsilon) {
  const double factor = round_up(1 + std::exp(epsilon), 1e-15);
  return add_up(cost.delta, multiply_up(factor, cost.sampler_error));
}

/// The reason why an event does not fit the relation, for every accountant; "" if it does.
std::string_view misfit(const Event& event, Relation relation) {
  switch (event.kind()) {
    case Event::Kind::kRandomisedResponse:
      return relation == Relation::kReplaceOne ? "" : "it needs replace_one";
    case Event::Kind::kTreeAggregation:
      return relation == Relation::kAddRemove ? "the positions of later records would move" : "";
    case Event::Kind::kSampledWithoutReplacement:
      return relation == Relation::kAddRemove ? "the number of records must be public" : "";
    default:
      return "";
  }
}

}  // namespace

Composition::Composition(std::string_view where, Relation relation, size_t num_divergences,
                         CostOf cost_of)
    : where_(where),
      relation_(relation),
      num_divergences_(num_divergences),
      cost_of_(std::move(cost_of)),
      sequential_(nothing()) {}

void Composition::add(const Event& event, int64_t count) {
  if (count < 1) throw Error(ErrorKind::kUsage, where_, "count must be >= 1, got {}", count);
  Composition next = *this;
  next.partitions_.add(where_, event);
  next.add_runs(event, static_cast<double>(count));
  *this = std::move(next);
}

void Composition::add_runs(const Event& event, double count) {
  if (!(count <= kLargestCount)) {
    throw Error(ErrorKind::kUsage, where_,
                "nested repetitions add up to more than 2^53 runs: " + event.to_text());
  }
  switch (event.kind()) {
    case Event::Kind::kRepeat:
      add_runs(event.events()[0], count * static_cast<double>(event.count()));
      return;
    case Event::Kind::kComposed:
      for (const Event& child : event.events()) add_runs(child, count);
      return;
    case Event::Kind::kParallel:
      for (size_t i = 0; i < event.events().size(); ++i) {
        Composition child(where_, relation_, num_divergences_, cost_of_);
        child.add_runs(event.events()[i], 1);
        auto& group = groups_[event.partition()];
        equinoise::add(group.try_emplace(event.group_names()[i], nothing()).first->second,
                       child.total(), count);
      }
      return;
    case Event::Kind::kRowsOfUnit:
      equinoise::add(sequential_, cost_of_unit(event), count);
      return;
    case Event::Kind::kSamplerError: {
      PrivacyCost cost = nothing();
      cost.sampler_error = event.delta();
      equinoise::add(sequential_, cost, count);
      return;
    }
    default:
      break;
  }
  const std::string_view reason = misfit(event, relation_);
  if (!reason.empty()) {
    throw Error(ErrorKind::kUsage, where_, "no bound under {}, {}: {}", to_string(relation_),
                reason, event.to_text());
  }
  const PrivacyCost cost = cost_of_(event);
  const bool is_number =
      std::ranges::none_of(cost.divergences, [](double value) { return std::isnan(value); });
  if (!is_number || std::isnan(cost.pure)) {
    throw Error(ErrorKind::kUsage, where_, "beyond double precision: " + event.to_text());
  }
  equinoise::add(sequential_, cost, count);
}

/// Each bound holds by itself, at every order.
PrivacyCost Composition::cost_of_unit(const Event& event) const {
  std::optional<PrivacyCost> least;
  for (const Event& bound : unit_bounds(where_, event)) {
    Composition unit(where_, relation_, num_divergences_, cost_of_);
    unit.add_runs(bound, 1);
    if (!least) {
      least = unit.total();
    } else {
      lower_to(*least, unit.total());
    }
  }
  return least.value();
}

PrivacyCost Composition::total() const {
  PrivacyCost total = sequential_;
  for (const auto& [partition, groups] : groups_) {
    PrivacyCost largest = nothing();
    for (const auto& [group, cost] : groups) raise_to(largest, cost);
    equinoise::add(total, largest, 1);
  }
  return total;
}

std::string failures_exceed(double own_delta, double sampler_error, double delta) {
  if (own_delta > delta) {
    return fmt::format(
        "events with a delta of their own take {:.3g}, more than delta {}; use a larger delta "
        "(more noise does not help)",
        own_delta, delta);
  }
  if (2 * sampler_error > delta) {
    return fmt::format(
        "sampler errors of {:.3g} take at least twice that, more than delta {}; use a larger delta "
        "(more noise does not help)",
        sampler_error, delta);
  }
  return "";
}

Epsilon epsilon_beside_failures(std::string_view where, const PrivacyCost& cost, Delta delta,
                                const std::function<double(double)>& epsilon_at) {
  // A larger epsilon lets the sampler errors take more of delta, so the first fixed point from
  // below is the answer. An epsilon holds if it is at least as large as the one computed from it.
  // The growing slack ends a slow approach.
  double epsilon = 0;
  for (double slack = 1e-13;; slack *= 1.5) {
    const double taken = failure_probability(cost, epsilon);
    double usable = delta.value() - taken;
    if (taken > 0 && usable > 0) usable = next_down(usable);
    if (const std::string cause = failures_exceed(cost.delta, cost.sampler_error, delta.value());
        !cause.empty())
      throw Error(ErrorKind::kUsage, where, cause);
    if (!(usable >= 0)) {
      throw Error(ErrorKind::kUsage, where,
                  "at epsilon {:.4g} sampler errors and the deltas of approximate DP "
                  "take all of delta {}; use more noise or a larger delta",
                  epsilon, delta.value());
    }
    const double next = epsilon_at(usable);
    if (!(next <= std::numeric_limits<double>::max())) {
      throw Error(ErrorKind::kUsage, where, "there is no finite epsilon at delta {}",
                  delta.value());
    }
    if (next <= epsilon) return Epsilon(epsilon);
    if (cost.sampler_error == 0) return Epsilon(next);
    epsilon = round_up(next, slack);
  }
}

double delta_beside_failures(const PrivacyCost& cost, Epsilon epsilon, double ideal) {
  return std::min(add_up(ideal, failure_probability(cost, epsilon.value())), 1.0);
}

}  // namespace equinoise
