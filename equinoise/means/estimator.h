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

/// The number of standard deviations that a standard normal number exceeds in magnitude with
/// probability `failure`.
double normal_half_width(double failure);

/// The public facts of a column of numbers.
struct MeanColumn {
  std::string name;
  double lower = 0;
  double upper = 1;
  std::optional<double> stddev = {};  ///< of the numbers within a stratum, approximate
  /// True if records may lack a value. The mean is then that of the values, and their number is
  /// released with their sum.
  bool has_gaps = false;
  /// The approximate mean weight of records that count by weights, which are from 0 to 1; it
  /// predicts the noise. The mean is then the weighted mean, and the sum of weights is released
  /// with the sum, like the number of values of a column with gaps. Empty: each record counts as 1.
  std::optional<double> usual_weight = {};

  /// Returns whether the divisor is released together with the sum.
  bool has_noisy_divisor() const { return has_gaps || usual_weight.has_value(); }
};

/// Options that estimators share, and options of single estimators. Every field is public.
struct MeanConfig {
  Relation relation = Relation::kReplaceOne;
  double clipped_share = 0;  ///< of the budget, for the number of clipped records; 0: unpaid
  /// Whether a sum over all strata may follow, for which sums of strata leave room in the sampler's
  /// range; else their grid is finer.
  bool has_shared_sums = true;
  OwnOptions own;  ///< options of one method or of a few, in separate structs
};

/// An option of estimators of means, declared next to the code that follows it.
using MeanOption = MethodOption<MeanConfig>;
using MeanOptions = std::vector<MeanOption>;

/// A sum of weights is used as a divisor only if it is at least this many standard deviations of
/// its noise. Noise alone exceeds that in 1 of 30,000 releases, or in 1 of 600 for Laplace noise.
inline constexpr double kWeightStandsOut = 4;

/// The probability with which an interval misses its true value.
inline constexpr double kIntervalFailure = 0.05;

/// One mean and public facts about its error.
struct MeanEstimate {
  double mean = 0;          ///< noisy, so it may lie outside the bounds
  double noise_stddev = 0;  ///< of that noise; approximate if the size is noisy
  double half_width = 0;    ///< of the interval that noise leaves except with kIntervalFailure
  /// The clip: the mean is that of numbers clipped to it. Some ClipKinds derive it from earlier
  /// noisy answers.
  double clip_lower = 0;
  double clip_upper = 0;
  std::optional<double> clipped_fraction = {};  ///< of the values, noisy; empty if not paid for
  /// The stratum's size, or the noisy number of values, or the noisy sum of weights. The divisor is
  /// at least 1.
  double size = 0;
  double size_noise = 0;             ///< standard deviation of its noise; 0: it is public
  double sum_noise_stddev = 0;       ///< noise_stddev for an exact size
  double half_width_in_stddevs = 0;  ///< of the noise of the sum
  double rounding = 0;               ///< the largest change of the mean by the grid and by doubles
  double weighted_rounding = 0;  ///< of the weighted sum by the grid, for sizes up to that given
  bool is_weighted = false;      ///< the size is a sum of weights, which may be any number

  /// Returns false for a weighted mean whose divisor is nearly hidden by noise (kWeightStandsOut),
  /// or is below 1, less than the weight that one record may have.
  bool has_figure() const { return !is_weighted || std::isfinite(half_width); }
};

/// Half of the interval of an estimate, for `stddevs` standard deviations of the sum's noise. The
/// interval holds all means m for which the noisy sum minus m times the noisy size can be noise
/// [Fieller1954]; it is made symmetric, and rounding is added. Infinite if the size may be 0.
double noise_half_width(const MeanEstimate& estimate, double stddevs);

/// Fills noise_stddev and half_width from the rest.
void settle_noise(MeanEstimate& estimate);

/// The clip of numbers. A mean and its interval are those of the clipped numbers.
enum class ClipKind {
  kPublic,            ///< public bounds
  kReleasedInterval,  ///< an interval that follows noisy answers and is released
  kReleasedBall,      ///< a ball of all columns in their standard deviations; the clip is around it
};

/// The task of an estimation: columns (one, or several together), strata with their public or paid
/// sizes, and the zero-concentrated DP that it may cost members of each stratum.
struct MeanTask {
  std::vector<MeanColumn> columns;
  std::vector<size_t> indices;  ///< (columns) in StratifiedRecords
  std::vector<double> sizes;    ///< (num_strata), 0: nothing is released about the stratum
  double rho = 0;
  MeanConfig config;
  size_t first_item = 0;  ///< the position of its events in the charge of each stratum
  double size_noise = 0;  ///< standard deviation of the noise in sizes; 0: they are public

  size_t num_gaps() const;  ///< the number of columns with gaps
};

/// An estimation in progress: it asks a question, receives the answer, adds the noise that it has
/// paid for, and continues from there. The sensitivity of each question is in the question. The
/// noise depends only on public numbers and earlier noisy answers.
class MeanEstimation {
 public:
  virtual ~MeanEstimation() = default;

  /// The question for the next pass over the records, or nothing.
  virtual std::optional<Query> next() const = 0;

  /// Takes the exact answer to next(). charges: (num_strata); those of strata of size 0 are not
  /// used.
  virtual void answer(const Answer& exact, std::span<Charge> charges, RandomSource& source) = 0;

  /// (num_strata, columns) The results, after the last question. A stratum of size 0 has the middle
  /// of the bounds, and an interval that covers the bounds.
  virtual std::vector<MeanEstimate> estimates() const = 0;
};

/// One sum over all strata of the numbers that an estimator sums in each stratum: one draw of
/// noise, which members of every stratum pay for. Range and grid are those of a stratum's sum, so
/// that the exact sums of strata add up to it.
struct SharedSum {
  ClipRange range;
  std::vector<Event> events;  ///< of each stratum: the sum's, then a sampler's error, if any
  double noise_stddev;        ///< of the sum, in the column's units
  double sensitivity;         ///< of all that is drawn at once, in units
  int64_t count_units = 0;    ///< see CountedSum
};

/// A method of estimating means privately. Guarantee of each: an estimation costs members of every
/// stratum exactly the events of events(), whatever the records are and whatever their number.
class MeanEstimator {
 public:
  virtual ~MeanEstimator() = default;

  /// The options that it follows and others do not.
  virtual const MeanOptions& options() const = 0;

  /// Returns whether it takes several columns together.
  virtual bool is_joint() const { return false; }

  /// Returns whether columns must have a standard deviation.
  virtual bool needs_stddev() const { return false; }

  /// The range to which numbers of a stratum of size `size` are clipped, if it is public and the
  /// only clip.
  virtual std::optional<std::pair<double, double>> public_clip(const MeanColumn& /*column*/,
                                                               double /*size*/,
                                                               const MeanConfig& /*config*/) const {
    return std::nullopt;
  }

  virtual ClipKind clip_kind(const MeanConfig& /*config*/) const { return ClipKind::kPublic; }

  /// One sum over all strata at a cost of rho, next to strata's sums that cost stratum_rho. Empty
  /// if the estimator has no such sum, or if the sampler cannot draw that much noise.
  virtual std::optional<SharedSum> shared_sum(const MeanColumn& /*column*/, double /*stratum_rho*/,
                                              double /*rho*/, const MeanConfig& /*config*/) const {
    return std::nullopt;
  }

  /// The number of counts that a pass keeps for one column of one stratum.
  virtual size_t num_counts(const MeanConfig& /*config*/) const { return 0; }

  /// The events for a stratum of size `size`, in the order of the draws; they cost at most `rho`.
  /// Errors: kUsage for an option that is not as declared, and those of make_events().
  std::vector<Event> events(const std::vector<MeanColumn>& columns, double size, double rho,
                            const MeanConfig& config) const {
    check_options<MeanConfig>("means", options(), config);
    return make_events(columns, size, rho, config);
  }

  /// The expected standard deviation of the noise in the mean of `column` in a stratum of size
  /// `size`, from public facts; infinite if they do not determine it.
  virtual double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                                 double rho, const MeanConfig& config) const = 0;

  /// The noise of a stratum's size at a cost of at most rho; of the kind that its sums have, so
  /// that neither leaves a delta to the other. Sensitivity 1, under zero_out.
  virtual Event size_event(double rho) const;

  /// Half of the interval that the noise leaves with probability `failure`, in its standard
  /// deviations. For failures of at most 0.05 it holds for sums of several draws of the kind too.
  virtual double half_width_in_stddevs(double failure = kIntervalFailure) const;

  virtual std::unique_ptr<MeanEstimation> start(MeanTask task) const = 0;

 protected:
  /// events() with checked options. Errors: kUsage for a column or a configuration that it cannot
  /// handle.
  virtual std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size,
                                         double rho, const MeanConfig& config) const = 0;
};

}  // namespace equinoise
