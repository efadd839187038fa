// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/relation.h"

namespace equinoise {

class Ledger;
struct CountedBatch;

/// The right to one draw of one primitive event. Mechanisms take it by value, so it can be used
/// only once.
class Permit {
 public:
  Permit(Permit&&) noexcept = default;
  Permit& operator=(Permit&&) noexcept = default;
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

  const Event& event() const { return *event_; }

  /// Throws unless this permit is for an event of kind `kind` under `relation`, and was paid for if
  /// and only if `source` is secure.
  void require(Event::Kind kind, Relation relation, const RandomSource& source) const;

  /// Takes the total-variation error of an inexact sampler out of the charge's sampler_error
  /// events. Errors: kRuntime if it is not >= 0, or if too little is left and the permit was paid
  /// for.
  void use_sampler_error(double error) const;

 private:
  friend class BatchPermit;
  friend class Charge;
  friend class StepPermit;
  Permit(std::shared_ptr<const Event> event, Relation relation, bool paid,
         std::shared_ptr<long double> sampler_error)
      : event_(std::move(event)),
        relation_(relation),
        paid_(paid),
        sampler_error_(std::move(sampler_error)) {}

  std::shared_ptr<const Event> event_;
  Relation relation_;
  bool paid_;
  std::shared_ptr<long double> sampler_error_;  ///< the rest of it in the charge
};

/// The right to one Poisson batch and to one draw of each event on it.
class BatchPermit {
 public:
  BatchPermit(BatchPermit&&) noexcept = default;
  BatchPermit& operator=(BatchPermit&&) noexcept = default;
  BatchPermit(const BatchPermit&) = delete;
  BatchPermit& operator=(const BatchPermit&) = delete;

  /// Draws the batch: each of records 0 .. num_records-1 with the charged rate, into `records`,
  /// ascending (poisson_sample). Only the mechanisms on the batch may see it. Errors: kUsage for a
  /// rate or a number of records that poisson_sample refuses; kRuntime if it has been drawn, if the
  /// source is secure without being paid for or the other way round, or if the charge holds too
  /// little for the sampler's error.
  void draw(int64_t num_records, RandomSource& source, std::vector<uint32_t>& records);

  /// Draws one batch for all of `permits`. Each record is sampled on its own, so for the members of
  /// each group this is the batch of that group's permit. Errors: as draw, for each permit;
  /// kRuntime if there is none, two are of one charge, or their rates differ.
  static void draw_together(std::span<BatchPermit> permits, int64_t num_records,
                            RandomSource& source, std::vector<uint32_t>& records);

  /// Draws the batch as counted rows (poisson_sample).
  static void draw_together(std::span<BatchPermit> permits, std::span<const uint32_t> row_ends,
                            RandomSource& source, CountedBatch& batch);

  /// The permit of the index-th event of the batch. Errors: kRuntime if there is none, it was taken
  /// or the batch has not been drawn.
  Permit take(size_t index);

 private:
  friend class Charge;
  friend class StepPermit;
  explicit BatchPermit(Permit batch) : batch_(std::move(batch)) {}

  void start_draw(int64_t num_records, const RandomSource& source);
  /// Returns the rate of the batch.
  static double start_together(std::span<BatchPermit> permits, int64_t num_records,
                               const RandomSource& source);
  static void end_together(std::span<BatchPermit> permits);

  Permit batch_;
  enum class State { kNew, kStarted, kDrawn };
  State state_ = State::kNew;
  uint64_t taken_ = 0;
};

/// The right to one run of a kComposed: a step that draws batches and single events, each once.
class StepPermit {
 public:
  StepPermit(StepPermit&&) noexcept = default;
  StepPermit& operator=(StepPermit&&) noexcept = default;
  StepPermit(const StepPermit&) = delete;
  StepPermit& operator=(const StepPermit&) = delete;

  /// The index-th event, which is a Poisson batch. Errors of both functions: kRuntime if there is
  /// none, it is of another kind or it was taken.
  BatchPermit batch(size_t index);

  /// The index-th event, which is primitive.
  Permit take(size_t index);

 private:
  friend class Charge;
  explicit StepPermit(Permit step) : step_(std::move(step)) {}

  Permit use(size_t index);

  Permit step_;
  uint64_t taken_ = 0;
};

/// A move-only token for a list of events that have been paid for. Each event can be drawn once (a
/// repeat, count() times; a resumed run draws the rest of its own, Ledger::resume). Events that
/// were paid for as rows of a unit are drawn as the events of rows (of_rows).
///
/// Only a ledger makes a charge that private releases accept, after the cost was durably recorded.
/// There are no refunds: events that are not drawn are lost (but see Ledger::resume). A charge and
/// its permits may move between threads but are used by one at a time.
class Charge {
 public:
  Charge(Charge&&) noexcept = default;
  Charge& operator=(Charge&&) noexcept = default;
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  /// The charge of a method that makes no private release.
  static Charge nothing(Relation relation) { return {{}, relation, false}; }

  /// An unpaid charge for tests and reproductions: mechanisms accept it together with an insecure
  /// source only.
  static Charge unpaid(std::vector<Event> events, Relation relation, const SeededSource& source);

  /// The events that can be drawn.
  const std::vector<Event>& events() const { return events_; }

  /// Returns whether everything that was paid for at item `item` has been drawn or given up, or
  /// there is no such item.
  bool is_used_up(size_t item) const {
    return item >= remaining_.size() || (remaining_[item] <= 0 && !(rho_left_[item] > 0));
  }

  /// The charges of the groups of a kParallel, which must be the only item: one for each group, for
  /// the events that it draws (events_in_turn). The draws and the sampler errors of one group
  /// cannot be used by another. Errors: kRuntime if there is no such item or they were taken.
  std::vector<Charge> take_groups();

  /// The charge of item `item` alone, for a part of a run that draws on its own. The item is a
  /// kParallel or a kComposed; the charge of a kComposed is for its events. Errors: kRuntime if the
  /// item is of another kind, there is none, it was taken, or it is the only item and consists of
  /// groups (take_groups).
  Charge take_part(size_t item);

  /// take_part(item), or one charge for each group if a kParallel is the only item, as
  /// next_batches.
  std::vector<Charge> take_parts(size_t item);

  /// The next run of item `item`, which is a Poisson batch or a repeat of one. Errors: kRuntime
  /// when all are used or the item is of another kind.
  BatchPermit next_batch(size_t item);

  /// The next run of item `item`, which is a kComposed or a repeat of one. Errors: as next_batch.
  StepPermit next_step(size_t item);

  /// next_batch(item), or one batch for each group if a kParallel is the only item, in the event's
  /// order: the next run of item `item` among those that the group draws. For steps that the groups
  /// take together.
  std::vector<BatchPermit> next_batches(size_t item);

  /// The permit of the next run of item `item`, which is a primitive event outside any batch or a
  /// repeat of one. Errors: kRuntime when all are used or the item is of another kind.
  Permit take(size_t item);

  /// The charges of the runs of item `item`, which is a kRepeatAndSelect. The number of charges is
  /// drawn from its distribution, and each is for the events of one run (events_in_turn). If a
  /// kParallel is the only item, each group selects among the same runs: each charge is that
  /// kParallel with one run for each group. Pre: only the best of the runs' outputs is released, by
  /// an order that does not depend on records, and the number of runs is kept secret. Errors:
  /// kRuntime when it has been taken, the item is of another kind, groups have different
  /// distributions, or the charge holds too little for the error of NumberOfRuns; kUsage for a
  /// distribution that NumberOfRuns does not draw from.
  std::vector<Charge> take_runs(size_t item, RandomSource& source);

  /// The permit of `event`, a primitive event that is chosen now, perhaps because of earlier draws.
  /// It is taken out of the rest of item `item`, a kZcdp that is not repeated. For plans whose
  /// number of draws and scales of noise follow their own outputs.
  ///
  /// Guarantee: all these draws together are zCDP with the charged rho, however they were chosen.
  /// Given everything seen before, each event costs at most rho_i alpha in Renyi divergence of
  /// every order alpha. rho_i is known before the draw, and the next event is refused unless the
  /// sum of rho_i is still <= rho. At each order a fully adaptive composition whose total never
  /// exceeds rho alpha costs at most that [FeldmanZrnic2021]. The ledger has recorded rho before.
  /// Costs are the zCDP accountant's, and every difference is rounded down. Errors: kRuntime if the
  /// item is of another kind, was taken whole, or has less left than the event costs (nothing is
  /// taken then), or the event is not a single draw of noise or of an exponential choice; kUsage if
  /// zCDP cannot bound it.
  Permit take_within(size_t item, const Event& event);

  /// The unspent rho of a kZcdp item for take_within(); 0 for other kinds.
  double rho_left(size_t item) const { return item < rho_left_.size() ? rho_left_[item] : 0; }

  /// take(item), or one permit for each group if a kParallel is the only item, as next_batches: for
  /// a draw that the groups share, or one that each of them makes.
  std::vector<Permit> take_each(size_t item);

 private:
  friend class Ledger;
  Charge(std::vector<Event> events, Relation relation, bool paid);

  /// Counts the next run of `item` as drawn.
  Permit use(size_t item);

  /// Gives up the draws that a run may have made. The run has recorded that `num_drawn` runs of its
  /// first event (num_runs) are done; these runs and all other items are given up. A part
  /// (take_part) is drawn with the last of the runs and given up with it. With `num_drawn` = 0
  /// nothing is given up, because nothing that depends on a draw has been recorded. Groups in
  /// parallel that step together are all treated like this. Otherwise the first group's charge is,
  /// and the others keep everything until all of those runs are done.
  void keep_rest_of_first(int64_t num_drawn);
  void give_up();  ///< everything counts as drawn

  std::vector<Event> events_;
  std::vector<std::shared_ptr<const Event>> runs_;  // one run of each item
  std::vector<int64_t> remaining_;
  std::vector<double> rho_left_;                // of items that are a kZcdp
  std::vector<Charge> groups_;                  // of the only item, until they are taken
  std::shared_ptr<long double> sampler_error_;  // the rest of it; wide: sums of small errors
  Relation relation_;
  bool paid_;
};

/// The events that are drawn one by one if `event` is charged to a group: those of a kComposed, or
/// the event itself.
std::vector<Event> events_in_turn(const Event& event);

/// The number of draws of the first event of a charged list (of_rows): the count of a repeat, or
/// for groups in parallel that of the first group's first event; 0 if there is none.
int64_t num_runs(const std::vector<Event>& events);

}  // namespace equinoise
