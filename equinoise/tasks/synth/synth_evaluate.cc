// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "equinoise/audit/correlations.h"
#include "equinoise/audit/disparity.h"
#include "equinoise/audit/downstream_classifier.h"
#include "equinoise/audit/downstream_regression.h"
#include "equinoise/audit/marginal_errors.h"
#include "equinoise/audit/marginal_parity.h"
#include "equinoise/audit/means_parity.h"
#include "equinoise/audit/weighted_count.h"
#include "equinoise/audit/yardsticks.h"
#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/fixed_point.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/table.h"
#include "equinoise/data/units.h"
#include "equinoise/files/output_folder.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/synth/evaluation_figures.h"
#include "equinoise/report/synth/evaluation_report.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/row_file.h"
#include "equinoise/synth/workload_error.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/record_weights.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/synth/synth_schema.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth_evaluate";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr std::string_view kNoTarget = "none";  // as --target

/// A table and what each record of its rows weighs, (rows), or nothing.
struct Weighed {
  Dataset dataset;
  std::vector<double> weights;
  std::vector<std::string> notes;  ///< what reading it did to records

  /// The weights of rows that contribute.
  std::vector<double> weights_of_contributing() const {
    std::vector<double> some;
    for (size_t row = 0; row < weights.size(); ++row)
      if (dataset.contributes[row] != 0) some.push_back(weights[row]);
    return some;
  }

  /// (rows) How many records each stands for that contribute.
  std::vector<uint32_t> counts() const {
    std::vector<uint32_t> result(dataset.contributes.begin(), dataset.contributes.end());
    for (size_t row = 0; row < dataset.row_counts.size(); ++row)
      result[row] *= dataset.row_counts[row];
    return result;
  }

  /// The same of those that have a number in the column.
  std::vector<uint32_t> counts_in(const NumericColumn& column) const {
    std::vector<uint32_t> result = counts();
    for (size_t row = 0; row < column.missing.size(); ++row)
      if (column.missing[row] != 0) result[row] = 0;
    return result;
  }
};

/// The number with which the schema fills the missing cells of a column: nothing if they are no
/// numbers to it.
std::optional<double> fill_of(const ColumnSchema& column) {
  return column.missing == MissingPolicy::kFill ? std::optional(column.fill) : std::nullopt;
}

/// The schema by which tables are read, so that missing cells stay known. Those of weights count
/// as it says.
Schema knowing_gaps(Schema schema, const std::string& weights) {
  for (ColumnSchema& column : schema.columns)
    if (fill_of(column) && column.name != weights) column.missing = MissingPolicy::kCategory;
  return schema;
}

/// The columns of which a missing cell drops its record, but those that make groups. Makes such a
/// cell known, so that the record has its part in marginals of other columns.
std::set<std::string> know_dropped(Schema& schema, const SynthEvaluateRequest& request) {
  const std::vector<std::string> fixed = columns_behind(schema, request.by);
  std::set<std::string> known;
  for (ColumnSchema& column : schema.columns) {
    if (column.type == ColumnType::kIgnored || column.missing != MissingPolicy::kDrop ||
        column.name == request.weight_column ||
        std::ranges::count(fixed, column.name) + std::ranges::count(column.values, "missing") > 0)
      continue;
    column.missing = MissingPolicy::kCategory;
    known.insert(column.name);
  }
  return known;
}

/// (columns) See WeighedTable::gaps.
std::vector<int> gap_codes(const std::vector<ColumnCodes>& columns,
                           const std::set<std::string>& dropped) {
  std::vector<int> gaps;
  for (const ColumnCodes& column : columns)
    gaps.push_back(dropped.contains(column.name) ? static_cast<int>(column.num_codes()) - 1 : -1);
  return gaps;
}

/// Puts what the schema fills missing cells with into these, which are still known as missing.
void fill_missing(const Schema& schema, Dataset& dataset) {
  for (NumericColumn& column : dataset.numeric) {
    const std::optional<double> fill = fill_of(schema.column(column.name));
    for (size_t record = 0; fill && record < column.missing.size(); ++record)
      if (column.missing[record] != 0) column.values[record] = *fill;
  }
}

/// Reads a table and weighs its records by the column, "" for none, where it is not ignored.
Weighed read(const TableSource& table, const Schema& schema, const std::string& weights,
             TableUse use, TaskProgress& progress) {
  Weighed result{read_table_files({table, {}}, knowing_gaps(schema, weights), use, progress,
                                  CountedRows::kKept),
                 {},
                 {}};
  if (result.dataset.num_counted_units) {
    throw Error(ErrorKind::kInput, kWhere,
                "{}: has counted rows, which do not say whose they are; give a file of all "
                "records",
                table.name());
  }
  fill_missing(schema, result.dataset);
  std::vector<std::string> notes = ingest_notes(result.dataset);
  if (const NumericColumn* column = result.dataset.find_numeric(weights); column != nullptr) {
    Weighting weighting =
        weigh_records(*column, result.dataset.contributes, result.dataset.row_counts);
    for (std::string& note : weighting_notes(weighting)) notes.push_back(std::move(note));
    result.weights = std::move(weighting.weights);
  }
  for (const std::string& note : notes) result.notes.push_back(table.name() + ": " + note);
  return result;
}

/// The schema without a column.
Schema ignoring(Schema schema, const std::string& name) {
  for (ColumnSchema& column : schema.columns)
    if (column.name == name) column.type = ColumnType::kIgnored;
  return schema;
}

/// Whether every record can be read in the layout of the schema, which has decimal points, and no
/// number has a comma.
bool has_decimal_points(const TableSource& table, const Schema& schema) {
  try {
    const std::unique_ptr<RecordReader> records = open_table(table, schema.layout);
    std::vector<size_t> numeric;
    for (size_t i = 0; i < records->header().size(); ++i) {
      const ColumnSchema* column = schema.find_column(records->header()[i]);
      if (column != nullptr && column->type == ColumnType::kNumeric) numeric.push_back(i);
    }
    const auto has_comma = [&](size_t i) {
      return records->text(i).find(',') != std::string::npos;
    };
    while (records->next())
      if (std::ranges::any_of(numeric, has_comma)) return false;
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The schema as synthetic rows are read with it: in the layout of the real table if their header
/// fits it, otherwise in the usual one, as `equinoise synth` writes them. If it fits both, how the
/// rows are written decides.
Schema schema_of_rows(const TableSource& table, const Schema& schema) {
  const Schema usual = in_usual_layout(schema);
  if (!header_fits(table, usual)) return schema;
  const bool is_alike = header_fits(table, schema) && !has_decimal_points(table, usual);
  return is_alike ? schema : usual;
}

/// The same, for rows that may lack the weights.
Schema schema_of_weighed_rows(const TableSource& table, const Schema& schema,
                              const std::string& weights) {
  Schema rows = schema_of_rows(table, schema);
  if (weights.empty() || header_fits(table, rows)) return rows;
  Schema without = schema_of_rows(table, ignoring(schema, weights));
  // Else what is missing is told.
  return header_fits(table, without) ? without : rows;
}

/// Puts the column that is learnt into the schema's `target`, "" for none, and its positive class
/// into `favourable`, "" for the second of two: what the request names, else what the schema does.
void choose_target(const SynthEvaluateRequest& request, TaskProgress& progress, Schema& schema) {
  const std::string& asked = request.schema.target;
  if (asked.empty() && schema.target == request.weight_column) schema.target.clear();
  if (!asked.empty() && asked != schema.target) {
    const bool is_none = asked == kNoTarget && schema.find_column(asked) == nullptr;
    schema.target = is_none ? "" : schema.column(asked).name;
    schema.favourable.clear();
  }
  if (!request.positive.empty()) schema.favourable = request.positive;
  if (schema.target.empty()) {
    if (!request.positive.empty()) refuse("--positive needs --target");
    return;
  }
  const ColumnSchema& column = schema.column(schema.target);
  if (column.type == ColumnType::kIgnored) {
    refuse(
        "--target {} must be a column that is not ignored: a classifier or a "
        "regression predicts it",
        column.name);
  }
  if (column.type == ColumnType::kNumeric) {
    if (!request.positive.empty())
      refuse("--positive is for a categorical --target, and {} is numeric", column.name);
    return;
  }
  std::vector<std::string> classes = column.categories();
  if (column.missing == MissingPolicy::kCategory) classes.pop_back();  // as leave_out_unlabelled
  if (asked.empty() && schema.favourable.empty() && classes.size() != 2) {
    progress.stage(fmt::format(
        "no classifier: the target {} has {} classes; --positive CLASS says which is the positive "
        "one, and favourable = \"CLASS\" of the schema",
        column.name, classes.size()));
    schema.target.clear();
    return;
  }
  static_cast<void>(positive_class(classes, schema.favourable));
}

/// The schema of both tables; its target is the one that is learnt. Everybody is compared, as
/// `equinoise synth` makes rows of everybody.
Schema load(const SynthEvaluateRequest& request, TaskProgress& progress) {
  SchemaFile file = request.schema;
  file.target.clear();
  file.missing.reset();
  file.sizes = SizesRule::kMayBePrivate;  // of tables of any size
  Schema schema = load_schema(file);
  if (schema.has_unit_column() && !request.weight_column.empty()) {
    refuse(
        "{} is not for tables in which a {} may have several rows (unit = "
        "\"{}\" in the schema); leave it out",
        kWeightOption, schema.unit, schema.unit);
  }
  static_cast<void>(keep_unlabelled(schema, {}));
  choose_target(request, progress, schema);
  return schema;
}

/// The groups of the rows that contribute.
std::vector<GroupId> groups_of_contributing(const Dataset& dataset, const Grouping& grouping) {
  std::vector<GroupId> groups;
  for (size_t row = 0; row < dataset.contributes.size(); ++row)
    if (dataset.contributes[row] != 0) groups.push_back(grouping.group_of[row]);
  return groups;
}

/// (num_groups) Records of each; group_of: (rows).
std::vector<int64_t> sizes_of(const CodedTable& table, std::span<const GroupId> group_of,
                              size_t num_groups) {
  std::vector<int64_t> sizes(num_groups);
  for (size_t row = 0; row < group_of.size(); ++row)
    sizes[index_of(group_of[row])] += table.count_of(row);
  return sizes;
}

/// A table and the groups of its rows.
struct GroupedDataset {
  const Weighed& weighed;
  const Grouping& grouping;
};

/// (figures) How far synthetic rows are from the real records, bootstraps of these on average, and
/// one half from the other. measure(counts): of real records that count so often; distances(one,
/// other): (figures) of two such.
template <typename Measured, typename Measure, typename Distances>
std::vector<ComparedFigure> with_yardsticks(const Measured& truth, const Measured& told,
                                            const Yardsticks& yardsticks, const Measure& measure,
                                            const Distances& distances) {
  std::vector<ComparedFigure> result;
  for (const double distance : distances(truth, told)) result.push_back({distance, 0, 0});
  for (const std::vector<uint32_t>& bootstrap : yardsticks.bootstraps) {
    const std::vector<double> drawn = distances(truth, measure(bootstrap));
    for (size_t i = 0; i < drawn.size(); ++i) result[i].bootstrap += drawn[i] / kNumBootstraps;
  }
  const std::vector<double> halves =
      distances(measure(yardsticks.halves.first), measure(yardsticks.halves.second));
  for (size_t i = 0; i < halves.size(); ++i) result[i].second_half = halves[i];
  return result;
}

/// (groups + 1) Relative errors of a column's means, the last overall; NaN where one has no mean.
std::vector<ComparedFigure> mean_errors(const GroupedDataset& real, const NumericColumn& column,
                                        const GroupMeans& truth, const GroupMeans& told,
                                        double floor, const Yardsticks& all) {
  const bool has_gaps = std::ranges::count(column.missing, 1) > 0;
  const Yardsticks own =
      has_gaps ? draw_yardsticks(real.weighed.counts_in(column), real.weighed.dataset.unit_begin)
               : Yardsticks();
  const auto means_of = [&](const std::vector<uint32_t>& drawn) {
    return group_means({column.values, real.grouping.group_of, drawn, real.weighed.weights},
                       truth.means.size());
  };
  const auto differences = [&](const GroupMeans& one, const GroupMeans& other) {
    std::vector<double> result;
    const auto add = [&](double a, double b, double mean) {
      const double difference = std::abs(a - b) / std::max(std::abs(mean), floor);
      result.push_back(std::isfinite(difference) ? difference : kNoFigure);
    };
    for (size_t g = 0; g < truth.means.size(); ++g)
      add(one.means[g], other.means[g], truth.means[g]);
    add(one.overall, other.overall, truth.overall);
    return result;
  };
  return with_yardsticks(truth, told, has_gaps ? own : all, means_of, differences);
}

/// Whether records may lack a value of the column without being dropped.
bool may_lack(const ColumnSchema& column) {
  return column.missing == MissingPolicy::kCategory || fill_of(column);
}

/// Membership of records in the positive class, as numbers: 1, 0, or missing.
NumericColumn positives_of(const CategoricalColumn& column, const Schema& schema) {
  std::vector<std::string> classes = column.categories;
  if (may_lack(schema.column(column.name))) classes.pop_back();  // missing
  const size_t positive = positive_class(classes, schema.favourable);
  NumericColumn numbers;
  numbers.name = SynthLearner::share_of(column.name, classes[positive]);
  numbers.dropped = column.dropped;
  for (size_t row = 0; row < column.codes.size(); ++row) {
    numbers.values.push_back(column.codes[row] == positive);
    numbers.missing.push_back(column.codes[row] >= classes.size());
  }
  return numbers;
}

/// (groups) The share of records with 1 in a column of 0 and 1, by weight. Sums are exact, so that
/// equal records may be counted or apart.
std::vector<Estimate> shares_of_ones(const GroupedDataset& table, const NumericColumn& column,
                                     size_t num_groups) {
  struct Sums {
    int64_t records = 0;
    Int128 total = 0;
    Int128 squares = 0;
  };
  const std::vector<uint32_t> counts = table.weighed.counts_in(column);
  const std::vector<uint32_t>& units = table.weighed.dataset.unit_begin;
  const std::vector<double>& weights = table.weighed.weights;
  std::vector<double> of_unit(units.empty() ? 0 : counts.size());  // each row of a unit weighs 1
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const auto begin = counts.begin() + units[unit];
    const auto end = counts.begin() + units[unit + 1];
    std::fill(of_unit.begin() + units[unit], of_unit.begin() + units[unit + 1],
              std::accumulate(begin, end, 0.0));
  }
  const double largest = weights.empty() ? 1 : std::ranges::max(weights);
  const FixedPoint totals(largest);
  const FixedPoint squares(largest * (units.empty() ? largest : std::ranges::max(of_unit)));
  std::vector<std::array<Sums, 2>> sums(num_groups);
  for (size_t row = 0; row < counts.size(); ++row) {
    if (counts[row] == 0) continue;
    Sums& sum = sums[index_of(table.grouping.group_of[row])][column.values[row] > 0 ? 1 : 0];
    const double weight = weights.empty() ? 1 : weights[row];
    sum.records += counts[row];
    sum.total += totals.units(weight, counts[row]);
    sum.squares += squares.units(weight * (units.empty() ? weight : of_unit[row]), counts[row]);
  }
  std::vector<Estimate> shares;
  const auto counted = [&](const Sums& sum) {
    return WeightedCount{sum.records, totals.value(sum.total), squares.value(sum.squares)};
  };
  for (const auto& [others, ones] : sums)
    shares.push_back(weighted_share(counted(ones), counted(others)));
  return shares;
}

/// Puts into each group the difference of the target's share. Each interval has a confidence with
/// which all of them hold at once; ends are those of exact intervals, since score intervals miss
/// rare shares too often so far out.
void compare_target(const std::vector<Estimate>& of_real, const std::vector<Estimate>& of_rows,
                    SynthParity& parity) {
  constexpr double kMiss = 0.05;
  const auto num_groups = static_cast<double>(of_real.size());
  const auto widened = [&](Estimate share) {
    share.interval = beta_interval(share.value, share.num_effective, 1 - kMiss / num_groups);
    return share;
  };
  for (size_t g = 0; g < of_real.size(); ++g)
    if (std::isfinite(of_rows[g].value) && std::isfinite(of_real[g].value))
      parity.groups[g].target_difference = difference(widened(of_rows[g]), widened(of_real[g]));
}

/// Means of numeric columns and the share of the target's positive class, in groups.
void compare_means(const Schema& schema, const GroupedDataset& real,
                   const GroupedDataset& synthetic, const Yardsticks& yardsticks,
                   SynthParity& parity) {
  std::vector<ColumnParity> columns;
  std::vector<EvaluatedColumn> evaluated;
  const size_t num_groups = real.grouping.groups.size();
  const auto means_of = [&](const GroupedDataset& table, const NumericColumn& column) {
    const std::vector<uint32_t> counts = table.weighed.counts_in(column);
    return group_means({column.values, table.grouping.group_of, counts, table.weighed.weights},
                       num_groups);
  };
  const auto total = [](const std::vector<int64_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), int64_t{0});
  };
  const auto compare = [&](const NumericColumn& of_real, const NumericColumn& of_synthetic,
                           double lower, double upper) {
    const std::string& name = of_real.name;
    const GroupMeans truth = means_of(real, of_real);
    const GroupMeans told = means_of(synthetic, of_synthetic);
    const ParityError error = column_parity(truth, told, lower, upper);
    columns.push_back({name, error});
    const std::vector<ComparedFigure> errors =
        mean_errors(real, of_real, truth, told, error.scale_floor, yardsticks);
    for (size_t g = 0; g < num_groups; ++g) {
      parity.groups[g].means.push_back({name, truth.means[g], told.means[g], truth.num_records[g],
                                        told.num_records[g], errors[g]});
    }
    evaluated.push_back({{name, truth.overall, told.overall, total(truth.num_records),
                          total(told.num_records), errors.back()},
                         error.parity_error,
                         error.max_group_error,
                         error.scale_floor});
  };
  const Dataset& records = real.weighed.dataset;
  const Dataset& rows = synthetic.weighed.dataset;
  for (const ColumnSchema& column : schema.columns) {
    // The mean of dates, from any day on, has no size that an error could be a share of.
    if (column.type == ColumnType::kNumeric && !column.time)
      compare(*records.find_numeric(column.name), *rows.find_numeric(column.name), column.lower,
              column.upper);
  }
  // Published errors are of numeric columns alone.
  const std::vector<ColumnParity> numeric = columns;
  if (const CategoricalColumn* target = records.find_categorical(schema.target)) {
    const NumericColumn of_real = positives_of(*target, schema);
    const NumericColumn of_rows = positives_of(*rows.find_categorical(schema.target), schema);
    compare(of_real, of_rows, 0, 1);
    compare_target(shares_of_ones(real, of_real, num_groups),
                   shares_of_ones(synthetic, of_rows, num_groups), parity);
  }
  if (columns.empty()) return;
  const MeansParity means = means_parity(std::move(columns));
  EvaluatedMeans& result = parity.means.emplace();
  result.parity_error = means.parity_error;
  result.largest_disparity = means.largest_disparity;
  if (std::isfinite(means.largest_disparity)) {
    result.worst_column = means.columns[means.worst_column].column;
    result.worst_group = parity.groups[means.worst_group].group;
  }
  result.columns = std::move(evaluated);
  if (!parity.omega || numeric.empty()) return;
  const auto printed = means_parity(numeric).printed;
  result.printed_parity_error = printed ? printed->at(*parity.omega) : kNoFigure;
}

/// The records of a table, one by one; those of a counted row share its features.
struct LearntTable {
  EncodedTable table;
  std::vector<uint32_t> rows;  ///< (records) of the dataset
};

/// Takes the records without a label from the table, and the class of missing ones, the last.
void leave_out_unlabelled(const Dataset& dataset, const Schema& schema, LearntTable& learnt) {
  if (!may_lack(schema.column(schema.target))) return;
  EncodedTable& table = learnt.table;
  if (const NumericColumn* column = dataset.find_numeric(schema.target); column != nullptr) {
    for (size_t record = 0; record < learnt.rows.size() && !column->missing.empty(); ++record)
      if (column->missing[learnt.rows[record]] != 0) table.contributes[record] = 0;
    return;
  }
  table.classes.pop_back();
  for (size_t record = 0; record < table.labels.size(); ++record) {
    if (table.labels[record] < table.classes.size()) continue;
    table.contributes[record] = 0;
    table.labels[record] = 0;
  }
}

/// The pairs whose correlations in synthetic rows and in real records are compared. pairs: names of
/// columns.
EvaluatedCorrelations compared_pairs(const PairCorrelations& real,
                                     const PairCorrelations& synthetic,
                                     const std::vector<std::vector<std::string>>& pairs) {
  const CorrelationError error = correlation_error(real.values, synthetic.values);
  EvaluatedCorrelations result;
  result.num_pairs = static_cast<int64_t>(error.num_pairs);
  result.num_undefined = static_cast<int64_t>(error.num_undefined);
  for (size_t pair = 0; pair < real.values.size(); ++pair) {
    if (std::isnan(real.values[pair]) || std::isnan(synthetic.values[pair])) continue;
    const int64_t count = real.num_records[pair];
    result.min_records = std::min(result.min_records.value_or(count), count);
  }
  if (error.num_pairs == 0) return result;
  result.worst_pair = pairs[error.worst_pair];
  result.records_of_worst = real.num_records[error.worst_pair];
  return result;
}

/// The correlations of numeric columns, where there are two or more; also of groups, if any.
std::optional<SynthCorrelations> correlate(const Schema& schema, const Weighed& real,
                                           const Weighed& synthetic, const Grouping* real_groups,
                                           const Grouping* synthetic_groups,
                                           const Yardsticks& yardsticks, int threads) {
  SynthCorrelations result;
  CorrelatedColumns truth;
  CorrelatedColumns told;
  std::vector<std::vector<std::string>> pairs;
  for (const ColumnSchema& column : schema.columns) {
    if (column.type != ColumnType::kNumeric) continue;
    result.columns.push_back(column.name);
    truth.columns.push_back(real.dataset.find_numeric(column.name));
    told.columns.push_back(synthetic.dataset.find_numeric(column.name));
  }
  if (result.columns.size() < 2) return std::nullopt;
  for (size_t i = 0; i < result.columns.size(); ++i)
    for (size_t j = i + 1; j < result.columns.size(); ++j)
      pairs.push_back({result.columns[i], result.columns[j]});
  size_t num_groups = 0;
  if (real_groups != nullptr) {
    num_groups = real_groups->groups.size();
    truth.group_of = real_groups->group_of;
    told.group_of = synthetic_groups->group_of;
  }
  truth.weights = real.weights;
  told.weights = synthetic.weights;
  const auto correlations = [&](CorrelatedColumns& table, const std::vector<uint32_t>& counts) {
    table.counts = counts;
    return pair_correlations(table, num_groups, threads);
  };
  const auto of_real = correlations(truth, real.counts());
  const auto of_synthetic = correlations(told, synthetic.counts());
  using Correlations = std::vector<PairCorrelations>;
  const std::vector<ComparedFigure> differences = with_yardsticks(
      of_real, of_synthetic, yardsticks,
      [&](const std::vector<uint32_t>& drawn) { return correlations(truth, drawn); },
      [&](const Correlations& one, const Correlations& other) {
        std::vector<double> of_groups;
        for (size_t g = 0; g <= num_groups; ++g) {
          const CorrelationError error = correlation_error(one[g].values, other[g].values);
          of_groups.insert(of_groups.end(), {error.mean, error.largest});
        }
        return of_groups;
      });
  std::vector<EvaluatedCorrelations> errors;
  for (size_t g = 0; g <= num_groups; ++g) {
    EvaluatedCorrelations& found =
        errors.emplace_back(compared_pairs(of_real[g], of_synthetic[g], pairs));
    if (g < num_groups) found.group = real_groups->groups[g];
    found.mean = differences[2 * g];
    found.largest = differences[2 * g + 1];
  }
  result.overall = std::move(errors.back());
  errors.pop_back();
  result.groups = std::move(errors);
  for (size_t i = 0; i < pairs.size(); ++i) {
    result.pairs.push_back({pairs[i], of_real.back().values[i], of_synthetic.back().values[i],
                            of_real.back().num_records[i], of_synthetic.back().num_records[i]});
  }
  return result;
}

/// The performance of a model overall and in each of the groups, if any.
template <typename Learnt>
LearntResult result_of(const Learnt& learnt, const std::vector<GroupLabel>& groups) {
  LearntResult result{{}, learnt.overall};
  for (size_t g = 0; g < groups.size(); ++g) result.groups.push_back({groups[g], learnt.groups[g]});
  return result;
}

/// Lets `learn(train, test)` learn from synthetic rows and from yardsticks.
template <typename Learn>
void learn_from(const EncodedTable& synthetic, const EncodedTable& real,
                const std::vector<GroupLabel>& groups, const Learn& learn, SynthLearner& learner) {
  const std::vector<uint32_t> counts(real.contributes.begin(), real.contributes.end());
  const auto counted_by = [&](const std::vector<uint32_t>& drawn) {
    EncodedTable table = real;
    table.weights.clear();
    for (size_t record = 0; record < drawn.size(); ++record) {
      table.weights.push_back(drawn[record] * real.weight(record));
      table.contributes[record] = drawn[record] > 0 ? 1 : 0;
    }
    return table;
  };
  learner.synthetic = result_of(learn(synthetic, real), groups);
  learner.bootstrap =
      result_of(learn(counted_by(bootstrap_counts(counts, 0, real.unit_begin)), real), groups);
  const Halves halves = half_counts(counts, real.unit_begin);
  learner.second_half =
      result_of(learn(counted_by(halves.first), counted_by(halves.second)), groups);
}

/// Features with missing cells, and what these count as: a model needs a number.
GroupLabel fills_of(const Schema& schema, const std::set<std::string>& dropped) {
  GroupLabel fills;
  for (const ColumnSchema& column : schema.columns) {
    const bool is_number = column.type == ColumnType::kNumeric && column.feature;
    if (!is_number || column.name == schema.target || !may_lack(column) ||
        dropped.contains(column.name))
      continue;
    // Only the target that the schema names has gaps and nothing that fills them.
    fills.emplace_back(column.name, column.text_of(fill_of(column).value_or(column.lower)));
  }
  return fills;
}

LearntTable learnt_table_of(const Weighed& weighed, const Schema& schema,
                            const std::set<std::string>& dropped) {
  std::vector<uint32_t> all =
      numbers_below<uint32_t>(static_cast<size_t>(weighed.dataset.num_units()));
  const UnitRows rows = rows_of_units(weighed.dataset, std::move(all));
  LearntTable learnt{encode(weighed.dataset, schema, rows), rows.rows};
  if (!weighed.weights.empty())
    for (const uint32_t row : rows.rows) learnt.table.weights.push_back(weighed.weights[row]);
  leave_out_unlabelled(weighed.dataset, schema, learnt);
  const std::vector<uint8_t> lacks =
      rows_with_gaps(weighed.dataset, schema, [&](const std::string& name) {
        return dropped.contains(name) && schema.column(name).feature && name != schema.target;
      });
  for (size_t record = 0; record < rows.rows.size(); ++record)
    if (lacks[rows.rows[record]] != 0) learnt.table.contributes[record] = 0;
  return learnt;
}

/// Whether a learner can take the records of counted rows one by one. Refuses a target that was
/// asked for if it cannot.
bool has_room_to_learn(const SynthEvaluateRequest& request, const Dataset& real,
                       const Dataset& synthetic, TaskProgress& progress) {
  constexpr int64_t kBytesOfRecord = 136;  // of labels, weights, bootstraps and predictions
  constexpr int64_t kBytesOfRow = 16;      // of labels and weights
  if (real.row_counts.empty() && synthetic.row_counts.empty()) return true;
  const std::string problem =
      why_no_room(kBytesOfRecord * real.total_records() + kBytesOfRow * synthetic.total_records());
  if (problem.empty()) return true;
  const std::string reason = fmt::format(
      "the counted rows stand for {} records and {} synthetic rows, and what is learnt from these "
      "{}",
      real.total_records(), synthetic.total_records(), problem);
  if (!request.schema.target.empty())
    throw Error(ErrorKind::kInput, kWhere, "{}; leave out --target", reason);
  progress.stage("no classifier or regression: " + reason);
  return false;
}

SynthLearner learn_target(const Schema& schema, const std::set<std::string>& dropped,
                          const Weighed& real, const Weighed& synthetic, const Grouping* grouping) {
  LearntTable of_rows = learnt_table_of(synthetic, schema, dropped);
  LearntTable of_records = learnt_table_of(real, schema, dropped);
  EncodedTable& train = of_rows.table;
  EncodedTable& test = of_records.table;
  // Rows count alike, and what is independent are their units.
  if (!test.unit_begin.empty()) test.weights.assign(static_cast<size_t>(test.num_records), 1);
  std::vector<GroupId> group_of;
  for (const uint32_t row : of_records.rows)
    if (grouping != nullptr) group_of.push_back(grouping->group_of[row]);
  const std::vector<GroupLabel> groups =
      grouping == nullptr ? std::vector<GroupLabel>() : grouping->groups;
  SynthLearner learner;
  learner.target = schema.target;
  learner.num_trained = std::ranges::count(train.contributes, 1);
  learner.fills = fills_of(schema, dropped);
  if (const ColumnSchema& column = schema.column(schema.target);
      column.type == ColumnType::kNumeric) {
    learner.unit = column.number_unit;
    learn_from(
        train, test, groups,
        [&](const EncodedTable& from, const EncodedTable& to) {
          return test_regression(fit_linear(from), to, group_of, groups.size());
        },
        learner);
    return learner;
  }
  make_binary(train, schema.favourable);
  make_binary(test, schema.favourable);
  learner.positive = test.classes[1];
  learn_from(
      train, test, groups,
      [&](const EncodedTable& from, const EncodedTable& to) {
        return test_classifier(fit_logistic(from), to, group_of, groups.size());
      },
      learner);
  return learner;
}

const std::vector<std::string> kEvaluationFiles = {"report.json", "report.html", "errors.csv"};

/// Finds before the work what is wrong with the folder.
void check_evaluation_output(const SynthEvaluateRequest& request) {
  for (const std::string& name : kEvaluationFiles)
    for (const TableSource& table : {request.real, request.synthetic})
      require_not_input(request.out_path / name, {table, {}});
  constexpr int64_t kSomeBytes = 1 << 20;
  const OutputFolder probe(request.out_path, request.force, kEvaluationFiles, kSomeBytes);
}

/// Writes all files or none, for their owner, and lists them in the report.
void write_evaluation_output(const SynthEvaluateRequest& request, SynthEvaluateReport& report) {
  for (const std::string& name : kEvaluationFiles)
    report.files.push_back((request.out_path / name).string());
  const std::vector<std::string> contents = {to_text(evaluation_to_json(report)),
                                             to_page(evaluation_document(report)),
                                             evaluation_to_csv(report)};
  size_t num_bytes = 0;
  for (const std::string& content : contents) num_bytes += content.size();
  OutputFolder folder(request.out_path, request.force, kEvaluationFiles,
                      static_cast<int64_t>(num_bytes));
  for (size_t i = 0; i < contents.size(); ++i) folder.write(kEvaluationFiles[i], contents[i]);
  folder.commit();
}

}  // namespace

SynthEvaluateReport evaluate_synthetic(const SynthEvaluateRequest& request,
                                       TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Schema whole = load(request, progress);
  const std::string& weights = request.weight_column;
  if (!weights.empty()) {
    weight_column(whole, weights);
    leave_out_unweighed(whole, weights);
    require_only_weights(whole, weights, {&whole.target, 1}, {&request.by, 1});
  }
  const std::set<std::string> dropped = know_dropped(whole, request);
  const Schema schema = weights.empty() ? whole : ignoring(whole, weights);
  Schema coding = schema;
  if (request.schema.missing != MissingUse::kFill) static_cast<void>(keep_gaps(coding));
  const std::vector<ColumnCodes> columns = column_codes(coding, request.bins);
  std::vector<std::string> names;
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  const auto num_columns = static_cast<int>(columns.size());
  check_interval(kWhere, "degree", request.degree, 1, 1000);
  const int degree = feasible_degree(num_columns, request.degree);
  const auto sets = sets_of_degree(num_columns, degree);
  if (!request.by.empty()) static_cast<void>(list_groups(schema, request.by));

  if (!request.out_path.empty()) check_evaluation_output(request);

  SynthEvaluateReport report;
  report.version = EQUINOISE_VERSION;
  report.real = request.real.name();
  report.synthetic = request.synthetic.name();
  report.command = request.command;
  report.weight_column = weights;
  report.unit = ProtectedUnit::of(whole);
  // The unit of a row is known of real ones alone.
  const Weighed real_table =
      read(request.real, whole, weights,
           whole.has_unit_column() ? TableUse::kPrivateSize : TableUse::kOther, progress);
  const Weighed synthetic_table =
      read(request.synthetic, schema_of_weighed_rows(request.synthetic, whole, weights), weights,
           TableUse::kOther, progress);
  // Take notes in turn, so that the first ones, which matter most, are of both tables.
  for (size_t i = 0; i < std::max(real_table.notes.size(), synthetic_table.notes.size()); ++i)
    for (const Weighed* table : {&real_table, &synthetic_table})
      if (i < table->notes.size()) report.ingest_notes.push_back(table->notes[i]);
  const bool learns =
      !schema.target.empty() &&
      has_room_to_learn(request, real_table.dataset, synthetic_table.dataset, progress);
  const std::vector<uint32_t> real_units =
      units_of_kept(real_table.dataset.unit_begin, real_table.dataset.contributes);
  report.rows_have_weights = !synthetic_table.weights.empty();
  const CodedTable real = encode_table(real_table.dataset, columns);
  const CodedTable synthetic = encode_table(synthetic_table.dataset, columns);
  const std::vector<double> real_weights = real_table.weights_of_contributing();
  const std::vector<double> synthetic_weights = synthetic_table.weights_of_contributing();
  const std::vector<int> gaps = gap_codes(columns, dropped);
  const WeighedTable weighed_real(real, real_weights, gaps);
  const WeighedTable weighed_synthetic(synthetic, synthetic_weights);
  report.num_real = static_cast<int64_t>(real.total_records());
  report.num_synthetic = static_cast<int64_t>(synthetic.total_records());
  report.num_read = real_table.dataset.total_records();
  const std::vector<uint8_t> lacks =
      rows_with_gaps(real_table.dataset, schema, [](const std::string&) { return true; });
  const std::vector<uint32_t> real_counts = real_table.counts();
  for (size_t row = 0; row < lacks.size(); ++row)
    if (lacks[row] == 0) report.num_complete += real_counts[row];
  progress.stage(
      fmt::format("comparing {} marginals of {} columns", format_count(std::ssize(sets)), degree));
  report.errors =
      marginal_errors(weighed_real, weighed_synthetic, sets, names, request.threads, real_units);

  const Yardsticks yardsticks = draw_yardsticks(real_table.counts(), real_table.dataset.unit_begin);
  std::optional<Grouping> real_groups;
  std::optional<Grouping> synthetic_groups;
  if (!request.by.empty()) {
    real_groups = group_by(real_table.dataset, schema, request.by);
    synthetic_groups = group_by(synthetic_table.dataset, schema, request.by);
    const size_t num_groups = real_groups->groups.size();
    const std::vector<GroupId> of_real = groups_of_contributing(real_table.dataset, *real_groups);
    const std::vector<GroupId> of_synthetic =
        groups_of_contributing(synthetic_table.dataset, *synthetic_groups);
    progress.stage(fmt::format("the same in {} groups", num_groups));
    SynthParity& parity = report.parity.emplace();
    parity.by = request.by;
    parity.omega = request.parity_omega;
    const std::vector<int64_t> num_real = sizes_of(real, of_real, num_groups);
    const std::vector<int64_t> num_synthetic = sizes_of(synthetic, of_synthetic, num_groups);
    std::vector<MarginalErrors> errors =
        group_marginal_errors(weighed_real, of_real, weighed_synthetic, of_synthetic, num_groups,
                              sets, names, request.threads, real_units);
    std::vector<std::optional<double>> of_groups;
    for (size_t g = 0; g < num_groups; ++g) {
      const double error = errors[g].workload().error.rows;
      of_groups.push_back(num_real[g] > 0 ? std::optional(error) : std::nullopt);
      parity.groups.push_back(
          {real_groups->groups[g], num_real[g], num_synthetic[g], std::move(errors[g]), {}});
    }
    const MarginalParity marginals =
        marginal_parity(report.errors.workload().error.rows, std::move(of_groups));
    parity.marginals = {
        marginals.parity_error, marginals.largest_group, marginals.largest_difference, {}};
    if (parity.omega) parity.marginals.printed_parity_error = marginals.printed.at(*parity.omega);
    compare_means(schema, {real_table, *real_groups}, {synthetic_table, *synthetic_groups},
                  yardsticks, parity);
  }
  progress.stage("comparing correlations");
  report.correlations =
      correlate(schema, real_table, synthetic_table, real_groups ? &*real_groups : nullptr,
                synthetic_groups ? &*synthetic_groups : nullptr, yardsticks, request.threads);
  if (learns) {
    progress.stage(fmt::format("learning {} from the synthetic rows", schema.target));
    report.learner = learn_target(schema, dropped, real_table, synthetic_table,
                                  real_groups ? &*real_groups : nullptr);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (request.out_path.empty()) return report;
  progress.hold_interruptions();
  write_evaluation_output(request, report);
  return report;
}

}  // namespace equinoise
