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

/// The right to one draw of one primitive event. A mechanism takes it by value, so it can be used
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

  /// Takes the total-variation error of a sampler that is not exact out of what the charge holds of
  /// sampler_error events. Errors: kRuntime if it is not >= 0, or if too little is left and the
  /// permit was paid for.
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
  std::shared_ptr<long double> sampler_error_;  ///< what is left of it in the charge
};

/// The right to one Poisson batch and to one draw of each event on it.
class BatchPermit {
 public:
  BatchPermit(BatchPermit&&) noexcept = default;
  BatchPermit& operator=(BatchPermit&&) noexcept = default;
  BatchPermit(const BatchPermit&) = delete;
  BatchPermit& operator=(const BatchPermit&) = delete;

  /// Draws the batch: each of records 0 .. num_records-1 with the charged rate into `records`,
  /// ascending (poisson_sample). Only the mechanisms on the batch may know it. Errors: kUsage for a
  /// rate or a number of records that poisson_sample refuses; kRuntime if it has been drawn, if the
  /// source is secure without being paid for or the other way round, or if the charge holds too
  /// little for the sampler's error.
  void draw(int64_t num_records, RandomSource& source, std::vector<uint32_t>& records);

  /// One batch for all of `permits`: for the members of each group it is the batch of that group's
  /// permit, since it takes each record on its own. Errors: as draw, for each of them; kRuntime if
  /// there is none, two are of one charge, or their rates differ.
  static void draw_together(std::span<BatchPermit> permits, int64_t num_records,
                            RandomSource& source, std::vector<uint32_t>& records);

  /// The same batch of counted rows (poisson_sample).
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

  /// The index-th event, which is a Poisson batch. Errors of both: kRuntime if there is none, it is
  /// of another kind or it was taken.
  BatchPermit batch(size_t index);

  /// The index-th event, which is a primitive one.
  Permit take(size_t index);

 private:
  friend class Charge;
  explicit StepPermit(Permit step) : step_(std::move(step)) {}

  Permit use(size_t index);

  Permit step_;
  uint64_t taken_ = 0;
};

/// What has been paid for: a move-only token for a list of events, each of which can be drawn once
/// (a repeat, count() times; a resumed run draws the rest of its own, Ledger::resume). What was
/// paid for as rows of a unit is drawn as what it is for rows (of_rows).
///
/// Only a ledger makes a charge that private releases accept, after the cost was durably recorded.
/// There are no refunds: what is not drawn is lost (but see Ledger::resume). A charge and its
/// permits may move between threads but are used by one at a time.
class Charge {
 public:
  Charge(Charge&&) noexcept = default;
  Charge& operator=(Charge&&) noexcept = default;
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  /// The charge of a method that releases nothing under privacy.
  static Charge nothing(Relation relation) { return {{}, relation, false}; }

  /// An unpaid charge for tests and reproductions: mechanisms accept it together with an insecure
  /// source only.
  static Charge unpaid(std::vector<Event> events, Relation relation, const SeededSource& source);

  /// What can be drawn.
  const std::vector<Event>& events() const { return events_; }

  /// Whether everything that was paid for at item `item` has been drawn or given up, or there is no
  /// such item.
  bool is_used_up(size_t item) const {
    return item >= remaining_.size() || (remaining_[item] <= 0 && !(rho_left_[item] > 0));
  }

  /// The charges of the groups of a kParallel, which must be the only item: one for each group, of
  /// the events that it draws (events_in_turn). A group's draws, and the errors that its samplers
  /// may have, serve no other one. Errors: kRuntime if there is no such item or they were taken.
  std::vector<Charge> take_groups();

  /// The charge of item `item` alone, which is a kComposed (then of its events) or a kParallel, for
  /// a part of a run that draws on its own. Errors: kRuntime if the item is of another kind, there
  /// is none, it was taken, or it is all that the charge has and of groups (take_groups).
  Charge take_part(size_t item);

  /// take_part(item); of a kParallel that is the only item instead one for each group, as
  /// next_batches.
  std::vector<Charge> take_parts(size_t item);

  /// The next run of item `item`, which is a Poisson batch or a repeat of one. Errors: kRuntime
  /// when all are used or the item is of another kind.
  BatchPermit next_batch(size_t item);

  /// The next run of item `item`, which is a kComposed or a repeat of one. Errors: as next_batch.
  StepPermit next_step(size_t item);

  /// next_batch(item); of a kParallel that is the only item instead one for each group, in the
  /// event's order: the next run of item `item` among those that the group draws. For steps that
  /// the groups take together.
  std::vector<BatchPermit> next_batches(size_t item);

  /// The permit of the next run of item `item`, which is a primitive event outside any batch or a
  /// repeat of one. Errors: kRuntime when all are used or the item is of another kind.
  Permit take(size_t item);

  /// The charges of the runs of item `item`, which is a kRepeatAndSelect: as many as its law gives,
  /// each for the events of one run (events_in_turn). Of a kParallel that is the only item, where
  /// each group selects among the same runs: charges of that kParallel with one run for each group.
  /// Pre: of the runs' outputs only the best is released, by an order that does not depend on
  /// records, and the number of runs is kept secret. Errors: kRuntime when it has been taken, the
  /// item is of another kind, groups have other laws, or the charge holds too little for the error
  /// of NumberOfRuns; kUsage for a law that NumberOfRuns does not draw from.
  std::vector<Charge> take_runs(size_t item, RandomSource& source);

  /// The permit of `event`, a primitive one that is chosen now, perhaps by what was drawn before,
  /// out of what is left of item `item`, a kZcdp that is not repeated: for plans whose number of
  /// draws and scales of noise follow their own outputs.
  ///
  /// Guarantee: all that is drawn so is, together, zCDP with the charged rho, whatever was chosen
  /// when. Each event costs at most rho_i alpha in Renyi divergence of every order alpha given what
  /// was seen before it, the next one is refused unless sum of rho_i <= rho still holds with it,
  /// and rho_i is known before the draw: at each order a fully adaptive composition whose total
  /// never exceeds rho alpha costs at most that [FeldmanZrnic2021]. The ledger has
  /// recorded rho before. Costs are the zCDP accountant's, and every difference is rounded down.
  /// Errors: kRuntime if the item is of another kind, was taken whole, or has less left than the
  /// event costs (nothing is taken then), or the event is none that a draw needs a permit for;
  /// kUsage if zCDP cannot bound it.
  Permit take_within(size_t item, const Event& event);

  /// What is left of a kZcdp item for take_within(); 0 of others.
  double rho_left(size_t item) const { return item < rho_left_.size() ? rho_left_[item] : 0; }

  /// take(item); of a kParallel that is the only item instead one for each group, as next_batches:
  /// for a draw that the groups share, or one that each of them makes.
  std::vector<Permit> take_each(size_t item);

 private:
  friend class Ledger;
  Charge(std::vector<Event> events, Relation relation, bool paid);

  /// Counts the next run of `item` as drawn.
  Permit use(size_t item);

  /// Gives up what may have been drawn by a run that has recorded that `num_drawn` runs of its
  /// first event (num_runs) are behind it: these runs and all other items. A part (take_part),
  /// which is drawn with the last of the runs, is given up with that one. With none behind it
  /// nothing that depends on a draw has been recorded, so that nothing is given up. Groups in
  /// parallel that step together are all treated so; else the first one's charge is, and the others
  /// keep everything unless all of those runs are behind it.
  void keep_rest_of_first(int64_t num_drawn);
  void give_up();  ///< everything counts as drawn

  std::vector<Event> events_;
  std::vector<std::shared_ptr<const Event>> runs_;  // what one run of each item is
  std::vector<int64_t> remaining_;
  std::vector<double> rho_left_;                // of items that are a kZcdp
  std::vector<Charge> groups_;                  // of the only item, until they are taken
  std::shared_ptr<long double> sampler_error_;  // what is left of it; wide: sums of small errors
  Relation relation_;
  bool paid_;
};

/// The events that are drawn one by one where `event` is charged to a group: those of a kComposed,
/// or the event itself.
std::vector<Event> events_in_turn(const Event& event);

/// How often the first event that is drawn of a charged list (of_rows) is drawn: the count of a
/// repeat, of groups in parallel that of the first group's first event; 0 if there is none.
int64_t num_runs(const std::vector<Event>& events);

}  // namespace equinoise
