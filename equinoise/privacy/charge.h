#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "equinoise/privacy/event.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/relation.h"

namespace equinoise {

class Ledger;

/// The right to one draw of one primitive event. A mechanism takes it by value: used once, gone.
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

 private:
  friend class BatchPermit;
  friend class Charge;
  Permit(std::shared_ptr<const Event> event, Relation relation, bool paid)
      : event_(std::move(event)), relation_(relation), paid_(paid) {}

  std::shared_ptr<const Event> event_;
  Relation relation_;
  bool paid_;
};

/// The right to one Poisson batch and to one draw of each event on it.
class BatchPermit {
 public:
  BatchPermit(BatchPermit&&) noexcept = default;
  BatchPermit& operator=(BatchPermit&&) noexcept = default;
  BatchPermit(const BatchPermit&) = delete;
  BatchPermit& operator=(const BatchPermit&) = delete;

  double sample_rate() const { return event_->sample_rate(); }
  /// The permit of the index-th event of the batch. Errors: kRuntime if there is none or it was
  /// taken.
  Permit take(size_t index);

 private:
  friend class Charge;
  BatchPermit(std::shared_ptr<const Event> event, Relation relation, bool paid)
      : event_(std::move(event)), relation_(relation), paid_(paid) {}

  std::shared_ptr<const Event> event_;
  Relation relation_;
  bool paid_;
  uint64_t taken_ = 0;
};

/// What has been paid for: a move-only token for a list of events, of which each can be drawn once
/// (a repeat, count() times).
///
/// Only a ledger makes one that private releases accept, after the cost was durably recorded. There
/// are no refunds: what is not drawn is lost (but see Ledger::resume). A charge may move between
/// threads but is used by one at a time.
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

  const std::vector<Event>& events() const { return events_; }

  /// The next run of item `item`, which is a Poisson batch or a repeat of one. Errors: kRuntime
  /// when all are used or the item is of another kind.
  BatchPermit next_batch(size_t item);

  /// The permit of the next run of item `item`, which is a primitive event outside any batch or a
  /// repeat of one. Errors: kRuntime when all are used or the item is of another kind.
  Permit take(size_t item);

 private:
  friend class Ledger;
  Charge(std::vector<Event> events, Relation relation, bool paid);

  /// Counts the next run of `item` as drawn.
  void use(size_t item);

  /// Gives up everything but the last draws of item 0: `num_drawn` of its runs and all of the other
  /// items count as drawn.
  void keep_rest_of_first(int64_t num_drawn);

  std::vector<Event> events_;
  std::vector<std::shared_ptr<const Event>> runs_;  // what one run of each item is
  std::vector<int64_t> remaining_;
  Relation relation_;
  bool paid_;
};

}  // namespace equinoise
