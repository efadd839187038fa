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
#include "equinoise/synth/number_distribution.h"

namespace equinoise {

inline constexpr int kUsualBins = 32;

/// The division of numeric columns into bins. Public.
struct BinOptions {
  std::optional<int> num_bins = {};             ///< for every numeric column
  std::map<std::string, int> num_bins_of = {};  ///< for some columns, by name
  /// Inner edges instead, ascending, as cells of the column spell them: 0.5, 2024-03-01.
  std::map<std::string, std::vector<std::string>> edges_of = {};
};

/// The numbers of a bin.
struct BinNumbers {
  double first = 0;
  double last = 0;
  double width = 0;
  bool whole = false;
  const NumberDistribution* distribution = nullptr;  ///< the distribution; nullptr: even
  double below = 0;                      ///< the distribution's share of numbers before the bin
  double within = 0;                     ///< the share in the bin, above 0
  std::pair<size_t, size_t> knots = {};  ///< NumberDistribution::knots_between() these shares

  double draw(RandomSource& source) const;
};

/// The meaning of the codes 0 to num_codes() - 1 of one column. Public: from the schema, or from
/// paid releases.
///
/// Categorical: code i is values[i]. Numeric: code i is the bin [edges[i], edges[i + 1]), the last
/// one with its upper end; with missing_text one more code means a missing cell.
struct ColumnCodes {
  std::string name;
  std::vector<std::string> values;  ///< of a categorical column
  /// The cells of rows for the values, if the schema labels them; empty: the same.
  std::vector<std::string> cell_texts = {};
  std::vector<double> edges;                       ///< of a numeric one, (bins + 1)
  std::optional<NumberDistribution> distribution;  ///< the distribution within bins; empty: even
  bool whole = false;                              ///< its values are whole numbers
  std::optional<TimeFormat> time;  ///< for dates and timestamps, whose units the numbers are
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

  /// The part of a bin's numbers from `low` to below `high`: 1 if they all lie there, or if the bin
  /// holds none; 0 only if none can.
  double part_of(size_t bin, double low, double high) const;

  /// The end of a bin. For the last bin of numbers that are not whole it is the next double after
  /// the edge.
  double end_of(size_t bin) const;

  /// The least and the largest number of a bin within the edges; whole if the column is.
  std::pair<double, double> limits_of(size_t bin) const;

  /// The mean of the numbers that numbers_of() draws.
  double mean_number(uint32_t code) const;

  /// A random cell for a code: the category, missing_text, or a number drawn within the bin from
  /// its distribution (among its whole numbers, if `whole`).
  std::string decode(uint32_t code, RandomSource& source) const;

  /// The code of a category, by its name or by its cell text.
  std::optional<uint32_t> code_of(std::string_view category) const;

  /// A number as a cell spells it: the shortest text for the same number, all digits for whole
  /// numbers, a date or timestamp for these.
  std::string text_of(double number) const;

  /// A code in words: a category, "missing", a number or the numbers of a bin.
  std::string code_text(size_t code) const;

  /// The largest number of the last bin. Pre: a numeric column.
  double largest() const;

  /// The number that a text spells, within the edges or not.
  std::optional<double> number_of(std::string_view text) const;

  /// Prepares many draws from a bin; valid while the column is not changed. Pre: a numeric column,
  /// and not is_missing(code).
  BinNumbers numbers_of(uint32_t code) const;
};

/// The codes of all columns of a schema that are not ignored, in its order.
///
/// Bins of a numeric column with whole numbers hold equal counts of them to within one, and one
/// number each if there are no more numbers than bins. Other columns have bins of equal width
/// between their bounds. All have their own_edges(), too. Errors: kUsage for options that name
/// columns which are not numeric or are in both num_bins_of and edges_of, a number of bins outside
/// 1 to 4096, edges that are no numbers or dates, or do not ascend strictly within the bounds.
std::vector<ColumnCodes> column_codes(const Schema& schema, const BinOptions& options);

/// The position of the column of that name.
std::optional<size_t> find_column(const std::vector<ColumnCodes>& columns, std::string_view name);

/// The number of leading codes of each column that are bins of numbers.
std::vector<size_t> num_ordered_of(const std::vector<ColumnCodes>& columns);

/// The records with `members` (num_records) not 0, as codes; they must contribute. A bounded rule
/// for each cell was followed when the table was read; a number outside the edges counts in the
/// nearest bin. Pre: `dataset` was read by the schema of the codes. Sensitive, as is its number of
/// records.
CodedTable encode_table(const Dataset& dataset, const std::vector<ColumnCodes>& columns,
                        std::span<const uint8_t> members);

/// All records that contribute.
CodedTable encode_table(const Dataset& dataset, const std::vector<ColumnCodes>& columns);

/// Rows of codes as a table, numbers as ColumnCodes::numbers_of draws them. Post-processing of
/// released codes.
Dataset decode_rows(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                    RandomSource& source);

/// {"name", "values"} with "cells" if values are labels, or {"name", "edges", "whole"} with "time"
/// for dates and timestamps; with "missing" if there is a missing_text; and back. Errors: kInput
/// that names `place`.
nlohmann::ordered_json to_json(const ColumnCodes& column);
ColumnCodes column_codes_from_json(const nlohmann::json& json, const std::string& place);

}  // namespace equinoise
