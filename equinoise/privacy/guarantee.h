#pragma once

#include <string>

#include "equinoise/privacy/units.h"

namespace equinoise {

/// What a release promises: (epsilon, delta)-differential privacy under `relation`, as computed by
/// `accountant`.
struct Guarantee {
  Epsilon epsilon;
  Delta delta;
  std::string accountant;
  Relation relation;
};

}  // namespace equinoise
