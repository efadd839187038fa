// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/method_option.h"
#include "equinoise/base/normal_quantile.h"
#include "equinoise/base/own_options.h"
#include "equinoise/means/coinpress.h"
#include "equinoise/means/pass.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/event.h"

namespace equinoise {

/// A standard normal number is farther from 0 than that with probability `failure`.
double normal_half_width(double failure);

/// What is publicly known about a column of numbers.
struct MeanColumn {
  std::string name;
  double lower = 0;
  double upper = 1;
  std::optional<double> stddev = {};  ///< of the numbers within a stratum, about
  /// Whether records may lack a value: the mean is of those that have one, and how many these are
  /// is released with their sum.
  bool has_gaps = false;
  /// Where records count by weights, which are from 0 to 1: about how much on average, by which
  /// noise is predicted. The mean is that by weight, and the sum of weights is released with the
  /// sum, as the number of values is of a column with gaps. Else each record counts as 1.
  std::optional<double> usual_weight = {};

  /// Whether what the sum is divided by is released with it.
  bool has_noisy_divisor() const { return has_gaps || usual_weight.has_value(); }
};

/// How means are estimated: what estimators share, and what some have of their own. Every field is
/// public.
struct MeanConfig {
  Relation relation = Relation::kReplaceOne;
  double clipped_share = 0;  ///< of the budget, for the number of clipped records; 0: unpaid
  OwnOptions own;            ///< options of one method or of a few, in structs of their own
};

/// An option of estimators of means. Each is declared where the code is that follows it.
using MeanOption = MethodOption<MeanConfig>;
using MeanOptions = std::vector<MeanOption>;

/// A sum of weights is divided by only if it is so many standard deviations of its noise or more:
/// noise alone is in 1 of 30,000 releases, or in 1 of 600 if it is Laplace's.
inline constexpr double kWeightStandsOut = 4;

/// The probability with which an interval misses what it is of.
inline constexpr double kIntervalFailure = 0.05;

/// One mean with what is publicly known about how far it is off.
struct MeanEstimate {
  double mean = 0;          ///< noise included, so it may lie outside the bounds
  double noise_stddev = 0;  ///< of that noise, about where the size is noisy
  double half_width = 0;    ///< of the interval that noise leaves but with kIntervalFailure
  /// Within which numbers counted: the mean is of numbers so clipped. Follows earlier noisy answers
  /// where ClipKind says so.
  double clip_lower = 0;
  double clip_upper = 0;
  std::optional<double> clipped_fraction = {};  ///< of the values, with noise; where paid
  /// Of the stratum, or the noisy number of values, or sum of weights; divided by, at least by 1.
  double size = 0;
  double size_noise = 0;             ///< standard deviation in that; 0: it is public
  double sum_noise_stddev = 0;       ///< what noise_stddev would be if the size were exact
  double half_width_in_stddevs = 0;  ///< of the noise of the sum
  double rounding = 0;  ///< how far numbers on a grid, and doubles, have moved the mean at most
  bool is_weighted = false;  ///< the size is a sum of weights, which may be any number

  /// By weight there is none where noise nearly hides what the sum is divided by
  /// (kWeightStandsOut), or that is below 1: all records together count for less than one may.
  bool has_figure() const { return !is_weighted || std::isfinite(half_width); }
};

/// Half of the interval of an estimate, `stddevs` standard deviations of the sum's noise on either
/// side: all means m for which the noisy sum less m times the noisy size is what noise may leave
/// [Fieller1954], made symmetric, and the rounding. Without an end where the size may be 0.
double noise_half_width(const MeanEstimate& estimate, double stddevs);

/// Fills noise_stddev and half_width from the rest.
void settle_noise(MeanEstimate& estimate);

/// What numbers are clipped to, and so what a mean and its interval are of.
enum class ClipKind {
  kPublic,            ///< public bounds
  kReleasedInterval,  ///< an interval that follows noisy answers and is released
  kReleasedBall,      ///< a ball of all columns in their standard deviations; the clip is around it
};

/// What an estimation is about: columns (one, or several together), strata with their public or
/// paid sizes, and how much zero-concentrated DP it may cost members of each stratum.
struct MeanTask {
  std::vector<MeanColumn> columns;
  std::vector<size_t> indices;  ///< (columns) in StratifiedRecords
  std::vector<double> sizes;    ///< (num_strata), 0: nothing is asked about the stratum
  double rho = 0;
  MeanConfig config;
  size_t first_item = 0;  ///< in the charge of each stratum, where the events of this begin
  double size_noise = 0;  ///< standard deviation of the noise in sizes; 0: they are public

  size_t num_gaps() const;  ///< how many of the columns have gaps
};

/// An estimation under way: asks a question, gets the answer, adds the noise that it has paid for,
/// and continues with that. The sensitivity of each question is in the question; the noise follows
/// public numbers and earlier noisy answers alone.
class MeanEstimation {
 public:
  virtual ~MeanEstimation() = default;

  /// What to ask in the next pass over the records, or nothing more.
  virtual std::optional<Query> next() const = 0;

  /// Takes the exact answer to next(). charges: (num_strata), those of strata of size 0 are left
  /// alone.
  virtual void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) = 0;

  /// (num_strata, columns), once there is nothing more to ask. A stratum of size 0 has the middle
  /// of the bounds and an interval of all that is between them.
  virtual std::vector<MeanEstimate> estimates() const = 0;
};

/// The sum that an estimator asks for in a stratum, over all strata: one draw of noise, which
/// members of every stratum pay for. Range and grid are those of a stratum's sum, so that the exact
/// sums of strata add up to it.
struct SharedSum {
  ClipRange range;
  std::vector<Event> events;  ///< of each stratum: the sum's, then a sampler's error, if any
  double noise_stddev;        ///< of the sum, in the column's units
  double sensitivity;         ///< of all that is drawn at once, in units
  int64_t count_units = 0;    ///< see CountedSum
};

/// A way to estimate means privately. Guarantee of each: an estimation costs members of every
/// stratum what events() says, whatever is in the records, and however many there are.
class MeanEstimator {
 public:
  virtual ~MeanEstimator() = default;

  /// What it follows and others do not.
  virtual const MeanOptions& options() const = 0;

  /// Whether it takes several columns together.
  virtual bool is_joint() const { return false; }

  /// Whether columns must have a standard deviation.
  virtual bool needs_stddev() const { return false; }

  /// The range that numbers of a stratum of that size count within, where public facts fix it and
  /// it is all that numbers are clipped to.
  virtual std::optional<std::pair<double, double>> public_clip(const MeanColumn& /*column*/,
                                                               double /*size*/,
                                                               const MeanConfig& /*config*/) const {
    return std::nullopt;
  }

  virtual ClipKind clip_kind(const MeanConfig& /*config*/) const { return ClipKind::kPublic; }

  /// One sum over all strata at a cost of rho, next to strata's sums that cost stratum_rho; none
  /// where the estimator has none, or where so much noise is more than the sampler takes.
  virtual std::optional<SharedSum> shared_sum(const MeanColumn& /*column*/, double /*stratum_rho*/,
                                              double /*rho*/, const MeanConfig& /*config*/) const {
    return std::nullopt;
  }

  /// How many counts a pass keeps for one column of one stratum.
  virtual size_t num_counts(const MeanConfig& /*config*/) const { return 0; }

  /// What it draws for a stratum of that size, in this order; at most `rho`. Errors: kUsage for an
  /// option that is not as declared, and those of make_events().
  std::vector<Event> events(const std::vector<MeanColumn>& columns, double size, double rho,
                            const MeanConfig& config) const {
    check_options<MeanConfig>("means", options(), config);
    return make_events(columns, size, rho, config);
  }

  /// The standard deviation of the noise that is to be expected in the mean of `column` in a
  /// stratum of that size, by public facts; infinite if it does not follow from them.
  virtual double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                                 double rho, const MeanConfig& config) const = 0;

  /// Half of the interval that its noise leaves with a probability of `failure`, in its standard
  /// deviations.
  virtual double half_width_in_stddevs(double failure = kIntervalFailure) const;

  virtual std::unique_ptr<MeanEstimation> start(MeanTask task) const = 0;

 protected:
  /// events() of options as declared. Errors: kUsage for a column or a configuration that it cannot
  /// do with.
  virtual std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size,
                                         double rho, const MeanConfig& config) const = 0;
};

}  // namespace equinoise
