// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/few_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace equinoise {

namespace {

/// The number of some records that a rate is about, by public sizes.
struct RateRecords {
  const RateProgram::CellRate* rate = nullptr;
  double expected = 0;    ///< with its labels, or all of its group where these are not public
  bool has_label = true;  ///< which of the two
  double noise = 0;       ///< on their number

  /// The part of `expected` that noise does not hide.
  double needed_share() const {
    constexpr double kEnough = 10;  // times the noise
    return kEnough * noise / expected;
  }
};

/// Nothing where no size is public.
std::optional<RateRecords> records_of(const RateProgram::CellRate& rate, const Schema& schema,
                                      double num_records, double noise_of_cell) {
  if (!rate.group) return std::nullopt;
  const double noise = noise_of_cell * std::sqrt(static_cast<double>(rate.denominator.size()));
  const double factor = num_records / static_cast<double>(schema.num_records);
  double expected = 0;
  bool has_label = true;
  for (const size_t label : rate.labels) {
    GroupLabel group = *rate.group;
    group.emplace_back(schema.target, schema.column(schema.target).values[label]);
    const std::optional<int64_t> size = schema.public_size(group);
    has_label = has_label && size;
    if (size) expected += factor * static_cast<double>(*size);
  }
  if (has_label && !rate.labels.empty()) return RateRecords{&rate, expected, true, noise};
  if (rate.group->empty()) {
    if (rate.labels.empty()) return std::nullopt;
    return RateRecords{&rate, num_records, false, noise};
  }
  const std::optional<int64_t> size = schema.public_size(*rate.group);
  if (!size) return std::nullopt;
  return RateRecords{&rate, factor * static_cast<double>(*size), rate.labels.empty(), noise};
}

}  // namespace

std::vector<std::string> few_records_warnings(const Schema& schema,
                                              std::span<const RateProgram::CellRate> rates,
                                              double num_records, double noise_of_cell,
                                              std::string_view where,
                                              std::string_view consequence) {
  constexpr double kRare = 0.05;
  std::vector<RateRecords> few;
  std::optional<RateRecords> unknown;
  size_t num_unknown = 0;
  const auto is_worse = [](const RateRecords& a, const RateRecords& b) {
    return a.needed_share() > b.needed_share();
  };
  for (const RateProgram::CellRate& rate : rates) {
    const std::optional<RateRecords> found = records_of(rate, schema, num_records, noise_of_cell);
    if (!found) continue;
    if (found->needed_share() > 1) {
      const auto same = std::ranges::find_if(
          few, [&](const RateRecords& other) { return other.rate->group == rate.group; });
      if (same == few.end()) {
        few.push_back(*found);
      } else if (is_worse(*found, *same)) {
        *same = *found;
      }
    } else if (!found->has_label && found->needed_share() > kRare) {
      ++num_unknown;
      if (!unknown || is_worse(*found, *unknown)) unknown = found;
    }
  }
  std::vector<std::string> warnings;
  for (const RateRecords& found : few) {
    warnings.push_back(fmt::format(
        "{}: {}about {:.3g} such records are {}, and the noise on their number is {:.2g}, so {}",
        found.rate->text, found.has_label ? "" : "at most ", found.expected, where, found.noise,
        consequence));
  }
  if (unknown) {
    warnings.push_back(fmt::format(
        "{}{}: how many records have this label is not public. If fewer than {:.2g} % of the group "
        "do, too few are {} for the noise on their number, {:.2g}, and {}; [[public.groups]] by {} "
        "would tell",
        unknown->rate->text, num_unknown > 1 ? fmt::format(" (and {} more)", num_unknown - 1) : "",
        100 * unknown->needed_share(), where, unknown->noise, consequence, schema.target));
  }
  return warnings;
}

}  // namespace equinoise
