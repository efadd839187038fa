// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "equinoise/synth/graph/domain.h"
#include "equinoise/synth/graph/measurement.h"

namespace equinoise {

/// The codes of an attribute that stay separate, chosen by its noisy counts: post-processing. The
/// kept ones come first, in order. The last code represents all others, if there are any.
struct RareValues {
  std::vector<uint16_t> kept;
  std::vector<uint16_t> pooled;   ///< empty: none is rare
  std::vector<uint16_t> code_of;  ///< (original codes)

  size_t num_codes() const { return kept.size() + (pooled.empty() ? 0 : 1); }

  /// The share that each original code with this code has in it: all are equally likely.
  double share_of_each(size_t code) const {
    return code < kept.size() ? 1 : 1 / static_cast<double>(pooled.size());
  }
};

/// Pools the codes whose noisy count is below `threshold`. [McKennaMiklauSheldon2021, section 4]
RareValues find_rare_values(std::span<const double> noisy_counts, double threshold);

/// The rare values for known pooled codes. Errors: kUsage for a code that is not below `num_codes`.
RareValues pool_codes(size_t num_codes, std::span<const uint16_t> pooled);

/// A list of codes. Errors: nlohmann's for JSON that is no list of numbers; kInput for a number
/// that is no code.
std::vector<uint16_t> codes_from_json(const nlohmann::json& json);

/// Keeps all `num_codes` codes. For numeric bins, whose tails pooling would spread over the whole
/// range, and for attributes of declared impossible combinations.
RareValues keep_all(size_t num_codes);

/// The same for each attribute.
std::vector<RareValues> keep_all(const Domain& domain);

/// A one-way measurement in terms of the pooled attribute. The m pooled counts become their sum
/// over sqrt(m), of weight 1 / sqrt(m), which has the same noise.
NoisyMarginal pool(const NoisyMarginal& measurement, const RareValues& values);

/// The domain with the pooled codes of each attribute.
Domain pooled_domain(const Domain& domain, const std::vector<RareValues>& values);

/// The pooled codes of each attribute of `set`; empty if no attribute has any.
std::vector<std::vector<uint16_t>> pooled_codes(const std::vector<RareValues>& values,
                                                const AttributeSet& set);

}  // namespace equinoise
