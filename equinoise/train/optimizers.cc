// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/optimizers.h"

#include <algorithm>

namespace equinoise {

bool OptimizerRow::follows(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

std::span<const OptimizerRow> optimizers() {
  static const std::vector<OptimizerRow> rows = {
      {"sgd", {}, 0.7, 0},
      {"momentum", {"momentum"}, 0.1, 1},
      {"adam", {"beta1", "beta2", "adam_epsilon"}, 0.01, 2},
  };
  return rows;
}

}  // namespace equinoise
