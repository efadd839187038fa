// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// The effect of a mechanism on privacy, without data: a frozen value that accountants turn into
/// guarantees.
///
/// Noise is always given as noise scale / sensitivity under the relation in use; the discrete kinds
/// work on the integers and give both. A kind is never removed and its meaning never changes,
/// because ledgers hold events. The JSON form is that of `equinoise account`:
/// {"type": "gaussian", ...}.
class Event {
 public:
  enum class Kind {
    kGaussian,  ///< a vector plus Gaussian noise; noise_multiplier = stddev / L2 sensitivity
    kLaplace,   ///< a vector plus Laplace noise; noise_multiplier = scale / L1 sensitivity
    kDiscreteGaussian,  ///< integers plus noise with Pr[x] ~ exp(-x^2 / (2 noise_stddev^2)); they
                        ///< change by at most `sensitivity` in L1 norm
    kDiscreteLaplace,   ///< integers plus noise with Pr[x] ~ exp(-decay |x|); they change by at
                        ///< most `sensitivity` in L1 norm
    kExponential,  ///< a choice with log-ratios in an interval of width epsilon (bounded range),
                   ///< e.g. with weights exp(epsilon score / (2 sensitivity))
    kRandomisedResponse,  ///< one of `buckets` values, replaced by a uniform one with probability
                          ///< noise_parameter
    kTreeAggregation,  ///< prefix sums of `steps` vectors by a binary tree, Gaussian noise at each
                       ///< node; a record is in at most one of the vectors
    kPure,             ///< a mechanism known only to be epsilon-DP
    kApproxDp,         ///< a mechanism known only to be (epsilon, delta)-DP
    kZcdp,             ///< a mechanism known only by its rho
    kSamplerError,     ///< outputs differ from the stated mechanism's by at most `delta` in total
                       ///< variation
    kRepeat,           ///< the only child, count() times, adaptively
    kComposed,         ///< all children on the same data, adaptively
    kParallel,         ///< child i sees only group group_names()[i] of a partition; a record is in
                       ///< at most one group, and a neighbouring change is within one
    kPoissonSampled,   ///< one Poisson batch at sample_rate(); all children see that same batch.
                       ///< Under replace_one their noise is relative to one record's contribution
    kSampledWithoutReplacement,  ///< the same with a uniform batch of a public, fixed size
    kRepeatAndSelect,  ///< the best of a random number of runs of the only child; the number has a
                       ///< truncated negative binomial distribution with `shape` (infinite:
                       ///< Poisson)
    kRowsOfUnit,  ///< the only child, whose neighbouring change is that of one row, released from
                  ///< tables whose neighbours differ in up to rows() rows of one unit
  };

  /// Errors: kUsage, naming the parameter, if one is NaN, infinite or out of its range.
  static Event gaussian(double noise_multiplier);
  static Event laplace(double noise_multiplier);
  static Event discrete_gaussian(double noise_stddev, int64_t sensitivity);
  static Event discrete_laplace(double decay, int64_t sensitivity);
  static Event exponential(double epsilon);
  static Event randomised_response(double noise_parameter, int64_t buckets);
  static Event tree_aggregation(double noise_multiplier, int64_t steps);
  static Event pure(double epsilon);
  static Event approx_dp(double epsilon, double delta);
  static Event zcdp(double rho);
  static Event sampler_error(double delta);
  static Event repeat(int64_t count, Event event);
  static Event composed(std::vector<Event> events);
  static Event poisson_sampled(double sample_rate, std::vector<Event> events);
  static Event sampled_without_replacement(double sample_rate, std::vector<Event> events);
  /// `mean` is that of the number of runs, infinite if unknown. `shape` > -1, or infinite.
  static Event repeat_and_select(double mean, double shape, Event event);
  /// `partition` names the division into groups, e.g. "sex,race". Costs of the same group add up,
  /// and the costliest group counts. Every event of a partition names all of its groups; a group
  /// without a release has composed({}), because accountants refuse lists that differ. Pre: among
  /// events that are accounted together, one name with one list is one division of the same people.
  /// A division that is cut anew needs a new name, whose costs add up (groups_apart() gives one).
  static Event parallel(std::string partition, std::vector<std::string> group_names,
                        std::vector<Event> events);

  /// Returns `event` itself if `rows` is 1. accountants/unit_bounds.h has the bounds.
  static Event rows_of_unit(int64_t rows, Event event);

  /// Errors: kUsage naming the place and the mistake, e.g. an unknown type or key.
  static Event from_json(const nlohmann::json& json, const std::string& place = "event");
  nlohmann::json to_json() const;

  Kind kind() const { return kind_; }
  double noise_multiplier() const { return number("noise_multiplier"); }
  double noise_stddev() const { return number("sigma"); }
  double decay() const { return number("parameter"); }
  int64_t sensitivity() const { return integer("sensitivity"); }
  double epsilon() const { return number("epsilon"); }
  double delta() const { return number("delta"); }
  double rho() const { return number("rho"); }
  double noise_parameter() const { return number("noise_parameter"); }
  int64_t buckets() const { return integer("buckets"); }
  int64_t steps() const { return integer("steps"); }
  int64_t count() const { return integer("count"); }
  double sample_rate() const { return number("q"); }
  double mean() const { return number("mean"); }
  double shape() const { return number("shape"); }
  int64_t rows() const { return integer("rows"); }
  const std::string& partition() const { return partition_; }                   ///< of kParallel
  const std::vector<std::string>& group_names() const { return group_names_; }  ///< of kParallel
  const std::vector<Event>& events() const { return events_; }

  /// The same event with other children, as many as before if they belong to groups. Errors: kUsage
  /// if it cannot have them.
  Event with_events(std::vector<Event> events) const;

  /// "3000 x Poisson batch at rate 0.01398 of [Gaussian, noise multiplier 1.2]"
  std::string to_text() const;

  friend bool operator==(const Event&, const Event&) = default;

 private:
  Event() = default;
  static Event make(Kind kind, std::array<double, 2> numbers, std::vector<Event> events,
                    const std::string& place = "event");
  /// The parameter with that JSON key. Errors: kUsage if this kind has none.
  double number(std::string_view key) const;
  int64_t integer(std::string_view key) const { return static_cast<int64_t>(number(key)); }

  Kind kind_ = Kind::kComposed;
  std::array<double, 2> numbers_{};  ///< in the order of the kind's parameters
  std::vector<Event> events_;
  std::string partition_;
  std::vector<std::string> group_names_;
};

}  // namespace equinoise
