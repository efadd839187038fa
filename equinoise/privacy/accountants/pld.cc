// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/pld.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "equinoise/base/check.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/composed_loss.h"
#include "equinoise/privacy/accountants/composition.h"
#include "equinoise/privacy/accountants/partitions.h"
#include "equinoise/privacy/accountants/private_selection.h"
#include "equinoise/privacy/accountants/unit_bounds.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.pld";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTail = 1e-19;        // mass of one of the few releases on a batch put at infinity
constexpr double kGap = 1.0 / 256;     // between losses, relative to their distance from 0
constexpr double kFirstGrid = 0x1p13;  // losses in the window of a sum
constexpr int kLastLevel = 4;          // of grids, each a quarter of the one before
constexpr double kEnough = 5e-4;       // share of epsilon that finer grids may still save
constexpr double kEnoughOfDelta = 2e-3;   // of delta
constexpr double kRough = 0.05;           // of either, roughly
constexpr double kNoted = 0x1p-14;        // share of delta, the least that sampler errors count for
constexpr double kTiniestDelta = 1e-120;  // the smallest delta that is searched for
constexpr size_t kMaxChoices = 1024;      // of groups
constexpr size_t kMaxScenarios = 128;     // that differ in their events

[[noreturn]] void refuse_groups() {
  throw Error(ErrorKind::kUsage, kWhere,
              "PLD cannot account for that many combinations of groups; use rdp");
}

[[noreturn]] void refuse(const Event& event, const std::string& reason = "") {
  throw Error(ErrorKind::kUsage, kWhere, "PLD cannot bound this event{}: {}", reason,
              event.to_text());
}

/// One mechanism in both directions, `count` times.
struct Mechanism {
  ProfilePointer removed;
  ProfilePointer added;
  double count;
};

/// The composed events that apply to records of one choice of groups.
struct Content {
  double gaussian_precision = 0;  // sum of 1 / noise_multiplier^2: all Gaussians are one
  double sampler_error = 0;
  std::vector<std::pair<Event, double>> others;  // each kind of event once, with its count

  void add_gaussian(double noise_multiplier, double count) {
    const double inverse = 1 / noise_multiplier;
    const double precision = multiply_up(inverse * inverse, count);
    // Noise beyond double precision still counts as noise.
    gaussian_precision = add_up(gaussian_precision, std::max(precision, 1e-300));
  }

  void add(const Event& event, double count) {
    const auto same =
        std::ranges::find_if(others, [&](const auto& other) { return other.first == event; });
    if (same == others.end()) {
      others.emplace_back(event, count);
    } else {
      same->second += count;
    }
  }

  friend bool operator==(const Content&, const Content&) = default;
};

/// A group of each partition.
using Choice = std::map<std::string, std::string>;

bool has_zcdp(const Event& event) {
  return event.kind() == Event::Kind::kZcdp || std::ranges::any_of(event.events(), has_zcdp);
}

/// One run of a selection: its events but sampler errors, a batch of all records without the batch.
struct SelectedRun {
  std::vector<Event> events;
  double sampler_error = 0;
};

void unfold_run(const Event& event, double count, Relation relation, SelectedRun& run) {
  const bool is_whole = event.kind() == Event::Kind::kPoissonSampled && event.sample_rate() == 1 &&
                        relation != Relation::kReplaceOne;
  if (event.kind() == Event::Kind::kRepeat) {
    unfold_run(event.events()[0], count * static_cast<double>(event.count()), relation, run);
  } else if (event.kind() == Event::Kind::kComposed || is_whole) {
    for (const Event& child : event.events()) unfold_run(child, count, relation, run);
  } else if (event.kind() == Event::Kind::kSamplerError) {
    run.sampler_error = add_up(run.sampler_error, multiply_up(event.delta(), count));
  } else {
    if (!(count <= 0x1p53)) refuse(event, ", repeated more than 2^53 times");
    run.events.push_back(count == 1 ? event : Event::repeat(static_cast<int64_t>(count), event));
  }
}

SelectedRun run_of(const Event& selection, Relation relation) {
  SelectedRun run;
  unfold_run(selection.events()[0], 1, relation, run);
  return run;
}

/// Unfolds repeats and compositions. `choice` is nullptr where groups are not allowed.
void collect(const Event& event, double count, Relation relation, const Choice* choice,
             Content& content) {
  switch (event.kind()) {
    case Event::Kind::kRepeat: {
      const double runs = count * static_cast<double>(event.count());
      if (!(runs <= 0x1p53)) refuse(event, ", repeated more than 2^53 times");
      collect(event.events()[0], runs, relation, choice, content);
      return;
    }
    case Event::Kind::kComposed:
      for (const Event& child : event.events()) collect(child, count, relation, choice, content);
      return;
    case Event::Kind::kGaussian:
      content.add_gaussian(event.noise_multiplier(), count);
      return;
    case Event::Kind::kDiscreteGaussian:
      // Under replace_one, bounds for batches are known for real noise only.
      if (choice == nullptr || event.noise_stddev() < kWideDiscreteGaussian) {
        content.add(event, count);
      } else {
        content.add_gaussian(
            noise_above_discrete_gaussian(event.noise_stddev(), event.sensitivity()), count);
      }
      return;
    case Event::Kind::kTreeAggregation: {
      if (choice == nullptr || relation == Relation::kAddRemove) refuse(event);
      const auto height = std::bit_width(static_cast<uint64_t>(event.steps()));
      content.add_gaussian(event.noise_multiplier(), count * static_cast<double>(height));
      return;
    }
    case Event::Kind::kSamplerError:
      if (choice == nullptr) refuse(event, " on a batch");
      content.sampler_error = add_up(content.sampler_error, multiply_up(event.delta(), count));
      return;
    case Event::Kind::kParallel: {
      if (choice == nullptr) refuse(event, " on a batch");
      const std::string& group = choice->at(event.partition());
      for (size_t i = 0; i < event.events().size(); ++i) {
        if (event.group_names()[i] == group) {
          collect(event.events()[i], count, relation, choice, content);
        }
      }
      return;
    }
    case Event::Kind::kRowsOfUnit: {
      if (choice == nullptr) refuse(event, " on a batch or in a selection");
      const Event bound = unit_bounds(kWhere, event)[0];
      if (has_zcdp(bound))
        refuse(event, ", of groups with different noise that are not pure DP (use rdp)");
      collect(bound, count, relation, choice, content);
      return;
    }
    case Event::Kind::kSampledWithoutReplacement:
      if (choice == nullptr) refuse(event, " on a batch or in a selection");
      content.add(event, count);
      return;
    case Event::Kind::kRepeatAndSelect: {
      const double failures = run_of(event, relation).sampler_error;
      if (failures > 0 && (choice == nullptr || std::isinf(event.mean()))) refuse(event);
      if (failures > 0)
        content.sampler_error =
            add_up(content.sampler_error, multiply_up(failures, event.mean() * count));
      content.add(event, count);
      return;
    }
    default:
      content.add(event, count);
  }
}

/// The noise multiplier of all Gaussians together, rounded down.
double noise_of(double precision) {
  const double noise = 1 / std::sqrt(precision) * (1 - 1e-14);
  if (!(noise > 0))
    throw Error(ErrorKind::kUsage, kWhere, "PLD cannot account for so little noise");
  return noise;
}

/// The range of a loss and its standard deviation, finite losses only.
struct Spread {
  LossRange range;
  double stddev;
};

Spread spread_of(const PrivacyProfile& profile, double tail) {
  const LossRange range = loss_range(profile, tail);
  const double grid = std::max(range.high, -range.low) * 0x1p-30;
  return {range, loss_stddev(discretise(profile, grid, tail, kGap))};
}

/// The profile of a mechanism that is symmetric: it serves both directions.
ProfilePointer symmetric_profile(const Event& event, Relation relation);

/// The profile of events on the same records, composed. Symmetric.
ProfilePointer joint_profile(const std::vector<Event>& events, Relation relation) {
  Content content;
  for (const Event& event : events) collect(event, 1, relation, nullptr, content);
  const bool gaussian = content.gaussian_precision > 0;
  if (content.others.empty() && !gaussian) return point_masses_profile({{0, 1}}, 0);
  if (content.others.empty()) return gaussian_profile(noise_of(content.gaussian_precision));
  const auto& [only, count] = content.others[0];
  if (content.others.size() == 1 && count == 1) {
    if (!gaussian) return symmetric_profile(only, relation);
    if (only.kind() == Event::Kind::kLaplace) {
      return laplace_gaussian_profile(only.noise_multiplier(),
                                      noise_of(content.gaussian_precision));
    }
  }
  // Discretises and composes by direct summation: the lists are short.
  std::vector<std::pair<ProfilePointer, double>> parts;
  if (gaussian) parts.emplace_back(gaussian_profile(noise_of(content.gaussian_precision)), 1);
  for (const auto& [event, times] : content.others) {
    parts.emplace_back(symmetric_profile(event, relation), times);
  }
  for (const auto& [profile, times] : parts) {
    if (!(times <= 64)) refuse(Event::composed(events), " with that many repetitions on one batch");
  }
  double variance = 0;
  for (const auto& [profile, times] : parts) {
    const double stddev = spread_of(*profile, kTail).stddev;
    variance += times * stddev * stddev;
  }
  const double grid = std::sqrt(variance) / 100;
  std::optional<LossDistribution> sum;
  for (const auto& [profile, times] : parts) {
    const LossDistribution part = discretise(*profile, grid, kTail);
    for (int i = 0; i < static_cast<int>(times); ++i) sum = sum ? convolve(*sum, part) : part;
  }
  std::vector<PointMass> point_masses;
  for (size_t i = 0; i < sum->mass.size(); ++i)
    point_masses.push_back({sum->loss(i), sum->mass[i]});
  return point_masses_profile(std::move(point_masses), sum->infinite_mass);
}

/// The epsilon of a mechanism that is pure DP; infinity if it is not.
double pure_epsilon(const std::vector<Event>& events, Relation relation) {
  Content content;
  for (const Event& event : events) collect(event, 1, relation, nullptr, content);
  if (content.gaussian_precision > 0) return kInfinity;
  double total = 0;
  for (const auto& [event, count] : content.others) {
    const ProfilePointer profile = symmetric_profile(event, relation);
    if (profile->infinite_mass() > 0) return kInfinity;
    total = add_up(total, multiply_up(profile->largest_loss(), count));
  }
  return total;
}

/// The event that the proof for batches of fixed size compares: a zero_out event where a record is
/// replaced by another one.
Event at_replace_distance(const Event& event) {
  std::vector<Event> children;
  switch (event.kind()) {
    case Event::Kind::kGaussian:
      return Event::gaussian(event.noise_multiplier() / 2);
    case Event::Kind::kLaplace:
      return Event::laplace(event.noise_multiplier() / 2);
    case Event::Kind::kDiscreteGaussian:
      return Event::discrete_gaussian(event.noise_stddev(), 2 * event.sensitivity());
    case Event::Kind::kDiscreteLaplace:
      return Event::discrete_laplace(event.decay(), 2 * event.sensitivity());
    case Event::Kind::kRepeat:
      return Event::repeat(event.count(), at_replace_distance(event.events()[0]));
    case Event::Kind::kComposed:
      for (const Event& child : event.events()) children.push_back(at_replace_distance(child));
      return Event::composed(std::move(children));
    default:
      refuse(event, " on a batch of fixed size under zero_out");
  }
}

ProfilePointer symmetric_profile(const Event& event, Relation relation) {
  switch (event.kind()) {
    case Event::Kind::kLaplace:
      return laplace_profile(event.noise_multiplier());
    case Event::Kind::kDiscreteGaussian:
      return discrete_gaussian_profile(event.noise_stddev(), event.sensitivity());
    case Event::Kind::kDiscreteLaplace:
      return discrete_laplace_profile(event.decay(), event.sensitivity());
    case Event::Kind::kExponential:
      return bounded_range_profile(event.epsilon());
    case Event::Kind::kRandomisedResponse:
      if (relation != Relation::kReplaceOne) refuse(event, " but under replace_one");
      return randomised_response_profile(event.noise_parameter(), event.buckets());
    case Event::Kind::kPure:
      return approx_dp_profile(event.epsilon(), 0);
    case Event::Kind::kApproxDp:
      return approx_dp_profile(event.epsilon(), event.delta());
    case Event::Kind::kSampledWithoutReplacement: {
      if (relation == Relation::kAddRemove) refuse(event, " under add_remove");
      std::vector<Event> events;
      for (const Event& child : event.events()) {
        events.push_back(relation == Relation::kReplaceOne ? child : at_replace_distance(child));
      }
      return fixed_size_profile(event.sample_rate(), joint_profile(events, relation));
    }
    case Event::Kind::kRepeatAndSelect: {
      const SelectedRun run = run_of(event, relation);
      // [LiuTalwar2019, PapernotSteinke2022, Cor. 3]: (2 + shape) epsilon for any mean.
      const double epsilon = multiply_up(2 + event.shape(), pure_epsilon(run.events, relation));
      if (epsilon < kInfinity) return approx_dp_profile(epsilon, 0);
      if (std::isinf(event.mean())) refuse(event, ", whose runs are not pure DP (use rdp)");
      const ProfilePointer of_run = joint_profile(run.events, relation);
      if (!std::isinf(event.shape()) && event.mean() < 1)
        refuse(event, ": there is at least one run, so the mean must be >= 1");
      if (!std::isinf(event.shape()) && event.mean() == 1) return of_run;
      return best_of_runs_profile(kWhere, *of_run, event.mean(), event.shape());
    }
    default:
      refuse(event);
  }
}

/// Amplification compares a batch with the record and one without. Under zero_out the second batch
/// holds a null record, which noisy sums do not see. The effect of a null record on other
/// mechanisms is unknown.
void require_null_safe(const Event& batch, const std::vector<Event>& events) {
  for (const Event& event : events) {
    switch (event.kind()) {
      case Event::Kind::kPure:
      case Event::Kind::kApproxDp:
      case Event::Kind::kExponential:
      case Event::Kind::kRepeatAndSelect:
        refuse(batch, " under zero_out");
      default:
        require_null_safe(batch, event.events());
    }
  }
}

Mechanism mechanism_of(const Event& event, double count, Relation relation) {
  if (event.kind() != Event::Kind::kPoissonSampled) {
    const ProfilePointer profile = symmetric_profile(event, relation);
    return {profile, profile, count};
  }
  if (relation != Relation::kReplaceOne) {
    if (relation == Relation::kZeroOut) require_null_safe(event, event.events());
    const ProfilePointer base = joint_profile(event.events(), relation);
    return {poisson_removed_profile(event.sample_rate(), base),
            poisson_added_profile(event.sample_rate(), base), count};
  }
  Content content;
  for (const Event& child : event.events()) collect(child, 1, relation, nullptr, content);
  if (!content.others.empty()) refuse(event, " under replace_one");
  const ProfilePointer profile =
      poisson_replaced_gaussian_profile(event.sample_rate(), noise_of(content.gaussian_precision));
  return {profile, profile, count};
}

/// One direction of the comparison. A single mechanism uses its profile itself. Several use their
/// distributions on ever finer grids, each of which gives an upper bound.
class Direction {
 public:
  explicit Direction(std::vector<std::pair<ProfilePointer, double>> parts)
      : parts_(std::move(parts)) {
    for (const auto& [profile, count] : parts_) {
      count_ += count;
      largest_loss_ = add_up(largest_loss_, multiply_up(profile->largest_loss(), count));
      infinite_mass_ = add_up(infinite_mass_, multiply_up(profile->infinite_mass(), count));
    }
    if (parts_.size() == 1 && count_ == 1) single_ = parts_[0].first;
  }

  double infinite_mass() const { return infinite_mass_; }

  /// Stops refining the grid once the answer is at most `floor`, here and below.
  double delta(double epsilon, double floor, double enough) const {
    if (epsilon >= largest_loss_) return infinite_mass_;
    const double delta =
        single_ ? single_->delta(epsilon) * (1 + kProfileError) + single_->absolute_error()
                : composed_delta(epsilon, floor, enough);
    return delta <= 1 ? delta : 1;  // NaN protects nobody
  }

  /// `enough`: the share of it that finer grids may still save.
  double epsilon(double delta, double floor, double enough) const {
    double basic = kInfinity;
    if (infinite_mass_ <= delta) basic = largest_loss_;
    if (delta == 0) return basic;
    return std::min(basic,
                    single_ ? single_epsilon(delta) : composed_epsilon(delta, floor, enough));
  }

 private:
  double single_epsilon(double delta) const {
    if (this->delta(0, 0, 0) <= delta) return 0;
    double high = 1;
    while (this->delta(high, 0, 0) > delta) {
      high *= 2;
      if (high > 1e9) return kInfinity;
    }
    double low = 0;
    while (high - low > 1e-12 * high) {
      const double middle = (low + high) / 2;
      (this->delta(middle, 0, 0) > delta ? low : high) = middle;
    }
    return high;
  }

  double composed_epsilon(double delta, double floor, double enough) const {
    const int exponent = exponent_of(delta);
    const auto at = [&](int level) { return composed(exponent, level).epsilon(delta); };
    return least(at, kInfinity, floor, enough);
  }

  double composed_delta(double epsilon, double floor, double enough) const {
    double delta = 1;
    // Chernoff's bound may be a thousand times too large.
    int exponent = exponent_of(composed(exponent_of(0), 0).rough_delta(epsilon)) - 3;
    for (;;) {
      const auto at = [&](int level) {
        const double found = composed(exponent, level).delta(epsilon, delta);
        delta = std::min(delta, found);
        return found;
      };
      least(at, 1, floor, enough);
      // All of delta may be mass that went to infinity.
      const int found = exponent_of(delta);
      if (delta <= floor || found >= exponent - 1 || delta < kTiniestDelta) return delta;
      exponent = found;
    }
  }

  static int exponent_of(double delta) {
    return static_cast<int>(std::floor(std::log10(std::fmax(delta, kTiniestDelta))));
  }

  /// The least answer of ever finer grids. The error of an answer is approximately proportional to
  /// its grid, so two answers give the remaining error: the search ends if it is below `enough` of
  /// the least one. The last grid, which costs more than all before, is skipped if three answers
  /// show that the error falls faster. `none`: the value of no answer.
  template <typename Answer>
  static double least(Answer answer, double none, double floor, double enough) {
    int level = 0;
    double last = answer(level);
    double least = last;
    double last_fall = 0;
    for (int next = 1; level < kLastLevel && least > floor;) {
      const double value = answer(next);
      if (value == none && last < none) {  // too fine
        if (next == level + 1) break;
        next = level + 1;
        continue;
      }
      const int finer = next - level;
      const double fall = last - value;
      const double slowly = std::pow(4, finer);
      least = std::min(least, value);
      level = next++;
      if (last < none) {
        const double excess = fall / (slowly - 1) / (enough * least);
        if (excess < 1) break;
        next = std::min(level + (excess < 4 ? 1 : 2), kLastLevel);
        // The error falls at most with the square of the grid.
        const double factor = std::min(1 + last_fall / fall * (1 - 1 / slowly), 16.0);
        if (next == kLastLevel && factor > 4 &&
            fall / (std::pow(factor, finer) - 1) < 2 * enough * least)
          break;
        last_fall = fall;
      }
      last = value;
    }
    return least;
  }

  /// The composed loss for deltas of at least 10^exponent. The mass that goes to infinity takes at
  /// most 1e-4 of them.
  const ComposedLoss& composed(int exponent, int level) const {
    std::unique_ptr<ComposedLoss>& known = composed_[{exponent, level}];
    if (!known) {
      const double tail = std::pow(10, exponent - 4) / count_;
      const double grid = aligned(first_grid(tail) * std::pow(4, -level));
      std::vector<ComposedLoss::Component> components;
      for (const auto& [profile, count] : parts_) {
        components.push_back({discretise(*profile, grid, tail, kGap), count});
      }
      known = std::make_unique<ComposedLoss>(std::move(components));
    }
    return *known;
  }

  /// A part of the approximate width of the window of the sum.
  double first_grid(double tail) const {
    double widest = 0;
    double variance = 0;
    for (const auto& [profile, count] : parts_) {
      const auto [range, stddev] = spread_of(*profile, tail);
      widest = std::max(widest, range.high - range.low);
      variance += count * stddev * stddev;
    }
    return (widest + 16 * std::sqrt(variance)) / kFirstGrid;
  }

  /// A grid that is no wider and has a point at the largest loss, so that this loss is not rounded
  /// up.
  double aligned(double grid) const {
    double largest = 0;
    double of_all = 0;
    for (const auto& [profile, count] : parts_) {
      const double loss = profile->largest_loss();
      if (loss < kInfinity && loss * count > of_all) {
        largest = loss;
        of_all = loss * count;
      }
    }
    return largest > grid ? largest / std::ceil(largest / grid) * (1 + 1e-14) : grid;
  }

  std::vector<std::pair<ProfilePointer, double>> parts_;  ///< with their counts
  ProfilePointer single_;
  double count_ = 0;
  double largest_loss_ = 0;
  double infinite_mass_ = 0;
  mutable std::map<std::pair<int, int>, std::unique_ptr<ComposedLoss>> composed_;
};

/// Every choice of one group for each partition.
std::vector<Choice> choices_of(const std::vector<Event>& events) {
  Partitions partitions;
  for (const Event& event : events) partitions.add(kWhere, event);
  std::vector<Choice> choices = {{}};
  for (const auto& [partition, names] : partitions.groups()) {
    if (choices.size() * names.size() > kMaxChoices) refuse_groups();
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (const std::string& name : names) {
        longer.push_back(choice);
        longer.back()[partition] = name;
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

}  // namespace

/// The account for records whose groups have the same content.
class PldAccountant::Account {
 public:
  Account(Relation relation, const Content& content) : sampler_error_(content.sampler_error) {
    std::vector<std::pair<ProfilePointer, double>> removed;
    std::vector<std::pair<ProfilePointer, double>> added;
    bool symmetric = true;
    const auto add = [&](const Mechanism& mechanism) {
      removed.emplace_back(mechanism.removed, mechanism.count);
      added.emplace_back(mechanism.added, mechanism.count);
      symmetric = symmetric && mechanism.removed == mechanism.added;
    };
    if (content.gaussian_precision > 0) {
      const ProfilePointer profile = gaussian_profile(noise_of(content.gaussian_precision));
      add({profile, profile, 1});
    }
    for (const auto& [event, count] : content.others) {
      add(mechanism_of(event, count, relation));
      has_own_delta_ = has_own_delta_ || event.kind() == Event::Kind::kApproxDp;
    }
    if (removed.empty()) return;
    directions_.emplace_back(std::move(removed));
    if (!symmetric) directions_.emplace_back(std::move(added));
  }

  /// The approximately smallest delta, if it is above `floor`.
  double delta(double epsilon, double floor, double enough) const {
    double largest = 0;
    for (const Direction& direction : directions_) {
      largest = std::max(largest, direction.delta(epsilon, std::max(largest, floor), enough));
    }
    return add_up(largest, multiply_up(round_up(1 + std::exp(epsilon), 1e-15), sampler_error_));
  }

  /// The smallest epsilon; infinity if there is none.
  double epsilon(double delta, double enough) const {
    // A larger epsilon lets the sampler errors take more of delta, so the first fixed point from
    // below is the answer. The growing slack ends a slow approach. A tiny share of delta is rounded
    // up to kNoted, so that the fixed point is reached at once.
    double epsilon = 0;
    double next = 0;
    double usable = -1;
    for (double slack = 1e-9;; slack *= 1.5) {
      const double taken = multiply_up(round_up(1 + std::exp(epsilon), 1e-15), sampler_error_);
      const double left = taken == 0 ? delta : next_down(delta - std::max(taken, kNoted * delta));
      if (!(left >= 0)) return kInfinity;
      if (left != usable) {
        usable = left;
        next = 0;
        for (const Direction& direction : directions_) {
          next = std::max(next, direction.epsilon(usable, next, enough));
        }
      }
      if (next <= epsilon || taken == 0 || next == kInfinity) return next;
      epsilon = round_up(next, slack);
    }
  }

  /// The reason why epsilon(delta) is infinite; "" if it is finite.
  std::string why_none(double delta) const {
    if (epsilon(delta, kRough) < kInfinity) return "";
    double infinite_mass = 0;
    for (const Direction& direction : directions_)
      infinite_mass = std::max(infinite_mass, direction.infinite_mass());
    const std::string cause =
        failures_exceed(has_own_delta_ ? infinite_mass : 0, sampler_error_, delta);
    if (!cause.empty()) return cause;
    if (delta == 0)
      return "these events have no epsilon at delta 0, however large the noise; give a delta > 0";
    return fmt::format(
        "delta {} is below what PLD can resolve in double precision, or the noise is too small; "
        "use rdp, which has no such floor",
        delta);
  }

 private:
  std::vector<Direction> directions_;
  double sampler_error_;
  bool has_own_delta_ = false;
};

PldAccountant::PldAccountant(Relation relation, const std::vector<Event>& events) {
  std::vector<Content> contents;
  for (const Choice& choice : choices_of(events)) {
    Content content;
    for (const Event& event : events) collect(event, 1, relation, &choice, content);
    if (contains(contents, content)) continue;
    if (contents.size() == kMaxScenarios) refuse_groups();
    accounts_.push_back(std::make_unique<Account>(relation, content));
    contents.push_back(std::move(content));
  }
}

PldAccountant::~PldAccountant() = default;

Epsilon PldAccountant::epsilon(Delta delta) const { return epsilon(delta, kEnough); }
Epsilon PldAccountant::rough_epsilon(Delta delta) const { return epsilon(delta, kRough); }

Epsilon PldAccountant::epsilon(Delta delta, double enough) const {
  double largest = 0;
  for (const auto& account : accounts_)
    largest = std::max(largest, account->epsilon(delta.value(), enough));
  if (!(largest < kInfinity)) {
    std::string why;
    for (const auto& account : accounts_) {
      if (why.empty()) why = account->why_none(delta.value());
    }
    throw Error(ErrorKind::kUsage, kWhere, why);
  }
  return Epsilon(largest);
}

double PldAccountant::delta(Epsilon epsilon) const { return delta(epsilon, 0, kEnoughOfDelta); }
double PldAccountant::rough_delta(Epsilon epsilon, double small) const {
  return delta(epsilon, small, kRough);
}

double PldAccountant::delta(Epsilon epsilon, double small, double enough) const {
  double largest = small;
  for (const auto& account : accounts_) {
    largest = std::max(largest, account->delta(epsilon.value(), largest, enough));
  }
  return std::min(largest, 1.0);
}

}  // namespace equinoise
