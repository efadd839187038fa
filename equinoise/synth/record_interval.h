// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace equinoise {

/// Intervals for figures of the records behind synthetic rows, from counts that were released with
/// noise. Post-processing: this code sees no record.
///
/// A figure is V / W, where V is a weighted sum of counts x and W is another one, or a public
/// number. It is a share, a mean of the records that have a value, or a share within a group. A
/// record's part of V may be known within limits only (a number within the edges of its bin, a cell
/// of values that were counted together). Then V is between the sums with weights `low` and `high`.
///
/// One release of counts y = x + noise: for the true figure m, the sum of (low - m base) y minus
/// its value without noise has variance s^2 = sum over counts of (sigma (low - m base))^2, and the
/// value without noise is 0 or less. So m is at least the smaller end of {m : |sum (low - m base)
/// y| <= z s} [Fieller1954], and at most the larger one of the same set with `high`; each limit
/// misses with half the probability that z belongs to. Both ends exist if the noisy W is above z of
/// its standard deviations. Otherwise the release is uninformative, and the interval is the full
/// range of the figure, so that reported intervals miss no more often than stated.
///
/// Noise is discrete. One count's noise is beyond k with at most the probability with which a
/// normal one of that sigma is beyond k + 1/2, for z >= 1, since the normal density is convex there
/// and a discrete distribution divides by more. So 1 / (2 z) is added to sigma, half a record in
/// all. Sums of several have lighter steps: record_interval_test.cc adds them up exactly.
///
/// Several releases: methods choose the next measurement and its noise from earlier measurements.
/// So the releases that hold a question do not depend on chance alone, and their mean by precision
/// is less precise than it looks. But noise is fresh given the past. So the k-th release that has
/// less noise than all before, which is known before it is drawn, misses with miss / (k (k + 1))
/// given the past, and all of them together with at most `miss`. The interval is their
/// intersection. If that is empty, one of them has missed, which is among these misses, and the
/// interval is from the lowest to the highest limit of all.

/// A release's counts and their weights.
struct CountedPart {
  double noise_stddev = 0;  ///< of each count, in records
  std::vector<double> counts;
  std::vector<double> low, middle, high;  ///< (counts) in V: least, the model's, largest
  std::vector<double> base;               ///< (counts) in W
};

/// The sums of a question's records: independent releases of disjoint records, and a public part.
/// The release that each part belongs to must be known before the noise of any of them.
struct CountedSource {
  std::vector<CountedPart> parts;
  double low = 0, middle = 0, high = 0, base = 0;  ///< public, in V and W
};

struct RecordInterval {
  /// The estimate from the informative release with the least noise, within the limits; empty:
  /// there is none.
  std::optional<double> estimate = {};
  double lower = 0;
  double upper = 0;
  size_t source = 0;      ///< that release
  bool is_split = false;  ///< no number is within all limits
};

/// The interval that misses the figure of the records with a probability of `miss` at most.
/// `sources`: in the order of their release. The choice of the k-th measurement must follow from
/// earlier releases and from its noise's standard deviation. `least`, `most`: the range of the
/// figure. Empty without sources. Pre: 0 < miss <= 0.3.
std::optional<RecordInterval> record_interval(std::span<const CountedSource> sources, double miss,
                                              double least, double most);

}  // namespace equinoise
