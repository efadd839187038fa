// SPDX-License-Identifier: Apache-2.0
#include "equinoise/constraints/few_records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "equinoise/groups/grouping.h"

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

/// "Black 23 %; White 7.1 %; 3 more need less" of groups that need large shares first.
std::string shares_text(std::span<const RateRecords> rates) {
  constexpr size_t kMaxNamed = 5;
  std::vector<std::string> parts;
  for (const RateRecords& records : rates.first(std::min(rates.size(), kMaxNamed))) {
    const GroupLabel& group = *records.rate->group;
    parts.push_back(fmt::format("{} {:.2g} %", group.empty() ? "overall" : group_name(group),
                                100 * records.needed_share()));
  }
  if (rates.size() > kMaxNamed)
    parts.push_back(fmt::format("{} more need less", rates.size() - kMaxNamed));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::vector<std::string> few_records_warnings(const Schema& schema,
                                              std::span<const RateProgram::CellRate> rates,
                                              double num_records, double noise_of_cell,
                                              std::string_view where,
                                              std::string_view consequence) {
  constexpr double kRare = 0.05;
  std::vector<RateRecords> few;
  std::vector<RateRecords> unknown;
  const auto is_worse = [](const RateRecords& a, const RateRecords& b) {
    return a.needed_share() > b.needed_share();
  };
  const auto add = [&](const RateRecords& found, std::vector<RateRecords>& to) {
    const auto same = std::ranges::find_if(
        to, [&](const RateRecords& other) { return other.rate->group == found.rate->group; });
    if (same == to.end()) {
      to.push_back(found);
    } else if (is_worse(found, *same)) {
      *same = found;
    }
  };
  for (const RateProgram::CellRate& rate : rates) {
    const std::optional<RateRecords> found = records_of(rate, schema, num_records, noise_of_cell);
    if (!found) continue;
    if (found->needed_share() > 1) {
      add(*found, few);
    } else if (!found->has_label && found->needed_share() > kRare) {
      add(*found, unknown);
    }
  }
  std::vector<std::string> warnings;
  for (const RateRecords& found : few) {
    warnings.push_back(fmt::format(
        "{}: {}about {:.3g} such records are {}, and the noise on their number is {:.2g}, so {}",
        found.rate->text, found.has_label ? "" : "at most ", found.expected, where, found.noise,
        consequence));
  }
  if (!unknown.empty()) {
    std::ranges::stable_sort(unknown, is_worse);
    warnings.push_back(fmt::format(
        "it is not public how many records of a group have a label: if a smaller share of the "
        "group "
        "has it than here, too few are {} for the noise, and {}: {}; declare [[public.groups]] by "
        "{} to know",
        where, consequence, shares_text(unknown), schema.target));
  }
  return warnings;
}

}  // namespace equinoise
