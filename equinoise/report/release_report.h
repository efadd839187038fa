// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/method_status.h"
#include "equinoise/privacy/event.h"
#include "equinoise/privacy/guarantee.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/protection.h"

namespace equinoise {

/// The units whose rows figures are of: each has so many rows at most that count. Public facts.
struct UnitRowsReport {
  std::string unit;  ///< the column that tells them apart
  int64_t max_records = 1;
};

template <>
inline constexpr auto fields_of<UnitRowsReport> = publishable(
    field("unit", &UnitRowsReport::unit, "Column that says whose a row is"),
    field("max_records_per_unit", &UnitRowsReport::max_records, "Rows of each that count"));

/// Numbers of a column were read as what stands for their public bin. Public facts.
struct NumberRounding {
  size_t num_bins = 0;
  double most = 0;  ///< how far from what they were, within the bounds
};

template <>
inline constexpr auto fields_of<NumberRounding> =
    publishable(field("num_bins", &NumberRounding::num_bins, "Public bins of the column"),
                field("most", &NumberRounding::most, "Largest distance from what they were"));

/// The column that says what each record counts for. Public facts.
struct RecordWeights {
  std::string column;
  double largest = 1;                           ///< its upper bound
  double expected_mean = 1;                     ///< by which noise is predicted
  std::optional<NumberRounding> rounding = {};  ///< means and intervals are by rounded weights
};

template <>
inline constexpr auto fields_of<RecordWeights> = [] {
  using Row = RecordWeights;
  return publishable(
      field("column", &Row::column, "Column of the weights"),
      field("largest", &Row::largest, "Its upper bound"),
      field("expected_mean", &Row::expected_mean, "Mean by which noise is predicted"),
      field("rounding", &Row::rounding, "How weights were rounded").or_nothing());
}();

/// The fields that reports of all releases of figures of strata share.
struct ReleaseReport {
  std::string version;
  std::string dataset;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  std::optional<UnitRowsReport> units;  ///< of whom figures are of several rows; none: of rows
  std::vector<std::string> strata;      ///< the columns that make strata
  bool has_private_sizes = false;
  double rho = 0;                        ///< of zero-concentrated DP, that members of a stratum pay
  std::optional<Guarantee> privacy;      ///< empty: none
  std::optional<Guarantee> pure;         ///< the same at delta 0, where there is one
  std::optional<Protection> protection;  ///< what that is; empty: nothing is protected
  std::vector<std::string> in_words;     ///< the same in sentences
  std::vector<Event> events;
  std::optional<LedgerStatement> ledger;
  std::vector<std::string> warnings;
  std::vector<std::string> owner_warnings;  ///< see Document
  std::vector<std::string> files;
  std::string command;
};

/// The fields before those of the kind of release, and those after.
inline constexpr auto kReleaseFields = [] {
  using Report = ReleaseReport;
  return publishable(
      field("version", &Report::version, "Version of the program"),
      field("dataset", &Report::dataset, "Name under which the ledger keeps the account"),
      field("status", &Report::status, "Whether a guarantee holds"),
      field("by", &Report::strata, "Columns that make strata"),
      field("private_sizes", &Report::has_private_sizes, "Whether sizes of strata are noisy"),
      field("rho", &Report::rho, "Zero-concentrated DP that members of a stratum pay"),
      field("privacy", &Report::privacy, "Guarantee; null: none"),
      field("privacy_in_words", &Report::in_words, "What it protects"),
      computed("attack_bounds", attack_of<Report>, "What the guarantee means"),
      members(&Report::units, "Whose rows figures are of"),
      field("events", &Report::events, "What was paid for"));
}();

inline constexpr auto kReleaseEndFields = [] {
  using Report = ReleaseReport;
  return std::tuple(
      field("ledger", &Report::ledger, "Account that paid"),
      field("ledger_after", &Report::ledger, "Account that would pay").in(Documents::kPlan),
      field("warnings", &Report::warnings, "What needs attention").publishable(),
      field("owner_warnings", &Report::owner_warnings, "Warnings that only the owner can act on")
          .or_nothing(),
      field("command", &Report::command, "Command that was run"),
      field("files", &Report::files, "Files that were written"));
}();

}  // namespace equinoise
