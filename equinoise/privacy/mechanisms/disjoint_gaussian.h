// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// The Gaussian mechanism for several vectors when a record is in at most one of them: all together
/// cost as much as one.
///
/// Relation: that of the sensitivities, which must be the permit's. Sensitivity: as
/// add_gaussian_noise, of each vector. The vector that a record may be in must not depend on the
/// records (the caller proves it); the questions to the other vectors may depend on earlier
/// releases. Cost: the permit's event, gaussian(noise_multiplier), once. Guarantee: for two tables
/// that differ in one record, all releases but one have the same distribution given earlier
/// releases, and that one is a Gaussian mechanism of that multiplier; parallel composition,
/// docs/theory/group-releases.md. Errors: as add_gaussian_noise. Source: [McSherry2009, Thm. 4].
class DisjointGaussian {
 public:
  explicit DisjointGaussian(Permit permit) : permit_(std::move(permit)) {}

  /// Adds noise to another vector of integers.
  void add_noise(const Sensitivity& sensitivity, std::span<int64_t> units, RandomSource& source);

 private:
  Permit permit_;
};

}  // namespace equinoise
