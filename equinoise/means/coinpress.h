// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/privacy/relation.h"

namespace equinoise {

/// The budgets of COINPRESS's steps, together `rho`: all of it in one step, or a quarter in equal
/// parts on the steps before the last and three quarters on the last. [BiswasDongKamathUllman2020,
/// code]
std::vector<double> coinpress_budgets(double rho, int num_steps);

/// The failure probability of each step: `beta` / 4 for the last one, and the same in equal parts
/// for those before it.
std::vector<double> coinpress_failures(double beta, int num_steps);

/// sqrt(d + 2 sqrt(d ln(1/beta)) + 2 ln(1/beta)): a standard normal vector of `dimension` entries
/// is longer with probability at most beta.
double normal_length(double dimension, double beta);

/// COINPRESS in one dimension: narrows down, step by step, the mean of numbers with a known
/// standard deviation. All values are in units of that standard deviation.
/// [BiswasDongKamathUllman2020, Alg. 1]
///
/// It is a state machine over steps: clip to clip(), add noise of that step to the mean, pass it to
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

  /// The interval to which numbers are clipped in the next step: the current interval, widened by
  /// sqrt(2 ln(2 n / beta)) at both ends. Except with probability beta, none of n normal numbers
  /// whose mean is in the current interval is clipped.
  Clip clip(double beta) const;

  /// The sensitivity of the mean of numbers clipped to `clip`.
  double sensitivity(const Clip& clip, Relation relation) const;

  /// Takes the noisy mean of the clipped numbers, whose noise has the standard deviation
  /// `noise_stddev`. The new interval holds the mean except with probability beta, cut to the old
  /// interval.
  void advance(double noisy_mean, double noise_stddev, double beta);

  /// Half of the width of the interval that advance() computes, before the cut to the old interval.
  double half_width(double noise_stddev, double beta) const;

 private:
  double lower_;
  double upper_;
  double num_records_;
};

/// The source of the constants of COINPRESS in many dimensions.
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

  /// The radius of the ball to which vectors are clipped in the next step.
  double clip_radius(double beta) const;

  /// The L2 sensitivity of the mean of vectors clipped to that ball.
  double sensitivity(double clip_radius, Relation relation) const;

  /// Takes the noisy mean of the clipped vectors, with noise of standard deviation `noise_stddev`
  /// on each entry.
  void advance(std::vector<double> noisy_centre, double noise_stddev, double beta);

  /// The radius after advance(), without the guard.
  double radius_after(double noise_stddev, double beta) const;

 private:
  std::vector<double> centre_;
  double radius_;
  double num_records_;
  CoinpressConstants constants_;
};

/// The point nearest to `point` within `radius` of `centre`.
std::vector<double> project_onto_ball(std::vector<double> point, const std::vector<double>& centre,
                                      double radius);

}  // namespace equinoise
