// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/tables/tables_setup.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/report/format.h"
#include "equinoise/tasks/means/named_values.h"

namespace equinoise {

namespace {

constexpr const char* kTablesPlace = "tasks.tables";
constexpr Refusal refuse_table{ErrorKind::kUsage, kTablesPlace};

/// Of the name of counts in --split and --tolerance.
constexpr const char* kCountName = "count";

// Quantiles: the bounds are divided into 4^5 cells, whose sums over neighbours are released too.
constexpr size_t kBranching = 4;
constexpr size_t kQuantileCells = 1024;
constexpr double kDefaultBins = 10;
constexpr double kMaxBins = 10'000;

/// A number to its end, or nothing.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

void add_once(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (!contains(names, name)) names.push_back(name);
}

/// Columns whose values are counted, asked for by one statistic or by two.
class CellColumns {
 public:
  CellColumns(const Schema& schema, const TablesRequest& request)
      : schema_(schema), request_(request) {}

  size_t cells_of(const std::string& name, std::string_view option) {
    const ColumnSchema& column = column_of(name, option);
    if (column.type == ColumnType::kNumeric) {
      const auto bins = request_.bins.find(name);
      const double num_bins = bins == request_.bins.end() ? kDefaultBins : bins->second;
      if (!(num_bins >= 1 && num_bins <= kMaxBins && num_bins == std::floor(num_bins))) {
        refuse_table("--bins {}={}: give a whole number from 1 to {}", name, num_bins, kMaxBins);
      }
      return place_of(
          {name, column.lower, column.upper, {static_cast<size_t>(num_bins), 0}, has_gaps(column)});
    }
    const size_t num_categories = column.categories().size();
    return place_of(
        {name, 0, static_cast<double>(num_categories), {num_categories, 0}, column.may_drop()});
  }

  size_t tree_of(const std::string& name, std::string_view option) {
    const ColumnSchema& column = column_of(name, option);
    if (column.type != ColumnType::kNumeric) {
      refuse_table("{} {}: the column is categorical, and quantiles are of numbers; use --share",
                   option, name);
    }
    return place_of(
        {name, column.lower, column.upper, {kQuantileCells, kBranching}, has_gaps(column)});
  }

  std::vector<CellColumn> columns() { return columns_; }

 private:
  static bool has_gaps(const ColumnSchema& column) {
    return (column.missing != MissingPolicy::kFill && column.missing != MissingPolicy::kNone) ||
           column.malformed == MalformedPolicy::kDrop;
  }

  const ColumnSchema& column_of(const std::string& name, std::string_view option) const {
    const ColumnSchema& column = schema_.column(name);
    if (column.type == ColumnType::kIgnored)
      refuse_table("{} {}: the schema ignores the column; declare its type", option, name);
    if (column.time) {
      refuse_table(
          "{} {}: the column holds {}; add a column of numbers or categories to the table, such as "
          "the year",
          option, name, column.time->has_time() ? "times" : "dates");
    }
    return column;
  }

  size_t place_of(CellColumn column) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].name == column.name && columns_[i].tree.branching == column.tree.branching)
        return i;
    }
    columns_.push_back(std::move(column));
    return columns_.size() - 1;
  }

  const Schema& schema_;
  const TablesRequest& request_;
  std::vector<CellColumn> columns_;
};

/// Names of the cells of a column: its categories, or the ranges of its numbers.
std::vector<std::string> cell_names(const ColumnSchema& column, size_t num_cells) {
  if (column.type != ColumnType::kNumeric) return column.categories();
  std::vector<std::string> names;
  const double width = (column.upper - column.lower) / static_cast<double>(num_cells);
  const auto edge = [&](size_t i) {
    return i == num_cells ? column.text_of(column.upper)
                          : fmt::format("{:.6g}", column.lower + width * static_cast<double>(i));
  };
  for (size_t i = 0; i < num_cells; ++i) {
    names.push_back(i + 1 == num_cells ? fmt::format("{} to {}", edge(i), edge(i + 1))
                                       : fmt::format("{} to below {}", edge(i), edge(i + 1)));
  }
  return names;
}

/// The statistics in the order of the options, and the columns that they need.
std::vector<TableStatistic> statistics_of(const TablesRequest& request, const Schema& schema,
                                          const std::vector<std::string>& columns,
                                          std::vector<CellColumn>& counted) {
  std::vector<TableStatistic> statistics;
  CellColumns counts(schema, request);
  if (request.count) statistics.push_back({});
  const auto add = [&](Statistic statistic, const std::string& name, size_t index, double level) {
    statistics.push_back({statistic, name, index, level});
    const ColumnSchema& column = schema.column(name);
    if (column.type != ColumnType::kNumeric) return;
    if (const std::optional<NumberRounding> rounding = rounding_of(schema, column))
      statistics.back().rounding = rounding->most;
  };
  const auto place = [&](const std::string& name) {
    return static_cast<size_t>(std::ranges::find(columns, name) - columns.begin());
  };
  for (const std::string& name : request.means) add(Statistic::kMean, name, place(name), 0);
  for (const std::string& name : request.totals) add(Statistic::kTotal, name, place(name), 0);
  for (const std::string& name : request.medians)
    add(Statistic::kQuantile, name, counts.tree_of(name, "--median"), 0.5);
  for (const auto& [name, levels] : request.quantiles) {
    for (const double level : levels)
      add(Statistic::kQuantile, name, counts.tree_of(name, "--quantiles"), level);
  }
  const auto add_cells = [&](Statistic statistic, const std::string& name, size_t index) {
    add(statistic, name, index, 0);
    statistics.back().values =
        cell_names(schema.column(name), counts.columns()[index].tree.num_cells);
  };
  for (const std::string& name : request.shares) {
    if (schema.column(name).type == ColumnType::kNumeric) {
      refuse_table(
          "--share {}: the column holds numbers, and shares are of categories; use --histogram, or "
          "declare the column as categorical",
          name);
    }
    add_cells(Statistic::kShare, name, counts.cells_of(name, "--share"));
  }
  for (const std::string& name : request.histograms)
    add_cells(Statistic::kHistogram, name, counts.cells_of(name, "--histogram"));
  if (statistics.empty()) {
    refuse_table(
        "ask for at least one statistic: --count, --mean, --total, --median, --quantiles, --share "
        "or --histogram");
  }
  require_names(kTablesPlace, "--bins", request.bins, request.histograms);
  counted = counts.columns();
  return statistics;
}

/// Whether the schema declares the exact sizes of all strata, or of those that make up the table.
bool are_sizes_public(const MeansSetup& setup) {
  const Schema& schema = setup.schema;
  if (schema.has_unit_column()) return false;
  if (setup.grouping.columns.empty()) return true;
  int64_t total = 0;
  bool is_any_unknown = false;
  for (size_t k = 0; k < setup.grouping.groups.size(); ++k) {
    const std::optional<int64_t>& size = setup.grouping.public_sizes[k];
    if (size && !schema.has_exact_size(setup.grouping.groups[k])) return false;
    is_any_unknown = is_any_unknown || !size;
    total += size.value_or(0);
  }
  return !is_any_unknown || total == schema.num_records;
}

/// Weights of the parts of the budget, by name.
double weight_of(const TablesRequest& request, const std::string& name) {
  const auto given = request.split.find(name);
  return given == request.split.end() ? 1 : given->second;
}

/// Divides the budget: noise of a part falls with the root of what it gets, so parts in proportion
/// to the squares of their noise at equal parts make it equal, relative to the spread of values.
void divide_budget(const TablesRequest& request, MeansQuestion& question) {
  const size_t num_parts = question.columns.size() + question.counted.size();
  for (const auto& [name, weight] : request.split)
    check_positive(kTablesPlace, "--split " + name, weight);
  if (num_parts == 0) return;
  question.rho = 1;
  const MeansPlan plan = plan_means(question);
  const TableFigures noise(plan);
  std::vector<double> parts;
  for (size_t i = 0; i < num_parts; ++i) {
    const std::string& name = i < question.columns.size()
                                  ? question.columns[i].name
                                  : question.counted[i - question.columns.size()].name;
    const double at_equal = noise.relative_noise(i);
    const double of_aim = request.aim == TableAim::kEqualError ? at_equal * at_equal : 1;
    parts.push_back(of_aim * weight_of(request, name));
  }
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (question.private_sizes) {
    // At equal parts the others get (1 - size_share) / num_parts each.
    const double equal = (1 - question.size_share) / static_cast<double>(num_parts);
    const double of_aim = request.aim == TableAim::kEqualError
                              ? *plan.size_noise * *plan.size_noise * question.size_share / equal
                              : 1;
    const double of_sizes = of_aim * weight_of(request, kCountName);
    question.size_share = of_sizes / (of_sizes + sum);
  }
  question.shares.clear();
  for (const double part : parts) question.shares.push_back(part / sum);
}

/// (groups) The records that are expected in each; nothing where some stratum's are not known.
std::vector<std::optional<double>> sizes_of(const std::vector<TableGroup>& groups,
                                            const MeansQuestion& question) {
  std::vector<std::optional<double>> sizes;
  const std::vector<double>& known = question.predicted_sizes();
  for (const TableGroup& group : groups) {
    std::optional<double>& size = sizes.emplace_back();
    if (known.empty()) continue;
    size = 0;
    for (const size_t k : group.strata) *size += known[k];
  }
  return sizes;
}

/// The largest half-width that a name allows of a statistic, in its units.
double most_of(const std::string& name, const std::string& text, const TableFigures& figures,
               const TableStatistic& statistic, double size) {
  const bool is_share = text.ends_with('%');
  const std::optional<double> number = number_in(is_share ? text.substr(0, text.size() - 1) : text);
  if (!number || !(*number > 0)) {
    refuse_table("--tolerance {}={}: give a number above 0, or a percentage such as 2%", name,
                 text);
  }
  if (!is_share) return *number;
  const double relative = figures.relative_half_width(statistic, size, 1);
  return *number / 100 * figures.predicted_half_width(statistic, size, 1) / relative;
}

/// The least rho for which every interval of a stratum is as narrow as asked.
double rho_for(const TablesRequest& request, TablesSetup& setup) {
  const std::vector<double>& sizes = setup.means.plan.question.predicted_sizes();
  double smallest = std::numeric_limits<double>::infinity();
  for (const double size : sizes)
    if (size > 0) smallest = std::min(smallest, size);
  if (!std::isfinite(smallest)) {
    refuse_table(
        "--tolerance needs the sizes to expect: declare them in [[public.groups]] of the schema, "
        "or give --stratum-size STRATUM=NUMBER for each stratum");
  }
  // How many times too wide the widest interval is.
  const auto excess = [&](double rho) {
    setup.release.rho = rho;
    settle_plan(setup.release, "bounded", setup.means);
    const TableFigures figures(setup.means.plan);
    double worst = 0;
    for (const auto& [name, text] : request.tolerance) {
      for (const PlannedStatistic& one : setup.statistics) {
        const TableStatistic& asked = one.asked;
        if ((asked.column.empty() ? kCountName : asked.column) != name) continue;
        const double most = most_of(name, text, figures, asked, smallest);
        worst = std::max(worst, figures.predicted_half_width(asked, smallest, 1) / most);
      }
    }
    return worst;
  };
  double low = 1e-9;
  double high = 1e4;
  if (excess(low) <= 1) {
    refuse_table(
        "--tolerance: any budget is enough, as these figures are public or allowed to miss by all "
        "that they can; give --epsilon");
  }
  if (excess(high) > 1) {
    refuse_table(
        "--tolerance: no budget makes every interval of a stratum of {} records so narrow; allow "
        "more",
        smallest);
  }
  while (high / low > 1.0001) {
    const double middle = std::sqrt(low * high);
    (excess(middle) > 1 ? low : high) = middle;
  }
  return high;
}

/// What figures of a column are of.
std::string records_of(const Schema& schema, const TableStatistic& statistic) {
  if (statistic.column.empty()) return "all records";
  const ColumnSchema& column = schema.column(statistic.column);
  if (column.type == ColumnType::kNumeric && column.missing == MissingPolicy::kFill)
    return "all records, of which those without a value count as " + column.text_of(column.fill);
  return column.may_drop() || column.missing == MissingPolicy::kCategory
             ? "the records with a value"
             : "all records";
}

/// The part of rho that pays for a statistic, alone or with others.
double budget_share(const MeansQuestion& question, const TableStatistic& statistic) {
  const size_t num_parts = question.columns.size() + question.counted.size();
  const double of_sizes = !question.private_sizes ? 0 : num_parts == 0 ? 1 : question.size_share;
  if (statistic.statistic == Statistic::kCount) return of_sizes;
  const bool is_sum =
      statistic.statistic == Statistic::kMean || statistic.statistic == Statistic::kTotal;
  return (1 - of_sizes) * question.shares[statistic.index + (is_sum ? 0 : question.columns.size())];
}

}  // namespace

std::vector<double> parse_levels(const std::string& column, const std::string& text) {
  std::vector<double> levels;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::optional<double> level =
        number_in(std::string_view(text).substr(begin, end - begin));
    if (!level || !(*level > 0 && *level < 1)) {
      refuse_table("--quantiles {}={}: give levels above 0 and below 1, e.g. {}=0.1,0.9", column,
                   text, column);
    }
    levels.push_back(*level);
    begin = end + 1;
  }
  return levels;
}

TablesSetup set_up_tables(const TablesRequest& request, bool needs_ledger) {
  TablesSetup setup;
  setup.release = request.release;
  MeansRequest& release = setup.release;
  add_once(release.columns, request.means);
  add_once(release.columns, request.totals);
  release.method = "bounded";
  release.overall_share = 0;
  release.private_sizes = true;
  for (const std::string& column : request.compare) {
    if (!contains(release.by, column))
      refuse_table("--compare {}: it is not among the columns of --by", column);
  }
  setup.means = set_up_question(release, needs_ledger, true);
  if (are_sizes_public(setup.means)) {
    release.private_sizes = false;
    release.stratum_sizes.clear();
    setup.means = set_up_question(release, needs_ledger, false);
  }
  MeansQuestion& question = setup.means.plan.question;
  const std::vector<TableStatistic> statistics =
      statistics_of(request, setup.means.schema, release.columns, question.counted);
  std::vector<std::string> names = {kCountName};
  for (const TableStatistic& asked : statistics)
    if (!asked.column.empty()) names.push_back(asked.column);
  require_names(kTablesPlace, "--split", request.split, names);
  require_names(kTablesPlace, "--tolerance", request.tolerance, names);
  if (question.columns.empty() && question.counted.empty() && !question.private_sizes) {
    refuse_table(
        "sizes of these strata are public: the schema declares them, and nothing is released; ask "
        "for another statistic");
  }
  divide_budget(request, question);
  for (const TableStatistic& asked : statistics) setup.statistics.push_back({asked, {}});
  if (request.tolerance.empty()) {
    settle_plan(release, "bounded", setup.means);
  } else {
    release.rho = rho_for(request, setup);
    settle_plan(release, "bounded", setup.means);
  }
  for (PlannedStatistic& one : setup.statistics) {
    const TableStatistic& asked = one.asked;
    TableStatisticReport& report = one.report;
    const bool is_quantile = asked.statistic == Statistic::kQuantile;
    report.subject = {asked.statistic, asked.column,
                      is_quantile ? std::optional(asked.level) : std::nullopt};
    report.budget_share = budget_share(question, asked);
    report.records = records_of(setup.means.schema, asked);
    report.rounding = asked.rounding;
    const bool is_sum = asked.statistic == Statistic::kMean || asked.statistic == Statistic::kTotal;
    if (is_sum) {
      report.bounds = {question.columns[asked.index].lower, question.columns[asked.index].upper};
    } else if (!asked.column.empty() &&
               setup.means.schema.column(asked.column).type == ColumnType::kNumeric) {
      report.bounds = {question.counted[asked.index].lower, question.counted[asked.index].upper};
    }
  }
  setup.groups = table_groups(setup.means.grouping, setup.means.plan);
  setup.sizes = sizes_of(setup.groups, setup.means.plan.question);
  return setup;
}

}  // namespace equinoise
