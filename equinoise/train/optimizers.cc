// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/optimizers.h"

#include <array>

namespace equinoise {

std::span<const OptimizerRow> optimizers() {
  static constexpr std::array kRows = {
      OptimizerRow{"sgd", 0.7, 0}, OptimizerRow{"momentum", 0.1, 1}, OptimizerRow{"adam", 0.01, 2}};
  return kRows;
}

}  // namespace equinoise
