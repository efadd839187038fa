// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// The terms of the paper's theorems; logarithms are natural.
struct PrintedTerms {
  double constant = 4;  ///< the "universal constant" c
  double epsilon = 1;
  double delta = 1e-5;
  int64_t num_steps = 1;
  int64_t group_size = 1;  ///< n, of every group
  double batch_size = 1;   ///< m
};

/// The noise of Algorithms 3 and 5 as printed, relative to one record's contribution under
/// zero_out. [ZhouBassily2024, Theorems 9 and 13]
struct PrintedNoise {
  double gradient = 0;  ///< multiplier of the Gaussian noise: m sqrt(c T ln(T/d) ln(1/d)) / (n eps)
  double loss = 0;      ///< multiplier of the Laplace noise: c sqrt(T ln(1/d)) / eps
};

/// NOT a guarantee: the theorems have no condition on m, without which they are false for every c.
/// With one step and m = 1 the drawn record is as good as published, and it is drawn with
/// probability m / n, which may exceed delta. The accountants give the true guarantee of this
/// noise, for printed_events.
PrintedNoise printed_noise(const PrintedTerms& terms);

/// The events of a run with that noise for the members of a group that is drawn in every step:
/// losses of all records, and a batch at rate m / n.
std::vector<Event> printed_events(const PrintedTerms& terms);

}  // namespace equinoise
