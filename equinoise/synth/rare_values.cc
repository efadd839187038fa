// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/rare_values.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "synth.rare_values";

}  // namespace

RareValues find_rare_values(std::span<const double> noisy_counts, double threshold) {
  RareValues values;
  for (size_t code = 0; code < noisy_counts.size(); ++code) {
    const bool rare = !(noisy_counts[code] >= threshold);
    (rare ? values.pooled : values.kept).push_back(static_cast<uint16_t>(code));
  }
  values.code_of.assign(noisy_counts.size(), static_cast<uint16_t>(values.kept.size()));
  for (size_t i = 0; i < values.kept.size(); ++i)
    values.code_of[values.kept[i]] = static_cast<uint16_t>(i);
  return values;
}

RareValues pool_codes(size_t num_codes, std::span<const uint16_t> pooled) {
  std::vector<double> is_kept(num_codes, 1);
  for (const uint16_t code : pooled) {
    if (code >= num_codes) throw Error(ErrorKind::kUsage, kWhere, "pools a code that there is not");
    is_kept[code] = 0;
  }
  return find_rare_values(is_kept, 0.5);
}

std::vector<uint16_t> codes_from_json(const nlohmann::json& json) {
  std::vector<uint16_t> codes;
  for (const auto code : json.get<std::vector<int64_t>>()) {
    if (!(code >= 0 && code < Domain::kMaxCodes))
      throw Error(ErrorKind::kInput, kWhere, "a list of codes holds a number that is none");
    codes.push_back(static_cast<uint16_t>(code));
  }
  return codes;
}

RareValues keep_all(size_t num_codes) {
  RareValues values;
  values.kept.resize(num_codes);
  std::iota(values.kept.begin(), values.kept.end(), uint16_t{0});
  values.code_of = values.kept;
  return values;
}

std::vector<RareValues> keep_all(const Domain& domain) {
  std::vector<RareValues> values;
  for (int i = 0; i < domain.num_attributes(); ++i)
    values.push_back(keep_all(static_cast<size_t>(domain.num_codes(i))));
  return values;
}

NoisyMarginal pool(const NoisyMarginal& measurement, const RareValues& values) {
  if (values.pooled.empty()) return measurement;
  NoisyMarginal result;
  result.clique = measurement.clique;
  result.noise_stddev = measurement.noise_stddev;
  for (const uint16_t code : values.kept) result.values.push_back(measurement.values[code]);
  double sum = 0;
  for (const uint16_t code : values.pooled) sum += measurement.values[code];
  const double weight = 1 / std::sqrt(static_cast<double>(values.pooled.size()));
  result.values.push_back(sum * weight);
  result.weights.assign(values.kept.size(), 1);
  result.weights.push_back(weight);
  return result;
}

Domain pooled_domain(const Domain& domain, const std::vector<RareValues>& values) {
  std::vector<Attribute> attributes;
  attributes.reserve(values.size());
  for (int i = 0; i < domain.num_attributes(); ++i) {
    attributes.push_back(
        {domain.attribute(i).name, static_cast<int>(values[static_cast<size_t>(i)].num_codes())});
  }
  return Domain(std::move(attributes));
}

std::vector<std::vector<uint16_t>> pooled_codes(const std::vector<RareValues>& values,
                                                const AttributeSet& set) {
  std::vector<std::vector<uint16_t>> pooled;
  bool has_any = false;
  for (const int attribute : set) {
    pooled.push_back(values[static_cast<size_t>(attribute)].pooled);
    has_any = has_any || !pooled.back().empty();
  }
  if (!has_any) pooled.clear();
  return pooled;
}

}  // namespace equinoise
