// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// How the budget of COINPRESS is spent: all of `rho` in one step, or a quarter in equal parts on
/// the steps before the last, three quarters on the last. [BiswasDongKamathUllman2020, code]
std::vector<double> coinpress_budgets(double rho, int num_steps);

/// The failure probability that each step may have: all of `beta` / 4 for the last one, the same in
/// equal parts for those before it.
std::vector<double> coinpress_failures(double beta, int num_steps);

/// sqrt(d + 2 sqrt(d ln(1/beta)) + 2 ln(1/beta)): with probability 1 - beta no longer is a standard
/// normal vector of `dimension` entries.
double normal_length(double dimension, double beta);

/// COINPRESS in one dimension: where the mean of numbers of a known standard deviation is, step by
/// step. All in units of that standard deviation. [BiswasDongKamathUllman2020, Alg. 1]
///
/// A state machine over steps: clip to clip(), add noise of that step to the mean, pass it to
/// advance(). Deviations: the interval never grows nor leaves the prior one, the sum is centred so
/// that the sensitivity under zero_out is half of that under replace_one, and the size is public.
class CoinpressInterval {
 public:
  struct Clip {
    double lower;
    double upper;
    double tail;
  };

  /// Pre: lower < upper, num_records >= 1.
  CoinpressInterval(double lower, double upper, double num_records)
      : lower_(lower), upper_(upper), num_records_(num_records) {}

  double lower() const { return lower_; }
  double upper() const { return upper_; }

  /// Within which numbers count in the next step, if each is within sqrt(2 ln(2 n / beta)) of the
  /// mean.
  Clip clip(double beta) const;

  /// How much the mean of numbers within the clip may change.
  double sensitivity(const Clip& clip, Relation relation) const;

  /// The mean of clipped numbers came out as `noisy_mean` with noise of standard deviation
  /// `noise_stddev`: the interval becomes where the mean is but with probability beta, cut to what
  /// it was.
  void advance(double noisy_mean, double noise_stddev, double beta);

  /// Half of the width that advance() allows.
  double half_width(double noise_stddev, double beta) const;

 private:
  double lower_;
  double upper_;
  double num_records_;
};

/// Which constants COINPRESS in many dimensions takes.
enum class CoinpressConstants {
  kCode,   ///< of the authors' programs: 0.01 in every step, and the smaller of two radii
  kPaper,  ///< of the paper: by the failure probability of the step
};

/// COINPRESS in many dimensions: vectors of unit covariance, a ball around their mean.
/// [BiswasDongKamathUllman2020, Alg. 3] Deviations: the radius never grows, the records are clipped
/// anew in each step, and those of the interval.
class CoinpressBall {
 public:
  /// Pre: radius > 0, num_records >= 1.
  CoinpressBall(std::vector<double> centre, double radius, double num_records,
                CoinpressConstants constants);

  const std::vector<double>& centre() const { return centre_; }
  double radius() const { return radius_; }

  /// Of the ball about the centre within which vectors count in the next step.
  double clip_radius(double beta) const;

  /// How much the mean of vectors within that ball may change in L2 norm.
  double sensitivity(double clip_radius, Relation relation) const;

  /// The mean of clipped vectors came out there, with noise of that standard deviation on each
  /// entry.
  void advance(std::vector<double> noisy_centre, double noise_stddev, double beta);

  /// The radius that advance() would give, were it not for the guard.
  double radius_after(double noise_stddev, double beta) const;

 private:
  std::vector<double> centre_;
  double radius_;
  double num_records_;
  CoinpressConstants constants_;
};

/// `point` if it is within `radius` of `centre`, else the nearest point that is.
std::vector<double> project_onto_ball(std::vector<double> point, const std::vector<double>& centre,
                                      double radius);

}  // namespace equinoise
