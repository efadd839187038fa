// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/charge.h"

#include <algorithm>
#include <set>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/zcdp.h"
#include "equinoise/privacy/random/number_of_runs.h"
#include "equinoise/privacy/random/poisson.h"
#include "equinoise/privacy/unit_events.h"

namespace equinoise {

namespace {

constexpr Refusal refuse{ErrorKind::kRuntime, "privacy.charge"};

bool is_of_groups(const std::vector<Event>& events) {
  return events.size() == 1 && events[0].kind() == Event::Kind::kParallel;
}

/// Returns whether groups in parallel take the steps of one run: each draws the same number of
/// batches first.
bool step_together(const Event& parallel) {
  const auto begins_alike = [&](const Event& group) {
    const std::vector<Event> events = events_in_turn(group);
    return !events.empty() && events[0].kind() == Event::Kind::kRepeat &&
           events[0].events()[0].kind() == Event::Kind::kPoissonSampled &&
           num_runs(events) == num_runs({parallel});
  };
  return std::ranges::all_of(parallel.events(), begins_alike);
}

}  // namespace

std::vector<Event> events_in_turn(const Event& event) {
  if (event.kind() == Event::Kind::kComposed) return event.events();
  return {event};
}

int64_t num_runs(const std::vector<Event>& events) {
  const std::vector<Event> drawn = of_rows(events);
  if (drawn.empty()) return 0;
  const Event& first = drawn[0];
  if (is_of_groups(drawn)) return num_runs(events_in_turn(first.events()[0]));
  return first.kind() == Event::Kind::kRepeat ? first.count() : 1;
}

void Permit::require(Event::Kind kind, Relation relation, const RandomSource& source) const {
  if (event_ == nullptr) refuse("this permit has been used");
  if (event_->kind() != kind) refuse("this permit is for another event: " + event_->to_text());
  if (relation_ != relation) {
    refuse("the sensitivity holds under {} but {} was charged", to_string(relation),
           to_string(relation_));
  }
  if (paid_ != source.secure()) {
    refuse(paid_ ? "what was paid for must be drawn from the secure source"
                 : "a release with the secure source must be paid for through a ledger");
  }
}

void Permit::use_sampler_error(double error) const {
  if (event_ == nullptr) refuse("this permit has been used");
  if (!(error >= 0)) refuse("a sampler's error must be >= 0, got {}", error);
  if (!paid_) return;
  if (!(*sampler_error_ >= error)) {
    refuse(
        "this sampler's error of {:.3g} has not been charged: the plan needs a "
        "sampler_error event",
        error);
  }
  *sampler_error_ -= error;
}

void BatchPermit::draw(int64_t num_records, RandomSource& source, std::vector<uint32_t>& records) {
  draw_together({this, 1}, num_records, source, records);
}

void BatchPermit::draw_together(std::span<BatchPermit> permits, int64_t num_records,
                                RandomSource& source, std::vector<uint32_t>& records) {
  poisson_sample(start_together(permits, num_records, source), num_records, source, records);
  end_together(permits);
}

void BatchPermit::draw_together(std::span<BatchPermit> permits, std::span<const uint32_t> row_ends,
                                RandomSource& source, CountedBatch& batch) {
  const int64_t num_records = row_ends.empty() ? 0 : row_ends.back();
  poisson_sample(start_together(permits, num_records, source), row_ends, source, batch);
  end_together(permits);
}

double BatchPermit::start_together(std::span<BatchPermit> permits, int64_t num_records,
                                   const RandomSource& source) {
  if (permits.empty()) refuse("there is no permit for a batch");
  // Two batches of one charge were paid for as independent draws.
  std::set<const long double*> charges;
  for (BatchPermit& permit : permits) {
    if (!charges.insert(permit.batch_.sampler_error_.get()).second)
      refuse("a batch is shared by permits of different groups");
    permit.start_draw(num_records, source);
  }
  const double sample_rate = permits[0].batch_.event_->sample_rate();
  for (const BatchPermit& permit : permits) {
    if (permit.batch_.event_->sample_rate() != sample_rate)
      refuse("groups that share a batch must have the same rate");
  }
  return sample_rate;
}

void BatchPermit::end_together(std::span<BatchPermit> permits) {
  for (BatchPermit& permit : permits) permit.state_ = State::kDrawn;
}

void BatchPermit::start_draw(int64_t num_records, const RandomSource& source) {
  batch_.require(Event::Kind::kPoissonSampled, batch_.relation_, source);
  if (state_ != State::kNew) refuse("this batch has been drawn already");
  check_poisson_sample(batch_.event_->sample_rate(), num_records);
  // Under add_remove the number of records is private, so it must not decide whether the charge
  // suffices.
  const double num_skips =
      batch_.relation_ == Relation::kAddRemove ? kMaxSkips : static_cast<double>(num_records) + 1;
  batch_.use_sampler_error(num_skips * kSkipError);
  state_ = State::kStarted;
}

Permit BatchPermit::take(size_t index) {
  if (batch_.event_ == nullptr) refuse("this batch permit has been moved from");
  if (state_ != State::kDrawn) refuse("the batch has not been drawn");
  const std::vector<Event>& events = batch_.event_->events();
  if (index >= events.size() || index >= 64) refuse("the batch has no such event");
  const uint64_t bit = uint64_t{1} << index;
  if ((taken_ & bit) != 0) refuse("this event of the batch has been drawn already");
  taken_ |= bit;
  return {std::shared_ptr<const Event>(batch_.event_, &events[index]), batch_.relation_,
          batch_.paid_, batch_.sampler_error_};
}

BatchPermit StepPermit::batch(size_t index) {
  Permit batch = use(index);
  if (batch.event().kind() != Event::Kind::kPoissonSampled)
    refuse("this event of the step is not a Poisson batch");
  return BatchPermit(std::move(batch));
}

Permit StepPermit::take(size_t index) {
  Permit permit = use(index);
  if (!permit.event().events().empty()) refuse("this event of the step is not a single draw");
  return permit;
}

Permit StepPermit::use(size_t index) {
  if (step_.event_ == nullptr) refuse("this step permit has been moved from");
  const std::vector<Event>& events = step_.event_->events();
  if (index >= events.size() || index >= 64) refuse("the step has no such event");
  const uint64_t bit = uint64_t{1} << index;
  if ((taken_ & bit) != 0) refuse("this event of the step has been taken already");
  taken_ |= bit;
  return {std::shared_ptr<const Event>(step_.event_, &events[index]), step_.relation_, step_.paid_,
          step_.sampler_error_};
}

Charge::Charge(std::vector<Event> events, Relation relation, bool paid)
    : events_(of_rows(std::move(events))),
      sampler_error_(std::make_shared<long double>(0)),
      relation_(relation),
      paid_(paid) {
  for (const Event& event : events_) {
    const bool repeated = event.kind() == Event::Kind::kRepeat;
    runs_.push_back(std::make_shared<const Event>(repeated ? event.events()[0] : event));
    remaining_.push_back(repeated ? event.count() : 1);
    rho_left_.push_back(event.kind() == Event::Kind::kZcdp ? event.rho() : 0);
    if (runs_.back()->kind() == Event::Kind::kSamplerError) {
      *sampler_error_ += static_cast<long double>(remaining_.back()) * runs_.back()->delta();
    }
  }
  if (is_of_groups(events_)) {
    for (const Event& group : events_[0].events())
      groups_.push_back(Charge(events_in_turn(group), relation, paid));
  }
}

Charge Charge::unpaid(std::vector<Event> events, Relation relation, const SeededSource& source) {
  static_cast<void>(source);  // the type is the proof that the release will be insecure
  return {std::move(events), relation, false};
}

std::vector<Charge> Charge::take_groups() {
  if (groups_.empty())
    refuse("the charge is not for groups in parallel, or its groups have been taken");
  remaining_[0] = 0;
  return std::exchange(groups_, {});
}

Charge Charge::take_part(size_t item) {
  const bool is_part = item < runs_.size() && (events_[item].kind() == Event::Kind::kComposed ||
                                               events_[item].kind() == Event::Kind::kParallel);
  if (!is_part) refuse("the charge has no part at this place");
  // The draws of its groups are counted in their own charges, not here.
  if (is_of_groups(events_)) refuse("a charge of groups alone has groups and no parts");
  if (remaining_[item] <= 0) refuse("everything that was paid for at this place has been drawn");
  remaining_[item] = 0;
  return {events_in_turn(events_[item]), relation_, paid_};
}

std::vector<Charge> Charge::take_parts(size_t item) {
  std::vector<Charge> parts;
  for (Charge& group : groups_)
    for (Charge& part : group.take_parts(item)) parts.push_back(std::move(part));
  if (!groups_.empty()) return parts;
  // keep_rest_of_first() relies on it; unpaid runs continue with a whole charge.
  if (paid_ && !remaining_.empty() && remaining_[0] > 0)
    refuse("a part is drawn with the last run of the first event");
  parts.push_back(take_part(item));
  return parts;
}

void Charge::keep_rest_of_first(int64_t num_drawn) {
  if (!groups_.empty()) {
    const bool all_drawn = num_drawn >= num_runs(events_);
    if (step_together(events_[0])) {
      for (Charge& group : groups_) group.keep_rest_of_first(num_drawn);
      return;
    }
    groups_[0].keep_rest_of_first(num_drawn);
    for (size_t group = 1; group < groups_.size() && all_drawn; ++group) groups_[group].give_up();
    return;
  }
  if (events_.empty() || num_drawn == 0) return;
  // The samplers' errors are given up in proportion.
  *sampler_error_ *= static_cast<long double>(remaining_[0] - num_drawn) / remaining_[0];
  remaining_[0] -= num_drawn;
  rho_left_.assign(rho_left_.size(), 0);
  for (size_t item = 1; item < remaining_.size(); ++item) {
    const bool is_to_come = events_[item].kind() == Event::Kind::kComposed && remaining_[0] > 0;
    if (!is_to_come) remaining_[item] = 0;
  }
}

void Charge::give_up() {
  *sampler_error_ = 0;
  std::ranges::fill(remaining_, 0);
  std::ranges::fill(rho_left_, 0.0);
  groups_.clear();
}

BatchPermit Charge::next_batch(size_t item) {
  if (item >= runs_.size() || runs_[item]->kind() != Event::Kind::kPoissonSampled) {
    refuse("the charge has no Poisson batch at this place");
  }
  return BatchPermit(use(item));
}

StepPermit Charge::next_step(size_t item) {
  if (item >= runs_.size() || runs_[item]->kind() != Event::Kind::kComposed)
    refuse("the charge has no step at this place");
  return StepPermit(use(item));
}

std::vector<BatchPermit> Charge::next_batches(size_t item) {
  std::vector<BatchPermit> batches;
  for (Charge& group : groups_) batches.push_back(group.next_batch(item));
  if (groups_.empty()) batches.push_back(next_batch(item));
  return batches;
}

std::vector<Charge> Charge::take_runs(size_t item, RandomSource& source) {
  std::vector<Permit> selections;
  const auto add = [&](Charge& charge) {
    if (item >= charge.runs_.size() ||
        charge.runs_[item]->kind() != Event::Kind::kRepeatAndSelect) {
      refuse("the charge has no selection at this place");
    }
    selections.push_back(charge.use(item));
  };
  for (Charge& group : groups_) add(group);
  if (groups_.empty()) add(*this);
  const Event& first = selections[0].event();
  const NumberOfRuns distribution(first.shape(), first.mean());
  std::vector<Event> runs;
  for (const Permit& selection : selections) {
    const Event& event = selection.event();
    selection.require(Event::Kind::kRepeatAndSelect, relation_, source);
    if (event.shape() != first.shape() || event.mean() != first.mean())
      refuse(
          "groups that select among the same runs must have the same distribution of the number of "
          "runs");
    selection.use_sampler_error(kNumberOfRunsError);
    runs.push_back(event.events()[0]);
  }
  const std::vector<Event> events =
      groups_.empty() ? events_in_turn(runs[0])
                      : std::vector{Event::parallel(events_[0].partition(),
                                                    events_[0].group_names(), std::move(runs))};
  std::vector<Charge> charges;
  for (int64_t left = distribution.draw(source); left > 0; --left)
    charges.push_back(Charge(events, relation_, paid_));
  return charges;
}

Permit Charge::take(size_t item) {
  if (item >= runs_.size() || runs_[item]->kind() == Event::Kind::kComposed ||
      !runs_[item]->events().empty()) {
    refuse("the charge has no single draw at this place");
  }
  return use(item);
}

Permit Charge::take_within(size_t item, const Event& event) {
  if (item >= runs_.size() || events_[item].kind() != Event::Kind::kZcdp)
    refuse("the charge has no zCDP budget at this place");
  const bool is_draw =
      event.kind() == Event::Kind::kGaussian || event.kind() == Event::Kind::kLaplace ||
      event.kind() == Event::Kind::kDiscreteGaussian ||
      event.kind() == Event::Kind::kDiscreteLaplace || event.kind() == Event::Kind::kExponential;
  if (!is_draw) refuse("a budget pays for single draws only, not for: " + event.to_text());
  ZcdpAccountant accountant(relation_);
  accountant.compose(event);
  const double rho = accountant.rho();
  if (!(rho > 0) || !(rho <= rho_left_[item])) {
    refuse("this draw costs rho {:.6g}, but only {:.6g} of its budget is left: {}", rho,
           rho_left_[item], event.to_text());
  }
  remaining_[item] = 0;  // can no longer be taken whole
  rho_left_[item] = rho == rho_left_[item] ? 0 : next_down(rho_left_[item] - rho);
  return {std::make_shared<const Event>(event), relation_, paid_, sampler_error_};
}

std::vector<Permit> Charge::take_each(size_t item) {
  std::vector<Permit> permits;
  for (Charge& group : groups_) permits.push_back(group.take(item));
  if (groups_.empty()) permits.push_back(take(item));
  return permits;
}

Permit Charge::use(size_t item) {
  if (remaining_[item] <= 0) refuse("everything that was paid for at this place has been drawn");
  --remaining_[item];
  rho_left_[item] = 0;
  return {runs_[item], relation_, paid_, sampler_error_};
}

}  // namespace equinoise
