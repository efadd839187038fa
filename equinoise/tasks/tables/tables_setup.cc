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
#include "equinoise/tasks/input/record_weights.h"
#include "equinoise/tasks/means/named_values.h"

namespace equinoise {

namespace {

constexpr const char* kTablesPlace = "tasks.tables";
constexpr Refusal refuse_table{ErrorKind::kUsage, kTablesPlace};

/// Columns that CSV files and frames have besides those of --by.
const std::vector<std::string> kOutputColumns = {
    "statistic",    "column",       "value",        "level",
    "estimate",     "low",          "high",         "lower",
    "upper",        "difference",   "ratio",        "ratio_lower",
    "ratio_upper",  "between",      "first",        "second",
    "noise_stddev", "state",        "among",        "name",
    "lowest_rank",  "highest_rank", "budget_share", "predicted_half_width"};

constexpr size_t kMaxFigures = 1'000'000;

/// The name of counts in --split and --tolerance.
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

/// An edge of a cell, with three digits of its width, but no zeros at the end of decimals.
std::string edge_text(double edge, double width) {
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(width))), 0, 15);
  std::string text = fmt::format("{:.{}f}", edge, decimals);
  if (decimals == 0) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
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

  /// The cells of a column, or of [groups.NAME].
  size_t cells_of(const std::string& name) {
    const GroupAttribute* attribute = schema_.find_group_attribute(name);
    if (attribute == nullptr && schema_.column(name).type == ColumnType::kNumeric) {
      const auto bins = request_.bins.find(name);
      const double num_bins = bins == request_.bins.end() ? kDefaultBins : bins->second;
      if (!(num_bins >= 1 && num_bins <= kMaxBins && num_bins == std::floor(num_bins)))
        refuse_table("--bins {}={}: give a whole number from 1 to {}", name, num_bins, kMaxBins);
      return add_numbers(name, {static_cast<size_t>(num_bins), 0});
    }
    std::vector<std::string> categories;
    for (const GroupLabel& group : list_groups(schema_, {name}).groups)
      categories.push_back(group[0].second);
    const ColumnSchema& column = schema_.column(attribute == nullptr ? name : attribute->column);
    return add({name,
                0,
                static_cast<double>(categories.size()),
                {categories.size(), 0},
                column.may_drop()},
               categories);
  }

  /// The one cell of all records, which are counted by their weights.
  size_t total_weight() { return add({"", 0, 1, {1, 0}, false}, {}); }

  size_t tree_of(const std::string& name) {
    return add_numbers(name, {kQuantileCells, kBranching});
  }

  const std::vector<CellColumn>& columns() const { return columns_; }

  /// The names of the cells of a column; the last may be that of records without a value.
  const std::vector<std::string>& names(size_t column) const { return names_[column]; }

 private:
  size_t add_numbers(const std::string& name, CellTree tree) {
    const MeanColumn numbers = mean_column(schema_, name, request_.release);
    std::vector<std::string> names;
    const double width = (numbers.upper - numbers.lower) / static_cast<double>(tree.num_cells);
    const auto edge = [&](size_t cell) {
      return edge_text(numbers.lower + width * static_cast<double>(cell), width);
    };
    for (size_t i = 0; i < tree.num_cells && tree.branching == 0; ++i) {
      const bool is_last = i + 1 == tree.num_cells;
      names.push_back(fmt::format("{} to {}{}", edge(i), is_last ? "" : "below ", edge(i + 1)));
    }
    // Cells are counts of records, so a promise that every record has a value is not relied on.
    const ColumnSchema& column = schema_.column(name);
    const bool has_gaps = column.missing != MissingPolicy::kFill || column.may_drop();
    return add({name, numbers.lower, numbers.upper, tree, has_gaps}, std::move(names));
  }

  size_t add(CellColumn column, std::vector<std::string> names) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].name == column.name && columns_[i].tree.branching == column.tree.branching)
        return i;
    }
    if (column.has_cell_of_gaps()) {
      constexpr const char* kNoValue = "(no value)";
      if (contains(names, kNoValue))
        refuse_table("column '{}' has a category {}, which histograms use; rename it", column.name,
                     kNoValue);
      ++column.tree.num_cells;
      names.emplace_back(kNoValue);
    }
    columns_.push_back(std::move(column));
    names_.push_back(std::move(names));
    return columns_.size() - 1;
  }

  const Schema& schema_;
  const TablesRequest& request_;
  std::vector<CellColumn> columns_;
  std::vector<std::vector<std::string>> names_;
};

/// The statistics in the order of the options, and the columns that they need.
std::vector<TableStatistic> statistics_of(const TablesRequest& request, const Schema& schema,
                                          const std::vector<std::string>& columns,
                                          std::vector<CellColumn>& counted) {
  std::vector<TableStatistic> statistics;
  CellColumns counts(schema, request);
  if (request.count) {
    const bool by_weight = !request.release.weight_column.empty();
    statistics.push_back({Statistic::kCount, "", by_weight ? counts.total_weight() : 0});
  }
  // A statistic that is asked for twice is reported once.
  const auto add = [&](Statistic statistic, const std::string& name, size_t index, double level) {
    for (const TableStatistic& other : statistics) {
      if (other.statistic == statistic && other.column == name && other.level == level) return;
    }
    statistics.push_back({statistic, name, index, level});
    const ColumnSchema* column = schema.find_column(name);
    if (column == nullptr || column->type != ColumnType::kNumeric) return;
    if (const std::optional<NumberRounding> rounding = rounding_of(schema, *column)) {
      statistics.back().rounding = rounding->most;
    } else {
      const auto is_whole = [](double number) { return number == std::floor(number); };
      const bool of_tree = statistic == Statistic::kQuantile;
      statistics.back().is_whole =
          of_tree && column->whole && is_whole(counts.columns()[index].lower) &&
          is_whole(counts.columns()[index].upper) &&
          (column->missing != MissingPolicy::kFill || is_whole(column->fill));
    }
  };
  const auto place = [&](const std::string& name) {
    return static_cast<size_t>(std::ranges::find(columns, name) - columns.begin());
  };
  for (const std::string& name : request.means) add(Statistic::kMean, name, place(name), 0);
  for (const std::string& name : request.totals) add(Statistic::kTotal, name, place(name), 0);
  for (const std::string& name : request.medians)
    add(Statistic::kQuantile, name, counts.tree_of(name), 0.5);
  for (const auto& [name, levels] : request.quantiles) {
    for (const double level : levels) add(Statistic::kQuantile, name, counts.tree_of(name), level);
  }
  const auto add_cells = [&](Statistic statistic, const std::string& name) {
    const size_t index = counts.cells_of(name);
    const size_t num_before = statistics.size();
    add(statistic, name, index, 0);
    if (statistics.size() == num_before) return;
    statistics.back().values = counts.names(index);
    // A share is among the records with a value.
    if (statistic == Statistic::kShare)
      statistics.back().values.resize(counts.columns()[index].num_value_cells());
  };
  for (const std::string& name : request.shares) {
    const ColumnSchema* column = schema.find_column(name);
    if (column != nullptr && column->type == ColumnType::kNumeric) {
      refuse_table(
          "--share {}: the column holds numbers, and shares are of categories; use --histogram, or "
          "declare bands of it in [groups.NAME] of the schema",
          name);
    }
    add_cells(Statistic::kShare, name);
  }
  for (const std::string& name : request.histograms) add_cells(Statistic::kHistogram, name);
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

/// The part of the budget of a release with that noise at equal parts. Noise falls with the root of
/// what it gets: parts in proportion to the noise make the sum of all squares least, and parts in
/// proportion to its square make all noise equal.
double part_for(TableAim aim, double noise) {
  return aim == TableAim::kEqualError ? noise * noise : noise;
}

/// Divides the budget by the noise relative to the spread of values.
void divide_budget(const TablesRequest& request, MeansQuestion& question) {
  const size_t num_parts = question.columns.size() + question.counted.size();
  for (const auto& [name, weight] : request.split)
    check_interval(kTablesPlace, "--split " + name, weight, 1e-6, 1e6);
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
    const double of_aim = part_for(request.aim, at_equal);
    parts.push_back(of_aim * weight_of(request, name.empty() ? kCountName : name));
  }
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (question.draws_sizes()) {
    // The others get (1 - size_share) / num_parts each at equal parts.
    const double equal = (1 - question.size_share) / static_cast<double>(num_parts);
    // Being in a stratum has the spread of being in a category: a half.
    const double of_aim =
        part_for(request.aim, 2 * *plan.size_noise * std::sqrt(question.size_share / equal));
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
        "or give --stratum-size STRATUM=NUMBER for each stratum, overall=NUMBER without --by");
  }
  // Factor by which the widest interval is too wide.
  const auto excess = [&](double rho) {
    setup.release.rho = rho;
    setup.means.plan = plan_by(setup.release, "bounded", setup.means);
    const TableFigures figures = setup.figures();
    double worst = 0;
    for (const auto& [name, text] : request.tolerance) {
      bool is_any = false;
      for (const PlannedStatistic& one : setup.statistics) {
        const TableStatistic& asked = one.asked;
        // Numbers are in units of the column, percentages of all that a figure could be.
        const bool has_units = is_sum(asked.statistic) || grows_with_size(asked.statistic);
        if ((asked.column.empty() ? kCountName : asked.column) != name ||
            !(has_units || text.ends_with('%')))
          continue;
        const double most = most_of(name, text, figures, asked, smallest);
        worst = std::max(worst, figures.predicted_half_width(asked, smallest, 1) / most);
        is_any = true;
      }
      if (!is_any) {
        refuse_table(
            "--tolerance {}={}: the errors of these figures are shares of the records; give a "
            "percentage, such as {}=2%",
            name, text, name);
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

/// The records that figures of a column describe.
std::string records_of(const Schema& schema, const MeansQuestion& question,
                       const TableStatistic& statistic) {
  if (statistic.column.empty() || statistic.statistic == Statistic::kHistogram)
    return "all records";
  const bool has_gaps = is_sum(statistic.statistic) ? question.columns[statistic.index].has_gaps
                                                    : question.counted[statistic.index].has_gaps;
  if (has_gaps) return "the records with a value";
  const GroupAttribute* attribute = schema.find_group_attribute(statistic.column);
  const ColumnSchema& column =
      schema.column(attribute == nullptr ? statistic.column : attribute->column);
  if (column.missing == MissingPolicy::kFill)
    return "all records, of which those without a value count as " + column.text_of(column.fill);
  if (column.missing == MissingPolicy::kNone && is_sum(statistic.statistic))
    return "all records, of which any without a value count as the middle of the bounds";
  if (column.missing == MissingPolicy::kCategory)
    return "all records, of which those without a value are \"missing\"";
  return "all records";
}

/// The part of rho that pays for a statistic, alone or with others.
double budget_share(const MeansQuestion& question, const TableStatistic& statistic) {
  const size_t num_parts = question.columns.size() + question.counted.size();
  const double of_sizes = !question.draws_sizes() ? 0 : num_parts == 0 ? 1 : question.size_share;
  if (statistic.statistic == Statistic::kCount && !question.usual_weight) return of_sizes;
  return (1 - of_sizes) *
         question
             .shares[statistic.index + (is_sum(statistic.statistic) ? 0 : question.columns.size())];
}

}  // namespace

void read_hidden(const std::string& text, std::map<std::string, double>& most) {
  const size_t sign = text.find('=');
  const std::string name = sign == text.npos ? "" : text.substr(0, sign);
  const std::optional<double> number =
      number_in(std::string_view(text).substr(sign == text.npos ? 0 : sign + 1));
  if (!number || !(*number > 0)) {
    refuse_table("--hide-wider-than {}: give a number above 0, e.g. 0.2, or mean=0.05", text);
  }
  if (!name.empty() && !value_of(words_for<Statistic>, name)) {
    refuse_table("--hide-wider-than {}: name count, total, mean, share, histogram or quantile",
                 text);
  }
  most[name] = *number;
}

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
  for (const std::string& column : release.by) {
    if (contains(kOutputColumns, column)) {
      refuse_table(
          "--by {}: tables have a column of that name for something else; group by it under "
          "another name, as [groups.NAME] of the schema",
          column);
    }
  }
  for (const std::string& column : request.compare) {
    if (!contains(release.by, column))
      refuse_table("--compare {}: it is not among the columns of --by", column);
  }
  // Bounds of columns that are counted alone are not those of means.
  std::erase_if(release.bounds,
                [&](const auto& given) { return !contains(release.columns, given.first); });
  setup.means = set_up_question(release, needs_ledger, true);
  if (are_sizes_public(setup.means)) {
    if (!request.release.stratum_sizes.empty()) {
      refuse_table(
          "--stratum-size has no effect, because the schema declares the sizes of these strata; "
          "leave it out");
    }
    release.private_sizes = false;
    release.stratum_sizes.clear();
    setup.means = set_up_question(release, needs_ledger, false);
  }
  const Schema& schema = setup.means.schema;
  setup.most_records =
      static_cast<double>(schema.num_records) * static_cast<double>(schema.max_records_per_unit);
  MeansQuestion& question = setup.means.plan.question;
  if (question.private_sizes && question.config.relation == Relation::kReplaceOne) {
    refuse_table(
        "under replace_one the sizes of strata are public, and the schema does not declare them "
        "all; declare them as exact in [[public.groups]], or use zero_out, with an account of that "
        "relation");
  }
  const std::vector<TableStatistic> statistics =
      statistics_of(request, schema, release.columns, question.counted);
  std::vector<std::string> names;
  for (const TableStatistic& asked : statistics)
    if (!asked.column.empty()) names.push_back(asked.column);
  require_names(kTablesPlace, "--bounds", request.release.bounds, names);
  if (setup.means.record_weights) {
    require_only_weights(schema, release.weight_column, names, {&names, 1});
    question.usual_weight =
        setup.means.record_weights->expected_mean / setup.means.record_weights->largest;
    question.config.has_shared_sums = false;
    for (MeanColumn& column : question.columns) {
      // Its sum of weights counts records with a value alone, whatever the schema promises.
      const ColumnSchema& read = schema.column(column.name);
      column.has_gaps = read.missing != MissingPolicy::kFill || read.may_drop();
    }
    if (question.private_sizes)
      question.sizes.assign(question.num_strata,
                            std::min(setup.most_records, static_cast<double>(kMaxRecords)));
  }
  if (question.draws_sizes() || (request.count && question.usual_weight)) {
    names.emplace_back(kCountName);
  } else if (!question.usual_weight &&
             (request.split.contains(kCountName) || request.tolerance.contains(kCountName))) {
    refuse_table(
        "count is public here, as the schema declares the sizes of all strata; leave it out "
        "of --split and --tolerance");
  }
  for (const auto& [option, is_given] :
       {std::pair("--tolerance", request.tolerance.contains(kCountName)),
        {"--split", question.usual_weight && request.split.contains(kCountName)}}) {
    if (is_given && !request.count)
      refuse_table("{} count: no count is asked for; add --count", option);
  }
  require_names(kTablesPlace, "--split", request.split, names);
  require_names(kTablesPlace, "--tolerance", request.tolerance, names);
  if (question.columns.empty() && question.counted.empty() && !question.draws_sizes()) {
    refuse_table(
        "sizes of these strata are public: the schema declares them, and nothing is released; ask "
        "for another statistic");
  }
  if (!request.compare.empty() && std::ranges::all_of(statistics, [](const TableStatistic& asked) {
        return grows_with_size(asked.statistic);
      })) {
    refuse_table(
        "--compare compares means, shares and quantiles; ask for one of them, or leave it out");
  }
  divide_budget(request, question);
  for (const TableStatistic& asked : statistics) setup.statistics.push_back({asked, {}});
  if (!request.tolerance.empty()) release.rho = rho_for(request, setup);
  setup.means.plan = plan_by(release, "bounded", setup.means);
  for (PlannedStatistic& one : setup.statistics) {
    const TableStatistic& asked = one.asked;
    TableStatisticReport& report = one.report;
    const bool is_quantile = asked.statistic == Statistic::kQuantile;
    report.subject = {asked.statistic, asked.column,
                      is_quantile ? std::optional(asked.level) : std::nullopt};
    report.budget_share = budget_share(question, asked);
    report.records = records_of(schema, question, asked);
    report.rounding = asked.rounding;
    const bool is_sum = asked.statistic == Statistic::kMean || asked.statistic == Statistic::kTotal;
    if (is_sum) {
      report.bounds = {question.columns[asked.index].lower, question.columns[asked.index].upper};
    } else if (const ColumnSchema* column = schema.find_column(asked.column);
               column != nullptr && column->type == ColumnType::kNumeric) {
      report.bounds = {question.counted[asked.index].lower, question.counted[asked.index].upper};
    }
  }
  setup.groups = table_groups(setup.means.grouping, setup.means.plan);
  setup.sizes = sizes_of(setup.groups, setup.means.plan.question);
  for (const PlannedStatistic& one : setup.statistics)
    setup.num_figures += setup.groups.size() * std::max<size_t>(one.asked.values.size(), 1);
  if (setup.num_figures > kMaxFigures) {
    refuse_table("these are {} figures, more than {}; use fewer columns in --by, or fewer bins",
                 setup.num_figures, kMaxFigures);
  }
  return setup;
}

}  // namespace equinoise
