// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/number_bins.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/synth/coded_table.h"
#include "equinoise/synth/graph/rows.h"
#include "equinoise/synth/number_law.h"

namespace equinoise {

inline constexpr int kUsualBins = 32;

/// How numeric columns are cut into bins. Public.
struct BinOptions {
  std::optional<int> num_bins = {};             ///< of every numeric column
  std::map<std::string, int> num_bins_of = {};  ///< of some, by name
  /// Inner edges instead, ascending, as cells of the column spell them: 0.5, 2024-03-01.
  std::map<std::string, std::vector<std::string>> edges_of = {};
};

/// The numbers of a bin.
struct BinNumbers {
  double first = 0;
  double last = 0;
  double width = 0;
  bool whole = false;
  const NumberLaw* law = nullptr;        ///< how they are spread; nullptr: evenly
  double below = 0;                      ///< the law's share of numbers before the bin
  double within = 0;                     ///< and in it, above 0
  std::pair<size_t, size_t> knots = {};  ///< NumberLaw::knots_between() these shares

  double draw(RandomSource& source) const;
};

/// What the codes 0 to num_codes() - 1 of one column mean. Public: from the schema, or from paid
/// releases.
///
/// Categorical: code i is values[i]. Numeric: code i is the bin [edges[i], edges[i + 1]), the last
/// one with its upper end; with missing_text one more code means a missing cell.
struct ColumnCodes {
  std::string name;
  std::vector<std::string> values;  ///< of a categorical column
  /// What rows hold for the first of these, where the schema labels them; else empty: the same.
  std::vector<std::string> cell_texts = {};
  std::vector<double> edges;       ///< of a numeric one, (bins + 1)
  std::optional<NumberLaw> law;    ///< how its numbers are spread within bins; empty: evenly
  bool whole = false;              ///< its values are whole numbers
  std::optional<TimeFormat> time;  ///< whose units these are, of dates and timestamps
  /// The text of a missing cell, if the last code means one.
  std::optional<std::string> missing_text;

  bool is_numeric() const { return !edges.empty(); }
  size_t num_bins() const { return edges.size() - 1; }
  size_t num_codes() const {
    return is_numeric() ? num_bins() + (missing_text ? 1 : 0) : values.size();
  }
  bool is_missing(uint32_t code) const { return missing_text && code + 1 == num_codes(); }

  /// The bin of a number; outside the edges the nearest one.
  uint32_t bin_of(double value) const;

  /// The part of a bin's numbers that lies from `low` to below `high`: 1 where they all do, or
  /// where the bin holds none; 0 only where none can.
  double part_of(size_t bin, double low, double high) const;

  /// Where a bin ends, which the last one of numbers that are not whole does behind its end.
  double end_of(size_t bin) const;

  /// What numbers of a bin are at least and at most, if they are within the edges. Of whole ones
  /// these are whole.
  std::pair<double, double> limits_of(size_t bin) const;

  /// The mean of the numbers that draw_number() gives.
  double mean_number(uint32_t code) const;

  /// What a cell with that code may hold: the category, missing_text, or a number that is spread
  /// within the bin as the law says (among its whole numbers, if `whole`).
  std::string decode(uint32_t code, RandomSource& source) const;

  /// The code of a category, by its name or by what cells hold for it.
  std::optional<uint32_t> code_of(std::string_view category) const;

  /// A number as a cell spells it: the shortest text that is the same number, of whole ones all
  /// digits, of dates and timestamps these.
  std::string text_of(double number) const;

  /// A code in words: a category, "missing", a number or the numbers of a bin.
  std::string code_text(size_t code) const;

  /// The largest number that the last bin is meant for. Pre: a numeric column.
  double largest() const;

  /// The number that a text spells, within the edges or not.
  std::optional<double> number_of(std::string_view text) const;

  /// For drawing many of a bin's numbers; valid while the column is not changed. Pre: a numeric
  /// column, and not is_missing(code).
  BinNumbers numbers_of(uint32_t code) const;

  /// One of them.
  double draw_number(uint32_t code, RandomSource& source) const;
};

/// The codes of all columns of a schema that are not ignored, in its order.
///
/// Bins of a numeric column with whole numbers hold equally many of them to within one, and one
/// each where there are no more than bins; other columns have bins of equal width between their
/// bounds. All have their own_edges(), too. Errors: kUsage for options that name columns which are
/// not numeric or are in both num_bins_of and edges_of, a number of bins outside 1 to 4096, edges
/// that are no numbers or dates, or do not ascend strictly within the bounds.
std::vector<ColumnCodes> column_codes(const Schema& schema, const BinOptions& options);

/// Of each column how many codes, from the first, are bins of numbers.
std::vector<size_t> num_ordered_of(const std::vector<ColumnCodes>& columns);

/// The records of which `members` (num_records) is not 0, as codes; they must contribute. A bounded
/// rule for each cell was followed when the table was read; a number outside the edges counts in
/// the nearest bin. Pre: `dataset` was read by the schema of the codes. Sensitive, as is its number
/// of records.
CodedTable encode_table(const Dataset& dataset, const std::vector<ColumnCodes>& columns,
                        std::span<const uint8_t> members);

/// All records that contribute.
CodedTable encode_table(const Dataset& dataset, const std::vector<ColumnCodes>& columns);

/// Rows of codes as a table, numbers as ColumnCodes::draw_number draws them. Post-processing of
/// released codes.
Dataset decode_rows(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                    RandomSource& source);

/// {"name", "values"} with "cells" where values are labels, or {"name", "edges", "whole"} with
/// "time" of dates and timestamps; with "missing" where there is a missing_text; and back. Errors:
/// kInput that names `place`.
nlohmann::ordered_json to_json(const ColumnCodes& column);
ColumnCodes column_codes_from_json(const nlohmann::json& json, const std::string& place);

}  // namespace equinoise
