// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/protection.h"
#include "equinoise/report/synth/rows_card.h"
#include "equinoise/synth/synthesizer.h"

namespace equinoise {

/// A round of a run.
struct SynthRoundReport {
  std::string stratum;  ///< "": all records
  std::vector<std::string> columns;
  SynthRound round;
};

/// A stratum of a run.
struct SynthStratumReport {
  GroupLabel group;
  std::optional<int64_t> public_size;
  std::optional<double> weight;  ///< share of rows; empty before it is known
  std::optional<Guarantee> privacy;
  size_t num_columns = 0;
  std::optional<size_t> num_measured;  ///< columns that it asks about next to a shared model
  std::optional<double> noise_error;   ///< see stratum_noise_error(); empty: no public size, or 0
  NamedFigures settings;               ///< that not all strata have in common
};

/// The report of `equinoise synth`. Publishable but for owner_warnings, ingest_notes and seconds.
struct SynthReport {
  std::string version;
  std::string dataset;
  std::string method;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;  ///< kNotPrivate: also of an unreviewed schema
  std::optional<Guarantee> privacy;
  std::optional<Protection> protection;  ///< what that is; empty: nothing is protected
  double rho = 0;
  std::vector<Event> events;
  NamedFigures settings;      ///< of all strata
  double min_megabytes = 0;   ///< of one model at first
  double most_megabytes = 0;  ///< of one model at most
  std::optional<LedgerStatement> ledger;
  std::vector<SynthStratumReport> strata;  ///< empty without --stratify
  std::vector<SynthRoundReport> rounds;
  int64_t num_rows = 0;
  double model_megabytes = 0;
  std::vector<std::string> warnings;
  std::vector<std::string> owner_warnings;  ///< see Document
  std::vector<std::string> ingest_notes;    ///< not private
  double seconds = 0;                       ///< not private
  std::vector<std::string> files;
  std::string command;
};

template <>
inline constexpr auto fields_of<SynthRound> = std::tuple(
    field("codes", &SynthRound::codes, "Codes of the one cell that was counted")
        .or_nothing()
        .write_only(),
    field("weight", &SynthRound::weight, "Of the marginal in the workload"),
    field("candidates", &SynthRound::num_candidates, "Marginals among which it was chosen"),
    field("too_large", &SynthRound::num_too_large, "Marginals left out for the model's size"),
    field("epsilon", &SynthRound::epsilon, "Of the choice by an exponential mechanism"),
    field("noise_stddev", &SynthRound::noise_stddev, "Of each count, in records"),
    field("missed", &SynthRound::missed, "Noisy estimate of the model's error, in records"),
    field("halves_noise", &SynthRound::halves_noise, "Whether the next rounds have half the noise"),
    field("megabytes", &SynthRound::megabytes, "Of the model with it"),
    field("rho_spent", &SynthRound::rho_spent, "By all rounds so far"));

template <>
inline constexpr auto fields_of<SynthRoundReport> = std::tuple(
    field("stratum", &SynthRoundReport::stratum, "Stratum that was measured").or_nothing(),
    field("columns", &SynthRoundReport::columns, "Marginal that was measured"),
    members(&SynthRoundReport::round, "Figures of the round"));

template <>
inline constexpr auto fields_of<SynthStratumReport> = [] {
  using Row = SynthStratumReport;
  return publishable(
      field("group", &Row::group, "Stratum"),
      field("num_records", &Row::public_size, "Its public size").or_nothing(),
      field("weight", &Row::weight, "Its share of rows").or_nothing(),
      field("privacy", &Row::privacy, "Its guarantee").or_nothing(),
      field("num_columns", &Row::num_columns, "Columns of its model"),
      field("num_measured", &Row::num_measured, "Columns that it measures itself").or_nothing(),
      field("noise_error", &Row::noise_error,
            "Expected total variation distance of its columns by noise alone")
          .or_nothing(),
      field("settings", &Row::settings, "Settings that differ between strata").or_nothing());
}();

template <>
inline constexpr auto fields_of<SynthReport> = [] {
  using Report = SynthReport;
  return std::tuple_cat(
      publishable(
          field("version", &Report::version, "Version of the program"),
          field("dataset", &Report::dataset, "Name under which the ledger keeps the account"),
          field("method", &Report::method, "Method"),
          field("status", &Report::status, "Whether a guarantee holds"),
          field("events", &Report::events, "What was paid for").write_only(),
          field("rho", &Report::rho, "Of zero-concentrated DP"),
          field("settings", &Report::settings, "Figures of the plan by name"),
          field("least_megabytes", &Report::min_megabytes, "Of one model at first"),
          field("most_megabytes", &Report::most_megabytes, "Of one model at most"),
          field("privacy", &Report::privacy, "Guarantee; null: none").write_only(),
          computed(
              "privacy_in_words", +[](const Report& report) { return explain(report.protection); },
              "What it protects"),
          computed("attack_bounds", attack_of<Report>, "What the guarantee means")),
      fields_in(Documents::kReport | Documents::kCard,
                field("ledger", &Report::ledger, "Account that paid").or_null()),
      fields_in(Documents::kPlan,
                field("ledger_after", &Report::ledger, "Account that would pay").write_only()),
      publishable(field("groups", &Report::strata, "Strata").or_nothing().write_only(),
                  field("warnings", &Report::warnings, "What needs attention")),
      std::tuple(field("rows", &Report::num_rows, "Number of rows"),
                 computed(
                     "rounds", +[](const Report& report) { return report.rounds.size(); },
                     "Number of rounds"),
                 field("round_details", &Report::rounds, "What was measured, and why"),
                 field("owner_warnings", &Report::owner_warnings,
                       "Warnings that only the owner can act on")
                     .or_nothing(),
                 field("model_megabytes", &Report::model_megabytes, "Size of the model"),
                 field("seconds", &Report::seconds, "Time; not private"),
                 field("ingest", &Report::ingest_notes, "What the schema's rules did to records")
                     .formerly("not_private_ingest"),
                 field("files", &Report::files, "Files that were written"),
                 field("command", &Report::command, "Command that was run")));
}();

/// The answer of `equinoise synth --dry-run`: publishable facts only.
nlohmann::ordered_json synth_plan_to_json(const SynthReport& report);

/// The answer of `equinoise synth` and report.json. What is not private in it is marked.
nlohmann::ordered_json synth_to_json(const SynthReport& report);

/// The reverse, as far as the page needs it. Errors: kInput, naming file and member.
SynthReport synth_report_from_json(std::string_view text, std::string_view origin);

/// The plan on a screen.
Document synth_plan_document(const SynthReport& report);

/// The run on a screen. NOT PRIVATE where the schema's rules did anything to records.
Document synth_document(const SynthReport& report);

/// report.html: the card, the rounds and the command. Publishable.
Document synth_page(const SynthReport& report, const RowsCard& card);

}  // namespace equinoise
