// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// The answer of `equinoise schema sizes`.
struct GroupSizesReport {
  struct Row {
    GroupLabel group;
    std::optional<int64_t> size;  ///< nothing before the release
    bool is_declared = false;     ///< or follows from the schema, so that it costs nothing
  };

  std::string version;
  std::string dataset;
  PrivacyStatus status = PrivacyStatus::kPrivate;
  bool is_plan = false;             ///< nothing was released
  std::string counted = "records";  ///< what sizes are of: or "units (person_id)"
  std::vector<Row> rows;
  double noise_stddev = 0;           ///< of each count that was released
  std::optional<Guarantee> privacy;  ///< nothing: a known seed
  std::vector<std::string> in_words;
  std::optional<AttackBounds> attack;
  std::optional<LedgerStatement> ledger;
  std::string toml;  ///< what declares the sizes; "" before the release
  std::vector<std::string> warnings;
  std::vector<std::string> files;
};

template <>
inline constexpr auto fields_of<GroupSizesReport::Row> = std::tuple(
    field("group", &GroupSizesReport::Row::group, "Its values by column"),
    field("num_records", &GroupSizesReport::Row::size, "Null before the release"),
    field("is_declared", &GroupSizesReport::Row::is_declared, "Whether the schema gives it"));

template <>
inline constexpr auto fields_of<GroupSizesReport> = [] {
  using Report = GroupSizesReport;
  return std::tuple(field("version", &Report::version, "Version of the program"),
                    field("dataset", &Report::dataset, "Name of the table in the schema"),
                    field("status", &Report::status, "Whether a guarantee holds"),
                    field("is_plan", &Report::is_plan, "Whether nothing was released"),
                    field("counted", &Report::counted, "What sizes are of"),
                    field("privacy", &Report::privacy, "Guarantee; null: none"),
                    field("privacy_in_words", &Report::in_words, "What it protects"),
                    field("attack_bounds", &Report::attack, "What it means"),
                    field("noise_stddev", &Report::noise_stddev, "Of each count that was released"),
                    field("groups", &Report::rows, "Sizes"),
                    field("ledger", &Report::ledger, "Account that paid").or_nothing(),
                    field("toml", &Report::toml, "What declares the sizes"),
                    field("warnings", &Report::warnings, "What needs attention"),
                    field("files", &Report::files, "Files that were written"));
}();

std::string group_sizes_to_text(const GroupSizesReport& report);

}  // namespace equinoise
