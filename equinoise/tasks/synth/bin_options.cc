// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/bin_options.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "equinoise/base/enum_words.h"
#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.options";

int read_count(const std::string& column, const std::string& text) {
  int count = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, count).ptr != end) {
    throw Error(ErrorKind::kUsage, kWhere, "--bins-of needs COLUMN=NUMBER, got {}={}", column,
                text);
  }
  return count;
}

std::vector<std::string> read_edges(const std::string& text) {
  std::vector<std::string> edges;
  for (std::string rest = ":" + text; !rest.empty();) {
    rest.erase(0, 1);
    const size_t end = std::min(find_outside_quotes(rest, ':'), rest.size());
    edges.push_back(without_quotes(rest.substr(0, end)));
    rest.erase(0, end);
  }
  return edges;
}

}  // namespace

RequestOptions bin_options(BinOptions& bins, const std::string& usual) {
  return {{{.name = "bins", .help = "Number of bins of every numeric column", .derived = usual},
           &bins.num_bins},
          {{.name = "bins_of", .help = "COLUMN=NUMBER: number of bins of that column"},
           text_by_name("--bins-of", "COLUMN=NUMBER",
                        [&bins](std::string column, const std::string& count) {
                          const int number = read_count(column, count);
                          return bins.num_bins_of.emplace(std::move(column), number).second;
                        })},
          {{.name = "edges_of",
            .help = "COLUMN=EDGE:EDGE:...: public lower edges of its bins, except the first"},
           text_by_name("--edges-of",
                        "COLUMN=EDGE:EDGE:..., e.g. capital_gain=1:5000:20000 or "
                        "born=1960-01-01:1980-01-01",
                        [&bins](std::string column, const std::string& edges) {
                          return bins.edges_of.emplace(std::move(column), read_edges(edges)).second;
                        })}};
}

RequestOptions draw_options(RowDraw& draw) {
  return {
      {{.name = "rows_method",
        .help =
            "Drawing of rows: round, to within one row of the counts; sample, independent draws",
        .choices = words_of(kRowDraws)},
       word_field<kRowDraws>(draw)}};
}

}  // namespace equinoise
