// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/record_interval.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

namespace equinoise {

namespace {

/// Sums of a source for one choice of weights in V.
struct NoisySums {
  double v = 0;
  double w = 0;
  double vv = 0, vw = 0, ww = 0;  // covariances of their noise
};

/// The sums for V - `shift` W instead of V, which keeps the digits of figures that differ little
/// from the shift.
NoisySums sums_of(const CountedSource& source, std::vector<double> CountedPart::*weights,
                  double exact, double shift, double z) {
  NoisySums sums;
  sums.v = exact - shift * source.base;
  sums.w = source.base;
  for (const CountedPart& part : source.parts) {
    const double sigma = part.noise_stddev + 1 / (2 * z);
    const std::vector<double>& own = part.*weights;
    double vv = 0;
    double vw = 0;
    double ww = 0;
    for (size_t i = 0; i < part.counts.size(); ++i) {
      const double weight = own[i] - shift * part.base[i];
      sums.v += weight * part.counts[i];
      sums.w += part.base[i] * part.counts[i];
      vv += weight * weight;
      vw += weight * part.base[i];
      ww += part.base[i] * part.base[i];
    }
    sums.vv += sigma * sigma * vv;
    sums.vw += sigma * sigma * vw;
    sums.ww += sigma * sigma * ww;
  }
  return sums;
}

/// Returns whether W is above 0 despite its noise.
bool has_base(const NoisySums& sums, double z) { return sums.w > z * std::sqrt(sums.ww); }

/// The ends of {m : (v - m w)^2 <= z^2 (vv - 2 m vw + m^2 ww)}. Pre: has_base(sums, z).
std::pair<double, double> fieller_ends(const NoisySums& sums, double z) {
  const double a = sums.w * sums.w - z * z * sums.ww;
  const double b = sums.v * sums.w - z * z * sums.vw;
  const double c = sums.v * sums.v - z * z * sums.vv;
  const double root = std::sqrt(std::max(0.0, b * b - a * c));
  return {(b - root) / a, (b + root) / a};
}

}  // namespace

std::optional<RecordInterval> record_interval(std::span<const CountedSource> sources, double miss,
                                              double least, double most) {
  if (sources.empty()) return std::nullopt;
  RecordInterval result{.lower = least, .upper = most};
  double lowest = most;
  double highest = least;
  for (size_t i = 0; i < sources.size(); ++i) {
    const CountedSource& source = sources[i];
    const double k = static_cast<double>(i + 1);
    const double z = boost::math::quantile(
        boost::math::complement(boost::math::normal(), miss / (k * (k + 1)) / 2));
    const NoisySums low = sums_of(source, &CountedPart::low, source.low, least, z);
    if (!has_base(low, z)) continue;
    const NoisySums high = sums_of(source, &CountedPart::high, source.high, least, z);
    const double lower = std::clamp(least + fieller_ends(low, z).first, least, most);
    const double upper = std::clamp(least + fieller_ends(high, z).second, least, most);
    const NoisySums middle = sums_of(source, &CountedPart::middle, source.middle, least, z);
    result.estimate = least + middle.v / middle.w;
    result.lower = std::max(result.lower, lower);
    result.upper = std::min(result.upper, upper);
    result.source = i;
    lowest = std::min(lowest, lower);
    highest = std::max(highest, upper);
  }
  if (result.lower > result.upper) {
    result.lower = lowest;
    result.upper = highest;
    result.is_split = true;
  }
  if (result.estimate) result.estimate = std::clamp(*result.estimate, result.lower, result.upper);
  return result;
}

}  // namespace equinoise
