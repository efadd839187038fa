// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/synth_evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "equinoise/base/error.h"
#include "equinoise/data/encoder.h"
#include "equinoise/data/record_reader.h"
#include "equinoise/data/table.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/report/format.h"
#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/workload_error.h"
#include "equinoise/tasks/input/ingest_notes.h"
#include "equinoise/tasks/input/record_weights.h"
#include "equinoise/tasks/input/table_files.h"
#include "equinoise/tasks/synth/synth_evaluate_output.h"
#include "equinoise/tasks/synth/unlabelled.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.synth_evaluate";

/// A table and the weights of its records, (num_records), or none.
struct Weighed {
  Dataset dataset;
  std::vector<double> weights;

  /// Of those that contribute.
  std::vector<double> weights_of_contributing() const {
    std::vector<double> some;
    for (size_t record = 0; record < weights.size(); ++record)
      if (dataset.contributes[record] != 0) some.push_back(weights[record]);
    return some;
  }
};

/// Reads a table and weighs its records by the column, "" for none, where it is not ignored.
Weighed read(const std::filesystem::path& path, const Schema& schema, const std::string& weights,
             TaskProgress& progress, SynthEvaluateReport& report) {
  Weighed result{read_table_files({path, {}}, schema, TableUse::kOther, progress), {}};
  std::vector<std::string> notes = ingest_notes(result.dataset);
  if (const NumericColumn* column = result.dataset.find_numeric(weights); column != nullptr) {
    Weighting weighting = weigh_records(*column, result.dataset.contributes);
    for (std::string& note : weighting_notes(weighting)) notes.push_back(std::move(note));
    result.weights = std::move(weighting.weights);
  }
  for (const std::string& note : notes) report.ingest_notes.push_back(path.string() + ": " + note);
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
bool has_decimal_points(const std::filesystem::path& path, const Schema& schema) {
  try {
    const std::unique_ptr<RecordReader> records = open_table(path, schema.layout);
    std::vector<size_t> numeric;
    for (size_t i = 0; i < records->header().size(); ++i) {
      const ColumnSchema* column = schema.find_column(records->header()[i]);
      if (column != nullptr && column->type == ColumnType::kNumeric) numeric.push_back(i);
    }
    const auto has_comma = [&](size_t i) {
      return records->cells()[i].find(',') != std::string::npos;
    };
    while (records->next())
      if (std::any_of(numeric.begin(), numeric.end(), has_comma)) return false;
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// The schema as synthetic rows are read with it: in the layout of the real table if their header
/// fits it, otherwise in the usual one, as `equinoise synth` writes them. If it fits both, how the
/// rows are written decides.
Schema schema_of_rows(const std::filesystem::path& path, const Schema& schema) {
  Schema usual = schema;
  usual.layout = {.delimiter = ','};
  for (ColumnSchema& column : usual.columns) column.thousands = '\0';
  if (!header_fits(path, usual)) return schema;
  const bool is_alike = header_fits(path, schema) && !has_decimal_points(path, usual);
  return is_alike ? schema : usual;
}

/// The same, for rows that may lack the weights.
Schema schema_of_weighed_rows(const std::filesystem::path& path, const Schema& schema,
                              const std::string& weights) {
  Schema rows = schema_of_rows(path, schema);
  if (weights.empty() || header_fits(path, rows)) return rows;
  Schema without = schema_of_rows(path, ignoring(schema, weights));
  // Else what is missing is told.
  return header_fits(path, without) ? without : rows;
}

/// A schema as two tables are compared by it.
struct Comparing {
  Schema schema;  ///< its target: the one that a classifier predicts
  /// Missing cells of that target are no class: the schema's rule for models drops them.
  bool may_be_unlabelled = false;
};

/// Everybody is compared, as `equinoise synth` makes rows of everybody.
Comparing load(const SynthEvaluateRequest& request) {
  SchemaFile file = request.schema;
  file.target.clear();
  file.sizes = SizesRule::kMayBePrivate;  // of tables of any size
  Comparing comparing{load_schema(file)};
  Schema& schema = comparing.schema;
  const std::string own_target = schema.target;
  static_cast<void>(keep_unlabelled(schema, {}));
  if (request.schema.target.empty()) {
    if (!request.positive.empty())
      throw Error(ErrorKind::kUsage, kWhere, "--positive needs --target");
    return comparing;
  }
  const ColumnSchema& column = schema.column(request.schema.target);
  if (column.type != ColumnType::kCategorical) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("--target {} must be a categorical column: a classifier predicts it",
                            column.name));
  }
  schema.target = column.name;
  comparing.may_be_unlabelled =
      column.name == own_target && column.missing == MissingPolicy::kCategory;
  return comparing;
}

/// The groups of the records that contribute.
std::vector<GroupId> groups_of_contributing(const Dataset& dataset, const Grouping& grouping) {
  std::vector<GroupId> groups;
  for (size_t record = 0; record < dataset.contributes.size(); ++record)
    if (dataset.contributes[record] != 0) groups.push_back(grouping.group_of[record]);
  return groups;
}

std::vector<int64_t> sizes_of(std::span<const GroupId> group_of, size_t num_groups) {
  std::vector<int64_t> sizes(num_groups);
  for (const GroupId group : group_of) ++sizes[index_of(group)];
  return sizes;
}

/// Which records have a number in the column.
std::vector<uint8_t> counts_in(const Dataset& dataset, const NumericColumn& column) {
  std::vector<uint8_t> counts = dataset.contributes;
  for (size_t record = 0; record < column.missing.size(); ++record)
    if (column.missing[record] != 0) counts[record] = 0;
  return counts;
}

/// A table and the groups of its records.
struct GroupedDataset {
  const Weighed& weighed;
  const Grouping& grouping;
};

void compare_means(const Schema& schema, const GroupedDataset& real,
                   const GroupedDataset& synthetic, SynthParity& parity) {
  std::vector<ColumnParity> columns;
  const size_t num_groups = real.grouping.groups.size();
  const auto means_of = [&](const GroupedDataset& table, const std::string& name) {
    const NumericColumn& column = *table.weighed.dataset.find_numeric(name);
    const std::vector<uint8_t> counts = counts_in(table.weighed.dataset, column);
    return group_means({column.values, table.grouping.group_of, counts, table.weighed.weights},
                       num_groups);
  };
  for (const ColumnSchema& column : schema.columns) {
    // The mean of dates, from any day on, has no size that an error could be a share of.
    if (column.type != ColumnType::kNumeric || column.time) continue;
    const GroupMeans& truth = parity.real_means.emplace_back(means_of(real, column.name));
    const GroupMeans& told = parity.synthetic_means.emplace_back(means_of(synthetic, column.name));
    columns.push_back({column.name, column_parity(truth, told, column.lower, column.upper)});
  }
  if (!columns.empty()) parity.means = means_parity(std::move(columns));
}

/// Takes the class of missing labels, the last one, from the records.
void leave_out_unlabelled(EncodedTable& table) {
  table.classes.pop_back();
  for (size_t record = 0; record < table.labels.size(); ++record) {
    if (table.labels[record] < table.classes.size()) continue;
    table.contributes[record] = 0;
    table.labels[record] = 0;
  }
}

SynthClassifier classify(const SynthEvaluateRequest& request, const Comparing& comparing,
                         const Weighed& real, const Weighed& synthetic, const Grouping* grouping) {
  const Schema& schema = comparing.schema;
  EncodedTable train = encode(synthetic.dataset, schema);
  EncodedTable test = encode(real.dataset, schema);
  train.weights = synthetic.weights;
  test.weights = real.weights;
  for (EncodedTable* table : {&train, &test})
    if (comparing.may_be_unlabelled) leave_out_unlabelled(*table);
  make_binary(train, request.positive);
  make_binary(test, request.positive);
  const std::vector<double> parameters = fit_logistic(train);
  return {schema.target, test.classes[1],
          grouping == nullptr
              ? test_classifier(parameters, test, {}, 0)
              : test_classifier(parameters, test, grouping->group_of, grouping->groups.size())};
}

}  // namespace

SynthEvaluateReport evaluate_synthetic(const SynthEvaluateRequest& request,
                                       TaskProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  Comparing comparing = load(request);
  const Schema whole = comparing.schema;
  const std::string& weights = request.weight_column;
  if (!weights.empty()) {
    weight_column(whole, weights);
    require_only_weights(whole, weights, {&request.schema.target, 1}, {&request.by, 1});
  }
  if (!weights.empty()) comparing.schema = ignoring(whole, weights);
  const Schema& schema = comparing.schema;
  const std::vector<ColumnCodes> columns = column_codes(schema, request.bins);
  const auto sets = sets_of_degree(static_cast<int>(columns.size()), request.degree);
  if (!request.by.empty()) static_cast<void>(list_groups(schema, request.by));

  if (!request.out_path.empty()) check_synth_evaluate_output(request);

  SynthEvaluateReport report;
  for (const ColumnCodes& column : columns) report.columns.push_back(column.name);
  const Weighed real_table = read(request.real_path, whole, weights, progress, report);
  const Weighed synthetic_table =
      read(request.synthetic_path, schema_of_weighed_rows(request.synthetic_path, whole, weights),
           weights, progress, report);
  report.synthetic_has_weights = !synthetic_table.weights.empty();
  const CodedTable real = encode_table(real_table.dataset, columns);
  const CodedTable synthetic = encode_table(synthetic_table.dataset, columns);
  const std::vector<double> real_weights = real_table.weights_of_contributing();
  const std::vector<double> synthetic_weights = synthetic_table.weights_of_contributing();
  const WeighedTable weighed_real(real, real_weights);
  const WeighedTable weighed_synthetic(synthetic, synthetic_weights);
  report.num_real = static_cast<int64_t>(real.num_records);
  report.num_synthetic = static_cast<int64_t>(synthetic.num_records);
  progress.stage(fmt::format("comparing {} marginals of {} columns", format_count(std::ssize(sets)),
                             request.degree));
  report.errors = marginal_errors(weighed_real, weighed_synthetic, sets, request.threads);
  report.num_marginals = std::ssize(sets);

  std::optional<Grouping> real_groups;
  if (!request.by.empty()) {
    real_groups = group_by(real_table.dataset, schema, request.by);
    const Grouping synthetic_groups = group_by(synthetic_table.dataset, schema, request.by);
    const size_t num_groups = real_groups->groups.size();
    const std::vector<GroupId> of_real = groups_of_contributing(real_table.dataset, *real_groups);
    const std::vector<GroupId> of_synthetic =
        groups_of_contributing(synthetic_table.dataset, synthetic_groups);
    progress.stage(fmt::format("the same in {} groups", num_groups));
    SynthParity& parity = report.parity.emplace();
    parity.by = request.by;
    parity.groups = real_groups->groups;
    parity.num_real = sizes_of(of_real, num_groups);
    parity.num_synthetic = sizes_of(of_synthetic, num_groups);
    compare_means(schema, {real_table, *real_groups}, {synthetic_table, synthetic_groups}, parity);
    parity.errors = group_marginal_errors(weighed_real, of_real, weighed_synthetic, of_synthetic,
                                          num_groups, sets, request.threads);
    std::vector<std::optional<double>> of_groups;
    for (const std::optional<MarginalErrors>& errors : parity.errors) {
      of_groups.push_back(errors ? std::optional(errors->workload_error) : std::nullopt);
    }
    parity.marginals = marginal_parity(report.errors.workload_error, std::move(of_groups));
  }
  if (!request.schema.target.empty()) {
    progress.stage(fmt::format("training a classifier of {} on the synthetic rows", schema.target));
    report.classifier = classify(request, comparing, real_table, synthetic_table,
                                 real_groups ? &*real_groups : nullptr);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!request.out_path.empty()) write_synth_evaluate_output(request, report);
  return report;
}

}  // namespace equinoise
