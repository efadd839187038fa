// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/activation.h"

#include "equinoise/models/fixed_blocks.h"

namespace equinoise {

void TanhFunction::apply(std::span<float> values) {
  transform_in_blocks(values, [](const auto& block) { return block.tanh(); });
}

void ReluFunction::apply(std::span<float> values) {
  // A NaN stays one.
  for (float& value : values) value = value < 0 ? 0 : value;
}

/// By way of tanh nothing overflows.
void SigmoidFunction::apply(std::span<float> values) {
  transform_in_blocks(values,
                      [](const auto& block) { return (block * 0.5F).tanh() * 0.5F + 0.5F; });
}

}  // namespace equinoise
