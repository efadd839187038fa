// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/privacy/accountants/attack_bounds.h"
#include "equinoise/report/deployment.h"
#include "equinoise/report/fields.h"
#include "equinoise/report/ledger/ledger_statement.h"
#include "equinoise/report/page/document.h"
#include "equinoise/report/page/text_table.h"
#include "equinoise/synth/group_rows.h"
#include "equinoise/synth/synth_file.h"

namespace equinoise {

/// The way in which rows were drawn from a model.
struct DrawnRows {
  int64_t num_rows = 0;
  RowDraw draw = RowDraw::kRound;
  std::vector<std::string> given = {};  ///< conditions, COLUMN=VALUE
};

/// The guarantee of rows that have one.
struct RowsPrivacy {
  Guarantee guarantee;
  std::string unit;
  int64_t max_records_per_unit = 1;
  std::optional<AttackBounds> attack;  ///< empty: of a version that kept none
  std::vector<std::string> in_words;
};

/// The coding of a column. Members that do not fit its kind are empty.
struct CardColumn {
  std::string name;
  std::string kind;  ///< "numbers", "whole numbers", "dates" or "categories"
  std::string lower = {};
  std::string upper = {};
  std::optional<size_t> num_bins = {};
  std::optional<size_t> num_single = {};  ///< bins of one number
  std::string spread = {};                ///< of numbers within a bin
  std::optional<size_t> num_categories = {};
  std::string gaps = {};  ///< "kept", "filled", "dropped" with their records, or "none"
};

/// A marginal that was measured; several measurements of it are one.
struct CardMarginal {
  GroupLabel group;                  ///< its stratum; empty: the whole table
  std::vector<std::string> columns;  ///< empty: the number of records
  double num_counts = 1;
  bool is_cell = false;         ///< one count of the marginal alone
  std::optional<size_t> parts;  ///< of bins, by which numbers are spread
  double noise_stddev = 0;      ///< of each count, in records
  double rho_share = 0;
  std::optional<double> noise_error;  ///< total variation distance by noise alone
};

/// Noisy counts of how the numbers of a column are spread.
struct CardDistribution {
  std::string column;
  int num_levels = 0;
  double noise_stddev = 0;
  double rho_share = 0;
};

struct CardStratum {
  GroupLabel group;
  std::optional<int64_t> num_records;  ///< public
  double weight = 0;                   ///< share of rows
  bool measures = true;                ///< something of its own
  std::optional<double> noise_error;   ///< see stratum_noise_error()
};

/// The largest error of a marginal: half the L1 distance of its counts.
struct CardBound {
  std::vector<std::string> columns;
  double records = 0;
  std::optional<double> share;  ///< of the records, if their number is public
};

struct CardBounds {
  double confidence = 0;
  std::string in_words;
  std::vector<CardBound> marginals;
};

/// Released counts of a single column.
struct ReleasedColumn {
  std::string name;
  double noise_stddev = 0;                              ///< of each count
  std::vector<std::pair<std::string, double>> records;  ///< of each value or bin
};

/// Facts that the publisher of synthetic rows may print next to them: the guarantee, what was
/// measured with what noise, how columns were coded, what rows keep and what they do not, how far
/// noise puts marginals and strata off, and how to quote the rows.
///
/// Publishable: a card is a function of model.json, of how rows were drawn and of what the ledger's
/// account had spent, which is public, and of nothing else.
/// Each field of model.json is from the schema, from options, or from what was released under the
/// run's guarantee (synth_file.h), so two runs whose releases and accounts are the same have the
/// same card, whatever their tables hold. Figures of error follow from noise, numbers of counts and
/// public sizes alone, and bounds from released counts (selection_bound.h).
struct RowsCard {
  std::string dataset;
  std::string method;
  std::string version;
  PrivacyStatus status = PrivacyStatus::kNotPrivate;
  DrawnRows rows;
  std::optional<int64_t> num_records;  ///< public
  std::optional<RowsPrivacy> privacy;  ///< empty: no guarantee
  double rho = 0;                      ///< of zCDP, for a unit
  std::vector<CardColumn> columns;
  std::vector<std::string> ignored;  ///< columns of the table that rows do not have
  std::vector<CardMarginal> measured;
  double rho_share_of_choices = 0;
  std::vector<CardDistribution> distributions;
  std::vector<CardStratum> strata;
  bool strata_share = false;
  std::vector<std::vector<std::string>> never_measured;      ///< pairs of columns
  std::vector<std::vector<std::string>> sometimes_measured;  ///< in some strata only
  std::vector<std::vector<std::string>> impossible;
  std::optional<std::vector<GroupRows>> far_off;  ///< see groups_far_off()
  std::vector<std::string> limits;                ///< what rows keep and what they do not
  CardBounds bounds;
  std::vector<std::string> how_to_quote;
  std::optional<LedgerStatement> ledger;  ///< the account that paid; empty: none is known
  Deployment deployment;

  // Members of pages, not in the JSON:
  std::string privacy_line;
  TextTable pairs;                ///< of each column those that it was measured together with
  std::string apart_from_target;  ///< what was never measured with the target, a sentence; or ""
  std::string far_off_in_words;   ///< names some of `far_off`, a sentence; or ""
  std::vector<ReleasedColumn> released;  ///< those whose values were all counted apart
};

template <>
inline constexpr auto fields_of<DrawnRows> =
    std::tuple(field("count", &DrawnRows::num_rows, "Number of rows"),
               field("drawn", &DrawnRows::draw, "Way of drawing them"),
               field("given", &DrawnRows::given, "Conditions on them, COLUMN=VALUE"));

template <>
inline constexpr auto fields_of<RowsPrivacy> = std::tuple(
    field("unit", &RowsPrivacy::unit, "Whom the guarantee protects one of"),
    field("max_records_per_unit", &RowsPrivacy::max_records_per_unit, "Rows of one that count"),
    field("attack_bounds", &RowsPrivacy::attack, "What an attacker can reach"),
    field("privacy_in_words", &RowsPrivacy::in_words, "What the guarantee means"));

template <>
inline constexpr auto fields_of<CardColumn> = std::tuple(
    field("name", &CardColumn::name, "Column"),
    field("kind", &CardColumn::kind, "numbers, whole numbers, dates or categories"),
    field("lower", &CardColumn::lower, "Lower bound of its numbers").or_nothing(),
    field("upper", &CardColumn::upper, "Upper bound of its numbers").or_nothing(),
    field("bins", &CardColumn::num_bins, "Number of bins").or_nothing(),
    field("bins_of_one_number", &CardColumn::num_single, "Bins that hold one number").or_nothing(),
    field("spread_within_bins", &CardColumn::spread, "How numbers of a bin are drawn").or_nothing(),
    field("categories", &CardColumn::num_categories, "Number of categories").or_nothing(),
    field("gaps", &CardColumn::gaps, "What becomes of missing cells"));

template <>
inline constexpr auto fields_of<CardMarginal> = std::tuple(
    field("group", &CardMarginal::group, "Stratum that measured it").or_nothing(),
    field("columns", &CardMarginal::columns, "Its columns; []: the number of records"),
    field("counts", &CardMarginal::num_counts, "Number of noisy counts"),
    field("one_count_of_marginal", &CardMarginal::is_cell, "Whether one cell was counted alone"),
    field("parts_of_bins", &CardMarginal::parts, "Parts of bins by which numbers are spread"),
    field("noise_stddev", &CardMarginal::noise_stddev, "Of each count, in records"),
    field("rho_share", &CardMarginal::rho_share, "Share of rho that it cost"),
    field("noise_error", &CardMarginal::noise_error,
          "Expected total variation distance by noise alone; null: no public size"));

template <>
inline constexpr auto fields_of<CardDistribution> =
    std::tuple(field("column", &CardDistribution::column, "Column of numbers"),
               field("levels", &CardDistribution::num_levels, "Levels of noisy counts"),
               field("noise_stddev", &CardDistribution::noise_stddev, "Of each count, in records"),
               field("rho_share", &CardDistribution::rho_share, "Share of rho that it cost"));

template <>
inline constexpr auto fields_of<CardStratum> =
    std::tuple(field("group", &CardStratum::group, "Stratum"),
               field("num_records", &CardStratum::num_records, "Its public size"),
               field("weight", &CardStratum::weight, "Its share of rows"),
               field("measures", &CardStratum::measures, "Whether it measured anything itself"),
               field("noise_error", &CardStratum::noise_error,
                     "Expected total variation distance of its columns by noise alone"));

template <>
inline constexpr auto fields_of<GroupRows> =
    std::tuple(field("group", &GroupRows::group, "Group that the schema declares"),
               field("num_records", &GroupRows::num_records, "Its public size"),
               field("rows", &GroupRows::num_rows, "Rows that it has by the model"));

template <>
inline constexpr auto fields_of<CardBound> =
    std::tuple(field("columns", &CardBound::columns, "Marginal"),
               field("records", &CardBound::records, "Its largest error, in records"),
               field("share", &CardBound::share, "The same as a share of the records"));

template <>
inline constexpr auto fields_of<CardBounds> =
    std::tuple(field("confidence", &CardBounds::confidence, "With which all of them hold at once"),
               field("in_words", &CardBounds::in_words, "How to read them"),
               field("marginals", &CardBounds::marginals, "Marginals that have a bound"));

template <>
inline constexpr auto fields_of<RowsCard> = std::tuple(
    field("dataset", &RowsCard::dataset, "Table that the rows are like"),
    field("method", &RowsCard::method, "Method"),
    field("version", &RowsCard::version, "Version that made the model"),
    field("status", &RowsCard::status, "Whether a guarantee holds"),
    field("rows", &RowsCard::rows, "How rows were drawn"),
    field("num_records", &RowsCard::num_records, "Public number of records"),
    computed(
        "privacy",
        +[](const RowsCard& card) {
          return card.privacy ? std::optional(card.privacy->guarantee) : std::nullopt;
        },
        "Guarantee; null: none"),
    members(&RowsCard::privacy, "What it protects"),
    field("rho", &RowsCard::rho, "Of zero-concentrated DP, for a unit"),
    field("columns", &RowsCard::columns, "How columns are coded"),
    field("columns_left_out", &RowsCard::ignored, "Columns of the table that rows do not have"),
    field("measured", &RowsCard::measured, "Marginals that were measured"),
    field("rho_share_of_choices", &RowsCard::rho_share_of_choices, "For what to measure"),
    field("number_laws", &RowsCard::distributions, "Counts of how numbers are spread"),
    field("strata", &RowsCard::strata, "Strata"),
    field("strata_share_a_model", &RowsCard::strata_share, "Whether they start from one model"),
    field("pairs_never_measured", &RowsCard::never_measured, "Columns never measured together"),
    field("pairs_measured_in_some_strata", &RowsCard::sometimes_measured,
          "Columns measured together in some strata only"),
    field("groups_far_off", &RowsCard::far_off,
          "Groups with less than half or more than twice their share; null: not comparable"),
    field("declared_impossible", &RowsCard::impossible, "Combinations that are in no row"),
    field("what_is_kept", &RowsCard::limits, "What rows keep and what they do not"),
    field("bounds", &RowsCard::bounds, "Largest errors of marginals"),
    field("how_to_quote", &RowsCard::how_to_quote, "How to quote the rows"),
    field("ledger", &RowsCard::ledger, "Account that paid").or_nothing(),
    field("deployment", &RowsCard::deployment, "Entry of the registry of deployments"));

/// `ledger`: the account that paid, where it is known. Pre: `file.released`.
RowsCard rows_card(const SynthFile& file, const DrawnRows& rows,
                   const std::optional<LedgerStatement>& ledger = {});

nlohmann::ordered_json to_json(const RowsCard& card);

/// The way in which the rows of a card were drawn, by its JSON. Errors: kInput, naming file and
/// member.
DrawnRows drawn_rows_from_json(std::string_view text, std::string_view origin);

/// rows_card.md and, with drawings, the page. Publishable.
Document rows_document(const RowsCard& card);

}  // namespace equinoise
