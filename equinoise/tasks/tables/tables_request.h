// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/tasks/means/means_request.h"

namespace equinoise {

/// The division of the budget among statistics.
enum class TableAim {
  kLeastError,  ///< the least sum of squared noise, relative to the spread of values
  kEqualError,  ///< the same noise for all, likewise
};
inline constexpr EnumWords<TableAim, 2> kTableAims = {
    {{TableAim::kLeastError, "least_error"}, {TableAim::kEqualError, "equal_error"}}};

/// The request of `equinoise tables`: statistics of columns, in strata.
struct TablesRequest {
  /// Table, strata, budget, ledger and output. Its sizes of strata are expectations.
  MeansRequest release;
  bool count = false;
  std::vector<std::string> totals;
  std::vector<std::string> means;
  std::vector<std::string> medians;
  std::map<std::string, std::vector<double>> quantiles;  ///< levels by column
  std::vector<std::string> shares;                       ///< of each category of these columns
  std::vector<std::string> histograms;
  std::map<std::string, double> bins;  ///< of histograms of numbers, by column [10]
  std::vector<std::string> compare;    ///< columns of `by` whose groups are compared
  TableAim aim = TableAim::kLeastError;
  std::map<std::string, double> split;           ///< weights in the budget, by column, or "count"
  std::map<std::string, std::string> tolerance;  ///< half-widths that decide the budget, likewise
  /// Relative half-widths by statistic; "": of all others.
  std::map<std::string, double> hide_wider_than;
};

/// "0.1,0.9" as levels of quantiles. Errors: kUsage.
std::vector<double> parse_levels(const std::string& column, const std::string& text);

/// "0.2" or "mean=0.05" as a member of TablesRequest::hide_wider_than. Errors: kUsage.
void read_hidden(const std::string& text, std::map<std::string, double>& most);

inline RequestOptions options_of(TablesRequest& request) {
  using Option = RequestOption;
  constexpr const char* kStatistics = "Statistics";
  constexpr const char* kBudget = "Division of the budget";
  RequestOptions shared = without(
      options_of(request.release),
      {"columns", "min_group_size", "small_groups", "overall_share", "weights", "weights_file",
       "weights_from", "private_sizes", "size_share", "no_shrink", "explain", "method", "stddev",
       "gamma", "steps", "beta", "constants", "quantile_cells", "clipped_share"});
  facts_in(shared, "stratum_size").help =
      "STRATUM=NUMBER: records that you expect in a stratum, by which noise is predicted";
  facts_in(shared, "relation").derived =
      "that of the ledger's account; without one, zero_out, or replace_one where all sizes are "
      "public";
  return joined(
      {under(kStatistics,
             {{{.name = "count", .is_common = true, .help = "Number of records"}, &request.count},
              {{.name = "mean", .is_common = true, .help = "Means of these columns"},
               Option::Names{&request.means}},
              {{.name = "total", .is_common = true, .help = "Sums of these columns"},
               Option::Names{&request.totals}},
              {{.name = "median", .is_common = true, .help = "Medians of these columns"},
               Option::Names{&request.medians}},
              {{.name = "quantiles",
                .is_common = true,
                .help = "COLUMN=LEVEL,...: quantiles of a column, e.g. age=0.1,0.9"},
               text_by_name(
                   "--quantiles", "COLUMN=LEVEL,...",
                   [&request](std::string column, std::string levels) {
                     std::vector<double> parsed = parse_levels(column, levels);
                     return request.quantiles.emplace(std::move(column), std::move(parsed)).second;
                   })},
              {{.name = "share",
                .is_common = true,
                .help = "Share of each category of these columns among the records"},
               Option::Names{&request.shares}},
              {{.name = "histogram",
                .is_common = true,
                .help = "Number of records with each category, or in each part of the bounds"},
               Option::Names{&request.histograms}},
              {{.name = "bins",
                .help = "COLUMN=NUMBER: equal parts of the bounds of a column in its histogram",
                .derived = "10"},
               &request.bins},
              {{.name = "compare",
                .is_common = true,
                .help = "Columns of --by whose groups are compared: differences, ratios, ranks"},
               Option::Names{&request.compare}}}),
       std::move(shared),
       under(
           kBudget,
           {{{.name = "aim",
              .help = "least_error: the least squared noise of all releases together, relative to "
                      "the spread of values; equal_error: the same noise for each",
              .choices = words_of(kTableAims)},
             word_field<kTableAims>(request.aim)},
            {{.name = "split",
              .help = "NAME=NUMBER: multiplies the part of a column, or of count",
              .derived = "1"},
             &request.split},
            {{.name = "tolerance",
              .is_common = true,
              .help = "NAME=NUMBER: takes the least budget that keeps half of the interval of a "
                      "column, or of count, at about this in each stratum, whatever the values "
                      "within the bounds; 2% is of the bounds or of the records",
              .excludes = {"rho", "epsilon"}},
             text_by_name(
                 "--tolerance", "NAME=NUMBER",
                 [&request](std::string name, std::string most) {
                   return request.tolerance.emplace(std::move(name), std::move(most)).second;
                 })},
            {{.name = "hide_wider_than",
              .is_common = true,
              .help =
                  "Leave out figures for which half of the interval is expected to be more than "
                  "this share of the bounds, or of the records; STATISTIC=NUMBER for one "
                  "statistic"},
             Option::Text{[&request](const std::string& text) {
                            read_hidden(text, request.hide_wider_than);
                          },
                          {},
                          true}}})});
}

}  // namespace equinoise
