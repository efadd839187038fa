#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace equinoise {

/// What a mechanism does to privacy, without data: a frozen value that accountants turn into
/// guarantees.
///
/// Noise is always given as noise scale / sensitivity under the relation in use. A kind is never
/// removed and its meaning never changes, because ledgers hold events. The JSON form is that of
/// `equinoise account`: {"type": "gaussian", ...}.
class Event {
 public:
  enum class Kind {
    kGaussian,        ///< a vector plus Gaussian noise; noise_multiplier = stddev / L2 sensitivity
    kZcdp,            ///< a mechanism known only by its rho
    kSamplerError,    ///< outputs differ from the stated mechanism's by at most `delta` in total
                      ///< variation
    kRepeat,          ///< the only child, count() times, adaptively
    kComposed,        ///< all children on the same data, adaptively
    kPoissonSampled,  ///< one Poisson batch at sample_rate(); all children see that same batch
  };

  /// Errors: kUsage if a parameter is NaN, infinite or out of its range.
  static Event gaussian(double noise_multiplier);
  static Event zcdp(double rho);
  static Event sampler_error(double delta);
  static Event repeat(int64_t count, Event event);
  static Event composed(std::vector<Event> events);
  static Event poisson_sampled(double sample_rate, std::vector<Event> events);

  /// Errors: kUsage naming what is wrong, e.g. an unknown type or key.
  static Event from_json(const nlohmann::json& json);
  nlohmann::json to_json() const;

  Kind kind() const { return kind_; }
  double noise_multiplier() const;  ///< kGaussian
  double rho() const;               ///< kZcdp
  double delta() const;             ///< kSamplerError
  int64_t count() const;            ///< kRepeat
  double sample_rate() const;       ///< kPoissonSampled
  const std::vector<Event>& events() const { return events_; }

  /// "3000 x Poisson batch at rate 0.01398 of [Gaussian, noise multiplier 1.2]"
  std::string to_text() const;

  friend bool operator==(const Event&, const Event&) = default;

 private:
  Event(Kind kind, double parameter, int64_t count, std::vector<Event> events)
      : kind_(kind), parameter_(parameter), count_(count), events_(std::move(events)) {}
  double parameter_of(Kind kind) const;

  Kind kind_;
  double parameter_;
  int64_t count_;
  std::vector<Event> events_;
};

}  // namespace equinoise
