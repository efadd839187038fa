// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/activation.h"

#include "equinoise/models/fixed_blocks.h"

namespace equinoise {

void TanhFunction::apply(std::span<float> values) {
  transform_in_blocks(values, [](const auto& block) { return block.tanh(); });
}

void ReluFunction::apply(std::span<float> values) {
  // NaN stays NaN.
  for (float& value : values) value = value < 0 ? 0 : value;
}

/// Uses tanh, which does not overflow.
void SigmoidFunction::apply(std::span<float> values) {
  transform_in_blocks(values,
                      [](const auto& block) { return (block * 0.5F).tanh() * 0.5F + 0.5F; });
}

}  // namespace equinoise
